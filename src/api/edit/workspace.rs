//! The files while they are edited.

use serde_json::Value;

use super::change::Planned;
use super::page::Page;
use super::plan::{self, Obstacle};
use super::splice::{Pieces, Splice, spliced};
use crate::api::load::Loaded;
use crate::api::source::SourceFile;
use crate::api::yaml::{self, tree};
use crate::protocol::edit::{Change, EditError, ObjectRef};

use std::ops::Range;

/// Kinds that have no namespace.
const WITHOUT_NAMESPACE: [&str; 9] = [
    "Node",
    "Namespace",
    "PriorityClass",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
    "CSIDriver",
    "KubeSchedulerConfiguration",
    "Scenario",
];

/// The files, with the changes made so far.
pub(super) struct Workspace<'l> {
    pub(super) originals: &'l [SourceFile],
    pub(super) files: Vec<File>,
    /// In the order of the files and of their text.
    pub(super) documents: Vec<Entry>,
}

/// A file with the changes made so far.
pub(super) struct File {
    pub(super) text: String,
    pieces: Pieces,
}

/// A document, or an item of a list.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) object: ObjectRef,
    pub(super) file: usize,
    /// Which document of the original file it is, or is an item of; `None` for a new one.
    pub(super) ordinal: Option<u32>,
    /// Bytes of the text as it is now.
    pub(super) range: Range<usize>,
    /// Of an item of a list, its place in the original list.
    pub(super) item: Option<usize>,
    /// What it says now, once that was asked for.
    pub(super) value: Option<Value>,
    pub(super) is_changed: bool,
    pub(super) is_deleted: bool,
}

/// The part of an entry's text that is read on its own.
pub(super) struct Scope {
    /// Bytes of the file.
    pub(super) range: Range<usize>,
    /// Whether the part is a list with a dash, whose first item is the object.
    in_list: bool,
}

impl Scope {
    /// Reads the object out of the part's text.
    fn read(&self, text: &str) -> Option<Value> {
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
        let documents = loaded.documents.iter().map(|document| {
            let source = &document.source;
            let item = source.item.strip_prefix("items[");
            let item = item.and_then(|item| item.strip_suffix(']')?.parse().ok());
            Entry {
                object: ObjectRef {
                    kind: document.kind.clone(),
                    namespace: document.namespace.clone().unwrap_or_default(),
                    name: document.name.clone(),
                },
                file: source.file,
                ordinal: Some(source.ordinal),
                range: source.range.clone(),
                item,
                value: None,
                is_changed: false,
                is_deleted: false,
            }
        });
        Self {
            originals: &loaded.files,
            files: files.collect(),
            documents: documents.collect(),
        }
    }

    /// The document of an object: the first one, as the API server refuses the others.
    pub(super) fn find(&self, object: &ObjectRef) -> Result<usize, EditError> {
        let found = self
            .documents
            .iter()
            .position(|entry| !entry.is_deleted && is_same(&entry.object, object));
        found.ok_or_else(|| {
            EditError::new(
                format!(
                    "there is no {} {} in the manifests",
                    object.kind,
                    full_name(object)
                ),
                "objects that a workload creates are changed through the workload",
            )
        })
    }

    /// What an object's document says.
    pub(super) fn value(&mut self, object: &ObjectRef) -> Result<Value, EditError> {
        let index = self.find(object)?;
        self.value_at(index)
    }

    pub(super) fn value_at(&mut self, index: usize) -> Result<Value, EditError> {
        let scope = self.scope(index)?;
        let Some(entry) = self.documents.get_mut(index) else {
            return Err(gone());
        };
        if let Some(value) = &entry.value {
            return Ok(value.clone());
        }
        let file = self.files.get(entry.file);
        let text = file.and_then(|file| file.text.get(scope.range.clone()));
        let value = text.and_then(|text| scope.read(text));
        let metadata = value.as_ref().and_then(|value| value.get("metadata"));
        let name = metadata.and_then(|metadata| metadata.get("name"));
        let kind = value.as_ref().and_then(|value| value.get("kind"));
        let fits = name.and_then(Value::as_str).unwrap_or_default() == entry.object.name
            && kind.is_none_or(|kind| *kind == entry.object.kind);
        match value {
            Some(value) if fits => {
                entry.value = Some(value.clone());
                Ok(value)
            }
            _ => Err(self.error_at(
                index,
                scope.range.start,
                "this object cannot be read on its own",
                "give it a document of its own, without lists in lists and aliases to others",
            )),
        }
    }

    /// The part of a document's text that is its own.
    pub(super) fn scope(&self, index: usize) -> Result<Scope, EditError> {
        let Some(entry) = self.documents.get(index) else {
            return Err(gone());
        };
        if entry.item.is_none() {
            return Ok(Scope {
                range: entry.range.clone(),
                in_list: false,
            });
        }
        let text = self.text_of(entry);
        let root = tree::item_tree(text).map_err(|unclear| self.unclear(index, 0, unclear))?;
        let start = entry.range.start;
        if root.is_flow() {
            return Ok(Scope {
                range: start + root.start..start + root.end,
                in_list: false,
            });
        }
        // Up to the end of its last line; what follows the list is not the item's.
        let rest = text.get(root.end..).unwrap_or_default();
        let is_whole = text
            .get(..root.end)
            .is_some_and(|text| text.ends_with('\n'));
        let line = if is_whole {
            0
        } else {
            rest.find('\n').map_or(rest.len(), |newline| newline + 1)
        };
        Ok(Scope {
            range: start..start + root.end + line,
            in_list: true,
        })
    }

    pub(super) fn text_of(&self, entry: &Entry) -> &str {
        let file = self.files.get(entry.file);
        file.and_then(|file| file.text.get(entry.range.clone()))
            .unwrap_or_default()
    }

