//! Steps of a simulated cluster: each is one attempt, or an advance to the next moment.

use crate::run::Attempt;
use crate::snapshot::Snapshot;
use crate::store::Key;
use berth_base::time::Time;
use berth_protocol::due::{Due, DueKind};

use super::{SimulatedCluster, next_multiple};

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

    /// What happens next, the periodic retry of unschedulable Pods included; `None` if a Pod is to be tried now, or nothing
    /// is due by `until`.
    pub fn due(&mut self, until: Time) -> Option<Due> {
        if self.data_plane.scheduling.cache.queue.peek().is_some() {
            return None;
        }
        let at = self.next_due().filter(|due| *due <= until)?;
        let due = self.due_at(at)?;
        if due.kind != DueKind::Sync {
            return Some(due);
        }
        // A sync on the way to other work ends no rest.
        let now_ms = self.now().counted_from(self.began()).milliseconds();
        let later = self.next_besides_syncs().filter(|due| *due <= until);
        let work = later.and_then(|at| self.due_at(at));
        work.filter(|work| !work.ends_rest(now_ms)).or(Some(due))
    }

    /// What is due at this time.
    fn due_at(&mut self, at: Time) -> Option<Due> {
        let ms = at.milliseconds();
        let mut kinds = Vec::new();
        if self.data_plane.kubelet.next_due() == Some(ms) {
            let (kind, pod) = self.data_plane.kubelet.next_kind();
            kinds.push((kind, pod.map(Key::to_string)));
        }
        if let Some((kind, key)) = self.control_plane.delayed_until(ms) {
            kinds.push((kind, Some(key.to_string())));
        }
        let backs_off = self.data_plane.scheduling.cache.queue.is_backing_off();
        if backs_off && next_multiple(self.now(), 1) == at {
            kinds.push((DueKind::Backoff, None));
        }
        if self.next_leftovers() == Some(at) {
            kinds.push((DueKind::Flush, None));
        }
        let (kind, object) = kinds.into_iter().max_by_key(|(kind, _)| *kind)?;
        Some(Due {
            at_ms: at.counted_from(self.began()).milliseconds(),
            kind,
            object: object.filter(|_| kind.is_awaited()).unwrap_or_default(),
        })
    }

    /// Whether the clock goes on by itself after a line that ended at `ended`: a Pod is to be tried now, or the next thing
    /// is due soon and is none that someone may want to see coming. A periodic sync happens on the way, and is no reason
    /// to go on.
    pub fn goes_on_since(&mut self, ended: Time) -> bool {
        if self.livelock.is_some() {
            return false;
        }
        if self.data_plane.scheduling.cache.queue.peek().is_some() {
            return true;
        }
        let ended_ms = ended.counted_from(self.began()).milliseconds();
        let next = self.next_besides_syncs();
        let due = next.and_then(|at| self.due_at(at));
        due.is_some_and(|due| !due.ends_rest(ended_ms))
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
