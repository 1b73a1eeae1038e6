//! The numbers behind a verdict, as lines.

use crate::protocol::cycle::Verdict;

/// One line of arithmetic for each fact.
pub fn arithmetic(verdict: &Verdict) -> Vec<String> {
    let facts = verdict.facts.iter();
    facts.map(|fact| fact.kind.expression()).collect()
}

/// The fields that were compared: `Pod spec.nodeSelector · Node metadata.labels`. Empty if unknown.
pub fn fields(verdict: &Verdict) -> String {
    let paths = |owner: &str, path: fn(&crate::protocol::fact::Fact) -> &str| {
        let mut paths: Vec<&str> = Vec::new();
        for fact in &verdict.facts {
            let path = path(fact);
            if !path.is_empty() && !paths.contains(&path) {
                paths.push(path);
            }
        }
        (!paths.is_empty()).then(|| format!("{owner} {}", paths.join(", ")))
    };
    let pod = paths("Pod", |fact| &fact.pod_path);
    let node = paths("Node", |fact| &fact.node_path);
    let both: Vec<String> = pod.into_iter().chain(node).collect();
    both.join(" · ")
}
