//! The page's regions.

pub mod dialog;
pub mod explain;
mod finder;
pub mod fork;
pub mod living;
pub mod queue;
pub mod sources;
pub mod stage;
pub mod tabs;
pub mod timeline;
pub mod topbar;
