//! What the status of a Pod says about its resources: granted, allocated, and whether a resize is impossible.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ContainerStatus, PodStatus};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::{Granted, Resized};
use berth_base::sort;

/// The part of a status that in-place resize counts; `None` if it has none.
pub(super) fn of_status(status: &PodStatus) -> Option<Resized> {
    let own = status.resources.as_ref().map(|resources| {
        granted(
            resources.requests.as_ref(),
            status.allocated_resources.as_ref(),
        )
    });
    let lists = [&status.container_statuses, &status.init_container_statuses];
    let statuses = lists.into_iter().flatten().flatten();
    let containers: BTreeMap<String, Granted> = sort::gather(statuses.filter_map(of_container));
    (own.is_some() || !containers.is_empty()).then(|| Resized {
        own,
        containers,
        is_infeasible: is_infeasible(status),
    })
}

fn of_container(status: &ContainerStatus) -> Option<(String, Granted)> {
    let resources = status.resources.as_ref()?;
    let allocated = status.allocated_resources.as_ref();
    let granted = granted(resources.requests.as_ref(), allocated);
    Some((status.name.clone(), granted))
}

type List = BTreeMap<String, Quantity>;

fn granted(requests: Option<&List>, allocated: Option<&List>) -> Granted {
    Granted {
        requests: requests.cloned().unwrap_or_default(),
        allocated: allocated.cloned().unwrap_or_default(),
    }
}

/// `IsPodResizeInfeasible` of component-helpers.
fn is_infeasible(status: &PodStatus) -> bool {
    let mut conditions = status.conditions.iter().flatten();
    let pending = conditions.find(|condition| condition.type_ == "PodResizePending");
    pending.is_some_and(|pending| pending.reason.as_deref() == Some("Infeasible"))
}
