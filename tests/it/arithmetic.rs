//! The arithmetic that is shown of a score is the one that kube-scheduler did: the formula, evaluated with the inputs
//! shown, gives the recorded raw, normalized and weighted score, for every Score plugin and release.

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::cycle::{Cycle, PluginScore};
use berth_protocol::score::{Arithmetic, Formula, Input, Normalization};
use berth_scheduler::release::Version;
use serde_json::Value;

use crate::conformance::corpus::{Case, cases};
use crate::conformance::{options, session};
use crate::{conformance_135, conformance_136, conformance_devices, conformance_wild};
use berth_session::explain;

/// What the arithmetic of a corpus was made of.
#[derive(Debug, Default)]
struct Seen {
    /// Formulas with how many scores they gave that are not 0.
    formulas: BTreeMap<&'static str, usize>,
    normalizations: BTreeSet<&'static str>,
    /// Plugins with how many scores they gave that are not 0.
    plugins: BTreeMap<String, usize>,
    /// Inputs that name the Pods that they count.
    counting: BTreeSet<&'static str>,
}

/// Evaluates the arithmetic of one feasible node of every attempt, another one from attempt to attempt.
#[track_caller]
fn assert_arithmetic(cases: &[Case], version: Version) -> Seen {
    let mut seen = Seen::default();
    for case in cases {
        let recorded: Value = serde_json::from_str(&case.json).expect("JSON");
        let mut session = session(case, options(version, true, 0));
        let attempts = recorded["attempts"].as_array().expect("attempts");
        for (number, attempt) in attempts.iter().enumerate() {
            let place = format!("{}, attempt {number}", case.name);
            if let Some(scores) = attempt["scores"].as_object() {
                let (node, scores) = scores.iter().nth(number % scores.len()).expect("a node");
                let cycle = explain::with_node(&session, session.position(), node);
                let cycle = cycle.unwrap_or_else(|error| panic!("{place}: {error}"));
                let plugins = scores["plugins"].as_object().expect("plugins");
                for (plugin, numbers) in plugins {
                    let place = format!("{place}, {node}, {plugin}");
                    assert_score(score(&cycle, node, plugin), numbers, &place, &mut seen);
                }
            }
            assert!(session.step(), "{place}");
        }
    }
    seen
}

fn score<'a>(cycle: &'a Cycle, node: &str, plugin: &str) -> &'a PluginScore {
    let mut nodes = cycle.scores.iter().flatten();
    let plugins = nodes.find(|it| it.node == node).map(|it| &it.plugins);
    let mut plugins = plugins.into_iter().flatten();
    plugins.find(|it| it.plugin == plugin).expect("a score")
}

#[track_caller]
fn assert_score(score: &PluginScore, recorded: &Value, place: &str, seen: &mut Seen) {
    let arithmetic = score.arithmetic.as_deref();
    let arithmetic = arithmetic.unwrap_or_else(|| panic!("{place}: no arithmetic"));
    let (raw, normalized) = (arithmetic.raw(), arithmetic.normalized());
    assert_eq!(
        [raw, normalized, normalized * score.weight].map(Value::from),
        ["raw", "normalized", "weighted"].map(|key| recorded[key].clone()),
        "{place}: {arithmetic:?}"
    );
    let scores = seen.formulas.entry(formula(arithmetic)).or_default();
    *scores += usize::from(raw != 0);
    let scores = seen.plugins.entry(score.plugin.clone()).or_default();
    *scores += usize::from(raw != 0);
    seen.normalizations
        .insert(normalization(arithmetic.normalization));
    for input in &arithmetic.inputs {
        let (kind, count) = match &input.kind {
            Input::Spread { count, .. } => ("spread", *count),
            Input::PodTerm { count, .. } => ("podTerm", *count),
            _ => continue,
        };
        let left_out = arithmetic.formula == Formula::LeftOut;
        assert!(
            left_out || i64::try_from(input.pods.len()) == Ok(count),
            "{place}: {input:?}"
        );
        if !input.pods.is_empty() {
            seen.counting.insert(kind);
        }
    }
}

