//! The state of Explain: the explained attempt and how it is shown.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::scene::moment::{Moment, Shown};
use crate::ui::store::progress::{Revealed, Stop};
use crate::ui::store::{Effect, Panel, Progress, Store, progress};
use berth_protocol::command::{Command, MatrixQuery, Order, Query, Subject, Travel};
use berth_protocol::cycle::Cycle;
use berth_protocol::fix::Fix;
use berth_protocol::frame::ForkChange;
use berth_protocol::page::{Explained, Numbers};
use berth_protocol::why_not::WhyNot;

/// The plugin that looks for devices.
const DYNAMIC_RESOURCES: &str = "DynamicResources";

/// The chosen cell of the matrix or of the scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub node: String,
    pub plugin: String,
    pub table: Table,
}

impl Cell {
    fn is_of(&self, numbers: &Numbers) -> bool {
        let is_score = self.table == Table::Scores;
        numbers.on == self.node && numbers.plugin == self.plugin && numbers.scored == is_score
    }
}

/// The table that has a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Filter,
    /// The matrix of devices, which shows the cell itself.
    Devices,
    Scores,
}

/// Fixes for an attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fixes {
    /// Position of the attempt; `None` before any search.
    pub position: Option<usize>,
    pub found: Rc<Vec<Fix>>,
    pub search: Search,
}

/// How far a search for fixes has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    #[default]
    Running,
    Complete,
    /// Not all candidates were tried.
    Stopped,
    /// The lazy module, which has the search, could not be fetched. The next explanation tries again.
    Unavailable,
}

/// An action on the explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplainAction {
    /// Chooses a Pod, or deselects it if it is chosen.
    Pod(String),
    /// Chooses a Pod; idempotent.
    Find(String),
    /// Explains the attempt at this position of the log.
    Attempt(usize),
    /// Goes to this step within the explained attempt, if [`Store::can_stop`].
    Stop(usize),
    /// Chooses a cell, or deselects it if it is chosen.
    Cell(Cell),
    /// Chooses a cell of the matrix of devices in the rows of this node, or deselects it.
    Device(Option<String>),
    Filter(String),
    Order(Order),
    /// Shows the matrix from this row on.
    Rows(usize),
    /// Highlights the nodes at these positions, in document order, or removes the highlight if they have it.
    Light(Vec<u32>),
    /// Asks why the explained attempt did not select this node.
    WhyNot(String),
    /// Shows the tab of the fork, or that of Explain.
    ShowFork(bool),
    /// The search for fixes of the attempt at this position could not be fetched.
    FixesUnavailable(usize),
    /// What finds the numbers of a cell could not be fetched.
    NumbersUnavailable,
}

impl ExplainAction {
    /// See [`crate::ui::store::Manner`].
    pub fn ends_typing(&self) -> bool {
        // Not the user's doing.
        !matches!(self, Self::FixesUnavailable(_) | Self::NumbersUnavailable)
    }
}

/// The numbers of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Numbers(Rc<Numbers>),
    /// What finds them could not be fetched.
    Unavailable,
}

impl Found {
    pub fn numbers(&self) -> Option<&Numbers> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            Self::Unavailable => None,
        }
    }
}

/// The state of Explain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explain {
    pub explained: Option<Rc<Explained>>,
    pub query: MatrixQuery,
    pub cell: Option<Cell>,
    /// The cell to choose when the next explanation arrives: an opened link shows it.
    pub(in crate::ui) awaited_cell: Option<Cell>,
    /// The numbers of the chosen cell, once the engine has answered.
    pub numbers: Option<Found>,
    /// The Pods that those numbers count.
    pub counted: BTreeSet<String>,
    /// The tab of the fork is chosen; without a fork there are no tabs.
    pub shows_fork: bool,
    /// Nodes highlighted by a clause of the message.
    pub lit: BTreeSet<String>,
    /// Fixes that would let the explained Pod schedule.
    pub fixes: Fixes,
    /// The attempt for which the engine was asked for fixes, while its answer is valid.
    sought: Option<usize>,
    /// Why the explained attempt did not select the node that was asked about.
    pub why_not: Option<(String, Rc<WhyNot>)>,
    /// The log may have changed since that answer.
    stale: bool,
}

