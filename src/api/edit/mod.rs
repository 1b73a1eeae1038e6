//! Changes of manifests in place: comments, order, quoting and indentation of all that an edit
//! does not name stay byte for byte.
//!
//! An edit is worked out twice. As a change of the document's value ([`change`]) it says what the
//! manifests must mean afterwards; as splices of the text ([`plan`], [`block`], [`flow`]) it keeps
//! what the user wrote. The new text is read again, and unless it means exactly what it should,
//! the edit is refused: no misunderstanding of a text can damage it.
//!
//! Edits are applied one after another, each to the result of the former. What comes out are
//! splices of the texts before all of them.
//!
//! Rules of taste: a comment on the line of what is removed goes with it, comments above stay.
//! A comment block directly above a document's first line belongs to the document; one that a
//! blank line separates from it stays. New documents come at the end of the last file of objects.

mod block;
mod change;
mod delete;
mod documents;
mod emit;
mod flow;
mod page;
mod plan;
mod splice;
mod workspace;

use serde_json::Value;

use super::load::Loaded;
use crate::protocol::edit::{Change, Edit, EditError, ObjectRef, PathStep};
use change::at;
use workspace::Workspace;

pub use splice::{apply_changes, inverse};

/// The changes of the files that edits come to.
///
/// # Errors
/// If an edit names an object that is not there, asks for what cannot be, or cannot be made in
/// place without changing something else. Then nothing is to be changed at all.
pub fn apply(loaded: &Loaded, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
    run(loaded, edits)?.finish()
}

/// What edits come to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub changes: Vec<Change>,
    /// What the objects said that were changed (nothing if they are new), and what they say now.
    pub objects: Vec<(Option<Value>, Value)>,
}

/// Like [`apply`], with the objects that were changed or made.
///
/// # Errors
/// As [`apply`].
pub fn outcome(loaded: &Loaded, edits: &[Edit]) -> Result<Outcome, EditError> {
    let workspace = run(loaded, edits)?;
    let mut before = Workspace::new(loaded);
    let changed = workspace.documents.iter().enumerate();
    let changed = changed.filter(|(_, entry)| entry.is_changed && !entry.is_deleted);
    let objects = changed.filter_map(|(index, entry)| {
        let old = (index < loaded.documents.len()).then(|| before.value_at(index).ok());
        Some((old.flatten(), entry.value.clone()?))
    });
    let objects = objects.collect();
    Ok(Outcome {
        changes: workspace.finish()?,
        objects,
    })
}

fn run<'l>(loaded: &'l Loaded, edits: &[Edit]) -> Result<Workspace<'l>, EditError> {
    let mut workspace = Workspace::new(loaded);
    for edit in edits {
        match edit {
            Edit::Set {
                object,
                path,
                value,
            } => set(&mut workspace, object, path, value)?,
            Edit::Append {
                object,
                path,
                value,
            } => workspace.change(object, |old| {
                change::append(old, path, value.clone()).map(Some)
            })?,
            Edit::Remove { object, path } => {
                workspace.change(object, |old| change::remove(old, path))?;
            }
            Edit::Create { manifest } => workspace.create(manifest)?,
            Edit::Delete { object } => workspace.delete(object)?,
        }
    }
    Ok(workspace)
}

/// An object as its document says it, before defaults. `None` if there is none, or its document
/// cannot be read.
pub fn value_of(loaded: &Loaded, object: &ObjectRef) -> Option<Value> {
    Workspace::new(loaded).value(object).ok()
}

/// Sets a field. Where a mapping takes the place of a mapping, only what differs is touched.
fn set(
    workspace: &mut Workspace<'_>,
    object: &ObjectRef,
    path: &[PathStep],
    value: &Value,
) -> Result<(), EditError> {
    let root = workspace.value(object)?;
    let new = change::normal(value.clone());
    match (at(&root, path), &new) {
        (Some(old), new) if old == new => Ok(()),
        (Some(Value::Object(old)), Value::Object(map)) if !path.is_empty() && !map.is_empty() => {
            let below = |key: &String| {
                let mut path = path.to_vec();
                path.push(PathStep::Key(key.clone()));
                path
            };
            for (key, value) in map {
                set(workspace, object, &below(key), value)?;
            }
            for key in old.keys().filter(|key| !map.contains_key(*key)) {
                workspace.change(object, |old| change::remove(old, &below(key)))?;
            }
            Ok(())
        }
        _ => workspace.change(object, |old| {
            change::set(old, path, value.clone()).map(Some)
        }),
    }
}

#[cfg(test)]
mod tests;
