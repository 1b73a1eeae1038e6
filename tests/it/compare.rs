//! Two runs side by side: of equal sides nothing differs, figures are those of the Pods as they are placed, and each
//! difference has its cause.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use berth::words::language::is_translation;
use berth_protocol::compare::{Cause, Comparison, Place, Summary};
use berth_session::{Options, Session, SourceFile, compare, frame, pairing, variant};
use serde_json::Value;

const ZONE: &str = "topology.kubernetes.io/zone";

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .filter(|path| !is_translation(&path.to_string_lossy()))
        .collect();
    files.sort();
    assert!(files.len() > 10);
    files
}

fn session(text: &str, seed: u64) -> Session {
    let mut session = Session::new(Options {
        seed,
        ..Options::default()
    });
    assert!(
        session.apply(&[SourceFile::new("test.yaml", text)]),
        "{:?}",
        session.problems()
    );
    session
}

fn run(mut session: Session) -> Session {
    session.run_to_end();
    session
}

fn compared(a: &Session, b: &Session) -> Comparison {
    let mut comparison = compare::compare(a, b, ZONE);
    for difference in &mut comparison.pods {
        difference.cause = compare::cause(a, b, difference).unwrap();
    }
    comparison
}

#[test]
fn of_equal_sides_nothing_differs() {
    for path in examples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let comparison = compared(&run(session(&text, 7)), &run(session(&text, 7)));
        assert_eq!(comparison.pods, [], "{}", path.display());
        assert_eq!(comparison.a, comparison.b, "{}", path.display());
    }
}

/// The figures of a run, from the Pods that `berth schedule` prints and the nodes of the manifests.
fn recomputed(path: &Path, seed: &str) -> (usize, usize, BTreeSet<String>, f64) {
    let path = path.to_str().unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_berth"))
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let pods: Value =
        serde_json::from_str(&run(&["schedule", path, "-o", "json", "--seed", seed])).unwrap();
    let nodes: Value = serde_json::from_str(&run(&[
        "kubectl", "--on", path, "get", "nodes", "-o", "json",
    ]))
    .unwrap();
    let list = |of: &Value| of["items"].as_array().unwrap().clone();
    let mut asked: BTreeMap<String, f64> = BTreeMap::new();
    let (mut placed, mut pending) = (0, 0);
    let mut used = BTreeSet::new();
    for pod in list(&pods) {
        let Some(node) = pod["spec"]["nodeName"].as_str() else {
            pending += 1;
            continue;
        };
        placed += 1;
        let owner = pod["metadata"]["ownerReferences"][0]["kind"].as_str();
        if !matches!(owner, Some("DaemonSet" | "Node")) {
            used.insert(node.to_owned());
        }
        let containers = pod["spec"]["containers"].as_array().unwrap();
        let cpu = containers
            .iter()
            .map(|it| cpu(&it["resources"]["requests"]["cpu"]));
        *asked.entry(node.to_owned()).or_default() += cpu.sum::<f64>();
    }
    let nodes = list(&nodes);
    let percents = nodes.iter().map(|node| {
        let name = node["metadata"]["name"].as_str().unwrap();
        asked.get(name).copied().unwrap_or_default() * 100.0
            / cpu(&node["status"]["allocatable"]["cpu"])
    });
    let mean = percents.sum::<f64>() / f64::from(u32::try_from(nodes.len()).unwrap());
    (placed, pending, used, mean)
}

/// CPUs of a quantity.
fn cpu(quantity: &Value) -> f64 {
    let text = quantity.as_str().unwrap_or("0");
    match text.strip_suffix('m') {
        Some(milli) => milli.parse::<f64>().unwrap() / 1000.0,
        None => text.parse().unwrap(),
    }
}

#[test]
fn figures_are_those_of_the_placed_pods() {
    for name in [
        "default",
        "zone-spread",
        "taints",
        "free-room",
        "pod-affinity",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("www/scenarios/{name}.yaml"));
        let text = std::fs::read_to_string(&path).unwrap();
        let (placed, pending, used, mean) = recomputed(&path, "5");
        let summary = Summary::of(&frame::build(&run(session(&text, 5))), ZONE);
        assert_eq!(
            (summary.placed, summary.pending),
            (placed, pending),
            "{name}"
        );
        assert_eq!(summary.nodes_in_use, used.len(), "{name}: {used:?}");
        assert!(
            (summary.cpu.mean - mean).abs() < 1e-9,
            "{name}: {} {mean}",
            summary.cpu.mean
        );
    }
}

const CLUSTER: &str = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {pool: spot, topology.kubernetes.io/zone: one}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {pool: steady, topology.kubernetes.io/zone: two}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, resources: {requests: {cpu: '1'}}}]
";

