//! An attempt's outcome in one sentence, or its state at a step.

use std::collections::BTreeSet;

use super::explain::{bare, quantity_of, requirement, taint};
use super::{count, short, uncounted};
use crate::ui::store::progress::{Point, Revealed, Stop};
use berth_protocol::cycle::{Code, Cycle, NotEligible, TieBreak};
use berth_protocol::fact::{AffinityTermKind, FactKind};
use berth_protocol::page::{ReasonCount, Rows};

/// Maximum number of reasons to name; the rest is counted.
const CLAUSES: usize = 4;

/// The outcome, or the state at the shown step. `pod`: the Pod's name as the panel's head shows it.
pub fn sentence(cycle: &Cycle, pod: &str, rows: &Rows, revealed: &Revealed) -> String {
    let under_way = revealed
        .stop
        .as_ref()
        .and_then(|stop| under_way(cycle, pod, rows, stop));
    under_way.unwrap_or_else(|| outcome(cycle, pod, rows))
}

/// The attempt's outcome.
fn outcome(cycle: &Cycle, name: &str, rows: &Rows) -> String {
    if cycle.error {
        let message = cycle.message.as_deref().unwrap_or_default();
        return format!("The attempt for {name} ended with an error: {message}.");
    }
    if let Some(node) = &cycle.selected {
        return placed(cycle, rows, name, node);
    }
    if let Some(preemption) = &cycle.preemption {
        let victims = preemption.victims.iter().map(|victim| short(victim));
        return format!(
            "No node can take {name}. Evicting lower-priority Pods would free {}. {} is nominated; {} must go.",
            super::number(preemption.candidates.len()),
            preemption.nominated,
            listed(victims)
        );
    }
    let may_not = may_not_preempt(cycle).map_or("", |(_, why)| why);
    format!("{name} waits: {}.{may_not}", reasons(cycle, rows))
}

/// Why preemption was not attempted, in a word and in a sentence.
pub fn may_not_preempt(cycle: &Cycle) -> Option<(&'static str, &'static str)> {
    Some(match cycle.not_eligible? {
        NotEligible::PolicyNever => (
            "never preempts",
            " It evicts no other Pod to make room, as its preemptionPolicy is Never.",
        ),
        NotEligible::VictimTerminating => (
            "under way",
            " It evicts nobody else, as a Pod that made room for it is still terminating.",
        ),
    })
}

fn placed(cycle: &Cycle, rows: &Rows, name: &str, node: &str) -> String {
    let goes = format!("{name} goes to {node}");
    let Some(scores) = &cycle.scores else {
        return if cycle.search.nodes == 1 {
            format!("{goes}, the only node there is.")
        } else if cycle.search.nominated_only {
            format!("{goes}, which was nominated for it and has the room now.")
        } else {
            format!(
                "{goes}, the only one of {} nodes that can take it.",
                cycle.search.nodes
            )
        };
    };
    let total = scores.iter().find(|score| score.node == *node);
    let total = total.map_or(0, |score| score.total);
    let stopped = stopped(cycle, rows);
    let found = if stopped.is_some() {
        "that were found"
    } else {
        "that can take it"
    };
    let outcome = match &cycle.tie_break {
        Some(tie) => format!("{goes}: {}.", drawn(cycle, rows, tie, node, total)),
        None => format!(
            "{goes}: of the {} {found}, {node} scores highest with {total}.",
            count(rows.feasible, "node", "nodes")
        ),
    };
    format!("{outcome}{}", stopped.unwrap_or_default())
}

/// Why nodes were not examined, if the search had found enough.
fn stopped(cycle: &Cycle, rows: &Rows) -> Option<String> {
    let narrowed = cycle.search.nominated_only || cycle.pre_filter.nodes.is_some();
    let unseen = rows.not_examined;
    (unseen > 0 && !narrowed).then(|| {
        let were = if unseen == 1 { "was" } else { "were" };
        format!(
            " The search stopped at {}, so {} {were} not examined. That is not a rejection.",
            count(rows.feasible, "feasible node", "feasible nodes"),
            super::number(unseen)
        )
    })
}

