//! Evictions within the limits of the policy (`PodEvictor.EvictPod` of `pkg/descheduler/evictions`).

use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::meta::namespace_or_default;
use k8s_openapi::api::core::v1::Pod;

use super::Origin;
use super::caches::Listed;
use super::policy::Limits;

/// Why a Pod was not evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvictionError {
    NodeLimit,
    NamespaceLimit,
    TotalLimit,
    /// By the API server.
    Refused,
}

/// Asks for evictions, and counts them.
pub(super) struct PodEvictor<'a> {
    limits: &'a Limits,
    evict: &'a mut dyn FnMut(&Pod, &Origin) -> bool,
    origin: Origin,
    /// The Pods that have been evicted.
    pub evicted: BTreeSet<usize>,
    per_node: BTreeMap<String, u64>,
    per_namespace: BTreeMap<String, u64>,
    total: u64,
    /// When the plugin began.
    total_before: u64,
    limited: u64,
}

impl<'a> PodEvictor<'a> {
    pub fn new(limits: &'a Limits, evict: &'a mut dyn FnMut(&Pod, &Origin) -> bool) -> Self {
        Self {
            limits,
            evict,
            origin: Origin {
                profile: String::new(),
                plugin: "",
            },
            evicted: BTreeSet::new(),
            per_node: BTreeMap::new(),
            per_namespace: BTreeMap::new(),
            total: 0,
            total_before: 0,
            limited: 0,
        }
    }

    /// A plugin begins.
    pub fn begin(&mut self, origin: &Origin) {
        self.origin = origin.clone();
        self.total_before = self.total;
        self.limited = 0;
    }

    /// The plugin has ended: the number of its evictions, and of those that limits forbade.
    pub fn end(&self) -> (u64, u64) {
        (self.total - self.total_before, self.limited)
    }

    /// Evicts a Pod.
    ///
    /// # Errors
    /// If a limit is reached or the API server refuses.
    pub fn evict(&mut self, listed: &Listed<'_>) -> Result<(), EvictionError> {
        let node = listed.spec.node_name.as_deref().unwrap_or_default();
        let namespace = namespace_or_default(&listed.pod.metadata);
        let of = |counts: &BTreeMap<String, u64>, key: &str| counts.get(key).copied().unwrap_or(0);
        let is_over = |count: u64, limit: Option<u64>| limit.is_some_and(|limit| count >= limit);
        let error = if is_over(self.total, self.limits.total) {
            EvictionError::TotalLimit
        } else if !node.is_empty() && is_over(of(&self.per_node, node), self.limits.per_node) {
            EvictionError::NodeLimit
        } else if is_over(
            of(&self.per_namespace, namespace),
            self.limits.per_namespace,
        ) {
            EvictionError::NamespaceLimit
        } else if !(self.evict)(listed.pod, &self.origin) {
            return Err(EvictionError::Refused);
        } else {
            self.evicted.insert(listed.id);
            *self.per_node.entry(node.to_owned()).or_default() += 1;
            *self.per_namespace.entry(namespace.to_owned()).or_default() += 1;
            self.total += 1;
            return Ok(());
        };
        self.limited += 1;
        Err(error)
    }
}