#[test]
fn a_removed_pool_takes_its_places_along() {
    let whole = run(session(CLUSTER, 1));
    let mut less = session(CLUSTER, 1);
    assert_eq!(
        variant::remove_nodes(&mut less, "pool in (spot)").unwrap(),
        ["a"]
    );
    let less = run(less);
    let comparison = compared(&whole, &less);
    assert_eq!((comparison.a.nodes, comparison.b.nodes), (2, 1));
    assert_eq!((comparison.b.placed, comparison.b.pending), (4, 0));
    assert_eq!(comparison.a.spread.as_ref().unwrap().skew(), 0);
    assert_eq!(comparison.b.spread, None, "a single domain has no skew");
    assert_eq!(comparison.pods.len(), 2, "the two of the removed node");
    let error = variant::remove_nodes(&mut session(CLUSTER, 1), "pool=none").unwrap_err();
    assert!(error.message.to_string().contains("no node matches"));
}

#[test]
fn a_placed_pod_of_a_removed_node_waits_again() {
    let placed = CLUSTER.to_owned()
        + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: old\n  ownerReferences: \
           [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]\n\
           spec: {nodeName: a, containers: [{name: c, image: c}]}\n\
           ---\napiVersion: v1\nkind: Pod\nmetadata: {name: bare}\n\
           spec: {nodeName: a, containers: [{name: c, image: c}]}\n";
    let mut session = session(&placed, 1);
    variant::remove_nodes(&mut session, "pool=spot").unwrap();
    let frame = frame::build(&run(session));
    let node_of = |name: &str| {
        let pod = frame.pods.iter().find(|pod| pod.key == name)?;
        Some(pod.node.clone())
    };
    assert_eq!(node_of("default/old"), Some(Some("b".to_owned())));
    assert_eq!(node_of("default/bare"), None);
}

#[test]
fn a_patch_is_merged_and_new_objects_are_added() {
    let mut patched = session(CLUSTER, 1);
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: more}\nspec: {containers: [{name: c, image: c, resources: {requests: {cpu: '9'}}}]}\n";
    variant::merge(&mut patched, &SourceFile::new("patch.yaml", patch)).unwrap();
    let comparison = compared(&run(session(CLUSTER, 1)), &run(patched));
    assert_eq!((comparison.a.pods, comparison.b.pods), (4, 10));
    assert_eq!(comparison.b.pending, 2);
    assert!(comparison.pods.iter().all(|pod| pod.a == Place::Absent));
    let patch = SourceFile::new("patch.yaml", "a: b\n---\nkind: [\n");
    let error = variant::merge(&mut session(CLUSTER, 1), &patch).unwrap_err();
    assert_eq!((error.file.as_str(), error.line), ("patch.yaml", 4));
}

#[test]
fn each_difference_has_its_cause() {
    let packing = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}\n  plugins: {score: {disabled: [{name: PodTopologySpread}, {name: NodeResourcesBalancedAllocation}]}}\n---\n";
    let spread = run(session(CLUSTER, 3));
    let packed = run(session(&format!("{packing}{CLUSTER}"), 3));
    let comparison = compared(&spread, &packed);
    assert_eq!(
        (comparison.a.nodes_in_use, comparison.b.nodes_in_use),
        (2, 1)
    );
    assert_eq!(comparison.b.spread.as_ref().unwrap().skew(), 4);
    let scored = comparison.pods.iter().filter_map(|pod| pod.cause.as_ref());
    let scored: Vec<&Cause> = scored.collect();
    assert_eq!(scored.len(), comparison.pods.len());
    let by_score = |cause: &Cause| matches!(cause, Cause::Score { points: (a, b), .. } if a < b);
    assert!(scored.iter().any(|cause| by_score(cause)), "{scored:?}");

    let tainted = CLUSTER.replacen(
        "status:",
        "spec: {taints: [{key: k, effect: NoSchedule}]}\nstatus:",
        1,
    );
    let comparison = compared(&spread, &run(session(&tainted, 3)));
    let mut causes = comparison.pods.iter().filter_map(|pod| pod.cause.as_ref());
    let is_taint = |cause: &Cause| matches!(cause, Cause::Filter { plugin, node, feasible_in_a: true, feasible: (2, 1) } if plugin == "TaintToleration" && node == "a");
    assert!(causes.any(is_taint), "{comparison:?}");
}

