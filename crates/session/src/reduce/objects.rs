//! The objects of a cluster at the moment of an attempt, each alone: Pods with their nodes and without their workloads.

use std::collections::{BTreeMap, BTreeSet};

use berth_base::quantity::Quantity;
use berth_core::api::object::Manifest;
use berth_core::api::scenario::API_VERSION;
use berth_protocol::quantity;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::resources::Resources;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::export;
use crate::pairing::feature_gates;
use crate::session::Session;

/// The fields of a Pod's spec that scheduling reads.
const OF_POD: [&str; 18] = [
    "nodeName",
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "priority",
    "priorityClassName",
    "preemptionPolicy",
    "schedulerName",
    "containers",
    "initContainers",
    "overhead",
    "resources",
    "volumes",
    "resourceClaims",
    "hostNetwork",
    "os",
    "schedulingGates",
];
/// Those of its containers, and those that the API server needs.
const OF_CONTAINER: [&str; 5] = ["name", "image", "resources", "ports", "restartPolicy"];

/// What a draft is made of.
pub(super) struct Objects {
    /// The Scenario, and the scheduler's configuration if there is one.
    pub head: Vec<Value>,
    pub nodes: Vec<(String, Value)>,
    /// The Pods that run, in document order.
    pub pods: Vec<Running>,
    /// The Pod of the attempt.
    pub target: Value,
    /// All other objects that scheduling reads.
    pub others: Vec<Value>,
}

/// A Pod that runs.
pub(super) struct Running {
    /// `namespace/name`.
    pub key: String,
    pub node: String,
    pub priority: i32,
    /// What it takes of its node.
    pub takes: Resources,
    pub value: Value,
}

impl Objects {
    /// The objects at this moment; `None` if no Pod is tried next. `whole`: with the fields of nodes and Pods that
    /// scheduling rarely reads.
    pub fn at(session: &Session, whole: bool) -> Option<Self> {
        let run = session.run();
        let cluster = run.cluster();
        let target = run.next_pod()?;
        let nodes = cluster.nodes().map(|node| {
            let value = cleaned(&*node.object);
            let value = if whole { value } else { node_fields(value) };
            (node.name.to_string(), value)
        });
        let runs = |pod: &&PodInfo| !pod.object.phase.is_terminal() && pod.ix != target.ix;
        let pods = cluster.pods().iter().filter(runs).filter_map(|pod| {
            let node = pod.node?;
            Some(Running {
                key: pod.object.key(),
                node: cluster.node(node).name.to_string(),
                priority: pod.priority(),
                takes: cluster.spec_of(pod).counted.clone(),
                value: pod_alone(session, pod, whole),
            })
        });
        Some(Self {
            head: head(session),
            nodes: nodes.collect(),
            pods: pods.collect(),
            target: pod_alone(session, target, whole),
            others: others(session),
        })
    }
}

/// The Scenario that fixes the release, and the scheduler's configuration.
pub(super) fn head(session: &Session) -> Vec<Value> {
    let manifests = session.manifests();
    let documents = manifests.loaded.documents.iter();
    let mut configurations = documents.filter_map(|document| match document.object.as_deref() {
        Some(Manifest::SchedulerConfiguration(value)) => Some(&**value),
        _ => None,
    });
    let configuration = configurations.next_back();
    let gates = feature_gates(session);
    let release = manifests.prepared.release.version().minor();
    let mut scenario =
        json!({"apiVersion": API_VERSION, "kind": "Scenario", "kubernetes": release});
    if !gates.is_empty() {
        scenario["featureGates"] = json!(gates);
    }
    [scenario]
        .into_iter()
        .chain(configuration.cloned())
        .collect()
}

/// A Pod that needs neither its workload nor the controller of its claims.
fn pod_alone(session: &Session, pod: &PodInfo, whole: bool) -> Value {
    let mut value = export::pod_manifest(session, pod);
    let claims = pod.object.claim_names.iter();
    let claims: BTreeMap<&str, Option<&str>> = claims
        .map(|(name, claim)| (name.as_str(), claim.as_deref()))
        .collect();
    if let Some(Value::Object(metadata)) = value.get_mut("metadata") {
        metadata.retain(|field, _| matches!(field.as_str(), "name" | "namespace" | "labels"));
    }
    let status = value.get_mut("status").and_then(Value::as_object_mut);
    if let Some(status) = status {
        status.retain(|field, _| field == "nominatedNodeName");
    }
    let Some(Value::Object(spec)) = value.get_mut("spec") else {
        return value;
    };
    for entry in items(spec, "resourceClaims") {
        let name = entry.get("name").and_then(Value::as_str);
        let claim = name.and_then(|name| claims.get(name).copied().flatten());
        if let (Some(claim), Some(entry)) = (claim, entry.as_object_mut()) {
            let claim = json!(claim);
            entry.shift_remove("resourceClaimTemplateName");
            entry.insert("resourceClaimName".to_owned(), claim);
        }
    }
    spec.values_mut().for_each(without_merged_keys);
    if !whole {
        spec.retain(|field, _| OF_POD.contains(&field.as_str()));
        for field in ["containers", "initContainers"] {
            let containers = items(spec, field).filter_map(Value::as_object_mut);
            for container in containers {
                container.retain(|field, _| OF_CONTAINER.contains(&field.as_str()));
            }
        }
    }
    value
}

