//! Text of the Export dialog.

use berth_words::{counted, text};

use super::Text;

pub const EXPORT_PICTURE: Text = text!("The stage as a picture");
pub const EXPORT_PICTURE_MEANS: Text = text!(
    "As it is shown now. SVG is text that screen readers read, too; PNG is for slides and chats."
);
pub const EXPORT_EXPLANATION: Text = text!("The explanation");
pub const EXPORT_EXPLANATION_MEANS: Text =
    text!("The explained attempt: sentence, matrix, sums, message and fixes.");
pub const EXPORT_EVENTS: Text = text!("The timeline");
pub const EXPORT_EVENTS_MEANS: Text = text!("What has happened up to now, one event a line.");
pub const EXPORT_MANIFESTS: Text = text!("The manifests");
pub const EXPORT_MANIFESTS_MEANS: Text =
    text!("As they are written, with comments; or with the current place of every Pod.");
/// Where objects came from a cluster.
pub const EXPORT_REDACTED: Text = text!(
    "Objects from a cluster leave out values of environment variables, arguments, annotations that nothing reads, and the data of ConfigMaps and Secrets."
);
pub const PICTURE_COLORS: Text = text!("Colors");
pub const LIGHT: Text = text!("Light");
pub const DARK: Text = text!("Dark");
pub const PNG_SIZE: Text = text!("Size of the PNG");
pub const SAVE_SVG: Text = text!("Save SVG");
pub const SAVE_PNG: Text = text!("Save PNG");
pub const SAVE_MARKDOWN: Text = text!("Save Markdown");
pub const PRINT: Text = text!("Print");
pub const SAVE_CSV: Text = text!("Save CSV");
pub const SAVE_YAML: Text = text!("Save with places");
pub const SAVE_SOURCES: Text = text!("Save YAML");
pub const NOTHING_EXPLAINED: Text = text!("There is no attempt to explain yet: take a step first.");
pub const NODE_COLUMN: Text = text!("Node");
pub const TOTAL_COLUMN: Text = text!("Total");
pub const LINK_TO_THIS: Text = text!("Link to this");

/// A size of a PNG: `2×`.
pub fn times(scale: u8) -> String {
    format!("{scale}×")
}

/// `1 Pod waits`: in a picture's description.
pub fn pods_wait(pods: usize) -> String {
    counted!(pods, "{pods} Pod waits", "{pods} Pods wait")
}
