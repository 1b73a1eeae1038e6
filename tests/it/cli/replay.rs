//! `berth replay`.

use super::*;

#[test]
fn a_script_is_played_and_every_move_has_its_reason() {
    let out = "
     0.00 s  default/big: attempt 1: bound to node-1
     0.00 s  default/waits: attempt 1: 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod. → unschedulable
     2.50 s  update Node node-1
     2.50 s  default/waits stays: NodeUpdateNodeAllocatable does not help with NodeResourcesFit
     7.00 s  delete Pod default/big
     7.00 s  default/waits → active: AssignedPodDelete, which may help with NodeResourcesFit
     7.00 s  default/waits: attempt 2: bound to node-1
";
    check("replay life.yaml --no-controllers", 0, out, "");
}

#[test]
fn a_whole_cluster_is_played() {
    let out = "
     0.00 s  default/big: attempt 1: bound to node-1
     0.00 s  default/big is running
     0.00 s  default/big is ready
     0.00 s  default/waits: attempt 1: 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod. → unschedulable
     0.00 s  Node node-1: RegisteredNode: Node node-1 event: Registered Node node-1 in Controller
     2.50 s  update Node node-1
     2.50 s  default/waits stays: NodeUpdateNodeAllocatable does not help with NodeResourcesFit
     7.00 s  delete Pod default/big
    10.00 s  default/big is gone
    10.00 s  default/waits → active: AssignedPodDelete, which may help with NodeResourcesFit
    10.00 s  default/waits: attempt 2: bound to node-1
    10.00 s  default/waits is running
    10.00 s  default/waits is ready
";
    check("replay life.yaml", 0, out, "");
    let output = berth("replay rollout.yaml --kubernetes 1.34");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = [
        "ReplicaSet default/web-bb468fd8f: SuccessfulCreate: Created pod: web-bb468fd8f-",
        "20.00 s  setImage {\"name\":\"web\",\"image\":\"app:v2\"}",
        "40.00 s  undo {\"name\":\"web\"}",
    ];
    for line in lines {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_replay_comes_as_json() {
    let output = berth("replay life.yaml -o events --tie-break first --no-controllers");
    assert_eq!(output.status.code(), Some(0));
    let life = json(&output);
    assert_eq!(life["scenario"], "life");
    assert_eq!(life["featureGates"]["SchedulerPopFromBackoffQ"], true);
    assert_eq!(life["events"][0]["result"], "bound");
    let moved = &life["events"][4];
    assert_eq!(
        *moved,
        serde_json::json!({"t": 7, "move": "default/waits", "by": "AssignedPodDelete", "to": "active"})
    );
    assert_eq!(
        life["final"],
        serde_json::json!({"default/waits": "node-1"})
    );
    assert_eq!(life["queue"]["unschedulable"], serde_json::json!([]));
}

#[test]
fn a_wrong_script_is_not_played() {
    let err = "
bad-script.yaml:5:3: error: steps[0]: the step does not say when: `at` is missing (write `at: 5.5`: seconds since the beginning)
bad-script.yaml:5:3: error: steps[0].craete: unknown verb \"craete\" (did you mean \"create\"?)
bad-script.yaml:6:7: error: steps[1].at: must be a number of seconds from 0 to 1000000 (for example 5.5)
bad-script.yaml:9:7: error: steps[3].at: 4 s is earlier than the step before, at 9 s (write the steps in order of time)
bad-script.yaml:13:22: error: steps[3].create[0].metadata.name: Invalid value: \"P\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
";
    check("replay bad-script.yaml -o events", 2, "", err);
    let err = "shop.yaml:1:1: error: there is no Script in these files, so nothing happens (add a document `kind: Script` of `apiVersion: conformance/v1`)";
    check("replay shop.yaml", 2, "", err);
}

#[test]
fn a_rollout_is_played_second_by_second() {
    let output = berth("replay rollout.yaml --kubernetes 1.34 -o timeline");
    assert_eq!(output.status.code(), Some(0));
    let life = json(&output);
    assert_eq!(life["hashes"]["#1"], "bb468fd8f");
    let instants = life["timeline"].as_array().unwrap();
    let seconds: Vec<i64> = instants
        .iter()
        .map(|it| it["t"].as_i64().unwrap())
        .collect();
    assert_eq!(seconds, [0, 5, 20, 40, 42]);
    let undone = serde_json::json!(["scale ReplicaSet web-#2 1->0", "delete Pod web-#2-0001"]);
    assert_eq!(instants[3]["actions"], undone);
    assert_eq!(instants[4]["workloads"][0]["revision"], "3");
}

#[test]
fn a_rollout_with_a_wrong_script_is_not_played() {
    let err = "bad-script.yaml";
    let output = berth("replay bad-script.yaml -o timeline");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.lines().all(|line| line.starts_with(err)), "{text}");
}
