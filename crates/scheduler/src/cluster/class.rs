//! Pod classes: Pods of one namespace and one template, which no selector can distinguish.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PodAffinityTerm, TopologySpreadConstraint};

use super::matcher::{MatcherIx, PodMatch};
use super::namespaces::Namespaces;
use super::topology::TopologyKeyIx;
use crate::pod_object::PodTemplate;
use crate::selector::compiled::{Labels, Selector};
use berth_base::sort;

berth_base::index_types! {
    /// A compiled Pod spec ([`super::spec::SpecInfo`]).
    SpecIx;
    /// What node-local plugins read of specs ([`super::shape`]).
    ShapeIx;
    /// A namespace with a template.
    ClassIx;
}

/// A Pod template in a namespace, with its terms compiled against this cluster.
#[derive(Clone, Debug)]
pub struct PodClass {
    pub namespace: Arc<str>,
    pub template: Arc<PodTemplate>,
    pub spec: SpecIx,
    pub affinity: PodAffinity,
    /// The Pod's own topology spread constraints, in their order.
    pub spread: Vec<SpreadConstraint>,
    /// The Pods counted by PodTopologySpread's default constraints; `None` if nothing selects them.
    pub default_spread: Option<DefaultSpread>,
}

impl PodClass {
    /// `metadata.labels`.
    pub fn labels(&self) -> &Labels {
        &self.template.labels
    }
}

/// Pod affinity and anti-affinity of a class.
#[derive(Clone, Debug, Default)]
pub struct PodAffinity {
    pub required: Vec<AffinityTerm>,
    pub required_anti: Vec<AffinityTerm>,
    pub preferred: Vec<AffinityTerm>,
    pub preferred_anti: Vec<AffinityTerm>,
    /// Matches Pods that satisfy all `required` terms; `None` without such terms.
    pub required_matcher: Option<MatcherIx>,
}

impl PodAffinity {
    /// The terms of one list.
    pub fn terms(&self, kind: HitKind) -> &[AffinityTerm] {
        match kind {
            HitKind::RequiredAffinity => &self.required,
            HitKind::RequiredAntiAffinity => &self.required_anti,
            HitKind::PreferredAffinity => &self.preferred,
            HitKind::PreferredAntiAffinity => &self.preferred_anti,
        }
    }

    /// Whether there is no term at all.
    pub fn is_empty(&self) -> bool {
        self.required.is_empty()
            && self.required_anti.is_empty()
            && self.preferred.is_empty()
            && self.preferred_anti.is_empty()
    }
}

/// One (anti-)affinity term.
#[derive(Clone, Debug)]
pub struct AffinityTerm {
    pub topology_key: TopologyKeyIx,
    /// The Pods that the term selects.
    pub target: PodMatch,
    /// The matcher for `target`, as a term of the Pod being scheduled.
    pub matcher: MatcherIx,
    /// 1–100 for preferred terms, 0 for required ones.
    pub weight: i64,
    /// Field path of the term in the Pod.
    pub pod_path: String,
}

/// The Pods that a term selects.
pub fn term_target(term: &PodAffinityTerm, own_namespace: &str) -> PodMatch {
    let mut namespaces: BTreeSet<String> = sort::gather(term.namespaces.iter().flatten().cloned());
    if namespaces.is_empty() && term.namespace_selector.is_none() {
        namespaces.insert(own_namespace.to_owned());
    }
    PodMatch {
        namespaces,
        namespace_selector: Selector::new(term.namespace_selector.as_ref()),
        selector: Selector::new(term.label_selector.as_ref()),
    }
}

/// One topology spread constraint.
#[derive(Clone, Debug)]
pub struct SpreadConstraint {
    pub topology_key: TopologyKeyIx,
    pub max_skew: i64,
    /// `DoNotSchedule` (else `ScheduleAnyway`).
    pub hard: bool,
    pub min_domains: i64,
    /// `nodeAffinityPolicy: Honor`: nodes that the Pod's node affinity refuses do not count.
    pub honor_node_affinity: bool,
    /// `nodeTaintsPolicy: Honor`: nodes with untolerated taints do not count.
    pub honor_node_taints: bool,
    pub selector: Selector,
    /// Matches the Pods that count; `None` if the selector is empty or absent, which selects no existing Pod.
    pub matcher: Option<MatcherIx>,
    /// Whether the Pod's own labels satisfy the selector.
    pub matches_self: bool,
    /// Field path of the constraint in the Pod.
    pub pod_path: String,
}

impl SpreadConstraint {
    /// Compiles a constraint; `matcher` counts the Pods that its selector matches.
    pub fn new(
        constraint: &TopologySpreadConstraint,
        topology_key: TopologyKeyIx,
        selector: Selector,
        matcher: Option<MatcherIx>,
        matches_self: bool,
        pod_path: String,
    ) -> Self {
        Self {
            topology_key,
            max_skew: i64::from(constraint.max_skew),
            hard: constraint.when_unsatisfiable == "DoNotSchedule",
            min_domains: constraint.min_domains.map_or(1, i64::from),
            honor_node_affinity: constraint.node_affinity_policy.as_deref() != Some("Ignore"),
            honor_node_taints: constraint.node_taints_policy.as_deref() == Some("Honor"),
            selector,
            matcher,
            matches_self,
            pod_path,
        }
    }
}

/// The Pods that PodTopologySpread's default constraints count for a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultSpread {
    pub selector: Selector,
    pub matcher: MatcherIx,
    pub matches_self: bool,
}

/// A term of existing Pods that matches a Pod being scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The class whose Pods have the term.
    pub class: ClassIx,
    pub kind: HitKind,
    /// Its place in the list of that kind ([`PodAffinity::terms`]).
    pub position: usize,
    pub topology_key: TopologyKeyIx,
    /// 1–100 for preferred terms, 0 for required ones.
    pub weight: i64,
}

/// The list of the existing Pod's affinity that holds the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitKind {
    RequiredAffinity,
    RequiredAntiAffinity,
    PreferredAffinity,
    PreferredAntiAffinity,
}

/// The terms of `existing` that match a Pod of `incoming`.
pub(super) fn hits_between(
    existing_ix: ClassIx,
    existing: &PodClass,
    incoming: &PodClass,
    namespaces: &Namespaces,
) -> Vec<Hit> {
    let kinds = [
        HitKind::RequiredAffinity,
        HitKind::RequiredAntiAffinity,
        HitKind::PreferredAffinity,
        HitKind::PreferredAntiAffinity,
    ];
    let mut hits = Vec::new();
    for kind in kinds {
        for (position, term) in existing.affinity.terms(kind).iter().enumerate() {
            if term
                .target
                .matches_incoming(&incoming.namespace, incoming.labels(), namespaces)
            {
                hits.push(Hit {
                    class: existing_ix,
                    kind,
                    position,
                    topology_key: term.topology_key,
                    weight: term.weight,
                });
            }
        }
    }
    hits
}
