//! `kind: Scenario` (`berth.dev/v1alpha1`): Berth's own kind of document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod case;
mod compare;
mod condition;
mod lesson;
mod lock;
mod texts;

pub use case::{Case, CaseSource, Claim, ClaimReason, ClaimSum, Counterfactual, Verified};
pub use compare::{Compare, CompareSide, TIE_BREAKS};
pub use condition::{Condition, at};
pub use lesson::{ASKED, Action, Lesson, Predict, PredictWrong, Step, Wrong};
pub use lock::Lock;
pub use texts::Texts;

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
    /// In a lesson, its goals.
    pub expectations: Option<Vec<Expectation>>,
    /// Markdown: what a lesson asks for, without saying how.
    pub task: Option<String>,
    /// `live`: opens as a simulated cluster; `schedule` (the default): Pods are only scheduled.
    pub mode: Option<String>,
    /// Command lines before a lesson starts, which the learner does not see being typed.
    pub before: Option<Vec<String>>,
    /// How long it takes.
    pub minutes: Option<i32>,
    /// Exams that ask for it: `CKA`, `CKAD`, `KCNA`, `CKS`.
    pub exam: Option<Vec<String>>,
    /// The tutorials and questions that a lesson answers.
    pub covers: Option<Vec<String>>,
    /// Prices of nodes by instance type or by pool; what they are prices of, an hour or a month, is for the user to say.
    pub prices: Option<BTreeMap<String, f64>>,
    /// What to compare, still as JSON: [`Scenario::pairing`] reads it.
    pub compare: Value,
    /// The parts of a case, still as JSON: [`Scenario::case`] reads them.
    pub claim: Value,
    pub counterfactual: Value,
    pub otherwise: Value,
    pub source: Value,
    pub verified: Value,
    /// The parts of a lesson, still as JSON: [`Lesson`] reads them, where a lesson is played.
    pub locked: Value,
    pub solution: Value,
    pub wrong: Value,
    pub predict: Value,
}

/// A condition on the state of the cluster; all given fields must hold.
///
/// Concerns the unfinished Pods that match `pod` or `selector`; without `count`, at least one must
/// match and all of them must satisfy the other fields. With `empty` or `drained`, it concerns nodes;
/// with `object` or `config`, a field of an object; with `oneOf`, other expectations.
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
    /// The number of Pods (or nodes) that satisfy the other fields, or a range of it:
    /// `{min: 2, max: 3}`.
    pub count: Value,
    /// Topology keys, each with the maximum number of these Pods per domain:
    /// `{kubernetes.io/hostname: 1}` is one per node.
    pub max_per: Option<BTreeMap<String, i32>>,
    /// Topology keys, each with the maximum difference between the domains of the nodes.
    pub skew: Option<BTreeMap<String, i32>>,
    /// Text that the Pods' `FailedScheduling` message (or their gate's message) contains.
    pub message: Option<String>,
    /// Whether one of these Pods was evicted or preempted since the start.
    pub evicted: Option<bool>,
    /// The minimum number of these Pods that were ready, at every moment since the start.
    pub never_below: Option<i32>,
    /// A duration (`60s`): what is expected came true at latest that long after the change by hand
    /// that led to it.
    pub within: Option<String>,
    /// A duration: it must not hold earlier than this.
    pub not_before: Option<String>,
    /// Of nodes: whether they run no Pods but those of DaemonSets and static ones.
    pub empty: Option<bool>,
    /// Of nodes: whether they are cordoned and empty.
    pub drained: Option<bool>,
    /// `Kind/name` or `Kind/namespace/name`: an object with a condition on one field, or on its
    /// existence.
    pub object: Option<String>,
    /// The field of `object`: `spec.template.spec.containers[0].image`.
    pub path: Option<String>,
    /// The field has this value.
    pub equals: Value,
    /// The field is a list with such an item, or a map with such entries.
    pub contains: Value,
    /// Whether the field, or without `path` the object, exists.
    pub exists: Option<bool>,
    /// A field of the KubeSchedulerConfiguration: `path` with `equals`, `contains` or `exists`.
    pub config: Value,
    /// At least one of these holds.
    pub one_of: Option<Vec<Expectation>>,
    /// The sentence of a goal, in place of the derived one. Markdown.
    pub words: Option<String>,
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
        let is_spread = self.max_per.is_some() || self.skew.is_some();
        self.node.is_some() || self.nodes.is_some() || is_spread
    }

    /// Whether it concerns nodes, not Pods.
    pub fn is_of_nodes(&self) -> bool {
        self.empty.is_some() || self.drained.is_some()
    }

    /// Whether it asks only what every expectation could ask before there were lessons. The page's first visit reads
    /// such ones.
    pub fn is_plain(&self) -> bool {
        self.evicted.is_none()
            && self.never_below.is_none()
            && self.within.is_none()
            && self.not_before.is_none()
            && self.skew.is_none()
            && self.path.is_none()
            && self.exists.is_none()
            && self.equals.is_null()
            && self.contains.is_null()
    }

    /// The smallest and the largest number; `None` without `count`, or if it is neither a number nor a range.
    pub fn count(&self) -> Option<(usize, usize)> {
        let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
        match &self.count {
            Value::Number(_) => number(&self.count).map(|count| (count, count)),
            Value::Object(range) => {
                let bound = |name: &str, default: usize| match range.get(name) {
                    None => Some(default),
                    Some(value) => number(value),
                };
                Some((bound("min", 0)?, bound("max", usize::MAX)?))
            }
            _ => None,
        }
    }

    /// A field of an object, or of the configuration; `None` if it concerns something else.
    pub fn condition(&self) -> Option<Condition<'_>> {
        if let Some(object) = &self.object {
            return Some(Condition {
                object,
                path: self.path.as_deref().unwrap_or_default(),
                equals: &self.equals,
                contains: &self.contains,
                exists: self.exists,
            });
        }
        let config = self.config.as_object()?;
        let value = |name: &str| config.get(name).unwrap_or(&Value::Null);
        Some(Condition {
            object: "KubeSchedulerConfiguration",
            path: value("path").as_str().unwrap_or_default(),
            equals: value("equals"),
            contains: value("contains"),
            exists: value("exists").as_bool(),
        })
    }
}

/// A duration in milliseconds, as Go writes it with one unit: `60s`, `2m`, `500ms`.
pub fn duration_ms(text: &str) -> Option<i64> {
    let at = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(at);
    let number: i64 = number.parse().ok()?;
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(unit)
}
