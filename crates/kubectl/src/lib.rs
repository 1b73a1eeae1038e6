//! kubectl v1.34 on a simulated cluster.
//!
//! Every command is a [`call::Verb`]: `cmd` has one file or folder for each. `resource` finds, reads and writes the
//! objects that commands mean, `printers` prints them, [`errors`] words the API server's refusals. [`dispatch`] finds
//! the command of a line and reads its flags ([`arguments`]).
//!
//! The page's terminal, the steps of scenarios and `berth kubectl`/`berth run` use the same module.

pub mod arguments;
pub mod call;
pub(crate) mod cmd;
mod complete;
pub mod dispatch;
pub mod errors;
pub mod jsonpath;
pub mod kinds;
pub mod live;
pub(crate) mod printers;
pub(crate) mod resource;
pub mod shell;
mod ssh;
pub mod suspended;

use berth_shell::Files;
use berth_sim::server::ApiServer;

pub use berth_shell::{OpenRequest, Output};

/// The cluster that kubectl acts on, with the files that its commands name.
pub trait Cluster: Clock + Files {
    /// The API server, to read from.
    fn api(&self) -> &ApiServer;

    /// The API server, to write to. Components answer in [`Clock::settle`].
    fn api_mut(&mut self) -> &mut ApiServer;

    /// The descriptions of all fields (`www/editor/fields.json`), for `kubectl explain`; the command line has them
    /// built in.
    fn schema(&self) -> Option<&str> {
        None
    }
}

/// How time passes in a cluster.
pub trait Clock {
    /// Lets all components work until nothing is left to do in this moment; in a cluster that is stepped through, until
    /// the scheduler is about to try a Pod.
    fn settle(&mut self);

    /// Lets all components work, the scheduler too, also in a cluster that is stepped through: for commands that wait.
    fn work(&mut self) {
        self.settle();
    }

    /// Goes on to the next moment in which something happens, but not beyond this one (milliseconds of virtual time).
    /// `false` if nothing happens until then; it is that moment then.
    fn advance(&mut self, until_ms: i64) -> bool;
}

#[cfg(test)]
pub(crate) mod tests;
