//! Who acts between the controllers: the scheduler with its queue, and the kubelets.

use std::collections::BTreeSet;

use crate::base::sort;
use crate::sim::audit_log::Entry as Written;
use crate::sim::control_plane::Surroundings;
use crate::sim::history::{Entry, Line};
use crate::sim::kubelet::Kubelet;
use crate::sim::run::Attempt;
use crate::sim::scheduling::Scheduling;
use crate::sim::server::ApiServer;
use crate::sim::store::{Change, Key};
use crate::sim::timeline::script::KubeletRules;
use crate::sim::timeline::scripted::ScriptedFates;

use super::write_back::Binding;

/// Cycles of one moment: several for each Pod that a cluster can have.
const MAX_CYCLES: u32 = 1_000_000;

#[derive(Clone)]
pub(super) struct NodesAndScheduler {
    pub scheduling: Scheduling,
    pub kubelet: Kubelet,
    pub fates: ScriptedFates,
    /// Pods that have a node but wait for their volumes.
    pub binding: Vec<Binding>,
    /// Nodes whose kubelets have stopped.
    silent: BTreeSet<String>,
    /// Cycles of this moment.
    pub cycles: u32,
    /// The scheduler waits before its next cycle.
    pub holds: bool,
    /// It has one to make.
    pub is_held: bool,
    /// The last attempt, until somebody takes it.
    pub attempt: Option<Attempt>,
}

impl NodesAndScheduler {
    pub(super) fn new(scheduling: Scheduling, rules: KubeletRules) -> Self {
        NodesAndScheduler {
            scheduling,
            kubelet: if rules.by_containers {
                Kubelet::with_node_status()
            } else {
                Kubelet::new()
            },
            fates: ScriptedFates::new(rules),
            binding: Vec::new(),
            silent: BTreeSet::new(),
            cycles: 0,
            holds: false,
            is_held: false,
            attempt: None,
        }
    }

    /// Whether the scheduler has had so much to do in one moment that there may be no end to it.
    pub(super) fn is_restless(&self) -> bool {
        self.cycles >= MAX_CYCLES
    }

    /// Kubelets that fell silent stop, those that are heard of again work on.
    fn stop_silent_kubelets(&mut self, api: &mut ApiServer) {
        let silent: BTreeSet<String> = sort::gather(api.silent_nodes().map(|it| it.0.to_owned()));
        if silent == self.silent {
            return;
        }
        for node in self.silent.difference(&silent) {
            self.kubelet.start_node(node, api);
        }
        for node in silent.difference(&self.silent) {
            self.kubelet.stop_node(node, api);
        }
        self.silent = silent;
    }

    /// What was written since goes into the record; bindings are in their cycles.
    pub(super) fn take_journal(&mut self, api: &mut ApiServer) {
        let at = self.scheduling.instant;
        for written in api.take_journal() {
            let entry = match written {
                Written::Bound { .. } => continue,
                Written::Event(event) => Entry::Event { at, event },
                other => match other.write(Key::to_string) {
                    Some(write) => Entry::Wrote {
                        at,
                        line: Line(write),
                    },
                    None => continue,
                },
            };
            self.scheduling.entries.push(entry);
        }
    }
}

impl Surroundings for NodesAndScheduler {
    fn observe(&mut self, change: &Change, api: &mut ApiServer) {
        self.take_journal(api);
        self.fates.names.observe(change);
        self.kubelet.observe(change);
        self.scheduling.observe(change);
    }

    /// One cycle at a time: so a step forwards can be one.
    fn act(&mut self, api: &mut ApiServer) -> bool {
        self.take_journal(api);
        self.stop_silent_kubelets(api);
        self.kubelet.start_arrived(&mut self.fates, api);
        self.finish_bindings(api);
        if self.holds && self.scheduling.will_try() {
            self.is_held = true;
            return true;
        }
        let tried = self.scheduling.schedule_one();
        if tried {
            self.cycles += 1;
            self.attempt = self.scheduling.attempt.take().or(self.attempt.take());
            self.carry_out(api);
        }
        self.kubelet.end_graces(api);
        tried
    }
}
