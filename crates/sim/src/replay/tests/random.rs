//! Random lives: nothing panics, no Pod is lost, and the same seed gives the same life.

use super::{alone, played};
use crate::history::{CycleEnding, Entry, Record};
use crate::replay::format;
use berth_base::random::Random;
use berth_base::time::Time;

const LIVES: u64 = 40;
const STEPS: u64 = 60;

/// The initial objects of every life: a priority that preempts, one that does not, and a budget.
pub(in crate::replay) const OBJECTS: &str = "apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: never}
value: 50
preemptionPolicy: Never
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
";

pub(in crate::replay) fn one_of<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

pub(in crate::replay) fn node(random: &mut Random) -> String {
    let name = random.below(4);
    let cpu = one_of(random, &["1", "2", "500m"]);
    let zone = one_of(random, &["zone: a", "zone: b", ""]);
    let spec = one_of(
        random,
        &[
            "",
            "",
            "unschedulable: true",
            "taints: [{key: t, effect: NoSchedule}]",
        ],
    );
    format!(
        "{{apiVersion: v1, kind: Node, metadata: {{name: n{name}, labels: {{{zone}}}}}, spec: {{{spec}}}, \
         status: {{allocatable: {{cpu: '{cpu}', memory: 4Gi, pods: '3'}}}}}}"
    )
}

pub(in crate::replay) fn pod(random: &mut Random) -> String {
    let name = random.below(12);
    let app = one_of(random, &["web", "db"]);
    let cpu = one_of(random, &["100m", "700m", "1500m"]);
    let class = one_of(
        random,
        &[
            "",
            "",
            "priorityClassName: high, ",
            "priorityClassName: never, ",
        ],
    );
    let term = "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]";
    let rule = match random.below(9) {
        0 => format!("affinity: {{podAffinity: {{{term}}}}}, "),
        1 => format!("affinity: {{podAntiAffinity: {{{term}}}}}, "),
        2 => "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, \
              labelSelector: {matchLabels: {app: web}}}], "
            .to_owned(),
        3 => "nodeSelector: {zone: a}, ".to_owned(),
        4 => "tolerations: [{key: t, operator: Exists}], ".to_owned(),
        5 => "schedulingGates: [{name: example.com/g}], ".to_owned(),
        6 => format!("nodeName: n{}, ", random.below(5)),
        _ => String::new(),
    };
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: p{name}, labels: {{app: {app}}}}}, spec: {{{class}{rule}containers: \
         [{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}}}}}]}}}}"
    )
}

fn life(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = format!("{OBJECTS}---\napiVersion: conformance/v1\nkind: Script\n");
    let gate = one_of(&mut random, &["true", "false"]);
    text.push_str(&format!(
        "until: 700\nfeatureGates: {{SchedulerPopFromBackoffQ: {gate}}}\nsteps:\n"
    ));
    let mut centiseconds = 0;
    for _ in 0..STEPS {
        centiseconds += random.below(1000);
        let verb = one_of(&mut random, &["create", "create", "update", "delete"]);
        let what = match (verb, random.below(3)) {
            ("delete", 0) => format!("{{kind: Node, name: n{}}}", random.below(4)),
            ("delete", _) => format!("{{kind: Pod, name: p{}}}", random.below(12)),
            (_, 0) => node(&mut random),
            _ => pod(&mut random),
        };
        let at = Time::at_microsecond(centiseconds as i64 * 10_000).as_seconds();
        text.push_str(&format!("- at: {at}\n  {verb}: [{what}]\n"));
    }
    text
}

/// Every waiting Pod is in exactly one queue; every other Pod has a node.
pub(super) fn assert_no_pod_is_lost(record: &Record, seed: u64) {
    let queues = &record.waiting;
    let waiting = [
        &queues.active,
        &queues.backoff,
        &queues.unschedulable,
        &queues.gated,
    ];
    assert!(queues.active.is_empty(), "seed {seed}: {queues:?}");
    for (pod, node) in &record.placed {
        let places = waiting
            .iter()
            .map(|queue| queue.iter().filter(|key| ***key == **pod).count());
        let count: usize = places.sum();
        assert_eq!(count, usize::from(node.is_none()), "seed {seed}: {pod}");
    }
    let total: usize = waiting.iter().map(|queue| queue.len()).sum();
    let pending = record.placed.iter().filter(|(_, node)| node.is_none());
    assert_eq!(total, pending.count(), "seed {seed}");
}

#[test]
fn random_lives_lose_no_pod_and_repeat() {
    let (mut bound, mut preempted) = (0, 0);
    for seed in 0..LIVES {
        let manifests = life(seed);
        let mut replay = alone(&manifests);
        while replay.advance() {
            let audit = replay.cluster.scheduling.cache.cluster.audit();
            audit.unwrap_or_else(|error| {
                panic!(
                    "seed {seed} at {:?}: {error}",
                    replay.cluster.scheduling.instant
                )
            });
        }
        let played_once = replay.finish();
        let record = &played_once.record;
        assert_no_pod_is_lost(record, seed);
        assert_eq!(
            format::text(record, "life"),
            format::text(&played(&manifests).record, "life"),
            "seed {seed}"
        );
        let cycles = record.entries.iter().filter_map(|entry| match entry {
            Entry::Cycle(cycle) => Some(cycle),
            _ => None,
        });
        for cycle in cycles {
            bound += usize::from(matches!(cycle.ending, CycleEnding::Bound(_)));
            preempted += cycle.victims.len();
        }
    }
    // Otherwise these lives would test too little.
    assert!(bound > 150 && preempted > 15, "{bound} {preempted}");
}
