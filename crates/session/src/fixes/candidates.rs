//! The input of the families of candidates, and their output.

use std::collections::BTreeMap;

use crate::Session;
use berth_core::cluster::Cluster;
use berth_core::cluster::node::NodeInfo;
use berth_core::cluster::pod::PodInfo;
use berth_protocol::cycle::{Cycle, NodeReport};
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::fact::Fact;
use berth_protocol::fix::{Candidate, Change};
use berth_sim::snapshot::Snapshot;

use super::MAX_PER_FAMILY;
use super::source::Source;

/// Candidates that differ only in the node, at most.
const MAX_ALIKE: usize = 3;

/// A Pod that fits nowhere, and why.
pub struct Scene<'a> {
    pub session: &'a Session,
    pub cluster: &'a Cluster,
    pub pod: &'a PodInfo,
    /// The Pod's own document, or that of its workload.
    pub source: Source,
    /// Nodes with what speaks against them, those with the least first, then in document order.
    pub obstacles: Vec<Obstacle<'a>>,
}

/// What speaks against one node.
pub struct Obstacle<'a> {
    pub node: &'a NodeInfo,
    /// How many plugins refuse it.
    pub plugins: usize,
    pub facts: Vec<&'a Fact>,
}

impl<'a> Scene<'a> {
    /// `run` is about to make the attempt that `cycle` tells. `None` if the Pod's document has no
    /// name to refer to it by.
    pub fn new(session: &'a Session, run: &'a Snapshot, cycle: &'a Cycle) -> Option<Self> {
        let cluster = run.cluster();
        let pod = run.next_pod()?;
        let mut obstacles: Vec<Obstacle<'a>> = cycle
            .nodes
            .iter()
            .filter_map(|report| obstacle(cluster, report))
            .collect();
        obstacles.sort_by_key(|obstacle| (obstacle.plugins, obstacle.facts.len()));
        Some(Self {
            session,
            cluster,
            pod,
            source: Source::at(session, pod.object.document)
                .or_else(|| session.is_live().then(|| Source::unwritten(pod)))?,
            obstacles,
        })
    }

    /// Every fact against a node, in the order of the obstacles.
    pub fn facts(&self) -> impl Iterator<Item = (&Obstacle<'a>, &'a Fact)> {
        let obstacles = self.obstacles.iter();
        obstacles.flat_map(|obstacle| obstacle.facts.iter().map(move |fact| (obstacle, *fact)))
    }

    /// Whether the Pod is one of those that the workload of this Pod made.
    pub fn is_sibling(&self, pod: &PodInfo) -> bool {
        self.source.is_workload() && pod.object.document == self.source.document
    }

    /// The manifest of a node.
    pub fn node_source(&self, node: &str) -> Option<Source> {
        let object = ObjectRef {
            kind: "Node".to_owned(),
            namespace: String::new(),
            name: node.to_owned(),
        };
        Source::find(self.session, &object)
    }
}

fn obstacle<'a>(cluster: &'a Cluster, report: &'a NodeReport) -> Option<Obstacle<'a>> {
    if report.failures.is_empty() {
        return None;
    }
    let facts = report.failures.iter().flat_map(|failure| &failure.facts);
    Some(Obstacle {
        node: cluster.find_node(&report.node)?,
        plugins: report.failures.len(),
        facts: facts.filter(|fact| fact.kind.speaks_against()).collect(),
    })
}

/// Candidates of one kind: each once, and not too many.
#[derive(Default)]
pub struct Family {
    list: Vec<Candidate>,
    alike: BTreeMap<String, usize>,
}

impl Family {
    /// Whether it takes no more.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_PER_FAMILY
    }

    /// Whether a change is in already.
    pub fn has(&self, what: &Change) -> bool {
        self.list.iter().any(|known| known.what == *what)
    }

    /// Adds a change, unless it is in already or the family is full.
    pub fn add(&mut self, what: Change, edits: Vec<Edit>) {
        let group = what.sentence();
        self.add_to(group, what, edits);
    }

    /// The same, as one size of several.
    pub fn add_to(&mut self, group: String, what: Change, edits: Vec<Edit>) {
        if !self.is_full() && !self.has(&what) && !edits.is_empty() {
            self.list.push(Candidate { what, edits, group });
        }
    }

    /// Whether there is room for one more that differs from others only in its node; counts it.
    pub fn admits(&mut self, alike: &str) -> bool {
        let count = self.alike.entry(alike.to_owned()).or_default();
        *count += 1;
        *count <= MAX_ALIKE && self.list.len() < MAX_PER_FAMILY
    }

    pub fn finish(self) -> Vec<Candidate> {
        self.list
    }
}
