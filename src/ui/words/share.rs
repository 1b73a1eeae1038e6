//! Sharing: the dialog, and links that were opened.

use super::number;
use berth_protocol::link::{LONGEST, LinkError, MAX_TEXT};

pub const SHARE: &str = "Share";
pub const SHARE_LINK: &str = "Link";
pub const SHARE_EMBED: &str = "Embed";
pub const WAYS_TO_SHARE: &str = "Ways to share";
pub const COPY_LINK: &str = "Copy link";
pub const COPY_SNIPPET: &str = "Copy snippet";
pub const COPIED: &str = "Copied";
pub const NOT_COPIED: &str =
    "The browser refused the clipboard. The text is selected: press Ctrl+C.";
pub const MAKING_LINK: &str = "Making the link…";
pub const LINK_HOLDS: &str = "The link holds";
pub const LINK_MANIFESTS: &str = "Manifests";
pub const LINK_CHANGES: &str = "Changes";
pub const LINK_MOMENT: &str = "Moment and selection";
pub const LINK_COMMENTS: &str = "Comments in the YAML";
pub const LINK_STATUS: &str = "Status from the dump";
pub const NO_SERVER: &str =
    "No server: all of it is in the link. Whoever has the link has the manifests.";
pub const SAVE_FILE: &str = "Save file";
pub const BACK_TO_BEFORE: &str = "Back to what you had";
pub const LINK_OPENED: &str = "This is what the link holds.";
pub const OPEN_SALVAGED: &str = "Open what could be read";
pub const LINK_DIFFERS: &str = "The link was made with another version of Berth, and this one decides differently: what you see is not all as it was.";
pub const WHY: &str = "Why";
pub const OPEN_IN_BERTH: &str = "Open in Berth";
pub const QR_CODE: &str = "QR code of the link";
pub const EMBED_HELP: &str =
    "Paste it after a code block with manifests; the block stays for readers without scripts.";

/// `1,486 characters`.
pub fn characters(count: usize) -> String {
    format!("{} characters", number(count))
}

/// Where a link of this length works.
pub fn link_fits(length: usize, short: usize, qr: usize) -> &'static str {
    if length <= short {
        "fits chat, mail and the QR code"
    } else if length <= qr {
        "fits mail and the QR code; some chats cut it"
    } else if length <= LONGEST {
        "fits browsers and most mails; too long for a QR code"
    } else {
        "too long: many programs would cut it"
    }
}

/// Why there is no QR code.
pub fn no_qr(most: usize) -> String {
    format!("A QR code holds {} characters at most.", number(most))
}

/// What to do with a link that is too long.
pub fn too_long(length: usize) -> String {
    format!(
        "{} characters, and many programs cut addresses above {}. Leave comments and status out, or save a file and send that.",
        number(length),
        number(LONGEST)
    )
}

/// `14 documents, 8 nodes`.
pub fn link_manifests(documents: usize, nodes: usize) -> String {
    format!(
        "{}, {}",
        super::count(documents, "document", "documents"),
        super::count(nodes, "node", "nodes")
    )
}

/// What was done since the manifests were opened.
pub fn link_changes(changes: usize) -> String {
    match changes {
        0 => "none since the manifests were opened".to_owned(),
        changes => format!(
            "{} since the manifests were opened",
            super::count(changes, "change", "changes")
        ),
    }
}

/// Why a link cannot be opened.
pub fn link_refused(error: &LinkError) -> String {
    match error {
        LinkError::NotALink => "The address has no Berth link.".to_owned(),
        LinkError::TooNew { .. } => {
            "A later version of Berth made this link. Reload the page without its cache, or open the link where it was made.".to_owned()
        }
        LinkError::Damaged => {
            "Characters of this link are missing or wrong; perhaps a chat or a mail cut it. Nothing of yours was changed.".to_owned()
        }
        LinkError::TooLarge => format!(
            "This link would unfold to more than {} MiB, which no manifests need. It was not opened.",
            MAX_TEXT >> 20
        ),
        LinkError::Unreadable { message } => {
            format!("The link is whole, but its content is not Berth's: {message}")
        }
    }
}
