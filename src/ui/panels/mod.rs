//! The page's regions.

pub mod explain;
pub mod queue;
pub mod sources;
pub mod stage;
pub mod timeline;
pub mod topbar;