fn drawn(cycle: &Cycle, rows: &Rows, tie: &TieBreak, node: &str, total: i64) -> String {
    let how = match tie.seed {
        Some(seed) => format!("the draw with seed {seed} fell on {node}"),
        None => format!("{node} comes first by name"),
    };
    if total == 0 {
        let all = rows.feasible;
        return format!("all {all} nodes score 0, as no plugin prefers one, and {how}");
    }
    let others: Vec<&str> = cycle
        .best
        .iter()
        .map(String::as_str)
        .filter(|best| *best != node)
        .collect();
    match others[..] {
        [other] => format!("{node} and {other} score the same, {total}, and {how}"),
        _ => format!("{} nodes score the same, {total}, and {how}", tie.among),
    }
}

/// The state at a step; `None` if the step shows the outcome.
fn under_way(cycle: &Cycle, name: &str, rows: &Rows, stop: &Stop) -> Option<String> {
    match stop.point {
        Point::PreFilter if cycle.pre_filter.code != Code::Success => None,
        Point::PreFilter => {
            let skipped = cycle.pre_filter.skipped.len();
            Some(match skipped {
                0 => format!("Every Filter plugin has something to check for {name}."),
                _ => format!(
                    "{} for {name}, and {} skipped.",
                    count(
                        skipped,
                        "plugin has nothing to check",
                        "plugins have nothing to check"
                    ),
                    if skipped == 1 { "is" } else { "are" }
                ),
            })
        }
        Point::Filter => Some(filtered(cycle, name, rows, stop.plugin?)),
        Point::PostFilter | Point::Select => None,
        Point::PreScore => Some(format!(
            "{} can take {name}. Now each gets a score from {}.",
            count(rows.feasible, "node", "nodes"),
            count(
                cycle.score_plugins.len()
                    - cycle.pre_score_skipped.len().min(cycle.score_plugins.len()),
                "plugin",
                "plugins"
            )
        )),
        Point::Score => scored(cycle, rows, stop.plugin?),
        Point::Normalize => Some(
            "Every plugin's scores are brought to 0–100, multiplied by its weight, and added up."
                .to_owned(),
        ),
        Point::Bind => {
            let node = cycle.selected.as_ref()?;
            Some(format!("{name} is bound to {node}."))
        }
    }
}

/// `NodeAffinity scores 4 nodes, the second of 6 plugins.`
fn scored(cycle: &Cycle, rows: &Rows, column: usize) -> Option<String> {
    let name = &cycle.score_plugins.get(column)?.plugin;
    let run = cycle.score_plugins.iter().enumerate();
    let run = run.filter(|(_, scored)| !cycle.pre_score_skipped.contains(&scored.plugin));
    let done = run.clone().filter(|(at, _)| *at <= column).count();
    let nodes = count(rows.feasible, "node", "nodes");
    let all = run.count();
    Some(if done == all && all > 1 {
        format!(
            "All {all} plugins have scored {nodes}, {name} last. That counts only once it is normalized."
        )
    } else {
        format!(
            "{name}, plugin {done} of {all}, scores {nodes}. What it says counts only once it is normalized."
        )
    })
}

