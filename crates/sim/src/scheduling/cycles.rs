//! Scheduling cycles over time: each is complete (bound or handed back) before the next begins
//! (`schedule_one.go` of kube-scheduler v1.34.1, its failure handler included).

use std::sync::Arc;

use crate::run::effects::{FIRST_START_MS, claims_bound};
use crate::run::{Attempt, Ending, attempt};
use crate::scheduler_cache::SchedulerCache;
use crate::store::Key;
use berth_core::api::prepare::devices;
use berth_core::api::prepared::PodObject;
use berth_protocol::key::split;
use berth_scheduler::cluster::PodIx;
use berth_scheduler::cluster::event::Event;
use berth_scheduler::cycle::Outcome;
use berth_scheduler::framework::plugin::VolumeDecisions;
use berth_scheduler::framework::preemption::Preemption;
use berth_scheduler::observer::Silent;
use berth_scheduler::queue::Popped;

use super::{Scheduling, Write};
use crate::history::{CycleEnding, CycleEntry, Entry};

/// The annotation with the node that the scheduler chose for a claim to be provisioned.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

impl Scheduling {
    /// One cycle; `false` if nothing can be popped.
    pub(crate) fn schedule_one(&mut self) -> bool {
        let popped = self.cache.queue.pop();
        popped.map(|popped| self.cycle(popped)).is_some()
    }

    /// Whether the next cycle tries a Pod: one that is being deleted is only taken out of the queue.
    pub(crate) fn will_try(&self) -> bool {
        let cache = &self.cache;
        let next = cache
            .queue
            .peek()
            .and_then(|pod| cache.cluster.pods().get(pod));
        next.is_some_and(|pod| !pod.object.terminating && cache.scheduler.profile_of(pod).is_some())
    }

    fn cycle(&mut self, popped: Popped) {
        self.cache.clock.tick();
        let Some(pod) = self.cache.cluster.pods().get(popped.pod) else {
            self.cache.queue.done(popped.pod);
            return;
        };
        let mut entry = CycleEntry::new(self.instant, pod.object.key(), &popped);
        match self.decide(popped.pod) {
            Some(outcome) => {
                if self.writes.is_some() {
                    self.attempt = self.attempt(popped.pod, &outcome);
                }
                self.conclude(popped.pod, outcome, &mut entry);
            }
            None => self.cache.queue.done(popped.pod),
        }
        self.entries.push(Entry::Cycle(Box::new(entry)));
        self.record_notes();
        self.write_budgets();
    }

    /// Adopts an attempt that was made before, without a cycle: a bound Pod may help others, and a failed one goes
    /// back to the queue. A preemption was carried out already.
    pub(crate) fn adopt(&mut self, attempt: &Attempt) {
        let (namespace, name) = split(&attempt.key);
        let Some(pod) = self.cache.cluster.pods().find(namespace, name) else {
            return;
        };
        let pod = pod.ix;
        match &attempt.ending {
            Ending::Bound { .. } => self.cache.handle_new_pod(pod),
            Ending::Unschedulable(failure) => {
                let Some(popped) = self.cache.queue.pop_active(pod) else {
                    return;
                };
                let mut entry = CycleEntry {
                    ending: CycleEnding::Unschedulable,
                    message: Some(failure.message.clone()),
                    rejected_by: failure.rejected_by.clone(),
                    ..CycleEntry::new(self.instant, attempt.key.clone(), &popped)
                };
                self.hand_back(pod, failure.clear_nomination, &mut entry);
            }
            Ending::Error { .. } => {}
        }
        self.record_notes();
    }

    /// The attempt, for a session's log.
    fn attempt(&self, pod: PodIx, outcome: &Outcome) -> Option<Attempt> {
        let SchedulerCache {
            cluster, scheduler, ..
        } = &self.cache;
        let info = cluster.pods().get(pod)?;
        let profile = scheduler.profile_of(info)?;
        Some(Attempt {
            pod,
            key: info.object.key(),
            profile: scheduler.profiles().get(profile)?.scheduler_name.clone(),
            round: 1,
            victims: attempt::victims(cluster, outcome),
            ending: Ending::new(cluster, outcome.clone()),
            scheduler: scheduler.position(),
        })
    }

