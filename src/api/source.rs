//! Where text came from: files, and the piece of a file that one object was read from.

use std::ops::Range;
use std::sync::Arc;

/// A file (or an editor's buffer) with manifests in YAML or JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name shown in problems, e.g. `pods.yaml`; `-` for standard input.
    pub name: String,
    /// The whole text, as it was given.
    pub text: Arc<str>,
}

impl SourceFile {
    /// A file from its name and its text.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        SourceFile {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// A place in a file, as people count: from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// The piece of a file that one object was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Index into `Loaded::files`.
    pub file: usize,
    /// Which document of that file, from 0 (documents of comments only do not count).
    pub ordinal: u32,
    /// Bytes of the file's text. For an item of a `List`, the bytes of the item.
    pub range: Range<usize>,
    /// Where `range` starts.
    pub start: Position,
    /// For items of a `List`, the path of the item in its document: `items[3]`. Else empty.
    pub item: String,
}

/// Counts the position of `offset` on from `start`, the position of `text`'s first byte.
///
/// `offset` may lie anywhere in `text`; an offset behind the end means the end.
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

/// A count as `u32`; texts longer than that are refused long before.
pub(crate) fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
