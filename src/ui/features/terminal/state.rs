//! The terminal: its transcript, the queued command lines, and the input line as changed by completion.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::rc::Rc;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::ui::engine::pasted;
use crate::ui::store::{Effect, Store};
use crate::words;
use berth_protocol::command::{Command, Input as Given, Mutation, Query, Run};
use berth_protocol::terminal::{OpenRequest, Part, Printed};

/// The escape sequence that clears the screen.
const CLEARED: &str = "\x1b[3J";
/// Maximum entries of the transcript, and lines of the history.
const ENTRIES: usize = 400;
const HISTORY: usize = 200;

/// An action at the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminalAction {
    /// Shows it in place of the manifests, or hides it.
    Show(bool),
    /// Runs these command lines in order.
    Run(String),
    /// Completes the word before the cursor (a byte offset).
    Complete {
        line: String,
        cursor: usize,
    },
    /// Inserts one of the offered completions.
    Choose(String),
    /// Clears the screen.
    Clear,
    /// Ctrl+C: interrupts the running command or drops the incomplete one, and clears the queue.
    Abort,
    /// Saves the text that a command opened for editing, or discards it.
    Save(String),
    Cancel,
    /// The command history of earlier visits.
    History(Vec<String>),
    /// The descriptions of fields could not be fetched; the next command that needs them retries.
    FieldsMissing,
}

/// One entry of the transcript: a command line with its output, or a note.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Entry {
    Printed(Printed),
    /// A note of the page.
    Note(Cow<'static, str>),
}

impl Entry {
    /// Whether it is a command that changed the cluster.
    pub fn changed_cluster(&self) -> bool {
        match self {
            Self::Printed(printed) => printed.changed,
            Self::Note(_) => false,
        }
    }

    /// Size of its text in bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Printed(printed) => printed.line.len() + printed.size(),
            Self::Note(note) => note.len(),
        }
    }
}

/// The input line as set by completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    pub text: String,
    /// A byte offset.
    pub cursor: usize,
    /// Incremented on every change.
    pub version: u32,
}

/// The state of the current command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    #[default]
    None,
    Running,
    /// It has printed something and waits.
    Waiting,
}

/// The terminal's state. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terminal {
    pub shown: bool,
    pub entries: Rc<Vec<Rc<Entry>>>,
    pub history: Rc<Vec<String>>,
    /// The lines so far of an incomplete command.
    pub pending: Rc<str>,
    /// The line that ends the here-document of the incomplete command.
    document_end: Option<String>,
    line: Line,
    pub input: Rc<Input>,
    /// Completions of the last word, if there are several.
    pub choices: Rc<Vec<String>>,
    /// The text that a command opened for editing.
    pub asked: Option<Rc<OpenRequest>>,
    /// The queued command lines.
    waiting: Rc<VecDeque<String>>,
    /// A command has changed the cluster since it was created from the manifests.
    pub diverged: bool,
    /// The engine has the descriptions of all fields, or will get them.
    has_fields: bool,
    /// The line and cursor that the completions are for.
    completing: Rc<(String, usize)>,
}

impl Terminal {
    /// Whether a command is running.
    pub fn is_busy(&self) -> bool {
        self.line != Line::None
    }

    /// Notes that commands can now read these files.
    pub(in crate::ui) fn note_files(&mut self, files: &[(String, String)]) {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let note = words::in_reach(&names.join(", "));
        self.append(Entry::Note(note.into()));
    }

    fn append(&mut self, entry: Entry) {
        let entries = Rc::make_mut(&mut self.entries);
        entries.push(Rc::new(entry));
        let more = entries.len().saturating_sub(ENTRIES);
        entries.drain(..more);
    }

    /// Appends more output of the last command, in order of arrival.
    fn print_on(&mut self, more: Printed) {
        let entries = Rc::make_mut(&mut self.entries);
        let printed = |entry| match Rc::make_mut(entry) {
            Entry::Printed(printed) => Some(printed),
            Entry::Note(_) => None,
        };
        let Some(last) = entries.iter_mut().rev().find_map(printed) else {
            return;
        };
        last.resume(more);
    }

