//! How many replicas a metric asks for (`replica_calculator.go`).

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::metrics::PodMetrics;
use super::requests::requests;
use crate::pod_util;
use crate::server::ms_of;
use crate::store::name_of;

/// In this time after its start, a Pod's CPU usage counts only while it is ready.
const CPU_INITIALIZATION_MS: i64 = 300_000;
/// A Pod that became unready within this time after its start has never been ready.
const INITIAL_READINESS_MS: i64 = 30_000;
/// The time over which the metrics API measures usage.
const WINDOW_MS: i64 = 1_000;
const NO_PODS: &str = "no pods returned by selector while calculating replica count";

/// How far a usage may be from its target, as a part of it, before the number of replicas changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerances {
    pub down: f64,
    pub up: f64,
}

impl Tolerances {
    fn allow(self, ratio: f64) -> bool {
        (1.0 - self.down..=1.0 + self.up).contains(&ratio)
    }
}

/// What a calculation starts from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis<'a> {
    /// The Pods of the target.
    pub pods: &'a [Arc<Pod>],
    /// `spec.replicas` of the target.
    pub replicas: i32,
    /// `status.replicas` of the target.
    pub found: i32,
    pub tolerances: Tolerances,
    pub now_ms: i64,
}

/// What the metric of each Pod is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim<'a> {
    /// A mean, in thousandths.
    Average(i64),
    /// A percentage of the requests of the Pods, or of one of their containers.
    Utilization(i32, Option<&'a str>),
}

/// The number of replicas that a metric asks for, and its current value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    pub replicas: i32,
    /// The value, or the mean per Pod, in thousandths.
    pub usage: i64,
    /// In percent of the requests.
    pub utilization: Option<i32>,
}

/// The current usage in relation to the aim.
struct Measured {
    ratio: f64,
    usage: i64,
    utilization: Option<i32>,
}

/// The replicas for a metric of each Pod. `resource`: empty unless it is the usage of a resource.
///
/// # Errors
/// If no Pod can be counted, or requests are missing.
pub(super) fn of_pods(
    basis: Basis<'_>,
    mut metrics: PodMetrics,
    resource: &str,
    aim: Aim<'_>,
) -> Result<Proposal, String> {
    if basis.pods.is_empty() {
        return Err(NO_PODS.to_owned());
    }
    let groups = Groups::of(basis, &metrics, resource);
    metrics.retain(|name, _| groups.counts(name));
    if metrics.is_empty() {
        let why = "did not receive metrics for targeted pods (pods might be unready)";
        return Err(why.to_owned());
    }
    let requests = match aim {
        Aim::Average(_) => PodMetrics::new(),
        Aim::Utilization(_, container) => requests(basis.pods, container, resource)?,
    };
    let now = measure(&metrics, &requests, aim)?;
    let proposal = |replicas| Proposal {
        replicas,
        usage: now.usage,
        utilization: now.utilization,
    };
    let keeps_unready = now.ratio > 1.0 && !groups.unready.is_empty();
    if !keeps_unready && groups.missing.is_empty() {
        let is_close = basis.tolerances.allow(now.ratio);
        return Ok(proposal(if is_close {
            basis.replicas
        } else {
            (now.ratio * groups.ready as f64).ceil() as i32
        }));
    }
    groups.assume(&mut metrics, &requests, aim, now.ratio);
    let then = measure(&metrics, &requests, aim)?.ratio;
    let turns = (now.ratio < 1.0 && then > 1.0) || (now.ratio > 1.0 && then < 1.0);
    if turns || basis.tolerances.allow(then) {
        return Ok(proposal(basis.replicas));
    }
    let replicas = (then * metrics.len() as f64).ceil() as i32;
    let turns =
        (then < 1.0 && replicas > basis.replicas) || (then > 1.0 && replicas < basis.replicas);
    Ok(proposal(if turns { basis.replicas } else { replicas }))
}

/// The replicas for a value that all Pods share, such as the length of a queue, in thousandths as its target.
///
/// # Errors
/// If the target has no Pods.
pub(super) fn of_value(basis: Basis<'_>, usage: i64, target: i64) -> Result<Proposal, String> {
    let ratio = usage as f64 / target as f64;
    let replicas = if basis.tolerances.allow(ratio) {
        basis.replicas
    } else if basis.pods.is_empty() {
        return Err(format!("unable to calculate ready pods: {NO_PODS}"));
    } else {
        let ready = basis
            .pods
            .iter()
            .filter(|pod| pod_util::is_running_and_ready(pod));
        (ratio * ready.count() as f64).ceil() as i32
    };
    Ok(Proposal {
        replicas,
        usage,
        utilization: None,
    })
}

