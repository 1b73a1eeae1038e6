//! A Deployment's ReplicaSets: the one of its current template, and the old ones.

use std::cmp::Ordering;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::PodTemplateSpec;

use crate::store::{name_of, uid_of};
use berth_base::sort;
use berth_core::api::workloads::TEMPLATE_HASH;

pub(super) use crate::controllers::replica_set::replicas;

/// The ReplicaSets of one sync.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    /// The ReplicaSet of the current template, if it exists.
    pub new: Option<Arc<ReplicaSet>>,
    /// The others, oldest first.
    pub old: Vec<Arc<ReplicaSet>>,
}

impl Sets {
    /// Splits a Deployment's ReplicaSets by template; of several with the current template, the oldest is the new
    /// one.
    pub(super) fn of(deployment: &Deployment, owned: &[Arc<ReplicaSet>]) -> Self {
        let mut old = owned.to_vec();
        sort::sort_by(&mut old, by_age);
        let template = deployment.spec.as_ref().map(|spec| &spec.template);
        let place = old.iter().position(|set| {
            let own = set.spec.as_ref().and_then(|spec| spec.template.as_ref());
            matches!((own, template), (Some(own), Some(template)) if same_template(own, template))
        });
        let new = place.map(|place| old.remove(place));
        Sets { new, old }
    }

    /// All ReplicaSets, the new one last.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<ReplicaSet>> {
        self.old.iter().chain(&self.new)
    }

    /// The ReplicaSets with a desired size above 0.
    pub(super) fn active(&self) -> impl Iterator<Item = &Arc<ReplicaSet>> {
        self.all().filter(|set| replicas(set) > 0)
    }

    /// The old ReplicaSets with a desired size above 0.
    pub(super) fn active_old(&self) -> Vec<Arc<ReplicaSet>> {
        let old = self.old.iter().filter(|set| replicas(set) > 0);
        old.cloned().collect()
    }

    /// The total desired size.
    pub(super) fn wanted(&self) -> i32 {
        total(self.all(), replicas)
    }

    /// The total number of available Pods.
    pub(super) fn available(&self) -> i32 {
        total(self.all(), available)
    }
}

/// The sum of a number over ReplicaSets, saturating.
pub(super) fn total<'a>(
    sets: impl Iterator<Item = &'a Arc<ReplicaSet>>,
    of: fn(&ReplicaSet) -> i32,
) -> i32 {
    sets.fold(0, |sum: i32, set| sum.saturating_add(of(set)))
}

/// `status.availableReplicas`.
pub(super) fn available(set: &ReplicaSet) -> i32 {
    let status = set.status.as_ref();
    status
        .and_then(|status| status.available_replicas)
        .unwrap_or(0)
}

/// `status.replicas`.
pub(super) fn actual(set: &ReplicaSet) -> i32 {
    set.status.as_ref().map_or(0, |status| status.replicas)
}

/// Oldest first.
pub(super) fn by_age(a: &Arc<ReplicaSet>, b: &Arc<ReplicaSet>) -> Ordering {
    let created = |set: &ReplicaSet| {
        let created = set.metadata.creation_timestamp.as_ref();
        created.map(|time| time.0)
    };
    created(a)
        .cmp(&created(b))
        .then_with(|| name_of(&a.metadata).cmp(name_of(&b.metadata)))
}

/// Whether both are versions of the same object.
pub(super) fn is_same(a: &ReplicaSet, b: &ReplicaSet) -> bool {
    uid_of(&a.metadata) == uid_of(&b.metadata)
}

/// Whether two templates are equal except for the label with their hash (`EqualIgnoreHash`).
pub(crate) fn same_template(a: &PodTemplateSpec, b: &PodTemplateSpec) -> bool {
    let without_hash = |template: &PodTemplateSpec| {
        let mut meta = template.metadata.clone().unwrap_or_default();
        if let Some(labels) = &mut meta.labels {
            labels.remove(TEMPLATE_HASH);
        }
        meta
    };
    a.spec == b.spec && without_hash(a) == without_hash(b)
}
