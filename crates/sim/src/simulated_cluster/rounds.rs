//! Continues scheduling in rounds as a simulated cluster: Pods keep their nodes, names, nominations and places in the
//! queue.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, Pod, PodResourceClaimStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::controllers::job::FINALIZER;
use crate::controllers::revisions::revision_label_of;
use crate::pod_util;
use crate::run::{Attempt, Ending};
use crate::server::{ApiError, ApiServer};
use crate::snapshot::Snapshot;
use crate::store::{Key, Object, uid_of};
use berth_core::api::infer::Exist;
use berth_core::api::meta::reference_to;
use berth_core::api::object::Manifest;
use berth_core::api::prepared::{PodObject, Prepared};
use berth_core::api::workloads::REVISION_HASH;

use super::SimulatedCluster;
use super::load::Incoming;
use super::write_back::scheduled_event;

/// A run of rounds at one moment.
pub struct Rounds<'a> {
    /// The manifests that the run was made from.
    pub prepared: &'a Prepared,
    pub snapshot: &'a Snapshot,
    /// Its attempts since all pending Pods were last queued, in order.
    pub attempts: &'a [&'a Attempt],
}

impl SimulatedCluster {
    /// Like [`SimulatedCluster::load`], with the Pods of the run in place of those of the manifests: placed Pods start
    /// on their nodes, their workloads own them, and failed Pods wait for the events that may help them. Works until
    /// only the scheduler has something left to do.
    pub fn load_rounds<'a>(
        &mut self,
        objects: impl Iterator<Item = &'a Manifest>,
        rounds: &Rounds<'_>,
    ) -> Vec<(usize, ApiError)> {
        // Scheduling alone went on without the accounts that Pods name.
        let incoming = self.completed(objects, Exist::All);
        self.begin_when_made(&incoming);
        let end = incoming
            .iter()
            .map(|it| it.place + 1)
            .max()
            .unwrap_or_default();
        let (written, mut others): (Vec<Incoming>, Vec<Incoming>) = incoming
            .into_iter()
            .partition(|it| matches!(it.object, Object::Pod(_)));
        others.extend(owners(rounds.prepared, &others, end));
        replace_volumes(&mut others, rounds.snapshot, end);
        replace_device_claims(&mut others, rounds.snapshot, end);
        for it in &mut others {
            it.keep_identity();
        }
        let mut refused = self.bring_in_all(others);
        // Of several for one Pod, the first counts.
        let written: BTreeMap<Key, &Incoming> =
            berth_base::sort::gather(written.iter().rev().map(|it| (it.key(), it)));
        self.skip_names(&written, rounds.prepared);
        refused.extend(self.bring_in_pods(&written, rounds.snapshot, end));
        let scheduling = self.scheduling_mut();
        let position = rounds.snapshot.scheduler.position();
        scheduling.cache.scheduler.set_position(&position);
        scheduling.deleted.clone_from(&rounds.snapshot.deleted);
        self.prepare();
        self.hand_back_failed(rounds.attempts);
        self.prepare();
        refused
    }

    fn bring_in_pods(
        &mut self,
        written: &BTreeMap<Key, &Incoming>,
        snapshot: &Snapshot,
        end: usize,
    ) -> Vec<(usize, ApiError)> {
        let mut refused = Vec::new();
        for info in snapshot.cluster.pods().iter() {
            let object = &info.object;
            let key = Key::new(&*object.namespace, &*object.name);
            let own = written.get(&key);
            let pod = match own.map(|it| &it.object) {
                Some(Object::Pod(pod)) => (**pod).clone(),
                _ => expanded(object, self.api()),
            };
            let node = object.node_name.as_deref();
            let was_bound = node.is_some_and(|node| pod_util::node_of(&pod) != node);
            let (place, is_dumped) = (
                own.map_or(end, |it| it.place),
                uid_of(&pod.metadata) == &*object.uid,
            );
            let incoming = Incoming {
                place,
                object: Object::Pod(Arc::new(placed(pod, object))),
                uid: (!is_dumped).then(|| object.uid.to_string()),
            };
            refused.extend(self.bring_in_all(vec![incoming]));
            if was_bound {
                self.tell_placed(&key);
            }
        }
        self.infer_revisions();
        self.api_mut().take_audit_log();
        refused
    }

    /// The names of the Pods that the rounds created never come again, even of those that are gone.
    fn skip_names(&mut self, written: &BTreeMap<Key, &Incoming>, prepared: &Prepared) {
        for pod in &prepared.pods {
            let Some(owner) = &pod.template.controller else {
                continue;
            };
            if !written.contains_key(&Key::new(&*pod.namespace, &*pod.name)) {
                self.api_mut()
                    .skip_name(&owner.kind, &pod.namespace, &owner.name);
            }
        }
    }

    /// The event of the binding, which happened in the rounds.
    fn tell_placed(&mut self, key: &Key) {
        let api = self.api_mut();
        if let Some(pod) = api.store().pods.get(key).cloned() {
            let event = scheduled_event(&pod, pod_util::node_of(&pod));
            api.event(event);
        }
    }

    /// Pods whose last attempt failed wait in unschedulablePods, unless something has happened since that may help
    /// them. After a preemption they stay in activeQ, as do the preemptors: their victims are gone.
    fn hand_back_failed(&mut self, attempts: &[&Attempt]) {
        let last: BTreeMap<&str, usize> = berth_base::sort::gather(
            attempts
                .iter()
                .enumerate()
                .map(|(at, it)| (it.key.as_str(), at)),
        );
        let preempted = attempts.iter().rposition(|attempt| {
            matches!(&attempt.ending, Ending::Unschedulable(it) if it.preemption.is_some())
        });
        let since = preempted.map_or(0, |at| at + 1);
        for (at, attempt) in attempts.iter().enumerate().skip(since) {
            if last.get(attempt.key.as_str()) == Some(&at) {
                self.scheduling_mut().adopt(attempt);
            }
        }
        self.data_plane.carry_out(&mut self.control_plane.api);
    }
}

