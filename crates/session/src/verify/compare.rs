//! One attempt of the cluster beside Berth's on the same state.

use std::collections::BTreeSet;

use berth_protocol::cycle::{Candidate, Code, Cycle, PreemptionReport};
use berth_protocol::verify::{Answer, Counts, NodeVerdict, Room, What};

use super::names::Names;
use super::step::{Outcome, Step};
use crate::cluster_word;

/// What differs, and how much was compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub whats: Vec<What>,
    pub counts: Counts,
}

impl Comparison {
    /// Whether node or refusal, its text and the preemption are the same; scores may differ.
    pub fn has_same_outcome(&self) -> bool {
        !self.whats.iter().any(|what| {
            matches!(
                what,
                What::Node { .. }
                    | What::Waits { .. }
                    | What::Message { .. }
                    | What::Preemption { .. }
            )
        })
    }
}

/// Compares an attempt with the cycle of the same Pod. `terminating`: the Pods that are being deleted already.
pub(super) fn compare(
    step: &Step,
    cycle: &Cycle,
    names: &Names,
    terminating: &BTreeSet<String>,
) -> Comparison {
    let mut comparison = Comparison::default();
    outcome(step, cycle, &mut comparison);
    feasible(step, cycle, &mut comparison);
    preemption(step, cycle, names, terminating, &mut comparison);
    scores(step, cycle, &mut comparison);
    comparison
}

/// Berth's answer as it is told.
pub(super) fn answer(cycle: &Cycle, names: &Names) -> Answer {
    Answer {
        nodes: best(cycle),
        message: cycle.message.clone(),
        preemption: cycle
            .preemption
            .as_ref()
            .map(|it| room(&it.nominated, &it.victims, names)),
    }
}

fn best(cycle: &Cycle) -> Vec<String> {
    match (cycle.error, &cycle.selected) {
        (false, Some(_)) => cycle.best.clone(),
        _ => Vec::new(),
    }
}

fn outcome(step: &Step, cycle: &Cycle, comparison: &mut Comparison) {
    let best = best(cycle);
    let refused = match &step.result {
        Outcome::Bound(node) => {
            let is_equal = best.contains(node);
            comparison.counts.attempts.add(is_equal);
            if !is_equal {
                comparison.whats.push(What::Node {
                    cluster: node.clone(),
                    verdict: verdict(cycle, node),
                    message: cycle.message.clone().filter(|_| best.is_empty()),
                    berth: best,
                });
            }
            return;
        }
        Outcome::Refused(message) | Outcome::Failed(message) => message,
        Outcome::Unknown => return,
    };
    comparison.counts.attempts.add(best.is_empty());
    if !best.is_empty() {
        comparison.whats.push(What::Waits {
            cluster: refused.clone(),
            berth: best,
        });
        return;
    }
    let message = cycle.message.clone().unwrap_or_default();
    let is_equal = cluster_word::agree(refused, &message);
    comparison.counts.messages.add(is_equal);
    if !is_equal {
        comparison.whats.push(What::Message {
            cluster: refused.clone(),
            berth: message,
        });
    }
}

/// What a cycle says of a node that it does not take.
pub(super) fn verdict(cycle: &Cycle, node: &str) -> NodeVerdict {
    let scores = cycle.scores.iter().flatten();
    if let Some(score) = scores.clone().find(|score| score.node == node) {
        return NodeVerdict::Behind {
            total: score.total,
            highest: scores.map(|score| score.total).max().unwrap_or(score.total),
        };
    }
    if cycle.pre_filter.code != Code::Success {
        return NodeVerdict::Rejected {
            plugin: cycle.pre_filter.plugin.clone(),
            reason: cycle.pre_filter.message.clone(),
        };
    }
    let report = cycle.nodes.iter().find(|report| report.node == node);
    let verdict = report.and_then(|report| report.verdict.as_ref());
    match verdict.filter(|verdict| verdict.code != Code::Success) {
        Some(verdict) => NodeVerdict::Rejected {
            plugin: verdict.plugin.clone(),
            reason: verdict.reasons.join(", "),
        },
        None => NodeVerdict::Unknown,
    }
}

fn feasible(step: &Step, cycle: &Cycle, comparison: &mut Comparison) {
    let found = cycle.feasible().count();
    let search = &cycle.search;
    let wanted = usize::try_from(search.wanted).unwrap_or(usize::MAX);
    // A search that stops early finds as many as it wants.
    let is_whole = search.nominated_only || found < wanted || search.wanted >= search.nodes;
    if let (Some(cluster), Some(_), true) = (step.feasible, &cycle.selected, is_whole)
        && cluster != found
    {
        comparison.whats.push(What::Feasible {
            cluster,
            berth: found,
        });
    }
}

