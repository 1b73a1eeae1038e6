//! Plugins that look at nodes by topology domain: nodes may be compared by a few values instead of one by one.

use std::sync::Arc;

use crate::cluster::class::Hit;
use crate::cluster::matcher::MatcherIx;
use crate::cluster::node::NodeInfo;
use crate::cluster::topology::{TopologyKey, TopologyKeyIx};

use super::plugin::Context;
use super::state::CycleState;

/// A plugin whose verdicts and raw scores differ between nodes only by a few values of each node.
pub trait ByDomain {
    /// What [`ByDomain::values`] reads of this Pod's class; `None`: nodes must be looked at one by one. `state` is that
    /// after PreFilter.
    fn terms(&self, cx: Context<'_>, state: &CycleState) -> Option<Terms>;

    /// Appends the node's values. In every cycle, nodes with equal values get the same verdict and the same raw score
    /// for Pods of one shape and equal terms. The values of a node change only with itself and its Pods: a topology key
    /// whose domains are shared gives the domain, and one that [is by node](TopologyKey::is_by_node) the counts there.
    fn values(&self, cx: Context<'_>, terms: &Terms, node: &NodeInfo, values: &mut Vec<i64>);
}

/// The terms of a class that a plugin reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The Pod's own terms.
    pub own: Vec<Term>,
    /// The topology keys of all terms.
    pub keys: Vec<TopologyKeyIx>,
    /// Terms of existing Pods that match the Pod. A class without Pods may be added to the end.
    pub existing: Option<Arc<Vec<Hit>>>,
}

/// A term of the Pod being scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Tells a plugin's kinds of terms apart.
    pub kind: u8,
    pub key: TopologyKeyIx,
    /// The Pods that it counts; `None` if it selects none.
    pub matcher: Option<MatcherIx>,
    /// Whether it selects the Pod itself.
    pub matches_self: bool,
    /// Of preferred terms, with its sign.
    pub weight: i64,
}

impl Terms {
    /// Whether values that were computed with the `old` terms are those of these terms: nothing but terms of classes that
    /// had no Pods then was added.
    pub fn continue_from(&self, old: &Self) -> bool {
        if self.own != old.own || self.keys != old.keys {
            return false;
        }
        match (&self.existing, &old.existing) {
            (Some(new), Some(old)) => Arc::ptr_eq(new, old) || new.starts_with(old),
            (None, None) => true,
            _ => false,
        }
    }
}

/// The value of a node for a key whose domains are shared: −1 without the label.
pub fn domain_value(key: &TopologyKey, node: &NodeInfo) -> i64 {
    key.domain(node.ix).map_or(-1, |domain| i64::from(domain.0))
}
