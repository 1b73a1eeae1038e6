//! Restores an earlier visit by replaying its recorded mutations, each at the same moment of the run. The same
//! mutations produce the same session, so nothing else of it is stored.

use std::collections::VecDeque;

use super::changes::{SLICE, mutate_soon};
use berth_protocol::command::{Command, Moment, Recorded, Recording, Replay, Run};
use berth_session::Session;

/// An earlier visit being restored.
pub struct Restoring {
    recorded: VecDeque<Recorded>,
    /// Number of all mutations at the start.
    all: usize,
    at: Moment,
    waits: bool,
    text: String,
    /// Commands that arrived in the meantime.
    later: Vec<Command>,
    /// The run was stopped: end at the moment of the last mutation.
    stays: bool,
}

/// The position of a session's run.
pub fn moment(session: &Session) -> Moment {
    Moment {
        log_length: session.log().len(),
        position: session.position(),
    }
}

impl Restoring {
    /// `text`: the manifests that the page has.
    pub fn new(recording: Recording, text: String) -> Self {
        Self {
            all: recording.recorded.len(),
            recorded: recording.recorded.into(),
            at: recording.at,
            waits: recording.waits,
            text,
            later: Vec::new(),
            stays: false,
        }
    }

    /// How many mutations were replayed, of all.
    pub fn replayed(&self) -> (usize, usize) {
        (self.all - self.recorded.len().min(self.all), self.all)
    }

    /// Defers a command until the visit is restored.
    pub fn then(&mut self, command: Command) {
        if matches!(
            command,
            Command::Run(Run::Pause | Run::Interrupt | Run::Stop)
        ) {
            self.stays = true;
        } else {
            self.later.push(command);
        }
    }

    /// Replays one slice; returns `true` at the end.
    pub fn go_on(&mut self, session: &mut Session) -> bool {
        let (moment, waits) = match self.recorded.front() {
            Some(next) => (next.before, leaves_waiting(&next.what)),
            None => (self.at, self.waits),
        };
        let stays = self.stays && self.recorded.is_empty();
        if !stays && !go_to(session, moment, waits) {
            return false;
        }
        match self.recorded.pop_front().map(|next| next.what) {
            Some(Replay::Interrupt) => drop(session.interrupt()),
            // The earlier visit already showed its output.
            Some(Replay::Mutation(mutation)) => drop(mutate_soon(session, mutation)),
            None => {
                session.interrupt();
                session.cancel_catch_up();
                return true;
            }
        }
        false
    }

    /// Replays everything at once.
    pub fn finish(mut self, session: &mut Session) {
        while !self.go_on(session) {}
    }

    /// Returns whether the session's manifests equal the page's, and the deferred commands.
    pub fn end(self, session: &Session) -> (bool, Vec<Command>) {
        let file = session.sources().first();
        let text = file.map_or("", |file| &*file.text);
        (text == self.text, self.later)
    }
}

/// Whether it left a waiting command running. Everything else follows the command's end or an interrupt.
fn leaves_waiting(what: &Replay) -> bool {
    match what {
        Replay::Interrupt => true,
        Replay::Mutation(mutation) => mutation.leaves_waiting(),
    }
}

/// Advances one slice towards a moment; returns whether it is reached, or cannot be. `waits`: a command is still
/// waiting there; otherwise it ends before.
fn go_to(session: &mut Session, moment: Moment, waits: bool) -> bool {
    let missing = |session: &Session| moment.log_length.saturating_sub(session.log().len());
    if session.waits() {
        let steps = if waits { missing(session) } else { SLICE };
        session.wait_on(steps.min(SLICE));
        return steps == 0;
    }
    let before = session.position();
    if session.is_due() && before < moment.position {
        session.catch_up((moment.position - before).min(SLICE));
        return false;
    }
    if missing(session) > 0 {
        session.seek(session.log().len());
        if session.advance(missing(session).min(SLICE)) > 0 {
            return false;
        }
    }
    session.seek(moment.position);
    true
}

#[cfg(test)]
mod tests;
