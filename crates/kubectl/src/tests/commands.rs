//! Helpers that run commands and check their output.

use serde_json::{Value, json};

use super::cluster::TestCluster;
use crate::call::Settings;
use crate::dispatch::{Invocation, invoke};
use crate::{Clock, Cluster, Output};
use berth_sim::store::Object;

/// Runs a line without its leading `kubectl`; words must not contain blanks.
pub(crate) fn run(cluster: &mut TestCluster, line: &str) -> Output {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    run_words(cluster, &words, &mut Settings::default())
}

/// Runs kubectl with these words.
pub(crate) fn run_words(
    cluster: &mut TestCluster,
    words: &[String],
    settings: &mut Settings,
) -> Output {
    let invocation = Invocation {
        arguments: words,
        stdin: "",
        folder: "",
        may_suspend: false,
        is_typed: false,
    };
    invoke(invocation, settings, cluster).0
}

/// Asserts that a line prints exactly this and succeeds.
#[track_caller]
pub(crate) fn prints(cluster: &mut TestCluster, line: &str, expected: &str) {
    let output = run(cluster, line);
    assert_eq!((output.stderr.as_str(), output.code), ("", 0), "{line}");
    assert_eq!(output.stdout, expected, "{line}:\n{}", output.stdout);
}

/// Asserts that a line fails with this error and prints nothing else.
#[track_caller]
pub(crate) fn fails(cluster: &mut TestCluster, line: &str, expected: &str) {
    let output = run(cluster, line);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1), "{line}");
    assert_eq!(output.stderr.trim_end(), expected.trim_end(), "{line}");
}

/// Creates an object.
pub(crate) fn create(cluster: &mut TestCluster, manifest: &Value) {
    let (object, problems) = berth_core::api::load::read_object(manifest);
    let object = object.as_ref().and_then(Object::of_manifest);
    let object = object.unwrap_or_else(|| panic!("{problems:?}"));
    cluster.api_mut().create_object(object).expect("it is new");
    cluster.settle();
}

/// A cluster with a node and a ReplicaSet of two Pods, five seconds old.
pub(crate) fn web() -> TestCluster {
    let mut cluster = TestCluster::with_nodes(&["n1"]);
    create(
        &mut cluster,
        &json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "c", "image": "nginx"}]},
                },
            },
        }),
    );
    cluster.play(5);
    cluster
}
