//! SchedulingGates: a Pod with gates is not tried until they are gone.
//!
//! - **Extension point**: PreEnqueue.
//! - **Why**: controllers (quota, topology, provisioning) hold Pods back without making the scheduler try in vain.
//! - **Example**: `schedulingGates: [{name: example.com/quota}]` keeps the Pod `SchedulingGated`.
//! - **Upstream**: `plugins/schedulinggates`, v1.34.

use super::helpers::own_update;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, Change, EnqueueExtensions, EventToRegister, Hint, Resource,
};
use crate::framework::plugin::{Context, Plugin, PreEnqueue};
use crate::framework::status::Rejection;

/// The plugin.
pub struct SchedulingGates;

impl Plugin for SchedulingGates {
    fn name(&self) -> &'static str {
        "SchedulingGates"
    }
    fn as_pre_enqueue(&self) -> Option<&dyn PreEnqueue> {
        Some(self)
    }
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        Some(self)
    }
}

impl PreEnqueue for SchedulingGates {
    fn pre_enqueue(&self, pod: &PodInfo) -> Result<(), Rejection> {
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

    /// The Pod's own gates are gone.
    fn hint(&self, cx: Context<'_>, change: &Change) -> Hint {
        Hint::queue_if(own_update(cx, change).is_some())
    }
}
