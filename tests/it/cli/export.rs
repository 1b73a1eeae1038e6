//! `berth export` writes files that Berth reads again, says what to do with them, and overwrites nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::{berth, json};

/// A folder of this name that does not exist.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("cli-export")
        .join(name);
    // There may be none.
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Standard output and standard error of a command line that ends with this status.
#[track_caller]
fn said(line: &str, status: i32) -> (String, String) {
    let output = berth(line);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{line}\n{out}{err}");
    (out, err)
}

/// Names and nodes of all Pods of a command line.
fn places(line: &str) -> Vec<(String, String)> {
    let list = json(&berth(&format!("schedule {line} -o json")));
    let text = |pod: &serde_json::Value, at: &str| {
        pod.pointer(at)
            .and_then(|it| it.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    let pods = list["items"].as_array().unwrap().iter();
    let mut places: Vec<_> = pods
        .map(|pod| (text(pod, "/metadata/name"), text(pod, "/spec/nodeName")))
        .collect();
    places.sort();
    places
}

#[test]
fn what_is_written_for_kwok_is_read_again() {
    let folder = folder("kwok");
    let to = folder.display();
    let (out, err) = said(
        &format!("export kwok {to} shop.yaml --config most-allocated.yaml"),
        0,
    );
    assert_eq!(err, "");
    let want = format!(
        "{to}/kwok.yaml\n{to}/scheduler.yaml\n{to}/cluster.yaml\n\nNext:\n  cd {to}\n  \
         kwokctl --name berth create cluster --config kwok.yaml\n  \
         kwokctl --name berth snapshot restore --format k8s --path cluster.yaml\n  \
         kwokctl --name berth kubectl get pods -A -o wide\n"
    );
    assert_eq!(out, want);
    let again = format!("{to}/cluster.yaml --config {to}/scheduler.yaml");
    assert_eq!(
        places("shop.yaml --config most-allocated.yaml"),
        places(&again)
    );
}

#[test]
fn what_exists_stays() {
    let folder = folder("exists");
    let to = folder.display();
    said(&format!("export manifests {to} shop.yaml"), 0);
    let file = folder.join("manifests.yaml");
    fs::write(&file, "mine").unwrap();
    fs::remove_file(folder.join("nodes.yaml")).unwrap();
    let (out, err) = said(&format!("export manifests {to} shop.yaml"), 2);
    assert_eq!(out, "");
    assert!(
        err.contains("manifests.yaml: exists already; name another folder"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert!(!Path::new(&folder.join("nodes.yaml")).exists());
}

#[test]
fn what_is_left_out_of_a_dump_is_counted() {
    let folder = folder("dump");
    let to = folder.display();
    let dump = "../../../www/scenarios/dump.yaml";
    let (_, err) = said(&format!("export kwok {to} {dump}"), 0);
    assert!(
        err.contains("objects are without their owners, which the files lack"),
        "{err}"
    );
    let again = format!("{to}/cluster.yaml");
    assert_eq!(places(dump), places(&again));
}
