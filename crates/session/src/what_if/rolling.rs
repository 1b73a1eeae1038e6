//! What draining nodes comes to, and replacing those of a pool.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::meant::pool;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Answer, Drains, Question, Workload};
use berth_scheduler::cluster::Cluster;
use berth_sim::run::Order;
use serde_json::Value;

use super::answer::Ends;
use super::end::End;
use super::live::Act;
use super::plays::{LiveGround, LivePlays, terminal_at};
use super::{PlayProgress, explained, no_such_node};
use crate::session::Session;
use crate::terminal::Terminal;
use crate::what_if::{added, plays};

/// Asks what draining these nodes comes to, one after the other, in the order of names and in `orders` further ones.
/// `labels`: the selectors by which they were named, for the answer.
///
/// # Errors
/// If there is no such node.
pub fn ask_drain(
    session: &Session,
    nodes: BTreeSet<String>,
    labels: Vec<String>,
    orders: u64,
) -> Result<Rolling, EditError> {
    let ground = plays::live_ground(session)?;
    let cluster = ground.cluster.seen();
    if let Some(missing) = nodes.iter().find(|node| cluster.find_node(node).is_none()) {
        return Err(no_such_node(missing));
    }
    let acts = drained(&nodes);
    let nodes = nodes.iter().cloned().collect();
    let question = Question::Drain { nodes, labels };
    Ok(Rolling::new(ground, question, acts, orders))
}

/// Asks what replacing the nodes of a pool comes to, in the order of their names: in batches of `max_unavailable` and
/// `max_surge` nodes, of which the latter have their successors before they go.
///
/// # Errors
/// If there are no such nodes, no node may go or come, or a node's manifest cannot be read.
pub fn ask_upgrade(
    session: &Session,
    pool: &str,
    nodes: BTreeSet<String>,
    max_unavailable: usize,
    max_surge: usize,
    orders: u64,
) -> Result<Rolling, EditError> {
    if max_unavailable == 0 && max_surge == 0 {
        let message = Remark::no_batch();
        return Err(EditError::new(message, Remark::name_a_batch()));
    }
    let ground = plays::live_ground(session)?;
    let mut successors = successors(session, ground.cluster.seen(), &nodes)?;
    let all: Vec<&String> = nodes.iter().collect();
    let size = max_unavailable.saturating_add(max_surge);
    let mut acts = Vec::new();
    for (batch, olds) in (1..).zip(all.chunks(size)) {
        let (first, later) = olds.split_at(max_surge.min(olds.len()));
        let mut come = |old: &&String, in_place_of| {
            let node = successors.remove(*old)?;
            Some(Act::Come { node, in_place_of })
        };
        acts.extend(first.iter().filter_map(|old| come(old, None)));
        acts.extend(olds.iter().map(|old| Act::Cordon((*old).clone())));
        acts.extend(olds.iter().map(|old| Act::Drain {
            node: (*old).clone(),
            batch,
        }));
        acts.extend(olds.iter().map(|old| Act::Delete((*old).clone())));
        let come_later = later
            .iter()
            .filter_map(|old| come(old, Some((*old).clone())));
        acts.extend(come_later);
        acts.push(Act::Settle);
    }
    let question = Question::Upgrade {
        pool: pool.to_owned(),
        nodes: nodes.into_iter().collect(),
        max_unavailable,
        max_surge,
    };
    Ok(Rolling::new(ground, question, acts, orders))
}

/// For each node, one like it. Nodes that differ in nothing but their names are made together.
fn successors(
    session: &Session,
    cluster: &Cluster,
    nodes: &BTreeSet<String>,
) -> Result<BTreeMap<String, Rc<Value>>, EditError> {
    let mut alike: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in nodes {
        let node = cluster.find_node(name).ok_or_else(|| no_such_node(name))?;
        let labels = node.labels.iter().filter(|(_, value)| *value != name);
        let labels: Vec<(&String, &String)> = labels.collect();
        let traits = format!("{labels:?} {:?} {:?}", node.taints, node.allocatable);
        alike.entry(traits).or_default().push(name);
    }
    let models = alike.values().filter_map(|olds| {
        let count = u32::try_from(olds.len()).unwrap_or(u32::MAX);
        Some(((*olds.first()?).clone(), count))
    });
    let models: Vec<(String, u32)> = models.collect();
    let made = added::nodes_like(session, &models)?.1.into_iter().flatten();
    let olds = alike.into_values().flatten().cloned();
    Ok(olds.zip(made.map(Rc::new)).collect())
}

