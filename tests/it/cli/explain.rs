//! `berth explain`.

use super::*;

#[test]
fn explain_tells_why_nothing_fits_yet() {
    check(
        "explain preemption.yaml --kubernetes 1.34 --pod urgent --attempt 1",
        0,
        r#"
No node can take urgent. Evicting lower-priority Pods would free 2 nodes. node-2
is nominated; batch must go.

Pod        default/urgent
Attempt    1 of 2 in the run, in round 1; 1 of 2 of this Pod, not its last
Profile    default-scheduler, priority 1000
Outcome    fits nowhere; preempts default/batch and is nominated to node-2
Message    0/2 nodes are available: 2 Insufficient cpu.

Filter
  NODE    NU  NN  TT  NA  NP  NRF  VR  NVL  VB  VZ  PTS  IPA  DR
  node-1  ✓   ✓   ✓   ·   ·   ✗    ·   ·    ·   ·   ·    ·    ·
  node-2  ✓   ✓   ✓   ·   ·   ✗    ·   ·    ·   ·   ·    ·    ·
  ✓ passes   ✗ rejects   · skipped
  NU NodeUnschedulable, NN NodeName, TT TaintToleration, NA NodeAffinity,
  NP NodePorts, NRF NodeResourcesFit, VR VolumeRestrictions,
  NVL NodeVolumeLimits, VB VolumeBinding, VZ VolumeZone, PTS PodTopologySpread,
  IPA InterPodAffinity, DR DynamicResources

Reasons
  NodeResourcesFit rejects 2 nodes: Insufficient cpu
    node-1  cpu: 2000m used + 3000m requested = 5000m > 4000m allocatable
    node-2  cpu: 3000m used + 3000m requested = 6000m > 4000m allocatable
    Pod spec.containers[0].resources.requests[cpu]
    Node status.allocatable[cpu]

Preemption
  CANDIDATE   PDB VIOLATIONS   VICTIMS
  node-1                   1   default/db
  node-2                   0   default/batch   ← nominated
  decided by: Fewest PDB violations

Fixes (any one of them is enough)
  CHANGE                                         THEN                  FEASIBLE
  Add a node like node-1 (4 CPU, 8 GiB memory)   bound to node-new-1   1 node
  Lower the cpu request from 3 to 2 CPU          bound to node-1       1 node
  Delete Pod default/batch from node-2           bound to node-2       1 node
  Delete Pod default/db from node-1              bound to node-1       1 node

As commands
  # Delete Pod default/batch from node-2
  kubectl delete pod batch -n default
  # Delete Pod default/db from node-1
  kubectl delete pod db -n default
"#,
        "",
    );
}

#[test]
fn explain_tells_scores() {
    check(
        "explain shop.yaml --kubernetes 1.34 --pod shop/web-1",
        0,
        r#"
shop/web-1 goes to worker-1: of the 2 nodes that can take it, worker-1 scores
highest with 622.

Pod        shop/web-1
Attempt    2 of 3 in the run, in round 1; the only one of this Pod
Profile    default-scheduler, priority 0
Outcome    bound to worker-1

Filter
  NODE           NU  NN  TT  NA  NP  NRF  VR  NVL  VB  VZ  PTS  IPA  DR
  control-plane  ✓   ✓   ✗   ·   ·   ✓    ·   ·    ·   ·   ·    ·    ·
  worker-1       ✓   ✓   ✓   ·   ·   ✓    ·   ·    ·   ·   ·    ·    ·
  worker-2       ✓   ✓   ✓   ·   ·   ✓    ·   ·    ·   ·   ·    ·    ·
  ✓ passes   ✗ rejects   · skipped
  NU NodeUnschedulable, NN NodeName, TT TaintToleration, NA NodeAffinity,
  NP NodePorts, NRF NodeResourcesFit, VR VolumeRestrictions,
  NVL NodeVolumeLimits, VB VolumeBinding, VZ VolumeZone, PTS PodTopologySpread,
  IPA InterPodAffinity, DR DynamicResources

Reasons
  TaintToleration rejects 1 node: node(s) had untolerated taint
    {node-role.kubernetes.io/control-plane: }
    control-plane
      taint node-role.kubernetes.io/control-plane:NoSchedule is not tolerated
    Pod spec.tolerations
    Node spec.taints[0]

Score
  raw → normalized × weight = weighted
  PLUGIN                                       worker-1              worker-2
  TaintToleration                     0 → 100 × 3 = 300     0 → 100 × 3 = 300
  NodeResourcesFit                   47 →  47 × 1 =  47    75 →  75 × 1 =  75
  PodTopologySpread                   2 → 100 × 2 = 200     3 →  66 × 2 = 132
  NodeResourcesBalancedAllocation    75 →  75 × 1 =  75   100 → 100 × 1 = 100
  ImageLocality                       0 →   0 × 1 =   0     0 →   0 × 1 =   0
  TOTAL                                             622                   607
  Skipped by PreScore, as they would score every node the same:
  InterPodAffinity, NodeAffinity and VolumeBinding.
"#,
        "",
    );
}

