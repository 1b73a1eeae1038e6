//! ImageLocality: prefers nodes that have the Pod's images.
//!
//! - **Extension point**: Score.
//! - **Why**: pulling a big image takes minutes.
//! - **Example**: an image of 600 MiB on half of the nodes counts as 300 MiB on each of them.
//! - **Upstream**: `plugins/imagelocality`, v1.34 and v1.36 (images of volumes).

use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::Rejection;

use super::helpers::MAX_NODE_SCORE;

const MIB: i64 = 1024 * 1024;
/// Smaller sums score 0.
const MINIMUM_BYTES: i64 = 23 * MIB;
/// Sums larger than this, per container, score 100.
const MAXIMUM_BYTES_PER_CONTAINER: i64 = 1000 * MIB;

/// The plugin.
pub struct ImageLocality;

extends!(ImageLocality: Score);

impl Score for ImageLocality {
    // The share of nodes with the image changes only with the nodes themselves, and that
    // invalidates all node-local scores.
    fn is_node_local(&self) -> bool {
        true
    }

    fn score(
        &self,
        cx: Context<'_>,
        _state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        if node.images.is_empty() {
            return Ok(0);
        }
        let sum = cx
            .spec
            .images
            .iter()
            .filter(|name| node.images.contains_key(*name))
            .fold(0_i64, |sum, name| sum.wrapping_add(spread_size(cx, name)));
        let containers = i64::try_from(cx.spec.container_count).unwrap_or(i64::MAX);
        let maximum = MAXIMUM_BYTES_PER_CONTAINER.saturating_mul(containers);
        let sum = sum.clamp(MINIMUM_BYTES, maximum.max(MINIMUM_BYTES));
        let range = (maximum - MINIMUM_BYTES).max(1);
        Ok(MAX_NODE_SCORE.wrapping_mul(sum - MINIMUM_BYTES) / range)
    }
}

/// The image's size, as reported by the first node that has it, scaled by the share of nodes that have it.
// Upstream computes in float64.
fn spread_size(cx: Context<'_>, name: &str) -> i64 {
    let Some(image) = cx.cluster.images().get(name) else {
        return 0;
    };
    let share = f64::from(image.nodes) / cx.cluster.node_order().len() as f64;
    (image.size_bytes as f64 * share) as i64
}
