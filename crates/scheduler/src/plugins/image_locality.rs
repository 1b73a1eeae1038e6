//! ImageLocality: prefers nodes that have the Pod's images.
//!
//! - **Extension point**: Score.
//! - **Why**: pulling a big image takes minutes.
//! - **Example**: an image of 600 MiB on half of the nodes counts as 300 MiB on each of them.
//! - **Upstream**: `plugins/imagelocality`, v1.34 and v1.36 (images of volumes).

use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Rejection, ScoreFacts};
use berth_protocol::fact::Fact;
use berth_protocol::score::{Formula, Input, formula};

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
        Ok(formula::images(sum, containers(cx)))
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let inputs = cx.spec.images.iter().map(|name| {
            let (size_bytes, nodes) = size(cx, name);
            let input = Input::Image {
                image: name.clone(),
                size_bytes,
                nodes,
                all_nodes: nodes_of(cx),
                present: node.images.contains_key(name),
            };
            Fact::new(input).in_node("status.images")
        });
        let containers = containers(cx);
        ScoreFacts::new(Formula::ImageSizes { containers }, inputs)
    }
}

fn containers(cx: Context<'_>) -> i64 {
    i64::try_from(cx.spec.container_count).unwrap_or(i64::MAX)
}

/// The image's size, as reported by the first node that has it, and the number of nodes that have it.
fn size(cx: Context<'_>, name: &str) -> (i64, i64) {
    let image = cx.cluster.images().get(name);
    image.map_or((0, 0), |image| (image.size_bytes, i64::from(image.nodes)))
}

fn nodes_of(cx: Context<'_>) -> i64 {
    i64::try_from(cx.cluster.node_order().len()).unwrap_or(i64::MAX)
}

fn spread_size(cx: Context<'_>, name: &str) -> i64 {
    let (size_bytes, nodes) = size(cx, name);
    formula::spread_size(size_bytes, nodes, nodes_of(cx))
}
