//! Extended resources that a DeviceClass serves (gate DRAExtendedResource): a Pod that requests one on a node without
//! a device plugin for it gets devices, through a claim of its own.

use std::sync::Arc;

use k8s_openapi::api::resource::v1::{
    DeviceClaim, DeviceRequest, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::cluster::devices::EXTENDED_RESOURCES;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::Context;
use crate::release::Gate;
use berth_base::quantity::Quantity;

/// The name of the claim before it exists.
const PLACEHOLDER: &str = "<extended-resources>";

/// A request of a container for a resource that a class serves.
#[derive(Clone, Debug)]
pub struct Extended {
    resource: String,
    request: DeviceRequest,
}

/// The Pod's requests, by container, then by resource.
pub fn requests(cx: Context<'_>) -> Vec<Extended> {
    if !cx.release().is_on(Gate::DRAExtendedResource) || cx.spec.request.scalars.is_empty() {
        return Vec::new();
    }
    of_containers(cx)
}

/// Apart from [`requests`], which every Pod runs.
#[inline(never)]
fn of_containers(cx: Context<'_>) -> Vec<Extended> {
    let spec = &cx.spec.template.spec;
    let containers = spec
        .init_containers
        .iter()
        .flatten()
        .chain(&spec.containers);
    let mut all = Vec::new();
    for (container, it) in containers.enumerate() {
        let resources = it.resources.as_ref().and_then(|it| it.requests.as_ref());
        let mut number = 0;
        for (resource, amount) in resources.into_iter().flatten() {
            let Some(class) = cx.cluster.devices().class_of_resource(resource) else {
                continue;
            };
            let count = Quantity::parse(&amount.0).map_or(0, Quantity::value);
            if count == 0 {
                continue;
            }
            all.push(Extended {
                resource: resource.clone(),
                request: DeviceRequest {
                    name: format!("container-{container}-request-{number}"),
                    exactly: Some(ExactDeviceRequest {
                        device_class_name: class.to_owned(),
                        allocation_mode: Some("ExactCount".to_owned()),
                        count: Some(count),
                        ..ExactDeviceRequest::default()
                    }),
                    first_available: None,
                },
            });
            number += 1;
        }
    }
    all
}

/// The claim for what the node does not offer itself.
pub fn claim_on(pod: &PodInfo, all: &[Extended], node: &NodeInfo) -> Option<Arc<ResourceClaim>> {
    let wanted = all
        .iter()
        .filter(|it| node.allocatable.get(&it.resource) == 0);
    let requests: Vec<DeviceRequest> = wanted.map(|it| it.request.clone()).collect();
    if requests.is_empty() {
        return None;
    }
    Some(Arc::new(ResourceClaim {
        metadata: ObjectMeta {
            name: Some(PLACEHOLDER.to_owned()),
            namespace: Some(pod.object.namespace.to_string()),
            ..ObjectMeta::default()
        },
        spec: ResourceClaimSpec {
            devices: Some(DeviceClaim {
                requests: Some(requests),
                ..DeviceClaim::default()
            }),
        },
        status: None,
    }))
}

/// Whether this is the claim of a Pod's extended resources, before it exists.
pub fn is_placeholder(claim: &ResourceClaim) -> bool {
    claim.metadata.name.as_deref() == Some(PLACEHOLDER)
}

/// The claim with the metadata that the scheduler creates it with. (Upstream's name ends at random.)
pub fn named(claim: &ResourceClaim, pod: &PodInfo) -> ResourceClaim {
    let object = &pod.object;
    let mut claim = claim.clone();
    claim.metadata = ObjectMeta {
        name: Some(format!("{}-extended-resources-0", object.name)),
        namespace: Some(object.namespace.to_string()),
        uid: Some(format!("{}-extended-resources", object.uid)),
        annotations: Some([(EXTENDED_RESOURCES.to_owned(), "true".to_owned())].into()),
        owner_references: Some(vec![OwnerReference {
            api_version: "v1".to_owned(),
            kind: "Pod".to_owned(),
            name: object.name.to_string(),
            uid: object.uid.to_string(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        }]),
        ..ObjectMeta::default()
    };
    claim
}
