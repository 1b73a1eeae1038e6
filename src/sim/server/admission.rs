//! Admission of Pods: priority, tolerations, limits and quotas, before they are stored.

use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::Pod;

use super::{ApiError, ApiServer, Manifest};
use crate::api::prepare::prepare_one;
use crate::sim::store::{Key, Object, Stored};

impl ApiServer {
    /// From now on Pods pass admission, which asks about these: PriorityClasses, LimitRanges and
    /// ResourceQuotas, all that there are.
    pub fn set_policies(&mut self, policies: Vec<Manifest>) {
        self.policies = Some(policies);
    }

    /// The object as it is to be stored; only Pods are looked at.
    ///
    /// # Errors
    /// If admission refuses it.
    pub(in crate::sim) fn admit<T: Stored>(&self, object: T) -> Result<T, ApiError> {
        let Some(policies) = &self.policies else {
            return Ok(object);
        };
        let wrapped = T::wrap(Arc::new(object.clone()));
        let Some(pod) = Pod::unwrap(&wrapped) else {
            return Ok(object);
        };
        let admitted = Object::Pod(Arc::new(self.admit_pod(pod, policies)?));
        Ok(T::unwrap(&admitted).map_or(object, |admitted| (**admitted).clone()))
    }

    fn admit_pod(&self, pod: &Pod, policies: &[Manifest]) -> Result<Pod, ApiError> {
        let asked = Manifest::Pod(Box::new(pod.clone()));
        let counted = self.pods_that_count(pod, policies);
        let others = policies.iter().chain(&counted);
        let mut prepared = prepare_one(&asked, others).map_err(|findings| {
            let messages = findings.into_iter().map(|finding| finding.message);
            ApiError::Forbidden {
                kind: Pod::KIND,
                key: Key::of(&pod.metadata),
                message: messages.collect::<Vec<String>>().join(", "),
            }
        })?;
        let mut admitted = pod.clone();
        if let Some(object) = prepared.pods.pop() {
            let spec = admitted.spec.insert(object.template.spec.clone());
            spec.node_name = object.node_name.as_deref().map(str::to_owned);
        }
        Ok(admitted)
    }

    /// The Pods of its namespace, if a quota counts them.
    fn pods_that_count(&self, pod: &Pod, policies: &[Manifest]) -> Vec<Manifest> {
        let namespace = pod.metadata.namespace.as_deref().unwrap_or("default");
        let counts = |policy: &Manifest| match policy {
            Manifest::ResourceQuota(quota) => {
                quota.metadata.namespace.as_deref().unwrap_or("default") == namespace
            }
            _ => false,
        };
        if !policies.iter().any(counts) {
            return Vec::new();
        }
        let pods = self.store.pods.of_namespace(namespace);
        pods.map(|pod| Manifest::Pod(Box::new((**pod).clone())))
            .collect()
    }
}
