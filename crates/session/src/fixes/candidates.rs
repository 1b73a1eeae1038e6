//! The input and the output of the families of candidates.

use std::collections::BTreeMap;

use crate::session::Session;
use berth_protocol::cycle::{Cycle, NodeReport};
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::fix::{Candidate, Change};
use berth_protocol::meant::reserves;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::pod::PodInfo;
use berth_sim::snapshot::Snapshot;

use super::MAX_PER_FAMILY;
use super::source::Source;

/// Maximum number of candidates that differ only in the node.
const MAX_ALIKE: usize = 3;

/// A Pod that fits no node, and the reasons.
pub struct FixContext<'a> {
    pub session: &'a Session,
    pub cluster: &'a Cluster,
    pub pod: &'a PodInfo,
    /// The Pod's own document, or that of its workload.
    pub source: Source,
    /// Nodes with their obstacles: those that the Pod was meant for, then those with the fewest, then in document order.
    pub obstacles: Vec<Obstacle<'a>>,
}

/// The reasons against one node.
pub struct Obstacle<'a> {
    pub node: &'a NodeInfo,
    /// Whether the Pod was meant for it.
    pub is_meant: bool,
    /// Number of plugins that reject it.
    pub plugins: usize,
    pub facts: Vec<&'a Fact>,
}

impl<'a> FixContext<'a> {
    /// `run` is about to make the attempt that `cycle` describes. `None` if the Pod's document has no name to refer to.
    pub fn new(session: &'a Session, run: &'a Snapshot, cycle: &'a Cycle) -> Option<Self> {
        let cluster = run.cluster();
        let pod = run.next_pod()?;
        let meant = cycle.meant.as_ref();
        let is_meant =
            |position| meant.is_none_or(|meant| meant.nodes.binary_search(&position).is_ok());
        let mut obstacles: Vec<Obstacle<'a>> = (0..)
            .zip(&cycle.nodes)
            .filter_map(|(position, report)| obstacle(cluster, report, is_meant(position)))
            .collect();
        obstacles
            .sort_by_key(|obstacle| (!obstacle.is_meant, obstacle.plugins, obstacle.facts.len()));
        Some(Self {
            session,
            cluster,
            pod,
            source: Source::at(session, pod.object.document)
                .or_else(|| session.is_simulated().then(|| Source::unwritten(pod)))?,
            obstacles,
        })
    }

    /// Every fact against a node, in the order of the obstacles.
    pub fn facts(&self) -> impl Iterator<Item = (&Obstacle<'a>, &'a Fact)> {
        self.obstacles
            .iter()
            .flat_map(|obstacle| obstacle.facts.iter().map(move |fact| (obstacle, *fact)))
    }

    /// Whether a taint keeps the Pod only from nodes that it was not meant for: it reserves them for others.
    pub fn is_reserved(&self, taint: &FactKind) -> bool {
        let mut meant = self.facts().filter(|(obstacle, _)| obstacle.is_meant);
        !meant.any(|(_, fact)| fact.kind == *taint)
            && matches!(taint, FactKind::Taint { key, .. } if reserves(key))
    }

    /// Whether `pod` belongs to the workload of the Pod that needs a fix.
    pub fn is_sibling(&self, pod: &PodInfo) -> bool {
        self.source.is_workload() && pod.object.document == self.source.document
    }

    /// The manifest of a node.
    pub fn node_source(&self, node: &str) -> Option<Source> {
        let object = ObjectRef::node(node);
        Source::find(self.session, &object)
    }
}

fn obstacle<'a>(
    cluster: &'a Cluster,
    report: &'a NodeReport,
    is_meant: bool,
) -> Option<Obstacle<'a>> {
    if report.failures.is_empty() {
        return None;
    }
    let facts = report.failures.iter().flat_map(|failure| &failure.facts);
    Some(Obstacle {
        node: cluster.find_node(&report.node)?,
        is_meant,
        plugins: report.failures.len(),
        facts: facts.filter(|fact| fact.kind.is_violated()).collect(),
    })
}

/// Candidates of one kind, without duplicates and limited in number.
#[derive(Default)]
pub struct Family {
    list: Vec<Candidate>,
    alike: BTreeMap<String, usize>,
}

impl Family {
    /// Whether its maximum number is reached.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_PER_FAMILY
    }

    /// Whether it contains a change.
    pub fn has(&self, what: &Change) -> bool {
        self.list.iter().any(|known| known.what == *what)
    }

    /// Adds a change, unless the family contains it or is full.
    pub fn add(&mut self, what: Change, edits: Vec<Edit>) {
        let group = what.remark().to_string();
        self.add_to(group, what, edits);
    }

    /// The same, as one of several sizes in a group.
    pub fn add_to(&mut self, group: String, what: Change, edits: Vec<Edit>) {
        if !self.is_full() && !self.has(&what) && !edits.is_empty() {
            self.list.push(Candidate {
                what,
                edits,
                group,
                template: None,
            });
        }
    }

    /// Whether one more candidate that differs from others only in its node may be added. Counts it.
    pub fn admits(&mut self, alike: &str) -> bool {
        let count = self.alike.entry(alike.to_owned()).or_default();
        *count += 1;
        *count <= MAX_ALIKE && self.list.len() < MAX_PER_FAMILY
    }

    pub fn finish(self) -> Vec<Candidate> {
        self.list
    }
}
