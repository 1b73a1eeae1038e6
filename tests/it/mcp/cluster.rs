//! The user's cluster, with a stand-in for kubectl that notes what it is asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{CLUSTER, Client, folder};

const KUBECTL: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/asked"
case "$*" in
*"config view"*) printf default;;
*"get resourceclaims"*) printf '{"apiVersion": "v1", "kind": "List", "items": []}';;
*" get "*|"get "*) cat "$here/list.json";;
*) exit 1;;
esac
"#;

fn server(folder: &Path, options: &[&str]) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_berth"));
    command.arg("mcp").args(options).current_dir(folder);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    Client::of(command)
}

#[test]
fn the_cluster_is_asked_only_if_the_user_allows_it_and_only_read() {
    let folder = folder("cluster");
    let kubectl = folder.join("kubectl");
    fs::write(&kubectl, KUBECTL).unwrap();
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).unwrap();
    let items = CLUSTER.split("---\n").map(|document| {
        let object: serde_json::Value = serde_yaml::from_str(document).unwrap();
        object
    });
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items.collect::<Vec<_>>()});
    fs::write(folder.join("list.json"), list.to_string()).unwrap();

    let mut client = server(&folder, &[]);
    let why = client.refused("load", json!({"name": "live", "cluster": true}));
    assert!(why.contains("--cluster"), "{why}");
    drop(client);
    assert!(!folder.join("asked").exists());

    let mut client = server(&folder, &["--cluster", "--context", "staging"]);
    let loaded = client.json("load", json!({"name": "live", "cluster": true}));
    assert_eq!(loaded, json!([]));
    let placed = client.json("schedule", json!({"from": ["live"]}));
    assert_eq!(placed["items"].as_array().map(Vec::len), Some(2));
    let asked = fs::read_to_string(folder.join("asked")).unwrap();
    for line in asked.lines() {
        let reads = line.contains(" get ") || line.contains("config view");
        assert!(reads && line.contains("--context staging"), "{line}");
    }
    let before = asked.len();
    client.json("explain", json!({"from": ["live"], "pod": "db"}));
    let after = fs::read_to_string(folder.join("asked")).unwrap().len();
    assert_eq!(before, after);
}
