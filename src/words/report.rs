//! Text of a report as the command prints it: labels, and what only plain text has to say in words.

use berth_words::{counted, say, text};

use super::{Text, nodes};
use berth_protocol::cycle::SearchReport;
use berth_protocol::fix::Fix;

pub const POD: &str = "Pod";
pub const ATTEMPT: Text = text!("Attempt");
pub const PROFILE: Text = text!("Profile");
pub const NOMINATED: Text = text!("Nominated");
pub const OUTCOME: Text = text!("Outcome");
pub const MESSAGE: Text = text!("Message");
pub const PRE_FILTER: &str = "PreFilter";
pub const SEARCH: Text = text!("Search");
pub const REASONS: Text = text!("Reasons");
pub const NO_NODE_SEARCHED: Text = text!("no node is searched");
pub const NOMINATED_ONLY: Text = text!("only the nominated node, because the Pod fits there");
pub const ENDED_WITH_ERROR: Text = text!("the attempt ended with an error");
pub const STAYS_PENDING: Text = text!("fits nowhere: stays Pending");
pub const NOT_IN_ATTEMPT: Text = text!("not examined in this attempt");
pub const FEASIBLE_AND_SELECTED: Text = text!("feasible, and selected");
pub const NOTHING_TO_CHECK: Text = text!("nothing to check for this Pod");
pub const SCORE_LEGEND: Text = text!("raw → normalized × weight = weighted");
pub const SELECTED: Text = text!("← selected");
pub const NOMINATED_HERE: Text = text!("← nominated");
pub const FIXES: Text = text!("Fixes (any one of them is enough)");
pub const LINES: Text = text!("As commands");
/// The columns of the fixes.
pub const FIX_COLUMNS: [Text; 3] = [text!("CHANGE"), text!("THEN"), text!("FEASIBLE")];
/// The columns of the candidates of preemption.
pub const CANDIDATE_COLUMNS: [Text; 3] = [
    text!("CANDIDATE"),
    text!("PDB VIOLATIONS"),
    text!("VICTIMS"),
];

/// The place of an attempt in its run, from 1.
pub fn in_run(number: usize, attempts: usize, round: u32) -> String {
    say!("{number} of {attempts} in the run, in round {round}")
}

/// The place of an attempt among its Pod's, from 1.
pub fn of_pod(number: usize, all: usize) -> String {
    match all {
        1 => text!("the only one of this Pod").to_owned(),
        all if number == all => say!("{number} of {all} of this Pod"),
        all => say!("{number} of {all} of this Pod, not its last"),
    }
}

/// The profile's name and the Pod's priority.
pub fn profile(name: &str, priority: i32) -> String {
    say!("{name}, priority {priority}")
}

pub fn nominated_before(node: &str) -> String {
    say!("to {node} before this attempt")
}

/// PreFilter rejected the Pod. `plugin` is empty if the framework did.
pub fn rejected_at_once(plugin: &str, message: &str) -> String {
    match plugin {
        "" => say!("the Pod is rejected before any node is examined: {message}"),
        plugin => say!("{plugin} rejects the Pod before any node is examined: {message}"),
    }
}

pub fn only_searched(nodes: &[String]) -> String {
    say!(
        "only these nodes are searched: {nodes}",
        nodes = nodes.join(super::language::comma())
    )
}

/// The search ended before it had examined all nodes.
pub fn partly_searched(search: &SearchReport) -> String {
    say!(
        "{examined} of {nodes} nodes examined, from position {start} of the node list; {wanted} feasible nodes are enough",
        examined = search.examined,
        nodes = search.nodes,
        start = search.start,
        wanted = search.wanted
    )
}

pub fn bound_to(node: &str) -> String {
    match node {
        "" => text!("not asked for any more").to_owned(),
        node => say!("bound to {node}"),
    }
}

pub fn preempts(victims: &[String], nominated: &str) -> String {
    say!(
        "fits nowhere; preempts {victims} and is nominated to {nominated}",
        victims = victims.join(super::language::comma())
    )
}

/// Nodes that share a row with the first.
pub fn like_it(first: &str, others: usize) -> String {
    say!("{first} +{others} like it")
}

/// A plugin's verdict on some nodes. `is_extra`: another plugin was first.
pub fn rejects(plugin: &str, count: usize, reasons: &[String], is_extra: bool) -> String {
    let (nodes, reasons) = (nodes(count), reasons.join(", "));
    if is_extra {
        say!("{plugin} would also reject {nodes}: {reasons}")
    } else {
        say!("{plugin} rejects {nodes}: {reasons}")
    }
}

pub fn more_by_node(more: usize) -> String {
    say!("… and {more} more; --node NAME shows any of them")
}

pub fn and_more(more: usize) -> String {
    say!("… and {more} more")
}

/// The Pods that a number counts.
pub fn counts(pods: &str) -> String {
    say!("counts {pods}")
}

/// The field of those Pods that has the rule.
pub fn rule_of(path: &str, pods: &str) -> String {
    say!("{path} of {pods}")
}

/// The names of some Pods, and the number of the others.
pub fn names(named: &[&str], more: usize) -> String {
    let named = named.join(super::language::comma());
    match more {
        0 => named,
        more => say!("{named} and {more} more"),
    }
}

pub fn decided_by(rule: &str) -> String {
    say!("decided by: {rule}")
}

/// Where a fix places the Pod, and which others move.
pub fn then(fix: &Fix) -> String {
    let bound = bound_to(&fix.node);
    match fix.moves.as_slice() {
        [] => bound,
        [moved] => say!(
            "{bound}; {pod} moves to {node}",
            pod = moved.pod,
            node = moved.node
        ),
        moves => counted!(
            others = moves.len(),
            "{bound}; {others} other Pod moves",
            "{bound}; {others} other Pods move",
            bound = bound
        ),
    }
}

/// The first plugin to reject a node. `may_help`: whether evicting Pods could make it feasible.
pub fn rejected_by(plugin: &str, may_help: bool) -> String {
    if may_help {
        say!("rejected by {plugin}; preemption might help")
    } else {
        say!("rejected by {plugin}; preemption cannot help")
    }
}

pub fn ranked(rank: usize, all: usize) -> String {
    say!("feasible, rank {rank} of {all} by score")
}
