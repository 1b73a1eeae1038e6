//! `kind: Script` (`conformance/v1`): what happens to the objects of a scenario, and when.

use serde_json::{Map, Value};

use super::decode::{Finding, closest};
use super::load::read_object;
use super::object::Manifest;
use super::validation::validate;
use super::yaml::Target;
use crate::base::time::Time;

/// The API version of [`Script`] documents.
pub const API_VERSION: &str = "conformance/v1";

/// When a script ends that does not say.
const DEFAULT_UNTIL_SECONDS: i64 = 400;
/// No script goes on for longer: eleven days.
const MAX_SECONDS: f64 = 1_000_000.0;

const FIELDS: [&str; 6] = [
    "apiVersion",
    "kind",
    "metadata",
    "until",
    "featureGates",
    "steps",
];
const VERBS: [&str; 3] = ["create", "update", "delete"];
const POP_FROM_BACKOFF_Q: &str = "SchedulerPopFromBackoffQ";
const QUEUEING_HINTS: &str = "SchedulerQueueingHints";

/// Steps on a clock.
#[derive(Clone, Debug)]
pub struct Script {
    /// The last whole second that is played.
    pub until_seconds: i64,
    /// Feature gate `SchedulerPopFromBackoffQ`, on by default.
    pub pop_from_backoff: bool,
    /// In order of time.
    pub steps: Vec<Step>,
}

/// What happens at one moment.
#[derive(Clone, Debug)]
pub struct Step {
    pub at: Time,
    /// In the order in which they happen.
    pub acts: Vec<Act>,
}

/// One thing that somebody does.
#[derive(Clone, Debug)]
pub struct Act {
    /// The field path in the script: `steps[2].create[0]`.
    pub path: String,
    pub verb: Verb,
}

#[derive(Clone, Debug)]
pub enum Verb {
    Create(Manifest),
    /// The whole manifest as it is to be.
    Update(Manifest),
    Delete(ObjectName),
}

/// An object by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    pub kind: String,
    /// Empty if it is not given.
    pub namespace: String,
    pub name: String,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            until_seconds: DEFAULT_UNTIL_SECONDS,
            pop_from_backoff: true,
            steps: Vec::new(),
        }
    }
}

/// Reads a script with all that is wrong with it; what is wrong is left out.
pub fn read(document: &Value) -> (Script, Vec<Finding>) {
    read_among(document, &[])
}

