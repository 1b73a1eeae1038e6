//! NodeName: a Pod with `spec.nodeName` fits on that node only.
//!
//! - **Extension point**: Filter.
//! - **Why**: `spec.nodeName` is a requirement, not a preference.
//! - **Upstream**: `plugins/nodename`, v1.34.

use crate::cluster::node::NodeInfo;
use crate::framework::events::{ActionType, EnqueueExtensions, EventToRegister, Resource};
use crate::framework::plugin::{Context, Filter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, Rejection, Verdict};
use berth_protocol::fact::{Fact, FactKind};

/// The plugin.
pub struct NodeName;

extends!(NodeName: Filter, EnqueueExtensions);

impl Filter for NodeName {
    fn is_node_local(&self) -> bool {
        // A pending Pod has no node name, so the verdict memoized for its spec holds for all of them.
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
