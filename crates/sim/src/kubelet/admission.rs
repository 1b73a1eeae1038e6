//! Kubelet admission: whether a kubelet accepts a Pod bound to its node, however it was bound.
//!
//! Mirrors `pkg/kubelet/lifecycle/predicate.go` and the eviction manager's `Admit` (v1.34). A rejected Pod fails
//! permanently.

use k8s_openapi::api::core::v1::{Node, Pod, PodSpec};

use super::nodes::{Facts, NodeState};
use super::static_pods::{is_critical, is_static};
use super::worker::Worker;
use berth_core::api::prepare::node_fit::{selects, tolerates_all};
use berth_scheduler::cluster::resources::is_scalar;

const PRESSURE_TAINT: &str = "node.kubernetes.io/memory-pressure";

/// Why a Pod is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub reason: String,
    pub message: String,
    /// The resource and the missing amount, if an insufficient resource is the only reason.
    pub missing: Option<(String, i64)>,
}

impl Refusal {
    fn new(reason: &str, message: impl Into<String>) -> Self {
        Refusal {
            reason: reason.to_owned(),
            message: message.into(),
            missing: None,
        }
    }

    fn predicate(name: &str, why: &str) -> Self {
        Refusal::new(name, format!("Predicate {name} failed: {why}"))
    }
}

/// Checks a Pod; the first failed check is returned.
pub(super) fn judge(
    pod: &Pod,
    worker: &Worker,
    node: &Node,
    state: &mut NodeState,
) -> Result<(), Refusal> {
    let empty = PodSpec::default();
    let spec = pod.spec.as_ref().unwrap_or(&empty);
    if state.pressure_seen.is_some()
        && !is_critical(pod)
        && worker.qos_class == "BestEffort"
        && !tolerates_memory_pressure(spec)
    {
        return Err(Refusal::new(
            "Evicted",
            "The node had condition: [MemoryPressure]. ",
        ));
    }
    let os = spec.os.as_ref().map(|os| os.name.as_str());
    let label = node
        .metadata
        .labels
        .as_ref()
        .and_then(|labels| labels.get("kubernetes.io/os"));
    if os.is_some_and(|os| os != label.map_or("linux", String::as_str)) {
        return Err(Refusal::new(
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ));
    }
    let facts = state.facts(node);
    fits(worker, state, &facts)?;
    if !selects(spec, node) {
        return Err(Refusal::predicate(
            "NodeAffinity",
            "node(s) didn't match Pod's node affinity/selector",
        ));
    }
    if state.has_conflict(&worker.ports) {
        return Err(Refusal::predicate(
            "NodePorts",
            "node(s) didn't have free ports for the requested pod ports",
        ));
    }
    if !is_static(pod) && !tolerates_all(spec, node, &["NoExecute"]) {
        return Err(Refusal::predicate(
            "TaintToleration",
            "node(s) had taints that the pod didn't tolerate",
        ));
    }
    Ok(())
}

/// Whether a BestEffort Pod tolerates the memory-pressure taint and is therefore admitted under pressure.
fn tolerates_memory_pressure(spec: &PodSpec) -> bool {
    let mut tolerations = spec.tolerations.iter().flatten();
    tolerations.any(|own| {
        let key = own.key.as_deref().unwrap_or_default();
        let effect = own.effect.as_deref().unwrap_or_default();
        let exists = own.operator.as_deref() == Some("Exists");
        let empty = own.value.as_deref().unwrap_or_default().is_empty();
        (key.is_empty() && exists || key == PRESSURE_TAINT && (exists || empty))
            && matches!(effect, "" | "NoSchedule")
    })
}

/// Whether the Pod's requests fit next to those of the Pods on the node (`NodeResourcesFit`).
fn fits(worker: &Worker, state: &NodeState, facts: &Facts) -> Result<(), Refusal> {
    let count = i64::try_from(state.pods.len()).unwrap_or(i64::MAX);
    if count.saturating_add(1) > facts.pods {
        return Err(short("pods", 1, count, facts.pods));
    }
    let (wanted, used, offered) = (&worker.requests, &state.used, &facts.allocatable);
    let basic = [
        ("cpu", wanted.milli_cpu, used.milli_cpu, offered.milli_cpu),
        (
            "memory",
            wanted.memory_bytes,
            used.memory_bytes,
            offered.memory_bytes,
        ),
        (
            "ephemeral-storage",
            wanted.ephemeral_storage_bytes,
            used.ephemeral_storage_bytes,
            offered.ephemeral_storage_bytes,
        ),
    ];
    // Extended resources missing from the node's allocatable are ignored, as in the kubelet.
    let scalars = wanted.scalars.iter().filter_map(|(name, amount)| {
        let known = offered.scalar(name).or((!is_extended(name)).then_some(0))?;
        Some((name.as_str(), *amount, used.get(name), known))
    });
    for (name, requested, used, capacity) in basic.into_iter().chain(scalars) {
        if requested > 0 && requested > capacity.saturating_sub(used) {
            return Err(short(name, requested, used, capacity));
        }
    }
    Ok(())
}

fn is_extended(name: &str) -> bool {
    is_scalar(name) && !name.starts_with("hugepages-") && !name.starts_with("kubernetes.io/")
}

fn short(name: &str, requested: i64, used: i64, capacity: i64) -> Refusal {
    Refusal {
        reason: format!("OutOf{name}"),
        message: format!(
            "Node didn't have enough resource: {name}, requested: {requested}, used: {used}, capacity: {capacity}"
        ),
        missing: Some((
            name.to_owned(),
            requested.saturating_sub(capacity.saturating_sub(used)),
        )),
    }
}
