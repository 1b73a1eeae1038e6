//! The status of PodDisruptionBudgets where there is no disruption controller.

use std::sync::Arc;

use k8s_openapi::api::policy::v1::PodDisruptionBudget;

use crate::scheduler_cache::SchedulerCache;
use berth_core::api::controllers::disruption::{self, DisruptionBudgets};
use berth_core::api::prepared::PodObject;
use berth_core::cluster::Cluster;
use berth_core::cluster::event::Event;

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

    /// Counts a Pod that was added, or the new state of one that was updated.
    pub fn pod_came(&mut self, pod: &PodObject) {
        if disruption::counts(pod) {
            self.counts.pod_bound(&pod.namespace, &pod.template.labels);
        }
    }

    /// Uncounts a Pod that was deleted, or the old state of one that was updated.
    pub fn pod_went(&mut self, pod: &PodObject) {
        if disruption::counts(pod) {
            self.counts
                .pod_removed(&pod.namespace, &pod.template.labels);
        }
    }

    /// Writes the status where it has changed. This moves no Pod in the queue.
    pub fn write_status(&mut self, cache: &mut SchedulerCache) {
        for index in 0..self.budgets.len() {
            let Some(budget) = self.budgets.get(index) else {
                return;
            };
            let known = budget.status.as_ref();
            let known = known.and_then(|status| status.disruptions_allowed);
            if known == Some(self.counts.disruptions_allowed(index)) {
                continue;
            }
            self.counts.write_status(&mut self.budgets);
            for budget in &self.budgets {
                let event = Event::BudgetSet(Arc::new(budget.clone()));
                cache.cluster.apply(event);
            }
            return;
        }
    }
}
