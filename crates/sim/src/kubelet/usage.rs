//! The resource usage of running containers, as in the kubelet's statistics.

use k8s_openapi::api::core::v1::{Container, Pod};

use super::behavior::{self, Known};
use crate::pod_util;
use crate::server::ms_of;
use berth_scheduler::cluster::resources::amount;

/// The usage of a container, as far as its behavior defines it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub milli_cpu: Option<i64>,
    pub memory_bytes: Option<i64>,
}

/// The usage of a Pod's running containers and sidecars.
pub fn usages(pod: &Pod, now_ms: i64) -> Vec<(&Container, Usage)> {
    let used = pod_util::lasting_containers(pod).filter_map(|container| {
        let used = usage(pod, container, now_ms)?;
        Some((container, used))
    });
    used.collect()
}

/// `None` while the container does not run.
fn usage(pod: &Pod, container: &Container, now_ms: i64) -> Option<Usage> {
    let sidecars = pod_util::init_container_statuses(pod);
    let mut statuses = pod_util::container_statuses(pod).chain(sidecars);
    let own = statuses.find(|status| status.name == container.name)?;
    let running = own.state.as_ref()?.running.as_ref()?;
    let started_ms = running.started_at.as_ref().map_or(now_ms, ms_of);
    // Problems with its annotations were reported when the Pod started.
    let behavior = behavior::of(pod, container, Known::Command, &mut Vec::new());
    let memory = behavior.memory.as_ref();
    let limits = container
        .resources
        .as_ref()
        .and_then(|own| own.limits.as_ref());
    let limit = limits.and_then(|limits| limits.get("cpu"));
    let limit = limit.map_or(i64::MAX, |limit| amount("cpu", limit));
    Some(Usage {
        // CPU is throttled to the limit.
        milli_cpu: behavior.milli_cpu.map(|own| own.min(limit)),
        memory_bytes: memory.and_then(|it| it.at(now_ms.saturating_sub(started_ms)).copied()),
    })
}
