//! Moves Pods between the queues according to the hints of the plugins that rejected them.

use std::sync::Arc;

use super::notes::{Answers, Note, Place, Trigger, Why};
use super::pod::QueuedPod;
use super::{QueueContext, Requeued, SchedulingQueue};
use crate::cluster::PodIx;
use crate::framework::events::{ClusterEvent, ObjectUpdate};
use berth_base::time::Time;

/// What an event means for a Pod (`queueingStrategy`; in-tree plugins never ask for an attempt without
/// backoff).
enum Strategy {
    Queue(Why),
    Skip(Answers),
}

impl SchedulingQueue {
    /// Requeues a failed Pod (`AddUnschedulableIfNotPresent`): it backs off if no plugin rejected it or if
    /// an event during its attempt may help it; else it waits for such an event. `rejected_by` is
    /// sorted.
    pub fn add_unschedulable(
        &mut self,
        cx: QueueContext<'_>,
        pod: PodIx,
        rejected_by: &[&'static str],
    ) -> Requeued {
        let Some(entry) = self.pods.get_mut(&pod) else {
            self.in_flight.end(pod);
            return Requeued {
                to: Place::Unschedulable,
                backoff_until: None,
                in_flight: None,
            };
        };
        entry.rejected_by = rejected_by.to_vec();
        if rejected_by.is_empty() {
            entry.consecutive_errors = entry.consecutive_errors.saturating_add(1);
        } else {
            entry.unschedulable_count = entry.unschedulable_count.saturating_add(1);
            entry.consecutive_errors = 0;
        }
        entry.timestamp = cx.now;
        let in_flight = self.first_worth(cx, pod);
        let is_worth = in_flight.is_some() || rejected_by.is_empty();
        let to = if is_worth {
            self.requeue(cx, pod)
        } else {
            self.put_unschedulable(pod);
            Place::Unschedulable
        };
        self.in_flight.end(pod);
        Requeued {
            to,
            backoff_until: self.backoff_until(pod, to),
            in_flight,
        }
    }

    /// The first event since the Pod was popped that may help it; `None` if no plugin rejected it,
    /// because then no event is needed.
    fn first_worth(&self, cx: QueueContext<'_>, pod: PodIx) -> Option<ClusterEvent> {
        if self.pods.get(&pod)?.rejected_by.is_empty() {
            return None;
        }
        self.in_flight
            .events_since_pop(pod)
            .find(|happened| {
                let strategy = self.strategy(cx, pod, happened.event, &happened.change);
                matches!(strategy, Strategy::Queue(_))
            })
            .map(|happened| happened.event)
    }

    /// Collects the answers of the plugins that rejected the Pod, in order of name, up to the first that
    /// queues it (`isPodWorthRequeuing`).
    fn strategy(
        &self,
        cx: QueueContext<'_>,
        pod: PodIx,
        event: ClusterEvent,
        change: &ObjectUpdate,
    ) -> Strategy {
        let nothing = Strategy::Skip(Vec::new());
        let (Some(entry), Some(info)) = (self.pods.get(&pod), cx.cluster.pods().get(pod)) else {
            return nothing;
        };
        if entry.rejected_by.is_empty() {
            return Strategy::Queue(Why::NotRejected);
        }
        if event.is_wild_card() {
            return Strategy::Queue(Why::TimePassed);
        }
        let Some(number) = cx.scheduler.profile_of(info) else {
            return nothing;
        };
        let Some(profile) = cx.scheduler.profiles().get(number) else {
            return nothing;
        };
        let mut answers = Vec::new();
        for &plugin in &entry.rejected_by {
            let (profile, target) = ((number, profile), (cx.cluster, info));
            let answer = self
                .registrations
                .ask(profile, plugin, target, (event, change));
            answers.push((plugin, answer));
            if answer.queues() {
                return Strategy::Queue(Why::Answers(answers));
            }
        }
        Strategy::Skip(answers)
    }

    /// Moves a Pod out of unschedulablePods if the event may help it; returns whether it moved.
    pub(super) fn move_if_helped(
        &mut self,
        cx: QueueContext<'_>,
        pod: PodIx,
        event: ClusterEvent,
        change: &ObjectUpdate,
    ) -> bool {
        match self.strategy(cx, pod, event, change) {
            Strategy::Queue(why) => {
                let to = self.requeue(cx, pod);
                let moved = to != Place::Unschedulable;
                if moved {
                    self.note_move(pod, Trigger::Event(event), to, why);
                }
                moved
            }
            Strategy::Skip(answers) => {
                self.note_kept(pod, event, answers);
                false
            }
        }
    }

    /// A gated Pod is moved only by events that the plugin that gates it registered for.
    pub(super) fn is_kept_by_gate(
        &self,
        cx: QueueContext<'_>,
        pod: PodIx,
        entry: &QueuedPod,
        event: ClusterEvent,
    ) -> bool {
        let profile = || {
            let info = cx.cluster.pods().get(pod)?;
            cx.scheduler.profile_of(info)
        };
        entry.gated_by.is_some_and(|plugin| {
            !profile().is_some_and(|profile| self.registrations.concerns(profile, plugin, event))
        })
    }

    /// Moves a Pod that an event may have helped to backoffQ, or to activeQ if it does not back off
    /// (`requeuePodWithQueueingStrategy`). Returns its new place; PreEnqueue may keep it where it was.
    fn requeue(&mut self, cx: QueueContext<'_>, pod: PodIx) -> Place {
        let options = self.backoff_options;
        let backs_off = self
            .pods
            .get(&pod)
            .is_some_and(|entry| options.is_backing_off(entry, cx.now));
        let (moved, to) = if backs_off {
            (self.move_to_backoff(cx, pod), Place::Backoff)
        } else {
            (self.move_to_active(cx, pod, false), Place::Active)
        };
        if moved { to } else { Place::Unschedulable }
    }

    /// Runs PreEnqueue, then adds the Pod to activeQ (`moveToActiveQ`). `false`: it stays in unschedulablePods.
    pub(super) fn move_to_active(
        &mut self,
        cx: QueueContext<'_>,
        pod: PodIx,
        skip_pre_enqueue: bool,
    ) -> bool {
        if !skip_pre_enqueue && !self.pre_enqueue(cx, pod) {
            self.put_unschedulable(pod);
            return false;
        }
        self.take_out(pod);
        self.put_active(pod);
        true
    }

    /// Runs PreEnqueue if Pods may be popped from backoffQ, then adds the Pod there (`moveToBackoffQ`).
    fn move_to_backoff(&mut self, cx: QueueContext<'_>, pod: PodIx) -> bool {
        if self.backoff_options.pop_from_backoff && !self.pre_enqueue(cx, pod) {
            self.put_unschedulable(pod);
            return false;
        }
        self.take_out(pod);
        self.put_backoff(pod);
        true
    }

    /// Whether all PreEnqueue plugins accept the Pod; records the one that does not.
    fn pre_enqueue(&mut self, cx: QueueContext<'_>, pod: PodIx) -> bool {
        let gated_by = || {
            let info = cx.cluster.pods().get(pod)?;
            let profile = cx.scheduler.profile_of(info)?;
            let profile = cx.scheduler.profiles().get(profile)?;
            Some(profile.gated_by(cx.cluster, info)?.plugin)
        };
        let gated_by = gated_by();
        if let Some(entry) = self.pods.get_mut(&pod) {
            entry.gated_by = gated_by;
            if let Some(plugin) = gated_by {
                entry.add_rejection(plugin);
            }
        }
        gated_by.is_none()
    }

    pub(super) fn place_of(&self, pod: PodIx) -> Option<Place> {
        let entry = self.pods.get(&pod)?;
        if self.active.contains(pod) {
            Some(Place::Active)
        } else if self.backoff.contains(pod) {
            Some(Place::Backoff)
        } else {
            let known = self.unschedulable.get(&entry.key);
            (known == Some(&pod)).then_some(Place::Unschedulable)
        }
    }

    /// Removes a Pod from the queue that it is in.
    pub(super) fn take_out(&mut self, pod: PodIx) {
        self.active.remove(pod);
        self.backoff.remove(pod);
        if let Some(entry) = self.pods.get(&pod)
            && self.unschedulable.get(&entry.key) == Some(&pod)
        {
            self.unschedulable.remove(&entry.key);
        }
    }

    pub(super) fn put_active(&mut self, pod: PodIx) {
        if let Some(entry) = self.pods.get(&pod) {
            self.active.put(pod, entry.active_key());
        }
    }

    pub(super) fn put_backoff(&mut self, pod: PodIx) {
        if let Some(entry) = self.pods.get(&pod) {
            self.backoff.add(pod, entry, self.backoff_options);
        }
    }

    fn put_unschedulable(&mut self, pod: PodIx) {
        if let Some(entry) = self.pods.get(&pod) {
            self.unschedulable.insert(Arc::clone(&entry.key), pod);
        }
    }

    pub(super) fn backoff_until(&self, pod: PodIx, place: Place) -> Option<Time> {
        let entry = self.pods.get(&pod).filter(|_| place == Place::Backoff)?;
        self.backoff_options.expiry(entry)
    }

    pub(super) fn note_move(&mut self, pod: PodIx, by: Trigger, to: Place, why: Why) {
        let Some(entry) = self.pods.get(&pod) else {
            return;
        };
        let note = Note::Moved {
            pod,
            key: Arc::clone(&entry.key),
            by,
            to,
            backoff_until: self.backoff_until(pod, to),
            why,
        };
        self.notes.push(note);
    }

    fn note_kept(&mut self, pod: PodIx, by: ClusterEvent, answers: Answers) {
        if let (true, Some(entry)) = (self.notes_kept, self.pods.get(&pod)) {
            let key = Arc::clone(&entry.key);
            self.notes.push(Note::Kept {
                pod,
                key,
                by,
                answers,
            });
        }
    }
}
