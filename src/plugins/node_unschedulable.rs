//! NodeUnschedulable: keeps Pods off cordoned nodes.
//!
//! - **Extension point**: Filter.
//! - **Why**: `kubectl cordon` must work even before the node controller has added its taint.
//! - **Example**: a Pod that tolerates `node.kubernetes.io/unschedulable:NoSchedule` passes nevertheless.
//! - **Upstream**: `plugins/nodeunschedulable`, v1.34.

use k8s_openapi::api::core::v1::Taint;

use super::helpers::tolerates;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Filter, Plugin};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, Rejection, Verdict};
use crate::protocol::fact::{Fact, FactKind};

/// The plugin.
pub struct NodeUnschedulable;

impl Plugin for NodeUnschedulable {
    fn name(&self) -> &'static str {
        "NodeUnschedulable"
    }
    fn as_filter(&self) -> Option<&dyn Filter> {
        Some(self)
    }
}

impl Filter for NodeUnschedulable {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Verdict {
        if !node.unschedulable {
            return Ok(());
        }
        let taint = Taint {
            key: "node.kubernetes.io/unschedulable".to_owned(),
            effect: "NoSchedule".to_owned(),
            ..Taint::default()
        };
        if cx
            .spec
            .tolerations
            .iter()
            .any(|toleration| tolerates(toleration, &taint))
        {
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
