//! The rest of the control plane: what happens around the scheduler.

pub mod agenda;
pub mod clock;
pub mod load;
pub mod replay;
pub mod run;
pub mod watch;
