//! The numbers behind a verdict, as lines.

use crate::protocol::cycle::Verdict;
use crate::protocol::fact::Fact;

/// One line of arithmetic for each fact.
pub fn arithmetic(verdict: &Verdict) -> Vec<String> {
    let facts = verdict.facts.iter();
    facts.map(|fact| fact.kind.expression()).collect()
}

/// The verdict without the facts that turned out well, unless all did.
pub fn against(verdict: &Verdict) -> Verdict {
    let mut verdict = verdict.clone();
    if verdict.facts.iter().any(|fact| fact.kind.speaks_against()) {
        verdict.facts.retain(|fact| fact.kind.speaks_against());
    }
    verdict
}

/// The fields that were compared, in lines: `Pod spec.nodeSelector`, `Node metadata.labels[disk]`.
pub fn fields(verdict: &Verdict) -> Vec<String> {
    let paths = |owner: &str, path: fn(&Fact) -> &str| {
        let mut lines: Vec<String> = Vec::new();
        for fact in &verdict.facts {
            let line = format!("{owner} {}", path(fact));
            if !path(fact).is_empty() && !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    };
    let mut lines = paths("Pod", |fact| &fact.pod_path);
    lines.extend(paths("Node", |fact| &fact.node_path));
    lines
}
