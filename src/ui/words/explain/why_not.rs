//! Answers "Why not node X?" in a sentence or two.

use super::brief;
use crate::ui::words::sentence::{listed, phrase};
use crate::ui::words::{count, number, reasons_in_short};
use berth_protocol::cycle::Verdict;
use berth_protocol::fact::FactKind;
use berth_protocol::why_not::{ScoreDifference, WhyNot};

/// Maximum number of nodes to name; the rest is counted.
const NAMED: usize = 4;

/// Why a Pod was not placed on a node.
pub fn why_not(pod: &str, node: &str, why: &WhyNot) -> String {
    match why {
        WhyNot::Chosen => format!("{pod} did go to {node}."),
        WhyNot::Rejected { verdict, failures } => rejected(pod, node, verdict, failures),
        WhyNot::RejectedEarly { message, .. } => {
            format!("No node was looked at for {pod}: {message}.")
        }
        WhyNot::Excluded { nodes, failures } => format!(
            "{node} was not looked at: PreFilter left only {} for {pod}. {}",
            some_of(nodes),
            as_well(node, failures)
        ),
        WhyNot::Nominated { chosen, failures } => format!(
            "{node} was not looked at: {chosen} was nominated for {pod}, and took it. {}",
            as_well(node, failures)
        ),
        WhyNot::NotExamined {
            feasible,
            examined,
            nodes,
            failures,
        } => format!(
            "{node} was not examined: the search stopped at {} after {} of {}. {}",
            count(size(*feasible), "feasible node", "feasible nodes"),
            number(size(*examined)),
            number(size(*nodes)),
            as_well(node, failures)
        ),
        WhyNot::Outscored {
            chosen,
            chosen_total,
            total,
            differences,
        } => format!(
            "{node} scores {total}, {} less than {chosen}{}.",
            chosen_total.saturating_sub(*total),
            by_plugin(differences)
        ),
        WhyNot::Tied {
            chosen,
            total,
            among,
            seed,
            differences,
        } => tied(node, chosen, (*total, *among), *seed, differences),
        WhyNot::Failed { message } => {
            format!("The attempt for {pod} ended with an error: {message}.")
        }
    }
}

/// `NodeResourcesFit rejects node-b1 for web-6, as it is 250m cpu short: 3750m + 500m > 4000m.`
fn rejected(pod: &str, node: &str, verdict: &Verdict, failures: &[Verdict]) -> String {
    let is_first = |failure: &&Verdict| failure.plugin == verdict.plugin;
    // Only `failures`, from plugins run separately, have facts.
    let first = failures.iter().find(is_first).unwrap_or(verdict);
    let against = first.facts.iter().map(|fact| &fact.kind);
    let against = against.filter(|kind| kind.speaks_against());
    let clauses: Option<Vec<String>> = against.map(|kind| clause(kind, pod)).collect();
    let clauses = clauses.filter(|clauses| !clauses.is_empty());
    let why = clauses.map_or_else(
        || format!(": {}", reasons_in_short(&first.reasons)),
        |clauses| format!(", as it {}", clauses.join(" and ")),
    );
    let others = failures.iter().filter(|failure| !is_first(failure));
    let others: Vec<String> = others.map(with_reason).collect();
    let more = if others.is_empty() {
        String::new()
    } else {
        format!(
            " {} would also reject it.",
            listed(others.iter().map(String::as_str))
        )
    };
    format!("{} rejects {node} for {pod}{why}.{more}", verdict.plugin)
}

fn clause(kind: &FactKind, pod: &str) -> Option<String> {
    let words = phrase(kind, true, pod)?;
    Some(match kind {
        FactKind::Spread {
            domain: Some(_),
            count,
            own,
            minimum,
            ..
        } => format!(
            "{words}: {count} + {own} − {minimum} = {}",
            count + own - minimum
        ),
        _ => words,
    })
}

/// `NodeResourcesFit (cpu −250m)`.
fn with_reason(failure: &Verdict) -> String {
    let mut facts = failure.facts.iter().map(|fact| &fact.kind);
    let why = facts
        .find(|kind| kind.speaks_against())
        .map_or_else(|| reasons_in_short(&failure.reasons), brief);
    format!("{} ({why})", failure.plugin)
}

/// The plugins' verdict on a node that was not examined.
fn as_well(node: &str, failures: &[Verdict]) -> String {
    if failures.is_empty() {
        return format!("{node} is feasible.");
    }
    let plugins: Vec<String> = failures.iter().map(with_reason).collect();
    let plugins = listed(plugins.iter().map(String::as_str));
    format!("{plugins} would reject it.")
}

/// `: PodTopologySpread gives it 40 less, ImageLocality 4 more`. Scores are weighted.
fn by_plugin(differences: &[ScoreDifference]) -> String {
    let parts = differences.iter().enumerate().map(|(number, difference)| {
        let margin = difference.margin();
        let gives = if number == 0 { " gives it" } else { "" };
        let word = if margin > 0 { "less" } else { "more" };
        format!(
            "{}{gives} {} {word}",
            difference.plugin,
            margin.unsigned_abs()
        )
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(": {}", listed(parts.iter().map(String::as_str)))
}

/// `node-a and node-c both score 412; seed 7 picked node-c.`
fn tied(
    node: &str,
    chosen: &str,
    (total, among): (i64, u32),
    seed: Option<u64>,
    differences: &[ScoreDifference],
) -> String {
    let same = if among > 2 {
        format!("{node} and {chosen} are 2 of {among} nodes that score {total}")
    } else {
        format!("{node} and {chosen} both score {total}")
    };
    let parts = by_plugin(differences);
    match seed {
        Some(seed) => format!("{same}{parts}; seed {seed} picked {chosen}."),
        None => format!("{same}{parts}; {chosen} comes first by name."),
    }
}

fn some_of(nodes: &[String]) -> String {
    let named = nodes.iter().take(NAMED).map(String::as_str);
    let rest = nodes.len().saturating_sub(NAMED);
    let rest = (rest > 0).then(|| count(rest, "more node", "more nodes"));
    if nodes.is_empty() {
        return "no node".to_owned();
    }
    listed(named.chain(rest.as_deref()))
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
