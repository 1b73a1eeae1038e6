//! The commands that ask a cluster, with a stand-in for kubectl that answers from files and refuses some kinds.

#![cfg(unix)]

use std::collections::BTreeMap;
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
*--all-namespaces*)
  cat "$here/list.json"
  for kind in persistentvolumes services; do
    echo "Error from server (Forbidden): $kind is forbidden: User \"dev\" cannot list resource \"$kind\" in API group \"\" at the cluster scope" >&2
  done
  exit 1;;
*"get services --namespace=shop"*)
  echo '{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop", "uid": "9"}}]}';;
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
    assert_eq!(
        explained["notListed"],
        json!([
            {"kind": "csistoragecapacities", "cause": "notServed"},
            {"kind": "persistentvolumes", "cause": "forbidden"},
            {"kind": "services", "cause": {"otherNamespaces": "shop"}},
            {"kind": "resourceclaims", "cause": "notServed"},
            {"kind": "resourceclaimtemplates", "cause": "notServed"},
            {"kind": "resourceslices", "cause": "notServed"},
            {"kind": "deviceclasses", "cause": "notServed"},
        ])
    );
    let told = text(&berth(&folder, "why web-0").stdout);
    for line in [
        "What is not known\n",
        "  You may not list persistentvolumes. Which nodes volumes allow is unknown.\n",
        "  You may list services in namespace shop only. Pods are not spread by their\n",
        "  The server has no csistoragecapacities, resourceclaims,\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    let chinese = text(&berth(&folder, "why web-0 --lang zh-CN -o markdown").stdout);
    assert!(
        chinese.contains("### 不知道的\n\n- 服务器没有 csistoragecapacities"),
        "{chinese}"
    );
}

#[test]
fn the_reason_and_the_fixes_are_data() {
    let folder = stand_in("reason");
    let explained: Value =
        serde_json::from_slice(&berth(&folder, "why web-0 -o json").stdout).unwrap();
    let reason = &explained["report"]["reason"];
    assert_eq!(reason["code"], "unschedulable");
    assert_eq!(reason["by"][0]["plugin"], "NodeResourcesFit");
    assert_eq!(reason["by"][0]["reason"], "Insufficient cpu");
    assert_eq!(reason["by"][0]["nodes"], json!(["n1", "n2"]));
    assert_eq!(reason["by"][0]["fact"]["kind"], "resource");
    let kinds = explained["fixes"].as_array().unwrap();
    assert!(
        kinds.iter().any(|fix| fix["kind"] == "lowerRequest"),
        "{explained}"
    );
}

/// As a plugin of kubectl, commands that read manifests read the cluster, and files besides.
#[test]
fn a_plugin_reads_the_cluster() {
    let folder = stand_in("plugin-reads");
    symlink(env!("CARGO_BIN_EXE_berth"), folder.join("kubectl-berth")).unwrap();
    let more = folder.join("more.yaml");
    let node = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n3"},
        "status": {"allocatable": {"cpu": "8", "memory": "4Gi", "pods": "10"}}}"#;
    fs::write(&more, node).unwrap();
    let run = |line: &str| {
        let output = Command::new(folder.join("kubectl-berth"))
            .args(line.split_whitespace())
            .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
            .output()
            .unwrap();
        (output.status.code(), text(&output.stdout))
    };
    assert_eq!(run("schedule").0, Some(1));
    let (code, placed) = run(&format!("schedule {}", more.display()));
    assert!(code == Some(0) && placed.contains("n3"), "{placed}");
    let (code, losses) = run("what-if lose n2 -o json");
    assert_eq!(code, Some(0), "{losses}");
    let losses: Value = serde_json::from_str(&losses).unwrap();
    assert_eq!(losses["waiting"]["byName"], 1, "{losses}");
    let (code, compared) = run("compare --b seed=2 -o json");
    assert!(
        code == Some(0) && serde_json::from_str::<Value>(&compared).is_ok(),
        "{compared}"
    );
    // Under its own name it asks only if it is told to.
    let output = berth(&folder, "schedule");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: name manifests, or ask your cluster with --live\n"
    );
    assert_eq!(berth(&folder, "schedule --live").status.code(), Some(1));
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
    let file = folder.join("cluster.json");
    fs::write(&file, written).unwrap();
    let packed = folder.join("cluster.json.xz");
    fs::write(&packed, berth(&folder, "snapshot --xz").stdout).unwrap();
    let placed = |file: &Path| {
        let output = berth(&folder, &format!("schedule {}", file.display()));
        text(&output.stdout)
    };
    let of_dump = placed(&folder.join("list.json"));
    assert_eq!(placed(&file), of_dump);
    assert_eq!(placed(&packed), of_dump);
}

