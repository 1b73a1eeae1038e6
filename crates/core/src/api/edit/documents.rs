//! Creates documents.

use std::ops::Range;

use serde_json::Value;

use super::change::{Goal, Planned};
use super::emit::{self, Flow, Style};
use super::objects::gone;
use super::page::Page;
use super::plan;
use super::splice::{Splice, spliced};
use super::workspace::{Place, Workspace};
use crate::api::yaml::{self, tree};
use berth_protocol::edit::{EditError, PathStep};
use berth_protocol::remark::Remark;

/// Maximum size of a document from which the style of its file is taken.
const MODEL_BYTES: usize = 64 << 10;

impl Workspace<'_> {
    /// Appends a document to its file: a new item if the file is one JSON list, a JSON value if the file
    /// is JSON otherwise, else a YAML document.
    pub(super) fn create(&mut self, index: usize, manifest: &Value) -> Result<(), EditError> {
        let entry = self.objects.entries.get(index).ok_or_else(gone)?;
        let (object, file) = (entry.object.clone(), entry.file);
        let text = self.files.get(file).map_or("", |file| file.text.as_str());
        let chunks = json_values(text);
        if let [only] = chunks.as_slice()
            && let Some(added) = self.append_to_list(file, only, manifest)?
        {
            self.note_new(file, added, true);
            return Ok(());
        }
        let text = self.files.get(file).map_or("", |file| file.text.as_str());
        let (lead, body) = if chunks.is_empty() {
            let style = self.style_of(file);
            let body = emit::document(manifest, style).replace('\n', style.newline);
            (
                lead(text, style.newline),
                format!("{body}{}", style.newline),
            )
        } else {
            let separated = text.lines().any(|line| line.trim_end() == "---");
            let marker = if separated { "---\n" } else { "" };
            let newline = if text.ends_with('\n') { "" } else { "\n" };
            let style = Flow::JsonLines {
                indent: String::new(),
                unit: unit_of(text),
            };
            let body = format!("{}\n", emit::flow(manifest, &style));
            (format!("{newline}{marker}"), body)
        };
        let reads = yaml::parse(&body).is_ok_and(|parsed| parsed.value == *manifest);
        if !reads || yaml::documents(&body).len() != 1 || !takes_newline(text, chunks.is_empty()) {
            return Err(EditError::new(
                Remark::not_written(&object.kind, format!("{:?}", object.name)),
                Remark::end_with_newline(),
            ));
        }
        let start = text.len() + lead.len();
        let range = start..start + body.len();
        self.splice(
            file,
            None,
            Splice::insert(text.len(), format!("{lead}{body}")),
        );
        self.note_new(file, range, false);
        Ok(())
    }

    fn note_new(&mut self, file: usize, range: Range<usize>, in_list: bool) {
        let items = self.places.iter().filter(|place| place.file == file);
        let last = items.filter_map(|place| place.item).max();
        self.places.push(Place {
            file,
            ordinal: in_list.then_some(0),
            range,
            item: in_list.then_some(last.map_or(0, |last| last + 1)),
            is_deleted: false,
        });
    }

    /// If the document is a JSON `List`, appends an item and returns its range.
    fn append_to_list(
        &mut self,
        file: usize,
        range: &Range<usize>,
        manifest: &Value,
    ) -> Result<Option<Range<usize>>, EditError> {
        let text = self
            .files
            .get(file)
            .and_then(|file| file.text.get(range.clone()));
        let text = text.unwrap_or_default();
        let Ok(mut expected) = yaml::parse(text).map(|parsed| parsed.value) else {
            return Ok(None);
        };
        let kind = expected
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let own_kind = manifest.get("kind").and_then(Value::as_str);
        let fits = kind == "List" || kind.strip_suffix("List") == own_kind;
        let items = expected.get_mut("items").and_then(Value::as_array_mut);
        let Some(items) = items.filter(|_| fits) else {
            return Ok(None);
        };
        let goal = if items.is_empty() {
            Goal::Set
        } else {
            Goal::Append
        };
        items.push(manifest.clone());
        let refused = || EditError::new(Remark::list_closed(), Remark::item_by_hand());
        let root = tree::tree(text).map_err(|_| refused())?;
        let page = Page::new(text, &root);
        let path = vec![PathStep::Key("items".to_owned())];
        let planned = Planned {
            path,
            goal,
            expected,
        };
        let mut splices = plan::splices(&page, &root, &planned).map_err(|_| refused())?;
        for splice in &mut splices {
            splice.text = splice.text.replace('\n', page.style.newline);
        }
        let new = spliced(text, &splices);
        let after = tree::tree(&new).map_err(|_| refused())?;
        let reads = yaml::parse(&new).is_ok_and(|parsed| parsed.value == planned.expected);
        let items = after
            .entry(&new, "items")
            .map(|(_, entry)| &entry.value.shape);
        let Some(tree::Shape::List { items, .. }) = items.filter(|_| reads) else {
            return Err(refused());
        };
        let added = items.last().ok_or_else(refused)?;
        for splice in splices.into_iter().rev() {
            let at = range.start + splice.range.start..range.start + splice.range.end;
            self.splice(file, None, Splice::new(at, splice.text));
        }
        Ok(Some(range.start + added.mark..range.start + added.node.end))
    }

    /// The style of a file, taken from one of its last documents of at most [`MODEL_BYTES`].
    fn style_of(&self, file: usize) -> Style {
        let text = self.files.get(file).map_or("", |file| file.text.as_str());
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let own = self.places.iter().rev().filter(|place| {
            place.file == file && !place.is_deleted && place.range.len() <= MODEL_BYTES
        });
        // Three documents are tried: the last ones may not be in block style.
        let model = own.take(3).find_map(|place| {
            let text = self.text_of(place);
            let root = tree::tree(text)
                .ok()
                .filter(tree::Node::is_block_collection)?;
            Some(Page::new(text, &root).style)
        });
        Style {
            newline,
            ..model.unwrap_or(Style {
                step: 2,
                indented_lists: false,
                newline,
            })
        }
    }
}