    /// `None` for a Pod that is being deleted: it is not tried.
    fn decide(&mut self, pod: PodIx) -> Option<Outcome> {
        let cache = &mut self.cache;
        let info = cache.cluster.pods().get(pod)?;
        if info.object.terminating {
            return None;
        }
        let profile = cache.scheduler.profile_of(info)?;
        let scheduler = &mut cache.scheduler;
        Some(scheduler.schedule(&cache.cluster, info, profile, &mut Silent))
    }

    fn conclude(&mut self, pod: PodIx, outcome: Outcome, entry: &mut CycleEntry) {
        match outcome {
            Outcome::Scheduled { node, volumes } => {
                let node = Arc::clone(&self.cache.cluster.node(node).name);
                self.bind(pod, &node, &volumes);
                entry.ending = CycleEnding::Bound(node);
            }
            Outcome::Unschedulable(failure) => {
                if let Some(preemption) = &failure.preemption {
                    self.preempt(pod, preemption, entry);
                }
                if let Some(claim) = &failure.deallocated {
                    self.deallocate(claim);
                }
                entry.ending = CycleEnding::Unschedulable;
                entry.rejected_by = failure.rejected_by;
                entry.message = Some(failure.message);
                self.hand_back(pod, failure.clear_nomination, entry);
            }
            Outcome::Error { message, chosen } => {
                if let Some((_, decisions)) = chosen {
                    self.write_claims(&decisions);
                }
                entry.ending = CycleEnding::Error;
                entry.message = Some(message);
                self.hand_back(pod, true, entry);
            }
        }
    }

    /// The binding cycle: volumes first, then the Pod. It cannot fail here, so the queue stops tracking events for the
    /// Pod first.
    fn bind(&mut self, pod: PodIx, node: &Arc<str>, volumes: &VolumeDecisions) {
        self.cache.queue.done(pod);
        if self.writes.is_none() {
            self.bind_volumes(pod, node, volumes);
        }
        self.assume_claims(volumes);
        let start_ms = match &self.writes {
            Some(_) => self.now_ms(),
            None => FIRST_START_MS.saturating_add(self.bound.saturating_mul(1000)),
        };
        self.bound += 1;
        self.cache.pod_bound(pod, Arc::clone(node), start_ms);
        if let Some(info) = self.cache.cluster.pods().get(pod) {
            self.budgets.pod_came(&info.object);
            if let Some(writes) = &mut self.writes {
                let pod = Key::new(&*info.object.namespace, &*info.object.name);
                writes.push(Write::Bind {
                    pod,
                    uid: Arc::clone(&info.object.uid),
                    node: Arc::clone(node),
                    volumes: volumes.clone(),
                });
            }
        }
        self.conditions.remove(&pod);
    }

    /// The next cycle sees the claims as PreBind leaves them.
    fn assume_claims(&mut self, decisions: &VolumeDecisions) {
        let claims = decisions.claims.iter().map(|write| &write.claim);
        for claim in claims.chain(&decisions.created) {
            self.cache.set(Event::ResourceClaimSet(Arc::clone(claim)));
        }
    }

    /// Writes claims without binding the Pod.
    fn write_claims(&mut self, decisions: &VolumeDecisions) {
        self.assume_claims(decisions);
        if let Some(writes) = &mut self.writes {
            let claims = decisions.claims.iter();
            writes.extend(claims.map(|it| Write::Claim(Arc::clone(&it.claim))));
        }
    }

    /// PostFilter gives up an allocation.
    fn deallocate(&mut self, (namespace, name): &(String, String)) {
        let claim = self.cache.cluster.devices().claim(namespace, name);
        let Some(mut claim) = claim.map(|claim| (**claim).clone()) else {
            return;
        };
        devices::deallocate(&mut claim);
        let claim = Arc::new(claim);
        self.cache.set(Event::ResourceClaimSet(Arc::clone(&claim)));
        if let Some(writes) = &mut self.writes {
            writes.push(Write::Claim(claim));
        }
    }

