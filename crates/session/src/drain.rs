//! Drains a node: what it would do, and doing it.

use std::collections::BTreeSet;

use super::delivery::Delivery;
use super::edit::Performed;
use super::gesture;
use super::simulated::{Pace, Simulated};
use crate::edit;
use crate::session::Session;
use crate::simulated::line;
use berth_base::time::Span;
use berth_core::api::edit::document;
use berth_core::api::infer::INFERRED_KINDS;
use berth_core::api::load::Loaded;
use berth_protocol::drain::{Blocked, DrainPlan, Evicted, InferredOwner};
use berth_protocol::edit::{Change, Edit, EditError, ObjectRef};
use berth_protocol::frame::ForkChange;
use berth_protocol::gesture::Gesture;
use berth_protocol::key::split;
use berth_protocol::remark::Remark;
use berth_sim::drain::{self, DrainOptions};
use berth_sim::pod_util;
use berth_sim::server::{ApiError, ApiServer, EvictOptions};
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::store::{Key, controller_of, uid_of};

/// The time that placed Pods of a run get to become ready: budgets count only ready Pods.
const READY_WITHIN: Span = Span::seconds(25);
/// The maximum number of moments until then.
const MOMENTS: usize = 400;

/// What a drain of the node would do at this moment; `None` if there is no such node.
pub fn plan(session: &Session, node: &str) -> Option<DrainPlan> {
    session.run().cluster().find_node(node)?;
    let mut cluster = drained_cluster(session)?;
    let evict = drain::plan(node, &DrainOptions::of_all_pods(), cluster.api()).evict;
    let mut plan = DrainPlan {
        node: node.to_owned(),
        command: drain::line_of_all_pods(node),
        staying: staying(node, &evict, cluster.api()),
        unbudgeted: session.run().cluster().budgets().next().is_none(),
        ..DrainPlan::default()
    };
    for key in &evict {
        let fate = fate_of(key, cluster.api(), session.is_simulated());
        let pod = key.to_string();
        match cluster.api_mut().evict(key, EvictOptions::default()) {
            Err(ApiError::TooManyRequests { cause, .. }) => {
                plan.blocked.push(Blocked { pod, cause });
            }
            Err(ApiError::Internal { message }) => plan.blocked.push(Blocked {
                pod,
                cause: message.to_owned(),
            }),
            Err(_) => {}
            Ok(()) => match fate {
                Fate::Replaced(owner) => plan.replaced.push(Evicted { pod, owner }),
                Fate::Lost | Fate::Unmade => plan.lost.push(pod),
                Fate::Gone => {}
            },
        }
    }
    Some(plan)
}

/// A copy of the cluster to try evictions on. That of a run has its placed Pods up, and nothing happens in it by
/// itself.
pub(super) fn drained_cluster(session: &Session) -> Option<SimulatedCluster> {
    if let Some(simulated) = session.history.simulated() {
        return Some(simulated.cluster().clone());
    }
    let simulated = Simulated::of_rounds(
        session.run(),
        &[],
        session.manifests(),
        &session.state.options,
        Pace::Still,
    )
    .ok()?;
    let mut cluster = simulated.cluster().clone();
    let until = cluster.now().after(READY_WITHIN);
    for _ in 0..MOMENTS {
        if !cluster.pass(until) {
            break;
        }
    }
    Some(cluster)
}

/// Drains a node. In a simulated cluster `kubectl drain` does it: budgets hold it back until replacements are ready.
pub(super) fn begin(session: &mut Session, node: &str) -> Result<Performed, EditError> {
    session.catch_up(usize::MAX);
    let missing = || {
        EditError::new(
            Remark::quoted(format!("nodes \"{node}\" not found")),
            Remark::default(),
        )
    };
    let plan = plan(session, node).ok_or_else(missing)?;
    if session.is_simulated() {
        let line = plan.command.clone();
        let output = line::begin_for(session, ForkChange::Drained { plan });
        return Ok(Performed::Begun { line, output });
    }
    evict(session, plan).map(Performed::Edited)
}

/// Cordons the node and evicts the Pods that budgets allow now, where Pods are only scheduled. Those with an owner
/// wait again; a bare Pod is deleted.
fn evict(session: &mut Session, plan: DrainPlan) -> Result<Vec<Change>, EditError> {
    edit::sources_can_be_read(session)?;
    let loaded = edit::editable(session);
    let cordon = Gesture::Cordon {
        nodes: vec![plan.node.clone()],
    };
    let mut edits = gesture::edits(&loaded, &session.manifests().prepared.release, &cordon)?;
    edits.extend(plan.lost.iter().filter_map(|pod| deleted(&loaded, pod)));
    let edited = gesture::checked(&loaded, &edits)?;
    let replaced = plan.replaced.iter().map(|it| &it.pod);
    let evicted: BTreeSet<String> = replaced.chain(&plan.lost).cloned().collect();
    let is_asked = session.forks_at_end || !evicted.is_empty();
    let delivery = Delivery {
        evicted,
        asked: is_asked.then_some(ForkChange::Drained { plan }),
        ..Delivery::of(&edits)
    };
    edit::deliver(session, edited.loaded, delivery)?;
    Ok(edited.changes)
}

/// The workloads that the manifests lack and that are inferred from their Pods.
pub fn inferred_owners(session: &Session) -> &[InferredOwner] {
    &session.manifests().prepared.inferred
}

/// The Pods of the node that a drain leaves there.
fn staying(node: &str, evict: &[Key], api: &ApiServer) -> Vec<String> {
    let on_node = api
        .store()
        .pods
        .iter()
        .filter(|pod| pod_util::node_of(pod) == node && !pod_util::is_finished(pod));
    let keys = on_node.map(|pod| Key::of(&pod.metadata));
    keys.filter(|key| !evict.contains(key))
        .map(|key| key.to_string())
        .collect()
}

/// What becomes of a Pod that is evicted.
pub(super) enum Fate {
    /// Its controller, `kind/name`, makes another one.
    Replaced(String),
    /// Nothing makes it again.
    Lost,
    /// Its controller is absent, or not simulated.
    Unmade,
    /// It has ended, or was replaced already: nothing is lost with it.
    Gone,
}

/// What becomes of a Pod that is evicted. In a simulated cluster its controller has to be there, and be simulated; elsewhere
/// every Pod with a controller waits again.
pub(super) fn fate_of(key: &Key, api: &ApiServer, is_simulated: bool) -> Fate {
    let pod = api.store().pods.get(key);
    let Some(pod) = pod.filter(|pod| pod_util::is_active(pod)) else {
        return Fate::Gone;
    };
    let Some(owner) = controller_of(&pod.metadata) else {
        return Fate::Lost;
    };
    let stored = api
        .store()
        .get(&owner.kind, &Key::new(key.namespace(), &owner.name));
    let is_there = stored.is_some_and(|it| uid_of(it.metadata()) == owner.uid);
    match !is_simulated || (is_there && INFERRED_KINDS.contains(&owner.kind.as_str())) {
        true => Fate::Replaced(format!("{}/{}", owner.kind, owner.name)),
        false => Fate::Unmade,
    }
}

/// The edit that deletes a Pod's own document, if it has one.
fn deleted(loaded: &Loaded, pod: &str) -> Option<Edit> {
    let (namespace, name) = split(pod);
    let object = ObjectRef::new("Pod", namespace, name);
    document(loaded, &object)?;
    Some(Edit::Delete { object })
}

#[cfg(test)]
mod tests;