/// A folder with the stand-in that lists a cluster of 60 nodes and 900 Pods.
fn sixty_nodes(test: &str) -> PathBuf {
    let folder = stand_in(test);
    let packed = include_bytes!("../redaction/eks60.yaml.gz");
    let mut yaml = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed[..]), &mut yaml)
        .unwrap();
    let dump: Value = serde_yaml::from_str(&yaml).unwrap();
    fs::write(folder.join("list.json"), dump.to_string()).unwrap();
    folder
}

/// The node of each Pod by namespace and name, with each of these renamed.
fn places(
    folder: &Path,
    file: &str,
    name: impl Fn(&str) -> String,
) -> BTreeMap<(String, String), String> {
    let output = berth(
        folder,
        &format!("schedule {} -o json", folder.join(file).display()),
    );
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pods = list["items"].as_array().unwrap().iter().map(|pod| {
        let of = |pointer| name(pod.pointer(pointer).and_then(Value::as_str).unwrap_or(""));
        let key = (of("/metadata/namespace"), of("/metadata/name"));
        (key, of("/spec/nodeName"))
    });
    pods.collect()
}

/// A snapshot is small, and every Pod gets the place that it gets in the dump; under pseudonyms, too, and no name is left.
#[test]
fn a_snapshot_of_sixty_nodes_is_small_and_decides_the_same() {
    let folder = sixty_nodes("sixty");
    let written = berth(&folder, "snapshot --xz").stdout;
    assert!(written.len() < 40_000, "{} bytes", written.len());
    fs::write(folder.join("small.json.xz"), written).unwrap();
    let key = folder.join("key.json");
    let line = format!("snapshot --pseudonyms {}", key.display());
    let output = berth(&folder, &line);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let renamed = text(&output.stdout);
    fs::write(folder.join("renamed.json"), &renamed).unwrap();
    let words: Value = serde_json::from_str(&fs::read_to_string(&key).unwrap()).unwrap();
    let original = |name: &str| {
        let parts = name.split_inclusive(|c: char| !c.is_alphanumeric());
        let word = |part: &str| {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
            let known = words[word].as_str().unwrap_or(word);
            known.to_owned() + part.strip_prefix(word).unwrap_or_default()
        };
        parts.map(word).collect::<String>()
    };
    let of_dump = places(&folder, "list.json", str::to_owned);
    assert_eq!(places(&folder, "small.json.xz", str::to_owned), of_dump);
    assert_eq!(places(&folder, "renamed.json", original), of_dump);
    for (namespace, name) in of_dump.keys() {
        for private in [namespace, name] {
            let is_kept = private.starts_with("kube-") || private == "default";
            let quoted = format!("\"{private}\"");
            assert!(is_kept || !renamed.contains(&quoted), "{private}");
        }
    }
    assert!(!renamed.contains("ip-10-") && !renamed.contains("registry.example.com"));
    // A key is never written over.
    assert_eq!(berth(&folder, &line).status.code(), Some(2));
}

