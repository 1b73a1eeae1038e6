//! ResourceClaims: creates them from templates, and takes them back from Pods that are done
//! (`pkg/controller/resourceclaim`, Kubernetes v1.34).
//!
//! Keys are `pod:NAME` and `claim:NAME`, as upstream. A claim's owner is its Pod, so the garbage collector deletes
//! it; the finalizer of an allocated claim is removed here, when no Pod uses the claim.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, PodResourceClaim, PodResourceClaimStatus};
use k8s_openapi::api::resource::v1::{
    ResourceClaim, ResourceClaimConsumerReference, ResourceClaimTemplate,
};

use crate::audit_log::{Event, Level};
use crate::controllers::Controller;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, is_controlled_by, name_of, namespace_of, uid_of};
use crate::workqueue::WorkQueue;
use berth_core::api::prepare::devices::{POD_CLAIM_NAME, claim_of_template, deallocate};
use berth_scheduler::cluster::devices::allocation_of;

const POD: &str = "pod:";
const CLAIM: &str = "claim:";

/// The controller.
#[derive(Clone, Debug)]
pub struct ResourceClaimController {
    queue: WorkQueue,
}

impl ResourceClaimController {
    pub fn new(queue: WorkQueue) -> Self {
        Self { queue }
    }

    fn add(&mut self, prefix: &str, namespace: &str, name: &str) {
        self.queue
            .add(Key::new(namespace, format!("{prefix}{name}")));
    }
}

pub(super) fn claims_of(pod: &Pod) -> impl Iterator<Item = &PodResourceClaim> {
    let spec = pod.spec.iter();
    spec.flat_map(|spec| spec.resource_claims.iter().flatten())
}

fn made_for<'a>(pod: &'a Pod, claim: &str) -> Option<&'a PodResourceClaimStatus> {
    let mut made = pod
        .status
        .iter()
        .flat_map(|it| it.resource_claim_statuses.iter().flatten());
    made.find(|it| it.name == claim)
}

/// The name of the ResourceClaim behind a claim of the Pod, if there is one.
pub(super) fn name_behind(pod: &Pod, of_pod: &PodResourceClaim) -> Option<String> {
    let made = || made_for(pod, &of_pod.name)?.resource_claim_name.clone();
    of_pod.resource_claim_name.clone().or_else(made)
}

/// The claims that were made from a template and are not allocated.
pub fn unallocated_of(template: &Key, store: &Store) -> Vec<Key> {
    let namespace = template.namespace();
    let of_template = |claim: &&PodResourceClaim| {
        claim.resource_claim_template_name.as_deref() == Some(template.name())
    };
    let pods = store
        .pods
        .iter()
        .filter(|pod| namespace_of(&pod.metadata) == namespace);
    let made = pods.flat_map(|pod| {
        let made = claims_of(pod).filter(of_template);
        made.filter_map(|claim| name_behind(pod, claim))
    });
    let keys = made.map(|name| Key::new(namespace, name));
    let is_unallocated = |key: &Key| {
        let claim = store.resource_claims.get(key);
        claim.is_some_and(|claim| allocation_of(claim).is_none())
    };
    keys.filter(is_unallocated).collect()
}

/// Whether the Pod no longer uses its claims.
fn is_done(pod: &Pod) -> bool {
    let has_node = pod
        .spec
        .as_ref()
        .is_some_and(|spec| spec.node_name.is_some());
    pod_util::is_finished(pod) || pod_util::is_terminating(pod) && !has_node
}

