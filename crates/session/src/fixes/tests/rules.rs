//! Rules for every list of fixes: workloads, order, bounds, and that each fix helps.

use super::{
    deployment, edit_of, failed, fixes, has, helps_from_the_start, node, place, pod, sentences,
};
use crate::fixes::{MAX_CANDIDATES, MAX_PER_FAMILY};
use crate::session::{Options, Session};
use crate::{edit, frame};
use berth_core::api::source::SourceFile;
use berth_protocol::edit::Edit;
use berth_protocol::fix::Change;

/// The first Pod that fails to schedule.
fn failing_pod(yaml: &str) -> String {
    let session = super::session(yaml);
    let mut attempts = session.attempts().map(|(_, attempt)| attempt);
    let attempt = attempts.find(|attempt| attempt.node().is_none());
    attempt.unwrap().key.clone()
}

#[test]
fn an_invalid_document_hides_no_fix() {
    let invalid = "apiVersion: v1\nkind: Node\nmetadata: {name: Upper}\n---\n";
    let yaml = node("one", "a", "") + invalid + &pod("it", "3", "");
    let mut session = Session::new(Options::default());
    assert!(session.apply(&[SourceFile::new("test.yaml", yaml.as_str())]) && session.has_errors());
    session.run_to_end();
    let fixes = fixes::find(&session, 0).unwrap();
    let lowered = edit::make(&mut session, &fixes[0].edits);
    assert!(lowered.is_ok(), "{lowered:?}");
}

#[test]
fn pods_of_a_deployment_change_with_its_template() {
    // Two Pods of 900m each are on the node; the third fits if all three request 666m.
    let yaml = node("one", "a", "") + &deployment(3, "900m", "");
    let key = failing_pod(&yaml);
    let fixes = fixes(&yaml, &key);
    let edits = edit_of(&fixes, "Lower the cpu request from 900m to 666m CPU");
    let [
        Edit::Set {
            object,
            path,
            value,
        },
    ] = edits
    else {
        panic!("{edits:?}");
    };
    assert_eq!(
        (object.kind.as_str(), object.name.as_str()),
        ("Deployment", "web")
    );
    let path = serde_json::to_string(path).unwrap();
    let want = r#"["spec","template","spec","containers",0,"resources","requests","cpu"]"#;
    assert_eq!((path.as_str(), value.as_str()), (want, Some("666m")));
    for fix in &fixes {
        // A changed template changes the names of its Pods.
        let after = super::session_of(&super::edited(&failed(&yaml, &key).0, &fix.edits));
        let frame = frame::build(&after);
        let waiting = frame.pods.iter().filter(|pod| pod.node.is_none());
        assert_eq!(
            (frame.pods.len(), waiting.count()),
            (3, 0),
            "{}",
            fix.remark()
        );
    }
}

#[test]
fn replicas_that_repel_each_other_lose_their_anti_affinity_together() {
    let anti = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}";
    let yaml = node("one", "a", "") + &deployment(2, "100m", anti);
    let key = failing_pod(&yaml);
    let fixes = fixes(&yaml, &key);
    place(
        &fixes,
        "Remove the required pod anti-affinity over kubernetes.io/hostname",
    );
    assert!(has(&fixes, |what| matches!(what, Change::AddNode { .. })));
    // Its own replicas cannot be victims.
    assert!(!has(&fixes, |what| matches!(
        what,
        Change::ScaleDown { .. }
    )));
}

#[test]
fn another_workload_is_scaled_down_by_its_last_pod() {
    let yaml = node("one", "a", "") + &deployment(2, "900m", "") + &pod("late", "300m", "");
    let fixes = fixes(&yaml, "default/late");
    let scaled = fixes
        .iter()
        .find(|fix| matches!(fix.what, Change::ScaleDown { from: 2, to: 1, .. }));
    let scaled = scaled.unwrap_or_else(|| panic!("{:#?}", sentences(&fixes)));
    helps_from_the_start(&yaml, "default/late", scaled);
}

#[test]
fn pods_that_a_budget_guards_are_the_last_to_be_deleted() {
    let budget = "apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db}
spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
---
";
    let yaml = node("one", "a", "")
        + budget
        + &pod("db", "1", "nodeName: one")
        + &pod("other", "1", "nodeName: one\npriorityClassName: high")
        + &pod("web", "500m", "")
        + "apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 7
";
    let fixes = fixes(&yaml, "default/web");
    let other = place(&fixes, "Delete Pod default/other from one");
    assert!(other < place(&fixes, "Delete Pod default/db from one"));
}

