//! The way back to where an earlier visit was: everything that was done is done again, at the same moments of
//! the run. The same commands make the same session, so nothing else need be kept of it.

use std::collections::VecDeque;

use super::host::{SLICE, change_soon};
use crate::protocol::journal::{Course, Done, Moment};
use crate::protocol::page::Command;
use crate::session::Session;

/// An earlier visit that is being restored.
pub struct Restoring {
    done: VecDeque<Done>,
    at: Moment,
    waits: bool,
    text: String,
    /// What is asked for meanwhile.
    later: Vec<Command>,
    /// Somebody wants to stay where the last deed was done.
    stays: bool,
}

/// Where a session is.
pub fn moment(session: &Session) -> Moment {
    Moment {
        log_length: session.log().len(),
        position: session.position(),
    }
}

impl Restoring {
    /// `text`: the manifests as the page has them.
    pub fn new(course: Course, text: String) -> Self {
        Self {
            done: course.done.into(),
            at: course.at,
            waits: course.waits,
            text,
            later: Vec::new(),
            stays: false,
        }
    }

    /// This is to be done as well, when all is as it was.
    pub fn then(&mut self, command: Command) {
        if matches!(command, Command::Pause | Command::Interrupt) {
            self.stays = true;
        } else {
            self.later.push(command);
        }
    }

    /// One slice of the way; `true` at its end.
    pub fn go_on(&mut self, session: &mut Session) -> bool {
        let (moment, waits) = match self.done.front() {
            Some(next) => (next.before, leaves_waiting(&next.command)),
            None => (self.at, self.waits),
        };
        let stays = self.stays && self.done.is_empty();
        if !stays && !go_to(session, moment, waits) {
            return false;
        }
        match self.done.pop_front() {
            Some(next) if next.command == Command::Interrupt => drop(session.interrupt()),
            // What it printed or was refused was told then.
            Some(next) => drop(change_soon(session, next.command)),
            None => {
                session.interrupt();
                session.stay();
                return true;
            }
        }
        false
    }

    /// All of the way at once.
    pub fn finish(mut self, session: &mut Session) {
        while !self.go_on(session) {}
    }

    /// At the end: whether the session's manifests are those that the page has, and what is to be done now.
    pub fn end(self, session: &Session) -> (bool, Vec<Command>) {
        let file = session.sources().first();
        let text = file.map_or("", |file| &*file.text);
        (text == self.text, self.later)
    }
}

/// Whether it was done while a line waited. Whatever else is done comes after its end, or after an interrupt.
fn leaves_waiting(command: &Command) -> bool {
    matches!(command, Command::Interrupt | Command::Files(_))
}

/// One slice of the way to a moment; whether it is reached, or cannot be. `waits`: a line that waits there waits
/// still; else it has come to its end by then.
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
