//! Who watches a cycle: nobody on the fast path, a recorder when it is to be explained.

use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::Context;
use crate::framework::preemption::{PostFiltered, Skipped};
use crate::framework::runner::{PreFilterOutcome, Profile};
use crate::framework::state::CycleState;
use crate::framework::status::Rejected;

/// Called at each step of a cycle. Watching never changes what is decided.
pub trait Observer {
    /// Whether verdicts and scores of unchanged nodes may come from memory.
    const MAY_REMEMBER: bool;

    /// All PreFilter plugins ran, or one rejected.
    fn pre_filtered(&mut self, _cx: Context<'_>, _profile: &Profile, _outcome: &PreFilterOutcome) {}

    /// The search for feasible nodes begins, or begins again after the nominated node failed.
    fn search_started(&mut self, _search: SearchStart) {}

    /// The Filter plugins judged a node, with nominated Pods.
    fn node_judged(&mut self, _node: &NodeInfo, _verdict: &Result<(), Rejected>) {}

    /// No more nodes will be judged.
    fn filtered(
        &mut self,
        _cx: Context<'_>,
        _profile: &Profile,
        _state: &CycleState,
        _skipped: &Skipped,
    ) {
    }

    /// The PostFilter plugin at this position answered.
    fn post_filtered(&mut self, _cx: Context<'_>, _answer: &PostFiltered) {}

    /// The PreScore plugins ran.
    fn pre_scored(&mut self, _profile: &Profile, _skipped: &Skipped) {}

    /// A Score plugin scored all feasible nodes.
    fn scored(&mut self, _scores: PluginScores<'_>) {}

    /// The totals are known, and which node it is among those with the highest.
    fn selected(&mut self, _selection: Selection<'_>) {}
}

/// Where a search begins and when it has enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStart {
    /// Position in the node list.
    pub start: usize,
    /// Feasible nodes that are enough.
    pub wanted: usize,
    /// Only the nominated node is looked at.
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
    /// In the order of `nodes`; empty if there was only one.
    pub totals: &'a [i64],
    /// Nodes with the highest total, in the order of the search.
    pub best: &'a [NodeIx],
    pub selected: NodeIx,
    /// The seed, if it decided.
    pub seed: Option<u64>,
}

/// Nobody watches: the fast path.
pub struct Silent;

impl Observer for Silent {
    const MAY_REMEMBER: bool = true;
}
