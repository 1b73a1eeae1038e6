//! Node affinity and Pod affinity.

use berth_protocol::remark::Remark;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm,
    PodAffinityTerm, WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::selector::{keys, label_selector, operator_and_values};
use super::{Errors, invalid_each};
use berth_base::sort;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{
    dns_label_errors, dns_subdomain_errors, label_key, label_value_errors,
};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Validates the affinity of a Pod with `labels`; without labels for a template, whose labels are not
/// merged into its selectors.
pub fn affinity(
    path: &Path,
    affinity: &Affinity,
    labels: Option<&BTreeMap<String, String>>,
    errors: &mut Errors,
) {
    if let Some(node) = &affinity.node_affinity {
        node_affinity(&path.child("nodeAffinity"), node, errors);
    }
    let pod = affinity.pod_affinity.as_ref().map(|pod| {
        (
            "podAffinity",
            &pod.required_during_scheduling_ignored_during_execution,
            &pod.preferred_during_scheduling_ignored_during_execution,
        )
    });
    let anti = affinity.pod_anti_affinity.as_ref().map(|pod| {
        (
            "podAntiAffinity",
            &pod.required_during_scheduling_ignored_during_execution,
            &pod.preferred_during_scheduling_ignored_during_execution,
        )
    });
    for (field, required, preferred) in pod.into_iter().chain(anti) {
        let path = path.child(field);
        for (i, term) in required.iter().flatten().enumerate() {
            pod_affinity_term(&path.child(REQUIRED).index(i), term, labels, errors);
        }
        for (i, weighted) in preferred.iter().flatten().enumerate() {
            let path = path.child(PREFERRED).index(i);
            let WeightedPodAffinityTerm {
                pod_affinity_term: term,
                weight,
            } = weighted;
            preference_weight(&path, *weight, errors);
            pod_affinity_term(&path.child("podAffinityTerm"), term, labels, errors);
        }
    }
}

fn preference_weight(path: &Path, weight: i32, errors: &mut Errors) {
    if !(1..=100).contains(&weight) {
        let path = path.child("weight");
        errors.push(FieldError::invalid(
            &path,
            weight,
            "must be in the range 1-100",
        ));
    }
}

fn node_affinity(path: &Path, affinity: &NodeAffinity, errors: &mut Errors) {
    if let Some(required) = &affinity.required_during_scheduling_ignored_during_execution {
        node_selector(&path.child(REQUIRED), required, errors);
    }
    for (i, term) in affinity
        .preferred_during_scheduling_ignored_during_execution
        .iter()
        .flatten()
        .enumerate()
    {
        let path = path.child(PREFERRED).index(i);
        preference_weight(&path, term.weight, errors);
        // Invalid label values are accepted here: they never match.
        node_selector_term(&path.child("preference"), &term.preference, false, errors);
    }
}

/// Validates a node selector of a Pod or a PersistentVolume.
pub fn node_selector(path: &Path, selector: &NodeSelector, errors: &mut Errors) {
    let path = path.child("nodeSelectorTerms");
    if selector.node_selector_terms.is_empty() {
        let detail = "must have at least one node selector term";
        errors.push(FieldError::required(&path, detail));
    }
    for (i, term) in selector.node_selector_terms.iter().enumerate() {
        node_selector_term(&path.index(i), term, true, errors);
    }
}

fn node_selector_term(path: &Path, term: &NodeSelectorTerm, strict: bool, errors: &mut Errors) {
    for (i, requirement) in term.match_expressions.iter().flatten().enumerate() {
        let path = path.child("matchExpressions").index(i);
        node_selector_requirement(&path, requirement, strict, errors);
    }
    for (i, requirement) in term.match_fields.iter().flatten().enumerate() {
        let path = path.child("matchFields").index(i);
        node_field_requirement(&path, requirement, errors);
    }
}

fn node_selector_requirement(
    path: &Path,
    requirement: &NodeSelectorRequirement,
    strict: bool,
    errors: &mut Errors,
) {
    let NodeSelectorRequirement {
        key,
        operator,
        values,
    } = requirement;
    let values = values.as_deref().unwrap_or_default();
    if ["Gt", "Lt"].contains(&operator.as_str()) {
        if values.len() != 1 {
            let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(FieldError::required(&path.child("values"), detail));
        }
    } else if !operator_and_values(path, operator, values, errors) {
        let error = not_an_operator(path, operator);
        errors.push(error.help(Remark::all_operators()));
    }
    errors.extend(label_key(&path.child("key"), key));
    for (i, value) in values.iter().enumerate().filter(|_| strict) {
        let path = path.child("values").index(i);
        invalid_each(&path, value, label_value_errors(value), errors);
    }
}