/// The same where steps have other verbs as well, which were taken out: only for suggestions.
pub fn read_among(document: &Value, others: &[&'static str]) -> (Script, Vec<Finding>) {
    let mut verbs = VERBS.to_vec();
    verbs.extend(others.iter().filter(|verb| !VERBS.contains(verb)));
    let mut reader = Reader {
        verbs,
        findings: Vec::new(),
    };
    let mut script = Script::default();
    let Some(fields) = document.as_object() else {
        return (
            script,
            vec![Finding::error("", "the script is not an object")],
        );
    };
    reader.check_fields("", fields, &FIELDS);
    if let Some(until) = fields.get("until")
        && let Some(until) = reader.seconds("until", until)
    {
        script.until_seconds = until.microseconds().div_euclid(1_000_000);
    }
    reader.feature_gates(fields.get("featureGates"), &mut script);
    let mut last = Time::START;
    for (index, step) in reader.list("steps", fields.get("steps")) {
        let path = format!("steps[{index}]");
        if let Some(step) = reader.step(&path, step, last) {
            last = step.at;
            script.steps.push(step);
        }
    }
    (script, reader.findings)
}

struct Reader {
    /// All that a step may say, to suggest one.
    verbs: Vec<&'static str>,
    findings: Vec<Finding>,
}

impl Reader {
    fn error(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::error(path, message).help(help));
    }

    fn check_fields(&mut self, path: &str, fields: &Map<String, Value>, known: &[&str]) {
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let path = joined(path, name);
            let help = match closest(name, known.iter().copied()) {
                Some(meant) => format!("did you mean {meant:?}?"),
                None => format!("there are: {}", known.join(", ")),
            };
            let finding = Finding::warning(&path, format!("unknown field {path:?}"));
            self.findings.push(finding.help(help));
        }
    }

    /// The items of a list; none if it is absent or none.
    fn list<'v>(
        &mut self,
        path: &str,
        value: Option<&'v Value>,
    ) -> impl Iterator<Item = (usize, &'v Value)> + use<'v> {
        let items = match value {
            None | Some(Value::Null) => &[],
            Some(Value::Array(items)) => items.as_slice(),
            Some(_) => {
                self.error(path, "must be a list", "");
                &[]
            }
        };
        items.iter().enumerate()
    }

    fn seconds(&mut self, path: &str, value: &Value) -> Option<Time> {
        let seconds = value.as_f64();
        let seconds = seconds.filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds));
        if seconds.is_none() {
            let message = format!("must be a number of seconds from 0 to {MAX_SECONDS}");
            self.error(path, message, "for example 5.5");
        }
        #[allow(
            clippy::cast_possible_truncation,
            reason = "at most 10^12, checked above"
        )]
        seconds.map(|seconds| Time::at_microsecond((seconds * 1e6).round() as i64))
    }

    fn feature_gates(&mut self, gates: Option<&Value>, script: &mut Script) {
        let gates = match gates {
            None | Some(Value::Null) => return,
            Some(Value::Object(gates)) => gates,
            Some(_) => return self.error("featureGates", "must be an object", ""),
        };
        for (name, value) in gates {
            let path = joined("featureGates", name);
            match (name.as_str(), value.as_bool()) {
                (_, None) => self.error(&path, "must be true or false", ""),
                (POP_FROM_BACKOFF_Q, Some(on)) => script.pop_from_backoff = on,
                (QUEUEING_HINTS, Some(true)) => {}
                (QUEUEING_HINTS, Some(false)) => {
                    let message = "Berth's queue always works with queueing hints";
                    self.error(&path, message, "they are on by default since v1.32");
                }
                _ => {
                    let help = format!("only {POP_FROM_BACKOFF_Q} can be switched");
                    self.error(&path, format!("unknown feature gate {name:?}"), help);
                }
            }
        }
    }

    fn step(&mut self, path: &str, value: &Value, last: Time) -> Option<Step> {
        let Some(fields) = value.as_object() else {
            self.error(path, "a step is an object", "write `at` and what happens");
            return None;
        };
        let at = self.at(path, fields.get("at"), last);
        for verb in fields.keys().filter(|name| *name != "at") {
            if !VERBS.contains(&verb.as_str()) {
                let help = match closest(verb, self.verbs.iter().copied()) {
                    Some(meant) => format!("did you mean {meant:?}?"),
                    None => format!("a step can {}", self.verbs.join(", ")),
                };
                let finding = Finding::error(joined(path, verb), format!("unknown verb {verb:?}"));
                self.findings.push(Finding {
                    target: Target::Key,
                    ..finding.help(help)
                });
            }
        }
        let mut acts = Vec::new();
        for verb in VERBS {
            let path = joined(path, verb);
            for (index, item) in self.list(&path, fields.get(verb)) {
                let path = format!("{path}[{index}]");
                let verb = match verb {
                    "create" => self.manifest(&path, item).map(Verb::Create),
                    "update" => self.manifest(&path, item).map(Verb::Update),
                    _ => self.target(&path, item).map(Verb::Delete),
                };
                acts.extend(verb.map(|verb| Act { path, verb }));
            }
        }
        Some(Step { at: at?, acts })
    }

    /// When a step happens: not before the one before it.
    fn at(&mut self, path: &str, value: Option<&Value>, last: Time) -> Option<Time> {
        let Some(value) = value else {
            let help = "write `at: 5.5`: seconds since the beginning";
            self.error(path, "the step does not say when: `at` is missing", help);
            return None;
        };
        let path = joined(path, "at");
        let at = self.seconds(&path, value)?;
        if at < last {
            let (at, last) = (at.as_seconds(), last.as_seconds());
            let message = format!("{at} s is earlier than the step before, at {last} s");
            self.error(&path, message, "write the steps in order of time");
            return None;
        }
        Some(at)
    }

    /// A manifest as the API server would take it.
    fn manifest(&mut self, path: &str, value: &Value) -> Option<Manifest> {
        let (object, findings) = read_object(value);
        let mut findings = findings;
        let kind = text_of(value, "kind");
        if let Some(object) = &object {
            let refused = validate(object).into_iter();
            findings.extend(refused.map(|error| Finding {
                help: error.help,
                ..Finding::error(error.path, error.message)
            }));
        } else if kind.is_empty() {
            findings.push(Finding::error("", "Manifest 'Kind' is missing"));
        } else if findings.is_empty() {
            let message = format!("nothing is known of objects of kind {kind:?}");
            findings.push(Finding::error("kind", message));
        }
        let is_sound = object.as_ref().is_some_and(is_in_a_cluster);
        if object.is_some() && !is_sound {
            let message = format!("a {kind} is no object of a cluster");
            findings.push(Finding::error("kind", message));
        }
        let refused = findings
            .iter()
            .any(|finding| finding.severity == super::problem::Severity::Error);
        for finding in findings {
            self.findings.push(Finding {
                path: joined(path, &finding.path),
                ..finding
            });
        }
        object.filter(|_| !refused)
    }

    fn target(&mut self, path: &str, value: &Value) -> Option<ObjectName> {
        if let Some(fields) = value.as_object() {
            const FIELDS: [&str; 4] = ["apiVersion", "kind", "namespace", "name"];
            self.check_fields(path, fields, &FIELDS);
        }
        let (kind, name) = (text_of(value, "kind"), text_of(value, "name"));
        if kind.is_empty() || name.is_empty() {
            let help = "write `{kind: Pod, namespace: default, name: web-0}`";
            self.error(path, "`kind` and `name` say what is deleted", help);
            return None;
        }
        Some(ObjectName {
            kind: kind.to_owned(),
            namespace: text_of(value, "namespace").to_owned(),
            name: name.to_owned(),
        })
    }
}

fn is_in_a_cluster(object: &Manifest) -> bool {
    !matches!(
        object,
        Manifest::SchedulerConfiguration(_) | Manifest::Scenario(_) | Manifest::Script(_)
    )
}

fn text_of<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn joined(path: &str, rest: &str) -> String {
    match (path.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => path.to_owned(),
        _ if rest.starts_with('[') => format!("{path}{rest}"),
        _ => format!("{path}.{rest}"),
    }
}

#[cfg(test)]
mod tests;
