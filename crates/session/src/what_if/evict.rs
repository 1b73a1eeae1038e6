//! What a cycle of the descheduler evicts, and where the scheduler places it again.
//!
//! [`descheduler::run`] chooses in one moment of the living cluster, and each eviction is asked of its API server, so that
//! budgets refuse what they refuse there. Then controllers and scheduler go on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use berth_core::api::meta::name_of;
use berth_protocol::edit::EditError;
use berth_protocol::key::split;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{
    BlockedPod, EvictedPod, Evictions, Idle, NodeUse, PluginLeftOut, PluginRun, Question, Refused,
    Use, Utilization, Workload,
};
use berth_sim::pod_util;
use berth_sim::server::{ApiError, ApiServer, EvictOptions};
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::store::Key;
use k8s_openapi::api::core::v1::{Node, Pod};

use super::Rolling;
use super::live::{Act, Live};
use crate::descheduler::{self, Caches, Lists, Origin, Policy};
use crate::drain::{Fate, fate_of};
use crate::session::Session;
use crate::what_if::plays;
use crate::workload;

/// Asks what a cycle of the descheduler with this policy comes to, in the order of names and in `orders` further ones.
///
/// # Errors
/// If a PriorityClass that the policy names is not there, or kube-scheduler would not start.
pub fn ask_evict(session: &Session, policy: Policy, orders: u64) -> Result<Rolling, EditError> {
    let ground = plays::live_ground(session)?;
    let mut policy = policy;
    let classes = &ground.cluster.api().store().priority_classes;
    policy
        .resolve(|name| classes.get(&Key::new("", name))?.value)
        .map_err(|why| EditError::new(Remark::quoted(why), Remark::default()))?;
    let plugins = policy.plugins();
    let acts = vec![Act::Evict(Rc::new(policy)), Act::Settle];
    Ok(Rolling::new(
        ground,
        Question::Evict { plugins },
        acts,
        orders,
    ))
}

/// What was evicted, and what becomes of Pods that nothing makes again.
pub(super) struct Evicted {
    pub evictions: Evictions,
    pub lost: Vec<String>,
    pub unmade: Vec<String>,
    gone: BTreeSet<Key>,
}

/// Runs a cycle of the descheduler in the cluster as it is.
pub(super) fn evicted(cluster: &mut SimulatedCluster, policy: &Policy) -> Evicted {
    let caches = caches(cluster.api());
    let mut evicted = Evicted {
        evictions: Evictions::default(),
        lost: Vec::new(),
        unmade: Vec::new(),
        gone: BTreeSet::new(),
    };
    let mut evict = |pod: &Pod, origin: &Origin| {
        let result = evicted.ask(cluster.api_mut(), pod, origin, policy.grace_seconds);
        result.is_ok()
    };
    let runs = descheduler::run(policy, &caches, &mut evict);
    let evictions = &mut evicted.evictions;
    evictions.nodes = nodes(&caches, &runs, &evictions.pods);
    evictions.plugins = runs.iter().map(told).collect();
    let left_out = policy.left_out.iter().map(|it| PluginLeftOut {
        profile: it.profile.clone(),
        plugin: it.plugin.clone(),
        for_metrics: it.for_metrics,
    });
    evictions.left_out = left_out.collect();
    evicted
}

/// What the informers have listed, by name: the descheduler's caches have no order.
fn caches(api: &ApiServer) -> Caches {
    let store = api.store();
    Caches {
        nodes: store.nodes.iter().cloned().collect(),
        pods: store.pods.iter().cloned().collect(),
        budgets: store.budgets.iter().cloned().collect(),
        claims: store.claims.iter().cloned().collect(),
        namespaces: store.namespaces.iter().cloned().collect(),
        now: api.now(),
    }
}

impl Evicted {
    fn ask(
        &mut self,
        api: &mut ApiServer,
        pod: &Pod,
        origin: &Origin,
        grace_seconds: Option<i64>,
    ) -> Result<(), ApiError> {
        let key = Key::of(&pod.metadata);
        let fate = fate_of(&key, api, true);
        let options = EvictOptions {
            grace_seconds,
            ..EvictOptions::default()
        };
        let (profile, plugin) = (origin.profile.clone(), origin.plugin.to_owned());
        if let Err(error) = api.evict(&key, options) {
            let blocked = refusal(api, pod, &error);
            self.evictions.refused.push(Refused {
                profile,
                plugin,
                blocked,
            });
            return Err(error);
        }
        // A Pod of two owners may be evicted for each.
        if !self.gone.insert(key.clone()) {
            return Ok(());
        }
        match fate {
            Fate::Lost => self.lost.push(key.to_string()),
            Fate::Unmade => self.unmade.push(key.to_string()),
            Fate::Replaced(_) | Fate::Gone => {}
        }
        self.evictions.pods.push(EvictedPod {
            pod: key.to_string(),
            node: pod_util::node_of(pod).to_owned(),
            profile,
            plugin,
            workload: workload_of(pod),
        });
        Ok(())
    }
}

fn workload_of(pod: &Pod) -> Workload {
    let metadata = &pod.metadata;
    let owner = berth_sim::store::controller_of(metadata);
    let owner = owner.map(|owner| (owner.kind.as_str(), owner.name.as_str()));
    let labels = metadata.labels.as_ref();
    let hash = labels.and_then(|labels| labels.get("pod-template-hash"));
    let key = Key::of(metadata);
    workload::of_owner(key.namespace(), key.name(), owner, hash.map(String::as_str))
}

