//! `berth sweep`: rows, shards, and files that go on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const CLUSTER: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {topology.kubernetes.io/zone: b}}
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
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1', memory: 1Gi}}}]}
";

const PACKING: &str = "\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins:
    score: {disabled: [{name: PodTopologySpread}, {name: NodeResourcesBalancedAllocation}]}
";

const PLAN: &str = "\
apiVersion: berth.dev/v1alpha1
kind: Sweep
scenarios:
- {name: small, files: [cluster.yaml]}
configurations:
- {name: default}
- {name: packing, file: packing.yaml}
releases: ['1.35', '1.36']
seeds: {from: 3, count: 2}
commands:
- schedule
- what-if lose --each zone
- what-if fit default/none
";

fn folder(test: &str, plan: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("cluster", CLUSTER), ("packing", PACKING), ("plan", plan)] {
        fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    folder
}

fn sweep(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(["sweep", "plan.yaml"])
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_combination_has_a_row() {
    let folder = folder("rows", PLAN);
    let output = sweep(&folder, "");
    assert_eq!(output.status.code(), Some(1), "the last command has errors");
    let rows: Vec<Value> = text(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2 * 2 * 2 * 3);
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(row["row"], at);
        let is_missing = row["command"] == "what-if fit default/none";
        assert_eq!(row.get("error").is_some(), is_missing, "{row}");
    }
    for cell in rows.chunks(3) {
        assert!(cell[0]["digest"].is_string());
        assert!(cell.iter().all(|row| row["digest"] == cell[0]["digest"]));
    }
    assert_eq!(
        (&rows[0]["kubernetes"], &rows[0]["seed"]),
        (&"v1.35.6".into(), &3.into())
    );
    let scheduled = rows.iter().filter(|row| row["command"] == "schedule");
    let used: BTreeMap<&str, &Value> = scheduled
        .map(|row| {
            (
                row["configuration"].as_str().unwrap(),
                &row["result"]["nodesInUse"],
            )
        })
        .collect();
    assert_eq!(
        used,
        [("default", &2.into()), ("packing", &1.into())].into()
    );
    assert_eq!(rows[1]["result"]["losses"].as_array().unwrap().len(), 2);
}

#[test]
fn shards_together_and_any_number_of_threads_are_one_run() {
    let folder = folder("shards", PLAN);
    let whole = text(&sweep(&folder, "--threads 1"));
    assert_eq!(text(&sweep(&folder, "--threads 4")), whole);
    let mut lines: Vec<(u64, String)> = (0..3)
        .flat_map(|index| {
            let rows = text(&sweep(&folder, &format!("--shard {index}/3")));
            let row = |line: &str| {
                let number = serde_json::from_str::<Value>(line).unwrap()["row"].as_u64();
                (number.unwrap(), line.to_owned())
            };
            rows.lines().map(row).collect::<Vec<_>>()
        })
        .collect();
    lines.sort();
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line + "\n").collect();
    assert_eq!(lines.concat(), whole);
    assert!(complaint(&sweep(&folder, "--shard 3/3")).contains("from 0 and below N"));
}

#[test]
fn an_interrupted_file_goes_on_to_the_same_rows() {
    let folder = folder("resumed", PLAN);
    let whole = text(&sweep(&folder, ""));
    let file = folder.join("rows.jsonl");
    // In the middle of a cell, and in the middle of a row.
    let cut = whole.match_indices('\n').nth(6).unwrap().0 + 40;
    fs::write(&file, &whole[..cut]).unwrap();
    assert_eq!(sweep(&folder, "--into rows.jsonl").status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    let again = sweep(&folder, "--into rows.jsonl");
    assert_eq!(again.status.code(), Some(1), "its errors are known");
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    fs::write(
        folder.join("plan.yaml"),
        PLAN.replace("count: 2", "count: 1"),
    )
    .unwrap();
    assert!(complaint(&sweep(&folder, "--into rows.jsonl")).contains("another plan"));
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        whole,
        "it is not touched"
    );
}

#[test]
fn what_is_wrong_with_a_plan_is_named() {
    for (from, to, wanted) in [
        (
            "kind: Sweep",
            "kind: Swoop",
            "plan.yaml: kind: expected Sweep",
        ),
        (
            "v1alpha1",
            "v9",
            "apiVersion: \"berth.dev/v9\" is not of this version",
        ),
        ("cluster.yaml", "gone.yaml", "scenarios[0].files: "),
        ("packing.yaml", "gone.yaml", "configurations[1].file: "),
        ("'1.35'", "'1.2'", "releases[0]: "),
        ("count: 2", "count: 0", "seeds.count: must be 1 or more"),
        (
            "- schedule",
            "- schedule x.yaml",
            "commands[0]: \"schedule x.yaml\": files",
        ),
        ("- schedule", "- kubectl get pods", "commands[0]: "),
        ("commands:", "comands:", "comands"),
    ] {
        let folder = folder("plan", &PLAN.replace(from, to));
        let said = complaint(&sweep(&folder, ""));
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn the_indexed_job_of_the_documentation_is_placed() {
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sweep/job.yaml");
    let folder = folder("job", PLAN);
    let cluster = CLUSTER.replace("cpu: '4'", "cpu: '8'");
    fs::write(folder.join("cluster.yaml"), cluster).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(["schedule", "cluster.yaml", "-o", "json"])
        .arg(job)
        .current_dir(&folder)
        .output()
        .unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pods = list["items"].as_array().unwrap().iter();
    let of_job = pods.filter(|pod| {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        name.starts_with("sweep-")
    });
    let (placed, waiting): (Vec<&Value>, Vec<&Value>) =
        of_job.partition(|pod| pod["spec"]["nodeName"].is_string());
    assert_eq!((placed.len(), waiting.len()), (6, 2), "{list}");
}

#[test]
#[ignore = "installs Dask"]
fn a_sweep_on_dask_has_the_same_rows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder("dask", PLAN);
    let tools = root.join(".tools/dask");
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        text(&output)
    };
    let python = tools.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&tools));
        let install = ["-m", "pip", "install", "--quiet", "distributed==2025.1.0"];
        run(Command::new(&python).args(install));
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_berth")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let rows = run(Command::new(&python)
        .arg(root.join("docs/sweep/on_dask.py"))
        .args([folder.join("plan.yaml").as_os_str(), "4".as_ref()])
        .env("PATH", format!("{}:{path}", bin.display())));
    assert_eq!(rows, text(&sweep(&folder, "")));
}
