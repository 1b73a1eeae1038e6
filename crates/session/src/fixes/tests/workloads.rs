//! For every kind of workload, every offered fix binds the Pod or its replacement when it is committed where it was
//! offered: in rounds and in a simulated cluster.

use std::collections::BTreeSet;

use super::{node, pod};
use crate::session::{Options, Session};
use crate::testing::session_with;
use crate::{edit, fixes};
use berth_protocol::fix::{Change, Fix};
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
    let mut session = session_with(yaml, options);
    session.advance(150);
    session
}

fn is_placed(session: &Session, key: &str) -> bool {
    let mut pods = session.run().cluster().pods().iter();
    pods.any(|pod| pod.object.key() == key && pod.object.node_name.is_some())
}

/// The names of the workload's Pods that have a node.
fn placed(session: &Session) -> BTreeSet<String> {
    let own = session
        .run()
        .cluster()
        .pods()
        .iter()
        .filter(|pod| pod.object.name.starts_with("it"));
    own.filter(|pod| pod.object.node_name.is_some())
        .map(|pod| pod.object.name.to_string())
        .collect()
}

/// Whether the Pod is placed, or replaced by Pods that are, none of which was placed `before`. The Pods of a CronJob's
/// first Job stay; those of the next one replace them.
fn helped(session: &Session, key: &str, kind: &str, before: &BTreeSet<String>) -> bool {
    let is_gone = is_gone(session, key);
    is_placed(session, key) || (is_gone || kind == "CronJob") && !placed(session).is_subset(before)
}

fn is_gone(session: &Session, key: &str) -> bool {
    let (namespace, name) = key.split_once('/').expect("a key");
    match session.simulated_cluster() {
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
    }
}

fn commit(session: &Session, position: usize, key: &str, kind: &str, fix: &Fix) {
    let about = format!("{kind}: {}", fix.remark());
    let mut then = session.branch(position).expect("a position");
    let before = placed(&then);
    let made = edit::make(&mut then, &fix.edits);
    assert!(made.is_ok(), "{about}: {made:?}");
    let mut steps = 0;
    let is_given_up = matches!(fix.what, Change::Forgo { .. });
    while !(helped(&then, key, kind, &before) || is_given_up && is_gone(&then, key)) {
        steps += 1;
        assert!(steps < STEPS && then.step(), "{about} does not help {key}");
    }
}

/// Workloads with three Pods each.
const REPLICATED: &str = "ReplicaSet ReplicationController Deployment StatefulSet Job";

/// The kinds of changes that are offered, sorted: the cause, the workloads, and the changes. Without a row, no Pod
/// fails: a DaemonSet has no Pods for nodes that its template does not fit, and one Pod alone fits. CronJobs have Pods
/// in a simulated cluster only.
fn table(live: bool) -> Vec<(&'static str, String, &'static str)> {
    let with = |more: &str| format!("{REPLICATED} {more}");
    let mut rows = vec![
        (
            "selector",
            with("Pod CronJob"),
            "addNode labelNode removeNodeSelector",
        ),
        ("taint", with("Pod CronJob"), "addNode removeTaint tolerate"),
        ("requests", with(""), "addNode lowerRequest"),
        // The Pods of its earlier Jobs keep their requests.
        ("requests", "CronJob".to_owned(), "addNode"),
        ("cordon", with("Pod CronJob"), "addNode uncordon"),
        (
            "anti-affinity",
            "ReplicaSet ReplicationController Deployment StatefulSet".to_owned(),
            "addNode forgo preferPodTerm removePodTerm",
        ),
        (
            "anti-affinity",
            "Job".to_owned(),
            "addNode preferPodTerm removePodTerm",
        ),
        // The Pods of its earlier Jobs keep their terms, which repel the later ones.
        ("anti-affinity", "CronJob".to_owned(), "addNode"),
        (
            "crowd",
            with("Pod CronJob"),
            "addNode deletePod lowerRequest",
        ),
        // Its Pods are bound to their nodes.
        ("crowd", "DaemonSet".to_owned(), "deletePod lowerRequest"),
    ];
    if live {
        let one_by_one = "ReplicaSet ReplicationController Deployment Job CronJob";
        rows.push((
            "ports",
            one_by_one.to_owned(),
            "addNode changeHostPort removeHostPort",
        ));
        rows.push(("ports", "StatefulSet".to_owned(), "addNode removeHostPort"));
    } else {
        rows.push(("ports", with(""), "addNode removeHostPort"));
    }
    rows
}

fn expected(live: bool, cause: &str, kind: &str) -> Option<&'static str> {
    let mut rows = table(live).into_iter();
    let (_, _, changes) = rows.find(|(of, kinds, _)| {
        *of == cause && kinds.split(' ').any(|it| it == kind) && (live || kind != "CronJob")
    })?;
    Some(changes)
}

/// Commits every fix of every cause, and compares the kinds of changes with the table.
fn commit_all(live: bool) {
    for (cause, pod, nodes) in causes() {
        for workload in workloads() {
            let kind = workload.kind;
            let yaml = nodes.clone() + &workload.manifest(&pod);
            let session = session(&yaml, live);
            let mut failed = session.attempts().filter(|(_, it)| it.node().is_none());
            let offered = failed.next().map(|(position, attempt)| {
                let fixes = fixes::find(&session, position).expect("it is explained");
                for fix in &fixes {
                    commit(&session, position, &attempt.key, kind, fix);
                }
                let changes: BTreeSet<&str> = fixes.iter().map(|fix| fix.what.kind()).collect();
                changes.into_iter().collect::<Vec<_>>().join(" ")
            });
            let expected = expected(live, cause, kind);
            assert_eq!(offered.as_deref(), expected, "{cause} {kind}");
        }
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
