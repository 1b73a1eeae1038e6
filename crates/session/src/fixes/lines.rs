//! The kubectl lines that make a verified fix in a cluster.
//!
//! The lines are the difference that the fix's edits make to each object. A Pod's rules are changed where its workload
//! has them.

mod patch;

use serde_json::Value;

use berth_base::shell_word::shell_word;
use berth_core::api::kinds::Kind;
use berth_core::api::load::Loaded;
use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::fix::Fix;

use super::fields;
use super::source::Source;
use crate::session::Session;
use crate::{edit, workload};

/// The key of the taint of a cordoned node.
const CORDONED: &str = "node.kubernetes.io/unschedulable";

/// Workloads whose controller does not replace a waiting Pod when its template changes.
const KEEP_PODS: [&str; 3] = ["ReplicaSet", "ReplicationController", "StatefulSet"];

/// The lines that make a fix for a Pod (`namespace/name`). Empty if kubectl cannot make it alone: nodes come from
/// elsewhere, the workload is not among the manifests, or what changes is immutable.
pub fn terminal_lines(session: &Session, pod: &str, fix: &Fix) -> Vec<String> {
    lines(session, pod, fix).unwrap_or_default()
}

fn lines(session: &Session, pod: &str, fix: &Fix) -> Option<Vec<String>> {
    let edits = match fix.template {
        Some(_) => on_template(session, pod, &fix.edits)?,
        None => fix.edits.clone(),
    };
    let after = edit::objects_after(session, &edits).ok()?;
    let mut objects: Vec<&ObjectRef> = Vec::new();
    for edit in &edits {
        let object = edit.object()?;
        if !objects.contains(&object) {
            objects.push(object);
        }
    }
    let mut lines = Vec::new();
    for object in objects {
        let before = Source::find(session, object)?.json;
        match find(&after, object) {
            Some(source) => lines.extend(changed(object, &before, &source.json)?),
            None => lines.push(format!("kubectl delete {}", named(object))),
        }
        if KEEP_PODS.contains(&object.kind.as_str()) && !is_scaled(&before, &after, object) {
            let (namespace, name) = berth_protocol::key::split(pod);
            let pod = ObjectRef::new("Pod", namespace, name);
            lines.push(format!("kubectl delete {}", named(&pod)));
        }
    }
    Some(lines)
}

/// The edits of a Pod as edits of the template that it was made from; `None` if that is not among the manifests, is
/// immutable, or differs where the Pod is changed.
fn on_template(session: &Session, pod: &str, edits: &[Edit]) -> Option<Vec<Edit>> {
    let mut pods = session.run().cluster().pods().iter();
    let info = pods.find(|it| it.object.key() == pod)?;
    let own = Source::at(session, info.object.document)?;
    let workload = workload::of(info);
    let template = ObjectRef::new(workload.kind, workload.namespace, workload.name);
    let template = Source::find(session, &template).filter(|it| it.object.kind != "Job")?;
    let is_pod = |object: &ObjectRef| object.kind == "Pod";
    let mut moved = Vec::new();
    for edit in edits {
        match edit.object() {
            Some(object) if *object == own.object => {
                moved.push(on(&own, &template, edit)?);
            }
            // The other Pods of the workload.
            Some(object) if is_pod(object) && !matches!(edit, Edit::Delete { .. }) => {}
            _ => moved.push(edit.clone()),
        }
    }
    Some(moved)
}

/// The edit of a Pod as one of a template, whose list items on the path must be the Pod's.
fn on(own: &Source, template: &Source, edit: &Edit) -> Option<Edit> {
    let (Edit::Set { path, .. } | Edit::Append { path, .. } | Edit::Remove { path, .. }) = edit
    else {
        return None;
    };
    for (at, step) in path.iter().enumerate() {
        if let PathStep::Index(_) = step {
            let item = path.get(..=at)?;
            let name = |value: &Value| value.get("name").cloned();
            let pods = fields::get(&own.json, item)?;
            let template = fields::get(&template.json, &template.path(item))?;
            let is_same = match (name(pods), name(template)) {
                (None, None) => pods == template,
                (pods, template) => pods == template,
            };
            is_same.then_some(())?;
        }
    }
    match edit {
        Edit::Set { path, value, .. } => template.set(path, value.clone()),
        Edit::Append { path, value, .. } => Some(template.append(path, value.clone())),
        _ => template.remove(path),
    }
}

fn find(loaded: &Loaded, object: &ObjectRef) -> Option<Source> {
    let documents = loaded.documents.iter();
    let named = documents.filter(|it| it.kind == object.kind && it.name == object.name);
    named.filter_map(Source::of).find(|it| it.object == *object)
}

fn is_scaled(before: &Value, after: &Loaded, object: &ObjectRef) -> bool {
    let replicas = |json: &Value| json.pointer("/spec/replicas").cloned();
    find(after, object).is_none_or(|it| replicas(&it.json) != replicas(before))
}

