//! `kind: Scenario` (`berth.dev/v1alpha1`): Berth's own kind of document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The API version of [`Scenario`] documents.
pub const API_VERSION: &str = "berth.dev/v1alpha1";

/// Describes a file of manifests: title, commands, hints, and expectations.
///
/// The document is optional. `metadata` is accepted and ignored.
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
    /// The Kubernetes release that is simulated: `1.36`.
    pub kubernetes: Option<String>,
    /// Feature gates of all components: `{NodeDeclaredFeatures: false}`.
    pub feature_gates: Option<BTreeMap<String, bool>>,
    /// Command lines in order: `kubectl scale deployment web --replicas=3`.
    pub steps: Option<Vec<String>>,
    /// Shown one after another, on demand.
    pub hints: Option<Vec<String>>,
    pub expectations: Option<Vec<Expectation>>,
}

/// A condition on the state of the cluster; all given fields must hold.
///
/// Concerns the unfinished Pods that match `pod` or `selector`. Without `count`, at least one must
/// match and all of them must satisfy the other fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Expectation {
    /// `name` or `namespace/name` of a Pod. Required unless `selector` is given.
    pub pod: Option<String>,
    /// Labels of the Pods.
    pub selector: Option<BTreeMap<String, String>>,
    /// Namespace of `selector`, or of a `pod` without one; defaults to `default`.
    pub namespace: Option<String>,
    /// `Bound`, `Pending`, `Gated` or `Deleted`. Defaults to `Bound` with a node, to a pending state with
    /// a message, and otherwise to any state but `Deleted`.
    pub state: Option<String>,
    /// The node of every Pod.
    pub node: Option<String>,
    /// The allowed nodes of every Pod.
    pub nodes: Option<Vec<String>>,
    /// The exact number of Pods that satisfy the fields above and `message`.
    pub count: Option<i32>,
    /// Topology keys, each with the maximum number of these Pods per domain:
    /// `{kubernetes.io/hostname: 1}` is one per node.
    pub max_per: Option<BTreeMap<String, i32>>,
    /// Text that the Pods' `FailedScheduling` message (or their gate's message) contains.
    pub message: Option<String>,
}

/// The values of `state`.
pub const STATES: [&str; 4] = ["Bound", "Pending", "Gated", "Deleted"];

impl Expectation {
    /// Namespace and name, if the expectation concerns one Pod.
    pub fn pod_name(&self) -> Option<(&str, &str)> {
        let pod = self.pod.as_deref()?;
        Some(match pod.split_once('/') {
            Some((namespace, name)) => (namespace, name),
            None => (self.namespace_or_default(), pod),
        })
    }

    /// The namespace of `selector`.
    pub fn namespace_or_default(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }

    /// Whether it names nodes, so that only bound Pods satisfy it.
    pub fn wants_node(&self) -> bool {
        self.node.is_some() || self.nodes.is_some() || self.max_per.is_some()
    }
}
