//! Small parts shared by several panels.

pub mod block_label;
pub mod changes;
pub mod drawn;
pub mod focus;
pub mod form;
pub mod icon;
pub mod markdown;
pub mod pod;
pub mod remark;

pub use crate::scene::owner;
