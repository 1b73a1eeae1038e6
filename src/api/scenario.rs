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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Expectation {
    /// `name` or `namespace/name` of a Pod. Either this or `selector` says which Pods are meant.
    pub pod: Option<String>,
    /// Labels of the Pods that are meant.
    pub selector: Option<BTreeMap<String, String>>,
    /// Namespace for `selector`; `default` if absent.
    pub namespace: Option<String>,
    /// `Bound`, `Pending`, `Gated` or `Deleted`.
    pub state: Option<String>,
    /// The node that each of them is on.
    pub node: Option<String>,
    /// How many Pods are in that state.
    pub count: Option<i32>,
    /// Text that the Pods' `FailedScheduling` message contains.
    pub message: Option<String>,
}
