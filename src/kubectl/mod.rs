//! kubectl v1.34: a line as one types it into bash, done on a simulated cluster.
//!
//! Every command is a [`call::Verb`]: `cmd` has one file or folder for each. `resource` finds, reads and writes the
//! objects that commands mean, `printers` prints them, [`errors`] words the API server's refusals. [`dispatch`] finds
//! the command of a line and reads its flags ([`arguments`]).
//!
//! The page's terminal, the steps of scenarios and `berth kubectl`/`berth run` use the same module.

pub mod arguments;
pub mod call;
pub mod cmd;
pub mod dispatch;
pub mod errors;
pub mod jsonpath;
pub mod kinds;
pub mod live;
pub(crate) mod printers;
pub(crate) mod resource;
pub mod shell;
pub mod suspended;

use crate::sim::server::ApiServer;
use suspended::Waiting;

pub use crate::protocol::terminal::OpenRequest;
pub use suspended::{wait, wait_until};

/// The cluster that kubectl acts on.
pub trait Cluster {
    /// Its objects and events.
    fn api(&self) -> &ApiServer;

    /// To write to. What follows from writes happens in [`Cluster::settle`].
    fn api_mut(&mut self) -> &mut ApiServer;

    /// Lets everybody work until nothing can be done any more in this moment; where a cluster is stepped
    /// through, until the scheduler is about to try a Pod.
    fn settle(&mut self);

    /// The same in every cluster with all that the scheduler does, for commands that wait.
    fn work(&mut self) {
        self.settle();
    }

    /// Plays on to the next moment in which something happens, but not beyond this one (milliseconds of
    /// virtual time); `false` if nothing happens until then, and then it is that moment.
    fn advance(&mut self, until_ms: i64) -> bool;

    /// The text of a file that a command names; `None` if there is none.
    fn file(&self, path: &str) -> Option<String>;

    /// Writes a file (`kubectl … > FILE`, `cat <<EOF > FILE`).
    fn write_file(&mut self, path: &str, text: String);

    /// The paths of all files.
    fn files(&self) -> Vec<String> {
        Vec::new()
    }

    /// Takes a file away; `false` if there is none.
    fn remove_file(&mut self, _path: &str) -> bool {
        false
    }

    /// What fields there are, as `www/editor/fields.json` says it, for `kubectl explain`; the command line
    /// has it anyway.
    fn schema(&self) -> Option<&str> {
        None
    }

    /// Whether the next command that waits may leave that to who steps the cluster: nothing is done with
    /// what it prints but to show it.
    fn let_leave(&mut self, _may: bool) {}

    /// Takes over a waiting; what nobody else plays comes back.
    fn leave(&mut self, waiting: Box<dyn Waiting>) -> Option<Box<dyn Waiting>> {
        Some(waiting)
    }

    /// Whether a waiting was left.
    fn has_left(&self) -> bool {
        false
    }
}

/// The files there are, for complaints about one that there is not: at most a handful of names.
pub fn files_here(cluster: &dyn Cluster) -> String {
    const NAMED: usize = 8;
    let files = cluster.files();
    let named = files.iter().take(NAMED).map(String::as_str);
    let named = named.collect::<Vec<_>>().join(", ");
    match files.len() {
        0 => "there are no files here".to_owned(),
        count if count > NAMED => format!("files here: {named} and {} more", count - NAMED),
        _ => format!("files here: {named}"),
    }
}

/// What a command printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// The exit code.
    pub code: i32,
    /// What is to be opened in an editor.
    pub open: Option<OpenRequest>,
}

#[cfg(test)]
pub(crate) mod tests;
