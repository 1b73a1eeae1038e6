//! Input and result of PostFilter plugins.

use crate::cluster::node::NodeInfo;
use crate::cluster::{NodeIx, PodIx};
use berth_protocol::cycle::NotEligible;

use super::fit_error::FitError;
use super::plugin::Context;
use super::rejections::Rejections;
use super::runner::Profile;
use super::state::CycleState;
use super::status::{Rejected, Rejection};

/// A Pod that fits on no node, with the reasons.
pub struct PreemptionContext<'a> {
    pub cx: Context<'a>,
    pub profile: &'a Profile,
    /// State after PreFilter.
    pub state: &'a CycleState,
    /// Plugins whose PreFilter skipped: their Filter is not run and their state not updated.
    pub skipped: &'a Skipped,
    /// The rejection of each node, in search order, except for nodes that were not searched.
    pub rejected: &'a Rejections,
    /// The rejection of nodes that are absent from `rejected`, if they count as rejected.
    pub absent: Option<&'a Rejected>,
}

impl PreemptionContext<'_> {
    /// Whether the Pod would fit on a modified node, with state modified accordingly.
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

/// The result of a PostFilter plugin.
#[derive(Clone, Debug)]
pub enum PostFiltered {
    /// Preemption can help: evict the victims and nominate the node.
    Nominated(Box<Preemption>),
    /// Preemption cannot help; `clear_nomination`: the Pod loses its previous nomination.
    Unschedulable {
        message: FitError,
        /// The nodes on which preemption was tried, and why it did not help there.
        tried: Vec<(NodeIx, Rejection)>,
        clear_nomination: bool,
    },
    /// A ResourceClaim (namespace and name) is deallocated, for the next attempt.
    Deallocated {
        claim: (String, String),
        rejection: Rejection,
    },
    /// The Pod may not preempt others; its old nomination stays.
    NotEligible {
        rejection: Rejection,
        why: NotEligible,
    },
    /// The cycle's remaining PostFilter plugins are not run.
    Error(Rejection),
}

/// The outcome of a successful preemption.
#[derive(Clone, Debug)]
pub struct Preemption {
    pub node: NodeIx,
    /// In order of deletion, the most important first.
    pub victims: Vec<PodIx>,
    pub candidates: Vec<PreemptionCandidate>,
    /// Pods of lower priority nominated to the node, whose nominations are cleared.
    pub displaced: Vec<PodIx>,
    /// Whether all rules left a tie.
    pub ambiguous: bool,
    /// The rule that decided among the candidates.
    pub decided_by: &'static str,
}

/// A node on which the Pod would fit without its victims.
#[derive(Clone, Debug)]
pub struct PreemptionCandidate {
    pub node: NodeIx,
    /// The most important first.
    pub victims: Vec<PodIx>,
    pub pdb_violations: u32,
    /// The rank under each rule of the choice; the highest wins.
    pub ranks: Vec<i64>,
}
