//! Which nodes can go, one after the other.
//!
//! Of the nodes that have not been tried, the least used is drained on a copy of what is left. If all of its Pods are placed
//! again it goes, and otherwise it stays. This is greedy: another order may let more nodes go.

use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::validation::scenario::is_price;
use berth_core::api::yaml;
use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::meant::{is_control_plane, pool};
use berth_protocol::what_if::{Answer, Drains, Kept, Question, WhyKept, Workload};
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;
use berth_sim::drain::{self, DrainOptions};
use berth_sim::run::Order;
use berth_sim::store::Key;
use serde_json::Value;

use super::answer::Ends;
use super::end::End;
use super::live::{Act, Live};
use super::plays::{LiveGround, now, terminal_at};
use super::{PlayProgress, explained};
use crate::compare::stays;
use crate::drain::{Fate, fate_of};
use crate::session::Session;
use crate::terminal::Terminal;
use crate::what_if::plays;

/// The label that names a node's kind of machine.
const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";

/// Prices of nodes by their kind of machine, or their pool. What they are prices of, an hour or a month, is for the user to
/// say.
pub type Prices = BTreeMap<String, f64>;

/// Reads prices: a YAML map of numbers.
///
/// # Errors
/// What is wrong with the text.
pub fn prices(text: &str) -> Result<Prices, String> {
    let parsed = yaml::parse(text).map_err(|error| {
        let line = error.position.line;
        format!("line {line}: {}", error.message)
    })?;
    let map = parsed
        .value
        .as_object()
        .ok_or("write a price by instance type or by pool, one a line")?;
    let price = |(name, value): (&String, &Value)| match value.as_f64() {
        Some(price) if is_price(price) => Ok((name.clone(), price)),
        _ => Err(format!("the price of {name} is no number of 0 or more")),
    };
    map.iter().map(price).collect()
}

/// The search for nodes that can go.
pub struct Shrinking {
    question: Question,
    ground: LiveGround,
    prices: Option<Prices>,
    untried: BTreeSet<String>,
    tried: usize,
    /// What is left, without the nodes that have gone; `None` while it is played.
    left: Option<Box<Live>>,
    playing: Option<Box<Live>>,
    step: Step,
    /// The uids of the Pods before the change.
    uids: BTreeSet<String>,
    before: Option<End>,
    end: Option<End>,
    drains: Drains,
    kept: Vec<Kept>,
    moments: usize,
}

/// What is played.
enum Step {
    /// Waiting Pods are tried, and become ready.
    Before,
    /// The drain of a node.
    Trial(String),
    /// The node goes.
    Gone(String),
    Done,
}

/// Asks which nodes can go, of these or of all, with all of their Pods placed again and budgets kept. `pool`: how they
/// were named, for the answer.
///
/// # Errors
/// If kube-scheduler would not start.
pub fn ask_shrink(
    session: &Session,
    pool: Option<&str>,
    nodes: Option<BTreeSet<String>>,
    prices: Option<Prices>,
) -> Result<Shrinking, EditError> {
    let ground = plays::live_ground(session)?;
    let all = ground.cluster.seen().nodes();
    let untried = nodes.unwrap_or_else(|| all.map(|node| node.name.to_string()).collect());
    let first = Live::new(ground.cluster.clone(), vec![Act::Settle], Order::Names);
    Ok(Shrinking {
        question: Question::Shrink {
            pool: pool.map(str::to_owned),
            nodes: untried.len(),
        },
        ground,
        prices,
        untried,
        tried: 0,
        left: None,
        playing: Some(Box::new(first)),
        step: Step::Before,
        uids: BTreeSet::new(),
        before: None,
        end: None,
        drains: Drains::default(),
        kept: Vec::new(),
        moments: 0,
    })
}

