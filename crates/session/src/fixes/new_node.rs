//! Adds a node like the existing ones.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Taint;
use serde_json::{Map, Value, json};

use berth_core::api::prepare::node_fit::tolerates as tolerates_taint;
use berth_protocol::edit::Edit;
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::fix::{Candidate, Change, NewNode};
use berth_protocol::meant::{pool, reserves};
use berth_protocol::quantity;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::resources::Resources;
use berth_scheduler::selector::compiled::{Labels, Operator, Requirement};

use super::candidates::{Family, FixContext};
use crate::meant::room_when_empty;

const HOSTNAME: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";
const ZONES: [&str; 2] = [ZONE, "failure-domain.beta.kubernetes.io/zone"];
/// The name of a zone that no node is in.
const NEW_ZONE: &str = "new-zone";
/// Maximum number of zones in which the new node is tried.
const MAX_ZONES: usize = 4;
/// Size of the node if there is none to copy: milli-CPU, bytes of memory.
const DEFAULT_SIZE: (i64, i64) = (4000, 16 << 30);

/// The properties of nodes that differ only in their name.
#[derive(Clone)]
struct Shape {
    labels: Labels,
    /// Amounts by resource, in the resource's own unit.
    allocatable: BTreeMap<String, i64>,
    /// Those that reserve the node, and none that says in which state it is.
    taints: Vec<Taint>,
}

/// Nodes of one pool and zone that differ in nothing that the Pod's rules read.
struct Kind<'a> {
    pool: Option<&'a str>,
    /// One of them, with room for the Pod if one of them has it.
    like: &'a NodeInfo,
    count: usize,
    has_room: bool,
}

/// Nodes like those that exist and that the Pod's rules admit, by pool, in each of the largest zones. If none of them has
/// the room even when it is empty, one that has; if its rules admit none, one unlike all of them.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    // Each Pod of a DaemonSet is for one particular node.
    if context.source.object.kind == "DaemonSet" {
        return family;
    }
    let name = free_names(context.cluster).next().unwrap_or_default();
    let kinds = kinds(context, &name);
    let roomy = || kinds.iter().filter(|kind| kind.has_room);
    for kind in roomy() {
        let group = format!("node of {:?}", kind.pool);
        add(context, &mut family, &name, (group, kind, NewNode::Same));
    }
    elsewhere(context, &mut family, &name, &kinds);
    let by_zone = |fact: &Fact| match &fact.kind {
        FactKind::PodAffinity { topology_key, .. } | FactKind::Spread { topology_key, .. } => {
            topology_key == ZONE
        }
        _ => false,
    };
    if let Some(kind) = roomy().next()
        && context.facts().any(|(_, fact)| by_zone(fact))
    {
        let group = "node in a zone of its own".to_owned();
        add(context, &mut family, &name, (group, kind, NewNode::OwnZone));
    }
    if roomy().next().is_none() {
        let larger = kinds.iter().filter(|kind| has_each(context, kind.like));
        for kind in larger.clone().take(MAX_ZONES) {
            let group = "larger node".to_owned();
            add(context, &mut family, &name, (group, kind, NewNode::Larger));
        }
        untolerated(context, &mut family, &name);
        if larger.count() == 0 {
            unlike(context, &mut family, &name);
        }
    }
    family
}

/// Whether the node has some of each resource that the Pod asks for: a larger one has more of them, but no others.
fn has_each(context: &FixContext<'_>, node: &NodeInfo) -> bool {
    let request = &context.cluster.spec_of(context.pod).request;
    let mut asked = asked(request).filter(|resource| request.get(resource) > 0);
    asked.all(|resource| node.allocatable.get(resource) > 0)
}

/// A node like one that the Pod was meant for and whose taint it does not tolerate: no help alone, but together with a
/// toleration.
fn untolerated(context: &FixContext<'_>, family: &mut Family, name: &str) {
    let spec = context.cluster.spec_of(context.pod);
    let mut meant = context.obstacles.iter().filter(|it| it.is_meant);
    let like = meant.find(|it| {
        let taints = it.facts.iter().any(|fact| match &fact.kind {
            FactKind::Taint { key, .. } => reserves(key),
            _ => false,
        });
        taints && has_room(context, it.node) && spec.accepts_node(&it.node.labels, name)
    });
    let Some(like) = like.map(|it| it.node) else {
        return;
    };
    let group = "node with a taint".to_owned();
    let described = (
        group,
        pool(&like.labels),
        Some(like),
        NewNode::Same,
        shape_of(like),
    );
    add_shape(context, family, name, described);
}

