//! Locates the two sides of a verdict in the manifests.

use berth_core::api::kinds::Kind;
use berth_core::api::load::Document;
use berth_core::api::object::Manifest;
use berth_core::api::source::{Position, SourceFile};
use berth_core::api::yaml::Target;
use berth_protocol::cycle::Verdict;
use berth_protocol::fact::Fact;
use berth_protocol::key::split;
use berth_protocol::page::{Numbers, Snippet};
use berth_protocol::remark::Remark;

use crate::explain;
use crate::session::Session;

/// Maximum number of lines that are shown of a field.
const LINES: usize = 12;

/// The parts of the manifests at the field paths of a Pod and of a node at this moment; `None` for a side without
/// such a field. For a Pod of a workload, the template is searched.
pub fn find(
    session: &Session,
    pod: &str,
    node: &str,
    pod_path: &str,
    node_path: &str,
) -> (Option<Snippet>, Option<Snippet>) {
    let documents = &session.manifests().loaded.documents;
    let of_pod = || {
        let document = document_of(session, pod)?;
        snippet(session, document, &in_template(document, pod_path)?)
    };
    let of_node = || {
        let is_it = |document: &&Document| {
            document.name == node && matches!(document.object.as_deref(), Some(Manifest::Node(_)))
        };
        snippet(session, documents.iter().find(is_it)?, node_path)
    };
    let pod = if pod_path.is_empty() { None } else { of_pod() };
    let node = if node_path.is_empty() {
        None
    } else {
        of_node()
    };
    (pod, node)
}

/// The document of a Pod (`namespace/name`), or of its workload.
fn document_of<'s>(session: &'s Session, pod: &str) -> Option<&'s Document> {
    let (namespace, name) = split(pod);
    let run = session.history.with_sources();
    let known = run.cluster().pods().find(namespace, name)?;
    let index = usize::try_from(known.object.document).ok()?;
    session.manifests().loaded.documents.get(index)
}

/// Where a Pod (`namespace/name`) comes from: the file, and the beginning of the Pod's document or of its workload's.
pub fn origin<'s>(session: &'s Session, pod: &str) -> Option<(&'s SourceFile, Position)> {
    let source = &document_of(session, pod)?.source;
    let loaded = &session.manifests().loaded;
    let file = loaded.files.get(source.file)?;
    Some((file, loaded.position(source, "", Target::Key)))
}

/// The numbers behind a plugin's verdict on a node in an attempt, or behind its score if `scored`, with the fields
/// of the first numbers that have some. Positions as in [`crate::explain::attempt`].
///
/// # Errors
/// As [`crate::explain::attempt`].
pub fn numbers(
    session: &Session,
    position: usize,
    node: &str,
    plugin: &str,
    scored: bool,
) -> Result<Numbers, Remark> {
    let cycle = explain::with_node(session, position, node)?;
    let mut numbers = Numbers {
        on: node.to_owned(),
        plugin: plugin.to_owned(),
        scored,
        ..Numbers::default()
    };
    if scored {
        let mut nodes = cycle.scores.iter().flatten();
        let scores = nodes.find(|score| score.node == node);
        let mut scores = scores.into_iter().flat_map(|score| &score.plugins);
        numbers.score = scores.find(|score| score.plugin == plugin).cloned();
    } else {
        let mut nodes = cycle.nodes.iter();
        let report = nodes.find(|report| report.node == node);
        let own = report.map(|it| it.failures.iter().chain(&it.passes).chain(&it.verdict));
        let of_plugin = |verdict: &&Verdict| verdict.plugin == plugin;
        numbers.verdict = own.and_then(|mut own| own.find(of_plugin).cloned());
    }
    let paths = match (&numbers.verdict, &numbers.score) {
        (Some(verdict), _) => Paths::of(&verdict.facts),
        (None, Some(score)) => {
            let arithmetic = score.arithmetic.as_deref();
            arithmetic.map_or_else(Paths::default, |it| Paths::of(&it.inputs))
        }
        (None, None) => Paths::default(),
    };
    (numbers.pod, numbers.node) = find(session, &cycle.pod, node, &paths.pod, &paths.node);
    if let Some((pod, path)) = &paths.rule {
        numbers.rule = find(session, pod, node, path, "").0;
    }
    Ok(numbers)
}

fn snippet(session: &Session, document: &Document, path: &str) -> Option<Snippet> {
    let loaded = &session.manifests().loaded;
    let span = around(path).find_map(|path| loaded.locate(&document.source, path, Target::Key))?;
    let file = loaded.files.get(document.source.file)?;
    let first = usize::try_from(span.start.line).ok()?.checked_sub(1)?;
    let last = usize::try_from(span.last_line).ok()?;
    let lines = file.text.lines().skip(first);
    let lines: Vec<&str> = lines.take((last - first).clamp(1, LINES)).collect();
    Some(Snippet {
        object: format!("{} {}", document.kind, document.name),
        line: span.start.line,
        last_line: span.last_line,
        text: dedented(&lines),
    })
}

