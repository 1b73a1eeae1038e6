//! SchedulingGates: a Pod with gates is not tried until they are gone.
//!
//! - **Extension point**: PreEnqueue.
//! - **Why**: controllers (quota, topology, provisioning) hold Pods back without making the scheduler try in vain.
//! - **Example**: `schedulingGates: [{name: example.com/quota}]` keeps the Pod `SchedulingGated`.
//! - **Upstream**: `plugins/schedulinggates`, v1.34.

use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Plugin, PreEnqueue};
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
