//! Pods go from overutilized nodes, as long as underutilized ones have room (`pkg/framework/plugins/nodeutilization`).
//!
//! `Balance` of `lownodeutilization.go`, with `evictPodsFromSourceNodes`, `evictPods`, `capNodeCapacitiesToThreshold` and
//! `assessNodesUsages…` of `nodeutilization.go`. A node's use is what its Pods request.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::meta::{name_of, namespace_or_default};
use berth_core::api::prepare::node_fit::is_cordoned;
use k8s_openapi::api::core::v1::Node;

use berth_sim::kubelet::qos;
use berth_sim::pod_util;

use super::args::{LowNodeUtilizationArgs, Thresholds};
use super::caches::{Amounts, Listed, Lists, PODS, capacity};
use super::default_evictor::{DefaultEvictor, PREFER_NO_EVICTION};
use super::evictions::{EvictionError, PodEvictor};
use super::node_fit;
use super::{Idle, PluginRun};

/// A classified node.
struct NodeInfo<'a> {
    node: &'a Node,
    usage: Amounts,
    /// Its capacity, capped to the target thresholds.
    available: Amounts,
}

pub(super) fn balance(
    args: &LowNodeUtilizationArgs,
    lists: &Lists<'_>,
    nodes: &[&Node],
    evictor: &DefaultEvictor<'_>,
    pod_evictor: &mut PodEvictor<'_>,
    run: &mut PluginRun,
) {
    let (low, mut high) = classify(args, lists, nodes);
    let names = |infos: &[NodeInfo<'_>]| {
        let names = infos
            .iter()
            .map(|info| name_of(&info.node.metadata).to_owned());
        names.collect::<Vec<String>>()
    };
    (run.underutilized, run.overutilized) = (names(&low), names(&high));
    run.idle = if low.is_empty() {
        Some(Idle::NoneUnderutilized)
    } else if i64::try_from(low.len()).unwrap_or(i64::MAX) <= args.number_of_nodes {
        Some(Idle::FewUnderutilized)
    } else if low.len() == nodes.len() {
        Some(Idle::AllUnderutilized)
    } else if high.is_empty() {
        Some(Idle::NoneOverutilized)
    } else {
        None
    };
    if run.idle.is_some() {
        return;
    }
    // The units are mixed, as upstream mixes them.
    let sum = |info: &NodeInfo<'_>| {
        info.usage
            .values()
            .fold(0, |sum: i64, it| sum.saturating_add(*it))
    };
    high.sort_by_key(|info| Reverse(sum(info)));
    let mut room = room(&low);
    let targets: Vec<&Node> = low.iter().map(|info| info.node).collect();
    for info in &mut high {
        let pods = lists.pods_on(name_of(&info.node.metadata)).iter();
        let mut removable: Vec<&Listed<'_>> = pods.filter(|pod| evictor.filter(pod)).collect();
        removable.sort_by_key(|pod| eviction_order(pod));
        let ended = evict(
            args,
            &removable,
            info,
            &mut room,
            &targets,
            evictor,
            pod_evictor,
        );
        if ended == Err(EvictionError::TotalLimit) {
            return;
        }
    }
}

/// The underutilized nodes, and the overutilized ones.
fn classify<'n>(
    args: &LowNodeUtilizationArgs,
    lists: &Lists<'_>,
    nodes: &[&'n Node],
) -> (Vec<NodeInfo<'n>>, Vec<NodeInfo<'n>>) {
    let thresholded = args.thresholds.keys().map(String::as_str);
    let names: BTreeSet<&str> = thresholded.chain(["cpu", "memory", PODS]).collect();
    let usages: Vec<Amounts> = nodes
        .iter()
        .map(|node| {
            let used = |name: &&str| lists.requested_on(name_of(&node.metadata), name);
            names
                .iter()
                .map(|name| ((*name).to_owned(), used(name)))
                .collect()
        })
        .collect();
    let percentages: Vec<Thresholds> = nodes
        .iter()
        .zip(&usages)
        .map(|(node, usage)| percentages(usage, &capacity(node)))
        .collect();
    let (lower, higher) = match args.use_deviation_thresholds {
        true => relative(args, &percentages),
        false => (args.thresholds.clone(), args.target_thresholds.clone()),
    };
    let is_over = |usage: &Thresholds, limit: (&String, &f64)| {
        let (name, limit) = limit;
        *limit < usage.get(name).copied().unwrap_or(0.0)
    };
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for ((node, usage), percentages) in nodes.iter().copied().zip(usages).zip(&percentages) {
        let is_low = !lower.iter().any(|limit| is_over(percentages, limit)) && !is_cordoned(node);
        let is_high = higher.iter().any(|limit| is_over(percentages, limit));
        let info = NodeInfo {
            node,
            usage,
            available: capped(&capacity(node), &higher, &names),
        };
        if is_low {
            low.push(info);
        } else if is_high {
            high.push(info);
        }
    }
    (low, high)
}

