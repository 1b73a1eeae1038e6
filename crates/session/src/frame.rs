//! Builds the data of a view from the state of a run.

mod devices;

use std::collections::{BTreeMap, BTreeSet};

use berth_base::sort;
use berth_core::api::prepared::PodObject;
use berth_protocol::frame::{
    AboutFrame, Frame, NodeFrame, PodFrame, PodState, QueueFrame, ResourceFrame, TaintFrame,
};
use berth_scheduler::affinity::pod_affinity_terms;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::resources::Resources;
use berth_scheduler::cluster::spec::SpecInfo;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_sim::pod_util;
use berth_sim::run::Victim;
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::store::Key;

use crate::session::Session;
use crate::{fork, pairing, simulated};
use devices::Fleet;

/// The frame of a session's current moment.
pub fn build(session: &Session) -> Frame {
    let run = session.run();
    let cluster = run.cluster();
    let keys = |pods: &mut dyn Iterator<Item = &PodInfo>| {
        pods.map(|pod| pod.object.key()).collect::<Vec<_>>()
    };
    let elsewhere = run
        .queue()
        .chain(run.gated())
        .chain(run.unmanaged())
        .chain(run.backoff());
    let elsewhere: BTreeSet<PodIx> = elsewhere.map(|pod| pod.ix).collect();
    let mut unschedulable = run.pending().filter(|pod| !elsewhere.contains(&pod.ix));
    let mut last_attempts: BTreeMap<&str, usize> = BTreeMap::new();
    let past = session.attempts();
    for (position, attempt) in past.take_while(|(position, _)| *position < session.position()) {
        last_attempts.insert(&attempt.key, position);
    }
    let pods = cluster
        .pods()
        .iter()
        .filter(|pod| !pod.object.phase.is_terminal())
        .map(|pod| {
            let last = last_attempts.get(pod.object.key().as_str()).copied();
            pod_frame(session, pod, last)
        });
    let (title, about) = title_and_about(session);
    let fleet = Fleet::of(cluster);
    let node = |node| NodeFrame {
        devices: fleet.as_ref().and_then(|fleet| fleet.seen_by(node)),
        ..node_frame(cluster, node)
    };
    Frame {
        title,
        about,
        position: session.position(),
        log_length: session.log().len(),
        finished: session.position() == session.log().len() && simulated::is_at_rest(session),
        nodes: cluster.nodes().map(node).collect(),
        pods: pods.collect(),
        ended: ended(session),
        victims: still_awaited(session),
        queue: QueueFrame {
            unschedulable: keys(&mut unschedulable),
            active: keys(&mut run.queue()),
            backoff: keys(&mut run.backoff()),
            gated: keys(&mut run.gated()),
            unmanaged: keys(&mut run.unmanaged()),
        },
        now_ms: session
            .simulated_cluster()
            .map(SimulatedCluster::elapsed_ms),
        timeline: session.log().iter().map(|entry| entry.mark()).collect(),
        fork: fork::frame(session),
        problems: session.problems().to_vec(),
        ignored: ignored(session),
        digest: session.digest(),
    }
}

/// Number of finished Pods. In a simulated cluster, the scheduler's cache does not contain them.
fn ended(session: &Session) -> usize {
    if let Some(cluster) = session.simulated_cluster() {
        return cluster
            .api()
            .store()
            .pods
            .iter()
            .filter(|pod| pod_util::is_finished(pod))
            .count();
    }
    session
        .run()
        .cluster()
        .pods()
        .iter()
        .filter(|pod| pod.object.phase.is_terminal())
        .count()
}

/// Title, description and hints of the first `Scenario` document.
fn title_and_about(session: &Session) -> (String, AboutFrame) {
    let Some(scenario) = pairing::scenario(session) else {
        return Default::default();
    };
    let about = AboutFrame {
        description: scenario.description.clone().unwrap_or_default(),
        hints: scenario.hints.clone().unwrap_or_default(),
        compares: pairing::compares(session),
    };
    (scenario.title.clone().unwrap_or_default(), about)
}

fn ignored(session: &Session) -> BTreeMap<String, usize> {
    let counts = session.manifests().loaded.ignored_counts();
    let counts = counts.into_iter();
    sort::gather(counts.map(|(kind, count)| (kind.to_owned(), count)))
}

