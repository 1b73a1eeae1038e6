//! A document's text as a tree whose nodes hold their byte ranges, for editing in place.
//!
//! The tree assumes that the parser has accepted the text, and does not validate it. Syntax that it
//! does not support (complex keys after `?`) is an error with its position. After an edit the text
//! must be read again with [`super::parse`], so that a misunderstanding rejects the edit and cannot
//! damage the document.

mod block;
mod flow;

use berth_protocol::remark::Remark;
use std::ops::Range;

/// Maximum nesting; the parser rejects deeper documents.
const MAX_DEPTH: usize = 200;

/// A node: a scalar, a mapping, a list, or no text.
#[derive(Clone, Debug)]
pub struct Node {
    /// Start of its properties (`&anchor`, `!tag`); `start` if it has none.
    pub outer: usize,
    /// Range of the content after the properties. A mapping or list in block style ranges from its
    /// first key or dash to the end of its last value; an empty node has an empty range after the
    /// colon, the dash or the properties.
    pub start: usize,
    pub end: usize,
    /// The range of `&name`.
    pub anchor: Option<Range<usize>>,
    /// End of the last property.
    pub properties_end: usize,
    pub shape: Shape,
}

/// The type and style of a node.
#[derive(Clone, Debug)]
pub enum Shape {
    /// No text: null.
    Empty,
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// `|` and `>`.
    BlockScalar,
    /// `*name`.
    Alias,
    Map {
        flow: bool,
        entries: Vec<Entry>,
    },
    List {
        flow: bool,
        items: Vec<Item>,
    },
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: Node,
    /// Offset of the colon; flow style may omit it (`{a}`).
    pub colon: Option<usize>,
    pub value: Node,
}

/// An item of a list.
#[derive(Clone, Debug)]
pub struct Item {
    /// Offset of its dash; in flow style, of its start.
    pub mark: usize,
    pub node: Node,
}

impl Node {
    /// Whether it is a mapping or list in flow style: `{…}`, `[…]`.
    pub fn is_flow(&self) -> bool {
        matches!(
            self.shape,
            Shape::Map { flow: true, .. } | Shape::List { flow: true, .. }
        )
    }

    /// Whether it is a mapping or list in block style.
    pub fn is_block_collection(&self) -> bool {
        matches!(
            self.shape,
            Shape::Map { flow: false, .. } | Shape::List { flow: false, .. }
        )
    }

    /// The entry of a key; the last one if the key is repeated, because it overrides the others.
    pub fn entry(&self, text: &str, key: &str) -> Option<(usize, &Entry)> {
        let Shape::Map { entries, .. } = &self.shape else {
            return None;
        };
        entries
            .iter()
            .enumerate()
            .rev()
            .find(|(_, entry)| entry.key.name(text).as_deref() == Some(key))
    }

    /// A key as JSON text. `None` for `<<`, aliases and keys that are not scalars.
    pub fn name(&self, text: &str) -> Option<String> {
        let raw = text.get(self.start..self.end)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '/' | '_');
        let simple = raw.len() > 5
            && raw.starts_with(|c: char| c.is_ascii_alphabetic())
            && raw.chars().all(is_name);
        match self.shape {
            Shape::Plain if simple => Some(raw.to_owned()),
            Shape::Plain | Shape::SingleQuoted | Shape::DoubleQuoted => {
                let parsed = super::parse(&format!("{raw}: 0")).ok()?;
                parsed.value.as_object()?.keys().next().cloned()
            }
            _ => None,
        }
    }
}

impl Entry {
    /// End of the entry, even if the value is missing.
    pub fn end(&self) -> usize {
        let colon = self.colon.map_or(self.key.end, |colon| colon + 1);
        self.value.end.max(colon)
    }
}

/// Syntax that cannot be edited in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// Byte offset in the text.
    pub offset: usize,
    /// A description: "a key behind `?`".
    pub what: Remark,
}

