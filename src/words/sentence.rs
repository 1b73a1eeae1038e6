//! An attempt's outcome in one sentence, or its state at a step.

use std::collections::BTreeSet;

use berth_words::{counted, say, text};

use super::explain::{HOSTNAME, bare, bare_selector, plugins, requirement, taint, zone_of_volume};
use super::language::{and, comma, semicolon, space};
use super::{Text, nodes, short, uncounted};
use crate::scene::progress::{Point, Revealed, Stop};
use berth_protocol::cycle::{Code, Cycle, TieBreak};
use berth_protocol::fact::{AffinityTermKind, DeviceOutcome, FactKind, VolumeOutcome};
use berth_protocol::page::{ReasonCount, Rows};
use berth_protocol::quantity;

mod meant;
mod spread;
mod why;

pub use meant::others;
pub use why::{may_not_preempt, why};

use spread::Label;

/// Maximum number of reasons to name; the rest is counted.
const CLAUSES: usize = 4;
/// The resource of which each Pod takes one.
const PODS: &str = "pods";

/// The outcome, or the state at the shown step. `pod`: the Pod's name as the panel's head shows it.
pub fn sentence(
    cycle: &Cycle,
    pod: &str,
    rows: &Rows,
    revealed: &Revealed,
    label: Label,
) -> String {
    let under_way = revealed
        .stop
        .as_ref()
        .and_then(|stop| under_way(cycle, pod, rows, stop));
    under_way.unwrap_or_else(|| outcome(cycle, pod, rows, label))
}

/// The attempt's outcome.
fn outcome(cycle: &Cycle, name: &str, rows: &Rows, label: Label) -> String {
    if cycle.error {
        let message = cycle.message.as_deref().unwrap_or_default();
        return say!(
            "The attempt for {pod} ended with an error: {message}.",
            pod = name
        );
    }
    if let Some(node) = &cycle.selected {
        return placed(cycle, rows, name, node);
    }
    if let Some(preemption) = &cycle.preemption {
        let victims = preemption.victims.iter().map(|victim| short(victim));
        return say!(
            "No node can take {name}. Evicting lower-priority Pods would free {candidates}. {nominated} is nominated; {victims} must go.",
            candidates = nodes(preemption.candidates.len()),
            nominated = preemption.nominated,
            victims = listed(victims)
        );
    }
    let may_not =
        may_not_preempt(cycle).map_or_else(String::new, |(_, why)| format!("{}{why}", space()));
    say!(
        "{name} waits: {reasons}.",
        reasons = reasons(cycle, rows, label)
    ) + &may_not
}

fn placed(cycle: &Cycle, rows: &Rows, name: &str, node: &str) -> String {
    let goes = say!("{name} goes to {node}");
    let Some(scores) = &cycle.scores else {
        return if cycle.search.nodes == 1 {
            say!("{goes}, the only node.")
        } else if cycle.search.nominated_only {
            say!("{goes}, which was nominated for it and has the room now.")
        } else {
            say!(
                "{goes}, the only one of {nodes} nodes that can take it.",
                nodes = cycle.search.nodes
            )
        };
    };
    let total = scores.iter().find(|score| score.node == *node);
    let total = total.map_or(0, |score| score.total);
    let stopped = stopped(cycle, rows);
    let nodes = nodes(rows.feasible);
    let outcome = match &cycle.tie_break {
        Some(tie) => say!(
            "{goes}: {draw}.",
            draw = drawn(cycle, rows, tie, node, total)
        ),
        None if stopped.is_some() => {
            say!("{goes}: of the {nodes} that were found, {node} scores highest with {total}.")
        }
        None => {
            say!("{goes}: of the {nodes} that can take it, {node} scores highest with {total}.")
        }
    };
    stopped
        .into_iter()
        .fold(outcome, |text, why| text + space() + &why)
}

/// Why nodes were not examined, if the search had found enough.
fn stopped(cycle: &Cycle, rows: &Rows) -> Option<String> {
    let narrowed = cycle.search.nominated_only || cycle.pre_filter.nodes.is_some();
    let unseen = rows.not_examined;
    (unseen > 0 && !narrowed).then(|| {
        counted!(
            unseen,
            "The search stopped at {feasible}, so {unseen} was not examined. That is not a rejection.",
            "The search stopped at {feasible}, so {unseen} were not examined. That is not a rejection.",
            feasible = feasible_nodes(rows.feasible)
        )
    })
}