fn node_frame(cluster: &Cluster, node: &NodeInfo) -> NodeFrame {
    let taints = node.taints.iter().map(|taint| TaintFrame {
        key: taint.key.clone(),
        value: taint.value.clone().unwrap_or_default(),
        effect: taint.effect.clone(),
    });
    // In index order: the order on the node changes when a Pod is removed.
    let mut pods = node.pods.clone();
    sort::sort(&mut pods);
    let pods = pods.iter().filter_map(|&pod| cluster.pods().get(pod));
    let (nominated, nominated_requests) = nominated(cluster, node);
    NodeFrame {
        name: node.name.to_string(),
        labels: node.labels.as_ref().clone(),
        taints: taints.collect(),
        unschedulable: node.unschedulable,
        resources: resources(node),
        pods: pods.map(|pod| pod.object.key()).collect(),
        nominated,
        nominated_requests,
        bad_conditions: bad_conditions(node),
        devices: None,
    }
}

/// The Pods nominated to a node, and the sums of what they request.
fn nominated(cluster: &Cluster, node: &NodeInfo) -> (Vec<String>, BTreeMap<String, i64>) {
    let pods = cluster
        .nominations()
        .on(&node.name)
        .iter()
        .filter_map(|pod| cluster.pods().get(*pod));
    let (mut keys, mut sums) = (Vec::new(), BTreeMap::new());
    for pod in pods {
        keys.push(pod.object.key());
        let request = &cluster.spec_of(pod).request;
        let scalars = request.scalars.iter();
        let amounts = [
            ("cpu", request.milli_cpu),
            ("memory", request.memory_bytes),
            ("pods", 1),
            ("ephemeral-storage", request.ephemeral_storage_bytes),
        ];
        let amounts = amounts.into_iter();
        for (name, amount) in amounts.chain(scalars.map(|(name, amount)| (name.as_str(), *amount)))
        {
            if amount > 0 {
                let sum: &mut i64 = sums.entry(name.to_owned()).or_default();
                *sum = sum.saturating_add(amount);
            }
        }
    }
    (keys, sums)
}

/// The victims of Pods that are still nominated to the victims' node.
fn still_awaited(session: &Session) -> Vec<PodFrame> {
    let cluster = session.run().cluster();
    if cluster.nominations().is_empty() {
        return Vec::new();
    }
    let nominated = cluster.pods().iter().filter_map(|pod| {
        let node = cluster.nominations().of(pod.ix)?;
        Some((pod.object.key(), node.to_string()))
    });
    let nominated: BTreeMap<String, String> = nominated.collect();
    let past = session.attempts();
    let past = past.take_while(|(position, _)| *position < session.position());
    let mut preemptions: BTreeMap<&str, &[Victim]> = BTreeMap::new();
    for (_, attempt) in past.filter(|(_, attempt)| !attempt.victims.is_empty()) {
        preemptions.insert(&attempt.key, &attempt.victims);
    }
    let awaited = preemptions.into_iter().flat_map(|(preemptor, victims)| {
        let node = nominated.get(preemptor);
        let of_node = move |victim: &&Victim| {
            node.is_some_and(|node| victim.object.node_name.as_deref() == Some(node))
        };
        victims.iter().filter(of_node)
    });
    // A Pod that was recreated under the same name is not a victim; a terminating one still is.
    let is_again = |victim: &&Victim| {
        let object = &victim.object;
        let there = cluster.pods().find(&object.namespace, &object.name);
        there.is_some_and(|pod| {
            let is_same = session.simulated_cluster().is_some() && pod.object.uid == object.uid;
            !pod.object.terminating && !is_same
        })
    };
    let awaited = awaited.filter(|victim| !is_again(victim));
    let bound = |victim: &Victim| PodFrame {
        state: PodState::Bound,
        ..spec_frame(&victim.object, &victim.request)
    };
    awaited.map(bound).collect()
}

fn resources(node: &NodeInfo) -> Vec<ResourceFrame> {
    let row = |name: &str, requested: i64, allocatable: i64| ResourceFrame {
        name: name.to_owned(),
        requested,
        allocatable,
    };
    let pods = i64::try_from(node.pods.len()).unwrap_or(i64::MAX);
    let mut rows = vec![
        row("cpu", node.requested.milli_cpu, node.allocatable.milli_cpu),
        row(
            "memory",
            node.requested.memory_bytes,
            node.allocatable.memory_bytes,
        ),
        row("pods", pods, node.allowed_pods),
    ];
    if node.allocatable.ephemeral_storage_bytes > 0 {
        rows.push(row(
            "ephemeral-storage",
            node.requested.ephemeral_storage_bytes,
            node.allocatable.ephemeral_storage_bytes,
        ));
    }
    for (name, allocatable) in &node.allocatable.scalars {
        rows.push(row(name, node.requested.get(name), *allocatable));
    }
    rows
}

