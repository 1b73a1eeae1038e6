//! Changes of nodes: cordons and taints.
#![deny(clippy::wildcard_enum_match_arm)]

use serde_json::Value;

use berth_protocol::edit::{Edit, PathStep};
use berth_protocol::fact::FactKind;
use berth_protocol::fix::Change;

use berth_sim::controllers::node_lifecycle::condition_of;

use super::candidates::{Family, FixContext};
use super::fields::{self, key, steps};
use super::source::Source;

/// The taint of a cordoned node.
pub const CORDON_TAINT: &str = "node.kubernetes.io/unschedulable";

/// Uncordons a node, or removes a taint.
pub fn taints_and_cordons(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    for (obstacle, fact) in context.facts() {
        if family.is_full() {
            break;
        }
        let node = obstacle.node.name.to_string();
        match &fact.kind {
            FactKind::Unschedulable if family.admits("cordon") => {
                let edits = context
                    .node_source(&node)
                    .map_or_else(Vec::new, |source| uncordon(&source));
                family.add(Change::Uncordon { node }, edits);
            }
            FactKind::Taint { key, value, effect } => {
                let is_cordon = key == CORDON_TAINT && obstacle.node.unschedulable;
                let has_other_cause = is_cordon || is_by_condition(context, &node, key);
                let what = Change::RemoveTaint {
                    node: node.clone(),
                    key: key.clone(),
                    value: value.clone(),
                    effect: effect.clone(),
                    reserved: context.is_reserved(&fact.kind),
                };
                if has_other_cause || !family.admits(&format!("{key}={value}:{effect}")) {
                    continue;
                }
                let source = context.node_source(&node);
                let edit = source.and_then(|source| remove_taint(&source, key, value, effect));
                family.add(what, edit.into_iter().collect());
            }
            FactKind::Unschedulable
            | FactKind::Resource { .. }
            | FactKind::NodeRequirement { .. }
            | FactKind::Spread { .. }
            | FactKind::PodAffinity { .. }
            | FactKind::HostPort { .. }
            | FactKind::VolumeCount { .. }
            | FactKind::Volume { .. }
            | FactKind::Device { .. }
            | FactKind::NodeName { .. }
            | FactKind::NodeFeature { .. } => {}
        }
    }
    family
}

/// Whether the taint says that the node is unwell: one that the node lifecycle controller set, not one written by hand.
/// Only mending the node helps; without the taint, or with a toleration, Pods would get to a node that cannot run them.
pub fn is_by_condition(context: &FixContext<'_>, node: &str, taint: &str) -> bool {
    let Some((condition, status)) = condition_of(taint) else {
        return false;
    };
    let Some(source) = context.node_source(node) else {
        return true;
    };
    let lists = |path: &str, wanted: &[(&str, &str)]| {
        let list = fields::get(&source.json, &steps(path)).and_then(Value::as_array);
        list.into_iter().flatten().any(|item| {
            let is = |(field, value): &(&str, &str)| {
                item.get(field).and_then(Value::as_str) == Some(value)
            };
            wanted.iter().all(is)
        })
    };
    lists(
        "status.conditions",
        &[("type", condition), ("status", status)],
    ) || !lists("spec.taints", &[("key", taint)])
}

fn uncordon(source: &Source) -> Vec<Edit> {
    let taint = remove_taint(source, CORDON_TAINT, "", "NoSchedule");
    let cordon = source.remove(&steps("spec.unschedulable"));
    taint.into_iter().chain(cordon).collect()
}

/// `None` if the taint is not in the node's manifest.
fn remove_taint(source: &Source, name: &str, value: &str, effect: &str) -> Option<Edit> {
    let taints = fields::get(&source.json, &steps("spec.taints"))?.as_array()?;
    let is = |taint: &Value, field: &str, wanted: &str| {
        let text = taint.get(field).and_then(Value::as_str);
        text.unwrap_or_default() == wanted
    };
    let position = taints.iter().position(|taint| {
        is(taint, "key", name) && is(taint, "value", value) && is(taint, "effect", effect)
    })?;
    let path = [key("spec"), key("taints"), PathStep::Index(position)];
    source.remove(&path)
}
