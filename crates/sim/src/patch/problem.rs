//! Why a strategic merge patch does not apply (apimachinery v1.36 `strategicpatch`).

use serde_json::{Map, Value};

use super::strategic::keys_of;

/// The API server's message about the first part of a patch that makes no sense for the object; `None` if it applies.
pub fn strategic_problem(target: &Value, patch: &Value) -> Option<String> {
    let patch = patch.as_object()?;
    if let Some(word) = patch.get("$patch").and_then(Value::as_str)
        && !matches!(word, "replace" | "delete" | "merge")
    {
        return Some(format!(
            "unknown patch type: {word} in map: {}",
            go_map(patch)
        ));
    }
    for (name, value) in patch {
        let is_order = name.starts_with("$setElementOrder/");
        if (is_order || name.starts_with("$deleteFromPrimitiveList/")) && !value.is_array() {
            let found = go_type(value);
            return Some(format!(
                "expected a []interface {{}}, but received a {found}"
            ));
        }
    }
    let fields = patch.iter().filter(|(name, _)| !name.starts_with('$'));
    let mut found = fields.filter_map(|(name, value)| {
        // What the object lacks is taken as it is.
        let own = target.get(name)?;
        match (own, value) {
            (Value::Array(own), Value::Array(items)) => in_list(name, own, items, target),
            _ => strategic_problem(own, value),
        }
    });
    found.next()
}

fn in_list(name: &str, own: &[Value], items: &[Value], owner: &Value) -> Option<String> {
    let key = match keys_of(name) {
        [one] => *one,
        // Ports of containers and of Services.
        [first, second] => match owner.get("image").is_some() || owner.get("name").is_some() {
            true => first,
            false => second,
        },
        _ => return None,
    };
    for item in items {
        let map = item.as_object()?;
        if map.get("$patch").is_some_and(|it| it == "replace") {
            return None;
        }
        if let Some(word) = map.get("$patch").and_then(Value::as_str)
            && !matches!(word, "delete" | "merge")
        {
            return Some(format!(
                "unknown patch type: {word} in map: {}",
                go_map(map)
            ));
        }
        let Some(value) = map.get(key) else {
            return Some(format!(
                "map: {} does not contain declared merge key: {key}",
                go_map(map)
            ));
        };
        let same = own.iter().find(|it| it.get(key) == Some(value));
        if let Some(problem) = same.and_then(|own| strategic_problem(own, item)) {
            return Some(problem);
        }
    }
    None
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn go_map(map: &Map<String, Value>) -> String {
    let mut keys: Vec<&String> = map.keys().collect();
    berth_base::sort::sort(&mut keys);
    let entries = keys.into_iter().map(|key| {
        let value = map.get(key).map(go).unwrap_or_default();
        format!("{key}:{value}")
    });
    let entries: Vec<String> = entries.collect();
    format!("map[{}]", entries.join(" "))
}

/// A value as Go's `%v` shows it.
fn go(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(go).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => go_map(map),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_need_their_merge_key_where_the_object_has_the_list() {
        let pod = json!({"spec": {"containers": [{"name": "a", "image": "i"}]}});
        let patch = json!({"spec": {"containers": [{"image": "x"}]}});
        assert_eq!(
            strategic_problem(&pod, &patch).as_deref(),
            Some("map: map[image:x] does not contain declared merge key: name")
        );
        assert_eq!(strategic_problem(&json!({"spec": {}}), &patch), None);
        let named = json!({"spec": {"containers": [{"name": "a", "image": "x"}]}});
        assert_eq!(strategic_problem(&pod, &named), None);
    }

    #[test]
    fn directives_are_checked() {
        let pod = json!({"spec": {"containers": [{"name": "a"}]}});
        for (patch, why) in [
            (
                json!({"spec": {"containers": [{"name": "a", "$patch": "bogus"}]}}),
                "unknown patch type: bogus in map: map[$patch:bogus name:a]",
            ),
            (
                json!({"spec": {"$setElementOrder/containers": 5}}),
                "expected a []interface {}, but received a int64",
            ),
        ] {
            assert_eq!(strategic_problem(&pod, &patch).as_deref(), Some(why));
        }
    }
}
