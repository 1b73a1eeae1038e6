//! The expectations of a scenario, checked against the current moment.

mod asked;
mod moment;
mod nodes;
mod objects;
pub(crate) mod past;

use std::collections::BTreeSet;

use berth_core::api::manifests;
use berth_core::api::object::Manifest;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::scenario::{API_VERSION, Expectation};
use berth_core::api::source::SourceFile;
use berth_core::api::yaml::Target;
use berth_protocol::expectation::Outcome;
use berth_protocol::lesson::GoalValue;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;

use crate::pairing::scenario_of;
use crate::session::Session;
pub(crate) use asked::asked;
use moment::Moment;

/// Whether the sources have expectations.
pub fn are_given(session: &Session) -> bool {
    expected(session).next().is_some()
}

/// Every expectation of the sources, checked against this moment. Expectations of a run's end may be unmet before.
pub fn outcomes(session: &Session) -> Vec<Outcome> {
    let moment = Moment::now(session);
    let outcomes = expected(session).enumerate();
    let outcomes = outcomes.map(|(index, (document, number, expectation))| {
        let loaded = &session.manifests().loaded;
        let source = loaded
            .documents
            .get(document)
            .map(|document| &document.source);
        let path = format!("expectations[{number}]");
        let position = source.map(|source| loaded.position(source, &path, Target::Value));
        let file = source.and_then(|source| loaded.files.get(source.file));
        Outcome {
            index,
            file: file.map(|file| file.name.clone()).unwrap_or_default(),
            line: position.map_or(1, |position| position.line),
            column: position.map_or(1, |position| position.column),
            ..outcome(session, &moment, expectation)
        }
    });
    outcomes.collect()
}

/// These expectations, not those of a file, checked against this moment.
pub fn check(session: &Session, expectations: &[Expectation]) -> Vec<Outcome> {
    let moment = Moment::now(session);
    let outcomes = expectations
        .iter()
        .enumerate()
        .map(|(index, expectation)| Outcome {
            index,
            ..outcome(session, &moment, expectation)
        });
    outcomes.collect()
}

/// Reads expectations as a `Scenario` has them, from a list in YAML.
///
/// # Errors
/// The problems of the list, if one is an error.
pub fn read(list: &str) -> Result<Vec<Expectation>, Vec<Problem>> {
    let text = format!("apiVersion: {API_VERSION}\nkind: Scenario\nexpectations: {list}\n");
    let file = SourceFile::new("expectations", text);
    let manifests = manifests::read(&[file], &PrepareOptions::default());
    if manifests.has_errors() {
        return Err(manifests.problems);
    }
    let scenario = scenario_of(&manifests.loaded);
    let expectations = scenario.and_then(|scenario| scenario.expectations.clone());
    Ok(expectations.unwrap_or_default())
}

/// The Pods (`namespace/name`) that these expectations concern at this moment.
pub fn concerned(session: &Session, expectations: &[Expectation]) -> BTreeSet<String> {
    let moment = Moment::now(session);
    let pods = expectations.iter().flat_map(|it| moment.concerned(it));
    pods.collect()
}

/// What each of these expectations counts at this moment.
pub(crate) fn counted(session: &Session, expectations: &[Expectation]) -> Vec<Option<GoalValue>> {
    let moment = Moment::now(session);
    let counted = expectations.iter().map(|it| moment.counted(it));
    counted.collect()
}

/// An object at this moment, by `Kind/name` or `Kind/namespace/name`.
pub(crate) fn object(session: &Session, name: &str) -> Option<serde_json::Value> {
    Moment::now(session).object(name)
}

fn outcome(session: &Session, moment: &Moment, expectation: &Expectation) -> Outcome {
    let why = why_unmet(session, moment, expectation);
    Outcome {
        index: 0,
        expected: asked(expectation),
        met: why.is_none(),
        why: why.unwrap_or_default(),
        file: String::new(),
        line: 1,
        column: 1,
    }
}

/// Why the expectation is not met; `None` if it is.
fn why_unmet(session: &Session, moment: &Moment, expectation: &Expectation) -> Option<Remark> {
    if let Some(others) = &expectation.one_of {
        let whys = others.iter().map(|other| why_unmet(session, moment, other));
        let whys: Option<Vec<Remark>> = whys.collect();
        let mut whys = whys?;
        whys.dedup();
        return whys.into_iter().reduce(Remark::neither);
    }
    let now = moment.check(expectation);
    if now.is_some() || expectation.is_plain() {
        return now;
    }
    crate::expectations::past::why_not_before(session, expectation)
}

/// Expectations with the index of their document and their number in it.
fn expected(session: &Session) -> impl Iterator<Item = (usize, usize, &Expectation)> {
    let documents = session.manifests().loaded.documents.iter().enumerate();
    documents.flat_map(|(document, content)| {
        let expectations = match content.object.as_deref() {
            Some(Manifest::Scenario(scenario)) => scenario.expectations.as_deref(),
            _ => None,
        };
        expectations
            .unwrap_or_default()
            .iter()
            .enumerate()
            .map(move |(number, expectation)| (document, number, expectation))
    })
}

#[cfg(test)]
mod tests;
