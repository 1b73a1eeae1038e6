//! Undo and redo of changes of the sources.

use std::rc::Rc;

use berth_protocol::frame::ForkChange;

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
    /// The change that followed, or was taken back, if its entry in the log does not say it.
    what: Option<Rc<ForkChange>>,
}

/// The snapshots for undo and redo, the latest last.
#[derive(Default)]
pub(super) struct Undo {
    before: Vec<Snapshot>,
    after: Vec<Snapshot>,
}

impl Undo {
    /// A change that began at this moment replaced everything since.
    pub(super) fn follow(&mut self, before: Snapshot) {
        self.after.clear();
        self.before.push(before);
        if self.before.len() > UNDO_STEPS {
            self.before.remove(0);
        }
    }
}

impl Session {
    /// Undoes the last change of the sources, regardless of the current position. `false`: there is none.
    pub fn undo(&mut self) -> bool {
        let Some(snapshot) = self.undo.before.pop() else {
            return false;
        };
        let mut now = self.snapshot();
        now.what = self.change_after(&snapshot);
        self.undo.after.push(now);
        self.restore(snapshot);
        true
    }

    /// What [`Session::undo`] takes back; `None` if that is no single change that has words.
    pub fn undoes(&self) -> Option<Rc<ForkChange>> {
        self.change_after(self.undo.before.last()?)
    }

    /// What [`Session::redo`] does again.
    pub fn redoes(&self) -> Option<Rc<ForkChange>> {
        self.undo.after.last()?.what.clone()
    }

    /// The change that was made at the moment of a snapshot.
    fn change_after(&self, snapshot: &Snapshot) -> Option<Rc<ForkChange>> {
        let entry = || self.log().get(snapshot.past.position());
        let logged = || entry().filter(|it| it.is_by_hand())?.mark().change;
        let what = snapshot.what.clone();
        what.or_else(|| Some(Rc::new(*logged()?)))
    }

    /// Names the change that is being made since the last snapshot.
    pub(super) fn name_change(&mut self, what: &Rc<ForkChange>) {
        if let Some(last) = self.undo.before.last_mut() {
            last.what = Some(Rc::clone(what));
        }
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
        let now = Snapshot {
            what: snapshot.what.clone(),
            ..self.snapshot()
        };
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
        self.undo.follow(now);
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            past: self.history.past(),
            state: self.state.clone(),
            what: None,
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
