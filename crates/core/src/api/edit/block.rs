//! Edits in block style: mappings and lists structured by indentation.

use serde_json::Value;

use super::emit::{self, Flow};
use super::page::{Page, quotes_of};
use super::splice::Splice;
use crate::api::yaml::tree::{Entry, Item, Node, Shape};

/// Adds an entry to a mapping, after its last one.
pub(super) fn insert_entry(page: &Page<'_>, map: &Node, key: &str, value: &Value) -> Vec<Splice> {
    let column = page.column(map.start);
    let entry = emit::entry(key, value, column, page.style);
    vec![page.insert_lines(map.end, &format!("{:column$}{entry}", ""))]
}

/// Adds an item to a list, after its last one and in the same style.
pub(super) fn push(page: &Page<'_>, list: &Node, value: &Value) -> Vec<Splice> {
    let dash = page.column(list.start);
    let last = match &list.shape {
        Shape::List { items, .. } => items.last(),
        _ => None,
    };
    let in_brackets = last.filter(|last| last.node.is_flow() && value.is_object());
    let text = match in_brackets {
        Some(last) => emit::flow(value, &page.flow_style(&last.node, last.mark, false)),
        None => emit::item(value, dash + 2, page.style),
    };
    vec![page.insert_lines(list.end, &format!("{:dash$}- {text}", ""))]
}

/// Removes an entry, which must not be the only one.
pub(super) fn remove_entry(page: &Page<'_>, map: &Node, entry: &Entry) -> Vec<Splice> {
    let Shape::Map { entries, .. } = &map.shape else {
        return Vec::new();
    };
    let starts = entries.iter().map(|entry| entry.key.outer);
    vec![remove(page, entry.key.outer, entry.end(), starts)]
}

/// Removes an item, which must not be the only one.
pub(super) fn remove_item(page: &Page<'_>, list: &Node, item: &Item) -> Vec<Splice> {
    let Shape::List { items, .. } = &list.shape else {
        return Vec::new();
    };
    let starts = items.iter().map(|item| item.mark);
    vec![remove(
        page,
        item.mark,
        item.node.end.max(item.mark + 1),
        starts,
    )]
}

/// `starts` are the offsets of the entry or item and its siblings.
fn remove(
    page: &Page<'_>,
    start: usize,
    end: usize,
    mut starts: impl Iterator<Item = usize>,
) -> Splice {
    if page.is_first_on_line(start) {
        return page.remove_lines(start, end);
    }
    // The first one after a dash: the next one moves up to it if only white space separates them.
    let next = starts.find(|next| *next > start);
    match next {
        Some(next) if page.between(end, next).trim().is_empty() => Splice::new(start..next, ""),
        _ => Splice::new(start..end, ""),
    }
}

/// The value on one line, as a replacement of `old`; `None` if it needs more lines.
fn one_line(page: &Page<'_>, old: &Node, value: &Value, name: Option<&str>) -> Option<String> {
    match value {
        Value::String(_) => Some(emit::scalar(value, false, quotes_of(old))),
        Value::Object(_) | Value::Array(_) => {
            let is_empty = match &old.shape {
                Shape::Map { entries, .. } => entries.is_empty(),
                Shape::List { items, .. } => items.is_empty(),
                _ => true,
            };
            let style = || match page.flow_style(old, old.start, false) {
                Flow::Yaml => Flow::Yaml,
                _ => Flow::Json { spaced: true },
            };
            emit::inline(value, name)
                .or_else(|| (old.is_flow() && !is_empty).then(|| emit::flow(value, &style())))
        }
        scalar => emit::inline(scalar, name),
    }
}

/// The position of a value after a colon or a dash.
struct Slot<'n> {
    /// Offset just after the colon or dash.
    at: usize,
    node: &'n Node,
    /// `&name` before the value, which is kept.
    anchor: Option<&'n str>,
    /// Whether the value starts on a line after the colon or dash.
    is_below: bool,
    /// Whether its properties are on the line of the colon or dash, but the value is not.
    has_head: bool,
}

