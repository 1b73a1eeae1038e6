//! The documents of one file, and the items of lists among them.

use berth_protocol::remark::Remark;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::convert::convert;
use super::kinds::{self, Meaning};
use super::{
    Document, Health, Ignored, Known, Loaded, MAX_DOCUMENTS, cut, foreign, kubectl_output, removed,
};
use crate::api::advice;
use crate::api::decode::{Finding, closest};
use crate::api::problem::{MAX_PROBLEMS_PER_DOCUMENT, Problem, Severity};
use crate::api::source::{Position, Source, advance, saturate};
use crate::api::yaml::{self, Chunk, Duplicate, Parsed, SyntaxError, Target};

/// Maximum nesting of lists in lists.
const MAX_LIST_DEPTH: usize = 4;

pub(super) fn load_file(loaded: &mut Loaded, file: usize, known: &Known) {
    let Some(text) = loaded.files.get(file).map(|file| file.text.clone()) else {
        return;
    };
    kubectl_output::report_messages(loaded, file);
    for (ordinal, chunk) in (0..).zip(yaml::documents(&text)) {
        let source = Source {
            file,
            ordinal,
            range: chunk.range.clone(),
            start: chunk.start,
            item: String::new(),
        };
        if loaded.documents.len() >= MAX_DOCUMENTS {
            let finding = Finding::error("", Remark::too_many_documents(MAX_DOCUMENTS))
                .help(Remark::split_documents());
            loaded.report(&source, finding);
            return;
        }
        match known.get(text.get(chunk.range.clone()).unwrap_or_default()) {
            Some(document) => loaded.documents.push(Document {
                index: saturate(loaded.documents.len()),
                source,
                ..(*document).clone()
            }),
            None => load_chunk(loaded, &text, &chunk, source),
        }
    }
}

fn load_chunk(loaded: &mut Loaded, text: &str, chunk: &Chunk, source: Source) {
    let document = text.get(chunk.range.clone()).unwrap_or_default();
    let parsed = yaml::parse(document);
    if may_be_cut(document, &parsed)
        && let Some(parsed) = whole_items(loaded, document, &source)
    {
        load_parsed(loaded, document, parsed, source);
        return;
    }
    match parsed {
        Ok(parsed) => load_parsed(loaded, document, parsed, source),
        Err(error) => {
            let position = super::in_file(source.start, error.position);
            loaded.list(Problem {
                severity: Severity::Error,
                file: loaded.file_name(&source),
                line: position.line,
                column: position.column,
                path: String::new(),
                message: Remark::quoted(format!(
                    "error converting YAML to JSON: {}",
                    error.message
                )),
                help: kubectl_output::table_help(document).unwrap_or(error.help),
                is_missing: false,
                unlisted: 0,
            });
            push_unread(loaded, source);
        }
    }
}

/// Whether a text ends where a list goes on, or at least cannot be read to its end.
fn may_be_cut(text: &str, parsed: &Result<Parsed, SyntaxError>) -> bool {
    match parsed {
        Ok(parsed) => {
            let value = &parsed.value;
            value.get("kind").is_none() && value.get("items").is_some_and(Value::is_array)
        }
        // What follows the end of a cut text is missing on its last line or after it.
        Err(error) => error.position.line as usize + 1 >= text.trim_end().lines().count(),
    }
}

/// The beginning of a list that is cut, as far as its items are whole. Says so.
#[inline(never)]
fn whole_items(loaded: &mut Loaded, text: &str, source: &Source) -> Option<Parsed> {
    let cut = cut::whole_items(text)?;
    let whole = format!("{}{}", text.get(..cut.end)?, cut.closing);
    let mut parsed = yaml::parse(&whole).ok()?;
    let map = parsed.value.as_object_mut()?;
    map.entry("kind").or_insert_with(|| "List".into());
    let position = advance(source.start, text, cut.end);
    loaded.list(Problem {
        severity: Severity::Error,
        file: loaded.file_name(source),
        line: position.line,
        column: position.column,
        path: String::new(),
        message: match cut.items {
            1 => Remark::list_cut_after_one(),
            items => Remark::list_cut(items),
        },
        help: Remark::dump_again(),
        is_missing: false,
        unlisted: 0,
    });
    Some(parsed)
}

fn load_parsed(loaded: &mut Loaded, document: &str, parsed: Parsed, source: Source) {
    report_duplicates(loaded, document, &source, &parsed.duplicates);
    let Value::Object(map) = parsed.value else {
        if parsed.value.is_null() {
            return; // `null`, `~` or only an anchor: kubectl ignores such a document.
        }
        let help = match foreign::is_json_patch(&parsed.value) {
            true => Remark::kustomize_patch(),
            false => {
                kubectl_output::table_help(document).unwrap_or_else(Remark::key_value_documents)
            }
        };
        let finding = Finding::error("", Remark::no_object()).help(help);
        loaded.report(&source, finding);
        push_unread(loaded, source);
        return;
    };
    let mut items = Items {
        ranges: parsed.items.into_iter(),
        text: document,
        at: 0,
        position: source.start,
    };
    let first = loaded.documents.len();
    load_object(loaded, map, source, Some(&mut items), 0);
    if !parsed.duplicates.is_empty() {
        let documents = loaded.documents.get_mut(first..).unwrap_or_default();
        documents
            .iter_mut()
            .for_each(|document| document.health = Health::Poor);
    }
}

