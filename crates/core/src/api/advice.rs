//! Warnings about objects that the API server accepts, as it sends them to clients (`pkg/api/pod/warnings.go`, v1.34),
//! and about Berth's annotations that have no effect.

mod objects;
mod pods;

use serde_json::Value;

use super::kinds::Kind;
use berth_scheduler::release::Release;

/// Deprecated labels of nodes, when they were deprecated, and what replaces them (`pkg/api/node/util.go`).
const DEPRECATED: [(&str, &str, &str); 5] = [
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    (
        "beta.kubernetes.io/instance-type",
        "v1.17",
        "node.kubernetes.io/instance-type",
    ),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "v1.17",
        "topology.kubernetes.io/region",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "v1.17",
        "topology.kubernetes.io/zone",
    ),
];

/// The prefix of the annotations that describe a simulated process.
const OWN: &str = "berth.dev/";

/// What a request does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Created,
    Changed,
    /// It leaves the object as it is.
    Same,
}

/// The API server's warnings about an object, without `Warning: `; about a new one, its name as well.
pub fn warnings(object: &Value, written: Written, release: &Release) -> Vec<String> {
    let mut found = Vec::new();
    let kind = object.get("kind").and_then(Value::as_str);
    let Some(kind) = kind.and_then(Kind::of_name).map(Kind::info) else {
        return found;
    };
    if written == Written::Created {
        objects::name(kind.kind, object, &mut found);
    }
    objects::of_kind(kind.kind, object, written, release, &mut found);
    let Some(path) = kind.in_template("") else {
        return found;
    };
    let pointer = format!("/{path}").replace('.', "/");
    if let Some(spec) = object.pointer(&format!("{pointer}spec")) {
        of_pods(spec, &path, &mut found);
    }
    found
}

/// Warnings about the spec of a Pod or a template, in the API server's order.
fn of_pods(spec: &Value, path: &str, found: &mut Vec<String>) {
    let selected = spec.get("nodeSelector").and_then(Value::as_object);
    for key in selected.into_iter().flatten().map(|(key, _)| key) {
        if let Some(why) = deprecated(key) {
            found.push(format!("{path}spec.nodeSelector[{key}]: {why}"));
        }
    }
    affinity(spec, path, found);
    let spread = spec
        .get("topologySpreadConstraints")
        .and_then(Value::as_array);
    for (index, constraint) in spread.into_iter().flatten().enumerate() {
        let key = constraint.get("topologyKey").and_then(Value::as_str);
        let key = key.unwrap_or_default();
        let at = format!("{path}spec.topologySpreadConstraints[{index}]");
        if let Some(why) = deprecated(key) {
            found.push(format!("{at}.topologyKey: {key} is {why}"));
        }
        if constraint.get("labelSelector").is_none_or(Value::is_null) {
            found.push(format!(
                "{at}.labelSelector: a null labelSelector results in matching no pod"
            ));
        }
    }
    pods::volumes(spec, path, found);
    pods::repeated(spec, path, found);
    pods::containers(spec, path, found);
    pods::ports(spec, path, found);
    pods::closing(spec, path, found);
}

/// Deprecated labels in node affinity.
fn affinity(spec: &Value, path: &str, found: &mut Vec<String>) {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    let list = |pointer: &str| {
        let node = spec.pointer("/affinity/nodeAffinity");
        let list = node.and_then(|node| node.pointer(pointer)?.as_array());
        list.into_iter().flatten().enumerate()
    };
    let terms = list(&format!("/{required}/nodeSelectorTerms"))
        .map(|(index, term)| (format!("{required}.nodeSelectorTerms[{index}]"), Some(term)));
    let preferences = list(&format!("/{preferred}")).map(|(index, term)| {
        (
            format!("{preferred}[{index}].preference"),
            term.get("preference"),
        )
    });
    for (place, term) in terms.chain(preferences) {
        let expressions = term.and_then(|term| term.get("matchExpressions")?.as_array());
        for (index, expression) in expressions.into_iter().flatten().enumerate() {
            let key = expression.get("key").and_then(Value::as_str);
            let key = key.unwrap_or_default();
            let at = format!("{path}spec.affinity.nodeAffinity.{place}.matchExpressions[{index}]");
            if let Some(why) = deprecated(key) {
                found.push(format!("{at}.key: {key} is {why}"));
            }
            if place.starts_with(preferred) {
                pods::values(expression, &at, found);
            }
        }
    }
}

fn deprecated(label: &str) -> Option<String> {
    let (_, since, instead) = DEPRECATED.iter().find(|(own, ..)| *own == label)?;
    Some(format!("deprecated since {since}; use {instead:?} instead"))
}

/// The first of Berth's annotations of an object that has an effect only in its Pod template.
pub fn misplaced(object: &Value) -> Option<&str> {
    let kind = object.get("kind").and_then(Value::as_str);
    let template = Kind::of_name(kind?)?.info().template?;
    let annotations = object.pointer("/metadata/annotations")?.as_object()?;
    let mut keys = annotations.keys().map(String::as_str);
    keys.find(|key| !template.is_empty() && key.starts_with(OWN))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deprecated_labels_are_named_with_their_places() {
        let terms =
            json!([{"matchExpressions": [{"key": "failure-domain.beta.kubernetes.io/zone"}]}]);
        let pod = json!({
            "nodeSelector": {"beta.kubernetes.io/arch": "amd64", "disk": "ssd"},
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}},
            "topologySpreadConstraints": [{"topologyKey": "failure-domain.beta.kubernetes.io/region", "labelSelector": {}}],
        });
        let warnings = |object: &Value| warnings(object, Written::Changed, &Release::default());
        let one = json!({"kind": "Pod", "spec": pod});
        assert_eq!(
            warnings(&one),
            [
                "spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use \"kubernetes.io/arch\" instead",
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
                "spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/region is deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
            ]
        );
        let many = json!({"kind": "Deployment", "spec": {"template": {"spec": pod}}});
        let first = warnings(&many).remove(0);
        assert!(first.starts_with("spec.template.spec.nodeSelector[beta."));
        assert!(warnings(&json!({"kind": "Node", "spec": pod})).is_empty());
    }

    #[test]
    fn annotations_of_a_workload_itself_have_no_effect() {
        let meta = json!({"annotations": {"berth.dev/run-for": "5s"}});
        let misplaced = |kind: &str| {
            let object = json!({"kind": kind, "metadata": meta});
            super::misplaced(&object).map(str::to_owned)
        };
        assert_eq!(
            misplaced("Deployment").as_deref(),
            Some("berth.dev/run-for")
        );
        assert_eq!([misplaced("Pod"), misplaced("Node")], [None, None]);
    }
}
