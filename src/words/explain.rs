//! Text of the Explain panel: labels, and facts in a few words.

use std::collections::BTreeSet;

mod arithmetic;
mod plugins;
mod why_not;

pub use arithmetic::*;
use berth_protocol::cycle::{Cycle, MAX_RANK, SearchReport, TieBreak};
use berth_protocol::fact::{AffinityTermKind, FactKind, VolumeOutcome};
use berth_protocol::frame::{HeldBy, PodFrame};
use berth_protocol::quantity;
use berth_words::{counted, say, text};
pub use plugins::{DOCUMENTATION, about, described};
pub use why_not::why_not;

use super::Text;
use super::language::{comma, number};

pub const NOTHING_TO_EXPLAIN: Text = text!(
    "Take a step to place the first Pod. This panel then shows which nodes could take it, which could not and why, and how the winner was chosen."
);
pub const NO_PODS: Text = text!(
    "There is no Pod yet. Once one is tried, this panel shows which nodes could take it, which could not and why, and how the winner was chosen."
);
pub const NO_POD_WAITS: Text = text!(
    "Every Pod has its node. Once a Pod waits, this panel shows which nodes could take it, which could not and why."
);
/// The label of which every node has a value of its own.
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";

/// For a Pod that had its node before the run.
pub fn was_there(pod: &str, node: &str) -> String {
    say!("{pod} was on {node} when the run began, so the scheduler never placed it here.")
}

/// For a Pod that the scheduler never tries.
pub fn held_back(pod: &str, held_by: &HeldBy) -> String {
    match held_by {
        HeldBy::Gates(gates) => match gates.as_slice() {
            [gate] => say!("{pod} waits for the gate {gate}; remove it and it queues."),
            gates => {
                let gates = super::sentence::listed(gates.iter().map(String::as_str));
                say!("{pod} waits for the gates {gates}; remove them and it queues.")
            }
        },
        HeldBy::Scheduler(name) => {
            say!("{pod} belongs to the scheduler {name}, which is not simulated.")
        }
    }
}

/// For a Pod in the queue without an attempt.
pub fn not_tried(pod: &str) -> String {
    say!("{pod} has not been tried yet. The next step may try it.")
}

/// The Pod's requests with their units: `2 CPU`, `8Gi memory`, `1 nvidia.com/gpu`.
pub fn requests(pod: &PodFrame) -> Vec<String> {
    let main = [
        (pod.milli_cpu > 0).then(|| format!("{} CPU", quantity::cpu(pod.milli_cpu))),
        (pod.memory_bytes > 0).then(|| {
            say!(
                "{amount} memory",
                amount = quantity::bytes(pod.memory_bytes)
            )
        }),
    ];
    let others = pod
        .other_requests
        .iter()
        .map(|(name, amount)| format!("{} {name}", quantity::of(name, *amount)));
    main.into_iter().flatten().chain(others).collect()
}

/// The claims for which the attempt looked at devices: `claim train-gpu`.
pub fn claims(cycle: &Cycle) -> Vec<String> {
    let verdicts = cycle.nodes.iter().flat_map(|node| &node.failures);
    let facts = verdicts.flat_map(|verdict| &verdict.facts);
    let claims: BTreeSet<&str> = facts
        .filter_map(|fact| match &fact.kind {
            FactKind::Device { claim, .. } => Some(claim.as_str()),
            _ => None,
        })
        // A node without any device was asked for none.
        .filter(|claim| !claim.is_empty())
        .collect();
    claims
        .into_iter()
        .map(|claim| say!("claim {claim}"))
        .collect()
}

pub const ASKS_FOR_NOTHING: Text = text!("asks for nothing");

/// `asks 2 CPU, 8Gi memory, 1 nvidia.com/gpu`.
pub fn asks(requests: &[String]) -> String {
    match requests {
        [] => ASKS_FOR_NOTHING.to_owned(),
        requests => say!("asks {requests}", requests = requests.join(comma())),
    }
}

pub fn priority(priority: i32) -> String {
    say!("priority {priority}")
}

pub fn profile(name: &str) -> String {
    say!("profile {name}")
}

pub fn nominated_to(node: &str) -> String {
    say!("nominated to {node}")
}

/// How often the Pod was tried, this time included.
pub fn try_number(number: impl std::fmt::Display) -> String {
    say!("try {number}")
}

