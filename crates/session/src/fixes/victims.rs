//! Fixes that remove running Pods to make room.
#![deny(clippy::wildcard_enum_match_arm)]

use std::collections::BTreeMap;

use serde_json::json;

use berth_core::api::kinds::Kind;
use berth_core::api::prepared::ControllerRef;
use berth_protocol::edit::Edit;
use berth_protocol::fact::{AffinityTermKind, DeviceOutcome, Fact, FactKind};
use berth_protocol::fix::Change;
use berth_scheduler::cluster::class::HitKind;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::{NodeIx, PodIx};
use berth_scheduler::selector::compiled::Selector;

use super::candidates::{Family, FixContext, Obstacle};
use super::fields::{key, steps};
use super::source::Source;

/// Maximum number of nodes whose whole domain is searched for victims: those with the fewest obstacles.
const MAX_DOMAINS: usize = 64;
/// Maximum number of candidates on one node.
const MAX_PER_NODE: usize = 2;

/// Deletes one Pod, or scales its workload down by one.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut found: Vec<(bool, i32, usize, PodIx)> = Vec::new();
    let mut domains = 0;
    for (order, obstacle) in context.obstacles.iter().enumerate() {
        let key = shared_key(obstacle);
        domains += usize::from(key.is_some());
        if key.is_some() && domains > MAX_DOMAINS {
            continue;
        }
        let nodes = match key {
            Some(key) => nodes_beside(context, obstacle.node, key),
            None => vec![obstacle.node.ix],
        };
        let mut helpful: Vec<&PodInfo> = nodes
            .into_iter()
            .flat_map(|node| &context.cluster.node(node).pods)
            .filter_map(|&pod| context.cluster.pods().get(pod))
            .filter(|pod| may_go(context, pod) && helps(context, obstacle, pod))
            .collect();
        helpful.sort_by_key(|pod| (is_guarded(context, pod), pod.priority(), pod.ix));
        let helpful = helpful.into_iter().take(MAX_PER_NODE);
        found.extend(helpful.map(|pod| (is_guarded(context, pod), pod.priority(), order, pod.ix)));
    }
    found.sort_unstable();
    let mut family = Family::default();
    let mut last_pods: Option<BTreeMap<u32, (PodIx, usize)>> = None;
    for (violates_budget, _, _, pod) in found {
        if family.is_full() {
            break;
        }
        let Some(pod) = context.cluster.pods().get(pod) else {
            continue;
        };
        let Some(source) = Source::at(context.session, pod.object.document) else {
            continue;
        };
        if source.is_workload() {
            let last = last_pods.get_or_insert_with(|| last_of_documents(context));
            scale_down(
                &mut family,
                pod,
                &source,
                last,
                context.session.is_simulated(),
            );
        } else {
            let what = Change::DeletePod {
                pod: pod.object.key(),
                node: node_name(pod),
                priority: pod.priority(),
                violates_budget,
            };
            let object = source.object;
            family.add(what, vec![Edit::Delete { object }]);
        }
    }
    family
}

/// A workload's replicas are created in order, so one replica fewer removes the last one.
fn scale_down(
    family: &mut Family,
    pod: &PodInfo,
    source: &Source,
    last: &BTreeMap<u32, (PodIx, usize)>,
    is_simulated: bool,
) {
    let Some(&(last, count)) = last.get(&source.document) else {
        return;
    };
    let replicas = super::fields::get(&source.json, &steps("spec.replicas"));
    let replicas = replicas.map_or(Some(1), serde_json::Value::as_i64);
    // The count would include Pods of the input that the workload already owns.
    let made_all = replicas.and_then(|replicas| usize::try_from(replicas).ok()) == Some(count);
    let (true, true, Some(from)) = (last == pod.ix, made_all, replicas) else {
        return;
    };
    // A ReplicaSet's controller may choose other Pods: unready or younger ones.
    let is_ordered = source.object.kind == "StatefulSet" || !is_simulated;
    let scales = Kind::of_name(&source.object.kind).is_some_and(|kind| kind.info().scales);
    if !is_ordered || !scales {
        return;
    }
    let what = Change::ScaleDown {
        object: source.object.clone(),
        from,
        to: from - 1,
        pod: pod.object.key(),
        node: node_name(pod),
        priority: pod.priority(),
    };
    let edit = Edit::Set {
        object: source.object.clone(),
        path: vec![key("spec"), key("replicas")],
        value: json!(from - 1),
    };
    family.add(what, vec![edit]);
}

/// The last Pod of each document, and the number of its Pods.
fn last_of_documents(context: &FixContext<'_>) -> BTreeMap<u32, (PodIx, usize)> {
    let mut last = BTreeMap::new();
    for pod in context.cluster.pods().iter() {
        let entry = last.entry(pod.object.document).or_insert((pod.ix, 0));
        *entry = (pod.ix, entry.1 + 1);
    }
    last
}

fn node_name(pod: &PodInfo) -> String {
    pod.object
        .node_name
        .as_deref()
        .unwrap_or_default()
        .to_owned()
}

/// Excludes this Pod's siblings, Pods that would be recreated on the same node, and terminating Pods.
fn may_go(context: &FixContext<'_>, pod: &PodInfo) -> bool {
    let controller = pod.object.template.controller.as_ref();
    !context.is_sibling(pod)
        && !pod.object.terminating
        && !controller.is_some_and(ControllerRef::stays_on_its_node)
}

