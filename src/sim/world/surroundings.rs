//! Who acts between the controllers: the scheduler with its queue, and the kubelets.

use crate::sim::control_plane::Surroundings;
use crate::sim::journal::Entry as Written;
use crate::sim::kubelet::Kubelet;
use crate::sim::record::Entry;
use crate::sim::scheduling::Scheduling;
use crate::sim::server::ApiServer;
use crate::sim::store::{Change, Key};
use crate::sim::timeline::fates::ScriptedFates;
use crate::sim::timeline::script::KubeletRules;

use super::beside;
use super::orders::Binding;

/// Cycles of one moment: several for each Pod that a cluster can have.
const MAX_CYCLES: u32 = 1_000_000;

#[derive(Clone)]
pub(super) struct Others {
    pub scheduling: Scheduling,
    pub kubelet: Kubelet,
    pub fates: ScriptedFates,
    /// Pods that have a node but wait for their volumes.
    pub binding: Vec<Binding>,
    /// A volume, a claim or a class changed.
    volumes_changed: bool,
    /// Cycles of this moment.
    pub cycles: u32,
}

impl Others {
    pub(super) fn new(scheduling: Scheduling, rules: KubeletRules) -> Self {
        Others {
            scheduling,
            kubelet: Kubelet::new(),
            fates: ScriptedFates::new(rules),
            binding: Vec::new(),
            volumes_changed: false,
            cycles: 0,
        }
    }

    /// Whether the scheduler has had so much to do in one moment that there may be no end to it.
    pub(super) fn is_restless(&self) -> bool {
        self.cycles >= MAX_CYCLES
    }

    /// What was written since goes into the record; bindings are in their cycles.
    pub(super) fn take_journal(&mut self, api: &mut ApiServer) {
        let at = self.scheduling.instant;
        for written in api.take_journal() {
            let entry = match written {
                Written::Bound { .. } => continue,
                Written::Event(event) => Entry::Event { at, event },
                other => match other.line(Key::to_string) {
                    Some(line) => Entry::Wrote { at, line },
                    None => continue,
                },
            };
            self.scheduling.entries.push(entry);
        }
    }
}

impl Surroundings for Others {
    fn observe(&mut self, change: &Change, api: &mut ApiServer) {
        self.take_journal(api);
        self.fates.names.observe(change);
        self.kubelet.observe(change);
        self.scheduling.observe(change);
        self.volumes_changed |= beside::is_about_volumes(change);
        if beside::is_policy(change) {
            beside::set_policies(api);
        }
    }

    /// One cycle at a time: so a step forwards can be one.
    fn act(&mut self, api: &mut ApiServer) -> bool {
        self.take_journal(api);
        self.kubelet.start_arrived(&mut self.fates, api);
        if std::mem::take(&mut self.volumes_changed) {
            beside::bind_what_can_be(api);
        }
        self.finish_bindings(api);
        let tried = self.scheduling.schedule_one();
        if tried {
            self.cycles += 1;
            self.carry_out(api);
        }
        self.kubelet.end_graces(api);
        tried
    }
}
