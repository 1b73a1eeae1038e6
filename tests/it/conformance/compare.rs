//! Compares a run with its recording, field by field, and finds the first differences.

use serde_json::Value;

/// Lists whose order means nothing.
const UNORDERED: [&str; 7] = [
    "feasible",
    "prescoreSkipped",
    "best",
    "gated",
    "unmanaged",
    "prefilter.skipped",
    "prefilter.nodes",
];

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Attempts that are equal in every field.
    pub equal_attempts: usize,
    /// The first difference of every attempt that has one, and of every other field.
    pub differences: Vec<String>,
}

/// Compares two traces: the recorded one and ours. Every field counts, named or not, but the patch of the release that
/// recorded it.
pub fn compare(want: &Value, got: &Value) -> Comparison {
    let mut comparison = Comparison::default();
    let (wanted, given) = (attempts(want), attempts(got));
    if wanted.len() != given.len() {
        let text = format!("attempts: want {}, got {}", wanted.len(), given.len());
        comparison.differences.push(text);
    }
    for (number, (want, got)) in wanted.iter().zip(given).enumerate() {
        match first_difference("", want, got) {
            None => comparison.equal_attempts += 1,
            Some(text) => {
                let pod = want["pod"].as_str().unwrap_or_default();
                let text = format!("attempt {number} ({pod}): {text}");
                comparison.differences.push(text);
            }
        }
    }
    let rest = first_difference("", &without_attempts(want), &without_attempts(got));
    comparison.differences.extend(rest);
    comparison
}

fn attempts(trace: &Value) -> &[Value] {
    trace["attempts"].as_array().map_or(&[], Vec::as_slice)
}

fn without_attempts(trace: &Value) -> Value {
    let mut trace = trace.clone();
    if let Some(fields) = trace.as_object_mut() {
        fields.remove("attempts");
        fields.remove("kubernetes");
    }
    trace
}

/// `path` is the place of both values, such as `scores.node-a.total`.
fn first_difference(path: &str, want: &Value, got: &Value) -> Option<String> {
    match (want, got) {
        (Value::Object(wanted), Value::Object(given)) => {
            let inner = |key: &str| {
                let dot = if path.is_empty() { "" } else { "." };
                format!("{path}{dot}{key}")
            };
            if let Some(key) = given.keys().find(|&key| !wanted.contains_key(key)) {
                return Some(format!("{}: not expected", inner(key)));
            }
            wanted.iter().find_map(|(key, want)| match given.get(key) {
                None => Some(format!("{}: missing", inner(key))),
                Some(got) => first_difference(&inner(key), want, got),
            })
        }
        (Value::Array(wanted), Value::Array(given)) if wanted.len() == given.len() => {
            let (mut wanted, mut given) = (wanted.clone(), given.clone());
            if UNORDERED.contains(&path) {
                wanted.sort_by_key(Value::to_string);
                given.sort_by_key(Value::to_string);
            }
            let pairs = wanted.iter().zip(&given).enumerate();
            pairs
                .map(|(i, (want, got))| first_difference(&format!("{path}[{i}]"), want, got))
                .find_map(|difference| difference)
        }
        _ if want == got => None,
        _ => Some(format!(
            "{path}\n      want {}\n      got  {}",
            shortened(want),
            shortened(got)
        )),
    }
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
