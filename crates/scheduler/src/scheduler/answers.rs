//! The answers to Pods that fitted nowhere. While nothing changes, a Pod of the same class gets the same.

use std::collections::BTreeMap;

use crate::cluster::class::ClassIx;
use crate::framework::plugin::Context;
use crate::framework::runner::{PreFilterOutcome, Profile};
use crate::framework::state::CycleState;

use super::cycle::Unschedulable;

/// Maximum number of answers; further ones are not kept. Most have less than 1 kB.
const CAPACITY: usize = 4096;

/// When an answer was given: the version of the cluster and the node at which the search began.
pub type Moment = (u64, usize);

/// The answers of one moment, by profile and class.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    moment: Moment,
    by_class: BTreeMap<(usize, ClassIx), Unschedulable>,
}

impl Answers {
    /// The answer to a Pod of the class at the same moment.
    pub fn get(&mut self, now: Moment, of: (usize, ClassIx)) -> Option<&Unschedulable> {
        if self.moment != now {
            self.by_class.clear();
            self.moment = now;
        }
        self.by_class.get(&of)
    }

    /// Keeps an answer, unless it changes the cluster.
    pub fn keep(&mut self, now: Moment, of: (usize, ClassIx), answer: &Unschedulable) {
        let changes = answer.preemption.is_some() || answer.deallocated.is_some();
        if !changes && self.moment == now && self.by_class.len() < CAPACITY {
            self.by_class.insert(of, answer.clone());
        }
    }
}

/// Whether Pods of a class share their answers: plugins that look at claims and volumes tell them apart by their names,
/// and a nominated Pod has a node of its own.
pub fn may_share(
    cx: Context<'_>,
    profile: &Profile,
    state: &CycleState,
    outcome: &PreFilterOutcome,
) -> bool {
    let depends_on_class = |plugin: usize| {
        let plugin = &profile.plugins[plugin];
        let is_by_domain = || {
            let plugin = plugin.as_by_domain();
            plugin.is_some_and(|plugin| plugin.terms(cx, state).is_some())
        };
        let filter = plugin.as_filter();
        filter.is_none_or(|filter| filter.is_node_local()) || is_by_domain()
    };
    let is_settled = outcome.rejected.is_none() && outcome.only.is_none();
    let mut plugins = outcome.ran.iter().chain(&profile.filter).copied();
    cx.pod.object.nominated_node.is_none()
        && is_settled
        && plugins.all(|plugin| outcome.skipped.contains(plugin) || depends_on_class(plugin))
}
