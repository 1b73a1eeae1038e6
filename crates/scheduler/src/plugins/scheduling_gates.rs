//! SchedulingGates: keeps a Pod with scheduling gates out of the queue.
//!
//! - **Extension point**: PreEnqueue.
//! - **Why**: controllers (quota, topology, provisioning) hold Pods back without futile scheduling attempts.
//! - **Example**: `schedulingGates: [{name: example.com/quota}]` keeps the Pod `SchedulingGated`.
//! - **Upstream**: `plugins/schedulinggates`, v1.34.

use super::helpers::own_update;
use crate::cluster::Cluster;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::{Context, PreEnqueue, extends};
use crate::framework::status::Rejection;

/// The plugin.
pub struct SchedulingGates;

extends!(SchedulingGates: PreEnqueue, EnqueueExtensions);

impl PreEnqueue for SchedulingGates {
    fn pre_enqueue(&self, _cluster: &Cluster, pod: &PodInfo) -> Result<(), Rejection> {
        let gates = pod
            .object
            .template
            .spec
            .scheduling_gates
            .as_deref()
            .unwrap_or_default();
        if gates.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = gates.iter().map(|gate| gate.name.as_str()).collect();
        Err(Rejection::unresolvable(format!(
            "waiting for scheduling gates: [{}]",
            names.join(" ")
        )))
    }
}

impl EnqueueExtensions for SchedulingGates {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 1] = [EventToRegister::hinted(
            Resource::Pod,
            ActionType::UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
        )];
        &EVENTS
    }

    /// The Pod's scheduling gates were removed.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(own_update(cx, change).is_some())
    }
}
