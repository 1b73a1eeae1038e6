//! Plays in the living cluster: nodes come, are drained as by `kubectl drain`, and go.
//!
//! A play is stepped moment by moment, as a terminal steps the commands that wait. A copy is a checkpoint.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use berth_base::time::{Span, Time};
use berth_core::api::load::read_object;
use berth_protocol::what_if::{BlockedPod, Drains, Evictions, HeldUp, NodeDrain, PodsOf, Workload};
use berth_sim::drain::{self, Course, DrainOptions, DryRun, PATIENCE_MS, PatientDrain};
use berth_sim::pod_util;
use berth_sim::run::Order;
use berth_sim::server::{ApiError, EvictOptions};
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::store::{Key, Object, uid_of};
use serde_json::Value;

use super::end::FinishedPlay;
use super::evict;
use crate::compare::stays;
use crate::descheduler::Policy;
use crate::drain::{Fate, fate_of};
use crate::history::Now;
use crate::simulated::Simulated;
use crate::workload;

/// Moments of settling between two looks at the caller.
const MOMENTS: u32 = 20;

/// Between the lines of a terminal: time passes.
pub const SETTLE: &str = "# wait until the Pods are placed and ready";
/// A cluster is at rest if nothing is due within this time. The disruption controller looks again two minutes after each
/// eviction, and Deployments have their deadlines: neither places a Pod.
const REST: Span = Span::seconds(60);

/// Until when a cluster comes to rest at the latest.
pub(crate) fn rests_by(cluster: &SimulatedCluster) -> Time {
    cluster.now().after(Span::seconds(PATIENCE_MS / 1_000))
}

/// Plays up to so many moments; returns whether all that can be placed is, and is ready, or the time is over.
pub(crate) fn comes_to_rest(cluster: &mut SimulatedCluster, until: Time, moments: u32) -> bool {
    for _ in 0..moments {
        cluster.settle();
        let soon = cluster.now().after(REST).min(until);
        match cluster.next_step(soon) {
            Some(next) if cluster.livelock().is_none() => drop(cluster.advance(next)),
            _ => return true,
        }
    }
    false
}

/// What is done to nodes.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// A node comes. `in_place_of`: only if this one has gone.
    Come {
        node: Rc<Value>,
        in_place_of: Option<String>,
    },
    Cordon(String),
    /// `batch`: its number, from 1.
    Drain {
        node: String,
        batch: usize,
    },
    /// The node goes, if its drain came to its end.
    Delete(String),
    /// A cycle of the descheduler, in this moment.
    Evict(Rc<Policy>),
    /// Time passes until all that can be placed is, and is ready.
    Settle,
}

/// A cluster to which things are done.
#[derive(Clone)]
pub(super) struct Live {
    pub cluster: SimulatedCluster,
    acts: VecDeque<Act>,
    order: Order,
    began: Time,
    draining: Option<Draining>,
    /// Until when it settles at the latest.
    settling: Option<Time>,
    pub drains: Drains,
    /// What the descheduler evicted.
    pub evictions: Option<Evictions>,
    pub lost: Vec<String>,
    /// Number of Pods of DaemonSets and of static Pods that are gone with their nodes.
    pub gone: usize,
}

/// The drain that goes on.
#[derive(Clone)]
struct Draining {
    drain: PatientDrain,
    told: NodeDrain,
    /// The time in which each budget refused evictions, in milliseconds: its beginning and its end.
    held: BTreeMap<String, (i64, i64)>,
    /// The uids of the Pods that it evicts: others may come to the node meanwhile.
    evicts: BTreeSet<String>,
}

impl Live {
    /// The play of what is done to this cluster, from now.
    pub fn new(cluster: SimulatedCluster, acts: Vec<Act>, order: Order) -> Self {
        let mut cluster = cluster;
        if let Order::Seed(seed) = order {
            cluster.reseed(seed);
        }
        Self {
            began: cluster.now(),
            cluster,
            acts: acts.into(),
            order,
            draining: None,
            settling: None,
            drains: Drains::default(),
            evictions: None,
            lost: Vec::new(),
            gone: 0,
        }
    }

