//! The events that follow from an attempt, without an API server and controllers.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;

use berth_core::api::controllers::disruption::DisruptionBudgets;
use berth_core::api::controllers::volumes::{PodVolumes, bind_claims_of_pod};
use berth_core::api::prepare::devices;
use berth_scheduler::cluster::event::{Event, StoredKind};
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_scheduler::framework::plugin::VolumeDecisions;
use berth_scheduler::framework::preemption::Preemption;

use super::attempt::{Attempt, Ending};
use crate::budgets;

/// 2025-01-01T01:00:00Z in milliseconds: the start time of the first Pod that the run binds.
pub(crate) const FIRST_START_MS: i64 = 1_735_693_200_000;
const SECOND_MS: i64 = 1000;

/// Counters that turn outcomes into events.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Pods bound so far: each starts a second after the one before.
    bound: i64,
    budgets: DisruptionBudgets,
}

impl Effects {
    /// Counts the Pods that are bound already.
    pub fn new(cluster: &Cluster) -> Self {
        Self {
            bound: 0,
            budgets: budgets::of(cluster),
        }
    }

    /// The same for some budgets only: the others keep their status.
    pub fn counting(cluster: &Cluster, is_counted: impl Fn(&PodDisruptionBudget) -> bool) -> Self {
        Self {
            bound: 0,
            budgets: budgets::of_those(cluster, is_counted),
        }
    }

    /// Counts the Pods that leave and come with these events. Call it before they are applied.
    pub fn note(&mut self, cluster: &Cluster, events: &[Event]) {
        for event in events {
            match event {
                Event::PodDeleted(pod) => {
                    if let Some(gone) = cluster.pods().get(*pod) {
                        self.budgets.pod_went(&gone.object);
                    }
                }
                Event::PodAdded(pod) => self.budgets.pod_came(pod),
                _ => {}
            }
        }
    }

    /// Writes the status of the budgets where it has changed.
    pub fn settle_budgets(&mut self) -> Vec<Event> {
        budgets::updated(&mut self.budgets)
    }

    /// Continues the count of the same run before its manifests changed.
    pub fn carry(&mut self, before: &Self) {
        self.bound = before.bound;
    }

    /// The events that follow from an attempt.
    pub fn of(&mut self, cluster: &Cluster, attempt: &Attempt) -> Vec<Event> {
        let mut events = Vec::new();
        match &attempt.ending {
            Ending::Bound { node, volumes } => {
                let labelled = cluster.pods().get(attempt.pod);
                let labelled = labelled.map(|pod| cluster.template_on(pod, node));
                events.push(Event::PodBound {
                    pod: attempt.pod,
                    node: Arc::clone(node),
                    start_ms: FIRST_START_MS + self.bound * SECOND_MS,
                });
                self.bound += 1;
                if let Some(pod) = cluster.pods().get(attempt.pod) {
                    let labels = labelled
                        .as_ref()
                        .map(|template| &template.labels)
                        .unwrap_or(&pod.object.template.labels);
                    self.budgets.pod_bound(&pod.object.namespace, labels);
                    events.extend(claims_bound(cluster, pod, volumes));
                    events.extend(claims_written(volumes));
                }
                events.extend(budgets::updated(&mut self.budgets));
            }
            Ending::Unschedulable(unschedulable) => {
                if let Some((namespace, name)) = &unschedulable.deallocated
                    && let Some(claim) = cluster.devices().claim(namespace, name)
                {
                    let mut claim = (**claim).clone();
                    devices::deallocate(&mut claim);
                    events.push(Event::ResourceClaimSet(Arc::new(claim)));
                }
                match &unschedulable.preemption {
                    Some(preemption) => self.preempt(cluster, attempt.pod, preemption, &mut events),
                    None if unschedulable.clear_nomination => {
                        events.push(nomination(attempt.pod, None))
                    }
                    None => {}
                }
            }
            Ending::Error { chosen, .. } => {
                if let Some((_, decisions)) = chosen {
                    events.extend(claims_written(decisions));
                }
                events.push(nomination(attempt.pod, None));
            }
        }
        events
    }