/// A node of the largest pool in each zone of the cluster that has no node of it: the Pod's volume may be there.
fn elsewhere(context: &FixContext<'_>, family: &mut Family, name: &str, kinds: &[Kind<'_>]) {
    let Some(kind) = kinds.iter().find(|kind| kind.has_room) else {
        return;
    };
    let zone = |node: &NodeInfo| node.labels.get(ZONE).cloned();
    let own = kinds.iter().filter(|it| it.pool == kind.pool);
    let own: BTreeSet<Option<String>> = own.map(|it| zone(it.like)).collect();
    let mut seen = own.clone();
    for there in context.cluster.nodes() {
        if !seen.insert(zone(there)) || own.contains(&None) {
            continue;
        }
        let mut shape = shape_of(kind.like);
        for (key, value) in &mut shape.labels {
            let is_place = key.starts_with("topology.") || ZONES.contains(&key.as_str());
            if let Some(other) = there.labels.get(key).filter(|_| is_place) {
                value.clone_from(other);
            }
        }
        let group = format!("node of {:?}", kind.pool);
        let described = (group, kind.pool, Some(kind.like), NewNode::Same, shape);
        add_shape(context, family, name, described);
    }
}

/// The kinds of nodes that the Pod's rules admit, those with the most nodes first.
fn kinds<'a>(context: &FixContext<'a>, name: &str) -> Vec<Kind<'a>> {
    let spec = context.cluster.spec_of(context.pod);
    let keys = crate::frame::node_keys(spec);
    let tolerates = |taint: &Taint| {
        let mut tolerations = spec.tolerations.iter();
        tolerations.any(|toleration| tolerates_taint(toleration, taint))
    };
    let admits = |node: &NodeInfo| {
        let mut taints = reserving(node);
        taints.all(|taint| taint.effect == "PreferNoSchedule" || tolerates(taint))
            && spec.accepts_node(&node.labels, name)
    };
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    let mut kinds: Vec<Kind<'a>> = Vec::new();
    for node in context.cluster.nodes().filter(|node| admits(node)) {
        let (pool, zone) = (pool(&node.labels), node.labels.get(ZONE));
        let read: Vec<Option<&String>> = keys.iter().map(|key| node.labels.get(key)).collect();
        let taints: Vec<&str> = reserving(node).map(|taint| taint.key.as_str()).collect();
        let has_room = has_room(context, node);
        let at = *known
            .entry((pool, zone, read, taints))
            .or_insert(kinds.len());
        match kinds.get_mut(at) {
            Some(kind) => {
                kind.count += 1;
                if has_room && !kind.has_room {
                    (kind.like, kind.has_room) = (node, true);
                }
            }
            None => kinds.push(Kind {
                pool,
                like: node,
                count: 1,
                has_room,
            }),
        }
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    kinds
}

/// Whether the Pod would have room on such a node beside the Pods that every such node has.
fn has_room(context: &FixContext<'_>, node: &NodeInfo) -> bool {
    let request = &context.cluster.spec_of(context.pod).request;
    let mut asked = asked(request);
    asked.all(|resource| {
        let request = request.get(resource);
        request == 0 || request <= room_when_empty(context.cluster, node, resource)
    }) && room_when_empty(context.cluster, node, "pods") > 0
}

fn asked(request: &Resources) -> impl Iterator<Item = &str> {
    let scalars = request.scalars.iter().map(|(name, _)| name.as_str());
    ["cpu", "memory", "ephemeral-storage"]
        .into_iter()
        .chain(scalars)
}