/// The ranges of the documents of a file that is entirely JSON; empty for other files.
fn json_values(text: &str) -> Vec<Range<usize>> {
    if !text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{')
    {
        return Vec::new();
    }
    let ranges: Vec<_> = yaml::documents(text)
        .into_iter()
        .map(|chunk| chunk.range)
        .collect();
    let is_json = |range: &Range<usize>| {
        let text = text.get(range.clone()).unwrap_or_default();
        serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
    };
    if ranges.iter().all(is_json) {
        ranges
    } else {
        Vec::new()
    }
}

/// The indentation of the first indented line.
fn unit_of(text: &str) -> String {
    let mut indents = text.lines().skip(1).map(|line| {
        let rest = line.trim_start_matches([' ', '\t']);
        line.get(..line.len() - rest.len()).unwrap_or_default()
    });
    let unit = indents.find(|indent| !indent.is_empty());
    unit.filter(|unit| unit.len() <= 8)
        .unwrap_or("  ")
        .to_owned()
}

/// The text between a YAML file and a new document at its end: a newline and a separator, if needed.
fn lead(text: &str, newline: &str) -> String {
    let end = text.trim_start_matches('\u{feff}').trim_end();
    let line_end = if text.is_empty() || text.ends_with('\n') || end.is_empty() {
        ""
    } else {
        newline
    };
    let is_open = end.is_empty()
        || end.lines().next_back() == Some("---")
        || yaml::split(text).is_empty() && !end.ends_with("...");
    let marker = if is_open {
        String::new()
    } else {
        format!("---{newline}")
    };
    format!("{line_end}{marker}")
}

/// Whether appending a newline keeps the value of the last document; it may change a block scalar.
fn takes_newline(text: &str, is_yaml: bool) -> bool {
    if !is_yaml || text.ends_with('\n') {
        return true;
    }
    let Some(last) = yaml::split(text).pop() else {
        return true;
    };
    let last = text.get(last.range).unwrap_or_default();
    match (yaml::parse(last), yaml::parse(&format!("{last}\n"))) {
        (Ok(before), Ok(after)) => before.value == after.value,
        _ => true,
    }
}
