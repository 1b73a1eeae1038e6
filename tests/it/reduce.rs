//! The smallest cases of waiting Pods, in recorded scenarios of every kind of plugin: claim and counterfactual hold when the
//! file is tested, no part of it can go, and nothing of what it came from can be read in it.

use std::collections::{BTreeMap, BTreeSet};

use berth_base::random::Random;
use berth_session::reduce::{Reduced, Reduction};
use berth_session::{Options, Session, SourceFile, case};
use serde_json::Value;

use crate::conformance::corpus;

const SEED: u64 = 32;
/// One scenario in so many, at random.
const ONE_IN: u64 = 60;
const ONE_IN_OF_ALL: u64 = 4;

#[test]
fn waiting_pods_of_recorded_scenarios_are_reduced() {
    let counts = sample(ONE_IN);
    assert!(counts.cases >= 8, "{counts:?}");
}

#[test]
#[ignore = "takes minutes"]
fn waiting_pods_of_many_recorded_scenarios_are_reduced() {
    let counts = sample(ONE_IN_OF_ALL);
    assert!(counts.cases >= 150, "{counts:?}");
    assert!(counts.by_plugin.len() >= 8, "{counts:?}");
}

/// What became of the waiting Pods of a sample.
#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    /// Why some were not reduced.
    refused: BTreeMap<String, usize>,
    /// Cases, and those with a counterfactual, by the first plugin of the claim.
    by_plugin: BTreeMap<String, (usize, usize)>,
    nodes: Vec<usize>,
    lines: Vec<usize>,
}

fn sample(one_in: u64) -> Counts {
    let mut random = Random::new(SEED);
    let mut counts = Counts::default();
    for scenario in corpus::cases() {
        if random.below(one_in) > 0 {
            continue;
        }
        let mut session = Session::new(Options::default());
        assert!(session.apply(&[SourceFile::new("it.yaml", scenario.yaml.as_str())]));
        session.run_to_end();
        let mut waiting = session.attempts().filter(|(_, it)| it.node().is_none());
        let Some((_, attempt)) = waiting.next() else {
            continue;
        };
        let Some(position) = session.attempt_of(&attempt.key) else {
            continue;
        };
        match reduce(&session, position) {
            Ok(reduced) => {
                check(&reduced, &scenario.yaml, &scenario.name);
                counts.add(&reduced);
            }
            Err(why) => *counts.refused.entry(why).or_default() += 1,
        }
    }
    counts.nodes.sort_unstable();
    counts.lines.sort_unstable();
    let refused: usize = counts.refused.values().sum();
    assert!(refused * 10 <= counts.cases, "{counts:?}");
    let median = |all: &[usize]| all.get(all.len() / 2).copied().unwrap_or(0);
    assert!(median(&counts.nodes) <= 4, "{counts:?}");
    assert!(median(&counts.lines) <= 30, "{counts:?}");
    counts
}

impl Counts {
    fn add(&mut self, reduced: &Reduced) {
        self.cases += 1;
        let reasons = reduced.case.claim.reasons.as_deref().unwrap_or_default();
        let plugin = reasons.first().map_or("", |reason| &reason.plugin);
        let of_plugin = self.by_plugin.entry(plugin.to_owned()).or_default();
        of_plugin.0 += 1;
        of_plugin.1 += usize::from(reduced.case.counterfactual.is_some());
        self.nodes.push(reduced.shown.to.nodes);
        let objects = reduced
            .shown
            .text
            .split_once("---\n")
            .map_or("", |(_, it)| it);
        self.lines.push(objects.lines().count());
    }
}

fn reduce(session: &Session, position: usize) -> Result<Reduced, String> {
    let mut reduction = Reduction::begin(session, position).map_err(|why| why.to_string())?;
    while reduction.advance(1_000) {}
    reduction.finish(None, None).map_err(|why| why.to_string())
}

#[track_caller]
fn check(reduced: &Reduced, from: &str, name: &str) {
    let problems = case::test(
        &SourceFile::new("case.yaml", reduced.shown.text.as_str()),
        &[1, 2],
    );
    let errors: Vec<_> = problems
        .iter()
        .filter(|problem| problem.is_error())
        .collect();
    assert!(
        errors.is_empty(),
        "{name}: {errors:?}\n{}",
        reduced.shown.text
    );
    let private = private(from);
    let words = words(&reduced.shown.text);
    let left: Vec<&String> = private
        .iter()
        .filter(|it| words.contains(it.as_str()))
        .collect();
    assert!(left.is_empty(), "{name}: {left:?}\n{}", reduced.shown.text);
}

/// The words of a text, as names are made of them.
fn words(text: &str) -> BTreeSet<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
    text.split(|letter: char| !is_word(letter)).collect()
}

/// The names, label keys, label values, images and addresses of manifests that only their cluster has.
fn private(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for document in text.split("\n---\n") {
        let value: Value = serde_yaml::from_str(document).unwrap_or_default();
        names_in(&value, "", &mut all);
    }
    all
}

fn names_in(value: &Value, field: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| names_in(item, field, all)),
        Value::Object(map) => {
            for (key, value) in map {
                names_in(value, key, all);
                if field == "labels" && is_private(key) {
                    all.insert(key.clone());
                }
                if let (true, Value::String(text)) = (field == "labels", value) {
                    all.extend(is_private(text).then(|| text.clone()));
                }
            }
        }
        Value::String(text) if matches!(field, "name" | "namespace" | "image" | "hostIP") => {
            all.extend(is_private(text).then(|| text.clone()));
        }
        _ => {}
    }
}

/// Whether it names something of one cluster: not everybody's, and no name that a case may give, such as `zone-a`.
fn is_private(text: &str) -> bool {
    let known = [
        "kubernetes.io",
        "k8s.io",
        "nvidia.com",
        "kube-system",
        "ephemeral-storage",
        "127.0.0.1",
        "0.0.0.0",
    ];
    let last = text.rsplit('-').next().unwrap_or_default();
    let is_given = last.len() == 1 && last.chars().all(char::is_alphabetic);
    let is_number = text.parse::<f64>().is_ok();
    let is_known = known.iter().any(|it| text.contains(it));
    text.contains(['-', '.', '/']) && !is_number && !is_known && !is_given
}
