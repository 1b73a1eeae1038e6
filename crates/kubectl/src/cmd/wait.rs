//! `kubectl wait`, on the virtual clock.

use std::collections::VecDeque;

use serde_json::Value;

use crate::arguments::Flag;
use crate::call::{Call, DetachedCall, Done, Verb};
use crate::errors::{self, Complaint};
use crate::jsonpath::{Template, relaxed, text_of};
use crate::resource::files::{self, FILENAME};
use crate::resource::targets::{self, Found, Target};
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output};
use berth_sim::store::{Object, uid_of};

pub(crate) const WAIT: Verb = Verb {
    name: "wait",
    about: "Experimental: Wait for a specific condition on one or many resources",
    usage: "wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    examples: &[
        "kubectl wait --for=condition=Ready pod/web-0",
        "kubectl wait --for=jsonpath='{.status.phase}'=Running pod/web-0 --timeout=60s",
        "kubectl wait --for=delete pod/web-0 --timeout=60s",
    ],
    flags: &[
        FILENAME,
        Flag::word("for"),
        Flag::duration("timeout"),
        Flag::switch("all"),
        Flag::switch("all-namespaces").short('A'),
        Flag::word("selector").short('l'),
        Flag::word("field-selector"),
        Flag::word("output").short('o'),
    ],
    run,
};

/// The timeout without `--timeout`.
const USUAL_MS: i64 = 30_000;
/// The timeout if `--timeout` is negative: one week.
const WEEK_MS: i64 = 168 * 3_600_000;

/// The condition to wait for.
enum Goal {
    Delete,
    Condition {
        name: String,
        status: String,
    },
    Path {
        template: Template,
        value: Option<String>,
    },
}

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let goal = goal(call.arguments.word("for").unwrap_or_default())?;
    let timeout = match call.arguments.duration_ms("timeout") {
        None => USUAL_MS,
        Some(ms) if ms < 0 => WEEK_MS,
        Some(ms) => ms,
    };
    let until = cluster.api().now_ms().saturating_add(timeout);
    let Some(goal) = goal else {
        let creation = Creation {
            call: call.detached(),
            until,
        };
        return Ok(call.wait(creation, cluster));
    };
    let found = meant(call, cluster)?;
    let mut output = Output::default();
    let deletes = matches!(goal, Goal::Delete);
    let missing = if deletes { &[][..] } else { &found.missing };
    let complaints: Vec<Complaint> = missing.iter().map(|it| it.as_str().into()).collect();
    if found.targets.is_empty() {
        for line in errors::lines(&complaints) {
            output.complain(line);
        }
        // An object that does not exist counts as deleted.
        if deletes {
            return Ok(output);
        }
        if found.missing.is_empty() {
            return Err("error: no matching resources found".to_owned());
        }
        return Ok(output);
    }
    let waits = Waits {
        targets: found.targets.into(),
        uid: None,
        goal,
        until,
        checks_once: timeout == 0,
        names_only: call.arguments.word("output") == Some("name"),
        complaints,
    };
    Ok(output.and(call.wait(waits, cluster)))
}

/// Waits until all objects of a call exist.
struct Creation {
    call: DetachedCall,
    until: i64,
}

impl Suspended for Creation {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let call = self.call.call();
        let found = meant(&call, cluster);
        let exist = found
            .as_ref()
            .is_ok_and(|it| it.missing.is_empty() && !it.targets.is_empty());
        if !exist && cluster.api().now_ms() < self.until {
            return Poll::Pending(self.until);
        }
        let found = match found {
            Ok(found) => found,
            Err(complaint) => {
                output.complain(complaint);
                return Poll::Ready;
            }
        };
        for line in &found.missing {
            output.complain(line);
        }
        if found.targets.is_empty() && found.missing.is_empty() {
            output.complain("error: no matching resources found");
        }
        let names_only = call.arguments.word("output") == Some("name");
        for target in &found.targets {
            let label = target.label();
            output.line(if names_only {
                label
            } else {
                format!("{label} condition met")
            });
        }
        Poll::Ready
    }
}

/// Waits for one object after the other.
struct Waits {
    targets: VecDeque<Target>,
    /// The UID of the first target at its first poll.
    uid: Option<String>,
    goal: Goal,
    until: i64,
    /// `--timeout=0`.
    checks_once: bool,
    names_only: bool,
    /// What the wait ends with.
    complaints: Vec<Complaint>,
}

