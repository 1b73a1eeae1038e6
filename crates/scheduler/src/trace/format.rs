//! A cycle as JSON, in the format in which the real kube-scheduler's decisions were recorded.

use serde_json::{Map, Value, json};

use super::devices;
use berth_base::sort;
use berth_protocol::cycle::{Code, Cycle, NodeScore, Verdict};

/// One attempt.
pub fn attempt(cycle: &Cycle) -> Value {
    let mut filters = Map::new();
    let mut failures = Map::new();
    // A plugin that rejects the Pod everywhere makes the nodes of the others meaningless.
    let narrowed = cycle.pre_filter.nodes.as_ref();
    let narrowed = narrowed.filter(|_| cycle.pre_filter.code == Code::Success);
    // The nominated node is judged even if it is none of them.
    let is_left = |node: &String| narrowed.is_none_or(|nodes| nodes.contains(node));
    for report in &cycle.nodes {
        let Some(verdict) = &report.verdict else {
            continue;
        };
        filters.insert(report.node.clone(), judged(verdict));
        if !report.failures.is_empty() && is_left(&report.node) {
            let by_plugin = report.failures.iter().map(|failure| {
                let report = json!({"code": failure.code, "reasons": failure.reasons});
                (failure.plugin.clone(), report)
            });
            failures.insert(report.node.clone(), Value::Object(by_plugin.collect()));
        }
    }
    // After an error of a filter no node counts as feasible.
    let verdicts = cycle.nodes.iter().filter_map(|it| it.verdict.as_ref());
    let failed = verdicts.into_iter().any(|it| it.code == Code::Error);
    let mut feasible: Vec<&str> = cycle.feasible().filter(|_| !failed).collect();
    sort::sort(&mut feasible);
    let mut attempt = json!({
        "pod": cycle.pod,
        "profile": cycle.profile,
        "round": cycle.round,
        "nominatedNode": cycle.nominated_node,
        "prefilter": {
            "code": cycle.pre_filter.code,
            "plugin": cycle.pre_filter.plugin,
            "message": cycle.pre_filter.message,
            "nodes": narrowed,
            "skipped": cycle.pre_filter.skipped,
        },
        "filters": filters,
        "failures": failures,
        "feasible": feasible,
        "prescoreSkipped": cycle.pre_score_skipped,
        "scores": cycle.scores.as_ref().map(|nodes| scores(nodes)),
        "best": cycle.best,
        "selected": cycle.selected,
        "message": cycle.message,
        "preemption": preemption(cycle),
    });
    if let (true, Value::Object(fields)) = (cycle.error, &mut attempt) {
        fields.insert("error".to_owned(), Value::Bool(true));
    }
    if let (Some(report), Value::Object(fields)) = (&cycle.devices, &mut attempt) {
        fields.extend(devices::fields(report));
    }
    attempt
}

fn judged(verdict: &Verdict) -> Value {
    match verdict.code {
        Code::Success => json!({"code": verdict.code}),
        _ => json!({"code": verdict.code, "plugin": verdict.plugin, "reasons": verdict.reasons}),
    }
}

fn scores(nodes: &[NodeScore]) -> Value {
    let scores_of = |node: &NodeScore| -> Map<String, Value> {
        node.plugins
            .iter()
            .map(|score| {
                let numbers = json!({
                    "raw": score.raw,
                    "normalized": score.normalized,
                    "weight": score.weight,
                    "weighted": score.weighted,
                });
                (score.plugin.clone(), numbers)
            })
            .collect()
    };
    nodes
        .iter()
        .map(|node| {
            let scores = json!({"plugins": scores_of(node), "total": node.total});
            (node.node.clone(), scores)
        })
        .collect()
}

fn preemption(cycle: &Cycle) -> Value {
    let Some(preemption) = &cycle.preemption else {
        return Value::Null;
    };
    let candidates: Map<String, Value> = preemption
        .candidates
        .iter()
        .map(|candidate| {
            let costs =
                json!({"victims": candidate.victims, "pdbViolations": candidate.pdb_violations});
            (candidate.node.clone(), costs)
        })
        .collect();
    json!({
        "nominated": preemption.nominated,
        "victims": preemption.victims,
        "candidates": candidates,
        "ambiguous": preemption.ambiguous,
    })
}
