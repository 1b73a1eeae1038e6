//! The terminal: what was printed, what is still to be run, and the input line as far as others change it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::rc::Rc;

use borsh::{BorshDeserialize, BorshSerialize};

use super::{Action, Store};
use crate::protocol::page::Command;
use crate::protocol::terminal::{OpenRequest, Printed};
use crate::ui::words;

/// What asks for an empty screen.
const CLEARED: &str = "\x1b[3J";
/// Lines of the transcript, and of the history.
const ENTRIES: usize = 400;
const HISTORY: usize = 200;
/// What one entry may hold of a line that waits; the rest is left out.
const PRINTED_BYTES: usize = 200_000;
/// If nothing happens for longer than this, a cluster is quiet: who waits for a Pod to start, to end or to be tried
/// again, for a kubelet to be missed (50 s) or for a CronJob of every minute has seen it by then. What is left are
/// deadlines (a rollout's 600 s, a toleration's 300 s), and nobody expects ten minutes to pass by themselves.
const QUIET_MS: i64 = 60_000;
/// A cluster that begins to live is played at least this fast: much happens between two attempts.
const LIVING_SPEED: f64 = 4.0;

/// What is done at the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum AtTerminal {
    /// Show it in place of the manifests, or no longer.
    Show(bool),
    /// Run these lines, one after the other.
    Run(String),
    /// What the word before the cursor (in bytes) may become.
    Complete {
        line: String,
        cursor: usize,
    },
    /// Put one of the choices there.
    Choose(String),
    /// Begin with an empty screen.
    Clear,
    /// Give up the line that goes on, and what waits to be run.
    Abort,
    /// Save the text that a line asked to edit, or do not.
    Save(String),
    Cancel,
    /// The lines of earlier visits.
    History(Vec<String>),
}

/// One line of the transcript, with what it printed.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Entry {
    Printed(Printed),
    /// Said by the page.
    Note(Cow<'static, str>),
}

impl Entry {
    /// Bytes of its text.
    pub fn size(&self) -> usize {
        match self {
            Self::Printed(printed) => {
                printed.line.len() + printed.stdout.len() + printed.stderr.len()
            }
            Self::Note(note) => note.len(),
        }
    }
}

/// What the input line becomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    pub text: String,
    /// In bytes.
    pub cursor: usize,
    /// Counts the changes.
    pub version: u32,
}

/// The terminal's state. A copy is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terminal {
    pub shown: bool,
    pub entries: Rc<Vec<Rc<Entry>>>,
    pub history: Rc<Vec<String>>,
    /// Lines so far of a command that goes on.
    pub pending: Rc<str>,
    /// A line is being run.
    pub busy: bool,
    pub input: Rc<Input>,
    /// What the last word may become, if there is more than one way.
    pub choices: Rc<Vec<String>>,
    /// What is open in the editor.
    pub asked: Option<Rc<OpenRequest>>,
    waiting: Rc<VecDeque<String>>,
    /// The line that is run waits, and prints more to the last entry.
    prints_on: bool,
    /// What is run, or was, has changed the cluster.
    changed: bool,
    /// It has changed the cluster since that followed the manifests.
    pub parted: bool,
    /// The page played when the line was run, and goes on with that.
    plays_on: bool,
    /// Nobody pressed Play: it ends when the cluster is quiet.
    plays_itself: bool,
    /// The page plays on by itself from the next moment that is told.
    starts: bool,
    /// It was said that the cluster lives, and its first moment has not come.
    says_alive: bool,
    /// The line and the cursor that the choices are for.
    completing: Rc<(String, usize)>,
}

impl Terminal {
    /// Whether the next moment that is told may be where the page plays on.
    pub fn waits_to_start(&self) -> bool {
        self.starts
    }

    /// The cluster was seen to live.
    pub fn lives(&mut self) {
        self.says_alive = false;
    }

    fn tell(&mut self, entry: Entry) {
        let entries = Rc::make_mut(&mut self.entries);
        entries.push(Rc::new(entry));
        let more = entries.len().saturating_sub(ENTRIES);
        entries.drain(..more);
    }

    /// More of what the last line prints, in the order in which it comes.
    fn print_on(&mut self, more: Printed) {
        let entries = Rc::make_mut(&mut self.entries);
        let last = entries.iter_mut().rev();
        let mut last = last.filter_map(|entry| match Rc::make_mut(entry) {
            Entry::Printed(printed) => Some(printed),
            Entry::Note(_) => None,
        });
        let Some(last) = last.next() else {
            return;
        };
        last.code = more.code;
        // Errors stand below the rest of an entry.
        if !more.stdout.is_empty() && !last.stderr.is_empty() {
            return self.tell(Entry::Printed(more));
        }
        if last.stdout.len() + last.stderr.len() < PRINTED_BYTES {
            last.stdout.push_str(&more.stdout);
            last.stderr.push_str(&more.stderr);
        }
    }

