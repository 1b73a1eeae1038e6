//! What attributes say: serde's, and comments.

use std::collections::BTreeMap;

use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

/// serde's attributes that [`super::declarations`] knows.
const KNOWN: [&str; 10] = [
    "default",
    "flatten",
    "rename",
    "rename_all",
    "rename_all_fields",
    "skip",
    "skip_serializing_if",
    "tag",
    "untagged",
    "with",
];

/// serde's attributes by name, with their values. Panics at one that is not known.
pub fn serde_of(attributes: &[Attribute]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
        let read = attribute.parse_nested_meta(|meta| {
            let name = meta.path.require_ident()?.to_string();
            assert!(KNOWN.contains(&name.as_str()), "serde({name}) is not known");
            let value = match meta.value() {
                Ok(value) => value.parse::<LitStr>()?.value(),
                Err(_) => String::new(),
            };
            found.insert(name, value);
            Ok(())
        });
        read.expect("names and values");
    }
    found
}

/// The name of a field or variant in JSON. `rule`: the `rename_all` of what has it.
pub fn json_name(attributes: &[Attribute], name: &str, rule: Option<&String>) -> String {
    match serde_of(attributes).remove("rename") {
        Some(name) => name,
        None => renamed(name, rule),
    }
}

fn renamed(name: &str, rule: Option<&String>) -> String {
    let with_first = |word: &str, change: fn(&str) -> String| {
        let (first, rest) = word.split_at(1);
        change(first) + rest
    };
    match rule.map(String::as_str) {
        None => name.to_owned(),
        Some("lowercase") => name.to_lowercase(),
        Some("camelCase") => {
            let words = name.split('_').enumerate();
            let words = words.map(|(at, word)| match at {
                0 => with_first(word, str::to_lowercase),
                _ => with_first(word, str::to_uppercase),
            });
            words.collect()
        }
        Some(rule) => panic!("rename_all = {rule} is not known"),
    }
}

/// Whether serde's macro serializes the type.
pub fn is_serialized(attributes: &[Attribute]) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|it| it.path().is_ident("derive")) {
        let read = attribute.parse_nested_meta(|meta| {
            let name = meta.path.segments.last();
            found |= name.is_some_and(|name| name.ident == "Serialize");
            Ok(())
        });
        read.expect("names");
    }
    found
}

/// The lines of a comment, in terms of JSON: what is `None` in Rust is null or, as what is empty, absent.
pub fn comment(attributes: &[Attribute], is_optional: bool) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else {
            return None;
        };
        match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) if meta.path.is_ident("doc") => Some(line.value()),
            _ => None,
        }
    });
    let lines = lines.map(|line| {
        let line = line.trim().replace("[`", "`").replace("`]", "`");
        match is_optional {
            true => line.replace("`None`", "absent").replace("empty", "absent"),
            false => line.replace("`None`", "`null`"),
        }
    });
    lines.collect()
}