/// The tree of a whole document.
///
/// # Errors
/// If the text uses unsupported syntax.
pub fn tree(text: &str) -> Result<Node, Unclear> {
    let mut scan = Scan::new(text);
    let marker = text.strip_prefix("---");
    if marker.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n'])) {
        scan.at = 3;
    }
    let root = scan.block_node(-1, false, true)?;
    scan.skip_to_content();
    if scan.at < text.len() {
        return Err(scan.unclear(Remark::after_document()));
    }
    Ok(root)
}

/// The tree of one item of a `List`, from a text that starts at the item's line or brace and may
/// continue after it: for block style the list with its dash, otherwise the item alone.
///
/// # Errors
/// As [`tree`]; also if the text starts with neither a dash nor a brace.
pub fn item_tree(text: &str) -> Result<Node, Unclear> {
    let mut scan = Scan::new(text);
    scan.skip_inline();
    match scan.peek() {
        Some(b'{') => scan.flow_node(),
        Some(b'-') if scan.at_dash() => {
            let column = scan.column(scan.at);
            scan.block_list(column)
        }
        _ => Err(scan.unclear(Remark::item_begins())),
    }
}

/// A reader of a text.
struct Scan<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

/// The properties before a node.
#[derive(Default)]
struct Properties {
    outer: Option<usize>,
    anchor: Option<Range<usize>>,
    end: usize,
}

impl Properties {
    fn node(self, start: usize, end: usize, shape: Shape) -> Node {
        Node {
            outer: self.outer.unwrap_or(start),
            start,
            end,
            anchor: self.anchor,
            properties_end: if self.outer.is_some() {
                self.end
            } else {
                start
            },
            shape,
        }
    }
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    fn unclear(&self, what: Remark) -> Unclear {
        Unclear {
            offset: self.at,
            what,
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// Whether white space or the end follows, as some indicators require.
    fn ends_token(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| byte.is_ascii_whitespace())
    }

    fn at_dash(&self) -> bool {
        self.peek() == Some(b'-') && self.ends_token(self.at + 1)
    }

    fn column(&self, at: usize) -> isize {
        let before = self.text.get(..at).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        isize::try_from(at - start).unwrap_or(isize::MAX)
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |found| at + found)
    }

    fn skip_inline(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn at_comment(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.byte(at));
        self.peek() == Some(b'#') && before.is_none_or(|byte| byte.is_ascii_whitespace())
    }

    fn at_line_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r')) || self.at_comment()
    }

    /// Skips white space, line ends and comments.
    fn skip_to_content(&mut self) {
        while let Some(byte) = self.peek() {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if self.at_comment() {
                self.at = self.line_end(self.at);
            } else {
                return;
            }
        }
    }

    /// Reads an anchor or a tag, if there is one.
    fn property(&mut self, properties: &mut Properties, in_flow: bool) -> bool {
        let Some(first @ (b'&' | b'!')) = self.peek() else {
            return false;
        };
        let start = self.at;
        self.skip_token(in_flow);
        if first == b'&' {
            properties.anchor = Some(start..self.at);
        }
        properties.outer.get_or_insert(start);
        properties.end = self.at;
        true
    }

    /// Skips an anchor, a tag or an alias.
    fn skip_token(&mut self, in_flow: bool) {
        let ends = |byte: u8| {
            byte.is_ascii_whitespace()
                || in_flow && matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
        };
        while self.peek().is_some_and(|byte| !ends(byte)) {
            self.at += 1;
        }
    }

    /// Skips from an opening quote past the closing one.
    fn skip_quoted(&mut self, quote: u8) -> Result<(), Unclear> {
        self.at += 1;
        while let Some(byte) = self.peek() {
            if byte == b'\\' && quote == b'"' {
                self.at += 1;
            } else if byte == quote {
                if quote == b'\'' && self.byte(self.at + 1) == Some(b'\'') {
                    self.at += 1;
                } else {
                    self.at += 1;
                    return Ok(());
                }
            }
            self.at += 1;
        }
        Err(self.unclear(Remark::open_quote()))
    }

    fn enter(&mut self) -> Result<(), Unclear> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.unclear(Remark::deep_nesting()));
        }
        Ok(())
    }
}

fn quoted_shape(quote: u8) -> Shape {
    match quote {
        b'"' => Shape::DoubleQuoted,
        _ => Shape::SingleQuoted,
    }
}