    fn remember(&mut self, line: &str) {
        if line.trim().is_empty() || self.history.last().is_some_and(|last| last == line) {
            return;
        }
        let history = Rc::make_mut(&mut self.history);
        history.push(line.to_owned());
        let more = history.len().saturating_sub(HISTORY);
        history.drain(..more);
    }

    /// The next line that waits, with those that it goes on from.
    fn next(&mut self) -> Option<Command> {
        if self.busy || self.asked.is_some() {
            return None;
        }
        let line = Rc::make_mut(&mut self.waiting).pop_front()?;
        self.busy = true;
        let line = if self.pending.is_empty() {
            line
        } else {
            format!("{}\n{line}", self.pending)
        };
        Some(Command::Terminal { line })
    }

    fn complete(&mut self, words: Vec<String>) {
        let (line, cursor) = (&self.completing.0, self.completing.1);
        let (text, cursor) = completed(line, cursor, &words);
        let grew = text != *line;
        self.choices = Rc::new(if words.len() > 1 { words } else { Vec::new() });
        if grew {
            self.completing = Rc::new((text.clone(), cursor));
            self.put(text, cursor);
        }
    }

    fn put(&mut self, text: String, cursor: usize) {
        let version = self.input.version + 1;
        self.input = Rc::new(Input {
            text,
            cursor,
            version,
        });
    }
}

impl Store {
    /// Something is done at the terminal.
    #[inline(never)]
    pub(super) fn at_terminal(&mut self, act: AtTerminal) -> Vec<Command> {
        let terminal = &mut self.terminal;
        match act {
            AtTerminal::Show(shown) => terminal.shown = shown,
            AtTerminal::Run(lines) => {
                terminal.choices = Rc::default();
                for line in lines.split('\n') {
                    terminal.remember(line);
                    Rc::make_mut(&mut terminal.waiting).push_back(line.to_owned());
                }
                return self.run_next();
            }
            AtTerminal::Complete { line, cursor } => {
                terminal.completing = Rc::new((line.clone(), cursor));
                return vec![Command::Complete { line, cursor }];
            }
            AtTerminal::Choose(word) => {
                terminal.complete(vec![word]);
                terminal.choices = Rc::default();
            }
            AtTerminal::Clear => terminal.entries = Rc::default(),
            // The engine shows where it stopped.
            AtTerminal::Abort if terminal.busy => {
                terminal.waiting = Rc::default();
                return vec![Command::Interrupt];
            }
            AtTerminal::Abort => {
                let line = format!("{}^C", terminal.pending);
                terminal.tell(Entry::Printed(Printed {
                    line,
                    ..Printed::default()
                }));
                terminal.pending = "".into();
                terminal.waiting = Rc::default();
                terminal.choices = Rc::default();
            }
            AtTerminal::Save(text) => {
                if let Some(asked) = terminal.asked.take() {
                    terminal.busy = true;
                    let asked = asked.as_ref().clone();
                    return vec![Command::Edited { asked, text }];
                }
            }
            AtTerminal::Cancel => {
                terminal.asked = None;
                return self.run_next();
            }
            AtTerminal::History(lines) => terminal.history = Rc::new(lines),
        }
        Vec::new()
    }

    /// Files came: beside the terminal they are more for its commands, else another scenario.
    #[inline(never)]
    pub(super) fn files(&mut self, files: Vec<(String, String)>, dropped: bool) -> Vec<Command> {
        if dropped && self.terminal.shown {
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            let note = words::in_reach(&names.join(", "));
            self.terminal.tell(Entry::Note(note.into()));
            return vec![Command::Files(files)];
        }
        let texts: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
        let mut commands = self.act_now(Action::Open(texts.join("\n---\n")));
        commands.push(Command::Files(files));
        commands
    }

    /// The cluster begins to live, or no longer does.
    #[inline(never)]
    pub(super) fn live(&mut self, live: bool) -> Vec<Command> {
        self.leave();
        self.terminal.parted &= live;
        if live {
            self.begin_to_live();
        }
        self.go(Command::Live(live))
    }

    fn begin_to_live(&mut self) {
        self.speed = self.speed.max(LIVING_SPEED);
        self.terminal.starts = true;
        self.terminal.plays_itself = true;
    }

