//! `--validate`: unknown fields are errors (`strict`), warnings (`warn`), or dropped (`ignore`).

use serde_json::Value;

use crate::call::Call;
use berth_core::api::decode::{Fault, Finding};
use berth_core::api::load::read_object;
use berth_core::api::yaml;

/// Drops unknown fields, unless validation is strict; the API server would drop them, too.
pub(super) fn relax(value: &mut Value, call: &Call<'_>, notes: &mut Vec<String>) {
    let warns = match call.arguments.word("validate") {
        Some("false" | "ignore") => false,
        Some("warn") => true,
        _ => return,
    };
    let (_, findings) = read_object(value);
    for finding in drop_unknown(value, findings) {
        if warns {
            notes.push(format!("Warning: {}", finding.message));
        }
    }
}

/// Removes the fields that the type does not have, and returns their findings.
pub(crate) fn drop_unknown(value: &mut Value, findings: Vec<Finding>) -> Vec<Finding> {
    let is_dropped =
        |it: &Finding| it.fault == Fault::UnknownField && remove(value, &it.path).is_some();
    findings.into_iter().filter(is_dropped).collect()
}

/// Removes the field at a path like `spec.containers[0].foo`.
fn remove(value: &mut Value, path: &str) -> Option<Value> {
    let segments = yaml::segments(path);
    let (name, owner) = segments.split_last()?;
    let owner = owner.iter().try_fold(value, |value, segment| match value {
        Value::Array(items) => items.get_mut(segment.parse::<usize>().ok()?),
        other => other.get_mut(segment),
    });
    owner?.as_object_mut()?.shift_remove(*name)
}
