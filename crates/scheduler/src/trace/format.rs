//! A cycle in the format in which the real kube-scheduler's decisions were recorded.

use super::devices;
use berth_base::sort;
use berth_protocol::cycle::{Code, Cycle, NodeReport, NodeScore, PreFilterReport, Verdict};
use berth_protocol::trace::{
    Named, TraceAttempt, TraceCandidate, TraceFailure, TracePluginScore, TracePreemption,
    TraceScore, TraceVerdict,
};

/// One attempt.
pub fn attempt(cycle: &Cycle) -> TraceAttempt {
    // A plugin that rejects the Pod everywhere makes the nodes of the others meaningless.
    let narrowed = cycle.pre_filter.nodes.as_ref();
    let narrowed = narrowed.filter(|_| cycle.pre_filter.code == Code::Success);
    // The nominated node is judged even if it is none of them.
    let is_left = |node: &String| narrowed.is_none_or(|nodes| nodes.contains(node));
    let judged: Vec<(&NodeReport, &Verdict)> = cycle
        .nodes
        .iter()
        .filter_map(|report| Some((report, report.verdict.as_ref()?)))
        .collect();
    let failed = judged
        .iter()
        .map(|(report, _)| report)
        .filter(|report| !report.failures.is_empty() && is_left(&report.node));
    // After an error of a filter no node counts as feasible.
    let is_error = judged.iter().any(|(_, it)| it.code == Code::Error);
    let feasible = cycle.feasible().filter(|_| !is_error);
    let mut feasible: Vec<String> = feasible.map(str::to_owned).collect();
    sort::sort(&mut feasible);
    let devices = cycle.devices.as_ref();
    TraceAttempt {
        pod: cycle.pod.clone(),
        profile: cycle.profile.clone(),
        round: cycle.round,
        nominated_node: cycle.nominated_node.clone(),
        pre_filter: PreFilterReport {
            nodes: narrowed.cloned(),
            ..cycle.pre_filter.clone()
        },
        filters: judged
            .iter()
            .map(|(report, verdict)| (report.node.clone(), filtered(verdict)))
            .collect(),
        failures: failed
            .map(|report| (report.node.clone(), failures(report)))
            .collect(),
        feasible,
        pre_score_skipped: cycle.pre_score_skipped.clone(),
        scores: cycle.scores.as_ref().map(|nodes| scores(nodes)),
        best: cycle.best.clone(),
        selected: cycle.selected.clone(),
        message: cycle.message.clone(),
        preemption: preemption(cycle),
        error: cycle.error,
        claims: devices.map(devices::claims),
        reserved: devices.map(|report| report.reserved.clone()),
        deallocated: devices.map(|report| report.deallocated.clone()),
        allocations: devices.map(devices::allocations),
    }
}

fn filtered(verdict: &Verdict) -> TraceVerdict {
    let is_rejected = verdict.code != Code::Success;
    TraceVerdict {
        code: verdict.code,
        plugin: is_rejected.then(|| verdict.plugin.clone()),
        reasons: is_rejected.then(|| verdict.reasons.clone()),
    }
}

fn failures(report: &NodeReport) -> Named<TraceFailure> {
    let by_plugin = report.failures.iter().map(|failure| {
        let report = TraceFailure {
            code: failure.code,
            reasons: failure.reasons.clone(),
        };
        (failure.plugin.clone(), report)
    });
    by_plugin.collect()
}

fn scores(nodes: &[NodeScore]) -> Named<TraceScore> {
    let scores_of = |node: &NodeScore| -> Named<TracePluginScore> {
        let by_plugin = node.plugins.iter().map(|score| {
            let numbers = TracePluginScore {
                raw: score.raw,
                normalized: score.normalized,
                weight: score.weight,
                weighted: score.weighted,
            };
            (score.plugin.clone(), numbers)
        });
        by_plugin.collect()
    };
    let by_node = nodes.iter().map(|node| {
        let scores = TraceScore {
            plugins: scores_of(node),
            total: node.total,
        };
        (node.node.clone(), scores)
    });
    by_node.collect()
}

fn preemption(cycle: &Cycle) -> Option<TracePreemption> {
    let preemption = cycle.preemption.as_ref()?;
    let candidates = preemption.candidates.iter().map(|candidate| {
        let costs = TraceCandidate {
            victims: candidate.victims.clone(),
            pdb_violations: candidate.pdb_violations,
        };
        (candidate.node.clone(), costs)
    });
    Some(TracePreemption {
        nominated: preemption.nominated.clone(),
        victims: preemption.victims.clone(),
        candidates: candidates.collect(),
        ambiguous: preemption.ambiguous,
    })
}
