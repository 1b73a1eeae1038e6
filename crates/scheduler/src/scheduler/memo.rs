//! Memoized verdicts and raw scores of node-local plugins, valid until a node changes.
//!
//! Pods of a Deployment arrive in a row with equal specs, and each placement changes one node. So for
//! the next Pod only that node is filtered and scored again. Specs of one shape share an entry: they
//! differ only in what no node-local plugin reads.

use std::collections::BTreeMap;

use crate::cluster::class::ShapeIx;
use crate::cluster::{Cluster, NodeIx};
use crate::framework::runner::Profile;
use crate::framework::status::Rejection;

/// Maximum number of shapes; the least recently used one is evicted. An entry has 40 bytes a node in the default profile:
/// 26 MB for 5,000 nodes.
const CAPACITY: usize = 128;

/// An unknown raw score.
pub const UNKNOWN: i64 = i64::MIN;

/// The combined verdict of all node-local Filter plugins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LocalVerdict {
    #[default]
    Unknown,
    Pass,
    /// An index into [`ShapeMemo::failures`].
    Fail(u32),
}

/// The rejection by the first node-local plugin, by position in the profile's Filter list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFailure {
    pub position: usize,
    pub rejection: Rejection,
}

/// Memoized results for all nodes, for Pods of one shape in one profile.
#[derive(Clone, Debug, Default)]
pub struct ShapeMemo {
    node_version: u64,
    /// The position up to which `Cluster::placements` was read.
    read: usize,
    last_used: u64,
    /// By node.
    pub verdicts: Vec<LocalVerdict>,
    /// The distinct failures.
    pub failures: Vec<LocalFailure>,
    /// By position in the profile's Score list, then by node; empty for plugins that are not node-local.
    pub scores: Vec<Vec<i64>>,
}

/// The memos of all shapes.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    by_shape: BTreeMap<(usize, ShapeIx), ShapeMemo>,
    clock: u64,
}

impl Memo {
    /// The memo of a shape, brought up to date with the cluster.
    pub fn of(
        &mut self,
        profile_ix: usize,
        profile: &Profile,
        shape: ShapeIx,
        cluster: &Cluster,
    ) -> &mut ShapeMemo {
        self.clock += 1;
        let key = (profile_ix, shape);
        if self.by_shape.len() >= CAPACITY && !self.by_shape.contains_key(&key) {
            let oldest = self.by_shape.iter().min_by_key(|(_, memo)| memo.last_used);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.by_shape.remove(&oldest);
            }
        }
        let memo = self.by_shape.entry(key).or_default();
        memo.last_used = self.clock;
        memo.catch_up(profile, cluster);
        memo
    }
}

impl ShapeMemo {
    /// Records the failure of a node.
    pub fn fail(&mut self, node: NodeIx, failure: LocalFailure) {
        let known = self.failures.iter().position(|known| *known == failure);
        let position = known.unwrap_or_else(|| {
            self.failures.push(failure);
            self.failures.len() - 1
        });
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        self.verdicts[node.0 as usize] = LocalVerdict::Fail(position);
    }

    /// The recorded failure of a node, if any.
    pub fn failure(&self, node: NodeIx) -> Option<&LocalFailure> {
        match self.verdicts[node.0 as usize] {
            LocalVerdict::Fail(position) => self.failures.get(position as usize),
            LocalVerdict::Unknown | LocalVerdict::Pass => None,
        }
    }

    fn catch_up(&mut self, profile: &Profile, cluster: &Cluster) {
        let changes = cluster.placements();
        let fresh = self.scores.len() == profile.score.len()
            && self.node_version == cluster.node_version()
            && self.verdicts.len() == cluster.node_capacity();
        match changes.get(self.read..) {
            Some(unread) if fresh => {
                for change in unread {
                    self.forget(change.node);
                }
            }
            _ => self.start_over(profile, cluster),
        }
        self.node_version = cluster.node_version();
        self.read = changes.len();
    }

    fn forget(&mut self, node: NodeIx) {
        let position = node.0 as usize;
        if let Some(verdict) = self.verdicts.get_mut(position) {
            *verdict = LocalVerdict::Unknown;
        }
        for score in self
            .scores
            .iter_mut()
            .filter_map(|scores| scores.get_mut(position))
        {
            *score = UNKNOWN;
        }
    }

    fn start_over(&mut self, profile: &Profile, cluster: &Cluster) {
        let nodes = cluster.node_capacity();
        self.verdicts = vec![LocalVerdict::Unknown; nodes];
        self.failures.clear();
        let is_local = |plugin: usize| {
            profile.plugins[plugin]
                .as_score()
                .is_some_and(|score| score.is_node_local())
        };
        self.scores = profile
            .score
            .iter()
            .map(|point| vec![UNKNOWN; if is_local(point.plugin) { nodes } else { 0 }])
            .collect();
    }
}
