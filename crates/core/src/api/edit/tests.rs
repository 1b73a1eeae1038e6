//! Tables of text before and after an edit, and random edits checked against the expected objects.

mod block;
mod documents;
mod flow;
mod random;

use serde_json::{Value, json};

use super::{apply, apply_changes};
use crate::api::load::load;
use crate::api::source::SourceFile;
use berth_protocol::edit::{Edit, EditError, ObjectRef, PathStep};

/// `Node/a`, `Pod/team/web`.
fn object(name: &str) -> ObjectRef {
    let parts: Vec<&str> = name.split('/').collect();
    let (kind, namespace, name) = match parts.as_slice() {
        [kind, name] => (*kind, "", *name),
        [kind, namespace, name] => (*kind, *namespace, *name),
        _ => panic!("{name}"),
    };
    ObjectRef::new(kind, namespace, name)
}

/// `spec|taints|0|key`.
fn path(path: &str) -> Vec<PathStep> {
    let step = |step: &str| match step.parse() {
        Ok(index) => PathStep::Index(index),
        Err(_) => PathStep::Key(step.to_owned()),
    };
    path.split('|').map(step).collect()
}

fn set(name: &str, at: &str, value: Value) -> Edit {
    Edit::Set {
        object: object(name),
        path: path(at),
        value,
    }
}

fn append(name: &str, at: &str, value: Value) -> Edit {
    Edit::Append {
        object: object(name),
        path: path(at),
        value,
    }
}

fn remove(name: &str, at: &str) -> Edit {
    Edit::Remove {
        object: object(name),
        path: path(at),
    }
}

fn delete(name: &str) -> Edit {
    Edit::Delete {
        object: object(name),
    }
}

fn edited(before: &str, edits: &[Edit]) -> Result<String, EditError> {
    let files = [SourceFile::new("f", before)];
    let changes = apply(&load(&files), edits)?.changes;
    assert!(
        changes
            .windows(2)
            .all(|pair| pair[0].range.end < pair[1].range.start),
        "{changes:?}"
    );
    let after = apply_changes(&files, &changes).expect("changes that fit");
    Ok(after[0].text.to_string())
}

#[track_caller]
fn check(before: &str, edit: Edit, after: &str) {
    check_all(before, &[edit], after);
}

#[track_caller]
fn check_all(before: &str, edits: &[Edit], after: &str) {
    match edited(before, edits) {
        Ok(found) => assert_eq!(
            found, after,
            "\n--- found:\n{found}\n--- expected:\n{after}"
        ),
        Err(error) => panic!("{error}\n{before}"),
    }
}

#[track_caller]
fn refused(before: &str, edit: Edit, message: &str) {
    let error = edited(before, &[edit]).expect_err("a refusal");
    assert_eq!(error.to_string(), message);
}

fn taint(key: &str) -> Value {
    json!({"key": key, "effect": "NoSchedule"})
}
