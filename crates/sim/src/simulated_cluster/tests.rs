//! Simulated clusters: what the scheduler writes, and how time passes.

use std::fmt::Write as _;

use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::pod_util;
use crate::server::time_at;
use crate::store::{Key, name_of};
use berth_base::time::{Span, Time};
use berth_core::api::manifests::read;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::source::SourceFile;
use berth_scheduler::plugins::registry::registry;

use super::{Rest, SimulatedCluster, SimulationOptions};

const HOUR: Time = Time::at_second(3_600);

fn cluster(manifests: &str) -> SimulatedCluster {
    cluster_with(manifests, &SimulationOptions::default())
}

fn cluster_with(manifests: &str, options: &SimulationOptions) -> SimulatedCluster {
    let manifests = read(
        &[SourceFile::new("w.yaml", manifests)],
        &PrepareOptions::default(),
    );
    assert!(!manifests.has_errors(), "{:?}", manifests.problems);
    let objects = manifests
        .loaded
        .documents
        .iter()
        .filter_map(|document| document.object.as_deref());
    let cluster = SimulatedCluster::new(&manifests.prepared, &registry(), options);
    let mut cluster = cluster.expect("it starts");
    assert_eq!(cluster.load(objects), []);
    cluster
}

fn node(name: &str, cpu: u32) -> String {
    format!(
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nstatus: {{allocatable: {{cpu: '{cpu}', memory: 64Gi, pods: '110'}}}}\n"
    )
}

fn deployment(name: &str, replicas: u32) -> String {
    format!(
        "---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 100m}}}}}}]}}
"
    )
}

fn pod(name: &str, rest: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{rest}containers: [{{name: c, image: i, resources: {{requests: {{cpu: '2'}}}}}}]}}\n"
    )
}

/// The events of Pods and workloads.
fn events(cluster: &SimulatedCluster) -> Vec<String> {
    let events = cluster
        .api()
        .events()
        .iter()
        .filter(|it| it.kind != "Node")
        .map(|it| format!("{} {} x{}", it.reason, it.message, it.count()));
    events.collect()
}

#[test]
fn a_cluster_settles_and_its_pods_run() {
    let mut cluster = cluster(&(node("n1", 4) + &deployment("web", 3)));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let store = cluster.api().store();
    assert_eq!(store.pods.count(), 3);
    assert!(store.pods.iter().all(|pod| pod_util::is_ready(pod)));
    let events = events(&cluster);
    let scheduled = events.iter().filter(|it| it.starts_with("Scheduled "));
    assert_eq!(scheduled.count(), 3, "{events:?}");
}

#[test]
fn a_pending_pod_has_its_reason_in_its_status_and_in_an_event() {
    let mut cluster = cluster(&(node("n1", 1) + &pod("big", "")));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let key = Key::new("default", "big");
    let big = cluster.api().store().pods.get(&key).expect("it is there");
    let conditions = big.status.as_ref().and_then(|it| it.conditions.clone());
    let condition = conditions.expect("it has some").remove(0);
    assert_eq!(condition.type_, "PodScheduled");
    assert_eq!(condition.status, "False");
    assert_eq!(condition.reason.as_deref(), Some("Unschedulable"));
    let message = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    assert_eq!(condition.message.as_deref(), Some(message));
    assert_eq!(events(&cluster), [format!("FailedScheduling {message} x1")]);
    // The Pod is retried five minutes later. The condition changed its version, so that gets an event of its own; the
    // next retry increases its count.
    let once = format!("FailedScheduling {message} x1");
    let twice = format!("FailedScheduling {message} x2");
    for (seconds, wanted) in [(400, [&once, &once]), (800, [&once, &twice])] {
        while cluster.now() < Time::at_second(seconds) {
            cluster.advance(Time::at_second(seconds));
        }
        assert_eq!(events(&cluster).iter().collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn a_pod_deleted_while_its_claim_was_bound_does_not_bind_its_successor() {
    let class = "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: later}\nprovisioner: csi.example.com\nvolumeBindingMode: WaitForFirstConsumer\n";
    let claim = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], storageClassName: later, resources: {requests: {storage: 1Gi}}}\n";
    let rest = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}], ";
    let mut cluster = cluster(&(node("n1", 4) + class + claim + &pod("db", rest)));
    cluster.settle();
    let key = Key::new("default", "db");
    let db = cluster.api().store().pods.get(&key).cloned();
    let db = db.expect("it was made");
    assert_eq!(pod_util::node_of(&db), "", "its claim is being provisioned");
    // The second Pod does not fit the node that was chosen for the first.
    let mut next = (*db).clone();
    next.metadata = ObjectMeta {
        name: Some("db".to_owned()),
        namespace: Some("default".to_owned()),
        ..ObjectMeta::default()
    };
    next.status = None;
    let spec = next.spec.get_or_insert_default();
    spec.node_selector = Some([("disk".to_owned(), "ssd".to_owned())].into());
    let api = cluster.api_mut();
    api.delete::<Pod>(&key).expect("it is there");
    api.create(next).expect("the name is free");
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    assert_eq!(cluster.audit(), Ok(()));
    let db = cluster.api().store().pods.get(&key).expect("it waits");
    assert_eq!(pod_util::node_of(db), "");
}

