use crate::replay::timeline::tests::fixture::{life, workload};

const KUBELET: &str = "kubelet: {readyAfter: 2, graceSeconds: 2}\n";

#[test]
fn failing_pods_are_replaced_with_backoff() {
    let kubelet = "kubelet: {runSeconds: 1, outcomes: [fail]}";
    let spec = "template: {metadata: {labels: {app: agent}}, spec: {nodeName: n1, containers: [{name: c, image: i}]}}";
    let set = workload("DaemonSet", "agent", "").replace(
        "template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: c, image: \"app:v1\"}]}}",
        spec,
    );
    let life = life(&set, &format!("{kubelet}\nuntil: 40"));
    let seconds = life.seconds().into_iter();
    let created: Vec<i64> = seconds
        .filter(|second| {
            life.actions(*second)
                .iter()
                .any(|it| it.starts_with("create Pod"))
        })
        .collect();
    // A failure within the delay waits for the whole delay: 2, 4, 8 and 16 seconds after 3, 6, 11 and 20.
    assert_eq!(created, [0, 1, 2, 5, 10, 19, 36]);
}

#[test]
fn a_node_without_a_network_gets_only_pods_on_its_own() {
    let taint = "- {at: 5, addNode: {name: n4, taints: [{key: node.kubernetes.io/network-unavailable, effect: NoSchedule}]}}";
    let plain = workload("DaemonSet", "plain", "");
    let host = workload("DaemonSet", "host", "")
        .replace("spec: {containers", "spec: {hostNetwork: true, containers");
    let both = format!("{plain}\n---\n{host}");
    let life = life(&both, &format!("{KUBELET}steps:\n{taint}\nuntil: 9"));
    assert_eq!(life.status(5, "plain", "desiredNumberScheduled"), 3);
    assert_eq!(life.status(5, "host", "desiredNumberScheduled"), 4);
}

#[test]
fn no_execute_taints_delete_the_pod_and_no_schedule_taints_do_not() {
    let taint = |at: i64, node: &str, effect: &str| {
        format!(
            "- {{at: {at}, taintNode: {{name: {node}, taints: [{{key: k, effect: {effect}}}]}}}}\n"
        )
    };
    let steps = [taint(5, "n1", "NoSchedule"), taint(9, "n2", "NoExecute")].concat();
    let set = workload("DaemonSet", "agent", "");
    let life = life(&set, &format!("{KUBELET}steps:\n{steps}until: 20"));
    assert_eq!(life.status(5, "agent", "numberMisscheduled"), 1);
    assert_eq!(life.actions(9), ["delete Pod agent-0002"]);
    assert_eq!(life.pods(20, "agent"), ["agent-0001", "agent-0003"]);
}

#[test]
fn orphans_are_adopted_and_replaced_as_outdated() {
    let orphan = "apiVersion: v1\nkind: Pod\nmetadata: {name: other, labels: {app: agent}}\nspec: {nodeName: n1, containers: [{name: c, image: i}]}";
    let both = format!("{orphan}\n---\n{}", workload("DaemonSet", "agent", ""));
    let life = life(&both, &format!("{KUBELET}until: 20"));
    assert_eq!(life.pods(0, "agent")[0], "otherX");
    let all = ["agent-0003", "agent-0001", "agent-0002"];
    assert_eq!(life.pods(20, "agent"), all);
}
