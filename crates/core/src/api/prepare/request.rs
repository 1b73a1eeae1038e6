//! Requests to create Pods: from documents and from workloads.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodSpec;

use crate::api::prepared::ControllerRef;

/// A request to create a Pod.
#[derive(Clone, Debug, Default)]
pub(super) struct PodRequest {
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub controller: Option<ControllerRef>,
    pub spec: PodSpec,
    /// Whether the Pod was dumped from a cluster, which has admitted it before.
    pub from_cluster: bool,
}
