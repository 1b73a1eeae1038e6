//! The page state stored between visits, and how it is restored.

use std::rc::Rc;

use borsh::{BorshDeserialize, BorshSerialize};

use super::progress::StepSize;
use super::{Effect, Store};
use crate::ui::features::builder::last_lesson;
use crate::ui::features::terminal::Entry;
use berth_protocol::command::{Command, Control, Moment, Recording};
use berth_protocol::compare::Pairing;
use berth_protocol::out_of_line::OutOfLine;

/// Maximum bytes of the terminal's transcript to store.
const ENTRIES_BYTES: usize = 200_000;

/// The stored state of the page itself.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct PageState {
    group_by: String,
    zones: Vec<String>,
    step: StepSize,
    speed: f64,
    terminal_shown: bool,
    /// The terminal's transcript.
    entries: Rc<Vec<Rc<Entry>>>,
    /// The two runs that are compared.
    compare: Option<OutOfLine<Pairing>>,
    /// The lesson that is being made, serialized.
    builder: Option<Vec<u8>>,
    /// What was shown and predicted in the lesson, serialized.
    lesson: Option<Vec<u8>>,
}

/// The stored state of the last visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visit {
    /// The manifests.
    pub text: String,
    /// The recorded mutations; `None` if they cannot be replayed.
    pub recording: Option<Recording>,
    pub page: Option<PageState>,
}

impl Store {
    /// The state to store.
    pub fn page_state(&self) -> PageState {
        PageState {
            group_by: self.stage.group_by.clone(),
            zones: self.stage.zones.clone(),
            step: self.time.step,
            speed: self.time.speed,
            terminal_shown: self.terminal.shown,
            entries: last_entries(&self.terminal.entries),
            compare: self
                .compare
                .as_ref()
                .map(|compare| OutOfLine::new(compare.pairing.clone())),
            builder: self.builder.as_ref().and_then(|it| it.stored()),
            lesson: self
                .lesson
                .frame
                .as_ref()
                .and_then(|_| self.lesson.stored()),
        }
    }

    /// The position of the run, from the last patch.
    pub fn run_moment(&self) -> Moment {
        Moment {
            log_length: self.view.head.log_length,
            position: self.view.head.position,
        }
    }

    /// Restores the last visit, or at least its manifests.
    pub(in crate::ui) fn restore(&mut self, visit: Visit) -> Vec<Effect> {
        let Visit {
            text,
            recording,
            page,
        } = visit;
        let built = page.as_ref().and_then(|page| page.builder.clone());
        self.leave_draft();
        self.case = None;
        let Some(recording) = recording else {
            // It is the scenario of the link, if the address names one.
            let before = self.share.before.take();
            let mut effects = self.open(text);
            self.share.before = before;
            effects.extend(
                built
                    .into_iter()
                    .flat_map(|built| self.restore_builder(&built)),
            );
            // The log of the earlier visit is gone.
            self.leave_draft();
            return effects;
        };
        self.lesson.fetched = last_lesson(&recording);
        if let Some(page) = page {
            self.stage.group_by = page.group_by;
            self.stage.zones = page.zones;
            self.time.step = page.step;
            self.time.speed = page.speed;
            self.time.speed_is_chosen = true;
            self.terminal.shown = page.terminal_shown;
            self.terminal.diverged = page.entries.iter().any(|entry| entry.changed_cluster());
            self.terminal.entries = page.entries;
            self.lesson.stored = page.lesson;
            self.awaits_compare = page.compare.map(|pairing| Some(pairing.0));
        }
        self.editor.set_text(&text);
        let mut effects = vec![
            Effect::VisitRestores,
            Effect::Send(Command::Control(Control::Restore { recording, text })),
        ];
        effects.extend(
            built
                .into_iter()
                .flat_map(|built| self.restore_builder(&built)),
        );
        if self.terminal.shown && self.terminal.history.is_empty() {
            effects.push(Effect::LoadHistory);
        }
        effects
    }
}

/// The last entries, up to `ENTRIES_BYTES`.
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
