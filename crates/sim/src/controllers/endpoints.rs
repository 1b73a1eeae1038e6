//! Endpoints: the addresses of the Pods that a Service selects (`pkg/controller/endpoint`, Kubernetes v1.34).
//!
//! The objects have no owner: this controller deletes them with their Service. Ports and subsets are in the order of
//! their numbers; the real ones are in the order of hashes.

mod selection;
mod slices;
mod subsets;
#[cfg(test)]
mod tests;
mod trigger;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Endpoints, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Controller;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of, namespace_of};
use crate::workqueue::WorkQueue;

pub use slices::EndpointSliceController;

use selection::{HEADLESS, has_address};
use trigger::{LAST_CHANGE, TriggerTimes};

/// Marks the Endpoints that this controller made.
const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
const CONTROLLER: &str = "endpoint-controller";
const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";

/// The controller of Endpoints. Keys are those of Services.
#[derive(Clone, Debug)]
pub struct EndpointsController {
    queue: WorkQueue,
    times: TriggerTimes,
}

impl EndpointsController {
    pub fn new(queue: WorkQueue) -> Self {
        EndpointsController {
            queue,
            times: TriggerTimes::default(),
        }
    }
}

impl Controller for EndpointsController {
    fn component(&self) -> &'static str {
        CONTROLLER
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some(services) = selection::services_in(change, cache) {
            for key in services {
                self.queue.add(key);
            }
        } else if let Some((Some(_), None)) = change.of::<Endpoints>() {
            self.queue.add(change.key.clone());
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn follows(&self) -> bool {
        true
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let current = cache.endpoints.get(key);
        let Some(service) = cache.services.get(key) else {
            self.times.forget(key);
            // Endpoints without a Service were written by hand and are left alone.
            let is_own = current.is_some_and(|it| is_managed(&it.metadata));
            return if is_own {
                api.delete::<Endpoints>(key)
            } else {
                Ok(())
            };
        };
        let Some(pods) = selection::pods_of(service, cache) else {
            return Ok(());
        };
        let trigger = self.times.last_change(service, &pods);
        let subsets = subsets::of(service, &pods);
        let (subsets, is_cut) = subsets::within_capacity(subsets);
        let labels = labels_of(service);
        let subsets = (!subsets.is_empty()).then_some(subsets);
        if current
            .is_some_and(|it| it.subsets == subsets && it.metadata.labels.as_ref() == Some(&labels))
        {
            return Ok(());
        }
        let mut annotations = current
            .and_then(|it| it.metadata.annotations.clone())
            .unwrap_or_default();
        trigger::annotate(&mut annotations, LAST_CHANGE, trigger);
        trigger::annotate(
            &mut annotations,
            OVER_CAPACITY,
            is_cut.then(|| "truncated".to_owned()),
        );
        let annotations = (!annotations.is_empty()).then_some(annotations);
        let Some(current) = current else {
            let made = Endpoints {
                metadata: ObjectMeta {
                    name: Some(name_of(&service.metadata).to_owned()),
                    namespace: Some(namespace_of(&service.metadata).to_owned()),
                    labels: Some(labels),
                    annotations,
                    ..ObjectMeta::default()
                },
                subsets,
            };
            return selection::created(api.create(made), &service.metadata, cache);
        };
        let mut changed = (**current).clone();
        changed.subsets = subsets;
        changed.metadata.labels = Some(labels);
        changed.metadata.annotations = annotations;
        api.update(changed).map(drop)
    }
}

fn is_managed(meta: &ObjectMeta) -> bool {
    let labels = meta.labels.as_ref();
    labels.and_then(|labels| labels.get(MANAGED_BY)).is_some()
}

/// The Service's labels, and the label that names the manager.
fn labels_of(service: &Service) -> BTreeMap<String, String> {
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
    if has_address(service) {
        labels.remove(HEADLESS);
    } else {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    labels
}
