//! YAML and JSON text as JSON values, read as `kubectl` reads it. The only module that names the
//! YAML crate.
//!
//! `kubectl` converts YAML to JSON with `sigs.k8s.io/yaml` (YAML 1.1, as go-yaml v2 resolves it)
//! and decodes that. Here the same happens on top of a YAML 1.2 parser: [`resolve`] knows the
//! plain scalars that differ, [`value`] builds the JSON value.
//!
//! Positions: the parser hands out values without them, but strings that are borrowed from the
//! text say by their address where they stand, and an error raised at a node carries its line and
//! column. [`mod@locate`] uses the second to find any node by its path. [`mod@tree`] tells the bytes of
//! all nodes, for changes in place.

mod context;
mod depth;
mod key;
mod locate;
mod resolve;
mod split;
mod syntax;
pub mod tree;
mod value;
mod write;

pub use locate::{Span, Target, locate};
pub use split::{Chunk, documents, split, split_json};
pub use syntax::SyntaxError;
pub use value::{Duplicate, Parsed, parse};
pub use write::write;

/// A JSON value as a YAML document, without the `---` before it.
pub fn emit(value: &serde_json::Value) -> String {
    // Writing into memory cannot fail, and every JSON value is a YAML one.
    serde_yaml::to_string(value).unwrap_or_default()
}