impl Controller for ResourceClaimController {
    fn component(&self) -> &'static str {
        "resource_claim"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((before, after)) = change.of::<Pod>() {
            let Some(pod) = after.or(before) else { return };
            if claims_of(pod).next().is_none() {
                return;
            }
            let namespace = namespace_of(&pod.metadata);
            if after.is_none() || is_done(pod) {
                for name in claims_of(pod).filter_map(|it| name_behind(pod, it)) {
                    self.add(CLAIM, namespace, &name);
                }
            } else {
                self.add(POD, namespace, name_of(&pod.metadata));
            }
        } else if let Some((before, after)) = change.of::<ResourceClaim>() {
            let Some(claim) = after.or(before) else {
                return;
            };
            let namespace = namespace_of(&claim.metadata);
            let name = name_of(&claim.metadata);
            self.add(CLAIM, namespace, name);
            // A Pod may wait for the claim, or have lost it.
            let users: Vec<String> = cache
                .pods
                .iter()
                .filter(|pod| namespace_of(&pod.metadata) == namespace)
                .filter(|pod| {
                    is_controlled_by(&claim.metadata, &pod.metadata)
                        || claims_of(pod).any(|it| name_behind(pod, it).as_deref() == Some(name))
                })
                .map(|pod| name_of(&pod.metadata).to_owned())
                .collect();
            for user in users {
                self.add(POD, namespace, &user);
            }
        } else if let Some((None, Some(template))) = change.of::<ResourceClaimTemplate>() {
            let namespace = namespace_of(&template.metadata);
            let wanted = Some(name_of(&template.metadata));
            let users: Vec<String> = cache
                .pods
                .iter()
                .filter(|pod| namespace_of(&pod.metadata) == namespace)
                .filter(|pod| {
                    claims_of(pod).any(|it| it.resource_claim_template_name.as_deref() == wanted)
                })
                .map(|pod| name_of(&pod.metadata).to_owned())
                .collect();
            for user in users {
                self.add(POD, namespace, &user);
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, _cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        if let Some(name) = key.name().strip_prefix(POD) {
            return sync_pod(&Key::new(key.namespace(), name), api);
        }
        match key.name().strip_prefix(CLAIM) {
            Some(name) => sync_claim(&Key::new(key.namespace(), name), api),
            None => Ok(()),
        }
    }
}

/// Creates the Pod's claims, and reserves allocated ones for a Pod that was bound without the scheduler.
fn sync_pod(key: &Key, api: &mut ApiServer) -> Result<(), ApiError> {
    let Some(pod) = api.store().pods.get(key).cloned() else {
        return Ok(());
    };
    if pod_util::is_terminating(&pod) || is_done(&pod) {
        return Ok(());
    }
    let mut made = Vec::new();
    for of_pod in claims_of(&pod) {
        let Some(wanted) = &of_pod.resource_claim_template_name else {
            continue;
        };
        match made_for(&pod, &of_pod.name) {
            Some(known) if is_there(&pod, known, api) => made.push(known.clone()),
            _ => {
                let name = find_or_create(&pod, of_pod, wanted, api)?;
                made.push(PodResourceClaimStatus {
                    name: of_pod.name.clone(),
                    resource_claim_name: Some(name),
                });
            }
        }
    }
    let known = pod
        .status
        .as_ref()
        .and_then(|it| it.resource_claim_statuses.clone());
    if !made.is_empty() && known.as_ref() != Some(&made) {
        let mut changed = (*pod).clone();
        let status = changed.status.get_or_insert_default();
        status.resource_claim_statuses = Some(made);
        api.update_status(&changed)?;
    }
    reserve_for_bound(key, api)
}

/// Whether the claim that the status names exists, or none is needed.
fn is_there(pod: &Pod, known: &PodResourceClaimStatus, api: &ApiServer) -> bool {
    known.resource_claim_name.as_ref().is_none_or(|name| {
        let key = Key::new(namespace_of(&pod.metadata), name.as_str());
        api.store().resource_claims.get(&key).is_some()
    })
}

fn find_or_create(
    pod: &Arc<Pod>,
    of_pod: &PodResourceClaim,
    wanted: &str,
    api: &mut ApiServer,
) -> Result<String, ApiError> {
    let namespace = namespace_of(&pod.metadata);
    let mine = api
        .store()
        .resource_claims
        .iter()
        .filter(|it| is_controlled_by(&it.metadata, &pod.metadata));
    let made = mine.into_iter().find(|it| {
        let annotations = it.metadata.annotations.as_ref();
        annotations.and_then(|it| it.get(POD_CLAIM_NAME)) == Some(&of_pod.name)
    });
    if let Some(made) = made {
        return Ok(name_of(&made.metadata).to_owned());
    }
    let template = api
        .store()
        .resource_claim_templates
        .get(&Key::new(namespace, wanted))
        .cloned();
    let Some(template) = template else {
        let key = Key::new(namespace, wanted);
        let text = format!(
            "PodResourceClaim {}: resource claim template \"{wanted}\": resourceclaimtemplate.resource.k8s.io \"{wanted}\" not found",
            of_pod.name
        );
        api.event(Event::new(
            &**pod,
            Level::Warning,
            "FailedResourceClaimCreation",
            text,
        ));
        let kind = "ResourceClaimTemplate";
        return Err(ApiError::NotFound { kind, key });
    };
    let (name, uid) = (name_of(&pod.metadata), uid_of(&pod.metadata));
    let mut claim = claim_of_template(
        &template,
        (namespace, name, uid),
        &of_pod.name,
        String::new(),
    );
    claim.metadata.name = None;
    claim.metadata.generate_name = Some(format!("{name}-{}-", of_pod.name));
    let created = api.create(claim)?;
    Ok(name_of(&created.metadata).to_owned())
}

fn reserve_for_bound(key: &Key, api: &mut ApiServer) -> Result<(), ApiError> {
    let Some(pod) = api.store().pods.get(key).cloned() else {
        return Ok(());
    };
    if pod
        .spec
        .as_ref()
        .is_none_or(|spec| spec.node_name.is_none())
    {
        return Ok(());
    }
    for name in claims_of(&pod).filter_map(|it| name_behind(&pod, it)) {
        let key = Key::new(key.namespace(), name);
        let Some(claim) = api.store().resource_claims.get(&key) else {
            continue;
        };
        let uid = uid_of(&pod.metadata);
        if allocation_of(claim).is_none() || consumers(claim).iter().any(|it| it.uid == uid) {
            continue;
        }
        let mut claim = (**claim).clone();
        let status = claim.status.get_or_insert_default();
        let reserved = status.reserved_for.get_or_insert_default();
        reserved.push(ResourceClaimConsumerReference {
            api_group: None,
            name: name_of(&pod.metadata).to_owned(),
            resource: "pods".to_owned(),
            uid: uid.to_owned(),
        });
        api.update_status(&claim)?;
    }
    Ok(())
}

pub(super) fn consumers(claim: &ResourceClaim) -> &[ResourceClaimConsumerReference] {
    let status = claim.status.as_ref();
    let reserved = status.and_then(|it| it.reserved_for.as_deref());
    reserved.unwrap_or_default()
}

/// Removes consumers that are done; deallocates a claim that no Pod uses; deletes one whose Pod is done.
fn sync_claim(key: &Key, api: &mut ApiServer) -> Result<(), ApiError> {
    let Some(claim) = api.store().resource_claims.get(key).cloned() else {
        return Ok(());
    };
    let uses = |it: &ResourceClaimConsumerReference| {
        let pod = api.store().pods.get(&Key::new(key.namespace(), &*it.name));
        it.resource != "pods"
            || pod.is_some_and(|pod| uid_of(&pod.metadata) == it.uid && !is_done(pod))
    };
    let (before, mut left) = (consumers(&claim).len(), consumers(&claim).to_vec());
    left.retain(uses);
    let lost = left.len() < before;
    let unused = left.is_empty();
    let is_dying = claim.metadata.deletion_timestamp.is_some();
    if lost || is_dying && unused && allocation_of(&claim).is_some() {
        let mut changed = (*claim).clone();
        if unused {
            deallocate(&mut changed);
        } else if let Some(status) = &mut changed.status {
            status.reserved_for = Some(left);
        }
        let written = api.update_status(&changed)?;
        if unused {
            let mut bare = (*written).clone();
            bare.metadata
                .finalizers
                .clone_from(&changed.metadata.finalizers);
            api.update(bare)?;
        }
    }
    let owner = claim
        .metadata
        .owner_references
        .iter()
        .flatten()
        .into_iter()
        .find(|it| it.kind == "Pod");
    if let (true, false, Some(owner)) = (unused, is_dying, owner) {
        let pod = api
            .store()
            .pods
            .get(&Key::new(key.namespace(), &*owner.name));
        let own = pod.filter(|pod| uid_of(&pod.metadata) == owner.uid);
        if own.is_some_and(|pod| is_done(pod)) {
            return api.delete::<ResourceClaim>(key);
        }
    }
    Ok(())
}
