//! Affinity of Pods to Pods.

use k8s_openapi::api::core::v1::{PodAffinityTerm, PodSpec};

/// The terms of a Pod's affinity and anti-affinity to other Pods: the required ones, then the preferred ones.
pub fn pod_affinity_terms(spec: &PodSpec) -> impl Iterator<Item = &PodAffinityTerm> {
    let affinity = spec.affinity.as_ref();
    let near = affinity.and_then(|affinity| affinity.pod_affinity.as_ref());
    let apart = affinity.and_then(|affinity| affinity.pod_anti_affinity.as_ref());
    let required = [
        near.map(|near| &near.required_during_scheduling_ignored_during_execution),
        apart.map(|apart| &apart.required_during_scheduling_ignored_during_execution),
    ];
    let preferred = [
        near.map(|near| &near.preferred_during_scheduling_ignored_during_execution),
        apart.map(|apart| &apart.preferred_during_scheduling_ignored_during_execution),
    ];
    let required = required.into_iter().flatten().flatten().flatten();
    let preferred = preferred.into_iter().flatten().flatten().flatten();
    required.chain(preferred.map(|weighted| &weighted.pod_affinity_term))
}
