//! Compares Berth with what a control plane of v1.36.3 said about small cases: Pods and events as kubectl prints them, and
//! the scheduler's log with every score. The `wrong-*` answers were falsified, and must be found to differ.
//!
//! `cargo xtask corpus FOLDER verify` packs the folder.

use std::collections::BTreeMap;

use berth_protocol::verify::{Count, Difference, File, NodeVerdict, Verification, What};
use berth_session::verify::{ClusterReport, verify};
use berth_session::{Options, Session, SourceFile};

use crate::conformance::corpus;
use crate::portable;

const ANSWERS: &[u8] = include_bytes!("verify/answers.br");

/// Each case: attempts and weighted scores in the log, and `FailedScheduling` events.
#[rustfmt::skip]
const RECORDED: [(&str, usize, usize, usize); 50] = [
    ("01-cordoned-node", 4, 20, 1),
    ("02-node-name", 3, 0, 1),
    ("03-taints", 6, 10, 2),
    ("04-taints-preferred", 5, 100, 0),
    ("05-node-affinity", 9, 40, 2),
    ("06-node-affinity-preferred", 5, 108, 0),
    ("07-node-selector", 5, 0, 3),
    ("08-host-ports", 9, 40, 3),
    ("09-resources", 9, 30, 6),
    ("10-least-allocated", 8, 126, 0),
    ("11-most-allocated", 7, 91, 0),
    ("12-requested-to-capacity", 5, 45, 0),
    ("13-balanced", 7, 111, 0),
    ("14-init-sidecar-overhead", 5, 50, 1),
    ("15-spread-hard", 8, 130, 1),
    ("16-spread-soft", 8, 288, 0),
    ("17-spread-default", 8, 282, 0),
    ("18-spread-policies", 16, 50, 5),
    ("19-spread-list", 7, 132, 0),
    ("20-pod-affinity", 7, 82, 2),
    ("21-pod-anti-affinity", 5, 25, 2),
    ("22-pod-affinity-preferred", 6, 204, 0),
    ("23-anti-affinity-symmetric", 6, 10, 2),
    ("24-affinity-symmetric-score", 6, 114, 0),
    ("25-affinity-namespaces", 9, 75, 1),
    ("26-volume-wait", 3, 0, 1),
    ("27-volume-bound", 6, 10, 4),
    ("28-volume-zone", 4, 30, 2),
    ("29-volume-limits", 6, 30, 2),
    ("30-volume-rwop", 3, 30, 1),
    ("31-image-locality", 5, 100, 0),
    ("32-preemption", 4, 0, 2),
    ("33-preemption-pdb", 4, 0, 2),
    ("34-preemption-never", 4, 0, 4),
    ("35-preemption-choice", 6, 0, 3),
    ("36-preemption-nominated", 3, 0, 2),
    ("37-priority-in-order", 5, 10, 1),
    ("38-queue-order", 5, 30, 1),
    ("39-gates", 1, 15, 0),
    ("40-devices", 5, 15, 1),
    ("41-devices-cel", 4, 0, 2),
    ("42-profiles", 5, 66, 0),
    ("43-weights", 3, 39, 0),
    ("44-added-affinity", 5, 32, 1),
    ("45-many-reasons", 6, 0, 5),
    ("46-deployment", 7, 246, 0),
    ("47-alike-at-once", 12, 240, 0),
    ("48-shop", 20, 1_027, 1),
    ("49-pdb-status", 4, 0, 2),
    ("50-batch", 6, 25, 1),
];

/// The files of a folder by name.
type Folder = BTreeMap<String, SourceFile>;

pub fn folders() -> BTreeMap<String, Folder> {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    for (path, text) in corpus::records_of(ANSWERS) {
        let (folder, file) = path.split_once('/').expect("FOLDER/FILE");
        let folder = folders.entry(folder.to_owned()).or_default();
        folder.insert(file.to_owned(), SourceFile::new(file, text));
    }
    folders
}

fn session(case: &SourceFile) -> Session {
    let mut session = Session::new(Options::default());
    assert!(session.apply(std::slice::from_ref(case)));
    assert!(!session.has_errors(), "{:?}", session.problems());
    session
}

