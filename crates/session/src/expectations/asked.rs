//! What an expectation asks for, as a remark.

use berth_core::api::scenario::{Condition, Expectation};
use berth_protocol::remark::Remark;

/// An expectation as a remark, whose sentence has no full stop.
pub fn asked(expectation: &Expectation) -> Remark {
    let mut remark = if let Some(others) = &expectation.one_of {
        let others = others.iter().map(asked);
        others.reduce(Remark::one_or).unwrap_or_default()
    } else if expectation.is_of_nodes() {
        nodes(expectation)
    } else if let Some(condition) = expectation.condition() {
        field(condition)
    } else {
        pods(expectation)
    };
    if let Some(within) = &expectation.within {
        remark = Remark::within(remark, within);
    }
    if let Some(least) = &expectation.not_before {
        remark = Remark::not_before(remark, least);
    }
    remark
}

fn pods(expectation: &Expectation) -> Remark {
    let mut clause = who(expectation);
    let is_one = expectation.pod.is_some() || expectation.count() == Some((1, 1));
    let state = match expectation.state.as_deref() {
        None if expectation.wants_node() => Some("Bound"),
        state => state,
    };
    let has_state = state.is_some() || expectation.message.is_some() || expectation.is_plain();
    if has_state {
        clause = match (state, expectation.message.is_some(), is_one) {
            (Some(state), _, true) => Remark::pod_is_in(clause, state),
            (Some(state), _, false) => Remark::pods_are_in(clause, state),
            (None, true, true) => Remark::pod_waits(clause),
            (None, true, false) => Remark::pods_wait(clause),
            (None, false, true) => Remark::pod_is_there(clause),
            (None, false, false) => Remark::pods_are_there(clause),
        };
    }
    if let Some(node) = &expectation.node {
        clause = Remark::on_node(clause, node);
    }
    if let Some(nodes) = &expectation.nodes {
        let nodes = nodes.iter().map(Remark::quoted);
        clause = Remark::on_node(clause, nodes.reduce(Remark::either).unwrap_or_default());
    }
    for (key, most) in expectation.max_per.iter().flatten() {
        clause = Remark::at_most_per(clause, *most, key);
    }
    for (key, most) in expectation.skew.iter().flatten() {
        clause = Remark::skew_over(clause, *most, key);
    }
    if let Some(message) = &expectation.message {
        clause = Remark::with_message(clause, format!("\"{message}\""));
    }
    let evicted = expectation.evicted.map(|evicted| match (evicted, is_one) {
        (true, true) => Remark::was_evicted(),
        (true, false) => Remark::were_evicted(),
        (false, true) => Remark::was_never_evicted(),
        (false, false) => Remark::were_never_evicted(),
    });
    let least = expectation.never_below.map(Remark::never_fewer);
    let past = evicted.into_iter().chain(least);
    past.fold(clause, |clause, past| match has_state {
        true => Remark::clause_and(clause, past),
        false => Remark::subject(clause, past),
    })
}

fn nodes(expectation: &Expectation) -> Remark {
    let names = expectation.node.iter();
    let names: Vec<&String> = names.chain(expectation.nodes.iter().flatten()).collect();
    let count = expectation.count();
    let all = names.iter().copied().map(Remark::quoted);
    let who = match (names.is_empty(), count) {
        (true, None) => Remark::all_nodes(),
        (true, Some((1, 1))) => Remark::one_node(),
        (true, Some(range)) => Remark::count_nodes(number(range)),
        (false, None) => all.reduce(Remark::both_nodes).unwrap_or_default(),
        (false, Some(range)) => Remark::count_of_nodes(
            number(range),
            all.reduce(Remark::listed).unwrap_or_default(),
        ),
    };
    let drained = expectation.drained.map(|drained| match drained {
        true => Remark::drained(),
        false => Remark::not_drained(),
    });
    let empty = expectation.empty.map(|empty| match empty {
        true => Remark::empty(),
        false => Remark::not_empty(),
    });
    let what = drained.into_iter().chain(empty);
    let what = what.reduce(Remark::both_states).unwrap_or_default();
    let is_one = names.len() == 1 || (names.is_empty() && count == Some((1, 1)));
    match is_one {
        true => Remark::node_is(who, what),
        false => Remark::nodes_are(who, what),
    }
}

fn field(condition: Condition<'_>) -> Remark {
    let what = match condition.path {
        "" => Remark::quoted(condition.object),
        path => Remark::path_of(path, condition.object),
    };
    if condition.exists == Some(false) {
        return Remark::there_is_no(what);
    }
    match (condition.equals.is_null(), condition.contains.is_null()) {
        (false, _) => Remark::field_is(what, condition.equals.to_string()),
        (true, false) => Remark::field_contains(what, condition.contains.to_string()),
        (true, true) => Remark::there_is_a(what),
    }
}

/// `2`, `at least 2`, `at most 3`, `2 to 3`.
fn number((min, max): (usize, usize)) -> Remark {
    match (min, max) {
        (min, max) if min == max => Remark::exactly(min),
        (min, usize::MAX) => Remark::at_least(min),
        (0, max) => Remark::at_most(max),
        (min, max) => Remark::range(min, max),
    }
}

fn who(expectation: &Expectation) -> Remark {
    let count = expectation.count();
    if let Some((namespace, name)) = expectation.pod_name() {
        let pod = match namespace {
            "default" => name.to_owned(),
            namespace => format!("{namespace}/{name}"),
        };
        return match count {
            Some((_, 0)) => Remark::no_pod(pod),
            _ => Remark::pod(pod),
        };
    }
    let labels = expectation
        .selector
        .iter()
        .flatten()
        .map(|(key, value)| format!("{key}={value}"));
    let mut labels = Remark::quoted(labels.collect::<Vec<String>>().join(","));
    if expectation.namespace_or_default() != "default" {
        labels = Remark::labels_in(labels, expectation.namespace_or_default());
    }
    match count {
        None => Remark::all_pods_with(labels),
        Some((_, 0)) => Remark::no_pods_with(labels),
        Some((1, 1)) => Remark::one_pod_with(labels),
        Some((min, max)) if min == max => Remark::exactly_pods_with(min, labels),
        Some(range) => Remark::pods_with(number(range), labels),
    }
}
