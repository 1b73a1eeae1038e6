//! A Script as it is played with controllers: `create`, `update` and `delete` of whole objects, as without
//! them, and what people do to workloads, with the kubelet's rules, as for `-o timeline`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::api::decode::{Finding, decode};
use crate::api::script::{self, Script};
use crate::sim::timeline::script::{KubeletRules, Step, VERBS, check_rules};

/// A script in its two parts.
#[derive(Clone, Debug, Default)]
pub struct LifeScript {
    pub script: Script,
    pub kubelet: KubeletRules,
    /// What people do to workloads, by number of step: as it is written, and what it means.
    pub verbs: BTreeMap<usize, (String, Step)>,
}

/// Reads a script with all that is wrong with it; what is wrong is left out.
pub fn read(document: &Value) -> (LifeScript, Vec<Finding>) {
    let mut plain = document.clone();
    let mut life = LifeScript::default();
    let mut findings = Vec::new();
    if let Some(rules) = take(&mut plain, "kubelet") {
        let (read, found) = decode::<KubeletRules>(&rules);
        findings.extend(found.into_iter().map(|finding| under("kubelet", finding)));
        if let Some(rules) = read {
            findings.extend(check_rules(&rules));
            life.kubelet = *rules;
        }
    }
    let steps = plain.get_mut("steps").and_then(Value::as_array_mut);
    for (number, step) in steps.into_iter().flatten().enumerate() {
        let own = take_verbs(step);
        if own.is_empty() {
            continue;
        }
        let path = format!("steps[{number}]");
        if own.len() > 1 {
            let verbs: Vec<&str> = own.keys().map(String::as_str).collect();
            let message = format!("a step does one of these: {}", verbs.join(", "));
            let help = "write one step for each, at the same time";
            findings.push(Finding::error(path, message).help(help));
            continue;
        }
        let text = own.iter().map(|(verb, what)| format!("{verb} {what}"));
        let text: String = text.collect();
        let (read, found) = decode::<Step>(&Value::Object(own));
        findings.extend(found.into_iter().map(|finding| under(&path, finding)));
        if let Some(step) = read {
            life.verbs.insert(number, (text, *step));
        }
    }
    let (script, found) = script::read_among(&plain, &VERBS);
    life.script = script;
    findings.extend(found);
    (life, findings)
}

fn take(object: &mut Value, field: &str) -> Option<Value> {
    object.as_object_mut()?.shift_remove(field)
}

/// What a step does to workloads. `delete` is such a verb if it names one object, not a list of them.
fn take_verbs(step: &mut Value) -> Map<String, Value> {
    let mut own = Map::new();
    for verb in VERBS {
        let is_plain = verb == "delete" && step.get(verb).is_none_or(|it| !it.is_object());
        if is_plain {
            continue;
        }
        if let Some(what) = take(step, verb) {
            own.insert(verb.to_owned(), what);
        }
    }
    own
}

fn under(path: &str, finding: Finding) -> Finding {
    Finding {
        path: if finding.path.is_empty() {
            path.to_owned()
        } else {
            format!("{path}.{}", finding.path)
        },
        ..finding
    }
}
