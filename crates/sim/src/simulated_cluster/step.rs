//! Steps of a simulated cluster: each is one attempt, or an advance to the next moment.

use crate::run::Attempt;
use crate::snapshot::Snapshot;
use berth_core::base::time::Time;

use super::SimulatedCluster;

/// The kind of a step forward.
#[derive(Clone, Debug)]
pub enum Step {
    /// A scheduling attempt.
    Attempt(Box<Attempt>),
    /// The time advanced to the next moment with work.
    Moment,
    /// Nothing is due.
    Rest,
}

impl SimulatedCluster {
    /// Works until only the scheduler has something left to do in this moment. A cluster that is stepped through is in
    /// this state between two steps: controllers need milliseconds, so they are done before a human types again.
    pub fn prepare(&mut self) {
        self.data_plane.holds = true;
        self.settle();
        self.data_plane.holds = false;
    }

    /// The moment of the next [`SimulatedCluster::step`]: this one if a Pod is to be tried; `None` if nothing is due.
    pub fn next_step(&mut self, until: Time) -> Option<Time> {
        if self.data_plane.scheduling.cache.queue.peek().is_some() {
            return Some(self.now());
        }
        self.next_work().filter(|due| *due <= until)
    }

    /// One step: the next attempt, or else an advance to the next moment with work due, but not beyond `until`.
    /// Includes the work that follows in the same moment.
    pub fn step(&mut self, until: Time) -> Step {
        if let Some(attempt) = self.attempt() {
            return Step::Attempt(Box::new(attempt));
        }
        match self.next_work() {
            Some(due) if due <= until => {}
            _ => return Step::Rest,
        }
        self.pass(until);
        Step::Moment
    }

    /// The next attempt in this moment, with the work that follows in the same moment; `None` if no Pod is to be tried
    /// now.
    pub fn attempt(&mut self) -> Option<Attempt> {
        self.data_plane.attempt = None;
        while self.data_plane.scheduling.cache.queue.peek().is_some() && self.settle_some() {
            if let Some(attempt) = self.data_plane.attempt.take() {
                self.prepare();
                return Some(attempt);
            }
        }
        None
    }

    /// Advances to the next moment with work due, and does the work. `false` if no work is due by `until`; the time is
    /// `until` then.
    pub fn pass(&mut self, until: Time) -> bool {
        let began = self.begin_next(until);
        self.prepare();
        began
    }

    /// What the scheduler sees before its next attempt.
    pub fn snapshot(&self) -> Snapshot {
        let cache = &self.data_plane.scheduling.cache;
        let mut places = cache.queue.places();
        // An idle scheduler takes a Pod that still backs off.
        if let Some(next) = cache.queue.peek().filter(|_| places.active.is_empty()) {
            places.active.push(next);
            places.backoff.retain(|pod| *pod != next);
        }
        Snapshot::of_queue(
            cache.cluster.clone(),
            cache.scheduler.without_memory(),
            places,
            self.data_plane.scheduling.deleted.clone(),
        )
    }
}
