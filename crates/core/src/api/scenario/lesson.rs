//! The parts of a lesson.

use berth_protocol::remark::Remark;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Expectation, Lock, Scenario};
use crate::api::decode::{Finding, decode};

/// The parts of a [`Scenario`] that make it a lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lesson {
    pub locked: Vec<Lock>,
    /// Leads from the start to the goals.
    pub solution: Vec<Step>,
    /// Typical wrong answers.
    pub wrong: Vec<Wrong>,
    pub predict: Vec<Predict>,
}

/// One step of a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub action: Action,
    /// Why it is taken.
    pub note: Option<String>,
    /// The command has to fail: it is a wrong answer that the cluster refuses.
    pub fails: bool,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs lines of the terminal.
    Run(String),
    /// Writes manifests into the sources: an object of the same name is replaced.
    Apply(String),
}

/// A typical wrong answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// The steps that lead to it, for tests.
    pub steps: Vec<Step>,
    /// Recognises the state that it leads to.
    pub when: Vec<Expectation>,
    /// Markdown.
    pub say: String,
}

/// A question before a Pod is scheduled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Predict {
    /// `name` or `namespace/name`.
    pub pod: String,
    /// `node`: where the Pod goes; `victims`: which Pods it preempts; `why`: which plugin keeps it waiting.
    pub ask: String,
    /// Feedback on particular answers.
    pub wrong: Vec<PredictWrong>,
    /// Why it is so. Markdown.
    pub say: String,
}

/// A wrong answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PredictWrong {
    /// A node, a Pod or a plugin.
    pub answer: String,
    /// Markdown.
    pub say: String,
}

/// The values of `ask`.
pub const ASKED: [&str; 3] = ["node", "victims", "why"];

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Parts {
    locked: Vec<String>,
    solution: Vec<Value>,
    wrong: Vec<WrongForm>,
    predict: Vec<Predict>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WrongForm {
    steps: Vec<Value>,
    when: Vec<Expectation>,
    say: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StepForm {
    run: Option<String>,
    apply: Option<String>,
    note: Option<String>,
    fails: bool,
}

impl Scenario {
    /// Whether it has a part of a lesson.
    pub fn is_lesson(&self) -> bool {
        let parts = [&self.locked, &self.solution, &self.wrong, &self.predict];
        parts.iter().any(|part| !part.is_null())
    }

    /// Whether it opens as a simulated cluster.
    pub fn is_live(&self) -> bool {
        self.mode.as_deref() == Some("live")
    }

    /// The lesson in it, as far as it can be read, and what is wrong with it, by path.
    #[inline(never)]
    pub fn lesson(&self) -> (Lesson, Vec<Finding>) {
        let parts = [
            ("locked", &self.locked),
            ("solution", &self.solution),
            ("wrong", &self.wrong),
            ("predict", &self.predict),
        ];
        let given = parts.into_iter().filter(|(_, part)| !part.is_null());
        let given: Map<String, Value> = given
            .map(|(name, part)| (name.to_owned(), part.clone()))
            .collect();
        let (parts, mut findings) = decode::<Parts>(&Value::Object(given));
        let parts = parts.map(|parts| *parts).unwrap_or_default();
        let locks = parts.locked.iter().enumerate().filter_map(|(index, text)| {
            let lock = Lock::parse(text);
            if lock.is_none() {
                let message = Remark::no_lock(format!("{text:?}"));
                let finding = Finding::error(format!("locked[{index}]"), message);
                findings.push(finding.help(Remark::write_lock()));
            }
            lock
        });
        let locked = locks.collect();
        let solution = steps("solution", &parts.solution, &mut findings);
        let wrong = parts
            .wrong
            .into_iter()
            .enumerate()
            .map(|(index, form)| Wrong {
                steps: steps(&format!("wrong[{index}].steps"), &form.steps, &mut findings),
                when: form.when,
                say: form.say,
            });
        let lesson = Lesson {
            locked,
            solution,
            wrong: wrong.collect(),
            predict: parts.predict,
        };
        (lesson, findings)
    }
}

/// Steps as written: a line, or a map with `run` or `apply`, and a `note`.
fn steps(path: &str, written: &[Value], findings: &mut Vec<Finding>) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, value) in written.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if let Value::String(line) = value {
            steps.push(Step {
                action: Action::Run(line.clone()),
                note: None,
                fails: false,
            });
            continue;
        }
        let (form, found) = decode::<StepForm>(value);
        findings.extend(found.into_iter().map(|finding| Finding {
            path: match finding.path.is_empty() {
                true => path.clone(),
                false => format!("{path}.{}", finding.path),
            },
            ..finding
        }));
        let Some(form) = form else { continue };
        let action = match (form.run.clone(), form.apply.clone()) {
            (Some(line), None) => Action::Run(line),
            (None, Some(manifests)) => Action::Apply(manifests),
            _ => {
                findings.push(Finding::error(path, Remark::not_a_step()));
                continue;
            }
        };
        let StepForm { note, fails, .. } = *form;
        steps.push(Step {
            action,
            note,
            fails,
        });
    }
    steps
}
