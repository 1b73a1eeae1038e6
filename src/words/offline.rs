//! Without a connection, and newer versions.

use berth_words::text;

use super::Text;

pub const NEWER_READY: Text =
    text!("A newer version of Berth is ready. Reload when it suits you: your manifests stay.");
pub const RELOAD: Text = text!("Reload");
