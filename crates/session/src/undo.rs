//! Undo and redo of changes of the sources.

use std::rc::Rc;

use berth_protocol::frame::ForkChange;

use super::history::{History, Past};
use super::state::State;
use crate::session::Session;

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
    /// The number of changes that can be undone, and that can be redone.
    pub(super) fn depth(&self) -> (usize, usize) {
        (self.before.len(), self.after.len())
    }

    /// A change that began at this moment replaced everything since.
    pub(super) fn follow(&mut self, before: Snapshot) {
        self.after.clear();
        self.before.push(before);
        if self.before.len() > UNDO_STEPS {
            self.before.remove(0);
        }
    }
}

/// Undoes the last change of the sources, regardless of the current position. `false`: there is none.
pub(super) fn undo(session: &mut Session) -> bool {
    let Some(earlier) = session.undo.before.pop() else {
        return false;
    };
    let mut now = snapshot(session);
    now.what = change_after(session, &earlier);
    session.undo.after.push(now);
    restore(session, earlier);
    true
}

/// What [`Session::undo`] takes back; `None` if that is no single change that has words.
pub fn undoes(session: &Session) -> Option<Rc<ForkChange>> {
    change_after(session, session.undo.before.last()?)
}

/// What [`Session::redo`] does again.
pub fn redoes(session: &Session) -> Option<Rc<ForkChange>> {
    session.undo.after.last()?.what.clone()
}

/// The change that was made at the moment of a snapshot.
fn change_after(session: &Session, snapshot: &Snapshot) -> Option<Rc<ForkChange>> {
    let entry = || session.log().get(snapshot.past.position());
    let logged = || entry().filter(|it| it.is_by_hand())?.mark().change;
    let what = snapshot.what.clone();
    what.or_else(|| Some(Rc::new(*logged()?)))
}

/// Names the change that is being made since the last snapshot.
pub(super) fn name_change(session: &mut Session, what: &Rc<ForkChange>) {
    if let Some(last) = session.undo.before.last_mut() {
        last.what = Some(Rc::clone(what));
    }
}

/// Undoes a failed edit, which cannot be redone.
pub(super) fn forget_edit(session: &mut Session) {
    session.undo();
    session.undo.after.pop();
}

/// Makes the last change a part of the one before it: they are undone together.
pub(super) fn join_undo(session: &mut Session) {
    session.undo.before.pop();
}

/// Redoes the change that was undone last. `false`: there is none.
pub(super) fn redo(session: &mut Session) -> bool {
    let Some(later) = session.undo.after.pop() else {
        return false;
    };
    let now = Snapshot {
        what: later.what.clone(),
        ..snapshot(session)
    };
    session.undo.before.push(now);
    restore(session, later);
    true
}

/// Keeps this moment for undo, before a change. `goes_on`: the change is part of the last one.
pub(super) fn remember(session: &mut Session, goes_on: bool) {
    let continues = goes_on && !session.undo.before.is_empty() && session.undo.after.is_empty();
    session.undo.after.clear();
    if continues {
        return;
    }
    let now = snapshot(session);
    session.undo.follow(now);
}

pub(super) fn snapshot(session: &Session) -> Snapshot {
    Snapshot {
        past: session.history.past(),
        state: session.state.clone(),
        what: None,
    }
}

pub(super) fn restore(session: &mut Session, snapshot: Snapshot) {
    session.history = History::resume(snapshot.past);
    session.state = snapshot.state;
    if !session.defers_catch_up {
        session.catch_up(usize::MAX);
    }
}
