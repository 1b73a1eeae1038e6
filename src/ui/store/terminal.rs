//! The terminal: what was printed, what is still to be run, and the input line as far as others change it.

use std::collections::VecDeque;
use std::rc::Rc;

use super::Store;
use crate::protocol::frame::{Mark, MarkKind};
use crate::protocol::page::Command;
use crate::protocol::terminal::{Asked, Printed};
use crate::ui::words;

/// Lines of the transcript, and of the history.
const ENTRIES: usize = 400;
const HISTORY: usize = 200;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Printed(Printed),
    /// Said by the page.
    Note(&'static str),
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

/// When the page plays on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// With the next moment that is told.
    Now,
    /// If what was run at this position changed the cluster.
    IfChanged(usize),
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
    pub asked: Option<Rc<Asked>>,
    waiting: Rc<VecDeque<String>>,
    start: Option<Start>,
    /// The line and the cursor that the choices are for.
    completing: Rc<(String, usize)>,
}

impl Terminal {
    /// Whether the next moment that is told may be where the page plays on.
    pub fn waits_to_start(&self) -> bool {
        self.start.is_some()
    }

    fn tell(&mut self, entry: Entry) {
        let entries = Rc::make_mut(&mut self.entries);
        entries.push(Rc::new(entry));
        let more = entries.len().saturating_sub(ENTRIES);
        entries.drain(..more);
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
                    self.starts_if_changed();
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

    /// The cluster begins to live, or no longer does.
    #[inline(never)]
    pub(super) fn live(&mut self, live: bool) -> Vec<Command> {
        self.leave();
        if live {
            self.begin_to_live();
        }
        self.go(Command::Live(live))
    }

    fn begin_to_live(&mut self) {
        self.speed = self.speed.max(LIVING_SPEED);
        self.terminal.start = Some(Start::Now);
    }

    fn starts_if_changed(&mut self) {
        self.terminal.start = Some(Start::IfChanged(self.view.position));
    }

    fn run_next(&mut self) -> Vec<Command> {
        let Some(command) = self.terminal.next() else {
            return Vec::new();
        };
        self.progress = None;
        self.starts_if_changed();
        if self.view.now_ms.is_none() {
            self.begin_to_live();
            self.terminal.tell(Entry::Note(words::LIVES_NOW));
        }
        self.go(command)
    }

    /// A line was run.
    #[inline(never)]
    pub(super) fn printed(&mut self, mut printed: Printed) -> Vec<Command> {
        let terminal = &mut self.terminal;
        terminal.busy = false;
        if printed.goes_on {
            terminal.pending = printed.line.into();
            return self.run_next();
        }
        terminal.pending = "".into();
        terminal.asked = printed.open.take().map(Rc::new);
        terminal.tell(Entry::Printed(printed));
        self.run_next()
    }

    #[inline(never)]
    pub(super) fn completions(&mut self, line: &str, cursor: usize, words: Vec<String>) {
        // Another line may stand there by now.
        if *self.terminal.completing == (line.to_owned(), cursor) {
            self.terminal.complete(words);
        }
    }

    /// A moment was told: after a change of a cluster that lives, time goes on by itself.
    #[inline(never)]
    pub(super) fn goes_on(&mut self) {
        let is_change = |mark: &Mark| mark.kind == MarkKind::Edited;
        let starts = match self.terminal.start.take() {
            None => false,
            Some(Start::Now) => true,
            Some(Start::IfChanged(at)) => {
                self.view.position == at + 1 && self.view.last_mark().is_some_and(is_change)
            }
        };
        self.playing |= starts && self.view.now_ms.is_some() && !self.view.finished;
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
