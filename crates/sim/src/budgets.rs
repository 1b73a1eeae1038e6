//! The status of PodDisruptionBudgets where there is no disruption controller.

use std::sync::Arc;

use k8s_openapi::api::policy::v1::PodDisruptionBudget;

use berth_core::api::controllers::disruption::DisruptionBudgets;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::event::Event;

/// The budgets of a cluster, with its Pods counted.
pub(crate) fn of(cluster: &Cluster) -> DisruptionBudgets {
    of_those(cluster, |_| true)
}

/// The same of some budgets only: the others keep their status.
pub(crate) fn of_those(
    cluster: &Cluster,
    is_counted: impl Fn(&PodDisruptionBudget) -> bool,
) -> DisruptionBudgets {
    let counted = cluster.budgets().filter(|budget| is_counted(budget));
    let budgets = counted.map(|budget| budget.as_ref().clone()).collect();
    let pods = cluster.pods().iter().map(|pod| &pod.object);
    DisruptionBudgets::new(budgets, pods)
}

/// Writes the status where it has changed. This moves no Pod in the queue.
pub(crate) fn updated(budgets: &mut DisruptionBudgets) -> Vec<Event> {
    let changed = budgets.update_status().into_iter().flatten();
    changed
        .map(|budget| Event::BudgetSet(Arc::new(budget.clone())))
        .collect()
}
