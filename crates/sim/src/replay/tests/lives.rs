//! Whole lives: controllers, scheduler and kubelets together.

use super::{Played, with_controllers};
use crate::history::{CycleEnding, Entry};
use crate::replay::format;

fn played(manifests: &str) -> Played {
    with_controllers(manifests).play()
}

/// Plays manifests without refusals.
fn sound(manifests: &str) -> Played {
    let played = played(manifests);
    assert_eq!(played.refused, []);
    played
}

fn node(name: &str, cpu: u32) -> String {
    format!(
        "{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, status: {{allocatable: {{cpu: '{cpu}', memory: 8Gi}}}}}}"
    )
}

fn workload(kind: &str, name: &str, spec: &str, pod: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: {kind}
metadata: {{name: {name}}}
spec:
  {spec}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{{pod}containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]}}
"
    )
}

fn script(rest: &str) -> String {
    format!("apiVersion: conformance/v1\nkind: Script\n{rest}")
}

fn file(documents: &[String]) -> String {
    documents.join("\n---\n")
}

/// `seconds ending` of every cycle, in order.
fn cycles(played: &Played) -> Vec<String> {
    let cycles = played
        .record
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Cycle(cycle) => Some(cycle),
            _ => None,
        });
    let texts = cycles.map(|cycle| {
        let at = cycle.at.as_seconds();
        match &cycle.ending {
            CycleEnding::Bound(node) => format!("{at} {node}"),
            CycleEnding::Unschedulable => format!("{at} unschedulable"),
            other => format!("{at} {other:?}"),
        }
    });
    texts.collect()
}

/// `seconds state` of Pods whose name has this prefix, in order.
fn states(played: &Played, prefix: &str) -> Vec<String> {
    let states = played
        .record
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Pod { at, pod, now } if pod.starts_with(prefix) => {
                Some(format!("{} {}", at.as_seconds(), now.name()))
            }
            _ => None,
        });
    states.collect()
}

/// The nodes of all Pods that exist at the end, sorted.
fn places(played: &Played) -> Vec<&str> {
    let mut nodes: Vec<&str> = played
        .record
        .placed
        .iter()
        .map(|(_, node)| node.as_deref().unwrap_or("none"))
        .collect();
    nodes.sort_unstable();
    nodes
}

#[test]
fn pods_of_a_scaled_deployment_wait_for_a_node() {
    let played = sound(&file(&[
        node("n1", 2),
        workload("Deployment", "web", "replicas: 2", ""),
        script(&format!(
            "until: 60
kubelet: {{readyAfter: 3}}
steps:
- {{at: 10, scale: {{name: web, replicas: 4}}}}
- {{at: 20.5, create: [{}]}}
",
            node("n2", 4)
        )),
    ]));
    assert_eq!(
        cycles(&played),
        [
            "0 n1",
            "0 n1",
            "10 unschedulable",
            "10 unschedulable",
            "20.5 n2",
            "20.5 n2"
        ]
    );
    let states = states(&played, "default/web-");
    assert_eq!(states.iter().filter(|it| *it == "3 ready").count(), 2);
    assert_eq!(states.iter().filter(|it| *it == "20.5 running").count(), 2);
    assert_eq!(states.iter().filter(|it| *it == "23.5 ready").count(), 2);
    assert_eq!(places(&played), ["n1", "n1", "n2", "n2"]);
}

#[test]
fn a_deleted_pod_is_replaced_and_its_end_makes_room() {
    let played = sound(&file(&[
        node("n1", 1),
        workload("ReplicaSet", "web", "replicas: 1", ""),
        script(
            "until: 60
kubelet: {graceSeconds: 7}
steps:
- {at: 10, deletePod: {selector: {app: web}}}
",
        ),
    ]));
    // The new Pod finds no room during the grace period of the old one.
    assert_eq!(cycles(&played), ["0 n1", "10 unschedulable", "17 n1"]);
    let states = states(&played, "default/web-");
    assert_eq!(
        states,
        ["0 running", "0 ready", "17 gone", "17 running", "17 ready"]
    );
}

#[test]
fn a_victim_of_a_controller_is_replaced_and_waits() {
    let played = sound(&file(&[
        node("n1", 1),
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}"
            .to_owned(),
        workload("ReplicaSet", "low", "replicas: 1", ""),
        script(
            "until: 40
kubelet: {graceSeconds: 5}
steps:
- at: 10
  create: [{apiVersion: v1, kind: Pod, metadata: {name: boss}, spec: {priorityClassName: high, containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}]
",
        ),
    ]));
    assert_eq!(played.record.deleted.len(), 1);
    assert!(played.record.deleted[0].starts_with("default/low-"));
    let cycles = cycles(&played);
    assert_eq!(
        cycles[..3],
        ["0 n1", "10 unschedulable", "10 unschedulable"]
    );
    assert_eq!(states(&played, "default/boss"), ["15 running", "15 ready"]);
    // `boss` has the node, and the replacement of `low` waits.
    assert_eq!(places(&played), ["n1", "none"]);
}