/// `After 3 of 6 plugins, 5 of 8 nodes can take web-5. TaintToleration rules out cp-1.`
fn filtered(cycle: &Cycle, name: &str, rows: &Rows, column: usize) -> String {
    let is_run = |plugin: &&String| !cycle.pre_filter.skipped.contains(plugin);
    let run = cycle.filter_plugins.iter().filter(is_run).count();
    let so_far = cycle.filter_plugins.iter().take(column + 1);
    let done = so_far.filter(is_run).count();
    let left = left_after(cycle, rows, Some(column));
    let plugin = cycle.filter_plugins.get(column).map_or("", String::as_str);
    let verdicts = cycle
        .nodes
        .iter()
        .filter_map(|report| Some((report, report.verdict.as_ref()?)));
    let by_it: BTreeSet<u32> = rows
        .reasons
        .iter()
        .filter(|reason| reason.plugin == plugin)
        .flat_map(|reason| reason.nodes.iter().copied())
        .collect();
    let names: Vec<&str> = verdicts
        .filter(|(_, verdict)| verdict.code != Code::Success && verdict.plugin == plugin)
        .map(|(report, _)| report.node.as_str())
        .collect();
    let rules_out = if by_it.is_empty() {
        "nothing more".to_owned()
    } else if names.len() == by_it.len() && names.len() <= 3 {
        listed(names.into_iter())
    } else {
        count(by_it.len(), "node", "nodes")
    };
    format!(
        "After {done} of {}, {left} of {} can take {}. {plugin} rules out {rules_out}.",
        count(run, "plugin", "plugins"),
        words_of(cycle.search.examined),
        name
    )
}

fn words_of(nodes: u32) -> String {
    count(
        usize::try_from(nodes).unwrap_or(usize::MAX),
        "node",
        "nodes",
    )
}

/// Number of nodes that no Filter plugin up to this column has rejected; `None`: after all plugins.
pub fn left_after(cycle: &Cycle, rows: &Rows, column: Option<usize>) -> usize {
    let Some(column) = column else {
        return rows.feasible;
    };
    let so_far = cycle.filter_plugins.get(..=column).unwrap_or_default();
    let mut out: BTreeSet<u32> = BTreeSet::new();
    for reason in rows
        .reasons
        .iter()
        .filter(|reason| so_far.contains(&reason.plugin))
    {
        out.extend(&reason.nodes);
    }
    let examined = usize::try_from(cycle.search.examined).unwrap_or(usize::MAX);
    examined.saturating_sub(out.len())
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match &names[..] {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}

/// The rejections, most frequent first.
fn reasons(cycle: &Cycle, rows: &Rows) -> String {
    if cycle.pre_filter.code != Code::Success {
        return cycle.pre_filter.message.clone();
    }
    against(rows)
}

/// The rejections of all nodes, most frequent first.
pub fn against(rows: &Rows) -> String {
    let mut clauses: Vec<String> = rows.reasons.iter().take(CLAUSES).map(clause).collect();
    let more = rows.reasons.len().saturating_sub(CLAUSES);
    if more > 0 {
        clauses.push(format!(
            "and {}",
            count(more, "more reason", "more reasons")
        ));
    }
    let again = counted_again(&rows.reasons);
    if again > 0
        && let Some(last) = clauses.last_mut()
    {
        // As in kube-scheduler's message, the counts may add up to more than the number of nodes.
        last.push_str(&again_in_words(again));
    }
    if rows.not_examined > 0 {
        let nodes = count(rows.not_examined, "node is", "nodes are");
        clauses.push(format!("{nodes} ruled out by PreFilter already"));
    }
    if clauses.is_empty() {
        "there is no node to look at".to_owned()
    } else {
        clauses.join("; ")
    }
}

fn again_in_words(nodes: usize) -> String {
    let nodes = count(nodes, "node fails", "nodes fail");
    format!(" ({nodes} for more than one reason)")
}

/// Number of nodes that were rejected for several reasons; 0 if every reason names its node.
fn counted_again(reasons: &[ReasonCount]) -> usize {
    if reasons.iter().all(|reason| reason.count == 1) {
        return 0;
    }
    let mut seen = BTreeSet::new();
    let nodes = reasons.iter().flat_map(|reason| &reason.nodes);
    let again: BTreeSet<&u32> = nodes.filter(|node| !seen.insert(*node)).collect();
    again.len()
}

/// One reason; in words if its fact has a phrase.
fn clause(counted: &ReasonCount) -> String {
    let one = counted.count == 1;
    let subject = if one {
        counted.first.clone()
    } else {
        count(counted.count, "node", "nodes")
    };
    let in_words = counted
        .fact
        .as_ref()
        .and_then(|fact| phrase(fact, one, "it"));
    in_words.map_or_else(|| plainly(counted), |words| format!("{subject} {words}"))
}

fn plainly(counted: &ReasonCount) -> String {
    let nodes = count(counted.count, "node", "nodes");
    format!("{nodes} {}", uncounted(&counted.reason))
}

/// What is wrong with one or several nodes: `is cordoned`. `pod`: the Pod's name, or `it`.
pub(super) fn phrase(fact: &FactKind, one: bool, pod: &str) -> Option<String> {
    let verb = |singular: &'static str, plural: &'static str| if one { singular } else { plural };
    let lack = verb("lacks", "lack");
    let have = verb("has", "have");
    if let Some(key) = fact.missing_topology_key() {
        return Some(format!("{lack} the label {key}"));
    }
    Some(match fact {
        FactKind::Unschedulable => format!("{} cordoned", verb("is", "are")),
        FactKind::NodeFeature { feature, .. } => {
            let does = verb("does", "do");
            format!("{does} not declare the feature {feature}, which {pod} needs")
        }
        FactKind::Taint { key, value, effect } => format!(
            "{have} the taint {}, which {pod} does not tolerate",
            taint(key, value, effect)
        ),
        FactKind::Resource {
            resource,
            allocatable: 0,
            ..
        } => format!("{have} no {resource}"),
        FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        } if one => shortage(resource, *used, *request, *allocatable),
        FactKind::Resource { resource, .. } => {
            format!("have too little {} left", resource_name(resource))
        }
        FactKind::Spread {
            topology_key,
            max_skew,
            ..
        } => spread(fact).unwrap_or_else(|| {
            format!(
                "would exceed maxSkew {max_skew} over {}",
                bare(topology_key)
            )
        }),
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } => {
            let wanted = requirement(key, operator, values);
            format!("{} not meet {wanted}", verb("does", "do"))
        }
        FactKind::PodAffinity {
            term, topology_key, ..
        } => format!("{have} {}", affinity(*term, bare(topology_key), pod)),
        FactKind::HostPort { port, .. } => format!("{have} host port {port} taken"),
        FactKind::VolumeCount { driver, limit, .. } => {
            format!("{have} no room for one more {driver} volume: the limit is {limit}")
        }
        FactKind::NodeName { wanted } => {
            format!("{} not {wanted}, which {pod} names", verb("is", "are"))
        }
        FactKind::Volume { .. } | FactKind::Device { .. } => return None,
    })
}

