//! PodDisruptionBudgets: the number of disruptions that each allows.
//!
//! Mirrors the disruption controller of v1.34 with one simplification, which the recorded scenarios
//! share: every bound Pod that is not being deleted counts as healthy, and only these Pods are
//! expected. The counts are updated incrementally, so an event costs as much as its namespace has
//! budgets.

use std::collections::{BTreeMap, HashMap};

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::api::prepared::PodObject;
use crate::api::selector;

type Labels = BTreeMap<String, String>;

/// The availability that a budget demands.
#[derive(Clone, Copy, Debug)]
enum Demand {
    MinAvailable(Amount),
    MaxUnavailable(Amount),
}

#[derive(Clone, Copy, Debug)]
enum Amount {
    Pods(i32),
    /// Of the expected Pods, rounded up.
    Percent(i32),
}

#[derive(Clone, Debug)]
struct Budget {
    /// Absent: no Pods. Empty: all Pods of the namespace.
    selector: Option<LabelSelector>,
    demand: Demand,
    healthy: i32,
}

/// All budgets of a cluster with their running counts.
#[derive(Clone, Debug, Default)]
pub struct DisruptionBudgets {
    budgets: Vec<Budget>,
    by_namespace: HashMap<String, Vec<usize>>,
}

impl DisruptionBudgets {
    /// Reads the budgets; no Pod is counted yet.
    pub fn new(budgets: &[PodDisruptionBudget]) -> Self {
        let mut by_namespace: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, budget) in budgets.iter().enumerate() {
            let namespace = budget.metadata.namespace.clone().unwrap_or_default();
            by_namespace.entry(namespace).or_default().push(index);
        }
        DisruptionBudgets {
            budgets: budgets.iter().map(Budget::new).collect(),
            by_namespace,
        }
    }

    /// Counts a Pod that was bound (see [`counts`] for Pods of the input).
    pub fn pod_bound(&mut self, namespace: &str, labels: &Labels) {
        self.change(namespace, labels, 1);
    }

    /// Uncounts a Pod that was deleted or is being deleted.
    pub fn pod_removed(&mut self, namespace: &str, labels: &Labels) {
        self.change(namespace, labels, -1);
    }

    fn change(&mut self, namespace: &str, labels: &Labels, by: i32) {
        let Some(indices) = self.by_namespace.get(namespace) else {
            return;
        };
        for index in indices {
            if let Some(budget) = self.budgets.get_mut(*index)
                && selector::matches_optional(budget.selector.as_ref(), labels)
            {
                budget.healthy = budget.healthy.saturating_add(by);
            }
        }
    }

    /// `status.disruptionsAllowed` of the budget at this index of the slice passed to [`Self::new`];
    /// 0 if the index is out of range.
    pub fn disruptions_allowed(&self, index: usize) -> i32 {
        self.budgets
            .get(index)
            .map_or(0, Budget::disruptions_allowed)
    }

    /// Writes the four counts into the budgets' `status`.
    pub fn write_status(&self, budgets: &mut [PodDisruptionBudget]) {
        for (counted, budget) in self.budgets.iter().zip(budgets) {
            let status = budget.status.get_or_insert_default();
            *status = PodDisruptionBudgetStatus {
                current_healthy: Some(counted.healthy),
                expected_pods: Some(counted.healthy),
                desired_healthy: Some(counted.desired_healthy()),
                disruptions_allowed: Some(counted.disruptions_allowed()),
                ..std::mem::take(status)
            };
        }
    }
}

/// Whether a Pod of the input counts for budgets: bound, not finished, not being deleted.
pub fn counts(pod: &PodObject) -> bool {
    pod.node_name.is_some() && !pod.terminating && !pod.phase.is_terminal()
}

impl Budget {
    fn new(budget: &PodDisruptionBudget) -> Self {
        let spec = budget.spec.clone().unwrap_or_default();
        let demand = match (&spec.max_unavailable, &spec.min_available) {
            (Some(max), _) => Demand::MaxUnavailable(Amount::new(max)),
            (None, Some(min)) => Demand::MinAvailable(Amount::new(min)),
            (None, None) => Demand::MinAvailable(Amount::Pods(0)),
        };
        Budget {
            selector: spec.selector,
            demand,
            healthy: 0,
        }
    }

    fn desired_healthy(&self) -> i32 {
        match self.demand {
            Demand::MinAvailable(amount) => amount.of(self.healthy),
            Demand::MaxUnavailable(amount) => {
                self.healthy.saturating_sub(amount.of(self.healthy)).max(0)
            }
        }
    }

    fn disruptions_allowed(&self) -> i32 {
        self.healthy.saturating_sub(self.desired_healthy()).max(0)
    }
}

impl Amount {
    fn new(value: &IntOrString) -> Self {
        match value {
            IntOrString::Int(pods) => Amount::Pods(*pods),
            IntOrString::String(text) => {
                let percent = text.strip_suffix('%').unwrap_or(text);
                // The API server accepts only digits.
                Amount::Percent(percent.parse().unwrap_or(0))
            }
        }
    }

    fn of(self, pods: i32) -> i32 {
        match self {
            Amount::Pods(number) => number,
            Amount::Percent(percent) => {
                let hundredths = i64::from(percent) * i64::from(pods);
                let rounded_up =
                    hundredths.div_euclid(100) + i64::from(hundredths.rem_euclid(100) > 0);
                i32::try_from(rounded_up).unwrap_or(i32::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// (currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed) with `pods` web Pods.
    fn status(spec: Value, pods: usize) -> (i32, i32, i32, i32) {
        let budget = json!([{"metadata": {"name": "b", "namespace": "default"}, "spec": spec}]);
        let mut budgets: Vec<PodDisruptionBudget> = serde_json::from_value(budget).unwrap();
        let mut counts = DisruptionBudgets::new(&budgets);
        let labels = |app: &str| Labels::from([("app".to_owned(), app.to_owned())]);
        for _ in 0..pods {
            counts.pod_bound("default", &labels("web"));
        }
        counts.pod_bound("default", &labels("db"));
        counts.pod_bound("other", &labels("web"));
        counts.pod_removed("default", &labels("db"));
        counts.write_status(&mut budgets);
        let status = budgets[0].status.clone().unwrap();
        let of = |count: Option<i32>| count.unwrap();
        assert_eq!(
            of(status.disruptions_allowed),
            counts.disruptions_allowed(0)
        );
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
