//! Label selectors on an object's labels (`apimachinery` `labels.Selector`).

pub mod compiled;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

/// Whether `labels` satisfy a selector; an empty one matches everything.
///
/// A requirement with an unknown operator, or without the values that it needs, matches nothing. `NotIn` and `DoesNotExist` match absent
/// labels.
pub fn matches(selector: &LabelSelector, labels: &BTreeMap<String, String>) -> bool {
    let pairs = selector.match_labels.iter().flatten();
    let requirements = selector.match_expressions.iter().flatten();
    pairs
        .into_iter()
        .all(|(key, value)| labels.get(key) == Some(value))
        && requirements
            .into_iter()
            .all(|requirement| requirement_matches(requirement, labels))
}

/// Like [`matches`], for an optional selector: an absent one matches nothing.
pub fn matches_optional(
    selector: Option<&LabelSelector>,
    labels: &BTreeMap<String, String>,
) -> bool {
    selector.is_some_and(|selector| matches(selector, labels))
}

/// Whether a selector has no requirements and so matches everything.
pub fn is_empty(selector: &LabelSelector) -> bool {
    selector
        .match_labels
        .as_ref()
        .is_none_or(BTreeMap::is_empty)
        && selector
            .match_expressions
            .as_ref()
            .is_none_or(Vec::is_empty)
}

fn requirement_matches(
    requirement: &LabelSelectorRequirement,
    labels: &BTreeMap<String, String>,
) -> bool {
    let value = labels.get(&requirement.key);
    let values = requirement.values.as_deref().unwrap_or_default();
    match requirement.operator.as_str() {
        "In" => value.is_some_and(|value| values.contains(value)),
        "NotIn" => !values.is_empty() && value.is_none_or(|value| !values.contains(value)),
        "Exists" => values.is_empty() && value.is_some(),
        "DoesNotExist" => values.is_empty() && value.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirement(operator: &str, values: &[&str]) -> LabelSelector {
        let values = values
            .iter()
            .map(|value| (*value).to_owned())
            .collect::<Vec<_>>();
        LabelSelector {
            match_expressions: Some(vec![LabelSelectorRequirement {
                key: "app".to_owned(),
                operator: operator.to_owned(),
                values: (!values.is_empty()).then_some(values),
            }]),
            match_labels: None,
        }
    }

    #[test]
    fn operators() {
        let web = BTreeMap::from([("app".to_owned(), "web".to_owned())]);
        let none = BTreeMap::new();
        for (operator, values, on_web, on_none) in [
            ("In", &["web"][..], true, false),
            ("In", &["db"][..], false, false),
            ("NotIn", &["web"][..], false, true),
            ("NotIn", &["db"][..], true, true),
            ("Exists", &[][..], true, false),
            ("DoesNotExist", &[][..], false, true),
            ("In", &[][..], false, false),
            ("Near", &["web"][..], false, false),
        ] {
            let selector = requirement(operator, values);
            assert_eq!(
                (matches(&selector, &web), matches(&selector, &none)),
                (on_web, on_none),
                "{operator} {values:?}"
            );
        }
        assert!(matches(&LabelSelector::default(), &none));
        assert!(!matches_optional(None, &web));
    }
}