/// The fields of the first facts that have some.
#[derive(Default)]
struct Paths {
    pod: String,
    node: String,
    /// A Pod that is counted, and the field that has its rule.
    rule: Option<(String, String)>,
}

impl Paths {
    fn of<K>(facts: &[Fact<K>]) -> Self {
        let first = |path: fn(&Fact<K>) -> &String| {
            let mut paths = facts.iter().map(path);
            paths.find(|path| !path.is_empty()).cloned()
        };
        let rules = facts.iter().filter(|fact| !fact.pods_path.is_empty());
        let mut rules = rules.filter_map(|fact| Some((fact.pods.first()?, &fact.pods_path)));
        Self {
            pod: first(|fact| &fact.pod_path).unwrap_or_default(),
            node: first(|fact| &fact.node_path).unwrap_or_default(),
            rule: rules.next().map(|(pod, path)| (pod.clone(), path.clone())),
        }
    }
}

/// The path of a Pod's field in the object that defines the Pod.
fn in_template(document: &Document, path: &str) -> Option<String> {
    document.object.as_ref()?;
    Kind::of_name(&document.kind)?.info().in_template(path)
}

/// The path, then the paths of its parents: manifests do not contain defaults.
fn around(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| {
        let end = path.rfind(['.', '['])?;
        path.get(..end).filter(|path| path.contains('.'))
    })
}

fn dedented(lines: &[&str]) -> String {
    let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let least = filled.map(indent).min().unwrap_or(0);
    let lines = lines.iter().map(|line| line.get(least..).unwrap_or(""));
    lines.collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::numbers;
    use crate::explain;
    use crate::testing::{TWO_NODES, session};
    use berth_protocol::fact::counted;

    const LONER: &str = "---
apiVersion: v1
kind: Pod
metadata: {name: loner, labels: {app: loner}}
spec:
  nodeName: node-a
  containers: [{name: c, image: c}]
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: c, image: c, resources: {requests: {cpu: 500m}}}]}
";

    fn text() -> String {
        let named = |text: String, node: &str| {
            let labels = format!("{{name: {node}, labels: {{kubernetes.io/hostname: {node}}}}}");
            text.replace(&format!("{{name: {node}}}"), &labels)
        };
        named(named(TWO_NODES.to_owned(), "node-a"), "node-b") + LONER
    }

    #[test]
    fn a_refusal_names_the_pod_that_refuses_and_its_rule() {
        let session = session(&text());
        let numbers = numbers(&session, 0, "node-a", "InterPodAffinity", false).unwrap();
        let verdict = numbers.verdict.as_ref().unwrap();
        assert_eq!(verdict.code, berth_protocol::cycle::Code::Unschedulable);
        assert_eq!(counted(&verdict.facts), ["default/loner"]);
        assert_eq!(numbers.counted(), ["default/loner"]);
        let rule = numbers.rule.unwrap();
        assert_eq!(rule.object, "Pod loner");
        assert!(rule.text.contains("kubernetes.io/hostname"), "{rule:?}");
        // The record of the whole attempt names no Pods.
        let cycle = explain::attempt(&session, 0).unwrap();
        let report = cycle.nodes.iter().find(|it| it.node == "node-a").unwrap();
        assert!(report.failures.iter().any(|it| it.plugin == verdict.plugin));
        assert!(
            report
                .failures
                .iter()
                .all(|it| counted(&it.facts).is_empty())
        );
    }

    #[test]
    fn a_score_shows_its_request_and_the_nodes_room() {
        // The running Pod refuses no other one.
        let text = text().replace("matchLabels: {app: web}", "matchLabels: {app: none}");
        let session = session(&text);
        let numbers = numbers(&session, 0, "node-b", "NodeResourcesFit", true).unwrap();
        let score = numbers.score.unwrap();
        let arithmetic = score.arithmetic.as_deref().unwrap();
        assert_eq!(arithmetic.raw(), score.raw);
        assert_eq!(arithmetic.normalized() * score.weight, score.weighted);
        assert!(numbers.pod.unwrap().text.contains("500m"));
        assert!(numbers.node.unwrap().text.contains("cpu"));
        let cycle = explain::attempt(&session, 0).unwrap();
        let scores = cycle.scores.iter().flatten();
        assert!(
            scores
                .flat_map(|it| &it.plugins)
                .all(|it| it.arithmetic.is_none())
        );
    }
}
