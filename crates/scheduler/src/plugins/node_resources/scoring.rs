//! Scores from requested and allocatable amounts, shared by both resource plugins.

use crate::cluster::devices::count_devices;
use crate::cluster::node::NodeInfo;
use crate::cluster::resources::{Resources, is_scalar};
use crate::framework::plugin::Context;
use crate::release::Gate;
use berth_protocol::fact::Fact;
use berth_protocol::score::Input;

/// A resource that is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedResource {
    pub name: String,
    pub weight: i64,
}

/// The requests that count on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The Pods' requests.
    Requested,
    /// The same, with defaults for containers without CPU or memory requests.
    NonZero,
}

/// The requested amount of one resource, including the Pod, and the allocatable amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    pub requested: i64,
    pub allocatable: i64,
    /// The Pod's share of `requested`.
    pub asked: i64,
}

impl Load {
    /// The amount requested without the Pod.
    pub fn before(&self) -> i64 {
        self.requested.wrapping_sub(self.asked)
    }
}

/// The load of one resource (`calculateResourceAllocatableRequest`). If the node lacks the resource,
/// or it is scalar and the Pod does not request it, the allocatable amount is 0: it is not scored.
pub fn load(
    cx: Context<'_>,
    node: &NodeInfo,
    request: &Resources,
    resource: &str,
    basis: Basis,
) -> Load {
    let asked = request.get(resource);
    let with = |requested: i64, allocatable: i64| Load {
        requested: requested.wrapping_add(asked),
        allocatable,
        asked,
    };
    let (milli_cpu, memory_bytes) = match basis {
        Basis::Requested => (node.requested.milli_cpu, node.requested.memory_bytes),
        Basis::NonZero => node.non_zero_requested,
    };
    match resource {
        "cpu" => with(milli_cpu, node.allocatable.milli_cpu),
        "memory" => with(memory_bytes, node.allocatable.memory_bytes),
        "ephemeral-storage" => with(
            node.requested.ephemeral_storage_bytes,
            node.allocatable.ephemeral_storage_bytes,
        ),
        _ if asked == 0 && is_scalar(resource) => Load {
            requested: 0,
            allocatable: 0,
            asked,
        },
        _ => {
            let offered = node.allocatable.scalar(resource);
            let devices = match offered.unwrap_or(0) {
                0 => devices_for(cx, node, resource),
                _ => None,
            };
            let taken = || node.requested.scalar(resource).unwrap_or(0);
            let known = devices.or_else(|| offered.map(|offered| (taken(), offered)));
            known.map_or(
                Load {
                    requested: 0,
                    allocatable: 0,
                    asked,
                },
                |(taken, offered)| with(taken, offered),
            )
        }
    }
}

/// The allocated and all devices of the class that serves an extended resource, if there are any on the node
/// (`calculateDRAExtendedResourceAllocatableRequest`).
fn devices_for(cx: Context<'_>, node: &NodeInfo, resource: &str) -> Option<(i64, i64)> {
    if !cx.release().is_on(Gate::DRAExtendedResource) {
        return None;
    }
    let devices = cx.cluster.devices();
    let class = devices.class(devices.class_of_resource(resource)?)?;
    let counted = count_devices(devices, node, class);
    Some(counted).filter(|(_, all)| *all > 0)
}

/// Whether loads depend on the Pod and the node alone: those of extended resources may depend on devices.
pub fn are_local<'a>(mut resources: impl Iterator<Item = &'a str>) -> bool {
    resources.all(|resource| !is_scalar(resource))
}

/// A load as an input of a formula.
pub fn load_fact(cx: Context<'_>, resource: &str, load: Load, weight: i64) -> Fact<Input> {
    let input = Input::Load {
        resource: resource.to_owned(),
        used: load.before(),
        request: load.asked,
        allocatable: load.allocatable,
        weight,
    };
    Fact::new(input)
        .in_pod(request_path(cx, resource))
        .in_node(format!("status.allocatable[{resource}]"))
}

/// The first container that requests the resource.
pub fn request_path(cx: Context<'_>, resource: &str) -> String {
    let containers = &cx.spec.template.spec.containers;
    let asks = |list: Option<&std::collections::BTreeMap<String, _>>| {
        list.is_some_and(|list| list.contains_key(resource))
    };
    let position = containers.iter().position(|container| {
        asks(
            container
                .resources
                .as_ref()
                .and_then(|resources| resources.requests.as_ref()),
        )
    });
    format!(
        "spec.containers[{}].resources.requests[{resource}]",
        position.unwrap_or(0)
    )
}
