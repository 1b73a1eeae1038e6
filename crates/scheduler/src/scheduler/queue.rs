//! The scheduling queue: the order of attempts, and the pending Pods with their backoff and the
//! events that may help them.
//!
//! Mirrors `backend/queue` of kube-scheduler v1.34.1 (`scheduling_queue.go`) with feature gate
//! SchedulerQueueingHints on. Pods ready for an attempt are in activeQ. Pods that failed and that an
//! event may have helped back off in backoffQ. All others stay in unschedulablePods until an event
//! moves them: one that a plugin that rejected them registered, and whose hint agrees. The queue
//! holds no objects: it refers to Pods by index and reads the cluster.

mod backoff;
mod heap;
mod in_flight;
mod notes;
mod pod;
mod registrations;
mod requeue;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, PodIx};
use crate::framework::events::{ClusterEvent, ObjectUpdate, pod_changes};
use berth_base::time::{Span, Time};

use super::Scheduler;
use backoff::BackoffQueue;
use heap::Heap;
use in_flight::InFlight;
use pod::ActiveKey;
use registrations::Registrations;

pub use backoff::BackoffOptions;
pub use notes::{Answers, Note, Place, Trigger, Why};
pub use pod::QueuedPod;
pub use registrations::Answer;

/// A Pod that no event moves is retried after this time (`podMaxInUnschedulablePodsDuration`).
pub const MAX_IN_UNSCHEDULABLE_PODS: Span = Span::seconds(300);

/// What the queue reads, and the current time.
#[derive(Clone, Copy)]
pub struct QueueContext<'a> {
    pub cluster: &'a Cluster,
    pub scheduler: &'a Scheduler,
    pub now: Time,
}

/// A popped Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Popped {
    pub pod: PodIx,
    /// Including this attempt.
    pub attempts: u32,
    /// `Backoff` if an idle scheduler popped it from backoffQ.
    pub from: Place,
}

/// Where a failed Pod went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requeued {
    pub to: Place,
    /// The end of its backoff, if it went to backoffQ.
    pub backoff_until: Option<Time>,
    /// The first event during its attempt that may help it.
    pub in_flight: Option<ClusterEvent>,
}

/// The sorted keys of pending Pods, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub active: Vec<Arc<str>>,
    pub backoff: Vec<Arc<str>>,
    pub unschedulable: Vec<Arc<str>>,
    pub gated: Vec<Arc<str>>,
}

/// The pending Pods by place, each place in its own order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// In the order of popping.
    pub active: Vec<PodIx>,
    /// In the order of expiry.
    pub backoff: Vec<PodIx>,
    /// By `namespace/name`.
    pub unschedulable: Vec<PodIx>,
    /// By `namespace/name`.
    pub gated: Vec<PodIx>,
}

/// The queue (`PriorityQueue`). A copy is a checkpoint.
#[derive(Clone, Debug)]
pub struct SchedulingQueue {
    backoff_options: BackoffOptions,
    registrations: Registrations,
    pods: BTreeMap<PodIx, QueuedPod>,
    active: Heap<ActiveKey>,
    backoff: BackoffQueue,
    /// By `namespace/name`.
    unschedulable: BTreeMap<Arc<str>, PodIx>,
    in_flight: InFlight,
    notes: Vec<Note>,
    notes_kept: bool,
}

impl SchedulingQueue {
    /// An empty queue for the Pods of this scheduler's profiles.
    pub fn new(scheduler: &Scheduler, backoff_options: BackoffOptions) -> Self {
        Self {
            backoff_options,
            registrations: Registrations::new(scheduler.profiles()),
            pods: BTreeMap::new(),
            active: Heap::default(),
            backoff: BackoffQueue::default(),
            unschedulable: BTreeMap::new(),
            in_flight: InFlight::default(),
            notes: Vec::new(),
            notes_kept: false,
        }
    }

    /// Sets whether the queue also records a note for each Pod that an event did not move.
    #[must_use]
    pub fn noting_kept(self, notes_kept: bool) -> Self {
        Self { notes_kept, ..self }
    }

    /// The notes since the last call, in order.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Adds a new Pod (`Add`) to activeQ, unless a PreEnqueue plugin rejects it.
    pub fn add(&mut self, cx: QueueContext<'_>, pod: PodIx) {
        self.enter(cx, pod, ClusterEvent::UNSCHEDULABLE_POD_ADD);
    }

