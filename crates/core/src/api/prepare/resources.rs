//! Arithmetic on resource lists: rounding, sums and maxima by resource.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Container;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;

use berth_base::quantity::Quantity;

/// Quantities by resource name.
pub(crate) type ResourceList = BTreeMap<String, ApiQuantity>;

/// The amount; 0 for invalid text, which decoding rejects.
pub(crate) fn amount(quantity: &ApiQuantity) -> Quantity {
    Quantity::parse(&quantity.0).unwrap_or_default()
}

/// An amount in the API's notation.
pub(crate) fn written(amount: Quantity) -> ApiQuantity {
    ApiQuantity(amount.to_string())
}

/// Rounds quantities finer than 1/1000 up to 1/1000, as the API server does for every list.
pub(crate) fn round_up_to_milli(list: Option<&mut ResourceList>) {
    for quantity in list.into_iter().flat_map(BTreeMap::values_mut) {
        let exact = amount(quantity);
        let rounded = exact.rounded_up_to_milli();
        if rounded != exact {
            *quantity = written(rounded);
        }
    }
}

/// Adds `addend` to `total`, resource by resource.
pub(crate) fn add(total: &mut ResourceList, addend: &ResourceList) {
    for (name, quantity) in addend {
        total
            .entry(name.clone())
            .and_modify(|sum| *sum = written(amount(sum).add(amount(quantity))))
            .or_insert_with(|| quantity.clone());
    }
}

/// Raises `total` to `other` where that is larger.
fn raise(total: &mut ResourceList, other: &ResourceList) {
    for (name, quantity) in other {
        let entry = total
            .entry(name.clone())
            .or_insert_with(|| quantity.clone());
        if amount(quantity) > amount(entry) {
            entry.clone_from(quantity);
        }
    }
}

/// The total of one kind of list, requests or limits, over the containers.
fn aggregate<'a>(
    containers: &'a [Container],
    init_containers: &'a [Container],
    list: impl Fn(&'a Container) -> Option<&'a ResourceList>,
) -> ResourceList {
    let mut total = ResourceList::new();
    for requests in containers.iter().filter_map(&list) {
        add(&mut total, requests);
    }
    // Init containers run one after another, beside the sidecars started before them.
    let mut sidecars = ResourceList::new();
    let mut peak = ResourceList::new();
    for container in init_containers {
        let own = list(container).cloned().unwrap_or_default();
        let mut running = sidecars.clone();
        add(&mut running, &own);
        raise(&mut peak, &running);
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut total, &own);
            sidecars = running;
        }
    }
    raise(&mut total, &peak);
    total
}

/// The total requests of a Pod's containers (component-helpers' AggregateContainerRequests).
pub(crate) fn aggregate_requests(
    containers: &[Container],
    init_containers: &[Container],
) -> ResourceList {
    aggregate(containers, init_containers, |container| {
        container
            .resources
            .as_ref()
            .and_then(|resources| resources.requests.as_ref())
    })
}

/// The total limits of a Pod's containers (AggregateContainerLimits).
pub(crate) fn aggregate_limits(
    containers: &[Container],
    init_containers: &[Container],
) -> ResourceList {
    aggregate(containers, init_containers, |container| {
        container
            .resources
            .as_ref()
            .and_then(|resources| resources.limits.as_ref())
    })
}