impl Explain {
    /// Position of the explained attempt.
    pub(in crate::ui) fn position(&self) -> Option<usize> {
        self.explained.as_ref().map(|explained| explained.position)
    }

    /// Marks answers about attempts as stale because the log may change.
    pub(in crate::ui) fn outdate(&mut self) {
        self.stale = true;
        self.sought = None;
    }

    pub(in crate::ui) fn deselect(&mut self) {
        self.cell = None;
        self.forget_numbers();
        self.lit.clear();
    }

    fn ask_why_not(&mut self, position: usize, node: String) -> Effect {
        self.stale = false;
        Effect::Send(Command::Ask(Query::WhyNot { position, node }))
    }

    fn search_fixes(&mut self, position: usize) -> Effect {
        self.sought = Some(position);
        Effect::SearchFixes { position }
    }

    /// Takes an explanation; `is_read`: the page is idle, so fixes are worth searching.
    fn receive(&mut self, explained: Explained, is_read: bool) -> Vec<Effect> {
        let position = explained.position;
        if self.position() != Some(position) {
            self.deselect();
            self.why_not = None;
        }
        // After a change of the log the answer may be stale, so it is requested again. If only the rows changed, it is
        // still valid, and another request would repeat the work.
        let asked = self
            .why_not
            .as_ref()
            .filter(|_| self.stale)
            .map(|(node, _)| node.clone());
        let waits = |cycle: &Cycle| cycle.selected.is_none() && !cycle.error;
        let wants_fixes = explained.result.as_ref().is_ok_and(waits);
        self.explained = Some(Rc::new(explained));
        let has_fixes = wants_fixes && self.sought == Some(position);
        if !has_fixes {
            self.fixes = Fixes::default();
            self.sought = None;
        }
        let is_done = has_fixes && self.fixes.search == Search::Complete;
        let mut effects = Vec::new();
        if wants_fixes && !is_done && is_read {
            effects.push(self.search_fixes(position));
        }
        effects.extend(asked.map(|node| self.ask_why_not(position, node)));
        effects
    }

    /// Takes fixes for an attempt; `done`: the search is complete. A search that was stopped stays so.
    pub(in crate::ui) fn receive_fixes(&mut self, position: usize, fixes: Vec<Fix>, done: bool) {
        let before = &self.fixes;
        let is_stopped = before.position == Some(position) && before.search == Search::Stopped;
        self.fixes = Fixes {
            position: Some(position),
            found: Rc::new(fixes),
            search: match done {
                true => Search::Complete,
                false if is_stopped => Search::Stopped,
                false => Search::Running,
            },
        };
    }

    /// Takes the numbers of the chosen cell; those of another one came too late.
    #[inline(never)]
    pub(in crate::ui) fn receive_numbers(&mut self, numbers: Numbers) {
        if !self.cell.as_ref().is_some_and(|cell| cell.is_of(&numbers)) {
            return;
        }
        self.counted = numbers.counted().into_iter().map(str::to_owned).collect();
        self.numbers = Some(Found::Numbers(Rc::new(numbers)));
    }

    fn forget_numbers(&mut self) {
        self.numbers = None;
        self.counted.clear();
    }

    pub(in crate::ui) fn receive_why_not(&mut self, position: usize, node: String, why: WhyNot) {
        let is_current = self.position() == Some(position);
        self.why_not = is_current.then(|| (node, Rc::new(why)));
    }
}

