//! Reads files into objects and problems; an invalid document never hides valid ones.

mod convert;
mod cut;
mod document;
mod foreign;
mod kinds;
mod kubectl_output;
mod removed;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::decode::Finding;
use super::edit::is_namespaced;
use super::object::Manifest;
use super::problem::{self, Problem, Severity};
use super::source::{Position, Source, SourceFile, advance};
use super::yaml::{self, Span, Target};
use berth_base::sort;
use berth_protocol::edit::ObjectRef;
use berth_protocol::remark::Remark;

pub(crate) use document::document_of;

pub(super) use convert::is_served;
pub use convert::{convert, convert_back};
pub use kinds::is_document;

/// Maximum number of bytes read; the rest is skipped with a problem.
pub const MAX_INPUT_BYTES: usize = 256 << 20;

/// Maximum number of documents (and items of lists); the rest is skipped with a problem.
pub const MAX_DOCUMENTS: usize = 2_000_000;

/// Problems kept while reading, before the most important [`problem::MAX_PROBLEMS`] are selected.
const MAX_LISTED: usize = 2 * problem::MAX_PROBLEMS;

/// Locating a problem reads its document again; this bounds the bytes read for the problems of one
/// document. (Objects are small, and items of a list are located separately.)
const LOCATE_BYTES: usize = 8 << 20;

/// Everything that was read from the files.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    pub files: Vec<SourceFile>,
    /// In file and text order; `documents[i].index == i`.
    pub documents: Vec<Document>,
    /// Sorted by position, bounded in number.
    pub problems: Vec<Problem>,
    /// Number of problems that are not listed.
    pub unlisted: usize,
    /// Objects of kinds that Berth ignores.
    pub ignored: Vec<Ignored>,
    /// Kinds with their `apiVersion` that Berth does not read although their objects have Pod templates: the source of the
    /// first, and their number.
    pub templates: BTreeMap<(String, String), (Source, usize)>,
}

/// One object of the input, or the place of one that could not be read.
#[derive(Clone, Debug)]
pub struct Document {
    /// Index among all documents of all files. Documents with only comments do not count; the items
    /// of a `List` count in place of the list.
    pub index: u32,
    pub source: Source,
    /// `None` for kinds that are ignored and for objects that the API server could not decode. After
    /// an edit, shared with the previous manifests if the document's text is unchanged.
    pub object: Option<Arc<Manifest>>,
    pub health: Health,
    /// Empty if absent.
    pub api_version: String,
    /// Empty if absent.
    pub kind: String,
    /// As written; `None` if absent or empty.
    pub namespace: Option<String>,
    /// Empty if absent.
    pub name: String,
}

impl Document {
    /// The reference by which edits name its object.
    pub fn reference(&self) -> ObjectRef {
        ObjectRef::new(
            &self.kind,
            self.namespace.clone().unwrap_or_default(),
            &self.name,
        )
    }

    /// Kind, namespace and name of its object. The namespace is `default` if none is written, and empty for kinds
    /// without namespaces.
    pub fn key(&self) -> DocumentKey<'_> {
        let namespace = match (&self.namespace, is_namespaced(&self.kind)) {
            (_, false) => "",
            (Some(namespace), true) => namespace,
            (None, true) => "default",
        };
        (&self.kind, namespace, &self.name)
    }
}

/// Kind, namespace and name.
pub type DocumentKey<'l> = (&'l str, &'l str, &'l str);

/// The known state of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It has problems, or no usable object.
    #[default]
    Poor,
    /// Reading found no problem.
    Read,
    /// Validation found no problem either, so the same text need not be read again.
    Sound,
}

/// Documents that need not be read again, by their text.
pub(super) type Known<'b> = HashMap<&'b str, &'b Document>;

/// An object of a kind that Berth ignores.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Ignored {
    pub file: String,
    pub line: u32,
    pub api_version: String,
    pub kind: String,
    pub namespace: Option<String>,
    pub name: String,
}

/// Reads files of manifests.
///
/// Never fails: unreadable documents become problems, and everything else is read.
pub fn load(files: &[SourceFile]) -> Loaded {
    load_known(files, &Known::new())
}

