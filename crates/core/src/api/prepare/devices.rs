//! Defaults of the kinds of dynamic resource allocation, the fields that feature gates drop, and what the claim
//! controller does before the first attempt.

use std::sync::Arc;

use k8s_openapi::api::resource::v1::{
    Device, DeviceClaim, DeviceClass, DeviceToleration, ResourceClaim,
    ResourceClaimConsumerReference, ResourceClaimTemplate, ResourceSlice,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::api::prepared::{PodObject, Prepared};
use berth_scheduler::cluster::devices::allocation_of;
use berth_scheduler::release::{Gate, Release};

use super::meta::{made_uid, name_of, namespace_of};

/// The annotation of a claim that was made for a Pod, with the claim's name in the Pod.
pub const POD_CLAIM_NAME: &str = "resource.kubernetes.io/pod-claim-name";

/// Fills in defaults; idempotent.
pub fn default_claim(spec: &mut DeviceClaim) {
    for request in spec.requests.iter_mut().flatten() {
        if let Some(exactly) = &mut request.exactly {
            default_count(&mut exactly.allocation_mode, &mut exactly.count);
            default_operators(exactly.tolerations.as_mut());
        }
        for alternative in request.first_available.iter_mut().flatten() {
            default_count(&mut alternative.allocation_mode, &mut alternative.count);
            default_operators(alternative.tolerations.as_mut());
        }
    }
}

fn default_operators(tolerations: Option<&mut Vec<DeviceToleration>>) {
    for toleration in tolerations.into_iter().flatten() {
        let operator = toleration.operator.get_or_insert_default();
        if operator.is_empty() {
            "Equal".clone_into(operator);
        }
    }
}

fn default_count(mode: &mut Option<String>, count: &mut Option<i64>) {
    if mode.as_deref().unwrap_or_default().is_empty() {
        *mode = Some("ExactCount".to_owned());
    }
    if mode.as_deref() == Some("ExactCount") && count.is_none_or(|count| count == 0) {
        *count = Some(1);
    }
}

/// Drops the fields of gates that are off; tolerations stay, and in some releases distinct attributes.
pub fn drop_gated_claim(spec: &mut DeviceClaim, release: &Release) {
    let capacity = release.is_on(Gate::DRAConsumableCapacity);
    if !capacity && release.rules().drops_distinct_attributes {
        for constraint in spec.constraints.iter_mut().flatten() {
            constraint.distinct_attribute = None;
        }
    }
    for request in spec.requests.iter_mut().flatten() {
        if let Some(exactly) = &mut request.exactly {
            exactly.capacity = exactly.capacity.take().filter(|_| capacity);
            if !release.is_on(Gate::DRAAdminAccess) {
                exactly.admin_access = None;
            }
        }
        if !release.is_on(Gate::DRAPrioritizedList) {
            request.first_available = None;
        }
        for alternative in request.first_available.iter_mut().flatten() {
            alternative.capacity = alternative.capacity.take().filter(|_| capacity);
        }
    }
}

/// Drops the fields of gates that are off.
pub fn drop_gated_class(class: &mut DeviceClass, release: &Release) {
    if !release.is_on(Gate::DRAExtendedResource) {
        class.spec.extended_resource_name = None;
    }
}

/// Drops the fields of gates that are off.
pub fn drop_gated_slice(slice: &mut ResourceSlice, release: &Release) {
    let spec = &mut slice.spec;
    if !release.is_on(Gate::DRAPartitionableDevices) {
        spec.shared_counters = None;
        spec.per_device_node_selection = None;
    }
    for device in spec.devices.iter_mut().flatten() {
        drop_gated_device(device, release);
    }
}

fn drop_gated_device(device: &mut Device, release: &Release) {
    // Its gate is off in every release here.
    device.node_allocatable_resource_mappings = None;
    if !release.is_on(Gate::DRADeviceTaints) {
        device.taints = None;
    }
    if !release.is_on(Gate::DRAPartitionableDevices) {
        device.consumes_counters = None;
        device.node_name = None;
        device.node_selector = None;
        device.all_nodes = None;
    }
    if !release.is_on(Gate::DRADeviceBindingConditions) {
        device.binds_to_node = None;
        device.binding_conditions = None;
        device.binding_failure_conditions = None;
    }
    if !release.is_on(Gate::DRAConsumableCapacity) {
        device.allow_multiple_allocations = None;
        for capacity in device.capacity.iter_mut().flatten() {
            capacity.1.request_policy = None;
        }
    }
}

/// A stored claim.
pub fn settle_claim(claim: &mut ResourceClaim, release: &Release) {
    if let Some(spec) = &mut claim.spec.devices {
        default_claim(spec);
        drop_gated_claim(spec, release);
    }
}

/// A stored template.
pub fn settle_template(template: &mut ResourceClaimTemplate, release: &Release) {
    if let Some(spec) = &mut template.spec.spec.devices {
        default_claim(spec);
        drop_gated_claim(spec, release);
    }
}

/// The claim that the claim controller makes for a Pod from a template.
pub fn claim_of_template(
    template: &ResourceClaimTemplate,
    pod: (&str, &str, &str),
    pod_claim: &str,
    name: String,
) -> ResourceClaim {
    let (namespace, pod_name, pod_uid) = pod;
    let given = template.spec.metadata.as_ref();
    let mut annotations = given
        .and_then(|meta| meta.annotations.clone())
        .unwrap_or_default();
    annotations.insert(POD_CLAIM_NAME.to_owned(), pod_claim.to_owned());
    ResourceClaim {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: Some(namespace.to_owned()),
            labels: given.and_then(|meta| meta.labels.clone()),
            annotations: Some(annotations),
            owner_references: Some(vec![OwnerReference {
                api_version: "v1".to_owned(),
                kind: "Pod".to_owned(),
                name: pod_name.to_owned(),
                uid: pod_uid.to_owned(),
                controller: Some(true),
                block_owner_deletion: Some(true),
            }]),
            ..ObjectMeta::default()
        },
        spec: template.spec.spec.clone(),
        status: None,
    }
}

