//! NodeResourcesBalancedAllocation: prefers nodes whose resources fill evenly.
//!
//! - **Extension points**: PreScore, Score.
//! - **Why**: a node with free memory but no CPU left is of no use to anybody.
//! - **Example**: CPU 50 % and memory 30 % taken: the standard deviation is 0.1, the score 90.
//! - **Upstream**: `plugins/noderesources/balanced_allocation.go`, v1.34.

use super::scoring::{Basis, WeightedResource, load};
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Plugin, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection};
use crate::plugins::helpers::MAX_NODE_SCORE;

/// The plugin.
pub struct NodeResourcesBalancedAllocation {
    /// Weights are not used: every resource counts the same.
    resources: Vec<WeightedResource>,
}

impl NodeResourcesBalancedAllocation {
    /// With the profile's `resources`.
    pub fn new(resources: Vec<WeightedResource>) -> Self {
        Self { resources }
    }

    fn asks_nothing(&self, cx: Context<'_>) -> bool {
        let mut resources = self.resources.iter();
        resources.all(|resource| cx.spec.request.get(&resource.name) == 0)
    }
}

impl Plugin for NodeResourcesBalancedAllocation {
    fn name(&self) -> &'static str {
        "NodeResourcesBalancedAllocation"
    }
    fn as_pre_score(&self) -> Option<&dyn PreScore> {
        Some(self)
    }
    fn as_score(&self) -> Option<&dyn Score> {
        Some(self)
    }
}

impl PreScore for NodeResourcesBalancedAllocation {
    fn pre_score(&self, cx: Context<'_>, _state: &mut CycleState, _nodes: &[NodeIx]) -> PreScored {
        if self.asks_nothing(cx) {
            PreScored::Skip
        } else {
            PreScored::Continue
        }
    }
}

impl Score for NodeResourcesBalancedAllocation {
    fn is_node_local(&self) -> bool {
        true
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "upstream computes in float64"
    )]
    fn score(
        &self,
        cx: Context<'_>,
        _state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        // Such a Pod comes this far only if the profile disables PreScore.
        if self.asks_nothing(cx) {
            return Ok(0);
        }
        let mut fractions: Vec<f64> = Vec::with_capacity(self.resources.len());
        for resource in &self.resources {
            let load = load(node, &cx.spec.request, &resource.name, Basis::Requested);
            if load.allocatable != 0 {
                fractions.push((load.requested as f64 / load.allocatable as f64).min(1.0));
            }
        }
        let deviation = match fractions.as_slice() {
            [] | [_] => 0.0,
            [one, other] => ((one - other) / 2.0).abs(),
            several => {
                let count = several.len() as f64;
                let mean = several.iter().sum::<f64>() / count;
                let squares: f64 = several
                    .iter()
                    .map(|fraction| (fraction - mean) * (fraction - mean))
                    .sum();
                (squares / count).sqrt()
            }
        };
        Ok(((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64)
    }
}
