//! What a PostFilter plugin is given, and what it answers.

use crate::cluster::node::NodeInfo;
use crate::cluster::{NodeIx, PodIx};
use crate::protocol::cycle::NotEligible;

use super::plugin::Context;
use super::rejections::Rejections;
use super::runner::Profile;
use super::state::CycleState;
use super::status::{Rejected, Rejection};

/// A Pod that fits nowhere, with everything known about why.
pub struct PreemptionContext<'a> {
    pub cx: Context<'a>,
    pub profile: &'a Profile,
    /// State after PreFilter.
    pub state: &'a CycleState,
    /// Plugins whose PreFilter skipped: their Filter is not run, their state not updated.
    pub skipped: &'a Skipped,
    /// Why each node was rejected, in the order of the search; nodes not looked at are absent.
    pub rejected: &'a Rejections,
    /// The verdict on nodes that are absent from `rejected`, if they count as rejected at all.
    pub absent: Option<&'a Rejected>,
}

impl PreemptionContext<'_> {
    /// Whether the Pod would fit on a (changed) node, with state changed likewise.
    pub fn fits(&self, state: &CycleState, node: &NodeInfo) -> Result<(), Rejected> {
        self.profile
            .filter_with_nominated(self.cx, state, node, self.skipped)
    }
}

/// Positions of skipped plugins in the profile's plugin list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped(pub Vec<bool>);

impl Skipped {
    /// Whether the plugin at this position was skipped.
    pub fn contains(&self, plugin: usize) -> bool {
        self.0.get(plugin).copied().unwrap_or(false)
    }
}

/// What a PostFilter plugin answers.
#[derive(Clone, Debug)]
pub enum PostFiltered {
    /// Room can be made: evict the victims, nominate the node.
    Nominated(Box<Preemption>),
    /// No room can be made; `clear_nomination`: the Pod's old nomination is void.
    Unschedulable {
        rejection: Rejection,
        clear_nomination: bool,
    },
    /// The Pod may not preempt others; its old nomination stays.
    NotEligible {
        rejection: Rejection,
        why: NotEligible,
    },
    /// The cycle's remaining PostFilter plugins are not asked.
    Error(Rejection),
}

/// The outcome of a successful preemption.
#[derive(Clone, Debug)]
pub struct Preemption {
    pub node: NodeIx,
    /// In the order of deletion: most important first.
    pub victims: Vec<PodIx>,
    pub candidates: Vec<PreemptionCandidate>,
    /// Nominations of lower priority on that node, which are void now.
    pub displaced: Vec<PodIx>,
    /// The choice among the candidates was a pure tie.
    pub ambiguous: bool,
    /// The rule that decided among the candidates.
    pub decided_by: &'static str,
}

/// A node on which the Pod would fit without its victims.
#[derive(Clone, Debug)]
pub struct PreemptionCandidate {
    pub node: NodeIx,
    /// Most important first.
    pub victims: Vec<PodIx>,
    pub pdb_violations: u32,
    /// What each rule of the choice makes of it; the highest stays.
    pub ranks: Vec<i64>,
}
