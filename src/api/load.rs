//! Files in, objects and problems out: one bad document never hides the good ones.

mod convert;
mod document;
mod kinds;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::decode::Finding;
use super::object::Manifest;
use super::problem::{self, Problem, Severity};
use super::source::{Position, Source, SourceFile, advance};
use super::yaml::{self, Span, Target};
use crate::base::sort;

pub use convert::convert;
pub use kinds::is_document;

/// Bytes of text that are read in all; the rest is refused with a problem.
pub const MAX_INPUT_BYTES: usize = 256 << 20;

/// Documents (and items of lists) that are read in all; the rest is refused with a problem.
pub const MAX_DOCUMENTS: usize = 2_000_000;

/// Problems kept while reading, before the most important [`problem::MAX_PROBLEMS`] are chosen.
const MAX_LISTED: usize = 2 * problem::MAX_PROBLEMS;

/// Finding the place of a problem reads its document again; this is how many bytes one document's
/// problems may cost. (Objects are small; items of a list are located on their own.)
const LOCATE_BYTES: usize = 8 << 20;

/// Everything that was found in the files.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    pub files: Vec<SourceFile>,
    /// In the order of the files and of their text; `documents[i].index == i`.
    pub documents: Vec<Document>,
    /// Sorted by position, bounded in number.
    pub problems: Vec<Problem>,
    /// How many problems were found beyond those listed.
    pub unlisted: usize,
    /// Objects of kinds that mean nothing here.
    pub ignored: Vec<Ignored>,
}

/// One object of the input, or the place of one that could not be read.
#[derive(Clone, Debug)]
pub struct Document {
    /// Position among all documents of all files. Documents of comments only do not count, items
    /// of a `List` count one each, in place of the list.
    pub index: u32,
    pub source: Source,
    /// `None` for kinds that are ignored, and for what the API server would not even decode. Shared
    /// with the manifests before an edit, if the text of the document stayed.
    pub object: Option<Arc<Manifest>>,
    pub health: Health,
    /// Empty if the document does not say.
    pub api_version: String,
    /// Empty if the document does not say.
    pub kind: String,
    /// As written; `None` if absent or empty.
    pub namespace: Option<String>,
    /// Empty if the document does not say.
    pub name: String,
}

/// What is known to be wrong with a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// Something, or it holds nothing that can be used.
    #[default]
    Poor,
    /// Nothing was found while it was read.
    Read,
    /// Validation found nothing either: the same text need not be read again.
    Sound,
}

/// Documents that need not be read again, by their text.
pub(super) type Known<'b> = HashMap<&'b str, &'b Document>;

/// An object of a kind that means nothing to scheduling.
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
/// Never fails: what cannot be read becomes a problem, and everything else is there.
pub fn load(files: &[SourceFile]) -> Loaded {
    load_known(files, &Known::new())
}

/// The same, for an edit of what was loaded before: documents whose text stayed, and with which
/// nothing was wrong, are not read again.
pub fn load_again(files: &[SourceFile], before: &Loaded) -> Loaded {
    let sound = before.documents.iter().filter(|document| {
        // The text of a list's item is not all that says what it is.
        document.health == Health::Sound && document.source.item.is_empty()
    });
    let known = sound.map(|document| (before.text(&document.source), document));
    load_known(files, &known.collect())
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
            let finding = Finding::error("", format!("more than {} MiB of input", MAX_INPUT_BYTES >> 20))
                .help("split it, or leave out what scheduling does not need (managedFields, ConfigMaps, Secrets)");
            loaded.report(&start, finding);
            break;
        }
        document::load_file(&mut loaded, file, known);
    }
    let names = files.iter().map(|file| file.name.clone());
    let order: BTreeMap<String, usize> = sort::gather(names.zip(0..files.len()).rev());
    let problems = std::mem::take(&mut loaded.problems);
    loaded.problems = problem::arrange(problems, loaded.unlisted, &|name| {
        order.get(name).copied().unwrap_or(usize::MAX)
    });
    loaded
}

/// Reads one object that stands in no file, with what is wrong with its fields. No object for a kind
/// that is not read.
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
    /// How many objects of each kind were ignored, by kind.
    pub fn ignored_counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for ignored in &self.ignored {
            *counts.entry(ignored.kind.as_str()).or_default() += 1;
        }
        counts
    }

    /// The text a document was read from.
    pub fn text(&self, source: &Source) -> &str {
        self.files
            .get(source.file)
            .and_then(|file| file.text.get(source.range.clone()))
            .unwrap_or_default()
    }

    /// Where the node at a field path of an object stands in its file.
    ///
    /// `None` if the text has no such node.
    pub fn locate(&self, source: &Source, path: &str, target: Target) -> Option<Span> {
        let text = self.text(source);
        let is_block_item = !source.item.is_empty() && text.trim_start().starts_with("- ");
        let span = if is_block_item {
            // The piece of a block list with one item: read it as such a list.
            let inner = if path.is_empty() || path.starts_with('[') {
                format!("[0]{path}")
            } else {
                format!("[0].{path}")
            };
            yaml::locate(text, &inner, target)?
        } else {
            yaml::locate(text, path, target)?
        };
        Some(Span {
            start: in_file(source.start, span.start),
            last_line: source
                .start
                .line
                .saturating_add(span.last_line.saturating_sub(1)),
        })
    }

    /// The position for a problem at a field path: of the node, or else of the nearest one around
    /// it that the text has.
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

    /// A problem with an object, at the place of its field.
    pub fn problem(&self, source: &Source, finding: Finding) -> Problem {
        let position = self.position(source, &finding.path, finding.target);
        let help = if finding.wants_quotes {
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

    /// Reports what is wrong with one document, up to the bounds.
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

    /// "put yes in quotes: "yes"", with the value as it stands in the text.
    fn quote_help(&self, source: &Source, finding: &Finding) -> String {
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
            Some(raw) => format!("put the value in quotes: \"{raw}\""),
            None => finding.help.clone(),
        }
    }
}

/// A position within a piece of a file that starts at `start`, as a position of the file.
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
