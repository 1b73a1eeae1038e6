//! Commands that wait.
//!
//! A script polls such a command until it is ready ([`block_on`]). Where a cluster is stepped through, the command is
//! handed to the stepper instead, as a [`Suspended`]: each moment is a step of the log then, and Ctrl+C can end the
//! command in between. Both poll at the same moments, so both print the same.

use super::{Cluster, Output};

pub use berth_shell::Poll;

/// Moments that one command may wait: without this limit, events without end would be a wait without end.
pub const MAX_MOMENTS: u32 = 20_000;

/// The line about a command that was given up after [`MAX_MOMENTS`].
pub const TOO_LONG: &str = "error: stopped waiting: too much happened meanwhile";

/// A command that has done its immediate work, and now waits for the cluster.
pub trait Suspended {
    /// Looks at a moment in which all components have done their work, and adds what there is to print. `happened`:
    /// something changed since the last poll, not only the time. `output` has the exit code once the command is ready.
    ///
    /// A command that writes is polled again in the same moment, before time passes.
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
            // Controllers may answer at once to what the command wrote.
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

/// Lets time pass until a condition holds, at most to a moment (milliseconds of virtual time); whether it holds.
pub fn wait_until(
    cluster: &mut dyn Cluster,
    until_ms: i64,
    holds: &mut dyn FnMut(&dyn Cluster) -> bool,
) -> bool {
    cluster.work();
    for _ in 0..MAX_MOMENTS {
        if holds(cluster) {
            return true;
        }
        if cluster.api().now_ms() >= until_ms {
            return false;
        }
        cluster.advance(until_ms);
    }
    false
}