#[test]
fn a_victim_gets_a_condition_and_the_nomination_is_in_the_status() {
    let class = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n";
    let mut cluster = cluster(&(node("n1", 3) + class + &pod("low", "")));
    cluster.settle();
    let high = pod("high", "priorityClassName: high, ");
    let manifests = read(
        &[SourceFile::new("h.yaml", &*high)],
        &PrepareOptions::default(),
    );
    let mut objects = manifests.loaded.documents.iter();
    let object = objects.find_map(|document| document.object.as_deref());
    assert_eq!(cluster.load(object.into_iter()), []);
    cluster.settle();
    let get = |cluster: &SimulatedCluster, name: &str| {
        let pods = &cluster.api().store().pods;
        pods.get(&Key::new("default", name)).cloned()
    };
    let low = get(&cluster, "low").expect("it has its grace");
    assert!(pod_util::is_terminating(&low));
    let conditions = low.status.as_ref().and_then(|it| it.conditions.clone());
    let conditions = conditions.unwrap_or_default();
    let target = conditions.iter().find(|it| it.type_ == "DisruptionTarget");
    let reason = target.and_then(|it| it.reason.as_deref());
    assert_eq!(reason, Some("PreemptionByScheduler"));
    let nominated = get(&cluster, "high").and_then(|pod| pod.status.clone());
    let nominated = nominated.and_then(|status| status.nominated_node_name);
    assert_eq!(nominated.as_deref(), Some("n1"));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    assert!(get(&cluster, "low").is_none());
    let high = get(&cluster, "high").expect("it is there");
    assert_eq!(pod_util::node_of(&high), "n1");
}

#[test]
fn a_step_can_be_as_small_as_one_attempt() {
    let mut cluster = cluster(&(node("n1", 4) + &deployment("web", 3)));
    let mut bound = Vec::new();
    while cluster.settle_some() {
        let pods = cluster.api().store().pods.iter();
        bound.push(
            pods.filter(|pod| !pod_util::node_of(pod).is_empty())
                .count(),
        );
    }
    for count in 1..=3 {
        assert!(bound.contains(&count), "{bound:?}");
    }
}

#[test]
fn a_copy_gives_the_same_result() {
    let mut one = cluster(&(node("n1", 4) + &deployment("web", 3) + &pod("big", "")));
    one.settle_some();
    let mut other = one.clone();
    one.run_until_quiet(HOUR, 1_000);
    other.run_until_quiet(HOUR, 1_000);
    assert_eq!(one.digest(), other.digest());
}

#[test]
fn two_thousand_pods_settle() {
    let mut manifests = String::new();
    for index in 0..200 {
        manifests.push_str(&node(&format!("n{index}"), 64));
    }
    for index in 0..4 {
        let _ = write!(manifests, "{}", deployment(&format!("web{index}"), 500));
    }
    let mut cluster = cluster(&manifests);
    assert_eq!(cluster.run_until_quiet(HOUR, 100_000), Rest::Quiet);
    let store = cluster.api().store();
    assert_eq!(store.pods.count(), 2_000);
    assert!(store.pods.iter().all(|pod| pod_util::is_ready(pod)));
}

