//! The `berth` command as a user runs it: what it prints, and its exit status.

mod ci;
mod docs;
mod explain;
mod export;
mod files;
mod findings;
mod live;
mod replay;
mod sweep;
mod verify;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::conformance::corpus;

/// Runs a command line in the folder of the fixtures.
fn berth(line: &str) -> Output {
    with_input(line, "")
}

fn with_input(line: &str, input: &str) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli");
    let mut child = Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that exits early does not read all of its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Runs a command line and compares everything that it prints.
#[track_caller]
fn check(line: &str, status: i32, stdout: &str, stderr: &str) {
    let output = berth(line);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(
        out.trim_end(),
        stdout.trim_matches('\n'),
        "stdout of {line}\n{out}"
    );
    assert_eq!(
        err.trim_end(),
        stderr.trim_matches('\n'),
        "stderr of {line}\n{err}"
    );
    assert_eq!(output.status.code(), Some(status), "status of {line}");
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn owners_that_a_dump_lacks_are_listed() {
    check(
        "check ../../../www/scenarios/dump.yaml",
        0,
        "",
        "inferred from their Pods, as the files lack them: ReplicaSet data/import-5f8c9bd7dd (1), \
         ReplicaSet shop/cart-6c9f7d9b8c (4), ReplicaSet shop/search-7b5d46c4f9 (6)",
    );
}

#[test]
fn kubectl_lists_inferred_owners_once_on_stderr() {
    check(
        "kubectl --on ../../../www/scenarios/dump.yaml get node worker-1 -o name",
        0,
        "node/worker-1",
        "inferred from their Pods, as the files lack them: ReplicaSet data/import-5f8c9bd7dd (1), \
         ReplicaSet shop/cart-6c9f7d9b8c (4), ReplicaSet shop/search-7b5d46c4f9 (6)",
    );
}

#[test]
fn what_the_cluster_of_a_dump_said_is_compared() {
    let dump = "../../../www/scenarios/dump.yaml";
    let printed = |line: &str| String::from_utf8(berth(line).stdout).unwrap();
    let table = printed(&format!("schedule {dump}"));
    let same = "2 of 2 waiting Pods: Berth says what the cluster said.";
    assert!(table.contains(same), "{table}");
    assert_eq!(
        json(&berth(&format!("schedule {dump} -o json")))["clusterWord"]["same"],
        2
    );
    let pod = "shop/cart-6c9f7d9b8c-pl8rm";
    let explained = printed(&format!("explain {dump} --pod {pod}"));
    assert!(
        explained.contains("The cluster said the same."),
        "{explained}"
    );
    let explained = json(&berth(&format!("explain {dump} --pod {pod} -o json")));
    assert_eq!(
        (&explained["pod"], &explained["clusterWord"]["same"]),
        (&pod.into(), &1.into())
    );
}

#[test]
fn placements_are_listed_as_kubectl_does() {
    check(
        "schedule shop.yaml",
        1,
        r#"
NAMESPACE   NAME      STATUS            NODE       NOMINATED NODE
default     big       Scheduled         worker-2   <none>
default     gated     SchedulingGated   <none>     <none>
default     running   Running           worker-1   <none>
shop        web-0     Scheduled         worker-2   <none>
shop        web-1     Scheduled         worker-1   <none>

default/gated
  SchedulingGated: waiting for scheduling gates: [example.com/quota]

5 Pods: 3 scheduled, 1 running before, 1 gated. (3 nodes, 3 attempts in 1 round)
"#,
        "",
    );
}

#[test]
fn wide_tells_requests_scores_and_owners() {
    check(
        "schedule shop.yaml --kubernetes 1.34 -o wide",
        1,
        r#"
NAMESPACE   NAME      STATUS            NODE       NOMINATED NODE   PRIORITY   CPU     MEMORY   SCORE    CONTROLLED BY
default     big       Scheduled         worker-2   <none>           0          3500m   0        <none>   <none>
default     gated     SchedulingGated   <none>     <none>           0          0       0        <none>   <none>
default     running   Running           worker-1   <none>           0          1       0        <none>   <none>
shop        web-0     Scheduled         worker-2   <none>           0          500m    1Gi      687      StatefulSet/web
shop        web-1     Scheduled         worker-1   <none>           0          500m    1Gi      622      StatefulSet/web

default/gated
  SchedulingGated: waiting for scheduling gates: [example.com/quota]

5 Pods: 3 scheduled, 1 running before, 1 gated. (3 nodes, 3 attempts in 1 round)
"#,
        "",
    );
}

#[test]
fn preempted_pods_are_named() {
    check(
        "schedule preemption.yaml",
        0,
        r#"
NAME     STATUS      NODE     NOMINATED NODE
db       Running     node-1   <none>
urgent   Scheduled   node-2   <none>

PREEMPTED   NODE     BY
batch       node-2   urgent

2 Pods: 1 scheduled, 1 running before, 1 preempted. (2 nodes, 2 attempts in 1 round)
"#,
        "",
    );
}

#[test]
fn good_documents_are_scheduled_beside_bad_ones() {
    check(
        "schedule broken.yaml",
        2,
        r#"
NAME   STATUS      NODE     NOMINATED NODE
good   Scheduled   node-1   <none>

1 Pod: 1 scheduled. (1 node, 1 attempt in 1 round)
"#,
        r#"
broken.yaml:16:5: warning: spec.containers[0].imagePullPolice: unknown field "spec.containers[0].imagePullPolice" (did you mean "imagePullPolicy"?)
broken.yaml:26:33: error: spec.containers[0].resources.requests[cpu]: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (write a number with an optional unit, e.g. 500m, 2, 1.5Gi)
"#,
    );
}

#[test]
fn without_controllers_only_pods_count() {
    check(
        "schedule shop.yaml --no-controllers",
        1,
        r#"
NAME      STATUS            NODE       NOMINATED NODE
big       Scheduled         worker-2   <none>
gated     SchedulingGated   <none>     <none>
running   Running           worker-1   <none>

gated
  SchedulingGated: waiting for scheduling gates: [example.com/quota]

3 Pods: 1 scheduled, 1 running before, 1 gated. (3 nodes, 1 attempt in 1 round)
"#,
        "",
    );
}

#[test]
fn a_configuration_can_be_replaced() {
    check(
        "schedule shop.yaml most-allocated.yaml --config most-allocated.yaml",
        1,
        r#"
NAMESPACE   NAME      STATUS            NODE       NOMINATED NODE
default     big       Scheduled         worker-2   <none>
default     gated     SchedulingGated   <none>     <none>
default     running   Running           worker-1   <none>
shop        web-0     Scheduled         worker-1   <none>
shop        web-1     Scheduled         worker-2   <none>

default/gated
  SchedulingGated: waiting for scheduling gates: [example.com/quota]

5 Pods: 3 scheduled, 1 running before, 1 gated. (3 nodes, 3 attempts in 1 round)
"#,
        "",
    );
}

#[test]
fn a_configuration_must_be_one() {
    check(
        "schedule shop.yaml --config preemption.yaml",
        2,
        "",
        r#"
preemption.yaml:1:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
preemption.yaml:7:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
preemption.yaml:14:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
preemption.yaml:21:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
preemption.yaml:29:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
preemption.yaml:41:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
preemption.yaml:52:1: error: only a KubeSchedulerConfiguration belongs here (pass it among the manifests instead)
"#,
    );
}

#[test]
fn a_missing_file_is_named() {
    check(
        "schedule missing.yaml shop.yaml",
        2,
        "",
        r#"
error: missing.yaml: no such file or folder
"#,
    );
}

#[test]
fn check_prints_only_problems() {
    check(
        "check broken.yaml shop.yaml",
        2,
        r#"
broken.yaml:16:5: warning: spec.containers[0].imagePullPolice: unknown field "spec.containers[0].imagePullPolice" (did you mean "imagePullPolicy"?)
broken.yaml:26:33: error: spec.containers[0].resources.requests[cpu]: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (write a number with an optional unit, e.g. 500m, 2, 1.5Gi)
"#,
        "",
    );
}

#[test]
fn a_release_and_its_gates_are_checked_as_kube_scheduler_does() {
    check(
        "check shop.yaml --kubernetes 1.36 --feature-gates ImageVolume=false,NodeDeclaredFeature=true",
        2,
        "--feature-gates: error: cannot set feature gate ImageVolume to false, feature is locked to true (leave it out)\n\
         --feature-gates: error: unrecognized feature gate: NodeDeclaredFeature (did you mean NodeDeclaredFeatures?)",
        "",
    );
    let output = berth("check shop.yaml --kubernetes 1.37");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let wanted = "Kubernetes 1.37 is not simulated: use one of 1.34, 1.35, 1.36";
    assert!(stderr.contains(wanted), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn check_prints_json() {
    check(
        "check broken.yaml -o json",
        2,
        r#"
[
  {
    "severity": "warning",
    "file": "broken.yaml",
    "line": 16,
    "column": 5,
    "path": "spec.containers[0].imagePullPolice",
    "message": "unknown field \"spec.containers[0].imagePullPolice\"",
    "help": "did you mean \"imagePullPolicy\"?"
  },
  {
    "severity": "error",
    "file": "broken.yaml",
    "line": 26,
    "column": 33,
    "path": "spec.containers[0].resources.requests[cpu]",
    "message": "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    "help": "write a number with an optional unit, e.g. 500m, 2, 1.5Gi"
  }
]
"#,
        "",
    );
}

#[test]
fn warnings_do_not_count() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}], nodeNam: x}}\n";
    let output = with_input("check -", pod);
    let expected = "-:1:92: warning: spec.nodeNam: unknown field \"spec.nodeNam\" (did you mean \"nodeName\"?)\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_is_a_list_of_pods() {
    let output = berth("schedule shop.yaml -o json");
    assert_eq!(output.status.code(), Some(1));
    let list = json(&output);
    assert_eq!(
        (&list["kind"], &list["apiVersion"]),
        (&"List".into(), &"v1".into())
    );
    let items = list["items"].as_array().unwrap();
    let nodes: Vec<_> = items
        .iter()
        .map(|pod| {
            (
                pod["metadata"]["name"].as_str().unwrap(),
                pod["spec"]["nodeName"].as_str(),
            )
        })
        .collect();
    let expected = [
        ("web-0", Some("worker-2")),
        ("web-1", Some("worker-1")),
        ("big", Some("worker-2")),
        ("gated", None),
        ("running", Some("worker-1")),
    ];
    assert_eq!(nodes, expected);
}

