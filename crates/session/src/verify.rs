//! Compares a case with what a real cluster said about it: its Pods, its events, and kube-scheduler's log at `-v=10`.
//!
//! Every attempt is compared on the state that the cluster's earlier attempts left, so a tie that fell otherwise changes
//! nothing later. Start at [`verify`]; [`follow`](self::follow) goes through the attempts, [`end`](self::end) compares the
//! Pods and events as they are at the end.

mod compare;
mod end;
mod follow;
mod klog;
mod log;
mod names;
mod said;
mod step;
mod timeline;

use std::collections::BTreeSet;

use berth_core::api::object::Manifest;
use berth_core::api::source::SourceFile;
use berth_protocol::remark::Remark;
use berth_protocol::verify::Verification;
use berth_scheduler::cluster::object_key;
use berth_scheduler::plugins::registry::registry;
use berth_sim::followed::{Followed, KeptStatus};

use crate::session::Session;
use follow::Follower;
use names::Names;

/// What a real cluster said.
#[derive(Clone, Copy, Debug)]
pub struct ClusterReport<'f> {
    /// `kubectl get pods -A -o json`.
    pub pods: &'f SourceFile,
    /// `kubectl get events -A -o json`.
    pub events: Option<&'f SourceFile>,
    /// The log of kube-scheduler with `-v=10`.
    pub log: Option<&'f SourceFile>,
}

/// Compares the case that a session has with the answers of a cluster. The session's run does not matter.
///
/// # Errors
/// If a file is not what [`ClusterReport`] says, or there is nothing to compare.
pub fn verify(session: &Session, said: ClusterReport<'_>) -> Result<Verification, Remark> {
    let prepared = &session.manifests().prepared;
    let pods = said::pods(said.pods)?;
    let events = said.events.map(said::events).transpose()?;
    let log = said.log.map(log::steps).transpose()?;
    let kept = kept_status(session);
    let followed = Followed::new(prepared, &registry(), &kept);
    // A session does not accept such a configuration.
    let followed = followed.map_err(|_| Remark::would_not_start())?;
    let placed = prepared.pods.iter().filter(|pod| pod.node_name.is_some());
    let placed: BTreeSet<String> = placed.map(|pod| pod.key()).collect();
    let steps = timeline::steps(log, events.as_deref(), &pods, &placed);
    let tried = steps.iter().flat_map(|step| {
        let room = step.preemption.iter().flatten();
        let victims = room.flat_map(|room| &room.victims);
        victims.chain([&step.pod]).map(String::as_str)
    });
    let names = Names::new(prepared.pods.iter(), &pods, tried);
    let mut follower = Follower::new(followed, names, placed, &pods);
    follower.follow(steps);
    let mut verification = end::compare(follower, prepared, events.as_deref().unwrap_or_default());
    if verification.attempts.is_empty()
        && verification.counts.pods.compared == 0
        && verification.agrees()
    {
        return Err(Remark::verify_nothing(&*said.pods.name));
    }
    verification.release = prepared.release.version().full().to_owned();
    Ok(verification)
}

/// The status of the budgets that have one in the case: nothing else tells what kube-scheduler read there.
fn kept_status(session: &Session) -> KeptStatus {
    let documents = session.manifests().loaded.documents.iter();
    let budgets = documents.filter_map(|document| match document.object.as_deref() {
        Some(Manifest::PodDisruptionBudget(budget)) => Some(budget),
        _ => None,
    });
    let given = budgets.filter_map(|budget| {
        let status = budget.status.clone()?;
        status.disruptions_allowed?;
        Some((object_key(&budget.metadata), status))
    });
    given.collect()
}

#[cfg(test)]
mod tests;
