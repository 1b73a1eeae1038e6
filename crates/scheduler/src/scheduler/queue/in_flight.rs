//! Events during scheduling attempts (`inFlightPods`, `inFlightEvents` of kube-scheduler v1.34.1),
//! which are replayed for a Pod whose attempt ends with a rejection.

use std::collections::{BTreeMap, VecDeque};

use crate::cluster::PodIx;
use crate::framework::events::{ClusterEvent, ObjectUpdate};

/// An event and its object.
#[derive(Clone, Debug)]
pub(super) struct Happened {
    pub event: ClusterEvent,
    pub change: ObjectUpdate,
}

/// Pods between Pop and Done, and the events since the first of them was popped.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight {
    /// By Pod: the number of the first event after its pop.
    since: BTreeMap<PodIx, usize>,
    events: VecDeque<Happened>,
    /// The number of `events[0]`: how many events were dropped.
    forgotten: usize,
}

impl InFlight {
    /// A Pod was popped.
    pub fn begin(&mut self, pod: PodIx) {
        self.since
            .entry(pod)
            .or_insert(self.forgotten + self.events.len());
    }

    /// The Pod was bound, requeued or deleted. Events that no Pod in flight needs are dropped.
    pub fn end(&mut self, pod: PodIx) {
        self.since.remove(&pod);
        let end = self.forgotten + self.events.len();
        let needed = self.since.values().copied().min().unwrap_or(end);
        while self.forgotten < needed && self.events.pop_front().is_some() {
            self.forgotten += 1;
        }
    }

    /// Records an event if any Pod is in flight.
    pub fn note(&mut self, event: ClusterEvent, change: &ObjectUpdate) {
        if !self.since.is_empty() {
            let change = change.clone();
            self.events.push_back(Happened { event, change });
        }
    }

    pub fn contains(&self, pod: PodIx) -> bool {
        self.since.contains_key(&pod)
    }

    /// The events since the Pod was popped.
    pub fn events_since_pop(&self, pod: PodIx) -> impl Iterator<Item = &Happened> {
        let since = self.since.get(&pod).copied();
        let skipped = since.map_or(usize::MAX, |since| since.saturating_sub(self.forgotten));
        self.events.iter().skip(skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::{ClusterEvent, InFlight, ObjectUpdate, PodIx};

    #[test]
    fn a_pod_gets_the_events_since_its_own_pop() {
        let mut in_flight = InFlight::default();
        let count = |in_flight: &InFlight, pod| in_flight.events_since_pop(PodIx(pod)).count();
        let note = |in_flight: &mut InFlight| {
            in_flight.note(ClusterEvent::ASSIGNED_POD_DELETE, &ObjectUpdate::Nothing);
        };
        note(&mut in_flight);
        in_flight.begin(PodIx(1));
        note(&mut in_flight);
        in_flight.begin(PodIx(2));
        note(&mut in_flight);
        assert_eq!((count(&in_flight, 1), count(&in_flight, 2)), (2, 1));
        in_flight.end(PodIx(1));
        note(&mut in_flight);
        assert_eq!((count(&in_flight, 1), count(&in_flight, 2)), (0, 2));
        in_flight.end(PodIx(2));
        assert!(in_flight.events.is_empty() && !in_flight.contains(PodIx(2)));
    }
}
