//! Changes of the sources from the page: gestures and fixes.

use super::{Session, SourceFile, gesture};
use crate::api::edit::{self, apply_changes};
use crate::api::load::Loaded;
use crate::protocol::edit::{Change, Edit, EditError};
use crate::protocol::gesture::Gesture;
use crate::protocol::problem::Problem;

/// What a session's sources are called that were begun by a gesture.
const FIRST_FILE: &str = "manifests.yaml";

impl Session {
    /// The changes of the sources that edits come to. Nothing is taken yet.
    ///
    /// # Errors
    /// As [`edit::apply`].
    pub fn changes(&self, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
        edit::apply(&self.editable(), edits)
    }

    /// The changes of the sources that a gesture comes to. Nothing is taken yet.
    ///
    /// # Errors
    /// As [`gesture::edits`] and [`gesture::checked`].
    pub fn gesture_changes(&self, gesture: &Gesture) -> Result<Vec<Change>, EditError> {
        let loaded = self.editable();
        let edits = gesture::edits(&loaded, gesture)?;
        Ok(gesture::checked(&loaded, &edits)?.changes)
    }

    /// Edits the sources, and takes them as [`Session::edit`] does.
    ///
    /// # Errors
    /// As [`Session::changes`]; also if the sources are not taken then. Everything is as it was in
    /// both cases.
    pub fn make_edits(&mut self, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
        self.mended()?;
        let changes = self.changes(edits)?;
        self.take_changes(changes)
    }

    /// Carries a gesture out, and takes the sources as [`Session::edit`] does.
    ///
    /// # Errors
    /// As [`Session::gesture_changes`]; also if the sources are not taken then. Everything is as it
    /// was in both cases.
    pub fn gesture(&mut self, gesture: &Gesture) -> Result<Vec<Change>, EditError> {
        self.mended()?;
        let changes = self.gesture_changes(gesture)?;
        self.take_changes(changes)
    }

    /// Text that could not be read would be lost if something else was edited.
    fn mended(&self) -> Result<(), EditError> {
        if self.given.is_none() {
            return Ok(());
        }
        let help = "mend the manifests first, or undo the last change of them";
        Err(EditError::new(
            "the manifests cannot be read as they stand",
            help,
        ))
    }

    /// The sources, of which there is at least one.
    fn editable(&self) -> Loaded {
        let mut loaded = self.manifests().loaded.clone();
        if loaded.files.is_empty() {
            loaded.files.push(SourceFile::new(FIRST_FILE, ""));
        }
        loaded
    }

    fn take_changes(&mut self, changes: Vec<Change>) -> Result<Vec<Change>, EditError> {
        let files = apply_changes(&self.editable().files, &changes);
        let files = files.ok_or_else(|| EditError::new("the changes do not fit", "try again"))?;
        let before = self.problems.clone();
        if self.edit(&files, false) {
            return Ok(changes);
        }
        // What was wrong before is not why.
        let is_new = |problem: &&Problem| {
            let same = |old: &Problem| old.path == problem.path && old.message == problem.message;
            problem.is_error() && !before.iter().any(same)
        };
        let first = self.problems.iter().find(is_new);
        let error = first.map_or_else(
            || EditError::new("the sources were not taken", ""),
            |problem| EditError::new(problem.message.clone(), problem.help.clone()),
        );
        self.forget_edit();
        Err(error)
    }
}
