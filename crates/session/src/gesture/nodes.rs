//! Gestures on nodes.

use serde_json::{Map, Value, json};

use super::{devices, names_of, next_number, numbered, path};
use berth_core::api::edit::value_of;
use berth_core::api::load::Loaded;
use berth_core::api::object::Manifest;
use berth_protocol::edit::{Edit, EditError, ObjectRef, PathStep};
use berth_protocol::gesture::{Label, NodeTemplate, TaintForm};
use berth_protocol::meant::reserves;
use berth_protocol::remark::Remark;

const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// Maximum number of nodes that one gesture adds: as many as Kubernetes supports in one cluster.
const MAX_ADDED: u32 = 5_000;

/// The node as written in its document.
fn written(loaded: &Loaded, name: &str) -> Result<Value, EditError> {
    value_of(loaded, &ObjectRef::node(name)).ok_or_else(|| {
        EditError::new(
            Remark::quoted(format!("nodes {name:?} not found")),
            Remark::node_not_written(),
        )
    })
}

/// The hostname label of a node.
pub(super) fn hostname(loaded: &Loaded, name: &str) -> Result<Option<String>, EditError> {
    let node = written(loaded, name)?;
    let labels = node.get("metadata").and_then(|it| it.get("labels"));
    let hostname = labels.and_then(|labels| labels.get(HOSTNAME)?.as_str());
    Ok(hostname.map(str::to_owned))
}

/// Sets or removes a label of a node.
pub(super) fn label(name: &str, key: &str, value: Option<&str>) -> Edit {
    let object = ObjectRef::node(name);
    let path = path(["metadata", "labels", key]);
    match value {
        Some(value) => Edit::Set {
            object,
            path,
            value: json!(value),
        },
        None => Edit::Remove { object, path },
    }
}

