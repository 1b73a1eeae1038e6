//! Compares the cluster's Pods and events, as they are at the end, with what the attempts came to.

use std::collections::BTreeMap;

use berth_core::api::prepared::{PodObject, Prepared};
use berth_protocol::key::split;
use berth_protocol::verify::{File, Verification, What};

use super::follow::Follower;
use super::said::{ConditionSaid, EventKind, EventSaid, PodSaid};
use crate::cluster_word;

/// Compares all that is left to compare.
pub(super) fn compare(
    mut follower: Follower<'_>,
    prepared: &Prepared,
    events: &[EventSaid],
) -> Verification {
    for event in events {
        compare_event(&mut follower, event);
    }
    let given: BTreeMap<String, &PodObject> =
        prepared.pods.iter().map(|pod| (pod.key(), pod)).collect();
    let pods: Vec<&PodSaid> = follower.pods.values().copied().collect();
    for pod in pods {
        let before = follower.verification.differences.len();
        compare_pod(&mut follower, pod, &given);
        let is_equal = follower.verification.differences.len() == before;
        follower.verification.counts.pods.add(is_equal);
    }
    unknown(&mut follower);
    for pod in given.keys() {
        missing(&mut follower, pod);
    }
    follower.verification
}

/// Events of a Pod that the log does not have are its attempts.
fn compare_event(follower: &mut Follower<'_>, event: &EventSaid) {
    let tried = follower.tried.get(&event.pod);
    let Some(tried) = tried.filter(|tried| tried.is_logged).cloned() else {
        return;
    };
    if event.kind == EventKind::Scheduled {
        let node = event.message.rsplit_once(" to ").map(|(_, node)| node);
        let differs = node != tried.node.as_deref();
        let what = What::Sources {
            file: File::Events,
            node: node.map(str::to_owned),
            attempts: tried.node.clone(),
            verdict: None,
        };
        if differs {
            follower.differ(&event.pod, None, what);
        }
    }
    if event.kind == EventKind::FailedScheduling && follower.names.known(&event.pod).is_some() {
        let mut messages = tried.messages.iter();
        let is_equal = messages.any(|message| cluster_word::agree(&event.message, message));
        let what = What::Event {
            cluster: event.message.clone(),
            berth: tried.messages.clone(),
        };
        follower.verification.counts.events.add(is_equal);
        if !is_equal {
            follower.differ(&event.pod, None, what);
        }
    }
}

fn compare_pod(follower: &mut Follower<'_>, pod: &PodSaid, given: &BTreeMap<String, &PodObject>) {
    let Some(name) = follower.names.in_case(&pod.key, &mut follower.followed) else {
        follower.differ(&pod.key, None, What::NotInCase);
        return;
    };
    let tried = follower.tried.get(&pod.key).cloned();
    let of_case = given.get(&name).and_then(|it| it.node_name.as_deref());
    let whats = match (&tried, of_case) {
        (Some(tried), _) => (tried.node != pod.node).then(|| What::Sources {
            file: File::Pods,
            node: pod.node.clone(),
            attempts: tried.node.clone(),
            verdict: tried.verdict.clone(),
        }),
        (None, Some(node)) => (pod.node.as_deref() != Some(node)).then(|| What::Given {
            case: node.to_owned(),
            cluster: pod.node.clone(),
        }),
        (None, None) => None,
    };
    if let Some(what) = whats {
        follower.differ(&pod.key, None, what);
    }
    if pod.node.is_some() {
        return;
    }
    match &pod.condition {
        Some(condition) if !condition.is_true => waits(follower, pod, &name, condition),
        _ if tried.is_none() && of_case.is_none() && follower.held_back(&name).is_none() => {
            follower.differ(&pod.key, None, What::NeverTried);
        }
        _ => {}
    }
    nominated(follower, pod, &name);
}

/// Compares why a Pod waits.
fn waits(follower: &mut Follower<'_>, pod: &PodSaid, name: &str, condition: &ConditionSaid) {
    let berth = match condition.reason.as_str() {
        "SchedulingGated" => follower.held_back(name),
        "Unschedulable" | "SchedulerError" => match follower.tried.get(&pod.key) {
            Some(tried) if !tried.is_of_condition => tried.last.clone(),
            _ => return,
        },
        _ => return,
    };
    let is_equal = match &berth {
        // Releases name the gates or not.
        _ if condition.reason == "SchedulingGated" => follower.is_gated(name),
        Some(berth) => cluster_word::agree(&condition.message, berth),
        None => false,
    };
    follower.verification.counts.conditions.add(is_equal);
    if !is_equal {
        let cluster = match condition.message.as_str() {
            "" => condition.reason.clone(),
            message => message.to_owned(),
        };
        follower.differ(&pod.key, None, What::Condition { cluster, berth });
    }
}

fn nominated(follower: &mut Follower<'_>, pod: &PodSaid, name: &str) {
    let (namespace, name) = split(name);
    let cluster = follower.followed.snapshot().cluster();
    let Some(found) = cluster.pods().find(namespace, name) else {
        return;
    };
    let berth = found.object.nominated_node.as_deref();
    if berth != pod.nominated.as_deref() {
        let what = What::Nomination {
            cluster: pod.nominated.clone(),
            berth: berth.map(str::to_owned),
        };
        follower.differ(&pod.key, None, what);
    }
}

/// Pods that were tried, are gone, and are not in the case.
fn unknown(follower: &mut Follower<'_>) {
    let tried = follower.tried.keys();
    let unknown = tried.filter(|pod| {
        !follower.pods.contains_key(pod.as_str()) && follower.names.known(pod).is_none()
    });
    for pod in unknown.cloned().collect::<Vec<String>>() {
        follower.verification.counts.pods.add(false);
        follower.differ(&pod, None, What::NotInCase);
    }
}

/// A Pod of the case must be in the cluster, or a preemption has evicted it.
fn missing(follower: &mut Follower<'_>, pod: &str) {
    let in_cluster = follower.names.in_cluster(pod).to_owned();
    if follower.pods.contains_key(in_cluster.as_str()) {
        return;
    }
    let is_evicted = follower.is_evicted(pod);
    follower.verification.counts.pods.add(is_evicted);
    if !is_evicted {
        follower.differ(&in_cluster, None, What::NotInCluster);
    }
}
