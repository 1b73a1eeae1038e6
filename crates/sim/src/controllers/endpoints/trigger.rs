//! When a change began that endpoints follow (`endpointslice/util` `TriggerTimeTracker`, Kubernetes v1.34): monitoring
//! measures with it how long the network takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, Service};

use crate::pod_util;
use crate::server::{ms_of, time_at};
use crate::store::{Key, name_of};

/// The annotation with the time.
pub const LAST_CHANGE: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// The times that were seen at the last sync of each Service: its creation, and when its Pods became ready or not.
#[derive(Clone, Debug, Default)]
pub struct TriggerTimes(BTreeMap<Key, (i64, BTreeMap<String, i64>)>);

impl TriggerTimes {
    /// When the first of the changes since the last sync was made.
    pub fn last_change(&mut self, service: &Service, pods: &[&Arc<Pod>]) -> Option<String> {
        let created = service
            .metadata
            .creation_timestamp
            .as_ref()
            .map(ms_of)
            .unwrap_or_default();
        let of_pods = pods.iter().filter_map(|pod| {
            let time = pod_util::ready_condition(pod)?
                .last_transition_time
                .as_ref()?;
            Some((name_of(&pod.metadata).to_owned(), ms_of(time)))
        });
        let of_pods: BTreeMap<String, i64> = of_pods.collect();
        let known = self.0.get(&Key::of(&service.metadata));
        let first = match known {
            None => Some(created),
            Some((service_before, before)) => {
                let is_new = |(name, time): &(&String, &i64)| {
                    before.get(*name).is_none_or(|before| time > &before)
                };
                let changed = of_pods.iter().filter(is_new).map(|(_, time)| *time);
                let of_service = Some(created).filter(|time| time > service_before);
                changed.chain(of_service).min()
            }
        };
        self.0
            .insert(Key::of(&service.metadata), (created, of_pods));
        let time = serde_json::to_value(time_at(first?)).ok()?;
        time.as_str().map(str::to_owned)
    }

    /// The Service is gone.
    pub fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}

/// Sets or removes an annotation.
pub fn annotate(annotations: &mut BTreeMap<String, String>, name: &str, value: Option<String>) {
    match value {
        Some(value) => annotations.insert(name.to_owned(), value),
        None => annotations.remove(name),
    };
}