fn taints(node: &Value) -> &[Value] {
    let taints = node.get("spec").and_then(|spec| spec.get("taints"));
    taints.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn taint_at(index: usize) -> Vec<PathStep> {
    let mut path = path(["spec", "taints"]);
    path.push(PathStep::Index(index));
    path
}

/// Checks that the document has a taint at this index.
fn known_taint(loaded: &Loaded, name: &str, index: usize) -> Result<(), EditError> {
    let node = written(loaded, name)?;
    if index < taints(&node).len() {
        return Ok(());
    }
    let spec = node.get("spec").and_then(|spec| spec.get("unschedulable"));
    let help = match spec {
        Some(Value::Bool(true)) => Remark::cordon_taint(),
        _ => Remark::manifests_changed(),
    };
    Err(EditError::new(
        Remark::no_taint(format!("{name:?}"), index),
        help,
    ))
}

pub(super) fn set_taint(
    loaded: &Loaded,
    name: &str,
    old: Option<usize>,
    taint: &TaintForm,
) -> Result<Vec<Edit>, EditError> {
    let mut value = Map::new();
    value.insert("key".to_owned(), json!(taint.key));
    if !taint.value.is_empty() {
        value.insert("value".to_owned(), json!(taint.value));
    }
    value.insert("effect".to_owned(), json!(taint.effect));
    let (object, value) = (ObjectRef::node(name), Value::Object(value));
    let Some(index) = old else {
        return Ok(vec![Edit::Append {
            object,
            path: path(["spec", "taints"]),
            value,
        }]);
    };
    known_taint(loaded, name, index)?;
    Ok(vec![Edit::Set {
        object,
        path: taint_at(index),
        value,
    }])
}

pub(super) fn remove_taint(
    loaded: &Loaded,
    name: &str,
    index: usize,
) -> Result<Vec<Edit>, EditError> {
    known_taint(loaded, name, index)?;
    Ok(vec![Edit::Remove {
        object: ObjectRef::node(name),
        path: taint_at(index),
    }])
}

/// Changes the amount in the lists that the manifest has: `capacity` and `allocatable`, if it has both.
pub(super) fn set_allocatable(
    loaded: &Loaded,
    name: &str,
    resource: &str,
    quantity: &str,
) -> Result<Vec<Edit>, EditError> {
    let written = written(loaded, name)?;
    let has = |list: &str| {
        let list = written.get("status").and_then(|status| status.get(list));
        list.is_some_and(|list| list.as_object().is_some_and(|list| !list.is_empty()))
    };
    let lists = match (has("capacity"), has("allocatable")) {
        (true, true) => &["capacity", "allocatable"][..],
        (true, false) => &["capacity"],
        (false, _) => &["allocatable"],
    };
    let edits = lists.iter().map(|list| Edit::Set {
        object: ObjectRef::node(name),
        path: path(["status", list, resource]),
        value: json!(quantity),
    });
    Ok(edits.collect())
}

/// Sets the field that `kubectl cordon` sets. The taint follows from it.
pub(super) fn cordon(name: &str) -> Edit {
    Edit::Set {
        object: ObjectRef::node(name),
        path: path(["spec", "unschedulable"]),
        value: json!(true),
    }
}

/// Removes the field, and the taint that the node lifecycle controller derived from it.
pub(super) fn uncordon(loaded: &Loaded, name: &str) -> Result<Vec<Edit>, EditError> {
    let written = written(loaded, name)?;
    let is_own = |taint: &Value| {
        let text = |key: &str| taint.get(key).and_then(Value::as_str);
        text("key") == Some(UNSCHEDULABLE) && text("effect") == Some("NoSchedule")
    };
    let mut edits = vec![Edit::Remove {
        object: ObjectRef::node(name),
        path: path(["spec", "unschedulable"]),
    }];
    if let Some(index) = taints(&written).iter().position(is_own) {
        edits.push(Edit::Remove {
            object: ObjectRef::node(name),
            path: taint_at(index),
        });
    }
    Ok(edits)
}

/// New nodes.
pub(super) fn add(
    loaded: &Loaded,
    template: &NodeTemplate,
    count: u32,
    topology: Option<&Label>,
) -> Result<Vec<Edit>, EditError> {
    if !(1..=MAX_ADDED).contains(&count) {
        return Err(EditError::new(
            Remark::too_many_nodes(count),
            Remark::add_nodes(MAX_ADDED),
        ));
    }
    if let NodeTemplate::Like { node } = template {
        return alike(loaded, node, count);
    }
    let stem = stem(loaded, template, topology);
    let first = next_number(names_of(loaded, "Node"), &stem);
    let names = (0..u64::from(count)).map(|more| format!("{stem}{}", first.saturating_add(more)));
    let names: Vec<String> = names.collect();
    let nodes = names.iter().map(|name| Edit::Create {
        manifest: manifest(name, template, topology),
    });
    let mut edits: Vec<Edit> = nodes.collect();
    if let NodeTemplate::Devices { devices: form, .. } = template {
        edits.extend(devices::published(loaded, &names, form)?);
    }
    Ok(edits)
}

/// New nodes with the labels, resources and images of this one, and with the taints that reserve it.
fn alike(loaded: &Loaded, name: &str, count: u32) -> Result<Vec<Edit>, EditError> {
    let node = written(loaded, name)?;
    let part = |path: &str| node.pointer(path).cloned().filter(|part| !part.is_null());
    let stem = numbered(name).map_or("node-", |(stem, _)| stem);
    let first = next_number(names_of(loaded, "Node"), stem);
    let names = (0..u64::from(count)).map(|more| format!("{stem}{}", first.saturating_add(more)));
    let edits = names.map(|name| {
        let mut labels = part("/metadata/labels").unwrap_or_else(|| json!({}));
        if labels.get(HOSTNAME).is_some() {
            labels[HOSTNAME] = json!(name);
        }
        let mut manifest = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
        });
        let is_kept = |taint: &&Value| {
            let key = taint.get("key").and_then(Value::as_str);
            key.is_some_and(reserves)
        };
        let taints = taints(&node).iter().filter(is_kept);
        let taints: Vec<&Value> = taints.collect();
        if !taints.is_empty() {
            manifest["spec"] = json!({"taints": taints});
        }
        for list in ["capacity", "allocatable", "images"] {
            if let Some(amounts) = part(&format!("/status/{list}")) {
                manifest["status"][list] = amounts;
            }
        }
        Edit::Create { manifest }
    });
    Ok(edits.collect())
}

