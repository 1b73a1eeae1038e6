//! Expectations as sentences.

use berth_core::api::problem::Printable;
use berth_core::api::scenario::{Condition, Expectation};

/// An expectation as a sentence without its full stop.
pub fn words(expectation: &Expectation) -> String {
    let text = if let Some(others) = &expectation.one_of {
        let others: Vec<String> = others.iter().map(words).collect();
        others.join(", or ")
    } else if expectation.is_of_nodes() {
        nodes(expectation)
    } else if let Some(condition) = expectation.condition() {
        field(condition)
    } else {
        pods(expectation)
    };
    let text = match &expectation.within {
        Some(within) => format!("{text} within {within}"),
        None => text,
    };
    let text = match &expectation.not_before {
        Some(least) => format!("{text}, not before {least}"),
        None => text,
    };
    Printable(&text).to_string()
}

fn pods(expectation: &Expectation) -> String {
    let mut text = who(expectation);
    let is = match (&expectation.pod, expectation.count()) {
        (Some(_), _) | (None, Some((1, 1))) => "is",
        _ => "are",
    };
    let state = match expectation.state.as_deref() {
        Some(state) => Some(state),
        None if expectation.wants_node() => Some("Bound"),
        None if expectation.message.is_some() => Some("waiting"),
        None if expectation.is_plain() => Some("there"),
        None => None,
    };
    if let Some(state) = state {
        text.push_str(&format!(" {is} {state}"));
    }
    if let Some(node) = &expectation.node {
        text.push_str(&format!(" on {node}"));
    }
    if let Some(nodes) = &expectation.nodes {
        text.push_str(&format!(" on {}", nodes.join(" or ")));
    }
    for (key, most) in expectation.max_per.iter().flatten() {
        text.push_str(&format!(", at most {most} per {key}"));
    }
    for (key, most) in expectation.skew.iter().flatten() {
        text.push_str(&format!(", with a skew of at most {most} over {key}"));
    }
    if let Some(message) = &expectation.message {
        text.push_str(&format!(" with \"{message}\""));
    }
    let was = if is == "is" { "was" } else { "were" };
    let past = match expectation.evicted {
        Some(true) => Some(format!("{was} evicted")),
        Some(false) => Some(format!("{was} never evicted")),
        None => None,
    };
    let least = expectation.never_below;
    let least = least.map(|least| format!("were never fewer than {least} ready"));
    for clause in [past, least].into_iter().flatten() {
        let and = if state.is_some() { "," } else { "" };
        text.push_str(&format!("{and} {clause}"));
    }
    text
}

fn nodes(expectation: &Expectation) -> String {
    let names: Vec<&str> = expectation
        .node
        .iter()
        .chain(expectation.nodes.iter().flatten())
        .map(String::as_str)
        .collect();
    let of = match (names.is_empty(), expectation.count()) {
        (true, None) => "All nodes".to_owned(),
        (true, Some((1, 1))) => "1 node".to_owned(),
        (true, Some(range)) => format!("{} nodes", number(range)),
        (false, None) => names.join(" and "),
        (false, Some(range)) => format!("{} of {}", number(range), names.join(", ")),
    };
    let is_one = names.len() == 1 || (names.is_empty() && expectation.count() == Some((1, 1)));
    let is = if is_one { "is" } else { "are" };
    let drained = expectation.drained.map(|drained| match drained {
        true => "drained",
        false => "not drained",
    });
    let empty = expectation.empty.map(|empty| match empty {
        true => "empty",
        false => "not empty",
    });
    let what: Vec<&str> = drained.into_iter().chain(empty).collect();
    format!("{of} {is} {}", what.join(" and "))
}

fn field(condition: Condition<'_>) -> String {
    let object = condition.object;
    let what = match condition.path {
        "" => object.to_owned(),
        path => format!("{path} of {object}"),
    };
    if condition.exists == Some(false) {
        return format!("There is no {what}");
    }
    match (condition.equals.is_null(), condition.contains.is_null()) {
        (false, _) => format!("{what} is {}", condition.equals),
        (true, false) => format!("{what} contains {}", condition.contains),
        (true, true) => format!("There is a {what}"),
    }
}

/// `2`, `at least 2`, `at most 3`, `2 to 3`.
fn number((min, max): (usize, usize)) -> String {
    match (min, max) {
        (min, max) if min == max => min.to_string(),
        (min, usize::MAX) => format!("at least {min}"),
        (0, max) => format!("at most {max}"),
        (min, max) => format!("{min} to {max}"),
    }
}

fn who(expectation: &Expectation) -> String {
    let count = expectation.count();
    if let Some((namespace, name)) = expectation.pod_name() {
        let pod = match namespace {
            "default" => name.to_owned(),
            namespace => format!("{namespace}/{name}"),
        };
        return match count {
            Some((_, 0)) => format!("No Pod {pod}"),
            _ => format!("Pod {pod}"),
        };
    }
    let labels = expectation.selector.iter().flatten();
    let labels = labels.map(|(key, value)| format!("{key}={value}"));
    let mut labels = labels.collect::<Vec<String>>().join(",");
    if expectation.namespace_or_default() != "default" {
        labels.push_str(&format!(" in {}", expectation.namespace_or_default()));
    }
    match count {
        None => format!("All Pods with {labels}"),
        Some((_, 0)) => format!("No Pods with {labels}"),
        Some((1, 1)) => format!("Exactly 1 Pod with {labels}"),
        Some((min, max)) if min == max => format!("Exactly {min} Pods with {labels}"),
        Some(range) => format!("{} Pods with {labels}", number(range)),
    }
}
