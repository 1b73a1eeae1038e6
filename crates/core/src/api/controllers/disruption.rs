//! PodDisruptionBudgets: the number of disruptions that each allows.
//!
//! Mirrors the disruption controller of v1.34 with one simplification, which the recorded scenarios
//! share: every bound Pod that is not being deleted counts as healthy, and only these Pods are
//! expected. The counts are updated incrementally, so an event costs as much as its namespace has
//! budgets.

use std::collections::{BTreeMap, HashMap};

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::scaled;
use crate::api::prepared::PodObject;
use berth_scheduler::selector;

type Labels = BTreeMap<String, String>;

#[derive(Clone, Debug)]
struct Budget {
    object: PodDisruptionBudget,
    /// Number of healthy Pods.
    healthy: i32,
}

/// All budgets of a cluster with their running counts.
#[derive(Clone, Debug, Default)]
pub struct DisruptionBudgets {
    budgets: Vec<Budget>,
    by_namespace: HashMap<String, Vec<usize>>,
    /// Positions of the budgets whose counts changed since the last update of their status.
    changed: Vec<usize>,
}

impl DisruptionBudgets {
    /// Counts the Pods of a cluster for its budgets.
    pub fn new<'a>(
        budgets: Vec<PodDisruptionBudget>,
        pods: impl IntoIterator<Item = &'a PodObject>,
    ) -> Self {
        let counted = |object| Budget { object, healthy: 0 };
        let budgets: Vec<Budget> = budgets.into_iter().map(counted).collect();
        let mut by_namespace: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, budget) in budgets.iter().enumerate() {
            let namespace = budget.object.metadata.namespace.clone();
            by_namespace
                .entry(namespace.unwrap_or_default())
                .or_default()
                .push(index);
        }
        let mut all = Self {
            changed: (0..budgets.len()).collect(),
            budgets,
            by_namespace,
        };
        if !all.budgets.is_empty() {
            for pod in pods {
                all.pod_came(pod);
            }
        }
        all
    }

    /// Counts a Pod that was added, or the new state of one that was updated.
    pub fn pod_came(&mut self, pod: &PodObject) {
        if counts(pod) {
            self.pod_bound(&pod.namespace, &pod.template.labels);
        }
    }

    /// Uncounts a Pod that is deleted, or the old state of one that is updated.
    pub fn pod_went(&mut self, pod: &PodObject) {
        if counts(pod) {
            self.change(&pod.namespace, &pod.template.labels, -1);
        }
    }

    /// Counts a Pod that is being bound.
    pub fn pod_bound(&mut self, namespace: &str, labels: &Labels) {
        self.change(namespace, labels, 1);
    }

    fn change(&mut self, namespace: &str, labels: &Labels, by: i32) {
        let Some(indices) = self.by_namespace.get(namespace) else {
            return;
        };
        for index in indices {
            if let Some(budget) = self.budgets.get_mut(*index)
                && selector::matches_optional(budget.selector(), labels)
            {
                budget.healthy = budget.healthy.saturating_add(by);
                self.changed.push(*index);
            }
        }
    }

    /// Writes the counts into the status of all budgets, if one of them now allows another number of disruptions than its
    /// status says. Returns all budgets in that case.
    pub fn update_status(&mut self) -> Option<impl Iterator<Item = &PodDisruptionBudget>> {
        let is_outdated = |budget: &Budget| {
            let status = budget.object.status.as_ref();
            let known = status.and_then(|status| status.disruptions_allowed);
            known != Some(budget.disruptions_allowed())
        };
        let changed = std::mem::take(&mut self.changed);
        let mut changed = changed.into_iter().filter_map(|at| self.budgets.get(at));
        if !changed.any(is_outdated) {
            return None;
        }
        self.budgets.iter_mut().for_each(Budget::write_status);
        Some(self.budgets.iter().map(|budget| &budget.object))
    }

    /// The budgets with the counts in their status, in the order in which they were passed to [`Self::new`].
    pub fn with_status(mut self) -> Vec<PodDisruptionBudget> {
        self.budgets.iter_mut().for_each(Budget::write_status);
        self.budgets
            .into_iter()
            .map(|budget| budget.object)
            .collect()
    }
}

