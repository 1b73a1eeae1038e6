//! DynamicResources, for Pods without resource claims.
//!
//! - **Extension points**: PreEnqueue, PreFilter, Filter, PostFilter, Score, Reserve.
//! - **Why**: it is enabled by default, and its PostFilter adds
//!   `no new claims to deallocate` to the message of every Pod that fits on no node.
//! - **Limits**: ResourceClaims, ResourceSlices and DeviceClasses are not read; a Pod with
//!   `resourceClaims` is kept out of the queue with a message that explains it.
//! - **Upstream**: `plugins/dynamicresources`, v1.34.

use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{ActionType, EnqueueExtensions, EventToRegister, Resource};
use crate::framework::plugin::{
    Context, Filter, PostFilter, PreEnqueue, PreFilter, Reserve, Score, VolumeDecisions, extends,
};
use crate::framework::preemption::{PostFiltered, PreemptionContext};
use crate::framework::state::CycleState;
use crate::framework::status::{PreFiltered, Rejection, Verdict};

/// The plugin.
pub struct DynamicResources;

/// Marks that PreFilter ran; without it, Filter and PostFilter return an error.
#[derive(Clone)]
struct Prepared;

extends!(
    DynamicResources: PreEnqueue, PreFilter, Filter, PostFilter, Score, Reserve, PreBind, EnqueueExtensions
);

impl PreEnqueue for DynamicResources {
    fn pre_enqueue(&self, pod: &PodInfo) -> Result<(), Rejection> {
        let claims = pod
            .object
            .template
            .spec
            .resource_claims
            .as_deref()
            .unwrap_or_default();
        match claims.first() {
            None => Ok(()),
            Some(claim) => Err(Rejection::unresolvable(format!(
                "pod asks for resource claim \"{}\": Berth does not simulate dynamic resource allocation",
                claim.name
            ))),
        }
    }
}

impl PreFilter for DynamicResources {
    fn pre_filter(&self, _cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        state.write(Prepared);
        PreFiltered::Skip
    }
}

impl Filter for DynamicResources {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, _cx: Context<'_>, state: &CycleState, _node: &NodeInfo) -> Verdict {
        match state.read::<Prepared>() {
            Some(Prepared) => Ok(()),
            None => Err(Rejection::error("not found")),
        }
    }
}

impl PostFilter for DynamicResources {
    fn post_filter(&self, cx: &PreemptionContext<'_>) -> PostFiltered {
        if cx.state.read::<Prepared>().is_none() {
            return PostFiltered::Error(Rejection::error("not found"));
        }
        PostFiltered::Unschedulable {
            message: "no new claims to deallocate".to_owned().into(),
            tried: Vec::new(),
            clear_nomination: false,
        }
    }
}

/// Without claims all nodes are equal (since v1.35).
impl Score for DynamicResources {
    fn is_node_local(&self) -> bool {
        true
    }

    fn score(
        &self,
        _cx: Context<'_>,
        state: &CycleState,
        _node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        match state.read::<Prepared>() {
            Some(Prepared) => Ok(0),
            None => Err(Rejection::error("not found")),
        }
    }
}

/// Without claims there is nothing to reserve.
impl Reserve for DynamicResources {
    fn reserve(
        &self,
        _cx: Context<'_>,
        _state: &CycleState,
        _node: &NodeInfo,
    ) -> Result<VolumeDecisions, Rejection> {
        Ok(VolumeDecisions::default())
    }
}

impl EnqueueExtensions for DynamicResources {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 1] = [EventToRegister::always(
            Resource::Node,
            ActionType::ADD
                .or(ActionType::UPDATE_NODE_LABEL)
                .or(ActionType::UPDATE_NODE_ALLOCATABLE),
        )];
        &EVENTS
    }
}
