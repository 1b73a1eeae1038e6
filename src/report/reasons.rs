//! Why nodes were rejected: one group per plugin and reason, with the arithmetic for each node.

use std::collections::BTreeMap;

use crate::words;
use berth_protocol::cycle::{Code, Cycle, PluginScore, Verdict};
use berth_protocol::fact::Fact;

/// Maximum number of counted Pods that are named.
const MOST_PODS: usize = 8;

/// Nodes that one plugin rejects for the same reasons.
pub struct Group<'a> {
    pub plugin: &'a str,
    pub reasons: &'a [String],
    /// Whether the plugin would only also reject the nodes, as another one was first.
    pub is_extra: bool,
    /// Each node with the verdict of the plugin run separately, reduced to the facts against the node; `None` if only
    /// nominated Pods are in the way.
    pub nodes: Vec<(&'a str, Option<Verdict>)>,
}

/// Nodes with the same arithmetic.
pub struct Row<'a> {
    pub first: &'a str,
    /// Number of further nodes.
    pub others: usize,
    pub lines: Vec<String>,
}

/// The groups, those that decided before the extra ones.
pub fn groups(cycle: &Cycle) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for report in &cycle.nodes {
        let Some(verdict) = &report.verdict else {
            continue;
        };
        if verdict.code == Code::Success {
            continue;
        }
        // The verdict includes nominated Pods; the failures do not.
        let alone = report
            .failures
            .iter()
            .find(|failure| failure.plugin == verdict.plugin && failure.reasons == verdict.reasons);
        join(&mut groups, &report.node, verdict, alone, false);
        let others = report
            .failures
            .iter()
            .filter(|failure| failure.plugin != verdict.plugin);
        for failure in others {
            join(&mut groups, &report.node, failure, Some(failure), true);
        }
    }
    groups.sort_by_key(|group| group.is_extra);
    groups
}

fn join<'a>(
    groups: &mut Vec<Group<'a>>,
    node: &'a str,
    verdict: &'a Verdict,
    alone: Option<&Verdict>,
    is_extra: bool,
) {
    let against = alone.map(against);
    let same = groups.iter_mut().find(|group| {
        group.plugin == verdict.plugin
            && group.reasons == verdict.reasons
            && group.is_extra == is_extra
    });
    match same {
        Some(group) => group.nodes.push((node, against)),
        None => groups.push(Group {
            plugin: &verdict.plugin,
            reasons: &verdict.reasons,
            is_extra,
            nodes: vec![(node, against)],
        }),
    }
}

/// The verdict with only the facts against the node; unchanged if there are none.
fn against(verdict: &Verdict) -> Verdict {
    let mut verdict = verdict.clone();
    if verdict.facts.iter().any(|fact| fact.kind.is_violated()) {
        verdict.facts.retain(|fact| fact.kind.is_violated());
    }
    verdict
}

impl<'a> Group<'a> {
    /// A row per node; with more nodes than `most`, those with equal numbers share one.
    pub fn rows(&self, most: usize) -> Vec<Row<'a>> {
        let mut rows: Vec<Row<'a>> = Vec::new();
        let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for (first, verdict) in &self.nodes {
            let lines = match verdict {
                Some(verdict) => arithmetic(verdict),
                None => vec![words::explain::COUNTING_NOMINATED.to_owned()],
            };
            if self.nodes.len() > most {
                let position = *known.entry(lines.clone()).or_insert(rows.len());
                if let Some(row) = rows.get_mut(position) {
                    row.others += 1;
                    continue;
                }
            }
            rows.push(Row {
                first,
                others: 0,
                lines,
            });
        }
        rows
    }

    /// The compared fields, each once: the Pod's, which all nodes share, then those of the first `most` nodes.
    pub fn fields(&self, most: usize) -> Vec<Field> {
        let verdicts = self
            .nodes
            .iter()
            .filter_map(|(_, verdict)| verdict.as_ref());
        let mut found: Vec<Field> = Vec::new();
        for field in verdicts
            .take(most)
            .flat_map(|verdict| fields(&verdict.facts))
        {
            if !found.contains(&field) {
                found.push(field);
            }
        }
        found.sort_by_key(|field| matches!(field, Field::Node(_)));
        found
    }
}

/// One line of arithmetic for each fact, and below it the Pods that it counts, if they are recorded.
pub fn arithmetic(verdict: &Verdict) -> Vec<String> {
    let line = |fact: &Fact| words::remark(&fact.kind.remark());
    let lines = verdict
        .facts
        .iter()
        .flat_map(|fact| [Some(line(fact)), counted(fact)]);
    lines.flatten().collect()
}

/// The arithmetic of a score, line by line, from its formula to its weight; empty if it is not recorded.
pub fn of_score(score: &PluginScore) -> Vec<String> {
    let Some(arithmetic) = score.arithmetic.as_deref() else {
        return Vec::new();
    };
    let mut lines = vec![words::remark(&arithmetic.formula.remark())];
    for input in &arithmetic.inputs {
        lines.push(words::remark(&arithmetic.part(input)));
        lines.extend(counted(input));
    }
    let rest = [arithmetic.scaled(), arithmetic.weighted(score.weight)];
    lines.extend(arithmetic.sum().iter().chain(&rest).map(words::remark));
    lines
}

/// The Pods that a number counts, and their rule.
fn counted<K>(fact: &Fact<K>) -> Option<String> {
    let pods = fact.pods.get(..MOST_PODS).unwrap_or(&fact.pods);
    let named: Vec<&str> = pods.iter().map(String::as_str).collect();
    let named = words::report::names(&named, fact.pods.len() - named.len());
    (!fact.pods.is_empty()).then(|| match fact.pods_path.as_str() {
        "" => words::report::counts(&named),
        path => words::report::rule_of(path, &named),
    })
}

/// A field that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    Pod(String),
    Node(String),
}

/// `Pod spec.nodeSelector`, `Node metadata.labels[disk]`.
impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pod(path) => write!(f, "Pod {path}"),
            Self::Node(path) => write!(f, "Node {path}"),
        }
    }
}

/// The compared fields, each once.
pub fn fields<K>(facts: &[Fact<K>]) -> Vec<Field> {
    let facts = facts.iter();
    let in_pod = facts.clone().map(|fact| Field::Pod(fact.pod_path.clone()));
    let in_node = facts.map(|fact| Field::Node(fact.node_path.clone()));
    let mut fields: Vec<Field> = Vec::new();
    for field in in_pod.chain(in_node) {
        let (Field::Pod(path) | Field::Node(path)) = &field;
        if !path.is_empty() && !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}
