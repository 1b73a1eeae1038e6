//! The meaning of edits: the objects before and after. This is the only interpreter of [`Edit`]; the
//! text is edited step by step to match and must yield the same objects.

use serde_json::Value;

use super::change::{self, Planned, at};
use super::emit;
use super::workspace::Scope;
use crate::api::kinds::Kind;
use crate::api::load::{Document, Health, Loaded, document_of};
use crate::api::source::{Position, Source};
use berth_protocol::edit::{Edit, EditError, ObjectRef, PathStep};
use berth_protocol::remark::Remark;

/// The objects of the manifests with the edits so far.
pub(super) struct Objects<'l> {
    pub(super) loaded: &'l Loaded,
    /// One per document of `loaded`, in the same order, followed by created objects.
    pub(super) entries: Vec<Entry>,
}

/// The object of one document.
pub(super) struct Entry {
    pub(super) object: ObjectRef,
    pub(super) file: usize,
    /// The value as written, before defaults; parsed on first use.
    pub(super) value: Option<Value>,
    pub(super) is_changed: bool,
    is_deleted: bool,
}

/// The effect of an edit on one document.
pub(super) enum Step {
    Change { index: usize, planned: Planned },
    Create { index: usize, manifest: Value },
    Delete { index: usize },
}

impl<'l> Objects<'l> {
    pub(super) fn new(loaded: &'l Loaded) -> Self {
        let entries = loaded.documents.iter().map(|document| Entry {
            object: document.reference(),
            file: document.source.file,
            value: None,
            is_changed: false,
            is_deleted: false,
        });
        Self {
            loaded,
            entries: entries.collect(),
        }
    }

    /// Applies an edit to the objects. Returns its steps, to be repeated on the text.
    pub(super) fn apply(&mut self, edit: &Edit) -> Result<Vec<Step>, EditError> {
        let mut steps = Vec::new();
        match edit {
            Edit::Set {
                object,
                path,
                value,
            } => self.set(object, path, value, &mut steps)?,
            Edit::Append {
                object,
                path,
                value,
            } => self.change(object, &mut steps, |old| {
                change::append(old, path, value.clone()).map(Some)
            })?,
            Edit::Remove { object, path } => {
                self.change(object, &mut steps, |old| change::remove(old, path))?;
            }
            Edit::Create { manifest } => steps.push(self.create(manifest)?),
            Edit::Delete { object } => {
                let index = self.find(object)?;
                self.entry_mut(index)?.is_deleted = true;
                steps.push(Step::Delete { index });
            }
            // The manifests do not change; a simulated cluster replaces the object (`session::simulated`).
            Edit::Replace { object } => drop(self.find(object)?),
        }
        Ok(steps)
    }

    /// The document of an object: the first one, because the API server rejects the others.
    pub(super) fn find(&self, object: &ObjectRef) -> Result<usize, EditError> {
        let found = self
            .entries
            .iter()
            .position(|entry| !entry.is_deleted && is_same(&entry.object, object));
        found.ok_or_else(|| {
            EditError::new(
                Remark::not_in_manifests(&object.kind, full_name(object)),
                Remark::through_workload(),
            )
        })
    }

    /// The value of an object's document.
    pub(super) fn value(&mut self, object: &ObjectRef) -> Result<Value, EditError> {
        let index = self.find(object)?;
        self.value_at(index)
    }

    pub(super) fn value_at(&mut self, index: usize) -> Result<Value, EditError> {
        let known = self.entry_mut(index)?.value.clone();
        if let Some(value) = known {
            return Ok(value);
        }
        let value = self.read(index)?;
        self.entry_mut(index)?.value = Some(value.clone());
        Ok(value)
    }

    /// Reads the value of a document that no edit has touched.
    fn read(&self, index: usize) -> Result<Value, EditError> {
        let document = self.loaded.documents.get(index).ok_or_else(gone)?;
        let source = &document.source;
        let text = self.loaded.text(source);
        let scope = Scope::of(text, !source.item.is_empty()).map_err(|unclear| {
            let message = Remark::not_in_place(unclear.what);
            self.error_at(source, unclear.offset, message, Remark::simpler())
        })?;
        let value = text
            .get(scope.range.clone())
            .and_then(|text| scope.read(text));
        let metadata = value.as_ref().and_then(|value| value.get("metadata"));
        let name = metadata.and_then(|metadata| metadata.get("name"));
        let kind = value.as_ref().and_then(|value| value.get("kind"));
        let fits = name.and_then(Value::as_str).unwrap_or_default() == document.name
            && kind.is_none_or(|kind| *kind == document.kind);
        value.filter(|_| fits).ok_or_else(|| {
            self.error_at(
                source,
                scope.range.start,
                Remark::not_alone(),
                Remark::own_document(),
            )
        })
    }