/// Whether a budget allows no disruption of the Pod. A budget without a selector guards no Pod, as in preemption.
fn is_guarded(context: &FixContext<'_>, pod: &PodInfo) -> bool {
    let mut budgets = context.cluster.budgets();
    budgets.any(|budget| {
        let selector = budget.spec.as_ref().and_then(|spec| spec.selector.as_ref());
        let selector = Selector::new(selector);
        let allowed = budget.status.as_ref();
        let allowed = allowed.map_or(0, |status| status.disruptions_allowed.unwrap_or(0));
        allowed <= 0
            && budget.metadata.namespace.as_deref() == Some(&pod.object.namespace)
            && !selector.is_empty()
            && selector.matches(&pod.object.template.labels)
    })
}

/// The topology key of the domain in which Pods can be victims; `None` if they must be on the node.
fn shared_key<'o>(obstacle: &Obstacle<'o>) -> Option<&'o str> {
    let keys = obstacle.facts.iter().map(|fact| match &fact.kind {
        FactKind::Spread { topology_key, .. } | FactKind::PodAffinity { topology_key, .. } => {
            Some(topology_key.as_str())
        }
        FactKind::Resource { .. }
        | FactKind::Taint { .. }
        | FactKind::NodeRequirement { .. }
        | FactKind::HostPort { .. }
        | FactKind::VolumeCount { .. }
        | FactKind::Volume { .. }
        | FactKind::Device { .. }
        | FactKind::NodeName { .. }
        | FactKind::Unschedulable
        | FactKind::NodeFeature { .. } => None,
    });
    let keys: Option<Vec<&str>> = keys.collect();
    keys.and_then(|keys| keys.first().copied())
}

/// The nodes of the node's domain; empty if it is in none.
fn nodes_beside(context: &FixContext<'_>, node: &NodeInfo, topology_key: &str) -> Vec<NodeIx> {
    let Some(domain) = node.labels.get(topology_key) else {
        return Vec::new();
    };
    let nodes = context.cluster.nodes();
    let members = nodes.filter(|node| node.labels.get(topology_key) == Some(domain));
    members.map(|node| node.ix).collect()
}

/// Whether the removal of the Pod would remove or reduce every fact against the node.
fn helps(context: &FixContext<'_>, obstacle: &Obstacle<'_>, pod: &PodInfo) -> bool {
    let is_of_devices = |fact: &&&Fact| matches!(fact.kind, FactKind::Device { .. });
    let (devices, others): (Vec<&Fact>, Vec<&Fact>) =
        obstacle.facts.iter().partition(|fact| is_of_devices(fact));
    let frees = devices.is_empty() || devices.iter().any(|fact| counts(context, fact, pod));
    !obstacle.facts.is_empty() && frees && others.iter().all(|fact| counts(context, fact, pod))
}

/// Whether the Pod has a device (`DRIVER/POOL/DEVICE`) by one of its claims.
fn holds(context: &FixContext<'_>, pod: &PodInfo, device: &str) -> bool {
    let claims = context.cluster.devices().claims();
    let mut held = claims
        .filter_map(|claim| claim.status.as_ref())
        .filter(|status| {
            let mut users = status.reserved_for.iter().flatten();
            users.any(|user| *user.uid == *pod.object.uid)
        });
    held.any(|status| {
        let devices = status
            .allocation
            .as_ref()
            .and_then(|it| it.devices.as_ref());
        let mut results = devices
            .into_iter()
            .flat_map(|it| it.results.iter().flatten());
        results.any(|it| format!("{}/{}/{}", it.driver, it.pool, it.device) == device)
    })
}

fn counts(context: &FixContext<'_>, fact: &Fact, pod: &PodInfo) -> bool {
    let cluster = context.cluster;
    let own = cluster.class(context.pod.class);
    match &fact.kind {
        FactKind::Resource { resource, .. } if resource == "pods" => true,
        FactKind::Resource { .. } => {
            let counted = &cluster.spec_of(pod).counted;
            let missing = fact.kind.missing();
            missing.is_some_and(|(resource, missing)| counted.get(resource) >= missing)
        }
        FactKind::HostPort { .. } => {
            let wanted = &cluster.spec_of(context.pod).host_ports;
            let held = &cluster.spec_of(pod).host_ports;
            held.iter()
                .any(|held| wanted.iter().any(|port| held.conflicts_with(port)))
        }
        FactKind::Device {
            outcome: DeviceOutcome::InUse,
            device,
            ..
        } => holds(context, pod, device),
        FactKind::Spread { .. } => own
            .spread
            .iter()
            .filter(|constraint| constraint.pod_path == fact.pod_path)
            .filter_map(|constraint| constraint.matcher)
            .any(|matcher| cluster.matchers().get(matcher).matches(pod.class)),
        FactKind::PodAffinity { term, .. } => match term {
            AffinityTermKind::Affinity => false,
            AffinityTermKind::AntiAffinity => own
                .affinity
                .required_anti
                .iter()
                .filter(|term| term.pod_path == fact.pod_path)
                .any(|term| cluster.matchers().get(term.matcher).matches(pod.class)),
            AffinityTermKind::ExistingAntiAffinity => {
                let hits = cluster.hits(context.pod.class);
                hits.iter()
                    .any(|hit| hit.class == pod.class && hit.kind == HitKind::RequiredAntiAffinity)
            }
        },
        FactKind::Device { .. }
        | FactKind::Taint { .. }
        | FactKind::NodeRequirement { .. }
        | FactKind::VolumeCount { .. }
        | FactKind::Volume { .. }
        | FactKind::NodeName { .. }
        | FactKind::Unschedulable
        | FactKind::NodeFeature { .. } => false,
    }
}
