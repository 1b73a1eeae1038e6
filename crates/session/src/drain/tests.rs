//! Drains: the plan equals what happens, in both modes, also of dumps without their workloads.

use crate::edit::Performed;
use crate::session::Session;
use crate::testing::session;
use crate::{drain, edit, frame, simulated};
use berth_protocol::drain::DrainPlan;
use berth_protocol::gesture::Gesture;

const NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a, uid: node-a, labels: {disk: ssd}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '20'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b, uid: node-b}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '20'}}
";

/// A Pod as `kubectl get pods -o yaml` prints it, with a controller that is not printed.
fn dumped(name: &str, owner: Option<(&str, &str)>, labels: &str) -> String {
    let owners = owner.map_or(String::new(), |(kind, of)| {
        let group = match kind {
            "Job" => "batch/v1",
            "ReplicationController" => "v1",
            _ => "apps/v1",
        };
        format!(
            "  ownerReferences: [{{apiVersion: {group}, kind: {kind}, name: {of}, uid: uid-{of}, controller: true}}]\n"
        )
    });
    format!(
        "---
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  namespace: default
  uid: uid-of-{name}
  resourceVersion: '7'
  creationTimestamp: '2026-01-01T00:00:00Z'
  labels: {{{labels}}}
{owners}spec:
  nodeName: node-a
  tolerations:
  - {{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}}
  containers: [{{name: main, image: 'main:1', resources: {{requests: {{cpu: 100m}}}}}}]
status:
  phase: Running
  conditions: [{{type: Ready, status: 'True'}}]
  containerStatuses:
  - {{name: main, ready: true, restartCount: 0, image: 'main:1', imageID: x, state: {{running: {{startedAt: '2026-01-01T00:00:00Z'}}}}}}
"
    )
}

/// Two ReplicaSets of an absent Deployment, one workload of each other kind, and a bare Pod.
fn dump() -> String {
    let pods = [
        dumped(
            "web-1aa-x",
            Some(("ReplicaSet", "web-1aa")),
            "app: web, pod-template-hash: 1aa",
        ),
        dumped(
            "web-1aa-y",
            Some(("ReplicaSet", "web-1aa")),
            "app: web, pod-template-hash: 1aa",
        ),
        dumped(
            "web-2bb-z",
            Some(("ReplicaSet", "web-2bb")),
            "app: web, pod-template-hash: 2bb",
        ),
        dumped(
            "db-0",
            Some(("StatefulSet", "db")),
            "app: db, statefulset.kubernetes.io/pod-name: db-0",
        ),
        dumped("old-k", Some(("ReplicationController", "old")), "app: old"),
        dumped(
            "sum-j",
            Some(("Job", "sum")),
            "batch.kubernetes.io/controller-uid: uid-sum, batch.kubernetes.io/job-name: sum",
        ),
        dumped("agent-d", Some(("DaemonSet", "agent")), "app: agent"),
        dumped("alone", None, "app: alone"),
    ];
    format!("{NODES}{}", pods.concat())
}

fn plan(session: &Session) -> DrainPlan {
    drain::plan(session, "node-a").expect("there is a node")
}

/// Pods by the node that they are on; the waiting ones under an empty name.
fn on(session: &Session, node: &str) -> Vec<String> {
    let pods = frame::build(session).pods.into_iter();
    let mut pods: Vec<String> = pods
        .filter(|pod| pod.node.as_deref().unwrap_or_default() == node)
        .map(|pod| pod.key)
        .collect();
    pods.sort();
    pods
}

#[test]
fn owners_that_a_dump_lacks_are_listed_with_their_pods() {
    let session = session(&dump());
    let listed = drain::inferred_owners(&session);
    let listed: Vec<(String, usize)> = listed
        .iter()
        .map(|it| (format!("{}/{}", it.kind, it.name), it.pods))
        .collect();
    let expected = [
        ("DaemonSet/agent", 1),
        ("Job/sum", 1),
        ("ReplicaSet/web-1aa", 2),
        ("ReplicaSet/web-2bb", 1),
        ("StatefulSet/db", 1),
    ];
    assert_eq!(listed, expected.map(|(name, pods)| (name.to_owned(), pods)));
}

#[test]
fn a_plan_says_who_is_replaced_who_stays_and_who_is_lost() {
    let session = session(&dump());
    let plan = plan(&session);
    let replaced: Vec<&str> = plan.replaced.iter().map(|it| it.pod.as_str()).collect();
    assert_eq!(
        replaced,
        [
            "default/db-0",
            "default/old-k",
            "default/sum-j",
            "default/web-1aa-x",
            "default/web-1aa-y",
            "default/web-2bb-z"
        ]
    );
    assert_eq!(plan.replaced[3].owner, "ReplicaSet/web-1aa");
    assert_eq!(plan.lost, ["default/alone"]);
    assert_eq!(plan.staying, ["default/agent-d"]);
    assert!(plan.blocked.is_empty(), "{plan:?}");
}

