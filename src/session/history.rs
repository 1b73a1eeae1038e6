//! A log of attempts and edits, and checkpoints to come back to.

use std::borrow::Cow;
use std::rc::Rc;

use crate::api::manifests::Manifests;
use crate::protocol::frame::Mark;
use crate::sim::run::{Attempt, Run};

use super::frame;

/// Nodes and Pods in all checkpoints together: bounds their memory.
const CHECKPOINT_BUDGET: usize = 400_000;
/// Never fewer checkpoints than this, never more than that.
const CHECKPOINTS: std::ops::RangeInclusive<usize> = 4..=64;

/// Something that happened, at one position of the log.
pub enum Entry {
    /// An attempt to place a Pod.
    Attempt { attempt: Attempt, mark: Mark },
    /// The manifests were changed; what follows goes on from this run.
    Edit {
        manifests: Rc<Manifests>,
        run: Rc<Run>,
    },
}

impl Entry {
    /// The attempt, if it is one.
    pub fn attempt(&self) -> Option<&Attempt> {
        match self {
            Self::Attempt { attempt, .. } => Some(attempt),
            Self::Edit { .. } => None,
        }
    }

    /// How a timeline shows it.
    pub fn mark(&self) -> Mark {
        match self {
            Self::Attempt { mark, .. } => mark.clone(),
            Self::Edit { .. } => Mark::edited(),
        }
    }
}

/// A run, where it came from, and how to get back there.
pub struct History {
    now: Run,
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
    /// Runs at positions of the log, the beginning first, ascending.
    checkpoints: Vec<(usize, Rc<Run>)>,
    /// Entries between checkpoints; doubles when there are too many.
    spacing: usize,
    capacity: usize,
}

impl History {
    /// A history that begins with this run of these manifests.
    pub fn new(run: Run, manifests: Rc<Manifests>) -> Self {
        let cluster = run.cluster();
        let size = cluster.node_order().len() + cluster.pods().iter().count();
        let capacity = CHECKPOINT_BUDGET / size.max(1);
        let past = Past {
            position: 0,
            manifests,
            log: Vec::new(),
            checkpoints: vec![(0, Rc::new(run.checkpoint()))],
            spacing: 16,
            capacity: capacity.clamp(*CHECKPOINTS.start(), *CHECKPOINTS.end()),
        };
        Self { now: run, past }
    }

    /// The history of which this was kept.
    pub fn resume(past: Past) -> Self {
        let now = past.at(past.position).unwrap_or_else(Run::idle);
        Self { now, past }
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
    pub fn now(&self) -> &Run {
        &self.now
    }

    /// Entries before this moment.
    pub fn position(&self) -> usize {
        self.now.attempts()
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
            replay(&mut self.now, entry);
            return true;
        }
        let Some(attempt) = self.now.step() else {
            return false;
        };
        let mark = frame::mark(self.now.cluster(), &attempt);
        self.past
            .log
            .push(Rc::new(Entry::Attempt { attempt, mark }));
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

    /// The run at a position of the log; `None` beyond its end.
    pub fn at(&self, position: usize) -> Option<Cow<'_, Run>> {
        if position == self.position() {
            return Some(Cow::Borrowed(&self.now));
        }
        self.past.at(position).map(Cow::Owned)
    }

    /// Where an edit at this moment begins: edits that follow each other directly are one.
    pub fn edit_start(&self) -> usize {
        let position = self.position();
        let before = position.checked_sub(1).map(|before| &self.past.log[before]);
        let last_is_edit = before.is_some_and(|entry| entry.attempt().is_none());
        position - usize::from(last_is_edit)
    }

    /// Forgets everything from `position` on, and goes on there with a run of changed manifests, or
    /// as it was if there is none.
    pub fn edit(&mut self, position: usize, change: Option<(Run, Rc<Manifests>)>) {
        self.seek(position);
        self.past.log.truncate(position);
        self.past.checkpoints.retain(|(at, _)| *at <= position);
        if let Some((run, manifests)) = change {
            let entry = Entry::Edit {
                manifests,
                run: Rc::new(run.checkpoint()),
            };
            self.past.log.push(Rc::new(entry));
            self.now = run;
        }
    }
}

impl Past {
    fn manifests_at(&self, position: usize) -> &Rc<Manifests> {
        let before = &self.log[..position.min(self.log.len())];
        let edits = before.iter().rev().find_map(|entry| match entry.as_ref() {
            Entry::Edit { manifests, .. } => Some(manifests),
            Entry::Attempt { .. } => None,
        });
        edits.unwrap_or(&self.manifests)
    }

    fn at(&self, position: usize) -> Option<Run> {
        let log = self.log.get(..position)?;
        let mut checkpoints = self.checkpoints.iter().rev();
        let (at, checkpoint) = checkpoints.find(|(at, _)| *at <= position)?;
        let edit = log.iter().rposition(|entry| entry.attempt().is_none());
        let edited = edit.and_then(|edit| match log[edit].as_ref() {
            Entry::Edit { run, .. } => Some((edit + 1, run)),
            Entry::Attempt { .. } => None,
        });
        let (start, run) = match edited {
            Some((start, run)) if start > *at => (start, run),
            _ => (*at, checkpoint),
        };
        let mut run = run.as_ref().clone();
        for entry in &log[start..] {
            replay(&mut run, entry);
        }
        Some(run)
    }

    /// Where each Pod was at the end of the log, by key; `None` for one that waits.
    pub fn placements(&self) -> Vec<(String, Option<String>)> {
        let end = self.at(self.log.len()).unwrap_or_else(Run::idle);
        let pods = end.cluster().pods().iter();
        pods.filter(|pod| !pod.object.phase.is_terminal())
            .map(|pod| {
                let node = pod.object.node_name.as_ref();
                (pod.object.key(), node.map(|node| node.to_string()))
            })
            .collect()
    }
}

fn replay(run: &mut Run, entry: &Entry) {
    match entry {
        Entry::Attempt { attempt, .. } => run.replay(attempt),
        Entry::Edit { run: edited, .. } => *run = edited.as_ref().clone(),
    }
}