    /// Shows the lines that a link's visit ran, as if they had been run here.
    pub(in crate::ui) fn replay(&mut self, printed: Vec<Printed>) {
        for printed in printed {
            self.remember(&printed.line);
            self.diverged |= printed.changed;
            self.show(printed, false);
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

    /// The next command line to run, appended to the incomplete lines that it continues.
    fn next(&mut self) -> Option<String> {
        if self.is_busy() || self.asked.is_some() {
            return None;
        }
        let line = Rc::make_mut(&mut self.waiting).pop_front()?;
        self.line = Line::Running;
        if self.pending.is_empty() {
            return Some(line);
        }
        let mut text = format!("{}\n{line}", self.pending);
        // A pasted here-document goes on with all of its lines: the shell would read it again for each of them.
        if let Some(end) = self.document_end.take() {
            let mut last = line;
            while last.trim_start_matches('\t').trim_end_matches('\r') != end
                && let Some(line) = Rc::make_mut(&mut self.waiting).pop_front()
            {
                text.push('\n');
                text.push_str(&line);
                last = line;
            }
        }
        Some(text)
    }

    /// Drops an incomplete command.
    fn give_up(&mut self) {
        let line = format!("{}^C", self.pending);
        self.append(Entry::Printed(Printed {
            line,
            ..Printed::default()
        }));
        self.pending = "".into();
        self.document_end = None;
        self.waiting = Rc::default();
        self.choices = Rc::default();
    }

    /// Adds a command's output to the transcript; `continues`: it has printed before.
    fn show(&mut self, mut printed: Printed, continues: bool) {
        let cleared = |part: &Part| part.text.rfind(CLEARED).filter(|_| !part.is_error);
        let mut parts = printed.parts.iter().enumerate().rev();
        let found = parts.find_map(|(number, part)| Some((number, cleared(part)?)));
        let Some((number, at)) = found else {
            return if continues {
                self.print_on(printed);
            } else {
                self.append(Entry::Printed(printed));
            };
        };
        self.entries = Rc::default();
        printed.parts.drain(..number);
        if let Some(part) = printed.parts.first_mut() {
            part.text.drain(..at + CLEARED.len());
        }
        printed.parts.retain(|part| !part.text.is_empty());
        printed.line.clear();
        if printed.waits || !printed.parts.is_empty() {
            self.append(Entry::Printed(printed));
        }
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
    #[inline(never)]
    pub(in crate::ui) fn at_terminal(&mut self, action: TerminalAction) -> Vec<Effect> {
        let terminal = &mut self.terminal;
        match action {
            TerminalAction::Show(shown) => {
                terminal.shown = shown;
                let loads = shown && terminal.history.is_empty();
                self.lesson.shown = false;
                self.hide_builder();
                return loads.then_some(Effect::LoadHistory).into_iter().collect();
            }
            TerminalAction::Run(lines) => {
                terminal.choices = Rc::default();
                let lines = match terminal.pending.is_empty() {
                    true => pasted(&lines),
                    false => lines,
                };
                for line in lines.trim_end_matches('\n').split('\n') {
                    terminal.remember(line);
                    Rc::make_mut(&mut terminal.waiting).push_back(line.to_owned());
                }
                let mut effects = self.run_next();
                effects.push(Effect::StoreHistory);
                return effects;
            }
            TerminalAction::Complete { line, cursor } => {
                terminal.completing = Rc::new((line.clone(), cursor));
                return vec![Effect::Send(Command::Ask(Query::Complete { line, cursor }))];
            }
            TerminalAction::Choose(word) => {
                terminal.complete(vec![word]);
                terminal.choices = Rc::default();
            }
            TerminalAction::Clear => terminal.entries = Rc::default(),
            TerminalAction::Abort if terminal.is_busy() => {
                // The engine prints where the command stopped.
                terminal.waiting = Rc::default();
                return vec![Effect::Send(Command::Run(Run::Interrupt))];
            }
            TerminalAction::Abort => terminal.give_up(),
            TerminalAction::Save(text) => {
                if let Some(asked) = terminal.asked.take() {
                    terminal.line = Line::Running;
                    let asked = asked.as_ref().clone();
                    let edited = Given::Edited { asked, text };
                    return vec![self.mutate(Mutation::Terminal(edited))];
                }
            }
            TerminalAction::Cancel => {
                terminal.asked = None;
                return self.run_next();
            }
            TerminalAction::History(lines) => terminal.history = Rc::new(lines),
            TerminalAction::FieldsMissing => terminal.has_fields = false,
        }
        Vec::new()
    }

    /// Shows the terminal, and runs a line there.
    pub(in crate::ui) fn run_in_terminal(&mut self, line: String) -> Vec<Effect> {
        let mut effects = self.at_terminal(TerminalAction::Show(true));
        effects.extend(self.at_terminal(TerminalAction::Run(line)));
        effects
    }

    /// Shows the terminal for a line that a gesture runs there.
    pub(in crate::ui) fn show_line(&mut self, line: &str) -> Vec<Effect> {
        let mut effects = self.at_terminal(TerminalAction::Show(true));
        self.terminal.remember(line);
        effects.push(Effect::StoreHistory);
        effects
    }

    fn run_next(&mut self) -> Vec<Effect> {
        let Some(line) = self.terminal.next() else {
            return Vec::new();
        };
        self.time.progress = None;
        if self.suspend_playback() {
            self.terminal
                .append(Entry::Note(words::LIVES_NOW.get().into()));
        }
        let terminal = &mut self.terminal;
        // Which lines run `kubectl explain` is known only to the shell, so the first of any kind brings them.
        let needs_fields = !std::mem::replace(&mut terminal.has_fields, true);
        let command = self.mutation(Mutation::Terminal(Given::Line { line }));
        self.follow_run(if needs_fields {
            Effect::SendWithFields(command)
        } else {
            Effect::Send(command)
        })
    }

    /// A command printed something.
    #[inline(never)]
    pub(in crate::ui) fn receive_printed(&mut self, mut printed: Printed) -> Vec<Effect> {
        let terminal = &mut self.terminal;
        let before = std::mem::take(&mut terminal.line);
        if printed.goes_on {
            terminal.pending = printed.line.into();
            terminal.document_end = printed.document_end;
            return self.run_next();
        }
        terminal.pending = "".into();
        terminal.asked = printed.open.take().map(Rc::new);
        terminal.diverged |= printed.changed;
        let continues = before == Line::Waiting;
        let waits = printed.waits;
        terminal.show(printed, continues);
        if waits {
            terminal.line = Line::Waiting;
            return Vec::new();
        }
        let head = &self.view.head;
        let has_clock = head.now_ms.is_some();
        self.time.playback.line_ended(has_clock, head.finished);
        self.run_next()
    }

    #[inline(never)]
    pub(in crate::ui) fn receive_completions(
        &mut self,
        line: &str,
        cursor: usize,
        words: Vec<String>,
    ) {
        // The input line may have changed in the meantime.
        if *self.terminal.completing == (line.to_owned(), cursor) {
            self.terminal.complete(words);
        }
    }
}

/// Completes the last word up to the candidates' common prefix, plus a space if there is only one. Returns the line and
/// the cursor's byte offset in it.
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
