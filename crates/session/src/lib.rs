//! The façade: takes sources, moves a run forward and backward, and returns frames and cycles.

pub mod case;
mod cluster_word;
pub mod compare;
mod delivery;
mod drain;
mod edit;
mod expectations;
pub mod export;
mod find;
mod fixes;
mod fork;
mod frame;
pub mod gesture;
mod history;
pub mod kubelets;
pub mod lesson;
mod locks;
mod mark;
mod meant;
pub mod pairing;
mod preview;
pub mod reduce;
pub mod replay;
mod scheduler;
pub mod simulated;
mod sources;
mod state;
pub mod terminal;
mod trial;
mod unbound;
mod undo;
mod variant;
pub mod what_if;
mod why_not;
mod workload;

use std::rc::Rc;

use berth_core::api::decode::Finding;
use berth_core::api::load::{Document, Loaded};
use berth_core::api::manifests::Manifests;
use berth_core::api::object::Manifest;
use berth_core::api::yaml::Target;
use berth_kubectl::rest::LineStart;
use berth_protocol::cycle::{Code, Cycle};
use berth_protocol::defaults::{Defaults, Edition};
use berth_protocol::frame::{Frame, Mark};
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_scheduler::framework::profile::ProfileError;
use berth_sim::run::{Attempt, Run};
use berth_sim::snapshot::Snapshot;
use history::History;
use simulated::line::TerminalFiles;
use simulated::wait::{Resting, Wait};
use state::State;
use undo::Undo;

pub use edit::Performed;
pub use fixes::{FixSearch, GroupSearch};
pub use history::LogEntry;

pub use berth_base::suggest::closest;
pub use berth_core::api::compact::{LeaveOut, compact, strip_status};
pub use berth_core::api::kinds::{KindInfo, deciding_kinds, device_dump_command, dump_command};
pub use berth_core::api::load::is_blank;
pub use berth_core::api::problem::Printable;
pub use berth_core::api::redact::{Redacted, redact, redact_object};
pub use berth_core::api::source::SourceFile;
pub use berth_scheduler::release::{Choice, Version, parse_flag};

/// Options of a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// The release to follow, if not the Scenario's or the default.
    pub release: Choice,
    /// Ties go to the alphabetically first node instead of a random one.
    pub first_on_ties: bool,
    /// Decides ties unless `first_on_ties` is set.
    pub seed: u64,
    /// Workloads get the Pods that their controllers would create.
    pub expand_workloads: bool,
    /// Simulate the cluster: controllers and kubelets work, and time passes. Otherwise Pods are scheduled in
    /// rounds.
    pub live: bool,
    /// The version of Berth whose rules for names hold.
    pub edition: Edition,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            release: Choice::default(),
            first_on_ties: false,
            seed: 1,
            expand_workloads: true,
            live: false,
            edition: Edition::default(),
        }
    }
}

/// How the clock goes on after a line of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// It stands when the line's commands have ended, as in version 0.1: what follows are steps of their own. What that
    /// version recorded is replayed by it.
    V0_1,
    /// It goes on until the cluster is at rest ([`berth_kubectl::rest`]).
    #[default]
    Current,
}

/// Sources, the run made from them, and a position in its log.
pub struct Session {
    state: State,
    history: History,
    undo: Undo,
    /// A run that starts again is advanced by [`Session::catch_up`].
    defers_catch_up: bool,
    /// A change at the end of the run makes a fork, too.
    forks_at_end: bool,
    /// Files for the terminal's commands, besides the manifests.
    terminal_files: TerminalFiles,
    /// The waiting line of the terminal.
    wait: Option<Wait>,
    /// The time that goes on after a line of the terminal.
    rest: Option<Resting>,
    /// The line of the terminal that began last.
    line: Option<LineStart>,
    clock: Clock,
    /// How often lines of the terminal changed the cluster.
    change_count: u64,
    /// The defaults of the scenario that is opened next; `None`: those of the one before.
    next_defaults: Option<Defaults>,
}

/// Where a restarted run has to catch up to.
#[derive(Clone, Copy)]
struct Due {
    position: usize,
    /// Where the cluster is to be simulated from; `None`: the run is in its mode.
    live_from: Option<usize>,
}

impl Session {
    /// An empty session.
    pub fn new(options: Options) -> Self {
        let manifests = Manifests::default();
        let now = sources::start(&manifests, &options);
        let now = now.unwrap_or_else(|_| history::Now::Rounds(Box::new(Run::idle())));
        let state = State {
            options,
            ..State::default()
        };
        Self::of(state, History::new(now, Rc::new(manifests)))
    }

