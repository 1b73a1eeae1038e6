//! Random edits of documents in many styles: each makes the requested change and no other.
#![allow(clippy::too_many_lines, reason = "one arm for each kind of edit")]

use super::*;
use crate::api::edit::emit::{self, Flow, Style};
use crate::api::edit::value_of;
use crate::api::yaml;
use berth_base::random::Random;

const FILES: [&str; 4] = [
    include_str!("../../load/dump.yaml"),
    include_str!("../../../../../../tests/it/cli/shop.yaml"),
    include_str!("../../../../../../tests/it/cli/preemption.yaml"),
    include_str!("../../../../../../www/scenarios/default.yaml"),
];

const TEXTS: [&str; 12] = [
    "a",
    "yes",
    "1",
    "0x1",
    "a: b",
    "a,b",
    "it's",
    "#",
    "é\u{202e}",
    "x\ny",
    "",
    "16Gi",
];

fn pick<'a, T>(random: &mut Random, list: &'a [T]) -> &'a T {
    &list[random.below(list.len() as u64) as usize]
}

/// A random value of at most this depth.
fn value(random: &mut Random, depth: u32) -> Value {
    let kinds = if depth == 0 { 4 } else { 8 };
    let count = random.below(4);
    match random.below(kinds) {
        0 | 1 => json!(pick(random, &TEXTS)),
        2 => json!(random.below(100)),
        3 => json!(random.below(2) == 0),
        4 | 5 => (0..count).map(|_| value(random, depth - 1)).collect(),
        _ => {
            let entries = (0..count).map(|_| {
                let key = pick(random, &["a", "b.c/d", "on", "1", "e f", "name"]);
                ((*key).to_owned(), value(random, depth - 1))
            });
            Value::Object(entries.collect())
        }
    }
}

/// Random objects in a random style.
fn generated(random: &mut Random) -> String {
    let objects: Vec<Value> = (0..3)
        .map(|number| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("n{number}"), "labels": value(random, 1)},
                "spec": value(random, 3), "x": value(random, 3)})
        })
        .collect();
    let list =
        json!({"kind": "List", "apiVersion": "v1", "items": objects.clone(), "metadata": {}});
    let pretty = Flow::JsonLines {
        indent: String::new(),
        unit: pick(random, &["  ", "\t", "    "]).to_string(),
    };
    let style = Style {
        step: *pick(random, &[2, 4, 3]),
        indented_lists: random.below(2) == 0,
        newline: "\n",
    };
    let text = match random.below(7) {
        0 => emit::flow(&list, &pretty),
        1 => emit::flow(
            &list,
            &Flow::Json {
                spaced: random.below(2) == 0,
            },
        ),
        2 => emit::flow(&list, &Flow::Yaml),
        3 => commented(random, &emit::document(&list, style)),
        4 => yaml::emit(&list),
        5 => objects
            .iter()
            .map(|object| emit::flow(object, &pretty))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => {
            let documents = objects
                .iter()
                .map(|object| commented(random, &emit::document(object, style)));
            documents.collect::<Vec<_>>().join("---\n")
        }
    };
    match random.below(3) {
        0 => text.replace('\n', "\r\n"),
        1 => text.trim_end().to_owned(),
        _ => text,
    }
}

/// The text with comments on lines of their own and after values.
fn commented(random: &mut Random, text: &str) -> String {
    let mut result = String::new();
    for (number, line) in text.lines().enumerate() {
        if random.below(4) == 0 {
            result.push_str(&format!(
                "{:1$}# comment {number}\n",
                "",
                random.below(6) as usize
            ));
        }
        result.push_str(line);
        if random.below(4) == 0 {
            result.push_str(&format!(" # behind {number}"));
        }
        result.push_str(if random.below(9) == 0 { "\n\n" } else { "\n" });
    }
    result
}

/// Every path of a value.
fn paths(value: &Value, here: &[PathStep], all: &mut Vec<Vec<PathStep>>) {
    let mut below = |step: PathStep, value: &Value| {
        let mut path = here.to_vec();
        path.push(step);
        all.push(path.clone());
        paths(value, &path, all);
    };
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(key, value)| below(PathStep::Key(key.clone()), value)),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(at, value)| below(PathStep::Index(at), value)),
        _ => {}
    }
}

/// The value at a path, for writing.
fn slot<'v>(value: &'v mut Value, path: &[PathStep]) -> &'v mut Value {
    path.iter().fold(value, |value, step| match step {
        PathStep::Key(key) => &mut value[key.as_str()],
        PathStep::Index(index) => &mut value[*index],
    })
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
}

