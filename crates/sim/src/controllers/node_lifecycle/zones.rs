//! The states of a cluster's zones, and the rate at which their nodes are tainted (`handleDisruption`).
//!
//! If many nodes of a zone are lost, the network is a likelier cause than the nodes. Tainting then slows down or
//! stops, and with it the eviction of their Pods.

use std::collections::BTreeMap;

use berth_protocol::node_order::zone_key;
use k8s_openapi::api::core::v1::Node;

use super::taint_queue::TaintQueue;

/// Milliseconds per node: 0.1 nodes per second (`--node-eviction-rate`).
const USUAL_MS: i64 = 10_000;
/// The same in a large zone with many lost nodes: 0.01 nodes per second (`--secondary-node-eviction-rate`).
const SLOW_MS: i64 = 100_000;
/// A zone with more nodes than this is large (`--large-cluster-size-threshold`).
const LARGE: usize = 50;
/// The minimum percentage of lost nodes in a disrupted zone (`--unhealthy-zone-threshold`), and their minimum number.
const DISRUPTED_PERCENT: usize = 55;
const DISRUPTED_NODES: usize = 3;

/// The state of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    Normal,
    PartialDisruption,
    FullDisruption,
}

/// The number of healthy and of lost nodes in each zone.
#[derive(Clone, Debug, Default)]
pub(super) struct Census {
    zones: BTreeMap<String, (usize, usize)>,
}

impl Census {
    pub(super) fn count(&mut self, zone: &str, is_well: bool) {
        let (well, lost) = self.zones.entry(zone.to_owned()).or_default();
        if is_well {
            *well += 1;
        } else {
            *lost += 1;
        }
    }

    fn size(&self, zone: &str) -> usize {
        self.zones.get(zone).map_or(0, |(well, lost)| well + lost)
    }

    /// The state of a zone (`ComputeZoneState`).
    fn state(&self, zone: &str) -> State {
        let (well, lost) = self.zones.get(zone).copied().unwrap_or_default();
        if well == 0 && lost > 0 {
            State::FullDisruption
        } else if lost >= DISRUPTED_NODES && lost * 100 >= DISRUPTED_PERCENT * (lost + well) {
            State::PartialDisruption
        } else {
            State::Normal
        }
    }
}

/// The consequence of the zones' states for all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All zones have just been lost: no node is tainted, and existing taints are removed.
    AllLost,
    /// Some zones have recovered after all were lost: all grace periods start again.
    SomeBack,
    Usual,
}

/// The zones, with the nodes queued for their taint.
#[derive(Clone, Debug, Default)]
pub(super) struct Zones {
    states: BTreeMap<String, State>,
    queues: BTreeMap<String, TaintQueue>,
}

impl Zones {
    /// Adds a zone if it is new.
    pub(super) fn add_zone(&mut self, zone: &str, now_ms: i64) {
        if !self.states.contains_key(zone) {
            self.states.insert(zone.to_owned(), State::Initial);
            let queue = TaintQueue::new(USUAL_MS, now_ms);
            self.queues.insert(zone.to_owned(), queue);
        }
    }

    /// Removes a healthy node from the queue.
    pub(super) fn unqueue(&mut self, zone: &str, node: &str) {
        if let Some(queue) = self.queues.get_mut(zone) {
            queue.forget(node);
        }
    }

    /// Queues a node for its taint. A node that is already queued moves to the end; a tainted node is not queued
    /// again while it has its taint.
    pub(super) fn queue_taint(&mut self, zone: &str, node: &str, is_tainted: bool) {
        if let Some(queue) = self.queues.get_mut(zone) {
            if !is_tainted {
                queue.forget(node);
            }
            queue.add(node);
        }
    }

    /// Takes the next node that may be tainted now.
    pub(super) fn pop_due(&mut self, now_ms: i64) -> Option<String> {
        let mut queues = self.queues.values_mut();
        queues.find_map(|queue| queue.take(now_ms))
    }

    /// When the next node may be tainted, in milliseconds.
    pub(super) fn next_due(&self) -> Option<i64> {
        self.queues.values().filter_map(TaintQueue::next_due).min()
    }

    /// Sets the pace in each zone by its new state.
    pub(super) fn judge(&mut self, census: &Census, now_ms: i64) -> Verdict {
        let new_state = |zone: &String| (zone.clone(), census.state(zone));
        let new: BTreeMap<String, State> =
            berth_base::sort::gather(census.zones.keys().map(new_state));
        let all_lost = new.values().all(|state| *state == State::FullDisruption);
        for zone in new.keys() {
            self.states.entry(zone.clone()).or_insert(State::Initial);
        }
        let all_were_lost = self.forget_empty(&new);
        if all_lost && all_were_lost {
            return Verdict::Usual;
        }
        if all_lost {
            for (zone, state) in &mut self.states {
                *state = State::FullDisruption;
                if let Some(queue) = self.queues.get_mut(zone) {
                    queue.set_pace(None, now_ms);
                }
            }
            return Verdict::AllLost;
        }
        for (zone, state) in &mut self.states {
            let Some(now) = new.get(zone) else { continue };
            if *state == *now && !all_were_lost {
                continue;
            }
            *state = *now;
            if let Some(queue) = self.queues.get_mut(zone) {
                queue.set_pace(pace(*now, census.size(zone)), now_ms);
            }
        }
        if all_were_lost {
            Verdict::SomeBack
        } else {
            Verdict::Usual
        }
    }

    /// Removes zones without nodes, up to the first zone that was not lost. Returns whether all were lost.
    fn forget_empty(&mut self, new: &BTreeMap<String, State>) -> bool {
        let zones: Vec<(String, State)> = self
            .states
            .iter()
            .map(|(zone, it)| (zone.clone(), *it))
            .collect();
        for (zone, state) in zones {
            if !new.contains_key(&zone) {
                self.states.remove(&zone);
            } else if state != State::FullDisruption {
                return false;
            }
        }
        true
    }
}

/// Milliseconds between two nodes; `None` to taint none.
fn pace(state: State, size: usize) -> Option<i64> {
    match state {
        State::PartialDisruption if size > LARGE => Some(SLOW_MS),
        State::PartialDisruption => None,
        _ => Some(USUAL_MS),
    }
}

/// Region and zone of a node; empty if it has neither (`GetZoneKey`).
pub(super) fn zone_of(node: &Node) -> String {
    let labels = node.metadata.labels.as_ref();
    let key = labels.and_then(zone_key);
    key.map_or_else(String::new, |(region, zone)| format!("{region}:\0:{zone}"))
}