    /// `offset` is relative to the document's text.
    fn error_at(&self, source: &Source, offset: usize, message: Remark, help: Remark) -> EditError {
        let file = self.loaded.files.get(source.file);
        let text = self.loaded.text(source).as_bytes();
        let before = text.get(..offset.min(text.len())).unwrap_or_default();
        let newlines = before.iter().filter(|&&byte| byte == b'\n').count();
        EditError {
            file: file.map_or_else(String::new, |file| file.name.clone()),
            line: source
                .start
                .line
                .saturating_add(crate::api::source::saturate(newlines)),
            message,
            help,
        }
    }

    /// Sets a field. If a mapping replaces a mapping, only their differences become steps.
    fn set(
        &mut self,
        object: &ObjectRef,
        path: &[PathStep],
        value: &Value,
        steps: &mut Vec<Step>,
    ) -> Result<(), EditError> {
        let root = self.value(object)?;
        let new = change::normal(value.clone());
        match (at(&root, path), &new) {
            (Some(old), new) if old == new => Ok(()),
            (Some(Value::Object(old)), Value::Object(map))
                if !path.is_empty() && !map.is_empty() =>
            {
                let below = |key: &String| {
                    let mut path = path.to_vec();
                    path.push(PathStep::Key(key.clone()));
                    path
                };
                for (key, value) in map {
                    self.set(object, &below(key), value, steps)?;
                }
                for key in old.keys().filter(|key| !map.contains_key(*key)) {
                    self.change(object, steps, |old| change::remove(old, &below(key)))?;
                }
                Ok(())
            }
            _ => self.change(object, steps, |old| {
                change::set(old, path, value.clone()).map(Some)
            }),
        }
    }

    /// Applies the change that `plan` derives from the object's value; `None` changes nothing.
    fn change(
        &mut self,
        object: &ObjectRef,
        steps: &mut Vec<Step>,
        plan: impl FnOnce(&Value) -> Result<Option<Planned>, EditError>,
    ) -> Result<(), EditError> {
        let index = self.find(object)?;
        let old = self.value_at(index)?;
        let Some(planned) = plan(&old)?.filter(|planned| planned.expected != old) else {
            return Ok(());
        };
        let entry = self.entry_mut(index)?;
        let metadata = planned.expected.get("metadata");
        let text_in = |key: &str| {
            let text = metadata.and_then(|metadata| metadata.get(key)?.as_str());
            text.unwrap_or_default().to_owned()
        };
        entry.object.name = text_in("name");
        entry.object.namespace = text_in("namespace");
        entry.value = Some(planned.expected.clone());
        entry.is_changed = true;
        steps.push(Step::Change { index, planned });
        Ok(())
    }

    /// Creates an object in the last file with objects.
    fn create(&mut self, manifest: &Value) -> Result<Step, EditError> {
        let manifest = change::normal(emit::ordered(manifest));
        let object = reference(&manifest)?;
        if self.find(&object).is_ok() {
            return Err(EditError::new(
                Remark::exists(&object.kind, format!("{:?}", object.name)),
                Remark::another_name(),
            ));
        }
        let is_object = |entry: &&Entry| entry.object.kind != "KubeSchedulerConfiguration";
        let last = self.entries.iter().rfind(is_object);
        let file = last.map_or(0, |entry| entry.file);
        if self.loaded.files.get(file).is_none() {
            return Err(EditError::new(Remark::no_file(), Remark::open_file()));
        }
        let index = self.entries.len();
        self.entries.push(Entry {
            object,
            file,
            value: Some(manifest.clone()),
            is_changed: true,
            is_deleted: false,
        });
        Ok(Step::Create { index, manifest })
    }

    fn entry_mut(&mut self, index: usize) -> Result<&mut Entry, EditError> {
        self.entries.get_mut(index).ok_or_else(gone)
    }

