//! Sources, the run made from them, and a position in its log.

use std::rc::Rc;

use berth_core::api::manifests::Manifests;
use berth_core::api::source::SourceFile;
use berth_kubectl::rest::LineStart;
use berth_protocol::defaults::{Defaults, Edition};
use berth_protocol::frame::Mark;
use berth_protocol::problem::Problem;
use berth_scheduler::release::Choice;
use berth_sim::run::{Attempt, Run};
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::snapshot::Snapshot;

use super::history::{self, History, LogEntry};
use super::simulated::line::TerminalFiles;
use super::simulated::wait::{Resting, Wait};
use super::simulated::{self, Simulated};
use super::state::State;
use super::undo::Undo;
use super::{sources, undo};

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
    pub(crate) state: State,
    pub(crate) history: History,
    pub(crate) undo: Undo,
    /// A run that starts again is advanced by [`Session::catch_up`].
    pub(crate) defers_catch_up: bool,
    /// A change at the end of the run makes a fork, too.
    pub(crate) forks_at_end: bool,
    /// Files for the terminal's commands, besides the manifests.
    pub(crate) terminal_files: TerminalFiles,
    /// The waiting line of the terminal.
    pub(crate) wait: Option<Wait>,
    /// The time that goes on after a line of the terminal.
    pub(crate) rest: Option<Resting>,
    /// The line of the terminal that began last.
    pub(crate) line: Option<LineStart>,
    pub(crate) clock: Clock,
    /// How often lines of the terminal changed the cluster.
    pub(crate) change_count: u64,
    /// The defaults of the scenario that is opened next; `None`: those of the one before.
    pub(crate) next_defaults: Option<Defaults>,
}

/// Where a restarted run has to catch up to.
#[derive(Clone, Copy)]
pub(crate) struct Due {
    pub position: usize,
    /// Where the cluster is to be simulated from; `None`: the run is in its mode.
    pub live_from: Option<usize>,
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
    pub(crate) fn of(state: State, history: History) -> Self {
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
            simulated::mode::start_cluster(self);
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

    /// A stable hash of the state at this moment, in hexadecimal.
    pub fn digest(&self) -> String {
        let digest = match self.simulated_cluster() {
            Some(cluster) => cluster.digest(),
            None => self.run().cluster().digest(),
        };
        format!("{digest:016x}")
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

    /// Whether the cluster is simulated at this moment.
    pub fn is_simulated(&self) -> bool {
        self.history.simulated().is_some()
    }

    /// The simulated cluster; `None` if Pods are only scheduled.
    pub fn simulated_cluster(&self) -> Option<&SimulatedCluster> {
        self.history.simulated().map(Simulated::cluster)
    }

    /// The time of the attempt at this position, made or next, in milliseconds since the cluster began; `None` if
    /// Pods are only scheduled.
    pub fn time_of(&self, position: usize) -> Option<i64> {
        match self.log().get(position).map(Rc::as_ref) {
            Some(LogEntry::Attempt { mark, .. }) => mark.at_ms,
            _ => Some(self.simulated_cluster()?.elapsed_ms()),
        }
    }

    /// Changes whenever the log changes, and with every step of a waiting command.
    pub fn change_count(&self) -> u64 {
        self.change_count
    }

    /// A copy at a position of the log, with the log cut off there.
    pub(crate) fn branch(&self, position: usize) -> Option<Self> {
        let history = self.history.branch(position)?;
        let state = State {
            fork: None,
            due: None,
            pending_sources: None,
            ..self.state.clone()
        };
        Some(Self {
            terminal_files: self.terminal_files.clone(),
            // What follows is watched step by step.
            clock: Clock::V0_1,
            ..Self::of(state, history)
        })
    }

    /// Applies new sources, and moves to the beginning of their run. Documents that cannot be read are left out and
    /// reported. If none can be read, or kube-scheduler would not start with the configuration, the session stays
    /// unchanged. The first sources of a session cannot be undone.
    ///
    /// Returns whether the sources were accepted. The problems are in [`Session::problems`].
    pub fn apply(&mut self, files: &[SourceFile]) -> bool {
        sources::apply(self, files)
    }

    /// Like [`Session::apply`], but in the mode that their Scenario names, whatever the session was in before.
    pub fn open(&mut self, files: &[SourceFile]) -> bool {
        sources::open(self, files)
    }

    /// Applies edited sources from this moment on: bound Pods keep their nodes, and waiting Pods are tried again. An
    /// edit of the past keeps the entries after it as the first run ([`super::fork`]). A changed scheduler
    /// configuration runs everything again. Sources that share few objects with the old ones are another scenario, and
    /// start at the beginning. An edit that adds errors is rejected: the last good state stays.
    ///
    /// `goes_on`: continues the edit of the last call (more typing), and is undone together with it.
    ///
    /// Returns whether the sources were accepted, as [`Session::apply`] does.
    pub fn edit(&mut self, files: &[SourceFile], goes_on: bool) -> bool {
        sources::edit(self, files, goes_on)
    }

    /// The sources at this moment; the last given sources if these were not accepted.
    pub fn sources(&self) -> &[SourceFile] {
        match &self.state.pending_sources {
            Some(files) => files,
            None => &self.manifests().loaded.files,
        }
    }

    /// Whether the last given sources were accepted.
    pub fn sources_accepted(&self) -> bool {
        self.state.pending_sources.is_none()
    }

    /// Undoes the last change of the sources, regardless of the current position. `false`: there is none.
    pub fn undo(&mut self) -> bool {
        undo::undo(self)
    }

    /// Redoes the change that was undone last. `false`: there is none.
    pub fn redo(&mut self) -> bool {
        undo::redo(self)
    }

    /// The number of changes that can be undone, and that can be redone.
    pub fn undo_depth(&self) -> (usize, usize) {
        self.undo.depth()
    }
}
