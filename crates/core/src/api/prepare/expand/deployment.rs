//! Deployments: a ReplicaSet named by the hash of the template, and its Pods.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::prepared::{ControllerRef, DocumentIndex};
use berth_scheduler::selector;

use super::super::meta::{controller_of, made_uid, namespace_of, settle};
use super::super::random::template_hash;
use super::{Controllers, Owner, owner_reference, replicas_or_one};

/// Label with the template hash, on ReplicaSets of Deployments and their Pods.
const TEMPLATE_HASH: &str = "pod-template-hash";

/// The ReplicaSet that dumped Pods name as their owner.
struct KnownSet {
    name: String,
    uid: String,
    hash: String,
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
            .map_or_else(|| new_set(spec, &owner), |(set, _)| set);
        // Pods of older ReplicaSets count: a rollout replaces them later instead of adding to them.
        let newest_wants = replicas_or_one(spec.replicas).saturating_sub(active);
        let set = replica_set(spec, &owner, &known);
        let its_own = Owner::new(&set, document);
        let present = self
            .owned
            .of(&owner.namespace, &its_own.reference)
            .iter()
            .filter(|pod| pod.is_active())
            .count();
        let set = with_replicas(set, present.saturating_add(newest_wants));
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
                let (name, uid) = (name.to_owned(), pod.owner_uid.clone());
                (
                    KnownSet {
                        name,
                        uid,
                        hash: hash.clone(),
                    },
                    0,
                )
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
    let by_name = *uid == made_uid(kind, &owner.namespace, name);
    namespace_of(&set.metadata) == &*owner.namespace
        && controller_of(&set.metadata)
            .is_some_and(|of| of.kind == *kind && of.name == *name && (by_name || of.uid == *uid))
}

/// The revision of the rollout that created the ReplicaSet.
fn revision(set: &ReplicaSet) -> u64 {
    let annotations = set.metadata.annotations.as_ref();
    let revision = annotations.and_then(|all| all.get("deployment.kubernetes.io/revision"));
    revision.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn new_set(spec: &DeploymentSpec, owner: &Owner) -> KnownSet {
    let hash = template_hash(&spec.template);
    let name = format!("{}-{hash}", owner.reference.name);
    KnownSet {
        uid: made_uid("ReplicaSet", &owner.namespace, &name),
        name,
        hash,
    }
}

/// A ReplicaSet with the Deployment's template and selector, extended by the template hash.
fn replica_set(spec: &DeploymentSpec, owner: &Owner, known: &KnownSet) -> ReplicaSet {
    let mark = |labels: &mut Option<BTreeMap<String, String>>| {
        labels
            .get_or_insert_default()
            .insert(TEMPLATE_HASH.to_owned(), known.hash.clone());
    };
    let mut template = spec.template.clone();
    mark(&mut template.metadata.get_or_insert_default().labels);
    let mut selector = spec.selector.clone();
    mark(&mut selector.match_labels);
    let mut metadata = ObjectMeta {
        name: Some(known.name.clone()),
        namespace: Some(owner.namespace.to_string()),
        uid: Some(known.uid.clone()),
        labels: template
            .metadata
            .as_ref()
            .and_then(|meta| meta.labels.clone()),
        owner_references: Some(vec![owner_reference(&owner.reference)]),
        ..ObjectMeta::default()
    };
    settle(&mut metadata, "ReplicaSet", true, owner.document);
    ReplicaSet {
        metadata,
        spec: Some(ReplicaSetSpec {
            min_ready_seconds: spec.min_ready_seconds,
            replicas: None,
            selector,
            template: Some(template),
        }),
        status: None,
    }
}

fn with_replicas(mut set: ReplicaSet, replicas: usize) -> ReplicaSet {
    set.spec.get_or_insert_default().replicas = Some(i32::try_from(replicas).unwrap_or(i32::MAX));
    set
}
