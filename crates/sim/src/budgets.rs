//! The status of PodDisruptionBudgets where there is no disruption controller.

use std::sync::Arc;

use berth_core::api::controllers::disruption::DisruptionBudgets;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::event::Event;

/// The budgets of a cluster, with its Pods counted.
pub(crate) fn of(cluster: &Cluster) -> DisruptionBudgets {
    let budgets = cluster
        .budgets()
        .map(|budget| budget.as_ref().clone())
        .collect();
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
