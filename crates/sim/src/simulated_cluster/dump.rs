//! Completes a dump: `kubectl get nodes,pods,deployments` prints Pods without their ReplicaSets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};

use crate::server::ms_of;
use crate::store::{Key, Object, name_of, uid_of};
use berth_base::sort;
use berth_core::api::meta::namespace_or_default;
use berth_core::api::workloads::{self, TEMPLATE_HASH};

/// When the dump was made: the latest time in it, in milliseconds since virtual time began. `None` if no object has a
/// time after that.
pub(super) fn made_ms<'a>(objects: impl Iterator<Item = &'a Object>) -> Option<i64> {
    let last = objects.filter_map(|object| {
        let created = object.metadata().creation_timestamp.as_ref();
        created
            .into_iter()
            .chain(condition_times(object))
            .map(ms_of)
            .max()
    });
    last.max().filter(|made| *made > 0)
}

/// The times in the conditions of a node or a Pod.
fn condition_times(object: &Object) -> Vec<&Time> {
    match object {
        Object::Node(node) => {
            let conditions = node
                .status
                .iter()
                .flat_map(|it| it.conditions.iter().flatten());
            let times =
                conditions.flat_map(|it| [&it.last_heartbeat_time, &it.last_transition_time]);
            times.flatten().collect()
        }
        Object::Pod(pod) => {
            let conditions = pod
                .status
                .iter()
                .flat_map(|it| it.conditions.iter().flatten());
            conditions
                .filter_map(|it| it.last_transition_time.as_ref())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The uids of owners that the objects refer to and that are not among them.
pub(super) fn absent_owners<'a>(
    objects: impl Iterator<Item = &'a Object> + Clone,
) -> BTreeSet<String> {
    let there: BTreeSet<&str> = objects.clone().map(|it| uid_of(it.metadata())).collect();
    let owners = objects.flat_map(|it| it.metadata().owner_references.iter().flatten());
    let absent = owners.filter(|owner| !there.contains(owner.uid.as_str()));
    absent.map(|owner| owner.uid.clone()).collect()
}

/// The ReplicaSets between Deployments and their Pods: for each Deployment the one of its current template. Older ones
/// cannot be restored, because a dump does not contain their templates.
pub(super) fn replica_sets<'a>(
    objects: impl Iterator<Item = &'a Object> + Clone,
    absent: &BTreeSet<String>,
) -> Vec<Object> {
    let deployments = objects.clone().filter_map(|object| match object {
        Object::Deployment(deployment) => Some((
            key_of(&deployment.metadata, name_of(&deployment.metadata)),
            &**deployment,
        )),
        _ => None,
    });
    let deployments: BTreeMap<Key, &Deployment> = sort::gather(deployments);
    let mut found: BTreeMap<&str, ReplicaSet> = BTreeMap::new();
    for object in objects {
        if let Object::Pod(pod) = object
            && let Some(owner) = owner_of(pod, absent)
            && !found.contains_key(owner.uid.as_str())
            && let Some(set) = between(&deployments, owner, pod)
        {
            found.insert(&owner.uid, set);
        }
    }
    found
        .into_values()
        .map(|set| Object::ReplicaSet(Arc::new(set)))
        .collect()
}

/// The key of a name beside an object, which is in `default` if it names no namespace.
fn key_of(beside: &ObjectMeta, name: &str) -> Key {
    Key::new(namespace_or_default(beside), name)
}

/// The Pod's ReplicaSet, if it is absent.
fn owner_of<'a>(pod: &'a Pod, absent: &BTreeSet<String>) -> Option<&'a OwnerReference> {
    let mut owners = pod.metadata.owner_references.iter().flatten();
    owners.find(|it| it.kind == "ReplicaSet" && absent.contains(&it.uid))
}

/// The ReplicaSet between the Pod and its Deployment, if the Deployment exists and its template has the Pod's images.
fn between(
    deployments: &BTreeMap<Key, &Deployment>,
    owner: &OwnerReference,
    pod: &Pod,
) -> Option<ReplicaSet> {
    let hash = pod.metadata.labels.as_ref()?.get(TEMPLATE_HASH)?;
    let name = owner.name.strip_suffix(hash.as_str())?.strip_suffix('-')?;
    let deployment = deployments.get(&key_of(&pod.metadata, name))?;
    let spec = deployment.spec.as_ref()?;
    if images(spec.template.spec.as_ref()?) != images(pod.spec.as_ref()?) {
        return None;
    }
    let mut set = workloads::replica_set(deployment, hash, spec.replicas.unwrap_or(1))?;
    let own = &deployment.metadata;
    set.metadata.namespace.clone_from(&own.namespace);
    set.metadata.uid = Some(owner.uid.clone());
    set.metadata.annotations.clone_from(&own.annotations);
    set.metadata
        .creation_timestamp
        .clone_from(&own.creation_timestamp);
    if own.uid.is_none() {
        // The Deployment gets a uid when it is created, and adopts the ReplicaSet.
        set.metadata.owner_references = None;
    }
    Some(set)
}

/// The names and images of a Pod's containers.
pub(super) fn images(spec: &PodSpec) -> Vec<(&str, Option<&str>)> {
    spec.containers
        .iter()
        .map(|it| (it.name.as_str(), it.image.as_deref()))
        .collect()
}
