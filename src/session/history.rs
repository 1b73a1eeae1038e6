//! A log of attempts, and checkpoints to come back to.

use std::borrow::Cow;

use crate::sim::run::{Attempt, Run};

/// Nodes and Pods in all checkpoints together: bounds their memory.
const CHECKPOINT_BUDGET: usize = 400_000;
/// Never fewer checkpoints than this, never more than that.
const CHECKPOINTS: std::ops::RangeInclusive<usize> = 4..=64;

/// A run, where it came from, and how to get back there.
pub struct History {
    now: Run,
    log: Vec<Attempt>,
    /// Runs at positions of the log, the beginning first, ascending.
    checkpoints: Vec<(usize, Run)>,
    /// Attempts between checkpoints; doubles when there are too many.
    spacing: usize,
    capacity: usize,
}

impl History {
    /// A history that begins with this run.
    pub fn new(run: Run) -> Self {
        let cluster = run.cluster();
        let size = cluster.node_order().len() + cluster.pods().iter().count();
        let capacity = CHECKPOINT_BUDGET / size.max(1);
        Self {
            checkpoints: vec![(0, run.checkpoint())],
            capacity: capacity.clamp(*CHECKPOINTS.start(), *CHECKPOINTS.end()),
            now: run,
            log: Vec::new(),
            spacing: 16,
        }
    }

    /// The run at the current position.
    pub fn now(&self) -> &Run {
        &self.now
    }

    /// Attempts made before this moment.
    pub fn position(&self) -> usize {
        self.now.attempts()
    }

    /// Every attempt made so far.
    pub fn log(&self) -> &[Attempt] {
        &self.log
    }

    /// One attempt forwards: from the log if it is there, else decided now.
    pub fn step(&mut self) -> bool {
        let position = self.position();
        if let Some(attempt) = self.log.get(position) {
            self.now.replay(attempt);
            return true;
        }
        let Some(attempt) = self.now.step() else {
            return false;
        };
        self.log.push(attempt);
        self.keep_checkpoint();
        true
    }

    fn keep_checkpoint(&mut self) {
        let position = self.position();
        let last = self.checkpoints.last().map_or(0, |(position, _)| *position);
        if position - last < self.spacing {
            return;
        }
        self.checkpoints.push((position, self.now.checkpoint()));
        if self.checkpoints.len() > self.capacity {
            self.spacing *= 2;
            let spacing = self.spacing;
            self.checkpoints
                .retain(|(position, _)| position % spacing == 0);
        }
    }

    /// Goes to a position of the log. `false` if the log ends before: then it goes to its end.
    pub fn seek(&mut self, position: usize) -> bool {
        let target = position.min(self.log.len());
        if let Some(run) = self.at(target) {
            // Keep what the scheduler remembers only if nothing moved.
            if run.attempts() != self.position() {
                self.now = run.into_owned();
            }
        }
        target == position
    }

    /// The run at a position of the log; `None` beyond its end.
    pub fn at(&self, position: usize) -> Option<Cow<'_, Run>> {
        if position == self.position() {
            return Some(Cow::Borrowed(&self.now));
        }
        if position > self.log.len() {
            return None;
        }
        let before = self
            .checkpoints
            .iter()
            .rev()
            .find(|(at, _)| *at <= position);
        let (start, run) = before?;
        let mut run = run.clone();
        for attempt in &self.log[*start..position] {
            run.replay(attempt);
        }
        Some(Cow::Owned(run))
    }
}
