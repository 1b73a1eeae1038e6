//! Restores an earlier visit by replaying its recorded mutations, each at the same moment of the run. The same
//! mutations produce the same session, so nothing else of it is stored.

use std::collections::VecDeque;

use super::changes::{SLICE, replay_soon};
use super::terminal;
use berth_protocol::command::{Command, Moment, Recorded, Recording, Replay, Run};
use berth_protocol::defaults::Edition;
use berth_protocol::page::Update;
use berth_protocol::terminal::Printed;
use berth_protocol::work::{Amount, Task, Work};
use berth_session::{Clock, Session, simulated};

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
    /// What the replayed lines of the terminal printed.
    printed: Vec<Printed>,
    /// Which version's clock the scenario was recorded by.
    edition: Edition,
}

/// The outcome of a replay.
pub struct Replayed {
    /// Whether the session's manifests equal the page's.
    pub same: bool,
    pub printed: Vec<Printed>,
    /// The deferred commands.
    pub later: Vec<Command>,
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
            printed: Vec::new(),
            edition: Edition::default(),
        }
    }

    /// How many mutations were replayed, of all.
    pub fn work(&self) -> Work {
        let all = self.all;
        let done = all - self.recorded.len().min(all);
        let (task, amount) = (Task::Restore, Amount::Changes { done, all });
        Work { task, amount }
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
        let clock = match self.edition {
            Edition::V0_1 => Clock::V0_1,
            Edition::V0_2 => Clock::Current,
        };
        session.by_clock(clock, |session| self.replay_slice(session))
    }

    fn replay_slice(&mut self, session: &mut Session) -> bool {
        let (moment, waits) = match self.recorded.front() {
            Some(next) => (next.before, keeps_suspended(&next.what)),
            None => (self.at, self.waits),
        };
        let stays = self.stays && self.recorded.is_empty();
        if !stays && !self.go_to(session, moment, waits) {
            return false;
        }
        let next = self.recorded.pop_front();
        let is_over = next.is_none();
        let defaults = next.as_ref().and_then(|next| next.defaults.clone());
        let update = match next.map(|next| next.what) {
            Some(Replay::Mutation(mutation)) => {
                let defaults = defaults.unwrap_or_default();
                if mutation.opens() {
                    self.edition = defaults.edition;
                }
                replay_soon(session, mutation, defaults)
            }
            Some(Replay::Interrupt) | None => terminal::interrupt(session),
        };
        self.keep(update);
        if is_over {
            session.cancel_catch_up();
        }
        is_over
    }

    /// Keeps what a line printed.
    fn keep(&mut self, update: Option<Update>) {
        let Some(Update::Printed(printed)) = update else {
            return;
        };
        match self.printed.last_mut().filter(|last| last.waits) {
            Some(last) => last.resume(*printed),
            // The next line repeats it.
            None if printed.goes_on => {}
            None => self.printed.push(*printed),
        }
    }

    /// Replays everything at once.
    pub fn finish(mut self, session: &mut Session) {
        while !self.go_on(session) {}
    }

    pub fn end(self, session: &Session) -> Replayed {
        let file = session.sources().first();
        let text = file.map_or("", |file| &*file.text);
        Replayed {
            same: text == self.text,
            printed: self.printed,
            later: self.later,
        }
    }

    /// Advances one slice towards a moment; returns whether it is reached, or cannot be. `waits`: a command is still
    /// waiting there; otherwise it ends before. The time after a line never goes further than it went when recorded.
    fn go_to(&mut self, session: &mut Session, moment: Moment, waits: bool) -> bool {
        let missing = |session: &Session| moment.log_length.saturating_sub(session.log().len());
        if simulated::waits(session) {
            let rests = simulated::rests(session);
            let steps = if waits || rests {
                missing(session)
            } else {
                SLICE
            };
            if steps == 0 && !waits {
                self.keep(terminal::interrupt(session));
            } else {
                self.keep(terminal::wait_on(session, steps.min(SLICE)));
            }
            return steps == 0 && waits;
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
}

/// Whether it left a waiting command running. Everything else follows the command's end or an interrupt.
fn keeps_suspended(what: &Replay) -> bool {
    match what {
        Replay::Interrupt => true,
        Replay::Mutation(mutation) => mutation.keeps_suspended(),
    }
}

#[cfg(test)]
mod tests;
