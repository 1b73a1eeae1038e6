//! Hashes of templates and revisions, for names and labels, as Kubernetes' controllers compute them.

mod dump;

use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::{Value, json};

use super::defaults;
use super::names::safe;
use super::prepare::drop_disabled_fields;
use berth_base::json;
use berth_base::sort;
use berth_scheduler::release::Release;

/// The template as the API server stores it in a workload: the hashes are of that.
pub fn stored(template: &PodTemplateSpec, release: &Release) -> PodTemplateSpec {
    let mut stored = template.clone();
    defaults::template(&mut stored);
    if let Some(spec) = &mut stored.spec {
        drop_disabled_fields(spec, release);
    }
    stored
}

/// The data of a ControllerRevision: the patch that restores the template.
pub fn revision_data(template: &PodTemplateSpec) -> Value {
    let mut template = json::value(template);
    if let Value::Object(map) = &mut template {
        map.insert("$patch".to_owned(), "replace".into());
        // The API server writes it even if it is empty.
        map.entry("metadata").or_insert_with(|| json!({}));
    }
    json!({"spec": {"template": template}})
}

/// 32-bit FNV: FNV-1, or FNV-1a with `byte_first`.
fn fnv(parts: &[&[u8]], byte_first: bool) -> u32 {
    const PRIME: u32 = 0x0100_0193;
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0x811c_9dc5, |hash: u32, byte| {
        if byte_first {
            (hash ^ u32::from(*byte)).wrapping_mul(PRIME)
        } else {
            hash.wrapping_mul(PRIME) ^ u32::from(*byte)
        }
    })
}

/// The hash of a StatefulSet's ControllerRevision, from its data and the number of collisions
/// (`HashControllerRevision`, Kubernetes v1.34; identical to the real one).
pub fn of_revision(data: &Value, collisions: i32) -> String {
    let collisions = collisions.to_string();
    let hash = fnv(&[canonical(data).as_bytes(), collisions.as_bytes()], false);
    safe(&hash.to_string())
}

/// The hash of a Pod template with the number of collisions (`ComputeHash`, Kubernetes v1.34; identical to the real
/// one, except for the rare volumes that [`dump`] lists).
pub fn of_template(template: &impl serde::Serialize, collisions: Option<i32>) -> String {
    let text = dump::template(&json::value(template));
    let count = collisions.map(|count| i64::from(count).to_le_bytes());
    let count = count.as_ref().map_or(&[][..], |bytes| bytes);
    safe(&fnv(&[text.as_bytes(), count], true).to_string())
}

/// JSON as Go encodes maps: keys sorted, and `<`, `>` and `&` escaped.
fn canonical(value: &Value) -> String {
    let text = json::text(&sorted(value));
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            sort::sort_by_key(&mut entries, |(key, _)| (*key).clone());
            let entries = entries.into_iter();
            Value::Object(
                entries
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_hashes_as_in_kubernetes() {
        // Recorded from the real controller for this template.
        let container = json!({"name": "c", "image": "app:v1", "imagePullPolicy": "IfNotPresent",
            "resources": {}, "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"});
        let spec = json!({"containers": [container], "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always", "schedulerName": "default-scheduler",
            "securityContext": {}, "terminationGracePeriodSeconds": 30});
        let data = json!({"spec": {"template": {
            "spec": spec, "metadata": {"labels": {"app": "db"}}, "$patch": "replace"}}});
        assert_eq!(of_revision(&data, 0), "59bd88cb4b");
        assert_ne!(of_revision(&data, 1), "59bd88cb4b");
    }

    #[test]
    fn a_template_hashes_as_in_kubernetes_and_by_its_collisions() {
        // Recorded from the real controller for this template.
        let container = json!({"name": "c", "image": "app:v1", "imagePullPolicy": "IfNotPresent",
            "resources": {}, "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"});
        let spec = json!({"containers": [container], "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always", "schedulerName": "default-scheduler",
            "securityContext": {}, "terminationGracePeriodSeconds": 30});
        let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": spec});
        assert_eq!(of_template(&template, None), "bb468fd8f");
        assert_ne!(of_template(&template, Some(1)), "bb468fd8f");
    }
}
