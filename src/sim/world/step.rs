//! Steps of a cluster that lives: one attempt, or on to the next moment.

use crate::base::time::Time;
use crate::sim::run::{Attempt, Run, RunPhoto};

use super::World;

/// What one step forwards was.
#[derive(Clone, Debug)]
pub enum Step {
    /// The scheduler tried a Pod.
    Attempt(Box<Attempt>),
    /// Time went on, and things happened.
    Moment,
    /// Nothing is due any more.
    Rest,
}

impl World {
    /// Lets everybody work until the scheduler is about to try a Pod, or nothing can be done any more in
    /// this moment. A cluster that is stepped through stands here between two steps.
    pub fn prepare(&mut self) {
        self.others.holds = true;
        while !self.others.is_held && self.settle_some() {}
        self.others.holds = false;
        self.others.is_held = false;
    }

    /// Whether [`World::step`] has something to do.
    pub fn has_next_step(&mut self, until: Time) -> bool {
        self.others.scheduling.watch.queue.peek().is_some()
            || self.next_work().is_some_and(|due| due <= until)
    }

    /// One step: the attempt that is next, or else on to the next moment in which something happens, but not
    /// beyond `until`. What follows of it at once happens as well.
    pub fn step(&mut self, until: Time) -> Step {
        self.others.attempt = None;
        while self.others.scheduling.watch.queue.peek().is_some() && self.settle_some() {
            if let Some(attempt) = self.others.attempt.take() {
                self.prepare();
                return Step::Attempt(Box::new(attempt));
            }
        }
        match self.next_work() {
            Some(due) if due <= until => {}
            _ => return Step::Rest,
        }
        self.begin_next(until);
        self.prepare();
        Step::Moment
    }

    /// Where this cluster stands, as a run that is about to make the next attempt.
    pub fn photo(&self, steps: usize) -> Run {
        let watch = &self.others.scheduling.watch;
        let mut places = watch.queue.places();
        // An idle scheduler takes a Pod that still backs off.
        if let Some(next) = watch.queue.peek().filter(|_| places.active.is_empty()) {
            places.active.push(next);
            places.backoff.retain(|pod| *pod != next);
        }
        Run::photo(RunPhoto {
            cluster: watch.cluster.clone(),
            scheduler: watch.scheduler.without_memory(),
            places,
            deleted: self.others.scheduling.deleted.clone(),
            steps,
        })
    }
}