/// Leaves out the label keys that the API server has merged into the selector beside them: it refuses to do so again.
fn without_merged_keys(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_merged_keys),
        Value::Object(map) => {
            let expressions = map
                .get("labelSelector")
                .and_then(|it| it.get("matchExpressions"));
            let expressions = expressions.and_then(Value::as_array);
            let merged: Vec<Value> = expressions
                .into_iter()
                .flatten()
                .filter_map(|expression| expression.get("key").cloned())
                .collect();
            for field in ["matchLabelKeys", "mismatchLabelKeys"] {
                if let Some(Value::Array(keys)) = map.get_mut(field) {
                    keys.retain(|key| !merged.contains(key));
                }
            }
            map.values_mut().for_each(without_merged_keys);
        }
        _ => {}
    }
}

fn items<'v>(map: &'v mut Map<String, Value>, field: &str) -> impl Iterator<Item = &'v mut Value> {
    let list = map.get_mut(field).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn node_fields(mut node: Value) -> Value {
    let kept: [(&str, &[&str]); 2] = [
        ("spec", &["taints", "unschedulable"]),
        ("status", &["allocatable", "declaredFeatures"]),
    ];
    for (part, fields) in kept {
        if let Some(Value::Object(map)) = node.get_mut(part) {
            map.retain(|field, _| fields.contains(&field.as_str()));
        }
    }
    node
}

/// An object without what only its cluster wrote.
fn cleaned(object: &impl Serialize) -> Value {
    let mut value = berth_base::json::value(object);
    if let Some(Value::Object(metadata)) = value.get_mut("metadata") {
        metadata.retain(|field, _| {
            matches!(
                field.as_str(),
                "name" | "namespace" | "labels" | "annotations"
            )
        });
        let annotations = metadata.get_mut("annotations");
        if let Some(Value::Object(annotations)) = annotations {
            // The binder of volumes reads its own.
            annotations.retain(|key, _| key.starts_with("volume.") || key.starts_with("pv."));
        }
    }
    // A Pod that runs reserves its claims.
    if let Some(Value::Object(status)) = value.get_mut("status") {
        status.shift_remove("reservedFor");
    }
    value
}

fn extend<'o, T: Serialize + 'o>(all: &mut Vec<Value>, objects: impl Iterator<Item = &'o T>) {
    all.extend(objects.map(cleaned));
}

fn others(session: &Session) -> Vec<Value> {
    let it = &session.manifests().prepared;
    let namespaces = it.namespaces.iter().map(|(name, labels)| {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    });
    let mut all: Vec<Value> = namespaces.collect();
    let cluster = session.run().cluster();
    let volumes = cluster.volumes();
    extend(&mut all, volumes.storage_classes.values().map(|it| &**it));
    extend(&mut all, volumes.csi_drivers.values().map(|it| &**it));
    extend(&mut all, volumes.csi_nodes.values().map(|it| &**it));
    extend(
        &mut all,
        volumes.storage_capacities.values().map(|it| &**it),
    );
    extend(&mut all, it.volume_attachments.iter());
    extend(
        &mut all,
        volumes.persistent_volumes.values().map(|it| &**it),
    );
    extend(&mut all, volumes.claims.values().map(|it| &**it));
    extend(&mut all, it.device_classes.iter());
    extend(&mut all, it.resource_slices.iter());
    extend(&mut all, cluster.devices().claims().map(|it| &**it));
    extend(&mut all, cluster.budgets().map(|it| &**it));
    let documents = session.manifests().loaded.documents.iter();
    all.extend(
        documents.filter_map(|document| match document.object.as_deref() {
            Some(Manifest::PriorityClass(class)) => Some(cleaned(&**class)),
            _ => None,
        }),
    );
    all
}

/// Which of a node's other Pods become one that takes as much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    All,
    /// Those of one priority.
    ByPriority,
    Nothing,
}

