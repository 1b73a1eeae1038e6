//! What-ifs on dumps without their workloads: what comes again, what is gone, and what added nodes bring with them.

use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::fix::Change;
use berth_protocol::gesture::{Gesture, NodeTemplate};
use berth_scheduler::release::{Choice, Version};

use crate::session::{Options, Session};
use crate::testing::{session, session_with, simulated};
use crate::{drain, edit, fixes, frame, trial, variant};

fn node(name: &str, zone: &str, cpu: &str) -> String {
    format!(
        "apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{topology.kubernetes.io/zone: {zone}}}}}
status: {{allocatable: {{cpu: '{cpu}', memory: 64Gi, pods: '20'}}}}
---
"
    )
}

/// A Pod of an owner (`Kind/name`), on a node unless that is empty; `rules` is a field of its spec.
fn pod(name: &str, owner: &str, node: &str, phase: &str, cpu: &str, rules: &str) -> String {
    let owners = owner.split_once('/').map(|(kind, of)| {
        format!("ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {of}, uid: {of}, controller: true}}]")
    });
    let app = owner.split_once('/').map_or(name, |(_, of)| of);
    format!(
        "apiVersion: v1
kind: Pod
metadata:
  name: {name}
  uid: {name}
  labels: {{app: {app}}}
  {}
spec:
  nodeName: '{node}'
  {rules}
  containers: [{{name: main, image: main, resources: {{requests: {{cpu: {cpu}}}}}}}]
status: {{phase: {phase}}}
---
",
        owners.unwrap_or_default()
    )
}

/// Pods by name, each with its node; the waiting ones have none.
fn places(session: &Session) -> Vec<(String, Option<String>)> {
    let pods = frame::build(session).pods.into_iter();
    let mut pods: Vec<_> = pods
        .map(|pod| (pod.key.replace("default/", ""), pod.node))
        .collect();
    pods.sort();
    pods
}

fn at_end(text: &str) -> Session {
    let mut session = session(text);
    session.run_to_end();
    session
}

/// Without zone `a`, by release.
fn without_zone(text: &str) -> [Vec<(String, Option<String>)>; 2] {
    [Version::V1_34, Version::V1_36].map(|version| {
        let release = Choice {
            kubernetes: Some(version),
            ..Choice::default()
        };
        let options = Options {
            release,
            ..Options::default()
        };
        let mut session = session_with(text, options);
        let removed = variant::remove_nodes(&mut session, "topology.kubernetes.io/zone=a");
        assert!(!removed.expect("there is a zone").is_empty());
        session.run_to_end();
        places(&session)
    })
}

#[test]
fn added_nodes_have_the_daemons_of_the_others() {
    let daemon = "tolerations: [{operator: Exists}]";
    let text = node("n1", "a", "4")
        + &pod(
            "agent-a",
            "DaemonSet/agent",
            "n1",
            "Running",
            "500m",
            daemon,
        )
        + &pod("big", "", "", "Pending", "3700m", "");
    let mut session = at_end(&text);
    let offered = fixes::find(&session, 0).expect("it is explained");
    let adds_one = |what: &Change| {
        matches!(
            what,
            Change::AddNode {
                milli_cpu: 4000,
                ..
            }
        )
    };
    assert!(
        !offered.iter().any(|fix| adds_one(&fix.what)),
        "{offered:?}"
    );
    let add = Gesture::AddNodes {
        template: NodeTemplate::Like { node: "n1".into() },
        count: 2,
        topology: None,
    };
    trial::on_trial(&mut session, |it| edit::perform(it, &add)).expect("adds");
    session.run_to_end();
    let places = places(&session);
    let nodes: Vec<&str> = places
        .iter()
        .filter(|(name, _)| name.starts_with("agent-"))
        .filter_map(|(_, node)| node.as_deref())
        .collect();
    let mut distinct = nodes.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((nodes.len(), distinct.len()), (3, 3), "{places:?}");
    assert!(places.contains(&("big".to_owned(), None)), "{places:?}");
}

#[test]
fn pods_that_have_ended_never_come_back() {
    let text = node("n1", "a", "4")
        + &node("n2", "b", "4")
        + &pod("job-a", "Job/job", "n1", "Succeeded", "1", "")
        + &pod("web-a", "ReplicaSet/web", "n1", "Failed", "1", "");
    for places in without_zone(&text) {
        assert_eq!(places, []);
    }
    assert!(drain::inferred_owners(&session(&text)).is_empty());
}

#[test]
fn a_removed_node_takes_its_pods_with_it_in_each_release() {
    let bare =
        node("n1", "a", "4") + &node("n2", "b", "4") + &pod("alone", "", "n1", "Running", "1", "");
    for places in without_zone(&bare) {
        assert_eq!(places, []);
    }
    let owned = node("n1", "a", "4")
        + &node("n2", "b", "4")
        + &pod("web-a", "ReplicaSet/web", "n1", "Running", "1", "")
        + &pod("web-b", "ReplicaSet/web", "n2", "Running", "1", "");
    for places in without_zone(&owned) {
        let on_b = |name: &str| (name.to_owned(), Some("n2".to_owned()));
        assert_eq!(places, [on_b("web-a"), on_b("web-b")]);
    }
}

#[test]
fn pods_made_again_come_after_those_that_waited() {
    // The lost Pod stands first in the file, and there is room for one.
    let text = pod("web-a", "ReplicaSet/web", "n1", "Running", "1", "")
        + &node("n1", "a", "1")
        + &node("n2", "b", "1")
        + &pod(
            "waits",
            "ReplicaSet/waits",
            "",
            "Pending",
            "1",
            "nodeSelector: {topology.kubernetes.io/zone: b}",
        );
    let options = Options::default();
    let mut session = session_with(&text, options);
    variant::remove_nodes(&mut session, "topology.kubernetes.io/zone=a").expect("there is a zone");
    session.run_to_end();
    let expected = [("waits", Some("n2")), ("web-a", None)];
    let expected = expected.map(|(name, node)| (name.to_owned(), node.map(str::to_owned)));
    assert_eq!(places(&session), expected);
}

