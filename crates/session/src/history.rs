//! The log of attempts and edits, and checkpoints to return to.

use std::borrow::Cow;
use std::rc::Rc;

use berth_base::time::Time;
use berth_core::api::manifests::Manifests;
use berth_protocol::frame::{ForkChange, Mark, MarkKind};
use berth_protocol::happening::Happening;
use berth_sim::run::{Attempt, Run};
use berth_sim::snapshot::Snapshot;

use super::mark;
use super::simulated::Simulated;

/// Maximum number of nodes and Pods in all checkpoints together: bounds their memory.
const CHECKPOINT_BUDGET: usize = 400_000;
/// Minimum and maximum number of checkpoints.
const CHECKPOINTS: std::ops::RangeInclusive<usize> = 4..=64;

/// An entry of the log.
#[allow(clippy::large_enum_variant, reason = "most entries are attempts")]
pub enum LogEntry {
    /// An attempt to place a Pod.
    Attempt {
        attempt: Attempt,
        mark: Mark,
        /// Other happenings, in a simulated cluster.
        happened: Vec<Happening>,
    },
    /// Time advanced.
    Moment {
        happened: Vec<Happening>,
        /// A command waited until this time at most; `None`: a step to the next moment with work due.
        until: Option<Time>,
        /// Milliseconds since the beginning.
        at_ms: i64,
    },
    /// The manifests or the cluster were changed; the following entries continue from there.
    Edit {
        manifests: Rc<Manifests>,
        now: Rc<Now>,
        happened: Vec<Happening>,
        /// The next edit follows it instead of replacing it: it did more than change the manifests.
        stays: bool,
        /// The command or gesture, if the manifests do not show it.
        asked: Option<Rc<ForkChange>>,
        /// The change of the manifests, if it is one.
        only: Option<Rc<ForkChange>>,
        /// The user made it, and it continues no waiting command.
        by_hand: bool,
    },
}

/// The present: Pods that are tried in rounds, or a simulated cluster. A copy is a checkpoint.
#[derive(Clone)]
pub enum Now {
    Rounds(Box<Run>),
    Simulated(Box<Simulated>),
}

impl Now {
    /// An empty run.
    pub(super) fn idle() -> Self {
        Self::Rounds(Box::new(Run::idle()))
    }

    /// What the scheduler sees.
    pub fn snapshot(&self) -> &Snapshot {
        match self {
            Self::Rounds(run) => run.snapshot(),
            Self::Simulated(simulated) => simulated.snapshot(),
        }
    }

    /// What the scheduler sees, with the document of every Pod: that of its workload if a controller created it.
    pub fn with_sources(&self, manifests: &Manifests) -> &Snapshot {
        match self {
            Self::Rounds(run) => run.snapshot(),
            Self::Simulated(simulated) => simulated.with_sources(manifests),
        }
    }

    /// Entries of the log made so far.
    fn position(&self) -> usize {
        match self {
            Self::Rounds(run) => run.attempts(),
            Self::Simulated(simulated) => simulated.steps(),
        }
    }

    /// The simulated time, in milliseconds since the start; `None` without a clock.
    pub(super) fn elapsed_ms(&self) -> Option<i64> {
        match self {
            Self::Rounds(_) => None,
            Self::Simulated(simulated) => Some(simulated.cluster().elapsed_ms()),
        }
    }

    pub(super) fn checkpoint(&self) -> Self {
        match self {
            Self::Rounds(run) => Self::Rounds(Box::new(run.checkpoint())),
            Self::Simulated(simulated) => Self::Simulated(simulated.clone()),
        }
    }

    /// Makes one entry; `None` at the end.
    pub(super) fn step(&mut self) -> Option<LogEntry> {
        match self {
            Self::Rounds(run) => {
                let attempt = run.step()?;
                let mark = mark::mark(run.snapshot().cluster(), &attempt);
                let happened = Vec::new();
                Some(LogEntry::Attempt {
                    attempt,
                    mark,
                    happened,
                })
            }
            Self::Simulated(simulated) => {
                let (attempt, happened) = simulated.step()?;
                Some(match attempt {
                    Some(attempt) => LogEntry::attempted(simulated, attempt, happened),
                    None => LogEntry::Moment {
                        happened,
                        until: None,
                        at_ms: simulated.cluster().elapsed_ms(),
                    },
                })
            }
        }
    }

