//! Commands that wait: what they do while time passes, apart from who lets it pass.
//!
//! A script plays such a command to its end ([`wait`]). Where the cluster is stepped through, the command leaves
//! its waiting to who steps ([`Cluster::leave`]): every moment is a step of the log then, seen and explained as
//! any other, and Ctrl+C ends it. Both look at the same moments, so both print the same.

use crate::kubectl::{Cluster, Output};

/// Moments that one wait may see: events without end would be a wait without end.
pub const MAX_MOMENTS: u32 = 20_000;

/// A command that has done what it does at once, and now looks at the cluster again and again.
pub trait Waiting {
    /// Looks at a moment in which everybody has done what there was to do. `happened`: something did since the
    /// last look, not only time passed. What it prints is added to `output`, with its exit code at the end.
    fn look(&mut self, happened: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Next;
}

/// What a look came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The command is at its end.
    Done,
    /// It looks again when something has happened, at the latest then (milliseconds of virtual time); in the same
    /// moment if it wrote something itself.
    Until(i64),
}

/// Waits, or leaves it to who steps the cluster: then nothing was printed yet.
pub fn wait(cluster: &mut dyn Cluster, waiting: impl Waiting + 'static) -> Output {
    match cluster.leave(Box::new(waiting)) {
        Some(mut waiting) => play(&mut *waiting, cluster),
        None => Output::default(),
    }
}

fn play(waiting: &mut dyn Waiting, cluster: &mut dyn Cluster) -> Output {
    let mut output = Output::default();
    cluster.work();
    let mut happened = true;
    for _ in 0..MAX_MOMENTS {
        let before = cluster.api().stamp();
        match waiting.look(happened, cluster, &mut output) {
            Next::Done => return output,
            // Others may answer at once to what it wrote.
            Next::Until(_) if cluster.api().stamp() != before => {
                cluster.work();
                happened = true;
            }
            Next::Until(until) => happened = cluster.advance(until),
        }
    }
    output.complain(TOO_LONG);
    output
}

/// Said where so much happens that a wait is given up.
pub const TOO_LONG: &str = "error: stopped waiting: too much happened meanwhile";

/// Plays on until something holds, at most to a moment (milliseconds of virtual time). Whether it holds.
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

/// A waiting that a command has left. A copy of a cluster, a checkpoint, does not wait.
#[derive(Default)]
pub struct Left(Option<Box<dyn Waiting>>);

impl Left {
    /// Keeps it.
    pub fn put(&mut self, waiting: Box<dyn Waiting>) {
        self.0 = Some(waiting);
    }

    /// Hands it on.
    pub fn take(&mut self) -> Option<Box<dyn Waiting>> {
        self.0.take()
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl Clone for Left {
    fn clone(&self) -> Self {
        Self(None)
    }
}