fn add(
    context: &FixContext<'_>,
    family: &mut Family,
    name: &str,
    (group, kind, new): (String, &Kind<'_>, NewNode),
) {
    let mut shape = shape_of(kind.like);
    if new == NewNode::OwnZone {
        for key in ZONES {
            if let Some(zone) = shape.labels.get_mut(key) {
                NEW_ZONE.clone_into(zone);
            }
        }
    }
    if new == NewNode::Larger {
        enlarge(context, kind.like, &mut shape);
    }
    add_shape(
        context,
        family,
        name,
        (group, kind.pool, Some(kind.like), new, shape),
    );
}

/// Makes a node large enough for the Pod and those that such a node has anyway.
fn enlarge(context: &FixContext<'_>, like: &NodeInfo, shape: &mut Shape) {
    let request = &context.cluster.spec_of(context.pod).request;
    for resource in asked(request) {
        let all = like.allocatable.get(resource);
        let staying = all - room_when_empty(context.cluster, like, resource);
        let needed = request.get(resource) + staying;
        if request.get(resource) > 0 && needed > all {
            shape.allocatable.insert(resource.to_owned(), needed);
        }
    }
}

/// A node that the Pod's rules admit, where none does.
fn unlike(context: &FixContext<'_>, family: &mut Family, name: &str) {
    let mut workers: BTreeMap<Option<&String>, (usize, &NodeInfo)> = BTreeMap::new();
    for node in context.cluster.nodes().filter(|node| is_worker(node)) {
        workers.entry(node.labels.get(ZONE)).or_insert((0, node)).0 += 1;
    }
    let mut workers: Vec<(usize, &NodeInfo)> = workers.into_values().collect();
    workers.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let mut shapes: Vec<Shape> = workers.iter().map(|(_, node)| shape_of(node)).collect();
    if shapes.is_empty() {
        shapes.push(Shape {
            labels: Labels::new(),
            allocatable: BTreeMap::new(),
            taints: Vec::new(),
        });
    }
    let is_first = context.cluster.nodes().next().is_none();
    let new = if is_first {
        NewNode::Same
    } else {
        NewNode::Unlike
    };
    for shape in shapes.into_iter().take(MAX_ZONES) {
        let shape = suited(context, shape);
        let group = "unlike node".to_owned();
        add_shape(context, family, name, (group, None, None, new, shape));
    }
}

type Described<'a> = (
    String,
    Option<&'a str>,
    Option<&'a NodeInfo>,
    NewNode,
    Shape,
);

fn add_shape(
    context: &FixContext<'_>,
    family: &mut Family,
    name: &str,
    (group, pool, like, kind, shape): Described<'_>,
) {
    let what = Change::AddNode {
        name: name.to_owned(),
        count: 1,
        like: like.map(|node| node.name.to_string()),
        pool: pool.map(str::to_owned),
        kind,
        zone: shape.labels.get(ZONE).cloned(),
        milli_cpu: shape.allocatable.get("cpu").copied().unwrap_or(0),
        memory_bytes: shape.allocatable.get("memory").copied().unwrap_or(0),
        others: others(context, &shape),
        labels: telling(context, &shape),
    };
    let manifest = manifest(name, &shape);
    family.add_to(group, what, vec![Edit::Create { manifest }]);
}

/// The node's amounts of the resources that the Pod requests besides CPU and memory.
fn others(context: &FixContext<'_>, shape: &Shape) -> BTreeMap<String, i64> {
    let request = &context.cluster.spec_of(context.pod).request;
    let is_other = |name: &str| !matches!(name, "cpu" | "memory" | "pods");
    let asked = shape
        .allocatable
        .iter()
        .filter(|(name, _)| is_other(name) && request.get(name) > 0);
    asked
        .map(|(name, amount)| (name.clone(), *amount))
        .collect()
}

