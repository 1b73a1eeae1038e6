//! The search for feasible nodes (`findNodesThatPassFilters` of kube-scheduler v1.34).

use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::Context;
use crate::framework::preemption::Skipped;
use crate::framework::rejections::{RejectionIx, Rejections};
use crate::framework::runner::{Profile, nominated_rivals};
use crate::framework::state::CycleState;
use crate::framework::status::{Rejected, Rejection};
use berth_protocol::cycle::Code;

use super::memo::{LocalFailure, LocalVerdict, ShapeMemo};
use super::observer::{Observer, SearchStart};

/// Clusters up to this size are always searched completely (`minFeasibleNodesToFind`).
const MIN_FEASIBLE_NODES: usize = 100;
/// Minimum share of nodes, in percent (`minFeasibleNodesPercentageToFind`).
const MIN_PERCENTAGE: usize = 5;

/// Number of feasible nodes after which the search stops (`numFeasibleNodesToFind`): by default 50 %
/// less 1 % for every 125 nodes, at least 5 %, and never fewer than 100 nodes.
pub fn wanted_nodes(nodes: usize, profile: Option<i32>, global: i32) -> usize {
    if nodes < MIN_FEASIBLE_NODES {
        return nodes;
    }
    let percentage = match usize::try_from(profile.unwrap_or(global)).unwrap_or(0) {
        0 => 50_usize.saturating_sub(nodes / 125).max(MIN_PERCENTAGE),
        given => given.min(100),
    };
    (nodes * percentage / 100).max(MIN_FEASIBLE_NODES)
}

/// The inputs for judging a node.
pub struct Judge<'a, 'j> {
    pub cx: Context<'a>,
    pub profile: &'j Profile,
    pub state: &'j CycleState,
    pub skipped: &'j Skipped,
}

/// The result of a search.
#[derive(Default)]
pub struct Found {
    /// In search order.
    pub feasible: Vec<NodeIx>,
    pub rejected: Rejections,
}

/// A Filter plugin that is not node-local: its position in the profile's Filter
/// list and in its plugin list.
#[derive(Clone, Copy)]
pub struct Remote {
    pub position: usize,
    pub plugin: usize,
}

impl Judge<'_, '_> {
    /// Judges `nodes` from `start`, wrapping around, until one more than `wanted` is feasible. With a memo, node-local
    /// verdicts come from it. `Err`: a plugin failed with an error.
    pub fn search<O: Observer>(
        &self,
        nodes: &[NodeIx],
        start: SearchStart,
        mut memo: Option<&mut ShapeMemo>,
        observer: &mut O,
    ) -> Result<Found, Rejection> {
        observer.search_started(start);
        let (before, after) = nodes.split_at(start.start.min(nodes.len()));
        let in_order = after.iter().chain(before).copied();
        if let Some(memo) = memo.as_deref_mut()
            && start.wanted >= nodes.len()
            && self.cx.cluster.nominations().is_empty()
        {
            for &node in nodes {
                self.learn_one(node, memo);
            }
            return self.search_by_plugin(in_order.collect(), memo);
        }
        let remote = self.remote_filters();
        let mut found = Found::default();
        let mut failed = None;
        for ix in in_order {
            let node = self.cx.cluster.node(ix);
            let verdict = match memo.as_deref_mut() {
                Some(memo) => self.judge_remembering(node, &remote, memo),
                None => self
                    .profile
                    .filter_with_nominated(self.cx, self.state, node, self.skipped),
            };
            if verdict.is_ok() && found.feasible.len() == start.wanted {
                break;
            }
            observer.node_judged(node, &verdict);
            match verdict {
                Ok(()) => found.feasible.push(ix),
                Err(rejected) => match found.reject(ix, rejected) {
                    Ok(()) => {}
                    // A record shows the verdicts of all nodes; the first error ends the cycle.
                    Err(error) if O::MAY_REMEMBER => return Err(error),
                    Err(error) => failed = failed.or(Some(error)),
                },
            }
        }
        failed.map_or(Ok(found), Err)
    }

    /// Judges all nodes, one plugin at a time. The verdicts are the same, because a node is dropped at its
    /// first rejection, but each plugin shares its lookups among all nodes.
    fn search_by_plugin(&self, nodes: Vec<NodeIx>, memo: &ShapeMemo) -> Result<Found, Rejection> {
        let mut found = Found::default();
        let mut left = nodes;
        let mut refusals: Vec<Option<RejectionIx>> = Vec::new();
        for remote in self.remote_filters() {
            found.reject_local_failures(self, &mut left, memo, remote.position)?;
            refusals.clear();
            refusals.resize(left.len(), None);
            let rejected = &mut found.rejected;
            let name = self.profile.name(remote.plugin);
            let mut error = None;
            self.profile.run_filter_all(
                remote.plugin,
                self.cx,
                self.state,
                &left,
                &mut |position, rejection| {
                    refusals[position] = Some(rejected.kind(name, rejection));
                    if rejection.code == Code::Error && error.is_none() {
                        error = Some(rejection.clone());
                    }
                },
            );
            if let Some(error) = error {
                return Err(error);
            }
            for (refusal, &node) in refusals.iter().zip(&left) {
                if let Some(kind) = refusal {
                    found.rejected.add(node, *kind);
                }
            }
            let mut verdicts = refusals.iter();
            left.retain(|_| verdicts.next().is_some_and(Option::is_none));
        }
        found.reject_local_failures(self, &mut left, memo, usize::MAX)?;
        found.feasible = left;
        Ok(found)
    }

