//! The loss of each node, or of the nodes of each value of a label.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use berth_protocol::edit::EditError;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Loss, Losses, PodsOf};
use berth_scheduler::cluster::Cluster;
use berth_sim::run::Order;

use super::answer::urgent;
use super::end::End;
use super::{Change, Ground, Play, PlayProgress, Plays};
use crate::session::Session;
use crate::what_if;

/// The losses that are being played.
pub struct Losing {
    ground: Ground,
    label: Option<String>,
    plays: Plays,
    before: Option<End>,
    /// What is lost in turn: its name, and the number of its nodes.
    groups: Vec<(String, usize)>,
    losses: Vec<Loss>,
}

/// Asks what the loss of each node comes to, or of all nodes of each value of a label, in the order of names.
///
/// # Errors
/// If no node has the label, or the cluster is simulated.
pub fn ask_losses(session: &Session, label: Option<&str>) -> Result<Losing, EditError> {
    let ground = what_if::ground(session)?;
    let groups = groups(ground.run.snapshot().cluster(), label)?;
    let sizes = groups
        .iter()
        .map(|(name, nodes)| (name.clone(), nodes.len()));
    let sizes = sizes.collect();
    let lost = groups.into_values().map(|nodes| Play {
        base: Rc::clone(&ground.run),
        change: Change::Lost(nodes),
        order: Order::Names,
    });
    Ok(Losing {
        plays: Plays::of([ground.as_it_is()].into_iter().chain(lost)),
        label: label.map(str::to_owned),
        groups: sizes,
        before: None,
        losses: Vec::new(),
        ground,
    })
}

impl Losing {
    /// Makes up to `limit` attempts; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        if let Some(ended) = self.plays.advance(limit) {
            let end = End::of(ended, self.ground.run.snapshot().cluster(), false);
            match &self.before {
                None => self.before = Some(end),
                Some(before) => {
                    let group = self.groups.get(self.losses.len()).cloned();
                    self.losses
                        .push(loss(group.unwrap_or_default(), &end, before));
                }
            }
        }
        !self.plays.is_done()
    }

    /// How far the losses have been played.
    pub fn progress(&self) -> PlayProgress {
        self.plays.progress()
    }

    /// What the losses that have been played come to; `None` before the first one.
    pub fn answer(&self) -> Option<Losses> {
        let before = self.before.as_ref()?;
        let mut losses = self.losses.clone();
        sort(&mut losses);
        Some(Losses {
            release: self.ground.release(),
            seed: self.ground.options.seed,
            inferred: self.ground.manifests.prepared.inferred.len(),
            label: self.label.clone(),
            waiting_before: before.waiting_pods(),
            held: before.held_pods(),
            losses,
        })
    }
}

/// The nodes by value of a label; each node by itself without one.
pub(super) fn groups(
    cluster: &Cluster,
    label: Option<&str>,
) -> Result<BTreeMap<String, BTreeSet<String>>, EditError> {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in cluster.nodes() {
        let group = match label {
            None => Some(node.name.to_string()),
            Some(label) => node.labels.get(label).cloned(),
        };
        if let Some(group) = group {
            let nodes = groups.entry(group).or_default();
            nodes.insert(node.name.to_string());
        }
    }
    match groups.is_empty() {
        true => Err(EditError::new(
            Remark::no_node_matches(label.unwrap_or_default()),
            Remark::see_labels(),
        )),
        false => Ok(groups),
    }
}

/// The worst first.
pub(super) fn sort(losses: &mut [Loss]) {
    losses.sort_by_key(|loss| {
        let urgent = loss
            .urgent
            .as_ref()
            .map(|urgent| (urgent.value, urgent.pods));
        let blocked = loss.drains.as_ref().map(|drains| drains.blocked.len());
        Reverse((blocked, loss.waiting, urgent, loss.lost.len()))
    });
}

pub(super) fn loss((name, nodes): (String, usize), end: &End, before: &End) -> Loss {
    let mut workloads: Vec<PodsOf> = end
        .more_than(before)
        .map(|(workload, _, pods)| PodsOf {
            workload: workload.clone(),
            pods,
        })
        .collect();
    workloads.sort_by_key(|more| Reverse(more.pods));
    Loss {
        name,
        nodes,
        again: end.again.values().sum(),
        gone: end.gone,
        lost: end.lost.clone(),
        waiting: end.waiting_pods(),
        more: end.more_pods(before),
        urgent: urgent(end.more_than(before)),
        workloads,
        drains: None,
    }
}
