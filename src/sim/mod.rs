//! The rest of the control plane: what happens around the scheduler.

pub use crate::api::controllers::{disruption, volumes};
