//! A document's text during an edit: its lines and its style.

use super::emit::{Flow, Quotes, Style};
use super::splice::Splice;
use crate::api::yaml::tree::{Node, Shape};

/// The text of a document, or of one item of a list, and its style.
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) style: Style,
    /// Whether the whole text is JSON.
    json: bool,
    /// The indentation that each level of multi-line JSON adds.
    unit: Option<String>,
}

impl<'t> Page<'t> {
    pub(super) fn new(text: &'t str, root: &Node) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut page = Self {
            text,
            style: Style {
                step: 2,
                indented_lists: false,
                newline,
            },
            json: false,
            unit: None,
        };
        page.learn(root, &mut (false, false));
        if root.is_flow() {
            page.json = page.is_quoted(root);
            page.unit = page.unit_of(root);
        }
        page
    }

    /// Takes the indentation of mappings and lists from the first ones.
    fn learn(&mut self, node: &Node, known: &mut (bool, bool)) {
        match &node.shape {
            Shape::Map {
                flow: false,
                entries,
            } => {
                let outer = self.column(node.start);
                for entry in entries {
                    let inner = self.column(entry.value.start);
                    match &entry.value.shape {
                        Shape::Map { flow: false, .. } if !known.0 && inner > outer => {
                            self.style.step = inner - outer;
                            known.0 = true;
                        }
                        Shape::List { flow: false, .. } if !known.1 => {
                            self.style.indented_lists = inner > outer;
                            known.1 = true;
                        }
                        _ => {}
                    }
                    if *known != (true, true) {
                        self.learn(&entry.value, known);
                    }
                }
            }
            Shape::List { flow: false, items } => {
                for item in items {
                    if *known != (true, true) {
                        self.learn(&item.node, known);
                    }
                }
            }
            _ => {}
        }
    }

    /// The indentation of the entries of a mapping in braces, if they are on lines of their own.
    fn unit_of(&self, root: &Node) -> Option<String> {
        let Shape::Map { entries, .. } = &root.shape else {
            return None;
        };
        let first = entries.first()?.key.outer;
        let closing = root.end.saturating_sub(1);
        if !self.is_first_on_line(first) || !self.is_first_on_line(closing) {
            return None;
        }
        let (inner, outer) = (self.indent_before(first), self.indent_before(closing));
        let unit = inner.strip_prefix(outer)?;
        (!unit.is_empty()).then(|| unit.to_owned())
    }

    /// Whether the keys or items of a collection in flow style are in double quotes.
    fn is_quoted(&self, node: &Node) -> bool {
        let quoted = |node: &Node| matches!(node.shape, Shape::DoubleQuoted);
        match &node.shape {
            Shape::Map { entries, .. } if !entries.is_empty() => {
                entries.iter().all(|entry| quoted(&entry.key))
            }
            Shape::List { items, .. } if !items.is_empty() => items.iter().all(|item| {
                quoted(&item.node) || item.node.is_flow() && self.is_quoted(&item.node)
            }),
            _ => self.json,
        }
    }

    /// The style of a value that starts on the line of `at`, in a collection in flow style.
    pub(super) fn flow_style(&self, collection: &Node, at: usize, own_line: bool) -> Flow {
        if !self.json && !self.is_quoted(collection) {
            return Flow::Yaml;
        }
        match &self.unit {
            Some(unit) if own_line => Flow::JsonLines {
                indent: self.indent_before(at).to_owned(),
                unit: unit.clone(),
            },
            _ => Flow::Json {
                spaced: self.is_spaced(collection),
            },
        }
    }

    fn is_spaced(&self, collection: &Node) -> bool {
        let raw = self.text.get(collection.start..collection.end);
        let raw = raw.unwrap_or_default();
        let compact = raw.contains("\":") && !raw.contains("\": ");
        !(compact || raw.contains("\",\"") || raw.len() <= 2 && self.is_compact())
    }

    /// Whether the whole text is JSON without spaces.
    fn is_compact(&self) -> bool {
        self.text.contains("\":") && !self.text.contains("\": ")
    }

    /// The indentation unit for expanding an empty collection, if the text is multi-line JSON.
    pub(super) fn unit(&self) -> Option<&str> {
        self.unit.as_deref().filter(|_| self.json)
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    pub(super) fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// End of the line, before its line ending.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// Start of the next line; `at` itself if it is the start of a line.
    pub(super) fn after_line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        if before.ends_with('\n') {
            return at;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n')
            .map_or(self.text.len(), |newline| at + newline + 1)
    }

    pub(super) fn between(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The indentation of the line of `at`.
    pub(super) fn indent_before(&self, at: usize) -> &'t str {
        let line = self.between(self.line_start(at), at);
        line.get(..line.len() - line.trim_start_matches([' ', '\t']).len())
            .unwrap_or_default()
    }

    pub(super) fn is_first_on_line(&self, at: usize) -> bool {
        self.between(self.line_start(at), at)
            .bytes()
            .all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// Inserts lines after the line of `end`.
    pub(super) fn insert_lines(&self, end: usize, lines: &str) -> Splice {
        let at = self.after_line(end);
        let open_end = at == self.text.len() && !self.text.ends_with('\n') && at > 0;
        Splice::insert(
            at,
            if open_end {
                format!("\n{lines}")
            } else {
                format!("{lines}\n")
            },
        )
    }

    /// Removes the lines from `start` to `end`. At the end of a text without a final newline, the newline
    /// before them goes too.
    pub(super) fn remove_lines(&self, start: usize, end: usize) -> Splice {
        let mut from = self.line_start(start);
        let to = self.after_line(end);
        if to == self.text.len() && !self.text.ends_with('\n') {
            let before = self.between(0, from);
            let kept = before.strip_suffix('\n').unwrap_or(before);
            from = kept.strip_suffix('\r').unwrap_or(kept).len();
        }
        Splice::new(from..to, "")
    }
}

/// The quoting style of a scalar.
pub(super) fn quotes_of(node: &Node) -> Quotes {
    match node.shape {
        Shape::SingleQuoted => Quotes::Single,
        Shape::DoubleQuoted => Quotes::Double,
        _ => Quotes::AsNeeded,
    }
}