/// Cuts a document's text into the pieces of its list's items, in order.
struct Items<'t> {
    ranges: std::vec::IntoIter<std::ops::Range<usize>>,
    text: &'t str,
    /// An offset into `text`, and its position in the file.
    at: usize,
    position: Position,
}

impl Items<'_> {
    /// The source of the next item.
    fn next(&mut self, list: &Source, index: usize) -> Source {
        let range = self
            .ranges
            .next()
            .unwrap_or(self.text.len()..self.text.len());
        let skipped = self.text.get(self.at..range.start).unwrap_or_default();
        if !skipped.is_empty() {
            self.position = advance(self.position, skipped, skipped.len());
            self.at = range.start;
        }
        Source {
            range: list.range.start + range.start..list.range.start + range.end,
            start: self.position,
            item: format!("items[{index}]"),
            ..list.clone()
        }
    }
}

/// Reads one object, or the objects of a list.
fn load_object(
    loaded: &mut Loaded,
    mut map: Map<String, Value>,
    source: Source,
    items: Option<&mut Items<'_>>,
    depth: usize,
) {
    let kind = text_of(&map, "kind");
    if depth < MAX_LIST_DEPTH
        && let Some(item_kind) = kind.strip_suffix("List")
        && (item_kind.is_empty()
            || kinds::api_version_of(item_kind).is_some()
            || map.contains_key("items"))
        && let Some(Value::Array(list)) = map.remove("items")
    {
        load_list(
            loaded,
            list,
            item_kind,
            &text_of(&map, "apiVersion"),
            &source,
            items,
            depth,
        );
        return;
    }
    let document = document_of(loaded, map, source);
    loaded.documents.push(document);
}

/// Decodes the document of one object, which is not a list. Adds its problems to `loaded`, but not the
/// document itself.
pub fn document_of(loaded: &mut Loaded, map: Map<String, Value>, source: Source) -> Document {
    let api_version = text_of(&map, "apiVersion");
    let kind = text_of(&map, "kind");
    let metadata = map.get("metadata").and_then(Value::as_object);
    let text_in = |key| {
        metadata
            .map(|metadata| text_of(metadata, key))
            .unwrap_or_default()
    };
    let mut document = Document {
        index: saturate(loaded.documents.len()),
        source,
        object: None,
        health: Health::Poor,
        namespace: Some(text_in("namespace")).filter(|namespace| !namespace.is_empty()),
        name: text_in("name"),
        api_version,
        kind,
    };
    let known = kinds::api_version_of(&document.kind);
    let file = || loaded.file_name(&document.source);
    if known.is_none()
        && let Some(finding) =
            foreign::recognized(&document.api_version, &document.kind, &map, &file())
    {
        loaded.report(&document.source, finding);
    } else if document.api_version.is_empty() || document.kind.is_empty() {
        let finding = missing_type(&document, &map);
        loaded.report(&document.source, finding);
    } else {
        decode_document(loaded, &mut document, map);
    }
    document
}

/// A warning about an annotation of ours that belongs in the Pod template.
fn misplaced(value: &Value) -> Option<Finding> {
    let key = advice::misplaced(value)?;
    let path = format!("metadata.annotations[{key}]");
    let message = Remark::annotation_without_effect(format!("{key:?}"));
    Some(Finding::warning(path, message).help(Remark::to_template_annotations()))
}

fn decode_document(loaded: &mut Loaded, document: &mut Document, mut map: Map<String, Value>) {
    convert(&mut map);
    let (version, kind) = (&document.api_version, &document.kind);
    let meaning = kinds::lookup(version, kind);
    let advice = match meaning {
        Meaning::Known => None,
        Meaning::InVersion(_) if version.starts_with("berth.dev/") => Some(Remark::later_berth()),
        Meaning::InVersion(right) => {
            removed::advice(version, kind).or_else(|| Some(Remark::write_api_version(right)))
        }
        Meaning::Nothing => removed::advice(version, kind),
    };
    if let Some(advice) = advice {
        let message = format!("no matches for kind {kind:?} in version {version:?}");
        let finding = Finding::error("apiVersion", message).help(advice);
        loaded.report(&document.source, finding);
    } else if meaning == Meaning::Known {
        let value = Value::Object(map);
        let misplaced = misplaced(&value);
        let (object, mut findings) = kinds::decode_kind(&document.kind, value);
        document.object = object.map(Arc::new);
        if findings.is_empty() {
            document.health = Health::Read;
        }
        findings.extend(misplaced);
        loaded.report_all(&document.source, findings);
    } else {
        ignore(loaded, document, &map);
    }
}