/// `4 feasible nodes`
pub(super) fn feasible_nodes(nodes: usize) -> String {
    counted!(nodes, "{nodes} feasible node", "{nodes} feasible nodes")
}

fn drawn(cycle: &Cycle, rows: &Rows, tie: &TieBreak, node: &str, total: i64) -> String {
    let how = match tie.seed {
        Some(seed) => say!("the draw with seed {seed} fell on {node}"),
        None => say!("{node} comes first by name"),
    };
    if total == 0 {
        let all = rows.feasible;
        return say!("all {all} nodes score 0, as no plugin prefers one, and {how}");
    }
    let others: Vec<&str> = cycle
        .best
        .iter()
        .map(String::as_str)
        .filter(|best| *best != node)
        .collect();
    match others[..] {
        [other] => say!("{node} and {other} score the same, {total}, and {how}"),
        _ => say!(
            "{among} nodes score the same, {total}, and {how}",
            among = tie.among
        ),
    }
}

/// The state at a step; `None` if the step shows the outcome.
fn under_way(cycle: &Cycle, name: &str, rows: &Rows, stop: &Stop) -> Option<String> {
    match stop.point {
        Point::PreFilter if cycle.pre_filter.code != Code::Success => None,
        Point::PreFilter => {
            let skipped = cycle.pre_filter.skipped.len();
            Some(match skipped {
                0 => say!("Every Filter plugin has something to check for {name}."),
                _ => counted!(
                    skipped,
                    "{skipped} plugin has nothing to check for {name}, and is skipped.",
                    "{skipped} plugins have nothing to check for {name}, and are skipped."
                ),
            })
        }
        Point::Filter => Some(filtered(cycle, name, rows, stop.plugin?)),
        Point::PostFilter | Point::Select => None,
        Point::PreScore => Some(say!(
            "{nodes} can take {name}. Now each gets a score from {plugins}.",
            nodes = nodes(rows.feasible),
            plugins = plugins(
                cycle.score_plugins.len()
                    - cycle.pre_score_skipped.len().min(cycle.score_plugins.len())
            )
        )),
        Point::Score => scored(cycle, rows, stop.plugin?),
        Point::Normalize => Some(
            text!("Every plugin's scores are brought to 0–100, multiplied by its weight, and added up.")
                .to_owned(),
        ),
        Point::Bind => {
            let node = cycle.selected.as_ref()?;
            Some(say!("{name} is bound to {node}."))
        }
    }
}

/// `NodeAffinity scores 4 nodes, the second of 6 plugins.`
fn scored(cycle: &Cycle, rows: &Rows, column: usize) -> Option<String> {
    let name = &cycle.score_plugins.get(column)?.plugin;
    let run = cycle
        .score_plugins
        .iter()
        .enumerate()
        .filter(|(_, scored)| !cycle.pre_score_skipped.contains(&scored.plugin));
    let done = run.clone().filter(|(at, _)| *at <= column).count();
    let nodes = nodes(rows.feasible);
    let all = run.count();
    Some(if done == all && all > 1 {
        say!(
            "All {all} plugins have scored {nodes}, {name} last. The scores count only once they are normalized."
        )
    } else {
        say!(
            "{name}, plugin {done} of {all}, scores {nodes}. The scores count only once they are normalized."
        )
    })
}

/// `After 3 of 6 plugins, 5 of 8 nodes can take web-5. TaintToleration rules out cp-1.`
fn filtered(cycle: &Cycle, name: &str, rows: &Rows, column: usize) -> String {
    let is_run = |plugin: &&String| !cycle.pre_filter.skipped.contains(plugin);
    let run = cycle.filter_plugins.iter().filter(is_run).count();
    let done = cycle
        .filter_plugins
        .iter()
        .take(column + 1)
        .filter(is_run)
        .count();
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
        text!("nothing more").to_owned()
    } else if names.len() == by_it.len() && names.len() <= 3 {
        listed(names.into_iter())
    } else {
        nodes(by_it.len())
    };
    let examined = usize::try_from(cycle.search.examined).unwrap_or(usize::MAX);
    say!(
        "After {done} of {plugins}, {left} of {nodes} can take {name}. {plugin} rules out {rules_out}.",
        plugins = plugins(run),
        nodes = nodes(examined)
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
        [all @ .., last] if !all.is_empty() => all.join(comma()) + and() + last,
        _ => names.concat(),
    }
}