/// The ReplicaSets that Deployments have in the rounds and that the manifests lack.
fn owners(prepared: &Prepared, others: &[Incoming], end: usize) -> Vec<Incoming> {
    let known: BTreeSet<Key> = others
        .iter()
        .filter(|it| matches!(it.object, Object::ReplicaSet(_)))
        .map(Incoming::key)
        .collect();
    let missing = prepared
        .replica_sets
        .iter()
        .filter(|set| !known.contains(&Key::of(&set.metadata)));
    missing
        .map(|set| {
            let mut set = set.clone();
            let uid = set.metadata.uid.take();
            set.metadata.creation_timestamp = None;
            Incoming {
                place: end,
                object: Object::ReplicaSet(Arc::new(set)),
                uid,
            }
        })
        .collect()
}

/// Claims and volumes that the rounds created or bound replace those of the manifests.
fn replace_volumes(others: &mut Vec<Incoming>, snapshot: &Snapshot, end: usize) {
    let stored = snapshot.cluster.volumes();
    let is_bound = |claim: &PersistentVolumeClaim| {
        let spec = claim.spec.as_ref();
        spec.is_some_and(|spec| spec.volume_name.is_some())
    };
    let has_claim = |volume: &PersistentVolume| {
        let spec = volume.spec.as_ref();
        spec.is_some_and(|spec| spec.claim_ref.is_some())
    };
    let mut taken: BTreeMap<(&str, Key), Object> = BTreeMap::new();
    for claim in stored.claims.values() {
        let object =
            Object::PersistentVolumeClaim(Arc::new(aged_now(claim, |it| &mut it.metadata)));
        taken.insert(("PersistentVolumeClaim", Key::of(&claim.metadata)), object);
    }
    for volume in stored.persistent_volumes.values() {
        let object = Object::PersistentVolume(Arc::new(aged_now(volume, |it| &mut it.metadata)));
        taken.insert(("PersistentVolume", Key::of(&volume.metadata)), object);
    }
    others.retain(|it| {
        let was_bound = match &it.object {
            Object::PersistentVolumeClaim(claim) => is_bound(claim),
            Object::PersistentVolume(volume) => has_claim(volume),
            _ => return true,
        };
        let key = (it.object.kind(), it.key());
        let is_bound = match taken.get(&key) {
            Some(Object::PersistentVolumeClaim(claim)) => is_bound(claim),
            Some(Object::PersistentVolume(volume)) => has_claim(volume),
            _ => false,
        };
        let keeps = was_bound || !is_bound;
        if keeps {
            taken.remove(&key);
        }
        keeps
    });
    others.extend(taken.into_values().map(|object| Incoming {
        place: end,
        object,
        uid: None,
    }));
}

