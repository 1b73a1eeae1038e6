//! A script's `kubelet` field: when Pods become ready, and how they end.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::MAX_SECONDS;
use crate::api::decode::Finding;

/// The simulated kubelet's rules for Pods.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeletRules {
    /// Seconds from start to ready, or `never`; 0 if absent.
    pub ready_after: Option<Value>,
    pub run_seconds: Option<i64>,
    pub outcomes: Option<Vec<String>>,
    pub index_outcomes: Option<BTreeMap<String, Vec<String>>>,
    /// Grace period of every Pod; each Pod's own if absent.
    pub grace_seconds: Option<i64>,
    /// Whether the containers' commands and annotations determine how a Pod without a rule runs.
    /// Otherwise it is ready at once and runs forever.
    pub by_containers: bool,
    /// What processes do for which no annotation speaks, if Pods run by their containers.
    #[serde(skip)]
    pub processes: Processes,
    /// By the image of the first container.
    pub images: BTreeMap<String, Rule>,
    /// By the Pod's name.
    pub pods: BTreeMap<String, Rule>,
}

/// What the process in a container does without an annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Processes {
    /// What its command and its image let expect.
    #[default]
    ByCommand,
    /// It serves until it is stopped. Without a readiness probe it is ready five seconds after its start. One that ran and
    /// was not ready when its kubelet took it over stays so. Init containers end as by their command.
    Serve,
}

/// The rule for some Pods. An absent field falls through to the next rule: a Pod's own rule precedes the
/// rule of its image, which precedes the rule for all Pods.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    pub ready_after: Option<Value>,
    /// Seconds from start to end.
    pub run_seconds: Option<i64>,
    /// How the n-th started Pod of an owner ends: `succeed`, `fail`, `fail:CODE`, or `run` (forever). The
    /// last entry repeats.
    pub outcomes: Option<Vec<String>>,
    /// The same for the Pods of one index of a Job.
    pub index_outcomes: Option<BTreeMap<String, Vec<String>>>,
}

impl Rule {
    /// Whether no field is set.
    pub fn is_empty(&self) -> bool {
        self.ready_after.is_none()
            && self.run_seconds.is_none()
            && self.outcomes.is_none()
            && self.index_outcomes.is_none()
    }
}

impl KubeletRules {
    /// The rule for all Pods.
    pub fn for_all(&self) -> Rule {
        Rule {
            ready_after: self.ready_after.clone(),
            run_seconds: self.run_seconds,
            outcomes: self.outcomes.clone(),
            index_outcomes: self.index_outcomes.clone(),
        }
    }

    /// Validates the rules.
    pub(super) fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        check_rule(&self.for_all(), "kubelet", &mut findings);
        for (name, rule) in &self.images {
            check_rule(rule, &format!("kubelet.images[{name}]"), &mut findings);
        }
        for (name, rule) in &self.pods {
            check_rule(rule, &format!("kubelet.pods[{name}]"), &mut findings);
        }
        check_seconds(self.grace_seconds, "kubelet.graceSeconds", &mut findings);
        findings
    }
}

fn check_rule(rule: &Rule, path: &str, findings: &mut Vec<Finding>) {
    if let Some(value) = &rule.ready_after
        && ready_after(value).is_none()
    {
        let message = "must be a number of seconds or \"never\"";
        findings.push(Finding::error(format!("{path}.readyAfter"), message));
    }
    check_seconds(rule.run_seconds, &format!("{path}.runSeconds"), findings);
    let listed = rule
        .outcomes
        .iter()
        .map(|all| (format!("{path}.outcomes"), all));
    let indexed = rule
        .index_outcomes
        .iter()
        .flatten()
        .map(|(index, all)| (format!("{path}.indexOutcomes[{index}]"), all));
    for (path, outcomes) in listed.chain(indexed) {
        for (index, text) in outcomes.iter().enumerate() {
            if outcome(text).is_none() {
                let message = format!("unknown outcome {text:?}");
                let finding = Finding::error(format!("{path}[{index}]"), message);
                findings.push(finding.help("write succeed, fail, fail:CODE or run".into()));
            }
        }
    }
}

fn check_seconds(seconds: Option<i64>, path: &str, findings: &mut Vec<Finding>) {
    if seconds.is_some_and(|seconds| !(0..=MAX_SECONDS).contains(&seconds)) {
        let message = format!("must be between 0 and {MAX_SECONDS} seconds");
        findings.push(Finding::error(path, message));
    }
}

/// `Some(None)` for `never`, else the seconds; `None` if the value is neither.
pub fn ready_after(value: &Value) -> Option<Option<i64>> {
    match value {
        Value::String(text) if text == "never" => Some(None),
        Value::Number(number) => {
            let seconds = number.as_i64()?;
            (0..=MAX_SECONDS)
                .contains(&seconds)
                .then_some(Some(seconds))
        }
        _ => None,
    }
}

/// The exit code of an outcome; `Some(None)` for `run`; `None` if the text is not an outcome.
pub fn outcome(text: &str) -> Option<Option<i32>> {
    match text {
        "succeed" => Some(Some(0)),
        "fail" => Some(Some(1)),
        "run" => Some(None),
        _ => {
            let code = text.strip_prefix("fail:")?.parse().ok()?;
            (code != 0).then_some(Some(code))
        }
    }
}