fn bad_conditions(node: &NodeInfo) -> Vec<String> {
    let conditions = node
        .object
        .status
        .as_ref()
        .and_then(|status| status.conditions.as_ref());
    let bad = conditions.into_iter().flatten().filter_map(|condition| {
        let is_true = condition.status == "True";
        match condition.type_.as_str() {
            // As in `kubectl get nodes`.
            "Ready" => (!is_true).then(|| "NotReady".to_owned()),
            other => is_true.then(|| other.to_owned()),
        }
    });
    bad.collect()
}

fn pod_frame(session: &Session, pod: &PodInfo, last_attempt: Option<usize>) -> PodFrame {
    let run = session.run();
    let object = &pod.object;
    let gate = run.gate_of(pod);
    let state = match (&object.node_name, &gate) {
        (Some(_), _) => PodState::Bound,
        (None, Some(_)) => PodState::Gated,
        (None, None) => PodState::Pending,
    };
    let last_message = last_attempt.and_then(|position| session.attempt(position)?.message());
    let message = if state == PodState::Bound {
        None
    } else {
        last_message.map(str::to_owned).or(gate)
    };
    PodFrame {
        state,
        last_attempt,
        message: message.unwrap_or_default(),
        held_by: run.held_by(pod),
        node_keys: node_keys(run.cluster().spec_of(pod)),
        status: session
            .simulated_cluster()
            .filter(|_| state == PodState::Bound)
            .and_then(|cluster| live_status(cluster, &Key::new(&*object.namespace, &*object.name))),
        ..spec_frame(object, &run.cluster().spec_of(pod).request)
    }
}

/// A Pod's own fields.
fn spec_frame(object: &PodObject, request: &Resources) -> PodFrame {
    let controller = object.template.controller.as_ref();
    PodFrame {
        key: object.key(),
        node: object.node_name.as_deref().map(str::to_owned),
        nominated_node: object.nominated_node.as_deref().map(str::to_owned),
        owner: controller
            .map(|owner| format!("{}/{}", owner.kind, owner.name))
            .unwrap_or_default(),
        priority: object.template.spec.priority.unwrap_or(0),
        milli_cpu: request.milli_cpu,
        memory_bytes: request.memory_bytes,
        other_requests: other_requests(request),
        labels: object.template.labels.clone(),
        ..PodFrame::default()
    }
}

fn other_requests(request: &Resources) -> BTreeMap<String, i64> {
    let storage = request.ephemeral_storage_bytes;
    let storage = (storage > 0).then(|| ("ephemeral-storage".to_owned(), storage));
    let scalars = request.scalars.iter().filter(|(_, amount)| *amount > 0);
    sort::gather(storage.into_iter().chain(scalars.cloned()))
}

/// Keys of the node labels that the Pod's rules read, sorted.
pub(crate) fn node_keys(spec: &SpecInfo) -> Vec<String> {
    let required = spec
        .required_node_affinity
        .iter()
        .flat_map(|terms| &terms.0);
    let preferred = spec.preferred_node_affinity.iter().flatten();
    let terms = required.chain(preferred.map(|(_, term)| term));
    let labels = terms
        .flat_map(|term| &term.labels)
        .chain(&spec.node_selector)
        .map(|one| &one.key);
    let mut keys: Vec<String> = labels.cloned().collect();
    let pod = &spec.template.spec;
    let spread = pod.topology_spread_constraints.iter().flatten();
    keys.extend(spread.map(|constraint| constraint.topology_key.clone()));
    keys.extend(pod_affinity_terms(pod).map(|term| term.topology_key.clone()));
    sort::sort(&mut keys);
    keys.dedup();
    keys
}

/// The status of a Pod on a node, unless it is ready.
#[inline(never)]
fn live_status(cluster: &SimulatedCluster, key: &Key) -> Option<String> {
    let pod = cluster.api().store().pods.get(key)?;
    if pod.metadata.deletion_timestamp.is_some() {
        return Some("Terminating".to_owned());
    }
    let status = pod.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_ref());
    let mut conditions = conditions.into_iter().flatten();
    if conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True") {
        return None;
    }
    let containers = status.and_then(|status| status.container_statuses.as_ref());
    let waiting = containers.into_iter().flatten().find_map(|container| {
        let waiting = container.state.as_ref()?.waiting.as_ref()?;
        waiting.reason.clone()
    });
    Some(waiting.unwrap_or_else(|| "NotReady".to_owned()))
}
