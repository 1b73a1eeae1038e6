//! Fields that older releases do not know.

use serde_json::Value;

use super::{fields, find, item_of};
use berth_scheduler::release::Version;

/// Fields by their structures, and the first version here that knows them.
const LATER: [(&str, &[&str], Version); 8] = [
    (
        "CSIDriverSpec",
        &["serviceAccountTokenInSecrets"],
        Version::V1_35,
    ),
    (
        "CSIDriverSpec",
        &["preventPodSchedulingIfMissing"],
        Version::V1_36,
    ),
    (
        "Device",
        &["nodeAllocatableResourceMappings"],
        Version::V1_36,
    ),
    (
        "DeviceAttribute",
        &["bools", "ints", "strings", "versions"],
        Version::V1_36,
    ),
    ("NodeStatus", &["declaredFeatures"], Version::V1_35),
    (
        "PodCertificateProjection",
        &["userAnnotations"],
        Version::V1_35,
    ),
    ("PodSpec", &["schedulingGroup"], Version::V1_36),
    (
        "PodStatus",
        &["allocatedResources", "resources"],
        Version::V1_35,
    ),
];

/// Whether a version does not know a field of a structure.
pub fn is_later(structure: &str, field: &str, version: Version) -> bool {
    LATER
        .iter()
        .any(|(name, keys, since)| *name == structure && keys.contains(&field) && version < *since)
}

/// Takes the fields out of an object that a version does not know; returns their places, as the API server prints them.
pub fn take_later(object: &mut Value, version: Version) -> Vec<String> {
    let mut found = Vec::new();
    let kind = object.get("kind").and_then(Value::as_str);
    let kind = kind.and_then(|kind| super::SHAPES.get_key_value(kind));
    if let Some((kind, _)) = kind.filter(|_| LATER.iter().any(|(.., since)| version < *since)) {
        take(kind, object, "", version, &mut found);
    }
    found
}

fn take(
    kind: &'static str,
    value: &mut Value,
    path: &str,
    version: Version,
    found: &mut Vec<String>,
) {
    let kind = kind.trim_start_matches('*');
    if fields(kind).is_some() {
        let Some(map) = value.as_object_mut() else {
            return;
        };
        let is_unknown = |key: &str| is_later(kind, key, version);
        for (key, own) in &mut *map {
            let path = match path {
                "" => key.clone(),
                path => format!("{path}.{key}"),
            };
            match find(kind, key) {
                _ if is_unknown(key) => found.push(path),
                Some((kind, _)) => take(kind, own, &path, version, found),
                None => {}
            }
        }
        map.retain(|key, _| !is_unknown(key));
        return;
    }
    let Some(item) = item_of(kind) else {
        return;
    };
    match value {
        Value::Array(items) => {
            for (place, own) in items.iter_mut().enumerate() {
                take(item, own, &format!("{path}[{place}]"), version, found);
            }
        }
        Value::Object(map) => {
            for (key, own) in map {
                take(item, own, &format!("{path}.{key}"), version, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_later_releases_are_taken_out_and_named() {
        let pod = json!({"kind": "Deployment", "spec": {"template": {"spec": {
            "schedulingGroup": {"podGroupName": "g"}, "hostname": "h",
            "volumes": [{"name": "v", "projected": {"sources": [
                {"podCertificate": {"userAnnotations": {}, "keyType": "ED25519"}}]}}],
        }}}});
        let mut known = pod.clone();
        assert_eq!(
            take_later(&mut known, Version::V1_34),
            [
                "spec.template.spec.schedulingGroup",
                "spec.template.spec.volumes[0].projected.sources[0].podCertificate.userAnnotations",
            ]
        );
        assert!(
            known
                .pointer("/spec/template/spec/schedulingGroup")
                .is_none()
        );
        let mut all = pod.clone();
        assert!(take_later(&mut all, Version::V1_36).is_empty());
        assert_eq!(all, pod);
    }
}
