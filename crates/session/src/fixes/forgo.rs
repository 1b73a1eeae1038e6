//! Scales the Pod's own workload down to the Pods that have a place, where its rule allows one Pod a topology domain and
//! no domain is left.

use std::collections::BTreeSet;

use serde_json::json;

use berth_core::api::kinds::Kind;
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::fact::{AffinityTermKind, FactKind};
use berth_protocol::fix::Change;
use berth_scheduler::cluster::pod::PodInfo;

use super::candidates::{Family, FixContext};
use super::fields::steps;
use super::source::Source;
use crate::workload;

/// Maximum number of Pods that are given up.
const MAX_PODS: usize = 100;

/// At most one candidate.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    if no_domain_is_left(context)
        && let Some((what, edits)) = scaled(context)
    {
        family.add(what, edits);
    }
    family
}

/// Whether all nodes that the Pod was meant for share a domain with a Pod that a term of its own, which selects the Pod
/// itself as well, keeps it away from.
fn no_domain_is_left(context: &FixContext<'_>) -> bool {
    let own = context.cluster.class(context.pod.class);
    let terms = own.affinity.required_anti.iter().filter(|term| {
        let namespaces = context.cluster.namespaces();
        term.target
            .matches_incoming(&own.namespace, own.labels(), namespaces)
    });
    let keys = terms.map(|term| &*context.cluster.topology().key(term.topology_key).name);
    let keys: BTreeSet<&str> = keys.collect();
    let is_own = |kind: &FactKind| {
        matches!(kind, FactKind::PodAffinity { term: AffinityTermKind::AntiAffinity, topology_key, .. }
            if keys.contains(topology_key.as_str()))
    };
    let mut meant = context.obstacles.iter().filter(|it| it.is_meant).peekable();
    meant.peek().is_some() && meant.all(|it| it.facts.iter().any(|fact| is_own(&fact.kind)))
}

/// The workload with as many replicas as have a place. `None` if its controller might delete others than those that wait.
fn scaled(context: &FixContext<'_>) -> Option<(Change, Vec<Edit>)> {
    let controller = context.pod.object.template.controller.as_ref()?;
    let name = workload::named(context.pod);
    let pods = context.cluster.pods().iter();
    let siblings: Vec<&PodInfo> = pods
        .filter(|pod| {
            pod.object.namespace == context.pod.object.namespace
                && !pod.object.phase.is_terminal()
                && !pod.object.terminating
                && workload::named(pod) == name
        })
        .collect();
    let (placed, waiting): (Vec<&PodInfo>, Vec<&PodInfo>) = siblings
        .iter()
        .partition(|pod| pod.object.node_name.is_some());
    let of_it = |pod: &&PodInfo| pod.object.template.controller.as_ref() == Some(controller);
    let goes_last = match controller.kind.as_str() {
        // The highest ordinals go first.
        "StatefulSet" => {
            let last = placed.iter().filter_map(|pod| ordinal(pod)).max();
            waiting.iter().all(|pod| ordinal(pod) > last)
        }
        // Pods without a node go first, as long as a Deployment has no other ReplicaSet.
        "ReplicaSet" | "ReplicationController" => true,
        _ => false,
    };
    if placed.is_empty() || !goes_last || !siblings.iter().all(of_it) {
        return None;
    }
    let to = i64::try_from(placed.len()).ok()?;
    let edits = edits(context, &name, to, &waiting)?;
    let from = i64::try_from(siblings.len()).ok()?;
    let what = Change::Forgo {
        workload: name,
        from,
        to,
    };
    Some((what, edits))
}

fn ordinal(pod: &PodInfo) -> Option<u64> {
    pod.object.name.rsplit_once('-')?.1.parse().ok()
}

/// The replicas of the workload, if the manifests have it, and the Pods that have documents of their own.
fn edits(context: &FixContext<'_>, name: &str, to: i64, waiting: &[&PodInfo]) -> Option<Vec<Edit>> {
    let own = &context.source;
    let is_made = own.is_workload();
    let workload = match is_made {
        true => Some(own.object.clone()),
        false => {
            let (kind, name) = name.split_once(' ')?;
            let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
            let object = ObjectRef::new(kind, &*context.pod.object.namespace, name);
            Source::find(context.session, &object).map(|it| it.object)
        }
    };
    let mut edits = Vec::new();
    if let Some(object) = workload {
        Kind::of_name(&object.kind).filter(|kind| kind.info().scales)?;
        edits.push(Edit::Set {
            object,
            path: steps("spec.replicas"),
            value: json!(to),
        });
    } else if context.session.is_simulated() {
        // Its controller, which is in no manifest, would make them again.
        return None;
    }
    if !is_made && !context.session.is_simulated() {
        let sources = waiting.iter().take(MAX_PODS);
        let sources = sources.filter_map(|pod| Source::at(context.session, pod.object.document));
        edits.extend(sources.map(|source| Edit::Delete {
            object: source.object,
        }));
    }
    Some(edits)
}
