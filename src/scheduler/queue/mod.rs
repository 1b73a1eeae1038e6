//! The scheduling queue: who is tried next, who waits, for how long and for what.
//!
//! Mirrors `backend/queue` of kube-scheduler v1.34.1 (`scheduling_queue.go`), feature gate
//! SchedulerQueueingHints on. Pods ready for an attempt are in activeQ; those that failed and that an
//! event may have helped back off in backoffQ; the others stay in unschedulablePods until an event
//! that one of the plugins that rejected them registered, and whose hint agrees, moves them. The
//! queue holds no objects: it knows Pods by index and reads the cluster when it has to.

mod backoff;
mod heap;
mod in_flight;
mod notes;
mod pod;
mod registrations;
mod requeue;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::time::{Span, Time};
use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, PodIx};
use crate::framework::events::{Change, ClusterEvent, pod_changes};

use super::Scheduler;
use backoff::{ActiveKey, BackoffQueue};
use heap::Heap;
use in_flight::InFlight;
use registrations::Registrations;

pub use backoff::BackoffOptions;
pub use notes::{Answers, Note, Place, Trigger, Why};
pub use pod::QueuedPod;
pub use registrations::Answer;

/// A Pod that no event moves is tried again after so long (`podMaxInUnschedulablePodsDuration`).
pub const MAX_IN_UNSCHEDULABLE_PODS: Span = Span::seconds(300);

/// What the queue reads while it works, and the time it is.
#[derive(Clone, Copy)]
pub struct QueueContext<'a> {
    pub cluster: &'a Cluster,
    pub scheduler: &'a Scheduler,
    pub now: Time,
}

/// A Pod that is tried now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Popped {
    pub pod: PodIx,
    /// This attempt included.
    pub attempts: u32,
    /// `Backoff` if an idle scheduler took it from there.
    pub from: Place,
}

/// Where a Pod went after it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requeued {
    pub to: Place,
    /// When it has backed off, if it went to backoffQ.
    pub backoff_until: Option<Time>,
    /// The first event during its attempt that is worth another.
    pub in_flight: Option<ClusterEvent>,
}

/// The keys of waiting Pods by place, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub active: Vec<Arc<str>>,
    pub backoff: Vec<Arc<str>>,
    pub unschedulable: Vec<Arc<str>>,
    pub gated: Vec<Arc<str>>,
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
    tells_kept: bool,
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
            tells_kept: false,
        }
    }

    /// The same queue, which from now on also notes, or not, whom an event left where it was.
    #[must_use]
    pub fn telling_kept(self, tells_kept: bool) -> Self {
        Self { tells_kept, ..self }
    }

    /// A waiting Pod, or one in flight.
    pub fn get(&self, pod: PodIx) -> Option<&QueuedPod> {
        self.pods.get(&pod)
    }

    /// What happened to Pods since this was asked last, in order.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// A Pod came (`Add`): it may be tried, unless a PreEnqueue plugin keeps it out.
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

    /// A waiting Pod changed (`Update`). In activeQ and backoffQ it just changed; in unschedulablePods the
    /// change may help it.
    pub fn update(&mut self, cx: QueueContext<'_>, old: &Arc<PodInfo>, new: &Arc<PodInfo>) {
        let ix = new.ix;
        let events = pod_changes(cx.cluster, old, new);
        let update = crate::framework::events::Update::changed(Arc::clone(old), Arc::clone(new));
        let change = Change::Pod(update);
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
                    if self.judge_and_move(cx, ix, event, &change) {
                        break;
                    }
                }
            }
            None => self.enter(cx, ix, ClusterEvent::UNSCHEDULABLE_POD_UPDATE),
        }
    }

    /// The Pod is gone or has a node (`Delete`). One in flight stays until [`Self::done`].
    pub fn delete(&mut self, pod: PodIx) {
        self.take_out(pod);
        if !self.in_flight.contains(pod) {
            self.pods.remove(&pod);
        }
    }

    /// Something happened (`MoveAllToActiveOrBackoffQueue`): the Pods that it may help go to activeQ, or
    /// to backoffQ if they back off. With `up_to`, only Pods of at most that priority are looked at.
    pub fn move_all(
        &mut self,
        cx: QueueContext<'_>,
        event: ClusterEvent,
        change: &Change,
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
                self.judge_and_move(cx, pod, event, change);
            }
        }
        self.in_flight.note(event, change);
    }

    /// Moves Pods whose backoff is over to activeQ (`flushBackoffQCompleted`, every second).
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
                self.judge_and_move(cx, pod, event, &Change::Nothing);
            }
        }
    }

    /// The next Pod to try (`Pop`): the head of activeQ, or, if that is empty and the gate
    /// SchedulerPopFromBackoffQ is on, of backoffQ.
    pub fn pop(&mut self) -> Option<Popped> {
        let active = self.active.pop().map(|pod| (pod, Place::Active));
        let (pod, from) = active.or_else(|| {
            let may = self.backoff_options.pop_from_backoff;
            let pod = may.then(|| self.backoff.pop()).flatten()?;
            Some((pod, Place::Backoff))
        })?;
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

    /// The Pod needs no more attempts, or does not exist any more (`Done`).
    pub fn done(&mut self, pod: PodIx) {
        self.in_flight.end(pod);
        if self.place_of(pod).is_none() {
            self.pods.remove(&pod);
        }
    }

    /// Whether Pods wait that are tried again when their backoff is over.
    pub fn is_backing_off(&self) -> bool {
        !self.backoff.is_empty()
    }

    /// Since when the Pod waits in unschedulablePods that has waited there longest; `None` if none does but
    /// those with gates.
    pub fn waits_in_vain_since(&self) -> Option<Time> {
        let waiting = self.unschedulable.values();
        let waiting = waiting.filter_map(|pod| self.pods.get(pod));
        let waiting = waiting.filter(|entry| entry.gated_by.is_none());
        waiting.map(|entry| entry.timestamp).min()
    }

    /// Who waits where.
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
            crate::base::sort::sort(list);
        }
        listing
    }
}

#[cfg(test)]
mod tests;
