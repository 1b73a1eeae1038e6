mod differs;
mod planted;

use std::collections::BTreeSet;

use berth_core::api::source::SourceFile;

use super::{Reduced, Reduction};
use crate::case;
use crate::session::Session;
use crate::testing::session;

/// The smallest case of a Pod's last attempt.
#[track_caller]
fn reduced(text: &str, pod: &str) -> Reduced {
    let mut session = session(text);
    session.run_to_end();
    let reduced = reduce(&session, pod).unwrap_or_else(|why| panic!("{pod}: {why}\n{text}"));
    let problems = case::test(
        &SourceFile::new("case.yaml", reduced.shown.text.as_str()),
        &[1, 2],
    );
    assert_eq!(problems, [], "{}", reduced.shown.text);
    reduced
}

fn reduce(session: &Session, pod: &str) -> Result<Reduced, String> {
    let position = session.attempt_of(pod).ok_or("no attempt")?;
    let mut reduction = Reduction::begin(session, position).map_err(|why| why.to_string())?;
    while reduction.advance(100) {}
    reduction.finish(None, None).map_err(|why| why.to_string())
}

const FULL: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: ip-10-1-0-1, labels: {corp.example.org/pool: payments, kubernetes.io/os: linux}},
  status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}
---
{apiVersion: v1, kind: Node, metadata: {name: ip-10-1-0-2, labels: {corp.example.org/pool: payments}},
  status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}
---
{apiVersion: v1, kind: Node, metadata: {name: ip-10-1-0-3}, spec: {taints: [{key: corp.example.org/team, value: ml, effect: NoSchedule}]},
  status: {allocatable: {cpu: 8, memory: 64Gi, pods: 110}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: ledger-0, namespace: vault, labels: {app: ledger}},
  spec: {nodeName: ip-10-1-0-1, containers: [{name: main, image: registry.corp.example.org/ledger, resources: {requests: {cpu: 1500m, memory: 4Gi}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: ledger-1, namespace: vault, labels: {app: ledger}},
  spec: {nodeName: ip-10-1-0-1, containers: [{name: main, image: registry.corp.example.org/ledger, resources: {requests: {cpu: 1500m, memory: 4Gi}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: ledger-2, namespace: vault, labels: {app: ledger}},
  spec: {nodeName: ip-10-1-0-2, containers: [{name: main, image: registry.corp.example.org/ledger, resources: {requests: {cpu: 3500m, memory: 4Gi}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: charge-0, namespace: vault, labels: {app: charge}},
  spec: {containers: [{name: main, image: registry.corp.example.org/charge, env: [{name: TOKEN, value: hunter2}],
    resources: {requests: {cpu: 2, memory: 1Gi}}}, {name: proxy, image: registry.corp.example.org/proxy}]}}
";

#[test]
fn the_nearest_node_of_each_reason_stays_with_its_sum() {
    let reduced = reduced(FULL, "vault/charge-0");
    assert_eq!(
        (reduced.shown.to.nodes, reduced.shown.to.pods),
        (2, 2),
        "{}",
        reduced.shown.text
    );
    let text = &reduced.shown.text;
    // The node where 1 CPU is free is nearer than the one where 500m are.
    for kept in [
        "cpu: '3'",
        "free: '1'",
        "requested: '2'",
        "NoSchedule",
        "counterfactual",
    ] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    for gone in ["memory", "proxy", "labels", "env", "os: linux"] {
        assert!(!text.contains(gone), "{gone}\n{text}");
    }
    assert!(reduced.shown.lacks.is_empty(), "{:?}", reduced.shown.lacks);
}

#[test]
fn nothing_private_is_left() {
    let text = reduced(FULL, "vault/charge-0").shown.text;
    for private in [
        "10-1-0", "corp", "payments", "ml", "ledger", "vault", "charge", "registry", "hunter2",
        "TOKEN", "main",
    ] {
        let is_word = |word: &str| word == private || word.contains(&format!("{private}-"));
        let words: BTreeSet<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .collect();
        assert!(!words.into_iter().any(is_word), "{private}\n{text}");
    }
}

#[test]
fn a_stopped_reduction_says_so_and_keeps_what_it_has() {
    let mut session = session(FULL);
    session.run_to_end();
    let position = session.attempt_of("vault/charge-0").unwrap();
    let mut reduction = Reduction::begin(&session, position).unwrap();
    while reduction.progress().to.is_none() {
        reduction.advance(1);
    }
    reduction.advance(3);
    reduction.stop();
    while reduction.advance(1) {}
    let reduced = reduction.finish(None, None).unwrap();
    assert!(
        reduced
            .shown
            .lacks
            .iter()
            .any(|it| it.to_string().contains("stopped"))
    );
    let file = SourceFile::new("case.yaml", reduced.shown.text.as_str());
    assert_eq!(case::test(&file, &[1]), []);
}

#[test]
fn a_pod_that_lands_keeps_the_second_best_node_and_what_decides() {
    let text = "\
{apiVersion: v1, kind: Node, metadata: {name: corp-1}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: corp-2, labels: {disk: ssd}}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: corp-3}, spec: {unschedulable: true}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: busy}, spec: {nodeName: corp-2, containers: [{name: c, image: i,
  resources: {requests: {cpu: 3, memory: 1Gi}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: target, labels: {app: x}}, spec: {containers: [{name: c, image: i,
  resources: {requests: {cpu: 500m, memory: 100Mi}}}]}}
";
    let reduced = reduced(text, "default/target");
    let claim = &reduced.case.claim;
    assert_eq!(
        claim.node.as_deref(),
        Some("general-a"),
        "{}",
        reduced.shown.text
    );
    assert_eq!(claim.over.as_deref(), Some("general-b"));
    assert!(claim.by.is_some() && reduced.case.counterfactual.is_none());
    assert_eq!(reduced.shown.to.nodes, 2, "{}", reduced.shown.text);
    assert_eq!(reduced.shown.attempt.cycle.message, None);
}

#[test]
fn domains_lose_as_many_pods_as_the_least_has() {
    let mut text = String::new();
    for (node, pods) in [("a", 5), ("b", 3)] {
        text.push_str(&format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: corp-{node}, labels: {{zone: corp-{node}}}}}\n\
             status: {{allocatable: {{cpu: {}, pods: 99}}}}\n---\n",
            if node == "a" { 99 } else { 1 }
        ));
        for pod in 0..pods {
            text.push_str(&format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: {node}-{pod}, labels: {{app: x}}}}, \
                 spec: {{nodeName: corp-{node}, containers: [{{name: c, image: i}}]}}}}\n---\n"
            ));
        }
    }
    text.push_str(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: target, labels: {app: x}}\nspec:\n  \
         containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]\n  topologySpreadConstraints: [{maxSkew: 1, \
         topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]\n",
    );
    let reduced = reduced(&text, "default/target");
    assert_eq!(reduced.shown.to.nodes, 2, "{}", reduced.shown.text);
    assert_eq!(reduced.shown.to.pods, 3, "{}", reduced.shown.text);
    let sum = "count: 3, minimum: 0, maxSkew: 1";
    assert!(reduced.shown.text.contains(sum), "{}", reduced.shown.text);
}
