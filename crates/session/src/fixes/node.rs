//! Changes of nodes: cordons and taints.

use berth_protocol::edit::{Edit, PathStep};
use berth_protocol::fact::FactKind;
use berth_protocol::fix::Change;

use super::candidates::{Family, Scene};
use super::fields::{self, key, steps};
use super::source::Source;

/// The taint of a cordoned node.
pub const CORDON_TAINT: &str = "node.kubernetes.io/unschedulable";

/// Uncordons a node, or removes a taint.
pub fn taints_and_cordons(scene: &Scene<'_>) -> Family {
    let mut family = Family::default();
    for (obstacle, fact) in scene.facts() {
        if family.is_full() {
            break;
        }
        let node = obstacle.node.name.to_string();
        match &fact.kind {
            FactKind::Unschedulable if family.admits("cordon") => {
                let edits = scene
                    .node_source(&node)
                    .map_or_else(Vec::new, |source| uncordon(&source));
                family.add(Change::Uncordon { node }, edits);
            }
            FactKind::Taint { key, value, effect } => {
                let is_cordon = key == CORDON_TAINT && obstacle.node.unschedulable;
                let what = Change::RemoveTaint {
                    node: node.clone(),
                    key: key.clone(),
                    value: value.clone(),
                    effect: effect.clone(),
                };
                if is_cordon || !family.admits(&format!("{key}={value}:{effect}")) {
                    continue;
                }
                let source = scene.node_source(&node);
                let edit = source.and_then(|source| remove_taint(&source, key, value, effect));
                family.add(what, edit.into_iter().collect());
            }
            _ => {}
        }
    }
    family
}

fn uncordon(source: &Source) -> Vec<Edit> {
    let taint = remove_taint(source, CORDON_TAINT, "", "NoSchedule");
    let cordon = source.remove(&steps("spec.unschedulable"));
    taint.into_iter().chain(cordon).collect()
}

/// `None` if the taint is not in the node's manifest.
fn remove_taint(source: &Source, name: &str, value: &str, effect: &str) -> Option<Edit> {
    let taints = fields::get(&source.json, &steps("spec.taints"))?.as_array()?;
    let is = |taint: &serde_json::Value, field: &str, wanted: &str| {
        let text = taint.get(field).and_then(serde_json::Value::as_str);
        text.unwrap_or_default() == wanted
    };
    let position = taints.iter().position(|taint| {
        is(taint, "key", name) && is(taint, "value", value) && is(taint, "effect", effect)
    })?;
    let path = [key("spec"), key("taints"), PathStep::Index(position)];
    source.remove(&path)
}