#[test]
fn pods_of_a_lost_node_are_replaced_elsewhere_and_their_budget_follows() {
    let budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {minAvailable: 2, selector: {matchLabels: {app: web}}}\n";
    let nodes: String = ["n1", "n2", "n3"].map(|name| node(name, 4)).concat();
    let mut cluster = cluster(&(nodes + &deployment("web", 3) + budget));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let allowed = |cluster: &SimulatedCluster| {
        let budget = cluster
            .api()
            .store()
            .budgets
            .get(&Key::new("default", "web"));
        let status = budget.and_then(|budget| budget.status.clone());
        status.expect("a status").disruptions_allowed.unwrap()
    };
    assert_eq!(allowed(&cluster), 1);
    let lost = cluster.api().store().pods.iter().next().expect("a Pod");
    let lost = pod_util::node_of(lost).to_owned();
    cluster.api_mut().silence_node(&lost).expect("it is there");
    cluster.settle();
    while cluster.now() < Time::at_second(200) {
        cluster.advance(Time::at_second(200));
    }
    // The Pod on the lost node is not ready, but not evicted yet.
    assert_eq!(allowed(&cluster), 0);
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    assert_eq!(allowed(&cluster), 1);
    let store = cluster.api().store();
    let active = store.pods.iter().filter(|pod| pod_util::is_active(pod));
    let nodes: Vec<&str> = active.map(|pod| pod_util::node_of(pod)).collect();
    assert_eq!(nodes.len(), 3);
    assert!(!nodes.contains(&lost.as_str()), "{nodes:?}");
    let events = events(&cluster);
    let count = |reason: &str| events.iter().filter(|it| it.starts_with(reason)).count();
    assert_eq!(
        (count("NodeNotReady "), count("TaintManagerEviction ")),
        (1, 1)
    );
}

#[test]
fn a_node_that_was_lost_in_a_dump_stays_lost_and_its_pods_are_evicted() {
    let lost = node("n1", 4).replace(
        "status: {",
        "status: {conditions: [{type: Ready, status: Unknown}], ",
    );
    let on_it = pod("stranded", "nodeName: n1, ");
    let mut cluster = cluster(&(lost + &node("n2", 4) + &on_it));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let stranded = cluster
        .api()
        .store()
        .pods
        .get(&Key::new("default", "stranded"));
    let stranded = stranded.expect("nobody is there who could end it");
    assert!(pod_util::is_terminating(stranded));
    let n1 = cluster.api().store().nodes.get(&Key::new("", "n1"));
    let taints = n1.and_then(|node| node.spec.as_ref()?.taints.clone());
    let taints = taints.unwrap_or_default();
    let unreachable = taints
        .iter()
        .filter(|it| it.key == "node.kubernetes.io/unreachable");
    assert_eq!(unreachable.count(), 2, "{taints:?}");
}

#[test]
fn events_of_the_scheduler_carry_the_name_of_the_profile() {
    let profiles = "---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler}, {schedulerName: lab}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
";
    let waits = pod("waits", "schedulerName: lab, nodeSelector: {disk: none}, ");
    let mut cluster = cluster(&(node("n1", 3) + profiles + &pod("low", "") + &waits));
    cluster.settle();
    let high = pod("high", "priorityClassName: high, schedulerName: lab, ");
    let manifests = read(
        &[SourceFile::new("h.yaml", &*high)],
        &PrepareOptions::default(),
    );
    let mut objects = manifests.loaded.documents.iter();
    let object = objects.find_map(|document| document.object.as_deref());
    assert_eq!(cluster.load(object.into_iter()), []);
    cluster.settle();
    // The victim's condition names the scheduler of the preemptor.
    let low = cluster
        .api()
        .store()
        .pods
        .get(&Key::new("default", "low"))
        .cloned();
    let conditions = low.and_then(|it| it.status.clone()?.conditions);
    let target = conditions.unwrap_or_default();
    let target = target.iter().find(|it| it.type_ == "DisruptionTarget");
    assert_eq!(
        target.and_then(|it| it.message.as_deref()),
        Some("lab: preempting to accommodate a higher priority pod")
    );
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let message_of = |name: &str, reason: &str| {
        let mut records = cluster.api().events().iter();
        let found = records.find(|it| it.key.name() == name && it.reason == reason);
        found.map(|it| it.source.to_string())
    };
    for (name, reason, source) in [
        ("low", "Scheduled", "default-scheduler"),
        ("low", "Preempted", "lab"),
        ("high", "Scheduled", "lab"),
        ("waits", "FailedScheduling", "lab"),
    ] {
        assert_eq!(
            message_of(name, reason).as_deref(),
            Some(source),
            "{name} {reason}"
        );
    }
}

#[test]
fn a_deployment_that_misses_a_pod_long_after_its_rollout_lets_the_cluster_rest() {
    let mut cluster = cluster(&(node("n1", 4) + &node("n2", 4) + &deployment("web", 2)));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    while cluster.now() < Time::at_second(1_000) {
        cluster.advance(Time::at_second(1_000));
    }
    for name in ["n1", "n2"] {
        cluster
            .api_mut()
            .delete::<Node>(&Key::new("", name))
            .expect("it is there");
    }
    // Room for one of the two.
    let small = node("n3", 1).replace("'1'", "150m");
    let manifests = read(
        &[SourceFile::new("n.yaml", small)],
        &PrepareOptions::default(),
    );
    let documents = manifests.loaded.documents.iter();
    cluster.load(documents.filter_map(|document| document.object.as_deref()));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let waiting = cluster
        .api()
        .store()
        .pods
        .iter()
        .filter(|pod| pod_util::node_of(pod).is_empty());
    assert_eq!(waiting.count(), 1);
}