/// The lines that change an object: verbs that say what they do where there are such, or a patch. `None` if the API server
/// refuses the change.
fn changed(object: &ObjectRef, before: &Value, after: &Value) -> Option<Vec<String>> {
    let (mut before, mut after) = (before.clone(), after.clone());
    let mut lines = Vec::new();
    if object.kind == "Node" {
        lines = node_lines(object, &before, &after);
        [&mut before, &mut after].into_iter().for_each(leave_out);
    }
    let mut operations = patch::between(&before, &after);
    operations.retain(|operation| match scaled(object, operation) {
        Some(line) => {
            lines.push(line);
            false
        }
        None => true,
    });
    if !operations.is_empty() {
        let may = |operation| may_change(&object.kind, operation);
        operations.iter().all(may).then_some(())?;
        let patch = shell_word(&Value::Array(operations).to_string());
        lines.push(format!(
            "kubectl patch {} --type=json -p {patch}",
            named(object)
        ));
    }
    Some(lines)
}

fn path(operation: &Value) -> &str {
    let path = operation.get("path").and_then(Value::as_str);
    path.unwrap_or_default()
}

/// Whether the API server lets an update make this operation.
fn may_change(kind: &str, operation: &Value) -> bool {
    let path = path(operation);
    let adds = operation.get("op").and_then(Value::as_str) == Some("add");
    match kind {
        "Pod" => {
            path.starts_with("/metadata/")
                || path.starts_with("/spec/schedulingGates")
                || (adds && path.starts_with("/spec/tolerations"))
        }
        "ResourceClaim" | "ResourceClaimTemplate" | "Job" => !path.starts_with("/spec"),
        _ => true,
    }
}

fn scaled(object: &ObjectRef, operation: &Value) -> Option<String> {
    let replicas = operation.get("value")?;
    (path(operation) == "/spec/replicas")
        .then(|| format!("kubectl scale {} --replicas={replicas}", named(object)))
}

/// Cordon, taints and labels that a node loses or gets.
fn node_lines(node: &ObjectRef, before: &Value, after: &Value) -> Vec<String> {
    let is_cordoned = |json: &Value| json.pointer("/spec/unschedulable") == Some(&true.into());
    let uncordons = is_cordoned(before) && !is_cordoned(after);
    let mut lines = Vec::new();
    if uncordons {
        lines.push(format!("kubectl uncordon {}", shell_word(&node.name)));
    }
    let [had, has] = [before, after].map(|json| items(json, "/spec/taints"));
    // Uncordoning removes the taint of a cordon.
    let gone = |taint: &&Value| {
        let is_of_cordon = taint.get("key").is_some_and(|key| key == CORDONED);
        !(has.contains(taint) || uncordons && is_of_cordon)
    };
    lines.extend(had.iter().filter(gone).map(|it| taint_line(node, it, "-")));
    let new = has.iter().filter(|taint| !had.contains(taint));
    lines.extend(new.map(|it| taint_line(node, it, "")));
    let [had, has] = [before, after].map(|json| json.pointer("/metadata/labels"));
    lines.extend(label_lines(node, had, has));
    lines
}

fn items(json: &Value, pointer: &str) -> Vec<Value> {
    let items = json.pointer(pointer).and_then(Value::as_array);
    items.cloned().unwrap_or_default()
}

fn taint_line(node: &ObjectRef, taint: &Value, sign: &str) -> String {
    let field = |name| taint.get(name).and_then(Value::as_str).unwrap_or_default();
    let value = match field("value") {
        "" => String::new(),
        value => format!("={value}"),
    };
    let taint = format!("{}{value}:{}{sign}", field("key"), field("effect"));
    format!("kubectl taint {} {}", named(node), shell_word(&taint))
}

fn label_lines(node: &ObjectRef, before: Option<&Value>, after: Option<&Value>) -> Vec<String> {
    let of = |labels: Option<&Value>| {
        labels
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default()
    };
    let (before, after) = (of(before), of(after));
    let set = after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(value));
    let set = set.filter_map(|(key, value)| {
        let label = shell_word(&format!("{key}={}", value.as_str()?));
        Some(format!("{label} --overwrite"))
    });
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    let gone = gone.map(|key| shell_word(&format!("{key}-")));
    let line = |change| format!("kubectl label {} {change}", named(node));
    set.chain(gone).map(line).collect()
}

/// Leaves out of a node what verbs change.
fn leave_out(node: &mut Value) {
    for (map, fields) in [
        ("metadata", &["labels"][..]),
        ("spec", &["taints", "unschedulable"]),
    ] {
        let Some(Value::Object(within)) = node.get_mut(map) else {
            continue;
        };
        within.retain(|key, _| !fields.contains(&key.as_str()));
        if let (true, Some(node)) = (within.is_empty(), node.as_object_mut()) {
            node.shift_remove(map);
        }
    }
}

/// `pod web-0 -n shop`.
fn named(object: &ObjectRef) -> String {
    let info = Kind::of_name(&object.kind).map(Kind::info);
    let kind = info.map_or(object.kind.as_str(), |info| info.singular);
    let name = format!("{kind} {}", shell_word(&object.name));
    match info.is_none_or(|info| info.namespaced) {
        true => format!("{name} -n {}", shell_word(object.namespace_or_default())),
        false => name,
    }
}
