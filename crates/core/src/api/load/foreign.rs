//! Documents that are no objects of a cluster, or objects whose Pods Berth does not make.

use berth_protocol::remark::Remark;
use serde_json::{Map, Value};

use crate::api::decode::Finding;
use crate::api::kinds::dump_command;

/// Lists of a `kustomization.yaml`, which need not name its kind.
const OF_KUSTOMIZATION: [&str; 8] = [
    "bases",
    "configMapGenerator",
    "helmCharts",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "resources",
    "secretGenerator",
];

/// Keys of the `values.yaml` that `helm create` writes.
const OF_VALUES: [&str; 10] = [
    "affinity",
    "autoscaling",
    "fullnameOverride",
    "image",
    "imagePullSecrets",
    "ingress",
    "nameOverride",
    "podAnnotations",
    "replicaCount",
    "serviceAccount",
];

/// Maximum depth at which Pod templates are looked for.
const MAX_DEPTH: usize = 12;

/// What a document is if it is the input of another tool.
#[inline(never)]
pub(super) fn recognized(
    api_version: &str,
    kind: &str,
    map: &Map<String, Value>,
    file: &str,
) -> Option<Finding> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let has_some = |keys: &[&str], count: usize| {
        let found = keys.iter().filter(|key| map.contains_key(**key));
        found.take(count).count() == count
    };
    let is_untyped = kind.is_empty() && !map.contains_key("kind");
    let group = api_version.split('/').next().unwrap_or_default();
    let is_named = matches!(
        name,
        "kustomization.yaml" | "kustomization.yml" | "Kustomization"
    );
    let lists = |key: &&str| map.get(*key).is_some_and(Value::is_array);
    let builds = is_named || OF_KUSTOMIZATION.iter().any(lists) && !has_some(&OF_VALUES, 1);
    if group == "kustomize.config.k8s.io" || is_untyped && builds {
        return Some(
            Finding::warning("", Remark::kustomization()).help(Remark::build_kustomization()),
        );
    }
    if api_version == "v1" && kind == "Config" && has_some(&["clusters", "contexts", "users"], 2) {
        return Some(
            Finding::error("", Remark::kubeconfig()).help(Remark::not_kubeconfig(dump_command())),
        );
    }
    let is_chart = matches!(api_version, "v1" | "v2") && has_some(&["name", "version"], 2);
    let is_values = api_version.is_empty()
        && (name.starts_with("values") && name.contains(".y") || has_some(&OF_VALUES, 2));
    (is_untyped && (is_chart || is_values))
        .then(|| Finding::error("", "Object 'Kind' is missing").help(Remark::render_chart()))
}

/// Whether a document is a list of operations of a JSON patch.
pub(super) fn is_json_patch(value: &Value) -> bool {
    let is_operation =
        |item: &Value| item.get("op").is_some_and(Value::is_string) && item.get("path").is_some();
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    !items.is_empty() && items.iter().all(is_operation)
}

/// Whether an object of a kind that Berth does not read has a Pod template, in which case its controller makes Pods.
#[inline(never)]
pub(super) fn has_pod_template(object: &Map<String, Value>) -> bool {
    object.get("spec").is_some_and(|spec| is_above(spec, 0))
}

fn is_above(value: &Value, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match value {
        Value::Array(items) => items.iter().any(|item| is_above(item, depth + 1)),
        Value::Object(map) => {
            let containers = map.get("spec").and_then(|spec| spec.get("containers"));
            let is_template = containers
                .and_then(Value::as_array)
                .is_some_and(|all| all.iter().any(Value::is_object));
            is_template || map.values().any(|value| is_above(value, depth + 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{has_pod_template, is_json_patch};

    #[test]
    fn templates_are_found_wherever_they_are() {
        let pod = json!({"spec": {"containers": [{"name": "c", "image": "i"}]}});
        for spec in [
            json!({"template": pod}),
            json!({"tasks": [{"replicas": 2, "template": pod}]}),
            json!({"pytorchReplicaSpecs": {"Worker": {"template": pod}}}),
        ] {
            let object = json!({"spec": spec});
            assert!(has_pod_template(object.as_object().unwrap()), "{object}");
        }
        // A schema of such a field, and Karpenter's NodePool, whose template is a node's.
        for spec in [
            json!({"versions": [{"schema": {"properties": {"spec": {"properties": {"containers": {"type": "array"}}}}}}]}),
            json!({"template": {"spec": {"requirements": [{"key": "arch"}]}}}),
        ] {
            let object = json!({"spec": spec});
            assert!(!has_pod_template(object.as_object().unwrap()), "{object}");
        }
    }

    #[test]
    fn a_json_patch_is_a_list_of_operations() {
        assert!(is_json_patch(
            &json!([{"op": "replace", "path": "/spec/replicas", "value": 3}])
        ));
        assert!(!is_json_patch(&json!([])));
        assert!(!is_json_patch(&json!([{"kind": "Pod"}])));
    }
}
