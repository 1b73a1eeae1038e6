//! Deployments: a ReplicaSet named by the hash of the template, and its Pods.

use std::collections::BTreeMap;

use k8s_openapi::Resource;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, ReplicaSet};

use crate::api::prepared::{ControllerRef, DocumentIndex};
use crate::api::workloads::{self, TEMPLATE_HASH};
use berth_scheduler::selector;

use super::super::meta::{controller_of, made_uid, namespace_of, settle};
use super::{Controllers, Owner, replicas_or_one};

/// The ReplicaSet that dumped Pods name as their owner.
struct KnownSet {
    uid: String,
    hash: String,
}

impl KnownSet {
    fn reference(&self, owner: &Owner) -> ControllerRef {
        ControllerRef {
            api_version: ReplicaSet::API_VERSION.to_owned(),
            kind: ReplicaSet::KIND.to_owned(),
            name: format!("{}-{}", owner.reference.name, self.hash),
            uid: self.uid.clone(),
        }
    }
}

impl Controllers<'_> {
    /// Creates the ReplicaSet of a Deployment and its Pods.
    ///
    /// ReplicaSets in the dump create their Pods themselves. If a dump has the Pods but not the
    /// ReplicaSets, the Pods' owner is recreated under its name.
    pub(super) fn sync_deployment(&mut self, deployment: &Deployment, document: DocumentIndex) {
        let Some(spec) = &deployment.spec else { return };
        let owner = Owner::new(deployment, document);
        if self
            .prepared
            .replica_sets
            .iter()
            .any(|set| is_owned(set, &owner))
        {
            return;
        }
        let known = self.sets_of_dumped_pods(spec, &owner);
        let active: usize = known.values().map(|(_, active)| *active).sum();
        let known = known
            .into_values()
            .max_by_key(|(_, active)| *active)
            .map_or_else(|| self.new_set(deployment, spec, &owner), |(set, _)| set);
        // Pods of older ReplicaSets count: a rollout replaces them later instead of adding to them.
        let newest_wants = replicas_or_one(spec.replicas).saturating_sub(active);
        let reference = known.reference(&owner);
        let present = self.owned.of(&owner.namespace, &reference);
        let present = present.iter().filter(|pod| pod.is_active()).count();
        let replicas = present.saturating_add(newest_wants);
        let Some(set) = replica_set(deployment, known, replicas, document) else {
            return;
        };
        self.sync_replica_set(&set, document);
        // It was inferred from its Pods, if they are in the input.
        let sets = &mut self.prepared.replica_sets;
        let same = |it: &&mut ReplicaSet| {
            it.metadata.name == set.metadata.name && it.metadata.namespace == set.metadata.namespace
        };
        match sets.iter_mut().find(same) {
            Some(inferred) => *inferred = set,
            None => sets.push(set),
        }
    }

    fn new_set(&self, deployment: &Deployment, spec: &DeploymentSpec, owner: &Owner) -> KnownSet {
        let status = deployment.status.as_ref();
        let hash = self.template_hash(&spec.template, status.and_then(|it| it.collision_count));
        let name = format!("{}-{hash}", owner.reference.name);
        KnownSet {
            uid: made_uid(ReplicaSet::KIND, &owner.namespace, &name),
            hash,
        }
    }

    /// The ReplicaSets that are absent from the input but own Pods of this Deployment, by name, with
    /// the number of their active Pods.
    fn sets_of_dumped_pods(
        &self,
        spec: &DeploymentSpec,
        owner: &Owner,
    ) -> BTreeMap<String, (KnownSet, usize)> {
        let mut sets: BTreeMap<String, (KnownSet, usize)> = BTreeMap::new();
        for (name, pod) in self.owned.of_kind(&owner.namespace, "ReplicaSet") {
            let Some(hash) = pod.labels.get(TEMPLATE_HASH) else {
                continue;
            };
            if name != format!("{}-{hash}", owner.reference.name)
                || !selector::matches(&spec.selector, &pod.labels)
            {
                continue;
            }
            let (_, active) = sets.entry(name.to_owned()).or_insert_with(|| {
                let (uid, hash) = (pod.owner_uid.clone(), hash.clone());
                (KnownSet { uid, hash }, 0)
            });
            *active += usize::from(pod.is_active());
        }
        sets
    }

    /// Scales the newest ReplicaSet of a dumped Deployment that was scaled up after the dump.
    ///
    /// Runs before Pods are created, since the ReplicaSets may come first in the input.
    pub(super) fn scale_known_sets(&mut self, deployment: &Deployment) {
        let Some(spec) = &deployment.spec else { return };
        let owner = Owner::new(deployment, 0);
        let wanted = replicas_or_one(spec.replicas);
        let sets = &mut self.prepared.replica_sets;
        let replicas =
            |set: &ReplicaSet| replicas_or_one(set.spec.as_ref().and_then(|spec| spec.replicas));
        let present: usize = sets
            .iter()
            .filter(|set| is_owned(set, &owner))
            .map(replicas)
            .fold(0, usize::saturating_add);
        let newest = sets
            .iter_mut()
            .filter(|set| is_owned(set, &owner))
            .max_by_key(|set| revision(set));
        if let Some(set) = newest
            && wanted > present
        {
            let raised = replicas(set).saturating_add(wanted - present);
            set.spec.get_or_insert_default().replicas = i32::try_from(raised).ok();
        }
    }
}

fn is_owned(set: &ReplicaSet, owner: &Owner) -> bool {
    let ControllerRef {
        kind, name, uid, ..
    } = &owner.reference;
    // All sets are compared with each Deployment, so the uid, which is a hash, comes last.
    let by_name = || *uid == made_uid(kind, &owner.namespace, name);
    namespace_of(&set.metadata) == &*owner.namespace
        && controller_of(&set.metadata)
            .is_some_and(|of| of.kind == *kind && of.name == *name && (of.uid == *uid || by_name()))
}

/// The revision of the rollout that created the ReplicaSet.
fn revision(set: &ReplicaSet) -> u64 {
    let annotations = set.metadata.annotations.as_ref();
    let revision = annotations.and_then(|all| all.get("deployment.kubernetes.io/revision"));
    revision.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The ReplicaSet of a Deployment in the manifests, under the identity that is known of it.
fn replica_set(
    deployment: &Deployment,
    known: KnownSet,
    replicas: usize,
    document: DocumentIndex,
) -> Option<ReplicaSet> {
    let replicas = i32::try_from(replicas).unwrap_or(i32::MAX);
    let mut set = workloads::replica_set(deployment, &known.hash, replicas)?;
    set.metadata.uid = Some(known.uid);
    settle(&mut set.metadata, ReplicaSet::KIND, true, document);
    Some(set)
}
