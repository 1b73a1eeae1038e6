//! `berth why` and `berth snapshot`, with a stand-in for kubectl that answers from files and refuses some kinds.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// What the stand-in does: the server lacks two kinds, and the user may not list a third.
const KUBECTL: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/asked"
case "$*" in
*csistoragecapacities*)
  echo "error: the server doesn't have a resource type \"csistoragecapacities\"" >&2; exit 1;;
*deviceclasses*)
  kind=$(echo "$*" | sed 's/.*get //; s/[, ].*//')
  echo "error: the server doesn't have a resource type \"$kind\"" >&2; exit 1;;
*"config view"*) printf shop;;
*"get "*)
  cat "$here/list.json"
  echo 'Error from server (Forbidden): persistentvolumes is forbidden: User "dev" cannot list resource "persistentvolumes"' >&2
  exit 1;;
*) exit 1;;
esac
"#;

fn list() -> Value {
    let node = |name: &str, cpu: &str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name},
               "status": {"allocatable": {"cpu": cpu, "memory": "4Gi", "pods": "10"}}})
    };
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web-0", "namespace": "shop", "uid": "3"},
        "spec": {"containers": [{"name": "c", "image": "app", "resources": {"requests": {"cpu": "4"}},
                 "env": [{"name": "TOKEN", "value": "hunter2"}]}]}});
    json!({"apiVersion": "v1", "kind": "List", "items": [node("n1", "1"), node("n2", "2"), pod]})
}

/// A folder with the stand-in, for one test.
fn stand_in(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let kubectl = folder.join("kubectl");
    fs::write(&kubectl, KUBECTL).unwrap();
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("list.json"), list().to_string()).unwrap();
    folder
}

fn berth_with(path: &str, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(line.split_whitespace())
        .env("PATH", path)
        .output()
        .unwrap()
}

fn berth(folder: &Path, line: &str) -> Output {
    let path = format!("{}:/usr/bin:/bin", folder.display());
    berth_with(&path, line)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_pod_of_the_cluster_is_explained_and_what_is_lacking_is_named() {
    let folder = stand_in("why");
    let output = berth(&folder, "why web-0 -o json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(explained["pod"], "shop/web-0");
    let lacks = text(&output.stderr);
    for line in [
        "not listed: the server has no csistoragecapacities",
        "not listed: the server has no deviceclasses",
        "not listed: Error from server (Forbidden): persistentvolumes is forbidden",
    ] {
        assert!(lacks.contains(line), "{lacks}");
    }
}

/// Only `get` and `config view`, and never Secrets or ConfigMaps.
#[test]
fn the_cluster_is_only_read() {
    let folder = stand_in("reads");
    let output = berth(&folder, "why web-0 --context staging");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let asked = fs::read_to_string(folder.join("asked")).unwrap();
    for line in asked.lines() {
        let words = line
            .strip_prefix("--context staging ")
            .expect("names the context");
        assert!(
            words.starts_with("get ") || words.starts_with("config view "),
            "{line}"
        );
        assert!(
            !line.contains("secrets") && !line.contains("configmaps"),
            "{line}"
        );
    }
}

#[test]
fn a_snapshot_decides_the_same_and_keeps_no_secrets() {
    let folder = stand_in("snapshot");
    let output = berth(&folder, "snapshot");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = text(&output.stdout);
    assert!(
        written.contains("web-0") && !written.contains("hunter2"),
        "{written}"
    );
    let file = folder.join("cluster.yaml");
    fs::write(&file, written).unwrap();
    let placed = |file: &Path| {
        let output = berth(&folder, &format!("schedule {}", file.display()));
        text(&output.stdout)
    };
    assert_eq!(placed(&file), placed(&folder.join("list.json")));
}

#[test]
fn failures_of_kubectl_are_said_in_a_line() {
    let folder = stand_in("failures");
    let output = berth_with("/nowhere", "why web-0");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: kubectl is not on the PATH: install it, or open a dump with `berth explain`\n"
    );
    let refused =
        "#!/bin/sh\necho 'error: You must be logged in to the server (Unauthorized)' >&2\nexit 1\n";
    fs::write(folder.join("kubectl"), refused).unwrap();
    let output = berth(&folder, "snapshot");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: kubectl: error: You must be logged in to the server (Unauthorized)\n"
    );
}

#[test]
fn as_a_plugin_it_is_called_kubectl_berth() {
    let folder = stand_in("plugin");
    let plugin = folder.join("kubectl-berth");
    symlink(env!("CARGO_BIN_EXE_berth"), &plugin).unwrap();
    let output = Command::new(&plugin)
        .args(["why", "--help"])
        .output()
        .unwrap();
    assert!(
        text(&output.stdout).contains("Usage: kubectl berth why "),
        "{}",
        text(&output.stdout)
    );
}