#[test]
fn pods_that_their_node_refuses_are_replaced_without_end_but_time_goes_on() {
    let mut options = SimulationOptions::default();
    options.kubelet.by_containers = true;
    let template = "spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: 900m}}}]}";
    let plain = "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}";
    let manifests = node("n1", 2) + &deployment("web", 3).replace(plain, template);
    let mut cluster = cluster_with(&manifests, &options);
    let until = Time::at_second(3);
    assert_eq!(cluster.run_until_quiet(until, 1_000), Rest::OutOfTime);
    assert!(cluster.livelock().is_none());
    let is_refused = |pod: &&std::sync::Arc<k8s_openapi::api::core::v1::Pod>| {
        let reason = pod.status.as_ref().and_then(|it| it.reason.as_deref());
        reason == Some("OutOfcpu")
    };
    let refused = cluster.api().store().pods.iter().filter(is_refused).count();
    // Twenty a second, from the beginning.
    assert!((60..=80).contains(&refused), "{refused}");
}

#[test]
fn a_stateful_set_whose_pods_are_to_be_ready_for_a_while_lets_the_cluster_rest() {
    let set = deployment("db", 2).replace("kind: Deployment", "kind: StatefulSet");
    let set = set.replace("replicas: 2", "replicas: 2\n  minReadySeconds: 8");
    let large = set.replace("cpu: 100m", "cpu: 900m");
    let mut cluster = cluster(&(node("n1", 1) + &large));
    // There is no room for the second Pod.
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let available: Vec<Option<i32>> = cluster
        .api()
        .store()
        .stateful_sets
        .iter()
        .map(|set| set.status.as_ref()?.available_replicas)
        .collect();
    assert_eq!(available, [Some(1)]);
}

#[test]
fn a_daemon_of_a_node_that_is_gone_gets_no_second_pod() {
    let mut options = SimulationOptions::default();
    options.kubelet.by_containers = true;
    let set = "---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  updateStrategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: i}]}
";
    let mut cluster = cluster_with(&(node("n1", 4) + &node("n2", 4) + set), &options);
    cluster.run_until_quiet(HOUR, 1_000);
    let api = cluster.api_mut();
    api.delete::<Node>(&Key::new("", "n2"))
        .expect("it is there");
    // Settle only this moment: the Pod of the deleted node still exists.
    cluster.settle();
    let api = cluster.api_mut();
    let key = Key::new("default", "agent");
    let mut set = (**api.store().daemon_sets.get(&key).expect("it is there")).clone();
    let template = &mut set.spec.get_or_insert_default().template;
    let containers = template.spec.get_or_insert_default();
    containers.containers[0].image = Some("i:2".to_owned());
    api.update(set).expect("it is taken");
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    assert_eq!(cluster.api().store().pods.count(), 1);
}

#[test]
fn the_daemons_of_a_dump_stay_although_their_revision_is_absent() {
    let set = "---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default, uid: set-uid}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: 'i:2'}]}
";
    let pod = |name: &str, node: &str, image: &str, hash: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: default, uid: {name}-uid, labels: {{app: agent, controller-revision-hash: {hash}}}, ownerReferences: [{{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: set-uid, controller: true, blockOwnerDeletion: true}}]}}\nspec: {{nodeName: {node}, containers: [{{name: c, image: '{image}'}}]}}\nstatus: {{phase: Running, conditions: [{{type: Ready, status: 'True'}}]}}\n"
        )
    };
    let dumped = node("n1", 4)
        + &node("n2", 4)
        + &node("n3", 4)
        + set
        + &pod("agent-1", "n1", "i:2", "7c6b")
        + &pod("agent-2", "n2", "i:2", "7c6b");
    let names = |cluster: &SimulatedCluster| {
        let names = cluster
            .api()
            .store()
            .pods
            .iter()
            .map(|pod| name_of(&pod.metadata).to_owned());
        names
            .filter(|name| name.len() == "agent-1".len())
            .collect::<Vec<_>>()
    };
    let mut options = SimulationOptions::default();
    options.kubelet.by_containers = true;
    // All that the controllers add has their current revision, and the rollout in progress continues.
    let whole = dumped.clone() + &pod("agent-3", "n3", "i:2", "7c6b");
    let mut cluster_of_one = cluster_with(&whole, &options);
    cluster_of_one.run_until_quiet(HOUR, 1_000);
    assert_eq!(names(&cluster_of_one), ["agent-1", "agent-2", "agent-3"]);
    let rolling = dumped + &pod("agent-3", "n3", "i:1", "59f4");
    let mut rolling = cluster_with(&rolling, &options);
    rolling.run_until_quiet(HOUR, 1_000);
    assert_eq!(names(&rolling), ["agent-1", "agent-2"]);
    let labels: Vec<&str> = rolling
        .api()
        .store()
        .pods
        .iter()
        .map(|pod| pod_util::label_of(pod, "controller-revision-hash"))
        .collect();
    assert_eq!(labels, ["7c6b"; 3]);
}