    /// Applies an entry again.
    fn replay(&mut self, entry: &LogEntry) {
        match (self, entry) {
            (Self::Rounds(run), LogEntry::Attempt { attempt, .. }) => run.replay(attempt),
            (now, LogEntry::Edit { now: edited, .. }) => *now = edited.as_ref().clone(),
            (
                Self::Simulated(simulated),
                LogEntry::Moment {
                    until: Some(until), ..
                },
            ) => drop(simulated.pass(*until)),
            (Self::Simulated(simulated), _) => drop(simulated.step()),
            (Self::Rounds(_), LogEntry::Moment { .. }) => {}
        }
    }
}

impl LogEntry {
    /// The attempt that the scheduler of a simulated cluster has just made.
    pub fn attempted(simulated: &Simulated, attempt: Attempt, happened: Vec<Happening>) -> Self {
        Self::Attempt {
            mark: Mark {
                at_ms: Some(simulated.cluster().elapsed_ms()),
                ..mark::mark(simulated.snapshot().cluster(), &attempt)
            },
            attempt,
            happened,
        }
    }

    /// A write of a waiting command that led to this state of the cluster.
    pub fn edited(
        simulated: &Simulated,
        manifests: Rc<Manifests>,
        happened: Vec<Happening>,
    ) -> Self {
        Self::Edit {
            manifests,
            now: Rc::new(Now::Simulated(Box::new(simulated.clone()))),
            happened,
            stays: true,
            asked: None,
            only: None,
            by_hand: false,
        }
    }

    /// Whether the user made it.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::Edit { by_hand: true, .. })
    }

    /// The line of the terminal by which the user made it; that of a drain only with `drains`, unless it was one.
    pub fn line(&self, drains: bool) -> Option<&str> {
        let Self::Edit {
            asked: Some(asked),
            by_hand: true,
            now,
            ..
        } = self
        else {
            return None;
        };
        let is_drain = matches!(**asked, ForkChange::Drained { .. });
        let is_line = drains || !is_drain || matches!(**now, Now::Simulated(_));
        asked.line().filter(|_| is_line)
    }

    /// The attempt, if it is one.
    pub fn attempt(&self) -> Option<&Attempt> {
        match self {
            Self::Attempt { attempt, .. } => Some(attempt),
            Self::Moment { .. } | Self::Edit { .. } => None,
        }
    }

    /// Happenings in a simulated cluster.
    pub fn happened(&self) -> &[Happening] {
        match self {
            Self::Attempt { happened, .. }
            | Self::Moment { happened, .. }
            | Self::Edit { happened, .. } => happened,
        }
    }

    /// The entry's mark in a timeline.
    pub fn mark(&self) -> Mark {
        match self {
            Self::Attempt { mark, .. } => mark.clone(),
            Self::Moment { at_ms, .. } => Mark {
                at_ms: Some(*at_ms),
                ..Mark::plain(MarkKind::Moment)
            },
            Self::Edit {
                happened,
                asked,
                only,
                ..
            } => {
                let change = asked.as_ref().or(only.as_ref());
                Mark {
                    at_ms: happened.last().map(|last| last.at_ms),
                    change: change.map(|change| Box::new((**change).clone())),
                    ..Mark::edited()
                }
            }
        }
    }
}

/// The present after an edit, and what to log of it.
pub struct Change {
    pub now: Now,
    pub manifests: Rc<Manifests>,
    pub happened: Vec<Happening>,
    /// See [`LogEntry::Edit`].
    pub stays: bool,
    /// See [`LogEntry::Edit`].
    pub asked: Option<Rc<ForkChange>>,
    /// See [`LogEntry::Edit`].
    pub only: Option<Rc<ForkChange>>,
    pub by_hand: bool,
}

/// A run with its past.
pub struct History {
    now: Now,
    past: Past,
}

/// A history without its present, which can be recomputed from it: cheap to keep. Copies share their data.
#[derive(Clone)]
pub struct Past {
    /// Number of entries before the present.
    position: usize,
    /// The manifests at the beginning of the run.
    manifests: Rc<Manifests>,
    log: Vec<Rc<LogEntry>>,
    /// Presents by position in the log, ascending, starting with the beginning.
    checkpoints: Vec<(usize, Rc<Now>)>,
    /// Number of entries between checkpoints; doubles when there are too many checkpoints.
    spacing: usize,
    capacity: usize,
}

