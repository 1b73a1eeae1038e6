//! Services and workloads, from which PodTopologySpread's default constraints take their selectors.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{ReplicationController, Service};

use crate::pod_object::PodTemplate;
use crate::selector::compiled::{Labels, Selector};

type Key = (String, String);

/// Services, ReplicationControllers, ReplicaSets and StatefulSets by namespace and name.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    pub services: BTreeMap<Key, Arc<Service>>,
    pub replication_controllers: BTreeMap<Key, Arc<ReplicationController>>,
    pub replica_sets: BTreeMap<Key, Arc<ReplicaSet>>,
    pub stateful_sets: BTreeMap<Key, Arc<StatefulSet>>,
}

impl Owners {
    /// The selector of a Pod's default constraints: the union of the selectors of the Services that
    /// match it and of its controller (`helper.DefaultSelector` of kube-scheduler v1.34).
    pub fn default_selector(&self, namespace: &str, template: &PodTemplate) -> Selector {
        let mut pairs = Labels::new();
        for ((service_namespace, _), service) in &self.services {
            let Some(selector) = service
                .spec
                .as_ref()
                .and_then(|spec| spec.selector.as_ref())
                .filter(|selector| !selector.is_empty())
            else {
                continue;
            };
            let matches = selector
                .iter()
                .all(|(key, value)| template.labels.get(key) == Some(value));
            if service_namespace == namespace && matches {
                pairs.extend(selector.clone());
            }
        }
        let Some(controller) = &template.controller else {
            return Selector::from_pairs(&pairs);
        };
        let key = (namespace.to_owned(), controller.name.clone());
        let mut more = Selector::All(Vec::new());
        match (controller.api_version.as_str(), controller.kind.as_str()) {
            ("v1", "ReplicationController") => {
                let found = self.replication_controllers.get(&key);
                let spec = found.and_then(|found| found.spec.as_ref());
                pairs.extend(
                    spec.and_then(|spec| spec.selector.clone())
                        .into_iter()
                        .flatten(),
                );
            }
            ("apps/v1", "ReplicaSet") => {
                let spec = self
                    .replica_sets
                    .get(&key)
                    .and_then(|found| found.spec.as_ref());
                more = spec.map_or(more, |spec| Selector::new(Some(&spec.selector)));
            }
            ("apps/v1", "StatefulSet") => {
                let spec = self
                    .stateful_sets
                    .get(&key)
                    .and_then(|found| found.spec.as_ref());
                more = spec.map_or(more, |spec| Selector::new(Some(&spec.selector)));
            }
            _ => {}
        }
        Selector::from_pairs(&pairs).and(more)
    }
}