#[test]
fn where_pods_are_only_scheduled_the_evicted_ones_find_new_places() {
    let mut session = session(&dump());
    let pods = on(&session, "node-a").len();
    edit::perform(
        &mut session,
        &Gesture::Drain {
            node: "node-a".to_owned(),
        },
    )
    .expect("there is a node");
    assert_eq!(on(&session, "node-a"), ["default/agent-d"]);
    assert_eq!(on(&session, "").len(), 6, "they wait");
    session.run_to_end();
    assert_eq!(on(&session, "node-b").len(), 6);
    simulated::set_simulated(&mut session, true);
    assert_eq!(
        on(&session, "node-b").len(),
        6,
        "a cluster goes on from there"
    );
    assert!(session.undo());
    let uncordon = Gesture::Uncordon {
        nodes: vec!["node-a".to_owned()],
    };
    edit::perform(&mut session, &uncordon).expect("it is cordoned");
    assert_eq!(
        on(&session, "node-a"),
        ["default/agent-d"],
        "later edits keep the drain"
    );
    assert!(session.undo());
    assert!(session.undo());
    assert_eq!(on(&session, "node-a").len(), pods);
}

#[test]
fn in_a_living_cluster_kubectl_drain_replaces_them_too() {
    let mut session = session(&dump());
    simulated::set_simulated(&mut session, true);
    let plan = plan(&session);
    // The controller of ReplicationControllers is not simulated.
    assert_eq!(plan.lost, ["default/alone", "default/old-k"]);
    let line = plan.command;
    let output = simulated::command(&mut session, &line);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(
        output
            .stderr
            .contains("deleting Pods that declare no controller: default/alone"),
        "{}",
        output.stderr
    );
    session.advance(40);
    let (here, there) = (on(&session, "node-a"), on(&session, "node-b"));
    assert_eq!(here, ["default/agent-d"]);
    assert_eq!(there.len(), 5, "{there:?}");
    for stem in ["web-1aa-", "web-2bb-", "sum-", "db-0"] {
        assert!(
            there.iter().any(|pod| pod.contains(stem)),
            "{stem}: {there:?}"
        );
    }
}

#[test]
fn a_deleted_pod_of_an_absent_owner_is_replaced_in_a_living_cluster() {
    let mut session = session(&dump());
    simulated::command(&mut session, "kubectl delete pod web-2bb-z alone");
    session.advance(20);
    let all = [on(&session, "node-a"), on(&session, "node-b")].concat();
    assert!(all.iter().any(|pod| pod.contains("web-2bb-")), "{all:?}");
    assert!(!all.iter().any(|pod| pod.contains("alone")), "{all:?}");
}

#[test]
fn pods_of_a_deleted_node_wait_again_if_a_controller_owns_them() {
    let mut session = session(&dump());
    let object = berth_protocol::edit::ObjectRef::node("node-a");
    edit::perform(
        &mut session,
        &Gesture::Drain {
            node: "node-b".to_owned(),
        },
    )
    .expect("there is a node");
    edit::perform(
        &mut session,
        &Gesture::Delete {
            objects: vec![object],
        },
    )
    .expect("there is a node");
    assert_eq!(
        on(&session, "").len(),
        6,
        "the DaemonSet's Pod is gone with its node"
    );
}

#[test]
fn a_budget_blocks_what_it_would_block_for_kubectl() {
    let text = format!(
        "{NODES}---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: web}}
spec: {{minAvailable: 2, selector: {{matchLabels: {{app: web}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      nodeSelector: {{disk: ssd}}
      containers: [{{name: web, image: web}}]
"
    );
    let mut session = session(&text);
    session.run_to_end();
    let plan = plan(&session);
    assert_eq!(
        (plan.replaced.len(), plan.blocked.len()),
        (1, 2),
        "{plan:?}"
    );
    assert!(plan.blocked[0].cause.contains("web"), "{plan:?}");
    assert!(!plan.unbudgeted, "{plan:?}");
    edit::perform(
        &mut session,
        &Gesture::Drain {
            node: "node-a".to_owned(),
        },
    )
    .expect("there is a node");
    assert_eq!(on(&session, "node-a").len(), 2, "the others stay for now");
}

#[test]
fn the_gesture_runs_kubectl_drain_in_a_living_cluster() {
    let mut session = session(&dump());
    simulated::set_simulated(&mut session, true);
    let sources = session.sources().to_vec();
    let begun = edit::perform(
        &mut session,
        &Gesture::Drain {
            node: "node-a".to_owned(),
        },
    );
    let Ok(Performed::Begun { line, output }) = begun else {
        panic!("{begun:?}");
    };
    assert!(line.starts_with("kubectl drain node-a "), "{line}");
    assert!(output.stdout.starts_with("node/node-a cordoned\n"));
    while simulated::wait_on(&mut session, usize::MAX).is_some() {}
    session.advance(40);
    assert_eq!(on(&session, "node-a"), ["default/agent-d"]);
    assert_eq!(on(&session, "node-b").len(), 5);
    assert_eq!(session.sources(), sources, "kubectl edits no manifests");
}