    /// More is done to it.
    pub fn then(&mut self, acts: impl IntoIterator<Item = Act>) {
        self.acts.extend(acts);
    }

    /// Plays a moment; returns whether more remain.
    pub fn step(&mut self) -> bool {
        self.cluster.take_record();
        if let Some(draining) = self.draining.take() {
            self.go_on(draining);
        } else if let Some(until) = self.settling {
            if comes_to_rest(&mut self.cluster, until, MOMENTS) {
                self.settling = None;
            }
        } else if let Some(act) = self.acts.pop_front() {
            self.begin(act);
        } else {
            return false;
        }
        true
    }

    fn begin(&mut self, act: Act) {
        // As before each line of a terminal: between two cordons, the scheduler may place a Pod.
        self.cluster.settle();
        match act {
            Act::Come { node, in_place_of } => {
                let waits_for = in_place_of.filter(|old| self.has_node(old));
                if waits_for.is_none() {
                    self.come(&node);
                }
            }
            Act::Cordon(node) => {
                let api = self.cluster.api_mut();
                if drain::cordon(&node, true, DryRun::None, api).is_ok() {
                    self.drains.lines.push(format!("kubectl cordon {node}"));
                }
            }
            Act::Drain { node, batch } => self.drain(&node, batch),
            Act::Delete(node) => {
                if !self.is_blocked(&node) {
                    self.delete(&node);
                }
            }
            Act::Evict(policy) => {
                let evicted = evict::evicted(&mut self.cluster, &policy);
                self.lost.extend(evicted.lost);
                self.drains.unmade.extend(evicted.unmade);
                self.evictions = Some(evicted.evictions);
            }
            Act::Settle => {
                self.settling = Some(rests_by(&self.cluster));
                self.drains.lines.push(SETTLE.to_owned());
            }
        }
    }

    fn has_node(&self, name: &str) -> bool {
        let nodes = &self.cluster.api().store().nodes;
        nodes.get(&Key::new("", name)).is_some()
    }

    /// Whether Pods of the node could not be evicted.
    pub fn is_blocked(&self, node: &str) -> bool {
        let mut nodes = self.drains.nodes.iter();
        nodes.any(|it| it.node == node && !it.is_drained)
    }

    fn come(&mut self, node: &Value) {
        let object = read_object(node).0;
        let object = object.as_ref().and_then(Object::of_manifest);
        let api = self.cluster.api_mut();
        let Some(Ok(made)) = object.map(|object| api.create_object(object)) else {
            return;
        };
        let name = made.metadata().name.clone().unwrap_or_default();
        self.drains
            .lines
            .push(format!("kubectl create -f {name}.yaml"));
        self.drains.came.push(name);
    }

    /// The node goes, with the Pods that stay on it.
    fn delete(&mut self, node: &str) {
        let seen = self.cluster.seen();
        let pods = seen.find_node(node).into_iter().flat_map(|it| &it.pods);
        let pods = pods.filter_map(|pod| seen.pods().get(*pod));
        let gone = pods.filter(|pod| stays(pod)).count();
        let api = self.cluster.api_mut();
        if api.delete_object("Node", &Key::new("", node)).is_ok() {
            self.gone += gone;
            self.drains
                .lines
                .push(format!("kubectl delete node {node}"));
        }
    }

    fn seconds(&self) -> i64 {
        let passed = self.cluster.now().counted_from(self.began);
        passed.milliseconds().div_euclid(1_000)
    }

    fn drain(&mut self, node: &str, batch: usize) {
        let options = DrainOptions {
            order: match self.order {
                Order::Names => None,
                Order::Seed(seed) => Some(seed),
            },
            ..DrainOptions::of_all_pods()
        };
        let evict = drain::plan(node, &options, self.cluster.api()).evict;
        self.note_lost(&evict);
        let told = NodeDrain {
            node: node.to_owned(),
            batch,
            from: self.seconds(),
            ..NodeDrain::default()
        };
        let nodes = [node.to_owned()];
        let started = PatientDrain::start(&nodes, options, self.cluster.api_mut());
        let Ok((drain, _)) = started else { return };
        self.drains.lines.push(drain::line_of_all_pods(node));
        let draining = Draining {
            drain,
            told: NodeDrain {
                workloads: self.by_workload(&evict),
                ..told
            },
            held: BTreeMap::new(),
            evicts: evict.iter().filter_map(|key| self.uid(key)).collect(),
        };
        self.go_on(draining);
    }

