//! DefaultPreemption: makes room for a Pod by evicting Pods of lower priority.
//!
//! - **Extension point**: PostFilter.
//! - **Why**: in a full cluster the more important Pods should run.
//! - **Example**: a Pod of priority 1000 needs 2 CPU; a Pod of priority 0 on `node-b` requests 2 CPU
//!   and is evicted.
//! - **How**: a dry run on every node where preemption may help finds the victims; then the node
//!   with the fewest PDB violations, the least important victims, and so on, is chosen.
//! - **Upstream**: `plugins/defaultpreemption` and `framework/preemption`, v1.34, with
//!   `SchedulerAsyncPreemption` off: victims are deleted at once.

mod choose;
mod dry_run;

use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::{NodeIx, PodIx};
use crate::framework::fit_error::{FitError, fit_error};
use crate::framework::plugin::{Context, PostFilter, extends};
use crate::framework::preemption::{PostFiltered, Preemption, PreemptionContext};
use crate::framework::status::Rejection;
use berth_protocol::cycle::{Code, NotEligible};

const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";

/// The plugin, with its arguments (`DefaultPreemptionArgs`).
pub struct DefaultPreemption {
    min_candidate_nodes_percentage: usize,
    min_candidate_nodes_absolute: usize,
}

impl DefaultPreemption {
    /// The number of candidates that suffices: this share of the nodes, and at least this many.
    pub fn new(min_candidate_nodes_percentage: i32, min_candidate_nodes_absolute: i32) -> Self {
        Self {
            min_candidate_nodes_percentage: usize::try_from(min_candidate_nodes_percentage)
                .unwrap_or(0),
            min_candidate_nodes_absolute: usize::try_from(min_candidate_nodes_absolute)
                .unwrap_or(0),
        }
    }

    fn candidates_wanted(&self, nodes: usize) -> usize {
        let share = nodes * self.min_candidate_nodes_percentage / 100;
        share.max(self.min_candidate_nodes_absolute).min(nodes)
    }
}

extends!(DefaultPreemption: PostFilter);

impl PostFilter for DefaultPreemption {
    fn post_filter(&self, cx: &PreemptionContext<'_>) -> PostFiltered {
        if let Err(why) = may_preempt(cx) {
            let message = format!("preemption: {}", not_eligible_text(why));
            let rejection = Rejection::unschedulable(message);
            return PostFiltered::NotEligible { rejection, why };
        }
        let nodes = helpful_nodes(cx);
        let wanted = self.candidates_wanted(nodes.len());
        let found = dry_run::dry_run(cx, &nodes, wanted);
        if found.candidates.is_empty() {
            if let Some(errors) = found.errors() {
                return PostFiltered::Error(Rejection::error(format!("preemption: {errors}")));
            }
            let total = cx.cx.cluster.node_order().len();
            let explicit = found.failures.iter().map(|(_, rejection)| (1, rejection));
            let not_helpful = Rejection::unresolvable(NOT_HELPFUL);
            let mut message = FitError::from("preemption: ".to_owned());
            message.append(&fit_error(total, "", explicit, &not_helpful));
            return PostFiltered::Unschedulable {
                message,
                tried: found.failures,
                clear_nomination: true,
            };
        }
        let choice = choose::choose(cx.cx.cluster, &found.candidates);
        let candidate = &found.candidates[choice.position];
        PostFiltered::Nominated(Box::new(Preemption {
            node: candidate.node,
            victims: candidate.victims.clone(),
            displaced: displaced_nominations(cx.cx, candidate.node),
            ambiguous: choice.ambiguous,
            decided_by: choice.decided_by,
            candidates: found.candidates,
        }))
    }
}

/// kube-scheduler's message.
fn not_eligible_text(why: NotEligible) -> &'static str {
    match why {
        NotEligible::PolicyNever => "not eligible due to preemptionPolicy=Never.",
        NotEligible::VictimTerminating => {
            "not eligible due to a terminating pod on the nominated node."
        }
    }
}

/// Whether the Pod may preempt others (`PodEligibleToPreemptOthers`).
fn may_preempt(cx: &PreemptionContext<'_>) -> Result<(), NotEligible> {
    let Context { cluster, pod, .. } = cx.cx;
    if pod.object.template.spec.preemption_policy.as_deref() == Some("Never") {
        return Err(NotEligible::PolicyNever);
    }
    let nominated = pod.object.nominated_node.as_deref();
    let Some(node) = nominated.and_then(|name| cluster.find_node(name)) else {
        return Ok(());
    };
    if verdict_on(cx, node.ix) == Some(Code::UnschedulableAndUnresolvable) {
        return Ok(());
    }
    let is_on_its_way = |victim: &PodIx| {
        let victim = cluster.pods().get(*victim);
        victim.is_some_and(|victim| {
            victim.priority() < pod.priority()
                && victim.object.terminating
                && victim.object.preempted_by_scheduler
        })
    };
    if node.pods.iter().any(is_on_its_way) {
        return Err(NotEligible::VictimTerminating);
    }
    Ok(())
}

fn verdict_on(cx: &PreemptionContext<'_>, node: NodeIx) -> Option<Code> {
    let explicit = cx.rejected.iter().find(|(rejected, _)| *rejected == node);
    let rejected = explicit.map(|(_, rejected)| rejected).or(cx.absent);
    rejected.map(|rejected| rejected.rejection.code)
}

/// Nodes where preemption may help: `Unschedulable`, not `UnschedulableAndUnresolvable`.
fn helpful_nodes<'a>(cx: &PreemptionContext<'a>) -> Vec<&'a NodeInfo> {
    let cluster = cx.cx.cluster;
    let mut codes: Vec<Option<Code>> =
        vec![cx.absent.map(|absent| absent.rejection.code); cluster.node_capacity()];
    for (node, rejected) in cx.rejected.iter() {
        codes[node.0 as usize] = Some(rejected.rejection.code);
    }
    cluster
        .node_order()
        .iter()
        .filter(|node| codes[node.0 as usize] == Some(Code::Unschedulable))
        .map(|&node| cluster.node(node))
        .collect()
}

/// Pods of lower priority nominated to the node, which no longer fit there.
fn displaced_nominations(cx: Context<'_>, node: NodeIx) -> Vec<PodIx> {
    let name = &cx.cluster.node(node).name;
    let nominated = cx.cluster.nominations().on(name).iter().copied();
    let is_lower = |pod: &PodIx| {
        let info: Option<&PodInfo> = cx.cluster.pods().get(*pod);
        info.is_some_and(|info| info.priority() < cx.pod.priority())
    };
    nominated.filter(is_lower).collect()
}