/// Notes an object of a kind that is not read.
fn ignore(loaded: &mut Loaded, document: &Document, map: &Map<String, Value>) {
    if foreign::has_pod_template(map) {
        let of_kind = (document.kind.clone(), document.api_version.clone());
        let first = || (document.source.clone(), 0);
        loaded.templates.entry(of_kind).or_insert_with(first).1 += 1;
        return;
    }
    let position = loaded.position(&document.source, "kind", Target::Key);
    loaded.ignored.push(Ignored {
        file: loaded.file_name(&document.source),
        line: position.line,
        api_version: document.api_version.clone(),
        kind: document.kind.clone(),
        namespace: document.namespace.clone(),
        name: document.name.clone(),
    });
    if kinds::is_own_version(&document.api_version)
        && kinds::api_version_of(&document.kind).is_none()
        && let Some(meant) = closest(&document.kind, kinds::names())
    {
        let finding =
            Finding::warning("kind", Remark::unknown_kind(format!("{:?}", document.kind)))
                .help(Remark::did_you_mean(format!("{meant:?}")));
        loaded.report(&document.source, finding);
    }
}

/// Warns of the kinds that are not read and whose objects have Pod templates.
pub(super) fn report_templates(loaded: &mut Loaded) {
    for ((kind, version), (source, count)) in loaded.templates.clone() {
        let message = match count {
            1 => Remark::one_template_not_run(kind, version),
            count => Remark::templates_not_run(count, kind, version),
        };
        let finding = Finding::warning("kind", message).help(Remark::add_its_pods());
        loaded.report(&source, finding);
    }
}

fn load_list(
    loaded: &mut Loaded,
    list: Vec<Value>,
    item_kind: &str,
    api_version: &str,
    source: &Source,
    mut items: Option<&mut Items<'_>>,
    depth: usize,
) {
    for (index, item) in list.into_iter().enumerate() {
        let item_source = match &mut items {
            Some(items) => items.next(source, index),
            // Lists within lists share the source of the outer item.
            None => source.clone(),
        };
        match item {
            Value::Object(mut map) => {
                // The items of a typed list (`PodList`) may omit their kind.
                if !item_kind.is_empty() {
                    map.entry("kind").or_insert_with(|| item_kind.into());
                    map.entry("apiVersion")
                        .or_insert_with(|| api_version.into());
                }
                load_object(loaded, map, item_source, None, depth + 1);
            }
            _ => {
                let finding =
                    Finding::error("", Remark::item_no_object()).help(Remark::item_needs_type());
                loaded.report(&item_source, finding);
                push_unread(loaded, item_source);
            }
        }
    }
}

/// kubectl's message for an object without `kind` or `apiVersion`, with a suggestion.
fn missing_type(document: &Document, map: &Map<String, Value>) -> Finding {
    if document.kind.is_empty() {
        let help = if map.contains_key("kind") {
            Remark::kind_is_text()
        } else if map.contains_key("Name") {
            // `kubectl describe` begins with it.
            kubectl_output::for_people()
        } else if let Some(near) = map.keys().find(|key| closest(key, ["kind"]).is_some()) {
            Remark::key_did_you_mean(format!("{near:?}"), "\"kind\"")
        } else {
            Remark::add_kind()
        };
        return Finding::error("", "Object 'Kind' is missing".to_owned()).help(help);
    }
    let help = match kinds::api_version_of(&document.kind) {
        Some(version) => Remark::add_api_version(version),
        None => Remark::add_some_api_version(),
    };
    Finding::error("", "Object 'apiVersion' is missing".to_owned()).help(help)
}

fn report_duplicates(loaded: &mut Loaded, text: &str, source: &Source, duplicates: &[Duplicate]) {
    for duplicate in duplicates.iter().take(MAX_PROBLEMS_PER_DOCUMENT) {
        let position = match duplicate.offset {
            Some(offset) => advance(source.start, text, offset),
            None => loaded.position(source, &duplicate.path, Target::Key),
        };
        loaded.list(Problem {
            // kubectl's decoder is not strict: the last value wins.
            severity: Severity::Warning,
            file: loaded.file_name(source),
            line: position.line,
            column: position.column,
            path: duplicate.path.clone(),
            message: Remark::quoted(format!("key {:?} already set in map", duplicate.key)),
            help: Remark::keep_one(),
            is_missing: false,
            unlisted: 0,
        });
    }
}

/// Adds a document that counts but has no usable object.
fn push_unread(loaded: &mut Loaded, source: Source) {
    loaded.documents.push(Document {
        index: saturate(loaded.documents.len()),
        source,
        object: None,
        health: Health::Poor,
        api_version: String::new(),
        kind: String::new(),
        namespace: None,
        name: String::new(),
    });
}

fn text_of(map: &Map<String, Value>, key: &str) -> String {
    map.get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