impl Store {
    pub(in crate::ui) fn explain(&mut self, action: ExplainAction) -> Vec<Effect> {
        match action {
            ExplainAction::Pod(key) => {
                if self.lesson.frame.is_some() {
                    self.predict_victim(&key);
                }
                let subject = Subject::Pod(key);
                let is_chosen = self.explain.query.subject == subject;
                self.choose(if is_chosen { Subject::Latest } else { subject })
            }
            ExplainAction::Find(key) => self.choose(Subject::Pod(key)),
            ExplainAction::Attempt(position) => self.choose(Subject::Attempt(position)),
            ExplainAction::Stop(stop) => self.stop_at(stop),
            ExplainAction::Cell(cell) => self.choose_cell(cell),
            ExplainAction::Device(node) => self.choose_device(node),
            ExplainAction::Filter(filter) => self.change_query(|query| {
                query.filter = filter;
                query.from = 0;
            }),
            ExplainAction::Order(order) => self.change_query(|query| {
                query.order = order;
                query.from = 0;
            }),
            ExplainAction::Rows(from) => self.change_query(|query| query.from = from),
            ExplainAction::Light(nodes) => {
                self.light(&nodes);
                let shows = !self.explain.lit.is_empty();
                shows.then_some(Effect::ShowLit).into_iter().collect()
            }
            ExplainAction::ShowFork(shown) => {
                self.explain.shows_fork = shown;
                Vec::new()
            }
            ExplainAction::WhyNot(node) => {
                self.explain.shows_fork = false;
                self.open_panel(Panel::Explain);
                let position = self.explain.position();
                position
                    .map(|position| self.explain.ask_why_not(position, node))
                    .into_iter()
                    .collect()
            }
            ExplainAction::FixesUnavailable(position) => {
                self.explain.fixes = Fixes {
                    position: Some(position),
                    found: Rc::default(),
                    search: Search::Unavailable,
                };
                Vec::new()
            }
            ExplainAction::NumbersUnavailable => {
                let is_awaited = self.explain.cell.is_some() && self.explain.numbers.is_none();
                if is_awaited {
                    self.explain.numbers = Some(Found::Unavailable);
                }
                Vec::new()
            }
        }
    }

    fn choose(&mut self, subject: Subject) -> Vec<Effect> {
        self.time.progress = None;
        self.board.open = false;
        self.explain.shows_fork = false;
        let mut effects = self.close_case();
        effects.push(self.ask_about(subject));
        effects.extend(self.ask_next());
        effects
    }

    pub(in crate::ui) fn ask_about(&mut self, subject: Subject) -> Effect {
        let query = &mut self.explain.query;
        query.subject = subject;
        query.from = 0;
        Effect::Send(Command::Ask(Query::Matrix(query.clone())))
    }

    fn change_query(&mut self, change: impl FnOnce(&mut MatrixQuery)) -> Vec<Effect> {
        change(&mut self.explain.query);
        let query = self.explain.query.clone();
        vec![Effect::Send(Command::Ask(Query::Matrix(query)))]
    }

    fn light(&mut self, positions: &[u32]) {
        let nodes: BTreeSet<String> = positions
            .iter()
            .filter_map(|position| self.view.name_at(*position))
            .map(str::to_owned)
            .collect();
        let lit = &mut self.explain.lit;
        *lit = if *lit == nodes {
            BTreeSet::new()
        } else {
            nodes
        };
    }

    /// Whether [`ExplainAction::Stop`] has an effect: the explained attempt is the last one made, or the one being
    /// stepped through.
    pub fn can_stop(&self) -> bool {
        let Some(position) = self.explain.position() else {
            return false;
        };
        match self.time.progress {
            Some(progress) => progress.attempt == position,
            None => position + 1 == self.view.head.position,
        }
    }

    fn stop_at(&mut self, stop: usize) -> Vec<Effect> {
        let Some(attempt) = self.explain.position().filter(|_| self.can_stop()) else {
            return Vec::new();
        };
        self.time.playback.stop();
        let was_within = self.time.progress.is_some();
        self.time.progress = Some(Progress { attempt, stop });
        if was_within {
            return Vec::new();
        }
        vec![
            self.ask_about(Subject::Attempt(attempt)),
            Effect::Send(Command::Travel(Travel::StepBack)),
        ]
    }

    fn choose_cell(&mut self, cell: Cell) -> Vec<Effect> {
        self.explain.forget_numbers();
        if self.explain.cell.as_ref() == Some(&cell) {
            self.explain.cell = None;
            return vec![Effect::ShowArithmetic];
        }
        let find = self.find(cell);
        find.into_iter().chain([Effect::ShowArithmetic]).collect()
    }

    #[inline(never)]
    fn choose_device(&mut self, node: Option<String>) -> Vec<Effect> {
        self.explain.forget_numbers();
        self.explain.cell = None;
        let cell = node.map(|node| Cell {
            node,
            plugin: DYNAMIC_RESOURCES.to_owned(),
            table: Table::Devices,
        });
        cell.and_then(|cell| self.find(cell)).into_iter().collect()
    }

