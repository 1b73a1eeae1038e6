//! Sharing: the dialog, and links that were opened.

use berth_words::{counted, say, text};

use super::language::comma;
use super::{Text, number};
use berth_protocol::link::{LONGEST, LinkError, MAX_TEXT};

pub const SHARE: Text = text!("Share");
pub const SHARE_LINK: Text = text!("Link");
pub const SHARE_EMBED: Text = text!("Embed");
pub const WAYS_TO_SHARE: Text = text!("Ways to share");
pub const COPY_LINK: Text = text!("Copy link");
pub const COPY_SNIPPET: Text = text!("Copy snippet");
pub const COPIED: Text = text!("Copied");
pub const NOT_COPIED: Text =
    text!("The browser refused the clipboard. Click into the text, and press Ctrl+C.");
/// Where no text is selected.
pub const CLIPBOARD_REFUSED: Text = text!("The browser refused the clipboard. Nothing was copied.");
pub const MAKING_LINK: Text = text!("Making the link…");
pub const LINK_HOLDS: Text = text!("The link holds");
pub const LINK_MANIFESTS: Text = text!("Manifests");
pub const LINK_CHANGES: Text = text!("Changes");
pub const LINK_MOMENT: Text = text!("Moment and selection");
pub const LINK_COMMENTS: Text = text!("Comments in the YAML");
pub const LINK_STATUS: Text = text!("Status from the dump");
pub const KUBERNETES_RELEASE: Text = text!("Kubernetes release");
/// The language in which a link opens.
pub const READERS_OWN: Text = text!("the reader’s own");
pub const NO_SERVER: Text =
    text!("No server: all of it is in the link. Whoever has the link has the manifests.");
pub const SAVE_FILE: Text = text!("Save file");
pub const BACK_TO_BEFORE: Text = text!("Back to what you had");
pub const LINK_OPENED: Text = text!("This is what the link holds.");
pub const OPEN_SALVAGED: Text = text!("Open what could be read");
pub const LINK_DIFFERS: Text = text!(
    "The link was made with another version of Berth, and this one decides differently: some of what you see differs from the original."
);
pub const WHY: Text = text!("Why");
pub const OPEN_IN_BERTH: Text = text!("Open in Berth");
pub const QR_CODE: Text = text!("QR code of the link");
pub const ENLARGE_QR: Text = text!("Enlarge");
pub const EMBED_HELP: Text = text!(
    "It shows what you see now. Without its link, it makes the code block before it live; the block stays for readers without scripts."
);

pub const EMBED_FRAME_HELP: Text =
    text!("For a page that allows frames but no scripts, such as a wiki.");
pub const EMBED_MARKDOWN_HELP: Text = text!(
    "For documentation with an adapter: MkDocs, Sphinx, mdBook, VitePress or Docusaurus. The block holds the current manifests."
);
pub const SNIPPET_KIND: Text = text!("Kind of snippet");

/// No example has the name in the address.
pub fn no_example_named(slug: &str) -> String {
    say!("No example is named “{slug}”. Examples, above, has all of them.")
}

/// `1,486 characters`.
pub fn characters(count: usize) -> String {
    counted!(count, "{count} character", "{count} characters")
}

/// Where a link of this length works.
pub fn link_fits(length: usize, short: usize, qr: usize) -> Text {
    if length <= short {
        text!("fits chat, mail and the QR code")
    } else if length <= qr {
        text!("fits mail and the QR code; some chats cut it")
    } else if length <= LONGEST {
        text!("fits browsers and most mails; too long for a QR code")
    } else {
        text!("too long: many programs would cut it")
    }
}

/// The lengths up to which a link works everywhere, and in a QR code; beyond the longest there is a file.
pub fn link_limits(short: usize, qr: usize, longest: usize) -> [String; 3] {
    [
        say!("{number} everywhere", number = number(short)),
        say!("{number} QR code", number = number(qr)),
        say!("{number} file", number = number(longest)),
    ]
}

/// Why there is no QR code.
pub fn no_qr(most: usize) -> String {
    say!(
        "A QR code holds {most} characters at most.",
        most = number(most)
    )
}

/// What to do with a link that is too long. `parts`: names of parts without which it is not.
pub fn too_long(length: usize, parts: &[&str]) -> String {
    let (length, longest) = (number(length), number(LONGEST));
    match parts.is_empty() {
        true => say!(
            "{length} characters, and many programs cut addresses above {longest}. Save a file and send that."
        ),
        false => say!(
            "{length} characters, and many programs cut addresses above {longest}. Leave out “{parts}”, or save a file and send that.",
            parts = parts.join(comma())
        ),
    }
}

/// `14 documents, 8 nodes`.
pub fn link_manifests(documents: usize, nodes: usize) -> String {
    let documents = super::all_documents(documents);
    let nodes = super::nodes(nodes);
    say!("{documents}, {nodes}")
}

/// What a link leaves out of objects that came from a cluster.
pub fn redacted(objects: usize) -> String {
    counted!(
        objects,
        "{objects} object came from a cluster. The link leaves out values of environment variables, arguments, annotations that nothing reads, and the data of ConfigMaps and Secrets.",
        "{objects} objects came from a cluster. The link leaves out values of environment variables, arguments, annotations that nothing reads, and the data of ConfigMaps and Secrets."
    )
}

/// What was done since the manifests were opened.
pub fn link_changes(changes: usize) -> String {
    match changes {
        0 => text!("none since the manifests were opened").to_owned(),
        changes => counted!(
            changes,
            "{changes} change since the manifests were opened",
            "{changes} changes since the manifests were opened"
        ),
    }
}

/// Why a link cannot be opened.
pub fn link_refused(error: &LinkError) -> String {
    match error {
        LinkError::NotALink => text!("The address has no Berth link.").to_owned(),
        LinkError::TooNew { .. } => {
            text!("A later version of Berth made this link. Reload the page without its cache, or open the link where it was made.").to_owned()
        }
        LinkError::LaterChanges { message } => say!(
            "A later version of Berth made this link, with changes that this page does not know ({message}). The manifests are whole."
        ),
        LinkError::UnknownRelease { kubernetes } => say!(
            "This link follows Kubernetes {kubernetes}, which this page does not simulate. Its manifests can be opened with a release that it does."
        ),
        LinkError::Damaged => {
            text!("Characters of this link are missing or wrong; perhaps a chat or a mail cut it. Your manifests are unchanged.").to_owned()
        }
        LinkError::TooLarge => say!(
            "This link would expand to more than {size} MiB, which no manifests need. It was not opened.",
            size = MAX_TEXT >> 20
        ),
        LinkError::Unreadable { message } => {
            say!("The link is whole, but its content is not Berth's: {message}")
        }
    }
}
