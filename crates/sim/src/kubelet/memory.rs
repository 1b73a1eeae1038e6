//! Memory limits and requests of containers.

use k8s_openapi::api::core::v1::{Container, Pod, ResourceRequirements};

use berth_scheduler::cluster::resources::amount;

const MEMORY: &str = "memory";

/// The memory limit of a container in bytes: its own, or the Pod's.
pub(super) fn limit_of(pod: &Pod, container: &Container) -> Option<i64> {
    let whole = pod.spec.as_ref().and_then(|spec| spec.resources.as_ref());
    let limit = |of: Option<&ResourceRequirements>| {
        let limit = of?.limits.as_ref()?.get(MEMORY)?;
        Some(amount(MEMORY, limit)).filter(|bytes| *bytes > 0)
    };
    limit(container.resources.as_ref()).or_else(|| limit(whole))
}

/// The memory request of a container in bytes.
pub(super) fn request_of(container: &Container) -> i64 {
    let resources = container.resources.as_ref();
    let requests = resources.and_then(|resources| resources.requests.as_ref());
    let request = requests.and_then(|requests| requests.get(MEMORY));
    request.map_or(0, |request| amount(MEMORY, request))
}
