//! Reads YAML and JSON text as JSON values, like `kubectl`. The only module that uses the YAML
//! crate.
//!
//! `kubectl` converts YAML to JSON with `sigs.k8s.io/yaml` (YAML 1.1, as resolved by go-yaml v2) and
//! decodes that. Here the same happens on top of a YAML 1.2 parser: [`resolve`] handles the plain
//! scalars that differ, [`value`] builds the JSON value.
//!
//! The parser returns values without positions, but the address of a string that it borrows from the
//! text gives the offset. [`mod@tree`] finds the bytes of all nodes, for [`mod@locate`] and for edits
//! in place.

mod context;
mod depth;
mod flow;
mod key;
mod kubectl_messages;
mod locate;
mod resolve;
mod split;
mod syntax;
pub mod tree;
mod value;
mod write;

pub use flow::{flow, flow_fields};
pub use kubectl_messages::is_message;
pub use locate::{Span, Target, locate, locate_in_item, segments};
pub use split::{Chunk, documents, split, split_json};
pub use syntax::SyntaxError;
pub use value::{Duplicate, Parsed, parse};
pub use write::write;

/// A JSON value as a YAML document, without `---`.
pub fn emit(value: &serde_json::Value) -> String {
    // Writing to memory does not fail, and every JSON value is a YAML value.
    let text = serde_yaml::to_string(value).unwrap_or_default();
    // The crate writes YAML 1.2, where `yes` is a text.
    match parse(&text) {
        Ok(parsed) if parsed.value == *value => text,
        _ => write(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{emit, parse};

    #[test]
    fn what_is_emitted_reads_the_same() {
        for text in [
            "yes",
            "on",
            "1_000",
            "0o14",
            "2026-01-01",
            "1:30",
            "~",
            "a: b",
            "x\ny\n",
            "=",
            "n",
        ] {
            let value = json!({"z": text, "a": [text, 1, true, null]});
            let emitted = emit(&value);
            assert_eq!(parse(&emitted).unwrap().value, value, "{emitted}");
        }
        assert_eq!(
            emit(&json!({"kind": "Pod", "apiVersion": "v1"})),
            "kind: Pod\napiVersion: v1\n"
        );
    }
}
