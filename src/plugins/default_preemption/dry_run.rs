//! The dry run: on a copy of each node, who would have to go?

use std::cmp::Ordering;

use k8s_openapi::api::policy::v1::PodDisruptionBudget;

use super::choose::ranks;
use crate::base::sort;
use crate::cluster::Cluster;
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::selector::Selector;
use crate::framework::preemption::{PreemptionCandidate, PreemptionContext};
use crate::framework::status::{Rejection, aggregate};
use crate::protocol::cycle::Code;

/// What the dry run found.
pub struct DryRun {
    pub candidates: Vec<PreemptionCandidate>,
    /// Nodes on which nobody's leaving helps, and why.
    pub failures: Vec<(NodeIx, Rejection)>,
}

impl DryRun {
    /// The errors among the failures, as `NewAggregate` puts them; `None` if there are none.
    pub fn errors(&self) -> Option<String> {
        let errors = self.failures.iter().map(|(_, rejection)| rejection);
        let errors = errors.filter(|rejection| rejection.code == Code::Error);
        aggregate(errors.map(Rejection::message))
    }
}

/// Tries the nodes in order until there are `wanted` candidates, one of them without PDB violations.
/// Of those with violations no more than `wanted` are kept.
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

/// The fewest victims on one node: all of lower priority leave, then come back, the most important
/// first, as long as the Pod still fits (`SelectVictimsOnNode`).
fn victims_on(
    cx: &PreemptionContext<'_>,
    node: &NodeInfo,
    budgets: &[Budget],
) -> Result<PreemptionCandidate, Rejection> {
    let cluster = cx.cx.cluster;
    let on_node = node.pods.iter().filter_map(|&pod| cluster.pods().get(pod));
    let mut potential: Vec<&PodInfo> = on_node
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

    sort::sort_by(&mut potential, |one, other| by_importance(one, other));
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
        sort::sort_by(&mut victims, |one, other| by_importance(one, other));
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

/// Higher priority first, then the one that started earlier (`MoreImportantPod`).
fn by_importance(one: &PodInfo, other: &PodInfo) -> Ordering {
    let started = |pod: &PodInfo| pod.object.start_ms.unwrap_or(i64::MAX);
    other
        .priority()
        .cmp(&one.priority())
        .then(started(one).cmp(&started(other)))
}

/// A PodDisruptionBudget as preemption reads it.
struct Budget {
    namespace: String,
    selector: Selector,
    allowed: i32,
    /// Pods that the eviction API has already counted.
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
            allowed: status.map_or(0, |status| status.disruptions_allowed),
            disrupted: disrupted
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect(),
        }
    }

    /// An empty selector covers nobody here, though the disruption controller counts all Pods for it.
    fn covers(&self, cluster: &Cluster, pod: &PodInfo) -> bool {
        let class = cluster.class(pod.class);
        let name = pod.object.name.as_ref();
        *self.namespace == *class.namespace
            && !self.selector.is_empty()
            && self.selector.matches(class.labels())
            && !self.disrupted.iter().any(|disrupted| disrupted == name)
    }
}

/// Pods whose leaving would break a budget, and the others, each in the order given. Every Pod uses
/// the budgets up, also one that will not have to go in the end (`filterPodsWithPDBViolation`).
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
