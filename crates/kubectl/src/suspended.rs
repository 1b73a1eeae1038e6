//! Commands that wait.
//!
//! A script polls such a command until it is ready ([`block_on`]). In a stepped cluster, the command is handed to the
//! stepper as a [`Suspended`] instead: each poll is then a step of the log, and Ctrl+C can end the command in between.
//! Both poll at the same times, so both print the same.

use super::{Cluster, Output};

pub use berth_shell::Poll;

/// Maximum polls of one command: without a limit, endless events would mean an endless wait.
pub const MAX_MOMENTS: u32 = 20_000;

/// The error of a command that stops after [`MAX_MOMENTS`].
pub const TOO_LONG: &str = "error: stopped waiting: too much happened meanwhile";

/// A command that has done its immediate work, and now waits for the cluster.
pub trait Suspended {
    /// Checks the cluster after all components have settled, and appends new output. `happened` is whether anything but
    /// the time has changed since the last poll. `output` has the exit code once the command is ready.
    ///
    /// A command that writes is polled again at the same time, before time advances.
    fn poll(&mut self, happened: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll;
}

/// Polls a command until it is ready.
pub fn block_on(suspended: &mut dyn Suspended, cluster: &mut dyn Cluster) -> Output {
    let mut output = Output::default();
    cluster.work();
    let mut happened = true;
    for _ in 0..MAX_MOMENTS {
        let before = cluster.api().stamp();
        match suspended.poll(happened, cluster, &mut output) {
            Poll::Ready => return output,
            // Controllers may react to the command's writes at once.
            Poll::Pending(_) if cluster.api().stamp() != before => {
                cluster.work();
                happened = true;
            }
            Poll::Pending(until_ms) => happened = cluster.advance(until_ms),
        }
    }
    output.complain(TOO_LONG);
    output
}
