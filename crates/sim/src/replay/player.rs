//! Plays a script on a cluster: each step runs at its time, after the work that is due at that time.

use crate::history::{Entry, Record};
use crate::scheduling::Scheduling;
use berth_base::time::Time;
use berth_core::api::decode::Finding;
use berth_core::api::script::{Script, Step};

use super::Played;
use super::steps::{Objects, act};

/// A cluster that a script can be played on: it has a clock, a queue, and objects to change.
pub(super) trait Cluster: Objects {
    /// Advances to the next moment with work due, but not beyond `until`, and works until nothing is left to do.
    /// `false` if no work is due by then; the time is `until` then.
    fn advance(&mut self, until: Time) -> bool;
    /// Works until nothing is left to do in this moment.
    fn settle(&mut self);
    /// Called after the acts of a step, before its entry goes into the record.
    fn end_step(&mut self, step: &Step);
    /// The livelock that stops the cluster, if there is one.
    fn livelock(&self) -> Option<Finding>;
    fn scheduling(&mut self) -> &mut Scheduling;
}

/// A script that is being played.
pub(super) struct Player<C> {
    pub(super) cluster: C,
    script: Script,
    /// Number of steps done.
    done: usize,
    refused: Vec<Finding>,
}

impl<C: Cluster> Player<C> {
    /// A script on a cluster that holds the scenario's objects and has settled.
    pub(super) fn new(cluster: C, script: Script) -> Self {
        Self {
            cluster,
            script,
            done: 0,
            refused: Vec::new(),
        }
    }

    /// Plays everything that is left.
    pub(super) fn play(mut self) -> Played {
        while self.advance() {}
        self.finish()
    }

    /// Advances to the next moment, or does the next step; `false` at the end, and after a livelock.
    pub(super) fn advance(&mut self) -> bool {
        if let Some(finding) = self.cluster.livelock() {
            self.refused.push(finding);
            return false;
        }
        // Steps later than `until` are done as well.
        let next = self.script.steps.get(self.done);
        let last = Time::at_second(self.script.until_seconds);
        if self.cluster.advance(next.map_or(last, |step| step.at)) {
            return true;
        }
        let Some(step) = next else {
            return false;
        };
        let mut does = Vec::new();
        for it in &step.acts {
            match act(&mut self.cluster, it) {
                Ok(lines) => does.extend(lines),
                Err(findings) => self.refused.extend(findings),
            }
        }
        self.cluster.end_step(step);
        let scheduling = self.cluster.scheduling();
        scheduling.entries.push(Entry::Step {
            at: scheduling.instant,
            step: self.done,
            does,
        });
        self.done += 1;
        self.cluster.settle();
        true
    }

    pub(super) fn finish(mut self) -> Played {
        let scheduling = self.cluster.scheduling();
        let kubernetes = scheduling.cache.cluster.release().version().full();
        let placed = scheduling
            .cache
            .cluster
            .pods()
            .iter()
            .filter(|pod| !pod.object.phase.is_terminal())
            .map(|pod| (pod.object.key(), pod.object.node_name.clone()))
            .collect();
        let record = Record {
            kubernetes,
            pop_from_backoff: self.script.pop_from_backoff,
            until_seconds: self.script.until_seconds,
            placed,
            entries: std::mem::take(&mut scheduling.entries),
            deleted: std::mem::take(&mut scheduling.deleted),
            waiting: scheduling.cache.queue.listing(),
        };
        Played {
            record,
            refused: self.refused,
        }
    }
}
