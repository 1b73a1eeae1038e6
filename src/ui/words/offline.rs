//! Without a connection, and newer versions.

pub const NEWER_READY: &str =
    "A newer version of Berth is ready. Reload when it suits you: your manifests stay.";
pub const RELOAD: &str = "Reload";