impl Shrinking {
    /// Plays up to `limit` moments; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        for _ in 0..limit {
            let Some(playing) = &mut self.playing else {
                return false;
            };
            self.moments += 1;
            if !playing.step() {
                self.end_play();
            }
        }
        self.playing.is_some()
    }

    /// Takes in what was played, and decides what is played next.
    fn end_play(&mut self) {
        let Some(ended) = self.playing.take() else {
            return;
        };
        match std::mem::replace(&mut self.step, Step::Done) {
            Step::Before => {
                self.before = Some(now(&ended));
                self.uids = ended.uids();
                self.ground.cluster = ended.cluster.clone();
                // Time counts from the first drain.
                let cluster = ended.cluster;
                self.left = Some(Box::new(Live::new(cluster, Vec::new(), Order::Names)));
            }
            Step::Trial(node) => match self.verdict(&ended, &node) {
                Some(why) => self.kept.push(Kept { node, why }),
                None => {
                    let mut goes = ended;
                    goes.then([Act::Delete(node.clone()), Act::Settle]);
                    self.step = Step::Gone(node);
                    self.playing = Some(goes);
                    return;
                }
            },
            Step::Gone(node) => match self.verdict(&ended, &node) {
                Some(why) => self.kept.push(Kept { node, why }),
                None => self.left = Some(ended),
            },
            Step::Done => {}
        }
        self.begin_trial();
    }

    fn verdict(&self, trial: &Live, node: &str) -> Option<WhyKept> {
        why_kept(trial, node, self.before.as_ref()?)
    }

    /// Drains the least used node that has not been tried, on a copy of what is left.
    fn begin_trial(&mut self) {
        let Some(left) = self.left.take() else { return };
        while let Some(node) = least_used(left.cluster.seen(), &self.untried) {
            self.untried.remove(&node);
            self.tried += 1;
            if let Some(why) = never_goes(&left, &node) {
                self.kept.push(Kept { node, why });
                continue;
            }
            let mut trial = left.clone();
            let batch = left.drains.nodes.len() + 1;
            let drain = Act::Drain {
                node: node.clone(),
                batch,
            };
            trial.then([drain, Act::Settle]);
            self.step = Step::Trial(node);
            self.playing = Some(trial);
            self.left = Some(left);
            return;
        }
        let (ended, drains) = left.ended(&self.uids);
        let end = End::of(ended, self.ground.cluster.seen(), true);
        let end = End { moved: 0, ..end };
        self.end = self.before.as_ref().map(|before| end.with_unmade(before));
        self.drains = drains;
    }

    /// How far the search has come: the nodes that were tried, and all of them.
    pub fn progress(&self) -> PlayProgress {
        PlayProgress {
            plays: (self.tried, self.tried + self.untried.len()),
            attempts: self.moments,
        }
    }

    /// The answer; `None` before the end.
    pub fn answer(&self) -> Option<Answer> {
        let end = self.end.as_ref()?;
        let ends = Ends {
            question: &self.question,
            manifests: &self.ground.manifests,
            changed: &self.ground.manifests,
            options: &self.ground.options,
            before: self.before.as_ref()?,
            ends: std::slice::from_ref(end),
        };
        let drains = Drains {
            kept: self.kept.clone(),
            ..self.drains.clone()
        };
        Some(Answer {
            drains: Some(Box::new(self.priced(drains))),
            ..ends.answer()?
        })
    }

    /// With the sum of the prices of the nodes that go.
    fn priced(&self, drains: Drains) -> Drains {
        let Some(prices) = &self.prices else {
            return drains;
        };
        let cluster = self.ground.cluster.seen();
        let price = |node: &str| {
            let labels = &cluster.find_node(node)?.labels;
            let kinds = [labels.get(INSTANCE_TYPE).map(String::as_str), pool(labels)];
            kinds
                .into_iter()
                .flatten()
                .find_map(|kind| prices.get(kind))
        };
        let nodes = drains.nodes.iter();
        let unpriced = nodes.filter(|it| price(&it.node).is_none());
        Drains {
            unpriced: unpriced.map(|it| it.node.clone()).collect(),
            saved: Some(drains.nodes.iter().filter_map(|it| price(&it.node)).sum()),
            ..drains
        }
    }

    /// A terminal on the cluster from which the drains begin; there, the lines of the answer come to its end.
    pub fn terminal(&self) -> Terminal {
        Terminal::on(self.ground.cluster.clone())
    }

    /// A terminal on the cluster at the end; `None` before it.
    pub fn end_terminal(&self) -> Option<Terminal> {
        terminal_at(self.end.as_ref()?)
    }

    /// Why the first waiting Pod of a workload waits at the end; `None` if none waits.
    pub fn explain(&self, workload: &Workload) -> Option<Cycle> {
        explained(self.end.as_ref()?, workload)
    }
}