/// The rejections, most frequent first.
fn reasons(cycle: &Cycle, rows: &Rows, label: Label) -> String {
    if cycle.pre_filter.code != Code::Success {
        let claims = cycle.claims.as_deref().map(super::remark);
        return claims.unwrap_or_else(|| cycle.pre_filter.message.clone());
    }
    if are_many(&rows.reasons)
        && let Some(decisive) = meant::decisive(rows)
    {
        let parts = [Some(decisive), meant::others(rows)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        return parts.join(semicolon());
    }
    let there = spread::only_there(cycle, rows, label);
    there.unwrap_or_else(|| {
        against_with(rows, |counted| {
            spread::in_domains(cycle, counted).unwrap_or_else(|| clause(counted))
        })
    })
}

/// What decides against the nodes that the Pod was meant for; all rejections if that is not known. `domain`: the suffix
/// that the names of all nodes share.
pub fn against(rows: &Rows, domain: &str) -> String {
    let decisive = meant::decisive(rows).unwrap_or_else(|| against_with(rows, clause));
    without_domain(&decisive, domain)
}

/// The text with the names of nodes cut by the suffix that all of them share.
pub fn without_domain(text: &str, domain: &str) -> String {
    match domain {
        "" => text.to_owned(),
        domain => text.replace(domain, ""),
    }
}

fn against_with(rows: &Rows, clause: impl FnMut(&ReasonCount) -> String) -> String {
    // Taints are named as long as all reasons are.
    let mut reasons = match are_many(&rows.reasons) {
        true => meant::taints_together(&rows.reasons),
        false => rows.reasons.clone(),
    };
    // Those against nodes that the Pod was meant for come first.
    reasons.sort_by_key(|reason| {
        let is_it = |it: &ReasonCount| (&it.plugin, &it.reason) == (&reason.plugin, &reason.reason);
        rows.decisive.iter().position(is_it).unwrap_or(usize::MAX)
    });
    let mut clauses: Vec<String> = reasons.iter().take(CLAUSES).map(clause).collect();
    let more = reasons.len().saturating_sub(CLAUSES);
    if more > 0 {
        clauses.push(counted!(
            more,
            "and {more} more reason",
            "and {more} more reasons"
        ));
    }
    let again = counted_again(&reasons);
    if again > 0
        && let Some(last) = clauses.last_mut()
    {
        // As in kube-scheduler's message, the counts may add up to more than the number of nodes.
        last.push_str(&again_in_words(again));
    }
    if rows.not_examined > 0 {
        clauses.push(counted!(
            nodes = rows.not_examined,
            "{nodes} node is ruled out by PreFilter already",
            "{nodes} nodes are ruled out by PreFilter already"
        ));
    }
    if clauses.is_empty() {
        text!("there is no node to examine").to_owned()
    } else {
        clauses.join(semicolon())
    }
}

fn again_in_words(nodes: usize) -> String {
    let again = counted!(
        nodes,
        "({nodes} node fails for more than one reason)",
        "({nodes} nodes fail for more than one reason)"
    );
    format!("{}{again}", space())
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

/// One reason; in words if its fact has a phrase. Nodes that have none of a resource are distinguished from those with
/// too little.
fn clause(counted: &ReasonCount) -> String {
    let without = counted.without;
    let some = counted.count.saturating_sub(without);
    if let Some(FactKind::Resource { resource, .. }) = &counted.fact
        && without > 0
        && some > 0
    {
        let none = counted!(
            without,
            "{without} node has no {resource}",
            "{without} nodes have no {resource}"
        );
        let lack = clause(&ReasonCount {
            count: some,
            without: 0,
            ..counted.clone()
        });
        return none + semicolon() + &lack;
    }
    let one = counted.count == 1;
    let subject = if one {
        counted.node.clone()
    } else {
        nodes(counted.count)
    };
    let in_words = counted.fact.as_ref().and_then(|fact| match fact {
        FactKind::Resource {
            resource,
            used,
            allocatable,
            ..
        } if !one => Some(lack_room(resource, *used, *allocatable, &counted.node)),
        _ => phrase(fact, one, text!("it").get()),
    });
    in_words.map_or_else(|| plainly(counted), |words| say!("{subject} {words}"))
}

/// Whether there are more reasons than a sentence names. Each taint is one, even where a release reports all as one.
fn are_many(reasons: &[ReasonCount]) -> bool {
    let reasons = reasons.iter().map(|reason| reason.taints.max(1));
    reasons.sum::<usize>() > CLAUSES
}

fn plainly(counted: &ReasonCount) -> String {
    let reason = match counted.taints {
        2.. => meant::UNTOLERATED.get(),
        _ => uncounted(&counted.reason),
    };
    say!("{nodes} {reason}", nodes = nodes(counted.count))
}

/// What is wrong with one or several nodes: `is cordoned`. `pod`: the Pod's name, or `it`. `None` as well for resources of
/// several nodes, as those differ.
pub(super) fn phrase(fact: &FactKind, one: bool, pod: &str) -> Option<String> {
    let nodes = if one { 1 } else { 2 };
    if let Some(key) = fact.missing_topology_key() {
        return Some(counted!(
            nodes,
            "lacks the label {key}",
            "lack the label {key}"
        ));
    }
    Some(match fact {
        FactKind::Unschedulable => counted!(nodes, "is cordoned", "are cordoned"),
        FactKind::NodeFeature { feature, .. } => counted!(
            nodes,
            "does not declare the feature {feature}, which {pod} needs",
            "do not declare the feature {feature}, which {pod} needs"
        ),
        FactKind::Taint { key, value, effect } => counted!(
            nodes,
            "has the taint {taint}, which {pod} does not tolerate",
            "have the taint {taint}, which {pod} does not tolerate",
            taint = taint(key, value, effect)
        ),
        FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        } if one => lacks_room(resource, *request, *used, *allocatable),
        FactKind::Spread {
            topology_key,
            max_skew,
            ..
        } => spread(fact).unwrap_or_else(|| {
            say!(
                "would exceed maxSkew {max_skew} over {key}",
                key = bare(topology_key)
            )
        }),
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } => unlike(key, operator, values, nodes),
        FactKind::PodAffinity {
            term,
            topology_key,
            selector,
            ..
        } => affinity(*term, topology_key, selector, pod, nodes),
        FactKind::HostPort { port, .. } => counted!(
            nodes,
            "has host port {port} taken",
            "have host port {port} taken"
        ),
        FactKind::VolumeCount { driver, limit, .. } => counted!(
            nodes,
            "has no room for one more {driver} volume: the limit is {limit}",
            "have no room for one more {driver} volume: the limit is {limit}"
        ),
        FactKind::NodeName { wanted } => counted!(
            nodes,
            "is not {wanted}, which {pod} names",
            "are not {wanted}, which {pod} names"
        ),
        FactKind::Volume { name, outcome } => return volume(name, outcome, nodes),
        FactKind::Device { claim, outcome, .. } => return device(claim, outcome, nodes),
        FactKind::Resource { .. } => return None,
    })
}