/// ResourceClaims as they are in the rounds, those made from templates included.
fn replace_device_claims(others: &mut Vec<Incoming>, snapshot: &Snapshot, end: usize) {
    let claims = snapshot.cluster.devices().claims();
    let mut taken: BTreeMap<Key, Object> = berth_base::sort::gather(claims.map(|claim| {
        let object = Object::ResourceClaim(Arc::new(aged_now(claim, |it| &mut it.metadata)));
        (Key::of(&claim.metadata), object)
    }));
    for it in others.iter_mut() {
        if matches!(it.object, Object::ResourceClaim(_))
            && let Some(object) = taken.remove(&it.key())
        {
            it.object = object;
        }
    }
    others.extend(taken.into_values().map(|object| Incoming {
        place: end,
        object,
        uid: None,
    }));
}

/// A copy of a prepared object, whose age is only its place in the manifests.
fn aged_now<T: Clone>(object: &Arc<T>, meta: fn(&mut T) -> &mut ObjectMeta) -> T {
    let mut copy = (**object).clone();
    meta(&mut copy).creation_timestamp = None;
    copy
}

/// A Pod that the rounds created for a workload, as its controller would have.
fn expanded(object: &PodObject, api: &ApiServer) -> Pod {
    let template = &object.template;
    let mut labels = template.labels.clone();
    let owner = template.controller.as_ref();
    let namespace = &*object.namespace;
    // By the names of version 0.1 it has another hash, and the controller would replace the Pod.
    if labels.contains_key(REVISION_HASH)
        && let Some(label) = owner.and_then(|it| {
            let key = Key::new(namespace, it.name.as_str());
            revision_label_of(&it.kind, &key, api.store())
        })
    {
        labels.insert(REVISION_HASH.to_owned(), label);
    }
    let is_of_job = owner.is_some_and(|owner| owner.kind == "Job");
    Pod {
        metadata: ObjectMeta {
            name: Some(object.name.to_string()),
            namespace: Some(namespace.to_owned()),
            labels: Some(labels).filter(|labels| !labels.is_empty()),
            annotations: Some(template.annotations.clone()).filter(|all| !all.is_empty()),
            owner_references: owner.map(|owner| vec![reference_to(owner)]),
            finalizers: is_of_job.then(|| vec![FINALIZER.to_owned()]),
            ..ObjectMeta::default()
        },
        spec: Some(template.spec.clone()),
        status: None,
    }
}

/// The Pod with its node and its nomination in the rounds. One that got, lost or changed its node there has no status yet
/// beside the nomination.
fn placed(mut pod: Pod, object: &PodObject) -> Pod {
    let node = object.node_name.as_deref().unwrap_or_default();
    if pod_util::node_of(&pod) != node {
        pod.spec.get_or_insert_default().node_name =
            Some(node.to_owned()).filter(|node| !node.is_empty());
        pod.status = None;
        pod.status.get_or_insert_default().phase = Some("Pending".to_owned());
    }
    if !object.claim_names.is_empty() {
        let names = object
            .claim_names
            .iter()
            .map(|(name, claim)| PodResourceClaimStatus {
                name: name.clone(),
                resource_claim_name: claim.clone(),
            });
        pod.status.get_or_insert_default().resource_claim_statuses = Some(names.collect());
    }
    let nominated = object.nominated_node.as_ref().map(|node| node.to_string());
    let known = pod
        .status
        .as_ref()
        .and_then(|it| it.nominated_node_name.as_ref());
    if known != nominated.as_ref() {
        pod.status.get_or_insert_default().nominated_node_name = nominated;
    }
    pod
}
