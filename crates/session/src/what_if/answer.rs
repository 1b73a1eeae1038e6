//! The answer to a question that was played.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

use berth_core::api::manifests::Manifests;
use berth_protocol::compare::{Summary, ZONE};
use berth_protocol::what_if::{
    Answer, Count, InPool, OfWorkload, OnNode, Question, Urgent, Workload,
};

use super::Asked;
use super::end::{End, Waiting};
use super::fit::by_pool;
use crate::frame;
use crate::history::{History, Now};
use crate::session::{Options, Session};
use crate::state::State;

impl Asked {
    /// The answer, from the orders that have been played; `None` until the first has.
    pub fn answer(&self) -> Option<Answer> {
        let changed = self.with.as_ref().unwrap_or(&self.ground);
        let ends = Ends {
            question: &self.question,
            manifests: &self.ground.manifests,
            changed: &changed.manifests,
            options: &self.ground.options,
            before: self.before.as_ref()?,
            ends: &self.ends,
        };
        ends.answer()
    }
}

/// The plays of a question that have ended.
pub(super) struct Ends<'a> {
    pub question: &'a Question,
    pub manifests: &'a Rc<Manifests>,
    /// The manifests with the nodes that were asked for.
    pub changed: &'a Rc<Manifests>,
    pub options: &'a Options,
    /// The end without the change.
    pub before: &'a End,
    /// The ends with it: that of the order of names, then those of the further orders.
    pub ends: &'a [End],
}

impl Ends<'_> {
    /// The answer; `None` before the first end.
    pub fn answer(&self) -> Option<Answer> {
        let (before, first) = (self.before, self.ends.first()?);
        let mut workloads: Vec<OfWorkload> = self
            .concerned()
            .into_iter()
            .map(|workload| self.of_workload(workload, first))
            .collect();
        workloads.sort_by_key(|it| {
            let waits = it.waiting.most > 0;
            (Reverse(it.more().by_name), Reverse(it.again), !waits)
        });
        Some(Answer {
            question: Some(self.question.clone()),
            release: release_of(self.manifests),
            seed: self.options.seed,
            orders: self.ends.len() - 1,
            inferred: self.manifests.prepared.inferred.len(),
            lost: first.lost.clone(),
            gone: first.gone,
            again: first.again.values().sum(),
            placed: self.count(End::placed_pods),
            waiting_before: before.waiting_pods(),
            waiting: self.count(End::waiting_pods),
            more: self.count(|end| end.more_pods(before)),
            fewer: self.count(|end| before.more_pods(end)),
            held: first.held_pods(),
            urgent: urgent(first.more_than(before)),
            moved: self.count(|end| end.moved),
            empty_before: before.empty,
            empty: self.count(|end| end.empty),
            workloads,
            pools: self.pools(first),
            figures_before: self.figures(self.manifests, before),
            figures: self.figures(self.changed, first),
            drains: None,
            evictions: None,
        })
    }

    fn count(&self, of: impl Fn(&End) -> usize) -> Count {
        Count::of(self.ends.iter().map(of))
    }

    /// The workloads that the change concerns, and those of which Pods wait.
    fn concerned(&self) -> BTreeSet<&Workload> {
        let ends = [self.before].into_iter().chain(self.ends);
        ends.flat_map(|end| end.waiting.keys().chain(end.again.keys()))
            .collect()
    }

    /// The replicas that were asked for, by pool of nodes.
    fn pools(&self, first: &End) -> Vec<InPool> {
        let (Question::Fit { .. }, Some(now)) = (self.question, &first.now) else {
            return Vec::new();
        };
        let pools = by_pool(now.snapshot().cluster(), &first.placed);
        let pools = pools.into_iter();
        pools.map(|(pool, pods)| InPool { pool, pods }).collect()
    }

    fn of_workload(&self, workload: &Workload, first: &End) -> OfWorkload {
        let waiting = first.waiting.get(workload);
        let nodes = first.placed.get(workload).into_iter().flatten();
        OfWorkload {
            workload: workload.clone(),
            again: first.again.get(workload).copied().unwrap_or_default(),
            placed: self.count(|end| end.placed_of(workload)),
            nodes: nodes
                .map(|(node, pods)| OnNode {
                    node: node.clone(),
                    pods: *pods,
                })
                .collect(),
            waiting_before: self.before.waiting_of(workload),
            waiting: self.count(|end| end.waiting_of(workload)),
            held: waiting.map_or(0, |waiting| waiting.held),
            priority: waiting.map_or(0, |waiting| waiting.priority),
            message: String::new(),
            reason: String::new(),
        }
    }

    /// The figures of an end that was kept; those of living clusters are not told.
    fn figures(&self, manifests: &Rc<Manifests>, end: &End) -> Summary {
        let Some(now @ Now::Rounds(_)) = &end.now else {
            return Summary::default();
        };
        let state = State {
            options: self.options.clone(),
            ..State::default()
        };
        let history = History::new(now.checkpoint(), Rc::clone(manifests));
        let session = Session::of(state, history);
        Summary {
            preemptions: end.preemptions,
            ..Summary::of(&frame::build(&session), ZONE)
        }
    }
}

/// The release that is followed.
pub(super) fn release_of(manifests: &Manifests) -> String {
    let release = &manifests.prepared.release;
    release.version().minor().to_owned()
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
