//! NodeName: a Pod that names its node goes nowhere else.
//!
//! - **Extension point**: Filter.
//! - **Why**: `spec.nodeName` is an order, not a wish.
//! - **Upstream**: `plugins/nodename`, v1.34.

use crate::cluster::node::NodeInfo;
use crate::framework::events::{ActionType, EnqueueExtensions, EventToRegister, Resource};
use crate::framework::plugin::{Context, Filter, Plugin};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, Rejection, Verdict};
use crate::protocol::fact::{Fact, FactKind};

/// The plugin.
pub struct NodeName;

impl Plugin for NodeName {
    fn name(&self) -> &'static str {
        "NodeName"
    }
    fn as_filter(&self) -> Option<&dyn Filter> {
        Some(self)
    }
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        Some(self)
    }
}

impl Filter for NodeName {
    fn is_node_local(&self) -> bool {
        // A Pod that waits names no node, so what is remembered for its spec holds for all.
        true
    }

    fn filter(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Verdict {
        match &cx.pod.object.node_name {
            Some(wanted) if *wanted != node.name => Err(Rejection::unresolvable(
                "node(s) didn't match the requested node name",
            )),
            _ => Ok(()),
        }
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, _node: &NodeInfo) -> Facts {
        let wanted = cx.pod.object.node_name.as_deref();
        let fact = |wanted: &str| {
            Fact::new(FactKind::NodeName {
                wanted: wanted.to_owned(),
            })
            .in_pod("spec.nodeName")
            .in_node("metadata.name")
        };
        wanted.map(fact).into_iter().collect()
    }
}

impl EnqueueExtensions for NodeName {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 1] =
            [EventToRegister::always(Resource::Node, ActionType::ADD)];
        &EVENTS
    }
}