/// The nodes of a pool.
///
/// # Errors
/// If there is none.
pub fn nodes_of_pool(session: &Session, name: &str) -> Result<BTreeSet<String>, EditError> {
    let nodes = session.run().cluster().nodes();
    let own = nodes.filter(|node| pool(&node.labels) == Some(name));
    let own: BTreeSet<String> = own.map(|node| node.name.to_string()).collect();
    match own.is_empty() {
        true => Err(EditError::new(
            Remark::no_such_pool(name),
            Remark::see_labels(),
        )),
        false => Ok(own),
    }
}

/// A question about drains, or what the descheduler evicts, that is being played.
pub struct Rolling {
    question: Question,
    acts: Vec<Act>,
    plays: LivePlays,
    ends: Vec<End>,
    drains: Option<Drains>,
}

impl Rolling {
    pub(super) fn new(ground: LiveGround, question: Question, acts: Vec<Act>, orders: u64) -> Self {
        let seeds = (1..=orders).map(Order::Seed);
        let orders = [Order::Names].into_iter().chain(seeds);
        let plays = orders.map(|order| (acts.clone(), order));
        Self {
            plays: LivePlays::new(ground, plays),
            question,
            acts,
            ends: Vec::new(),
            drains: None,
        }
    }

    /// Plays up to `limit` moments; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        let is_shown = self.ends.is_empty();
        if let Some((end, drains)) = self.plays.advance(limit, is_shown) {
            self.ends.push(end);
            self.drains.get_or_insert(drains);
        }
        !self.plays.is_done()
    }

    /// How far the question has been played.
    pub fn progress(&self) -> PlayProgress {
        self.plays.progress()
    }

    /// The answer, from the orders that have been played; `None` until the first has.
    pub fn answer(&self) -> Option<Answer> {
        let ends = Ends {
            question: &self.question,
            manifests: &self.plays.ground.manifests,
            changed: &self.plays.ground.manifests,
            options: &self.plays.ground.options,
            before: self.plays.before.as_ref()?,
            ends: &self.ends,
        };
        let evictions = self.plays.evictions.clone().map(Box::new);
        let drains = self.drains.clone().filter(|_| evictions.is_none());
        Some(Answer {
            drains: drains.map(Box::new),
            evictions,
            ..ends.answer()?
        })
    }

    /// The manifests of the nodes that come, by name.
    pub fn new_nodes(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.acts.iter().filter_map(|act| match act {
            Act::Come { node, .. } => Some((node["metadata"]["name"].as_str()?, &**node)),
            _ => None,
        })
    }

    /// A terminal on the cluster from which the drains begin; there, the lines of the answer come to its end.
    pub fn terminal(&self) -> Terminal {
        Terminal::on(self.plays.ground.cluster.clone())
    }

    /// A terminal on the cluster at the end, in the order of names; `None` until that has been played.
    pub fn end_terminal(&self) -> Option<Terminal> {
        terminal_at(self.ends.first()?)
    }

    /// Why the first waiting Pod of a workload waits at the end, in the order of names; `None` if none waits.
    pub fn explain(&self, workload: &Workload) -> Option<Cycle> {
        explained(self.ends.first()?, workload)
    }
}

/// The nodes are cordoned, and drained one after the other.
pub(super) fn drained(nodes: &BTreeSet<String>) -> Vec<Act> {
    let cordons = nodes.iter().cloned().map(Act::Cordon);
    let drains = (1..).zip(nodes.iter().cloned());
    let drains = drains.map(|(batch, node)| Act::Drain { node, batch });
    cordons.chain(drains).chain([Act::Settle]).collect()
}