    /// What becomes of the Pods that nothing makes again.
    fn note_lost(&mut self, evict: &[Key]) {
        let api = self.cluster.api();
        for key in evict {
            match fate_of(key, api, true) {
                Fate::Lost => self.lost.push(key.to_string()),
                Fate::Unmade => self.drains.unmade.push(key.to_string()),
                Fate::Replaced(_) | Fate::Gone => {}
            }
        }
    }

    fn by_workload(&self, pods: &[Key]) -> Vec<PodsOf> {
        let mut found: BTreeMap<Workload, usize> = BTreeMap::new();
        for key in pods {
            let pod = self.cluster.seen().pods().find(key.namespace(), key.name());
            if let Some(pod) = pod.filter(|pod| !pod.object.phase.is_terminal()) {
                *found.entry(workload::of(pod)).or_default() += 1;
            }
        }
        let mut all: Vec<PodsOf> = found
            .into_iter()
            .map(|(workload, pods)| PodsOf { workload, pods })
            .collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.pods));
        all
    }

    /// Plays the drain to the next moment.
    fn go_on(&mut self, mut draining: Draining) {
        self.cluster.settle();
        let before = self.cluster.api().stamp();
        let (_, course) = draining.drain.poll(self.cluster.api_mut());
        self.note_refusals(&mut draining);
        match course {
            Course::Done | Course::GivenUp => self.end_drain(draining),
            Course::Waits(until) => {
                // Controllers may react to the evictions at once.
                if self.cluster.api().stamp() == before {
                    let until = Time::at_microsecond(until.saturating_mul(1_000));
                    self.cluster.advance(until);
                }
                self.draining = Some(draining);
            }
        }
    }

    fn note_refusals(&self, draining: &mut Draining) {
        let api = self.cluster.api();
        let now = api.now_ms();
        for refused in draining.drain.refusals() {
            for budget in self.budgets_of(refused.pod) {
                let span = draining
                    .held
                    .entry(budget)
                    .or_insert((refused.since_ms, now));
                span.1 = now;
            }
        }
    }

    fn budgets_of(&self, pod: &Key) -> Vec<String> {
        let api = self.cluster.api();
        let pod = api.store().pods.get(pod);
        let budgets = pod.map(|pod| api.budgets_of(pod)).unwrap_or_default();
        let keys = budgets.iter().map(|it| Key::of(&it.metadata).to_string());
        keys.collect()
    }

    fn end_drain(&mut self, draining: Draining) {
        let Draining {
            drain,
            mut told,
            held,
            evicts,
        } = draining;
        let since: BTreeMap<Key, i64> = drain
            .refusals()
            .map(|refused| (refused.pod.clone(), refused.since_ms))
            .collect();
        let left = match drain.is_done() && !drain.has_failed() {
            true => Vec::new(),
            false => {
                let options = DrainOptions::of_all_pods();
                let mut left = drain::plan(&told.node, &options, self.cluster.api()).evict;
                left.retain(|key| self.uid(key).is_some_and(|uid| evicts.contains(&uid)));
                left
            }
        };
        told.until = self.seconds();
        told.is_drained = left.is_empty();
        told.evicted = told.workloads.iter().map(|it| it.pods).sum();
        for of in self.by_workload(&left) {
            let known = told.workloads.iter_mut();
            for it in known.filter(|it| it.workload == of.workload) {
                it.pods = it.pods.saturating_sub(of.pods);
                told.evicted = told.evicted.saturating_sub(of.pods);
            }
        }
        told.workloads.retain(|it| it.pods > 0);
        told.held = held
            .into_iter()
            .map(|(budget, (from, until))| HeldUp {
                budget,
                seconds: (until - from).div_euclid(1_000),
            })
            .filter(|it| it.seconds > 0)
            .collect();
        for key in left {
            let since = since.get(&key).copied();
            let blocked = self.blocked(&key, &told.node, since);
            self.lost.retain(|pod| *pod != blocked.pod);
            self.drains.unmade.retain(|pod| *pod != blocked.pod);
            self.drains.blocked.push(blocked);
        }
        self.drains.nodes.push(told);
    }

    /// Why the Pod is still on its node.
    fn blocked(&mut self, key: &Key, node: &str, since_ms: Option<i64>) -> BlockedPod {
        let asked = EvictOptions {
            dry_run: true,
            ..EvictOptions::default()
        };
        let cause = match self.cluster.api_mut().evict(key, asked) {
            Err(ApiError::TooManyRequests { cause, .. }) => cause,
            Err(error) => error.to_string(),
            Ok(()) => String::new(),
        };
        let api = self.cluster.api();
        let pod = api.store().pods.get(key);
        let budgets = pod.map(|pod| api.budgets_of(pod)).unwrap_or_default();
        let is_refused = !cause.is_empty();
        let status = budgets.first().and_then(|budget| budget.status.clone());
        let status = status.filter(|_| is_refused).unwrap_or_default();
        let since_ms = since_ms.unwrap_or_else(|| api.now_ms());
        let names = budgets.iter().map(|it| Key::of(&it.metadata).to_string());
        BlockedPod {
            pod: key.to_string(),
            node: node.to_owned(),
            budgets: names.filter(|_| is_refused).collect(),
            needs: status.desired_healthy.unwrap_or(0),
            healthy: status.current_healthy.unwrap_or(0),
            pods: status.expected_pods.unwrap_or(0),
            since: self.since_beginning(since_ms),
            cause,
        }
    }

    fn uid(&self, pod: &Key) -> Option<String> {
        let pod = self.cluster.api().store().pods.get(pod)?;
        Some(uid_of(&pod.metadata).to_owned())
    }

    /// The uids of all Pods.
    pub fn uids(&self) -> BTreeSet<String> {
        let pods = self.cluster.api().store().pods.iter();
        pods.map(|pod| uid_of(&pod.metadata).to_owned()).collect()
    }

    /// The Pods that were made since (`namespace/name`), but for those that stay on their node.
    pub fn made_since(&self, before: &BTreeSet<String>) -> BTreeSet<String> {
        let pods = self.cluster.api().store().pods.iter();
        let new = pods
            .filter(|pod| !before.contains(uid_of(&pod.metadata)) && !pod_util::is_finished(pod));
        let keys = new.map(|pod| Key::of(&pod.metadata));
        let seen = self.cluster.seen().pods();
        let moves = |key: &Key| {
            let pod = seen.find(key.namespace(), key.name());
            pod.is_some_and(|pod| !stays(pod))
        };
        keys.filter(moves).map(|key| key.to_string()).collect()
    }

    /// The time until the last drain has ended and the last of these Pods is ready, in seconds.
    fn seconds_until_ready(&self, pods: &BTreeSet<String>) -> i64 {
        let stored = &self.cluster.api().store().pods;
        let ready = pods.iter().filter_map(|key| {
            let (namespace, name) = berth_protocol::key::split(key);
            pod_util::ready_since(stored.get(&Key::new(namespace, name))?)
        });
        let ready = ready.map(|ms| self.since_beginning(ms));
        let drained = self.drains.nodes.iter().map(|it| it.until);
        ready.chain(drained).max().unwrap_or(0)
    }

    /// A time of the API server, in milliseconds, as seconds since the beginning.
    fn since_beginning(&self, ms: i64) -> i64 {
        let time = Time::at_microsecond(ms.saturating_mul(1_000));
        let passed = time.counted_from(self.began).milliseconds();
        passed.div_euclid(1_000)
    }

    /// What it came to; `before`: the uids of the Pods at its beginning.
    pub fn ended(self, before: &BTreeSet<String>) -> (FinishedPlay, Drains) {
        let again = self.made_since(before);
        let drains = Drains {
            seconds: self.seconds_until_ready(&again),
            ..self.drains
        };
        let now = Simulated::of_cluster(self.cluster);
        let ended = FinishedPlay {
            now: Now::Simulated(Box::new(now)),
            again,
            lost: self.lost,
            gone: self.gone,
            preemptions: 0,
        };
        (ended, drains)
    }
}