#[test]
fn yaml_can_be_scheduled_again_and_nothing_moves() {
    let first = berth("schedule shop.yaml -o yaml");
    assert_eq!(first.status.code(), Some(1));
    let again = with_input(
        "schedule - -o json",
        &String::from_utf8(first.stdout).unwrap(),
    );
    let nodes = |output: &Output| {
        let list = json(output);
        let items = list["items"].as_array().unwrap();
        let mut nodes: Vec<String> = items
            .iter()
            .map(|pod| format!("{} {}", pod["metadata"]["name"], pod["spec"]["nodeName"]))
            .collect();
        nodes.sort();
        nodes
    };
    assert_eq!(nodes(&again), nodes(&berth("schedule shop.yaml -o json")));
}

#[test]
fn trace_is_what_the_real_scheduler_decided() {
    let wanted = [
        "mix-0001",
        "puzzles-35-preemption-pdb-prefers-other-node",
        "spread-0007",
    ];
    let cases: Vec<_> = corpus::cases()
        .into_iter()
        .filter(|case| wanted.contains(&case.name.as_str()))
        .collect();
    assert_eq!(cases.len(), wanted.len());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for case in cases {
        let path = folder.join(format!("{}.yaml", case.name));
        std::fs::write(&path, &case.yaml).unwrap();
        let line = "--kubernetes 1.34 --no-controllers --tie-break first -o trace";
        let output = berth(&format!("schedule {} {line}", path.display()));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", case.name);
        let expected: Value = serde_json::from_str(&case.json).unwrap();
        assert_eq!(json(&output), expected, "{}/{}", case.category, case.name);
    }
}

