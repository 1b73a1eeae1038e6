//! Finds the node at a field path in a document's text.

use super::resolve::resolve_key;
use super::tree::{Entry, Node, Shape, item_tree, tree};
use crate::api::source::{Position, advance};

/// A part of a mapping's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The key: for unknown fields, and for showing a whole field. For items of a list, the same as
    /// `Value`.
    Key,
    /// The value: for values of the wrong type or out of range.
    Value,
}

/// The lines of a node, relative to the searched text (its first line is 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    pub start: Position,
    /// At least `start.line`.
    pub last_line: u32,
}

/// Finds the node at a field path (`spec.containers[0].resources.requests[cpu]`) of a document.
///
/// An empty path is the document itself. `None` if there is no such node, or if the text uses syntax
/// that [`tree`] does not support.
pub fn locate(text: &str, path: &str, target: Target) -> Option<Span> {
    let root = tree(text).ok()?;
    Search { text, root: &root }.span(&root, path, target)
}

/// Like [`locate`], in a text that starts with an item of a `List` and may continue after it.
pub fn locate_in_item(text: &str, path: &str, target: Target) -> Option<Span> {
    let root = item_tree(text).ok()?;
    let item = match &root.shape {
        Shape::List { flow: false, items } => &items.first()?.node,
        _ => &root,
    };
    Search { text, root: &root }.span(item, path, target)
}

/// A text with its tree.
struct Search<'n> {
    text: &'n str,
    root: &'n Node,
}

impl<'n> Search<'n> {
    fn span(&self, from: &'n Node, path: &str, target: Target) -> Option<Span> {
        let segments = segments(path);
        let offset = self.offset(from, &segments, target)?;
        let start = advance(Position { line: 1, column: 1 }, self.text, offset);
        let is_key = target == Target::Key
            && segments
                .last()
                .is_some_and(|last| last.parse::<usize>().is_err());
        Some(Span {
            start,
            last_line: last_line(self.text, start, is_key),
        })
    }

    /// The offset of the node at the rest of a path. Of repeated keys, the first one that leads to a
    /// node counts.
    fn offset(&self, node: &'n Node, segments: &[&str], target: Target) -> Option<usize> {
        let node = self.resolved(node)?;
        let Some((&wanted, rest)) = segments.split_first() else {
            return Some(node.outer);
        };
        match &node.shape {
            Shape::List { items, .. } => {
                let item = items.get(wanted.parse::<usize>().ok()?)?;
                self.offset(&item.node, rest, target)
            }
            Shape::Map { flow, entries } => entries
                .iter()
                .filter(|entry| self.has_key(entry, wanted))
                .find_map(|entry| match target {
                    Target::Key if rest.is_empty() => Some(self.resolved(&entry.key)?.outer),
                    _ if *flow && rest.is_empty() && is_absent(&entry.value) => {
                        Some(self.flow_end(entry.value.start))
                    }
                    _ => self.offset(&entry.value, rest, target),
                }),
            _ => None,
        }
    }

    /// Whether a key is `wanted`, as written or as JSON text.
    fn has_key(&self, entry: &'n Entry, wanted: &str) -> bool {
        let Some(key) = self.resolved(&entry.key) else {
            return false;
        };
        let text = self.text.get(key.start..key.end).unwrap_or_default();
        match key.shape {
            Shape::Plain => {
                text == wanted || resolve_key(text).is_some_and(|resolved| resolved == wanted)
            }
            _ => key.name(self.text).is_some_and(|name| name == wanted),
        }
    }

    /// The node that an alias refers to: the last one with that anchor before it.
    fn resolved(&self, node: &'n Node) -> Option<&'n Node> {
        if !matches!(node.shape, Shape::Alias) {
            return Some(node);
        }
        let name = self.text.get(node.start + 1..node.end)?;
        let mut found = None;
        self.find_anchor(self.root, name, node.start, &mut found);
        found.filter(|node| !matches!(node.shape, Shape::Alias))
    }

    fn find_anchor(&self, node: &'n Node, name: &str, before: usize, found: &mut Option<&'n Node>) {
        if node.outer >= before {
            return;
        }
        let is_it = |anchor: &std::ops::Range<usize>| {
            self.text.get(anchor.start + 1..anchor.end) == Some(name)
        };
        if node.anchor.as_ref().is_some_and(is_it) {
            *found = Some(node);
        }
        match &node.shape {
            Shape::Map { entries, .. } => {
                for entry in entries {
                    self.find_anchor(&entry.key, name, before, found);
                    self.find_anchor(&entry.value, name, before, found);
                }
            }
            Shape::List { items, .. } => {
                for item in items {
                    self.find_anchor(&item.node, name, before, found);
                }
            }
            _ => {}
        }
    }

    /// The comma or bracket that ends an entry without a value.
    fn flow_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        from + (rest.len() - rest.trim_start().len())
    }
}

fn is_absent(node: &Node) -> bool {
    matches!(node.shape, Shape::Empty) && node.outer == node.start
}

/// Splits a field path into names, keys and indices. Keys may hold dots: `labels[a.b/c]`.
pub fn segments(path: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            // A bracket closes where the path ends or continues.
            let end = inner
                .match_indices(']')
                .map(|(at, _)| at)
                .find(|at| {
                    inner
                        .get(at + 1..)
                        .is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
                })
                .unwrap_or(inner.len());
            segments.push(inner.get(..end).unwrap_or_default());
            rest = inner.get(end + 1..).unwrap_or_default();
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            segments.push(name.get(..end).unwrap_or_default());
            rest = name.get(end..).unwrap_or_default();
        }
    }
    segments
}

/// The last line of the node at `start`, by indentation.
fn last_line(text: &str, start: Position, is_key: bool) -> u32 {
    let column = start.column.saturating_sub(1) as usize;
    let mut last = start.line;
    for (number, line) in (1u32..).zip(text.lines()).skip(start.line as usize) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indent = line.len() - trimmed.len();
        let belongs = indent > column
            || indent == column
                && (!is_key || trimmed.starts_with("- ") || trimmed.starts_with(['}', ']']));
        if !belongs {
            break;
        }
        last = number;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, path: &str, target: Target) -> Option<(u32, u32)> {
        locate(text, path, target).map(|span| (span.start.line, span.start.column))
    }

    #[test]
    fn aliases_are_followed_and_merged_keys_are_not() {
        let text = "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: !t 2\n";
        assert_eq!(at(text, "c.b", Target::Value), Some((1, 11)));
        assert_eq!(at(text, "c", Target::Value), Some((1, 4)));
        assert_eq!(at(text, "d.b", Target::Key), None);
        assert_eq!(at(text, "d.e", Target::Value), Some((5, 6)));
    }

    #[test]
    fn keys_are_found_by_their_json_text() {
        let text = "yes: 1\n\"é\": {a: , b}\n'it''s':\nyes: 2\n";
        assert_eq!(at(text, "true", Target::Value), Some((1, 6)));
        assert_eq!(at(text, "é.a", Target::Value), Some((2, 10)));
        assert_eq!(at(text, "é.b", Target::Key), Some((2, 12)));
        assert_eq!(at(text, "it's", Target::Value), Some((3, 9)));
    }

    #[test]
    fn an_item_is_found_with_its_dash_on_a_line_of_its_own() {
        let text = "  -\n    kind: Pod\nkind: List\n";
        let span = locate_in_item(text, "kind", Target::Value).expect("found");
        assert_eq!((span.start.line, span.start.column), (2, 11));
    }
}
