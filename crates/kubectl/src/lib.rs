//! kubectl v1.34 on a simulated cluster.
//!
//! Every command is a [`call::Verb`]: `cmd` has one file or folder for each. `resource` finds, reads and writes the
//! objects that commands name, `printers` prints them, and [`errors`] words the API server's errors. [`dispatch`] finds
//! the command of a line and parses its flags ([`arguments`]).
//!
//! The page's terminal, the steps of scenarios and `berth kubectl`/`berth run` use this crate.

pub mod arguments;
pub mod call;
pub(crate) mod cmd;
mod complete;
pub mod dispatch;
pub mod errors;
mod global_flags;
pub(crate) mod go_template;
pub mod jsonpath;
pub mod kinds;
pub(crate) mod printers;
pub(crate) mod resource;
pub mod rest;
pub mod shell;
mod ssh;
pub mod suspended;
pub mod terminal_cluster;

use berth_shell::Files;
use berth_sim::server::ApiServer;

pub use berth_shell::{OpenRequest, Output, Printed};
pub use resource::selector::parse_labels;

/// The cluster that kubectl acts on, with the files that its commands name.
pub trait Cluster: Clock + Files {
    /// The API server, to read from.
    fn api(&self) -> &ApiServer;

    /// The API server, to write to. Components react in [`Clock::settle`].
    fn api_mut(&mut self) -> &mut ApiServer;

    /// Names the manager of the fields that the next command writes.
    fn name_writer(&mut self, _manager: &str) {}

    /// The descriptions of all fields (`www/editor/explain.json`), for `kubectl explain`; the command line has them
    /// built in.
    fn schema(&self) -> Option<&str> {
        None
    }
}

/// How time passes in a cluster.
pub trait Clock {
    /// Runs all components until nothing is left to do at the current time; in a stepped cluster, until the scheduler
    /// is about to try a Pod.
    fn settle(&mut self);

    /// Runs all components including the scheduler, even in a stepped cluster: for commands that wait.
    fn work(&mut self) {
        self.settle();
    }

    /// Advances to the next time at which something happens, at most to `until_ms` (milliseconds of virtual time).
    /// Returns `false` if nothing happens until then; the clock is then at `until_ms`.
    fn advance(&mut self, until_ms: i64) -> bool;
}

#[cfg(test)]
pub(crate) mod tests;
