//! Tries a change: the edits become events on a copy of the run, and the Pod is scheduled there.
//!
//! An edit of a workload's template changes all of its Pods, those that run too, as they would be
//! once it has rolled out; they stay where they are.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;
use serde_json::{Value, json};

use crate::api::decode::decode;
use crate::api::prepare::settle_node;
use crate::api::prepared::PodTemplate;
use crate::base::json;
use crate::cluster::event::Event;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, NodeIx};
use crate::framework::status::Rejected;
use crate::protocol::edit::{Edit, ObjectRef, PathStep};
use crate::protocol::fix::{Candidate, Fix};
use crate::scheduler::cycle::Outcome;
use crate::scheduler::observer::{Observer, SearchStart};
use crate::session::Session;
use crate::sim::snapshot::Snapshot;

use super::fields::{self, Action, key};
use super::source::Source;

/// Feasible nodes that a fix names.
const MAX_NAMED: usize = 8;

/// What an edit does to one object.
type Step<'e> = (&'e [PathStep], Action);

/// Which nodes passed.
#[derive(Default)]
struct Feasible(Vec<NodeIx>);

impl Observer for Feasible {
    const MAY_REMEMBER: bool = false;

    fn search_started(&mut self, _search: SearchStart) {
        self.0.clear();
    }

    fn node_judged(&mut self, node: &NodeInfo, verdict: &Result<(), Rejected>) {
        if verdict.is_ok() {
            self.0.push(node.ix);
        }
    }
}

/// What comes of the candidate for the Pod that `run` tries next; `None` if it does not help.
pub fn verify(session: &Session, run: &Snapshot, candidate: &Candidate) -> Option<Fix> {
    let changed = changed(session, run, &candidate.edits)?;
    let mut feasible = Feasible::default();
    let Outcome::Scheduled { node, .. } = changed.decide_next(&mut feasible)? else {
        return None;
    };
    let name = |node: NodeIx| changed.cluster().node(node).name.to_string();
    Some(Fix {
        what: candidate.what.clone(),
        edits: candidate.edits.clone(),
        rank: candidate.what.rank(),
        node: name(node),
        feasible_count: u32::try_from(feasible.0.len()).unwrap_or(u32::MAX),
        feasible: feasible.0.into_iter().take(MAX_NAMED).map(name).collect(),
    })
}

/// A copy of the run after the edits, about to try the same Pod; `None` if they make no sense there.
pub fn changed(session: &Session, run: &Snapshot, edits: &[Edit]) -> Option<Snapshot> {
    let pod = &run.next_pod()?.object;
    let events = events(session, run.cluster(), edits)?;
    run.what_if(events, (&pod.namespace, &pod.name))
}

fn events(session: &Session, cluster: &Cluster, edits: &[Edit]) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    let mut changes: Vec<(&ObjectRef, Vec<Step<'_>>)> = Vec::new();
    for edit in edits {
        let (object, step) = match edit {
            Edit::Set {
                object,
                path,
                value,
            } => (object, (path.as_slice(), Action::Set(value.clone()))),
            Edit::Append {
                object,
                path,
                value,
            } => (object, (path.as_slice(), Action::Append(value.clone()))),
            Edit::Remove { object, path } => (object, (path.as_slice(), Action::Remove)),
            Edit::Create { manifest } => {
                events.push(node_set(manifest.clone())?);
                continue;
            }
            Edit::Delete { object } => {
                events.push(deleted(cluster, object)?);
                continue;
            }
        };
        match changes.last_mut().filter(|(last, _)| *last == object) {
            Some((_, steps)) => steps.push(step),
            None => changes.push((object, vec![step])),
        }
    }
    for (object, steps) in changes {
        let source = Source::find(session, object)?;
        if source.object.kind == "Node" {
            let mut json = source.json;
            for (path, action) in steps {
                fields::apply(&mut json, path, action)?;
            }
            events.push(node_set(json)?);
        } else {
            events.extend(pods_changed(cluster, &source, &steps)?);
        }
    }
    Some(events)
}

/// A node as its manifest makes it.
fn node_set(manifest: Value) -> Option<Event> {
    let mut node: Node = *decode(&manifest).0?;
    settle_node(&mut node);
    Some(Event::NodeSet(Arc::new(node)))
}

fn deleted(cluster: &Cluster, object: &ObjectRef) -> Option<Event> {
    match object.kind.as_str() {
        "Pod" => {
            let pod = cluster.pods().find(&object.namespace, &object.name)?;
            Some(Event::PodDeleted(pod.ix))
        }
        "Node" => Some(Event::NodeDeleted(object.name.clone())),
        _ => None,
    }
}

/// What changes of a Pod or workload do to its Pods.
fn pods_changed(cluster: &Cluster, source: &Source, steps: &[Step<'_>]) -> Option<Vec<Event>> {
    let of_source = |pod: &&PodInfo| pod.object.document == source.document;
    let pods: Vec<&PodInfo> = cluster.pods().iter().filter(of_source).collect();
    if let [(path, Action::Set(replicas))] = steps
        && **path == [key("spec"), key("replicas")]
    {
        // The controller makes Pods in this order, so with fewer the last are not there.
        let wanted = usize::try_from(replicas.as_u64()?).ok()?;
        let gone = pods.get(wanted..)?.iter();
        return Some(gone.map(|pod| Event::PodDeleted(pod.ix)).collect());
    }
    let mut events = Vec::new();
    let mut last: Option<(&Arc<PodTemplate>, Arc<PodTemplate>)> = None;
    for pod in pods {
        let template = &pod.object.template;
        // The Pods of most workloads share one, and come in a row.
        let known = last
            .as_ref()
            .filter(|(before, _)| Arc::ptr_eq(before, template));
        let changed = match known {
            Some((_, changed)) => Arc::clone(changed),
            None => Arc::new(template_changed(template, source, steps)?),
        };
        last = Some((template, Arc::clone(&changed)));
        let mut object = pod.object.clone();
        object.template = changed;
        events.push(Event::PodDeleted(pod.ix));
        events.push(Event::PodAdded(Box::new(object)));
    }
    Some(events)
}

fn template_changed(
    template: &PodTemplate,
    source: &Source,
    steps: &[Step<'_>],
) -> Option<PodTemplate> {
    let mut pod = json!({ "spec": json::value(&template.spec) });
    for (path, action) in steps {
        let in_pod = path.strip_prefix(source.prefix.as_slice())?;
        fields::apply(&mut pod, in_pod, action.clone())?;
    }
    let spec = pod.get_mut("spec")?.take();
    Some(PodTemplate {
        spec: *decode(&spec).0?,
        ..template.clone()
    })
}