pub fn at_time(clock: &str) -> String {
    say!("at {clock}")
}

/// An attempt after which the cluster was edited.
pub const BEFORE_CHANGE: Text = text!("Before your change.");
pub const BEFORE_CHANGE_MEANS: Text = text!(
    "These verdicts are of the cluster as it was; zones and labels beside them are of now. The next attempt judges anew."
);

/// The outcome of a placed Pod.
pub fn chose(node: &str) -> String {
    say!("chosen {node}")
}

/// The outcome of a Pod that preempts others.
pub fn nominated(node: &str) -> String {
    say!("nominated: {node}")
}

pub const EARLIER: Text = text!("Earlier attempt");
pub const LATER: Text = text!("Later attempt");
pub const CYCLE: Text = text!("Scheduling cycle");
pub const FILTER: Text = text!("Filter");
pub const SCORE: Text = text!("Score");
pub const PREEMPTION: Text = text!("Preemption");
pub const FAILED_SCHEDULING: &str = "FailedScheduling";
pub const CLICK_A_CLAUSE: Text = text!("click a clause");
pub const IN_PROGRESS: Text = text!("in progress");
pub const UNSCHEDULABLE: Text = text!("unschedulable");
pub const ERROR: Text = text!("error");
pub const PASSES: Text = text!("passes");
pub const REJECTS: Text = text!("rejects");
pub const WOULD_ALSO_REJECT: Text = text!("would also reject");
/// Preemption had no choice.
pub const ONLY_CANDIDATE: Text = text!("the only candidate");
/// The plugin alone has no objection to the node.
pub const COUNTING_NOMINATED: Text = text!("counting the Pods nominated to this node");
/// A step of the cycle that did not run in the attempt.
pub const DID_NOT_RUN: Text = text!("not run");
/// Preemption found no Pod to evict.
pub const NO_VICTIMS: Text = text!("no victims");

/// The number of plugins that a step skipped.
pub fn skipped_count(plugins: usize) -> String {
    say!("{plugins} skipped")
}

pub fn candidates(candidates: usize) -> String {
    counted!(
        candidates,
        "{candidates} candidate",
        "{candidates} candidates"
    )
}

/// Candidates that are equal by every rule.
pub fn tied(candidates: &str) -> String {
    say!("{candidates}, a tie")
}

/// The number of the rule that chose among the candidates.
pub fn decided(candidates: &str, rule: usize) -> String {
    say!("{candidates}, rule {rule} decides")
}

pub fn more_candidates(more: usize) -> String {
    counted!(
        more,
        "… and {more} more candidate",
        "… and {more} more candidates"
    )
}

pub fn more_nodes(more: usize) -> String {
    counted!(more, "… and {more} more node", "… and {more} more nodes")
}

pub fn plugins(plugins: usize) -> String {
    counted!(plugins, "{plugins} plugin", "{plugins} plugins")
}

/// The number of nodes that were not examined.
pub fn unseen(nodes: &str) -> String {
    say!("{nodes} not examined")
}

/// One candidate of preemption among all.
pub fn one_of(candidates: usize) -> String {
    super::part_of(1, candidates)
}

pub const NOT_EXAMINED: Text = text!("not examined");
pub const SKIPPED: Text = text!("skipped");
pub const NOT_RUN: Text = text!("not run yet");
pub const FEASIBLE: Text = text!("feasible");
pub const FEASIBLE_SO_FAR: Text = text!("feasible so far");
pub const MATRIX: Text = text!("Nodes by Filter plugin");
pub const SCORES: Text = text!("Scores by plugin and node");
pub const FIND_NODE: Text = text!("Find a node or a reason");
pub const ROW_ORDER: Text = text!("Order of the nodes");

/// The button that shows a row of the matrix for every node.
pub fn all_rows(rows: usize) -> String {
    say!("Show all {rows} rows", rows = number(rows))
}

pub const NO_MATCH: Text = text!("No node matches.");
pub const SHOW_COLUMNS: Text = text!("Show them");
pub const HIDE_COLUMNS: Text = text!("Hide them");
pub const NO_NUMBERS: Text = text!("This plugin has no objection to the node.");
pub const NOT_LOOKED_AT: Text = text!("The search ended before it reached this node.");
pub const RAW: Text = text!("raw");
pub const TOTAL: Text = text!("Total");
pub const ANOTHER_SEED: Text = text!("Try another seed");
pub const NODE: Text = text!("Node");
pub const VICTIMS: Text = text!("Victims");
pub const WHY_NOT: Text = text!("Why not");
pub const WHY_NOT_NODE: Text = text!("Why not this node?");
pub const ANY_NODE: Text = text!("any node");
pub const ASK: Text = text!("Ask");
pub const LEFT_OUT: Text = text!(
    "Left out: scheduler extenders and plugins of your own, drivers of devices, networks, RBAC."
);