    /// A session with this run, and nothing else.
    fn of(state: State, history: History) -> Self {
        Self {
            state,
            history,
            undo: Undo::default(),
            defers_catch_up: false,
            forks_at_end: false,
            terminal_files: TerminalFiles::default(),
            wait: None,
            rest: None,
            line: None,
            clock: Clock::default(),
            change_count: 0,
            next_defaults: None,
        }
    }

    /// Makes a change that may start the run again, without advancing it to its old position: call
    /// [`Session::catch_up`] for that.
    pub fn deferring_catch_up<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.defers_catch_up, true);
        let made = change(self);
        self.defers_catch_up = before;
        made
    }

    /// Makes a change under this rule for the clock.
    pub fn by_clock<T>(&mut self, clock: Clock, change: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.clock, clock);
        let made = change(self);
        self.clock = before;
        made
    }

    /// Whether a run that started again has not reached its old position yet.
    pub fn is_due(&self) -> bool {
        self.state.due.is_some()
    }

    /// The position that a run that started again has yet to reach.
    pub fn due_position(&self) -> Option<usize> {
        self.state.due.map(|due| due.position)
    }

    /// Makes up to `limit` attempts toward the old position of a run that started again.
    pub fn catch_up(&mut self, limit: usize) {
        let Some(mut due) = self.state.due else {
            return;
        };
        let mut limit = limit;
        if let Some(from) = due.live_from {
            let wanted = (from - from.min(self.position())).min(limit);
            let made = self.advance(wanted);
            if made == wanted && self.position() < from {
                return;
            }
            limit -= made;
            self.start_cluster();
            due.live_from = None;
            self.state.due = Some(due);
        }
        let way = due.position - due.position.min(self.position());
        let wanted = way.min(limit);
        if self.advance(wanted) < wanted || wanted == way {
            self.state.due = None;
        }
    }

    /// Cancels the rest of the catch-up: the run stays at its present position.
    pub fn cancel_catch_up(&mut self) {
        self.state.due = None;
    }

    /// The problems of the last sources.
    pub fn problems(&self) -> &[Problem] {
        &self.state.problems
    }

    /// Whether the last sources have an error (not only warnings).
    pub fn has_errors(&self) -> bool {
        self.state.problems.iter().any(Problem::is_error)
    }

    /// The run at the current position.
    pub fn run(&self) -> &Snapshot {
        self.history.now()
    }

    /// The manifests of the run at this moment: those of the last accepted sources before it.
    pub fn manifests(&self) -> &Manifests {
        self.history.manifests()
    }

    /// The session's options.
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// Number of entries of the log before this moment: attempts, moments and edits.
    pub fn position(&self) -> usize {
        self.history.position()
    }

    /// The mark of the last entry before this moment.
    pub fn last_mark(&self) -> Option<Mark> {
        let entry = self.log().get(self.position().checked_sub(1)?)?;
        Some(entry.mark())
    }

    /// The log: all entries so far, including those after this moment.
    pub fn log(&self) -> &[Rc<LogEntry>] {
        self.history.log()
    }

    /// The attempt at a position of the log; `None` if there is no entry, or it is no attempt.
    pub fn attempt(&self, position: usize) -> Option<&Attempt> {
        self.log().get(position)?.attempt()
    }

    /// All attempts of the log with their positions.
    pub fn attempts(&self) -> impl DoubleEndedIterator<Item = (usize, &Attempt)> {
        self.log()
            .iter()
            .enumerate()
            .filter_map(|(position, entry)| Some((position, entry.attempt()?)))
    }

    /// One entry forward. `false` at the end of the run.
    pub fn step(&mut self) -> bool {
        self.history.step()
    }

    /// Skips edits, makes one attempt and explains it; `None` at the end of the run.
    ///
    /// # Errors
    /// If the record disagrees with what was decided (a defect of Berth).
    pub fn step_explained(&mut self) -> Result<Option<Cycle>, Remark> {
        while matches!(self.log().get(self.position()), Some(entry) if entry.attempt().is_none()) {
            self.step();
        }
        while self.is_simulated() && self.run().next_pod().is_none() && self.step() {}
        let position = self.position();
        if self.run().next_pod().is_none() {
            return Ok(None);
        }
        let cycle = self.explain(position)?;
        self.step();
        // The record was made before the decision: compare them.
        match self.attempt(position) {
            Some(attempt) if attempt.agrees_with(&cycle) => Ok(Some(cycle)),
            _ => Err(Remark::disagrees(position, &cycle.pod)),
        }
    }

    /// One entry backward. `false` at the beginning.
    pub fn step_back(&mut self) -> bool {
        let position = self.position();
        position > 0 && self.seek(position - 1)
    }

    /// Up to `limit` entries forward; returns their number. Fewer than `limit` means that the run is at its end.
    pub fn advance(&mut self, limit: usize) -> usize {
        (0..limit).take_while(|_| self.history.step()).count()
    }

    /// Moves to the end of the run.
    pub fn run_to_end(&mut self) {
        while self.history.step() {}
    }

    /// Moves to the beginning.
    pub fn reset(&mut self) {
        self.history.seek(0);
    }

    /// Moves to a position of the log, or to its end if the log is shorter; `false` in that case.
    pub fn seek(&mut self, position: usize) -> bool {
        self.history.seek(position)
    }

    /// The data that a view shows of this moment.
    pub fn frame(&self) -> Frame {
        frame::build(self)
    }

    /// A stable hash of the state at this moment, in hexadecimal.
    pub fn digest(&self) -> String {
        let digest = match self.simulated_cluster() {
            Some(cluster) => cluster.digest(),
            None => self.run().cluster().digest(),
        };
        format!("{digest:016x}")
    }

    /// Explains the attempt at a position of the log in full. At the end of the log, it explains the next attempt
    /// before it is made.
    ///
    /// # Errors
    /// If there is no such attempt, or the record disagrees with the log (a defect of Berth).
    pub fn explain(&self, position: usize) -> Result<Cycle, Remark> {
        self.explain_at(position, None)
    }

    /// The same, with the facts of the plugins whose filters this node passes.
    ///
    /// # Errors
    /// As [`Session::explain`].
    pub fn explain_node(&self, position: usize, node: &str) -> Result<Cycle, Remark> {
        self.explain_at(position, Some(node))
    }

    fn explain_at(&self, position: usize, detailed: Option<&str>) -> Result<Cycle, Remark> {
        if matches!(self.log().get(position), Some(entry) if entry.attempt().is_none()) {
            return Err(Remark::not_an_attempt(position));
        }
        let then = self.history.at(position);
        let cycle = then.and_then(|then| explained_next(then.snapshot(), detailed));
        let cycle = cycle.ok_or_else(|| Remark::no_attempt(position))?;
        match self.attempt(position) {
            Some(attempt) if !attempt.agrees_with(&cycle) => {
                Err(Remark::disagrees(position, &attempt.key))
            }
            _ => Ok(cycle),
        }
    }

    /// The position of a Pod's last attempt before this moment, or else of its first after it.
    pub fn attempt_of(&self, pod: &str) -> Option<usize> {
        let now = self.position();
        let of_pod = |(_, attempt): &(usize, &Attempt)| attempt.key == pod;
        let mut all = self.attempts().filter(of_pod).map(|(position, _)| position);
        let mut in_past = self.attempts().rev().filter(of_pod);
        let in_past = in_past.find(|(position, _)| *position < now);
        in_past
            .map(|(position, _)| position)
            .or_else(|| all.find(|position| *position >= now))
    }
}

