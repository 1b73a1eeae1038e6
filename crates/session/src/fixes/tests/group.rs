//! One change for a group of Pods: tried with all of them.

use super::{deployment, node, pod, session};
use crate::session::Session;
use crate::{GroupSearch, edit, frame};
use berth_protocol::fix::{Change, GroupFix};

/// The last attempts of the Pods that wait, and the answer for all of them.
fn found(session: &Session) -> Option<GroupFix> {
    let frame = frame::build(session);
    let pending = frame.pods.iter().filter(|pod| pod.node.is_none());
    let positions: Vec<usize> = pending.filter_map(|pod| pod.last_attempt).collect();
    let mut search = GroupSearch::new(positions);
    loop {
        if let Some(answer) = search.advance(session) {
            return answer;
        }
    }
}

/// Commits the fix where it is offered, and counts the Pods that wait in the end.
fn waiting_after(session: &Session, found: &GroupFix) -> usize {
    let frame = frame::build(session);
    let first = frame.pods.iter().filter_map(|pod| pod.last_attempt).min();
    let mut then = session.branch(first.unwrap()).unwrap();
    edit::make(&mut then, &found.fix.edits).unwrap();
    then.run_to_end();
    let after = frame::build(&then);
    after.pods.iter().filter(|pod| pod.node.is_none()).count()
}

#[test]
fn as_many_nodes_are_added_as_the_group_needs() {
    // Two fit on a node of 2 CPUs; a request cannot be lowered to nothing.
    let yaml = node("node-a", "a", "") + &pod("full", "'2'", "") + &deployment(5, "'1'", "");
    let session = session(&yaml);
    let found = found(&session).unwrap();
    assert_eq!((found.helped, found.tried), (5, 5), "{found:?}");
    assert_eq!(waiting_after(&session, &found), 0, "{found:?}");
    let Change::AddNode { count, .. } = found.fix.what else {
        panic!("{found:?}");
    };
    assert_eq!(count, 3);
    assert_eq!(found.fix.edits.len(), 3);
}

#[test]
fn equal_changes_of_bare_pods_are_one_change_of_all() {
    let selector = "nodeSelector: {disk: ssd}";
    let pods: String = ["a", "b", "c"]
        .iter()
        .map(|name| pod(name, "100m", selector))
        .collect();
    let session = session(&(node("node-a", "a", "") + &pods));
    let found = found(&session).unwrap();
    assert_eq!((found.helped, found.tried), (3, 3), "{found:?}");
    assert_eq!(waiting_after(&session, &found), 0, "{found:?}");
}

#[test]
fn a_change_that_helps_some_is_offered_with_their_number() {
    // Only the cordoned node has room, and for one of the two.
    let yaml = node("node-a", "a", "spec: {unschedulable: true}")
        + &pod("one", "1500m", "restartPolicy: Always")
        + &pod("two", "1500m", "")
        + &node(
            "node-b",
            "b",
            "spec: {taints: [{key: gpu, effect: NoSchedule}]}",
        );
    let session = session(&yaml);
    let found = found(&session).unwrap();
    assert_eq!(
        waiting_after(&session, &found),
        2 - found.helped,
        "{found:?}"
    );
}