    /// Runs the node-local plugins on a node unless its verdict is in the memo.
    pub fn learn_one(&self, ix: NodeIx, memo: &mut ShapeMemo) {
        if memo.verdicts[ix.0 as usize] != LocalVerdict::Unknown {
            return;
        }
        match self.judge_locally(self.cx.cluster.node(ix)) {
            None => memo.verdicts[ix.0 as usize] = LocalVerdict::Pass,
            Some(failure) => memo.fail(ix, failure),
        }
    }

    fn judge_locally(&self, node: &NodeInfo) -> Option<LocalFailure> {
        for (position, &plugin) in self.profile.filter.iter().enumerate() {
            if self.skipped.contains(plugin) || !self.is_local(plugin) {
                continue;
            }
            if let Err(rejection) = self.profile.run_filter(plugin, self.cx, self.state, node) {
                return Some(LocalFailure {
                    position,
                    rejection,
                });
            }
        }
        None
    }

    fn judge_remembering(
        &self,
        node: &NodeInfo,
        remote: &[Remote],
        memo: &mut ShapeMemo,
    ) -> Result<(), Rejected> {
        if !self.cx.cluster.nominations().is_empty() && !nominated_rivals(self.cx, node).is_empty()
        {
            return self
                .profile
                .filter_with_nominated(self.cx, self.state, node, self.skipped);
        }
        self.learn_one(node.ix, memo);
        let failure = memo.failure(node.ix);
        let limit = failure.map_or(usize::MAX, |failure| failure.position);
        for remote in remote.iter().take_while(|remote| remote.position < limit) {
            let verdict = self
                .profile
                .run_filter(remote.plugin, self.cx, self.state, node);
            verdict.map_err(|rejection| self.rejected(remote.plugin, rejection))?;
        }
        match failure {
            Some(failure) => Err(self.local_rejection(failure)),
            None => Ok(()),
        }
    }

    pub fn remote_filters(&self) -> Vec<Remote> {
        self.profile
            .filter
            .iter()
            .enumerate()
            .filter(|&(_, &plugin)| !self.skipped.contains(plugin) && !self.is_local(plugin))
            .map(|(position, &plugin)| Remote { position, plugin })
            .collect()
    }

    fn is_local(&self, plugin: usize) -> bool {
        let filter = self.profile.plugins[plugin].as_filter();
        filter.is_some_and(|filter| filter.is_node_local())
    }

    fn rejected(&self, plugin: usize, rejection: Rejection) -> Rejected {
        Rejected {
            plugin: self.profile.name(plugin),
            rejection,
        }
    }

    fn local_rejection(&self, failure: &LocalFailure) -> Rejected {
        self.rejected(
            self.profile.filter[failure.position],
            failure.rejection.clone(),
        )
    }
}

impl Found {
    /// Records a rejection; an error ends the search.
    fn reject(&mut self, node: NodeIx, rejected: Rejected) -> Result<(), Rejection> {
        if rejected.rejection.code == Code::Error {
            return Err(rejected.rejection);
        }
        let kind = self.rejected.kind(rejected.plugin, &rejected.rejection);
        self.rejected.add(node, kind);
        Ok(())
    }

    /// Rejects the nodes that a node-local plugin before `position` rejects; leaves the others.
    fn reject_local_failures(
        &mut self,
        judge: &Judge<'_, '_>,
        nodes: &mut Vec<NodeIx>,
        memo: &ShapeMemo,
        position: usize,
    ) -> Result<(), Rejection> {
        if memo.failures.is_empty() {
            return Ok(());
        }
        let mut kinds = Vec::with_capacity(memo.failures.len());
        for failure in &memo.failures {
            let rejected = judge.local_rejection(failure);
            kinds.push(self.rejected.kind(rejected.plugin, &rejected.rejection));
        }
        let mut error = None;
        nodes.retain(|&node| match memo.verdicts[node.0 as usize] {
            LocalVerdict::Fail(kind) if memo.failures[kind as usize].position < position => {
                let failure = &memo.failures[kind as usize];
                if failure.rejection.code == Code::Error {
                    error = Some(failure.rejection.clone());
                }
                self.rejected.add(node, kinds[kind as usize]);
                false
            }
            _ => true,
        });
        error.map_or(Ok(()), Err)
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
