//! The scheduling cycle, which places one Pod, and the scheduling queue. Nothing here names a plugin.

mod answers;
pub mod cycle;
mod failure;
mod memo;
pub mod observer;
pub mod queue;
mod ranking;
mod score;
mod search;
mod select;

use std::rc::Rc;

use crate::cluster::NodeIx;
use crate::cluster::pod::PodInfo;
use crate::framework::runner::Profile;
use answers::Answers;
use berth_base::random::Random;
use memo::Memo;
use ranking::Ranking;

/// How a tie among the best nodes is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// Take the alphabetically first node, which makes runs comparable.
    #[default]
    First,
    /// Take a seeded random node, as kube-scheduler takes a random one.
    Random,
}

/// State that carries over from one cycle to the next, besides the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    next_start: usize,
    random: Random,
}

/// The profiles and the state between cycles.
#[derive(Clone)]
pub struct Scheduler {
    profiles: Rc<[Profile]>,
    /// `percentageOfNodesToScore` for profiles without one; 0: depends on the cluster's size.
    percentage_of_nodes_to_score: i32,
    /// Index into the node list where the next search starts.
    next_start: usize,
    tie_break: TieBreak,
    /// The node that wins each tie it is in, before `tie_break` is asked.
    preferred: Option<NodeIx>,
    seed: u64,
    random: Random,
    /// Derived state, so a copy may start without it.
    memory: Memory,
}

/// Results of earlier cycles.
#[derive(Debug, Default)]
struct Memory {
    /// Verdicts and scores of unchanged nodes.
    memo: Memo,
    /// Nodes by what they are for Pods of a template.
    ranking: Ranking,
    /// Pods that fitted nowhere.
    answers: Answers,
}

impl Clone for Memory {
    /// Empty: a copy is a checkpoint more often than not, and cycles make what they need again.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Scheduler {
    /// A scheduler with these profiles.
    pub fn new(
        profiles: Vec<Profile>,
        percentage_of_nodes_to_score: i32,
        tie_break: TieBreak,
        seed: u64,
    ) -> Self {
        Self {
            profiles: profiles.into(),
            percentage_of_nodes_to_score,
            next_start: 0,
            tie_break,
            preferred: None,
            seed,
            random: Random::new(seed),
            memory: Memory::default(),
        }
    }

    /// The profiles, in the order of the configuration.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// The index of the profile named by the Pod's `schedulerName`.
    pub fn profile_of(&self, pod: &PodInfo) -> Option<usize> {
        let wanted = pod
            .object
            .template
            .spec
            .scheduler_name
            .as_deref()
            .unwrap_or("default-scheduler");
        self.profiles
            .iter()
            .position(|profile| profile.scheduler_name == wanted)
    }

    /// The state that the next cycle starts from.
    pub fn position(&self) -> Position {
        Position {
            next_start: self.next_start,
            random: self.random.clone(),
        }
    }

    /// Continues from an earlier position.
    pub fn set_position(&mut self, position: &Position) {
        self.next_start = position.next_start;
        self.random = position.random.clone();
    }

    /// Breaks ties by another seed from now on.
    pub fn reseed(&mut self, seed: u64) {
        self.seed = seed;
        self.random = Random::new(seed);
    }

    /// From now on this node wins each tie that it is in: another scheduler took it.
    pub fn prefer(&mut self, node: Option<NodeIx>) {
        self.preferred = node;
    }

    /// A copy without the memory: smaller, with the same decisions.
    pub fn without_memory(&self) -> Self {
        Self {
            profiles: Rc::clone(&self.profiles),
            memory: Memory::default(),
            random: self.random.clone(),
            ..*self
        }
    }
}