/// The replicas for a value that is divided among the Pods, in thousandths as its target per Pod.
pub(super) fn of_share(basis: Basis<'_>, usage: i64, target: i64) -> Proposal {
    let found = f64::from(basis.found);
    let (usage, target) = (usage as f64, target as f64);
    let is_close = basis.tolerances.allow(usage / (target * found));
    Proposal {
        replicas: if is_close {
            basis.found
        } else {
            (usage / target).ceil() as i32
        },
        usage: (usage / found).ceil() as i64,
        utilization: None,
    }
}

/// The Pods by how they count.
#[derive(Debug, Default)]
struct Groups<'a> {
    ready: usize,
    /// They run or will run, but their usage does not say what they will use.
    unready: Vec<&'a str>,
    /// They run, and the metrics API does not know them.
    missing: Vec<&'a str>,
    /// They end or have failed.
    ignored: Vec<&'a str>,
}

impl<'a> Groups<'a> {
    fn of(basis: Basis<'a>, metrics: &PodMetrics, resource: &str) -> Self {
        let mut groups = Groups::default();
        for pod in basis.pods {
            let (name, phase) = (name_of(&pod.metadata), pod_util::phase_of(pod));
            if pod_util::is_terminating(pod) || phase == "Failed" {
                groups.ignored.push(name);
            } else if phase == "Pending" {
                groups.unready.push(name);
            } else if !metrics.contains_key(name) {
                groups.missing.push(name);
            } else if resource == "cpu" && is_starting(pod, basis.now_ms) {
                groups.unready.push(name);
            } else {
                groups.ready += 1;
            }
        }
        groups
    }

    /// Whether the metric of a Pod counts.
    fn counts(&self, name: &str) -> bool {
        !self.unready.contains(&name) && !self.ignored.contains(&name)
    }

    /// Adds values that dampen a change: Pods without one use all that they request (or the aim) when scaling down,
    /// and nothing when scaling up, as do unready ones.
    fn assume(&self, metrics: &mut PodMetrics, requests: &PodMetrics, aim: Aim<'_>, ratio: f64) {
        let fully = |name: &str| match aim {
            Aim::Average(target) => target,
            Aim::Utilization(percent, _) => {
                let request = requests.get(name).copied().unwrap_or(0);
                request.saturating_mul(i64::from(percent.max(100))) / 100
            }
        };
        if ratio < 1.0 {
            let missing = self.missing.iter();
            metrics.extend(missing.map(|name| ((*name).to_owned(), fully(name))));
        } else if ratio > 1.0 {
            let idle = self.missing.iter().chain(&self.unready);
            metrics.extend(idle.map(|name| ((*name).to_owned(), 0)));
        }
    }
}

/// Whether the CPU usage of a running Pod may be that of its start only.
fn is_starting(pod: &Pod, now_ms: i64) -> bool {
    let status = pod.status.as_ref();
    let started = status.and_then(|status| status.start_time.as_ref());
    let Some((started, ready)) = started.zip(pod_util::ready_condition(pod)) else {
        return true;
    };
    let started_ms = ms_of(started);
    let changed_ms = ready.last_transition_time.as_ref().map_or(0, ms_of);
    let is_unready = ready.status == "False";
    if started_ms.saturating_add(CPU_INITIALIZATION_MS) > now_ms {
        is_unready || now_ms < changed_ms.saturating_add(WINDOW_MS)
    } else {
        is_unready && started_ms.saturating_add(INITIAL_READINESS_MS) > changed_ms
    }
}

fn measure(metrics: &PodMetrics, requests: &PodMetrics, aim: Aim<'_>) -> Result<Measured, String> {
    let total: i128 = metrics.values().map(|value| i128::from(*value)).sum();
    let count = i128::try_from(metrics.len()).unwrap_or(i128::MAX).max(1);
    let usage = i64::try_from(total / count).unwrap_or(i64::MAX);
    let (ratio, utilization) = match aim {
        Aim::Average(target) => (usage as f64 / target as f64, None),
        Aim::Utilization(percent, _) => {
            let own = metrics.keys().filter_map(|name| requests.get(name));
            let requested: i128 = own.map(|value| i128::from(*value)).sum();
            if requested == 0 {
                return Err("no metrics returned matched known pods".to_owned());
            }
            let used = i32::try_from(total * 100 / requested).unwrap_or(i32::MAX);
            (f64::from(used) / f64::from(percent), Some(used))
        }
    };
    Ok(Measured {
        ratio,
        usage,
        utilization,
    })
}

#[cfg(test)]
mod tests;
