//! Pods from templates (`pkg/controller` `GetPodFromTemplate`, Kubernetes v1.34).

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, PodStatus, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::audit_log::{Event, Level};
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Stored, name_of, namespace_of};
use berth_core::api::meta::reference;

/// A Pod from the template, controlled by `owner`, as it is sent to the API server.
pub(super) fn pod_of<T: Stored>(owner: &T, template: &PodTemplateSpec) -> Pod {
    let meta = template.metadata.clone().unwrap_or_default();
    Pod {
        metadata: ObjectMeta {
            generate_name: Some(prefix(name_of(owner.metadata()))),
            namespace: Some(namespace_of(owner.metadata()).to_owned()),
            labels: meta.labels,
            annotations: meta.annotations,
            finalizers: meta.finalizers,
            owner_references: Some(vec![reference(owner)]),
            ..ObjectMeta::default()
        },
        spec: template.spec.clone(),
        status: None,
    }
}

/// Creates a Pod with the phase `Pending`, which the API server sets on every new Pod.
pub(super) fn submit(mut pod: Pod, api: &mut ApiServer) -> Result<Arc<Pod>, ApiError> {
    pod.status = Some(PodStatus {
        phase: Some("Pending".to_owned()),
        ..PodStatus::default()
    });
    api.create(pod)
}

/// Creates a Pod and records an event on its owner.
pub(super) fn create_pod<T: Stored>(
    owner: &T,
    pod: Pod,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    match submit(pod, api) {
        Ok(pod) => {
            let message = format!("Created pod: {}", name_of(&pod.metadata));
            api.event(Event::new(
                owner,
                Level::Normal,
                "SuccessfulCreate",
                message,
            ));
            Ok(())
        }
        Err(error) => {
            let message = format!("Error creating: {error}");
            api.event(Event::new(owner, Level::Warning, "FailedCreate", message));
            Err(error)
        }
    }
}

/// Deletes a Pod and records an event on its owner. A missing Pod is not a failure.
pub(super) fn delete_pod<T: Stored>(
    owner: &T,
    pod: &Pod,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let key = Key::of(&pod.metadata);
    match api.delete::<Pod>(&key) {
        Ok(()) => {
            let message = format!("Deleted pod: {}", key.name());
            api.event(Event::new(
                owner,
                Level::Normal,
                "SuccessfulDelete",
                message,
            ));
            Ok(())
        }
        Err(ApiError::NotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// `name-`, or the name alone if the prefix would be too long.
fn prefix(name: &str) -> String {
    const MAX_NAME: usize = 253;
    if name.len() < MAX_NAME {
        format!("{name}-")
    } else {
        name.to_owned()
    }
}
