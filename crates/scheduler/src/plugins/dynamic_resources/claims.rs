//! The claims of a Pod (`resourceclaim.Name`, `foreachPodResourceClaim`).

use std::sync::Arc;

use k8s_openapi::api::resource::v1::ResourceClaim;

use crate::cluster::Cluster;
use crate::cluster::devices::{Devices, requests_of};
use crate::cluster::pod::PodInfo;

/// The Pod's claims, in the order of `spec.resourceClaims`.
///
/// # Errors
/// Why the Pod cannot be scheduled yet.
pub fn pod_claims(cluster: &Cluster, pod: &PodInfo) -> Result<Vec<Arc<ResourceClaim>>, String> {
    match &pod.object.template.spec.resource_claims {
        None => Ok(Vec::new()),
        Some(_) => named_claims(cluster, pod),
    }
}

/// Apart from [`pod_claims`], which every Pod runs.
#[inline(never)]
fn named_claims(cluster: &Cluster, pod: &PodInfo) -> Result<Vec<Arc<ResourceClaim>>, String> {
    let object = &pod.object;
    let named = object.template.spec.resource_claims.iter().flatten();
    let release = cluster.release();
    let mut claims = Vec::new();
    for of_pod in named {
        let from_template = of_pod.resource_claim_name.is_none();
        let name = match &of_pod.resource_claim_name {
            Some(name) => name.clone(),
            None => {
                let mut known = object.claim_names.iter();
                match known.find(|(name, _)| *name == of_pod.name) {
                    None => {
                        return Err(format!(
                            "pod \"{}\": ResourceClaim not created yet",
                            object.key()
                        ));
                    }
                    // The Pod needs no claim here.
                    Some((_, None)) => continue,
                    Some((_, Some(name))) => name.clone(),
                }
            }
        };
        let key = format!("{}/{name}", object.namespace);
        let Some(claim) = cluster.devices().claim(&object.namespace, &name) else {
            return Err(format!("could not find ResourceClaim \"{key}\""));
        };
        if claim.metadata.deletion_timestamp.is_some() {
            return Err(format!("resourceclaim \"{name}\" is being deleted"));
        }
        if from_template && !is_owned_by(claim, &object.uid) {
            let (pod, owner) = match release.rules().capital_claim_owner {
                true => ("Pod", "Pod is not owner"),
                false => ("pod", "pod is not owner"),
            };
            return Err(format!(
                "ResourceClaim {key} was not created for {pod} {} ({owner})",
                object.key()
            ));
        }
        claims.push(Arc::clone(claim));
    }
    Ok(claims)
}

/// Whether the Pod with this uid controls the claim.
fn is_owned_by(claim: &ResourceClaim, uid: &str) -> bool {
    let mut owners = claim
        .metadata
        .owner_references
        .iter()
        .flatten()
        .filter(|owner| owner.controller.unwrap_or(false));
    owners.any(|owner| owner.uid == uid)
}

/// The message about the first class that does not exist.
pub fn missing_class(devices: &Devices, claim: &ResourceClaim) -> Option<String> {
    for request in requests_of(claim) {
        let exactly = request
            .exactly
            .iter()
            .map(|it| (request.name.clone(), &it.device_class_name));
        let listed = request.first_available.iter().flatten().map(|it| {
            let name = format!("{}/{}", request.name, it.name);
            (name, &it.device_class_name)
        });
        for (name, class) in exactly.chain(listed) {
            if devices.class(class).is_none() {
                return Some(format!(
                    "request {name}: device class {class} does not exist"
                ));
            }
        }
    }
    None
}
