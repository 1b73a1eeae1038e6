//! Scheduling gates: what removes them, in manifests and in a simulated cluster.

use super::{deployment, node, pod, session};
use crate::session::Session;
use crate::{edit, fixes, frame, simulated};
use berth_protocol::edit::Edit;
use berth_protocol::fix::{Change, GroupFix};

const GATE: &str = "schedulingGates: [{name: a.b/c}]";

fn gated(session: &Session) -> Vec<String> {
    let waiting = frame::build(session)
        .pods
        .into_iter()
        .filter(|pod| pod.held_by.is_some());
    waiting.map(|pod| pod.key).collect()
}

fn ungate(session: &Session) -> Option<GroupFix> {
    fixes::ungate(session, &gated(session))
}

#[test]
fn a_gate_of_a_pod_is_removed_from_its_manifest() {
    let yaml = [node("node-a", "a", ""), pod("held", "1", GATE)].concat();
    let mut session = session(&yaml);
    assert_eq!(gated(&session), ["default/held"]);
    let found = ungate(&session).expect("it has room");
    assert_eq!((found.helped, found.tried), (1, 1));
    assert_eq!(found.fix.node, "node-a");
    assert_eq!(
        found.fix.remark(),
        "Remove the scheduling gate a.b/c from Pod held"
    );
    edit::make(&mut session, &found.fix.edits).unwrap();
    session.run_to_end();
    assert_eq!(gated(&session), [""; 0]);
    assert_eq!(
        frame::build(&session).pods[0].node.as_deref(),
        Some("node-a")
    );
}

#[test]
fn a_gate_of_a_template_is_removed_for_all_of_its_pods() {
    // Four of five have room.
    let session = session(&[node("node-a", "a", ""), deployment(5, "500m", GATE)].concat());
    let found = ungate(&session).expect("some have room");
    assert_eq!((found.helped, found.tried), (4, 5));
    let [Edit::Remove { object, .. }] = found.fix.edits.as_slice() else {
        panic!("{:?}", found.fix.edits);
    };
    assert_eq!(object.kind, "Deployment");
}

#[test]
fn a_pod_that_waits_without_its_gate_as_well_is_not_helped() {
    let yaml = [node("node-a", "a", ""), pod("held", "3", GATE)].concat();
    assert_eq!(ungate(&session(&yaml)), None);
    let other = pod("other", "1", "schedulerName: volcano");
    let session = session(&[node("node-a", "a", ""), other].concat());
    assert_eq!(ungate(&session), None, "it has no gate");
}

#[test]
fn in_a_simulated_cluster_the_pods_are_patched() {
    let yaml = [node("node-a", "a", ""), deployment(2, "500m", GATE)].concat();
    let mut session = crate::testing::simulated(&yaml);
    session.run_to_end();
    let found = ungate(&session).expect("they have room");
    assert_eq!((found.helped, found.tried), (2, 2));
    assert!(found.fix.edits.is_empty());
    let Change::RemoveGates { line, .. } = &found.fix.what else {
        panic!("{:?}", found.fix.what);
    };
    assert!(line.starts_with("kubectl patch pod web-"), "{line}");
    assert_eq!(
        found.fix.remark().to_string(),
        format!("Remove the scheduling gate a.b/c: {line}")
    );
    let output = simulated::command(&mut session, line);
    assert_eq!(output.code, 0, "{output:?}");
    session.run_to_end();
    let placed = frame::build(&session).pods;
    assert!(placed.iter().all(|pod| pod.node.is_some()), "{placed:?}");
}
