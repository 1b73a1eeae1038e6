//! Scenarios: Berth's own kind, validated in the style of Kubernetes.

use berth_protocol::remark::Remark;

use crate::api::decode::closest;
use crate::api::scenario::{Expectation, STATES, Scenario};

use super::metadata::labels;
use super::{Errors, lesson, non_negative};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::label_key;
use berth_scheduler::release::Version;

/// Validates a Scenario.
pub fn scenario(scenario: &Scenario, errors: &mut Errors) {
    if let Some(text) = &scenario.kubernetes
        && let Err(help) = Version::parse(text)
    {
        let path = Path::root().child("kubernetes");
        let known = Version::ALL.map(Version::minor);
        errors.push(FieldError::not_supported(&path, text, &known).help(help));
    }
    let path = Path::root().child("prices");
    for (name, price) in scenario.prices.iter().flatten() {
        if !is_price(*price) {
            let detail = "must be greater than or equal to 0";
            errors.push(FieldError::invalid(&path.key(name), *price, detail));
        }
    }
    let path = Path::root().child("expectations");
    for (index, expected) in scenario.expectations.iter().flatten().enumerate() {
        expectation(&path.index(index), expected, errors);
    }
    lesson::texts(scenario, errors);
    if scenario.is_lesson() {
        lesson::lesson(scenario, errors);
    }
    if let Some((_, findings)) = scenario.pairing() {
        lesson::report(findings, errors);
    }
    lesson::report(scenario.case().1, errors);
}

/// Whether a node may have this price.
pub fn is_price(price: f64) -> bool {
    price >= 0.0
}

pub(super) fn expectation(path: &Path, expected: &Expectation, errors: &mut Errors) {
    if lesson::concerns_no_pods(expected) {
        lesson::other(path, expected, errors);
        return;
    }
    which_pods(path, expected, errors);
    let says_nothing = expected.state.is_none()
        && expected.count.is_null()
        && expected.message.is_none()
        && !expected.wants_node()
        && !lesson::looks_back(expected);
    if says_nothing {
        let detail = "must specify what is expected of the Pods";
        errors.push(FieldError::required(path, detail).help(Remark::say_expected()));
    }
    state(path, expected, errors);
    places(path, expected, errors);
    count(path, expected, errors);
    if !expected.is_plain() {
        lesson::of_pods(path, expected, errors);
    }
}

fn count(path: &Path, expected: &Expectation, errors: &mut Errors) {
    let path = path.child("count");
    match (expected.count.as_i64(), &expected.pod) {
        (Some(count), _) if count < 0 => non_negative(&path, Some(count), errors),
        (Some(count), Some(_)) if count > 1 => {
            let detail = "must be 0 or 1 when `pod` is specified";
            let error = FieldError::invalid(&path, count, detail);
            errors.push(error.help(Remark::several_pods()));
        }
        (Some(_), _) => {}
        (None, _) if expected.count.is_null() => {}
        (None, _) => lesson::range(&path, expected, errors),
    }
}

fn which_pods(path: &Path, expected: &Expectation, errors: &mut Errors) {
    match (&expected.pod, &expected.selector) {
        (None, None) => {
            let detail = "must specify `pod` or `selector`";
            errors.push(FieldError::required(path, detail).help(Remark::which_pods()));
        }
        (Some(_), Some(_)) => {
            let detail = "may not be specified together with `pod`";
            errors.push(FieldError::forbidden(&path.child("selector"), detail));
        }
        (Some(pod), None) => pod_name(path, pod, expected.namespace.is_some(), errors),
        (None, Some(selector)) => {
            let path = path.child("selector");
            if selector.is_empty() {
                errors.push(FieldError::required(&path, "must have at least one label"));
            }
            labels(&path, Some(selector), errors);
        }
    }
}

