//! Who acts between the controllers: the scheduler with its queue, and the kubelets.

use k8s_openapi::api::core::v1::Pod;

use crate::sim::control_plane::Surroundings;
use crate::sim::journal::Entry as Written;
use crate::sim::kubelet::Kubelet;
use crate::sim::replay::record::Entry;
use crate::sim::replay::{Order, Replay};
use crate::sim::server::ApiServer;
use crate::sim::store::{Change, Key};
use crate::sim::timeline::fates::ScriptedFates;
use crate::sim::timeline::script::KubeletRules;

/// Cycles of one moment: several for each Pod that a cluster can have.
const MAX_CYCLES: u32 = 1_000_000;

pub(super) struct World {
    pub replay: Replay,
    pub kubelet: Kubelet,
    pub fates: ScriptedFates,
    /// Cycles of this moment.
    pub cycles: u32,
}

impl World {
    pub(super) fn new(replay: Replay, rules: KubeletRules) -> Self {
        World {
            replay,
            kubelet: Kubelet::new(),
            fates: ScriptedFates::new(rules),
            cycles: 0,
        }
    }

    /// Whether the scheduler has had so much to do in one moment that there may be no end to it.
    pub(super) fn is_restless(&self) -> bool {
        self.cycles >= MAX_CYCLES
    }

    /// What was written since goes into the record; bindings are in their cycles.
    pub(super) fn take_journal(&mut self, api: &mut ApiServer) {
        let at = self.replay.instant;
        for written in api.take_journal() {
            let entry = match written {
                Written::Bound { .. } => continue,
                Written::Event(event) => Entry::Event { at, event },
                other => match other.line(Key::to_string) {
                    Some(line) => Entry::Wrote { at, line },
                    None => continue,
                },
            };
            self.replay.entries.push(entry);
        }
    }

    /// Writes what the scheduler has decided. A bound Pod starts at once.
    fn carry_out(&mut self, api: &mut ApiServer) {
        let orders = self.replay.orders.as_mut().map(std::mem::take);
        for order in orders.into_iter().flatten() {
            match order {
                Order::Delete { pod } => {
                    // It ran a moment ago.
                    let _ = api.delete::<Pod>(&pod);
                }
                Order::Bind { pod, node } => {
                    let Some(current) = api.store().pods.get(&pod) else {
                        continue;
                    };
                    let mut bound = (**current).clone();
                    bound.spec.get_or_insert_default().node_name = Some(node.to_string());
                    self.kubelet.start(&mut bound, &mut self.fates, api);
                    // It was read a moment ago.
                    let _ = api.bind(bound, &node);
                }
            }
        }
        self.take_journal(api);
    }
}

impl Surroundings for World {
    fn observe(&mut self, change: &Change, api: &mut ApiServer) {
        self.take_journal(api);
        self.fates.names.observe(change);
        self.kubelet.observe(change);
        self.replay.observe(change);
    }

    fn act(&mut self, api: &mut ApiServer) {
        self.take_journal(api);
        self.kubelet.start_arrived(&mut self.fates, api);
        while !self.is_restless() && self.replay.schedule_one() {
            self.cycles += 1;
            self.carry_out(api);
        }
        self.kubelet.end_graces(api);
    }
}
