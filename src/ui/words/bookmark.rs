//! The bookmarklet.

pub const SHARE_BOOKMARK: &str = "Bookmark";
pub const BOOKMARK_NAME: &str = "Open in Berth";
pub const BOOKMARK_HELP: &str =
    "A bookmark that opens the manifests of the page you read, in documentation or a blog.";
pub const BOOKMARK_DRAG: &str = "Drag this link to your bookmarks bar.";
pub const BOOKMARK_READS: &str = "Select a part of the page first to take only that part. Nothing is sent anywhere: the manifests are in the link that it opens.";
