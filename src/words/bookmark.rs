//! The bookmarklet.

use berth_words::text;

use super::Text;

pub const SHARE_BOOKMARK: Text = text!("Bookmark");
pub const BOOKMARK_NAME: Text = text!("Open in Berth");
pub const BOOKMARK_HELP: Text =
    text!("A bookmark that opens the manifests of the page you read, in documentation or a blog.");
pub const BOOKMARK_DRAG: Text = text!("Drag this link to your bookmarks bar.");
pub const COPY_ADDRESS: Text = text!("Copy its address");
pub const BOOKMARK_COPY: Text = text!(
    "On a phone, or by keyboard: bookmark any page, edit the bookmark, and replace its address with this one."
);
pub const BOOKMARK_READS: Text = text!(
    "Select a part of the page first to take only that part. Nothing is sent anywhere: the manifests are in the link that it opens."
);