/// Running Pods, but those named, folded. They move to this namespace.
pub(super) fn folded(
    pods: &[&Running],
    named: &BTreeSet<String>,
    fold: Fold,
    namespace: &str,
) -> Vec<Value> {
    let is_alone = |pod: &&&Running| fold == Fold::Nothing || named.contains(&pod.key);
    let mut groups: BTreeMap<(&str, i32), Vec<&Running>> = BTreeMap::new();
    for pod in pods.iter().filter(|pod| !is_alone(pod)) {
        let priority = if fold == Fold::All { 0 } else { pod.priority };
        let group = groups.entry((pod.node.as_str(), priority)).or_default();
        group.push(pod);
    }
    let alone = pods.iter().filter(is_alone);
    let mut all: Vec<Value> = alone.map(|pod| pod.value.clone()).collect();
    let one = groups.iter().filter_map(|((_, priority), group)| {
        let mut one = as_one(group, *priority)?;
        one["metadata"]["namespace"] = namespace.into();
        Some(one)
    });
    all.extend(one);
    all
}

/// The documents with the Pods of each node as one that only take room; `None` if there are no two on a node.
pub(super) fn merged(documents: &[Value]) -> Option<Vec<Value>> {
    let mut all: Vec<Value> = Vec::new();
    // The place of the Pod that takes room on each node.
    let mut of_node: BTreeMap<&str, usize> = BTreeMap::new();
    for document in documents {
        let node = document.pointer("/spec/nodeName").and_then(Value::as_str);
        let node = node.filter(|_| only_takes_room(document));
        let place = node.and_then(|node| of_node.get(node));
        match (node, place.and_then(|place| all.get_mut(*place))) {
            (Some(_), Some(one)) => add_requests(one, document)?,
            (Some(node), None) => {
                of_node.insert(node, all.len());
                all.push(document.clone());
            }
            (None, _) => all.push(document.clone()),
        }
    }
    (all.len() < documents.len()).then_some(all)
}

/// Whether a Pod that runs has nothing but requests.
fn only_takes_room(pod: &Value) -> bool {
    let only = |value: Option<&Value>, fields: &[&str]| {
        let map = value.and_then(Value::as_object);
        map.is_some_and(|map| map.keys().all(|field| fields.contains(&field.as_str())))
    };
    let containers = pod.pointer("/spec/containers").and_then(Value::as_array);
    let [container] = containers.map_or(&[] as &[Value], Vec::as_slice) else {
        return false;
    };
    only(Some(pod), &["apiVersion", "kind", "metadata", "spec"])
        && only(pod.get("metadata"), &["name", "namespace"])
        && only(pod.get("spec"), &["nodeName", "containers"])
        && only(Some(container), &["name", "image", "resources"])
        && only(container.get("resources"), &["requests"])
}

/// Adds the requests of one Pod to those of another; `None` if an amount cannot be read.
fn add_requests(a: &mut Value, b: &Value) -> Option<()> {
    const REQUESTS: &str = "/spec/containers/0/resources/requests";
    let more = b.pointer(REQUESTS)?.as_object()?;
    let requests = a.pointer_mut(REQUESTS)?.as_object_mut()?;
    for (name, amount) in more {
        let amount = Quantity::parse(amount.as_str()?).ok()?;
        let sum = match requests.get(name) {
            Some(known) => Quantity::parse(known.as_str()?).ok()?.add(amount),
            None => amount,
        };
        requests.insert(name.clone(), sum.to_string().into());
    }
    Some(())
}

/// A Pod that takes as much as these, with the name of the first.
fn as_one(pods: &[&Running], priority: i32) -> Option<Value> {
    let first = pods.first()?;
    let mut sum: BTreeMap<String, i64> = BTreeMap::new();
    for pod in pods {
        let takes = &pod.takes;
        let named = [
            ("cpu", takes.milli_cpu),
            ("memory", takes.memory_bytes),
            ("ephemeral-storage", takes.ephemeral_storage_bytes),
        ];
        let scalars = takes
            .scalars
            .iter()
            .map(|(name, amount)| (name.as_str(), *amount));
        for (name, amount) in named.into_iter().chain(scalars).filter(|(_, it)| *it != 0) {
            let total = sum.entry(name.to_owned()).or_default();
            *total = total.saturating_add(amount);
        }
    }
    let requests: Map<String, Value> = sum
        .into_iter()
        .map(|(name, amount)| {
            let amount = quantity::of(&name, amount);
            (name, Value::String(amount))
        })
        .collect();
    // Extended resources need a limit of the same amount.
    let limits: Map<String, Value> = requests
        .iter()
        .filter(|(name, _)| name.contains('/') || name.starts_with("hugepages-"))
        .map(|(name, amount)| (name.clone(), amount.clone()))
        .collect();
    let mut resources = json!({"requests": requests});
    if !limits.is_empty() {
        resources["limits"] = json!(limits);
    }
    let mut value = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": first.value.pointer("/metadata/name")},
        "spec": {
            "nodeName": first.node,
            "containers": [{"name": "all", "image": "all", "resources": resources}],
        },
    });
    if priority != 0 {
        let given = |field: &str| first.value.pointer(&format!("/spec/{field}")).cloned();
        for field in ["priority", "priorityClassName"] {
            if let Some(given) = given(field) {
                value["spec"][field] = given;
            }
        }
    }
    Some(value)
}