/// Whether a Pod counts for budgets: bound, not finished, not being deleted.
fn counts(pod: &PodObject) -> bool {
    pod.node_name.is_some() && !pod.terminating && !pod.phase.is_terminal()
}

impl Budget {
    /// Absent: no Pods. Empty: all Pods of the namespace.
    fn selector(&self) -> Option<&LabelSelector> {
        self.object.spec.as_ref()?.selector.as_ref()
    }

    fn write_status(&mut self) {
        let (desired, allowed) = (self.desired_healthy(), self.disruptions_allowed());
        let status = self.object.status.get_or_insert_default();
        *status = PodDisruptionBudgetStatus {
            current_healthy: Some(self.healthy),
            expected_pods: Some(self.healthy),
            desired_healthy: Some(desired),
            disruptions_allowed: Some(allowed),
            ..std::mem::take(status)
        };
    }

    fn desired_healthy(&self) -> i32 {
        let spec = self.object.spec.as_ref();
        let max = spec.and_then(|spec| spec.max_unavailable.as_ref());
        let min = spec.and_then(|spec| spec.min_available.as_ref());
        // The API server accepts only numbers and percentages.
        let number = |value| scaled(value, self.healthy, true).unwrap_or(0);
        match (max, min) {
            (Some(max), _) => self.healthy.saturating_sub(number(max)).max(0),
            (None, min) => min.map_or(0, number),
        }
    }

    fn disruptions_allowed(&self) -> i32 {
        self.healthy.saturating_sub(self.desired_healthy()).max(0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// (currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed) with `pods` web Pods.
    fn status(spec: Value, pods: usize) -> (i32, i32, i32, i32) {
        let budget = json!([{"metadata": {"name": "b", "namespace": "default"}, "spec": spec}]);
        let budgets: Vec<PodDisruptionBudget> = serde_json::from_value(budget).unwrap();
        let mut budgets = DisruptionBudgets::new(budgets, []);
        let labels = |app: &str| Labels::from([("app".to_owned(), app.to_owned())]);
        for _ in 0..pods {
            budgets.pod_bound("default", &labels("web"));
        }
        budgets.pod_bound("default", &labels("db"));
        budgets.pod_bound("other", &labels("web"));
        budgets.change("default", &labels("db"), -1);
        let written = budgets.update_status().unwrap().next().unwrap();
        let status = written.status.clone().unwrap();
        assert!(budgets.update_status().is_none());
        let of = |count: Option<i32>| count.unwrap();
        (
            of(status.current_healthy),
            of(status.desired_healthy),
            of(status.expected_pods),
            of(status.disruptions_allowed),
        )
    }

    #[test]
    fn numbers_and_percentages_rounded_up() {
        let web = json!({"matchLabels": {"app": "web"}});
        assert_eq!(
            status(json!({"selector": web, "minAvailable": 2}), 3),
            (3, 2, 3, 1)
        );
        assert_eq!(
            status(json!({"selector": web, "minAvailable": 5}), 3),
            (3, 5, 3, 0)
        );
        assert_eq!(
            status(json!({"selector": web, "maxUnavailable": 1}), 3),
            (3, 2, 3, 1)
        );
        assert_eq!(
            status(json!({"selector": web, "maxUnavailable": 9}), 3),
            (3, 0, 3, 3)
        );
        assert_eq!(
            status(json!({"selector": web, "minAvailable": "50%"}), 3),
            (3, 2, 3, 1)
        );
        assert_eq!(
            status(json!({"selector": web, "maxUnavailable": "50%"}), 3),
            (3, 1, 3, 2)
        );
    }

    #[test]
    fn an_empty_selector_means_all_and_an_absent_one_none() {
        assert_eq!(
            status(json!({"selector": {}, "minAvailable": 1}), 2),
            (2, 1, 2, 1)
        );
        assert_eq!(status(json!({"minAvailable": 1}), 2), (0, 1, 0, 0));
    }
}
