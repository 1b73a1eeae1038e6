//! DynamicResources, as far as a Pod without resource claims sees it.
//!
//! - **Extension points**: PreEnqueue, PreFilter, Filter, PostFilter.
//! - **Why it shows**: it is on in v1.34, and its PostFilter adds `no new claims to deallocate` to
//!   the message of every Pod that fits nowhere.
//! - **Not here**: ResourceClaims, ResourceSlices and DeviceClasses are not read, so a Pod with
//!   `resourceClaims` is held back with a message that says so.
//! - **Upstream**: `plugins/dynamicresources`, v1.34.

use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{ActionType, EnqueueExtensions, EventToRegister, Resource};
use crate::framework::plugin::{Context, Filter, Plugin, PostFilter, PreEnqueue, PreFilter};
use crate::framework::preemption::{PostFiltered, PreemptionContext};
use crate::framework::state::CycleState;
use crate::framework::status::{PreFiltered, Rejection, Verdict};

/// The plugin.
pub struct DynamicResources;

/// Mark of a PreFilter that ran: PostFilter without it is an error.
#[derive(Clone)]
struct Prepared;

impl Plugin for DynamicResources {
    fn name(&self) -> &'static str {
        "DynamicResources"
    }
    fn as_pre_enqueue(&self) -> Option<&dyn PreEnqueue> {
        Some(self)
    }
    fn as_pre_filter(&self) -> Option<&dyn PreFilter> {
        Some(self)
    }
    fn as_filter(&self) -> Option<&dyn Filter> {
        Some(self)
    }
    fn as_post_filter(&self) -> Option<&dyn PostFilter> {
        Some(self)
    }
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        Some(self)
    }
}

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
            rejection: Rejection::unschedulable("no new claims to deallocate"),
            clear_nomination: false,
        }
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
