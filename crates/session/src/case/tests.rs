use berth_core::api::source::SourceFile;

use super::test;

const CASE: &str = "\
apiVersion: berth.dev/v1alpha1
kind: Scenario
claim:
  pod: web
  waits: true
  reasons:
  - {plugin: NodeResourcesFit, reason: Insufficient cpu, count: 1, sums: [{node: full, of: cpu, requested: '1', free: 500m}]}
  - {plugin: TaintToleration, reason: 'node(s) had untolerated taint(s)', count: 1, sums: [{node: kept, of: 'team=a:NoSchedule'}]}
counterfactual:
  edits: [{remove: {object: {kind: Node, namespace: '', name: kept}, path: [spec, taints, 0]}}]
  node: kept
---
{apiVersion: v1, kind: Node, metadata: {name: full}, status: {allocatable: {cpu: 500m, pods: 9}}}
---
apiVersion: v1
kind: Node
metadata: {name: kept}
spec: {taints: [{key: team, value: a, effect: NoSchedule}]}
status: {allocatable: {cpu: 4, pods: 9}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
";

/// What does not hold, by path.
fn broken(text: &str) -> Vec<(String, String)> {
    let problems = test(&SourceFile::new("case.yaml", text), &[1, 2]);
    let errors = problems.into_iter().filter(|problem| problem.is_error());
    errors.map(|it| (it.path, it.message.to_string())).collect()
}

#[track_caller]
fn breaks(from: &str, to: &str, path: &str, message: &str) {
    assert!(CASE.contains(from), "{from}");
    let found = broken(&CASE.replacen(from, to, 1));
    let is_there = |(at, said): &(String, String)| at == path && said.contains(message);
    assert!(found.iter().any(is_there), "{found:?}");
}

#[test]
fn a_case_holds() {
    assert_eq!(broken(CASE), []);
    assert_eq!(broken(&CASE.replace("free: 500m", "free: 0.5")), []);
}

#[test]
fn a_claim_that_slips_is_found() {
    breaks("waits: true", "node: full", "claim", "Pending");
    breaks("pod: web", "pod: shop/web", "claim.pod", "never tried");
    let sum = "claim.reasons[0].sums[0].free";
    breaks(
        "cpu: 500m, pods",
        "cpu: 250m, pods",
        sum,
        "claimed 500m, found 250m",
    );
    let count = "claim.reasons[0].count";
    breaks("count: 1", "count: 2", count, "claimed 2, found 1");
    breaks(
        "effect: NoSchedule",
        "effect: NoExecute",
        "claim.reasons[1].sums[0]",
        "team=a:NoSchedule",
    );
    breaks(
        "Insufficient cpu",
        "Insufficient memory",
        "claim.reasons",
        "Insufficient cpu",
    );
}

#[test]
fn a_counterfactual_that_is_made_up_is_found() {
    let path = "counterfactual.edits";
    breaks("cpu: 4", "cpu: 900m", path, "still waits");
    breaks(
        "name: kept}, path",
        "name: gone}, path",
        path,
        "cannot be made",
    );
    breaks(
        "\n  node: kept",
        "\n  node: full",
        "counterfactual.node",
        "lands on kept",
    );
}

#[test]
fn other_files_are_no_cases() {
    let node = CASE.split("---").nth(1).unwrap();
    assert_eq!(broken(node)[0].1.split(':').next(), Some("not a case"));
    breaks("v1alpha1", "v1beta1", "apiVersion", "no matches for kind");
}
