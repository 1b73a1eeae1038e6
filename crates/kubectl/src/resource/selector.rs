//! `-l` and `--field-selector` (apimachinery v0.34 `labels.Parse`, `fields.ParseSelector`).

mod parse;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde_json::Value;

use crate::kinds::KindInfo;
use crate::kinds::version_and_resource;
use berth_scheduler::selector::matches;
use berth_sim::server::DEFAULT_ACCOUNT;
use berth_sim::store::Object;

pub use parse::parse_labels;

/// What objects must satisfy to be selected.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    labels: LabelSelector,
    /// Terms with `>` and `<`, which selectors in API objects do not support.
    bounds: Vec<LabelSelectorRequirement>,
    fields: Vec<FieldTerm>,
}

#[derive(Clone, Debug)]
struct FieldTerm {
    field: String,
    value: String,
    equal: bool,
}

impl Selection {
    /// Parses both selectors for commands that filter on the client; empty ones select everything.
    ///
    /// # Errors
    /// kubectl's error about a selector that cannot be parsed.
    pub fn parse(labels: &str, fields: &str) -> Result<Self, String> {
        Selection::read(labels, fields).map_err(|why| format!("error: {why}"))
    }

    /// Parses both selectors for commands that send them to the API server, which checks them for each kind.
    ///
    /// # Errors
    /// The API server's error about a selector that cannot be parsed, or about a field that a kind's field selectors do
    /// not support.
    pub fn asked<'a>(
        labels: &str,
        fields: &str,
        kinds: impl IntoIterator<Item = &'a KindInfo>,
    ) -> Result<Self, String> {
        let read = Selection::read(labels, fields);
        for kind in kinds {
            let complaint = match &read {
                Ok(selection) => selection
                    .unsupported(kind)
                    .map(|field| not_supported(kind.kind, field)),
                Err(why) => Some(why.clone()),
            };
            if let Some(why) = complaint {
                return Err(format!(
                    "Error from server (BadRequest): Unable to find {:?} that match label selector {labels:?}, field selector {fields:?}: {why}",
                    version_and_resource(kind),
                ));
            }
        }
        read.map_err(|why| format!("error: {why}"))
    }

    fn read(labels: &str, fields: &str) -> Result<Self, String> {
        let mut labels = parse_labels(labels)?;
        let mut bounds = Vec::new();
        if let Some(terms) = &mut labels.match_expressions {
            let is_bound =
                |term: &LabelSelectorRequirement| matches!(term.operator.as_str(), "Gt" | "Lt");
            bounds = terms
                .iter()
                .filter(|term| is_bound(term))
                .cloned()
                .collect();
            terms.retain(|term| !is_bound(term));
        }
        Ok(Selection {
            labels,
            bounds,
            fields: parse_fields(fields)?,
        })
    }

    fn selects_labels(&self, labels: &BTreeMap<String, String>) -> bool {
        let holds = |term: &LabelSelectorRequirement| {
            let own = labels.get(&term.key).and_then(|it| it.parse::<i64>().ok());
            let bound = term.values.iter().flatten().next();
            let bound = bound.and_then(|it| it.parse::<i64>().ok());
            own.zip(bound)
                .is_some_and(|(own, bound)| match term.operator.as_str() {
                    "Gt" => own > bound,
                    _ => own < bound,
                })
        };
        matches(&self.labels, labels) && self.bounds.iter().all(holds)
    }

    /// Whether an object is selected.
    pub fn selects(&self, object: &Object) -> bool {
        let none = BTreeMap::new();
        let labels = object.metadata().labels.as_ref().unwrap_or(&none);
        if !self.selects_labels(labels) {
            return false;
        }
        if self.fields.is_empty() {
            return true;
        }
        self.selects_fields(&object.to_json())
    }

    /// Whether an object that has no labels, an event for example, is selected.
    pub fn selects_unlabeled(&self, object: &Value) -> bool {
        self.selects_labels(&BTreeMap::new()) && self.selects_fields(object)
    }

    fn selects_fields(&self, value: &Value) -> bool {
        self.fields
            .iter()
            .all(|term| (field_of(value, &term.field) == term.value) == term.equal)
    }

    /// The first field that a kind's field selectors do not support.
    fn unsupported(&self, kind: &KindInfo) -> Option<&str> {
        let own = supported(kind.kind);
        let mut fields = self.fields.iter().map(|term| term.field.as_str());
        fields.find(|field| {
            !matches!(*field, "metadata.name" | "metadata.namespace") && !own.contains(field)
        })
    }
}

/// The API server's words about a field that a kind's field selectors do not support; they differ between kinds that
/// support more than name and namespace, and those that do not.
fn not_supported(kind: &str, field: &str) -> String {
    match supported(kind) {
        [] => format!(
            "{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
        _ if kind == "Job" => format!("field label {field:?} not supported for Job"),
        _ => format!("field label not supported: {field}"),
    }
}

/// The fields, besides name and namespace, that a kind's field selectors support.
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
        "ReplicationController" => &["status.replicas"],
        "Job" => &["status.successful"],
        "Namespace" => &["status.phase"],
        "Secret" => &["type"],
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

/// A field's value as selectors compare it: text, empty if the field is absent.
fn field_of(object: &Value, path: &str) -> String {
    // An event's source is its component, which either field may hold.
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
        // A Pod that names no account has the default one.
        Value::Null if path == "spec.serviceAccountName" => DEFAULT_ACCOUNT.to_owned(),
        Value::Null if path == "status.successful" || path == "status.replicas" => "0".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let selection = Selection::parse(selector, "").expect("it is good");
        selection.selects_labels(&labels.collect())
    }

    #[test]
    fn label_selectors_select() {
        let web = [("app", "web"), ("tier", "front"), ("size", "5")];
        for (selector, is_selected) in [
            ("", true),
            ("app=web,tier==front", true),
            ("app=db", false),
            ("app!=db,!old,tier", true),
            ("app in (db, web),tier notin (back)", true),
            ("app notin (web)", false),
            ("!app", false),
            ("size>4,size<6", true),
            ("size>5", false),
            ("tier<9", false),
        ] {
            assert_eq!(selects(selector, &web), is_selected, "{selector}");
        }
        for wrong in ["app near (a)", "app in a", "-a=b", "a=b c"] {
            assert!(parse_labels(wrong).is_err(), "{wrong}");
        }
    }
}
