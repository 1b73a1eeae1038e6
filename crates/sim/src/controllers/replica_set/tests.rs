use crate::replay::timeline::tests::fixture::{life, workload};

const KUBELET: &str = "kubelet: {readyAfter: 2, graceSeconds: 2}\n";

#[test]
fn pods_are_released_and_adopted_by_their_labels() {
    let relabel = |label: &str| {
        format!(
            "patch: {{kind: Pod, name: rs-0001, patch: {{metadata: {{labels: {{app: {label}}}}}}}}}"
        )
    };
    let script = format!(
        "{KUBELET}steps:\n- {{at: 10, {}}}\n- {{at: 20, {}}}\nuntil: 30",
        relabel("other"),
        relabel("rs")
    );
    let life = life(&workload("ReplicaSet", "rs", "replicas: 2"), &script);
    assert_eq!(life.actions(10), ["create Pod rs-0003"]);
    assert_eq!(life.pods(10, "rs"), ["rs-0002", "rs-0003"]);
    // After its return there is one Pod too many; the one that has been ready for the shortest time is deleted.
    assert_eq!(life.actions(20), ["delete Pod rs-0003"]);
    assert_eq!(life.pods(20, "rs"), ["rs-0001", "rs-0002", "rs-0003X"]);
}

#[test]
fn several_bursts_run_in_the_same_instant() {
    let set = workload("ReplicaSet", "rs", "replicas: 1100");
    let steps = "steps:\n- {at: 10, scale: {kind: ReplicaSet, name: rs, replicas: 40}}\nuntil: 12";
    let life = life(&set, &format!("{KUBELET}{steps}"));
    assert_eq!(life.status(0, "rs", "replicas"), 1_100);
    assert_eq!(life.status(10, "rs", "replicas"), 40);
    assert_eq!(life.pods(12, "rs").len(), 40);
}

#[test]
fn restarted_pods_are_deleted_first() {
    let steps = "steps:\n- {at: 5, patch: {kind: Pod, name: rs-0002, patch: {status: {containerStatuses: [{name: c, ready: true, restartCount: 3, image: i, imageID: '', started: true}]}}}}\n- {at: 9, scale: {kind: ReplicaSet, name: rs, replicas: 2}}\nuntil: 9";
    let set = workload("ReplicaSet", "rs", "replicas: 3");
    let life = life(&set, &format!("{KUBELET}{steps}"));
    assert_eq!(life.actions(9)[1..], ["delete Pod rs-0002"]);
}
