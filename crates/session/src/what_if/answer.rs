//! The answer to a question that was played.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

use berth_protocol::compare::{Summary, ZONE};
use berth_protocol::what_if::{
    Answer, Count, InPool, OfWorkload, OnNode, Question, Urgent, Workload,
};

use super::end::{End, Waiting};
use super::fit::by_pool;
use super::{Asked, Ground};
use crate::Session;
use crate::history::{History, Now};
use crate::state::State;

impl Asked {
    /// The answer, from the orders that have been played; `None` until the first has.
    pub fn answer(&self) -> Option<Answer> {
        let (before, first) = (self.before.as_ref()?, self.ends.first()?);
        let count = |of: &dyn Fn(&End) -> usize| Count::of(self.ends.iter().map(of));
        let mut workloads: Vec<OfWorkload> = self
            .concerned()
            .into_iter()
            .map(|workload| self.of_workload(workload, before, first))
            .collect();
        workloads.sort_by_key(|it| {
            let waits = it.waiting.most > 0;
            (Reverse(it.more().by_name), Reverse(it.again), !waits)
        });
        Some(Answer {
            question: Some(self.question.clone()),
            release: self.ground.release(),
            seed: self.ground.options.seed,
            orders: self.ends.len() - 1,
            inferred: self.ground.manifests.prepared.inferred.len(),
            lost: first.lost.clone(),
            gone: first.gone,
            again: first.again.values().sum(),
            placed: count(&End::placed_pods),
            waiting_before: before.waiting_pods(),
            waiting: count(&End::waiting_pods),
            more: count(&|end| end.more_pods(before)),
            fewer: count(&|end| before.more_pods(end)),
            held: first.held_pods(),
            urgent: urgent(first.more_than(before)),
            moved: count(&|end| end.moved),
            empty_before: before.empty,
            empty: count(&|end| end.empty),
            workloads,
            pools: self.pools(first),
            figures_before: self.ground.figures(before),
            figures: self.with.as_ref().unwrap_or(&self.ground).figures(first),
        })
    }

    /// The workloads that the change concerns, and those of which Pods wait.
    fn concerned(&self) -> BTreeSet<&Workload> {
        let ends = self.before.iter().chain(&self.ends);
        ends.flat_map(|end| end.waiting.keys().chain(end.again.keys()))
            .collect()
    }

    /// The replicas that were asked for, by pool of nodes.
    fn pools(&self, first: &End) -> Vec<InPool> {
        let (Question::Fit { .. }, Some(run)) = (&self.question, &first.run) else {
            return Vec::new();
        };
        let pools = by_pool(run.snapshot().cluster(), &first.placed);
        let pools = pools.into_iter();
        pools.map(|(pool, pods)| InPool { pool, pods }).collect()
    }

    fn of_workload(&self, workload: &Workload, before: &End, first: &End) -> OfWorkload {
        let count = |of: &dyn Fn(&End) -> usize| Count::of(self.ends.iter().map(of));
        let waiting = first.waiting.get(workload);
        let nodes = first.placed.get(workload).into_iter().flatten();
        OfWorkload {
            workload: workload.clone(),
            again: first.again.get(workload).copied().unwrap_or_default(),
            placed: count(&|end| end.placed_of(workload)),
            nodes: nodes
                .map(|(node, pods)| OnNode {
                    node: node.clone(),
                    pods: *pods,
                })
                .collect(),
            waiting_before: before.waiting_of(workload),
            waiting: count(&|end| end.waiting_of(workload)),
            held: waiting.map_or(0, |waiting| waiting.held),
            priority: waiting.map_or(0, |waiting| waiting.priority),
            message: String::new(),
            reason: String::new(),
        }
    }
}

/// The highest priority above 0 of the workloads of which more Pods wait, and how many more these are.
pub(super) fn urgent<'e>(
    more: impl Iterator<Item = (&'e Workload, &'e Waiting, usize)>,
) -> Option<Urgent> {
    let mut urgent: Option<Urgent> = None;
    for (_, waiting, pods) in more.filter(|(_, waiting, _)| waiting.priority > 0) {
        let value = waiting.priority;
        match &mut urgent {
            Some(known) if known.value > value => {}
            Some(known) if known.value == value => known.pods += pods,
            _ => {
                let class = waiting.class.clone();
                urgent = Some(Urgent {
                    priority: class.unwrap_or_else(|| value.to_string()),
                    value,
                    pods,
                });
            }
        }
    }
    urgent
}

impl Ground {
    /// The release that is followed.
    pub(super) fn release(&self) -> String {
        let release = &self.manifests.prepared.release;
        release.version().minor().to_owned()
    }

    /// The figures of an end that was kept.
    fn figures(&self, end: &End) -> Summary {
        let Some(run) = &end.run else {
            return Summary::default();
        };
        let now = Now::Rounds(Box::new(run.checkpoint()));
        let state = State {
            options: self.options.clone(),
            ..State::default()
        };
        let session = Session::of(state, History::new(now, Rc::clone(&self.manifests)));
        Summary {
            preemptions: end.preemptions,
            ..Summary::of(&session.frame(), ZONE)
        }
    }
}
