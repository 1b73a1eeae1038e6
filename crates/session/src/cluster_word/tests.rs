//! What counts as the same word, and what a difference probably comes from.

use crate::cluster_word;
use crate::session::Session;
use crate::testing::session;
use berth_protocol::cluster_word::{BerthWord, ClusterWord, LikelyReason};

use super::Word;

fn agree(a: &str, b: &str) -> bool {
    Word::of(a).agrees(&Word::of(b))
}

#[test]
fn reasons_and_counts_decide_and_not_letters() {
    let now = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). no new claims to \
        deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
    let named = "0/3 nodes are available: 1 node(s) had untolerated taint {a: }, 1 node(s) had untolerated taint {b: c}, \
        1 Insufficient cpu.";
    let old = "0/3 nodes are available: 1 node(s) had taint {a: }, that the pod didn't tolerate, 1 node(s) had taint \
        {b: c}, that the pod didn't tolerate, 1 Insufficient cpu.";
    assert!(agree(now, named) && agree(named, old) && agree(old, now));
    assert!(
        !agree(named, &named.replace("{a: }", "{x: }")),
        "both name taints"
    );
    assert!(
        !agree(named, &named.replace("0/3", "0/4")),
        "another number of nodes"
    );
    assert!(!agree(
        now,
        &now.replace("1 Insufficient cpu", "1 Insufficient memory")
    ));
    let claim = "persistentvolumeclaim \"data\" not found";
    assert!(agree(
        claim,
        &format!("0/9 nodes are available: {claim}. preemption: none.")
    ));
}

/// A node with 1 CPU and a dumped Pod that asks for `cpu` and waits with a message.
fn dumped(cpu: &str, message: &str, spec: &str) -> Session {
    let mut session = session(&format!(
        "
apiVersion: v1
kind: Node
metadata: {{name: a, uid: a}}
status: {{allocatable: {{cpu: '1', memory: 8Gi, pods: '20'}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: web, uid: web}}
spec:
  containers: [{{name: main, image: 'main:1', resources: {{requests: {{cpu: '{cpu}'}}}}}}]
{spec}
status:
  phase: Pending
  conditions: [{{type: PodScheduled, status: 'False', reason: Unschedulable, message: \"{message}\"}}]
"
    ));
    session.run_to_end();
    session
}

fn word(session: &Session) -> ClusterWord {
    cluster_word::now(session).expect("the dump has a message")
}

#[test]
fn a_pod_that_waits_for_the_same_reason_agrees() {
    let session = dumped("2", "0/1 nodes are available: 1 Insufficient cpu.", "");
    assert_eq!((word(&session).same, word(&session).pods()), (1, 1));
}

#[test]
fn a_difference_has_both_texts_and_a_likely_reason() {
    let message = "0/2 nodes are available: 2 Insufficient cpu.";
    let older = word(&dumped("1", message, ""));
    let [other] = older.different.as_slice() else {
        panic!("{older:?}");
    };
    assert_eq!((&*other.pod, &*other.cluster), ("default/web", message));
    assert_eq!(other.berth, BerthWord::Node("a".to_owned()));
    assert_eq!(other.likely, LikelyReason::OlderMessage);

    let wording = word(&dumped(
        "2",
        "0/1 nodes are available: 1 too little cpu.",
        "",
    ));
    assert_eq!(wording.different[0].likely, LikelyReason::Wording);

    let selector = "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: \
        kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}, namespaceSelector: {matchLabels: {tier: prod}}}]}}";
    let rules = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.";
    let missing = word(&dumped("1", rules, selector));
    let kinds = LikelyReason::MissingKinds(vec!["Namespace".to_owned()]);
    assert_eq!(missing.different[0].likely, kinds);
}
