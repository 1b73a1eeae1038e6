//! Removes from copies of objects what their server set, and what another server would refuse.

use serde_json::{Map, Value};

use super::compact::strip_status;
use super::controllers::volumes::{BIND_COMPLETED, BOUND_BY_CONTROLLER};

/// Fields of `metadata` that the server sets, besides those that [`strip_status`] removes. An apply with a uid is refused,
/// and an object whose owner has another uid is collected as garbage.
const METADATA: [&str; 5] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "ownerReferences",
    "uid",
];
/// Annotations that controllers and the scheduler set.
const ANNOTATIONS: [&str; 7] = [
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    "deployment.kubernetes.io/revision",
    "deprecated.daemonset.template.generation",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volume.kubernetes.io/storage-provisioner",
];
/// The annotation of a volume that a provisioner made.
pub const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// The metadata of templates.
const TEMPLATES: [&str; 3] = [
    "/spec/jobTemplate/metadata",
    "/spec/jobTemplate/spec/template/metadata",
    "/spec/template/metadata",
];
/// Addresses of a Service, which belong to the range of one cluster.
const ADDRESSES: [&str; 3] = ["clusterIP", "clusterIPs", "healthCheckNodePort"];
/// What the scheduler and admission write into the spec of a Pod. Admission refuses a priority that is not that of the
/// class.
const OF_POD: [&str; 4] = ["nodeName", "preemptionPolicy", "priority", "serviceAccount"];

/// Whether an object came from a cluster: it has a uid.
pub fn is_dumped(object: &Value) -> bool {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.is_some_and(|uid| !uid.is_empty())
}

/// Removes what only the cluster writes, as [`strip_status`] does, and what keeps a copy from being created or bound as
/// its original is. The uid stays, by which copies find their owners.
pub fn make_restorable(object: &mut Value) {
    strip_status(object);
    match object.get("kind").and_then(Value::as_str) {
        Some("Service") => forget_addresses(object),
        // With the uid of the original, a volume is taken for released, and a claim with a complete binding for lost.
        Some("PersistentVolume") => forget_claim(object),
        Some("PersistentVolumeClaim") => remove_annotations(object, &[BIND_COMPLETED]),
        Some("Job") => keep_selector(object),
        _ => {}
    }
}

/// Removes all that the server set, so that another one sets it.
pub fn forget_server(object: &mut Value) {
    make_restorable(object);
    if let Some(metadata) = fields(object, "/metadata") {
        METADATA.iter().for_each(|field| {
            metadata.shift_remove(*field);
        });
    }
    remove_annotations(object, &ANNOTATIONS);
    // An older server wrote `null`.
    for template in TEMPLATES {
        remove(object, template, &["creationTimestamp"]);
    }
    let kind = object.get("kind").and_then(Value::as_str);
    match kind.unwrap_or_default() {
        // Kubelets report it; only a cluster without them takes it from a manifest.
        "Node" => return,
        "Pod" => remove(object, "/spec", &OF_POD),
        "Namespace" => remove(object, "/spec", &["finalizers"]),
        "Job" => forget_selector(object),
        _ => {}
    }
    if let Some(fields) = object.as_object_mut() {
        fields.shift_remove("status");
        if fields
            .get("spec")
            .and_then(Value::as_object)
            .is_some_and(Map::is_empty)
        {
            fields.shift_remove("spec");
        }
    }
}

/// Forgets the addresses of a Service, unless it is headless.
fn forget_addresses(service: &mut Value) {
    let Some(spec) = fields(service, "/spec") else {
        return;
    };
    if spec.get("clusterIP").and_then(Value::as_str) != Some("None") {
        ADDRESSES.iter().for_each(|field| {
            spec.shift_remove(*field);
        });
    }
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
        port.shift_remove("nodePort");
    }
}

/// Reserves a volume for its claim by name.
fn forget_claim(volume: &mut Value) {
    remove(volume, "/spec/claimRef", &["resourceVersion", "uid"]);
    remove_annotations(volume, &[BOUND_BY_CONTROLLER]);
}