#[test]
fn standard_input_and_folders_are_read() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("folder");
    std::fs::create_dir_all(&folder).unwrap();
    let node =
        "apiVersion: v1\nkind: Node\nmetadata: {name: only}\nstatus: {allocatable: {cpu: '1'}}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n";
    std::fs::write(folder.join("node.yml"), node).unwrap();
    std::fs::write(folder.join("notes.txt"), "not: [a manifest").unwrap();
    let output = with_input(&format!("schedule - {} -A", folder.display()), pod);
    let expected = "\
NAMESPACE   NAME   STATUS      NODE   NOMINATED NODE
default     p      Scheduled   only   <none>

1 Pod: 1 scheduled. (1 node, 1 attempt in 1 round)
";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_name() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, bytes, expected) in [
        (
            "latin1.yaml",
            &b"kind: Pod\nname: caf\xe9\n"[..],
            "is not UTF-8 text (see line 2)",
        ),
        ("utf16.yaml", &b"\xff\xfek\0i"[..], "is damaged UTF-16 text"),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let output = berth(&format!("check {}", path.display()));
        let expected = format!("error: {}: {expected}\n", path.display());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = berth(&format!("completions {shell}"));
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("no-controllers"), "{shell}");
    }
}

#[test]
fn help_has_examples_and_the_version_names_kubernetes() {
    let commands = [
        "",
        "schedule",
        "explain",
        "replay",
        "run",
        "kubectl",
        "compare",
        "link",
        "open",
        "render",
        "handout",
        "test",
        "check",
        "completions",
    ];
    for command in commands {
        let output = berth(&format!("{command} --help"));
        assert_eq!(output.status.code(), Some(0), "{command}");
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Examples:\n"), "{command}: {help}");
        // Longer lines of the examples are wrapped a second time.
        let alone = |line: &&str| !line.is_empty() && !line.ends_with(':') && !line.contains(' ');
        assert_eq!(help.lines().find(alone), None, "{command}");
        assert_eq!(
            berth(&format!("help {command}")).stdout,
            berth(&format!("{command} --help")).stdout
        );
    }
    let output = berth("--version");
    let version = String::from_utf8(output.stdout).unwrap();
    assert!(
        version.ends_with("(follows Kubernetes v1.34.1, v1.35.6 and v1.36.3)\n"),
        "{version}"
    );
}

