//! NodeUnschedulable: keeps Pods off cordoned nodes.
//!
//! - **Extension point**: Filter.
//! - **Why**: `kubectl cordon` must take effect before the node controller has added its taint.
//! - **Example**: a Pod that tolerates `node.kubernetes.io/unschedulable:NoSchedule` passes.
//! - **Upstream**: `plugins/nodeunschedulable`, v1.34.

use k8s_openapi::api::core::v1::Taint;

use super::helpers::{own_update, tolerates};
use crate::cluster::node::NodeInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::{Context, Filter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, Rejection, Verdict};
use berth_protocol::fact::{Fact, FactKind};

/// The plugin.
pub struct NodeUnschedulable;

extends!(NodeUnschedulable: Filter, EnqueueExtensions);

impl Filter for NodeUnschedulable {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Verdict {
        if !node.unschedulable {
            return Ok(());
        }
        if tolerates_cordon(cx) {
            return Ok(());
        }
        Err(Rejection::unresolvable("node(s) were unschedulable"))
    }

    fn facts(&self, _cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        let cordoned = node.unschedulable.then(|| {
            Fact::new(FactKind::Unschedulable)
                .in_pod("spec.tolerations")
                .in_node("spec.unschedulable")
        });
        cordoned.into_iter().collect()
    }
}

impl EnqueueExtensions for NodeUnschedulable {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::hinted(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_TAINT),
            ),
            EventToRegister::hinted(Resource::Pod, ActionType::UPDATE_POD_TOLERATION),
        ];
        &EVENTS
    }

    /// The node was cordoned before or is new, and is schedulable now; or the Pod tolerates cordons now.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        match change {
            ObjectUpdate::Node(node) => {
                let was_open = node.old.as_ref().is_some_and(|old| !old.unschedulable);
                let is_open = node.new.as_ref().is_some_and(|new| !new.unschedulable);
                Hint::queue_if(is_open && !was_open)
            }
            _ => Hint::queue_if(own_update(cx, change).is_some() && tolerates_cordon(cx)),
        }
    }
}

/// Whether the Pod tolerates the taint of a cordoned node.
fn tolerates_cordon(cx: Context<'_>) -> bool {
    let taint = Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    cx.spec
        .tolerations
        .iter()
        .any(|toleration| tolerates(toleration, &taint))
}
