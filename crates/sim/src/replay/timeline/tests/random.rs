//! Random lives: after any sequence of steps, all workloads reach their desired state.

use serde_json::Value;

use super::fixture::{Life, job, life, workload};
use berth_base::random::Random;

const LIVES: u64 = 60;
/// Seconds in which random steps happen; after these, the cluster can settle.
const BUSY_SECONDS: u64 = 120;

fn pick<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    let index = random.below(of.len() as u64);
    of[usize::try_from(index).unwrap()]
}

/// A workload's manifest, and how many Pods it asks for.
type Asked = (String, i64);

fn below(random: &mut Random, limit: u64) -> i64 {
    i64::try_from(random.below(limit)).unwrap()
}

fn deployment(random: &mut Random) -> Asked {
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
    let replicas = below(random, 12);
    let spec = format!(
        "replicas: {replicas}, minReadySeconds: {ready}, revisionHistoryLimit: {limit}, strategy: {{{strategy}}}"
    );
    (workload("Deployment", "web", &spec), replicas)
}

fn stateful_set(random: &mut Random) -> Asked {
    let policy = pick(random, &["OrderedReady", "Parallel"]);
    let replicas = below(random, 6);
    let spec = format!("serviceName: db, replicas: {replicas}, podManagementPolicy: {policy}");
    (workload("StatefulSet", "db", &spec), replicas)
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

/// What a life asks for in the end.
struct Wanted {
    web: i64,
    db: i64,
    completions: i64,
}

/// A random change of one of the workloads or nodes.
fn step(random: &mut Random, second: u64, wanted: &mut Wanted) -> String {
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
        5 => {
            wanted.web = below(random, 15);
            format!("scale: {{name: web, replicas: {}}}", wanted.web)
        }
        6 => {
            wanted.db = below(random, 6);
            format!(
                "scale: {{kind: StatefulSet, name: db, replicas: {}}}",
                wanted.db
            )
        }
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
fn random_life(seed: u64) -> (Life, Wanted) {
    let random = &mut Random::new(seed);
    let indexed = pick(random, &["NonIndexed", "Indexed"]);
    let completions = below(random, 5) + 1;
    let job = job(&format!(
        "completions: {completions}, parallelism: {}, completionMode: {indexed}, backoffLimit: 100",
        random.below(4) + 1
    ));
    let ((deployment, web), (stateful_set, db)) = (deployment(random), stateful_set(random));
    let workloads = [deployment, stateful_set, daemon_set(random), job];
    let mut wanted = Wanted {
        web,
        db,
        completions,
    };
    let mut seconds: Vec<u64> = (0..random.below(14))
        .map(|_| random.below(BUSY_SECONDS))
        .collect();
    seconds.sort_unstable();
    let steps = seconds.iter();
    let mut steps: String = steps
        .map(|second| step(random, *second, &mut wanted))
        .collect();
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
    let life = life(
        &workloads.join("\n---\n"),
        &format!("{kubelet}\nsteps:\n{steps}until: 5000"),
    );
    (life, wanted)
}

/// A number of a status, where Kubernetes leaves out zeros.
fn count(value: &Value, field: &str) -> i64 {
    value[field].as_i64().unwrap_or(0)
}

#[track_caller]
fn assert_counts(workload: &Value, wanted: i64, fields: &[&str], seed: u64) {
    for field in fields {
        let counted = count(&workload["status"], field);
        assert_eq!(counted, wanted, "seed {seed}: {field} of {workload}");
    }
}

/// The Pods of a workload, all of which are ready.
#[track_caller]
fn assert_ready_pods(workload: &Value, wanted: i64, seed: u64) {
    let pods = workload["pods"].as_array().expect("a list");
    assert_eq!(pods.len() as i64, wanted, "seed {seed}: {workload}");
    let mut pods = pods.iter();
    let all_are_ready = pods.all(|pod| pod["ready"] == true && pod["terminating"].is_null());
    assert!(all_are_ready, "seed {seed}: {workload}");
}

fn assert_rolled_out(life: &Life, wanted: i64, seed: u64) {
    let web = life.at(5_000, "web");
    let fields = ["replicas", "updatedReplicas", "availableReplicas"];
    assert_counts(web, wanted, &fields, seed);
    let sets = web["replicaSets"].as_array().expect("a list");
    assert!(!sets.is_empty(), "seed {seed}: {web}");
    for fields in [&["specReplicas"][..], &["pods", "terminating"]] {
        let numbers = sets
            .iter()
            .flat_map(|set| fields.iter().map(|field| count(set, field)));
        assert_eq!(
            numbers.sum::<i64>(),
            wanted,
            "seed {seed}: {fields:?} of {web}"
        );
    }
    let conditions = life.conditions(5_000, "web");
    let is_true = |kind: &&str| conditions.iter().any(|it| it.starts_with(*kind));
    assert!(
        ["Available=True/", "Progressing=True/"].iter().all(is_true),
        "seed {seed}: {conditions:?}"
    );
    assert!(
        conditions.iter().all(|it| it.contains("=True/")),
        "seed {seed}: {conditions:?}"
    );
}

#[test]
fn random_lives_end_in_the_desired_state() {
    for seed in 0..LIVES {
        let (life, wanted) = random_life(seed);
        assert_rolled_out(&life, wanted.web, seed);

        let db = life.at(5_000, "db");
        assert_ready_pods(db, wanted.db, seed);
        let fields = ["replicas", "readyReplicas", "updatedReplicas"];
        assert_counts(db, wanted.db, &fields, seed);
        let (current, update) = (
            &db["status"]["currentRevision"],
            &db["status"]["updateRevision"],
        );
        assert!(update.is_string(), "seed {seed}: {db}");
        assert!(current == update || wanted.db == 0, "seed {seed}: {db}");

        let agent = life.at(5_000, "agent");
        let fields = [
            "updatedNumberScheduled",
            "numberAvailable",
            "desiredNumberScheduled",
        ];
        assert_counts(agent, 3, &fields, seed);
        assert_ready_pods(agent, 3, seed);

        let job = life.at(5_000, "job");
        assert_counts(job, wanted.completions, &["succeeded"], seed);
        assert!(
            !job["status"]["completionTime"].is_null(),
            "seed {seed}: {job}"
        );
    }
}
