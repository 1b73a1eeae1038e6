//! Two runs of one draft that come out differently for a Pod.
//!
//! A draft has the documents of both. What only the second run reads, a scheduler configuration, is of a kind of its own there,
//! so that delta debugging makes it smaller, too.

use std::collections::BTreeSet;

use berth_protocol::cycle::Cycle;
use berth_protocol::reduce::DiffersBy;
use berth_protocol::remark::Remark;
use berth_sim::run::Attempt;
use serde_json::{Map, Value, json};

use super::essence::Essence;
use super::objects::head;
use super::trial::{Trial, play};
use crate::cluster_word;
use crate::session::{Options, Session};

const CONFIGURATION: &str = "KubeSchedulerConfiguration";
/// The kind of the second run's configuration in a draft.
const CONFIGURATION_OF_B: &str = "KubeSchedulerConfiguration of side b";

/// The second run.
pub(super) struct Other {
    /// The attempt in the whole cluster.
    pub cycle: Cycle,
    pub essence: Essence,
    /// The Scenario that it reads.
    scenario: Value,
    /// Its configuration, as a draft has it.
    configuration: Option<Value>,
    /// It reads the configuration of the first run.
    shares_configuration: bool,
}

impl Other {
    /// The second run, beside the first. `cycle`: its attempt.
    pub fn new(a: &Session, b: &Session, cycle: Cycle) -> Self {
        let [a, b] = [a, b].map(|session| {
            let mut head = head(session).into_iter();
            (head.next().unwrap_or_default(), head.next())
        });
        let shares_configuration = a.1 == b.1;
        let configuration = b.1.filter(|_| !shares_configuration).map(|mut document| {
            document["kind"] = CONFIGURATION_OF_B.into();
            document
        });
        Self {
            essence: Essence::of(&cycle, &BTreeSet::new()),
            cycle,
            scenario: b.0,
            configuration,
            shares_configuration,
        }
    }

    /// Adds what only this run reads to the documents of the first.
    pub fn add_to(&self, documents: &mut Vec<Value>) {
        documents.extend(self.configuration.clone());
    }

    /// The documents of this run.
    fn documents(&self, draft: &[Value]) -> Vec<Value> {
        let documents = draft.iter().skip(1).filter_map(|document| {
            let kind = kind_of(document);
            match self.shares_configuration {
                false if kind == Some(CONFIGURATION) => None,
                _ if kind == Some(CONFIGURATION_OF_B) => Some(with_true_kind(document)),
                _ => Some(document.clone()),
            }
        });
        [self.scenario.clone()]
            .into_iter()
            .chain(documents)
            .collect()
    }

    /// Plays a draft as this run.
    pub fn play(&self, draft: &[Value], options: &Options, pod: &str) -> Option<Trial> {
        play(&self.documents(draft), options, pod)
    }

    /// Whether a draft comes to the same in this run.
    pub fn holds(&self, draft: &[Value], options: &Options, pod: &str) -> bool {
        let trial = self.play(draft, options, pod);
        trial.is_some_and(|trial| self.essence.holds(&trial.cycle))
    }

    /// What differs between the first run and this one.
    pub fn differs_by(&self, draft: &[Value]) -> DiffersBy {
        let release = |scenario: Option<&Value>| {
            let release = scenario.and_then(|scenario| scenario.get("kubernetes"));
            release
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let (a, b) = (release(draft.first()), release(Some(&self.scenario)));
        match a == b {
            true => DiffersBy::Configuration,
            false => DiffersBy::Kubernetes { a, b },
        }
    }

    /// The side of a comparison that is this run: what differs from the draft's Scenario, and its configuration.
    pub fn side(&self, draft: &[Value]) -> Value {
        let mut side = Map::new();
        let first = draft.first();
        for field in ["kubernetes", "featureGates"] {
            let own = self.scenario.get(field);
            if own != first.and_then(|scenario| scenario.get(field)) {
                side.insert(field.to_owned(), own.cloned().unwrap_or_else(|| json!({})));
            }
        }
        let mut documents = draft.iter();
        if let Some(document) = documents.find(|it| kind_of(it) == Some(CONFIGURATION_OF_B)) {
            side.insert("config".to_owned(), with_true_kind(document));
        }
        Value::Object(side)
    }
}

/// The documents of the first run.
pub(super) fn of_first(draft: &[Value]) -> Vec<Value> {
    let documents = draft.iter();
    let own = documents.filter(|it| kind_of(it) != Some(CONFIGURATION_OF_B));
    own.cloned().collect()
}

/// All documents under the kinds that they have in a file.
pub(super) fn with_true_kinds(draft: &[Value]) -> Vec<Value> {
    draft.iter().map(with_true_kind).collect()
}

/// The same documents under the kinds of a draft.
pub(super) fn with_kinds_of(draft: &[Value], documents: Vec<Value>) -> Vec<Value> {
    let pairs = documents.into_iter().zip(draft);
    let kinds = pairs.map(|(mut document, before)| {
        if kind_of(before) == Some(CONFIGURATION_OF_B) {
            document["kind"] = CONFIGURATION_OF_B.into();
        }
        document
    });
    kinds.collect()
}

fn with_true_kind(document: &Value) -> Value {
    let mut document = document.clone();
    if kind_of(&document) == Some(CONFIGURATION_OF_B) {
        document["kind"] = CONFIGURATION.into();
    }
    document
}

fn kind_of(document: &Value) -> Option<&str> {
    document.get("kind").and_then(Value::as_str)
}

/// The first attempts of the runs that come out differently, by their positions in the logs: of this Pod (`namespace/name`),
/// or of any. Where a Pod lands, or that it waits, counts before why it waits. Both runs are at their ends.
///
/// # Errors
/// If nothing differs, or another Pod differs before.
pub(super) fn first_difference(
    a: &Session,
    b: &Session,
    pod: Option<&str>,
) -> Result<(usize, usize), Remark> {
    let is_asked = |attempt: &Attempt| pod.is_none_or(|pod| attempt.key == pod);
    let mut worded = None;
    for ((at_a, a), (at_b, b)) in a.attempts().zip(b.attempts()) {
        if a.key != b.key || a.node() != b.node() || victims(a) != victims(b) {
            return match a.key == b.key && is_asked(a) && victims(a) == victims(b) {
                true => Ok((at_a, at_b)),
                false => worded.ok_or_else(|| Remark::reduces_after_another(&a.key)),
            };
        }
        let differs = match (a.message(), b.message()) {
            (Some(a), Some(b)) => !cluster_word::agree(a, b),
            _ => false,
        };
        if differs && is_asked(a) {
            worded.get_or_insert((at_a, at_b));
        }
    }
    worded.ok_or_else(Remark::reduces_no_difference)
}

fn victims(attempt: &Attempt) -> Vec<String> {
    let victims = attempt.victims.iter();
    victims.map(|victim| victim.object.key()).collect()
}