/// Compares a case with those of its answers that are named.
fn compared(folder: &Folder, named: &[&str]) -> Verification {
    let file = |name: &str| folder.get(name).filter(|_| named.contains(&name));
    let said = ClusterReport {
        pods: &folder["pods.json"],
        events: file("events.json"),
        log: file("scheduler.log").or(file("scheduler-full.log")),
    };
    verify(&session(&folder["case.yaml"]), said).expect("the files can be read")
}

const ALL: [&str; 2] = ["events.json", "scheduler.log"];

fn are_equal(count: Count, number: usize) -> bool {
    count.compared == number && count.equal == number
}

#[portable]
fn every_answer_of_the_real_cluster_is_berths() {
    let folders = folders();
    for (name, attempts, scores, failed) in RECORDED {
        let all = compared(&folders[name], &ALL);
        let differences = &all.differences;
        assert!(all.agrees(), "{name}: {differences:#?}");
        let counts = all.counts;
        assert!(are_equal(counts.attempts, attempts), "{name}: {counts:?}");
        assert!(are_equal(counts.scores, scores), "{name}: {counts:?}");
        assert!(are_equal(counts.events, failed), "{name}: {counts:?}");
        assert!(are_equal(counts.messages, failed), "{name}: {counts:?}");
        assert_eq!(all.attempts.len(), attempts, "{name}");
        assert!(counts.pods.compared > 0, "{name}");
    }
    let cases = folders.keys().filter(|name| !name.starts_with("wrong-"));
    assert_eq!(cases.count(), RECORDED.len());
}

#[portable]
fn without_a_log_the_events_tell_the_attempts() {
    let folders = folders();
    for (name, attempts, _, failed) in RECORDED {
        let all = compared(&folders[name], &["events.json"]);
        let differences = &all.differences;
        assert!(all.agrees(), "{name}: {differences:#?}");
        let counts = all.counts;
        assert!(are_equal(counts.attempts, counts.attempts.compared));
        assert!(counts.attempts.compared <= attempts, "{name}: {counts:?}");
        assert!(are_equal(counts.messages, failed), "{name}: {counts:?}");
        assert_eq!(counts.scores, Count::default(), "{name}");
    }
}

/// Its Pod `l2` was scheduled, then preempted: it left no trace in the Pods.
const CAME_AND_WENT: &str = "37-priority-in-order";

#[portable]
fn pods_alone_tell_where_each_came_and_why_it_waits() {
    let folders = folders();
    for (name, ..) in RECORDED {
        let all = compared(&folders[name], &[]);
        let differences = &all.differences;
        if name == CAME_AND_WENT {
            let missing = pods_with(differences, |what| *what == What::NotInCluster);
            assert_eq!(missing, ["default/l2"]);
            continue;
        }
        assert!(all.agrees(), "{name}: {differences:#?}");
    }
}

#[portable]
fn attempts_are_found_among_all_lines_of_a_log() {
    let folders = folders();
    let folder = &folders["01-cordoned-node"];
    let few = compared(folder, &["scheduler.log"]);
    let all = compared(folder, &["scheduler-full.log"]);
    assert_eq!(all, few);
}

/// What differs in a falsified folder, by Pod.
fn wrong(name: &str) -> Vec<Difference> {
    let all = compared(&folders()[name], &ALL);
    assert!(!all.agrees(), "{name}");
    all.differences
}

fn pods_with(differences: &[Difference], is_it: impl Fn(&What) -> bool) -> Vec<&str> {
    let found = differences.iter().filter(|it| is_it(&it.what));
    found.map(|it| it.pod.as_str()).collect()
}

#[portable]
fn wrong_01_pods_of_another_case_are_named() {
    let all = wrong("wrong-01");
    let p = [
        "default/p1",
        "default/p2",
        "default/p3",
        "default/p4",
        "default/p5",
    ];
    let not_in_case = pods_with(&all, |what| *what == What::NotInCase);
    assert_eq!(not_in_case, p);
    let missing = pods_with(&all, |what| *what == What::NotInCluster);
    assert_eq!(missing.len(), 5, "{all:#?}");
    assert_eq!(all.len(), 10, "{all:#?}");
}

#[portable]
fn wrong_02_the_plugin_of_another_configuration_is_named() {
    let all = compared(&folders()["wrong-02"], &ALL);
    let plugins = all.differing_scores();
    assert_eq!(plugins, [("NodeResourcesFit", 19)]);
    let mut pods = pods_with(&all.differences, |what| matches!(what, What::Score { .. }));
    pods.dedup();
    assert_eq!(pods.len(), 6, "{pods:?}");
}

