//! `kubectl wait`, on the virtual clock.

use serde_json::Value;

use super::files::{self, FILENAME};
use crate::kubectl::arguments::Flag;
use crate::kubectl::call::{Call, Done, Verb};
use crate::kubectl::jsonpath::{Template, relaxed, text_of};
use crate::kubectl::targets::{self, Found, Target};
use crate::kubectl::{Cluster, Output, wait_until};
use crate::sim::store::uid_of;

pub(super) const WAIT: Verb = Verb {
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

/// Without `--timeout`.
const USUAL_MS: i64 = 30_000;
/// With a negative one.
const WEEK_MS: i64 = 168 * 3_600_000;

/// What is waited for.
enum Goal {
    Create,
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
    cluster.work();
    let until = cluster.api().now_ms().saturating_add(timeout);
    if matches!(goal, Goal::Create) {
        wait_until(cluster, until, &mut |cluster| {
            meant(call, cluster).is_ok_and(|it| it.missing.is_empty() && !it.targets.is_empty())
        });
    }
    let found = meant(call, cluster)?;
    let mut output = Output::default();
    let deletes = matches!(goal, Goal::Delete);
    if !deletes {
        for line in &found.missing {
            output.complain(line);
        }
    }
    if found.targets.is_empty() {
        // What is not there need not be waited for.
        if deletes {
            return Ok(output);
        }
        if found.missing.is_empty() {
            return Err("error: no matching resources found".to_owned());
        }
        return Ok(output);
    }
    for target in &found.targets {
        let met = one(target, &goal, until, cluster);
        let name = match call.arguments.word("output") {
            Some("name") => Some(target.label()),
            _ => None,
        };
        match met {
            Ok(()) => {
                output.say(name.unwrap_or_else(|| format!("{} condition met", target.label())));
            }
            Err(complaint) => output.complain(complaint),
        }
    }
    Ok(output)
}

fn goal(text: &str) -> Result<Goal, String> {
    let lower = text.to_lowercase();
    match lower.as_str() {
        "create" => return Ok(Goal::Create),
        "delete" => return Ok(Goal::Delete),
        _ => {}
    }
    if lower.starts_with("condition=") {
        let rest = text.get("condition=".len()..).unwrap_or_default();
        let (name, status) = rest.split_once('=').unwrap_or((rest, "true"));
        return Ok(Goal::Condition {
            name: name.to_owned(),
            status: status.to_owned(),
        });
    }
    if let Some(rest) = text.strip_prefix("jsonpath=") {
        let rest = rest.trim_matches(['\'', '"']);
        // A value follows the brackets: `{.status.phase}=Running`.
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
        return Ok(Goal::Path { template, value });
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

/// Waits for one object.
fn one(target: &Target, goal: &Goal, until: i64, cluster: &mut dyn Cluster) -> Result<(), String> {
    let Target { kind, key } = target;
    let uid = cluster.api().store().get(kind.kind, key);
    let uid = uid.map(|object| uid_of(object.metadata()).to_owned());
    let mut fault = None;
    let met = wait_until(cluster, until, &mut |cluster| {
        let object = cluster.api().store().get(kind.kind, key);
        match goal {
            Goal::Create => object.is_some(),
            Goal::Delete => {
                object.is_none_or(|object| Some(uid_of(object.metadata())) != uid.as_deref())
            }
            Goal::Condition { name, status } => {
                object.is_some_and(|object| has_condition(&object.to_json(), name, status))
            }
            Goal::Path { template, value } => {
                let results = object.map(|object| template.results(&object.to_json()));
                match results {
                    None => false,
                    Some(Err(why)) => {
                        fault = Some(why);
                        true
                    }
                    Some(Ok(results)) => {
                        let values: Vec<Value> = results.into_iter().flatten().collect();
                        match (values.as_slice(), value) {
                            ([], _) => false,
                            ([Value::Null], None) => false,
                            (_, None) => true,
                            ([one], Some(wanted)) => text_of(one) == *wanted,
                            (_, Some(_)) => {
                                fault = Some(
                                    "given jsonpath expression matches more than one value"
                                        .to_owned(),
                                );
                                true
                            }
                        }
                    }
                }
            }
        }
    });
    if let Some(fault) = fault {
        return Err(format!("error: {fault}"));
    }
    if met {
        return Ok(());
    }
    Err(format!(
        "error: timed out waiting for the condition on {}/{}",
        kind.resource(),
        key.name
    ))
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
