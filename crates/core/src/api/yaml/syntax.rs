//! Readable syntax errors.

use super::depth;
use crate::api::source::{Position, advance};

pub(super) const EXPANDS_TOO_MUCH: &str = "the aliases of this document expand to too much";
pub(super) const KEY_IS_NO_SCALAR: &str = "a mapping or list cannot be a key";

/// A syntax error of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Relative to the document: its first line is 1.
    pub position: Position,
    pub message: String,
    pub help: String,
}

pub(super) fn too_deep(position: Position) -> SyntaxError {
    SyntaxError {
        position,
        message: format!("nested more than {} levels deep", depth::MAX_DEPTH),
        help: "no Kubernetes object needs that; are brackets or quotes unbalanced?".to_owned(),
    }
}

/// Rephrases the YAML crate's error.
pub(super) fn explain(text: &str, error: &serde_yaml::Error) -> SyntaxError {
    let offset = error.location().map_or(0, |location| location.index());
    let position = advance(Position { line: 1, column: 1 }, text, offset);
    let full = error.to_string();
    if full.starts_with("recursion limit exceeded") {
        return too_deep(position);
    }
    if full.starts_with("repetition limit exceeded") || full.contains(EXPANDS_TOO_MUCH) {
        return SyntaxError {
            position,
            message: EXPANDS_TOO_MUCH.to_owned(),
            help: "write the repeated parts out, or use fewer aliases (`*name`)".to_owned(),
        };
    }
    if full.contains("more than one document") {
        return SyntaxError {
            position,
            message: "something follows the end of the document".to_owned(),
            help: "separate documents with a line `---`".to_owned(),
        };
    }
    let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
    let line = text
        .lines()
        .nth(position.line.saturating_sub(1) as usize)
        .unwrap_or_default();
    let help = hint(&message, line).to_owned();
    SyntaxError {
        position,
        message,
        help,
    }
}

fn hint(message: &str, line: &str) -> &'static str {
    if line.contains("{{") || line.contains("{%") {
        "this looks like a template; render it first, e.g. with `helm template`"
    } else if line.trim_start_matches(' ').starts_with('\t')
        || message.contains("cannot start any token") && line.contains('\t')
    {
        "indent with spaces: YAML allows no tabs there"
    } else if message.contains("mapping values are not allowed") {
        "check the indentation, and put values that hold `: ` in quotes"
    } else if message.contains("unknown anchor") {
        "define it first with `&name`, or put a value that starts with `*` in quotes"
    } else if message.contains("cannot start any token") {
        "put values that start with @, ` or % in quotes"
    } else if message.contains("while parsing a block")
        || message.contains("expected key")
        || message.contains("expected ':'")
    {
        "check the indentation of this line and the ones above it"
    } else if message.contains("no JSON numbers") {
        "put the value in quotes, or write a number"
    } else if message.contains(KEY_IS_NO_SCALAR) {
        "put the key in quotes if it starts with `{` or `[`"
    } else if message.contains("quoted scalar") || message.contains("unexpected end of stream") {
        "a quote is opened and not closed"
    } else if message.contains("while parsing a flow") {
        "a comma or a closing bracket is missing"
    } else {
        "check this line and the one above it"
    }
}