/// A random edit of an object, and the value that must result.
fn random_edit(random: &mut Random, object: &ObjectRef, old: &Value) -> (Edit, Value) {
    let mut all = Vec::new();
    paths(old, &[], &mut all);
    // The fields that identify the object are not edited.
    let names = [
        path("apiVersion"),
        path("kind"),
        path("metadata"),
        path("metadata|name"),
        path("metadata|namespace"),
    ];
    all.retain(|path| !names.contains(path));
    let mut path = pick(random, &all).clone();
    let mut expected = old.clone();
    let object = object.clone();
    let here = slot(&mut expected, &path).clone();
    match (random.below(4), here) {
        (0, _) => {
            let edit = Edit::Remove {
                object,
                path: path.clone(),
            };
            loop {
                let last = path.pop().unwrap();
                let parent = slot(&mut expected, &path);
                match last {
                    PathStep::Key(key) => drop(parent.as_object_mut().unwrap().shift_remove(&key)),
                    PathStep::Index(index) => drop(parent.as_array_mut().unwrap().remove(index)),
                }
                let is_metadata = path == super::path("metadata");
                if path.is_empty() || is_metadata || !is_empty(slot(&mut expected, &path)) {
                    return (edit, expected);
                }
            }
        }
        (1, Value::Array(_)) => {
            let value = value(random, 2);
            slot(&mut expected, &path)
                .as_array_mut()
                .unwrap()
                .push(value.clone());
            (
                Edit::Append {
                    object,
                    path,
                    value,
                },
                expected,
            )
        }
        (1 | 2, Value::Object(_)) => {
            path.push(PathStep::Key("a.new/key".to_owned()));
            let value = value(random, 2);
            *slot(&mut expected, &path) = value.clone();
            (
                Edit::Set {
                    object,
                    path,
                    value,
                },
                expected,
            )
        }
        _ => {
            let value = value(random, 2);
            *slot(&mut expected, &path) = value.clone();
            (
                Edit::Set {
                    object,
                    path,
                    value,
                },
                expected,
            )
        }
    }
}

#[test]
fn random_edits_make_only_the_requested_change() {
    let mut random = Random::new(34);
    let (mut made, mut refused) = (0, 0);
    for round in 0..600 {
        let before = if round % 4 == 0 {
            (*pick(&mut random, &FILES)).to_owned()
        } else {
            generated(&mut random)
        };
        let files = [SourceFile::new("f", before.as_str())];
        let loaded = load(&files);
        let objects: Vec<ObjectRef> = loaded
            .documents
            .iter()
            .filter(|document| !document.name.is_empty())
            .map(|document| {
                ObjectRef::new(
                    &document.kind,
                    document.namespace.clone().unwrap_or_default(),
                    &document.name,
                )
            })
            .collect();
        let chosen = pick(&mut random, &objects);
        let old = value_of(&loaded, chosen).unwrap_or_else(|| panic!("{chosen:?} in\n{before}"));
        let (edit, expected) = random_edit(&mut random, chosen, &old);
        let after = match edited(&before, std::slice::from_ref(&edit)) {
            Ok(after) => after,
            Err(error) => {
                refused += 1;
                eprintln!("{error}: {edit:?}\n{before}");
                continue;
            }
        };
        made += 1;
        let again = load(&[SourceFile::new("f", after.as_str())]);
        for object in &objects {
            let wanted = if object == chosen {
                Some(expected.clone())
            } else {
                value_of(&loaded, object)
            };
            assert_eq!(
                value_of(&again, object),
                wanted,
                "{edit:?}\n{before}\n=>\n{after}"
            );
        }
        untouched(&before, &after, &edit);
    }
    assert!(refused * 50 < made, "{refused} of {made} refused");
}

/// Checks that an insertion keeps all comment lines, and that appending changes at most two lines.
fn untouched(before: &str, after: &str, edit: &Edit) {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(before), lines(after));
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let changed = &old[same_start..old.len() - same_end];
    if let Edit::Append { value, .. } = edit {
        // Appending changes at most two lines: for a comma, a bracket, or a missing final newline.
        assert!(
            changed.len() <= 2,
            "{edit:?} {value}\n{before}\n=>\n{after}"
        );
    }
    if changed.len() <= 1 {
        return;
    }
    let comments = changed
        .iter()
        .filter(|line| line.trim_start().starts_with('#'));
    let lost = comments.filter(|line| !new.contains(line)).count();
    let inserts = matches!(edit, Edit::Append { .. })
        || matches!(edit, Edit::Set { path, .. } if path.last() == Some(&PathStep::Key("a.new/key".to_owned())));
    assert!(!inserts || lost == 0, "{edit:?}\n{before}\n=>\n{after}");
}
