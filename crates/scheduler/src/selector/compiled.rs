//! Label and node selectors, compiled once per Pod template.

use berth_base::sort;
use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::api::core::v1::{NodeSelector, NodeSelectorTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;

/// A requirement on a label. Mirrors `labels.Requirement` of apimachinery v1.34.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    pub key: String,
    pub operator: Operator,
    /// Sorted; exactly one for `Gt` and `Lt`.
    pub values: Vec<String>,
}

/// The operator of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Gt,
    Lt,
}

impl Operator {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            _ => return None,
        })
    }

    /// Its name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
            Self::Gt => "Gt",
            Self::Lt => "Lt",
        }
    }
}

impl Requirement {
    fn new(key: &str, operator: &str, values: Option<&Vec<String>>) -> Option<Self> {
        let mut values = values.cloned().unwrap_or_default();
        sort::sort(&mut values);
        Some(Self {
            key: key.to_owned(),
            operator: Operator::parse(operator)?,
            values,
        })
    }

    /// `key in (value)`.
    pub fn equals(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            operator: Operator::In,
            values: vec![value.to_owned()],
        }
    }

    /// Whether a label with this value, or an absent label, satisfies the requirement.
    pub fn matches(&self, actual: Option<&str>) -> bool {
        let listed = |value: &str| self.values.iter().any(|known| known == value);
        match self.operator {
            Operator::In => actual.is_some_and(listed),
            Operator::NotIn => !actual.is_some_and(listed),
            Operator::Exists => actual.is_some(),
            Operator::DoesNotExist => actual.is_none(),
            Operator::Gt | Operator::Lt => {
                let bound = self
                    .values
                    .first()
                    .and_then(|value| value.parse::<i64>().ok());
                let actual = actual.and_then(|value| value.parse::<i64>().ok());
                match (actual, bound) {
                    (Some(actual), Some(bound)) if self.operator == Operator::Gt => actual > bound,
                    (Some(actual), Some(bound)) => actual < bound,
                    _ => false,
                }
            }
        }
    }
}

/// As in `kubectl get -l`: `app=web`, `tier in (a,b)`.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let values = || self.values.join(",");
        match (self.operator, self.values.as_slice()) {
            (Operator::In, [value]) => write!(f, "{key}={value}"),
            (Operator::In, _) => write!(f, "{key} in ({})", values()),
            (Operator::NotIn, [value]) => write!(f, "{key}!={value}"),
            (Operator::NotIn, _) => write!(f, "{key} notin ({})", values()),
            (Operator::Exists, _) => f.write_str(key),
            (Operator::DoesNotExist, _) => write!(f, "!{key}"),
            (Operator::Gt, _) => write!(f, "{key}>{}", values()),
            (Operator::Lt, _) => write!(f, "{key}<{}", values()),
        }
    }
}

/// A compiled label selector: all requirements must hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    /// An absent selector, which matches nothing.
    Nothing,
    /// All requirements must hold; without any (`{}`), everything matches.
    All(Vec<Requirement>),
}

impl Selector {
    /// Compiles a label selector. An absent one matches nothing (`LabelSelectorAsSelector`), and so
    /// does one that the API server would reject.
    pub fn new(selector: Option<&LabelSelector>) -> Self {
        let Some(selector) = selector else {
            return Self::Nothing;
        };
        let mut requirements: Vec<Requirement> = selector
            .match_labels
            .iter()
            .flatten()
            .map(|(key, value)| Requirement::equals(key, value))
            .collect();
        for expression in selector.match_expressions.iter().flatten() {
            match Requirement::new(
                &expression.key,
                &expression.operator,
                expression.values.as_ref(),
            ) {
                Some(requirement) => requirements.push(requirement),
                None => return Self::Nothing,
            }
        }
        sort::sort(&mut requirements);
        Self::All(requirements)
    }

    /// A selector of plain `key: value` pairs, as in Services and ReplicationControllers.
    pub fn from_pairs(pairs: &Labels) -> Self {
        Self::All(
            pairs
                .iter()
                .map(|(key, value)| Requirement::equals(key, value))
                .collect(),
        )
    }

