//! `kind: Scenario` (`berth.dev/v1alpha1`): Berth's own document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The API version of [`Scenario`] documents.
pub const API_VERSION: &str = "berth.dev/v1alpha1";

/// What a file of manifests is about: title, steps to play, hints, and what must come true.
///
/// A file without this document is a scenario too. `metadata` is accepted and ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scenario {
    pub api_version: String,
    pub kind: String,
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub metadata: serde_json::Value,
    pub title: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// Lines as they are typed, in order: `kubectl scale deployment web --replicas=3`.
    pub steps: Option<Vec<String>>,
    /// Shown one after another, on demand.
    pub hints: Option<Vec<String>>,
    pub expectations: Option<Vec<Expectation>>,
}

/// A condition on the state of the cluster; every field that is given must hold.
///
/// Meant are the Pods that `pod` or `selector` picks, finished ones left out. Without `count` each
/// of them must be as the other fields say, and there must be at least one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Expectation {
    /// `name` or `namespace/name` of a Pod. Either this or `selector` says which Pods are meant.
    pub pod: Option<String>,
    /// Labels of the Pods that are meant.
    pub selector: Option<BTreeMap<String, String>>,
    /// Namespace for `selector`, or for a `pod` that names none; `default` if absent.
    pub namespace: Option<String>,
    /// `Bound`, `Pending`, `Gated` or `Deleted`. If absent: bound where a node is given, waiting
    /// where a message is, else anything but deleted.
    pub state: Option<String>,
    /// The node that each of them is on.
    pub node: Option<String>,
    /// Each of them is on one of these nodes.
    pub nodes: Option<Vec<String>>,
    /// How many of the Pods are as the fields above and `message` say, exactly.
    pub count: Option<i32>,
    /// Topology keys, each with the number of these Pods that one domain may hold:
    /// `{kubernetes.io/hostname: 1}` is one per node.
    pub max_per: Option<BTreeMap<String, i32>>,
    /// Text that the Pods' `FailedScheduling` message (or that of their gate) contains.
    pub message: Option<String>,
}

/// The words for `state`.
pub const STATES: [&str; 4] = ["Bound", "Pending", "Gated", "Deleted"];

impl Expectation {
    /// Namespace and name of the one Pod that is meant, if it is one.
    pub fn pod_name(&self) -> Option<(&str, &str)> {
        let pod = self.pod.as_deref()?;
        Some(match pod.split_once('/') {
            Some((namespace, name)) => (namespace, name),
            None => (self.namespace_or_default(), pod),
        })
    }

    /// The namespace of the Pods that `selector` means.
    pub fn namespace_or_default(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }

    /// Whether it speaks of nodes, so that only bound Pods can meet it.
    pub fn wants_node(&self) -> bool {
        self.node.is_some() || self.nodes.is_some() || self.max_per.is_some()
    }
}
