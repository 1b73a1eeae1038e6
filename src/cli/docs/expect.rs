//! `expect="db: Pending"`: what a block's Pods come to, as expectations of a `Scenario`.

use std::collections::BTreeMap;

use berth_session::expectations;
use serde_json::{Value, json};

/// The value of the attribute as a list of expectations in YAML: `WHO: WHAT`, several separated by `;`, or a list or an
/// expectation as a `Scenario` has it.
///
/// # Errors
/// Where there is no `WHO: WHAT`.
fn list_of(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.starts_with('[') {
        return Ok(text.to_owned());
    }
    if text.starts_with('{') {
        return Ok(format!("[{text}]"));
    }
    let parts = text
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let expected: Result<Vec<Value>, String> = parts.map(expectation).collect();
    match expected? {
        expected if expected.is_empty() => Err("it expects nothing".to_owned()),
        expected => Ok(Value::from(expected).to_string()),
    }
}

/// One `WHO: WHAT`, as Berth says it: `db: Pending: Insufficient cpu`, `web: Bound on n1 or n2`.
fn expectation(text: &str) -> Result<Value, String> {
    let Some((who, what)) = text.split_once(": ") else {
        return Err(format!("{text:?} is not WHO: WHAT, as in db: Pending"));
    };
    let mut expectation = match who.contains('=') {
        true => json!({"selector": selector(who)}),
        false => json!({"pod": who.trim()}),
    };
    let (state, message) = match what.split_once(": ") {
        Some((state, message)) => (state.trim(), Some(message.trim())),
        None => (what.trim(), None),
    };
    if let Some((state, nodes)) = state.split_once(" on ") {
        expectation["state"] = state.trim().into();
        expectation["nodes"] = nodes.split(" or ").map(str::trim).collect();
    } else {
        expectation["state"] = state.into();
    }
    if let Some(message) = message {
        expectation["message"] = message.into();
    }
    Ok(expectation)
}

/// `app=web,tier=front`.
fn selector(text: &str) -> BTreeMap<&str, &str> {
    let labels = text.split(',').filter_map(|label| label.split_once('='));
    labels
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect()
}

/// What an attribute expects, to be checked against a session.
pub type Expected = Vec<berth_session::Expectation>;

/// Reads the value of the attribute.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<Expected, String> {
    let list = list_of(text)?;
    expectations::read(&list).map_err(|problems| {
        let errors = problems.iter().filter(|problem| problem.is_error());
        let words = errors.map(|problem| {
            let [_, _, text, help] = problem.parts();
            text + &help
        });
        words.collect::<Vec<String>>().join("; ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_berth_says_of_a_pod_can_be_expected() {
        for (text, expected) in [
            ("db: Pending", json!([{"pod": "db", "state": "Pending"}])),
            (
                "shop/web: Bound on n1 or n2; db: Pending: Insufficient cpu",
                json!([
                    {"pod": "shop/web", "state": "Bound", "nodes": ["n1", "n2"]},
                    {"pod": "db", "state": "Pending", "message": "Insufficient cpu"},
                ]),
            ),
            (
                "app=web,tier=front: Bound",
                json!([{"selector": {"app": "web", "tier": "front"}, "state": "Bound"}]),
            ),
        ] {
            let list: Value = serde_json::from_str(&list_of(text).unwrap()).unwrap();
            assert_eq!(list, expected, "{text}");
        }
        let whole = "{selector: {app: web}, count: 3, state: Bound}";
        assert_eq!(list_of(whole).unwrap(), format!("[{whole}]"));
        assert_eq!(read(whole).unwrap().len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("", "it expects nothing"),
            ("db", "\"db\" is not WHO: WHAT"),
            ("db: Pendng", "did you mean \"Pending\"?"),
            (
                "db: Pending on n1",
                "may only be specified when `state` is `Bound`",
            ),
            ("{pod: db", "error converting YAML to JSON"),
            ("{pod: db, nods: [a]}", "must specify what is expected"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
