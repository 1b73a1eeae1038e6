//! The workload that a Pod belongs to, in words.

use berth_protocol::what_if::Workload;
use berth_scheduler::cluster::pod::PodInfo;

/// The workload with the Pod's template; Pods of a Deployment name its ReplicaSet. A Pod without a controller is its own.
pub fn of(pod: &PodInfo) -> Workload {
    let object = &pod.object;
    let controller = object.template.controller.as_ref();
    let hash = object.template.labels.get("pod-template-hash");
    let deployment = controller
        .filter(|it| it.kind == "ReplicaSet")
        .zip(hash)
        .and_then(|(controller, hash)| {
            let name = controller.name.strip_suffix(hash.as_str())?;
            name.strip_suffix('-')
        });
    let (kind, name) = match (deployment, controller) {
        (Some(name), _) => ("Deployment", name),
        (None, Some(controller)) => (controller.kind.as_str(), controller.name.as_str()),
        (None, None) => ("Pod", &*object.name),
    };
    Workload {
        namespace: object.namespace.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    }
}

/// `Deployment shop/web`.
pub fn named(pod: &PodInfo) -> String {
    of(pod).to_string()
}
