//! The drain of each node, or of the nodes of each value of a label.

use std::collections::BTreeSet;

use berth_protocol::edit::EditError;
use berth_protocol::what_if::{Loss, Losses};
use berth_sim::run::Order;

use super::PlayProgress;
use super::answer::release_of;
use super::losses::{groups, loss, sort};
use super::plays::LivePlays;
use super::rolling::drained;
use crate::session::Session;
use crate::what_if::plays;

/// The drains that are being played, each by itself.
pub struct DrainingEach {
    label: Option<String>,
    plays: LivePlays,
    /// What is drained in turn: its name, and the number of its nodes.
    groups: Vec<(String, usize)>,
    losses: Vec<Loss>,
}

/// Asks what the drain of each node comes to, or of all nodes of each value of a label, in the order of names.
///
/// # Errors
/// If no node has the label.
pub fn ask_drains(session: &Session, label: Option<&str>) -> Result<DrainingEach, EditError> {
    let ground = plays::live_ground(session)?;
    let groups = groups(ground.cluster.seen(), label)?;
    let sizes = groups
        .iter()
        .map(|(name, nodes)| (name.clone(), nodes.len()));
    let sizes = sizes.collect();
    let plays = groups.values();
    let plays = plays.map(|nodes: &BTreeSet<String>| (drained(nodes), Order::Names));
    Ok(DrainingEach {
        label: label.map(str::to_owned),
        plays: LivePlays::new(ground, plays),
        groups: sizes,
        losses: Vec::new(),
    })
}

impl DrainingEach {
    /// Plays up to `limit` moments; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        let come_to = self.plays.advance(limit, false);
        if let (Some((end, drains)), Some(before)) = (come_to, &self.plays.before) {
            let group = self.groups.get(self.losses.len()).cloned();
            self.losses.push(Loss {
                drains: Some(Box::new(drains)),
                ..loss(group.unwrap_or_default(), &end, before)
            });
        }
        !self.plays.is_done()
    }

    /// How far the drains have been played.
    pub fn progress(&self) -> PlayProgress {
        self.plays.progress()
    }

    /// What the drains that have been played come to; `None` before the first one.
    pub fn answer(&self) -> Option<Losses> {
        let before = self.plays.before.as_ref()?;
        let ground = &self.plays.ground;
        let mut losses = self.losses.clone();
        sort(&mut losses);
        Some(Losses {
            release: release_of(&ground.manifests),
            seed: ground.options.seed,
            inferred: ground.manifests.prepared.inferred.len(),
            label: self.label.clone(),
            waiting_before: before.waiting_pods(),
            held: before.held_pods(),
            losses,
        })
    }
}
