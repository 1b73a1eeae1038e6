//! The dry run: finds the victims on a copy of each node.

use std::cmp::Ordering;

use k8s_openapi::api::policy::v1::PodDisruptionBudget;

use super::choose::ranks;
use crate::cluster::Cluster;
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::preemption::{PreemptionCandidate, PreemptionContext};
use crate::framework::status::{Rejection, aggregate};
use crate::selector::compiled::Selector;
use berth_base::sort;
use berth_protocol::cycle::Code;

/// The result of the dry run.
pub struct DryRun {
    pub candidates: Vec<PreemptionCandidate>,
    /// Nodes on which preemption does not help, with the reason.
    pub failures: Vec<(NodeIx, Rejection)>,
}

impl DryRun {
    /// The errors among the failures, aggregated as by `NewAggregate`; `None` if there are none.
    pub fn errors(&self) -> Option<String> {
        aggregate(
            self.failures
                .iter()
                .map(|(_, rejection)| rejection)
                .filter(|rejection| rejection.code == Code::Error)
                .map(Rejection::message),
        )
    }
}

/// Tries the nodes in order until there are `wanted` candidates, at least one of them without PDB
/// violations. At most `wanted` candidates with violations are kept.
pub fn dry_run(cx: &PreemptionContext<'_>, nodes: &[&NodeInfo], wanted: usize) -> DryRun {
    let budgets = Budget::all(cx.cx.cluster);
    let mut found = DryRun {
        candidates: Vec::new(),
        failures: Vec::new(),
    };
    let mut clean = 0;
    for node in nodes {
        match victims_on(cx, node, &budgets) {
            Ok(candidate) => {
                let is_clean = candidate.pdb_violations == 0;
                clean += usize::from(is_clean);
                if is_clean || found.candidates.len() - clean < wanted {
                    found.candidates.push(candidate);
                }
                if clean > 0 && found.candidates.len() >= wanted {
                    break;
                }
            }
            Err(rejection) => found.failures.push((node.ix, rejection)),
        }
    }
    found
}

/// The minimal victims on one node: removes all Pods of lower priority, then reprieves them, the
/// most important first, as long as the Pod still fits (`SelectVictimsOnNode`).
fn victims_on(
    cx: &PreemptionContext<'_>,
    node: &NodeInfo,
    budgets: &[Budget],
) -> Result<PreemptionCandidate, Rejection> {
    let cluster = cx.cx.cluster;
    let mut potential: Vec<&PodInfo> = node
        .pods
        .iter()
        .filter_map(|&pod| cluster.pods().get(pod))
        .filter(|pod| pod.priority() < cx.cx.pod.priority())
        .collect();
    if potential.is_empty() {
        return Err(Rejection::unresolvable(
            "No preemption victims found for incoming pod",
        ));
    }
    let mut state = cx.state.clone();
    let mut copy = node.clone();
    for victim in &potential {
        cx.profile
            .remove_pod(cx.cx, &mut state, &mut copy, victim.ix, cx.skipped);
    }
    cx.fits(&state, &copy)
        .map_err(|rejected| rejected.rejection)?;

    sort::sort_by(&mut potential, |a, b| by_importance(a, b));
    let (violating, harmless) = split_by_budgets(cluster, &potential, budgets);
    let mixed = !violating.is_empty() && !harmless.is_empty();
    let first_harmless = violating.len();
    let mut victims: Vec<&PodInfo> = Vec::new();
    let mut pdb_violations = 0;
    for (position, &pod) in violating.iter().chain(&harmless).enumerate() {
        cx.profile
            .add_pod(cx.cx, &mut state, &mut copy, pod.ix, cx.skipped);
        if cx.fits(&state, &copy).is_ok() {
            continue;
        }
        cx.profile
            .remove_pod(cx.cx, &mut state, &mut copy, pod.ix, cx.skipped);
        victims.push(pod);
        pdb_violations += u32::from(position < first_harmless);
    }
    if victims.is_empty() {
        return Err(Rejection::error(format!(
            "expected at least one victim pod on node \"{}\"",
            node.name
        )));
    }
    if mixed {
        sort::sort_by(&mut victims, |a, b| by_importance(a, b));
    }
    let mut candidate = PreemptionCandidate {
        node: node.ix,
        victims: victims.iter().map(|pod| pod.ix).collect(),
        pdb_violations,
        ranks: Vec::new(),
    };
    candidate.ranks = ranks(cluster, &candidate);
    Ok(candidate)
}

/// Higher priority first, then the earlier start (`MoreImportantPod`).
fn by_importance(a: &PodInfo, b: &PodInfo) -> Ordering {
    let started = |pod: &PodInfo| pod.object.start_ms.unwrap_or(i64::MAX);
    b.priority()
        .cmp(&a.priority())
        .then(started(a).cmp(&started(b)))
}

/// A PodDisruptionBudget as read by preemption.
struct Budget {
    namespace: String,
    selector: Selector,
    allowed: i32,
    /// Pods that the eviction API has counted already.
    disrupted: Vec<String>,
}

impl Budget {
    fn all(cluster: &Cluster) -> Vec<Self> {
        cluster.budgets().map(|budget| Self::new(budget)).collect()
    }

    fn new(budget: &PodDisruptionBudget) -> Self {
        let spec = budget.spec.as_ref();
        let status = budget.status.as_ref();
        let disrupted = status.and_then(|status| status.disrupted_pods.as_ref());
        Self {
            namespace: budget.metadata.namespace.clone().unwrap_or_default(),
            selector: Selector::new(spec.and_then(|spec| spec.selector.as_ref())),
            allowed: status
                .and_then(|status| status.disruptions_allowed)
                .unwrap_or_default(),
            disrupted: disrupted
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect(),
        }
    }

    /// An empty selector matches no Pod here, though the disruption controller counts all Pods for it.
    fn covers(&self, cluster: &Cluster, pod: &PodInfo) -> bool {
        let class = cluster.class(pod.class);
        let name = pod.object.name.as_ref();
        *self.namespace == *class.namespace
            && !self.selector.is_empty()
            && self.selector.matches(class.labels())
            && !self.disrupted.iter().any(|disrupted| disrupted == name)
    }
}

/// Splits Pods by whether their eviction would violate a budget, each part in the given order. Every
/// Pod consumes the budgets, even if it is reprieved later (`filterPodsWithPDBViolation`).
fn split_by_budgets<'a>(
    cluster: &Cluster,
    pods: &[&'a PodInfo],
    budgets: &[Budget],
) -> (Vec<&'a PodInfo>, Vec<&'a PodInfo>) {
    let mut allowed: Vec<i32> = budgets.iter().map(|budget| budget.allowed).collect();
    pods.iter().partition(|pod| {
        let mut violates = false;
        if cluster.class(pod.class).labels().is_empty() {
            return false;
        }
        for (budget, allowed) in budgets.iter().zip(&mut allowed) {
            if budget.covers(cluster, pod) {
                *allowed -= 1;
                violates |= *allowed < 0;
            }
        }
        violates
    })
}
