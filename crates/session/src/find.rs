//! Locates the two sides of a verdict in the manifests.

use berth_core::api::kinds::Kind;
use berth_core::api::load::Document;
use berth_core::api::object::Manifest;
use berth_core::api::yaml::Target;
use berth_protocol::key::split;
use berth_protocol::page::Snippet;

use super::Session;

/// Maximum number of lines that are shown of a field.
const LINES: usize = 12;

impl Session {
    /// The parts of the manifests at the field paths of a Pod and of a node at this moment; `None` for a side without
    /// such a field. For a Pod of a workload, the template is searched.
    pub fn find(
        &self,
        pod: &str,
        node: &str,
        pod_path: &str,
        node_path: &str,
    ) -> (Option<Snippet>, Option<Snippet>) {
        let documents = &self.manifests().loaded.documents;
        let of_pod = || {
            let (namespace, name) = split(pod);
            let run = self.history.with_sources();
            let known = run.cluster().pods().find(namespace, name)?;
            let index = usize::try_from(known.object.document).ok()?;
            let document = documents.get(index)?;
            self.snippet(document, &in_template(document, pod_path)?)
        };
        let of_node = || {
            let is_it = |document: &&Document| {
                document.name == node
                    && matches!(document.object.as_deref(), Some(Manifest::Node(_)))
            };
            self.snippet(documents.iter().find(is_it)?, node_path)
        };
        let pod = if pod_path.is_empty() { None } else { of_pod() };
        let node = if node_path.is_empty() {
            None
        } else {
            of_node()
        };
        (pod, node)
    }

    fn snippet(&self, document: &Document, path: &str) -> Option<Snippet> {
        let loaded = &self.manifests().loaded;
        let span =
            around(path).find_map(|path| loaded.locate(&document.source, path, Target::Key))?;
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