impl Suspended for Waits {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        while let Some(target) = self.targets.front() {
            let object = cluster.api().get(target.kind.kind, &target.key);
            let uid = object.as_ref().map(|it| uid_of(it.metadata()).to_owned());
            // An object created later under the same name has another UID.
            let first = self.uid.get_or_insert_with(|| uid.unwrap_or_default());
            let label = target.label();
            match self.goal.is_met(object, first) {
                Ok(true) if self.names_only => output.line(label),
                Ok(true) => output.line(format!("{label} condition met")),
                Err(fault) => self.complaints.push(format!("error: {fault}").into()),
                Ok(false) if cluster.api().now_ms() < self.until => {
                    return Poll::Pending(self.until);
                }
                Ok(false) => {
                    let why = if self.checks_once {
                        "condition not met for"
                    } else {
                        "timed out waiting for the condition on"
                    };
                    let (plural, name) = (target.kind.plural, target.key.name());
                    let complaint = format!("error: {why} {plural}/{name}");
                    self.complaints.push(complaint.into());
                }
            }
            self.targets.pop_front();
            self.uid = None;
        }
        for line in errors::lines(&self.complaints) {
            output.complain(line);
        }
        Poll::Ready
    }
}

impl Goal {
    /// Whether the goal is met; `uid` is that of the object to wait for.
    fn is_met(&self, object: Option<Object>, uid: &str) -> Result<bool, String> {
        match self {
            Goal::Delete => Ok(object.is_none_or(|object| uid_of(object.metadata()) != uid)),
            Goal::Condition { name, status } => {
                Ok(object.is_some_and(|object| has_condition(&object.to_json(), name, status)))
            }
            Goal::Path { template, value } => {
                let Some(object) = object else {
                    return Ok(false);
                };
                let results = template.results(&object.to_json())?;
                let values: Vec<Value> = results.into_iter().flatten().collect();
                match (values.as_slice(), value) {
                    ([], _) | ([Value::Null], None) => Ok(false),
                    (_, None) => Ok(true),
                    ([one], Some(wanted)) => Ok(text_of(one) == *wanted),
                    (_, Some(_)) => {
                        Err("given jsonpath expression matches more than one value".to_owned())
                    }
                }
            }
        }
    }
}

/// What `--for` asks for; `None` for `create`, which is waited for before the objects are known ([`Creation`]).
fn goal(text: &str) -> Result<Option<Goal>, String> {
    let lower = text.to_lowercase();
    match lower.as_str() {
        "create" => return Ok(None),
        "delete" => return Ok(Some(Goal::Delete)),
        _ => {}
    }
    if lower.starts_with("condition=") {
        let rest = text.get("condition=".len()..).unwrap_or_default();
        let (name, status) = rest.split_once('=').unwrap_or((rest, "true"));
        return Ok(Some(Goal::Condition {
            name: name.to_owned(),
            status: status.to_owned(),
        }));
    }
    if let Some(rest) = text.strip_prefix("jsonpath=") {
        let rest = rest.trim_matches(['\'', '"']);
        // A value follows the braces: `{.status.phase}=Running`.
        let end = rest.rfind('}').map_or(0, |end| end + 1);
        let behind = rest.get(end..).unwrap_or_default();
        let (path, value) = match behind.split_once('=') {
            Some((path, value)) => {
                let length = end + path.len();
                (rest.get(..length).unwrap_or_default(), Some(value))
            }
            None => (rest, None),
        };
        let path = path.trim_matches(['\'', '"']);
        let value = value.map(|value| value.trim_matches(['\'', '"']).to_owned());
        if value.as_deref() == Some("") {
            return Err("error: jsonpath wait value cannot be empty".to_owned());
        }
        let path = relaxed(path).map_err(|why| format!("error: {why}"))?;
        let template = Template::parse(&path).map_err(|why| format!("error: {why}"))?;
        return Ok(Some(Goal::Path { template, value }));
    }
    Err(format!("error: unrecognized condition: {text:?}"))
}

fn meant(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Found, String> {
    if files::are_given(call) {
        let manifests = files::read(call, cluster)?;
        let mut found = files::existing(manifests.all, cluster, files::not_found);
        found.missing.splice(0..0, manifests.faults);
        return Ok(found);
    }
    if call.arguments.words.is_empty() {
        return Err(
            "error: arguments in resource/name form must have a single resource and name"
                .to_owned(),
        );
    }
    targets::select(call, &call.arguments.words, cluster)
}

fn has_condition(object: &Value, name: &str, status: &str) -> bool {
    let conditions = object
        .pointer("/status/conditions")
        .and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| {
        let text = |field: &str| {
            condition
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        text("type").eq_ignore_ascii_case(name) && text("status").eq_ignore_ascii_case(status)
    })
}