    /// Changes one object, as `plan` says from its value; `None` changes nothing.
    pub(super) fn change(
        &mut self,
        object: &ObjectRef,
        plan: impl FnOnce(&Value) -> Result<Option<Planned>, EditError>,
    ) -> Result<(), EditError> {
        let index = self.find(object)?;
        let old = self.value_at(index)?;
        match plan(&old)? {
            Some(planned) if planned.expected != old => self.carry_out(index, &planned),
            _ => Ok(()),
        }
    }

    fn carry_out(&mut self, index: usize, planned: &Planned) -> Result<(), EditError> {
        let scope = self.scope(index)?;
        let Some(entry) = self.documents.get(index) else {
            return Err(gone());
        };
        let (file, start) = (entry.file, scope.range.start);
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
            .map_err(|obstacle| self.obstacle(index, start, &obstacle))?;
        for splice in &mut splices {
            splice.text = splice.text.replace('\n', page.style.newline);
        }
        let new = spliced(text, &splices);
        let is_one = scope.in_list || yaml::documents(&new).len() == 1;
        if !is_one || scope.read(&new).as_ref() != Some(&planned.expected) {
            let at = splices.first().map_or(0, |splice| splice.range.start);
            return Err(self.refused(index, start + at, text));
        }
        let metadata = planned.expected.get("metadata");
        let text_in = |key: &str| {
            let text = metadata.and_then(|metadata| metadata.get(key)?.as_str());
            text.unwrap_or_default().to_owned()
        };
        let (name, namespace) = (text_in("name"), text_in("namespace"));
        if let Some(entry) = self.documents.get_mut(index) {
            entry.value = Some(planned.expected.clone());
            entry.is_changed = true;
            entry.object.name = name;
            entry.object.namespace = namespace;
        }
        for splice in splices.iter().rev() {
            let range = start + splice.range.start..start + splice.range.end;
            self.splice(file, Some(index), Splice::new(range, splice.text.clone()));
        }
        Ok(())
    }

    /// Puts a splice of a file in place; what `owner` holds grows or shrinks with it.
    pub(super) fn splice(&mut self, file: usize, owner: Option<usize>, splice: Splice) {
        let Some(target) = self.files.get_mut(file) else {
            return;
        };
        target.pieces.splice(&splice);
        target
            .text
            .replace_range(splice.range.clone(), &splice.text);
        let moved = |offset: usize| offset - splice.range.len() + splice.text.len();
        for (index, entry) in self.documents.iter_mut().enumerate() {
            if entry.file != file {
                continue;
            }
            if owner != Some(index) && entry.range.start >= splice.range.end {
                entry.range = moved(entry.range.start)..moved(entry.range.end);
            } else if owner == Some(index) || entry.range.end > splice.range.start {
                // Of a piece that goes whole, nothing is left.
                entry.range.start = entry.range.start.min(splice.range.start);
                entry.range.end = moved(entry.range.end.max(splice.range.end));
            }
        }
    }

    /// All changes, of the original texts.
    pub(super) fn finish(self) -> Result<Vec<Change>, EditError> {
        self.check_lists()?;
        let mut changes = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let old = self.originals.get(index).map(|file| &*file.text);
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
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> EditError {
        let entry = self.documents.get(index);
        let file = entry.map_or(0, |entry| entry.file);
        let text = self.files.get(file).map_or("", |file| file.text.as_str());
        let before = text.as_bytes().get(..offset.min(text.len()));
        let newlines = before.unwrap_or_default().iter().filter(|&&b| b == b'\n');
        EditError {
            file: self
                .originals
                .get(file)
                .map_or_else(String::new, |file| file.name.clone()),
            line: crate::api::source::saturate(newlines.count() + 1),
            message: message.into(),
            help: help.into(),
        }
    }

    pub(super) fn unclear(&self, index: usize, start: usize, unclear: tree::Unclear) -> EditError {
        let start = match (start, self.documents.get(index)) {
            (0, Some(entry)) => entry.range.start,
            (start, _) => start,
        };
        let message = format!("{} cannot be edited in place", unclear.what);
        let help = "write this part in a simpler way, or change it by hand";
        self.error_at(index, start + unclear.offset, message, help)
    }

    fn obstacle(&self, index: usize, start: usize, obstacle: &Obstacle) -> EditError {
        self.error_at(
            index,
            start + obstacle.offset,
            obstacle.message,
            obstacle.help,
        )
    }

    /// The new text would not mean what it should.
    fn refused(&self, index: usize, offset: usize, text: &str) -> EditError {
        let shares = text.contains(" *") && text.contains('&');
        let (message, help) = if shares {
            (
                "this change would reach further than asked: an anchor (`&`) is used elsewhere",
                "write the value out where an alias (`*`) uses it, then try again",
            )
        } else {
            (
                "this cannot be changed in place",
                "change it by hand; is a key given twice?",
            )
        };
        self.error_at(index, offset, message, help)
    }
}

pub(super) fn gone() -> EditError {
    EditError::new("the object is gone", "try again")
}

fn full_name(object: &ObjectRef) -> String {
    match object.namespace.as_str() {
        "" => object.name.clone(),
        namespace => format!("{namespace}/{}", object.name),
    }
}

/// Whether two references mean the same object; no namespace is `default` where kinds have one.
pub(super) fn is_same(one: &ObjectRef, other: &ObjectRef) -> bool {
    fn namespace(object: &ObjectRef) -> &str {
        match object.namespace.as_str() {
            "" => "default",
            namespace => namespace,
        }
    }
    one.kind == other.kind
        && one.name == other.name
        && (WITHOUT_NAMESPACE.contains(&one.kind.as_str()) || namespace(one) == namespace(other))
}
