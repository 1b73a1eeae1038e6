//! Extended resources that a DeviceClass serves (gate DRAExtendedResource): a Pod that requests one on a node without
//! a device plugin for it gets devices, through a claim of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::api::resource::v1::{
    DeviceClaim, DeviceRequest, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::cluster::devices::{EXTENDED_RESOURCES, OF_CLASS};
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::Context;
use crate::framework::status::Rejection;
use crate::release::Gate;
use berth_base::quantity::Quantity;

/// The name of the claim before it exists.
const PLACEHOLDER: &str = "<extended-resources>";

/// An extended resource that the Pod requests.
#[derive(Clone, Debug)]
pub struct Extended {
    resource: String,
    /// The class that serves it.
    class: Option<String>,
}

/// The Pod's extended resources by name; none unless a class serves one of them.
pub fn requests(cx: Context<'_>) -> Vec<Extended> {
    if !cx.release().is_on(Gate::DRAExtendedResource) || cx.spec.request.scalars.is_empty() {
        return Vec::new();
    }
    of_pod(cx)
}

/// Apart from [`requests`], which every Pod runs.
#[inline(never)]
fn of_pod(cx: Context<'_>) -> Vec<Extended> {
    let asked = cx.spec.request.scalars.iter();
    let extended = asked.filter(|(name, amount)| *amount != 0 && is_extended(name));
    let all: Vec<Extended> = extended
        .map(|(name, _)| Extended {
            resource: name.clone(),
            class: cx
                .cluster
                .devices()
                .class_of_resource(name)
                .map(str::to_owned),
        })
        .collect();
    match all.iter().any(|it| it.class.is_some()) {
        true => all,
        false => Vec::new(),
    }
}

/// Whether a class can serve the resource (`IsDRAExtendedResourceName`).
fn is_extended(name: &str) -> bool {
    name.starts_with(OF_CLASS)
        || name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

/// The claim for what the node does not offer itself. With claims of the Pod's own there always is one, though it may
/// request nothing.
///
/// # Errors
/// Neither the node nor a class has a resource.
pub fn claim_on(
    pod: &PodInfo,
    all: &[Extended],
    node: &NodeInfo,
    has_own_claims: bool,
) -> Result<Option<Arc<ResourceClaim>>, Rejection> {
    let mut requests = Vec::new();
    for it in all {
        match &it.class {
            Some(class) if node.allocatable.get(&it.resource) == 0 => {
                requests.extend(device_requests(
                    &pod.object.template.spec,
                    &it.resource,
                    class,
                ));
            }
            _ if node.allocatable.scalar(&it.resource).is_none() => {
                return Err(Rejection::unresolvable("cannot fit resource"));
            }
            _ => {}
        }
    }
    if all.is_empty() || requests.is_empty() && !has_own_claims {
        return Ok(None);
    }
    requests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Some(Arc::new(ResourceClaim {
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
    })))
}

/// The requests for a resource, one a container. What init containers request is taken from the containers that start
/// later; the one that needs most beside that requests the rest for all of them.
fn device_requests(spec: &PodSpec, resource: &str, class: &str) -> Vec<DeviceRequest> {
    let init = spec.init_containers.as_deref().unwrap_or_default();
    let containers: Vec<&Container> = init.iter().chain(&spec.containers).collect();
    let ends =
        |at: usize| at < init.len() && containers[at].restart_policy.as_deref() != Some("Always");
    let asked: Vec<i64> = containers.iter().map(|it| amount(it, resource)).collect();
    let lasting = |at: usize| if ends(at) { 0 } else { asked[at] };
    let mut most: Option<(usize, i64)> = None;
    for at in (0..init.len()).filter(|at| ends(*at)) {
        let reused: i64 = (at..containers.len()).map(lasting).sum();
        let rest = asked[at] - reused;
        if rest > most.map_or(0, |(_, most)| most) {
            most = Some((at, rest));
        }
    }
    let lasting = (0..containers.len()).map(|at| (at, lasting(at)));
    let counts = most.into_iter().chain(lasting);
    let requested = counts.filter(|(_, count)| *count > 0);
    let request = |(at, count): (usize, i64)| DeviceRequest {
        name: format!(
            "container-{at}-request-{}",
            position(containers[at], resource)
        ),
        exactly: Some(ExactDeviceRequest {
            device_class_name: class.to_owned(),
            allocation_mode: Some("ExactCount".to_owned()),
            count: Some(count),
            ..ExactDeviceRequest::default()
        }),
        first_available: None,
    };
    requested.map(request).collect()
}

fn amount(container: &Container, resource: &str) -> i64 {
    let amount = requests_of(container).and_then(|it| it.get(resource));
    amount.map_or(0, |it| Quantity::parse(&it.0).map_or(0, Quantity::value))
}

/// The resource's position among all that the container requests, by name.
fn position(container: &Container, resource: &str) -> usize {
    let names = requests_of(container).into_iter().flat_map(BTreeMap::keys);
    names.take_while(|name| *name != resource).count()
}

fn requests_of(container: &Container) -> Option<&BTreeMap<String, ApiQuantity>> {
    container.resources.as_ref()?.requests.as_ref()
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

/// Why the Pod cannot be told which devices it got: the claim requests nothing.
pub fn without_requests(claim: &ResourceClaim, pod: &PodInfo) -> Option<String> {
    let requests = claim.spec.devices.as_ref()?.requests.as_deref();
    requests.unwrap_or_default().is_empty().then(|| {
        let pod = pod.object.key();
        format!("nil or empty request mappings, no update of pod {pod} ExtendedResourceClaimStatus")
    })
}
