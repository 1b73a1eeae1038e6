//! The workload that a Pod belongs to, in words.

use berth_core::api::prepared::PodObject;
use berth_protocol::what_if::Workload;
use berth_scheduler::cluster::pod::PodInfo;
use k8s_openapi::api::core::v1::Affinity;

/// The workload with the Pod's template; Pods of a Deployment name its ReplicaSet. A Pod without a controller is its own.
pub fn of(pod: &PodInfo) -> Workload {
    of_object(&pod.object)
}

/// The same of a Pod by itself.
pub fn of_object(object: &PodObject) -> Workload {
    let controller = object.template.controller.as_ref();
    let owner = controller.map(|it| (it.kind.as_str(), it.name.as_str()));
    let hash = object.template.labels.get("pod-template-hash");
    of_owner(
        &object.namespace,
        &object.name,
        owner,
        hash.map(String::as_str),
    )
}

/// The same by namespace, name, kind and name of the controller, and `pod-template-hash`.
pub fn of_owner(
    namespace: &str,
    name: &str,
    owner: Option<(&str, &str)>,
    hash: Option<&str>,
) -> Workload {
    let deployment = owner
        .filter(|(kind, _)| *kind == "ReplicaSet")
        .zip(hash)
        .and_then(|((_, owner), hash)| owner.strip_suffix(hash)?.strip_suffix('-'));
    let (kind, name) = match (deployment, owner) {
        (Some(name), _) => ("Deployment", name),
        (None, Some(owner)) => owner,
        (None, None) => ("Pod", name),
    };
    Workload {
        namespace: namespace.to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    }
}

/// The node that a DaemonSet's controller made a Pod for: the name in the first required field of its node affinity.
pub fn pinned(affinity: &Affinity) -> Option<String> {
    let node = affinity.node_affinity.as_ref()?;
    let required = node
        .required_during_scheduling_ignored_during_execution
        .as_ref()?;
    let mut fields = required
        .node_selector_terms
        .iter()
        .flat_map(|term| term.match_fields.iter().flatten());
    let name = fields.find(|field| field.key == "metadata.name")?;
    name.values.as_ref()?.first().cloned()
}

/// `Deployment shop/web`.
pub fn named(pod: &PodInfo) -> String {
    of(pod).to_string()
}
