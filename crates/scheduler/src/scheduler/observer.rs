//! Observers of a cycle: none on the fast path, a recorder when an attempt is explained.

use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Score};
use crate::framework::preemption::{PostFiltered, Skipped};
use crate::framework::runner::{PreFilterOutcome, Profile};
use crate::framework::state::CycleState;
use crate::framework::status::Rejected;

/// Called at each step of a cycle. Observing never changes a decision.
pub trait Observer {
    /// Whether verdicts and scores of unchanged nodes may be memoized.
    const MAY_REMEMBER: bool;
    /// The number of nodes from which on the best are found without a walk: over fewer it costs as little.
    const RANKS_FROM: usize = 64;

    /// All PreFilter plugins ran, or one rejected the Pod.
    fn pre_filtered(&mut self, _cx: Context<'_>, _profile: &Profile, _outcome: &PreFilterOutcome) {}

    /// The search for feasible nodes starts, or restarts after the nominated node failed.
    fn search_started(&mut self, _search: SearchStart) {}

    /// The Filter plugins ran on a node, with nominated Pods.
    fn node_judged(&mut self, _node: &NodeInfo, _verdict: &Result<(), Rejected>) {}

    /// The search has ended.
    fn filtered(
        &mut self,
        _cx: Context<'_>,
        _profile: &Profile,
        _state: &CycleState,
        _skipped: &Skipped,
    ) {
    }

    /// A PostFilter plugin returned.
    fn post_filtered(&mut self, _cx: Context<'_>, _answer: &PostFiltered) {}

    /// The PreScore plugins ran.
    fn pre_scored(&mut self, _profile: &Profile, _skipped: &Skipped) {}

    /// A Score plugin scored all feasible nodes.
    fn scored(
        &mut self,
        _cx: Context<'_>,
        _state: &CycleState,
        _plugin: &dyn Score,
        _scores: PluginScores<'_>,
    ) {
    }

    /// A node is selected on the fast path: the highest total, if several nodes are feasible, and how many have it.
    fn ranked(&mut self, _total: Option<i64>, _ties: usize) {}

    /// The totals are computed and a node is selected.
    fn selected(&mut self, _selection: Selection<'_>) {}
}

/// The start and the limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStart {
    /// Position in the node list.
    pub start: usize,
    /// Number of feasible nodes after which the search stops.
    pub wanted: usize,
    /// Only the nominated node is searched.
    pub nominated_only: bool,
}

/// One plugin's scores, in the order of `nodes`.
#[derive(Clone, Copy)]
pub struct PluginScores<'a> {
    pub plugin: &'static str,
    pub weight: i64,
    pub nodes: &'a [NodeIx],
    pub raw: &'a [i64],
    pub normalized: &'a [i64],
}

/// The end of scoring.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    pub nodes: &'a [NodeIx],
    /// In the order of `nodes`; empty if there is only one.
    pub totals: &'a [i64],
    /// Nodes with the highest total, in search order.
    pub best: &'a [NodeIx],
    pub selected: NodeIx,
    /// The seed, if it broke the tie.
    pub seed: Option<u64>,
}

/// Observes nothing: the fast path.
pub struct Silent;

impl Observer for Silent {
    const MAY_REMEMBER: bool = true;
}