    /// The changed and created objects: the old value, if the object existed, and the new one.
    pub(super) fn changed(&self) -> Vec<(Option<Value>, Value)> {
        let changed = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.is_changed && !entry.is_deleted);
        changed
            .filter_map(|(index, entry)| Some((self.read(index).ok(), entry.value.clone()?)))
            .collect()
    }

    /// The manifests with edited objects; the files stay unedited.
    pub(super) fn into_loaded(self) -> Loaded {
        let before = self.loaded;
        let mut after = Loaded {
            documents: Vec::with_capacity(self.entries.len()),
            ..before.clone()
        };
        // Created documents are at the end of their file.
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|index| self.entries.get(*index).map(|entry| entry.file));
        for index in order {
            let Some(entry) = self.entries.get(index).filter(|entry| !entry.is_deleted) else {
                continue;
            };
            let old = before.documents.get(index);
            let document = match (old, &entry.value) {
                (Some(old), _) if !entry.is_changed => old.clone(),
                (old, Some(Value::Object(map))) => {
                    let mut map = map.clone();
                    if let Some(old) = old {
                        // The items of a typed list (`PodList`) may omit these.
                        let written = self.read(index).unwrap_or_default();
                        let known = [("apiVersion", &old.api_version), ("kind", &old.kind)];
                        for (key, value) in known {
                            if written.get(key).is_none() && !value.is_empty() {
                                map.entry(key).or_insert_with(|| value.as_str().into());
                            }
                        }
                    }
                    let source = old.map_or_else(|| end_of(entry.file), |it| it.source.clone());
                    Document {
                        // The file's text does not contain the new value, so it must not be reused by `load_again`.
                        health: Health::Poor,
                        ..document_of(&mut after, map, source)
                    }
                }
                _ => continue,
            };
            after.documents.push(document);
        }
        for (index, document) in (0..).zip(&mut after.documents) {
            document.index = index;
        }
        after
    }
}

/// The source of a document that is not written yet.
fn end_of(file: usize) -> Source {
    Source {
        file,
        start: Position { line: 1, column: 1 },
        ..Source::default()
    }
}

pub(super) fn gone() -> EditError {
    EditError::new(Remark::object_gone(), Remark::try_again())
}

fn full_name(object: &ObjectRef) -> String {
    match object.namespace.as_str() {
        "" => object.name.clone(),
        namespace => format!("{namespace}/{}", object.name),
    }
}

/// Whether two references name the same object. An empty namespace means `default`, for kinds with
/// namespaces.
pub fn is_same(a: &ObjectRef, b: &ObjectRef) -> bool {
    a.kind == b.kind
        && a.name == b.name
        && (!is_namespaced(&a.kind) || a.namespace_or_default() == b.namespace_or_default())
}

/// Unknown kinds count as namespaced. The documents of Berth and of kube-scheduler are not API objects.
pub(in crate::api) fn is_namespaced(kind: &str) -> bool {
    match Kind::of_name(kind) {
        Some(kind) => kind.info().namespaced,
        None => !matches!(kind, "KubeSchedulerConfiguration" | "Scenario"),
    }
}

/// The document of an object: the first one, as the API server refuses the others.
pub fn document<'l>(loaded: &'l Loaded, object: &ObjectRef) -> Option<&'l Document> {
    let mut documents = loaded.documents.iter();
    documents
        .find(|document| document.name == object.name && is_same(&document.reference(), object))
}

/// The object that an edit changes, creates or deletes; `None` if the manifest lacks it.
pub fn object_of(edit: &Edit) -> Option<ObjectRef> {
    match edit {
        Edit::Create { manifest } => reference(manifest).ok(),
        edit => edit.object().cloned(),
    }
}

/// The object that a manifest describes.
fn reference(manifest: &Value) -> Result<ObjectRef, EditError> {
    let text = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let metadata = manifest.get("metadata");
    let object = ObjectRef {
        kind: text(manifest.get("kind")),
        namespace: text(metadata.and_then(|metadata| metadata.get("namespace"))),
        name: text(metadata.and_then(|metadata| metadata.get("name"))),
    };
    let complete = !object.kind.is_empty() && !text(manifest.get("apiVersion")).is_empty();
    let is_named = !object.name.is_empty() || object.kind == "KubeSchedulerConfiguration";
    if !complete || !is_named {
        return Err(EditError::new(Remark::incomplete(), Remark::default()));
    }
    Ok(object)
}
