//! `--sort-by` (kubectl v1.34 `pkg/cmd/get/sorter.go`).

use std::cmp::Ordering;

use serde_json::Value;

use crate::jsonpath::{Template, relaxed};
use berth_base::quantity::Quantity;
use berth_base::sort;

/// Sorts objects by the value at a path; objects without one come first. `false` if no object has one.
///
/// # Errors
/// kubectl's error about an invalid path.
pub(crate) fn sort_by(objects: &mut Vec<Value>, path: &str) -> Result<bool, String> {
    let path = relaxed(path).map_err(|why| format!("error: {why}"))?;
    let template = Template::parse(&path).map_err(|why| format!("error: {why}"))?;
    let mut keyed = Vec::with_capacity(objects.len());
    for object in std::mem::take(objects) {
        let results = template
            .results(&object)
            .map_err(|why| format!("error: {why}"))?;
        let key = results.into_iter().flatten().next();
        keyed.push((key, object));
    }
    let is_somewhere = keyed.is_empty() || keyed.iter().any(|(key, _)| key.is_some());
    sort::sort_by(&mut keyed, |a, b| compare(a.0.as_ref(), b.0.as_ref()));
    objects.extend(keyed.into_iter().map(|(_, object)| object));
    Ok(is_somewhere)
}

/// kubectl's error about a path that no object has.
pub(crate) fn nowhere(path: &str) -> String {
    let path = relaxed(path).unwrap_or_else(|_| path.to_owned());
    format!("error: couldn't find any field with path {path:?} in the list of objects")
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Less,
        (_, None) => Ordering::Greater,
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            let order = a.as_f64().partial_cmp(&b.as_f64());
            order.unwrap_or(Ordering::Equal)
        }
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (Some(Value::String(a)), Some(Value::String(b))) => {
            match (Quantity::parse(a), Quantity::parse(b)) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                _ => natural(a, b),
            }
        }
        (Some(a), Some(b)) => a.to_string().cmp(&b.to_string()),
    }
}

/// Natural order: `web-2` comes before `web-10`.
pub(crate) fn natural(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let (Some(a), Some(b)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len());
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let (x, rest_x) = number(left);
            let (y, rest_y) = number(right);
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            if order.is_ne() {
                return order;
            }
            (left, right) = (rest_x, rest_y);
        } else if a == b {
            left = left.get(a.len_utf8()..).unwrap_or_default();
            right = right.get(b.len_utf8()..).unwrap_or_default();
        } else {
            return a.cmp(&b);
        }
    }
}

/// The digits that a text starts with, without leading zeros, and the rest.
fn number(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    (digits.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sorted(values: &[Value], path: &str) -> Result<String, String> {
        let mut values = values.to_vec();
        sort_by(&mut values, path)?;
        let names: Vec<_> = values
            .iter()
            .map(|it| it["n"].as_str().unwrap_or("?"))
            .collect();
        Ok(names.join(" "))
    }

    #[test]
    fn numbers_amounts_and_names_have_their_own_order() {
        let values = [
            json!({"n": "web-10", "cpu": "2", "i": 3}),
            json!({"n": "web-2", "cpu": "500m", "i": 20}),
            json!({"n": "a", "cpu": "1500m"}),
        ];
        assert_eq!(sorted(&values, ".n").as_deref(), Ok("a web-2 web-10"));
        assert_eq!(sorted(&values, "{.cpu}").as_deref(), Ok("web-2 a web-10"));
        assert_eq!(sorted(&values, "i").as_deref(), Ok("a web-10 web-2"));
        assert_eq!(sort_by(&mut values.to_vec(), ".x"), Ok(false));
        assert_eq!(
            nowhere(".x"),
            "error: couldn't find any field with path \"{.x}\" in the list of objects"
        );
    }
}
