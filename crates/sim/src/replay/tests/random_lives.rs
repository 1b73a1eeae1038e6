//! Random lives with controllers: the scheduler's cache equals the API server's objects, no Pod is lost, every replica
//! exists, and the same seed gives the same life.

use super::random::{OBJECTS, assert_no_pod_is_lost, node, one_of, pod};
use super::with_controllers;
use crate::history::{CycleEnding, Entry};
use crate::pod_util;
use crate::replay::format;
use crate::simulated_cluster::SimulatedCluster;
use crate::store::name_of;
use berth_base::random::Random;
use berth_base::time::Time;

const LIVES: u64 = 12;
const STEPS: u64 = 40;

const SCRIPT: &str = "---
apiVersion: conformance/v1
kind: Script
until: 500
kubelet: {readyAfter: 2, graceSeconds: 3, pods: {}, images: {short: {runSeconds: 9}}}
steps:
";

const KINDS: [&str; 5] = [
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
];

fn workload(random: &mut Random) -> String {
    let kind = one_of(random, &KINDS);
    let name = format!("{}{}", kind.to_lowercase(), random.below(2));
    let replicas = random.below(5);
    let (version, counts, selector) = match kind {
        "Job" => (
            "batch/v1",
            "completions: 3, parallelism: 2, ",
            String::new(),
        ),
        "DaemonSet" => (
            "apps/v1",
            "",
            format!("selector: {{matchLabels: {{app: {name}}}}}, "),
        ),
        _ => (
            "apps/v1",
            "replicas: COUNT, ",
            format!("selector: {{matchLabels: {{app: {name}}}}}, "),
        ),
    };
    let counts = counts.replace("COUNT", &replicas.to_string());
    let (policy, image) = if kind == "Job" {
        ("restartPolicy: Never, ", "short")
    } else {
        ("", "long")
    };
    let class = one_of(random, &["", "", "priorityClassName: high, "]);
    let cpu = one_of(random, &["100m", "400m"]);
    format!(
        "{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}}}, spec: {{{counts}{selector}template: \
         {{metadata: {{labels: {{app: {name}}}}}, spec: {{{policy}{class}containers: [{{name: c, image: {image}, \
         resources: {{requests: {{cpu: {cpu}}}}}}}]}}}}}}}}"
    )
}

fn step(random: &mut Random) -> String {
    let web = format!("deployment{}", random.below(2));
    match random.below(12) {
        0..3 => format!("create: [{}]", node(random)),
        3 => format!("update: [{}]", node(random)),
        4 => format!("removeNode: {{name: n{}}}", random.below(4)),
        5 => format!("create: [{}]", pod(random)),
        6 => format!("delete: [{{kind: Pod, name: p{}}}]", random.below(12)),
        7 => format!("scale: {{name: {web}, replicas: {}}}", random.below(6)),
        8 => format!("setImage: {{name: {web}, image: v{}}}", random.below(3)),
        9 => {
            let kind = one_of(random, &KINDS);
            let name = format!("{}{}", kind.to_lowercase(), random.below(2));
            format!("delete: {{kind: {kind}, name: {name}}}")
        }
        _ => format!("create: [{}]", workload(random)),
    }
}

fn life(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = format!("{OBJECTS}{SCRIPT}");
    let mut centiseconds = 0;
    for _ in 0..STEPS {
        centiseconds += random.below(1000);
        let at = Time::at_microsecond(centiseconds as i64 * 10_000).as_seconds();
        text.push_str(&format!("- at: {at}\n  {}\n", step(&mut random)));
    }
    text
}

/// Checks that the scheduler's cluster has the Pods and nodes of the API server.
fn assert_mirrored(cluster: &SimulatedCluster, seed: u64) {
    let at = cluster.now().as_seconds();
    let audit = cluster.audit();
    audit.unwrap_or_else(|error| panic!("seed {seed} at {at}: {error}"));
}

/// Checks that every ReplicaSet has its number of Pods long after the last step, bound or not.
fn assert_complete(cluster: &SimulatedCluster, seed: u64) {
    let store = cluster.api().store();
    for set in store.replica_sets.iter() {
        let uid = set.metadata.uid.as_deref().unwrap_or_default();
        let own = store.pods.controlled_by(uid);
        let active = own.filter(|pod| pod_util::is_active(pod)).count();
        let wanted = set.spec.as_ref().and_then(|spec| spec.replicas);
        let name = name_of(&set.metadata);
        assert_eq!(i32::try_from(active).ok(), wanted, "seed {seed}: {name}");
    }
}

#[test]
fn random_lives_stay_consistent_and_repeat() {
    let (mut bound, mut preempted, mut wrote) = (0, 0, 0);
    for seed in 0..LIVES {
        let manifests = life(seed);
        let mut one = with_controllers(&manifests);
        while one.advance() {
            assert_mirrored(&one.cluster.cluster, seed);
        }
        assert_complete(&one.cluster.cluster, seed);
        let record = one.finish().record;
        assert_no_pod_is_lost(&record, seed);
        let again = with_controllers(&manifests).play().record;
        let same = format::text(&record, "life") == format::text(&again, "life");
        assert!(same, "seed {seed}");
        for entry in &record.entries {
            match entry {
                Entry::Cycle(cycle) => {
                    bound += usize::from(matches!(cycle.ending, CycleEnding::Bound(_)));
                    preempted += cycle.victims.len();
                }
                Entry::Wrote { .. } => wrote += 1,
                _ => {}
            }
        }
    }
    // Otherwise these lives would test too little.
    assert!(
        bound > 100 && preempted > 5 && wrote > 200,
        "{bound} {preempted} {wrote}"
    );
}
