//! A cheap check before a commit: the edits of nodes and of the Pod itself become events on a copy of the run, and the
//! Pod is tried there. It only rules candidates out: every fix that is offered has been committed on a branch.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;

use super::source::to_json;
use berth_base::json;
use berth_core::api::decode::decode;
use berth_core::api::edit::{document, object_of};
use berth_core::api::load::{Document, Loaded};
use berth_core::api::object::Manifest;
use berth_core::api::prepare::{prepare_one, settle_node};
use berth_protocol::edit::{Edit, ObjectRef};
use berth_scheduler::cluster::event::Event;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cycle::Outcome;
use berth_scheduler::observer::Silent;
use berth_sim::patch;
use berth_sim::snapshot::Snapshot;

/// Whether the Pod that `run` tries next would not schedule with the edits. `false` also if only a commit can decide.
/// `objects`: those before the edits, and those after.
pub fn rules_out(run: &Snapshot, objects: (&Loaded, &Loaded), edits: &[Edit]) -> bool {
    let Some(pod) = run.next_pod() else {
        return true;
    };
    let Some(events) = events(run, pod, objects, edits) else {
        return false;
    };
    let changed = run.what_if(events, (&pod.object.namespace, &pod.object.name));
    let outcome = changed.and_then(|changed| changed.decide_next(&mut Silent));
    !matches!(outcome, Some(Outcome::Scheduled { .. }))
}

/// `None` if objects other than nodes and Pods change.
fn events(
    run: &Snapshot,
    pod: &PodInfo,
    (before, after): (&Loaded, &Loaded),
    edits: &[Edit],
) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    let mut seen: Vec<ObjectRef> = Vec::new();
    for edit in edits {
        let object = object_of(edit)?;
        if seen.contains(&object) {
            continue;
        }
        let (old, new) = (document(before, &object), document(after, &object));
        // A deleted Pod that is made again keeps its document; its node is free at first.
        let new = new.filter(|_| !(object.kind == "Pod" && matches!(edit, Edit::Delete { .. })));
        match (object.kind.as_str(), old, new) {
            ("Node", old, Some(new)) => events.push(node_set(run, old, new)?),
            ("Node", Some(_), None) => events.push(Event::NodeDeleted(object.name.clone())),
            ("Pod", Some(_), None) => {
                let namespace = object.namespace_or_default();
                let gone = run.cluster().pods().find(namespace, &object.name)?;
                // Its claims may be released with it.
                if gone.object.template.spec.resource_claims.is_some() {
                    return None;
                }
                events.push(Event::PodDeleted(gone.ix));
            }
            ("Pod", Some(_), Some(new)) => {
                let namespace = object.namespace_or_default();
                let changed = match is_pod(&object, pod) {
                    true => pod,
                    false => run.cluster().pods().find(namespace, &object.name)?,
                };
                events.extend(pod_changed(run, changed, new, after)?);
            }
            _ => return None,
        }
        seen.push(object);
    }
    Some(events)
}

fn is_pod(object: &ObjectRef, pod: &PodInfo) -> bool {
    *object.name == *pod.object.name && *object.namespace_or_default() == *pod.object.namespace
}

/// A node after an edit: the changes of its manifest are applied to the node in the cluster, as `kubectl apply` does.
fn node_set(run: &Snapshot, old: Option<&Document>, new: &Document) -> Option<Event> {
    let now = to_json(new.object.as_deref()?)?;
    let current = run.cluster().find_node(&new.name);
    let value = match (current, old) {
        (Some(current), Some(old)) => {
            let was = to_json(old.object.as_deref()?)?;
            let mut value = json::value(current.object.as_ref());
            patch::apply_again(&mut value, &was, &now);
            value
        }
        _ => now,
    };
    let mut node: Node = *decode(&value).0?;
    settle_node(&mut node);
    Some(Event::NodeSet(Arc::new(node)))
}

/// The Pod after an edit of its manifest, with defaults and admission.
fn pod_changed(
    run: &Snapshot,
    pod: &PodInfo,
    new: &Document,
    after: &Loaded,
) -> Option<[Event; 2]> {
    let all = || after.documents.iter().filter_map(|it| it.object.as_deref());
    if all().any(|object| matches!(object, Manifest::ResourceQuota(_))) {
        return None;
    }
    let is_asked = |object: &&Manifest| {
        matches!(
            object,
            Manifest::PriorityClass(_) | Manifest::LimitRange(_) | Manifest::StorageClass(_)
        )
    };
    let prepared = prepare_one(
        *run.cluster().release(),
        new.object.as_deref()?,
        all().filter(is_asked),
    )
    .ok()?;
    let mut object = pod.object.clone();
    object.template = Arc::clone(&prepared.pods.first()?.template);
    Some([Event::PodDeleted(pod.ix), Event::PodAdded(Box::new(object))])
}
