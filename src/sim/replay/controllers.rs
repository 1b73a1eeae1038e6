//! What runs beside the scheduler in a replay: the binding of volumes, and the status of budgets.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde::Serialize;

use super::store::Store;
use crate::api::controllers::disruption::{self, DisruptionBudgets};
use crate::api::controllers::volumes::bind_volumes;
use crate::api::prepared::PodObject;
use crate::base::json;
use crate::cluster::Cluster;
use crate::cluster::event::Event;
use crate::sim::watch::Watch;

/// Budgets with their running counts.
#[derive(Clone, Debug, Default)]
pub struct Budgets {
    budgets: Vec<PodDisruptionBudget>,
    counts: DisruptionBudgets,
}

impl Budgets {
    /// Counts the Pods of the cluster for its budgets.
    pub fn new(cluster: &Cluster) -> Self {
        let budgets: Vec<PodDisruptionBudget> = cluster
            .budgets()
            .map(|budget| budget.as_ref().clone())
            .collect();
        let counts = DisruptionBudgets::new(&budgets);
        let mut all = Self { budgets, counts };
        if !all.budgets.is_empty() {
            for pod in cluster.pods().iter() {
                all.pod_came(&pod.object);
            }
        }
        all
    }

    /// A Pod came or changed to this.
    pub fn pod_came(&mut self, pod: &PodObject) {
        if disruption::counts(pod) {
            self.counts.pod_bound(&pod.namespace, &pod.template.labels);
        }
    }

    /// A Pod that was like this is gone or changed.
    pub fn pod_went(&mut self, pod: &PodObject) {
        if disruption::counts(pod) {
            self.counts
                .pod_removed(&pod.namespace, &pod.template.labels);
        }
    }

    /// Writes the status where it is no longer right. Nobody in the scheduler's queue hears of it.
    pub fn write_status(&mut self, watch: &mut Watch) {
        for index in 0..self.budgets.len() {
            let Some(budget) = self.budgets.get(index) else {
                return;
            };
            let known = budget.status.as_ref();
            let known = known.map(|status| status.disruptions_allowed);
            if known == Some(self.counts.disruptions_allowed(index)) {
                continue;
            }
            self.counts.write_status(&mut self.budgets);
            for budget in &self.budgets {
                let event = Event::BudgetSet(Arc::new(budget.clone()));
                watch.cluster.apply(event);
            }
            return;
        }
    }
}

/// Binds the claims that need no Pod for it, as the PersistentVolume controller does.
pub fn bind_what_can_be(store: &Store, watch: &mut Watch) {
    let stored = watch.cluster.volumes();
    let claims = store.names_of("PersistentVolumeClaim");
    let claims = claims.iter();
    let old_claims: Vec<PersistentVolumeClaim> = claims
        .filter_map(|(namespace, name)| stored.claim(namespace, name))
        .map(|claim| claim.as_ref().clone())
        .collect();
    let old_volumes: Vec<PersistentVolume> = stored
        .persistent_volumes
        .values()
        .map(|volume| volume.as_ref().clone())
        .collect();
    let classes: Vec<_> = stored
        .storage_classes
        .values()
        .map(|class| class.as_ref().clone())
        .collect();
    let (mut volumes, mut claims) = (old_volumes.clone(), old_claims.clone());
    bind_volumes(&mut volumes, &mut claims, &classes);
    for volume in changed(&old_volumes, volumes) {
        watch.volume_set(volume);
    }
    for claim in changed(&old_claims, claims) {
        watch.claim_set(claim);
    }
}

/// Objects that differ from those at the same place.
fn changed<T: Serialize>(old: &[T], new: Vec<T>) -> Vec<T> {
    let pairs = old.iter().zip(new);
    let changed = pairs.filter(|(old, new)| json::text(*old) != json::text(new));
    changed.map(|(_, new)| new).collect()
}
