//! The stage at one moment, kept up to date by patches.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::protocol::frame::{ForkFrame, Mark, NodeFrame, PodFrame, ProblemFrame};
use crate::protocol::page::{Changed, Lanes, Patch};
use crate::protocol::scheduler::SchedulerFrame;
use crate::ui::parts::owner::Owners;
use crate::ui::store::ZONE;

/// Everything on the stage, as the engine told it last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub title: String,
    /// Entries of the log before this moment.
    pub position: usize,
    pub log_length: usize,
    pub finished: bool,
    pub digest: String,
    pub seed: u64,
    /// How many changes can be undone, and redone.
    pub undo: usize,
    pub redo: usize,
    pub nodes: Vec<Rc<NodeFrame>>,
    pub pods: Vec<Rc<PodFrame>>,
    pub queue: Lanes,
    pub timeline: Vec<Mark>,
    pub problems: Vec<ProblemFrame>,
    pub ignored: BTreeMap<String, usize>,
    pub fork: Option<ForkFrame>,
    pub scheduler: Rc<SchedulerFrame>,
    /// Whose Pods there are, and their colors.
    pub owners: Rc<Owners>,
    pod_positions: BTreeMap<String, usize>,
    node_positions: BTreeMap<String, usize>,
}

impl View {
    /// Takes a patch, or a piece of one.
    pub fn take(&mut self, patch: Patch) {
        self.title = patch.title;
        self.position = patch.position;
        self.log_length = patch.log_length;
        self.finished = patch.finished;
        self.digest = patch.digest;
        self.seed = patch.seed;
        self.undo = patch.undo;
        self.redo = patch.redo;
        self.queue = patch.queue;
        self.ignored = patch.ignored;
        self.fork = patch.fork;
        self.timeline.truncate(patch.timeline_from);
        self.timeline.extend(patch.timeline);
        if let Some(problems) = patch.problems {
            self.problems = problems;
        }
        if let Some(scheduler) = patch.scheduler {
            self.scheduler = Rc::new(scheduler);
        }
        update(
            &mut self.nodes,
            &mut self.node_positions,
            patch.nodes,
            |node| &node.name,
        );
        let is_owned_anew = patch.pods.length != self.pods.len()
            || patch.pods.items.iter().any(|(position, pod)| {
                let before = self.pods.get(*position);
                before.is_none_or(|before| !Owners::are_alike(before, pod))
            });
        update(&mut self.pods, &mut self.pod_positions, patch.pods, |pod| {
            &pod.key
        });
        // A walk over all Pods; most patches only place one.
        if is_owned_anew {
            self.owners = Rc::new(Owners::of(&self.pods));
        }
    }

    /// The Pod of that key (`namespace/name`).
    pub fn pod(&self, key: &str) -> Option<&Rc<PodFrame>> {
        self.pods.get(*self.pod_positions.get(key)?)
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<&Rc<NodeFrame>> {
        self.nodes.get(self.node_position(name)?)
    }

    /// A node's position among all of them, in document order.
    pub fn node_position(&self, name: &str) -> Option<usize> {
        self.node_positions.get(name).copied()
    }

    /// What happened right before this moment.
    pub fn last_mark(&self) -> Option<&Mark> {
        self.timeline.get(self.position.checked_sub(1)?)
    }
}

/// Keys that nodes can be grouped by: labels that not every node has to itself.
pub fn topology_keys(nodes: &[Rc<NodeFrame>]) -> Vec<String> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in nodes {
        for (key, value) in &node.labels {
            values.entry(key).or_default().insert(value);
        }
    }
    let shared = |count: usize| count > 1 && count < nodes.len();
    values
        .into_iter()
        .filter(|(key, values)| *key == ZONE || shared(values.len()))
        .map(|(key, _)| key.to_owned())
        .collect()
}

fn update<T: Default + PartialEq>(
    list: &mut Vec<Rc<T>>,
    positions: &mut BTreeMap<String, usize>,
    changed: Changed<T>,
    name: fn(&T) -> &String,
) {
    let moved = list.len() != changed.length
        || changed.items.iter().any(|(position, item)| {
            list.get(*position)
                .is_none_or(|old| name(old) != name(item))
        });
    list.resize_with(changed.length, Rc::default);
    for (position, item) in changed.items {
        if let Some(slot) = list.get_mut(position) {
            *slot = Rc::new(item);
        }
    }
    if moved {
        let named = list.iter().enumerate();
        *positions = named
            .map(|(position, item)| (name(item).clone(), position))
            .collect();
    }
}
