//! What the page knows, and how it changes. Plain data: no DOM, no engine. What the engine has to
//! do for it comes out as commands.

mod action;
mod adjust;
mod deed;
pub mod documents;
mod kept;
mod layout;
pub mod progress;
pub mod scheduler;
pub mod terminal;
mod told;
pub mod view;

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::protocol::cycle::Cycle;
use crate::protocol::fix::Fix;
use crate::protocol::gesture::Label;
use crate::protocol::page::{Command, Explained, Look, Snippet, Subject};
use crate::protocol::why_not::WhyNot;
pub use action::Action;
pub use deed::{Carried, Deed, Place};
use documents::{Document, documents, last_change};
pub use kept::{Kept, Visit};
pub use layout::{Arrange, Layout, NARROWEST, WIDEST};
use progress::{Revealed, StepSize, Stop};
use scheduler::SchedulerForm;
use terminal::Terminal;
use view::View;

/// The topology key that the stage groups by at first.
pub const ZONE: &str = "topology.kubernetes.io/zone";

/// A step within an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The attempt's position in the log.
    pub attempt: usize,
    /// Position among the attempt's steps.
    pub stop: usize,
}

/// The chosen cell of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub node: String,
    pub plugin: String,
}

/// Where the two sides of the chosen cell stand in the manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub pod: Option<Snippet>,
    pub node: Option<Snippet>,
}

/// What would have helped at an attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fixes {
    /// Position of the attempt; `None` before any was looked for.
    pub position: Option<usize>,
    pub found: Rc<Vec<Fix>>,
    /// There are no more.
    pub done: bool,
}

/// A node's card beside its cell in the far view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCard {
    pub node: String,
    /// Where it stands in the stage's body, in CSS pixels.
    pub left: i32,
    pub top: i32,
}

/// The panels of which a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    Sources,
    #[default]
    Stage,
    Explain,
}

/// What lies over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    Examples,
    Help,
    /// Finds a node or a Pod by its name.
    Find,
    /// What the scenario is about.
    About,
}

/// An example of the gallery.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Example {
    /// Names its file.
    pub slug: String,
    pub title: String,
    pub teaser: String,
    pub topics: Vec<String>,
}

/// The page's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    pub view: View,
    pub explained: Option<Rc<Explained>>,
    pub look: Look,
    /// Which attempt is gone through in small steps, and how far.
    pub progress: Option<Progress>,
    pub step: StepSize,
    pub cell: Option<Cell>,
    pub found: Option<Rc<Found>>,
    /// The manifests as they stand in the editor.
    pub text: Rc<str>,
    /// Counts the changes of the text that do not come from typing.
    pub text_version: u32,
    /// Counts how often the text is to be shown elsewhere than in the editor.
    pub copies: u32,
    /// The text's documents, as far as a glance tells.
    pub documents: Vec<Document>,
    /// Counts how often they became others.
    pub documents_version: u32,
    /// The code editor is there.
    pub editor_ready: bool,
    /// The line of the editor's cursor, from 1.
    pub cursor: u32,
    /// Where the cursor is wanted: line, column (0: without the focus), and how often that was
    /// asked for.
    pub target: Option<(u32, u32, u32)>,
    /// The engine has not read all that was typed.
    unread: bool,
    /// What is typed now belongs to the same edit as before.
    typing: bool,
    /// The engine runs on to the end.
    pub running: bool,
    /// The page steps by itself, this many steps a second.
    pub playing: bool,
    pub speed: f64,
    pub group_by: String,
    /// The stage's zoom in percent, if one was chosen.
    pub zoom: Option<u32>,
    /// The zoom at which the far view shows all nodes, as it told.
    pub fits: u32,
    /// The node that the keyboard is at.
    pub focus: Option<String>,
    /// The node of the far view whose card is open.
    pub open: Option<OpenCard>,
    /// Chosen nodes.
    pub nodes: BTreeSet<String>,
    /// Nodes that the keyboard carries.
    pub carried: Option<Carried>,
    /// The node that the keyboard was at when it put it down, until it is there.
    moved: Option<Carried>,
    /// The node whose form is open.
    pub editing: Option<String>,
    /// The form with what can be added is open.
    pub adding: bool,
    pub scheduler: SchedulerForm,
    pub terminal: Terminal,
    /// How many additions were made, and how many were refused: forms wait for either.
    pub answers: (u32, u32),
    /// Something was added, and no answer came yet.
    adds: bool,
    /// Values of the grouping key that were added and hold no node yet.
    pub zones: Vec<String>,
    /// Nodes lit by a clause of the message.
    pub lit: BTreeSet<String>,
    pub panel: Panel,
    pub layout: Layout,
    pub notice: Option<String>,
    pub dialog: Option<Dialog>,
    /// What is drawn is for paper.
    pub prints: bool,
    pub examples: Vec<Example>,
    /// What would let the explained Pod schedule.
    pub fixes: Fixes,
    /// The attempt whose fixes the engine was asked for, as long as its answer holds.
    sought: Option<usize>,
    /// Why the explained attempt did not end on a node that was asked for.
    pub why_not: Option<(String, Rc<WhyNot>)>,
    /// The log may be another one than the answer is about.
    stale: bool,
    /// Text to hand to the user as a file.
    pub export: Option<Rc<str>>,
    /// The engine may be further than the last patch said.
    running_on: bool,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            view: View::default(),
            explained: None,
            look: Look::default(),
            progress: None,
            step: StepSize::default(),
            cell: None,
            found: None,
            text: "".into(),
            text_version: 0,
            copies: 0,
            documents: Vec::new(),
            documents_version: 0,
            editor_ready: false,
            cursor: 1,
            target: None,
            unread: false,
            typing: false,
            running: false,
            playing: false,
            speed: 1.0,
            group_by: ZONE.to_owned(),
            zoom: None,
            fits: 10,
            focus: None,
            open: None,
            nodes: BTreeSet::new(),
            carried: None,
            moved: None,
            editing: None,
            adding: false,
            scheduler: SchedulerForm::default(),
            terminal: Terminal::default(),
            answers: (0, 0),
            adds: false,
            zones: Vec::new(),
            lit: BTreeSet::new(),
            panel: Panel::default(),
            layout: Layout::default(),
            notice: None,
            dialog: None,
            prints: false,
            examples: Vec::new(),
            fixes: Fixes::default(),
            sought: None,
            why_not: None,
            stale: false,
            export: None,
            running_on: false,
        }
    }
}

