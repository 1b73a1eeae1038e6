//! The parts of a Scenario that make it a case: what comes of one Pod, by which sums, and what would change it.

use berth_protocol::edit::Edit;
use berth_protocol::remark::Remark;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Expectation, Scenario};
use crate::api::decode::{Finding, decode};

/// The parts of a [`Scenario`] that make it a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Case {
    pub claim: Claim,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterfactual: Option<Counterfactual>,
    /// What comes of the same Pod on side `b` of the Scenario's `compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Claim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<CaseSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

/// What comes of the last attempt of a Pod. Only what is given is claimed, but of the reasons all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Claim {
    /// `name` or `namespace/name`.
    pub pod: String,
    /// It has no node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<bool>,
    /// The node that it lands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The node with the second-highest score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// The Score plugin that gives `node` the most over `over`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why nodes are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<ClaimReason>>,
}

/// A reason of a plugin, and the nodes that it rejects with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimReason {
    pub plugin: String,
    /// In the words of the scheduler.
    pub reason: String,
    /// Number of nodes with it; of all nodes, if PreFilter rejects the Pod.
    pub count: i64,
    /// The sums behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sums: Option<Vec<ClaimSum>>,
}

/// The numbers of one comparison on one node. Only what is given is claimed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSum {
    pub node: String,
    /// What is compared: a resource, a taint, a requirement, a topology domain, a port, a driver, a volume, a device.
    pub of: String,
    /// A quantity.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub requested: Value,
    /// A quantity, negative if more is taken than there is.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub free: Value,
    /// Pods in the domain, with this one if it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// Pods in the domain that has the fewest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_skew: Option<i64>,
}

/// Edits after which the Pod lands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counterfactual {
    /// As a sentence, for readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Edits, each still as JSON: [`Counterfactual::edits`] reads them.
    pub edits: Vec<Value>,
    /// The node that it then lands on.
    pub node: String,
}

/// Where a case comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CaseSource {
    /// A sentence.
    pub text: String,
    /// An address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// When a case was last found to hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Verified {
    /// The Kubernetes release: `1.36.3`.
    pub kubernetes: String,
    /// `2026-11-30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// A program with its version, or `kube-scheduler`.
    pub by: String,
}

impl Scenario {
    /// Whether it claims something.
    pub fn is_case(&self) -> bool {
        !self.claim.is_null()
    }

    /// The case in it, and what is wrong with its parts, by path. `None` without `claim`, or if it cannot be read.
    #[inline(never)]
    pub fn case(&self) -> (Option<Case>, Vec<Finding>) {
        let parts = [
            ("claim", &self.claim),
            ("counterfactual", &self.counterfactual),
            ("otherwise", &self.otherwise),
            ("source", &self.source),
            ("verified", &self.verified),
        ];
        let given = parts.into_iter().filter(|(_, part)| !part.is_null());
        let given: Map<String, Value> = given
            .map(|(name, part)| (name.to_owned(), part.clone()))
            .collect();
        if given.is_empty() {
            return (None, Vec::new());
        }
        let (case, mut findings) = decode::<Case>(&Value::Object(given));
        let case = case.map(|case| *case).filter(|_| self.is_case());
        match &case {
            Some(case) => {
                case.check(&mut findings);
                if case.otherwise.is_some() && self.compare.is_null() {
                    let path = "otherwise";
                    findings.push(Finding::error(path, Remark::otherwise_without_compare()));
                }
            }
            None if !self.is_case() => {
                let path = "claim";
                findings.push(Finding::error(path, Remark::case_without_claim()));
            }
            None => {}
        }
        (case, findings)
    }
}

