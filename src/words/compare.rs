//! Text of the comparison of two runs.

use std::collections::BTreeMap;

use berth_words::{counted, say, text};

use super::{Text, number, short, short_key};
use berth_protocol::compare::{Cause, Place, Spread, Which};
use berth_protocol::remark::Remark;

pub const COMPARE: Text = text!("Compare");
pub const COMPARE_TITLE: Text = text!("Compare two runs");
pub const COMPARES: Text = text!("compare two runs");
pub const LEAVE: Text = text!("Leave compare");
pub const CHANGE_SIDES: Text = text!("Choose sides");
pub const AS_SCENARIO: Text = text!("Compare the scenario's sides");
pub const CONFIGURATIONS: Text = text!("Configurations");
pub const VERSIONS: Text = text!("Versions");
pub const SEEDS: Text = text!("Seeds");
pub const WITHOUT_NODES: Text = text!("Without nodes");
pub const GATES: Text = text!("Feature gate");
pub const EDITS: Text = text!("Before and after the edits");
pub const WITH_THIS: Text = text!("Compare this configuration with");
pub const COMPARE_WITH: Text = text!("Compare with…");
pub const COMPARE_VERSIONS: Text = text!("Compare versions…");
pub const COMPARE_SEEDS: Text = text!("compare seeds");
pub const BESIDE: Text = text!("Side by side");
pub const THE_DEFAULTS: Text = text!("the default configuration");
pub const BIN_PACKING: Text = text!("bin packing: MostAllocated, weight 5");
pub const OWN_TEXT: Text = text!("a configuration of your own");
pub const OWN_CONFIGURATION: Text = text!("KubeSchedulerConfiguration of B");
pub const SEED: Text = text!("seed");
pub const GATE_NAME: Text = text!("Name of the gate");
pub const GATE_ON: Text = text!("on in B");
pub const GATE_OFF: Text = text!("off in B");
pub const SELECTOR: Text = text!("Nodes with this label are removed from B");
pub const SELECTOR_HELP: Text =
    text!("Choose a node, or a label that several share; or write a selector as for kubectl's -l.");
pub const FORK_HELP: Text =
    text!("A is the run before your edits, B the run with them. Both run to the end.");
pub const NO_FORK: Text = text!("This run has no edits yet. Edit something after its first step.");
pub const MANIFESTS_HELP: Text =
    text!("Both sides schedule the manifests from the beginning, Pod by Pod.");
pub const STAGES: Text = text!("Stage, A and B side by side");
pub const STAGE_DIFFERENCES: Text = text!("Stage of B, with what differs from A");
pub const SHOW_STAGES: Text = text!("Show both stages");
pub const BOTH: Text = text!("A and B");
pub const DRAWN: Text = text!("Differences");
pub const BOTH_SIDES: Text = text!("Both sides");
pub const WHAT_IS_DRAWN: Text = text!("What the stage shows");
pub const DIFFERENCES: Text = text!("What differs");
pub const SUMMARY: Text = text!("Summary of A and B");
pub const OUTCOME: Text = text!("Outcome");
pub const B_MINUS_A: &str = "B − A";
pub const PLACED: Text = text!("Placed");
pub const PENDING: Text = text!("Pending");
pub const IN_USE: Text = text!("Nodes in use");
pub const EMPTY: Text = text!("Nodes empty");
pub const CPU: Text = text!("CPU requested, mean");
pub const MEMORY: Text = text!("Memory requested, mean");
pub const DEVIATION: Text = text!("standard deviation");
pub const HIGHEST: Text = text!("highest");
pub const SKEW: Text = text!("Widest skew over");
pub const TOPOLOGY: Text = text!("The label whose values are counted as domains");
pub const PREEMPTIONS: Text = text!("Preemptions");
pub const ELSEWHERE: Text = text!("Came out differently");
pub const ELSEWHERE_HELP: Text =
    text!("Pods that came out differently, with the first plugin that made the difference");
pub const SAME: Text = text!("Both runs came out the same: every Pod is where it is in the other.");
pub const SAME_RUNS: Text = text!("Both runs came out the same.");
pub const TOGETHER: Text = text!("both runs move together");
pub const TIMELINE_OF_BOTH: Text = text!("Timeline of A and B");
pub const NONE_WAITING: Text = text!("none waiting");
pub const AS_GIVEN: Text = text!("as given");
pub const FOLDED: Text = text!("ends elsewhere in the other run");
pub const SUM: Text = text!("Sum");
pub const GOES_TO: Text = text!("goes to");
pub const TO: Text = text!("to");
pub const BEGINS: Text = text!("Reading both sides…");
pub const FIRST: Text = text!("before the edits");
pub const EDITED_RUN: Text = text!("with the edits");
pub const FIRST_BY_NAME: Text = text!("ties to the first node by name");
pub const SETTING: Text = text!("Setting");
pub const SETTINGS: Text = text!("Settings that differ");
pub const NO_SETTINGS: Text = text!("no setting differs");
pub const MANY_SETTINGS: Text =
    text!("More than one thing differs between the sides: each may have made the difference.");
