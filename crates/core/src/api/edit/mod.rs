//! Changes of manifests in place: comments, order, quoting and indentation of all that an edit
//! does not name stay byte for byte.
//!
//! [`objects`] says what the manifests mean after an edit; nothing else interprets edits. The text
//! follows each of its steps with splices ([`plan`], [`block`], [`flow`]) that keep what the user
//! wrote. The new text is read again, and unless it comes to exactly those objects, the edit is
//! refused: no misunderstanding of a text can damage it.
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
mod objects;
mod page;
mod plan;
mod splice;
mod workspace;

use serde_json::Value;

use super::load::{Document, Loaded, load_again};
use berth_protocol::edit::{Change, Edit, EditError, ObjectRef};
use objects::Objects;
use workspace::Workspace;

pub use objects::is_same;
pub use splice::{apply_changes, inverse};

/// The manifests after some edits.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// Changes of the files' text, which come to the same objects.
    pub changes: Vec<Change>,
    /// The files after the changes, and their objects.
    pub loaded: Loaded,
    /// The objects that were changed or created, as their documents give them: before (`None` for
    /// a new object) and after.
    pub objects: Vec<(Option<Value>, Value)>,
}

/// The objects after some edits. The files stay those before; [`apply`] changes them as well.
///
/// # Errors
/// If an edit names an object that is not there, or asks for what cannot be.
pub fn on_objects(loaded: &Loaded, edits: &[Edit]) -> Result<Loaded, EditError> {
    let mut objects = Objects::new(loaded);
    for edit in edits {
        objects.apply(edit)?;
    }
    Ok(objects.into_loaded())
}

/// Edits the files. Their new text comes to the objects of [`on_objects`].
///
/// # Errors
/// As [`on_objects`], or if an edit cannot be made in place without changing something else.
/// Nothing is to be changed then.
pub fn apply(loaded: &Loaded, edits: &[Edit]) -> Result<Edited, EditError> {
    let mut workspace = Workspace::new(loaded);
    for edit in edits {
        for step in workspace.objects.apply(edit)? {
            workspace.follow(&step)?;
        }
    }
    let changes = workspace.finish()?;
    let misfit = || {
        let help = "change it by hand";
        EditError::new("this cannot be changed in place", help)
    };
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

/// Whether documents that were read are the ones that were meant. That the text of each gives the value it should
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

/// An object as its document says it, before defaults. `None` if there is none, or its document
/// cannot be read.
pub fn value_of(loaded: &Loaded, object: &ObjectRef) -> Option<Value> {
    Objects::new(loaded).value(object).ok()
}

#[cfg(test)]
mod tests;