fn node_field_requirement(path: &Path, requirement: &NodeSelectorRequirement, errors: &mut Errors) {
    let NodeSelectorRequirement {
        key,
        operator,
        values,
    } = requirement;
    let values = values.as_deref().unwrap_or_default();
    if !["In", "NotIn"].contains(&operator.as_str()) {
        errors.push(not_an_operator(path, operator).help(Remark::in_or_not_in()));
    } else if values.len() != 1 {
        let detail =
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
        errors.push(FieldError::required(&path.child("values"), detail));
    }
    if key != "metadata.name" {
        let detail = "not a valid field selector key";
        let error = FieldError::invalid(&path.child("key"), key.as_str(), detail);
        errors.push(error.help(Remark::only_metadata_name()));
        return;
    }
    for (i, value) in values.iter().enumerate() {
        let path = path.child("values").index(i);
        invalid_each(&path, value, dns_subdomain_errors(value), errors);
    }
}

fn not_an_operator(path: &Path, operator: &str) -> FieldError {
    FieldError::invalid(
        &path.child("operator"),
        operator,
        "not a valid selector operator",
    )
}

fn pod_affinity_term(
    path: &Path,
    term: &PodAffinityTerm,
    labels: Option<&BTreeMap<String, String>>,
    errors: &mut Errors,
) {
    label_selector(
        &path.child("labelSelector"),
        term.label_selector.as_ref(),
        errors,
    );
    label_selector(
        &path.child("namespaceSelector"),
        term.namespace_selector.as_ref(),
        errors,
    );
    for name in term.namespaces.iter().flatten() {
        // The API server prints `namespace`, without the s and without an index.
        invalid_each(
            &path.child("namespace"),
            name,
            dns_label_errors(name),
            errors,
        );
    }
    label_keys(
        path,
        [&term.match_label_keys, &term.mismatch_label_keys],
        term.label_selector.as_ref(),
        labels,
        errors,
    );
    let key = &term.topology_key;
    let path = path.child("topologyKey");
    if key.is_empty() {
        errors.push(FieldError::required(&path, "can not be empty"));
    }
    errors.extend(label_key(&path, key));
}

/// Validates `matchLabelKeys` and `mismatchLabelKeys` (`ValidateMatchLabelKeysAndMismatchLabelKeys`).
pub(super) fn label_keys(
    path: &Path,
    keys: [&Option<Vec<String>>; 2],
    selector: Option<&LabelSelector>,
    labels: Option<&BTreeMap<String, String>>,
    errors: &mut Errors,
) {
    let [matching, mismatching] = keys.map(|keys| keys.as_deref().unwrap_or_default());
    let lists = [
        ("matchLabelKeys", matching),
        ("mismatchLabelKeys", mismatching),
    ];
    for (field, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let path = path.child(field);
        if selector.is_none() {
            let detail = "must not be specified when labelSelector is not set";
            errors.push(FieldError::forbidden(&path, detail));
            continue;
        }
        for (i, key) in list.iter().enumerate() {
            errors.extend(label_key(&path.index(i), key));
        }
    }
    if let Some(selector) = selector {
        selected_twice(path, selector, matching, labels, errors);
    }
    let mismatching: BTreeSet<&String> = sort::gather(mismatching);
    let in_both = |(_, key): &(usize, &String)| mismatching.contains(key);
    for (i, key) in matching.iter().enumerate().filter(in_both) {
        let path = path.child("matchLabelKeys").index(i);
        let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
        errors.push(FieldError::invalid(&path, key.as_str(), detail));
    }
}

/// Reports keys of `matchLabelKeys` that the selector also uses.
///
/// The API server checks after it has merged the Pod's labels into the selector, so a key without a
/// label on the Pod is only found if the selector itself uses it twice.
fn selected_twice(
    path: &Path,
    selector: &LabelSelector,
    matching: &[String],
    labels: Option<&BTreeMap<String, String>>,
    errors: &mut Errors,
) {
    let own_labels = selector.match_labels.iter().flatten().count();
    let merged = matching
        .iter()
        .filter(|key| labels.is_some_and(|l| l.contains_key(*key)));
    let last: BTreeMap<&str, usize> = sort::gather(matching.iter().map(String::as_str).zip(0..));
    let mut seen = BTreeSet::new();
    for (i, key) in keys(selector).chain(merged.map(String::as_str)).enumerate() {
        let again = !seen.insert(key) && i >= own_labels;
        if let Some(i) = last.get(key).filter(|_| again) {
            let detail = "exists in both matchLabelKeys and labelSelector";
            errors.push(FieldError::invalid(&path.index(*i), key, detail));
        }
    }
}
