//! What the descheduler evicts, as tables and notes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::key::short;
use berth_protocol::what_if::{EvictedPod, Evictions, NodeUse, Utilization};

use super::{Listing, NUMBER, TEXT, shortened};
use crate::words::language::comma;
use crate::words::what_if as words;
use crate::words::what_if::evictions;

/// The Pods, by plugin, node and workload.
pub fn evicted(of: &Evictions) -> Listing {
    let plugin = names(of);
    let mut groups: Vec<(String, &str, String, Vec<&EvictedPod>)> = Vec::new();
    let mut places: BTreeMap<(String, &str, String), usize> = BTreeMap::new();
    for pod in &of.pods {
        let key = (
            plugin(&pod.profile, &pod.plugin),
            pod.node.as_str(),
            pod.workload.to_string(),
        );
        let at = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((.., pods)) => pods.push(pod),
            None => groups.push((key.0, key.1, key.2, vec![pod])),
        }
    }
    let rows = groups.into_iter().map(|(plugin, node, workload, pods)| {
        let names = pods.iter().map(|pod| short(&pod.pod).to_owned());
        vec![
            plugin,
            node.to_owned(),
            workload,
            pods.len().to_string(),
            shortened(names.collect()),
        ]
    });
    Listing::of(
        [
            (evictions::PLUGIN, TEXT),
            (words::NODE, TEXT),
            (words::WORKLOAD, TEXT),
            (words::EVICTED, NUMBER),
            (evictions::PODS, TEXT),
        ],
        rows,
    )
}

/// The name of a plugin, with its profile if there are several.
fn names(of: &Evictions) -> impl Fn(&str, &str) -> String {
    let profiles = of.plugins.iter().map(|run| run.profile.as_str());
    let are_several = profiles.collect::<BTreeSet<&str>>().len() > 1;
    move |profile, plugin| match are_several {
        true => format!("{plugin} ({profile})"),
        false => plugin.to_owned(),
    }
}

/// The evictions that budgets refuse.
pub fn refused(of: &Evictions) -> Listing {
    let plugin = names(of);
    let rows = of.refused.iter().map(|it| {
        vec![
            it.blocked.pod.clone(),
            plugin(&it.profile, &it.plugin),
            it.blocked.node.clone(),
            it.blocked.budgets.join(comma()),
            evictions::why_refused(it),
        ]
    });
    Listing::of(
        [
            (evictions::REFUSED, TEXT),
            (evictions::PLUGIN, TEXT),
            (words::NODE, TEXT),
            (words::BUDGET, TEXT),
            (words::WHY, TEXT),
        ],
        rows,
    )
}

/// The nodes that Pods leave, or come to, or that stay overutilized: what is requested of them, before and after.
pub fn nodes(of: &Evictions) -> Listing {
    let is_shown = |node: &&NodeUse| {
        let is_over = node.utilization == Some(Utilization::Over);
        node.evicted > 0 || node.came > 0 || is_over
    };
    let mut nodes: Vec<&NodeUse> = of.nodes.iter().filter(is_shown).collect();
    nodes.sort_by_key(|node| (Reverse(node.evicted), Reverse(node.came)));
    let rows = nodes.into_iter().map(|node| {
        let (before, after) = (node.before, node.after);
        vec![
            node.node.clone(),
            evictions::utilization(node.utilization),
            evictions::change(before.cpu, after.cpu),
            evictions::change(before.memory, after.memory),
            evictions::change(before.pods, after.pods),
            node.evicted.to_string(),
            node.came.to_string(),
        ]
    });
    Listing::of(
        [
            (words::NODE, TEXT),
            (evictions::UTILIZATION, TEXT),
            (evictions::CPU, NUMBER),
            (evictions::MEMORY, NUMBER),
            (evictions::PODS_PERCENT, NUMBER),
            (words::EVICTED, NUMBER),
            (evictions::CAME, NUMBER),
        ],
        rows,
    )
}

pub fn notes(of: &Evictions) -> Vec<String> {
    let left_out = evictions::left_out(&of.left_out);
    left_out.into_iter().chain(evictions::plugins(of)).collect()
}
