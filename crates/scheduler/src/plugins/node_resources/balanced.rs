//! NodeResourcesBalancedAllocation: prefers nodes whose resources are used evenly.
//!
//! - **Extension points**: PreScore, Score.
//! - **Why**: a node with free memory but no free CPU is useless.
//! - **Example**: with 50 % of CPU and 30 % of memory used, the standard deviation is 0.1 and the balance 90: the
//!   score in v1.34. In v1.36 the score is 50 plus half of 50 and the change of balance that the Pod makes; a Pod that
//!   changes nothing scores 75.
//! - **Upstream**: `plugins/noderesources/balanced_allocation.go`, v1.34 and v1.36.

use super::scoring::{Basis, Load, WeightedResource, are_local, load, load_fact};
use crate::cluster::node::NodeInfo;
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, PreScore, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection, ScoreFacts};
use crate::release::BalancedAllocation;
use berth_protocol::score::Formula;
use berth_protocol::score::formula::{balance, balance_change};

/// The plugin.
pub struct NodeResourcesBalancedAllocation {
    /// Weights are ignored: every resource counts the same.
    resources: Vec<WeightedResource>,
}

impl NodeResourcesBalancedAllocation {
    /// With the profile's `resources`.
    pub fn new(resources: Vec<WeightedResource>) -> Self {
        Self { resources }
    }

    /// The loads of the resources that the node offers.
    fn loads<'a>(
        &'a self,
        cx: Context<'a>,
        node: &'a NodeInfo,
    ) -> impl Iterator<Item = (&'a str, Load)> + Clone {
        let load = move |resource: &'a WeightedResource| {
            let name = resource.name.as_str();
            let load = load(cx, node, &cx.spec.counted, name, Basis::Requested);
            (name, load)
        };
        let loads = self.resources.iter().map(load);
        loads.filter(|(_, load)| load.allocatable != 0)
    }

    fn asks_nothing(&self, cx: Context<'_>) -> bool {
        self.resources
            .iter()
            .all(|resource| cx.spec.counted.get(&resource.name) == 0)
    }
}

extends!(NodeResourcesBalancedAllocation: PreScore, Score);

impl PreScore for NodeResourcesBalancedAllocation {
    fn pre_score(
        &self,
        cx: Context<'_>,
        _state: &mut CycleState,
        _nodes: Feasible<'_>,
    ) -> PreScored {
        if self.asks_nothing(cx) {
            PreScored::Skip
        } else {
            PreScored::Continue
        }
    }
}

impl Score for NodeResourcesBalancedAllocation {
    fn is_node_local(&self) -> bool {
        are_local(self.resources.iter().map(|it| it.name.as_str()))
    }

    fn score(
        &self,
        cx: Context<'_>,
        _state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        // Reached only if the profile disables PreScore.
        if self.asks_nothing(cx) {
            return Ok(0);
        }
        let loads = self.loads(cx, node).map(|(_, load)| load);
        let with = balance(loads.clone().map(|load| (load.requested, load.allocatable)));
        Ok(match cx.release().rules().balanced_allocation {
            BalancedAllocation::Balance => with,
            BalancedAllocation::Improvement => {
                let before = loads.map(|load| (load.before(), load.allocatable));
                balance_change(with, balance(before))
            }
        })
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        if self.asks_nothing(cx) {
            return ScoreFacts::new(Formula::Zero, []);
        }
        let formula = match cx.release().rules().balanced_allocation {
            BalancedAllocation::Balance => Formula::Balance,
            BalancedAllocation::Improvement => Formula::BalanceChange,
        };
        let loads = self.loads(cx, node);
        ScoreFacts::new(
            formula,
            loads.map(|(name, load)| load_fact(cx, name, load, 1)),
        )
    }
}
