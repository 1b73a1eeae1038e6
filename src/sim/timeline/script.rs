//! `kind: Script` (`conformance/v1`): what happens to the objects of a file, and when.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::api::decode::{Finding, decode};

/// Seconds that a script may ask for: eleven days.
const MAX_SECONDS: i64 = 1_000_000;

/// A script, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Script {
    pub api_version: String,
    pub kind: String,
    pub metadata: Value,
    pub kubelet: KubeletRules,
    pub steps: Vec<Step>,
    /// The last second that is played.
    pub until: i64,
}

/// How Pods fare.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeletRules {
    /// Seconds from start to ready, or `never`; 0 if absent.
    pub ready_after: Option<Value>,
    pub run_seconds: Option<i64>,
    pub outcomes: Option<Vec<String>>,
    pub index_outcomes: Option<BTreeMap<String, Vec<String>>>,
    /// Grace of every Pod; each Pod's own if absent.
    pub grace_seconds: Option<i64>,
    /// Whether Pods that no rule is about live by their containers, as their commands and annotations say.
    /// Otherwise they are ready at once and run for ever.
    pub by_containers: bool,
    /// By the image of the first container.
    pub images: BTreeMap<String, Rule>,
    /// By the Pod's name.
    pub pods: BTreeMap<String, Rule>,
}

/// How some Pods fare; what is absent is as for the others.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    pub ready_after: Option<Value>,
    /// Seconds from start to end.
    pub run_seconds: Option<i64>,
    /// How the n-th started Pod of an owner ends: `succeed`, `fail`, `fail:CODE`, or `run` for ever. The
    /// last one repeats.
    pub outcomes: Option<Vec<String>>,
    /// The same for the Pods of one index of a Job.
    pub index_outcomes: Option<BTreeMap<String, Vec<String>>>,
}

impl Rule {
    /// Whether it tells anything.
    pub(super) fn says_something(&self) -> bool {
        self.ready_after.is_some()
            || self.run_seconds.is_some()
            || self.outcomes.is_some()
            || self.index_outcomes.is_some()
    }
}

/// One thing that somebody does; exactly one of the fields beside `at` is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Step {
    /// Seconds.
    pub at: i64,
    /// A manifest.
    pub apply: Option<Value>,
    pub delete: Option<Target>,
    pub scale: Option<Scale>,
    pub set_image: Option<SetImage>,
    pub pause: Option<Target>,
    pub resume: Option<Target>,
    pub undo: Option<Undo>,
    pub patch: Option<Patch>,
    pub delete_pod: Option<PodTarget>,
    pub set_ready: Option<PodTarget>,
    pub annotate_pod: Option<PodTarget>,
    /// A node: `name`, and if need be `labels` and `taints`, or a manifest.
    pub add_node: Option<Value>,
    pub remove_node: Option<Target>,
    pub taint_node: Option<TaintNode>,
    pub label_node: Option<LabelNode>,
}

/// Some object; a Deployment if it does not say. Nodes have no kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scale {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    pub replicas: i32,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetImage {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    pub image: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Undo {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    /// 0: the one before the present.
    pub to_revision: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Patch {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    /// A JSON merge patch.
    pub patch: Value,
}

/// A Pod, by name or as the `index`-th of those that a selector selects and that are not being deleted,
/// in the order of creation; with what shall become of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTarget {
    pub namespace: Option<String>,
    pub name: Option<String>,
    pub selector: Option<BTreeMap<String, String>>,
    pub index: usize,
    /// Of `setReady`.
    pub ready: Option<bool>,
    /// Of `annotatePod`; `null` removes.
    pub annotations: Option<BTreeMap<String, Option<String>>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaintNode {
    pub name: String,
    /// All taints that the node has from now on.
    pub taints: Vec<Value>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelNode {
    pub name: String,
    /// `null` removes.
    pub labels: BTreeMap<String, Option<String>>,
}

/// Reads a script.
pub fn read(value: &Value) -> (Option<Box<Script>>, Vec<Finding>) {
    let (script, mut findings) = decode::<Script>(value);
    if let Some(script) = &script {
        findings.extend(check(script, value));
    }
    (script, findings)
}

/// What a script says that makes no sense, in the order of the document.
fn check(script: &Script, value: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(check_rules(&script.kubelet));
    check_steps(script, value, &mut findings);
    check_seconds(Some(script.until), "until", &mut findings);
    findings
}

/// What the kubelet's rules say that makes no sense.
pub(in crate::sim) fn check_rules(rules: &KubeletRules) -> Vec<Finding> {
    let mut findings = Vec::new();
    let own = Rule {
        ready_after: rules.ready_after.clone(),
        run_seconds: rules.run_seconds,
        outcomes: rules.outcomes.clone(),
        index_outcomes: rules.index_outcomes.clone(),
    };
    check_rule(&own, "kubelet", &mut findings);
    for (name, rule) in &rules.images {
        check_rule(rule, &format!("kubelet.images[{name}]"), &mut findings);
    }
    for (name, rule) in &rules.pods {
        check_rule(rule, &format!("kubelet.pods[{name}]"), &mut findings);
    }
    check_seconds(rules.grace_seconds, "kubelet.graceSeconds", &mut findings);
    findings
}

fn check_steps(script: &Script, value: &Value, findings: &mut Vec<Finding>) {
    let written = value.get("steps").and_then(Value::as_array);
    for (index, step) in script.steps.iter().enumerate() {
        let path = format!("steps[{index}]");
        check_seconds(Some(step.at), &format!("{path}.at"), findings);
        let fields = written.and_then(|all| all.get(index)?.as_object());
        let verbs = fields.map_or(0, |fields| {
            fields
                .keys()
                .filter(|key| VERBS.contains(&key.as_str()))
                .count()
        });
        if verbs != 1 {
            let message = "a step does exactly one thing";
            let help = format!("give one of {}", VERBS.join(", "));
            findings.push(Finding::error(path, message).help(help));
        }
    }
}

/// The fields of a step that say what to do.
pub(in crate::sim) const VERBS: [&str; 15] = [
    "apply",
    "delete",
    "scale",
    "setImage",
    "pause",
    "resume",
    "undo",
    "patch",
    "deletePod",
    "setReady",
    "annotatePod",
    "addNode",
    "removeNode",
    "taintNode",
    "labelNode",
];

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
    let indexed = rule.index_outcomes.iter().flatten();
    let indexed = indexed.map(|(index, all)| (format!("{path}.indexOutcomes[{index}]"), all));
    for (path, outcomes) in listed.chain(indexed) {
        for (index, outcome) in outcomes.iter().enumerate() {
            if self::outcome(outcome).is_none() {
                let message = format!("unknown outcome {outcome:?}");
                let finding = Finding::error(format!("{path}[{index}]"), message);
                findings.push(finding.help("write succeed, fail, fail:CODE or run"));
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

/// `Some(None)` for `never`, seconds otherwise; `None` for what is neither.
pub(super) fn ready_after(value: &Value) -> Option<Option<i64>> {
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

/// The exit code that an outcome means, `Some(None)` for a Pod that runs on.
pub(super) fn outcome(text: &str) -> Option<Option<i32>> {
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
