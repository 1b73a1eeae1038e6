//! The rest of the control plane: what happens around the scheduler.

pub mod agenda;
pub mod any;
pub mod clock;
pub mod control_plane;
pub mod controllers;
pub mod defaults;
pub mod drain;
pub mod events;
mod garbage;
pub mod journal;
pub mod kubelet;
pub mod load;
pub mod patch;
mod quota;
pub mod record;
pub mod replay;
pub mod rollback;
pub mod round_robin;
pub mod run;
pub mod scheduling;
pub mod server;
pub mod store;
pub mod strategy;
pub mod timeline;
pub mod watch;
pub mod workqueue;
pub mod world;
