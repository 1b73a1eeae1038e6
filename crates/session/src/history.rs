//! A log of attempts and edits, and checkpoints to come back to.

use std::borrow::Cow;
use std::rc::Rc;

use berth_core::api::manifests::Manifests;
use berth_core::base::time::Time;
use berth_protocol::frame::{Mark, MarkKind};
use berth_protocol::happening::Happening;
use berth_sim::run::{Attempt, Run};
use berth_sim::snapshot::Snapshot;
use berth_sim::store::Key;

use super::live::Live;
use super::mark;

/// Nodes and Pods in all checkpoints together: bounds their memory.
const CHECKPOINT_BUDGET: usize = 400_000;
/// Never fewer checkpoints than this, never more than that.
const CHECKPOINTS: std::ops::RangeInclusive<usize> = 4..=64;

/// Something that happened, at one position of the log.
pub enum Entry {
    /// An attempt to place a Pod.
    Attempt {
        attempt: Attempt,
        mark: Mark,
        /// What else happened, in a simulated cluster.
        happened: Vec<Happening>,
        /// Milliseconds since the beginning, in a simulated cluster.
        at_ms: Option<i64>,
    },
    /// Time went on, and things happened.
    Moment {
        happened: Vec<Happening>,
        /// A command waited, at most until then; without one, it was a step to whatever is next.
        until: Option<Time>,
    },
    /// The manifests, or the cluster, were changed; what follows goes on from there.
    Edit {
        manifests: Rc<Manifests>,
        now: Rc<Now>,
        happened: Vec<Happening>,
    },
}

/// The present: Pods that are tried in rounds, or a simulated cluster. A copy is a checkpoint.
#[derive(Clone)]
pub enum Now {
    Rounds(Box<Run>),
    Live(Box<Live>),
}

impl Now {
    /// Nothing at all.
    fn idle() -> Self {
        Self::Rounds(Box::new(Run::idle()))
    }

    /// What the scheduler sees.
    pub fn snapshot(&self) -> &Snapshot {
        match self {
            Self::Rounds(run) => run.snapshot(),
            Self::Live(live) => live.snapshot(),
        }
    }

    /// What the scheduler sees, with the document of every Pod: that of its workload where controllers made it.
    pub fn with_sources(&self, manifests: &Manifests) -> &Snapshot {
        match self {
            Self::Rounds(run) => run.snapshot(),
            Self::Live(live) => live.with_sources(manifests),
        }
    }

    /// Entries of the log made so far.
    fn position(&self) -> usize {
        match self {
            Self::Rounds(run) => run.attempts(),
            Self::Live(live) => live.steps(),
        }
    }

    fn checkpoint(&self) -> Self {
        match self {
            Self::Rounds(run) => Self::Rounds(Box::new(run.checkpoint())),
            Self::Live(live) => Self::Live(live.clone()),
        }
    }

    /// One entry forwards; `None` at the end.
    fn step(&mut self) -> Option<Entry> {
        match self {
            Self::Rounds(run) => {
                let attempt = run.step()?;
                let mark = mark::mark(run.snapshot().cluster(), &attempt);
                let happened = Vec::new();
                Some(Entry::Attempt {
                    attempt,
                    mark,
                    happened,
                    at_ms: None,
                })
            }
            Self::Live(live) => {
                let (attempt, happened) = live.step()?;
                Some(match attempt {
                    Some(attempt) => Entry::attempted(live, attempt, happened),
                    None => Entry::Moment {
                        happened,
                        until: None,
                    },
                })
            }
        }
    }

    /// Makes an entry true again.
    fn replay(&mut self, entry: &Entry) {
        match (self, entry) {
            (Self::Rounds(run), Entry::Attempt { attempt, .. }) => run.replay(attempt),
            (now, Entry::Edit { now: edited, .. }) => *now = edited.as_ref().clone(),
            (
                Self::Live(live),
                Entry::Moment {
                    until: Some(until), ..
                },
            ) => drop(live.pass(*until)),
            (Self::Live(live), _) => drop(live.step()),
            (Self::Rounds(_), Entry::Moment { .. }) => {}
        }
    }
}

impl Entry {
    /// The attempt that the scheduler of a simulated cluster has just made.
    pub fn attempted(live: &Live, attempt: Attempt, happened: Vec<Happening>) -> Self {
        Self::Attempt {
            mark: mark::mark(live.snapshot().cluster(), &attempt),
            attempt,
            happened,
            at_ms: Some(live.world().elapsed_ms()),
        }
    }

    /// The cluster was changed, and is this now.
    pub fn edited(live: &Live, manifests: Rc<Manifests>, happened: Vec<Happening>) -> Self {
        Self::Edit {
            manifests,
            now: Rc::new(Now::Live(Box::new(live.clone()))),
            happened,
        }
    }

    /// The attempt, if it is one.
    pub fn attempt(&self) -> Option<&Attempt> {
        match self {
            Self::Attempt { attempt, .. } => Some(attempt),
            Self::Moment { .. } | Self::Edit { .. } => None,
        }
    }

    /// What happened in a living cluster.
    pub fn happened(&self) -> &[Happening] {
        match self {
            Self::Attempt { happened, .. }
            | Self::Moment { happened, .. }
            | Self::Edit { happened, .. } => happened,
        }
    }