    fn bind_volumes(&mut self, pod: PodIx, node: &Arc<str>, volumes: &VolumeDecisions) {
        for name in &volumes.provisions {
            let Some(info) = self.cache.cluster.pods().get(pod) else {
                return;
            };
            let namespace = &info.object.namespace;
            let claim = self.cache.cluster.volumes().claim(namespace, name);
            if let Some(mut claim) = claim.map(|claim| claim.as_ref().clone()) {
                let annotations = claim.metadata.annotations.get_or_insert_default();
                annotations.insert(SELECTED_NODE.to_owned(), node.to_string());
                self.cache.set(Event::ClaimSet(Arc::new(claim)));
            }
        }
        let cluster = &self.cache.cluster;
        let Some(info) = cluster.pods().get(pod) else {
            return;
        };
        for event in claims_bound(cluster, info, volumes) {
            self.cache.set(event);
        }
    }

    /// Deletes the victims, then clears the nominations of lower priority on the node (`prepareCandidate`).
    fn preempt(&mut self, preemptor: PodIx, preemption: &Preemption, entry: &mut CycleEntry) {
        let node = Arc::clone(&self.cache.cluster.node(preemption.node).name);
        let preemptor = self.key_of(preemptor);
        for &victim in &preemption.victims {
            let Some(info) = self.cache.cluster.pods().get(victim) else {
                continue;
            };
            // A terminating Pod is left to finish.
            if info.object.terminating {
                continue;
            }
            let object = info.object.clone();
            entry.victims.push(object.key());
            self.deleted.push(object.key());
            self.budgets.pod_went(&object);
            if let Some(writes) = &mut self.writes {
                writes.push(Write::Delete {
                    pod: Key::new(&*object.namespace, &*object.name),
                    preemptor: preemptor.clone(),
                    node: Arc::clone(&node),
                });
                let leaving = PodObject {
                    terminating: true,
                    preempted_by_scheduler: true,
                    ..object
                };
                self.cache.pod_updated(victim, leaving);
                continue;
            }
            // Condition DisruptionTarget is written first.
            self.cache.pod_status_written();
            self.cache.pod_deleted(victim);
            self.conditions.remove(&victim);
        }
        for &displaced in &preemption.displaced {
            self.cache.pod_nominated(displaced, None);
            let pod = self.key_of(displaced);
            if let Some(writes) = &mut self.writes {
                writes.push(Write::Nominate { pod, node: None });
            }
        }
        entry.nominated = Some(node);
    }

    /// The failure handler, for a Pod whose binding cycle has failed.
    pub(crate) fn binding_handed_back(&mut self, popped: &Popped, key: &Key, message: String) {
        let mut entry = CycleEntry {
            ending: CycleEnding::Error,
            message: Some(message),
            ..CycleEntry::new(self.instant, key.to_string(), popped)
        };
        self.hand_back(popped.pod, true, &mut entry);
    }

    fn key_of(&self, pod: PodIx) -> Key {
        let info = self.cache.cluster.pods().get(pod);
        info.map_or_else(Key::default, |info| {
            Key::new(&*info.object.namespace, &*info.object.name)
        })
    }

    /// The failure handler: back to the queue, then the nomination and the status.
    fn hand_back(&mut self, pod: PodIx, clear_nomination: bool, entry: &mut CycleEntry) {
        let rejected_by = &entry.rejected_by;
        let requeued = self
            .cache
            .with_queue(|queue, cx| queue.add_unschedulable(cx, pod, rejected_by));
        entry.in_flight = requeued.in_flight;
        entry.queue_after = Some((requeued.to, requeued.backoff_until));
        let before = self.cache.cluster.nominations().of(pod).cloned();
        let nomination = match &entry.nominated {
            Some(node) => Some(Arc::clone(node)),
            None => before.clone().filter(|_| !clear_nomination),
        };
        let message = entry.message.clone().unwrap_or_default();
        let is_news = self.conditions.get(&pod) != Some(&message);
        self.conditions.insert(pod, message.clone());
        let key = self.key_of(pod);
        if let Some(writes) = &mut self.writes {
            let reason = match entry.ending {
                CycleEnding::Error => "SchedulerError",
                _ => "Unschedulable",
            };
            writes.push(Write::Status {
                pod: key,
                reason,
                message,
                nominated: nomination.clone(),
            });
        }
        if nomination != before {
            self.cache.pod_nominated(pod, nomination);
        } else if is_news {
            self.cache.pod_status_written();
        }
    }
}
