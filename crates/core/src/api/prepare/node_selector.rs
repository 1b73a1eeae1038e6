//! Evaluates uncompiled node selectors: a DaemonSet matches each node once, so compiling does not
//! pay. Mirrors `nodeaffinity.NodeSelector` of component-helpers v1.34.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeSelector, NodeSelectorRequirement};

/// Whether one of the terms matches a node with these labels and this name. A term without
/// requirements matches no node.
pub(super) fn matches(
    selector: &NodeSelector,
    labels: &BTreeMap<String, String>,
    name: &str,
) -> bool {
    selector.node_selector_terms.iter().any(|term| {
        let expressions = term.match_expressions.as_deref().unwrap_or_default();
        let fields = term.match_fields.as_deref().unwrap_or_default();
        let of_field = |key: &str| (key == "metadata.name").then_some(name);
        (!expressions.is_empty() || !fields.is_empty())
            && expressions
                .iter()
                .all(|it| holds(it, labels.get(&it.key).map(String::as_str)))
            && fields.iter().all(|it| holds(it, of_field(&it.key)))
    })
}

fn holds(requirement: &NodeSelectorRequirement, actual: Option<&str>) -> bool {
    let values = requirement.values.as_deref().unwrap_or_default();
    let is_listed = |actual: &str| values.iter().any(|value| value == actual);
    let compared = || {
        let [bound] = values else { return None };
        Some(
            actual?
                .parse::<i64>()
                .ok()?
                .cmp(&bound.parse::<i64>().ok()?),
        )
    };
    match requirement.operator.as_str() {
        "In" => actual.is_some_and(is_listed),
        "NotIn" => !actual.is_some_and(is_listed),
        "Exists" => actual.is_some(),
        "DoesNotExist" => actual.is_none(),
        "Gt" => compared().is_some_and(|order| order.is_gt()),
        "Lt" => compared().is_some_and(|order| order.is_lt()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fits(term: Value) -> bool {
        let selector: NodeSelector =
            serde_json::from_value(json!({"nodeSelectorTerms": [term]})).unwrap();
        let labels = [("zone", "a"), ("cores", "8")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        matches(&selector, &labels, "n1")
    }

    #[test]
    fn every_operator_on_a_present_and_an_absent_label() {
        let one = |key: &str, operator: &str, values: &[&str]| {
            fits(
                json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]}),
            )
        };
        assert!(
            one("zone", "In", &["b", "a"]) && !one("zone", "In", &["b"]) && !one("x", "In", &["a"])
        );
        assert!(
            one("zone", "NotIn", &["b"])
                && !one("zone", "NotIn", &["a"])
                && one("x", "NotIn", &["a"])
        );
        assert!(one("zone", "Exists", &[]) && !one("x", "Exists", &[]));
        assert!(one("x", "DoesNotExist", &[]) && !one("zone", "DoesNotExist", &[]));
        assert!(
            one("cores", "Gt", &["7"]) && !one("cores", "Gt", &["8"]) && !one("zone", "Gt", &["0"])
        );
        assert!(one("cores", "Lt", &["9"]) && !one("x", "Lt", &["9"]));
    }

    #[test]
    fn fields_name_the_node_and_empty_terms_fit_none() {
        let field = |name: &str| {
            fits(
                json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}),
            )
        };
        assert!(field("n1") && !field("n2"));
        assert!(!fits(json!({})));
    }
}