impl History {
    /// A history that begins with this present, made from these manifests.
    pub fn new(now: Now, manifests: Rc<Manifests>) -> Self {
        let cluster = now.snapshot().cluster();
        let size = cluster.node_order().len() + cluster.pods().iter().count();
        let capacity = CHECKPOINT_BUDGET / size.max(1);
        let past = Past {
            position: 0,
            manifests,
            log: Vec::new(),
            checkpoints: vec![(0, Rc::new(now.checkpoint()))],
            spacing: 16,
            capacity: capacity.clamp(*CHECKPOINTS.start(), *CHECKPOINTS.end()),
        };
        Self { now, past }
    }

    /// Restores the history that `past` was taken from.
    pub fn resume(past: Past) -> Self {
        let now = past.at(past.position).unwrap_or_else(Now::idle);
        Self { now, past }
    }

    /// A copy at a position of the log, with the log cut off there; `None` beyond the log's end.
    pub fn branch(&self, position: usize) -> Option<Self> {
        let now = self.at(position)?.into_owned();
        let all = &self.past;
        let past = Past {
            position,
            manifests: Rc::clone(&all.manifests),
            log: all.log.get(..position)?.to_vec(),
            checkpoints: all
                .checkpoints
                .iter()
                .filter(|(at, _)| *at <= position)
                .cloned()
                .collect(),
            ..*all
        };
        Some(Self { now, past })
    }

    /// All of the run, including what comes after this moment.
    pub fn whole(&self) -> &Past {
        &self.past
    }

    /// The past that is needed to return to this moment.
    pub fn past(&self) -> Past {
        let position = self.position();
        Past {
            position,
            ..self.past.clone()
        }
    }

    /// The run at the current position.
    pub fn now(&self) -> &Snapshot {
        self.now.snapshot()
    }

    /// The same with the document of every Pod.
    pub fn with_sources(&self) -> &Snapshot {
        self.now.with_sources(self.manifests())
    }

    /// The simulated cluster, if there is one.
    pub fn simulated(&self) -> Option<&Simulated> {
        match &self.now {
            Now::Rounds(_) => None,
            Now::Simulated(simulated) => Some(simulated),
        }
    }

    /// Number of entries before this moment.
    pub fn position(&self) -> usize {
        self.now.position()
    }

    /// All entries so far.
    pub fn log(&self) -> &[Rc<LogEntry>] {
        &self.past.log
    }

    /// The manifests at this moment.
    pub fn manifests(&self) -> &Rc<Manifests> {
        self.past.manifests_at(self.position())
    }

    /// The manifests at a position of the log.
    pub fn manifests_at(&self, position: usize) -> &Rc<Manifests> {
        self.past.manifests_at(position)
    }

    /// One entry forward: replayed from the log if recorded, otherwise decided now.
    pub fn step(&mut self) -> bool {
        let position = self.position();
        if let Some(entry) = self.past.log.get(position) {
            self.now.replay(entry);
            return true;
        }
        let Some(entry) = self.now.step() else {
            return false;
        };
        self.past.log.push(Rc::new(entry));
        self.keep_checkpoint();
        true
    }

    /// Appends an entry for a step that `make` performs on the present. Call at the end of the log.
    pub fn play(&mut self, make: impl FnOnce(&mut Simulated) -> Option<LogEntry>) -> bool {
        let Now::Simulated(simulated) = &mut self.now else {
            return false;
        };
        let Some(entry) = make(simulated) else {
            return false;
        };
        self.past.log.push(Rc::new(entry));
        self.keep_checkpoint();
        true
    }

    fn keep_checkpoint(&mut self) {
        let position = self.position();
        let past = &mut self.past;
        let last = past.checkpoints.last().map_or(0, |(position, _)| *position);
        if position - last < past.spacing {
            return;
        }
        past.checkpoints
            .push((position, Rc::new(self.now.checkpoint())));
        if past.checkpoints.len() > past.capacity {
            past.spacing *= 2;
            let spacing = past.spacing;
            past.checkpoints
                .retain(|(position, _)| position % spacing == 0);
        }
    }

