//! Plain data between the engine and whoever looks at it: no core types leak.

pub mod cycle;
pub mod edit;
pub mod fact;
pub mod frame;
pub mod gesture;
pub mod quantity;