fn pod_name(path: &Path, pod: &str, has_namespace: bool, errors: &mut Errors) {
    let parts: Vec<&str> = pod.split('/').collect();
    if parts.len() > 2 || parts.iter().any(|part| part.is_empty()) {
        let detail = "must be the name of a Pod, or namespace/name";
        errors.push(FieldError::invalid(&path.child("pod"), pod, detail));
    } else if parts.len() == 2 && has_namespace {
        let detail = "may not be specified when `pod` names a namespace";
        errors.push(FieldError::forbidden(&path.child("namespace"), detail));
    }
}

fn state(path: &Path, expected: &Expectation, errors: &mut Errors) {
    let Some(state) = expected.state.as_deref() else {
        return;
    };
    if !STATES.contains(&state) {
        let error = FieldError::not_supported(&path.child("state"), state, &STATES);
        let meant = closest(state, STATES);
        let help = meant.map(|meant| Remark::did_you_mean(format!("{meant:?}")));
        errors.push(error.help(help.unwrap_or_default()));
        return;
    }
    let given = [
        ("node", expected.node.is_some()),
        ("nodes", expected.nodes.is_some()),
        ("maxPer", expected.max_per.is_some()),
    ]
    .into_iter()
    .filter(|(_, is_given)| *is_given);
    if state != "Bound" {
        errors.extend(given.map(|(field, _)| {
            let detail = "may only be specified when `state` is `Bound`";
            FieldError::forbidden(&path.child(field), detail)
        }));
    }
    if expected.message.is_some() && matches!(state, "Bound" | "Deleted") {
        let detail = "may only be specified when `state` is `Pending` or `Gated`";
        errors.push(FieldError::forbidden(&path.child("message"), detail));
    }
}

fn places(path: &Path, expected: &Expectation, errors: &mut Errors) {
    if expected.node.is_some() && expected.nodes.is_some() {
        let detail = "may not be specified together with `node`";
        errors.push(FieldError::forbidden(&path.child("nodes"), detail));
    }
    if expected.nodes.as_ref().is_some_and(Vec::is_empty) {
        let detail = "must name at least one node";
        errors.push(FieldError::required(&path.child("nodes"), detail));
    }
    if expected.message.is_some() && expected.state.is_none() && expected.wants_node() {
        let detail = "a Pod on a node has none";
        errors.push(FieldError::forbidden(&path.child("message"), detail));
    }
    let path = path.child("maxPer");
    if expected
        .max_per
        .as_ref()
        .is_some_and(|keys| keys.is_empty())
    {
        let detail = "must have at least one topology key";
        errors.push(FieldError::required(&path, detail));
    }
    for (key, most) in expected.max_per.iter().flatten() {
        errors.extend(label_key(&path, key));
        non_negative(&path.key(key), Some(*most), errors);
    }
}

#[cfg(test)]
mod tests {
    use super::{Errors, scenario};

