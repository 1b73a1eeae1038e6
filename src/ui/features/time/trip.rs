//! A Pod's trip from the queue to its node, and back when a step is undone.

use crate::ui::store::Store;
use crate::ui::store::progress::Point;
use berth_protocol::frame::MarkKind;

/// A trip that the stage shows once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trip {
    pub pod: String,
    pub node: String,
    /// The attempt's position in the log.
    pub attempt: usize,
    /// From the node to the queue.
    pub back: bool,
    /// Different for each trip.
    pub number: u32,
}

impl Store {
    /// The number of entries of the log whose Pod has reached its node on the stage: within an attempt, it does at
    /// Bind.
    pub(in crate::ui) fn arrived_until(&self) -> usize {
        let position = self.view.head.position;
        let of_next = self.time.progress;
        let of_next = of_next.is_some_and(|progress| progress.attempt == position);
        let is_bound = self.stop().is_some_and(|stop| stop.point >= Point::Bind);
        position + usize::from(of_next && is_bound)
    }

    /// Begins a trip if a single step has brought a Pod to its node, or back.
    pub(in crate::ui) fn follow_trip(&mut self, before: usize) {
        let now = self.arrived_until();
        let (attempt, back) = if now == before + 1 {
            (before, false)
        } else if now + 1 == before {
            (now, true)
        } else {
            return;
        };
        let mark = self.view.timeline.get(attempt);
        let made = mark.filter(|mark| mark.kind == MarkKind::Bound);
        let made = made.and_then(|mark| Some((mark.pod.clone(), mark.node.clone()?)));
        // An attempt that is stepped through for the first time is not in the log yet.
        let cycle = self.cycle().filter(|_| mark.is_none() && !back);
        let shown = cycle.and_then(|cycle| Some((cycle.pod.clone(), cycle.selected.clone()?)));
        let Some((pod, node)) = made.or(shown).filter(|_| !self.time.is_running()) else {
            return;
        };
        let number = self.stage.trip.as_ref().map_or(0, |trip| trip.number);
        self.stage.trip = Some(Trip {
            pod,
            node,
            attempt,
            back,
            number: number.wrapping_add(1),
        });
    }

    /// Whether the stage shows the moment that a trip led to.
    pub fn is_current(&self, trip: &Trip) -> bool {
        self.arrived_until() == trip.attempt + usize::from(!trip.back)
    }

    /// The Pod that the last step placed, if the stage shows the run and not a chosen Pod.
    pub fn placed_pod(&self) -> Option<&str> {
        use berth_protocol::command::Subject;
        let follows = self.time.progress.is_none() && self.explain.query.subject == Subject::Latest;
        let mark = self.view.last_mark().filter(|_| follows)?;
        (mark.kind == MarkKind::Bound).then_some(mark.pod.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Trip;
    use crate::ui::store::{Action, Store};
    use berth_protocol::frame::{Mark, MarkKind};
    use berth_protocol::page::{Head, Patch, Update};

    fn bound(pod: &str) -> Mark {
        Mark {
            pod: pod.into(),
            node: Some("node".into()),
            ..Mark::plain(MarkKind::Bound)
        }
    }

    /// The trip after a moment is reported, if it is new.
    fn at(store: &mut Store, position: usize, log: &[Mark]) -> Option<(String, bool)> {
        let before = store.stage.trip.clone();
        let patch = Patch {
            head: Head {
                position,
                log_length: log.len(),
                ..Head::default()
            },
            timeline: log.to_vec(),
            ..Patch::default()
        };
        store.act(Action::Update(Box::new(Update::Patch(Box::new(patch)))));
        let new = store
            .stage
            .trip
            .clone()
            .filter(|trip| Some(trip) != before.as_ref());
        new.map(|Trip { pod, back, .. }| (pod, back))
    }

    #[test]
    fn a_step_moves_a_pod_and_a_step_back_returns_it() {
        let mut store = Store::default();
        let failed = Mark {
            kind: MarkKind::Failed,
            ..bound("c")
        };
        let log = [bound("a"), bound("b"), failed, bound("d")];
        let trip = |pod: &str, back: bool| Some((pod.to_owned(), back));
        assert_eq!(at(&mut store, 1, &log[..1]), trip("a", false));
        assert_eq!(at(&mut store, 2, &log[..2]), trip("b", false));
        let is_current = |store: &Store| store.is_current(store.stage.trip.as_ref().unwrap());
        assert!(is_current(&store));
        assert_eq!(at(&mut store, 3, &log[..3]), None, "no node took it");
        assert!(!is_current(&store), "the trip before it is over");
        assert_eq!(at(&mut store, 2, &log), None);
        assert_eq!(at(&mut store, 1, &log), trip("b", true));
        assert!(is_current(&store));
        assert_eq!(at(&mut store, 4, &log), None, "a jump");
        assert_eq!(at(&mut store, 0, &[]), None, "another scenario");
    }
}
