//! What was done on the page, kept so that it can be done again after a reload ([`super::restoring`]).
//!
//! The page sends commands without waiting; the engine tells where the run was when each was done.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::protocol::journal::{Done, Moment};
use crate::protocol::page::Command;

/// What another scenario follows is forgotten if it is larger than this: it is there to be undone.
const PAST_BYTES: usize = 200_000;
/// A journal that becomes larger is given up, until the next scenario: the manifests themselves are kept.
const LIMIT_BYTES: usize = 1_500_000;

/// The commands that made the session.
#[derive(Default)]
pub struct Journal {
    /// Sent, and not noted by the engine so far.
    sent: VecDeque<Command>,
    kept: Vec<Kept>,
    /// The last text among them.
    text: String,
    bytes: usize,
    given_up: bool,
    /// Counts the changes.
    pub version: u32,
}

/// A command and its moment. A text that follows another is mostly that other.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
enum Kept {
    Done(Box<Done>),
    Typed {
        before: Moment,
        goes_on: bool,
        /// Bytes of the last text that stay at its beginning, and at its end.
        start: usize,
        end: usize,
        /// What stands between them, and what stood there.
        text: String,
        old: String,
        /// Whether the session could take it.
        taken: bool,
    },
}

impl Kept {
    fn size(&self) -> usize {
        borsh::object_length(self).unwrap_or_default()
    }
}

impl Journal {
    /// The journal of a visit that is restored.
    pub fn of(done: &[Done]) -> Self {
        let mut journal = Self::default();
        for done in done {
            journal.keep(done.clone(), true);
        }
        journal
    }

    /// A command is on its way.
    pub fn sent(&mut self, command: &Command) {
        if command.is_deed() {
            self.sent.push_back(command.clone());
        }
    }

    /// The engine did it, or interrupted a line that waits.
    pub fn noted(&mut self, before: Moment, interrupts: bool, taken: bool) {
        let command = if interrupts {
            Some(Command::Interrupt)
        } else {
            self.sent.pop_front()
        };
        if let Some(command) = command {
            self.keep(Done { before, command }, taken);
        }
    }

    /// Everything that was done so far, to be read by [`read`]; `None` if that is too much.
    pub fn written(&self) -> Option<Vec<u8>> {
        borsh::to_vec(&self.kept).ok().filter(|_| !self.given_up)
    }

    fn keep(&mut self, done: Done, taken: bool) {
        self.version += 1;
        let opens = matches!(done.command, Command::Open { .. });
        if opens && (self.given_up || self.bytes > PAST_BYTES) {
            *self = Self {
                sent: std::mem::take(&mut self.sent),
                version: self.version,
                ..Self::default()
            };
        }
        if self.given_up {
            return;
        }
        if let Command::Open { text } = &done.command {
            self.text.clone_from(text);
        }
        let kept = match done.command {
            Command::Type { text, goes_on } => self.typed(done.before, goes_on, text, taken),
            command => Kept::Done(Box::new(Done { command, ..done })),
        };
        self.bytes += kept.size();
        self.kept.push(kept);
        if self.bytes > LIMIT_BYTES {
            self.given_up = true;
            self.kept = Vec::new();
        }
    }

    /// A text, in place of those typed before it that led to nothing else than this does: each was not taken, or
    /// changed the same entry of the log.
    fn typed(&mut self, before: Moment, goes_on: bool, text: String, taken: bool) -> Kept {
        let mut follows = goes_on;
        while follows
            && let Some(Kept::Typed {
                before: was,
                goes_on: went_on,
                taken: was_taken,
                ..
            }) = self.kept.last()
            && *was == before
            && (!was_taken || taken && (*went_on || before.log_length == 0))
        {
            follows = *went_on;
            self.untype();
        }
        let (start, end) = common(&self.text, &text);
        let between = |text: &str| {
            text.get(start..text.len() - end)
                .unwrap_or_default()
                .to_owned()
        };
        let kept = Kept::Typed {
            before,
            goes_on: follows,
            start,
            end,
            text: between(&text),
            old: between(&self.text),
            taken,
        };
        self.text = text;
        kept
    }

    /// Takes the last text back.
    fn untype(&mut self) {
        let Some(last) = self.kept.pop() else {
            return;
        };
        self.bytes -= last.size();
        if let Kept::Typed {
            start, text, old, ..
        } = last
        {
            self.text.replace_range(start..start + text.len(), &old);
        }
    }
}

/// What [`Journal::written`] wrote; `None` if it is something else.
pub fn read(bytes: &[u8]) -> Option<Vec<Done>> {
    let kept: Vec<Kept> = borsh::from_slice(bytes).ok()?;
    let mut last = String::new();
    let mut all = Vec::new();
    for kept in kept {
        let done = match kept {
            Kept::Done(done) => *done,
            Kept::Typed {
                before,
                goes_on,
                start,
                end,
                text,
                ..
            } => {
                let (head, tail) = (last.get(..start)?, last.len().checked_sub(end)?);
                let text = format!("{head}{text}{}", last.get(tail..)?);
                last.clone_from(&text);
                Done {
                    before,
                    command: Command::Type { text, goes_on },
                }
            }
        };
        if let Command::Open { text } = &done.command {
            last.clone_from(text);
        }
        all.push(done);
    }
    Some(all)
}

/// Bytes that two texts have in common at their beginning, and at their end, in whole letters.
fn common(one: &str, other: &str) -> (usize, usize) {
    let is_same = |(one, other): &(u8, u8)| one == other;
    let mut start = one.bytes().zip(other.bytes()).take_while(is_same).count();
    while !(one.is_char_boundary(start) && other.is_char_boundary(start)) {
        start -= 1;
    }
    let most = one.len().min(other.len()) - start;
    let back = one.bytes().rev().zip(other.bytes().rev());
    let mut end = back.take(most).take_while(is_same).count();
    while !(one.is_char_boundary(one.len() - end) && other.is_char_boundary(other.len() - end)) {
        end -= 1;
    }
    (start, end)
}

#[cfg(test)]
mod tests;