/// The orders of the matrix's rows.
pub const ORDERS: [Text; 4] = [
    text!("as in the manifests"),
    text!("by name"),
    text!("by score"),
    text!("by reason"),
];

/// `attempt 11 of 16`; the count may grow until the run is over.
pub fn attempt_of(number: usize, count: usize) -> String {
    say!("attempt {number} of {count}")
}

/// Explains why some of the matrix's columns are folded.
pub fn skipped(plugins: &[&str]) -> String {
    match plugins {
        [_, _, ..] => say!(
            "Skipped by PreFilter, as this Pod gives them nothing to check: {plugins}.",
            plugins = super::sentence::listed(plugins.iter().copied())
        ),
        _ => say!(
            "Skipped by PreFilter, as this Pod gives it nothing to check: {plugin}.",
            plugin = plugins.concat()
        ),
    }
}

/// The number of remaining nodes, of all or of the examined ones.
pub fn left_of(left: usize, search: &SearchReport) -> String {
    let SearchReport {
        nodes, examined, ..
    } = *search;
    if examined > 0 && examined < nodes {
        say!(
            "{left} of {examined} examined, {others} not",
            left = number(left),
            examined = number(examined as usize),
            others = number((nodes - examined) as usize)
        )
    } else {
        say!(
            "{left} of {nodes} feasible",
            left = number(left),
            nodes = number(nodes as usize)
        )
    }
}

/// Explains why nodes were not examined.
pub fn not_examined(nodes: usize, feasible: usize, cycle: &Cycle) -> String {
    let were = counted!(
        nodes,
        "{nodes} node was not examined",
        "{nodes} nodes were not examined"
    );
    if cycle.search.nominated_only {
        say!("{were}: the nominated node was tried first, and took it.")
    } else if cycle.pre_filter.nodes.is_some() {
        say!("{were}: PreFilter narrowed the search.")
    } else {
        say!("{were}: the search stopped at {feasible} feasible ones.")
    }
}

/// With one feasible node, scoring is skipped.
pub fn not_scored(node: &str) -> String {
    say!("Only {node} is feasible, so nothing was scored.")
}

/// Score plugins that PreScore skipped.
pub fn not_scoring(plugins: &[String]) -> String {
    let plugins = super::sentence::listed(plugins.iter().map(String::as_str));
    say!("Skipped by PreScore, as they would score every node the same: {plugins}.")
}

/// `Tie at 1042: 1 of 2, chosen with seed 7.`
pub fn tie(total: i64, tie: &TieBreak) -> String {
    match tie.seed {
        Some(seed) => say!(
            "Tie at {total}: 1 of {among}, chosen with seed {seed}.",
            among = tie.among
        ),
        None => say!(
            "Tie at {total}: of {among}, the first by name.",
            among = tie.among
        ),
    }
}

/// The rules by which preemption picks among candidates, in short and in full.
pub const RULES: [(Text, Text); 5] = [
    (text!("PDB"), text!("Fewest PDB violations")),
    (text!("top"), text!("Lowest top victim priority")),
    (text!("sum"), text!("Lowest sum, each priority + 2³¹")),
    (text!("count"), text!("Fewest victims")),
    (text!("start"), text!("Latest start: least work lost")),
];

/// A rule's rank of a candidate with this many victims. `earliest`: the first start among the candidates, to which
/// other starts are relative.
pub fn rank(rule: usize, rank: i64, victims: usize, earliest: i64) -> String {
    match rule {
        2 => priority_sum(-rank, i64::try_from(victims).unwrap_or(0)),
        4 if rank.abs() >= MAX_RANK => "–".to_owned(),
        4 => format!("+{} s", rank.saturating_sub(earliest) / 1000),
        _ => (-rank).to_string().replace('-', "−"),
    }
}