fn formula(arithmetic: &Arithmetic) -> &'static str {
    match arithmetic.formula {
        Formula::UntoleratedTaints => "untoleratedTaints",
        Formula::PreferredTerms => "preferredTerms",
        Formula::LeastAllocated => "leastAllocated",
        Formula::MostAllocated => "mostAllocated",
        Formula::RequestedToCapacityRatio { .. } => "requestedToCapacityRatio",
        Formula::Balance => "balance",
        Formula::BalanceChange => "balanceChange",
        Formula::Spread => "spread",
        Formula::PodTerms => "podTerms",
        Formula::ImageSizes { .. } => "imageSizes",
        Formula::Alternatives => "alternatives",
        Formula::Zero => "zero",
        Formula::LeftOut => "leftOut",
    }
}

fn normalization(of: Normalization) -> &'static str {
    match of {
        Normalization::Unchanged => "unchanged",
        Normalization::ByMaximum { .. } => "byMaximum",
        Normalization::Reversed { .. } => "reversed",
        Normalization::Mirrored { .. } => "mirrored",
        Normalization::Between { .. } => "between",
    }
}

/// Formulas that all releases have, each with scores that are not 0.
const COMMON: [&str; 8] = [
    "imageSizes",
    "leastAllocated",
    "mostAllocated",
    "podTerms",
    "preferredTerms",
    "requestedToCapacityRatio",
    "spread",
    "untoleratedTaints",
];

/// The Score plugins of the default profile. VolumeBinding gives points only behind a gate that is off, DynamicResources
/// only to claims with alternatives.
const PLUGINS: [&str; 7] = [
    "ImageLocality",
    "InterPodAffinity",
    "NodeAffinity",
    "NodeResourcesBalancedAllocation",
    "NodeResourcesFit",
    "PodTopologySpread",
    "TaintToleration",
];

#[track_caller]
fn assert_seen(seen: &Seen, balance: &'static str) {
    for name in COMMON.into_iter().chain([balance]) {
        assert!(seen.formulas.get(name) > Some(&0), "{name}: {seen:?}");
    }
    let scoring = seen.plugins.iter().filter(|(_, scores)| **scores > 0);
    let scoring: Vec<&str> = scoring.map(|(plugin, _)| plugin.as_str()).collect();
    for plugin in PLUGINS {
        assert!(scoring.contains(&plugin), "{plugin}: {scoring:?}");
    }
    let all = ["between", "byMaximum", "mirrored", "reversed", "unchanged"];
    assert_eq!(seen.normalizations, BTreeSet::from(all));
    assert_eq!(seen.counting, BTreeSet::from(["podTerm", "spread"]));
}

#[test]
#[ignore = "plays the largest corpus once more"]
fn scores_of_v1_34_are_the_formula_of_their_inputs() {
    let seen = assert_arithmetic(&cases(), Version::V1_34);
    assert_seen(&seen, "balance");
    assert!(seen.formulas.contains_key("leftOut"), "{seen:?}");
}

/// One in so many cases of the largest corpus is played daily.
const SOME: usize = 12;

#[test]
fn scores_of_some_of_v1_34_are_the_formula_of_their_inputs() {
    let cases: Vec<Case> = cases().into_iter().step_by(SOME).collect();
    assert_seen(&assert_arithmetic(&cases, Version::V1_34), "balance");
}

#[test]
fn scores_of_v1_35_are_the_formula_of_their_inputs() {
    let cases = conformance_135::cases();
    let seen = assert_arithmetic(&cases, Version::V1_35);
    assert_seen(&seen, "balance");
    assert!(seen.formulas.contains_key("leftOut"), "{seen:?}");
}

#[test]
fn scores_of_v1_36_are_the_formula_of_their_inputs() {
    let cases = conformance_136::cases();
    let seen = assert_arithmetic(&cases, Version::V1_36);
    assert_seen(&seen, "balanceChange");
    assert!(seen.formulas.contains_key("leftOut"), "{seen:?}");
}

#[test]
fn scores_of_wild_clusters_are_the_formula_of_their_inputs() {
    let seen = assert_arithmetic(&conformance_wild::cases(), Version::V1_34);
    assert!(seen.formulas.get("spread") > Some(&0), "{seen:?}");
}

#[test]
fn scores_of_devices_are_the_formula_of_their_inputs() {
    assert_arithmetic(&conformance_devices::cases(), Version::V1_34);
    let seen = assert_arithmetic(&conformance_devices::cases_136(), Version::V1_36);
    assert!(seen.formulas.get("alternatives") > Some(&0), "{seen:?}");
    assert!(seen.plugins.get("DynamicResources") > Some(&0), "{seen:?}");
}
