//! kubectl v1.34: a line as one types it into bash, done on a simulated cluster.
//!
//! The page's terminal, the steps of scenarios and `berth kubectl`/`berth run` use the same module.

pub mod kinds;
pub mod live;

use crate::sim::server::ApiServer;

/// The cluster that kubectl acts on.
pub trait Cluster {
    /// Its objects and events.
    fn api(&self) -> &ApiServer;

    /// To write to. What follows from writes happens in [`Cluster::settle`].
    fn api_mut(&mut self) -> &mut ApiServer;

    /// Lets everybody work until nothing can be done any more in this moment.
    fn settle(&mut self);

    /// Plays on to the next moment in which something happens, but not beyond this one (milliseconds of
    /// virtual time); `false` if nothing happens until then, and then it is that moment.
    fn advance(&mut self, until_ms: i64) -> bool;

    /// The text of a file that a command names; `None` if there is none.
    fn file(&self, path: &str) -> Option<String>;

    /// Writes a file (`kubectl … > FILE`, `cat <<EOF > FILE`).
    fn write_file(&mut self, path: &str, text: String);
}

/// What a command printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// The exit code.
    pub code: i32,
}