/// The node's labels that the Pod's rules read, without the zone.
fn telling(context: &FixContext<'_>, shape: &Shape) -> Labels {
    let keys = crate::frame::node_keys(context.cluster.spec_of(context.pod));
    let keys = keys.into_iter().filter(|key| key != ZONE);
    let labels = keys.filter_map(|key| shape.labels.get_key_value(&key));
    labels
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The candidate with `count` nodes in place of one; `None` if it adds no node.
pub fn several(cluster: &Cluster, one: &Candidate, count: u32) -> Option<Candidate> {
    let mut what = one.what.clone();
    let Change::AddNode {
        count: of_change, ..
    } = &mut what
    else {
        return None;
    };
    *of_change = count;
    let Some(Edit::Create { manifest }) = one.edits.first() else {
        return None;
    };
    let edits = free_names(cluster)
        .take(usize::try_from(count).ok()?)
        .map(|name| {
            let mut manifest = manifest.clone();
            if let Some(labels) = manifest.pointer_mut("/metadata/labels") {
                labels[HOSTNAME] = json!(name);
            }
            if let Some(own) = manifest.pointer_mut("/metadata/name") {
                *own = json!(name);
            }
            Edit::Create { manifest }
        });
    Some(Candidate {
        edits: edits.collect(),
        what,
        group: one.group.clone(),
        template: None,
    })
}

/// Names that no node has.
fn free_names(cluster: &Cluster) -> impl Iterator<Item = String> {
    let names = (1_u64..).map(|number| format!("node-new-{number}"));
    names.filter(|name| cluster.find_node(name).is_none())
}

/// Whether it is neither a control plane node nor tainted; a cordon does not count.
fn is_worker(node: &NodeInfo) -> bool {
    let repels = |taint: &Taint| taint.effect != "PreferNoSchedule";
    let controls = |label: &String| {
        matches!(
            label.as_str(),
            "node-role.kubernetes.io/control-plane" | "node-role.kubernetes.io/master"
        )
    };
    !node
        .taints
        .iter()
        .any(|taint| repels(taint) && !is_cordon(taint))
        && !node.labels.keys().any(controls)
}

/// The taints that reserve a node.
fn reserving(node: &NodeInfo) -> impl Iterator<Item = &Taint> {
    node.taints.iter().filter(|taint| reserves(&taint.key))
}

fn is_cordon(taint: &Taint) -> bool {
    taint.key == super::node::CORDON_TAINT
}

fn shape_of(node: &NodeInfo) -> Shape {
    let mut labels = node.labels.as_ref().clone();
    labels.remove(HOSTNAME);
    let Resources {
        milli_cpu,
        memory_bytes,
        ephemeral_storage_bytes,
        scalars,
    } = &node.allocatable;
    let mut allocatable = BTreeMap::from([
        ("cpu".to_owned(), *milli_cpu),
        ("memory".to_owned(), *memory_bytes),
        ("pods".to_owned(), node.allowed_pods),
    ]);
    if *ephemeral_storage_bytes > 0 {
        allocatable.insert("ephemeral-storage".to_owned(), *ephemeral_storage_bytes);
    }
    allocatable.extend(scalars.iter().cloned());
    Shape {
        labels,
        allocatable,
        taints: reserving(node).cloned().collect(),
    }
}

/// Adapts the shape to the Pod: large enough, and with the labels of its node selector and of its first required term.
fn suited(context: &FixContext<'_>, mut shape: Shape) -> Shape {
    let spec = context.cluster.spec_of(context.pod);
    for (name, amount) in [("cpu", DEFAULT_SIZE.0), ("memory", DEFAULT_SIZE.1)] {
        shape.allocatable.entry(name.to_owned()).or_insert(amount);
    }
    let request = &spec.request;
    let scalars = request.scalars.iter().map(|(name, _)| name.as_str());
    let names: BTreeSet<&str> = ["cpu", "memory", "ephemeral-storage"]
        .into_iter()
        .chain(scalars)
        .collect();
    for name in names {
        let asked = request.get(name);
        if asked > shape.allocatable.get(name).copied().unwrap_or(0) {
            shape.allocatable.insert(name.to_owned(), asked);
        }
    }
    if let Some(pods) = shape.allocatable.get_mut("pods") {
        *pods = (*pods).max(1);
    }
    let affinity = spec.required_node_affinity.as_ref();
    let matching =
        |terms: &berth_scheduler::selector::compiled::NodeTerms| terms.matches(&shape.labels, "");
    let term = affinity.filter(|terms| !matching(terms));
    let term = term.and_then(|terms| terms.0.first());
    let wanted = spec.node_selector.iter();
    let wanted: Vec<Requirement> = wanted
        .chain(term.iter().flat_map(|term| &term.labels))
        .cloned()
        .collect();
    for requirement in wanted {
        satisfy(&mut shape.labels, &requirement);
    }
    shape
}

fn satisfy(labels: &mut Labels, requirement: &Requirement) {
    let key = &requirement.key;
    if key == HOSTNAME || requirement.matches(labels.get(key).map(String::as_str)) {
        return;
    }
    match requirement.operator {
        Operator::In => {
            if let Some(value) = requirement.values.first() {
                labels.insert(key.clone(), value.clone());
            }
        }
        Operator::Exists => {
            labels.insert(key.clone(), "true".to_owned());
        }
        Operator::NotIn | Operator::DoesNotExist => {
            labels.remove(key);
        }
        Operator::Gt | Operator::Lt => {}
    }
}

fn manifest(name: &str, shape: &Shape) -> Value {
    let mut labels = shape.labels.clone();
    labels.insert(HOSTNAME.to_owned(), name.to_owned());
    let allocatable: Map<String, Value> = shape
        .allocatable
        .iter()
        .map(|(resource, amount)| (resource.clone(), json!(quantity::of(resource, *amount))))
        .collect();
    let mut manifest = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": allocatable},
    });
    if !shape.taints.is_empty() {
        let taints = shape
            .taints
            .iter()
            .map(|taint| json!({"key": taint.key, "value": taint.value, "effect": taint.effect}));
        manifest["spec"] = json!({"taints": taints.collect::<Vec<Value>>()});
    }
    manifest
}