/// Reads files after an edit: documents with unchanged text and without problems are not read
/// again.
pub fn load_again(files: &[SourceFile], before: &Loaded) -> Loaded {
    let known = before
        .documents
        .iter()
        // The text of a list's item does not include its kind if the list is typed.
        .filter(|document| document.health == Health::Sound && document.source.item.is_empty())
        .map(|document| (before.text(&document.source), document))
        .collect();
    load_known(files, &known)
}

fn load_known(files: &[SourceFile], known: &Known) -> Loaded {
    let mut loaded = Loaded {
        files: files.to_vec(),
        ..Loaded::default()
    };
    let mut bytes = 0usize;
    for (file, source_file) in files.iter().enumerate() {
        bytes = bytes.saturating_add(source_file.text.len());
        let start = Source {
            file,
            start: Position { line: 1, column: 1 },
            ..Source::default()
        };
        if bytes > MAX_INPUT_BYTES {
            let finding = Finding::error("", Remark::too_much_input(MAX_INPUT_BYTES >> 20))
                .help(Remark::split_input());
            loaded.report(&start, finding);
            break;
        }
        document::load_file(&mut loaded, file, known);
    }
    document::report_templates(&mut loaded);
    let order: BTreeMap<String, usize> = sort::gather(
        files
            .iter()
            .map(|file| file.name.clone())
            .zip(0..files.len())
            .rev(),
    );
    let problems = std::mem::take(&mut loaded.problems);
    loaded.problems = problem::arrange(problems, loaded.unlisted, &|name| {
        order.get(name).copied().unwrap_or(usize::MAX)
    });
    loaded
}

/// Whether there is nothing to read in a text: neither a document, nor a message of kubectl that says why.
pub fn is_blank(text: &str) -> bool {
    yaml::split(text).is_empty() && !text.lines().any(yaml::is_message)
}

/// Whether a text is YAML for something else than an API server: all of it can be read, and no document is an object with
/// a kind.
pub fn is_other_yaml(text: &str) -> bool {
    yaml::documents(text).iter().all(|chunk| {
        let document = text.get(chunk.range.clone()).unwrap_or_default();
        let parsed = yaml::parse(document);
        parsed.is_ok_and(|parsed| {
            let has = |key: &str| parsed.value.get(key).is_some();
            let beside = ["apiVersion", "metadata", "spec", "items"];
            !(has("kind") && beside.into_iter().any(has))
        })
    })
}

/// Decodes one object that is not in a file, with the problems of its fields. `None` for ignored
/// kinds.
pub fn read_object(value: &serde_json::Value) -> (Option<Manifest>, Vec<Finding>) {
    let mut value = value.clone();
    if let serde_json::Value::Object(object) = &mut value {
        convert(object);
    }
    let kind = value.get("kind").and_then(serde_json::Value::as_str);
    let kind = kind.unwrap_or_default().to_owned();
    kinds::decode_kind(&kind, value)
}

