//! Finds a node or a Pod by name, and moves there.

mod view;

pub use view::{follow, place_of, view};
