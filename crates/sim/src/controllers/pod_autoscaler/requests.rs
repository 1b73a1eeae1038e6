//! What Pods request, of which utilization is a percentage.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container, Pod};

use super::metrics::PodMetrics;
use crate::pod_util;
use crate::store::name_of;
use berth_base::quantity::Quantity;
use berth_scheduler::cluster::resources::{SumOptions, has_pod_level_requests, pod_requests};

/// The requests of each Pod, or of one of its containers, in thousandths.
///
/// # Errors
/// If a container does not exist or requests nothing of the resource.
pub(super) fn requests(
    pods: &[Arc<Pod>],
    container: Option<&str>,
    resource: &str,
) -> Result<PodMetrics, String> {
    let of_pod = |pod: &Arc<Pod>| {
        let request = match pod.spec.as_ref().filter(|_| container.is_none()) {
            Some(spec) if has_pod_level_requests(spec) => {
                let sum = pod_requests(spec, SumOptions::default());
                let request = match resource {
                    "cpu" => sum.milli_cpu,
                    _ => sum.memory_bytes.saturating_mul(1_000),
                };
                let name = name_of(&pod.metadata);
                let missing = || format!("missing pod-level request for {resource} in Pod {name}");
                Some(request)
                    .filter(|request| *request > 0)
                    .ok_or_else(missing)
            }
            _ => of_containers(pod, container, resource),
        };
        Ok((name_of(&pod.metadata).to_owned(), request?))
    };
    pods.iter().map(of_pod).collect()
}

fn of_containers(pod: &Pod, container: Option<&str>, resource: &str) -> Result<i64, String> {
    let name = name_of(&pod.metadata);
    let own = pod_util::lasting_containers(pod)
        .filter(|own| container.is_none_or(|container| own.name == container));
    let request = |own: &Container| {
        let requests = own.resources.as_ref().and_then(|it| it.requests.as_ref());
        let text = requests.and_then(|requests| requests.get(resource));
        text.and_then(|text| Quantity::parse(&text.0).ok())
            .map(Quantity::milli_value)
            .ok_or_else(|| {
                let container = &own.name;
                format!("missing request for {resource} in container {container} of Pod {name}")
            })
    };
    let amounts: Vec<i64> = own.map(request).collect::<Result<_, _>>()?;
    match container {
        Some(container) if amounts.is_empty() => {
            Err(format!("container {container} not found in Pod {name}"))
        }
        _ => Ok(amounts.into_iter().fold(0, i64::saturating_add)),
    }
}