/// Two Pods of `web` from a dump that lacks their ReplicaSet.
fn dumped_pods() -> String {
    let pod = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: default, uid: {name}-uid, labels: {{app: web, pod-template-hash: abc}}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web-abc, uid: set-uid, controller: true, blockOwnerDeletion: true}}]}}\nspec: {{nodeName: n1, containers: [{{name: c, image: 'i'}}]}}\nstatus: {{phase: Running, conditions: [{{type: Ready, status: 'True'}}]}}\n"
        )
    };
    pod("web-abc-1") + &pod("web-abc-2")
}

#[test]
fn pods_of_a_dump_stay_although_their_owner_is_absent() {
    let mut cluster = cluster(&(node("n1", 4) + &dumped_pods()));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let pods = &cluster.api().store().pods;
    assert_eq!(pods.count(), 2);
    assert!(
        pods.iter()
            .all(|pod| pod.metadata.deletion_timestamp.is_none())
    );
}

#[test]
fn a_deployment_of_a_dump_adopts_its_pods() {
    let deployment = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default, uid: web-uid, annotations: {deployment.kubernetes.io/revision: '3'}}\nspec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: 'i'}]}}}\n";
    let mut cluster = cluster(&(node("n1", 4) + &dumped_pods() + deployment));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    let store = cluster.api().store();
    let names: Vec<&str> = store
        .pods
        .iter()
        .map(|pod| name_of(&pod.metadata))
        .collect();
    assert_eq!(names, ["web-abc-1", "web-abc-2"]);
    let sets: Vec<&str> = store
        .replica_sets
        .iter()
        .map(|set| name_of(&set.metadata))
        .collect();
    assert_eq!(sets, ["web-abc"]);
    // It controls them: a deleted Pod is replaced, and all are deleted with the Deployment.
    let _ = cluster
        .api_mut()
        .delete_object("Pod", &Key::new("default", "web-abc-1"));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    assert_eq!(cluster.api().store().pods.count(), 2);
    let _ = cluster
        .api_mut()
        .delete_object("Deployment", &Key::new("default", "web"));
    assert_eq!(cluster.run_until_quiet(HOUR, 1_000), Rest::Quiet);
    assert_eq!(cluster.api().store().pods.count(), 0);
}

#[test]
fn time_starts_when_a_dump_was_made() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, uid: n-1, creationTimestamp: \"2026-03-01T08:00:00Z\"}\n\
        status:\n  allocatable: {cpu: 4, memory: 8Gi, pods: 110}\n  conditions:\n  - {type: Ready, status: \"True\", \
        lastHeartbeatTime: \"2026-03-02T10:00:00Z\", lastTransitionTime: \"2026-03-01T08:00:30Z\"}\n";
    let mut cluster = cluster(node);
    assert_eq!(
        time_at(cluster.api().now_ms()).0.to_string(),
        "2026-03-02T10:00:00Z"
    );
    assert_eq!(cluster.elapsed_ms(), 0);
    let later = cluster.now().after(Span::seconds(90));
    cluster.settle();
    cluster.run_until_quiet(later, 1_000);
    cluster.go_to(later);
    assert_eq!(cluster.elapsed_ms(), 90_000);
    let node = cluster
        .api()
        .store()
        .nodes
        .get(&Key::new("", "n1"))
        .unwrap();
    let ready = node
        .status
        .iter()
        .flat_map(|it| it.conditions.iter().flatten())
        .map(|it| (it.type_.as_str(), it.status.as_str()));
    assert!(
        ready.collect::<Vec<_>>().contains(&("Ready", "True")),
        "its kubelet goes on to tell of it"
    );
}
