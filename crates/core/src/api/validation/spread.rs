//! `topologySpreadConstraints`.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::TopologySpreadConstraint;

use super::field::{FieldError, Path};
use super::names::label_key;
use super::selector::{keys, label_selector};
use super::{Errors, one_of};
use crate::base::sort;

const ACTIONS: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
const POLICIES: [&str; 2] = ["Honor", "Ignore"];

/// Validates the constraints of a Pod or a template; `merged`: the API server has merged
/// `matchLabelKeys` into the selectors.
pub fn spread_constraints<'c>(
    path: &Path,
    constraints: &'c [TopologySpreadConstraint],
    merged: bool,
    errors: &mut Errors,
) {
    // Of several equal constraints, all but the last are reported.
    let pair = |c: &'c TopologySpreadConstraint| (&c.topology_key, &c.when_unsatisfiable);
    let last: BTreeMap<_, usize> = sort::gather(constraints.iter().map(pair).zip(0..));
    for (i, constraint) in constraints.iter().enumerate() {
        let path = path.index(i);
        let skew = constraint.max_skew;
        if skew <= 0 {
            let detail = "must be greater than zero";
            errors.push(FieldError::invalid(&path.child("maxSkew"), skew, detail));
        }
        if constraint.topology_key.is_empty() {
            let path = path.child("topologyKey");
            errors.push(FieldError::required(&path, "can not be empty"));
        }
        let action = &constraint.when_unsatisfiable;
        one_of(
            &path.child("whenUnsatisfiable"),
            Some(action),
            &ACTIONS,
            errors,
        );
        let key = &constraint.topology_key;
        if last.get(&(key, action)) != Some(&i) {
            let path = path.child("{topologyKey, whenUnsatisfiable}");
            errors.push(FieldError::duplicate(&path, format!("{{{key}, {action}}}")));
        }
        min_domains(&path.child("minDomains"), constraint, errors);
        let policy = constraint.node_affinity_policy.as_ref();
        one_of(&path.child("nodeAffinityPolicy"), policy, &POLICIES, errors);
        let policy = constraint.node_taints_policy.as_ref();
        one_of(&path.child("nodeTaintsPolicy"), policy, &POLICIES, errors);
        match_label_keys(&path.child("matchLabelKeys"), constraint, merged, errors);
        label_selector(
            &path.child("labelSelector"),
            constraint.label_selector.as_ref(),
            errors,
        );
    }
}

fn min_domains(path: &Path, constraint: &TopologySpreadConstraint, errors: &mut Errors) {
    let Some(domains) = constraint.min_domains else {
        return;
    };
    if domains <= 0 {
        errors.push(FieldError::invalid(
            path,
            domains,
            "must be greater than zero",
        ));
    }
    let action = &constraint.when_unsatisfiable;
    if action != "DoNotSchedule" {
        let detail =
            format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
        errors.push(FieldError::invalid(path, domains, &detail));
    }
}

fn match_label_keys(
    path: &Path,
    constraint: &TopologySpreadConstraint,
    merged: bool,
    errors: &mut Errors,
) {
    let listed = constraint.match_label_keys.as_deref().unwrap_or_default();
    if !listed.is_empty() && constraint.label_selector.is_none() {
        let detail = "must not be specified when labelSelector is not set";
        errors.push(FieldError::forbidden(path, detail));
    }
    let mut once = BTreeSet::new();
    let selected: BTreeSet<&str> = sort::gather(
        constraint
            .label_selector
            .iter()
            .flat_map(keys)
            // The merge adds each key once.
            .filter(|key| !merged || !once.insert(*key)),
    );
    for (i, key) in listed.iter().enumerate() {
        let path = path.index(i);
        errors.extend(label_key(&path, key));
        if selected.contains(key.as_str()) {
            let detail = "exists in both matchLabelKeys and labelSelector";
            errors.push(FieldError::invalid(&path, key.as_str(), detail));
        }
    }
}
