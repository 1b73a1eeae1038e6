//! Undo and redo of changes of the sources.

use std::rc::Rc;

use berth_protocol::problem::Problem;

use super::fork::Fork;
use super::history::{History, Past};
use super::{Options, Session, SourceFile};

/// Steps that can be undone.
const UNDO_STEPS: usize = 100;

/// What undo restores: a session at one moment.
#[derive(Clone)]
struct Snapshot {
    past: Past,
    fork: Option<Fork>,
    problems: Vec<Problem>,
    pending_sources: Option<Rc<[SourceFile]>>,
    options: Options,
    due: Option<usize>,
}

/// The snapshots for undo and redo, the latest last.
#[derive(Default)]
pub(super) struct Undo {
    before: Vec<Snapshot>,
    after: Vec<Snapshot>,
}

impl Session {
    /// Takes back the last change of the sources, wherever the run is by now. `false`: there is
    /// none.
    pub fn undo(&mut self) -> bool {
        let Some(snapshot) = self.undo.before.pop() else {
            return false;
        };
        let now = self.snapshot();
        self.undo.after.push(now);
        self.restore(snapshot);
        true
    }

    /// Takes back an edit that failed, as if it had never been tried.
    pub(super) fn forget_edit(&mut self) {
        self.undo();
        self.undo.after.pop();
    }

    /// Makes the change again that was undone last. `false`: there is none.
    pub fn redo(&mut self) -> bool {
        let Some(snapshot) = self.undo.after.pop() else {
            return false;
        };
        let now = self.snapshot();
        self.undo.before.push(now);
        self.restore(snapshot);
        true
    }

    /// How many changes can be undone, and how many redone.
    pub fn undo_depth(&self) -> (usize, usize) {
        (self.undo.before.len(), self.undo.after.len())
    }

    /// Keeps this moment for undo, before a change. With `goes_on`, the change is part of the last one.
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

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            past: self.history.past(),
            fork: self.fork.clone(),
            problems: self.problems.clone(),
            pending_sources: self.pending_sources.clone(),
            options: self.options,
            due: self.due,
        }
    }

    fn restore(&mut self, snapshot: Snapshot) {
        self.history = History::resume(snapshot.past);
        self.fork = snapshot.fork;
        self.problems = snapshot.problems;
        self.pending_sources = snapshot.pending_sources;
        self.options = snapshot.options;
        self.due = snapshot.due;
        if !self.leaves_runs {
            self.catch_up(usize::MAX);
        }
    }
}