impl Loaded {
    /// The documents with an object, by their object. The first of several documents for one object counts: the API
    /// server refuses the others.
    pub fn by_object(&self) -> BTreeMap<DocumentKey<'_>, &Document> {
        let documents = self
            .documents
            .iter()
            .rev()
            .filter(|document| document.object.is_some());
        sort::gather(documents.map(|document| (document.key(), document)))
    }

    /// Whether there is an object, of a kind that is read or that has Pod templates.
    pub fn has_objects(&self) -> bool {
        !self.templates.is_empty() || self.documents.iter().any(|it| it.object.is_some())
    }

    /// Number of ignored objects by kind.
    pub fn ignored_counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for ignored in &self.ignored {
            *counts.entry(ignored.kind.as_str()).or_default() += 1;
        }
        counts
    }

    /// The text of a document.
    pub fn text(&self, source: &Source) -> &str {
        self.files
            .get(source.file)
            .and_then(|file| file.text.get(source.range.clone()))
            .unwrap_or_default()
    }

    /// The position in the file of the node at a field path of an object.
    ///
    /// `None` if the text has no such node.
    pub fn locate(&self, source: &Source, path: &str, target: Target) -> Option<Span> {
        let text = self.text(source);
        let span = if source.item.is_empty() {
            yaml::locate(text, path, target)
        } else {
            yaml::locate_in_item(text, path, target)
        }?;
        Some(Span {
            start: in_file(source.start, span.start),
            last_line: source
                .start
                .line
                .saturating_add(span.last_line.saturating_sub(1)),
        })
    }

    /// The position of the node at a field path, or else of the nearest enclosing node that the text
    /// has.
    pub fn position(&self, source: &Source, path: &str, target: Target) -> Position {
        if !path.is_empty()
            && let Some(span) = self.locate(source, path, target)
        {
            return span.start;
        }
        let mut around = path;
        while let Some(end) = around.rfind(['.', '[']) {
            around = around.get(..end).unwrap_or_default();
            if around.is_empty() {
                break;
            }
            if let Some(span) = self.locate(source, around, Target::Key) {
                return span.start;
            }
        }
        let text = self.text(source);
        advance(source.start, text, text.len() - text.trim_start().len())
    }

    /// A finding as a problem at the position of its field.
    pub fn problem(&self, source: &Source, finding: Finding) -> Problem {
        let position = self.position(source, &finding.path, finding.target);
        let help = if finding.wants_quotes() {
            self.quote_help(source, &finding)
        } else {
            finding.help
        };
        Problem {
            severity: finding.severity,
            file: self.file_name(source),
            line: position.line,
            column: position.column,
            path: match (source.item.is_empty(), finding.path.is_empty()) {
                (true, _) => finding.path,
                (false, true) => source.item.clone(),
                (false, false) => format!("{}.{}", source.item, finding.path),
            },
            message: finding.message,
            help,
            is_missing: finding.is_missing,
            unlisted: 0,
        }
    }

    fn file_name(&self, source: &Source) -> String {
        self.files
            .get(source.file)
            .map(|file| file.name.clone())
            .unwrap_or_default()
    }

    /// Whether another problem can be listed. There is always room for a first error.
    fn has_room(&self, severity: Severity) -> bool {
        self.problems.len() < MAX_LISTED
            || severity == Severity::Error
                && self
                    .problems
                    .iter()
                    .all(|problem| problem.severity != Severity::Error)
    }

    fn list(&mut self, problem: Problem) {
        if self.has_room(problem.severity) {
            self.problems.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    fn report(&mut self, source: &Source, finding: Finding) {
        if self.has_room(finding.severity) {
            let problem = self.problem(source, finding);
            self.problems.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    /// Reports the findings of one document, up to the limits.
    fn report_all(&mut self, source: &Source, mut findings: Vec<Finding>) {
        sort::sort_by_key(&mut findings, |finding| finding.severity);
        let affordable = LOCATE_BYTES / source.range.len().max(1);
        let listed = affordable.clamp(1, problem::MAX_PROBLEMS_PER_DOCUMENT);
        let left_out = findings.len().saturating_sub(listed);
        for finding in findings.into_iter().take(listed) {
            self.report(source, finding);
        }
        if self.has_room(Severity::Warning) {
            let more = problem::and_more(self.problems.last(), left_out);
            self.problems.extend(more);
        } else {
            self.unlisted += left_out;
        }
    }

    /// "put the value in quotes: "yes"", with the value as written in the text.
    fn quote_help(&self, source: &Source, finding: &Finding) -> Remark {
        let text = self.text(source);
        let raw = self
            .locate(source, &finding.path, Target::Value)
            .and_then(|span| {
                let line = text
                    .lines()
                    .nth(span.start.line.saturating_sub(source.start.line) as usize)?;
                let skip = if span.start.line == source.start.line {
                    source.start.column
                } else {
                    1
                };
                let rest: String = line
                    .chars()
                    .skip(span.start.column.saturating_sub(skip) as usize)
                    .collect();
                let token = rest
                    .split([',', '}', ']', ' ', '\t', '\r'])
                    .next()?
                    .to_owned();
                (!token.is_empty() && token.len() < 64).then_some(token)
            });
        match raw {
            Some(raw) => Remark::quote_this_value(format!("\"{raw}\"")),
            None => finding.help.clone(),
        }
    }
}

/// Converts a position within a piece of a file that starts at `start` to one in the file.
fn in_file(start: Position, inner: Position) -> Position {
    Position {
        line: start.line.saturating_add(inner.line.saturating_sub(1)),
        column: if inner.line <= 1 {
            start.column.saturating_add(inner.column.saturating_sub(1))
        } else {
            inner.column
        },
    }
}

#[cfg(test)]
mod tests;