impl<'n> Slot<'n> {
    fn new(page: &Page<'n>, at: usize, node: &'n Node) -> Self {
        let breaks = |to: usize| page.between(at, to).contains('\n');
        let is_below = !matches!(node.shape, Shape::Empty) && breaks(node.start);
        let anchor = node.anchor.clone();
        Self {
            at,
            node,
            anchor: anchor.map(|range| page.between(range.start, range.end)),
            is_below,
            has_head: is_below && node.outer < node.start && !breaks(node.outer),
        }
    }

    /// The text after the anchor, if there is one.
    fn anchored(&self, text: &str) -> String {
        match (self.anchor, text.is_empty()) {
            (Some(anchor), false) => format!("{anchor} {text}"),
            (Some(anchor), true) => anchor.to_owned(),
            (None, _) => text.to_owned(),
        }
    }

    /// Offset at which the value's own lines start, if it is below.
    fn below(&self) -> usize {
        if self.has_head {
            self.node.start
        } else {
            self.node.outer
        }
    }

    /// Replaces the value with text that starts on the line of the colon or dash.
    fn put_inline(&self, page: &Page<'_>, text: &str) -> Vec<Splice> {
        let node = self.node;
        let text = self.anchored(text);
        if !self.is_below {
            let lead = if node.outer == self.at { " " } else { "" };
            return vec![Splice::new(node.outer..node.end, format!("{lead}{text}"))];
        }
        let head = if self.has_head {
            Splice::new(node.outer..node.properties_end, text)
        } else {
            Splice::insert(self.at, format!(" {text}"))
        };
        vec![head, page.remove_lines(self.below(), node.end)]
    }
}

/// Replaces the value of an entry.
pub(super) fn replace_value(
    page: &Page<'_>,
    map: &Node,
    entry: &Entry,
    value: &Value,
) -> Vec<Splice> {
    let Some(colon) = entry.colon else {
        return Vec::new();
    };
    let slot = Slot::new(page, colon + 1, &entry.value);
    let node = &entry.value;
    let name = entry.key.name(page.text);
    if let Some(text) = one_line(page, node, value, name.as_deref()) {
        return slot.put_inline(page, &text);
    }
    let lines = emit::block(value, page.column(map.start), page.style);
    let anchor = slot.anchored("");
    let lead = if anchor.is_empty() { "" } else { " " };
    let head = Splice::new(
        slot.at..node.properties_end.max(slot.at),
        format!("{lead}{anchor}"),
    );
    if slot.is_below {
        let from = page.line_start(slot.below());
        let to = page.after_line(node.end);
        let open_end = to == page.text.len() && !page.text.ends_with('\n');
        let newline = if open_end { "" } else { "\n" };
        let lines = Splice::new(from..to, format!("{lines}{newline}"));
        return match slot.has_head {
            true => vec![head, lines],
            false => vec![lines],
        };
    }
    let old = Splice::new(slot.at..node.end.max(slot.at), format!("{lead}{anchor}"));
    vec![old, page.insert_lines(node.end, &lines)]
}

/// Replaces an item of a list.
pub(super) fn replace_item(page: &Page<'_>, item: &Item, value: &Value) -> Vec<Splice> {
    let node = &item.node;
    let slot = Slot::new(page, item.mark + 1, node);
    if let Some(text) = one_line(page, node, value, None) {
        return slot.put_inline(page, &text);
    }
    // A mapping cannot start on the line of an anchor.
    let column = if slot.is_below || matches!(node.shape, Shape::Empty) {
        page.column(item.mark) + 2
    } else {
        page.column(node.outer)
    };
    let text = emit::item(value, column, page.style);
    if slot.anchor.is_some() {
        return slot.put_inline(page, &format!("\n{:column$}{text}", ""));
    }
    slot.put_inline(page, &text)
}
