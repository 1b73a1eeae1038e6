//! What may not change once an object exists (Kubernetes v1.34 `Validate…Update`).
//!
//! Objects are compared as JSON, as they are stored. Covered is what people change with kubectl.

use serde_json::Value;

use super::Errors;
use super::field::{FieldError, Path};

const POD: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const STATEFUL_SET: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const CLAIM: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/// Everything for which the API server would refuse a change.
pub fn validate_update(kind: &str, before: &Value, after: &Value) -> Vec<FieldError> {
    let mut errors = Errors::new();
    let e = &mut errors;
    match kind {
        "Deployment" | "ReplicaSet" | "DaemonSet" => immutable("spec.selector", before, after, e),
        "StatefulSet" => {
            let free = [
                "replicas",
                "ordinals",
                "template",
                "updateStrategy",
                "revisionHistoryLimit",
                "persistentVolumeClaimRetentionPolicy",
                "minReadySeconds",
            ];
            fixed_spec(STATEFUL_SET, before, after, &free, e);
        }
        "Job" => {
            immutable("spec.selector", before, after, e);
            // A Job that is suspended and never started may still be placed otherwise.
            let started = before.pointer("/status/startTime").is_some();
            let suspended = before.pointer("/spec/suspend") == Some(&Value::Bool(true));
            if started || !suspended {
                immutable("spec.template", before, after, e);
            }
            immutable("spec.completionMode", before, after, e);
            if before
                .pointer("/spec/completionMode")
                .is_none_or(|mode| mode != "Indexed")
            {
                immutable("spec.completions", before, after, e);
            }
        }
        "Pod" => pod(before, after, e),
        "PersistentVolumeClaim" => {
            fixed_spec(
                CLAIM,
                before,
                after,
                &["resources", "volumeAttributesClassName", "volumeName"],
                e,
            );
        }
        "PriorityClass" => {
            if before.get("value") != after.get("value") {
                let path = Path::root().child("value");
                e.push(FieldError::forbidden(
                    &path,
                    "may not be changed in an update.",
                ));
            }
            immutable("preemptionPolicy", before, after, e);
        }
        "StorageClass" => {
            for field in ["parameters", "provisioner", "reclaimPolicy"] {
                if before.get(field) != after.get(field) {
                    let path = Path::root().child(field);
                    let why = format!("updates to {field} are forbidden.");
                    e.push(FieldError::forbidden(&path, &why));
                }
            }
            immutable("volumeBindingMode", before, after, e);
        }
        _ => {}
    }
    errors
}

fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(object, |value, part| {
        value.get(part).unwrap_or(&Value::Null)
    })
}

fn immutable(path: &str, before: &Value, after: &Value, errors: &mut Errors) {
    let (before, now) = (at(before, path), at(after, path));
    if before != now && !before.is_null() {
        let mut field = Path::root();
        for part in path.split('.') {
            field = field.child(part);
        }
        errors.push(FieldError::invalid(
            &field,
            now.clone(),
            "field is immutable",
        ));
    }
}

/// A spec of which only some fields may change.
fn fixed_spec(why: &str, before: &Value, after: &Value, free: &[&str], errors: &mut Errors) {
    let fixed = |object: &Value| {
        let mut spec = at(object, "spec").clone();
        if let Some(spec) = spec.as_object_mut() {
            spec.retain(|key, _| !free.contains(&key.as_str()));
        }
        spec
    };
    if fixed(before) != fixed(after) {
        let path = Path::root().child("spec");
        errors.push(FieldError::forbidden(&path, why));
    }
}

fn pod(before: &Value, after: &Value, errors: &mut Errors) {
    let gates = |object: &Value| {
        let gates = object.pointer("/spec/schedulingGates");
        gates.and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let gated = !gates(before).is_empty();
    if gates(after)
        .iter()
        .any(|gate| !gates(before).contains(gate))
    {
        let path = Path::root().child("spec").child("schedulingGates");
        let why = "only deletion is allowed, but found new scheduling gate";
        errors.push(FieldError::forbidden(&path, why));
        return;
    }
    let tolerations = |object: &Value| {
        let all = object
            .pointer("/spec/tolerations")
            .and_then(Value::as_array);
        all.cloned().unwrap_or_default()
    };
    let now = tolerations(after);
    let kept = tolerations(before)
        .iter()
        .all(|toleration| now.contains(toleration));
    let fixed = |object: &Value| {
        let mut spec = at(object, "spec").clone();
        if let Some(spec) = spec.as_object_mut() {
            for list in ["containers", "initContainers"] {
                let containers = spec.get_mut(list).and_then(Value::as_array_mut);
                for container in containers.into_iter().flatten() {
                    if let Some(container) = container.as_object_mut() {
                        container.shift_remove("image");
                    }
                }
            }
            spec.retain(|key, _| {
                let is_free = match key.as_str() {
                    "activeDeadlineSeconds" | "schedulingGates" | "tolerations" => true,
                    "nodeSelector" | "affinity" => gated,
                    _ => false,
                };
                !is_free
            });
        }
        spec
    };
    if !kept || fixed(before) != fixed(after) {
        let path = Path::root().child("spec");
        errors.push(FieldError::forbidden(&path, POD));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_may_not_change_is_refused() {
        let told = |kind: &str, before: Value, after: Value| -> Vec<String> {
            let errors = validate_update(kind, &before, &after);
            errors.iter().map(ToString::to_string).collect()
        };
        let selector = |app: &str| json!({"spec": {"selector": {"matchLabels": {"app": app}}}});
        assert_eq!(
            told("Deployment", selector("a"), selector("b")),
            ["spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"b\"}}: field is immutable"]
        );
        let pod = |image: &str, cpu: &str, tolerations: Value| {
            json!({"spec": {
                "containers": [{"image": image, "resources": {"requests": {"cpu": cpu}}}],
                "tolerations": tolerations,
            }})
        };
        let old = pod("a", "1", json!([{"key": "x"}]));
        let more = json!([{"key": "x"}, {"key": "y"}]);
        assert!(told("Pod", old.clone(), pod("b", "1", more)).is_empty());
        assert_eq!(
            told("Pod", old.clone(), pod("a", "2", json!([{"key": "x"}]))).len(),
            1
        );
        assert_eq!(told("Pod", old, pod("a", "1", json!([]))).len(), 1);
        let set = |replicas: i32, service: &str| json!({"spec": {"replicas": replicas, "serviceName": service}});
        assert!(told("StatefulSet", set(1, "s"), set(2, "s")).is_empty());
        assert_eq!(told("StatefulSet", set(1, "s"), set(1, "t")).len(), 1);
    }
}