fn room(node: &str, victims: &[String], names: &Names) -> Room {
    let victims = victims.iter();
    let mut victims: Vec<String> = victims
        .map(|victim| names.in_cluster(victim).to_owned())
        .collect();
    victims.sort();
    Room {
        node: node.to_owned(),
        victims,
    }
}

fn preemption(
    step: &Step,
    cycle: &Cycle,
    names: &Names,
    terminating: &BTreeSet<String>,
    comparison: &mut Comparison,
) {
    let Some(cluster) = &step.preemption else {
        return;
    };
    let is_refused = matches!(step.result, Outcome::Refused(_)) && cycle.selected.is_none();
    if !is_refused || cluster.is_none() && cycle.preemption.is_none() {
        return;
    }
    let is_equal = match (cluster, &cycle.preemption) {
        (Some(cluster), Some(report)) => {
            candidates(report).any(|candidate| is_room(cluster, candidate, names, terminating))
        }
        _ => false,
    };
    comparison.counts.preemptions.add(is_equal);
    if !is_equal {
        let berth = cycle.preemption.as_ref();
        comparison.whats.push(What::Preemption {
            cluster: cluster.clone(),
            berth: berth.map(|it| room(&it.nominated, &it.victims, names)),
        });
    }
}

/// The chosen candidate, and those that tie with it.
fn candidates(report: &PreemptionReport) -> impl Iterator<Item = &Candidate> {
    let all = report.candidates.iter();
    let chosen = all.clone().find(|it| it.node == report.nominated);
    all.filter(move |it| chosen.is_some_and(|chosen| chosen.ranks == it.ranks))
}

/// Whether a candidate is the room that the cluster made. Victims that are being deleted already are not told.
fn is_room(
    cluster: &Room,
    candidate: &Candidate,
    names: &Names,
    terminating: &BTreeSet<String>,
) -> bool {
    let victims = candidate.victims.iter();
    let left: Vec<String> = victims
        .filter(|victim| !terminating.contains(*victim))
        .cloned()
        .collect();
    *cluster == room(&candidate.node, &left, names)
}

/// The room of Berth's decision on a node, with the victims' names in the case.
pub(super) fn room_on<'c>(cycle: &'c Cycle, node: &str) -> Option<&'c [String]> {
    let report = cycle.preemption.as_ref()?;
    let candidate = candidates(report).find(|it| it.node == node)?;
    Some(&candidate.victims)
}

fn scores(step: &Step, cycle: &Cycle, comparison: &mut Comparison) {
    if step.scores.is_empty() && step.totals.is_empty() {
        return;
    }
    let of_node = |node: &str| {
        let mut scores = cycle.scores.iter().flatten();
        scores.find(|score| score.node == node)
    };
    for told in &step.scores {
        let plugins = of_node(&told.node).map(|score| score.plugins.as_slice());
        let found = plugins
            .unwrap_or_default()
            .iter()
            .find(|it| it.plugin == told.plugin);
        let berth = found.map(|score| score.weighted);
        let is_equal = berth == Some(told.score);
        comparison.counts.scores.add(is_equal);
        if !is_equal {
            comparison.whats.push(What::Score {
                plugin: told.plugin.clone(),
                node: told.node.clone(),
                cluster: Some(told.score),
                berth,
            });
        }
    }
    untold(step, cycle, comparison);
    for (node, total) in &step.totals {
        let berth = of_node(node).map(|score| score.total);
        comparison.counts.totals.add(berth == Some(*total));
        if berth != Some(*total) {
            comparison.whats.push(What::Total {
                node: node.clone(),
                cluster: *total,
                berth,
            });
        }
        let parts = step.scores.iter().filter(|score| score.node == *node);
        let sum = parts.map(|score| score.score).reduce(i64::saturating_add);
        if let Some(sum) = sum.filter(|sum| sum != total) {
            comparison.whats.push(What::Sum {
                node: node.clone(),
                sum,
                total: *total,
            });
        }
    }
}

/// Scores of Berth that the log lacks, of the nodes that it scores.
fn untold(step: &Step, cycle: &Cycle, comparison: &mut Comparison) {
    let told: BTreeSet<(&str, &str)> = step
        .scores
        .iter()
        .map(|score| (score.node.as_str(), score.plugin.as_str()))
        .collect();
    for score in cycle.scores.iter().flatten() {
        for plugin in &score.plugins {
            if told.contains(&(score.node.as_str(), plugin.plugin.as_str())) {
                continue;
            }
            comparison.counts.scores.add(false);
            comparison.whats.push(What::Score {
                plugin: plugin.plugin.clone(),
                node: score.node.clone(),
                cluster: None,
                berth: Some(plugin.weighted),
            });
        }
    }
}