    fn preempt(
        &mut self,
        cluster: &Cluster,
        pod: PodIx,
        preemption: &Preemption,
        events: &mut Vec<Event>,
    ) {
        let mut gone = Vec::new();
        for &victim in &preemption.victims {
            let Some(info) = cluster.pods().get(victim) else {
                continue;
            };
            // A terminating Pod is left to finish.
            if info.object.terminating {
                continue;
            }
            self.budgets.pod_went(&info.object);
            events.push(Event::PodDeleted(victim));
            gone.push(victim);
        }
        events.extend(claims_released(cluster, &gone, &[]));
        events.extend(
            preemption
                .displaced
                .iter()
                .map(|&displaced| nomination(displaced, None)),
        );
        events.push(nomination(
            pod,
            Some(Arc::clone(&cluster.node(preemption.node).name)),
        ));
        events.extend(budgets::updated(&mut self.budgets));
    }
}

/// The claims as PreBind left them.
fn claims_written(decisions: &VolumeDecisions) -> impl Iterator<Item = Event> + '_ {
    let claims = decisions
        .claims
        .iter()
        .map(|write| &write.claim)
        .chain(&decisions.created);
    claims.map(|claim| Event::ResourceClaimSet(Arc::clone(claim)))
}

/// What the claim controller does after Pods were deleted: they no longer consume claims, and their own claims are
/// deleted, or made again, not allocated yet, for the Pods that come `again`.
pub(crate) fn claims_released(cluster: &Cluster, gone: &[PodIx], again: &[PodIx]) -> Vec<Event> {
    let mut events = Vec::new();
    if gone.is_empty() && again.is_empty() || !cluster.has_devices() {
        return events;
    }
    let identities = |pods: &[PodIx]| -> Vec<(&str, &str)> {
        let pods = pods.iter().filter_map(|&pod| cluster.pods().get(pod));
        pods.map(|pod| (&*pod.object.namespace, &*pod.object.uid))
            .collect()
    };
    let (gone, mut pods) = (identities(gone), identities(again));
    pods.extend(&gone);
    for claim in cluster.devices().claims() {
        let (namespace, name) = berth_scheduler::cluster::object_key(&claim.metadata);
        let owners = claim.metadata.owner_references.iter().flatten();
        let owner = owners.clone().find(|it| it.controller.unwrap_or(false));
        if owner.is_some_and(|owner| gone.contains(&(&*namespace, &*owner.uid))) {
            events.push(Event::Removed {
                kind: StoredKind::ResourceClaim,
                namespace,
                name,
            });
            continue;
        }
        let mut left = (**claim).clone();
        let mut changed = false;
        for (of, uid) in &pods {
            changed |= *of == namespace && devices::release_claim(&mut left, uid);
        }
        if changed {
            events.push(Event::ResourceClaimSet(Arc::new(left)));
        }
    }
    events
}

pub(super) fn nomination(pod: PodIx, node: Option<Arc<str>>) -> Event {
    Event::Nominated { pod, node }
}

/// Binds the claims that wait for their first consumer to an existing or a new volume.
pub(crate) fn claims_bound(
    cluster: &Cluster,
    pod: &PodInfo,
    decisions: &VolumeDecisions,
) -> Vec<Event> {
    if decisions.bindings.is_empty() && decisions.provisions.is_empty() {
        return Vec::new();
    }
    bound(cluster, pod, decisions)
}

/// Apart from [`claims_bound`], which every cycle runs.
#[inline(never)]
fn bound(cluster: &Cluster, pod: &PodInfo, decisions: &VolumeDecisions) -> Vec<Event> {
    let namespace = pod.object.namespace.as_ref();
    let key = |claim: &String| format!("{namespace}/{claim}");
    let bindings = decisions.bindings.iter();
    let qualified = PodVolumes {
        bindings: bindings
            .clone()
            .map(|(claim, volume)| (key(claim), volume.clone()))
            .collect(),
        provisions: decisions.provisions.iter().map(key).collect(),
    };
    let stored = cluster.volumes();
    let names = bindings
        .clone()
        .map(|(claim, _)| claim)
        .chain(&decisions.provisions);
    let claims = names.filter_map(|claim| stored.claim(namespace, claim));
    let mut claims: Vec<PersistentVolumeClaim> =
        claims.map(|claim| claim.as_ref().clone()).collect();
    let volumes = bindings.filter_map(|(_, volume)| stored.persistent_volumes.get(volume));
    let mut volumes: Vec<PersistentVolume> =
        volumes.map(|volume| volume.as_ref().clone()).collect();
    let classes: Vec<_> = stored
        .storage_classes
        .values()
        .map(|class| class.as_ref().clone())
        .collect();
    bind_claims_of_pod(&qualified, &mut volumes, &mut claims, &classes);
    let volumes = volumes.into_iter().map(Arc::new).map(Event::VolumeSet);
    let claims = claims.into_iter().map(Arc::new).map(Event::ClaimSet);
    volumes.chain(claims).collect()
}
