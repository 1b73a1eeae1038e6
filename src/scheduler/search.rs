//! The search for feasible nodes (`findNodesThatPassFilters` of kube-scheduler v1.34).

use std::rc::Rc;

use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::Context;
use crate::framework::preemption::Skipped;
use crate::framework::runner::{Profile, nominated_rivals};
use crate::framework::state::CycleState;
use crate::framework::status::{Rejected, Rejection};
use crate::protocol::cycle::Code;

use super::memo::{LocalVerdict, SpecMemo};
use super::observer::{Observer, SearchStart};

/// Clusters up to this size are always searched whole (`minFeasibleNodesToFind`).
const MIN_FEASIBLE_NODES: usize = 100;
/// Least share of nodes, in percent (`minFeasibleNodesPercentageToFind`).
const MIN_PERCENTAGE: usize = 5;

/// How many feasible nodes are enough (`numFeasibleNodesToFind`): by default 50 % less 1 % for every
/// 125 nodes, at least 5 %, and never fewer than 100 nodes.
pub fn wanted_nodes(nodes: usize, profile: Option<i32>, global: i32) -> usize {
    if nodes < MIN_FEASIBLE_NODES {
        return nodes;
    }
    let percentage = usize::try_from(profile.unwrap_or(global)).unwrap_or(0);
    let percentage = match percentage {
        0 => 50_usize.saturating_sub(nodes / 125).max(MIN_PERCENTAGE),
        given => given.min(100),
    };
    (nodes * percentage / 100).max(MIN_FEASIBLE_NODES)
}

/// Everything that a search needs to judge a node.
pub struct Judge<'a> {
    pub cx: Context<'a>,
    pub profile: &'a Profile,
    pub state: &'a CycleState,
    pub skipped: &'a Skipped,
}

/// What a search found.
#[derive(Default)]
pub struct Found<'a> {
    /// In the order of the search.
    pub feasible: Vec<&'a NodeInfo>,
    pub rejected: Vec<(NodeIx, Rejected)>,
}

impl<'a> Judge<'a> {
    /// Judges `nodes` from `start` on, round the end, until one more than `wanted` is feasible.
    /// `Err`: a plugin ended with an error.
    pub fn search<O: Observer>(
        &self,
        nodes: &[NodeIx],
        start: SearchStart,
        memo: &mut SpecMemo,
        observer: &mut O,
    ) -> Result<Found<'a>, Rejection> {
        observer.search_started(start);
        let mut found = Found {
            feasible: Vec::with_capacity(start.wanted.min(nodes.len())),
            rejected: Vec::new(),
        };
        let (before, after) = nodes.split_at(start.start.min(nodes.len()));
        for &ix in after.iter().chain(before) {
            let node = self.cx.cluster.node(ix);
            let verdict = if O::MAY_REMEMBER {
                self.judge_remembering(node, memo)
            } else {
                self.profile.filter_with_nominated(self.cx, self.state, node, self.skipped)
            };
            if verdict.is_ok() && found.feasible.len() == start.wanted {
                break;
            }
            observer.node_judged(node, &verdict);
            match verdict {
                Ok(()) => found.feasible.push(node),
                Err(rejected) if rejected.rejection.code == Code::Error => return Err(rejected.rejection),
                Err(rejected) => found.rejected.push((ix, rejected)),
            }
        }
        Ok(found)
    }

    fn judge_remembering(&self, node: &NodeInfo, memo: &mut SpecMemo) -> Result<(), Rejected> {
        if !self.cx.cluster.nominations().is_empty() && !nominated_rivals(self.cx, node).is_empty() {
            return self.profile.filter_with_nominated(self.cx, self.state, node, self.skipped);
        }
        let position = node.ix.0 as usize;
        if let LocalVerdict::Unknown = memo.verdicts[position] {
            memo.verdicts[position] = self.judge_locally(node);
        }
        let (limit, local) = match &memo.verdicts[position] {
            LocalVerdict::Fail(first, rejection) => (*first, Some(rejection)),
            _ => (self.profile.filter.len(), None),
        };
        for &plugin in &self.profile.filter[..limit] {
            if self.skipped.contains(plugin) || self.is_local(plugin) {
                continue;
            }
            let verdict = self.profile.run_filter(plugin, self.cx, self.state, node);
            verdict.map_err(|rejection| self.rejected(plugin, rejection))?;
        }
        match local {
            Some(rejection) => Err(self.rejected(self.profile.filter[limit], Rejection::clone(rejection))),
            None => Ok(()),
        }
    }

    fn judge_locally(&self, node: &NodeInfo) -> LocalVerdict {
        for (position, &plugin) in self.profile.filter.iter().enumerate() {
            if self.skipped.contains(plugin) || !self.is_local(plugin) {
                continue;
            }
            if let Err(rejection) = self.profile.run_filter(plugin, self.cx, self.state, node) {
                return LocalVerdict::Fail(position, Rc::new(rejection));
            }
        }
        LocalVerdict::Pass
    }

    #[inline]
    fn is_local(&self, plugin: usize) -> bool {
        self.profile.plugins[plugin].as_filter().is_some_and(|filter| filter.is_node_local())
    }

    fn rejected(&self, plugin: usize, rejection: Rejection) -> Rejected {
        Rejected {
            plugin: self.profile.name(plugin),
            rejection,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wanted_nodes;

    #[test]
    fn sampling_follows_cluster_size_and_configuration() {
        assert_eq!(wanted_nodes(99, None, 0), 99);
        assert_eq!(wanted_nodes(100, None, 0), 100);
        assert_eq!(wanted_nodes(1000, None, 0), 420);
        assert_eq!(wanted_nodes(5000, None, 0), 500);
        assert_eq!(wanted_nodes(6000, None, 0), 300);
        assert_eq!(wanted_nodes(5000, None, 100), 5000);
        assert_eq!(wanted_nodes(5000, Some(10), 100), 500);
        assert_eq!(wanted_nodes(500, Some(1), 0), 100);
    }
}