/// `is 500m CPU short: 3 + 1500m > 4`.
fn shortage(resource: &str, used: i64, request: i64, allocatable: i64) -> String {
    let missing = used.saturating_add(request).saturating_sub(allocatable);
    let amount = |amount| quantity_of(resource, amount);
    format!(
        "is {} {} short: {} + {} > {}",
        amount(missing),
        resource_name(resource),
        amount(used),
        amount(request),
        amount(allocatable)
    )
}

/// `would be 2 ahead of the smallest zone; maxSkew allows 1`.
fn spread(fact: &FactKind) -> Option<String> {
    let FactKind::Spread {
        domain: Some(_),
        topology_key,
        count,
        own,
        minimum,
        max_skew,
        ..
    } = fact
    else {
        return None;
    };
    Some(format!(
        "would be {} ahead of the smallest {}; maxSkew allows {max_skew}",
        count + own - minimum,
        bare(topology_key)
    ))
}

/// A resource as a sentence names it.
fn resource_name(resource: &str) -> &str {
    match resource {
        "cpu" => "CPU",
        name => bare(name),
    }
}

fn affinity(term: AffinityTermKind, reach: &str, pod: &str) -> String {
    match term {
        AffinityTermKind::Affinity => format!("no Pod in the same {reach} that {pod} must be near"),
        AffinityTermKind::AntiAffinity => {
            format!("Pods in the same {reach} that {pod} must stay away from")
        }
        AffinityTermKind::ExistingAntiAffinity => {
            format!("Pods in the same {reach} that keep {pod} away")
        }
    }
}

#[cfg(test)]
mod tests;