#[test]
fn nothing_is_offered_that_does_not_help() {
    // Every node has a taint and too little CPU: no single change is enough, except a node that nobody has.
    let tainted = "spec: {taints: [{key: link, value: slow, effect: NoSchedule}]}";
    let yaml = node("one", "a", tainted) + &node("two", "b", tainted) + &pod("web", "3", "");
    let fixes = fixes(&yaml, "default/web");
    assert_eq!(
        sentences(&fixes),
        [
            "Both of these: Tolerate link=slow:NoSchedule; Lower the cpu request from 3 to 2 CPU",
            "Both of these: Remove taint link=slow:NoSchedule from one; Lower the cpu request from 3 to 2 CPU",
            "Both of these: Remove taint link=slow:NoSchedule from two; Lower the cpu request from 3 to 2 CPU",
            "Add a node, unlike any here (4 CPU, 16 GiB memory)"
        ]
    );
}

#[test]
fn a_new_node_is_large_enough() {
    let yaml = node("one", "a", "") + &pod("web", "7", "");
    let fixes = fixes(&yaml, "default/web");
    place(
        &fixes,
        "Add a node in a, larger than any here (7 CPU, 4 GiB memory)",
    );
    place(&fixes, "Lower the cpu request from 7 to 2 CPU");
}

#[test]
fn a_new_node_is_in_the_zone_that_helps() {
    let spread = "topologySpreadConstraints:
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: DoNotSchedule
  labelSelector: {matchLabels: {app: web}}";
    let other = pod("w1", "100m", "nodeName: one").replace("{app: w1}", "{app: web}");
    let yaml = node("one", "a", "")
        + &node("more", "a", "")
        + &node("two", "b", "")
        + &other
        + &pod("big", "2", "nodeName: two")
        + &pod("web", "500m", spread);
    let fixes = fixes(&yaml, "default/web");
    place(&fixes, "Add a node like two in b (2 CPU, 4 GiB memory)");
}

#[test]
fn a_cluster_without_nodes_needs_one() {
    let fixes = fixes(
        &pod("web", "500m", "nodeSelector: {disktype: ssd}"),
        "default/web",
    );
    assert_eq!(
        sentences(&fixes),
        ["Add a node with disktype=ssd (4 CPU, 16 GiB memory)"]
    );
}

#[test]
fn a_pod_that_was_scheduled_needs_no_fix() {
    let session = super::session(&(node("one", "a", "") + &pod("web", "1", "")));
    assert_eq!(fixes::find(&session, 0), Ok(Vec::new()));
    assert!(fixes::find(&session, 7).is_err());
}

#[test]
fn daemons_keep_their_node() {
    let yaml = node("one", "a", "")
        + &pod("big", "2", "nodeName: one")
        + "apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers: [{name: agent, image: agent, resources: {requests: {cpu: 100m}}}]
";
    let key = failing_pod(&yaml);
    let fixes = fixes(&yaml, &key);
    assert_eq!(sentences(&fixes), ["Delete Pod default/big from one"]);
}

#[test]
fn there_are_never_many_candidates() {
    let taints = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let mut yaml = String::new();
    for (number, taint) in (0..).zip(taints.iter().cycle()).take(60) {
        let tainted = format!("spec: {{taints: [{{key: {taint}, effect: NoSchedule}}]}}");
        let tainted = if number % 2 == 0 {
            tainted
        } else {
            String::new()
        };
        yaml.push_str(&node(&format!("n{number}"), taint, &tainted));
        if number % 2 == 1 {
            let on = format!("nodeName: n{number}");
            yaml.push_str(&pod(
                &format!("p{number}"),
                &format!("1{:03}m", number * 7),
                &on,
            ));
        }
    }
    yaml.push_str(&pod("web", "1900m", "nodeSelector: {disktype: ssd}"));
    let (session, position) = failed(&yaml, "default/web");
    let candidates = fixes::candidates(&session, position).unwrap();
    assert!(candidates.len() > MAX_PER_FAMILY && candidates.len() <= MAX_CANDIDATES);
    let tolerations = candidates
        .iter()
        .filter(|candidate| matches!(candidate.what, Change::Tolerate { .. }));
    assert!(tolerations.count() <= MAX_PER_FAMILY);
    assert_eq!(candidates, fixes::candidates(&session, position).unwrap());
}
