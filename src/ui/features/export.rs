//! Export: the stage as a picture, the explanation as Markdown and on paper, the timeline, the manifests.

mod state;
mod view;

pub use state::{Export, ExportAction};
pub use view::{button, view};
