//! How many nodes of each pool the waiting Pods need.
//!
//! The ground has as many nodes of every pool as Pods wait; a play is without those that are not tried. For each pool the
//! fewest are found by halving: so many place all that the pool can help, and one fewer does not. Where no pool helps
//! all, pools are mixed, node by node, each time of the pool whose node leaves the fewest waiting.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use berth_protocol::compare::ZONE;
use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::meant::{pool, reserves};
use berth_protocol::what_if::{Need, NodesLike, Unhelped, Workload};
use berth_scheduler::cluster::node::NodeInfo;
use berth_sim::run::Order;

use super::added::LargerGround;
use super::end::End;
use super::{Change, Ground, Play, PlayProgress, Plays, explained};
use crate::session::Session;
use crate::what_if;
use crate::what_if::added;

/// Maximum number of nodes that are tried of one pool.
const MOST: usize = 200;

/// Nodes of a pool in a zone with the same taints and resources, and those that are tried in addition.
struct Kind {
    pool: String,
    zone: String,
    like: String,
    nodes: Vec<String>,
}

/// What is played next.
enum Step {
    /// The cluster as it is.
    Before,
    /// As many nodes of every kind as there are.
    All,
    /// As many as there are of one kind.
    Most(usize),
    /// Of one kind, `low` leave more waiting than `target`, and `high` do not.
    Between {
        kind: usize,
        low: usize,
        high: usize,
        target: usize,
    },
    /// One more node of a kind in the mix; the best so far, and how many Pods it leaves waiting.
    Mix {
        kind: usize,
        best: Option<(usize, usize)>,
    },
    Done,
}

/// The search for the fewest nodes.
pub struct Needing {
    ground: Ground,
    grown: Ground,
    kinds: Vec<Kind>,
    step: Step,
    plays: Plays,
    before: Option<End>,
    all: Option<End>,
    found: Vec<NodesLike>,
    /// Number of nodes of each kind in the mix, and how many Pods they leave waiting.
    mix: Vec<usize>,
    mix_leaves: usize,
}

/// Asks how many nodes of each pool the waiting Pods need.
///
/// # Errors
/// If a node's manifest cannot be read, or the cluster is simulated.
pub fn ask_need(session: &Session) -> Result<Needing, EditError> {
    let ground = what_if::ground(session)?;
    let snapshot = ground.run.snapshot();
    let tried = snapshot
        .pending()
        .filter(|pod| snapshot.held_by(pod).is_none());
    let most = tried.count().clamp(1, MOST);
    let mut kinds: BTreeMap<Traits, String> = BTreeMap::new();
    for node in snapshot.cluster().nodes() {
        let like = kinds.entry(kind_of(node)).or_default();
        if like.is_empty() || *node.name < **like {
            *like = node.name.to_string();
        }
    }
    let count = u32::try_from(most).unwrap_or(u32::MAX);
    let models: Vec<(String, u32)> = kinds.values().map(|like| (like.clone(), count)).collect();
    let LargerGround {
        ground: grown,
        nodes,
    } = added::grown(session, &ground, &models)?;
    let kinds = kinds.into_iter().zip(nodes);
    let kinds = kinds.map(|((traits, like), nodes)| Kind {
        pool: traits.pool,
        zone: traits.zone,
        like,
        nodes,
    });
    Ok(Needing {
        plays: Plays::of([ground.as_it_is()]),
        mix: Vec::new(),
        mix_leaves: 0,
        kinds: kinds.collect(),
        step: Step::Before,
        before: None,
        all: None,
        found: Vec::new(),
        grown,
        ground,
    })
}

/// What nodes of one kind have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Traits {
    /// Empty without such a label.
    pool: String,
    zone: String,
    /// The taints that reserve them: key, value, effect.
    taints: Vec<[String; 3]>,
    /// The resources that they have besides CPU and memory.
    resources: Vec<String>,
}

fn kind_of(node: &NodeInfo) -> Traits {
    let taints = node.taints.iter().filter(|taint| reserves(&taint.key));
    let taints = taints.map(|taint| {
        let value = taint.value.clone().unwrap_or_default();
        [taint.key.clone(), value, taint.effect.clone()]
    });
    let scalars = node.allocatable.scalars.iter();
    let resources = scalars.filter(|(_, amount)| *amount > 0);
    Traits {
        pool: pool(&node.labels).unwrap_or_default().to_owned(),
        zone: node.labels.get(ZONE).cloned().unwrap_or_default(),
        taints: taints.collect(),
        resources: resources.map(|(name, _)| name.clone()).collect(),
    }
}

