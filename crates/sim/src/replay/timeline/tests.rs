pub(crate) mod fixture;
mod random;

use berth_core::api::load::load;
use berth_core::api::problem::Severity;
use berth_core::api::script::{self, Verbs};
use berth_core::api::source::SourceFile;
use fixture::{attempt, life, workload};

const SCRIPT: &str = "kubelet: {readyAfter: 2, graceSeconds: 2}\n";

fn web(spec: &str) -> String {
    workload("Deployment", "web", spec)
}

/// `line:column path: message` of the problems of a script.
fn wrong(script: &str) -> Vec<String> {
    let (record, problems) = attempt(&web("replicas: 1"), script);
    assert!(record.is_none(), "{script}");
    problems
        .iter()
        .map(|it| format!("{}:{} {}: {}", it.line, it.column, it.path, it.message))
        .collect()
}

#[test]
fn errors_of_a_script_have_positions() {
    let found = wrong("kubelet: {readyAfter: soon}\nuntil: 10");
    let message = "kubelet.readyAfter: must be a number of seconds or \"never\"";
    assert_eq!(found, [format!("14:23 {message}")]);
    let found = wrong("steps:\n- {at: 5, pause: {name: a}, resume: {name: a}}\nuntil: 10");
    assert_eq!(
        found,
        ["15:3 steps[0]: a step does one of these: pause, resume"]
    );
    let found = wrong("kubelet: {outcomes: [run, \"fail:x\"]}\nuntil: 1");
    assert_eq!(
        found,
        ["14:27 kubelet.outcomes[1]: unknown outcome \"fail:x\""]
    );
    let found = wrong("steps:\n- {at: -1, pause: {name: web}}\nuntil: 1");
    assert!(
        found[0].starts_with("15:8 steps[0].at: must be a number"),
        "{found:?}"
    );
    assert!(wrong("until: [1]")[0].starts_with("14:8 until: "));
}

#[test]
fn a_failed_step_is_reported_with_its_reason() {
    let found = wrong("steps:\n- {at: 5, scale: {name: other, replicas: 3}}\nuntil: 10");
    assert_eq!(found, ["15:3 steps[0]: Deployment \"other\" not found"]);
    let found = wrong("steps:\n- {at: 5, deletePod: {selector: {app: web}, index: 7}}\nuntil: 10");
    let message = "the selector selects 1 Pods; there is none at this index";
    assert_eq!(found, [format!("15:3 steps[0]: {message}")]);
    let patch = "patch: {name: web, patch: {spec: {replicas: many}}}";
    let found = wrong(&format!("steps:\n- {{at: 5, {patch}}}\nuntil: 10"));
    assert!(found[0].contains("spec.replicas"), "{found:?}");
}

#[test]
fn files_without_a_script_or_with_two_are_refused() {
    let (_, problems) = attempt("apiVersion: conformance/v1\nkind: Script", "until: 1");
    assert!(
        problems[0].message.to_string().contains("only one"),
        "{problems:?}"
    );
    let file = SourceFile::new("a.yaml", "kind: Node\napiVersion: v1\n");
    let problems = script::find(&load(&[file]), Verbs::Operations).expect_err("no script");
    assert!(
        problems[0].message.to_string().contains("no Script"),
        "{problems:?}"
    );
}

#[test]
fn unknown_fields_cause_warnings() {
    let (record, problems) = attempt(&web("replicas: 1"), "untill: 10\nuntil: 5");
    assert!(record.is_some());
    assert_eq!(
        (problems.len(), problems[0].severity),
        (1, Severity::Warning)
    );
}

#[test]
fn a_second_apply_removes_the_fields_that_it_lacks() {
    let limited = web("replicas: 3, revisionHistoryLimit: 2, minReadySeconds: 30");
    let again = web("replicas: 4").replace('\n', ", ");
    let script = format!("{SCRIPT}steps:\n- {{at: 10, apply: {{{again}}}}}\nuntil: 20");
    let life = life(&limited, &script);
    assert_eq!(life.status(9, "web", "availableReplicas"), 0);
    assert_eq!(life.status(12, "web", "availableReplicas"), 4);
}