/// Why the API server refuses. A budget counts as healthy what it has not lost in this cycle.
fn refusal(api: &ApiServer, pod: &Pod, error: &ApiError) -> BlockedPod {
    let budgets = api.budgets_of(pod);
    let status = budgets.first().and_then(|budget| budget.status.clone());
    let status = status.unwrap_or_default();
    let disrupted = status.disrupted_pods.map_or(0, |pods| pods.len());
    let disrupted = i32::try_from(disrupted).unwrap_or(i32::MAX);
    let names = budgets.iter().map(|it| Key::of(&it.metadata).to_string());
    BlockedPod {
        pod: Key::of(&pod.metadata).to_string(),
        node: pod_util::node_of(pod).to_owned(),
        budgets: names.collect(),
        needs: status.desired_healthy.unwrap_or(0),
        healthy: status
            .current_healthy
            .unwrap_or(0)
            .saturating_sub(disrupted),
        pods: status.expected_pods.unwrap_or(0),
        since: 0,
        cause: match error {
            ApiError::TooManyRequests { cause, .. } => cause.clone(),
            error => error.to_string(),
        },
    }
}

fn told(run: &descheduler::PluginRun) -> PluginRun {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    PluginRun {
        profile: run.origin.profile.clone(),
        plugin: run.origin.plugin.to_owned(),
        evicted: count(run.evicted),
        limited: count(run.limited),
        idle: run.idle.map(|idle| match idle {
            descheduler::Idle::FewNodes => Idle::FewNodes,
            descheduler::Idle::NoneUnderutilized => Idle::NoneUnderutilized,
            descheduler::Idle::FewUnderutilized => Idle::FewUnderutilized,
            descheduler::Idle::AllUnderutilized => Idle::AllUnderutilized,
            descheduler::Idle::NoneOverutilized => Idle::NoneOverutilized,
        }),
        underutilized: run.underutilized.len(),
        overutilized: run.overutilized.len(),
    }
}

/// The nodes before the evictions.
fn nodes(caches: &Caches, runs: &[descheduler::PluginRun], evicted: &[EvictedPod]) -> Vec<NodeUse> {
    let classified = runs
        .iter()
        .find(|run| !run.underutilized.is_empty() || !run.overutilized.is_empty());
    let has = |list: &[String], node: &str| list.iter().any(|it| it == node);
    let utilization = |node: &str| {
        let run = classified?;
        if has(&run.underutilized, node) {
            return Some(Utilization::Under);
        }
        has(&run.overutilized, node).then_some(Utilization::Over)
    };
    let nodes = uses(caches).into_iter().map(|(node, before)| NodeUse {
        utilization: utilization(&node),
        before,
        after: before,
        evicted: evicted.iter().filter(|pod| pod.node == node).count(),
        came: 0,
        node,
    });
    nodes.collect()
}

/// What Pods request of each node, by name.
fn uses(caches: &Caches) -> BTreeMap<String, Use> {
    const NAMES: [&str; 3] = ["cpu", "memory", "pods"];
    let lists = Lists::new(caches);
    let of = |node: &Node| {
        let name = name_of(&node.metadata).to_owned();
        let capacity = descheduler::capacity(node);
        let [cpu, memory, pods] = NAMES.map(|resource| {
            let used = lists.requested_on(&name, resource);
            let all = capacity.get(resource).copied().unwrap_or(0);
            // To a tenth of a percent.
            (used as f64 / all.max(1) as f64 * 1_000.0).round() / 10.0
        });
        (name, Use { cpu, memory, pods })
    };
    caches.nodes.iter().map(|node| of(node)).collect()
}

/// Once controllers and scheduler have come to rest; `before`: the uids of the Pods before the evictions.
pub(super) fn settled(
    mut evictions: Evictions,
    live: &Live,
    before: &BTreeSet<String>,
) -> Evictions {
    let after = uses(&caches(live.cluster.api()));
    let mut came: BTreeMap<(Workload, String), usize> = BTreeMap::new();
    for key in live.made_since(before) {
        let (namespace, name) = split(&key);
        let pod = live.cluster.seen().pods().find(namespace, name);
        if let Some(pod) = pod
            && let Some(node) = &pod.object.node_name
        {
            *came
                .entry((workload::of(pod), node.to_string()))
                .or_default() += 1;
        }
    }
    let mut came_to: BTreeMap<&str, usize> = BTreeMap::new();
    for ((_, node), pods) in &came {
        *came_to.entry(node).or_default() += pods;
    }
    for node in &mut evictions.nodes {
        if let Some(after) = after.get(&node.node) {
            node.after = *after;
        }
        node.came = came_to.get(node.node.as_str()).copied().unwrap_or(0);
    }
    let mut left: BTreeMap<(Workload, String), usize> = BTreeMap::new();
    for pod in &evictions.pods {
        let place = (pod.workload.clone(), pod.node.clone());
        *left.entry(place).or_default() += 1;
    }
    let returned = left
        .iter()
        .map(|(place, pods)| came.get(place).copied().unwrap_or(0).min(*pods));
    evictions.returned = returned.sum();
    evictions
}
