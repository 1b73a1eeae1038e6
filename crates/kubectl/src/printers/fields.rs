//! Access to fields of JSON objects; absent fields read as empty.

use serde_json::Value;

use berth_base::quantity::Quantity;
use berth_base::sort;

static NULL: Value = Value::Null;

/// Access by path: names separated by dots (`spec.template.spec`).
pub(crate) trait Fields {
    /// The value at a path; null if there is none.
    fn at(&self, path: &str) -> &Value;

    /// The string at a path; empty if there is none.
    fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_default()
    }

    /// The integer at a path; 0 if there is none.
    fn int(&self, path: &str) -> i64 {
        self.at(path).as_i64().unwrap_or_default()
    }

    /// Whether the value is `true`.
    fn is_true(&self, path: &str) -> bool {
        self.at(path) == &Value::Bool(true)
    }

    /// Whether there is a value.
    fn has(&self, path: &str) -> bool {
        !self.at(path).is_null()
    }

    /// The items of a list; none if there is no list.
    fn items(&self, path: &str) -> &[Value] {
        self.at(path).as_array().map_or(&[], Vec::as_slice)
    }

    /// The entries of the map at a path, by key.
    fn entries(&self, path: &str) -> Vec<(&str, &Value)> {
        self.at(path).entries_here()
    }

    /// The entries of this map, by key.
    fn entries_here(&self) -> Vec<(&str, &Value)>;

    /// A scalar as text; empty if there is none.
    fn scalar(&self, path: &str) -> String {
        scalar(self.at(path))
    }

    /// A quantity in its canonical form; empty if there is none.
    fn amount(&self, path: &str) -> String {
        amount(self.at(path))
    }
}

impl Fields for Value {
    fn at(&self, path: &str) -> &Value {
        let mut names = path.split('.');
        names
            .try_fold(self, |value, name| value.get(name))
            .unwrap_or(&NULL)
    }

    fn entries_here(&self) -> Vec<(&str, &Value)> {
        let entries = self.as_object().into_iter().flatten();
        let mut entries: Vec<_> = entries.map(|(key, value)| (key.as_str(), value)).collect();
        sort::sort_by(&mut entries, |a, b| a.0.cmp(b.0));
        entries
    }
}

/// A scalar as text, null as an empty text, and other values as JSON.
pub(crate) fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A quantity in its canonical form, as the API server stores it; other values unchanged.
pub(crate) fn amount(value: &Value) -> String {
    let text = scalar(value);
    Quantity::parse(&text).map_or(text, |amount| amount.to_string())
}

/// `a=1,b=2`, or `<none>` (apimachinery `labels.FormatLabels`).
pub(crate) fn pairs(labels: &[(&str, &Value)]) -> String {
    let pairs = labels.iter();
    let pairs: Vec<_> = pairs
        .map(|(key, value)| format!("{key}={}", scalar(value)))
        .collect();
    or_none(pairs.join(","))
}

/// A label selector as kubectl prints it (apimachinery `metav1.FormatLabelSelector`): `<none>` if it
/// is absent or selects everything.
pub(crate) fn selector(selector: &Value) -> String {
    let mut requirements: Vec<(String, String)> = Vec::new();
    for (key, value) in selector.entries("matchLabels") {
        requirements.push((key.to_owned(), format!("{key}={}", scalar(value))));
    }
    for expression in selector.items("matchExpressions") {
        let key = expression.text("key");
        let values = expression.items("values").iter();
        let mut values: Vec<_> = values.map(scalar).collect();
        sort::sort(&mut values);
        let values = values.join(",");
        let text = match expression.text("operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        requirements.push((key.to_owned(), text));
    }
    sort::sort_by(&mut requirements, |a, b| a.0.cmp(&b.0));
    let texts: Vec<_> = requirements.into_iter().map(|(_, text)| text).collect();
    or_none(texts.join(","))
}

/// The text, or `<none>` if it is empty.
pub(crate) fn or_none(text: impl Into<String>) -> String {
    let text = text.into();
    if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    }
}

/// The status condition of this type; null if there is none.
pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> &'a Value {
    let mut conditions = object
        .items("status.conditions")
        .iter()
        .filter(|condition| condition.text("type") == kind);
    conditions.next().unwrap_or(&NULL)
}

/// The owner with `controller: true`; null if there is none.
pub(crate) fn controller(object: &Value) -> &Value {
    let mut owners = object
        .items("metadata.ownerReferences")
        .iter()
        .filter(|owner| owner.is_true("controller"));
    owners.next().unwrap_or(&NULL)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_fields_are_empty() {
        let object = json!({"spec": {"replicas": 3, "paused": true, "name": "a"}});
        assert_eq!(object.int("spec.replicas"), 3);
        assert_eq!(object.int("spec.other"), 0);
        assert_eq!(object.text("spec.name.deeper"), "");
        assert!(object.is_true("spec.paused"));
        assert!(object.items("spec").is_empty());
        assert_eq!(object.scalar("spec.replicas"), "3");
    }

    #[test]
    fn selectors_are_printed_with_their_requirements_by_key() {
        let text = selector(&json!({
            "matchLabels": {"b": "2", "a": "1"},
            "matchExpressions": [
                {"key": "c", "operator": "NotIn", "values": ["y", "x"]},
                {"key": "aa", "operator": "DoesNotExist"},
                {"key": "d", "operator": "Exists"},
            ],
        }));
        assert_eq!(text, "a=1,!aa,b=2,c notin (x,y),d");
        assert_eq!(selector(&Value::Null), "<none>");
    }

    #[test]
    fn amounts_are_canonical() {
        assert_eq!(json!({"cpu": "0.5"}).amount("cpu"), "500m");
        assert_eq!(json!({"cpu": 2}).amount("cpu"), "2");
        assert_eq!(json!({"memory": "1024Mi"}).amount("memory"), "1Gi");
    }
}
