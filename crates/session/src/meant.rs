//! The nodes that a waiting Pod was meant for: their pools, and the room that an empty one of them would have.

use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::prepared::ControllerRef;
use berth_protocol::cycle::{Code, Cycle};
use berth_protocol::fact::FactKind;
use berth_protocol::meant::{Limit, Meant, pool};
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;

/// The nodes that the Pod of this attempt was meant for; `None` if it fits one, or if no node was examined.
pub fn of(cycle: &Cycle, cluster: &Cluster) -> Option<Meant> {
    let waits = cycle.selected.is_none() && !cycle.error;
    if !waits || cycle.pre_filter.code != Code::Success || cycle.nodes.is_empty() {
        return None;
    }
    let node_at = |position: u32| {
        let report = cycle.nodes.get(usize::try_from(position).ok()?)?;
        cluster.find_node(&report.node)
    };
    let mut meant = Meant::of(cycle, &|position, key| {
        node_at(position)?.labels.get(key).cloned()
    });
    for limit in &mut meant.limits {
        if let Limit::Elsewhere {
            volume, domains, ..
        } = limit
        {
            *domains = zones_of(volume, cluster);
        }
    }
    meant.pools = pools(&meant.nodes, cycle, cluster);
    let lacking = meant.nodes.iter().filter_map(|&position| {
        let report = cycle.nodes.get(usize::try_from(position).ok()?)?;
        let facts = report.failures.iter().flat_map(|failure| &failure.facts);
        let lacking = facts.filter_map(|fact| match &fact.kind {
            FactKind::Resource { resource, .. } if fact.kind.is_violated() => Some(resource),
            _ => None,
        });
        Some(lacking)
    });
    let lacking: BTreeSet<&String> = lacking.flatten().collect();
    let room = |resource: &str| {
        let nodes = meant.nodes.iter().filter_map(|&position| node_at(position));
        nodes
            .map(|node| room_when_empty(cluster, node, resource))
            .max()
    };
    meant.empty = lacking
        .into_iter()
        .filter_map(|resource| Some((resource.clone(), room(resource)?)))
        .collect();
    Some(meant)
}

/// The zones that the node affinity of a volume names.
#[inline(never)]
fn zones_of(volume: &str, cluster: &Cluster) -> Vec<String> {
    let volume = cluster.volumes().persistent_volumes.get(volume);
    let spec = volume.and_then(|volume| volume.spec.as_ref());
    let affinity = spec.and_then(|spec| spec.node_affinity.as_ref());
    let required = affinity.and_then(|affinity| affinity.required.as_ref());
    let terms = required.into_iter().flat_map(|it| &it.node_selector_terms);
    let rules = terms.flat_map(|term| term.match_expressions.iter().flatten());
    let zones =
        rules.filter(|rule| rule.key == "topology.kubernetes.io/zone" && rule.operator == "In");
    zones
        .flat_map(|rule| rule.values.iter().flatten().cloned())
        .collect()
}

/// What a node would have of a resource, in the resource's own unit, with no Pods but those that stay on it.
pub fn room_when_empty(cluster: &Cluster, node: &NodeInfo, resource: &str) -> i64 {
    let pods = node.pods.iter().filter_map(|&pod| cluster.pods().get(pod));
    let staying = pods.filter(|pod| {
        let controller = pod.object.template.controller.as_ref();
        controller.is_some_and(ControllerRef::stays_on_its_node)
    });
    let taken = staying.map(|pod| match resource {
        "pods" => 1,
        resource => cluster.spec_of(pod).request.get(resource),
    });
    let all = match resource {
        "pods" => node.allowed_pods,
        resource => node.allocatable.get(resource),
    };
    all.saturating_sub(taken.sum())
}

/// The pools of these nodes; empty if all nodes of the cluster are of one, or of none.
fn pools(nodes: &[u32], cycle: &Cycle, cluster: &Cluster) -> Vec<(String, Vec<u32>)> {
    let name = |report: &str| {
        cluster
            .find_node(report)
            .and_then(|node| pool(&node.labels))
    };
    let all: BTreeSet<Option<&str>> = cycle.nodes.iter().map(|it| name(&it.node)).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let mut pools: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for &position in nodes {
        let at = usize::try_from(position).ok();
        let report = at.and_then(|at| cycle.nodes.get(at));
        if let Some(name) = report.and_then(|report| name(&report.node)) {
            pools.entry(name).or_default().push(position);
        }
    }
    let pools = pools
        .into_iter()
        .map(|(name, nodes)| (name.to_owned(), nodes));
    pools.collect()
}

#[cfg(test)]
mod tests {
    use crate::explain;
    use crate::testing;

    #[test]
    fn an_empty_node_still_has_its_daemons() {
        let node = |name: &str, pool: &str, more: &str| {
            format!(
                "apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{pool: {pool}}}}}
status: {{allocatable: {{cpu: '4', memory: 8Gi, pods: '9'}}}}
{more}
---
"
            )
        };
        let pod = |name: &str, cpu: &str, more: &str| {
            format!(
                "apiVersion: v1
kind: Pod
metadata: {{name: {name}, ownerReferences: [{{apiVersion: apps/v1, kind: {more}, uid: u, controller: true}}]}}
spec: {{nodeName: n1, containers: [{{name: c, image: c, resources: {{requests: {{cpu: {cpu}}}}}}}]}}
---
"
            )
        };
        let reserved = "spec: {taints: [{key: spot, effect: NoSchedule}]}";
        let yaml = node("n1", "general", "")
            + &node("n2", "spot", reserved)
            + &pod("agent-1", "300m", "DaemonSet, name: agent")
            + &pod("web-1", "2", "ReplicaSet, name: web")
            + &pod("big", "3", "ReplicaSet, name: big").replace("nodeName: n1, ", "");
        let session = testing::session(&yaml);
        let cycle = explain::attempt(&session, 0).unwrap();
        let meant = cycle.meant.unwrap();
        assert_eq!(meant.nodes, [0]);
        assert_eq!(meant.pools, [("general".to_owned(), vec![0])]);
        assert_eq!(meant.empty.get("cpu"), Some(&3700));
    }
}