fn priority_sum(sum: i64, victims: i64) -> String {
    let plain = sum.saturating_sub(victims.saturating_mul(1 << 31));
    let raised = match victims {
        1 => "2³¹".to_owned(),
        2 => "2³²".to_owned(),
        _ => format!("{victims}·2³¹"),
    };
    match plain {
        0 => raised,
        1.. => format!("{raised}+{plain}"),
        _ => format!("{raised}−{}", plain.unsigned_abs()),
    }
}

/// A rule's result: the candidates it dropped, or that it found them equal.
pub fn round(left: usize, dropped: &[&str]) -> String {
    match dropped {
        [] => say!("{left} even"),
        [_] | [_, _] | [_, _, _] => {
            let names = super::sentence::listed(dropped.iter().copied());
            say!("drops {names}")
        }
        _ => say!("drops {names}", names = super::nodes(dropped.len())),
    }
}

/// The remaining candidates are equal by every rule.
pub fn by_name(node: &str) -> String {
    say!("No rule decides among the rest: {node} comes first by name.")
}

/// A resource in a sentence, without its DNS prefix.
pub fn resource(name: &str) -> &str {
    match name {
        "memory" => text!("memory").get(),
        "ephemeral-storage" => text!("ephemeral-storage").get(),
        name => bare(name),
    }
}

/// A label's or resource's name without its DNS prefix.
pub fn bare(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// `dedicated=gpu:NoSchedule`, without the key's DNS prefix.
pub fn taint(key: &str, value: &str, effect: &str) -> String {
    let equals = if value.is_empty() { "" } else { "=" };
    let colon = if effect.is_empty() { "" } else { ":" };
    format!("{}{equals}{value}{colon}{effect}", bare(key))
}

/// `disktype=ssd`, or `cpus Gt 4`.
pub fn requirement(key: &str, operator: &str, values: &[String]) -> String {
    let key = bare(key);
    match (operator, values) {
        ("In", [value]) => format!("{key}={value}"),
        ("Exists", _) => key.to_owned(),
        ("DoesNotExist", _) => say!("no {key}"),
        ("Gt" | "Lt", [value]) => format!("{key} {operator} {value}"),
        _ => format!("{key} {operator} [{}]", values.join(", ")),
    }
}

/// What a node's label would have to be: `pool is not db`, `no gpu label`.
pub fn unmet(key: &str, operator: &str, values: &[String]) -> String {
    let key = bare(key);
    match (operator, values) {
        ("In", [value]) if value.is_empty() => say!("no {key} label"),
        ("In", [value]) => say!("{key} is not {value}"),
        ("In", values) => say!("{key} is none of {values}", values = values.join(comma())),
        ("NotIn", [value]) => say!("{key} is {value}"),
        ("NotIn", values) => say!("{key} is one of {values}", values = values.join(comma())),
        ("Exists", _) => say!("no {key} label"),
        ("DoesNotExist", _) => say!("has a {key} label"),
        ("Gt", [value]) => say!("{key} is not above {value}"),
        ("Lt", [value]) => say!("{key} is not below {value}"),
        _ => say!("not {what}", what = requirement(key, operator, values)),
    }
}

/// `cpu short by 700m`.
fn short_by((resource, missing): (&str, i64)) -> String {
    say!(
        "{resource} short by {missing}",
        resource = self::resource(resource),
        missing = quantity::readable(resource, missing)
    )
}

/// A rejection in two or three words, at the end of a row.
pub fn brief(fact: &FactKind) -> String {
    if let Some(key) = fact.missing_topology_key() {
        return say!("no {key} label", key = bare(key));
    }
    match fact {
        FactKind::Resource { resource, .. } if fact.has_none() => {
            say!("no {key}", key = resource)
        }
        FactKind::Resource { .. } => fact.missing().map_or_else(String::new, short_by),
        FactKind::Taint { key, value, .. } => {
            say!("taint {taint}", taint = taint(key, value, ""))
        }
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } => unmet(key, operator, values),
        FactKind::Spread {
            count,
            own,
            minimum,
            max_skew,
            ..
        } => skewed(count + own - minimum, *max_skew),
        FactKind::PodAffinity {
            term,
            topology_key,
            count,
            selector,
            ..
        } => affinity(*term, topology_key, *count, selector),
        FactKind::HostPort { port, .. } => say!("port {port} taken"),
        FactKind::VolumeCount {
            attached,
            new,
            limit,
            ..
        } => say!(
            "volumes {volumes} > {limit}",
            volumes = attached.saturating_add(*new)
        ),
        FactKind::Volume { name, outcome } => volume(name, outcome),
        FactKind::Device {
            device, outcome, ..
        } => super::device_brief(device, outcome),
        FactKind::NodeName { wanted } => say!("not {what}", what = wanted),
        FactKind::Unschedulable => super::CORDONED.to_owned(),
        FactKind::NodeFeature { feature, .. } => say!("no {key}", key = feature),
    }
}