#[portable]
fn wrong_03_a_node_that_is_not_among_the_best_is_no_tie() {
    let all = wrong("wrong-03");
    let first = &all[0];
    assert_eq!((&*first.pod, first.attempt), ("default/cpu-1", Some(1)));
    let What::Node {
        cluster, verdict, ..
    } = &first.what
    else {
        panic!("{first:?}");
    };
    assert_eq!(cluster, "n1");
    assert!(matches!(verdict, NodeVerdict::Behind { total, highest } if total < highest));
}

#[portable]
fn wrong_04_files_that_contradict_each_other_are_found() {
    let all = wrong("wrong-04");
    let [only] = all.as_slice() else {
        panic!("{all:#?}");
    };
    assert_eq!(only.pod, "default/plain");
    let What::Sources {
        file,
        node,
        attempts,
        verdict,
    } = &only.what
    else {
        panic!("{only:?}");
    };
    let nodes = (node.as_deref(), attempts.as_deref());
    assert_eq!((*file, nodes), (File::Pods, (Some("gpu"), Some("w1"))));
    let is_refused = |it: &NodeVerdict| matches!(it, NodeVerdict::Rejected { plugin, .. } if plugin == "TaintToleration");
    assert!(verdict.as_ref().is_some_and(is_refused), "{only:?}");
}

#[portable]
fn wrong_05_one_count_in_one_event_is_found() {
    let all = wrong("wrong-05");
    let [only] = all.as_slice() else {
        panic!("{all:#?}");
    };
    assert_eq!(only.pod, "default/huge");
    let What::Event { cluster, berth } = &only.what else {
        panic!("{only:?}");
    };
    assert!(cluster.contains("3 Insufficient cpu"), "{cluster}");
    assert!(berth.iter().any(|it| it.contains("4 Insufficient cpu")));
}

#[portable]
fn wrong_06_one_number_of_a_log_is_found_and_does_not_add_up() {
    let all = wrong("wrong-06");
    let [score, sum] = all.as_slice() else {
        panic!("{all:#?}");
    };
    let expected = What::Score {
        plugin: "InterPodAffinity".to_owned(),
        node: "a1".to_owned(),
        cluster: Some(199),
        berth: Some(200),
    };
    assert_eq!((&*score.pod, &score.what), ("default/w1", &expected));
    assert!(matches!(&sum.what, What::Sum { node, .. } if node == "a1"));
}

#[portable]
fn wrong_07_a_pod_that_waits_for_an_invented_reason_is_found() {
    let all = wrong("wrong-07");
    let waits = pods_with(&all, |what| matches!(what, What::Waits { .. }));
    assert_eq!(waits, ["default/web-2"], "{all:#?}");
    let condition = pods_with(&all, |what| matches!(what, What::Condition { .. }));
    assert_eq!(condition, ["default/web-2"]);
}

#[portable]
fn wrong_08_another_victim_is_found() {
    let all = wrong("wrong-08");
    let preempted = all.iter().find_map(|it| match &it.what {
        What::Preemption { cluster, berth } => Some((&*it.pod, cluster, berth)),
        _ => None,
    });
    let (pod, cluster, berth) = preempted.expect("the victims differ");
    let berth = berth.as_ref().expect("Berth preempts");
    assert_eq!(
        (pod, berth.victims.as_slice()),
        ("default/urgent", &["default/l2".to_owned()][..])
    );
    assert_ne!(cluster.as_ref(), Some(berth));
    let missing = pods_with(&all, |what| *what == What::NotInCluster);
    assert_eq!(missing, ["default/h1"]);
}

#[portable]
fn wrong_09_a_file_that_is_cut_is_no_answer() {
    let folder = &folders()["wrong-09"];
    let said = ClusterReport {
        pods: &folder["pods.json"],
        events: folder.get("events.json"),
        log: None,
    };
    let why = verify(&session(&folder["case.yaml"]), said).expect_err("the Pods are cut");
    let why = why.to_string();
    assert!(why.starts_with("pods.json:"), "{why}");
    assert!(why.contains("EOF while parsing"), "{why}");
}
