//! The texts of a lesson in another language: a file beside it.

use berth_protocol::remark::Remark;
use serde::Deserialize;
use serde_json::Value;

use super::{Lesson, Scenario};
use crate::api::decode::{Finding, decode};

/// The texts of a lesson in one language, in the order of the lesson's own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Texts {
    pub title: Option<String>,
    pub description: Option<String>,
    pub task: Option<String>,
    pub hints: Option<Vec<String>>,
    /// Feedback on each wrong answer: texts, or maps with `say`.
    pub wrong: Option<Vec<Value>>,
    /// Maps with `say`, and with `wrong` where particular answers have feedback.
    pub predict: Option<Vec<PredictTexts>>,
    /// The note of each step: texts, maps with `note`, or `null` for a step without one.
    pub solution: Option<Vec<Value>>,
    /// The words of each goal: texts, maps with `words`, or `null` for a goal without.
    pub expectations: Option<Vec<Value>>,
}

/// The texts of a question.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PredictTexts {
    /// Named like the lesson's own, to identify the question.
    pub pod: Option<String>,
    pub ask: Option<String>,
    pub say: String,
    /// Texts, or maps with `say`.
    pub wrong: Vec<Value>,
}

impl Texts {
    /// Reads a document of texts.
    pub fn decode(value: &Value) -> (Option<Self>, Vec<Finding>) {
        let (texts, findings) = decode::<Self>(value);
        (texts.map(|texts| *texts), findings)
    }

    /// Puts the texts in place of a lesson's own. Where they do not fit, the lesson's own stay, and the findings say
    /// so.
    pub fn put(self, scenario: &mut Scenario, lesson: &mut Lesson) -> Vec<Finding> {
        let mut findings = Vec::new();
        replace("title", self.title, &mut scenario.title, &mut findings);
        let description = &mut scenario.description;
        replace("description", self.description, description, &mut findings);
        replace("task", self.task, &mut scenario.task, &mut findings);
        let own = scenario.hints.get_or_insert_default();
        let hints = self.hints.unwrap_or_default();
        if fits("hints", hints.len(), own.len(), &mut findings) {
            *own = hints;
        }
        let wrong = self.wrong.unwrap_or_default();
        if fits("wrong", wrong.len(), lesson.wrong.len(), &mut findings) {
            for (index, (own, text)) in lesson.wrong.iter_mut().zip(&wrong).enumerate() {
                let path = format!("wrong[{index}]");
                put_text(&path, "say", text, &mut own.say, &mut findings);
            }
        }
        put_predict(self.predict.unwrap_or_default(), lesson, &mut findings);
        let notes = self.solution.unwrap_or_default();
        let has_notes = lesson.solution.iter().any(|step| step.note.is_some());
        if (has_notes || !notes.is_empty())
            && fits(
                "solution",
                notes.len(),
                lesson.solution.len(),
                &mut findings,
            )
        {
            for (index, (step, text)) in lesson.solution.iter_mut().zip(&notes).enumerate() {
                put_optional(
                    &format!("solution[{index}]"),
                    "note",
                    text,
                    &mut step.note,
                    &mut findings,
                );
            }
        }
        let words = self.expectations.unwrap_or_default();
        let own = scenario.expectations.get_or_insert_default();
        if fits("expectations", words.len(), own.len(), &mut findings) {
            for (index, (goal, text)) in own.iter_mut().zip(&words).enumerate() {
                let path = format!("expectations[{index}]");
                put_optional(&path, "words", text, &mut goal.words, &mut findings);
            }
        }
        findings
    }
}

fn put_predict(texts: Vec<PredictTexts>, lesson: &mut Lesson, findings: &mut Vec<Finding>) {
    if !fits("predict", texts.len(), lesson.predict.len(), findings) {
        return;
    }
    for (index, (own, texts)) in lesson.predict.iter_mut().zip(texts).enumerate() {
        let path = format!("predict[{index}]");
        own.say = texts.say;
        let path = format!("{path}.wrong");
        if fits(&path, texts.wrong.len(), own.wrong.len(), findings) {
            for (index, (own, text)) in own.wrong.iter_mut().zip(&texts.wrong).enumerate() {
                let path = format!("{path}[{index}]");
                put_text(&path, "say", text, &mut own.say, findings);
            }
        }
    }
}

/// Replaces a text that both have, or neither.
fn replace(
    name: &str,
    text: Option<String>,
    own: &mut Option<String>,
    findings: &mut Vec<Finding>,
) {
    match (&text, &own) {
        (Some(_), Some(_)) => *own = text,
        (None, None) => {}
        (None, Some(_)) => findings.push(Finding::error(name, Remark::translation_missing())),
        (Some(_), None) => findings.push(Finding::error(name, Remark::no_such_text())),
    }
}

/// Whether two lists have the same length.
fn fits(name: &str, length: usize, own: usize, findings: &mut Vec<Finding>) -> bool {
    if length != own {
        let message = Remark::translation_differs(own, length);
        findings.push(Finding::error(name, message));
    }
    length == own
}

/// The text of an entry: itself, or in its field.
fn text_of<'t>(field: &str, value: &'t Value) -> Option<&'t str> {
    value.as_str().or_else(|| value.get(field)?.as_str())
}

fn put_text(path: &str, field: &str, value: &Value, own: &mut String, findings: &mut Vec<Finding>) {
    match text_of(field, value) {
        Some(text) => text.clone_into(own),
        None => findings.push(Finding::error(path, Remark::text_or_field(field))),
    }
}

fn put_optional(
    path: &str,
    field: &str,
    value: &Value,
    own: &mut Option<String>,
    findings: &mut Vec<Finding>,
) {
    match (text_of(field, value), own.is_some()) {
        (Some(text), _) => *own = Some(text.to_owned()),
        (None, true) => findings.push(Finding::error(path, Remark::translation_missing())),
        (None, false) => {}
    }
}
