//! Keeps the first run after an edit of the past, for comparison and to return to it.

pub(super) mod changes;
mod outcome;

use std::rc::Rc;

use berth_core::api::edit;
use berth_protocol::edit::EditError;
use berth_protocol::frame::{FirstMark, ForkChange, ForkFrame, MarkKind};
use berth_protocol::remark::Remark;

use super::history::{History, Past};
use super::state::State;
use crate::session::{Due, Options, Session};
use crate::simulated::mode;
use crate::{drain, sources, trial, undo};
use changes::{Change, Undo};
use outcome::Outcome;

/// Maximum number of marks of the first run that a frame has.
const MARKS: usize = 300;

/// The run that the current one was forked from.
#[derive(Clone)]
pub struct Fork {
    at: usize,
    /// The position of the first run that was shown when the fork began.
    left_at: usize,
    first_run: Past,
    /// That of the session in the first run.
    state: Box<State>,
    marks: Rc<[FirstMark]>,
    changes: Rc<[Change]>,
    outcome: Outcome,
}

impl Fork {
    fn new(at: usize, state: State, first_run: Past) -> Self {
        Self {
            at,
            left_at: at,
            state: Box::new(state),
            marks: marks(&first_run, at).into(),
            changes: Rc::default(),
            outcome: Outcome::default(),
            first_run,
        }
    }

    /// The first run, and the state of the session in it.
    pub(super) fn first_run(&self) -> (&Past, &State) {
        (&self.first_run, &self.state)
    }

    /// The first run, the state of the session in it, and the position that was shown.
    pub(super) fn into_first_run(self) -> (Past, State, usize) {
        (self.first_run, *self.state, self.left_at)
    }

    /// The fork began at an earlier moment than the one that was shown.
    pub(super) fn left_at(&mut self, position: usize) {
        self.left_at = position.max(self.at);
    }

    /// The fork has changed: what it differs by, and where it leads.
    #[inline(never)]
    fn renew(&mut self, history: &History, options: &Options) {
        self.changes = changes::between(self, history, options).into();
        self.outcome.forget_fork();
    }

    /// Number of first changes that a line of the terminal follows.
    fn settled(&self) -> usize {
        let last = self.changes.iter().rposition(|change| change.is_line);
        last.unwrap_or_default()
    }

    #[inline(never)]
    fn frame(&self) -> ForkFrame {
        let mut frame = ForkFrame {
            at: self.at,
            changes: self
                .changes
                .iter()
                .map(|change| change.what.clone())
                .collect(),
            settled: self.settled(),
            first_length: self.first_run.log().len(),
            first: self.marks.to_vec(),
            ..ForkFrame::default()
        };
        self.outcome.report(&mut frame);
        frame
    }
}

/// The fork, if the past was edited. How it comes out is known when [`crate::fork::advance`] is done.
pub fn frame(session: &Session) -> Option<ForkFrame> {
    Some(session.state.fork.as_ref()?.frame())
}

/// Tries up to `limit` more steps of where the fork and the first run lead, aside from the run itself. Returns
/// whether more remains.
pub fn advance(session: &mut Session, limit: usize) -> bool {
    let Some(fork) = &mut session.state.fork else {
        return false;
    };
    fork.outcome.advance(
        &fork.first_run,
        &session.history,
        session.change_count,
        fork.at,
        limit.max(1),
    )
}

/// Whether [`crate::fork::advance`] has something to do.
pub fn is_untried(session: &Session) -> bool {
    let is_untried = |fork: &Fork| !fork.outcome.is_known(session.change_count);
    session.state.fork.as_ref().is_some_and(is_untried)
}

/// Keeps the present run as the first one, unless this is a fork already or nothing was run.
pub(super) fn keep_first_run(session: &mut Session, at: usize) {
    let is_one = session.forks_at_end || !session.history.log().is_empty();
    if session.state.fork.is_none() && is_one {
        let state = State {
            problems: session.manifests().problems.clone(),
            pending_sources: None,
            due: None,
            ..session.state.clone()
        };
        let mut fork = Fork::new(at, state, session.history.past());
        fork.left_at(session.history.position());
        session.state.fork = Some(fork);
    }
}