/// Tells the server not to generate another selector than the one that it generated before.
fn keep_selector(job: &mut Value) {
    if let Some(spec) = fields(job, "/spec")
        && spec.contains_key("selector")
    {
        spec.insert("manualSelector".to_owned(), true.into());
    }
}

/// Removes a selector that the server generated, with its labels.
fn forget_selector(job: &mut Value) {
    const LABELS: [&str; 4] = [
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-name",
        "controller-uid",
        "job-name",
    ];
    let selector = job
        .pointer("/spec/selector/matchLabels")
        .and_then(Value::as_object);
    let is_generated =
        selector.is_some_and(|labels| labels.keys().any(|label| label.ends_with("controller-uid")));
    if !is_generated {
        return;
    }
    remove(job, "/spec", &["manualSelector", "selector"]);
    for labels in ["/metadata", "/spec/template/metadata"] {
        remove(job, &format!("{labels}/labels"), &LABELS);
    }
}

fn remove_annotations(object: &mut Value, annotations: &[&str]) {
    remove(object, "/metadata/annotations", annotations);
    if let Some(metadata) = fields(object, "/metadata")
        && metadata
            .get("annotations")
            .and_then(Value::as_object)
            .is_some_and(Map::is_empty)
    {
        metadata.shift_remove("annotations");
    }
}

fn remove(object: &mut Value, pointer: &str, names: &[&str]) {
    if let Some(fields) = fields(object, pointer) {
        names.iter().for_each(|name| {
            fields.shift_remove(*name);
        });
    }
}

fn fields<'v>(object: &'v mut Value, pointer: &str) -> Option<&'v mut Map<String, Value>> {
    object.pointer_mut(pointer).and_then(Value::as_object_mut)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bound_volume_waits_for_its_claim_by_name() {
        let mut volume = json!({"kind": "PersistentVolume", "metadata": {"name": "v", "uid": "u", "annotations": {BOUND_BY_CONTROLLER: "yes"}},
            "spec": {"claimRef": {"namespace": "a", "name": "c", "uid": "u2", "resourceVersion": "7"}}});
        make_restorable(&mut volume);
        let want = json!({"kind": "PersistentVolume", "metadata": {"name": "v", "uid": "u"},
            "spec": {"claimRef": {"namespace": "a", "name": "c"}}});
        assert_eq!(volume, want);
    }

    #[test]
    fn a_job_keeps_its_selector_or_gets_a_new_one() {
        let labels =
            json!({"batch.kubernetes.io/controller-uid": "u", "batch.kubernetes.io/job-name": "j"});
        let job = json!({"kind": "Job", "metadata": {"name": "j", "uid": "u"},
            "spec": {"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}},
                "template": {"metadata": {"labels": labels}}}});
        let mut restored = job.clone();
        make_restorable(&mut restored);
        assert_eq!(restored["spec"]["manualSelector"], true);
        assert_eq!(restored["spec"]["selector"], job["spec"]["selector"]);
        let mut applied = job;
        forget_server(&mut applied);
        let want = json!({"kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"metadata": {"labels": {}}}}});
        assert_eq!(applied, want);
    }

    #[test]
    fn a_headless_service_stays_headless() {
        let service = |ip: &str| json!({"kind": "Service", "spec": {"clusterIP": ip, "ports": [{"port": 80, "nodePort": 30080}]}});
        let mut plain = service("10.96.0.12");
        make_restorable(&mut plain);
        assert_eq!(
            plain,
            json!({"kind": "Service", "spec": {"ports": [{"port": 80}]}})
        );
        let mut headless = service("None");
        make_restorable(&mut headless);
        assert_eq!(headless["spec"]["clusterIP"], "None");
    }

    #[test]
    fn another_scheduler_places_the_pod() {
        let mut pod = json!({"kind": "Pod", "metadata": {"name": "p", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "n", "priority": 0, "containers": []}, "status": {"phase": "Running"}});
        assert!(is_dumped(&pod));
        forget_server(&mut pod);
        assert_eq!(
            pod,
            json!({"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}})
        );
        assert!(!is_dumped(&pod));
    }
}
