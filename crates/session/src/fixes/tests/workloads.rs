//! For every kind of workload, every offered fix binds the Pod or its replacement when it is committed where it was
//! offered: in rounds and in a simulated cluster.

use super::{node, pod};
use crate::{Options, Session, SourceFile};
use berth_protocol::fix::Fix;
use berth_sim::store::Key;

/// Maximum number of steps after a commit until the Pod is placed.
const STEPS: usize = 600;

/// A kind of workload named `it`, with a manifest for a given Pod spec.
struct Workload {
    kind: &'static str,
    api_version: &'static str,
    /// Fields of `spec` besides the template.
    spec: &'static str,
    restart: &'static str,
}

fn workloads() -> Vec<Workload> {
    let workload = |kind, api_version, spec| Workload {
        kind,
        api_version,
        spec,
        restart: "Always",
    };
    let job = |kind, spec| Workload {
        restart: "Never",
        ..workload(kind, "batch/v1", spec)
    };
    vec![
        workload("Pod", "v1", ""),
        workload("ReplicaSet", "apps/v1", "replicas: 3"),
        workload("ReplicationController", "v1", "replicas: 3"),
        workload("Deployment", "apps/v1", "replicas: 3"),
        workload("StatefulSet", "apps/v1", "replicas: 3, serviceName: it"),
        workload("DaemonSet", "apps/v1", ""),
        job("Job", "completions: 3, parallelism: 3"),
        job("CronJob", "schedule: '* * * * *'"),
    ]
}

impl Workload {
    fn manifest(&self, pod: &str) -> String {
        let Self {
            kind,
            api_version,
            spec,
            restart,
        } = self;
        let pod = format!("{{restartPolicy: {restart}, {pod}}}");
        let labels = "labels: {app: it}";
        let template = format!("template: {{metadata: {{{labels}}}, spec: {pod}}}");
        let selector = match *kind {
            "ReplicationController" => "selector: {app: it}, ",
            "Job" | "CronJob" | "Pod" => "",
            _ => "selector: {matchLabels: {app: it}}, ",
        };
        let spec = match (*kind, *spec) {
            ("Pod", _) => pod,
            ("CronJob", spec) => format!("{{{spec}, jobTemplate: {{spec: {{{template}}}}}}}"),
            (_, "") => format!("{{{selector}{template}}}"),
            (_, spec) => format!("{{{spec}, {selector}{template}}}"),
        };
        format!(
            "apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: it, {labels}}}\nspec: {spec}\n---\n"
        )
    }
}

/// Reasons why Pods do not schedule: a name, the spec of the Pods, and the nodes.
fn causes() -> [(&'static str, String, String); 7] {
    let container = |cpu: &str, more: &str| {
        format!(
            "containers: [{{name: main, image: main, command: [sleep, '5000'], resources: {{requests: {{cpu: {cpu}}}}}{more}}}]"
        )
    };
    let two = node("one", "a", "") + &node("two", "b", "");
    let other = pod("other", "1", "");
    let tainted = "spec: {taints: [{key: only, value: gpu, effect: NoSchedule}]}";
    let anti = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: it}}}]}}, ";
    [
        (
            "selector",
            format!("nodeSelector: {{disk: ssd}}, {}", container("100m", "")),
            two.clone(),
        ),
        ("taint", container("100m", ""), node("one", "a", tainted)),
        ("requests", container("1500m", ""), two.clone()),
        (
            "cordon",
            container("100m", ""),
            node("one", "a", "spec: {unschedulable: true}"),
        ),
        (
            "ports",
            container("100m", ", ports: [{containerPort: 80, hostPort: 80}]"),
            two.clone(),
        ),
        (
            "anti-affinity",
            anti.to_owned() + &container("100m", ""),
            two,
        ),
        (
            "crowd",
            container("1500m", ""),
            node("one", "a", "") + &other,
        ),
    ]
}

fn session(yaml: &str, live: bool) -> Session {
    let options = Options {
        live,
        ..Options::default()
    };
    let mut session = Session::new(options);
    let taken = session.apply(&[SourceFile::new("test.yaml", yaml)]);
    assert!(
        taken && !session.has_errors(),
        "{yaml}\n{:?}",
        session.problems()
    );
    session.advance(150);
    session
}

fn is_placed(session: &Session, key: &str) -> bool {
    let mut pods = session.run().cluster().pods().iter();
    pods.any(|pod| pod.object.key() == key && pod.object.node_name.is_some())
}

/// The number of Pods of the workload that have a node.
fn placed(session: &Session) -> usize {
    let pods = session.run().cluster().pods().iter();
    let own = pods.filter(|pod| pod.object.name.starts_with("it"));
    own.filter(|pod| pod.object.node_name.is_some()).count()
}

/// Whether the Pod is placed, or replaced by others that are.
fn helped(session: &Session, key: &str, kind: &str) -> bool {
    let (namespace, name) = key.split_once('/').expect("a key");
    let is_gone = match session.simulated_cluster() {
        Some(cluster) => {
            let pods = &cluster.api().store().pods;
            pods.get(&Key::new(namespace, name)).is_none()
        }
        None => session
            .run()
            .cluster()
            .pods()
            .find(namespace, name)
            .is_none(),
    };
    is_placed(session, key) || (is_gone || kind == "CronJob") && placed(session) > 0
}

fn commit(session: &Session, position: usize, key: &str, kind: &str, fix: &Fix) {
    let about = format!("{kind}: {}", fix.sentence());
    let mut then = session.branch(position).expect("a position");
    let made = then.make_edits(&fix.edits);
    assert!(made.is_ok(), "{about}: {made:?}");
    let mut steps = 0;
    while !helped(&then, key, kind) {
        steps += 1;
        assert!(steps < STEPS && then.step(), "{about} does not help {key}");
    }
}

fn commit_all(live: bool) {
    let mut offered = std::collections::BTreeMap::new();
    for workload in workloads() {
        for (cause, pod, nodes) in causes() {
            let yaml = nodes + &workload.manifest(&pod);
            let session = session(&yaml, live);
            let mut failed = session.attempts().filter(|(_, it)| it.node().is_none());
            let Some((position, attempt)) = failed.next() else {
                continue;
            };
            let fixes = session.fixes(position).expect("it is explained");
            for fix in &fixes {
                commit(&session, position, &attempt.key, workload.kind, fix);
            }
            *offered.entry(workload.kind).or_insert(0) += fixes.len();
            let sentences: Vec<String> = fixes.iter().map(Fix::sentence).collect();
            println!("{} {cause} {}: {sentences:#?}", workload.kind, attempt.key);
        }
    }
    // Rounds have no Jobs of CronJobs.
    for Workload { kind, .. } in workloads() {
        let count = offered.get(kind).copied().unwrap_or(0);
        let has_pods = live || kind != "CronJob";
        assert_eq!(count > 0, has_pods, "{kind}: {offered:?}");
    }
}

#[test]
fn every_committed_fix_places_the_pod_in_a_simulated_cluster() {
    commit_all(true);
}

#[test]
fn every_committed_fix_places_the_pod_in_rounds() {
    commit_all(false);
}
