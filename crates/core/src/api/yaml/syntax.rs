//! Readable syntax errors.

use berth_protocol::remark::Remark;

use super::depth;
use crate::api::source::{Position, advance};

pub(super) const EXPANDS_TOO_MUCH: &str = "the aliases of this document expand to too much";
pub(super) const KEY_IS_NO_SCALAR: &str = "a mapping or list cannot be a key";

/// A syntax error of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Relative to the document: its first line is 1.
    pub position: Position,
    pub message: Remark,
    pub help: Remark,
}

pub(super) fn too_deep(position: Position) -> SyntaxError {
    SyntaxError {
        position,
        message: Remark::too_deep(depth::MAX_DEPTH),
        help: Remark::unbalanced(),
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
            message: Remark::quoted(EXPANDS_TOO_MUCH),
            help: Remark::fewer_aliases(),
        };
    }
    if full.contains("more than one document") {
        return SyntaxError {
            position,
            message: Remark::after_the_end(),
            help: Remark::separate_documents(),
        };
    }
    let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
    let at = position.line.saturating_sub(1) as usize;
    let line = |at: usize| text.lines().nth(at).unwrap_or_default();
    // The reader often stumbles over the line after.
    let is_indented_so = [at.checked_sub(1), Some(at)]
        .into_iter()
        .flatten()
        .any(|at| has_no_break_indentation(line(at)));
    let help = if is_indented_so {
        Remark::no_break_indentation()
    } else {
        hint(&message, line(at))
    };
    SyntaxError {
        position,
        message: Remark::quoted(message),
        help,
    }
}

/// Whether a no-break space is before the first word of the line.
fn has_no_break_indentation(line: &str) -> bool {
    let word = line.trim_start_matches([' ', '-', '\u{a0}']);
    let indentation = line.strip_suffix(word).unwrap_or_default();
    indentation.contains('\u{a0}')
}

fn hint(message: &str, line: &str) -> Remark {
    if line.contains("{{") || line.contains("{%") {
        Remark::render_template()
    } else if line.trim_start_matches(' ').starts_with('\t')
        || message.contains("cannot start any token") && line.contains('\t')
    {
        Remark::no_tabs()
    } else if message.contains("mapping values are not allowed") {
        Remark::quote_colons()
    } else if message.contains("unknown anchor") {
        Remark::define_anchor()
    } else if message.contains("cannot start any token") {
        Remark::quote_signs()
    } else if message.contains("while parsing a block")
        || message.contains("expected key")
        || message.contains("expected ':'")
    {
        Remark::check_indentation()
    } else if message.contains("no JSON numbers") {
        Remark::quote_or_number()
    } else if message.contains(KEY_IS_NO_SCALAR) {
        Remark::quote_key("{")
    } else if message.contains("quoted scalar") || message.contains("unexpected end of stream") {
        Remark::quote_not_closed()
    } else if message.contains("while parsing a flow") {
        Remark::bracket_missing()
    } else {
        Remark::check_line()
    }
}
