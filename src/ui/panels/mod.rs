//! The page's regions.

pub mod dialog;
pub mod explain;
pub mod fixes;
pub mod fork;
pub mod matrix;
pub mod queue;
pub mod scores;
pub mod sources;
pub mod stage;
pub mod timeline;
pub mod topbar;