#[test]
fn inferred_owners_count_for_default_spreading_as_those_of_the_file() {
    let pods = node("n1", "a", "16")
        + &node("n2", "b", "2")
        + &pod("web-1-a", "ReplicaSet/web-1", "n1", "Running", "100m", "")
        + &pod("web-1-b", "ReplicaSet/web-1", "", "Pending", "100m", "");
    let written = "apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, uid: web-1}
spec:
  replicas: 2
  selector: {matchLabels: {app: web-1}}
  template:
    metadata: {labels: {app: web-1}}
    spec: {containers: [{name: main, image: main}]}
";
    for text in [pods.clone(), pods + written] {
        let places = places(&at_end(&text));
        assert!(
            places.contains(&("web-1-b".to_owned(), Some("n2".to_owned()))),
            "{places:?}"
        );
    }
}

/// Two Pods of a StatefulSet that do not tolerate each other, on one node.
fn rivals() -> String {
    let rules = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: \
        topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: zk}}}]}}";
    node("n1", "a", "4")
        + &pod("zk-0", "StatefulSet/zk", "n1", "Running", "1", rules)
        + &pod("zk-1", "StatefulSet/zk", "", "Pending", "1", rules)
}

#[test]
fn a_deleted_pod_is_made_again_and_the_net_counts() {
    let mut session = at_end(&rivals());
    let fixes = fixes::find(&session, 0).expect("it is explained");
    let deletes = |what: &Change| matches!(what, Change::DeletePod { .. });
    assert!(!fixes.iter().any(|fix| deletes(&fix.what)), "{fixes:?}");
    let delete = Edit::Delete {
        object: ObjectRef::new("Pod", "default", "zk-0"),
    };
    edit::make(&mut session, &[delete]).expect("deletes");
    session.run_to_end();
    let placed = places(&session)
        .into_iter()
        .filter(|(_, node)| node.is_some());
    assert_eq!((frame::build(&session).pods.len(), placed.count()), (2, 1));
}

#[test]
fn an_inferred_owner_is_in_the_namespace_of_its_pods() {
    let text = node("n1", "a", "4") + &pod("web-1-a", "ReplicaSet/web-1", "n1", "Running", "1", "");
    let session = simulated(&text);
    let cluster = session.simulated_cluster().expect("it is simulated");
    let sets = cluster.api().store().list("ReplicaSet");
    let sets: Vec<_> = sets
        .iter()
        .map(|set| set.metadata().namespace.as_deref())
        .collect();
    assert_eq!(sets, [Some("default")]);
    let names: Vec<String> = places(&session).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["web-1-a"]);
}

#[test]
fn kinds_that_decide_and_that_the_file_lacks_are_named_once() {
    let rules = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: \
        kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}, namespaceSelector: {matchLabels: {tier: prod}}}]}}";
    let text = node("n1", "a", "4")
        + &pod("one", "ReplicaSet/x", "", "Pending", "1", rules)
        + &pod("two", "ReplicaSet/x", "", "Pending", "1", rules)
        + &pod("three", "ReplicaSet/x", "n1", "Running", "1", rules);
    let warnings: Vec<String> = session(&text)
        .problems()
        .iter()
        .map(ToString::to_string)
        .collect();
    let [warning] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert!(
        warning.contains("2 Pods") && warning.contains("Namespace"),
        "{warning}"
    );
    let complete = text + "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n";
    assert!(session(&complete).problems().is_empty());
}

#[test]
fn every_kind_that_decides_about_a_waiting_pod_is_named() {
    let apart = |app: &str| {
        format!(
            "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: \
             kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: {app}}}}}, namespaceSelector: \
             {{matchLabels: {{tier: prod}}}}}}]}}}}"
        )
    };
    let claim = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
    let device = "resourceClaims: [{name: gpu, resourceClaimName: gpu}]";
    let template = "resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]";
    let devices = "ResourceClaim, ResourceSlice, DeviceClass";
    let by_template = "ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceClass";
    let named = |waiting: &str, running: &str| {
        let waiting = pod("new", "ReplicaSet/x", "", "Pending", "1", waiting);
        let text = node("n1", "a", "4") + &waiting + running;
        let session = session(&text);
        let lacking = &session.manifests().prepared.lacking;
        let kinds = lacking.iter().flat_map(|(_, kinds)| kinds.iter().copied());
        let kinds: Vec<&str> = kinds.collect();
        let warnings = session.problems().iter().map(ToString::to_string);
        let warnings = warnings.collect::<Vec<_>>().join("\n");
        assert!(
            kinds.iter().all(|kind| warnings.contains(kind)),
            "{warnings}"
        );
        kinds.join(", ")
    };
    assert_eq!(named(claim, ""), "CSINode");
    assert_eq!(named(device, ""), devices);
    assert_eq!(named(template, ""), by_template);
    // What a running Pod keeps away depends on the labels of namespaces as well.
    let runs = |phase: &str, app: &str| pod("old", "ReplicaSet/w", "n1", phase, "1", &apart(app));
    assert_eq!(named("", &runs("Running", "x")), "Namespace");
    assert_eq!(named("", &runs("Running", "db")), "");
    assert_eq!(named("", &runs("Succeeded", "x")), "");
}
