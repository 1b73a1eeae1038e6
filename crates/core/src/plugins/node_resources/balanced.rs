//! NodeResourcesBalancedAllocation: prefers nodes whose resources are used evenly.
//!
//! - **Extension points**: PreScore, Score.
//! - **Why**: a node with free memory but no free CPU is useless.
//! - **Example**: with 50 % of CPU and 30 % of memory used, the standard deviation is 0.1 and the balance 90: the
//!   score in v1.34. In v1.36 the score is 50 plus half of 50 and the change of balance that the Pod makes; a Pod that
//!   changes nothing scores 75.
//! - **Upstream**: `plugins/noderesources/balanced_allocation.go`, v1.34 and v1.36.

use super::scoring::{Basis, Load, WeightedResource, load};
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, PreScore, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection};
use crate::plugins::helpers::MAX_NODE_SCORE;
use crate::release::BalancedAllocation;

/// The score of a node whose balance the Pod worsens as much as possible.
const HALF_SCORE: i64 = MAX_NODE_SCORE / 2;

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

    fn asks_nothing(&self, cx: Context<'_>) -> bool {
        self.resources
            .iter()
            .all(|resource| cx.spec.counted.get(&resource.name) == 0)
    }
}

extends!(NodeResourcesBalancedAllocation: PreScore, Score);

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
        let after: Vec<Load> = self
            .resources
            .iter()
            .map(|resource| load(node, &cx.spec.counted, &resource.name, Basis::Requested))
            .filter(|load| load.allocatable != 0)
            .collect();
        let with = balance(after.iter().map(|load| load.requested), &after);
        Ok(match cx.release().rules().balanced_allocation {
            BalancedAllocation::Balance => with,
            BalancedAllocation::Improvement => {
                let without = balance(after.iter().map(Load::before), &after);
                HALF_SCORE + (HALF_SCORE + with - without) / 2
            }
        })
    }
}

/// 100 minus the standard deviation of the used fractions, in percent.
// Upstream computes in float64.
fn balance(requested: impl Iterator<Item = i64>, loads: &[Load]) -> i64 {
    let fractions: Vec<f64> = requested
        .zip(loads)
        .map(|(requested, load)| (requested as f64 / load.allocatable as f64).min(1.0))
        .collect();
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
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}
