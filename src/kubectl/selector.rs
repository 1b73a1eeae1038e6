//! `-l` and `--field-selector` (apimachinery v1.34 `labels.Parse`, `fields.ParseSelector`).

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde_json::Value;

use super::kinds::KindInfo;
use crate::api::selector::matches;
use crate::sim::store::Object;

/// What objects must satisfy to be meant.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    labels: LabelSelector,
    fields: Vec<FieldTerm>,
}

#[derive(Clone, Debug)]
struct FieldTerm {
    field: String,
    value: String,
    equal: bool,
}

impl Selection {
    /// Reads both selectors; empty ones select everything.
    ///
    /// # Errors
    /// kubectl's line about a selector that cannot be read.
    pub fn parse(labels: &str, fields: &str) -> Result<Self, String> {
        Ok(Selection {
            labels: parse_labels(labels).map_err(|why| format!("error: {why}"))?,
            fields: parse_fields(fields).map_err(|why| format!("error: {why}"))?,
        })
    }

    /// Whether an object is selected.
    pub fn takes(&self, object: &Object) -> bool {
        let none = BTreeMap::new();
        let labels = object.metadata().labels.as_ref().unwrap_or(&none);
        if !matches(&self.labels, labels) {
            return false;
        }
        if self.fields.is_empty() {
            return true;
        }
        self.takes_fields(&object.to_json())
    }

    /// Whether an object that has no labels, an event for example, is selected.
    pub fn takes_unlabeled(&self, object: &Value) -> bool {
        matches(&self.labels, &BTreeMap::new()) && self.takes_fields(object)
    }

    fn takes_fields(&self, value: &Value) -> bool {
        self.fields
            .iter()
            .all(|term| (field_of(value, &term.field) == term.value) == term.equal)
    }

    /// The API server's line if a kind cannot be selected by one of the fields.
    ///
    /// # Errors
    /// That line.
    pub fn check(&self, kind: &KindInfo, fields: &str) -> Result<(), String> {
        let unknown = self.fields.iter().find(|term| {
            let own = supported(kind.kind);
            !matches!(term.field.as_str(), "metadata.name" | "metadata.namespace")
                && !own.contains(&term.field.as_str())
        });
        match unknown {
            None => Ok(()),
            Some(term) => Err(format!(
                "Error from server (BadRequest): Unable to find {:?} that match label selector \"\", field selector {fields:?}: field label not supported: {}",
                kind.version_and_resource(),
                term.field
            )),
        }
    }
}

/// The fields besides name and namespace by which objects of a kind can be selected.
fn supported(kind: &str) -> &'static [&'static str] {
    match kind {
        "Pod" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        "Node" => &["spec.unschedulable"],
        "ReplicationController" | "ReplicaSet" => &["status.replicas"],
        "Job" => &["status.successful"],
        "Namespace" => &["status.phase"],
        "Service" => &["spec.clusterIP", "spec.type"],
        "Event" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        _ => &[],
    }
}