pub const OFF: Text = text!("off");
pub const KUBERNETES: &str = "Kubernetes";

/// The accessible name of a side's control.
pub fn of_side(what: &str, side: Which) -> String {
    say!("{what} of {side}", side = side.letter())
}

pub fn waiting(pods: usize) -> String {
    counted!(pods, "{pods} waiting", "{pods} waiting")
}

pub fn settings(differ: usize) -> String {
    counted!(
        differ,
        "{differ} setting differs",
        "{differ} settings differ"
    )
}

pub fn more(pods: usize) -> String {
    say!("{pods} more", pods = number(pods))
}

/// How far both runs are.
pub fn running(attempts: usize, pods: usize) -> String {
    say!(
        "{attempts} attempts made for {pods} Pods",
        attempts = number(attempts),
        pods = number(pods)
    )
}

pub fn refused(side: Option<Which>, message: &Remark) -> String {
    let message = super::remark::remark(message);
    match side {
        Some(side) => say!("{side} cannot be run: {message}", side = side.letter()),
        None => message,
    }
}

/// What a side is without.
pub fn without_nodes(labels: &str) -> String {
    say!("without {labels}")
}

pub fn patched(file: &str) -> String {
    say!("patched by {file}")
}

pub fn weight(plugin: &str, weight: i64) -> String {
    format!("{plugin} × {weight}")
}

pub fn off(plugin: &str) -> String {
    say!("{plugin} off")
}

/// A block's tooltip: where the Pod ends in the other run.
pub fn in_other(side: Which, place: &Place) -> String {
    say!(
        "in {side}: {place}",
        side = side.letter(),
        place = self::place(place)
    )
}

pub fn place(place: &Place) -> String {
    match place {
        Place::Node(node) => node.clone(),
        Place::Pending => text!("waits").to_owned(),
        Place::Gated => text!("gated").to_owned(),
        Place::Evicted { by } => say!("evicted for {by}", by = short(by)),
        Place::Absent => text!("not there").to_owned(),
    }
}

/// A Pod that A has here.
pub fn left(pod: &str, there: &Place) -> String {
    say!("{pod} is here in A; in B: {place}", place = place(there))
}

/// Sentences in a row.
pub fn sentences(sentences: &[String]) -> String {
    sentences.join(super::language::space())
}

/// What a comparison does not try: Pods that run keep their nodes.
pub fn kept(pods: usize) -> Option<String> {
    (pods > 0).then(|| {
        counted!(
            pods,
            "{pods} Pod was kept where it is.",
            "{pods} Pods were kept where they are."
        )
    })
}

/// A list of Pods by how they came out: `newly placed: 2`.
pub fn newly(kind: Text, pods: usize) -> String {
    say!("{kind}: {pods}", pods = number(pods))
}

pub const MOVED: Text = text!("moved");
pub const NEWLY_PLACED: Text = text!("newly placed");
pub const NEWLY_PENDING: Text = text!("newly pending");
pub const NEWLY_EVICTED: Text = text!("newly evicted");
pub const IN_ONE_ONLY: Text = text!("in one run only");

/// A number with its sign, and a real minus.
pub fn signed(points: i64) -> String {
    match points {
        0 => "±0".to_owned(),
        1.. => format!("+{points}"),
        _ => format!("−{}", points.unsigned_abs()),
    }
}

/// What made the difference, behind the plugin's name if there is one.
/// `short`: a node's name where there is little room.
pub fn cause<'n>(
    cause: &'n Cause,
    nodes: usize,
    short_node: impl Fn(&'n str) -> &'n str,
) -> (String, String) {
    match cause {
        Cause::Filter {
            plugin, feasible, ..
        } => (
            plugin.clone(),
            say!(
                "{in_a} of {nodes} fit in A, {in_b} in B",
                in_a = number(feasible.0),
                nodes = number(nodes),
                in_b = number(feasible.1)
            ),
        ),
        Cause::Score {
            plugin,
            node,
            points,
            ..
        } => (
            plugin.clone(),
            say!(
                "{node} {in_a} in A, {in_b} in B",
                node = short_node(node),
                in_a = signed(points.0),
                in_b = signed(points.1)
            ),
        ),
        Cause::Tie { among } => (String::new(), say!("{among} nodes tie: the draw differs")),
        Cause::Preempted { by } => (String::new(), say!("evicted for {by}", by = short(by))),
        Cause::NotTried { in_a } => {
            let side = if *in_a { Which::A } else { Which::B };
            (
                String::new(),
                say!("never tried in {side}", side = side.letter()),
            )
        }
        Cause::NotExamined { node } => (
            String::new(),
            say!(
                "the search ended before {node} in one run",
                node = short_node(node)
            ),
        ),
    }
}