    /// How a timeline shows it.
    pub fn mark(&self) -> Mark {
        match self {
            Self::Attempt { mark, .. } => mark.clone(),
            Self::Moment { .. } => Mark::plain(MarkKind::Moment),
            Self::Edit { .. } => Mark::edited(),
        }
    }
}

/// A run, where it came from, and how to get back there.
pub struct History {
    now: Now,
    past: Past,
}

/// A history without its present, which follows from it: cheap to keep. Copies share what they hold.
#[derive(Clone)]
pub struct Past {
    /// Entries made before the present.
    position: usize,
    /// What the run was made of at the beginning.
    manifests: Rc<Manifests>,
    log: Vec<Rc<Entry>>,
    /// Presents at positions of the log, the beginning first, ascending.
    checkpoints: Vec<(usize, Rc<Now>)>,
    /// Entries between checkpoints; doubles when there are too many.
    spacing: usize,
    capacity: usize,
}

impl History {
    /// A history that begins with this present of these manifests.
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

    /// The history of which this was kept.
    pub fn resume(past: Past) -> Self {
        let now = past.at(past.position).unwrap_or_else(Now::idle);
        Self { now, past }
    }

    /// A copy that stands at a position of the log, which ends there; `None` beyond the log's end.
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

    /// What is needed to come back to this moment.
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
    pub fn live(&self) -> Option<&Live> {
        match &self.now {
            Now::Rounds(_) => None,
            Now::Live(live) => Some(live),
        }
    }

    /// Entries before this moment.
    pub fn position(&self) -> usize {
        self.now.position()
    }

    /// Everything that happened so far.
    pub fn log(&self) -> &[Rc<Entry>] {
        &self.past.log
    }

    /// What the run is made of at this moment.
    pub fn manifests(&self) -> &Rc<Manifests> {
        self.past.manifests_at(self.position())
    }

    /// What the run is made of at a position of the log.
    pub fn manifests_at(&self, position: usize) -> &Rc<Manifests> {
        self.past.manifests_at(position)
    }

    /// One attempt forwards: from the log if it is there, else decided now.
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

    /// Goes on at the end of the log with a step that somebody else has made of the present.
    pub fn play(&mut self, make: impl FnOnce(&mut Live) -> Option<Entry>) -> bool {
        let Now::Live(live) = &mut self.now else {
            return false;
        };
        let Some(entry) = make(live) else {
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

    /// Goes to a position of the log. `false` if the log ends before: then it goes to its end.
    pub fn seek(&mut self, position: usize) -> bool {
        let target = position.min(self.past.log.len());
        // Keep what the scheduler remembers only if nothing moved.
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

    /// Where an edit at this moment begins: edits that follow each other directly are one.
    pub fn edit_start(&self) -> usize {
        let position = self.position();
        let before = position.checked_sub(1).map(|before| &self.past.log[before]);
        let is_edit = |entry: &Rc<Entry>| matches!(**entry, Entry::Edit { .. });
        let last_is_edit = before.is_some_and(is_edit);
        position - usize::from(last_is_edit)
    }

    /// Goes on with the same present, of which only what the terminal keeps has changed.
    pub fn look(&mut self, live: Live) {
        self.now = Now::Live(Box::new(live));
    }

    /// Forgets everything from `position` on, and goes on there with a run of changed manifests, or
    /// as it was if there is none.
    pub fn edit(&mut self, position: usize, change: Option<(Now, Rc<Manifests>, Vec<Happening>)>) {
        self.seek(position);
        self.past.log.truncate(position);
        self.past.checkpoints.retain(|(at, _)| *at <= position);
        if let Some((changed, manifests, happened)) = change {
            let entry = Entry::Edit {
                manifests,
                now: Rc::new(changed.checkpoint()),
                happened,
            };
            self.past.log.push(Rc::new(entry));
            self.now = changed;
        }
    }
}

impl Past {
    fn manifests_at(&self, position: usize) -> &Rc<Manifests> {
        let before = &self.log[..position.min(self.log.len())];
        let edits = before.iter().rev().find_map(|entry| match entry.as_ref() {
            Entry::Edit { manifests, .. } => Some(manifests),
            Entry::Attempt { .. } | Entry::Moment { .. } => None,
        });
        edits.unwrap_or(&self.manifests)
    }

    fn at(&self, position: usize) -> Option<Now> {
        let log = self.log.get(..position)?;
        let mut checkpoints = self.checkpoints.iter().rev();
        let (at, checkpoint) = checkpoints.find(|(at, _)| *at <= position)?;
        let mut edits = log.iter().enumerate().rev();
        let edited = edits.find_map(|(edit, entry)| match entry.as_ref() {
            Entry::Edit { now, .. } => Some((edit + 1, now)),
            Entry::Attempt { .. } | Entry::Moment { .. } => None,
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

    /// Where each Pod was at the end of the log, by key; `None` for one that waits.
    pub fn placements(&self) -> Vec<(Key, Option<String>)> {
        let end = self.at(self.log.len()).unwrap_or_else(Now::idle);
        let pods = end.snapshot().cluster().pods().iter();
        pods.filter(|pod| !pod.object.phase.is_terminal())
            .map(|pod| {
                let node = pod.object.node_name.as_ref();
                let key = Key::new(&*pod.object.namespace, &*pod.object.name);
                (key, node.map(|node| node.to_string()))
            })
            .collect()
    }
}
