//! Scripts on a cluster with the real scheduler.

use super::{Terminal, open};
use crate::session::{Options, SourceFile};

const NODES: &str = "apiVersion: v1
kind: Node
metadata: {name: n1, labels: {disk: ssd}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}, capacity: {cpu: '4', memory: 8Gi, pods: '110'}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}, capacity: {cpu: '4', memory: 8Gi, pods: '110'}}
";

fn terminal() -> Terminal {
    let opened = open(
        &[SourceFile::new("n.yaml", NODES)],
        None,
        Options::default(),
    );
    assert!(opened.problems.is_empty(), "{:?}", opened.problems);
    opened.terminal.expect("the scheduler starts")
}

#[test]
fn a_script_says_what_it_is_to_print() {
    let script = "# Where does it go?
kubectl run web --image=nginx --overrides='{\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"}}}'
#= pod/web created
kubectl wait --for=condition=Ready pod/web
#= pod/web condition met
kubectl get pod web -o jsonpath='{.spec.nodeName}'
#= n1
kubectl delete node n9
#~ …\"n9\" not found
#! 1
";
    let played = terminal().play_script(script);
    assert_eq!(played.failures, [], "{}", played.transcript);
    assert_eq!(played.code, 0);
    assert!(
        played
            .transcript
            .starts_with("# Where does it go?\n$ kubectl run web")
    );
}

#[test]
fn what_is_not_so_is_told_with_its_line() {
    let played = terminal().play_script("kubectl get nodes -o name\n#= node/n1\n#~ node/n3\n");
    let lines: Vec<usize> = played.failures.iter().map(|it| it.line).collect();
    assert_eq!(lines, [2, 3]);
    let played = terminal().play_script("false\necho never\n");
    assert_eq!((played.code, played.transcript.as_str()), (1, "$ false\n"));
    let played = terminal().play_script("set +e\nfalse\necho always\n");
    assert!(played.transcript.ends_with("always\n"));
    assert_eq!(played.code, 0);
}

#[test]
fn a_pod_that_fits_nowhere_waits_until_it_does() {
    let script =
        "kubectl run big --image=x --overrides='{\"spec\":{\"nodeSelector\":{\"disk\":\"nvme\"}}}'
sleep 5
kubectl get pod big -o jsonpath='{.status.phase}'
#= Pending
kubectl label node n2 disk=nvme
kubectl wait --for=condition=Ready pod/big --timeout=60s
#= pod/big condition met
";
    let played = terminal().play_script(script);
    assert_eq!(played.failures, [], "{}", played.transcript);
    assert_eq!(played.code, 0, "{}", played.transcript);
}
