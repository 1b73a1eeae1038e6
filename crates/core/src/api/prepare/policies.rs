//! Admission of single Pods against fixed PriorityClasses, RuntimeClasses and LimitRanges.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{LimitRange, Pod, PodSpec};
use k8s_openapi::api::node::v1::RuntimeClass;
use k8s_openapi::api::scheduling::v1::PriorityClass;

use crate::api::defaults::scheduled;

use super::empty::drop_empty_fields;
use super::limits::LimitRanges;
use super::match_labels::merge_label_keys;
use super::meta::{is_from_cluster, namespace_of};
use super::priority::{PriorityClasses, Refusal};
use super::runtime_class::RuntimeClasses;
use super::tolerations::add_default_tolerations;

/// The annotation that says what LimitRanges set.
const LIMIT_RANGER: &str = "kubernetes.io/limit-ranger";

/// The objects that the admission of Pods depends on.
#[derive(Debug, Default)]
pub struct PodPolicies {
    classes: PriorityClasses,
    runtimes: RuntimeClasses,
    ranges: LimitRanges,
}

impl PodPolicies {
    /// `ranges` are settled: each has its namespace.
    pub fn new<'a>(
        classes: impl Iterator<Item = &'a PriorityClass>,
        runtimes: impl Iterator<Item = &'a RuntimeClass>,
        ranges: Vec<LimitRange>,
    ) -> Self {
        PodPolicies {
            classes: PriorityClasses::new(classes),
            runtimes: RuntimeClasses::new(runtimes),
            ranges: LimitRanges::new(ranges),
        }
    }

    /// Turns a Pod into what the API server stores: defaults, LimitRanges, priority, tolerations, label keys. The
    /// bounds of LimitRanges are checked by [`Self::judge`], after validation.
    ///
    /// # Errors
    /// Why the Pod is forbidden.
    pub fn admit(&self, pod: &mut Pod) -> Result<(), String> {
        let from_cluster = is_from_cluster(&pod.metadata);
        let none = BTreeMap::new();
        let labels = pod.metadata.labels.as_ref().unwrap_or(&none);
        let spec = pod.spec.get_or_insert_default();
        let namespace = namespace_of(&pod.metadata);
        let completed = self.complete(namespace, spec, labels, from_cluster);
        if let Some(set) = completed.map_err(|(_, why)| why)? {
            let annotations = pod.metadata.annotations.get_or_insert_default();
            annotations.insert(LIMIT_RANGER.to_owned(), set);
        }
        Ok(())
    }

    /// The same for the spec of a Pod with these labels; returns what LimitRanges set. A Pod of a dump was completed by
    /// its own cluster.
    pub(super) fn complete(
        &self,
        namespace: &str,
        spec: &mut PodSpec,
        labels: &BTreeMap<String, String>,
        from_cluster: bool,
    ) -> Result<Option<String>, Refusal> {
        drop_empty_fields(spec);
        scheduled::pod_spec(spec);
        let ranges = Some(&self.ranges).filter(|_| !from_cluster);
        let set = ranges.and_then(|ranges| ranges.complete(namespace, spec));
        self.classes.admit(spec, from_cluster)?;
        add_default_tolerations(spec);
        if !from_cluster {
            self.runtimes.admit(spec)?;
        }
        merge_label_keys(spec, labels);
        Ok(set)
    }

    /// Validates a spec against the bounds of the LimitRanges of its namespace.
    pub(super) fn judge_limits(&self, namespace: &str, spec: &PodSpec) -> Result<(), Refusal> {
        self.ranges.judge(namespace, spec)
    }

    /// Validates a valid Pod against the bounds of the LimitRanges of its namespace, and its overhead against its
    /// class.
    ///
    /// # Errors
    /// Why the Pod is forbidden.
    pub fn judge(&self, pod: &Pod) -> Result<(), String> {
        let meta = &pod.metadata;
        match &pod.spec {
            Some(spec) if !is_from_cluster(meta) => {
                let judged = self.judge_limits(namespace_of(meta), spec);
                let judged = judged.and_then(|()| self.runtimes.judge(spec));
                judged.map_err(|(_, why)| why)
            }
            _ => Ok(()),
        }
    }

    /// Validates the size of a claim against the LimitRanges of its namespace.
    ///
    /// # Errors
    /// Why the claim is forbidden.
    pub fn admit_claim(
        &self,
        claim: &k8s_openapi::api::core::v1::PersistentVolumeClaim,
    ) -> Result<(), String> {
        self.ranges.judge_claim(claim)
    }
}