impl Store {
    /// Changes the state, and returns what the engine has to do.
    pub fn act(&mut self, action: Action) -> Vec<Command> {
        let goes_on = matches!(
            action,
            Action::Told(_)
                | Action::Typed(_)
                | Action::TypedElsewhere(_)
                | Action::Cursor(_)
                | Action::EditorReady
                | Action::AtText
                | Action::Read
                | Action::Copy
                | Action::Keep
                | Action::Fits(_)
                | Action::Print(_)
        );
        let mut commands = Vec::new();
        if !goes_on {
            // Whatever is done next is done to what was typed before.
            commands = self.act_now(Action::Read);
            self.typing = false;
        }
        commands.extend(self.act_now(action));
        self.note(&commands);
        commands
    }

    fn act_now(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Told(update) => self.told(*update),
            Action::Files { files, dropped } => self.files(files, dropped),
            Action::Open(text) => {
                self.set_text(&text);
                self.leave();
                self.view.begin_anew();
                self.zones.clear();
                self.terminal.parted = false;
                self.nodes.clear();
                self.zoom = None;
                self.open = None;
                self.go(Command::Open { text })
            }
            Action::GoOn(visit) => self.go_on_from(*visit),
            Action::Typed(text) => {
                self.text = text.into();
                self.unread = true;
                Vec::new()
            }
            Action::Copy => {
                self.copies += 1;
                Vec::new()
            }
            Action::TypedElsewhere(text) => {
                self.set_text(&text);
                self.unread = true;
                Vec::new()
            }
            Action::Read => {
                if !std::mem::take(&mut self.unread) {
                    return Vec::new();
                }
                self.leave();
                self.notice = None;
                self.scheduler.settle();
                self.list_documents();
                self.view.may_begin_anew();
                let goes_on = std::mem::replace(&mut self.typing, true);
                let text = self.text.to_string();
                vec![Command::Type { text, goes_on }]
            }
            Action::Undo => self.change(Command::Undo),
            Action::Redo => self.change(Command::Redo),
            Action::Gesture(gesture) => {
                self.scheduler.ask(&gesture);
                self.change(Command::Gesture(gesture))
            }
            Action::AddZone(mut value) => {
                if value.is_empty() {
                    value = self.next_domain();
                }
                let key = self.group_by.clone();
                vec![Command::Check(Label { key, value })]
            }
            Action::Deed(deed, place) => self.deed(deed, place),
            Action::TryFix(number) => self.try_fix(number),
            Action::Export => vec![Command::Export],
            Action::Terminal(act) => self.at_terminal(act),
            Action::Live(live) => self.live(live),
            Action::Seed(seed) => vec![Command::Seed { seed }],
            other => self.travel(other),
        }
    }

    /// What goes through time.
    fn travel(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::BackToFirstRun => vec![Command::BackToFirstRun],
            Action::KeepFork => vec![Command::KeepFork],
            Action::Step => self.step(true),
            Action::StepBack => self.step(false),
            Action::Reset => self.go(Command::Reset),
            Action::Seek(position) => self.go(Command::Seek { position }),
            Action::Run => self.run(),
            Action::Play => self.play(),
            other => self.explain(other),
        }
    }

    /// What is explained, and how.
    fn explain(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Pod(key) => {
                let subject = Subject::Pod(key);
                let subject = if self.look.subject == subject {
                    Subject::Latest
                } else {
                    subject
                };
                self.progress = None;
                vec![self.look_at(subject)]
            }
            Action::Find(key) => {
                self.progress = None;
                vec![self.look_at(Subject::Pod(key))]
            }
            Action::Attempt(position) => {
                self.progress = None;
                vec![self.look_at(Subject::Attempt(position))]
            }
            Action::Stop(stop) => self.stop_at(stop),
            Action::Cell(cell) => self.choose_cell(cell),
            Action::Filter(filter) => self.change_look(|look| {
                look.filter = filter;
                look.from = 0;
            }),
            Action::Order(order) => self.change_look(|look| {
                look.order = order;
                look.from = 0;
            }),
            Action::Rows(from) => self.change_look(|look| look.from = from),
            Action::WhyNot(node) => {
                let explained = self.explained.as_ref();
                let position = explained.map(|explained| explained.position);
                let ask = |position| Command::WhyNot { position, node };
                self.open_panel(Panel::Explain);
                position.map(ask).into_iter().collect()
            }
            other => {
                self.adjust(other);
                Vec::new()
            }
        }
    }

    /// The position to tell others after a patch, if they cannot know it.
    pub fn position_to_tell(&mut self) -> Option<usize> {
        let tells = self.running_on;
        self.running_on &= self.running;
        tells.then_some(self.view.position)
    }

    /// A change of the manifests; what was said of the last one no longer matters.
    fn change(&mut self, command: Command) -> Vec<Command> {
        self.leave();
        self.notice = None;
        self.adds = matches!(command, Command::Gesture(_));
        vec![command]
    }

    /// The engine changed the text: the editor shows where.
    fn follow(&mut self, text: &str) {
        self.scheduler.settle();
        if let Some(line) = last_change(&self.text, text) {
            self.aim(line, 0);
        }
        self.set_text(text);
    }

    fn set_text(&mut self, text: &str) {
        self.text = text.into();
        self.text_version += 1;
        self.copies += 1;
        self.list_documents();
    }

    fn list_documents(&mut self) {
        let found = documents(&self.text);
        if self.documents != found {
            self.documents = found;
            self.documents_version += 1;
        }
    }

    fn aim(&mut self, line: u32, column: u32) {
        let count = self.target.map_or(0, |(_, _, count)| count);
        self.target = Some((line, column, count + 1));
    }

    fn leave(&mut self) {
        self.progress = None;
        self.playing = false;
    }

    fn look_at(&mut self, subject: Subject) -> Command {
        self.look.subject = subject;
        self.look.from = 0;
        Command::Look(self.look.clone())
    }

    fn change_look(&mut self, change: impl FnOnce(&mut Look)) -> Vec<Command> {
        change(&mut self.look);
        vec![Command::Look(self.look.clone())]
    }

    /// Moving in time lets go of the chosen Pod: Explain follows the run.
    fn go(&mut self, command: Command) -> Vec<Command> {
        self.progress = None;
        // A look is an attempt told whole, and the command brings one anyway.
        let follows = self.look.subject == Subject::Latest && self.look.from == 0;
        let look = (!follows).then(|| self.look_at(Subject::Latest));
        look.into_iter().chain([command]).collect()
    }

    fn run(&mut self) -> Vec<Command> {
        self.playing = false;
        if self.running {
            return vec![Command::Pause];
        }
        self.go(Command::Run)
    }

    fn step(&mut self, forwards: bool) -> Vec<Command> {
        if let (Some(progress), Some(cycle)) = (self.progress, self.cycle()) {
            let stops = progress::stops(cycle);
            if let Some(stop) = progress::next(&stops, progress.stop, self.step, forwards) {
                self.progress = Some(Progress { stop, ..progress });
                return Vec::new();
            }
            return if forwards {
                self.go(Command::Step)
            } else {
                self.progress = None;
                vec![self.look_at(Subject::Latest)]
            };
        }
        let is_edit = |position: usize| {
            let mark = self.view.timeline.get(position);
            mark.is_some_and(|mark| mark.pod.is_empty())
        };
        let position = self.view.position;
        match (self.step, forwards) {
            (StepSize::Pod, true) => self.go(Command::Step),
            (_, true) if is_edit(position) => self.go(Command::Step),
            (_, true) => {
                if self.view.finished {
                    return Vec::new();
                }
                self.progress = Some(Progress {
                    attempt: position,
                    stop: 0,
                });
                vec![self.look_at(Subject::Attempt(position))]
            }
            (StepSize::Pod, false) => self.go(Command::StepBack),
            (_, false) => {
                let Some(before) = position.checked_sub(1) else {
                    return Vec::new();
                };
                if is_edit(before) {
                    return self.go(Command::StepBack);
                }
                self.progress = Some(Progress {
                    attempt: before,
                    stop: usize::MAX,
                });
                vec![self.look_at(Subject::Attempt(before)), Command::StepBack]
            }
        }
    }

    /// Makes a fix where the attempt was made, and lets the run go on from there.
    fn try_fix(&mut self, number: usize) -> Vec<Command> {
        let (Some(at), Some(fix)) = (self.fixes.position, self.fixes.found.get(number)) else {
            return Vec::new();
        };
        let edit = Command::Edit {
            edits: fix.edits.clone(),
            at: Some(at),
            run: true,
        };
        self.leave();
        self.go(edit)
    }

    /// Whether [`Action::Stop`] leads anywhere: the explained attempt is the last one made, or the
    /// one that is gone through.
    pub fn can_stop(&self) -> bool {
        let Some(explained) = &self.explained else {
            return false;
        };
        match self.progress {
            Some(progress) => progress.attempt == explained.position,
            None => explained.position + 1 == self.view.position,
        }
    }

    fn stop_at(&mut self, stop: usize) -> Vec<Command> {
        let attempt = self.explained.as_ref().map(|explained| explained.position);
        let Some(attempt) = attempt.filter(|_| self.can_stop()) else {
            return Vec::new();
        };
        self.playing = false;
        let was_within = self.progress.is_some();
        self.progress = Some(Progress { attempt, stop });
        if was_within {
            return Vec::new();
        }
        vec![self.look_at(Subject::Attempt(attempt)), Command::StepBack]
    }

    fn choose_cell(&mut self, cell: Cell) -> Vec<Command> {
        self.found = None;
        if self.cell.as_ref() == Some(&cell) {
            self.cell = None;
            return Vec::new();
        }
        let find = self.cycle().and_then(|cycle| find(cycle, &cell));
        self.cell = Some(cell);
        find.into_iter().collect()
    }

    /// The record that Explain shows.
    pub fn cycle(&self) -> Option<&Cycle> {
        let explained = self.explained.as_ref()?;
        explained.result.as_ref().ok()
    }

    /// The Pod that is chosen, if Explain does not follow the run.
    pub fn chosen_pod(&self) -> Option<&str> {
        match &self.look.subject {
            Subject::Pod(pod) => Some(pod),
            Subject::Latest | Subject::Attempt(_) => None,
        }
    }

    /// The step within the attempt that is gone through.
    pub fn stop(&self) -> Option<Stop> {
        let progress = self.progress?;
        let explained = self.explained.as_ref()?;
        if explained.position != progress.attempt {
            return None;
        }
        progress::stops(self.cycle()?).get(progress.stop).cloned()
    }

    /// How much of the cycle is shown.
    pub fn revealed(&self) -> Revealed {
        Revealed { stop: self.stop() }
    }

    /// A value of the grouping key that is still free, to offer: `zone-d` after `zone-c`.
    pub fn next_domain(&self) -> String {
        let key = self.group_by.rsplit('/').next().unwrap_or_default();
        let taken = self.domains();
        let mut names = ('a'..='z').map(|letter| format!("{key}-{letter}"));
        let free = names.find(|name| !taken.contains(name));
        free.unwrap_or_else(|| format!("{key}-{}", taken.len()))
    }

    /// Values of the grouping key: those that nodes have, then those that were added.
    pub fn domains(&self) -> Vec<String> {
        let nodes = self.view.nodes.iter();
        let held: BTreeSet<&String> = nodes
            .filter_map(|node| node.labels.get(&self.group_by))
            .collect();
        let added = self.zones.iter().filter(|zone| !held.contains(zone));
        held.iter().copied().chain(added).cloned().collect()
    }
}

/// Asks where both sides of a cell's verdict stand in the manifests.
fn find(cycle: &Cycle, cell: &Cell) -> Option<Command> {
    let mut reports = cycle.nodes.iter();
    let report = reports.find(|report| report.node == cell.node)?;
    let verdicts = report.verdict.iter().chain(&report.failures);
    let mut of_plugin = verdicts.filter(|verdict| verdict.plugin == cell.plugin);
    let fact = of_plugin.find_map(|verdict| verdict.facts.first())?;
    Some(Command::Find {
        pod: cycle.pod.clone(),
        node: cell.node.clone(),
        pod_path: fact.pod_path.clone(),
        node_path: fact.node_path.clone(),
    })
}

#[cfg(test)]
mod tests;