    fn run_next(&mut self) -> Vec<Command> {
        let Some(command) = self.terminal.next() else {
            return Vec::new();
        };
        self.progress = None;
        // Time does not go on while a line is run, but by what it waits for.
        self.terminal.plays_on = std::mem::take(&mut self.playing);
        self.terminal.starts = false;
        if self.view.now_ms.is_none() {
            self.begin_to_live();
            if !std::mem::replace(&mut self.terminal.says_alive, true) {
                self.terminal.tell(Entry::Note(words::LIVES_NOW.into()));
            }
        }
        self.go(command)
    }

    /// A line was run.
    #[inline(never)]
    pub(super) fn printed(&mut self, mut printed: Printed) -> Vec<Command> {
        let terminal = &mut self.terminal;
        terminal.busy = printed.waits;
        if printed.goes_on {
            terminal.pending = printed.line.into();
            return self.run_next();
        }
        terminal.pending = "".into();
        terminal.asked = printed.open.take().map(Rc::new);
        let (waits, changed) = (printed.waits, printed.changed);
        let went_on = std::mem::replace(&mut terminal.prints_on, waits);
        terminal.changed &= went_on;
        if let Some(at) = printed.stdout.rfind(CLEARED) {
            terminal.entries = Rc::default();
            printed.stdout.drain(..at + CLEARED.len());
            printed.line.clear();
            if waits || !(printed.stdout.is_empty() && printed.stderr.is_empty()) {
                terminal.tell(Entry::Printed(printed));
            }
        } else if went_on {
            terminal.print_on(printed);
        } else {
            terminal.tell(Entry::Printed(printed));
        }
        terminal.changed |= changed;
        terminal.parted |= changed;
        if waits {
            return Vec::new();
        }
        // What was told while the line waited may be all that there is to tell.
        terminal.starts |= terminal.changed;
        let goes_on = terminal.changed || terminal.plays_on;
        terminal.plays_itself |= !terminal.plays_on;
        self.playing |= goes_on && !self.view.finished;
        self.run_next()
    }

    #[inline(never)]
    pub(super) fn completions(&mut self, line: &str, cursor: usize, words: Vec<String>) {
        // Another line may stand there by now.
        if *self.terminal.completing == (line.to_owned(), cursor) {
            self.terminal.complete(words);
        }
    }

    /// Play, or stop that: whoever presses it wants to see what is far away too.
    #[inline(never)]
    pub(super) fn play(&mut self) -> Vec<Command> {
        self.playing = !self.playing && !self.view.finished;
        self.terminal.plays_itself = false;
        Vec::new()
    }

    /// When something happens next, if that is far away.
    fn quiet_until(&self) -> Option<i64> {
        let (now, next) = (self.view.now_ms?, self.view.next_ms?);
        (next - now > QUIET_MS).then_some(next)
    }

    /// The same where time stands still, to be said.
    pub fn rests_until(&self) -> Option<i64> {
        let stands = !self.playing && !self.running;
        self.quiet_until().filter(|_| stands)
    }

    /// A cluster that was played by itself has come to rest for now.
    #[inline(never)]
    pub(super) fn rests(&mut self) {
        if self.playing && self.terminal.plays_itself && self.quiet_until().is_some() {
            self.playing = false;
        }
    }

    /// A moment was told: after a change of a cluster that lives, time goes on by itself.
    #[inline(never)]
    pub(super) fn goes_on(&mut self) {
        if !self.terminal.busy && std::mem::take(&mut self.terminal.starts) {
            self.playing |= self.view.now_ms.is_some() && !self.view.finished;
        }
    }
}

/// The line with its last word as far as all candidates agree, and a space if there is only one; and where the
/// cursor is then, in bytes.
fn completed(line: &str, cursor: usize, words: &[String]) -> (String, usize) {
    let before = line.get(..cursor).unwrap_or(line);
    let after = line.get(before.len()..).unwrap_or_default();
    let Some(first) = words.first() else {
        return (line.to_owned(), before.len());
    };
    let start = before
        .rfind(|letter: char| letter.is_whitespace() || "|;&(`".contains(letter))
        .map_or(0, |at| {
            at + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        });
    let mut common = first.as_str();
    for word in words {
        let same = common
            .char_indices()
            .zip(word.chars())
            .take_while(|((_, one), other)| one == other);
        let end = same
            .last()
            .map_or(0, |((at, letter), _)| at + letter.len_utf8());
        common = common.get(..end).unwrap_or_default();
    }
    let mut text = format!("{}{common}", before.get(..start).unwrap_or_default());
    let goes_on = common.ends_with(['=', '/', ',']);
    if words.len() == 1 && !goes_on && !after.starts_with(' ') {
        text.push(' ');
    }
    let cursor = text.len();
    text.push_str(after);
    (text, cursor)
}

#[cfg(test)]
mod tests;
