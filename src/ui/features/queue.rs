//! The queue: waiting Pods in the order in which the scheduler pops them.

mod view;

pub use view::{Now, view};
