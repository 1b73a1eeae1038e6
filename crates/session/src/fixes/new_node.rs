//! Adds a node like the existing ones.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Taint;
use serde_json::{Map, Value, json};

use berth_core::api::selector::compiled::{Labels, Operator, Requirement};
use berth_core::cluster::Cluster;
use berth_core::cluster::node::NodeInfo;
use berth_core::cluster::resources::Resources;
use berth_protocol::edit::Edit;
use berth_protocol::fix::{Candidate, Change};
use berth_protocol::quantity;

use super::candidates::{Family, FixContext};

const HOSTNAME: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";
/// Maximum number of zones in which the new node is tried.
const MAX_ZONES: usize = 4;
/// Size of the node if there is none to copy: milli-CPU, bytes of memory.
const DEFAULT_SIZE: (i64, i64) = (4000, 16 << 30);

/// The properties of nodes that differ only in their name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    labels: Labels,
    /// Amounts by resource, in the resource's own unit.
    allocatable: BTreeMap<String, i64>,
}

/// The most common shape in each zone, large enough for the Pod, without taints.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    // Each Pod of a DaemonSet is for one particular node.
    if context.source.object.kind == "DaemonSet" {
        return family;
    }
    let name = free_names(context.cluster).next().unwrap_or_default();
    let mut zones: BTreeMap<Option<&String>, BTreeMap<Shape, (usize, &NodeInfo)>> = BTreeMap::new();
    for node in context.cluster.nodes().filter(|node| is_worker(node)) {
        let shapes = zones.entry(node.labels.get(ZONE)).or_default();
        let entry = shapes.entry(shape_of(node)).or_insert((0, node));
        entry.0 += 1;
    }
    let fits = |shape: &Shape| {
        let spec = context.cluster.spec_of(context.pod);
        spec.accepts_node(&shape.labels, &name)
    };
    // Shapes that the Pod's node affinity accepts come first, then common ones.
    let mut choices: Vec<(bool, usize, Shape, Option<&NodeInfo>)> = Vec::new();
    for shapes in zones.values() {
        let best = shapes
            .iter()
            .max_by_key(|(shape, (count, node))| (fits(shape), *count, std::cmp::Reverse(node.ix)));
        if let Some((shape, (count, node))) = best {
            choices.push((fits(shape), *count, shape.clone(), Some(node)));
        }
    }
    choices.sort_by_key(|(fits, count, ..)| std::cmp::Reverse((*fits, *count)));
    if choices.is_empty() {
        let shape = Shape {
            labels: Labels::new(),
            allocatable: BTreeMap::new(),
        };
        choices.push((false, 0, shape, None));
    }
    for (_, _, shape, like) in choices.into_iter().take(MAX_ZONES) {
        let shape = suited(context, shape);
        let what = Change::AddNode {
            name: name.clone(),
            count: 1,
            like: like.map(|node| node.name.to_string()),
            zone: shape.labels.get(ZONE).cloned(),
            milli_cpu: shape.allocatable.get("cpu").copied().unwrap_or(0),
            memory_bytes: shape.allocatable.get("memory").copied().unwrap_or(0),
            others: others(context, &shape),
            labels: telling(context, &shape),
        };
        let manifest = manifest(&name, &shape);
        family.add_to("node".to_owned(), what, vec![Edit::Create { manifest }]);
    }
    family
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
        |terms: &berth_core::api::selector::compiled::NodeTerms| terms.matches(&shape.labels, "");
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
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": allocatable},
    })
}
