//! Records the mutations of the session, so that a reload can replay them ([`super::restoring`]).
//!
//! The page sends commands without waiting; the engine reports the run's position before each mutation.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};

use berth_protocol::command::{Moment, Mutation, Recorded, Replay};

/// When another scenario is opened, a larger journal is dropped; a smaller one is kept, so that opening can be undone.
const PAST_BYTES: usize = 200_000;
/// A larger journal is dropped until the next scenario; the manifests are stored separately.
const LIMIT_BYTES: usize = 1_500_000;

/// The mutations that made the session.
#[derive(Default)]
pub struct Journal {
    /// Sent, and not yet acknowledged by the engine.
    sent: VecDeque<Mutation>,
    kept: Vec<Kept>,
    /// The last text among them; typed texts are stored relative to it.
    text: String,
    bytes: usize,
    given_up: bool,
    /// Incremented on every change.
    pub version: u32,
}

/// A mutation and its moment. A typed text is stored as its difference from the previous text.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
enum Kept {
    Recorded(Box<Recorded>),
    Typed {
        before: Moment,
        goes_on: bool,
        /// Lengths in bytes of the prefix and suffix shared with the last text.
        start: usize,
        end: usize,
        /// The text between them, and what the last text had there.
        text: String,
        old: String,
        /// Whether the session accepted it.
        taken: bool,
    },
}

impl Kept {
    fn size(&self) -> usize {
        borsh::object_length(self).unwrap_or_default()
    }
}

impl Journal {
    /// The journal of a restored visit.
    pub fn of(recorded: &[Recorded]) -> Self {
        let mut journal = Self::default();
        for recorded in recorded {
            journal.keep(recorded.clone(), true);
        }
        journal
    }

    /// Records a mutation that is sent to the engine.
    pub fn sent(&mut self, mutation: &Mutation) {
        self.sent.push_back(mutation.clone());
    }

    /// The engine applied the next mutation, or interrupted a waiting command.
    pub fn noted(&mut self, before: Moment, interrupts: bool, taken: bool) {
        let what = if interrupts {
            Some(Replay::Interrupt)
        } else {
            self.sent.pop_front().map(Replay::Mutation)
        };
        if let Some(what) = what {
            self.keep(Recorded::new(before, what), taken);
        }
    }

    /// Whether the engine has applied all mutations.
    pub fn is_answered(&self) -> bool {
        self.sent.is_empty()
    }

    /// Serializes the journal for [`read`]; `None` if it became too large.
    pub fn written(&self) -> Option<Vec<u8>> {
        borsh::to_vec(&self.kept).ok().filter(|_| !self.given_up)
    }

    fn keep(&mut self, recorded: Recorded, taken: bool) {
        self.version += 1;
        let opened = opened(&recorded);
        if opened.is_some() && (self.given_up || self.bytes > PAST_BYTES) {
            *self = Self {
                sent: std::mem::take(&mut self.sent),
                version: self.version,
                ..Self::default()
            };
        }
        if self.given_up {
            return;
        }
        if let Some(text) = opened {
            self.text = text.to_owned();
        }
        let kept = if let Replay::Mutation(Mutation::Type { text, goes_on }) = recorded.what {
            self.typed(recorded.before, goes_on, text, taken)
        } else {
            Kept::Recorded(Box::new(recorded))
        };
        self.bytes += kept.size();
        self.kept.push(kept);
        if self.bytes > LIMIT_BYTES {
            self.given_up = true;
            self.kept = Vec::new();
        }
    }

    /// Records a text in place of the preceding typed ones that have no lasting effect: each was refused, or changed
    /// the same log entry.
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

    /// Removes the last text.
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

/// The manifests, if the mutation opens a scenario; those of a lesson are the engine's.
fn opened(recorded: &Recorded) -> Option<&str> {
    match &recorded.what {
        Replay::Mutation(mutation) if mutation.opens() => Some(mutation.text().unwrap_or_default()),
        Replay::Mutation(_) | Replay::Interrupt => None,
    }
}

/// Reads the output of [`Journal::written`]; `None` if the bytes are something else.
pub fn read(bytes: &[u8]) -> Option<Vec<Recorded>> {
    let kept: Vec<Kept> = borsh::from_slice(bytes).ok()?;
    let mut last = String::new();
    let mut all = Vec::new();
    for kept in kept {
        let recorded = match kept {
            Kept::Recorded(recorded) => *recorded,
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
                let typed = Mutation::Type { text, goes_on };
                Recorded::new(before, Replay::Mutation(typed))
            }
        };
        if let Some(text) = opened(&recorded) {
            last = text.to_owned();
        }
        all.push(recorded);
    }
    Some(all)
}

/// Lengths in bytes of the common prefix and suffix of two texts, at character boundaries.
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