    /// Whether the selector has no requirements and so matches everything.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::All(requirements) if requirements.is_empty())
    }

    /// Whether these labels satisfy the selector.
    pub fn matches(&self, labels: &Labels) -> bool {
        match self {
            Self::Nothing => false,
            Self::All(requirements) => requirements.iter().all(|requirement| {
                requirement.matches(labels.get(&requirement.key).map(String::as_str))
            }),
        }
    }

    /// Adds the requirements of `other`. If either selector matches nothing, so does the result.
    pub fn and(self, other: Selector) -> Selector {
        match (self, other) {
            (Self::All(mut requirements), Self::All(more)) => {
                requirements.extend(more);
                sort::sort(&mut requirements);
                requirements.dedup();
                Self::All(requirements)
            }
            _ => Self::Nothing,
        }
    }
}

/// The requirements, separated by commas; empty if everything matches.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::All(requirements) = self else {
            return f.write_str("<none>");
        };
        for (at, requirement) in requirements.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}

/// One term of a node selector: all requirements on labels and fields must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTerm {
    pub labels: Vec<Requirement>,
    /// Requirements on `metadata.name`.
    pub fields: Vec<Requirement>,
    /// Whether an operator is unknown; such a term matches no node.
    invalid: bool,
}

impl NodeTerm {
    /// Compiles a term. Mirrors `nodeaffinity.newNodeSelectorTerm` of component-helpers v1.34.
    pub fn new(term: &NodeSelectorTerm) -> Self {
        let mut invalid = false;
        let mut compile =
            |list: Option<&Vec<k8s_openapi::api::core::v1::NodeSelectorRequirement>>| {
                let mut compiled = Vec::new();
                for requirement in list.into_iter().flatten() {
                    match Requirement::new(
                        &requirement.key,
                        &requirement.operator,
                        requirement.values.as_ref(),
                    ) {
                        Some(requirement) => compiled.push(requirement),
                        None => invalid = true,
                    }
                }
                compiled
            };
        let labels = compile(term.match_expressions.as_ref());
        let fields = compile(term.match_fields.as_ref());
        Self {
            labels,
            fields,
            invalid,
        }
    }

    /// Whether the term has no requirements; such a term matches no node.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether a node with these labels and this name satisfies the term.
    pub fn matches(&self, labels: &Labels, name: &str) -> bool {
        !self.invalid
            && !self.is_empty()
            && self.labels.iter().all(|requirement| {
                requirement.matches(labels.get(&requirement.key).map(String::as_str))
            })
            && self.fields.iter().all(|requirement| {
                requirement.matches((requirement.key == "metadata.name").then_some(name))
            })
    }
}

/// A compiled node selector: at least one term must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeTerms(pub Vec<NodeTerm>);

impl NodeTerms {
    /// Compiles a `NodeSelector`.
    pub fn new(selector: &NodeSelector) -> Self {
        Self(
            selector
                .node_selector_terms
                .iter()
                .map(NodeTerm::new)
                .collect(),
        )
    }

    /// Whether a node with these labels and this name satisfies one of the terms.
    pub fn matches(&self, labels: &Labels, name: &str) -> bool {
        self.0.iter().any(|term| term.matches(labels, name))
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
        NodeTerms::new(&selector).matches(&labels, "n1")
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
    fn a_selector_is_written_as_kubectl_reads_it() {
        let selector: LabelSelector = serde_json::from_value(json!({
            "matchLabels": {"app": "web"},
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["b", "a"]},
                {"key": "old", "operator": "DoesNotExist"},
                {"key": "zone", "operator": "NotIn", "values": ["c"]},
            ],
        }))
        .unwrap();
        assert_eq!(
            Selector::new(Some(&selector)).to_string(),
            "app=web,!old,tier in (a,b),zone!=c"
        );
        assert_eq!(Selector::All(Vec::new()).to_string(), "");
        assert_eq!(Selector::new(None).to_string(), "<none>");
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