#[test]
fn deleting_an_object_deletes_all_that_it_controls() {
    let script = format!("{SCRIPT}steps:\n- {{at: 10, delete: {{name: web}}}}\nuntil: 20");
    let life = life(&web("replicas: 2"), &script);
    let deleted = [
        "delete Deployment web",
        "delete ReplicaSet web-#1",
        "delete Pod web-#1-0001",
        "delete Pod web-#1-0002",
    ];
    assert_eq!(life.actions(10), deleted);
    assert_eq!(life.seconds(), [0, 2, 10]);
}

#[test]
fn lost_nodes_take_their_pods_along_and_cordoned_ones_get_none() {
    let steps = "steps:\n- {at: 5, patch: {kind: Node, name: n3, patch: {spec: {unschedulable: true}}}}\n- {at: 10, removeNode: {name: n1}}\n- {at: 20, labelNode: {name: n2, labels: {a: b}}}\n- {at: 30, taintNode: {name: n2, taints: [{key: k, effect: NoSchedule}]}}\n- {at: 30, deletePod: {selector: {app: rs}, index: 0}}\n- {at: 40, addNode: {name: n4, labels: {a: b}}}\nuntil: 60";
    let set = workload("ReplicaSet", "rs", "replicas: 3");
    let life = life(&set, &format!("{SCRIPT}{steps}"));
    assert_eq!(life.actions(10), ["delete Node n1", "create Pod rs-0004"]);
    assert_eq!(life.at(10, "rs")["pods"][2]["node"], "n2");
    // A replacement waits for a node, and is bound to the new one.
    assert_eq!(life.at(32, "rs")["pods"][2]["phase"], "Pending");
    assert_eq!(life.at(40, "rs")["pods"][2]["node"], "n4");
}

#[test]
fn rules_for_pods_come_before_those_for_images() {
    let kubelet = "kubelet: {readyAfter: never, images: {\"app:v1\": {readyAfter: 5}}, pods: {rs-0002: {runSeconds: 7, outcomes: [succeed]}}}";
    let set = workload("ReplicaSet", "rs", "replicas: 2");
    let life = life(&set, &format!("{kubelet}\nuntil: 8"));
    assert_eq!(life.status(5, "rs", "readyReplicas"), 2);
    assert_eq!(life.at(7, "rs")["pods"][1]["phase"], "Succeeded");
    assert_eq!(life.actions(7), ["create Pod rs-0003"]);
}

#[test]
fn a_pod_without_grace_is_gone_at_once() {
    let steps = "steps:\n- {at: 5, scale: {kind: ReplicaSet, name: rs, replicas: 0}}\nuntil: 8";
    let set = workload("ReplicaSet", "rs", "replicas: 1");
    let life = life(&set, &format!("kubelet: {{graceSeconds: 0}}\n{steps}"));
    assert_eq!(life.pods(5, "rs"), [""; 0]);
    assert_eq!(life.seconds(), [0, 5]);
}

#[test]
fn containers_decide_the_fate_of_pods_if_the_script_asks() {
    let script = "kubelet: {byContainers: true, images: {\"app:v1\": {readyAfter: 9}}}\nuntil: 30";
    let both = format!(
        "{}\n---\n{}",
        fixture::job("completions: 1"),
        web("replicas: 1")
    );
    let life = life(&both, script);
    // One second of setup, then five seconds of work, the default for an unknown image.
    assert_eq!(life.status(5, "job", "succeeded"), 0);
    assert_eq!(life.status(8, "job", "succeeded"), 1);
    // The rule of the image still applies.
    assert_eq!(life.status(8, "web", "readyReplicas"), 0);
    assert_eq!(life.status(9, "web", "readyReplicas"), 1);
}