/// A field as selectors compare it: text, empty if it is absent.
fn field_of(object: &Value, path: &str) -> String {
    // An event's source is its component, wherever that stands.
    if path == "source" {
        return match field_of(object, "source.component") {
            component if component.is_empty() => field_of(object, "reportingComponent"),
            component => component,
        };
    }
    let mut value = object;
    for part in path.split('.') {
        value = value.get(part).unwrap_or(&Value::Null);
    }
    match value {
        Value::String(text) => text.clone(),
        Value::Null if path.ends_with("unschedulable") || path.ends_with("hostNetwork") => {
            "false".to_owned()
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A field selector: `status.phase=Running,spec.nodeName!=n1`.
fn parse_fields(text: &str) -> Result<Vec<FieldTerm>, String> {
    let terms = text.split(',').filter(|term| !term.is_empty());
    let term = |term: &str| {
        let (field, value, equal) = if let Some((field, value)) = term.split_once("!=") {
            (field, value, false)
        } else if let Some((field, value)) = term.split_once("==") {
            (field, value, true)
        } else if let Some((field, value)) = term.split_once('=') {
            (field, value, true)
        } else {
            return Err(format!(
                "invalid selector: '{text}'; can't understand '{term}'"
            ));
        };
        Ok(FieldTerm {
            field: field.to_owned(),
            value: value.to_owned(),
            equal,
        })
    };
    terms.map(term).collect()
}

/// A label selector: `app=web,tier!=db,env in (a, b),!old,new`.
///
/// # Errors
/// What is wrong, as `labels.Parse` says it.
pub fn parse_labels(text: &str) -> Result<LabelSelector, String> {
    let mut requirements = Vec::new();
    for term in split_terms(text) {
        let term = term.trim();
        if term.is_empty() {
            continue;
        }
        requirements.push(requirement(term)?);
    }
    Ok(LabelSelector {
        match_labels: None,
        match_expressions: Some(requirements),
    })
}

/// Terms between commas that stand in no brackets.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                terms.push(text.get(start..index).unwrap_or_default());
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(text.get(start..).unwrap_or_default());
    terms
}

fn requirement(term: &str) -> Result<LabelSelectorRequirement, String> {
    let made = |key: &str, operator: &str, values: Option<Vec<String>>| {
        let key = key.trim();
        let errors = crate::api::validation::names::label_key_errors(key);
        if let Some(error) = errors.first() {
            return Err(format!(
                "unable to parse requirement: <nil>: Invalid value: {key:?}: {error}"
            ));
        }
        for value in values.iter().flatten() {
            let errors = crate::api::validation::names::label_value_errors(value);
            if let Some(error) = errors.first() {
                return Err(format!(
                    "unable to parse requirement: values[0][{key}]: Invalid value: {value:?}: {error}"
                ));
            }
        }
        Ok(LabelSelectorRequirement {
            key: key.to_owned(),
            operator: operator.to_owned(),
            values,
        })
    };
    let one = |value: &str| Some(vec![value.trim().to_owned()]);
    if let Some(key) = term.strip_prefix('!') {
        return made(key, "DoesNotExist", None);
    }
    if let Some((key, value)) = term.split_once("!=") {
        return made(key, "NotIn", one(value));
    }
    if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return made(key, "In", one(value));
    }
    let mut words = term.splitn(2, char::is_whitespace);
    let (key, rest) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default().trim(),
    );
    if rest.is_empty() {
        return made(key, "Exists", None);
    }
    let (operator, list) = match rest.split_once('(') {
        Some((operator, list)) => (operator.trim(), list.trim_end()),
        None => (rest, ""),
    };
    let Some(list) = list.strip_suffix(')') else {
        return Err(format!(
            "unable to parse requirement: found '{rest}', expected: in, notin, =, ==, !=, gt, lt"
        ));
    };
    let values = list.split(',').map(|value| value.trim().to_owned());
    match operator {
        "in" => made(key, "In", Some(values.collect())),
        "notin" => made(key, "NotIn", Some(values.collect())),
        other => Err(format!(
            "unable to parse requirement: found '{other}', expected: in, notin, =, ==, !=, gt, lt"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        matches(
            &parse_labels(selector).expect("it is good"),
            &labels.collect(),
        )
    }

    #[test]
    fn label_selectors_select() {
        let web = [("app", "web"), ("tier", "front")];
        for (selector, is_selected) in [
            ("", true),
            ("app=web,tier==front", true),
            ("app=db", false),
            ("app!=db,!old,tier", true),
            ("app in (db, web),tier notin (back)", true),
            ("app notin (web)", false),
            ("!app", false),
        ] {
            assert_eq!(selects(selector, &web), is_selected, "{selector}");
        }
        for wrong in ["app near (a)", "app in a", "-a=b", "a=b c"] {
            assert!(parse_labels(wrong).is_err(), "{wrong}");
        }
    }
}
