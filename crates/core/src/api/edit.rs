//! In-place edits of manifests: everything that an edit does not name keeps its comments, order,
//! quoting and indentation byte for byte.
//!
//! [`objects`] computes what the manifests mean after an edit; nothing else interprets edits. For
//! each of its steps, [`plan`], [`block`] and [`flow`] produce splices of the text that keep what the
//! user wrote. The new text is parsed again, and the edit is refused unless it yields exactly those
//! objects, so a misread text cannot be damaged.
//!
//! Edits are applied one after another, each to the result of the previous one. The resulting splices
//! refer to the original texts.
//!
//! Conventions: a comment on a removed line is removed with it; comments above it stay. A comment
//! block directly above a document's first line belongs to the document; one separated from it by a
//! blank line stays. New documents go to the end of the last file with objects.

mod block;
mod change;
mod delete;
mod documents;
mod emit;
mod flow;
mod objects;
mod page;
mod plan;
mod splice;
mod workspace;

use serde_json::Value;

use super::load::{Document, Loaded, load_again};
use berth_protocol::edit::{Change, Edit, EditError, ObjectRef};
use berth_protocol::remark::Remark;
use objects::Objects;
use workspace::Workspace;

pub(super) use objects::is_namespaced;
pub use objects::{document, is_same, object_of};
pub use splice::apply_changes;

/// The result of [`apply`].
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// Changes of the original files, sorted by file and range.
    pub changes: Vec<Change>,
    /// The files and their objects after the changes.
    pub loaded: Loaded,
    /// The changed and created objects as written, before defaults: the old value (`None` for a new
    /// object) and the new one.
    pub objects: Vec<(Option<Value>, Value)>,
}

/// Applies edits to the objects only. `files` stay unedited; [`apply`] edits them too.
///
/// # Errors
/// If an edit names an object that does not exist, or cannot be applied to it.
pub fn on_objects(loaded: &Loaded, edits: &[Edit]) -> Result<Loaded, EditError> {
    let mut objects = Objects::new(loaded);
    for edit in edits {
        objects.apply(edit)?;
    }
    Ok(objects.into_loaded())
}

/// Edits the files. The new text yields the same objects as [`on_objects`].
///
/// # Errors
/// As [`on_objects`], or if an edit cannot be made in place without changing something else. One
/// failed edit discards all of them.
pub fn apply(loaded: &Loaded, edits: &[Edit]) -> Result<Edited, EditError> {
    let mut workspace = Workspace::new(loaded);
    for edit in edits {
        for step in workspace.objects.apply(edit)? {
            workspace.follow(&step)?;
        }
    }
    let changes = workspace.finish()?;
    let misfit = || EditError::new(Remark::cannot_change(), Remark::by_hand());
    let files = apply_changes(&loaded.files, &changes).ok_or_else(misfit)?;
    let objects = workspace.objects.changed();
    let (after, meant) = (
        load_again(&files, loaded),
        workspace.objects.into_loaded().documents,
    );
    if !comes_to(&after.documents, &meant) {
        return Err(misfit());
    }
    Ok(Edited {
        changes,
        loaded: after,
        objects,
    })
}

/// Whether the documents read are the intended ones. That the text of each gives the value it should
/// was checked when it was changed. Validation has removed objects from documents that were meant, and has not run
/// on those that were read.
fn comes_to(read: &[Document], meant: &[Document]) -> bool {
    let is_same = |(read, meant): (&Document, &Document)| {
        read.kind == meant.kind
            && read.api_version == meant.api_version
            && read.namespace == meant.namespace
            && read.name == meant.name
            && (read.object.is_some() || meant.object.is_none())
    };
    read.len() == meant.len() && read.iter().zip(meant).all(is_same)
}

/// An object as written, before defaults. `None` if it does not exist or its document cannot be read.
pub fn value_of(loaded: &Loaded, object: &ObjectRef) -> Option<Value> {
    Objects::new(loaded).value(object).ok()
}

#[cfg(test)]
mod tests;