/// The stem of the names: that of the last similar node in the same domain.
fn stem(loaded: &Loaded, template: &NodeTemplate, topology: Option<&Label>) -> String {
    let is_control_plane = *template == NodeTemplate::ControlPlane;
    let like_it = loaded.documents.iter().rev().find_map(|document| {
        let Some(Manifest::Node(node)) = document.object.as_deref() else {
            return None;
        };
        let labels = node.metadata.labels.as_ref();
        let is = |key: &str| labels.is_some_and(|labels| labels.contains_key(key));
        let same_place = topology.is_none_or(|topology| {
            let value = labels.and_then(|labels| labels.get(&topology.key));
            value == Some(&topology.value)
        });
        let fits = is(CONTROL_PLANE) == is_control_plane && same_place;
        numbered(&document.name).filter(|_| fits)
    });
    match like_it {
        Some((stem, _)) if topology.is_some() || is_control_plane => stem.to_owned(),
        _ if is_control_plane => "control-plane-".to_owned(),
        _ => "node-".to_owned(),
    }
}

fn manifest(name: &str, template: &NodeTemplate, topology: Option<&Label>) -> Value {
    let mut labels = Map::new();
    labels.insert("kubernetes.io/arch".to_owned(), json!("amd64"));
    labels.insert(HOSTNAME.to_owned(), json!(name));
    labels.insert("kubernetes.io/os".to_owned(), json!("linux"));
    let mut spec = Map::new();
    if *template == NodeTemplate::ControlPlane {
        labels.insert(CONTROL_PLANE.to_owned(), json!(""));
        let taint = json!([{"key": CONTROL_PLANE, "effect": "NoSchedule"}]);
        spec.insert("taints".to_owned(), taint);
    }
    if let Some(topology) = topology {
        labels.insert(topology.key.clone(), json!(topology.value));
    }
    let resources = resources(template);
    let mut manifest = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"capacity": resources, "allocatable": resources},
    });
    if spec_is_empty(&manifest)
        && let Some(manifest) = manifest.as_object_mut()
    {
        manifest.shift_remove("spec");
    }
    manifest
}

fn spec_is_empty(manifest: &Value) -> bool {
    let spec = manifest.get("spec").and_then(Value::as_object);
    spec.is_some_and(Map::is_empty)
}

fn resources(template: &NodeTemplate) -> Value {
    match template {
        NodeTemplate::General => json!({"cpu": "4", "memory": "16Gi", "pods": "110"}),
        NodeTemplate::Large => json!({"cpu": "16", "memory": "64Gi", "pods": "110"}),
        NodeTemplate::Gpu => {
            json!({"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "1"})
        }
        NodeTemplate::ControlPlane => json!({"cpu": "4", "memory": "8Gi", "pods": "110"}),
        NodeTemplate::Devices { cpu, memory, .. } => {
            json!({"cpu": cpu, "memory": memory, "pods": "110"})
        }
        // Copied from its manifest: see [`alike`].
        NodeTemplate::Like { .. } => json!({}),
        NodeTemplate::Custom {
            cpu,
            memory,
            pods,
            extra,
        } => {
            let mut all = Map::new();
            for (name, quantity) in [("cpu", cpu), ("memory", memory), ("pods", pods)] {
                all.insert(name.to_owned(), json!(quantity));
            }
            let extra = extra
                .iter()
                .map(|(name, quantity)| (name.clone(), json!(quantity)));
            all.extend(extra);
            Value::Object(all)
        }
    }
}
