//! `kubectl set env --from`: variables that take their values from the keys of a ConfigMap or a Secret.

use serde_json::{Value, json};

use crate::call::Call;
use crate::printers::fields::Fields;
use crate::resource::targets::{ResourceArgument, wanted};
use crate::{Cluster, errors};
use berth_sim::store::Key;

/// The variables that `--from`, `--keys` and `--prefix` describe, sorted by key, and warnings of keys that
/// are no names; none without `--from`.
///
/// # Errors
/// kubectl's error about a source that does not exist, or that is neither a ConfigMap nor a Secret.
pub(super) fn variables(
    call: &Call<'_>,
    cluster: &dyn Cluster,
) -> Result<(Vec<Value>, Vec<String>), String> {
    let mut notes = Vec::new();
    let Some(from) = call.arguments.word("from") else {
        return Ok((Vec::new(), notes));
    };
    let chosen = call.arguments.list("keys");
    let prefix = call.arguments.word("prefix").unwrap_or_default();
    let mut variables = Vec::new();
    for ResourceArgument { kind, name } in wanted(&[from.to_owned()])? {
        let field = match kind.kind {
            "ConfigMap" => "configMapKeyRef",
            "Secret" => "secretKeyRef",
            _ => return Err("error: unsupported resource specified in --from".to_owned()),
        };
        let name = name.unwrap_or_default();
        let key = Key::new(call.namespace(), name);
        let Some(object) = cluster.api().get(kind.kind, &key) else {
            return Err(errors::not_found(kind.kind, name));
        };
        let object = object.to_json();
        for (key, _) in object.entries("data") {
            if chosen.is_empty() || chosen.contains(&key) {
                let variable = variable_of(key);
                if variable != key {
                    notes.push(format!("Warning: key {key} transferred to {variable}"));
                }
                let variable = format!("{prefix}{variable}");
                variables.push(json!({
                    "name": variable, "valueFrom": {field: {"key": key, "name": name}},
                }));
            }
        }
    }
    Ok((variables, notes))
}

/// `tls.crt` as `TLS_CRT`.
fn variable_of(key: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let letters = key
        .chars()
        .map(|letter| if fits(letter) { letter } else { '_' });
    letters.collect::<String>().to_uppercase()
}
