//! Conditions on a field of an object.

use serde_json::Value;

use crate::api::yaml::segments;

/// What is expected of a field of one object.
#[derive(Clone, Copy, Debug)]
pub struct Condition<'e> {
    /// `Kind`, `Kind/name` or `Kind/namespace/name`.
    pub object: &'e str,
    /// Empty: the object itself.
    pub path: &'e str,
    /// `null`: not asked.
    pub equals: &'e Value,
    /// `null`: not asked.
    pub contains: &'e Value,
    pub exists: Option<bool>,
}

impl Condition<'_> {
    /// Whether the object, if there is one, satisfies it.
    pub fn holds(&self, object: Option<&Value>) -> bool {
        let found = object.and_then(|object| at(object, self.path));
        let exists = self.exists.unwrap_or(true);
        if found.is_some() != exists {
            return false;
        }
        let Some(found) = found else { return true };
        (self.equals.is_null() || same(found, self.equals))
            && (self.contains.is_null() || contains(found, self.contains))
    }
}

/// The value at a field path: `metadata.labels[app]`, `spec.taints[0].key`. An empty path is the value
/// itself; `null` counts as absent.
pub fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut found = value;
    for segment in segments(path) {
        found = match found {
            Value::Array(items) => items.get(segment.parse::<usize>().ok()?)?,
            Value::Object(fields) => fields.get(segment)?,
            _ => return None,
        };
    }
    (!found.is_null()).then_some(found)
}

/// Whether two values are the same; a number equals its text, as quantities are written either way.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(number), Value::String(text))
        | (Value::String(text), Value::Number(number)) => *text == number.to_string(),
        _ => a == b,
    }
}

/// Whether a list has an item like `wanted`, or a map its entries; further fields do not matter.
fn contains(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Array(items), _) => items.iter().any(|item| includes(item, wanted)),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        _ => includes(found, wanted),
    }
}

fn includes(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(fields), Value::Object(entries)) => entries.iter().all(|(name, value)| {
            let own = fields.get(name).filter(|own| !own.is_null());
            match value {
                Value::Null => own.is_none(),
                value => own.is_some_and(|own| includes(own, value)),
            }
        }),
        (Value::Array(items), Value::Array(wanted)) => wanted
            .iter()
            .all(|wanted| items.iter().any(|item| includes(item, wanted))),
        _ => same(found, wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn condition<'e>(path: &'e str, equals: &'e Value, contains: &'e Value) -> Condition<'e> {
        Condition {
            object: "Node/n1",
            path,
            equals,
            contains,
            exists: None,
        }
    }

    #[test]
    fn a_field_is_compared_and_a_list_searched() {
        let node = json!({
            "metadata": {"labels": {"topology.kubernetes.io/zone": "a"}},
            "spec": {"taints": [{"key": "db", "effect": "NoSchedule"}], "pods": 110},
        });
        let null = Value::Null;
        let holds = |path: &str, equals: Value, contains: Value| {
            condition(path, &equals, &contains).holds(Some(&node))
        };
        assert!(holds(
            "metadata.labels[topology.kubernetes.io/zone]",
            json!("a"),
            null.clone()
        ));
        assert!(!holds(
            "metadata.labels[topology.kubernetes.io/zone]",
            json!("b"),
            null.clone()
        ));
        assert!(holds("spec.pods", json!("110"), null.clone()));
        assert!(holds("spec.taints", null.clone(), json!({"key": "db"})));
        assert!(holds(
            "spec.taints",
            null.clone(),
            json!({"key": "db", "value": null})
        ));
        assert!(!holds("spec.taints", null.clone(), json!({"key": "web"})));
        assert!(!holds("spec.missing", null.clone(), null.clone()));
        let absent = Condition {
            exists: Some(false),
            ..condition("spec.missing", &null, &null)
        };
        assert!(absent.holds(Some(&node)));
        assert!(absent.holds(None));
    }
}
