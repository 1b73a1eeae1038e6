//! Reads scripts and reports all problems at once.

use berth_protocol::remark::Remark;
use serde_json::{Map, Value};

use super::operation::{OPERATIONS, Operation};
use super::{Act, KubeletRules, MAX_SECONDS, ObjectName, Script, Step, Verb, Verbs};
use crate::api::decode::{Finding, closest, decode};
use crate::api::load::read_object;
use crate::api::object::Manifest;
use crate::api::problem::Severity;
use crate::api::validation::validate;
use crate::api::yaml::Target;
use berth_base::time::Time;

const FIELDS: [&str; 6] = [
    "apiVersion",
    "kind",
    "metadata",
    "until",
    "featureGates",
    "steps",
];
const KUBELET: &str = "kubelet";
/// Fields of a step that hold lists.
const LISTS: [&str; 3] = ["create", "update", "delete"];
const POP_FROM_BACKOFF_Q: &str = "SchedulerPopFromBackoffQ";
const QUEUEING_HINTS: &str = "SchedulerQueueingHints";

/// Reads a script and its problems. Invalid steps are left out.
pub fn read(document: &Value, verbs: Verbs) -> (Script, Vec<Finding>) {
    let mut reader = Reader {
        verbs,
        findings: Vec::new(),
    };
    let mut script = Script::default();
    let Some(fields) = document.as_object() else {
        let finding = Finding::error("", "the script is not an object");
        return (script, vec![finding]);
    };
    let mut known = FIELDS.to_vec();
    if verbs == Verbs::Operations {
        known.push(KUBELET);
        reader.kubelet(fields.get(KUBELET), &mut script);
    }
    reader.check_fields("", fields, &known);
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
    verbs: Verbs,
    findings: Vec<Finding>,
}

impl Reader {
    fn error(&mut self, path: &str, message: impl Into<Remark>, help: &str) {
        let help = if help.is_empty() {
            Remark::default()
        } else {
            help.into()
        };
        self.findings.push(Finding::error(path, message).help(help));
    }

    fn check_fields(&mut self, path: &str, fields: &Map<String, Value>, known: &[&str]) {
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let path = joined(path, name);
            let help = match closest(name, known.iter().copied()) {
                Some(meant) => Remark::did_you_mean(format!("{meant:?}")),
                None => Remark::quoted(format!("there are: {}", known.join(", "))),
            };
            self.findings.push(Finding::unknown_field(path).help(help));
        }
    }

    fn kubelet(&mut self, rules: Option<&Value>, script: &mut Script) {
        let Some(rules) = rules else {
            return;
        };
        let (read, findings) = decode::<KubeletRules>(rules);
        self.extend_under(KUBELET, findings);
        if let Some(rules) = read {
            self.findings.extend(rules.check());
            script.kubelet = *rules;
        }
    }

    /// Adds findings whose paths are relative to `path`.
    fn extend_under(&mut self, path: &str, findings: Vec<Finding>) {
        self.findings
            .extend(findings.into_iter().map(|finding| Finding {
                path: joined(path, &finding.path),
                ..finding
            }));
    }

    /// The items of a list; empty if it is absent or not a list.
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
        let limits = 0.0..=MAX_SECONDS as f64;
        let seconds = value.as_f64().filter(|seconds| limits.contains(seconds));
        if seconds.is_none() {
            let message = format!("must be a number of seconds from 0 to {MAX_SECONDS}");
            self.error(path, message, "for example 5.5");
        }
        // At most 10^12, checked above.
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
                    self.error(&path, format!("unknown feature gate {name:?}"), &help);
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
        let operations: Vec<(&String, &Value)> = fields
            .iter()
            .filter(|(verb, value)| self.is_operation(verb, value))
            .collect();
        for (verb, value) in fields.iter().filter(|(name, _)| *name != "at") {
            if !LISTS.contains(&verb.as_str()) && !self.is_operation(verb, value) {
                self.unknown_verb(path, verb);
            }
        }
        let mut acts = self.lists(path, fields);
        match operations.as_slice() {
            [] => {}
            [(verb, value)] => acts.extend(self.operation(path, verb, value)),
            several => {
                let verbs: Vec<&str> = several.iter().map(|(verb, _)| verb.as_str()).collect();
                let message = format!("a step does one of these: {}", verbs.join(", "));
                self.error(path, message, "write one step for each, at the same time");
            }
        }
        Some(Step { at: at?, acts })
    }

    /// `delete` is an operation if it names one object instead of a list.
    fn is_operation(&self, verb: &str, value: &Value) -> bool {
        self.verbs == Verbs::Operations
            && OPERATIONS.contains(&verb)
            && (verb != "delete" || value.is_object())
    }

    fn unknown_verb(&mut self, path: &str, verb: &str) {
        let mut verbs = LISTS.to_vec();
        if self.verbs == Verbs::Operations {
            verbs.extend(OPERATIONS.iter().filter(|verb| !LISTS.contains(verb)));
        }
        let help = match closest(verb, verbs.iter().copied()) {
            Some(meant) => Remark::did_you_mean(format!("{meant:?}")),
            None => Remark::quoted(format!("a step can {}", verbs.join(", "))),
        };
        let finding = Finding::error(joined(path, verb), format!("unknown verb {verb:?}"));
        self.findings.push(Finding {
            target: Target::Key,
            ..finding.help(help)
        });
    }

    fn lists(&mut self, path: &str, fields: &Map<String, Value>) -> Vec<Act> {
        let mut acts = Vec::new();
        for verb in LISTS {
            let path = joined(path, verb);
            let value = fields
                .get(verb)
                .filter(|value| !self.is_operation(verb, value));
            for (index, item) in self.list(&path, value) {
                let path = format!("{path}[{index}]");
                let verb = match verb {
                    "create" => self.manifest(&path, item).map(Verb::Create),
                    "update" => self.manifest(&path, item).map(Verb::Update),
                    _ => self.target(&path, item).map(Verb::Delete),
                };
                acts.extend(verb.map(|verb| Act { path, verb }));
            }
        }
        acts
    }

    fn operation(&mut self, path: &str, verb: &str, value: &Value) -> Option<Act> {
        let (operation, findings) = Operation::read(verb, value);
        self.extend_under(&joined(path, verb), findings);
        Some(Act {
            path: path.to_owned(),
            verb: Verb::Operate {
                operation: operation?,
                text: format!("{verb} {value}"),
            },
        })
    }

    /// The time of a step, which must not precede that of the previous step.
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

    /// Decodes and validates a manifest; `None` if the API server would reject it.
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
            findings.push(Finding::error("", "Object 'Kind' is missing"));
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
            .any(|finding| finding.severity == Severity::Error);
        self.extend_under(path, findings);
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
