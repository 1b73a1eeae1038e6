//! What is inferred from the Pods of a dump, and what is not.

use std::collections::BTreeSet;

use crate::api::load::load;
use crate::api::object::Manifest;
use crate::api::source::SourceFile;

use super::{Inferred, infer};

fn inferred(text: &str) -> Inferred {
    let loaded = load(&[SourceFile::new("dump.yaml", text)]);
    let documents = loaded.documents.iter();
    let objects: Vec<&Manifest> = documents.filter_map(|it| it.object.as_deref()).collect();
    infer(&objects, &BTreeSet::new(), super::Exist::Dumped)
}

fn node(name: &str, labels: &str) -> String {
    format!(
        "---\nkind: Node\napiVersion: v1\nmetadata: {{name: {name}, uid: {name}, labels: {{kubernetes.io/hostname: {name}, {labels}}}}}\n"
    )
}

/// A Pod of an owner; `spec` is the content of a YAML flow mapping.
fn pod(name: &str, owner: &str, phase: &str, spec: &str) -> String {
    let (kind, of) = owner.split_once('/').expect("kind/name");
    format!(
        "---\nkind: Pod\napiVersion: v1\nmetadata:\n  name: {name}\n  labels: {{app: {of}, topology.kubernetes.io/zone: a}}\n  uid: {name}\n  \
         ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {of}, uid: {of}, controller: true}}]\n\
         spec: {{{spec}, containers: [{{name: c, image: i}}]}}\nstatus: {{phase: {phase}}}\n"
    )
}

fn pinned(node: &str) -> String {
    format!(
        "nodeName: {node}, affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
         {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [{node}]}}]}}]}}}}}}"
    )
}

/// The required node affinity of the only DaemonSet, as JSON.
fn confined(inferred: &Inferred) -> String {
    let [Manifest::DaemonSet(set)] = inferred.objects.as_slice() else {
        panic!("{:?}", inferred.objects);
    };
    let spec = set.spec.as_ref().and_then(|it| it.template.spec.as_ref());
    let affinity = spec.and_then(|it| it.affinity.as_ref()?.node_affinity.as_ref());
    let required = affinity.and_then(|it| {
        it.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    required.map_or_else(String::new, |it| {
        serde_json::to_string(&it.node_selector_terms).expect("is JSON")
    })
}

#[test]
fn ended_and_deleted_pods_are_nobodys_replicas() {
    let pods = [
        pod("web-a", "ReplicaSet/web", "Running", "nodeName: n1"),
        pod("web-b", "ReplicaSet/web", "Failed", "nodeName: n1"),
        pod("night-a", "Job/night", "Succeeded", "nodeName: n1"),
        pod("gone-a", "ReplicaSet/gone", "Failed", "nodeName: n1"),
    ];
    let inferred = inferred(&pods.concat());
    let owners: Vec<(&str, usize)> = inferred
        .owners
        .iter()
        .map(|it| (&*it.name, it.pods))
        .collect();
    assert_eq!(owners, [("web", 1)]);
    let [Manifest::ReplicaSet(set)] = inferred.objects.as_slice() else {
        panic!("{:?}", inferred.objects);
    };
    let spec = set.spec.as_ref().expect("has a spec");
    assert_eq!(spec.replicas, Some(1));
    let selector = spec.selector.match_labels.iter().flatten();
    let keys: Vec<&String> = selector.map(|(key, _)| key).collect();
    assert_eq!(keys, ["app"], "admission copied the zone from the node");
    assert_eq!(set.metadata.namespace.as_deref(), Some("default"));
}

#[test]
fn an_owner_of_the_file_is_not_inferred_whatever_its_uid() {
    let set = "---\nkind: ReplicaSet\napiVersion: apps/v1\nmetadata: {name: web, namespace: default}\n\
        spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, \
        spec: {containers: [{name: c, image: i}]}}}\n";
    let text = pod("web-a", "ReplicaSet/web", "Running", "nodeName: n1") + set;
    assert!(inferred(&text).objects.is_empty());
}

#[test]
fn a_daemon_set_that_runs_on_each_node_has_no_affinity() {
    let text = [
        node("n1", "pool: a"),
        node("n2", "pool: b"),
        pod("agent-1", "DaemonSet/agent", "Running", &pinned("n1")),
        pod("agent-2", "DaemonSet/agent", "Running", &pinned("n2")),
    ];
    assert_eq!(confined(&inferred(&text.concat())), "");
}

#[test]
fn nodes_without_a_daemon_are_told_apart_by_a_label_or_by_name() {
    let of_pool = [
        node("n1", "arch: x, pool: gpu"),
        node("n2", "arch: x, pool: gpu"),
        node("n3", "arch: x, pool: other"),
        pod("agent-1", "DaemonSet/agent", "Running", &pinned("n1")),
        pod("agent-2", "DaemonSet/agent", "Running", &pinned("n2")),
    ];
    assert_eq!(
        confined(&inferred(&of_pool.concat())),
        r#"[{"matchExpressions":[{"key":"pool","operator":"In","values":["gpu"]}]}]"#
    );
    let unlabelled = [
        node("n1", "special: 'yes'"),
        node("n2", "arch: x"),
        pod("agent-2", "DaemonSet/agent", "Running", &pinned("n2")),
    ];
    assert_eq!(
        confined(&inferred(&unlabelled.concat())),
        r#"[{"matchExpressions":[{"key":"arch","operator":"In","values":["x"]}]}]"#
    );
    let alike = [
        node("n1", "arch: x"),
        node("n2", "arch: x"),
        pod("agent-2", "DaemonSet/agent", "Running", &pinned("n2")),
    ];
    assert_eq!(
        confined(&inferred(&alike.concat())),
        r#"[{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]}]"#
    );
}

#[test]
fn classes_that_admitted_pods_name_are_inferred() {
    let text = [
        pod(
            "a",
            "Workflow/x",
            "Running",
            "priorityClassName: high, priority: 70, preemptionPolicy: Never",
        ),
        pod(
            "b",
            "Workflow/x",
            "Running",
            "priorityClassName: system-node-critical, priority: 2000001000",
        ),
    ];
    let inferred = inferred(&text.concat());
    let [Manifest::PriorityClass(class)] = inferred.objects.as_slice() else {
        panic!("{:?}", inferred.objects);
    };
    assert_eq!(class.metadata.name.as_deref(), Some("high"));
    assert_eq!(
        (class.value, class.preemption_policy.as_deref()),
        (Some(70), Some("Never"))
    );
}
