//! Compares Berth's API server with the real one (kube-apiserver v1.36.3 and v1.34.9): stored objects, refusals and
//! warnings of creates, patches and other requests.
//!
//! A scenario is a script of dry runs and the files that it plays on; what is recorded are the real answers, as kubectl
//! prints them, to the inputs that Berth answers equally. So no answer may become another one; those that are not equal
//! yet are not in the corpus.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value};

use crate::conformance::corpus;

/// Number of answers in the corpus.
const RECORDED: usize = 6_336;

/// Maximum number of differing answers to print.
const SHOWN: usize = 12;

/// Metadata that is drawn or counted.
const DRAWN: [&str; 5] = [
    "managedFields",
    "uid",
    "creationTimestamp",
    "resourceVersion",
    "selfLink",
];

#[test]
fn the_api_server_answers_as_the_real_one() {
    let cases = corpus::cases_of(
        include_bytes!("conformance_api/scenarios.br"),
        include_bytes!("conformance_api/expected.br"),
    );
    let (mut equal, mut different) = (0, Vec::new());
    for case in &cases {
        let expected: BTreeMap<String, Value> = serde_json::from_str(&case.json).expect("answers");
        let answers = play(&case.name, &case.yaml);
        for (id, expected) in expected {
            let answer = answers.get(&id).map(|lines| masked(lines));
            if answer.as_ref() == Some(&expected) {
                equal += 1;
            } else {
                let answer = answer.unwrap_or_default();
                different.push(format!(
                    "{} {id}\n  real  {expected}\n  berth {answer}",
                    case.name
                ));
            }
        }
    }
    assert!(
        different.is_empty(),
        "{} answers differ:\n{}",
        different.len(),
        different[..different.len().min(SHOWN)].join("\n")
    );
    assert_eq!(equal, RECORDED);
}

/// Plays a scenario, and returns the lines of each answer by the input's id.
fn play(name: &str, scenario: &str) -> BTreeMap<String, Vec<String>> {
    let scenario: Value = serde_json::from_str(scenario).expect("a scenario");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conformance-api-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_berth"));
    command.arg("run");
    for file in scenario["files"].as_array().expect("files") {
        let path = folder.join(file["name"].as_str().expect("a name"));
        std::fs::write(&path, file["text"].as_str().expect("a text")).expect("written");
        command.arg(path);
    }
    command.args([
        "--kubernetes",
        scenario["release"].as_str().expect("a release"),
    ]);
    let output = command.output().expect("berth runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut answers = BTreeMap::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(id) = line.strip_prefix("@@@ ") {
            answers.insert(id.to_owned(), std::mem::take(&mut lines));
        } else if line.starts_with("$ kubectl ") {
            lines.clear();
        } else if !line.starts_with("$ echo ") && !line.starts_with("> ") {
            lines.push(line.to_owned());
        }
    }
    answers
}

/// An answer: an object without what is drawn, or else the lines; and the warnings.
fn masked(lines: &[String]) -> Value {
    let (warnings, lines): (Vec<&String>, Vec<&String>) = lines
        .iter()
        .filter(|line| !line.is_empty())
        .partition(|line| line.starts_with("Warning: "));
    let text: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
    let answer = match serde_json::from_str::<Value>(&text.join("\n")) {
        Ok(mut object) if object.is_object() => {
            if let Some(meta) = object["metadata"].as_object_mut() {
                meta.retain(|key, _| !DRAWN.contains(&key.as_str()));
            }
            mask_times(&mut object);
            mask_account(&mut object);
            object
        }
        _ => Value::from(text),
    };
    serde_json::json!({"answer": answer, "warnings": warnings})
}

/// Leaves out what admission of ServiceAccounts adds to a Pod, as the recordings do: the volume's name is drawn.
fn mask_account(object: &mut Value) {
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    spec.shift_remove("serviceAccount");
    if spec
        .get("serviceAccountName")
        .is_some_and(|it| it == "default")
    {
        spec.shift_remove("serviceAccountName");
    }
    without_token(spec, "volumes");
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            if let Some(container) = container.as_object_mut() {
                without_token(container, "volumeMounts");
            }
        }
    }
}

/// Removes the items of a list that name the token's volume, and the list if none is left.
fn without_token(owner: &mut Map<String, Value>, list: &str) {
    let is_token = |item: &Value| {
        let name = item["name"].as_str();
        name.is_some_and(|name| name.starts_with("kube-api-access-"))
    };
    let Some(items) = owner.get_mut(list).and_then(Value::as_array_mut) else {
        return;
    };
    let before = items.len();
    items.retain(|item| !is_token(item));
    if items.is_empty() && before > 0 {
        owner.shift_remove(list);
    }
}

fn mask_times(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask_times),
        Value::Object(map) => map.values_mut().for_each(mask_times),
        Value::String(text) if is_time(text) => *text = "TIME".to_owned(),
        _ => {}
    }
}

/// `2026-11-28T12:00:00Z`, with or without fractions.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20
        && text.starts_with("20")
        && bytes.ends_with(b"Z")
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && bytes[13] == b':'
}