/// `are not pool=db`: which label one or several nodes do not have.
fn unlike(key: &str, operator: &str, values: &[String], nodes: usize) -> String {
    let requirement = requirement(key, operator, values);
    match (operator, values) {
        ("In", [value]) if !value.is_empty() => {
            counted!(nodes, "is not {requirement}", "are not {requirement}")
        }
        _ => counted!(
            nodes,
            "does not meet {requirement}",
            "do not meet {requirement}"
        ),
    }
}

/// Why a node cannot use a volume. `name`: that of the volume, or of its claim.
fn volume(name: &str, outcome: &VolumeOutcome, nodes: usize) -> Option<String> {
    if let Some(zone) = zone_of_volume(outcome) {
        return Some(counted!(
            nodes,
            "is not in {zone}, where the volume {volume} is",
            "are not in {zone}, where the volume {volume} is",
            volume = name
        ));
    }
    match outcome {
        VolumeOutcome::AffinityConflict { volume } => Some(say!(
            "cannot use the volume {volume} of the claim {claim}",
            claim = name
        )),
        _ => None,
    }
}

/// Why a claim gets no device; `None` for failures of its binding.
fn device(claim: &str, outcome: &DeviceOutcome, nodes: usize) -> Option<String> {
    Some(match outcome {
        DeviceOutcome::BindingFailed { .. } | DeviceOutcome::BindingTimedOut => return None,
        DeviceOutcome::ClaimElsewhere => counted!(
            nodes,
            "is not where the claim {claim} is allocated",
            "are not where the claim {claim} is allocated"
        ),
        _ => counted!(
            nodes,
            "has no device left that the claim {claim} may take",
            "have no device left that the claim {claim} may take"
        ),
    })
}