impl Case {
    fn check(&self, findings: &mut Vec<Finding>) {
        let claims = [
            ("claim", Some(&self.claim)),
            ("otherwise", self.otherwise.as_ref()),
        ];
        for (path, claim) in claims {
            let Some(claim) = claim else {
                continue;
            };
            if claim.pod.is_empty() {
                let path = format!("{path}.pod");
                findings.push(Finding::error(path, Remark::claim_of_no_pod()));
            }
            if claim.waits.unwrap_or(false) == claim.node.is_some() {
                findings.push(Finding::error(path, Remark::waits_or_lands()));
            }
        }
        let is_wrong = |it: &Counterfactual| it.edits().is_none() || it.node.is_empty();
        if self.counterfactual.as_ref().is_some_and(is_wrong) {
            findings.push(Finding::error("counterfactual", Remark::edits_and_node()));
        }
    }
}

impl Counterfactual {
    /// The edits; `None` if there is none, or one cannot be read.
    pub fn edits(&self) -> Option<Vec<Edit>> {
        let edits = self.edits.iter();
        let edits = edits.map(|edit| serde_json::from_value(edit.clone()).ok());
        let edits: Option<Vec<Edit>> = edits.collect();
        edits.filter(|edits| !edits.is_empty())
    }
}

impl Claim {
    /// The part of it that is an expectation: whether the Pod has a node, and which.
    pub fn expectation(&self) -> Expectation {
        let state = self.node.is_none().then(|| "Pending".to_owned());
        Expectation {
            pod: Some(self.pod.clone()),
            state,
            node: self.node.clone(),
            ..Expectation::default()
        }
    }
}

impl Case {
    /// The fields of a Scenario that hold it, in their order.
    pub fn fields(&self) -> Map<String, Value> {
        match json!(self) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Scenario};

    fn read(yaml: &str) -> (Option<Case>, Vec<String>) {
        let scenario: Scenario = serde_yaml::from_str(yaml).unwrap();
        let (case, findings) = scenario.case();
        let findings = findings.into_iter().map(|it| it.path);
        (case, findings.collect())
    }

    #[test]
    fn a_case_is_read_and_written() {
        let (case, findings) = read(
            "claim: {pod: web, waits: true, reasons: [{plugin: NodeResourcesFit, reason: Insufficient cpu, count: 1, \
             sums: [{node: a, of: cpu, requested: 2, free: 1500m}]}]}\n\
             counterfactual: {edits: [{remove: {object: {kind: Node, namespace: '', name: a}, path: [spec, taints, 0]}}], node: a}\n\
             source: {text: Asked often., url: 'https://example.com'}\nverified: {kubernetes: 1.36.3, by: kube-scheduler}",
        );
        assert_eq!(findings, [""; 0]);
        let case = case.unwrap();
        let fields = serde_json::Value::Object(case.fields());
        assert_eq!(serde_json::from_value::<Case>(fields).unwrap(), case);
        assert_eq!(case.claim.expectation().state.unwrap(), "Pending");
        assert_eq!(read("title: a"), (None, Vec::new()));
    }

    #[test]
    fn what_is_wrong_with_a_case_is_reported_at_its_place() {
        for (yaml, path) in [
            ("claim: {waits: true}", "claim.pod"),
            ("claim: {pod: web}", "claim"),
            ("claim: {pod: web, waits: true, node: a}", "claim"),
            (
                "claim: {pod: web, waits: true, weights: 1}",
                "claim.weights",
            ),
            ("counterfactual: {node: a}", "claim"),
            ("otherwise: {pod: web, node: a}", "claim"),
            (
                "{claim: {pod: web, node: a}, otherwise: {pod: web, node: b}}",
                "otherwise",
            ),
            (
                "{claim: {pod: web, node: a}, compare: {b: {seed: 2}}, otherwise: {node: b}}",
                "otherwise.pod",
            ),
            (
                "{claim: {pod: web, node: a}, counterfactual: {node: a}}",
                "counterfactual",
            ),
            (
                "{claim: {pod: web, node: a}, counterfactual: {node: a, edits: [{move: {}}]}}",
                "counterfactual",
            ),
        ] {
            let (_, findings) = read(yaml);
            assert!(findings.iter().any(|it| it == path), "{yaml}: {findings:?}");
        }
    }
}