#[test]
fn daemon_pods_go_to_their_nodes() {
    let played = sound(&file(&[
        node("n1", 4),
        node("n2", 4),
        workload("DaemonSet", "agent", "minReadySeconds: 0", ""),
        script(&format!(
            "until: 30
steps:
- {{at: 5, create: [{}]}}
- {{at: 9, delete: [{{kind: Node, name: n1}}]}}
",
            node("n3", 4)
        )),
    ]));
    assert_eq!(cycles(&played), ["0 n1", "0 n2", "5 n3"]);
    assert_eq!(places(&played), ["n2", "n3"]);
}

#[test]
fn a_job_completes_two_at_a_time() {
    let job = "apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 4
  parallelism: 2
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}
";
    let played = sound(&file(&[
        node("n1", 2),
        job.to_owned(),
        script("until: 60\nkubelet: {runSeconds: 10}\n"),
    ]));
    let ended = states(&played, "default/sum-");
    let ended: Vec<&String> = ended
        .iter()
        .filter(|it| it.ends_with("succeeded"))
        .collect();
    assert_eq!(ended.len(), 4, "{ended:?}");
    let mut reasons = played
        .record
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Event { event, .. } => Some(&*event.reason),
            _ => None,
        });
    assert_eq!(reasons.next_back(), Some("Completed"));
    assert_eq!(places(&played), [""; 0]);
}

#[test]
fn controllers_pods_pass_admission() {
    let quota =
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: '1'}}}";
    let limits = "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: Container, max: {cpu: '2'}}]}}";
    let played = sound(&file(&[
        node("n1", 4),
        quota.to_owned(),
        limits.to_owned(),
        workload("ReplicaSet", "web", "replicas: 2", ""),
        script("until: 2\n"),
    ]));
    assert_eq!(cycles(&played), ["0 n1"]);
    let refused = played
        .record
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Event { event, .. } if event.reason == "FailedCreate" => Some(&event.message),
            _ => None,
        });
    let refused: Vec<&String> = refused.collect();
    assert!(refused.len() > 2, "it is tried again, later and later");
    assert!(refused[0].contains("exceeded quota: q"), "{}", refused[0]);
}

#[test]
fn a_cluster_that_never_settles_is_reported() {
    let played = played(&file(&[
        node("n1", 2),
        workload("ReplicaSet", "web", "replicas: 1", ""),
        script("until: 60\nkubelet: {runSeconds: 0}\n"),
    ]));
    assert_eq!(played.refused.len(), 1);
    let message = &played.refused[0].message;
    assert_eq!(message, "the cluster never comes to rest at second 0");
}

#[test]
fn the_same_input_gives_the_same_record() {
    let life = file(&[
        node("n1", 2),
        node("n2", 2),
        workload("Deployment", "web", "replicas: 3", ""),
        workload("StatefulSet", "db", "replicas: 2", ""),
        script(
            "until: 90
kubelet: {readyAfter: 4, graceSeconds: 3}
steps:
- {at: 20, setImage: {name: web, image: j}}
- {at: 40, removeNode: {name: n1}}
- {at: 60.25, addNode: {metadata: {name: n3}, status: {allocatable: {cpu: '9', memory: 8Gi}}}}
- {at: 61, update: [{apiVersion: v1, kind: Node, metadata: {name: n3, labels: {a: b}}, status: {allocatable: {cpu: '5', memory: 8Gi}}}]}
- {at: 70, delete: {name: web}}
",
        ),
    ]);
    let (one, two) = (sound(&life), sound(&life));
    assert_eq!(
        format::text(&one.record, "l"),
        format::text(&two.record, "l")
    );
    assert_eq!(places(&one), ["n2", "n3"]);
}

#[test]
fn a_replay_ends_with_the_last_step() {
    let played = sound(&file(&[
        node("n1", 2),
        workload("ReplicaSet", "web", "replicas: 1", ""),
        script(
            "until: 1
kubelet: {readyAfter: 3}
steps:
- {at: 4.5, scale: {kind: ReplicaSet, name: web, replicas: 2}}
",
        ),
    ]));
    let states = states(&played, "default/web-");
    assert_eq!(states, ["0 running", "3 ready", "4.5 running"]);
}

#[test]
fn a_failed_step_is_reported_and_the_replay_continues() {
    let played = played(&file(&[
        node("n1", 2),
        script(
            "until: 9
steps:
- {at: 1, scale: {name: none, replicas: 2}}
- {at: 2, create: [{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}]}
",
        ),
    ]));
    let paths: Vec<&str> = played.refused.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["steps[0]"]);
    assert_eq!(cycles(&played), ["2 n1"]);
}
