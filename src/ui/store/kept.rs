//! What is kept of the page itself between visits, and how a visit goes on where the last one ended.

use std::rc::Rc;

use borsh::{BorshDeserialize, BorshSerialize};

use super::progress::StepSize;
use super::terminal::Entry;
use super::{Action, Store};
use crate::protocol::journal::{Course, Moment};
use crate::protocol::page::Command;

/// So much of what the terminal printed is kept.
const ENTRIES_BYTES: usize = 200_000;

/// What the page itself is like.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Kept {
    group_by: String,
    zones: Vec<String>,
    step: StepSize,
    speed: f64,
    terminal_shown: bool,
    /// What the terminal printed.
    entries: Rc<Vec<Rc<Entry>>>,
}

/// What the last visit left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visit {
    /// The manifests.
    pub text: String,
    /// What was done; `None` if that is not known.
    pub course: Option<Course>,
    pub page: Option<Kept>,
}

impl Visit {
    /// Whether the terminal was shown: it needs the half of the program that a first visit does not download.
    pub fn shows_terminal(&self) -> bool {
        self.course.is_some() && self.page.as_ref().is_some_and(|page| page.terminal_shown)
    }

    /// The same with the manifests in place of the terminal.
    pub fn without_terminal(mut self) -> Self {
        if let Some(page) = &mut self.page {
            page.terminal_shown = false;
        }
        self
    }
}

impl Store {
    /// What is to be kept of the page.
    pub fn kept(&self) -> Kept {
        Kept {
            group_by: self.group_by.clone(),
            zones: self.zones.clone(),
            step: self.step,
            speed: self.speed,
            terminal_shown: self.terminal.shown,
            entries: last_entries(&self.terminal.entries),
        }
    }

    /// Where the run is, as far as the page was told.
    pub fn run_moment(&self) -> Moment {
        Moment {
            log_length: self.view.log_length,
            position: self.view.position,
        }
    }

    /// Goes on where the last visit ended: at least with its manifests.
    pub(super) fn go_on_from(&mut self, visit: Visit) -> Vec<Command> {
        let Visit { text, course, page } = visit;
        let Some(course) = course else {
            return self.act_now(Action::Open(text));
        };
        if let Some(page) = page {
            self.group_by = page.group_by;
            self.zones = page.zones;
            self.step = page.step;
            self.speed = page.speed;
            self.terminal.shown = page.terminal_shown;
            let changed =
                |entry: &Rc<Entry>| matches!(&**entry, Entry::Printed(one) if one.changed);
            self.terminal.parted = page.entries.iter().any(changed);
            self.terminal.entries = page.entries;
        }
        self.set_text(&text);
        vec![Command::Restore { course, text }]
    }

    /// The last visit's session is there again, or another one that was wanted more.
    pub(super) fn restored(&mut self, same: bool) -> Vec<Command> {
        if same {
            return Vec::new();
        }
        // It ended before the engine took its last text.
        let text = self.text.to_string();
        vec![Command::Type {
            text,
            goes_on: false,
        }]
    }
}

/// The last entries that are not too much to be kept.
fn last_entries(entries: &Rc<Vec<Rc<Entry>>>) -> Rc<Vec<Rc<Entry>>> {
    let mut bytes = 0;
    let fits = |entry: &&Rc<Entry>| {
        bytes += entry.size();
        bytes <= ENTRIES_BYTES
    };
    let count = entries.iter().rev().take_while(fits).count();
    if count == entries.len() {
        return Rc::clone(entries);
    }
    Rc::new(entries[entries.len() - count..].to_vec())
}
