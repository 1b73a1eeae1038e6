//! Text of the Export dialog.

pub const EXPORT_PICTURE: &str = "The stage as a picture";
pub const EXPORT_PICTURE_MEANS: &str =
    "As it is shown now. SVG is text that screen readers read, too; PNG is for slides and chats.";
pub const EXPORT_EXPLANATION: &str = "The explanation";
pub const EXPORT_EXPLANATION_MEANS: &str =
    "The explained attempt: sentence, matrix, sums, message and fixes.";
pub const EXPORT_EVENTS: &str = "The timeline";
pub const EXPORT_EVENTS_MEANS: &str = "What has happened up to now, one event a line.";
pub const EXPORT_MANIFESTS: &str = "The manifests";
pub const EXPORT_MANIFESTS_MEANS: &str = "With the current place of every Pod.";
pub const PICTURE_COLORS: &str = "Colors";
pub const LIGHT: &str = "Light";
pub const DARK: &str = "Dark";
pub const PNG_SIZE: &str = "Size of the PNG";
pub const SAVE_SVG: &str = "Save SVG";
pub const SAVE_PNG: &str = "Save PNG";
pub const SAVE_MARKDOWN: &str = "Save Markdown";
pub const PRINT: &str = "Print";
pub const SAVE_CSV: &str = "Save CSV";
pub const SAVE_YAML: &str = "Save YAML";
pub const NOTHING_EXPLAINED: &str = "There is no attempt to explain yet: take a step first.";
pub const NODE_COLUMN: &str = "Node";
pub const TOTAL_COLUMN: &str = "Total";
pub const LINK_TO_THIS: &str = "Link to this";

/// A size of a PNG: `2×`.
pub fn times(scale: u8) -> String {
    format!("{scale}×")
}