/// `is 500m CPU short: 3 + 1500m > 4`.
fn lacks_room(resource: &str, request: i64, used: i64, allocatable: i64) -> String {
    if allocatable == 0 {
        return say!("has no {resource}");
    }
    if resource == PODS {
        return say!("has {used} Pods already, of {allocatable} at most");
    }
    let missing = used.saturating_add(request).saturating_sub(allocatable);
    let amounts = [missing, used, request, allocatable];
    let [missing, used, request, allocatable] =
        quantity::sum(resource, amounts, missing, allocatable);
    say!(
        "is {missing} {name} short: {used} + {request} > {allocatable}",
        name = resource_name(resource)
    )
}

/// `have too little CPU left (at most 250m, on node-a)`: what several nodes lack, of which `node` has the most.
#[inline(never)]
fn lack_room(resource: &str, used: i64, allocatable: i64, node: &str) -> String {
    if allocatable == 0 {
        return say!("have no {resource}");
    }
    if resource == PODS {
        return text!("are at their Pod limit").to_owned();
    }
    let name = resource_name(resource);
    match allocatable.saturating_sub(used) {
        ..=0 => say!("have no {name} left"),
        left => say!(
            "have too little {name} left (at most {left}, on {node})",
            left = quantity::readable(resource, left)
        ),
    }
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
    Some(say!(
        "would be {skew} ahead of the smallest {domain}; maxSkew allows {max_skew}",
        skew = count + own - minimum,
        domain = bare(topology_key)
    ))
}

/// A resource as a sentence names it.
fn resource_name(resource: &str) -> &str {
    match resource {
        "cpu" => "CPU",
        name => super::explain::resource(name),
    }
}

/// A rule about other Pods that nodes break. `nodes`: one, or any other number.
fn affinity(
    term: AffinityTermKind,
    topology_key: &str,
    selector: &str,
    pod: &str,
    nodes: usize,
) -> String {
    let selected = match selector {
        "" => text!("Pod").to_owned(),
        selector => say!("Pod with {selector}", selector = bare_selector(selector)),
    };
    let reach = bare(topology_key);
    match (term, topology_key == HOSTNAME) {
        (AffinityTermKind::Affinity, true) => counted!(
            nodes,
            "has no {selected}, which {pod} must be near",
            "have no {selected}, which {pod} must be near"
        ),
        (AffinityTermKind::Affinity, false) => counted!(
            nodes,
            "shares its {reach} with no {selected}, which {pod} must be near",
            "share their {reach} with no {selected}, which {pod} must be near"
        ),
        (AffinityTermKind::AntiAffinity, true) => counted!(
            nodes,
            "already has a {selected}, which {pod} must stay away from",
            "already have a {selected}, which {pod} must stay away from"
        ),
        (AffinityTermKind::AntiAffinity, false) => counted!(
            nodes,
            "shares its {reach} with a {selected}, which {pod} must stay away from",
            "share their {reach} with a {selected}, which {pod} must stay away from"
        ),
        (AffinityTermKind::ExistingAntiAffinity, true) => counted!(
            nodes,
            "has a Pod that keeps {pod} away",
            "have a Pod that keeps {pod} away"
        ),
        (AffinityTermKind::ExistingAntiAffinity, false) => counted!(
            nodes,
            "shares its {reach} with a Pod that keeps {pod} away",
            "share their {reach} with a Pod that keeps {pod} away"
        ),
    }
}

#[cfg(test)]
mod tests;