#[test]
fn explain_tells_all_about_one_node() {
    check(
        "explain shop.yaml --kubernetes 1.34 --pod shop/web-1 --node control-plane",
        0,
        r#"
shop/web-1 goes to worker-1: of the 2 nodes that can take it, worker-1 scores
highest with 622.

Pod        shop/web-1
Attempt    2 of 3 in the run, in round 1; the only one of this Pod
Profile    default-scheduler, priority 0
Outcome    bound to worker-1
Node       control-plane: rejected by TaintToleration; preemption cannot help

Filter
  ✓ NodeUnschedulable
  ✓ NodeName
  ✗ TaintToleration
      node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }
      taint node-role.kubernetes.io/control-plane:NoSchedule is not tolerated
      Pod spec.tolerations
      Node spec.taints[0]
  · NodeAffinity         nothing to check for this Pod
  · NodePorts            nothing to check for this Pod
  ✓ NodeResourcesFit
      cpu: 0m used + 500m requested = 500m ≤ 4000m allocatable
      memory: 0 used + 1Gi requested = 1Gi ≤ 8Gi allocatable
      Pod spec.containers[0].resources.requests[cpu]
      Pod spec.containers[0].resources.requests[memory]
      Node status.allocatable[cpu]
      Node status.allocatable[memory]
  · VolumeRestrictions   nothing to check for this Pod
  · NodeVolumeLimits     nothing to check for this Pod
  · VolumeBinding        nothing to check for this Pod
  · VolumeZone           nothing to check for this Pod
  · PodTopologySpread    nothing to check for this Pod
  · InterPodAffinity     nothing to check for this Pod
  · DynamicResources     nothing to check for this Pod
"#,
        "",
    );
}

#[test]
fn explain_knows_the_pods_that_were_not_attempted() {
    check(
        "explain shop.yaml --kubernetes 1.34 --pod gated",
        0,
        r#"
default/gated was not attempted: waiting for scheduling gates: [example.com/quota]
Remove the scheduling gate example.com/quota from Pod gated; it would go to worker-1
"#,
        "",
    );
}

#[test]
fn explain_suggests_pods() {
    check(
        "explain shop.yaml --kubernetes 1.34 --pod web-1",
        2,
        "",
        r#"
error: no Pod default/web-1; did you mean shop/web-1?
"#,
    );
}

#[test]
fn explain_needs_a_node_that_exists() {
    check(
        "explain shop.yaml --kubernetes 1.34 --pod big --node nope",
        2,
        "",
        r#"
error: no node nope
"#,
    );
}

#[test]
fn explain_counts_attempts() {
    check(
        "explain preemption.yaml --kubernetes 1.34 --pod urgent --attempt 3",
        2,
        "",
        r#"
error: default/urgent was attempted 2 times
"#,
    );
}

#[test]
fn explain_speaks_the_language_that_is_asked_for() {
    let stdout = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let output = berth("explain shop.yaml --kubernetes 1.34 --pod shop/web-1 --lang zh-CN");
    let printed = stdout(&output);
    assert!(printed.contains("✓ 通过   ✗ 拒绝   · 已跳过"), "{printed}");
    assert!(
        printed.contains("TaintToleration 拒绝 1 个节点：node(s) had"),
        "{printed}"
    );
    let json = |language: &str| {
        let line = format!(
            "explain shop.yaml --kubernetes 1.34 --pod shop/web-1 -o json --lang {language}"
        );
        stdout(&berth(&line))
    };
    assert_eq!(json("zh-CN"), json("en"), "data has no language");
}

#[test]
fn explain_json_is_the_cycle_and_what_is_told_of_it() {
    let output =
        berth("explain preemption.yaml --kubernetes 1.34 --pod urgent --attempt 1 -o json");
    assert_eq!(output.status.code(), Some(0));
    let cycle = json(&output);
    assert_eq!(cycle["pod"], "default/urgent");
    assert_eq!(cycle["preemption"]["nominated"], "node-2");
    let report = &cycle["report"];
    assert_eq!(report["plugins"][5], "NodeResourcesFit");
    assert_eq!(report["nodes"][0]["node"], "node-1");
    assert_eq!(report["nodes"][0]["judgements"][5], "rejects");
    assert_eq!(report["nodes"][0]["why"], "cpu short by 1000m");
    let last = json(&berth(
        "explain preemption.yaml --kubernetes 1.34 --pod default/urgent -o json",
    ));
    assert_eq!(
        (&last["selected"], &last["round"]),
        (&"node-2".into(), &1.into())
    );
}
