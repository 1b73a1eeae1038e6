//! The scheduling cycle: one Pod in, one decision out; and the queue of those that wait. Names no plugin.

pub mod cycle;
mod memo;
pub mod observer;
pub mod queue;
mod score;
mod search;
mod select;

use std::rc::Rc;

use crate::base::random::Random;
use crate::cluster::pod::PodInfo;
use crate::framework::runner::Profile;
use memo::Memo;

/// How a tie between the best nodes is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// The alphabetically first: for comparing runs.
    #[default]
    First,
    /// One at random, by seed, as kube-scheduler does.
    Random,
}

/// What one cycle leaves to the next, besides the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    next_start: usize,
    random: Random,
}

/// Profiles and what is remembered from one cycle to the next.
#[derive(Clone)]
pub struct Scheduler {
    profiles: Rc<[Profile]>,
    /// `percentageOfNodesToScore` for profiles that do not say; 0: by cluster size.
    percentage_of_nodes_to_score: i32,
    /// Where in the node list the next search begins.
    next_start: usize,
    tie_break: TieBreak,
    seed: u64,
    random: Random,
    /// What is known of nodes that have not changed; derived, so a copy may start without.
    memo: Memo,
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
            seed,
            random: Random::new(seed),
            memo: Memo::default(),
        }
    }

    /// The profiles, in the order of the configuration.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// The profile that the Pod's `schedulerName` asks for.
    pub fn profile_of(&self, pod: &PodInfo) -> Option<usize> {
        let wanted = pod.object.template.spec.scheduler_name.as_deref();
        let wanted = wanted.unwrap_or("default-scheduler");
        self.profiles
            .iter()
            .position(|profile| profile.scheduler_name == wanted)
    }

    /// Where the next cycle starts from.
    pub fn position(&self) -> Position {
        Position {
            next_start: self.next_start,
            random: self.random.clone(),
        }
    }

    /// Goes on from a position that was taken before.
    pub fn set_position(&mut self, position: &Position) {
        self.next_start = position.next_start;
        self.random = position.random.clone();
    }

    /// A copy without memory: it decides the same and is small.
    pub fn without_memory(&self) -> Self {
        Self {
            profiles: Rc::clone(&self.profiles),
            memo: Memo::default(),
            random: self.random.clone(),
            ..*self
        }
    }
}
