//! Random lives: after any sequence of steps, all workloads reach their desired state.

use serde_json::Value;

use super::fixture::{Life, job, life, workload};
use berth_core::base::random::Random;

const LIVES: u64 = 60;
/// Seconds in which random steps happen; after these, the cluster can settle.
const BUSY_SECONDS: u64 = 120;

fn pick<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    let index = random.below(of.len() as u64);
    of[usize::try_from(index).unwrap()]
}

fn deployment(random: &mut Random) -> String {
    let strategy = pick(
        random,
        &[
            "type: Recreate",
            "rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}",
            "rollingUpdate: {maxSurge: 2, maxUnavailable: 0}",
            "rollingUpdate: {maxSurge: 0, maxUnavailable: 30%}",
        ],
    );
    let limit = random.below(3);
    let ready = random.below(2) * 7;
    let spec = format!(
        "replicas: {}, minReadySeconds: {ready}, revisionHistoryLimit: {limit}, strategy: {{{strategy}}}",
        random.below(12)
    );
    workload("Deployment", "web", &spec)
}

fn stateful_set(random: &mut Random) -> String {
    let policy = pick(random, &["OrderedReady", "Parallel"]);
    let spec = format!(
        "serviceName: db, replicas: {}, podManagementPolicy: {policy}",
        random.below(6)
    );
    workload("StatefulSet", "db", &spec)
}

fn daemon_set(random: &mut Random) -> String {
    let update = pick(
        random,
        &[
            "maxUnavailable: 1",
            "maxUnavailable: 50%",
            "maxUnavailable: 0, maxSurge: 1",
        ],
    );
    let spec = format!("updateStrategy: {{rollingUpdate: {{{update}}}}}");
    workload("DaemonSet", "agent", &spec)
}

/// A random change of one of the workloads or nodes.
fn step(random: &mut Random, second: u64) -> String {
    let kind = pick(random, &["Deployment", "StatefulSet", "DaemonSet"]);
    let name = match kind {
        "Deployment" => "web",
        "StatefulSet" => "db",
        _ => "agent",
    };
    let target = format!("kind: {kind}, name: {name}");
    let version = random.below(4);
    let what = match random.below(9) {
        0 | 1 => format!("setImage: {{{target}, image: 'app:v{version}'}}"),
        2 => format!("undo: {{{target}}}"),
        3 => "pause: {name: web}".to_owned(),
        4 => "resume: {name: web}".to_owned(),
        5 => format!("scale: {{name: web, replicas: {}}}", random.below(15)),
        6 => format!(
            "scale: {{kind: StatefulSet, name: db, replicas: {}}}",
            random.below(6)
        ),
        7 => {
            let effect = pick(random, &["NoSchedule", "NoExecute"]);
            format!("taintNode: {{name: n2, taints: [{{key: k, effect: {effect}}}]}}")
        }
        _ => format!(
            "labelNode: {{name: n{}, labels: {{a: b}}}}",
            random.below(3) + 1
        ),
    };
    format!("- {{at: {second}, {what}}}\n")
}

/// A life that can settle: at the end no node is tainted, and every image becomes ready.
fn random_life(seed: u64) -> Life {
    let random = &mut Random::new(seed);
    let indexed = pick(random, &["NonIndexed", "Indexed"]);
    let job = job(&format!(
        "completions: {}, parallelism: {}, completionMode: {indexed}, backoffLimit: 100",
        random.below(5) + 1,
        random.below(4) + 1
    ));
    let workloads = [
        deployment(random),
        stateful_set(random),
        daemon_set(random),
        job,
    ];
    let mut seconds: Vec<u64> = (0..random.below(14))
        .map(|_| random.below(BUSY_SECONDS))
        .collect();
    seconds.sort_unstable();
    let mut steps: String = seconds.iter().map(|second| step(random, *second)).collect();
    let end = BUSY_SECONDS + 5;
    steps += &format!("- {{at: {end}, resume: {{name: web}}}}\n");
    steps += &format!("- {{at: {end}, taintNode: {{name: n2, taints: []}}}}\n");
    for (kind, name) in [
        ("Deployment", "web"),
        ("StatefulSet", "db"),
        ("DaemonSet", "agent"),
    ] {
        let set = format!("setImage: {{kind: {kind}, name: {name}, image: 'app:v1'}}");
        steps += &format!("- {{at: {end}, {set}}}\n");
    }
    // app:v3 is slow instead of never ready: a StatefulSet stays stuck on a Pod that is never ready until it is
    // deleted.
    let kubelet = "kubelet: {readyAfter: 3, graceSeconds: 4, images: {'app:v2': {readyAfter: 9}, 'app:v3': {readyAfter: 40}, 'job:v1': {runSeconds: 6, outcomes: [fail, succeed, fail, succeed]}}}";
    life(
        &workloads.join("\n---\n"),
        &format!("{kubelet}\nsteps:\n{steps}until: 5000"),
    )
}

fn count(value: &Value, field: &str) -> i64 {
    value[field].as_i64().unwrap_or(0)
}

#[test]
fn random_lives_end_in_the_desired_state() {
    for seed in 0..LIVES {
        let life = random_life(seed);
        let web = life.at(5_000, "web");
        let sets = web["replicaSets"].as_array().unwrap();
        let wanted: i64 = sets.iter().map(|set| count(set, "specReplicas")).sum();
        let status = &web["status"];
        for field in ["replicas", "updatedReplicas", "availableReplicas"] {
            assert_eq!(
                count(status, field),
                wanted,
                "seed {seed}: {field} of {web}"
            );
        }
        let pods: i64 = sets
            .iter()
            .map(|set| count(set, "pods") + count(set, "terminating"))
            .sum();
        assert_eq!(pods, wanted, "seed {seed}: Pods of {web}");
        assert!(
            life.conditions(5_000, "web")
                .iter()
                .all(|it| it.contains("=True/")),
            "seed {seed}"
        );

        let db = life.at(5_000, "db");
        let ready = db["pods"].as_array().unwrap();
        assert!(
            ready.iter().all(|pod| pod["ready"] == true),
            "seed {seed}: {db}"
        );
        assert_eq!(
            count(&db["status"], "replicas"),
            count(&db["status"], "updatedReplicas")
        );
        let (current, update) = (
            &db["status"]["currentRevision"],
            &db["status"]["updateRevision"],
        );
        assert!(current == update || ready.is_empty(), "seed {seed}: {db}");

        let agent = life.at(5_000, "agent");
        for field in [
            "updatedNumberScheduled",
            "numberAvailable",
            "desiredNumberScheduled",
        ] {
            assert_eq!(
                count(&agent["status"], field),
                3,
                "seed {seed}: {field} of {agent}"
            );
        }
        assert_eq!(agent["pods"].as_array().unwrap().len(), 3, "seed {seed}");
        assert!(
            !life.at(5_000, "job")["status"]["completionTime"].is_null(),
            "seed {seed}"
        );
    }
}