/// A list that ends early is an error, never a smaller cluster.
#[test]
fn a_list_that_ends_early_is_no_answer() {
    let folder = stand_in("broken");
    let whole = fs::read_to_string(folder.join("list.json")).unwrap();
    fs::write(folder.join("list.json"), &whole[..whole.len() - 40]).unwrap();
    for line in ["why web-0", "snapshot"] {
        let output = berth(&folder, line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        let message = text(&output.stderr);
        assert!(
            message.contains("its list ended after 2 objects"),
            "{message}"
        );
    }
}

/// A server of another release has fields that Berth does not know.
#[test]
fn fields_of_other_releases_are_passed_over() {
    for release in ["v1.33.9", "v1.37.0"] {
        let folder = stand_in(&format!("release-{release}"));
        let mut list = list();
        for item in list["items"].as_array_mut().unwrap() {
            item["metadata"]["laterMetadata"] = json!({"a": [1]});
            item["spec"]["laterSpec"] = json!([{"name": "x"}]);
            item["status"]["laterStatus"] = json!("x");
            item["status"]["nodeInfo"] = json!({"kubeletVersion": release, "laterInfo": 1});
        }
        fs::write(folder.join("list.json"), list.to_string()).unwrap();
        let output = berth(&folder, "why web-0 -o json");
        let messages = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{messages}");
        let unknown = "the cluster has fields that Berth does not know, as of another release: \
                       metadata.laterMetadata, spec.laterSpec, status.laterStatus and 2 more (-v lists them)";
        assert!(messages.contains(unknown), "{messages}");
        assert!(!messages.contains("unknown field"), "{messages}");
        let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(explained["report"]["reason"]["code"], "unschedulable");
    }
}

/// A reader that leaves early ends the command without a message.
#[test]
fn a_reader_may_leave() {
    let folder = stand_in("leaves");
    let line = format!("{} snapshot | head -c 10", env!("CARGO_BIN_EXE_berth"));
    let output = Command::new("sh")
        .args(["-c", &line])
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .output()
        .unwrap();
    assert!(
        !text(&output.stderr).contains("error"),
        "{}",
        text(&output.stderr)
    );
}

/// Without nodes nothing can be said.
#[test]
fn who_may_not_list_nodes_is_told_what_to_do() {
    let folder = stand_in("no-nodes");
    let refused = "#!/bin/sh\necho 'Error from server (Forbidden): nodes is forbidden: User \"dev\" cannot list resource \"nodes\" in API group \"\" at the cluster scope' >&2\nexit 1\n";
    fs::write(folder.join("kubectl"), refused).unwrap();
    let output = berth(&folder, "why web-0");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(
        message.starts_with("error: you may not list nodes"),
        "{message}"
    );
}

/// Most of a large dump is what nobody reads: memory holds the rest.
#[test]
#[ignore = "lists a cluster of 1,000 nodes and 20,000 Pods"]
fn a_large_cluster_is_listed_in_bounded_memory() {
    let folder = stand_in("large");
    let script = r#"#!/bin/sh
case "$*" in
*resourceclaims*) echo '{"items": []}';;
*) awk 'BEGIN {
  printf "{\"kind\": \"List\", \"items\": [";
  filler = sprintf("%5000s", ""); gsub(/ /, "x", filler);
  for (i = 0; i < 1000; i++) printf "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%d\",\"uid\":\"n%d\",\"managedFields\":[\"%s\"]},\"status\":{\"allocatable\":{\"cpu\":\"32\",\"memory\":\"64Gi\",\"pods\":\"110\"}}}", (i ? "," : ""), i, i, filler;
  for (i = 0; i < 20000; i++) printf ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"namespace\":\"shop\",\"uid\":\"p%d\",\"managedFields\":[\"%s\"]},\"spec\":{\"nodeName\":\"n%d\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}", i, i, filler, i % 1000;
  print "]}" }';;
esac
"#;
    fs::write(folder.join("kubectl"), script).unwrap();
    // 100 MB of text in less than half of it.
    let line = format!(
        "ulimit -v 150000 && {} snapshot --color never | wc -l",
        env!("CARGO_BIN_EXE_berth")
    );
    let output = Command::new("sh")
        .args(["-c", &line])
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .output()
        .unwrap();
    assert_eq!(
        text(&output.stdout).trim(),
        "21002",
        "{}",
        text(&output.stderr)
    );
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