    fn enter(&mut self, cx: QueueContext<'_>, pod: PodIx, by: ClusterEvent) {
        let Some(info) = cx.cluster.pods().get(pod) else {
            return;
        };
        let key: Arc<str> = info.object.key().into();
        let entry = QueuedPod::new(Arc::clone(&key), info.priority(), cx.now);
        self.pods.insert(pod, entry);
        if self.move_to_active(cx, pod, false) {
            return;
        }
        if let Some(plugin) = self.pods.get(&pod).and_then(|entry| entry.gated_by) {
            self.notes.push(Note::Gated {
                pod,
                key,
                by,
                plugin,
            });
        }
    }

    /// Updates a pending Pod (`Update`). In activeQ and backoffQ it stays in place; in unschedulablePods
    /// the update may move it.
    pub fn update(&mut self, cx: QueueContext<'_>, old: &Arc<PodInfo>, new: &Arc<PodInfo>) {
        let ix = new.ix;
        let events = pod_changes(cx.cluster, old, new);
        let update = crate::framework::events::Update::changed(Arc::clone(old), Arc::clone(new));
        let change = ObjectUpdate::Pod(update);
        if let Some(entry) = self.pods.get_mut(&ix) {
            entry.priority = new.priority();
        }
        if self.in_flight.contains(ix) {
            for event in events {
                self.in_flight.note(event, &change);
            }
            return;
        }
        match self.place_of(ix) {
            Some(Place::Active) => self.put_active(ix),
            Some(Place::Backoff) => self.put_backoff(ix),
            Some(Place::Unschedulable) => {
                for event in events {
                    if self.move_if_helped(cx, ix, event, &change) {
                        break;
                    }
                }
            }
            None => self.enter(cx, ix, ClusterEvent::UNSCHEDULABLE_POD_UPDATE),
        }
    }

    /// Removes a Pod that was deleted or assigned (`Delete`). One in flight stays until [`Self::done`].
    pub fn delete(&mut self, pod: PodIx) {
        self.take_out(pod);
        if !self.in_flight.contains(pod) {
            self.pods.remove(&pod);
        }
    }

    /// Handles an event (`MoveAllToActiveOrBackoffQueue`): Pods that it may help go to activeQ, or to
    /// backoffQ if they back off. With `up_to`, only Pods of at most that priority are considered.
    pub fn move_all(
        &mut self,
        cx: QueueContext<'_>,
        event: ClusterEvent,
        change: &ObjectUpdate,
        up_to: Option<i32>,
    ) {
        if !self.registrations.is_of_interest(event) {
            return;
        }
        let waiting: Vec<PodIx> = self.unschedulable.values().copied().collect();
        for pod in waiting {
            let is_meant = self.pods.get(&pod).is_some_and(|entry| {
                up_to.is_none_or(|priority| entry.priority <= priority)
                    && !self.is_kept_by_gate(cx, pod, entry, event)
            });
            if is_meant {
                self.move_if_helped(cx, pod, event, change);
            }
        }
        self.in_flight.note(event, change);
    }

    /// Moves Pods whose backoff has ended to activeQ (`flushBackoffQCompleted`, every second).
    pub fn flush_backoff(&mut self, cx: QueueContext<'_>) {
        let options = self.backoff_options;
        loop {
            let pods = &self.pods;
            let is_over = |pod: PodIx| {
                let entry = pods.get(&pod);
                entry.is_none_or(|entry| !options.is_backing_off(entry, cx.now))
            };
            let Some(pod) = self.backoff.pop_over(is_over) else {
                return;
            };
            if self.move_to_active(cx, pod, options.pop_from_backoff) {
                self.note_move(
                    pod,
                    Trigger::BackoffComplete,
                    Place::Active,
                    Why::TimePassed,
                );
            }
        }
    }

    /// Moves Pods that failed too long ago (`flushUnschedulablePodsLeftover`, every 30 seconds).
    pub fn flush_unschedulable(&mut self, cx: QueueContext<'_>) {
        let waiting: Vec<PodIx> = self.unschedulable.values().copied().collect();
        for pod in waiting {
            let is_due = self.pods.get(&pod).is_some_and(|entry| {
                entry.gated_by.is_none()
                    && cx.now.since(entry.timestamp) > MAX_IN_UNSCHEDULABLE_PODS
            });
            if is_due {
                let event = ClusterEvent::UNSCHEDULABLE_TIMEOUT;
                self.move_if_helped(cx, pod, event, &ObjectUpdate::Nothing);
            }
        }
    }

