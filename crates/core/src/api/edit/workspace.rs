//! The text of all files during edits: repeats the steps of [`Objects`] on it.

use serde_json::Value;

use super::change::Planned;
use super::objects::{Objects, Step, gone};
use super::page::Page;
use super::plan::{self, Obstacle};
use super::splice::{Pieces, Splice, spliced};
use crate::api::load::Loaded;
use crate::api::source::SourceFile;
use crate::api::yaml::{self, tree};
use berth_protocol::edit::{Change, EditError};
use berth_protocol::remark::Remark;

use std::ops::Range;

/// The files and objects with the edits so far.
pub(super) struct Workspace<'l> {
    pub(super) objects: Objects<'l>,
    pub(super) files: Vec<File>,
    /// One per entry of `objects`.
    pub(super) places: Vec<Place>,
}

/// A file with the edits so far.
pub(super) struct File {
    pub(super) text: String,
    pieces: Pieces,
}

/// The place of a document, or of an item of a list, in the text.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) file: usize,
    /// Index of the document in the original file, or of the document that contains the item; `None` for
    /// a new document.
    pub(super) ordinal: Option<u32>,
    /// Bytes of the current text.
    pub(super) range: Range<usize>,
    /// For an item of a list, its index in the original list.
    pub(super) item: Option<usize>,
    pub(super) is_deleted: bool,
}

/// The part of a document's text that can be parsed on its own.
pub(super) struct Scope {
    /// Range in bytes of the document's text.
    pub(super) range: Range<usize>,
    /// Whether the part is a list of one item, with its dash; the item is the object.
    in_list: bool,
}

impl Scope {
    /// The scope of the text of a document, or of an item of a list.
    pub(super) fn of(text: &str, is_item: bool) -> Result<Self, tree::Unclear> {
        if !is_item {
            return Ok(Self {
                range: 0..text.len(),
                in_list: false,
            });
        }
        let root = tree::item_tree(text)?;
        if root.is_flow() {
            return Ok(Self {
                range: root.start..root.end,
                in_list: false,
            });
        }
        // Ends with the item's last line, because the text may continue after the list.
        let rest = text.get(root.end..).unwrap_or_default();
        let is_whole = text
            .get(..root.end)
            .is_some_and(|text| text.ends_with('\n'));
        let line = if is_whole {
            0
        } else {
            rest.find('\n').map_or(rest.len(), |newline| newline + 1)
        };
        Ok(Self {
            range: 0..root.end + line,
            in_list: true,
        })
    }

    /// Parses the object from the part's text.
    pub(super) fn read(&self, text: &str) -> Option<Value> {
        let value = yaml::parse(text).ok()?.value;
        match (self.in_list, value) {
            (false, value) => Some(value),
            (true, Value::Array(list)) if list.len() == 1 => list.into_iter().next(),
            _ => None,
        }
    }
}

impl<'l> Workspace<'l> {
    pub(super) fn new(loaded: &'l Loaded) -> Self {
        let files = loaded.files.iter().map(|file| File {
            text: file.text.to_string(),
            pieces: Pieces::new(file.text.len()),
        });
        let places = loaded.documents.iter().map(|document| {
            let source = &document.source;
            let item = source.item.strip_prefix("items[");
            let item = item.and_then(|item| item.strip_suffix(']')?.parse().ok());
            Place {
                file: source.file,
                ordinal: Some(source.ordinal),
                range: source.range.clone(),
                item,
                is_deleted: false,
            }
        });
        Self {
            objects: Objects::new(loaded),
            files: files.collect(),
            places: places.collect(),
        }
    }

    /// Repeats a step on the text.
    pub(super) fn follow(&mut self, step: &Step) -> Result<(), EditError> {
        match step {
            Step::Change { index, planned } => self.carry_out(*index, planned),
            Step::Create { index, manifest } => self.create(*index, manifest),
            Step::Delete { index } => self.delete(*index),
        }
    }