    /// Moves to a position of the log, or to its end if the log is shorter; `false` in that case.
    pub fn seek(&mut self, position: usize) -> bool {
        let target = position.min(self.past.log.len());
        // Keep the present, with the scheduler's memory, if the position is the same.
        if target != self.position()
            && let Some(run) = self.past.at(target)
        {
            self.now = run;
        }
        target == position
    }

    /// The present at a position of the log; `None` beyond its end.
    pub fn at(&self, position: usize) -> Option<Cow<'_, Now>> {
        if position == self.position() {
            return Some(Cow::Borrowed(&self.now));
        }
        self.past.at(position).map(Cow::Owned)
    }

    /// Calls a function with each moment from a position to the present one, in order.
    pub fn walk(&self, from: usize, visit: &mut dyn FnMut(usize, &Now)) {
        let position = self.position();
        if from < position
            && let Some(mut now) = self.past.at(from)
        {
            for (at, entry) in (from..).zip(&self.past.log[from..position]) {
                visit(at, &now);
                now.replay(entry);
            }
        }
        visit(position, &self.now);
    }

    /// The position at which an edit at this moment begins: consecutive edits are one.
    pub fn edit_start(&self) -> usize {
        let position = self.position();
        let before = position.checked_sub(1).map(|before| &self.past.log[before]);
        let is_edit = |entry: &Rc<LogEntry>| matches!(**entry, LogEntry::Edit { stays: false, .. });
        let last_is_edit = before.is_some_and(is_edit);
        position - usize::from(last_is_edit)
    }

    /// Replaces the present with a copy in which only data of the terminal changed.
    pub fn replace_terminal(&mut self, simulated: Simulated) {
        self.now = Now::Simulated(Box::new(simulated));
    }

    /// Drops all entries from `position` on, and continues there with a run of changed manifests, or unchanged if there
    /// is none.
    pub fn edit(&mut self, position: usize, change: Option<Change>) {
        self.seek(position);
        self.past.log.truncate(position);
        self.past.checkpoints.retain(|(at, _)| *at <= position);
        if let Some(Change {
            now: changed,
            manifests,
            happened,
            stays,
            asked,
            only,
            by_hand,
        }) = change
        {
            let entry = LogEntry::Edit {
                manifests,
                now: Rc::new(changed.checkpoint()),
                happened,
                stays,
                asked,
                only,
                by_hand,
            };
            self.past.log.push(Rc::new(entry));
            self.now = changed;
        }
    }
}

impl Past {
    /// Number of entries before the moment to return to.
    pub fn position(&self) -> usize {
        self.position
    }

    /// All entries.
    pub fn log(&self) -> &[Rc<LogEntry>] {
        &self.log
    }

    /// The manifests at a position of the log.
    pub fn manifests_at(&self, position: usize) -> &Rc<Manifests> {
        let before = &self.log[..position.min(self.log.len())];
        let edits = before.iter().rev().find_map(|entry| match entry.as_ref() {
            LogEntry::Edit { manifests, .. } => Some(manifests),
            LogEntry::Attempt { .. } | LogEntry::Moment { .. } => None,
        });
        edits.unwrap_or(&self.manifests)
    }

    /// The present after the last edit, or at the beginning.
    pub fn after_last_edit(&self) -> Option<Now> {
        let edited = self
            .log
            .iter()
            .rev()
            .find_map(|entry| match entry.as_ref() {
                LogEntry::Edit { now, .. } => Some(now.as_ref().clone()),
                LogEntry::Attempt { .. } | LogEntry::Moment { .. } => None,
            });
        edited.or_else(|| self.at(0))
    }

    /// The present at a position of the log; `None` beyond its end.
    pub fn at(&self, position: usize) -> Option<Now> {
        let log = self.log.get(..position)?;
        let mut checkpoints = self.checkpoints.iter().rev();
        let (at, checkpoint) = checkpoints.find(|(at, _)| *at <= position)?;
        let mut edits = log.iter().enumerate().rev();
        let edited = edits.find_map(|(edit, entry)| match entry.as_ref() {
            LogEntry::Edit { now, .. } => Some((edit + 1, now)),
            LogEntry::Attempt { .. } | LogEntry::Moment { .. } => None,
        });
        let (start, now) = match edited {
            Some((start, now)) if start > *at => (start, now),
            _ => (*at, checkpoint),
        };
        let mut now = now.as_ref().clone();
        for entry in &log[start..] {
            now.replay(entry);
        }
        Some(now)
    }
}
