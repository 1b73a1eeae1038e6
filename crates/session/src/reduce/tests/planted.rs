//! Causes planted in random clusters: the case of the Pod that waits has them.

use berth_base::random::Random;

use super::reduced;

/// Clusters with a known cause.
const PLANTED: u64 = 6;
const PLANTED_OF_ALL: u64 = 300;

#[test]
fn a_planted_cause_is_in_the_case() {
    for seed in 0..PLANTED {
        planted(seed);
    }
}

#[test]
#[ignore = "takes minutes"]
fn planted_causes_of_many_clusters_are_in_the_case() {
    for seed in 0..PLANTED_OF_ALL {
        planted(seed);
    }
}

/// A cause: what is written into all nodes, or into the Pod, and how the case shows it.
struct Cause {
    node: &'static str,
    pod: &'static str,
    plugin: &'static str,
    shown: &'static str,
}

const CAUSES: [Cause; 6] = [
    Cause {
        node: "",
        pod: "containers: [{name: c, image: i, resources: {requests: {cpu: 90}}}]",
        plugin: "NodeResourcesFit",
        shown: "requests: {cpu: '90'}",
    },
    Cause {
        node: "spec: {taints: [{key: corp.example.org/kept, value: x, effect: NoSchedule}]}",
        pod: "containers: [{name: c, image: i}]",
        plugin: "TaintToleration",
        shown: "effect: NoSchedule",
    },
    Cause {
        node: "",
        pod: "nodeSelector: {corp.example.org/disk: fast}\n  containers: [{name: c, image: i}]",
        plugin: "NodeAffinity",
        shown: "nodeSelector: {",
    },
    Cause {
        node: "spec: {unschedulable: true}",
        pod: "containers: [{name: c, image: i}]",
        plugin: "NodeUnschedulable",
        shown: "unschedulable: true",
    },
    Cause {
        node: "",
        pod: "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8443}]}]",
        plugin: "NodePorts",
        shown: "hostPort: 8443",
    },
    Cause {
        node: "",
        pod: "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: \
              kubernetes.io/hostname, labelSelector: {matchLabels: {corp.example.org/on: every-node}}}]}}\n  \
              containers: [{name: c, image: i}]",
        plugin: "InterPodAffinity",
        shown: "podAntiAffinity:",
    },
];

/// Reduces the Pod of a random cluster that waits for a known cause.
#[track_caller]
fn planted(seed: u64) {
    let mut random = Random::new(seed);
    let cause = &CAUSES[usize::try_from(seed).unwrap() % CAUSES.len()];
    let mut documents = Vec::new();
    let nodes = 3 + random.below(12);
    for node in 0..nodes {
        let cpu = 2 + 2 * random.below(8);
        let zone = random.below(3);
        documents.push(format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n-{node}.corp.example.org, labels: {{kubernetes.io/hostname: \
             n-{node}, topology.kubernetes.io/zone: corp-{zone}, corp.example.org/tier: 't{zone}'}}}}\n{}\n\
             status: {{allocatable: {{cpu: {cpu}, memory: 32Gi, pods: 110}}}}\n",
            cause.node
        ));
        // One on each node has the port and the label that causes ask for.
        documents.push(format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: agent-{node}-corp, labels: {{corp.example.org/on: every-node}}}}\n\
             spec: {{nodeName: n-{node}.corp.example.org, containers: [{{name: c, image: i, ports: [{{containerPort: 80, \
             hostPort: 8443}}]}}]}}\n"
        ));
        for pod in 0..random.below(6) {
            let cpu = 100 * (1 + random.below(4));
            documents.push(format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: app-{node}-{pod}-corp, labels: {{app: a{pod}}}}}\n\
                 spec: {{nodeName: n-{node}.corp.example.org, containers: [{{name: c, image: i, resources: {{requests: \
                 {{cpu: {cpu}m, memory: 100Mi}}}}}}]}}\n"
            ));
        }
    }
    documents.push(format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: target-corp}}\nspec:\n  {}\n",
        cause.pod
    ));
    let reduced = reduced(&documents.join("---\n"), "default/target-corp");
    let reasons = reduced.case.claim.reasons.as_deref().unwrap_or_default();
    let text = &reduced.shown.text;
    assert!(
        reasons.iter().any(|it| it.plugin == cause.plugin),
        "{seed}: {text}"
    );
    assert!(text.contains(cause.shown), "{seed}: {text}");
    assert!(reduced.shown.to.nodes <= 2, "{seed}: {text}");
    assert!(reduced.case.counterfactual.is_some(), "{seed}: {text}");
    assert!(!text.contains("corp"), "{seed}: {text}");
}