impl Needing {
    /// Makes up to `limit` attempts; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        if let Some(ended) = self.plays.advance(limit) {
            let keeps = matches!(self.step, Step::All);
            let end = End::of(ended, self.ground.run.snapshot().cluster(), keeps);
            self.step = self.learn(end);
            let next = self.wanted().map(|counts| self.play(&counts));
            self.plays.next.extend(next);
        }
        !self.plays.is_done()
    }

    /// How far the search has come.
    pub fn progress(&self) -> PlayProgress {
        self.plays.progress()
    }

    /// The numbers of nodes by kind that are played next; `None` at the end.
    fn wanted(&self) -> Option<Vec<usize>> {
        let only = |kind: usize, count: usize| {
            let all = 0..self.kinds.len();
            all.map(|it| if it == kind { count } else { 0 }).collect()
        };
        match self.step {
            Step::Before | Step::Done => None,
            Step::All => Some(self.kinds.iter().map(|kind| kind.nodes.len()).collect()),
            Step::Most(kind) => Some(only(kind, self.kinds.get(kind)?.nodes.len())),
            Step::Between {
                kind, low, high, ..
            } => Some(only(kind, low + (high - low) / 2)),
            Step::Mix { kind, .. } => {
                let mut counts = self.mix.clone();
                *counts.get_mut(kind)? += 1;
                Some(counts)
            }
        }
    }

    /// The play with so many nodes of each kind: the others are lost before anything is tried.
    fn play(&self, counts: &[usize]) -> Play {
        let kinds = self.kinds.iter().zip(counts);
        let left_out = kinds.flat_map(|(kind, count)| kind.nodes.iter().skip(*count));
        let left_out: BTreeSet<String> = left_out.cloned().collect();
        Play {
            base: Rc::clone(&self.grown.run),
            change: Change::Lost(left_out),
            order: Order::Names,
        }
    }

    /// Takes the end of a play in, and decides what is played next.
    fn learn(&mut self, end: End) -> Step {
        let waiting = end.waiting_pods();
        match self.step {
            Step::Before => {
                self.before = Some(end);
                match waiting {
                    0 => Step::Done,
                    _ => Step::All,
                }
            }
            Step::All => {
                self.all = Some(end);
                match waiting < self.waiting_before() {
                    true => Step::Most(0),
                    false => Step::Done,
                }
            }
            Step::Most(kind) => self.after_most(kind, waiting),
            Step::Between {
                kind,
                low,
                high,
                target,
            } => {
                let tried = low + (high - low) / 2;
                let (low, high) = match waiting <= target {
                    true => (low, tried),
                    false => (tried, high),
                };
                self.between(kind, low, high, target)
            }
            Step::Mix { kind, best } => {
                let is_best = best.is_none_or(|(_, least)| waiting < least);
                let best = if is_best { Some((kind, waiting)) } else { best };
                self.after_mix(kind, best)
            }
            Step::Done => Step::Done,
        }
    }

    fn waiting_before(&self) -> usize {
        self.before.as_ref().map_or(0, End::waiting_pods)
    }

    /// The number of Pods that wait with all nodes of all kinds.
    fn target(&self) -> usize {
        self.all.as_ref().map_or(0, End::waiting_pods)
    }

    fn after_most(&mut self, kind: usize, waiting: usize) -> Step {
        let most = self.kinds.get(kind).map_or(0, |it| it.nodes.len());
        match waiting < self.waiting_before() {
            true => self.between(kind, 0, most, waiting),
            false => self.next_kind(kind),
        }
    }

    /// Goes on halving, or keeps what was found: `high` nodes reach the target, and one fewer does not.
    fn between(&mut self, kind: usize, low: usize, high: usize, target: usize) -> Step {
        if high > low + 1 {
            return Step::Between {
                kind,
                low,
                high,
                target,
            };
        }
        self.found.extend(self.nodes_like(kind, high, target));
        self.next_kind(kind)
    }

    fn nodes_like(&self, kind: usize, nodes: usize, leaves: usize) -> Option<NodesLike> {
        let of = self.kinds.get(kind)?;
        Some(NodesLike {
            pool: of.pool.clone(),
            zone: of.zone.clone(),
            like: of.like.clone(),
            nodes,
            placed: self.waiting_before().saturating_sub(leaves),
            leaves,
        })
    }

    fn next_kind(&mut self, kind: usize) -> Step {
        if kind + 1 < self.kinds.len() {
            return Step::Most(kind + 1);
        }
        let is_enough = self.found.iter().any(|it| it.leaves <= self.target());
        if is_enough || self.found.is_empty() {
            return Step::Done;
        }
        self.mix = vec![0; self.kinds.len()];
        self.mix_leaves = self.waiting_before();
        Step::Mix {
            kind: 0,
            best: None,
        }
    }

    /// Goes on with the next kind, or takes the best one into the mix.
    fn after_mix(&mut self, kind: usize, best: Option<(usize, usize)>) -> Step {
        if kind + 1 < self.kinds.len() {
            return Step::Mix {
                kind: kind + 1,
                best,
            };
        }
        match best {
            Some((kind, waiting)) if waiting < self.mix_leaves => {
                if let Some(count) = self.mix.get_mut(kind) {
                    *count += 1;
                }
                self.mix_leaves = waiting;
                match waiting <= self.target() {
                    true => Step::Done,
                    false => Step::Mix {
                        kind: 0,
                        best: None,
                    },
                }
            }
            _ => Step::Done,
        }
    }

    /// What was found; `None` until it is known which Pods can be helped.
    pub fn answer(&self) -> Option<Need> {
        let before = self.before.as_ref()?;
        let mut pools = self.found.clone();
        pools.sort_by_key(|it| (it.leaves, it.nodes));
        let mixed = (0..).zip(&self.mix).filter(|(_, nodes)| **nodes > 0);
        let mix = mixed.filter_map(|(kind, nodes)| self.nodes_like(kind, *nodes, self.mix_leaves));
        let left = self.all.as_ref().into_iter().flat_map(|all| &all.waiting);
        let unhelped = left.filter(|(_, waiting)| waiting.pods > 0);
        Some(Need {
            release: self.ground.release(),
            seed: self.ground.options.seed,
            inferred: self.ground.manifests.prepared.inferred.len(),
            waiting_before: before.waiting_pods(),
            held: before.held_pods(),
            pools,
            mix: mix.collect(),
            unhelped: unhelped
                .map(|(workload, waiting)| Unhelped {
                    workload: workload.clone(),
                    pods: waiting.pods,
                    message: String::new(),
                    reason: String::new(),
                })
                .collect(),
        })
    }

    /// Why a workload's first Pod waits even with as many nodes of every pool as were tried.
    pub fn explain(&self, workload: &Workload) -> Option<Cycle> {
        explained(self.all.as_ref()?, workload)
    }
}