/// The next attempt in full, with the nodes that the Pod was meant for, and the claim that keeps it from all.
fn explained_next(snapshot: &Snapshot, detailed: Option<&str>) -> Option<Cycle> {
    let mut cycle = snapshot.explain_next_at(detailed)?;
    cycle.meant = meant::of(&cycle, snapshot.cluster()).map(Box::new);
    if cycle.pre_filter.code != Code::Success {
        cycle.claims = unbound::of(snapshot.next_pod()?, snapshot.cluster()).map(Box::new);
    }
    Some(cycle)
}

/// Why kube-scheduler would not start, located at the field in question; at the beginning of `file` if there is no
/// configuration document.
fn configuration_problem(loaded: &Loaded, file: &str, error: ProfileError) -> Problem {
    let ProfileError { path, message } = error;
    let is_configuration = |document: &&Document| {
        matches!(
            document.object.as_deref(),
            Some(Manifest::SchedulerConfiguration(_))
        )
    };
    let help = Remark::would_not_start();
    match loaded.documents.iter().find(is_configuration) {
        Some(document) => {
            let finding = Finding {
                target: Target::Key,
                ..Finding::error(path, message).help(help)
            };
            loaded.problem(&document.source, finding)
        }
        None => Problem {
            severity: Severity::Error,
            file: file.to_owned(),
            line: 1,
            column: 1,
            path,
            message: message.into(),
            help,
            is_missing: false,
            unlisted: 0,
        },
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
