//! DefaultTolerationSeconds admission: Pods tolerate a failing node for five minutes (v1.34).

use k8s_openapi::api::core::v1::{PodSpec, Toleration};

/// Taints of nodes that are not ready and of nodes that are unreachable.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

const PATIENCE_SECONDS: i64 = 300;

/// Adds the two tolerations to a Pod that has none for these taints.
pub fn add_default_tolerations(spec: &mut PodSpec) {
    let given = spec.tolerations.as_deref().unwrap_or_default();
    let missing: Vec<_> = [NOT_READY, UNREACHABLE]
        .into_iter()
        .filter(|key| !decides(given, key))
        .collect();
    for key in missing {
        spec.tolerations.get_or_insert_default().push(Toleration {
            key: Some(key.to_owned()),
            operator: Some("Exists".to_owned()),
            effect: Some("NoExecute".to_owned()),
            toleration_seconds: Some(PATIENCE_SECONDS),
            value: None,
        });
    }
}

/// Whether a toleration covers the taint `key` with effect NoExecute; value and operator are
/// ignored.
fn decides(tolerations: &[Toleration], key: &str) -> bool {
    tolerations.iter().any(|toleration| {
        let of_key = toleration.key.as_deref().unwrap_or_default();
        let effect = toleration.effect.as_deref().unwrap_or_default();
        (of_key.is_empty() || of_key == key) && (effect.is_empty() || effect == "NoExecute")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Keys of the tolerations after admission.
    fn keys(tolerations: Value) -> Vec<String> {
        let mut spec: PodSpec =
            serde_json::from_value(json!({"containers": [], "tolerations": tolerations})).unwrap();
        add_default_tolerations(&mut spec);
        let all = spec.tolerations.unwrap_or_default();
        all.into_iter()
            .map(|toleration| toleration.key.unwrap_or_default())
            .collect()
    }

    #[test]
    fn both_are_added_after_the_pods_own() {
        assert_eq!(keys(json!([])), [NOT_READY, UNREACHABLE]);
        assert_eq!(
            keys(json!([{"key": "gpu"}])),
            ["gpu", NOT_READY, UNREACHABLE]
        );
    }

    #[test]
    fn each_is_left_out_where_the_pod_decides_itself() {
        let own = json!([{"key": NOT_READY, "operator": "Exists", "effect": "NoExecute"}]);
        assert_eq!(keys(own), [NOT_READY, UNREACHABLE]);
        assert_eq!(keys(json!([{"operator": "Exists"}])), [""]);
        assert_eq!(
            keys(json!([{"operator": "Exists", "effect": "NoExecute"}])),
            [""]
        );
    }

    #[test]
    fn a_toleration_of_another_effect_does_not_count() {
        let other = json!([{"operator": "Exists", "effect": "NoSchedule"}]);
        assert_eq!(keys(other), ["", NOT_READY, UNREACHABLE]);
    }
}