/// Call it when the fork has changed.
pub(super) fn renew(session: &mut Session) {
    if let Some(fork) = &mut session.state.fork {
        fork.renew(&session.history, &session.state.options);
    }
}

/// Takes one of the fork's changes back, by its position in the frame, at the moment where it takes effect. Without
/// its last change, a fork is the first run.
///
/// # Errors
/// As [`crate::edit::make`]. The session then stays unchanged.
pub fn undo_change(session: &mut Session, number: usize) -> Result<(), EditError> {
    let fork = session.state.fork.as_ref();
    let gone = || EditError::new(Remark::no_such_change(), Remark::default());
    let fork = fork.ok_or_else(gone)?;
    let change = fork.changes.get(number).ok_or_else(gone)?.clone();
    if fork.changes.len() == 1 {
        sources::back_to_first_run(session);
        return Ok(());
    }
    if number < fork.settled() {
        return Err(EditError::new(
            Remark::before_command(),
            Remark::undo_last(),
        ));
    }
    let own = match change.undo {
        Undo::Seed(seed) => {
            sources::set_seed(session, seed);
            return Ok(());
        }
        Undo::Release(release) => {
            sources::set_kubernetes(session, release);
            return Ok(());
        }
        Undo::Edits(own) => own,
    };
    // Evictions are not in the manifests: the later drains are made again.
    let later = fork.changes.get(number + 1..).unwrap_or_default();
    let (mut undo, mut drains) = (Vec::new(), Vec::new());
    for later in later.iter().rev() {
        if let (ForkChange::Drained { plan }, Undo::Edits(edits)) = (&later.what, &later.undo) {
            undo.extend_from_slice(edits);
            drains.push(plan.node.clone());
        }
    }
    undo.extend(own);
    crate::edit::sources_can_be_read(session)?;
    let (here, switched) = (session.position(), mode::switched_at(session));
    // Later changes stay: they then take effect at this moment, too.
    session.seek(session.log().len());
    let edited = edit::apply(&crate::edit::editable(session), &undo);
    session.seek(change.at);
    let taken = edited.and_then(|edited| crate::edit::apply_edits(session, edited.loaded, &undo));
    if taken.is_err() {
        session.seek(here);
    } else if change.at == 0 {
        session.state.due = Some(Due {
            position: here,
            live_from: switched,
        });
        if !session.defers_catch_up {
            session.catch_up(usize::MAX);
        }
    }
    taken?;
    for node in drains.iter().rev() {
        // A node that is gone without the change needs no drain.
        if trial::on_trial(session, |session| drain::begin(session, node)).is_ok() {
            undo::join_undo(session);
        }
    }
    Ok(())
}

/// The marks of a run from a position on: failures first, then evenly chosen ones, as many as a frame may have.
fn marks(run: &Past, at: usize) -> Vec<FirstMark> {
    let all = run.log().iter().enumerate().skip(at);
    let all: Vec<FirstMark> = all
        .map(|(position, entry)| FirstMark {
            at_ms: entry.mark().at_ms,
            position,
            kind: entry.mark().kind,
        })
        .collect();
    let is_plain = |mark: &FirstMark| matches!(mark.kind, MarkKind::Bound | MarkKind::Moment);
    let special = all.iter().filter(|mark| !is_plain(mark)).count();
    let plain = all.len() - special;
    let every = |count: usize, room: usize| count.div_ceil(room.max(1)).max(1);
    let (of_special, of_plain) = (
        every(special, MARKS),
        every(plain, MARKS - special.min(MARKS - 1)),
    );
    let (mut specials, mut plains) = (0, 0);
    let mut is_chosen = |mark: &FirstMark| {
        let (count, every) = if is_plain(mark) {
            (&mut plains, of_plain)
        } else {
            (&mut specials, of_special)
        };
        *count += 1;
        (*count - 1) % every == 0
    };
    all.iter().filter(|mark| is_chosen(mark)).copied().collect()
}

#[cfg(test)]
mod tests;
