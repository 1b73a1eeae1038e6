//! Undo and redo of changes of the sources.

use super::Session;
use super::history::{History, Past};
use super::state::State;

/// Maximum number of changes that can be undone.
const UNDO_STEPS: usize = 100;

/// What undo restores: a session at one moment.
#[derive(Clone)]
pub(super) struct Snapshot {
    past: Past,
    state: State,
}

/// The snapshots for undo and redo, the latest last.
#[derive(Default)]
pub(super) struct Undo {
    before: Vec<Snapshot>,
    after: Vec<Snapshot>,
}

impl Session {
    /// Undoes the last change of the sources, regardless of the current position. `false`: there is none.
    pub fn undo(&mut self) -> bool {
        let Some(snapshot) = self.undo.before.pop() else {
            return false;
        };
        let now = self.snapshot();
        self.undo.after.push(now);
        self.restore(snapshot);
        true
    }

    /// Undoes a failed edit, which cannot be redone.
    pub(super) fn forget_edit(&mut self) {
        self.undo();
        self.undo.after.pop();
    }

    /// Makes the last change a part of the one before it: they are undone together.
    pub(super) fn join_undo(&mut self) {
        self.undo.before.pop();
    }

    /// Redoes the change that was undone last. `false`: there is none.
    pub fn redo(&mut self) -> bool {
        let Some(snapshot) = self.undo.after.pop() else {
            return false;
        };
        let now = self.snapshot();
        self.undo.before.push(now);
        self.restore(snapshot);
        true
    }

    /// The number of changes that can be undone, and that can be redone.
    pub fn undo_depth(&self) -> (usize, usize) {
        (self.undo.before.len(), self.undo.after.len())
    }

    /// Keeps this moment for undo, before a change. `goes_on`: the change is part of the last one.
    pub(super) fn remember(&mut self, goes_on: bool) {
        let continues = goes_on && !self.undo.before.is_empty() && self.undo.after.is_empty();
        self.undo.after.clear();
        if continues {
            return;
        }
        let now = self.snapshot();
        self.undo.before.push(now);
        if self.undo.before.len() > UNDO_STEPS {
            self.undo.before.remove(0);
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            past: self.history.past(),
            state: self.state.clone(),
        }
    }

    pub(super) fn restore(&mut self, snapshot: Snapshot) {
        self.history = History::resume(snapshot.past);
        self.state = snapshot.state;
        if !self.defers_catch_up {
            self.catch_up(usize::MAX);
        }
    }
}
