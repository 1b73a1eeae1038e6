//! Reads lessons and their translations.

use std::sync::Arc;

use serde_json::{Map, Value};

use berth_core::api::decode::Finding;
use berth_core::api::load::{Loaded, load};
use berth_core::api::manifests::{Manifests, read};
use berth_core::api::object::Manifest;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::scenario::Texts;
use berth_core::api::source::SourceFile;
use berth_core::api::source::{Position, Source};
use berth_core::api::yaml;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;

use super::Lesson;

/// The fields of a `Scenario` that its cluster depends on.
const OF_CLUSTER: [&str; 5] = ["apiVersion", "kind", "title", "kubernetes", "featureGates"];

/// What the `Scenario` of a file tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    /// That its expectations are met.
    Expectations,
    /// The rules of lessons.
    Lesson,
    /// That its claim holds, and that its counterfactual helps.
    Case,
}

/// What a file tests; `None` if it has no `Scenario`, or one that expects nothing.
pub fn tests(file: &SourceFile) -> Option<Tests> {
    if !file.text.contains("Scenario") {
        return None;
    }
    let loaded = load(std::slice::from_ref(file));
    let scenario = crate::pairing::scenario_of(&loaded)?;
    let expects = scenario.expectations.iter().flatten().next().is_some();
    match (scenario.is_lesson(), scenario.case().0, expects) {
        (true, _, _) => Some(Tests::Lesson),
        (false, Some(_), _) => Some(Tests::Case),
        (false, None, true) => Some(Tests::Expectations),
        (false, None, false) => None,
    }
}

impl Lesson {
    /// Reads a lesson.
    ///
    /// # Errors
    /// The problems of the file, if one is an error.
    pub fn read(file: &SourceFile) -> Result<Self, Vec<Problem>> {
        let manifests = read(std::slice::from_ref(file), &PrepareOptions::default());
        if manifests.has_errors() {
            return Err(manifests.problems);
        }
        let Manifests { loaded, .. } = manifests;
        let first = loaded.documents.first();
        let scenario = match first.and_then(|first| first.object.as_deref()) {
            Some(Manifest::Scenario(scenario)) if scenario.is_lesson() => scenario.clone(),
            _ => {
                let source = first.map(|first| first.source.clone()).unwrap_or_default();
                let finding = Finding::error("", Remark::no_lesson());
                return Err(vec![loaded.problem(&source, finding)]);
            }
        };
        // Validation has reported its findings.
        let (parts, _) = scenario.lesson();
        Ok(Self {
            slug: String::new(),
            sources: vec![start(file, &loaded)],
            scenario: *scenario,
            parts,
            loaded,
        })
    }

    /// Puts the texts of a translation in place of the lesson's own. Where they do not fit, the lesson's own stay.
    pub fn translate(&mut self, file: &SourceFile) -> Vec<Problem> {
        let loaded = Loaded {
            files: vec![file.clone()],
            ..Loaded::default()
        };
        let source = Source {
            range: 0..file.text.len(),
            start: Position { line: 1, column: 1 },
            ..Source::default()
        };
        let problem = |finding| loaded.problem(&source, finding);
        let value = match yaml::parse(&file.text) {
            Ok(parsed) => parsed.value,
            Err(error) => {
                let finding = Finding::error("", error.message).help(error.help);
                let mut problem = problem(finding);
                (problem.line, problem.column) = (error.position.line, error.position.column);
                return vec![problem];
            }
        };
        let (texts, mut findings) = Texts::decode(&value);
        if let Some(texts) = texts {
            findings.extend(texts.put(&mut self.scenario, &mut self.parts));
        }
        findings.into_iter().map(problem).collect()
    }

    /// A problem at a field of the lesson's document.
    pub(super) fn problem(&self, path: &str, message: impl Into<Remark>) -> Problem {
        let source = self.loaded.documents.first();
        let source = source.map(|first| first.source.clone()).unwrap_or_default();
        self.loaded.problem(&source, Finding::error(path, message))
    }
}

/// The file as the learner gets it: without texts, goals and answers.
pub(super) fn start(file: &SourceFile, loaded: &Loaded) -> SourceFile {
    let Some(first) = loaded.documents.first() else {
        return file.clone();
    };
    let text = loaded.text(&first.source);
    let own = yaml::parse(text)
        .map(|parsed| parsed.value)
        .unwrap_or_default();
    let kept = OF_CLUSTER.iter().filter_map(|name| {
        let value = own.get(name)?;
        Some(((*name).to_owned(), value.clone()))
    });
    let kept: Map<String, Value> = kept.collect();
    let mut start = yaml::emit(&Value::Object(kept));
    if let Some(rest) = file.text.get(first.source.range.end..) {
        start.push_str(rest);
    }
    SourceFile {
        text: Arc::from(start),
        ..file.clone()
    }
}