/// A rule about other Pods that a node breaks: `app=cache is here`, `no app=web in its zone`.
fn affinity(term: AffinityTermKind, topology_key: &str, count: i64, selector: &str) -> String {
    let pods = || match selector {
        "" => text!("Pod").to_owned(),
        selector => bare_selector(selector),
    };
    let reach = bare(topology_key);
    match (term, topology_key == HOSTNAME) {
        (AffinityTermKind::Affinity, true) => say!("no {pods} here", pods = pods()),
        (AffinityTermKind::Affinity, false) => say!("no {pods} in its {reach}", pods = pods()),
        (AffinityTermKind::AntiAffinity, true) => say!("{pods} is here", pods = pods()),
        (AffinityTermKind::AntiAffinity, false) => {
            say!("{pods} is in its {reach}", pods = pods())
        }
        (AffinityTermKind::ExistingAntiAffinity, _) => {
            let count = usize::try_from(count).unwrap_or(0);
            counted!(
                count,
                "{count} Pod keeps it away",
                "{count} Pods keep it away"
            )
        }
    }
}

/// A selector, its keys without their DNS prefix: `name=web,tier=db`.
pub(super) fn bare_selector(selector: &str) -> String {
    let parts: Vec<&str> = selector.split(',').map(bare).collect();
    parts.join(",")
}

/// Where a volume's topology label says that it is; `None` if the node is there.
pub(super) fn zone_of_volume(outcome: &VolumeOutcome) -> Option<String> {
    match outcome {
        VolumeOutcome::Label { values, actual, .. } => {
            let is_there = actual
                .as_ref()
                .is_some_and(|actual| values.contains(actual));
            (!is_there).then(|| alternatives(values))
        }
        _ => None,
    }
}

/// `a or b`.
fn alternatives(values: &[String]) -> String {
    let joined = values
        .iter()
        .cloned()
        .reduce(|one, other| say!("{one} or {other}"));
    joined.unwrap_or_default()
}

/// Where a volume is; `name`: that of the claim, or of the volume.
fn volume(name: &str, outcome: &VolumeOutcome) -> String {
    if let Some(zone) = zone_of_volume(outcome) {
        return say!("volume is in {zone}");
    }
    match outcome {
        VolumeOutcome::AffinityConflict { volume } => say!("volume {volume} is elsewhere"),
        VolumeOutcome::Nothing | VolumeOutcome::TopologyForbids { .. } => {
            say!("no volume for {name}")
        }
        _ => name.to_owned(),
    }
}

/// A spread beyond its limit.
pub fn skewed(skew: i64, max_skew: i64) -> String {
    say!("skew {skew} > maxSkew {max_skew}")
}

/// Lengths in bytes of the prefix and suffix that all names share; short forms omit them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    start: usize,
    end: usize,
}

/// The names' common prefix up to a separator, and their common suffix from a dot. Neither is omitted if a name
/// would become empty, or if it is shorter than three bytes.
pub fn shared<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Shared {
    let mut all = names.clone();
    let Some(first) = all.next() else {
        return Shared::default();
    };
    let (mut head, mut tail) = (first.len(), first.len());
    for name in all {
        let is_same = |(one, other): &(u8, u8)| one == other;
        let same = first.bytes().zip(name.bytes());
        head = head.min(same.take_while(is_same).count());
        let same = first.bytes().rev().zip(name.bytes().rev());
        tail = tail.min(same.take_while(is_same).count());
    }
    // Separators are ASCII, so no cut falls within a character.
    let bytes = first.as_bytes();
    let shared = bytes.get(..head).unwrap_or_default();
    let start = shared.iter().rposition(|byte| b"-./_".contains(byte));
    let start = start.map_or(0, |at| at + 1);
    let shared = bytes.get(first.len() - tail..).unwrap_or_default();
    let end = shared.iter().position(|byte| *byte == b'.');
    let end = end.map_or(0, |at| tail - at);
    let fits = |start: usize, end: usize| names.clone().all(|name| name.len() > start + end);
    let start = if start >= 3 && fits(start, 0) {
        start
    } else {
        0
    };
    let end = if end >= 3 && fits(start, end) { end } else { 0 };
    Shared { start, end }
}

