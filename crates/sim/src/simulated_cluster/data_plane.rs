//! The components besides the controllers: the scheduler with its queue, and the kubelets.

use std::collections::BTreeSet;

use crate::audit_log::AuditEntry;
use crate::control_plane::DataPlane;
use crate::history::{Entry, Line};
use crate::kubelet::Kubelet;
use crate::round_robin::RoundRobin;
use crate::run::Attempt;
use crate::scheduling::Scheduling;
use crate::scripted_pods::ScriptedPods;
use crate::server::ApiServer;
use crate::store::{Change, Key};
use berth_base::sort;
use berth_core::api::script::KubeletRules;

use super::Placement;
use super::write_back::Binding;

#[derive(Clone)]
pub(super) struct SchedulerAndKubelets {
    pub scheduling: Scheduling,
    pub kubelet: Kubelet,
    pub pods: ScriptedPods,
    /// Binds Pods in the scheduler's place.
    round_robin: Option<RoundRobin>,
    /// Pods that have a node but wait for their volumes.
    pub binding: Vec<Binding>,
    /// Nodes whose kubelets have stopped.
    silent: BTreeSet<String>,
    /// Whether the scheduler stops before its next cycle; the controllers and kubelets work on.
    pub holds: bool,
    /// The last attempt, until [`SimulatedCluster::attempt`](super::SimulatedCluster::attempt) takes it.
    pub attempt: Option<Attempt>,
}

impl SchedulerAndKubelets {
    pub(super) fn new(scheduling: Scheduling, rules: KubeletRules, placement: Placement) -> Self {
        let is_scheduled = placement == Placement::Scheduler;
        SchedulerAndKubelets {
            scheduling,
            kubelet: if rules.by_containers && is_scheduled {
                Kubelet::with_node_status(rules.processes)
            } else {
                Kubelet::new()
            },
            pods: ScriptedPods::new(rules),
            round_robin: (!is_scheduled).then(RoundRobin::default),
            binding: Vec::new(),
            silent: BTreeSet::new(),
            holds: false,
            attempt: None,
        }
    }

    /// Stops the kubelets whose heartbeats have ended, and starts those whose heartbeats are back.
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

    /// Moves the API server's new audit entries into the record. Bindings are part of their cycles' entries.
    pub(super) fn record_audit_log(&mut self, api: &mut ApiServer) {
        if self.round_robin.is_some() {
            return;
        }
        let at = self.scheduling.instant;
        for written in api.take_audit_log() {
            let entry = match written {
                AuditEntry::Bound { .. } => continue,
                AuditEntry::Event(event) => Entry::Event { at, event },
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

impl DataPlane for SchedulerAndKubelets {
    fn observe(&mut self, change: &Change, api: &mut ApiServer) {
        self.record_audit_log(api);
        self.pods.hashes.observe(change);
        self.kubelet.observe(change);
        match &mut self.round_robin {
            Some(binder) => binder.observe(change),
            None => self.scheduling.observe(change),
        }
    }

    /// Runs at most one scheduling cycle, so that a step forward can be one attempt.
    fn act(&mut self, api: &mut ApiServer) -> bool {
        self.record_audit_log(api);
        self.stop_silent_kubelets(api);
        self.kubelet.start_arrived(&mut self.pods, api);
        if let Some(binder) = &mut self.round_robin {
            binder.act(&mut self.kubelet, &mut self.pods, api);
            self.kubelet.end_graces(api);
            return false;
        }
        self.finish_bindings(api);
        let waits = self.holds && self.scheduling.will_try();
        let tried = !waits && self.scheduling.schedule_one();
        if tried {
            self.attempt = self.scheduling.attempt.take().or(self.attempt.take());
            self.carry_out(api);
        }
        self.kubelet.end_graces(api);
        tried
    }
}