/// Gives Pods without a uid of their own the uid `pod-NAMESPACE-NAME`, as in recordings of the scheduler alone:
/// messages about reservations name it.
pub(super) fn plain_uids(prepared: &mut Prepared) {
    for pod in &mut prepared.pods {
        let (namespace, name) = (&pod.namespace, &pod.name);
        if *pod.uid == *made_uid("Pod", namespace, name) {
            pod.uid = Arc::from(format!("pod-{namespace}-{name}"));
        }
    }
}

/// What the claim controller has done before the first attempt: claims from templates, and running Pods as
/// consumers of their allocated claims.
pub(super) fn settle_pods(prepared: &mut Prepared) {
    let Prepared {
        pods,
        resource_claims: claims,
        resource_claim_templates: templates,
        ..
    } = prepared;
    for pod in pods.iter_mut().filter(|pod| !pod.phase.is_terminal()) {
        let template = Arc::clone(&pod.template);
        for of_pod in template.spec.resource_claims.iter().flatten() {
            if let Some(wanted) = &of_pod.resource_claim_template_name {
                create_claim(pod, &of_pod.name, wanted, templates, claims);
            }
            if pod.node_name.is_some() {
                let made = pod
                    .claim_names
                    .iter()
                    .find(|(name, _)| *name == of_pod.name);
                let made = made.and_then(|(_, made)| made.as_ref());
                if let Some(name) = of_pod.resource_claim_name.as_ref().or(made) {
                    reserve(pod, name, claims);
                }
            }
        }
    }
}

/// The claims that the claim controller makes for a new Pod, and names in it.
pub fn claims_from_templates(
    pod: &mut PodObject,
    templates: &[ResourceClaimTemplate],
) -> Vec<ResourceClaim> {
    let mut claims = Vec::new();
    let template = Arc::clone(&pod.template);
    for of_pod in template.spec.resource_claims.iter().flatten() {
        if let Some(wanted) = &of_pod.resource_claim_template_name {
            create_claim(pod, &of_pod.name, wanted, templates, &mut claims);
        }
    }
    claims
}

fn create_claim(
    pod: &mut PodObject,
    pod_claim: &str,
    wanted: &str,
    templates: &[ResourceClaimTemplate],
    claims: &mut Vec<ResourceClaim>,
) {
    if pod.terminating || pod.claim_names.iter().any(|(name, _)| name == pod_claim) {
        return;
    }
    let template = templates.iter().find(|it| {
        namespace_of(&it.metadata) == &*pod.namespace && name_of(&it.metadata) == wanted
    });
    let Some(template) = template else { return };
    let name = format!("{}-{pod_claim}", pod.name);
    let is_known = claims
        .iter()
        .any(|it| namespace_of(&it.metadata) == &*pod.namespace && name_of(&it.metadata) == name);
    if !is_known {
        let of = (&*pod.namespace, &*pod.name, &*pod.uid);
        let mut claim = claim_of_template(template, of, pod_claim, name.clone());
        claim.metadata.uid = Some(made_uid("ResourceClaim", &pod.namespace, &name));
        claims.push(claim);
    }
    let made = (pod_claim.to_owned(), Some(name));
    pod.claim_names = pod.claim_names.iter().cloned().chain([made]).collect();
}

fn reserve(pod: &PodObject, name: &str, claims: &mut [ResourceClaim]) {
    let claim = claims
        .iter_mut()
        .find(|it| namespace_of(&it.metadata) == &*pod.namespace && name_of(&it.metadata) == name);
    let Some(claim) = claim.filter(|claim| allocation_of(claim).is_some()) else {
        return;
    };
    let status = claim.status.get_or_insert_default();
    let consumers = status.reserved_for.get_or_insert_default();
    if consumers.iter().all(|it| it.uid != *pod.uid) {
        consumers.push(ResourceClaimConsumerReference {
            api_group: None,
            name: pod.name.to_string(),
            resource: "pods".to_owned(),
            uid: pod.uid.to_string(),
        });
    }
}

/// Removes a deleted Pod from a claim's consumers; a claim without consumers is deallocated. `true` if it changed.
pub fn release_claim(claim: &mut ResourceClaim, pod_uid: &str) -> bool {
    let Some(status) = &mut claim.status else {
        return false;
    };
    let Some(consumers) = &mut status.reserved_for else {
        return false;
    };
    let before = consumers.len();
    consumers.retain(|it| it.uid != pod_uid);
    if consumers.len() == before {
        return false;
    }
    if consumers.is_empty() {
        status.reserved_for = None;
        deallocate(claim);
    }
    true
}

/// Removes the allocation, the consumers, the devices' conditions, and the finalizer that protects them.
pub fn deallocate(claim: &mut ResourceClaim) {
    if let Some(status) = &mut claim.status {
        status.allocation = None;
        status.reserved_for = None;
        status.devices = None;
    }
    if let Some(finalizers) = &mut claim.metadata.finalizers {
        finalizers.retain(|it| it != "resource.kubernetes.io/delete-protection");
        if finalizers.is_empty() {
            claim.metadata.finalizers = None;
        }
    }
}
