//! Formats the numbers behind a verdict.

use std::fmt;

use berth_protocol::cycle::Verdict;

/// One line of arithmetic for each fact.
pub fn arithmetic(verdict: &Verdict) -> Vec<String> {
    verdict
        .facts
        .iter()
        .map(|fact| fact.kind.remark().to_string())
        .collect()
}

/// The verdict with only the facts against the node; unchanged if there are none.
pub fn against(verdict: &Verdict) -> Verdict {
    let mut verdict = verdict.clone();
    if verdict.facts.iter().any(|fact| fact.kind.is_violated()) {
        verdict.facts.retain(|fact| fact.kind.is_violated());
    }
    verdict
}

/// A field that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    Pod(String),
    Node(String),
}

impl Field {
    /// Whether it is a field of the node.
    pub fn is_of_node(&self) -> bool {
        matches!(self, Self::Node(_))
    }
}

/// `Pod spec.nodeSelector`, `Node metadata.labels[disk]`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pod(path) => write!(f, "Pod {path}"),
            Self::Node(path) => write!(f, "Node {path}"),
        }
    }
}

/// The compared fields, each once.
pub fn fields(verdict: &Verdict) -> Vec<Field> {
    let in_pod = verdict
        .facts
        .iter()
        .map(|fact| Field::Pod(fact.pod_path.clone()));
    let in_node = verdict
        .facts
        .iter()
        .map(|fact| Field::Node(fact.node_path.clone()));
    let mut fields: Vec<Field> = Vec::new();
    for field in in_pod.chain(in_node) {
        let (Field::Pod(path) | Field::Node(path)) = &field;
        if !path.is_empty() && !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}
