//! `berth diff`, `berth test` with expectations, and what a repository's CI is set up with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::{berth, json};

const CLUSTER: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {disk: fast}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
";

fn pod(name: &str, cpu: &str, more: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  {more}\n  containers: [{{name: c, image: i, \
         resources: {{requests: {{cpu: '{cpu}'}}}}}}]\n"
    )
}

/// A folder with a cluster and manifests before and after a change.
fn folder(test: &str, base: &str, head: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ci-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("cluster", CLUSTER), ("base", base), ("head", head)] {
        fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    folder
}

fn berth_in(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_diff_compares_files_as_sides() {
    let base = pod("web", "1", "nodeSelector: {disk: fast}");
    let head = pod("web", "1", "nodeSelector: {disk: slow}") + &pod("new", "1", "");
    let folder = folder("diff", &base, &head);
    let line = "diff base.yaml head.yaml cluster.yaml";
    let compared = berth_in(&folder, &format!("{line} -o json"));
    assert_eq!(compared.status.code(), Some(1));
    let compared = json(&compared);
    let pods = compared["pods"].as_array().unwrap();
    let of = |name: &str| pods.iter().find(|it| it["pod"] == name).unwrap();
    assert_eq!(of("default/web")["a"]["node"], "n2");
    assert_eq!(of("default/web")["b"], "pending");
    assert_eq!(of("default/new")["a"], "absent");
    let table = out(&berth_in(&folder, line));
    assert!(
        table.starts_with("A: base.yaml\nB: head.yaml\n\n1 more Pod waits"),
        "{table}"
    );
    let notes = out(&berth_in(&folder, &format!("{line} -o github")));
    let lines: Vec<&str> = notes.lines().collect();
    assert_eq!(lines.len(), 2, "{notes}");
    assert!(
        notes.contains(
            "::error file=head.yaml,title=berth: waits,line=2,col=1::default/web waits: "
        ),
        "{notes}"
    );
    assert!(
        notes.contains(
            "::notice file=head.yaml,title=berth: moves,line=9,col=1::default/new: not there → n"
        ),
        "{notes}"
    );
    let same = berth_in(&folder, "diff base.yaml base.yaml cluster.yaml");
    assert_eq!(same.status.code(), Some(0));
    assert!(out(&same).contains("All Pods came out the same."));
    let missing = berth_in(&folder, "diff base.yaml nowhere.yaml cluster.yaml");
    assert_eq!(missing.status.code(), Some(2));
}

/// Labels of a stranger's Pod are no markup in the comparison, either.
#[test]
fn a_hostile_workload_is_text_in_a_diff() {
    let head = pod("web", "9", "").replace(
        "{name: web}",
        "{name: web, labels: {'app.kubernetes.io/name': 'x'}, ownerReferences: [{apiVersion: v1, kind: ReplicaSet, \
         name: '`@all <img src=x> | https://x.example', uid: u, controller: true}]}",
    );
    let folder = folder("hostile", &pod("other", "1", ""), &head);
    let text = out(&berth_in(
        &folder,
        "diff base.yaml head.yaml cluster.yaml -o markdown",
    ));
    let outside: String = text.split("``").step_by(2).collect();
    for mark in ["@all", "<img", "https://"] {
        assert!(!outside.contains(mark), "{mark}: {text}");
    }
}

#[test]
fn expectations_are_tested_with_the_manifests_beside_them() {
    assert_eq!(berth("test unmet.yaml").status.code(), Some(1));
    let scenario =
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nexpectations:\n- {pod: web, node: NODE}\n";
    let folder = folder("test", &pod("web", "1", "nodeSelector: {disk: fast}"), "");
    fs::write(folder.join("good.yaml"), scenario.replace("NODE", "n2")).unwrap();
    fs::write(folder.join("bad.yaml"), scenario.replace("NODE", "n1")).unwrap();
    let both = berth_in(&folder, "test cluster.yaml base.yaml good.yaml bad.yaml");
    assert_eq!(both.status.code(), Some(1));
    assert_eq!(
        out(&both),
        "ok  good.yaml\nfails  bad.yaml\n1 of 2 tests pass\n"
    );
    let message = String::from_utf8(both.stderr).unwrap();
    assert!(
        message.contains("bad.yaml:4:3: unmet: Pod web is Bound on n1"),
        "{message}"
    );
    let junit = out(&berth_in(
        &folder,
        "test cluster.yaml base.yaml bad.yaml -o junit",
    ));
    assert!(junit.contains(r#"<failure type="unmet""#), "{junit}");
    let problems = json(&berth_in(
        &folder,
        "test cluster.yaml base.yaml bad.yaml -o json",
    ));
    assert_eq!(problems.as_array().map(Vec::len), Some(1), "{problems}");
    assert_eq!(
        (&problems[0]["file"], &problems[0]["line"]),
        (&"bad.yaml".into(), &4.into())
    );
    let alone = berth_in(&folder, "test cluster.yaml");
    assert_eq!(alone.status.code(), Some(2));
    assert!(
        String::from_utf8(alone.stderr)
            .unwrap()
            .contains("have no expectations")
    );
}

fn project(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Each hook is a command that the command line knows.
#[test]
fn hooks_of_pre_commit_run() {
    let hooks: Value = serde_yaml::from_str(&project(".pre-commit-hooks.yaml")).unwrap();
    let hooks = hooks.as_array().unwrap();
    assert_eq!(hooks.len(), 2);
    for hook in hooks {
        let entry = hook["entry"].as_str().unwrap();
        let line = entry.strip_prefix("berth ").unwrap();
        let good = berth(&format!("{line} fits.yaml shop.yaml"));
        assert_eq!(good.status.code(), Some(0), "{hook}");
        let bad = berth(&format!("{line} fits.yaml broken.yaml"));
        assert_eq!(bad.status.code(), Some(2), "{hook}");
    }
}

/// The commands of the workflow in docs/ci.md run as they stand there.
#[cfg(unix)]
#[test]
fn the_example_workflow_runs() {
    let page = project("docs/ci.md");
    let (_, rest) = page.split_once("```yaml\n").unwrap();
    let (workflow, _) = rest.split_once("```").unwrap();
    let workflow: Value = serde_yaml::from_str(workflow).unwrap();
    assert_eq!(
        workflow["permissions"],
        serde_json::json!({"contents": "read"})
    );
    let folder = folder("workflow", "", "");
    for (path, text) in [
        ("manifests/web.yaml", pod("web", "1", "")),
        (
            "base/manifests/web.yaml",
            pod("web", "1", "nodeSelector: {disk: fast}"),
        ),
        ("cluster.json.xz", CLUSTER.to_owned()),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_berth")).parent().unwrap();
    let steps = workflow["jobs"]["fits"]["steps"].as_array().unwrap();
    let lines = steps.iter().filter_map(|step| step["run"].as_str());
    let mut count = 0;
    for line in lines {
        count += 1;
        let output = Command::new("bash")
            .args(["-e", "-c", line])
            .current_dir(&folder)
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("GITHUB_STEP_SUMMARY", folder.join("summary.md"))
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {message}");
    }
    assert_eq!(count, 3);
    let summary = fs::read_to_string(folder.join("summary.md")).unwrap();
    assert!(
        summary.starts_with("A: `base/manifests`, B: `manifests`"),
        "{summary}"
    );
}

/// The action's script takes an archive with the right checksum, and no other.
#[cfg(target_os = "linux")]
#[test]
fn the_action_checks_the_archive() {
    let action: Value = serde_yaml::from_str(&project("action.yml")).unwrap();
    let step = &action["runs"]["steps"][0];
    let script = step["run"].as_str().unwrap();
    assert!(
        !script.contains("${{"),
        "an input would be a part of the script"
    );
    let folder = folder("action", "", "");
    let name = "berth-x86_64-unknown-linux-musl-v9.9.9";
    let packed = format!(
        "mkdir -p v9.9.9 {name} && echo '#!/bin/sh' > {name}/berth && chmod +x {name}/berth && \
         tar -czf v9.9.9/{name}.tgz {name} && sha256sum v9.9.9/{name}.tgz | cut -d ' ' -f 1"
    );
    // Takes the last argument's file.
    let curl = "#!/bin/bash\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output ] && to=$2; shift; done\ncp \"${1#file://}\" \"$to\"\n";
    fs::write(folder.join("curl"), curl).unwrap();
    let run = |script: &str, sha256: &str| {
        Command::new("bash")
            .args(["-c", script])
            .current_dir(&folder)
            .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", folder.join("temp"))
            .env("GITHUB_PATH", folder.join("path"))
            .env("VERSION", "9.9.9")
            .env("RELEASES", format!("file://{}", folder.display()))
            .env("SHA256", sha256)
            .output()
            .unwrap()
    };
    let prepared = run(&format!("chmod +x curl && {packed}"), "");
    let sum = out(&prepared);
    let taken = run(script, sum.trim());
    assert!(
        taken.status.success(),
        "{}",
        String::from_utf8_lossy(&taken.stderr)
    );
    let path = fs::read_to_string(folder.join("path")).unwrap();
    assert!(Path::new(path.trim()).join("berth").exists(), "{path}");
    let refused = run(script, &"0".repeat(64));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && message.contains("does not have the checksum"),
        "{message}"
    );
}