#[test]
fn the_notices_of_others_code_are_in_the_command() {
    let output = berth("licenses");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "serde_json ",
        "@codemirror/view ",
        "Copyright (c) 2018 Carl Lerche",
        "Apache License",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // What was added to the lock file since has no notice yet: `cargo xtask notices`.
    let lock = std::fs::read_to_string("Cargo.lock").unwrap();
    let named = text
        .lines()
        .filter_map(|line| line.split_once(": ")?.0.split_once(' '));
    for (name, version) in named.filter(|(name, _)| !name.starts_with('@')) {
        let locked = format!("name = \"{name}\"\nversion = \"{version}\"");
        let is_crate = version.starts_with(|it: char| it.is_ascii_digit())
            && lock.contains(&format!("name = \"{name}\""));
        assert!(!is_crate || lock.contains(&locked), "{name} {version}");
    }
}

#[test]
fn color_is_there_when_asked_for() {
    let colored = berth("schedule shop.yaml --color always").stdout;
    let plain = berth("schedule shop.yaml").stdout;
    assert!(colored.contains(&0x1b) && !plain.contains(&0x1b));
}

#[test]
fn unmet_expectations_are_printed_with_their_positions() {
    check(
        "schedule unmet.yaml --expect",
        1,
        r#"
NAME   STATUS      NODE     NOMINATED NODE
web    Scheduled   node-1   <none>

1 Pod: 1 scheduled. (1 node, 1 attempt in 1 round)
"#,
        r#"
unmet.yaml:5:3: unmet: Pod web is Bound on node-2: web is Bound on node-1
unmet.yaml:6:3: unmet: All Pods with app=none are Bound: there is no such Pod
2 of 3 expectations are not met.
"#,
    );
}

#[test]
fn met_expectations_are_a_success_also_with_pods_that_wait() {
    let line = "schedule ../../../www/scenarios/queue.yaml";
    assert_eq!(berth(line).status.code(), Some(1));
    let output = berth(&format!("{line} --expect"));
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn expect_without_expectations_is_an_error() {
    check(
        "schedule preemption.yaml --expect",
        2,
        "",
        "error: these files have no expectations: add them to a `kind: Scenario`",
    );
}

#[test]
fn elsewhere_a_script_only_warns() {
    let output = berth("check life.yaml");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.trim_end(),
        "life.yaml:20:1: warning: kind: the steps of a Script are not played here (`berth replay FILE` plays them)"
    );
}

#[test]
fn a_pod_that_no_scheduler_takes_is_pending() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {schedulerName: other, containers: [{name: c, image: i}]}\n";
    let output = with_input("schedule -", pod);
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("p      Pending   <none>"), "{out}");
    assert!(
        out.contains("NoScheduler:") && out.contains("1 pending"),
        "{out}"
    );
    assert!(!out.contains("Gated") && !out.contains("gated"), "{out}");
}
