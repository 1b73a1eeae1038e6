//! Switches of the mode: what is drawn stays, whatever the moment.

use berth_core::api::source::SourceFile;
use berth_protocol::frame::PodFrame;

use crate::session::Session;
use crate::simulated::mode;
use crate::testing::session;
use crate::{explain, frame, simulated, sources};

const NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {disk: ssd}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '20'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '20'}}
";

/// One workload of each kind, a victim, its preemptor, and Pods that fit nowhere.
const WORKLOADS: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, resources: {requests: {cpu: 500m}}}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: db, resources: {requests: {cpu: 300m}}}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: agent, resources: {requests: {cpu: 100m}}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 2
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: sum, image: busybox, command: [sleep, '20'], resources: {requests: {cpu: 100m}}}]
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 1
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: old, image: old, resources: {requests: {cpu: 200m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: big, image: big, resources: {requests: {cpu: '9'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: filler}
spec:
  nodeName: node-a
  containers: [{name: f, image: f, resources: {requests: {cpu: 1500m}}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: v1
kind: Pod
metadata: {name: vital}
spec:
  priorityClassName: high
  nodeSelector: {disk: ssd}
  containers: [{name: v, image: v, resources: {requests: {cpu: '3'}}}]
";

fn scenario() -> Session {
    session(&format!("{NODES}---{WORKLOADS}"))
}

/// The Pods as they are drawn: name, node, nomination.
fn drawn(session: &Session) -> Vec<(String, Option<String>, Option<String>)> {
    let mut drawn: Vec<_> = frame::build(session)
        .pods
        .into_iter()
        .map(
            |PodFrame {
                 key,
                 node,
                 nominated_node,
                 ..
             }| (key, node, nominated_node),
        )
        .collect();
    drawn.sort();
    drawn
}

#[test]
fn a_cluster_goes_on_from_what_is_drawn_at_every_moment() {
    let mut session = scenario();
    session.run_to_end();
    let end = session.position();
    assert!(end > 10, "{end}");
    for position in 0..=end {
        session.seek(position);
        let before = drawn(&session);
        simulated::set_simulated(&mut session, true);
        assert!(session.is_simulated());
        assert_eq!(session.position(), position + 1);
        assert_eq!(drawn(&session), before, "at {position}");
        let listed = simulated::command(&mut session, "kubectl get pods --no-headers").stdout;
        assert_eq!(listed.lines().count(), before.len(), "{listed}");
        for (key, node, _) in &before {
            let name = key.trim_start_matches("default/");
            assert!(listed.contains(name), "{name} is not in {listed}");
            let command = format!("kubectl get pod {name} -o jsonpath='{{.spec.nodeName}}'");
            let output = simulated::command(&mut session, &command).stdout;
            assert_eq!(Some(output).filter(|it| !it.is_empty()), *node, "{name}");
        }
        assert!(session.undo());
        assert_eq!((session.position(), session.log().len()), (position, end));
    }
}

#[test]
fn controllers_adopt_the_pods_instead_of_creating_more() {
    let mut session = scenario();
    session.run_to_end();
    let before = drawn(&session);
    simulated::set_simulated(&mut session, true);
    session.advance(40);
    let after: Vec<String> = drawn(&session).into_iter().map(|it| it.0).collect();
    let known: Vec<&String> = before.iter().map(|it| &it.0).collect();
    for key in &after {
        assert!(known.contains(&key), "{key} is new: {known:?}");
    }
    let ready =
        simulated::command(&mut session, "kubectl get deploy,sts,ds,rc --no-headers").stdout;
    for part in [
        "deployment.apps/web   3/3",
        "statefulset.apps/db   2/2",
        "replicationcontroller/old   1",
    ] {
        assert!(ready.contains(part), "{ready}");
    }
    session.run_to_end();
    let job = simulated::command(&mut session, "kubectl get job sum --no-headers").stdout;
    assert!(job.contains("2/2"), "{job}");
    let owner = "jsonpath='{.items[*].metadata.ownerReferences[0].name}'";
    let owners = simulated::command(&mut session, &format!("kubectl get rs -o {owner}")).stdout;
    assert_eq!(owners, "web");
}

#[test]
fn failed_pods_wait_with_their_reason_where_they_are_drawn() {
    let mut session = scenario();
    session.run_to_end();
    let before = frame::build(&session).queue;
    assert_eq!(before.unschedulable, ["default/big"]);
    simulated::set_simulated(&mut session, true);
    let after = frame::build(&session).queue;
    assert_eq!(after.unschedulable, before.unschedulable);
    assert!(
        after.active.is_empty() && after.backoff.is_empty(),
        "{after:?}"
    );
    let output = simulated::command(&mut session, "kubectl describe pod big").stdout;
    assert!(
        output.contains("FailedScheduling") && output.contains("Insufficient cpu"),
        "{output}"
    );
    // What was explained before stays explained.
    let position = session.attempt_of("default/big").expect("it was tried");
    assert!(explain::attempt(&session, position).is_ok());
}

#[test]
fn the_first_attempt_of_the_cluster_is_the_next_of_the_run() {
    // A preemptor would be tried again before its turn in the round.
    let text = format!(
        "{NODES}---{}",
        WORKLOADS.replace("priorityClassName: high", "")
    );
    let (mut session, mut alone) = (session(&text), session(&text));
    session.advance(6);
    alone.advance(7);
    let next = alone
        .attempts()
        .last()
        .map(|(_, it)| (it.key.clone(), it.node().cloned()));
    simulated::set_simulated(&mut session, true);
    session.step();
    let made = session
        .attempts()
        .last()
        .map(|(_, it)| (it.key.clone(), it.node().cloned()));
    assert_eq!(made, next);
}

#[test]
fn scheduling_alone_goes_on_from_the_moment_of_the_switch() {
    let mut session = scenario();
    session.run_to_end();
    let (digest, position) = (session.digest(), session.position());
    simulated::command(&mut session, "kubectl scale deployment web --replicas=5");
    assert!(session.is_simulated());
    session.run_to_end();
    simulated::set_simulated(&mut session, false);
    assert_eq!(
        (session.digest(), session.position()),
        (digest.clone(), position)
    );
    assert!(session.undo());
    assert!(session.is_simulated());
    // The command and the switch that it needed are one change.
    assert!(session.undo());
    assert_eq!((session.digest(), session.is_simulated()), (digest, false));
}

#[test]
fn edits_of_the_manifests_stay_when_the_cluster_is_dropped() {
    let mut session = scenario();
    session.run_to_end();
    simulated::set_simulated(&mut session, true);
    let text = format!("{NODES}---{WORKLOADS}").replace("replicas: 3", "replicas: 2");
    assert!(session.edit(&[SourceFile::new("test.yaml", text.clone())], false));
    simulated::set_simulated(&mut session, false);
    assert_eq!(&*session.sources()[0].text, text);
    let web = drawn(&session)
        .into_iter()
        .filter(|it| it.0.contains("/web-"));
    assert_eq!(web.count(), 2);
}

#[test]
fn a_file_opens_in_its_own_mode() {
    let file = |text: String| [SourceFile::new("test.yaml", text)];
    let mut session = scenario();
    simulated::set_simulated(&mut session, true);
    assert!(session.open(&file(NODES.to_owned())));
    assert!(!session.is_simulated());
    assert!(session.undo());
    assert!(session.is_simulated(), "undo brings the cluster back");
    let live = "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nmode: live\n";
    simulated::set_simulated(&mut session, false);
    assert!(session.open(&file(format!("{live}---{NODES}"))));
    assert!(session.is_simulated());
}

#[test]
fn nothing_begins_anew_unless_asked() {
    let mut session = scenario();
    session.run_to_end();
    simulated::set_simulated(&mut session, true);
    assert!(drawn(&session).iter().filter(|it| it.1.is_some()).count() > 5);
    simulated::restart_mode(&mut session);
    assert!(session.is_simulated());
    assert_eq!(session.position(), 0);
    let placed: Vec<_> = drawn(&session)
        .into_iter()
        .filter(|it| it.1.is_some())
        .collect();
    assert_eq!(
        placed.len(),
        1,
        "only the one with a written nodeName: {placed:?}"
    );
}

#[test]
fn another_seed_places_anew_and_then_simulates_again() {
    let mut session = scenario();
    session.run_to_end();
    let switched = session.position();
    simulated::set_simulated(&mut session, true);
    session.step();
    sources::set_seed(&mut session, 7);
    assert!(session.is_simulated());
    assert_eq!(
        mode::switched_at(&session),
        Some(switched.min(session.position() - 1))
    );
}

#[test]
fn controllers_work_between_two_typed_lines() {
    let mut session = scenario();
    simulated::command(
        &mut session,
        "kubectl create deployment hello --image=hello:1",
    );
    simulated::command(
        &mut session,
        "kubectl set image deployment/hello hello=hello:2",
    );
    let undone = simulated::command(&mut session, "kubectl rollout undo deployment/hello");
    assert_eq!(
        undone.stdout, "deployment.apps/hello rolled back\n",
        "{}",
        undone.stderr
    );
    let image = simulated::command(
        &mut session,
        "kubectl get deploy hello -o jsonpath='{..image}'",
    )
    .stdout;
    assert_eq!(image, "hello:1");
}

#[test]
fn pods_of_a_dump_keep_their_age() {
    let dump = include_str!("../../../../../www/scenarios/dump.yaml");
    let mut session = session(dump);
    session.run_to_end();
    let listed = simulated::command(&mut session, "kubectl get pods -A --no-headers").stdout;
    let ages = listed.lines().map(|row| row.split_whitespace().last());
    let ages: Vec<&str> = ages.map(Option::unwrap).collect();
    assert_eq!(ages.len(), 11, "{listed}");
    // The clock begins with the newest object of the dump; a Pending Pod has the age that it had then.
    let waits = |name: &str| listed.lines().find(|row| row.contains(name)).unwrap();
    assert!(
        waits("cart-6c9f7d9b8c-pl8rm").ends_with(" 4m32s"),
        "{listed}"
    );
    assert!(waits("import-").ends_with(" 0s"), "{listed}");
}
