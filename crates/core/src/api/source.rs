//! Sources of text: files, and the piece of a file that holds one object.

use std::ops::Range;
use std::sync::Arc;

/// A file (or an editor's buffer) with manifests in YAML or JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name shown in problems (`pods.yaml`); `-` for standard input.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    /// A test holds that the API server accepts all of it: it is not validated again.
    pub is_valid: bool,
}

impl SourceFile {
    /// A file with a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        SourceFile {
            name: name.into(),
            text: text.into(),
            is_valid: false,
        }
    }
}

/// A position in a file: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// The piece of a file that holds one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Index into `Loaded::files`.
    pub file: usize,
    /// Index of the document in that file, from 0 (documents with only comments do not count).
    pub ordinal: u32,
    /// Bytes of the file's text. For an item of a `List`, the bytes of the item.
    pub range: Range<usize>,
    /// The position of the start of `range`.
    pub start: Position,
    /// For items of a `List`, the item's path in its document: `items[3]`. Otherwise empty.
    pub item: String,
}

/// The position of `offset` in `text`, whose first byte has the position `start`.
///
/// `offset` may lie anywhere in `text`; an offset past the end means the end.
pub(crate) fn advance(start: Position, text: &str, offset: usize) -> Position {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(..end).unwrap_or(text);
    let lines = before.bytes().filter(|&byte| byte == b'\n').count();
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    let width = saturate(last_line.chars().filter(|&c| c != '\u{feff}').count());
    let column = if lines == 0 { start.column } else { 1 };
    Position {
        line: start.line.saturating_add(saturate(lines)),
        column: column.saturating_add(width),
    }
}

/// A count as `u32`, saturating; longer texts are rejected earlier.
pub(crate) fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