/// A name without the shared bytes.
pub fn without(name: &str, shared: Shared) -> &str {
    let end = name.len().saturating_sub(shared.end);
    name.get(shared.start..end).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{HOSTNAME, asks, brief, held_back, requests, shared, unmet, without};
    use crate::scene::testing::{pods_near, resource};
    use berth_protocol::fact::AffinityTermKind;
    use berth_protocol::frame::{HeldBy, PodFrame};

    #[test]
    fn names_are_short_only_as_far_as_they_differ() {
        let short = |names: &[&'static str]| -> Vec<&'static str> {
            let cut = shared(names.iter().copied());
            names.iter().map(|name| without(name, cut)).collect()
        };
        assert_eq!(short(&["us-east-1a", "us-east-1b"]), ["1a", "1b"]);
        assert_eq!(short(&["cp-1", "node-1"]), ["cp-1", "node-1"]);
        assert_eq!(short(&["node-", "node-a"]), ["node-", "node-a"]);
        assert_eq!(short(&[]), Vec::<&str>::new());
        assert_eq!(short(&["zone-ä", "zone-ö"]), ["ä", "ö"]);
        let cloud = ["ip-10-0-1.eu.internal", "ip-10-0-17.eu.internal"];
        assert_eq!(short(&cloud), ["1", "17"]);
        assert_eq!(short(&["a.b.c", "a.b.c"]), ["c", "c"]);
    }

    #[test]
    fn a_shortage_names_what_is_missing() {
        let fact = resource("memory", 3 << 30, 2 << 30, 4 << 30);
        assert_eq!(brief(&fact), "memory short by 1 GiB");
        let none = resource("nvidia.com/gpu", 1, 0, 0);
        assert_eq!(brief(&none), "no nvidia.com/gpu");
        let of_pods = |term, key: &str, selector: &str| brief(&pods_near(term, key, 1, selector));
        let (near, away) = (AffinityTermKind::Affinity, AffinityTermKind::AntiAffinity);
        let existing = AffinityTermKind::ExistingAntiAffinity;
        assert_eq!(of_pods(near, HOSTNAME, "app=web"), "no app=web here");
        assert_eq!(of_pods(near, "zone", "app=web"), "no app=web in its zone");
        assert_eq!(of_pods(away, HOSTNAME, "a.b/app=web"), "app=web is here");
        assert_eq!(of_pods(away, "zone", "app=web"), "app=web is in its zone");
        assert_eq!(of_pods(existing, "zone", ""), "1 Pod keeps it away");
        let values = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
        let not = |operator: &str, values: Vec<String>| unmet("a.b/pool", operator, &values);
        assert_eq!(not("In", values(&["db"])), "pool is not db");
        assert_eq!(not("In", values(&[""])), "no pool label");
        assert_eq!(
            not("NotIn", values(&["db", "web"])),
            "pool is one of db, web"
        );
        assert_eq!(not("DoesNotExist", Vec::new()), "has a pool label");
        assert_eq!(not("Gt", values(&["4"])), "pool is not above 4");
    }

    #[test]
    fn a_pod_asks_for_all_that_it_requests() {
        let pod = PodFrame {
            milli_cpu: 2000,
            memory_bytes: 8 << 30,
            other_requests: [("nvidia.com/gpu".to_owned(), 1)].into(),
            ..PodFrame::default()
        };
        assert_eq!(
            asks(&requests(&pod)),
            "asks 2 CPU, 8Gi memory, 1 nvidia.com/gpu"
        );
        assert_eq!(asks(&requests(&PodFrame::default())), "asks for nothing");
    }

    #[test]
    fn a_pod_that_is_never_tried_says_why() {
        let gates = HeldBy::Gates(vec!["a.b/c".into()]);
        assert_eq!(
            held_back("web", &gates),
            "web waits for the gate a.b/c; remove it and it queues."
        );
        let other = HeldBy::Scheduler("volcano".into());
        assert_eq!(
            held_back("web", &other),
            "web belongs to the scheduler volcano, which is not simulated."
        );
    }
}