/// Without settings, the command compares the sides of the file's Scenario; a setting replaces both.
#[test]
fn the_command_takes_the_sides_of_the_scenario() {
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_berth"))
            .args(["compare", "www/scenarios/two-versions.yaml"])
            .args(more)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let (status, table) = run(&[]);
    assert_eq!(status, Some(1));
    assert!(table.starts_with("A: v1.34\nB: v1.36\n"), "{table}");
    assert!(table.contains("index   node-even   node-cpu"), "{table}");
    let (status, table) = run(&["--a", "seed=2", "--b", "seed=2"]);
    assert_eq!(status, Some(0), "{table}");
    assert!(table.contains("All Pods came out the same."), "{table}");
}

/// What the examples say holds whichever seed breaks ties.
#[test]
fn the_examples_that_compare_differ_as_they_say() {
    let side = |name: &str, seed: u64| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("www/scenarios/{name}.yaml"));
        let given = session(&std::fs::read_to_string(path).unwrap(), seed);
        let pairing = pairing::suggested(&given).unwrap();
        let [a, b] =
            [&pairing.a, &pairing.b].map(|side| run(pairing::open_side(&given, side).unwrap()));
        compared(&a, &b)
    };
    for seed in 0..40 {
        let packing = side("spreading-or-packing", seed);
        assert_eq!((packing.a.pending, packing.b.pending), (1, 0), "{seed}");
        assert!(
            packing.b.nodes_in_use + 2 <= packing.a.nodes_in_use,
            "{seed}"
        );
        let versions = side("two-versions", seed);
        assert_eq!(versions.pods.len(), 1, "{seed}");
        assert_eq!(versions.pods[0].a, Place::Node("node-even".to_owned()));
        assert_eq!(versions.pods[0].b, Place::Node("node-cpu".to_owned()));
        let profiles = side("two-profiles", seed);
        assert_eq!(
            (profiles.a.nodes_in_use, profiles.b.nodes_in_use),
            (6, 4),
            "{seed}"
        );
        assert!(
            profiles.pods.iter().all(|it| it.pod.contains("job")),
            "{seed}"
        );
    }
}

/// Two pools of one node, and what waits or is lost without it: a Pod of each kind of owner.
fn pools() -> String {
    let node = |name: &str, cpu: &str| {
        format!(
            "apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{pool: {name}}}}}
status: {{allocatable: {{cpu: '{cpu}', memory: 8Gi, pods: '9'}}}}
---
"
        )
    };
    let pod = |name: &str, owner: &str, rest: &str| {
        let owner = owner.split_once('/').map_or_else(String::new, |(kind, of)| {
            format!(
                ", ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {of}, uid: {of}, controller: true}}]"
            )
        });
        format!(
            "apiVersion: v1
kind: Pod
metadata: {{name: {name}, uid: {name}{owner}}}
spec: {{nodeName: old, {rest} containers: [{{name: c, image: c, resources: {{requests: {{cpu: '2'}}}}}}]}}
---
"
        )
    };
    let class = "apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: business-critical}
value: 100000
---
";
    let urgent = "priority: 100000, priorityClassName: business-critical,";
    let parts = [
        node("old", "9"),
        node("new", "2"),
        class.to_owned(),
        pod("db-0", "StatefulSet/db", urgent),
        pod("api-0", "StatefulSet/api", urgent),
        pod("web-a", "ReplicaSet/web", ""),
        pod("agent-a", "DaemonSet/agent", ""),
        pod("alone", "", ""),
    ];
    parts.concat()
}

#[test]
fn the_first_line_says_who_waits_and_what_is_lost() {
    let yaml = pools();
    let said = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_berth"))
            .args(["compare", "-"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = command.stdin.take().unwrap();
        stdin.write_all(yaml.as_bytes()).unwrap();
        drop(stdin);
        let output = command.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for release in ["1.34", "1.36"] {
        let text = said(&["--kubernetes", release, "--b", "without=pool=old"]);
        let answer = text.lines().nth(3).unwrap();
        let expected = "2 more Pods wait in B, 1 of them of priority business-critical; Pod alone is lost for good";
        assert_eq!(answer, expected, "{text}");
        let rows: Vec<&str> = text.lines().skip(4).take(2).collect();
        assert!(
            rows[0].contains("StatefulSet db") || rows[1].contains("StatefulSet db"),
            "{text}"
        );
        assert!(text.contains("Pods of DaemonSets and static Pods that only one side has: 1"));
        assert!(!text.contains("agent-a"), "{text}");
    }
    let text = said(&["--b", "without=pool=new", "-o", "markdown"]);
    let answer = "No more Pods wait in B; nothing is lost for good";
    assert!(text.contains(answer), "{text}");
    // That all are where they were is no finding: neither run tried them.
    assert!(text.contains("5 Pods were kept where they are."), "{text}");
}
