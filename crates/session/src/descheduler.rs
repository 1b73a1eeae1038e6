//! Which Pods a cycle of the descheduler evicts, by its policy (sigs.k8s.io/descheduler v0.36.0).
//!
//! [`Policy`] reads a DeschedulerPolicy. [`run`] mirrors `runProfiles` of `pkg/descheduler/descheduler.go`: the balance plugins of
//! each profile, on caches that stand still. An evicted Pod stays on its node for its grace period, and here for the cycle;
//! plugins that run later see that it is being deleted. Where the descheduler leaves an order to chance, as that of the
//! Pods in a cache, the order here is that of the lists in [`Caches`].

mod args;
mod caches;
mod default_evictor;
mod evictions;
mod low_node_utilization;
mod node_fit;
mod policy;
mod remove_duplicates;

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Node, Pod};

pub use args::{LowNodeUtilizationArgs, RemoveDuplicatesArgs};
pub(crate) use caches::{Caches, Lists, capacity};
pub use policy::{LeftOut, Policy};
use policy::{Plugin, Profile};

use berth_kubectl::parse_labels;
use berth_scheduler::selector;
use default_evictor::DefaultEvictor;
use evictions::PodEvictor;

/// Which plugin asks for an eviction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub profile: String,
    pub plugin: &'static str,
}

/// Why a plugin evicts nothing, or the cycle is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// Fewer than two nodes are ready and match the policy's `nodeSelector`.
    FewNodes,
    NoneUnderutilized,
    /// No more nodes are underutilized than `numberOfNodes` says.
    FewUnderutilized,
    AllUnderutilized,
    NoneOverutilized,
}

/// What a plugin did.
#[derive(Clone, Debug)]
pub(crate) struct PluginRun {
    pub origin: Origin,
    /// Number of evictions that the API server accepted.
    pub evicted: u64,
    /// Number of evictions that the limits of the policy forbade.
    pub limited: u64,
    pub idle: Option<Idle>,
    /// Of LowNodeUtilization.
    pub underutilized: Vec<String>,
    pub overutilized: Vec<String>,
}

impl PluginRun {
    fn new(origin: &Origin) -> Self {
        Self {
            origin: origin.clone(),
            evicted: 0,
            limited: 0,
            idle: None,
            underutilized: Vec::new(),
            overutilized: Vec::new(),
        }
    }
}

/// Runs a cycle. `evict` asks the API server for an eviction, and returns whether it was accepted.
pub(crate) fn run(
    policy: &Policy,
    caches: &Caches,
    evict: &mut dyn FnMut(&Pod, &Origin) -> bool,
) -> Vec<PluginRun> {
    let lists = Lists::new(caches);
    let nodes = nodes_of(policy, caches);
    let mut evictor = PodEvictor::new(&policy.limits, evict);
    let mut runs = Vec::new();
    for profile in &policy.profiles {
        for plugin in &profile.plugins {
            runs.push(run_plugin(plugin, profile, &lists, &nodes, &mut evictor));
        }
    }
    runs
}

/// The nodes of a cycle: those that are ready and match the policy's `nodeSelector`.
fn nodes_of<'a>(policy: &Policy, caches: &'a Caches) -> Vec<&'a Node> {
    let nodes = caches.nodes.iter().map(|node| &**node);
    nodes
        .filter(|node| node_fit::is_ready(node) && matches(&policy.node_selector, node))
        .collect()
}

/// Whether the node matches a selector as kubectl's `-l` has it. It was parsed before.
fn matches(labels: &str, node: &Node) -> bool {
    let own = node.metadata.labels.clone().unwrap_or_default();
    labels.is_empty() || parse_labels(labels).is_ok_and(|parsed| selector::matches(&parsed, &own))
}

fn run_plugin(
    plugin: &Plugin,
    profile: &Profile,
    lists: &Lists<'_>,
    nodes: &[&Node],
    pod_evictor: &mut PodEvictor<'_>,
) -> PluginRun {
    let origin = Origin {
        profile: profile.name.clone(),
        plugin: plugin.name(),
    };
    let mut run = PluginRun::new(&origin);
    if nodes.len() < 2 {
        run.idle = Some(Idle::FewNodes);
        return run;
    }
    let gone: BTreeSet<usize> = pod_evictor.evicted.clone();
    let evictor = DefaultEvictor::new(&profile.evictor, lists, &gone);
    pod_evictor.begin(&origin);
    match plugin {
        Plugin::LowNodeUtilization(args) => {
            low_node_utilization::balance(args, lists, nodes, &evictor, pod_evictor, &mut run);
        }
        Plugin::RemoveDuplicates(args) => {
            remove_duplicates::balance(args, lists, nodes, &evictor, pod_evictor);
        }
    }
    (run.evicted, run.limited) = pod_evictor.end();
    run
}

#[cfg(test)]
mod tests;
