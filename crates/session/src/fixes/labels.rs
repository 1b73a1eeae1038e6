//! Fixes for labels that a node lacks, should not have, or has with another value.

use std::collections::BTreeMap;

use serde_json::json;

use berth_protocol::edit::Edit;
use berth_protocol::fact::FactKind;
use berth_protocol::fix::Change;
use berth_protocol::meant::is_pool_label;
use berth_scheduler::cluster::node::NodeInfo;

use super::candidates::{Family, FixContext};
use super::fields::key;

/// Labels with these prefixes describe what a machine is, its location and its name: they may be added where they are
/// missing, but not changed. So do labels that name a node's pool.
const DESCRIBING: [&str; 5] = [
    "kubernetes.io",
    "beta.kubernetes.io",
    "node.kubernetes.io",
    "topology.kubernetes.io",
    "failure-domain.beta.kubernetes.io",
];
/// Number of values that are tried for a missing topology key.
const MAX_VALUES: usize = 3;

/// Labels a node so that it matches, or belongs to a topology domain.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    for (obstacle, fact) in context.facts() {
        if family.is_full() {
            break;
        }
        let node = obstacle.node;
        if let FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } = &fact.kind
            && key != "metadata.name"
        {
            requirement(context, &mut family, node, (key, operator, values));
        }
        if let Some(topology_key) = fact.kind.missing_topology_key()
            && family.admits(topology_key)
        {
            for value in domains(context, topology_key) {
                add_label(context, &mut family, node, topology_key, &value);
            }
        }
    }
    family
}

fn requirement(
    context: &FixContext<'_>,
    family: &mut Family,
    node: &NodeInfo,
    (name, operator, values): (&str, &str, &[String]),
) {
    let alike = format!("{name} {operator} {values:?}");
    match operator {
        "In" => {
            if let Some(value) = values.first()
                && may_change(node, name)
                && family.admits(&alike)
            {
                add_label(context, family, node, name, value);
            }
        }
        "Exists" if family.admits(&alike) => add_label(context, family, node, name, "true"),
        "NotIn" | "DoesNotExist" if may_change(node, name) && family.admits(&alike) => {
            let Some(value) = node.labels.get(name) else {
                return;
            };
            let source = context.node_source(&node.name);
            let path = [key("metadata"), key("labels"), key(name)];
            let edit = source.and_then(|source| source.remove(&path));
            let what = Change::UnlabelNode {
                node: node.name.to_string(),
                key: name.to_owned(),
                value: value.clone(),
            };
            family.add(what, edit.into_iter().collect());
        }
        _ => {}
    }
}

fn may_change(node: &NodeInfo, name: &str) -> bool {
    let prefix = name.split_once('/').map_or("", |(prefix, _)| prefix);
    !node.labels.contains_key(name) || !(DESCRIBING.contains(&prefix) || is_pool_label(name))
}

fn add_label(
    context: &FixContext<'_>,
    family: &mut Family,
    node: &NodeInfo,
    name: &str,
    value: &str,
) {
    let Some(source) = context.node_source(&node.name) else {
        return;
    };
    let edit = Edit::Set {
        object: source.object,
        path: vec![key("metadata"), key("labels"), key(name)],
        value: json!(value),
    };
    let what = Change::LabelNode {
        node: node.name.to_string(),
        key: name.to_owned(),
        value: value.to_owned(),
        was: node.labels.get(name).cloned(),
    };
    family.add_to(format!("label {} {name}", node.name), what, vec![edit]);
}

/// Domains that the node could join, those with the fewest nodes first; a new domain if no node has the key.
fn domains(context: &FixContext<'_>, topology_key: &str) -> Vec<String> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for node in context.cluster.nodes() {
        if let Some(value) = node.labels.get(topology_key) {
            *sizes.entry(value).or_default() += 1;
        }
    }
    let mut domains: Vec<(usize, &str)> = sizes.iter().map(|(name, size)| (*size, *name)).collect();
    domains.sort_unstable();
    if domains.is_empty() {
        let short = topology_key.rsplit('/').next().unwrap_or(topology_key);
        return vec![format!("{short}-1")];
    }
    let names = domains.into_iter().map(|(_, name)| name.to_owned());
    names.take(MAX_VALUES).collect()
}
