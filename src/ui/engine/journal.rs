//! Records the mutations of the session, so that a reload can replay them ([`super::restoring`]).
//!
//! The page sends commands without waiting; the engine reports the run's position before each mutation.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::io;

use borsh::{BorshDeserialize, BorshSerialize};

use berth_protocol::command::{Moment, Mutation, Recorded, Replay};

/// When another scenario is opened, a larger journal is dropped; a smaller one is kept, so that opening can be undone.
const PAST_BYTES: usize = 200_000;
/// A journal whose small entries are larger is dropped until the next scenario; the manifests are stored separately.
const LIMIT_BYTES: usize = 4_000_000;
/// Links carry no larger journal.
const LINK_BYTES: usize = 1_500_000;
/// A larger entry, such as an opened dump, is stored once, apart from those that follow it.
const LARGE_BYTES: usize = 64_000;

/// The mutations that made the session.
#[derive(Default)]
pub struct Journal {
    /// Sent, and not yet acknowledged by the engine.
    sent: VecDeque<Mutation>,
    /// Applied and not yet taken in, in order, each with whether the session accepted it.
    applied: Vec<(Recorded, bool)>,
    kept: Vec<Entry>,
    /// The last text among them; typed texts are stored relative to it.
    text: String,
    /// Of all entries, and of those that are not large.
    bytes: usize,
    small_bytes: usize,
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

struct Entry {
    kept: Kept,
    bytes: usize,
    /// The digest of a large entry, under which it is stored.
    digest: Option<u64>,
}

impl Entry {
    fn of(kept: Kept) -> Self {
        let bytes = borsh::object_length(&kept).unwrap_or_default();
        let digest = (bytes > LARGE_BYTES).then(|| digest(&kept));
        Self {
            kept,
            bytes,
            digest,
        }
    }

    fn small_bytes(&self) -> usize {
        if self.digest.is_none() { self.bytes } else { 0 }
    }
}

/// What a journal's list has for an entry.
#[derive(BorshSerialize, BorshDeserialize)]
enum Slot<K> {
    Here(K),
    /// A large entry, by its digest.
    Apart(u64),
}

/// A serialized journal.
#[derive(Default)]
pub struct Written {
    pub list: Vec<u8>,
    /// The digests of all large entries.
    pub large: BTreeSet<u64>,
    /// Those of them that were not stored before.
    pub new: BTreeMap<u64, Vec<u8>>,
}

/// The same for the same bytes, in one build. A first visit has no large entry.
#[inline(never)]
fn digest(kept: &Kept) -> u64 {
    struct Digest(DefaultHasher);
    impl io::Write for Digest {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut digest = Digest(DefaultHasher::new());
    // It fails only for lengths that exceed 32 bits.
    let _ = borsh::to_writer(&mut digest, kept);
    digest.0.finish()
}

impl Journal {
    /// The journal of a restored visit.
    pub fn of(recorded: &[Recorded]) -> Self {
        let mut journal = Self::default();
        for recorded in recorded {
            journal.apply(recorded.clone(), true);
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
            self.apply(Recorded::new(before, what), taken);
        }
    }

    fn apply(&mut self, recorded: Recorded, taken: bool) {
        self.version += 1;
        self.applied.push((recorded, taken));
    }

    /// Takes in what was applied. It comes with the lazy module, until which nothing large is applied; from then on it is
    /// called after each change, so that the limits hold.
    pub fn settle(&mut self) {
        for (recorded, taken) in std::mem::take(&mut self.applied) {
            self.keep(recorded, taken);
        }
    }

    /// Whether the engine has applied all mutations.
    pub fn is_answered(&self) -> bool {
        self.sent.is_empty()
    }

    /// Serializes the journal for [`read`], without the large entries that are stored; `None` if it became too large.
    pub fn written(&mut self, stored: &BTreeSet<u64>) -> Option<Written> {
        self.settle();
        if self.given_up {
            return None;
        }
        let slots = self.kept.iter().map(|entry| match entry.digest {
            None => Slot::Here(&entry.kept),
            Some(digest) => Slot::Apart(digest),
        });
        let large = |entry: &Entry| Some((entry.digest?, borsh::to_vec(&entry.kept).ok()?));
        let is_new = |entry: &&Entry| entry.digest.is_some_and(|it| !stored.contains(&it));
        Some(Written {
            list: borsh::to_vec(&slots.collect::<Vec<_>>()).ok()?,
            large: self.kept.iter().filter_map(|entry| entry.digest).collect(),
            new: self.kept.iter().filter(is_new).filter_map(large).collect(),
        })
    }

    /// The mutations, for a link; `None` if they are too large for one.
    pub fn recorded(&mut self) -> Option<Vec<Recorded>> {
        self.settle();
        if self.given_up || self.bytes > LINK_BYTES {
            return None;
        }
        expand(self.kept.iter().map(|entry| Some(entry.kept.clone())))
    }

    fn keep(&mut self, recorded: Recorded, taken: bool) {
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
        let entry = Entry::of(kept);
        self.bytes += entry.bytes;
        self.small_bytes += entry.small_bytes();
        self.kept.push(entry);
        if self.small_bytes > LIMIT_BYTES {
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
            }) = self.kept.last().map(|entry| &entry.kept)
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
        self.bytes -= last.bytes;
        self.small_bytes -= last.small_bytes();
        if let Kept::Typed {
            start, text, old, ..
        } = last.kept
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

/// Reads the output of [`Journal::written`], with its large entries by their digests; `None` if the bytes are something
/// else.
pub fn read(list: &[u8], large: impl Fn(u64) -> Option<Vec<u8>>) -> Option<Vec<Recorded>> {
    let slots: Vec<Slot<Kept>> = borsh::from_slice(list).ok()?;
    expand(slots.into_iter().map(|slot| match slot {
        Slot::Here(kept) => Some(kept),
        Slot::Apart(digest) => borsh::from_slice(&large(digest)?).ok(),
    }))
}

/// Typed texts as a whole; `None` if an entry is missing.
fn expand(all_kept: impl Iterator<Item = Option<Kept>>) -> Option<Vec<Recorded>> {
    let mut last = String::new();
    let mut all = Vec::new();
    for kept in all_kept {
        let recorded = match kept? {
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

/// Bytes that [`common`] compares at once.
const BLOCK_BYTES: usize = 4096;

/// Lengths in bytes of the common prefix and suffix of two texts, at character boundaries.
fn common(one: &str, other: &str) -> (usize, usize) {
    let is_same = |(one, other): &(u8, u8)| one == other;
    // Whole blocks first: a dump has megabytes.
    let blocks = one
        .as_bytes()
        .chunks(BLOCK_BYTES)
        .zip(other.as_bytes().chunks(BLOCK_BYTES));
    let mut start = BLOCK_BYTES * blocks.take_while(|(one, other)| one == other).count();
    start = start.min(one.len()).min(other.len());
    let rest = one.as_bytes()[start..]
        .iter()
        .copied()
        .zip(other.as_bytes()[start..].iter().copied());
    start += rest.take_while(is_same).count();
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
