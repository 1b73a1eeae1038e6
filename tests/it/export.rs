//! What is exported is read again, and every Pod gets the same place.

use std::collections::BTreeMap;

use berth_session::export::{kwok, manifests};
use berth_session::{Options, Session, SourceFile};

/// A file's name and text.
type File = (String, String);

/// In the format of `kwokctl snapshot export`: a document each, with uids and without versions.
const SNAPSHOT: &str = include_str!("export/snapshot.yaml");

/// Everything that is written by hand, in an order that a server would refuse.
const BY_HAND: &str = "
apiVersion: berth.dev/v1alpha1
kind: Scenario
title: By hand
featureGates: {SchedulerPopFromBackoffQ: false}
---
# Five of them
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: high
      containers: [{name: c, image: web, resources: {requests: {cpu: 300m}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: bound}
spec: {nodeName: node-b, containers: [{name: c, image: a, resources: {requests: {cpu: '1'}}}]}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
";

const TWO_NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
";

/// At the beginning of these manifests.
#[track_caller]
fn session(text: &str) -> Session {
    let mut session = Session::new(Options::default());
    assert!(session.apply(&[SourceFile::new("all.yaml", text)]));
    assert!(!session.has_errors(), "{:?}", session.problems());
    session
}

/// Where every Pod is at the end.
fn places(session: &mut Session) -> BTreeMap<String, Option<String>> {
    session.advance(usize::MAX);
    let pods = session.run().cluster().pods().iter();
    pods.map(|pod| {
        (
            pod.object.key(),
            pod.object.node_name.as_deref().map(str::to_owned),
        )
    })
    .collect()
}

/// The session of exported files.
#[track_caller]
fn again(files: &[File]) -> Session {
    let mut session = Session::new(Options::default());
    let files = files.iter().filter(|(name, _)| name != kwok::CONFIGURATION);
    let files: Vec<SourceFile> = files
        .map(|(name, text)| SourceFile::new(name, text.as_str()))
        .collect();
    assert!(session.apply(&files), "{:?}", session.problems());
    assert!(!session.has_errors(), "{:?}", session.problems());
    session
}

fn text<'f>(files: &'f [File], name: &str) -> &'f str {
    files
        .iter()
        .find(|(file, _)| file == name)
        .map_or("", |(_, text)| text)
}

#[test]
fn kwok_places_what_was_written_by_hand_alike() {
    let mut session = session(&format!("{TWO_NODES}---{BY_HAND}"));
    let written = kwok::export(&session);
    let names: Vec<&str> = written
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        ["kwok.yaml", "scheduler.yaml", "more.yaml", "cluster.yaml"]
    );
    assert_eq!(places(&mut session), places(&mut again(&written.files)));
    let configuration = text(&written.files, "kwok.yaml");
    for part in [
        "kubeVersion: v1.36.3",
        "kubeFeatureGates: SchedulerPopFromBackoffQ=false",
        "kubeSchedulerConfig: scheduler.yaml",
    ] {
        assert!(configuration.contains(part), "{configuration}");
    }
    let [more, cluster] = ["more.yaml", "cluster.yaml"].map(|name| text(&written.files, name));
    assert!(
        more.starts_with("apiVersion: v1\nkind: Namespace\n"),
        "{more}"
    );
    assert_eq!(more.matches("kind: ").count(), 2, "{more}");
    assert!(
        cluster.starts_with("apiVersion: v1\nkind: Node\n"),
        "{cluster}"
    );
    // kwokctl creates an object without a namespace nowhere.
    assert!(cluster.contains("namespace: default"), "{cluster}");
    let [class, deployment] =
        ["kind: PriorityClass", "kind: Deployment"].map(|kind| cluster.find(kind));
    assert!(class < deployment && class.is_some(), "{cluster}");
}

#[test]
fn a_snapshot_of_kwokctl_is_read_as_it_is() {
    let mut session = session(SNAPSHOT);
    let written = kwok::export(&session);
    assert_eq!(
        (written.orphans, written.ended, written.allocated),
        (1, 1, 0)
    );
    let cluster = text(&written.files, "cluster.yaml");
    // Owners are found by their uids, and the one that is not there is gone.
    assert!(cluster.contains("uid: 5f6e1a52-0002"), "{cluster}");
    assert!(!cluster.contains("uid: 5f6e1a52-ffff"), "{cluster}");
    assert!(!cluster.contains("clusterIP: 10.0.0.7"), "{cluster}");
    assert!(!cluster.contains("job-done"), "{cluster}");
    // Only the Pod that had a node keeps its status.
    assert_eq!(cluster.matches("phase: Running").count(), 1, "{cluster}");
    assert_eq!(cluster.matches("phase: Pending").count(), 0, "{cluster}");
    let before = places(&mut session);
    let mut again = again(&written.files);
    let mut after = places(&mut again);
    after.extend(
        before
            .iter()
            .filter(|(pod, _)| pod.ends_with("job-done"))
            .map(|(pod, at)| (pod.clone(), at.clone())),
    );
    assert_eq!(before, after);
}

#[test]
fn manifests_written_by_hand_stay_as_they_are() {
    let mut session = session(&format!("{TWO_NODES}---{BY_HAND}"));
    let written = manifests::export(&session);
    let manifests = text(&written.files, "manifests.yaml");
    assert!(manifests.contains("# Five of them\n"), "{manifests}");
    assert!(
        manifests.contains("spec: {nodeName: node-b, "),
        "{manifests}"
    );
    assert!(
        !manifests.contains("Scenario") && !manifests.contains("kind: Node\n"),
        "{manifests}"
    );
    assert_eq!((written.made, written.ended), (0, 0));
    assert_eq!(places(&mut session), places(&mut again(&written.files)));
}

#[test]
fn manifests_of_a_dump_lack_what_a_server_sets() {
    let session = session(SNAPSHOT);
    let written = manifests::export(&session);
    // The ReplicaSet and both Pods of the Deployment, and the account of the namespace.
    assert_eq!((written.made, written.ended), (4, 1));
    let manifests = text(&written.files, "manifests.yaml");
    for gone in [
        "uid",
        "creationTimestamp",
        "nodeName",
        "status",
        "ownerReferences",
        "clusterIP",
        "ReplicaSet",
    ] {
        assert!(!manifests.contains(gone), "{gone}: {manifests}");
    }
    let mut again = again(&written.files);
    let places = places(&mut again);
    // Two of the Deployment, and the Pod whose owner is unknown.
    assert_eq!(places.len(), 3, "{places:?}");
    assert!(places.values().all(Option::is_some), "{places:?}");
}