    fn errors(expectation: &str) -> Vec<String> {
        let yaml = format!("{{expectations: [{expectation}]}}");
        let document = serde_yaml::from_str(&yaml).unwrap();
        let mut errors = Errors::new();
        scenario(&document, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn good_expectations_pass() {
        for good in [
            "{pod: web-0, state: Bound}",
            "{pod: shop/web-0, node: node-1}",
            "{pod: web-0, namespace: shop, message: Insufficient cpu}",
            "{selector: {app: web}, count: 0, state: Deleted}",
            "{selector: {app: web}, nodes: [a, b], maxPer: {kubernetes.io/hostname: 1}}",
            "{selector: {app: web}, count: {min: 2, max: 3}, skew: {zone: 1}}",
            "{selector: {app: web}, evicted: false, neverBelow: 2}",
            "{pod: a, state: Deleted, within: 60s, notBefore: 500ms}",
            "{nodes: [a, b], drained: true}",
            "{empty: true, count: {min: 2}}",
            "{object: Node/a, path: spec.taints, contains: {key: x}}",
            "{object: Pod/shop/web-0, exists: false}",
            "{config: {path: profiles, exists: true}}",
            "{oneOf: [{pod: a, node: b}, {node: b, empty: true}]}",
        ] {
            assert_eq!(errors(good), [""; 0], "{good}");
        }
    }

    #[test]
    fn invalid_expectations_are_rejected() {
        let first = "expectations[0]";
        for (bad, expected) in [
            (
                "{state: Bound}",
                ": Required value: must specify `pod` or `selector`",
            ),
            (
                "{pod: a}",
                ": Required value: must specify what is expected of the Pods",
            ),
            (
                "{pod: a, selector: {app: a}, state: Bound}",
                ".selector: Forbidden: may not be specified together with `pod`",
            ),
            (
                "{pod: a/b/c, state: Bound}",
                ".pod: Invalid value: \"a/b/c\": must be the name of a Pod, or namespace/name",
            ),
            (
                "{pod: shop/a, namespace: shop, state: Bound}",
                ".namespace: Forbidden: may not be specified when `pod` names a namespace",
            ),
            (
                "{pod: a, state: bound}",
                ".state: Unsupported value: \"bound\": supported values: \"Bound\", \"Pending\", \"Gated\", \"Deleted\"",
            ),
            (
                "{pod: a, state: Pending, node: n}",
                ".node: Forbidden: may only be specified when `state` is `Bound`",
            ),
            (
                "{pod: a, state: Bound, message: cpu}",
                ".message: Forbidden: may only be specified when `state` is `Pending` or `Gated`",
            ),
            (
                "{pod: a, node: n, message: cpu}",
                ".message: Forbidden: a Pod on a node has none",
            ),
            (
                "{pod: a, node: n, nodes: [m]}",
                ".nodes: Forbidden: may not be specified together with `node`",
            ),
            (
                "{pod: a, nodes: []}",
                ".nodes: Required value: must name at least one node",
            ),
            (
                "{pod: a, count: 2}",
                ".count: Invalid value: 2: must be 0 or 1 when `pod` is specified",
            ),
            (
                "{selector: {app: a}, count: -1}",
                ".count: Invalid value: -1: must be greater than or equal to 0",
            ),
            (
                "{selector: {}, count: 1}",
                ".selector: Required value: must have at least one label",
            ),
            (
                "{selector: {app: a}, maxPer: {}}",
                ".maxPer: Required value: must have at least one topology key",
            ),
            (
                "{selector: {app: a}, maxPer: {zone: -1}}",
                ".maxPer[zone]: Invalid value: -1: must be greater than or equal to 0",
            ),
        ] {
            assert_eq!(errors(bad), [format!("{first}{expected}")], "{bad}");
        }
    }

    #[test]
    fn invalid_expectations_of_lessons_are_rejected() {
        let first = "expectations[0]";
        for (bad, expected) in [
            (
                "{selector: {app: a}, count: {min: 3, max: 2}}",
                ".count: Invalid value: {\"min\":3,\"max\":2}: must be a number, or a range: {min: 2, max: 3}",
            ),
            (
                "{pod: a, state: Bound, within: soon}",
                ".within: Invalid value: \"soon\": must be a duration like 60s",
            ),
            (
                "{node: a, empty: true, state: Bound}",
                ".state: Forbidden: may only be specified for Pods",
            ),
            (
                "{object: nodes, exists: true}",
                ".object: Invalid value: \"nodes\": must be Kind/name or Kind/namespace/name",
            ),
            (
                "{pod: a, state: Bound, path: spec}",
                ".path: Forbidden: may only be specified with `object`",
            ),
            (
                "{config: {path: profiles}}",
                ".config: Required value: must specify `equals`, `contains` or `exists`",
            ),
            (
                "{oneOf: [{pod: a}]}",
                ".oneOf[0]: Required value: must specify what is expected of the Pods",
            ),
        ] {
            assert_eq!(errors(bad), [format!("{first}{expected}")], "{bad}");
        }
    }
}