/// A node's use in percent of its capacity, of the resources that it has (`ResourceUsageToResourceThreshold`).
fn percentages(usage: &Amounts, capacity: &Amounts) -> Thresholds {
    let percent = |used: i64, all: i64| match all > 0 {
        true => used as f64 / all as f64 * 100.0,
        false => 0.0,
    };
    let of = |(name, used): (&String, &i64)| {
        let all = capacity.get(name)?;
        Some((name.clone(), percent(*used, *all)))
    };
    usage.iter().filter_map(of).collect()
}

/// The thresholds as deviations from the average use (`assessNodesUsagesAndRelativeThresholds`).
fn relative(args: &LowNodeUtilizationArgs, usages: &[Thresholds]) -> (Thresholds, Thresholds) {
    let mut sums: BTreeMap<&String, (f64, f64)> = BTreeMap::new();
    for (name, percent) in usages.iter().flatten() {
        if args.thresholds.contains_key(name) {
            let (sum, count) = sums.entry(name).or_default();
            *sum += percent;
            *count += 1.0;
        }
    }
    let from_average = |sign: f64, span: &Thresholds| {
        let limits = sums.iter().map(|(name, (sum, count))| {
            let span = span.get(*name).copied().unwrap_or(0.0);
            let limit = (sum / count + sign * span).clamp(0.0, 100.0);
            ((*name).clone(), limit)
        });
        limits.collect()
    };
    (
        from_average(-1.0, &args.thresholds),
        from_average(1.0, &args.target_thresholds),
    )
}

/// The capacity, or the share of it that a threshold allows (`capNodeCapacitiesToThreshold`).
fn capped(capacity: &Amounts, thresholds: &Thresholds, names: &BTreeSet<&str>) -> Amounts {
    let cap = |name: &str| match (capacity.get(name), thresholds.get(name)) {
        (None, _) => 0,
        (Some(all), None) => *all,
        (Some(all), Some(threshold)) => (threshold * 0.01 * *all as f64) as i64,
    };
    let names = names.iter();
    names.map(|name| ((*name).to_owned(), cap(name))).collect()
}

/// What can be moved to the underutilized nodes (`assessAvailableResourceInNodes`).
fn room(low: &[NodeInfo<'_>]) -> Amounts {
    let mut room = Amounts::new();
    for info in low {
        for (name, available) in &info.available {
            let used = info.usage.get(name).copied().unwrap_or(0);
            let left = available.saturating_sub(used);
            let sum = room.entry(name.clone()).or_default();
            *sum = sum.saturating_add(left);
        }
    }
    room
}

/// Whether the node is above its target, and there is room of every resource on underutilized nodes.
fn goes_on(info: &NodeInfo<'_>, room: &Amounts) -> bool {
    let mut usage = info.usage.iter();
    let is_above = usage.any(|(name, used)| {
        let available = info.available.get(name).copied().unwrap_or(0);
        available < *used
    });
    is_above && room.values().all(|left| *left > 0)
}

/// Evicts Pods of a node until it is below its target, or the room is used up (`evictPods`).
fn evict(
    args: &LowNodeUtilizationArgs,
    pods: &[&Listed<'_>],
    info: &mut NodeInfo<'_>,
    room: &mut Amounts,
    targets: &[&Node],
    evictor: &DefaultEvictor<'_>,
    pod_evictor: &mut PodEvictor<'_>,
) -> Result<(), EvictionError> {
    let limit = args.eviction_limits.as_ref().and_then(|it| it.node);
    let mut evicted = 0;
    for pod in pods {
        let is_at_limit = limit.is_some_and(|limit| evicted >= limit);
        if is_at_limit || !goes_on(info, room) {
            return Ok(());
        }
        let is_excluded = args.excludes(namespace_or_default(&pod.pod.metadata));
        if is_excluded
            || !node_fit::tolerates_one_of(pod.spec, targets)
            || !evictor.pre_eviction_filter(pod)
        {
            continue;
        }
        match pod_evictor.evict(pod) {
            Ok(()) => evicted += 1,
            Err(error @ (EvictionError::NodeLimit | EvictionError::TotalLimit)) => {
                return Err(error);
            }
            Err(EvictionError::NamespaceLimit | EvictionError::Refused) => continue,
        }
        for (name, left) in room.iter_mut() {
            let amount = match name.as_str() {
                PODS => 1,
                name => pod.requests.get(name).copied().unwrap_or(0),
            };
            *left = left.saturating_sub(amount);
            if let Some(used) = info.usage.get_mut(name) {
                *used = used.saturating_sub(amount);
            }
        }
    }
    Ok(())
}

/// The lowest priority first, then by QoS class, and Pods that prefer not to be evicted last
/// (`SortPodsBasedOnPriorityLowToHigh`).
fn eviction_order(listed: &Listed<'_>) -> (Option<i32>, u8, bool) {
    let status = listed.pod.status.as_ref();
    let told = status.and_then(|status| status.qos_class.as_deref());
    let class = match told.unwrap_or_else(|| qos::class_of(listed.spec)) {
        "BestEffort" => 0,
        "Burstable" => 1,
        _ => 2,
    };
    let prefers_to_stay = pod_util::annotation_of(listed.pod, PREFER_NO_EVICTION).is_some();
    (listed.spec.priority, class, prefers_to_stay)
}
