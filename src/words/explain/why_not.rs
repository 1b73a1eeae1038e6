//! Answers "Why not node X?" in a sentence or two.

use berth_words::{counted, say, text};

use super::brief;
use crate::words::language::{and_also, space};
use crate::words::sentence::{feasible_nodes, listed, phrase};
use crate::words::{number, reasons_in_short};
use berth_protocol::cycle::Verdict;
use berth_protocol::fact::FactKind;
use berth_protocol::why_not::{ScoreDifference, WhyNot};

/// Maximum number of nodes to name; the rest is counted.
const NAMED: usize = 4;

/// Why a Pod was not placed on a node.
pub fn why_not(pod: &str, node: &str, why: &WhyNot) -> String {
    match why {
        WhyNot::Chosen => say!("{pod} did go to {node}."),
        WhyNot::Rejected { verdict, failures } => rejected(pod, node, verdict, failures),
        WhyNot::RejectedEarly { message, .. } => {
            say!("No node was examined for {pod}: {message}.")
        }
        WhyNot::Excluded { nodes, failures } => say!(
            "{node} was not examined: PreFilter left only {nodes} for {pod}. {also}",
            nodes = some_of(nodes),
            also = as_well(node, failures)
        ),
        WhyNot::Nominated { chosen, failures } => say!(
            "{node} was not examined: {chosen} was nominated for {pod}, and took it. {also}",
            also = as_well(node, failures)
        ),
        WhyNot::NotExamined {
            feasible,
            examined,
            nodes,
            failures,
        } => say!(
            "{node} was not examined: the search stopped at {feasible} after {examined} of {nodes}. {also}",
            feasible = feasible_nodes(size(*feasible)),
            examined = number(size(*examined)),
            nodes = number(size(*nodes)),
            also = as_well(node, failures)
        ),
        WhyNot::Outscored {
            chosen,
            chosen_total,
            total,
            differences,
        } => say!(
            "{node} scores {total}, {less} less than {chosen}{plugins}.",
            less = chosen_total.saturating_sub(*total),
            plugins = by_plugin(differences)
        ),
        WhyNot::Tied {
            chosen,
            total,
            among,
            seed,
            differences,
        } => tied(node, chosen, (*total, *among), *seed, differences),
        WhyNot::Failed { message } => {
            say!("The attempt for {pod} ended with an error: {message}.")
        }
    }
}

/// `NodeResourcesFit rejects node-b1 for web-6, as it is 250m cpu short: 3750m + 500m > 4000m.`
fn rejected(pod: &str, node: &str, verdict: &Verdict, failures: &[Verdict]) -> String {
    let is_first = |failure: &&Verdict| failure.plugin == verdict.plugin;
    // Only `failures`, from plugins run separately, have facts.
    let first = failures.iter().find(is_first).unwrap_or(verdict);
    let against = first
        .facts
        .iter()
        .map(|fact| &fact.kind)
        .filter(|kind| kind.is_violated());
    let clauses: Option<Vec<String>> = against.map(|kind| clause(kind, pod)).collect();
    let clauses = clauses.filter(|clauses| !clauses.is_empty());
    let why = clauses.map_or_else(
        || say!(": {reasons}", reasons = reasons_in_short(&first.reasons)),
        |clauses| {
            let clauses = clauses.join(and_also());
            say!(", as it {clauses}")
        },
    );
    let others = failures.iter().filter(|failure| !is_first(failure));
    let others: Vec<String> = others.map(with_reason).collect();
    let more = if others.is_empty() {
        String::new()
    } else {
        let others = listed(others.iter().map(String::as_str));
        space().to_owned() + &say!("{others} would also reject it.")
    };
    say!(
        "{plugin} rejects {node} for {pod}{why}.{more}",
        plugin = verdict.plugin
    )
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
        } => say!(
            "{words}: {sum} = {skew}",
            sum = format_args!("{count} + {own} − {minimum}"),
            skew = count + own - minimum
        ),
        _ => words,
    })
}

/// `NodeResourcesFit (cpu −250m)`.
fn with_reason(failure: &Verdict) -> String {
    let mut facts = failure.facts.iter().map(|fact| &fact.kind);
    let why = facts
        .find(|kind| kind.is_violated())
        .map_or_else(|| reasons_in_short(&failure.reasons), brief);
    say!("{what} ({why})", what = failure.plugin)
}

/// The plugins' verdict on a node that was not examined.
fn as_well(node: &str, failures: &[Verdict]) -> String {
    if failures.is_empty() {
        return say!("{node} is feasible.");
    }
    let plugins: Vec<String> = failures.iter().map(with_reason).collect();
    let plugins = listed(plugins.iter().map(String::as_str));
    say!("{plugins} would reject it.")
}

/// `: PodTopologySpread gives it 40 less, ImageLocality 4 more`. Scores are weighted.
fn by_plugin(differences: &[ScoreDifference]) -> String {
    let parts = differences.iter().enumerate().map(|(number, difference)| {
        let margin = difference.margin();
        let (plugin, points) = (&difference.plugin, margin.unsigned_abs());
        match (number, margin > 0) {
            (0, true) => say!("{plugin} gives it {points} less"),
            (0, false) => say!("{plugin} gives it {points} more"),
            (_, true) => say!("{plugin} {points} less"),
            (_, false) => say!("{plugin} {points} more"),
        }
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return String::new();
    }
    say!(
        ": {reasons}",
        reasons = listed(parts.iter().map(String::as_str))
    )
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
        say!("{node} and {chosen} are 2 of {among} nodes that score {total}")
    } else {
        say!("{node} and {chosen} both score {total}")
    };
    let parts = by_plugin(differences);
    match seed {
        Some(seed) => say!("{same}{parts}; seed {seed} picked {chosen}."),
        None => say!("{same}{parts}; {chosen} comes first by name."),
    }
}

fn some_of(nodes: &[String]) -> String {
    let named = nodes.iter().take(NAMED).map(String::as_str);
    let rest = nodes.len().saturating_sub(NAMED);
    let rest = (rest > 0).then(|| counted!(rest, "{rest} more node", "{rest} more nodes"));
    if nodes.is_empty() {
        return text!("no node").to_owned();
    }
    listed(named.chain(rest.as_deref()))
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
