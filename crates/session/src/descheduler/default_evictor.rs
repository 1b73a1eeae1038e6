//! Which Pods may be evicted at all (`pkg/framework/plugins/defaultevictor`: `Filter`, `PreEvictionFilter`,
//! `getEffectivePodProtections`, `constraints.go`).

use std::collections::BTreeSet;

use berth_core::api::meta::{name_of, namespace_or_default, owners_of};
use berth_scheduler::selector;
use k8s_openapi::api::core::v1::{Node, Pod, PodSpec};

use berth_sim::kubelet::static_pods::{CRITICAL, is_static};
use berth_sim::pod_util::annotation_of;

use super::args::{DefaultEvictorArgs, Protection};
use super::caches::{Listed, Lists};
use super::{matches, node_fit};

const EVICT: &str = "descheduler.alpha.kubernetes.io/evict";
pub(super) const PREFER_NO_EVICTION: &str = "descheduler.alpha.kubernetes.io/prefer-no-eviction";

pub(crate) struct DefaultEvictor<'a> {
    args: &'a DefaultEvictorArgs,
    lists: &'a Lists<'a>,
    /// The Pods that earlier plugins have evicted: they are terminating.
    gone: &'a BTreeSet<usize>,
    protections: BTreeSet<Protection>,
    /// The ready nodes on which a Pod is looked for room.
    nodes: Vec<&'a Node>,
}

impl<'a> DefaultEvictor<'a> {
    pub fn new(
        args: &'a DefaultEvictorArgs,
        lists: &'a Lists<'a>,
        gone: &'a BTreeSet<usize>,
    ) -> Self {
        let nodes = lists.caches.nodes.iter().map(|node| &**node);
        let nodes = nodes
            .filter(|node| node_fit::is_ready(node) && matches(&args.node_selector, node))
            .collect();
        Self {
            args,
            lists,
            gone,
            protections: args.protections(),
            nodes,
        }
    }

    /// Whether the Pod is no one that is protected (`Filter`).
    pub fn filter(&self, listed: &Listed<'_>) -> bool {
        let pod = listed.pod;
        if annotation_of(pod, EVICT).is_some() {
            return true;
        }
        let is_asked_to_stay = annotation_of(pod, PREFER_NO_EVICTION).is_some();
        if self.args.no_eviction_policy == "Mandatory" && is_asked_to_stay {
            return false;
        }
        let is_terminating =
            pod.metadata.deletion_timestamp.is_some() || self.gone.contains(&listed.id);
        !is_static(pod)
            && !is_terminating
            && !self.is_protected(pod, listed.spec)
            && self.meets_constraints(pod)
    }

    fn is_protected(&self, pod: &Pod, spec: &PodSpec) -> bool {
        let is_on = |protection| self.protections.contains(&protection);
        let volumes = || spec.volumes.iter().flatten();
        let is_bare = owners_of(&pod.metadata).is_empty();
        let has_failed = berth_sim::pod_util::phase_of(pod) == "Failed";
        (is_on(Protection::SystemCriticalPods) && self.is_critical(spec))
            || (is_bare && (is_on(Protection::FailedBarePods) || !has_failed))
            || (is_on(Protection::PodsWithLocalStorage)
                && volumes().any(|it| it.host_path.is_some() || it.empty_dir.is_some()))
            || (is_on(Protection::DaemonSetPods)
                && owners_of(&pod.metadata)
                    .iter()
                    .any(|owner| owner.kind == "DaemonSet"))
            || (is_on(Protection::PodsWithPvc) && self.has_protected_claim(pod, spec))
            || (is_on(Protection::PodsWithoutPdb) && !self.has_budget(pod))
            || (is_on(Protection::PodsWithResourceClaims)
                && spec.resource_claims.iter().flatten().next().is_some())
    }

    /// A threshold of the policy counts only while system-critical Pods are protected.
    fn is_critical(&self, spec: &PodSpec) -> bool {
        let threshold = self.args.priority_threshold.as_ref();
        let threshold = threshold.and_then(|it| it.value).unwrap_or(CRITICAL);
        let is_from = |from: i32| spec.priority.is_some_and(|priority| priority >= from);
        is_from(CRITICAL) || is_from(threshold)
    }

    fn has_protected_claim(&self, pod: &Pod, spec: &PodSpec) -> bool {
        let volumes = spec.volumes.iter().flatten();
        let mut claims = volumes.filter_map(|it| it.persistent_volume_claim.as_ref());
        let classes = self.args.pod_protections.protected_classes();
        if classes.is_empty() {
            return claims.next().is_some();
        }
        claims.any(|claim| {
            let known = self.lists.caches.claims.iter().find(|known| {
                name_of(&known.metadata) == claim.claim_name
                    && namespace_or_default(&known.metadata) == namespace_or_default(&pod.metadata)
            });
            let spec = known.and_then(|known| known.spec.as_ref());
            let class = spec.and_then(|spec| spec.storage_class_name.as_deref());
            // A claim without a class that is known is protected.
            class.is_none_or(|class| class.is_empty() || classes.contains(&class))
        })
    }

    fn has_budget(&self, pod: &Pod) -> bool {
        let labels = pod.metadata.labels.clone().unwrap_or_default();
        let mut budgets = self.lists.caches.budgets.iter();
        budgets.any(|budget| {
            let selector = budget.spec.as_ref().and_then(|it| it.selector.as_ref());
            namespace_or_default(&budget.metadata) == namespace_or_default(&pod.metadata)
                && selector::matches_optional(selector, &labels)
        })
    }

    fn meets_constraints(&self, pod: &Pod) -> bool {
        let labels = pod.metadata.labels.clone().unwrap_or_default();
        let selector = self.args.label_selector.as_ref();
        let is_selected = selector.is_none_or(|selector| selector::matches(selector, &labels));
        // Pods with several owners are not counted, as upstream.
        let has_replicas = match owners_of(&pod.metadata) {
            [owner] => {
                let least = self.args.min_replicas;
                least <= 1 || self.lists.owned_by(&owner.uid) >= least
            }
            _ => true,
        };
        is_selected && has_replicas && self.is_old(pod)
    }

    fn is_old(&self, pod: &Pod) -> bool {
        let Some(least) = self.args.min_pod_age_nanos() else {
            return true;
        };
        let started = pod.status.as_ref().and_then(|it| it.start_time.as_ref());
        started.is_some_and(|started| {
            let now = self.lists.caches.now.0.as_nanosecond();
            now - started.0.as_nanosecond() >= i128::from(least)
        })
    }

    /// Whether the Pod fits elsewhere, if that is asked for, and its namespace is meant (`PreEvictionFilter`).
    pub fn pre_eviction_filter(&self, listed: &Listed<'_>) -> bool {
        if self.args.node_fit && !node_fit::fits_any_other(self.lists, listed, &self.nodes) {
            return false;
        }
        let meant = self.args.namespace_label_selector.as_ref();
        let Some(meant) = meant.filter(|it| !selector::is_empty(it)) else {
            return true;
        };
        let mut namespaces = self.lists.caches.namespaces.iter();
        namespaces.any(|namespace| {
            let labels = namespace.metadata.labels.clone().unwrap_or_default();
            name_of(&namespace.metadata) == namespace_or_default(&listed.pod.metadata)
                && selector::matches(meant, &labels)
        })
    }
}
