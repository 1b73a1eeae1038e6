//! Scripts on a cluster with the real scheduler.

use berth_core::api::source::SourceFile;

use super::{Terminal, open};
use crate::session::Options;

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
#[allow(clippy::disallowed_types, reason = "the machine's own time is measured")]
fn a_here_document_of_many_lines_is_read_once() {
    let body = "\tname: a 'b\n".repeat(10_000);
    let script = format!("cat <<-EOF | wc -l\n{body}\tEOF\n#= 10000\necho end\n#= end\n");
    let began = std::time::Instant::now();
    let played = terminal().play_script(&script);
    assert!(played.failures.is_empty(), "{:?}", played.failures);
    // A second in a release build, and minutes if each line were read with all before it.
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_script_contains_its_expected_output() {
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
fn unmet_expectations_are_reported_with_their_line() {
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
fn a_pod_that_fits_no_node_waits_until_it_does() {
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

#[test]
fn templates_of_daemon_sets_are_counted() {
    let script = r#"kubectl apply -f - <<EOF
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: 'nginx:1'}]}
EOF
# Labels of the set are not its template, and the annotation is only the server's to write.
kubectl label daemonset agent a=b
kubectl annotate daemonset agent deprecated.daemonset.template.generation=7 --overwrite
kubectl get daemonset agent -o jsonpath='{.metadata.annotations.deprecated\.daemonset\.template\.generation}'
#= 1
kubectl set image daemonset/agent c=nginx:2
kubectl rollout status daemonset/agent
kubectl get daemonset agent -o jsonpath='{.metadata.annotations.deprecated\.daemonset\.template\.generation}'
#= 2
kubectl get pods -l app=agent -o jsonpath='{.items[*].metadata.labels.pod-template-generation}'
#= 2 2
kubectl get controllerrevisions -o jsonpath='{range .items[*]}{.revision} {.metadata.annotations.deprecated\.daemonset\.template\.generation}{"\n"}{end}' | sort
#= 1 1
#= 2 2
"#;
    let played = terminal().play_script(script);
    assert_eq!(played.failures, [], "{}", played.transcript);
    assert_eq!(played.code, 0, "{}", played.transcript);
}

#[test]
fn elapsed_time_is_reported_while_a_line_runs() {
    let reported = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut terminal = terminal();
    let last = std::rc::Rc::clone(&reported);
    terminal.watch_time(move |elapsed_ms| last.set(elapsed_ms));
    terminal.run("kubectl run web --image=nginx; sleep 2h");
    assert_eq!(reported.get(), 7_200_000);
}

#[test]
fn a_script_that_opens_an_editor_fails_with_advice() {
    for line in [
        "kubectl run web --image=nginx; kubectl edit pod web",
        "vi n.yaml",
    ] {
        let played = terminal().play_script(line);
        assert_eq!(played.code, 1, "{line}");
        assert!(played.transcript.contains("error: a script has no editor"));
    }
    let line = r#"kubectl run web --image=nginx; EDITOR="sed -i 's/run: web/run: x/'" kubectl edit pod web"#;
    let played = terminal().play_script(line);
    assert_eq!(played.code, 0, "{}", played.transcript);
}

#[test]
fn an_image_that_cannot_exist_is_not_pulled() {
    let script = "kubectl create deployment web --image=nginx:1.28
kubectl rollout status deployment web
kubectl set image deployment web nginx=nginx:1.91
kubectl rollout status deployment web --timeout=30s
#! 1
kubectl get pods
#~ …ImagePullBackOff…
";
    let played = terminal().play_script(script);
    assert_eq!(played.failures, [], "{}", played.transcript);
}

/// What every cluster has, as a dump has it too; and a Pod without a namespace, of an owner that the dump lacks.
const DUMP: &str = "apiVersion: v1
kind: List
items:
- apiVersion: scheduling.k8s.io/v1
  kind: PriorityClass
  metadata: {name: system-cluster-critical, uid: c1, annotations: {from: dump}}
  value: 2000000000
- apiVersion: v1
  kind: Namespace
  metadata: {name: kube-system, uid: ns1, labels: {from: dump}}
- apiVersion: v1
  kind: Namespace
  metadata: {name: default, labels: {from: hand}}
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-1-a
    uid: p1
    ownerReferences:
    - {apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r1, controller: true}
  spec: {nodeName: n1, containers: [{name: c, image: nginx}]}
  status: {phase: Running}
";

#[test]
fn a_dump_brings_what_every_cluster_has() {
    let files = [
        SourceFile::new("n.yaml", NODES),
        SourceFile::new("d.yaml", DUMP),
    ];
    for release in ["1.34", "1.36"] {
        let options = Options {
            release: crate::Choice {
                kubernetes: crate::Version::parse(release).ok(),
                ..crate::Choice::default()
            },
            ..Options::default()
        };
        let opened = open(&files, None, options);
        assert_eq!(opened.problems, []);
        let script = "kubectl get pc system-cluster-critical -o jsonpath='{.metadata.uid} {.metadata.annotations.from}'
#= c1 dump
kubectl get ns kube-system -o jsonpath='{.metadata.uid} {.metadata.labels.from}'
#= ns1 dump
kubectl get ns default -o jsonpath='{.metadata.labels}'
#= {\"from\":\"hand\",\"kubernetes.io/metadata.name\":\"default\"}
kubectl get pods,rs -o name
#= pod/web-1-a
#= replicaset.apps/web-1
kubectl create namespace kube-system
#! 1
";
        let mut terminal = opened.terminal.expect("the scheduler starts");
        let played = terminal.play_script(script);
        assert_eq!(played.failures, [], "{}", played.transcript);
    }
}

#[test]
fn the_second_of_two_namespaces_is_refused() {
    let twice = "{apiVersion: v1, kind: Namespace, metadata: {name: kube-system, uid: a}}\n---\n\
                 {apiVersion: v1, kind: Namespace, metadata: {name: kube-system, uid: b}}\n";
    let opened = open(
        &[SourceFile::new("n.yaml", twice)],
        None,
        Options::default(),
    );
    let problems: Vec<String> = opened.problems.iter().map(ToString::to_string).collect();
    assert!(
        problems
            .iter()
            .any(|it| it.contains("namespaces \"kube-system\" already exists")),
        "{problems:?}"
    );
}
