//! Changes of the Pod's own rules: tolerations, node affinity, spread, host ports.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use berth_protocol::edit::{Edit, PathStep};
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::fix::Change;

use super::candidates::{Family, FixContext, Obstacle};
use super::fields::{key, steps};
use super::node::{CORDON_TAINT, is_by_condition};

/// Maximum number of values of maxSkew that are tried for one constraint.
const MAX_SKEWS: usize = 3;
/// Maximum distance to a free host port.
const PORT_DISTANCE: i32 = 100;

/// Adds a toleration.
pub fn tolerations(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    for (obstacle, fact) in context.facts() {
        let FactKind::Taint {
            key: name,
            value,
            effect,
        } = &fact.kind
        else {
            continue;
        };
        // Uncordoning the node is the fix here, or mending it: a Pod that tolerates its condition does not run, either.
        let is_cordon = name == CORDON_TAINT && obstacle.node.unschedulable;
        if is_cordon || is_by_condition(context, &obstacle.node.name, name) {
            continue;
        }
        let toleration = if value.is_empty() {
            json!({"key": name, "operator": "Exists", "effect": effect})
        } else {
            json!({"key": name, "operator": "Equal", "value": value, "effect": effect})
        };
        let edit = context
            .source
            .append(&[key("spec"), key("tolerations")], toleration);
        let what = Change::Tolerate {
            key: name.clone(),
            value: value.clone(),
            effect: effect.clone(),
            reserved: context.is_reserved(&fact.kind),
        };
        family.add(what, vec![edit]);
    }
    family
}

/// Removes an entry of the node selector, an expression of a required term, or all required terms.
pub fn node_affinity(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    for (_, fact) in context.facts() {
        let FactKind::NodeRequirement {
            key: name,
            operator,
            values,
            ..
        } = &fact.kind
        else {
            continue;
        };
        if fact.pod_path.starts_with("spec.nodeSelector") {
            let path = [key("spec"), key("nodeSelector"), key(name)];
            let what = Change::RemoveNodeSelector {
                key: name.clone(),
                value: values.first().cloned().unwrap_or_default(),
            };
            family.add(what, context.source.remove(&path).into_iter().collect());
        } else if fact.pod_path.starts_with("spec.affinity.nodeAffinity") {
            let path = steps(&fact.pod_path);
            if term_size(context, &path) < 2 {
                continue;
            }
            let what = Change::RemoveNodeRequirement {
                key: name.clone(),
                operator: operator.clone(),
                values: values.clone(),
            };
            family.add(what, context.source.remove(&path).into_iter().collect());
        }
    }
    let required = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
    let is_refused = |fact: &Fact| fact.pod_path.starts_with(required);
    if context.facts().any(|(_, fact)| is_refused(fact)) {
        let terms = context.cluster.spec_of(context.pod);
        let terms = terms
            .required_node_affinity
            .as_ref()
            .map_or(0, |terms| terms.0.len());
        let what = Change::RemoveNodeAffinity {
            terms: u32::try_from(terms).unwrap_or(u32::MAX),
        };
        let edit = context.source.remove(&steps(required));
        family.add(what, edit.into_iter().collect());
    }
    family
}

/// Number of requirements in the term of this path: a term without requirements matches no node.
fn term_size(context: &FixContext<'_>, path: &[PathStep]) -> usize {
    let index = path.iter().find_map(|step| match step {
        PathStep::Index(index) => Some(*index),
        PathStep::Key(_) => None,
    });
    let spec = context.cluster.spec_of(context.pod);
    let terms = spec.required_node_affinity.as_ref();
    let term = terms.and_then(|terms| terms.0.get(index?));
    term.map_or(0, |term| term.labels.len() + term.fields.len())
}

/// Raises maxSkew, or makes the constraint soft.
pub fn spread(context: &FixContext<'_>) -> Family {
    let mut needed: BTreeMap<&str, BTreeSet<(usize, i64)>> = BTreeMap::new();
    for (obstacle, fact) in context.facts() {
        if let FactKind::Spread {
            count,
            own,
            minimum,
            domain,
            ..
        } = &fact.kind
        {
            let skews = needed.entry(&fact.pod_path).or_default();
            // A node without the topology key is in no domain, so no maxSkew helps.
            if domain.is_some() {
                skews.insert((obstacle.plugins, count + own - minimum));
            }
        }
    }
    let mut family = Family::default();
    for (_, fact) in context.facts() {
        let FactKind::Spread {
            topology_key,
            max_skew,
            ..
        } = &fact.kind
        else {
            continue;
        };
        let Some(skews) = needed.remove(fact.pod_path.as_str()) else {
            continue;
        };
        let path = |field: &str| {
            let mut path = steps(&fact.pod_path);
            path.push(key(field));
            path
        };
        for &(_, to) in skews.iter().take(MAX_SKEWS) {
            let what = Change::RaiseMaxSkew {
                topology_key: topology_key.clone(),
                from: *max_skew,
                to,
            };
            let edit = context.source.set(&path("maxSkew"), json!(to));
            family.add_to(fact.pod_path.clone(), what, edit.into_iter().collect());
        }
        let soft = context
            .source
            .set(&path("whenUnsatisfiable"), json!("ScheduleAnyway"));
        // Only hard constraints may have `minDomains`.
        let min_domains = context.source.remove(&path("minDomains"));
        let edits: Vec<Edit> = soft.into_iter().chain(min_domains).collect();
        let topology_key = topology_key.clone();
        let honor = context
            .source
            .set(&path("nodeTaintsPolicy"), json!("Honor"));
        let what = Change::HonorTaints {
            topology_key: topology_key.clone(),
        };
        family.add(what, honor.into_iter().collect());
        family.add(Change::SoftenSpread { topology_key }, edits);
    }
    family
}

/// Changes or removes a host port.
pub fn ports(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    // In the host network, host ports equal container ports.
    if context.pod.object.template.spec.host_network == Some(true) {
        return family;
    }
    for (_, fact) in context.facts() {
        let FactKind::HostPort { protocol, port, .. } = &fact.kind else {
            continue;
        };
        let path = steps(&fact.pod_path);
        if let Some(to) = free_port(context, *port) {
            let what = Change::ChangeHostPort {
                protocol: protocol.clone(),
                from: *port,
                to,
            };
            let edit = context.source.set(&path, json!(to));
            family.add(what, edit.into_iter().collect());
        }
        let what = Change::RemoveHostPort {
            protocol: protocol.clone(),
            port: *port,
        };
        family.add(what, context.source.remove(&path).into_iter().collect());
    }
    family
}

/// The next port that is free on all nodes that rejected the Pod.
fn free_port(context: &FixContext<'_>, port: i32) -> Option<i32> {
    let used = context
        .obstacles
        .iter()
        .flat_map(|obstacle: &Obstacle<'_>| obstacle.node.used_ports.iter().map(|port| port.port));
    let own = context.cluster.spec_of(context.pod).host_ports.iter();
    let used: BTreeSet<i32> = used.chain(own.map(|port| port.port)).collect();
    let last = port.saturating_add(PORT_DISTANCE).min(65_535);
    (port.saturating_add(1)..=last).find(|port| !used.contains(port))
}
