//! Kinds without a page of their own: prints every field, with its name split into words.

use serde_json::Value;

use super::page::Page;
use super::{Context, parts};
use crate::printers::fields::{Fields, scalar};

/// Metadata that the top of the page already shows, or that is hidden.
const SHOWN: [&str; 5] = [
    "name",
    "namespace",
    "labels",
    "annotations",
    "managedFields",
];

pub(crate) fn generic(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
    parts::metadata(page, object);
    let mut rest = object.clone();
    if let Some(metadata) = rest.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| !SHOWN.contains(&name.as_str()));
    }
    fields(page, 0, &rest);
}

fn fields(page: &mut Page, depth: usize, map: &Value) {
    for (name, value) in map.entries_here() {
        let name = words(name);
        match value {
            Value::Object(_) => {
                page.line(depth, format!("{name}:"));
                fields(page, depth + 1, value);
            }
            Value::Array(items) => {
                page.line(depth, format!("{name}:"));
                for item in items {
                    if item.is_object() {
                        fields(page, depth + 1, item);
                    } else {
                        page.line(depth + 1, scalar(item));
                    }
                }
            }
            Value::Null => page.field(depth, &name, "<nil>"),
            other => page.field(depth, &name, scalar(other)),
        }
    }
}

/// `creationTimestamp` as `Creation Timestamp`; names with other characters stay unchanged.
fn words(name: &str) -> String {
    if name
        .chars()
        .any(|letter| !letter.is_alphabetic() && letter != '-')
    {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let mut parts: Vec<String> = Vec::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| letters.get(index));
        let after = letters.get(index + 1);
        let starts = match before {
            None => true,
            Some(before) if *letter == '-' || *before == '-' => true,
            Some(before) => {
                letter.is_uppercase()
                    && (before.is_lowercase() || after.is_some_and(|it| it.is_lowercase()))
            }
        };
        if starts {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(*letter);
        }
    }
    let parts = parts.into_iter().map(|part| {
        let upper = part.to_uppercase();
        if matches!(upper.as_str(), "API" | "URL" | "UID" | "GUID") {
            return upper;
        }
        if part.chars().any(char::is_uppercase) {
            return part;
        }
        let mut letters = part.chars();
        let first = letters.next().map(|it| it.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    });
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, expected) in [
            ("creationTimestamp", "Creation Timestamp"),
            ("apiVersion", "API Version"),
            ("uid", "UID"),
            ("kind", "Kind"),
            ("podCIDR", "Pod CIDR"),
            ("pod-template-hash", "Pod - Template - Hash"),
            ("app.kubernetes.io/name", "app.kubernetes.io/name"),
        ] {
            assert_eq!(words(name), expected);
        }
    }
}
