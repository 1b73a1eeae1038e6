//! `--validate`: unknown fields are errors (`strict`), warnings (`warn`), or dropped (`ignore`).

use serde_json::Value;

use crate::call::Call;
use berth_core::api::load::read_object;

/// Drops unknown fields, unless validation is strict; the API server would drop them, too.
pub(super) fn relax(value: &mut Value, call: &Call<'_>, notes: &mut Vec<String>) {
    let warns = match call.arguments.word("validate") {
        Some("false" | "ignore") => false,
        Some("warn") => true,
        _ => return,
    };
    let (_, findings) = read_object(value);
    for finding in findings {
        if !finding.message.quotation().starts_with("unknown field") {
            continue;
        }
        if warns {
            notes.push(format!("Warning: {}", finding.message));
        }
        remove(value, &finding.path);
    }
}

/// Removes the field at a path like `spec.containers[0].foo`.
fn remove(value: &mut Value, path: &str) {
    let (owner, name) = path.rsplit_once('.').unwrap_or(("", path));
    let pointer = owner.replace('[', "/").replace(']', "").replace('.', "/");
    let pointer = if pointer.is_empty() {
        pointer
    } else {
        format!("/{pointer}")
    };
    if let Some(Value::Object(fields)) = value.pointer_mut(&pointer) {
        fields.shift_remove(name);
    }
}