    /// Pops the next Pod (`Pop`): the head of activeQ, or, if that is empty and the gate
    /// SchedulerPopFromBackoffQ is on, of backoffQ.
    pub fn pop(&mut self) -> Option<Popped> {
        let active = self.active.pop().map(|pod| (pod, Place::Active));
        let (pod, from) = active.or_else(|| {
            let may = self.backoff_options.pop_from_backoff;
            let pod = may.then(|| self.backoff.pop()).flatten()?;
            Some((pod, Place::Backoff))
        })?;
        self.take_off(pod, from)
    }

    /// Pops this Pod out of turn, for an attempt that was made before; `None` if it is not in activeQ.
    pub fn pop_active(&mut self, pod: PodIx) -> Option<Popped> {
        let was_there = self.active.remove(pod);
        was_there.then(|| self.take_off(pod, Place::Active))?
    }

    fn take_off(&mut self, pod: PodIx, from: Place) -> Option<Popped> {
        let entry = self.pods.get_mut(&pod)?;
        entry.attempts = entry.attempts.saturating_add(1);
        entry.rejected_by.clear();
        entry.gated_by = None;
        self.in_flight.begin(pod);
        Some(Popped {
            pod,
            attempts: entry.attempts,
            from,
        })
    }

    /// Ends a Pod's attempt: it was assigned or deleted (`Done`).
    pub fn done(&mut self, pod: PodIx) {
        self.in_flight.end(pod);
        if self.place_of(pod).is_none() {
            self.pods.remove(&pod);
        }
    }

    /// The Pod that [`SchedulingQueue::pop`] returns next.
    pub fn peek(&self) -> Option<PodIx> {
        let active = self.active.first().map(|(_, pod)| pod);
        let may = self.backoff_options.pop_from_backoff;
        active.or_else(|| may.then(|| self.backoff.first()).flatten())
    }

    /// The pending Pods by place, in order.
    pub fn places(&self) -> Places {
        let drained = |pop: &mut dyn FnMut() -> Option<PodIx>| {
            std::iter::from_fn(pop).collect::<Vec<PodIx>>()
        };
        let (mut active, mut backoff) = (self.active.clone(), self.backoff.clone());
        let is_gated = |pod: &&PodIx| {
            let entry = self.pods.get(*pod);
            entry.is_some_and(|entry| entry.gated_by.is_some())
        };
        let waiting = || self.unschedulable.values();
        Places {
            active: drained(&mut || active.pop()),
            backoff: drained(&mut || backoff.pop_over(|_| true)),
            unschedulable: waiting().filter(|pod| !is_gated(pod)).copied().collect(),
            gated: waiting().filter(is_gated).copied().collect(),
        }
    }

    /// Whether any Pod backs off.
    pub fn is_backing_off(&self) -> bool {
        !self.backoff.is_empty()
    }

    /// The earliest timestamp in unschedulablePods, gated Pods excluded.
    pub fn oldest_unschedulable(&self) -> Option<Time> {
        self.unschedulable
            .values()
            .filter_map(|pod| self.pods.get(pod))
            .filter(|entry| entry.gated_by.is_none())
            .map(|entry| entry.timestamp)
            .min()
    }

    /// The keys of the pending Pods by place.
    pub fn listing(&self) -> Listing {
        let mut listing = Listing::default();
        for (pod, entry) in &self.pods {
            let list = match self.place_of(*pod) {
                Some(Place::Active) => &mut listing.active,
                Some(Place::Backoff) => &mut listing.backoff,
                Some(Place::Unschedulable) if entry.gated_by.is_some() => &mut listing.gated,
                Some(Place::Unschedulable) => &mut listing.unschedulable,
                None => continue,
            };
            list.push(Arc::clone(&entry.key));
        }
        let Listing {
            active,
            backoff,
            unschedulable,
            gated,
        } = &mut listing;
        for list in [active, backoff, unschedulable, gated] {
            berth_base::sort::sort(list);
        }
        listing
    }
}

#[cfg(test)]
mod tests;