    /// Chooses a cell, and asks for its numbers.
    fn find(&mut self, cell: Cell) -> Option<Effect> {
        let numbers = self.explain.position().map(|position| Query::Numbers {
            position,
            node: cell.node.clone(),
            plugin: cell.plugin.clone(),
            scored: cell.table == Table::Scores,
        });
        self.explain.cell = Some(cell);
        numbers.map(Effect::FindNumbers)
    }

    /// Takes an explanation from the engine.
    pub(in crate::ui) fn receive_explained(&mut self, explained: Explained) -> Vec<Effect> {
        let at = |progress: &mut Progress| progress.attempt == explained.position;
        if explained.result.is_err() && self.time.progress.take_if(at).is_some() {
            // The next step makes no attempt but is another event.
            return vec![
                self.ask_about(Subject::Latest),
                Effect::Send(Command::Travel(Travel::Step)),
            ];
        }
        if let (Some(progress), Ok(cycle)) = (&mut self.time.progress, &explained.result) {
            let stops = progress::stops(cycle);
            progress.stop = if progress.stop == usize::MAX {
                stops.len().saturating_sub(1)
            } else if progress.stop == 0 {
                progress::first(&stops, self.time.step)
            } else {
                progress.stop.min(stops.len().saturating_sub(1))
            };
        }
        let time = &self.time;
        let is_read = time.progress.is_none() && !time.is_playing() && !time.is_running();
        let mut effects = self.explain.receive(explained, is_read);
        let cycle = self.explain.explained.as_ref();
        let cycle = cycle.and_then(|explained| explained.result.as_ref().ok());
        if let Some(pod) = cycle.and_then(|cycle| self.view.pod(&cycle.pod)) {
            self.editor.open_at(pod);
        }
        if let Some(cell) = self.explain.awaited_cell.take() {
            effects.extend(self.choose_cell(cell));
        }
        effects
    }

    /// The record of the explained attempt.
    pub fn cycle(&self) -> Option<&Cycle> {
        let explained = self.explain.explained.as_ref()?;
        explained.result.as_ref().ok()
    }

    /// Whether the right panel shows the fork.
    pub fn shows_fork(&self) -> bool {
        self.explain.shows_fork && self.view.head.fork.is_some()
    }

    /// After a patch: a fork that is new, or was changed again, is shown, and the first node that it changes. `before`:
    /// the changes of the fork before.
    pub(in crate::ui) fn show_new_fork(
        &mut self,
        before: Option<Vec<ForkChange>>,
    ) -> Option<Effect> {
        let fork = self.view.head.fork.as_ref();
        let fork = fork.filter(|fork| before.is_none_or(|before| before != fork.changes))?;
        self.explain.shows_fork = true;
        let node = fork.changes.iter().find_map(ForkChange::node)?;
        Some(Effect::ShowNode(node.to_owned()))
    }

    /// The chosen Pod; `None` if Explain follows the run.
    pub fn chosen_pod(&self) -> Option<&str> {
        match &self.explain.query.subject {
            Subject::Pod(pod) => Some(pod),
            Subject::Latest | Subject::Attempt(_) => None,
        }
    }

    /// What the stage shows.
    pub fn moment(&self) -> Moment<'_> {
        // After a run, the cluster is the news, not the verdicts about the last Pod.
        let is_over = self.time.ran && self.view.head.finished;
        let follows = self.explain.query.subject == Subject::Latest;
        let explained = self.explain.explained.as_deref();
        let shown = Shown {
            explained: explained.filter(|_| !(is_over && follows)),
            revealed: self.revealed(),
            is_stepping: self.time.progress.is_some(),
            chosen: self.chosen_pod(),
            placed: self.placed_pod(),
            group_by: &self.stage.group_by,
        };
        Moment::new(&self.view, shown)
    }

    /// The current step within the attempt being stepped through.
    pub fn stop(&self) -> Option<Stop> {
        let progress = self.time.progress?;
        if self.explain.position()? != progress.attempt {
            return None;
        }
        progress::stops(self.cycle()?).get(progress.stop).cloned()
    }

    /// How much of the cycle is shown.
    pub fn revealed(&self) -> Revealed {
        Revealed { stop: self.stop() }
    }
}
