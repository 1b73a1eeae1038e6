//! `matchLabelKeys` and `mismatchLabelKeys`, merged into selectors by the Pod strategy.
//!
//! The API server merges them when it creates a Pod, so the scheduler reads plain selectors. For
//! `topologySpreadConstraints` it does so since 1.34 (gate
//! MatchLabelKeysInPodTopologySpreadSelectorMerge).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, PodAffinityTerm, PodSpec, WeightedPodAffinityTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

type Labels = BTreeMap<String, String>;

/// Merges the keys of all affinity terms and spread constraints of a Pod with these labels.
pub(super) fn merge_label_keys(spec: &mut PodSpec, labels: &Labels) {
    if let Some(affinity) = &mut spec.affinity {
        merge_into_affinity(affinity, labels);
    }
    for constraint in spec.topology_spread_constraints.iter_mut().flatten() {
        merge(
            &mut constraint.label_selector,
            &constraint.match_label_keys,
            "In",
            labels,
        );
    }
}

fn merge_into_affinity(affinity: &mut Affinity, labels: &Labels) {
    if let Some(pod) = &mut affinity.pod_affinity {
        merge_into_terms(
            &mut pod.required_during_scheduling_ignored_during_execution,
            &mut pod.preferred_during_scheduling_ignored_during_execution,
            labels,
        );
    }
    if let Some(pod) = &mut affinity.pod_anti_affinity {
        merge_into_terms(
            &mut pod.required_during_scheduling_ignored_during_execution,
            &mut pod.preferred_during_scheduling_ignored_during_execution,
            labels,
        );
    }
}

fn merge_into_terms(
    required: &mut Option<Vec<PodAffinityTerm>>,
    preferred: &mut Option<Vec<WeightedPodAffinityTerm>>,
    labels: &Labels,
) {
    let preferred = preferred
        .iter_mut()
        .flatten()
        .map(|term| &mut term.pod_affinity_term);
    for term in required.iter_mut().flatten().chain(preferred) {
        merge(
            &mut term.label_selector,
            &term.match_label_keys,
            "In",
            labels,
        );
        merge(
            &mut term.label_selector,
            &term.mismatch_label_keys,
            "NotIn",
            labels,
        );
    }
}

/// An absent selector matches nothing and stays absent; keys that are not labels of the Pod are
/// skipped.
fn merge(
    selector: &mut Option<LabelSelector>,
    keys: &Option<Vec<String>>,
    operator: &str,
    labels: &Labels,
) {
    let Some(selector) = selector else { return };
    for key in keys.iter().flatten() {
        let Some(value) = labels.get(key) else {
            continue;
        };
        let requirement = LabelSelectorRequirement {
            key: key.clone(),
            operator: operator.to_owned(),
            values: Some(vec![value.clone()]),
        };
        let expressions = selector.match_expressions.get_or_insert_default();
        // A dumped Pod was merged before.
        if !expressions.contains(&requirement) {
            expressions.push(requirement);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merged(spec: Value) -> Value {
        let mut spec: PodSpec = serde_json::from_value(spec).unwrap();
        let labels = [("hash", "h1"), ("tenant", "t1")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        merge_label_keys(&mut spec, &labels);
        merge_label_keys(&mut spec, &labels); // as for a dumped Pod: nothing is added twice
        serde_json::to_value(spec).unwrap()
    }

    #[test]
    fn affinity_terms_required_and_preferred_take_match_and_mismatch_keys() {
        let term = json!({
            "topologyKey": "zone", "labelSelector": {},
            "matchLabelKeys": ["hash", "absent"], "mismatchLabelKeys": ["tenant"],
        });
        let expected = json!([
            {"key": "hash", "operator": "In", "values": ["h1"]},
            {"key": "tenant", "operator": "NotIn", "values": ["t1"]},
        ]);
        let terms = json!({
            "requiredDuringSchedulingIgnoredDuringExecution": [term],
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}],
        });
        let spec = merged(json!({
            "containers": [],
            "affinity": {"podAffinity": terms, "podAntiAffinity": terms},
        }));
        for kind in ["podAffinity", "podAntiAffinity"] {
            let terms = &spec["affinity"][kind];
            let required = &terms["requiredDuringSchedulingIgnoredDuringExecution"][0];
            assert_eq!(required["labelSelector"]["matchExpressions"], expected);
            let preferred = &terms["preferredDuringSchedulingIgnoredDuringExecution"][0];
            assert_eq!(
                preferred["podAffinityTerm"]["labelSelector"]["matchExpressions"],
                expected
            );
        }
    }

    #[test]
    fn spread_constraints_take_match_keys_and_a_missing_selector_stays_missing() {
        let constraint = json!({
            "topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
            "matchLabelKeys": ["hash"],
        });
        let mut with_selector = constraint.clone();
        with_selector["labelSelector"] = json!({"matchLabels": {"app": "web"}});
        let spec = merged(json!({
            "containers": [],
            "topologySpreadConstraints": [constraint, with_selector],
        }));
        let constraints = &spec["topologySpreadConstraints"];
        assert_eq!(constraints[0]["labelSelector"], Value::Null);
        assert_eq!(
            constraints[1]["labelSelector"]["matchExpressions"],
            json!([{"key": "hash", "operator": "In", "values": ["h1"]}])
        );
    }
}
