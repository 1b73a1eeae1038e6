//! Splits a file into documents before parsing, so that a broken document does not affect the
//! following ones.

use std::ops::Range;

use super::kubectl_messages::is_message;
use crate::api::source::{Position, advance, saturate};

/// One document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Bytes of the file, without the separator lines.
    pub range: Range<usize>,
    /// Where the first byte is in the file.
    pub start: Position,
}

/// The documents of a file, without those that have only blank lines and comments.
///
/// `---` at the start of a line always ends a document (lines of block scalars are indented), and
/// so does `...`. Text after the dashes (`--- # comment`, `--- {a: 1}`) belongs to the new
/// document. Messages of kubectl before and after a document do not belong to it.
pub fn split(text: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut first_line = 1;
    let mut has_content = false;
    // Where the messages after the last content begin.
    let mut messages = None;
    let mut offset = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let end = offset + line.len();
        let body = if offset == 0 {
            line.trim_start_matches('\u{feff}')
        } else {
            line
        };
        if is_marker(body, "---") || is_marker(body, "...") {
            if has_content {
                chunks.push(Chunk {
                    range: start..messages.take().unwrap_or(offset),
                    start: line_start(first_line),
                });
            }
            let rest = body.get(3..).unwrap_or_default();
            has_content = body.starts_with("---") && is_content(rest);
            // With content after the dashes the marker stays, because the parser needs it there.
            (start, first_line) = if has_content {
                (end - body.len(), saturate(number))
            } else {
                (end, saturate(number + 1))
            };
        } else if is_message(body) {
            if has_content {
                messages.get_or_insert(offset);
            } else {
                (start, first_line) = (end, saturate(number + 1));
            }
        } else if is_content(body) {
            has_content = true;
            messages = None;
        } else if !has_content && body.starts_with('%') {
            // Directives (`%YAML 1.1`) have no effect here, and thousands of them are expensive to parse.
            (start, first_line) = (end, saturate(number + 1));
        }
        offset = end;
    }
    if has_content {
        chunks.push(Chunk {
            range: start..messages.unwrap_or(text.len()),
            start: line_start(first_line),
        });
    }
    chunks
}

/// The documents of a file, splitting concatenated JSON values too.
pub fn documents(text: &str) -> Vec<Chunk> {
    let chunks = split(text).into_iter().flat_map(|chunk| {
        let inner = text.get(chunk.range.clone()).unwrap_or_default();
        split_json(inner, &chunk).unwrap_or_else(|| vec![chunk])
    });
    chunks.collect()
}

/// The values of a text of concatenated JSON values, which `kubectl` accepts.
///
/// `None` if the text is not JSON, or a single value.
pub fn split_json(text: &str, chunk: &Chunk) -> Option<Vec<Chunk>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut position = chunk.start;
    while let Some(value) = values.next() {
        value.ok()?;
        let end = values.byte_offset();
        let piece = text.get(start..end)?;
        chunks.push(Chunk {
            range: chunk.range.start + start..chunk.range.start + end,
            start: position,
        });
        position = advance(position, piece, piece.len());
        start = end;
    }
    (chunks.len() > 1).then_some(chunks)
}

fn line_start(line: u32) -> Position {
    Position { line, column: 1 }
}

fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Whether a line has more than white space, a comment or a directive.
fn is_content(line: &str) -> bool {
    let line_start = line.trim_start();
    !line_start.is_empty() && !line_start.starts_with('#') && !line.starts_with('%')
}
