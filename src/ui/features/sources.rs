//! Sources: the manifests as text, and their problems.

pub mod documents;
mod state;
mod view;

pub use state::{Editor, EditorAction};
pub use view::{chosen_files, drop, editing, row, view};
