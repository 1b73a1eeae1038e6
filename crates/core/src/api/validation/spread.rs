//! `topologySpreadConstraints`.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::TopologySpreadConstraint;

use super::affinity::label_keys;
use super::selector::label_selector;
use super::{Errors, one_of};
use berth_base::sort;
use berth_scheduler::field::{FieldError, Path};

const ACTIONS: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
const POLICIES: [&str; 2] = ["Honor", "Ignore"];

/// Validates the constraints of a template, or of a Pod with these labels, which are not merged into the selectors yet.
pub fn spread_constraints<'c>(
    path: &Path,
    constraints: &'c [TopologySpreadConstraint],
    labels: Option<&BTreeMap<String, String>>,
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
        label_keys(
            &path,
            [&constraint.match_label_keys, &None],
            constraint.label_selector.as_ref(),
            labels,
            errors,
        );
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