/// The node of which the least is requested by Pods that can move: of its CPU or its memory, whichever is more. The first
/// by name of several.
fn least_used(cluster: &Cluster, nodes: &BTreeSet<String>) -> Option<String> {
    let nodes = nodes.iter().filter_map(|name| cluster.find_node(name));
    let least = nodes.min_by_key(|node| use_per_million(cluster, node))?;
    Some(least.name.to_string())
}

fn use_per_million(cluster: &Cluster, node: &NodeInfo) -> i128 {
    let pods = node.pods.iter().filter_map(|pod| cluster.pods().get(*pod));
    let (mut milli_cpu, mut memory) = (0_i128, 0_i128);
    for pod in pods.filter(|pod| !stays(pod)) {
        let counted = &cluster.spec_of(pod).counted;
        milli_cpu += i128::from(counted.milli_cpu);
        memory += i128::from(counted.memory_bytes);
    }
    let of = |used: i128, all: i64| used * 1_000_000 / i128::from(all.max(1));
    let all = &node.allocatable;
    of(milli_cpu, all.milli_cpu).max(of(memory, all.memory_bytes))
}

/// Why a node may not go, whatever its drain comes to.
pub(super) fn never_goes(left: &Live, node: &str) -> Option<WhyKept> {
    let labels = left.cluster.seen().find_node(node).map(|it| &it.labels);
    if labels.is_some_and(|labels| is_control_plane(labels)) {
        return Some(WhyKept::ControlPlane);
    }
    let api = left.cluster.api();
    let evicted = evicted_by_a_drain(left, node);
    let mut lost = evicted
        .iter()
        .filter(|key| matches!(fate_of(key, api, true), Fate::Lost | Fate::Unmade));
    lost.next().map(|key| WhyKept::Lost {
        pod: key.to_string(),
    })
}

/// The Pods of a node that a drain would evict.
fn evicted_by_a_drain(live: &Live, node: &str) -> Vec<Key> {
    let options = DrainOptions::of_all_pods();
    drain::plan(node, &options, live.cluster.api()).evict
}

/// Why a node that was drained may not go; `before`: the waiting Pods before anything was done.
pub(super) fn why_kept(trial: &Live, node: &str, before: &End) -> Option<WhyKept> {
    if trial.is_blocked(node) {
        let blocked = trial.drains.blocked.first()?;
        return Some(WhyKept::Blocked {
            pod: blocked.pod.clone(),
            budgets: blocked.budgets.clone(),
        });
    }
    let returns = evicted_by_a_drain(trial, node).into_iter().next();
    if let Some(pod) = returns {
        return Some(WhyKept::Returns {
            pod: pod.to_string(),
        });
    }
    let end = now(trial);
    let (workload, pods) = end.fewer_run_than(before).max_by_key(|(_, pods)| *pods)?;
    let cycle = explained(&end, workload);
    Some(WhyKept::Waits {
        workload: workload.clone(),
        pods,
        reason: cycle.and_then(|cycle| cycle.message).unwrap_or_default(),
    })
}