/// The same as a whole sentence, for a tooltip.
pub fn cause_in_full(cause: &Cause, nodes: usize) -> String {
    match cause {
        Cause::Filter {
            plugin,
            node,
            feasible_in_a,
            feasible,
        } => {
            let side = if *feasible_in_a { Which::B } else { Which::A };
            say!(
                "{plugin} rejects {node} in {side}: {in_a} of {nodes} nodes are feasible in A, {in_b} in B.",
                side = side.letter(),
                in_a = number(feasible.0),
                nodes = number(nodes),
                in_b = number(feasible.1)
            )
        }
        Cause::Score {
            plugin,
            node,
            against,
            points,
        } => say!(
            "With B, {plugin} gives {node} {in_b} points against {against}, {in_a} with A.",
            in_b = signed(points.1),
            in_a = signed(points.0)
        ),
        other => self::cause(other, nodes, |node| node).1,
    }
}

/// The title of the table of points.
pub fn score_comparison(node: &str, against: &str) -> String {
    say!("{node} against {against}, weighted points")
}

/// B's nodes that are empty, compared with A's.
pub fn empties(more: usize, fewer: usize) -> Option<String> {
    if more > 0 {
        return Some(counted!(
            more,
            "B leaves {more} more node empty than A.",
            "B leaves {more} more nodes empty than A."
        ));
    }
    (fewer > 0).then(|| {
        counted!(
            fewer,
            "B leaves {fewer} node fewer empty than A.",
            "B leaves {fewer} nodes fewer empty than A."
        )
    })
}

/// Pods that wait in A only.
pub fn places(first: &str, others: usize) -> String {
    match others {
        0 => say!("It places {first}, which waits in A."),
        others => counted!(
            others,
            "It places {first} and {others} more Pod, which wait in A.",
            "It places {first} and {others} more Pods, which wait in A."
        ),
    }
}

/// How many more Pods wait in B.
pub fn more_wait(pods: usize) -> String {
    match pods {
        0 => text!("no more Pods wait in B").to_owned(),
        pods => counted!(
            pods,
            "{pods} more Pod waits in B",
            "{pods} more Pods wait in B"
        ),
    }
}

/// How many wait in A and have a place in B; nothing if none does.
pub fn relieved(pods: usize) -> String {
    match pods {
        0 => String::new(),
        pods => counted!(
            pods,
            ", and {pods} that waits in A does not",
            ", and {pods} that wait in A do not"
        ),
    }
}

/// Pods that wait in B only.
pub fn leaves(first: &str, others: usize) -> String {
    match others {
        0 => say!("{first} waits in B; A places it."),
        others => counted!(
            others,
            "{first} and {others} more Pod wait in B; A places them.",
            "{first} and {others} more Pods wait in B; A places them."
        ),
    }
}

/// Pods that are on another node.
pub fn moves(pods: usize) -> String {
    counted!(
        pods,
        "{pods} Pod is on another node.",
        "{pods} Pods are on another node."
    )
}

/// The most uneven workload of each side.
pub fn spreads(a: Option<&Spread>, b: Option<&Spread>, key: &str) -> Option<String> {
    let (a, b) = (a?, b?);
    (a.skew() != b.skew()).then(|| {
        say!(
            "Most unevenly spread over {key}: {first} in A ({of_a}), {other} in B ({of_b}).",
            key = short_key(key),
            first = a.name,
            of_a = counts(&a.domains),
            other = b.name,
            of_b = counts(&b.domains)
        )
    })
}

fn counts(domains: &BTreeMap<String, usize>) -> String {
    let counts: Vec<String> = domains.values().map(|count| number(*count)).collect();
    counts.join(super::language::comma())
}

/// The last event of a side, behind its letter.
pub fn event(side: Which, event: &str) -> String {
    say!("{side}: {event}", side = side.letter())
}

/// A side that has nothing more to do.
pub fn at_end(event: &str) -> String {
    say!("{event} (end)")
}

/// A choice of nodes to remove: a label and how many nodes have it.
pub fn selector(labels: &str, nodes: usize) -> String {
    format!("{labels} ({})", super::nodes(nodes))
}