    /// The files before all edits.
    pub(super) fn originals(&self) -> &'l [SourceFile] {
        &self.objects.loaded.files
    }

    /// The scope of a document, in bytes of the file.
    fn scope(&self, index: usize) -> Result<Scope, EditError> {
        let place = self.places.get(index).ok_or_else(gone)?;
        let scope = Scope::of(self.text_of(place), place.item.is_some())
            .map_err(|unclear| self.unclear(index, 0, unclear))?;
        let start = place.range.start;
        Ok(Scope {
            range: start + scope.range.start..start + scope.range.end,
            ..scope
        })
    }

    pub(super) fn text_of(&self, place: &Place) -> &str {
        let file = self.files.get(place.file);
        file.and_then(|file| file.text.get(place.range.clone()))
            .unwrap_or_default()
    }

    fn carry_out(&mut self, index: usize, planned: &Planned) -> Result<(), EditError> {
        let scope = self.scope(index)?;
        let Some(place) = self.places.get(index) else {
            return Err(gone());
        };
        let (file, start) = (place.file, scope.range.start);
        let text = self
            .files
            .get(file)
            .and_then(|file| file.text.get(scope.range.clone()));
        let text = text.unwrap_or_default();
        let root = if scope.in_list {
            tree::item_tree(text)
        } else {
            tree::tree(text)
        };
        let root = root.map_err(|unclear| self.unclear(index, start, unclear))?;
        let page = Page::new(text, &root);
        let object = match &root.shape {
            tree::Shape::List { items, .. } if scope.in_list => {
                items.first().map_or(&root, |item| &item.node)
            }
            _ => &root,
        };
        let mut splices = plan::splices(&page, object, planned)
            .map_err(|obstacle| self.obstacle(index, start, obstacle))?;
        for splice in &mut splices {
            splice.text = splice.text.replace('\n', page.style.newline);
        }
        let new = spliced(text, &splices);
        let is_one = scope.in_list || yaml::documents(&new).len() == 1;
        if !is_one || scope.read(&new).as_ref() != Some(&planned.expected) {
            let at = splices.first().map_or(0, |splice| splice.range.start);
            return Err(self.refused(index, start + at, text));
        }
        for splice in splices.iter().rev() {
            let range = start + splice.range.start..start + splice.range.end;
            self.splice(file, Some(index), Splice::new(range, splice.text.clone()));
        }
        Ok(())
    }

    /// Applies a splice to a file and shifts the ranges after it; the range of `owner` grows or shrinks.
    pub(super) fn splice(&mut self, file: usize, owner: Option<usize>, splice: Splice) {
        let Some(target) = self.files.get_mut(file) else {
            return;
        };
        target.pieces.splice(&splice);
        target
            .text
            .replace_range(splice.range.clone(), &splice.text);
        let moved = |offset: usize| offset - splice.range.len() + splice.text.len();
        for (index, place) in self.places.iter_mut().enumerate() {
            if place.file != file {
                continue;
            }
            if owner != Some(index) && place.range.start >= splice.range.end {
                place.range = moved(place.range.start)..moved(place.range.end);
            } else if owner == Some(index) || place.range.end > splice.range.start {
                // A place within the replaced range becomes empty.
                place.range.start = place.range.start.min(splice.range.start);
                place.range.end = moved(place.range.end.max(splice.range.end));
            }
        }
    }

    /// All changes, relative to the original texts.
    pub(super) fn finish(&self) -> Result<Vec<Change>, EditError> {
        self.check_lists()?;
        let mut changes = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let old = self.originals().get(index).map(|file| &*file.text);
            let splices = file.pieces.splices(old.unwrap_or_default());
            changes.extend(splices.into_iter().map(|splice| Change {
                file: index,
                range: splice.range,
                text: splice.text,
            }));
        }
        Ok(changes)
    }

    pub(super) fn error_at(
        &self,
        index: usize,
        offset: usize,
        message: Remark,
        help: Remark,
    ) -> EditError {
        let file = self.places.get(index).map_or(0, |place| place.file);
        let text = self.files.get(file).map_or("", |file| file.text.as_str());
        let before = text.as_bytes().get(..offset.min(text.len()));
        let newlines = before.unwrap_or_default().iter().filter(|&&b| b == b'\n');
        EditError {
            file: self
                .originals()
                .get(file)
                .map_or_else(String::new, |file| file.name.clone()),
            line: crate::api::source::saturate(newlines.count() + 1),
            message,
            help,
        }
    }

    pub(super) fn unclear(&self, index: usize, start: usize, unclear: tree::Unclear) -> EditError {
        let start = match (start, self.places.get(index)) {
            (0, Some(place)) => place.range.start,
            (start, _) => start,
        };
        let message = Remark::not_in_place(unclear.what);
        self.error_at(index, start + unclear.offset, message, Remark::simpler())
    }

    fn obstacle(&self, index: usize, start: usize, obstacle: Obstacle) -> EditError {
        self.error_at(
            index,
            start + obstacle.offset,
            obstacle.message,
            obstacle.help,
        )
    }

    /// The error for a new text that does not parse to the expected value.
    fn refused(&self, index: usize, offset: usize, text: &str) -> EditError {
        let shares = text.contains(" *") && text.contains('&');
        let (message, help) = if shares {
            (Remark::reaches_further(), Remark::write_value_out())
        } else {
            (Remark::cannot_change(), Remark::key_twice())
        };
        self.error_at(index, offset, message, help)
    }
}
