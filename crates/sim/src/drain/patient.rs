//! A drain that is given up after some time without progress: a PodDisruptionBudget may refuse evictions forever.

use super::{DrainCommand, DrainOptions, Line, Refused};
use crate::server::{ApiError, ApiServer};

/// Time without progress after which a drain without `--timeout` is given up, in milliseconds.
pub const PATIENCE_MS: i64 = 10 * 60_000;

/// A drain that is given up after [`PATIENCE_MS`] without progress: in which every eviction was refused, or Pods stayed
/// beyond their grace periods.
#[derive(Clone, Debug)]
pub struct PatientDrain {
    command: DrainCommand,
    /// Number of Pods left, and of those that were refused, when `until_ms` was last extended.
    left: (usize, usize),
    patience_ms: i64,
    until_ms: i64,
}

/// How a drain goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It waits: for Pods to be gone, at most until this time in milliseconds.
    Waits(i64),
    /// Nothing went on for too long.
    GivenUp,
    /// The command has returned.
    Done,
}

impl PatientDrain {
    /// Cordons the nodes and starts to drain the first. Also returns the lines that kubectl prints.
    ///
    /// # Errors
    /// If there is no such node; then nothing is done.
    pub fn start(
        nodes: &[String],
        options: DrainOptions,
        api: &mut ApiServer,
    ) -> Result<(Self, Vec<Line>), ApiError> {
        // The command itself ends a drain with a timeout.
        let timeout_ms = options.timeout_ms.unwrap_or(0);
        let patience_ms = PATIENCE_MS.max(timeout_ms.saturating_add(1_000));
        let (command, lines) = DrainCommand::start(nodes, options, api)?;
        let drain = Self {
            command,
            left: (0, 0),
            patience_ms,
            until_ms: api.now_ms(),
        };
        Ok((drain, lines))
    }

    /// Does the work that is due. Returns the lines that kubectl prints, and how it goes on.
    pub fn poll(&mut self, api: &mut ApiServer) -> (Vec<Line>, Course) {
        let lines = self.command.step(api);
        let now = api.now_ms();
        let left = self.command.left();
        if left != self.left {
            self.left = left;
            self.until_ms = now.saturating_add(self.patience_ms);
        }
        if let Some(ends) = self.command.ends_by(api) {
            self.until_ms = self.until_ms.max(ends.saturating_add(self.patience_ms));
        }
        let course = match (self.command.is_done(), now < self.until_ms) {
            (true, _) => Course::Done,
            (false, true) => {
                let due = self.command.next_due(api).unwrap_or(self.until_ms);
                Course::Waits(due.clamp(now.saturating_add(1), self.until_ms))
            }
            (false, false) => Course::GivenUp,
        };
        (lines, course)
    }

    /// Whether the command has returned.
    pub fn is_done(&self) -> bool {
        self.command.is_done()
    }

    /// Whether some node could not be drained, so that kubectl's exit code is 1.
    pub fn has_failed(&self) -> bool {
        self.command.has_failed()
    }

    /// Whether Pods are left whose evictions were accepted.
    pub fn waits_for_deletions(&self) -> bool {
        let (left, refused) = self.left;
        left > refused
    }

    /// The evictions that were refused and are tried again.
    pub fn refusals(&self) -> impl Iterator<Item = Refused<'_>> {
        self.command.refusals()
    }
}
