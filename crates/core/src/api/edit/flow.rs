//! Edits in flow style (`{a: 1, b: [x, y]}`), which includes JSON.

use serde_json::Value;

use super::emit::{self, Flow, Quotes};
use super::page::{Page, quotes_of};
use super::splice::Splice;
use crate::api::yaml::tree::{Node, Shape};

/// The range of an entry or item.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
}

fn parts(node: &Node) -> Vec<Part> {
    match &node.shape {
        Shape::Map { entries, .. } => entries
            .iter()
            .map(|entry| Part {
                start: entry.key.outer,
                end: entry.end(),
            })
            .collect(),
        Shape::List { items, .. } => items
            .iter()
            .map(|item| Part {
                start: item.mark,
                end: item.node.end,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Adds an entry to a mapping, after its last one.
pub(super) fn insert_entry(page: &Page<'_>, map: &Node, key: &str, value: &Value) -> Vec<Splice> {
    add(page, map, |style| {
        let colon = if *style == (Flow::Json { spaced: false }) {
            ":"
        } else {
            ": "
        };
        format!(
            "{}{colon}{}",
            emit::key(key, Some(style)),
            emit::flow(value, style)
        )
    })
}

/// Adds an item to a list, after its last one.
pub(super) fn push(page: &Page<'_>, list: &Node, value: &Value) -> Vec<Splice> {
    add(page, list, |style| emit::flow(value, style))
}

fn add(page: &Page<'_>, node: &Node, write: impl Fn(&Flow) -> String) -> Vec<Splice> {
    let close = node.end.saturating_sub(1);
    let Some(last) = parts(node).last().copied() else {
        return vec![fill(page, node, close, write)];
    };
    let comma = comma_behind(page, last.end, close);
    let behind = comma.map_or(last.end, |comma| comma + 1);
    let again = if comma.is_some() { "," } else { "" };
    let own_line = is_own_line(page, node, last);
    let style = page.flow_style(node, last.start, own_line);
    let text = write(&style);
    if !own_line {
        let space = if style == (Flow::Json { spaced: false }) {
            ""
        } else {
            " "
        };
        let before = if comma.is_some() { "" } else { "," };
        return vec![Splice::insert(
            behind,
            format!("{before}{space}{text}{again}"),
        )];
    }
    let line = format!("\n{}{text}{again}", page.indent_before(last.start));
    let line_end = page.line_end(behind);
    if close < line_end {
        let before = if comma.is_some() { "" } else { "," };
        return vec![Splice::insert(behind, format!("{before}{line}"))];
    }
    // A comment may follow the value on its line.
    if comma.is_some() || line_end == behind {
        let before = if comma.is_some() { "" } else { "," };
        return vec![Splice::insert(line_end, format!("{before}{line}"))];
    }
    vec![Splice::insert(behind, ","), Splice::insert(line_end, line)]
}

/// Adds the first entry or item to an empty collection.
fn fill(page: &Page<'_>, node: &Node, close: usize, write: impl Fn(&Flow) -> String) -> Splice {
    let open = node.start + 1;
    let inside = page.between(open, close);
    if inside.contains('#') {
        return Splice::insert(close, write(&page.flow_style(node, node.start, false)));
    }
    let Some(unit) = page.unit() else {
        let text = write(&page.flow_style(node, node.start, false));
        return Splice::new(open..close, text);
    };
    let indent = page.indent_before(node.start);
    let style = page.flow_style(node, node.start, true).inner();
    let text = write(&style);
    Splice::new(open..close, format!("\n{indent}{unit}{text}\n{indent}"))
}

/// Whether a part is the first on its line and the opening bracket is on an earlier one.
fn is_own_line(page: &Page<'_>, node: &Node, part: Part) -> bool {
    page.is_first_on_line(part.start) && page.line_start(part.start) > node.start
}

/// The comma that follows `end`, if only white space and comments separate them.
fn comma_behind(page: &Page<'_>, end: usize, close: usize) -> Option<usize> {
    let mut at = end;
    while at < close {
        let rest = page.between(at, close);
        match rest.bytes().next()? {
            b',' => return Some(at),
            b'#' => at = page.line_end(at),
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => return None,
        }
    }
    None
}

/// Removes the entry or item that starts at `start`.
pub(super) fn remove(page: &Page<'_>, node: &Node, start: usize) -> Vec<Splice> {
    let parts = parts(node);
    let close = node.end.saturating_sub(1);
    let Some(index) = parts.iter().position(|part| part.start == start) else {
        return Vec::new();
    };
    let Some(part) = parts.get(index).copied() else {
        return Vec::new();
    };
    let next = parts.get(index + 1);
    let before = index.checked_sub(1).and_then(|index| parts.get(index));
    let comma = comma_behind(page, part.end, next.map_or(close, |next| next.start));
    let behind = comma.map_or(part.end, |comma| comma + 1);
    let rest = page.between(behind, page.line_end(behind)).trim_start();
    let alone = is_own_line(page, node, part) && (rest.is_empty() || rest.starts_with('#'));
    match (next, before) {
        (_, before) if alone => {
            let lines = page.remove_lines(part.start, behind);
            // The removed part was the last: the comma before it goes too.
            let extra = before.filter(|_| next.is_none() && comma.is_none());
            let extra = extra.and_then(|before| comma_behind(page, before.end, part.start));
            let extra = extra.map(|comma| Splice::new(comma..comma + 1, ""));
            extra.into_iter().chain([lines]).collect()
        }
        (Some(next), _) => vec![Splice::new(part.start..next.start, "")],
        (None, Some(before)) => vec![Splice::new(before.end..part.end, "")],
        (None, None) => vec![Splice::new(part.start..behind, "")],
    }
}

/// Replaces a value. `no_colon`: its key has no colon yet.
pub(super) fn replace(
    page: &Page<'_>,
    collection: &Node,
    node: &Node,
    value: &Value,
    no_colon: bool,
) -> Vec<Splice> {
    let own_line =
        page.is_first_on_line(node.outer) || page.line_start(node.outer) > collection.start;
    let style = page.flow_style(collection, node.outer, own_line);
    let text = match (value, quotes_of(node)) {
        (Value::String(_), Quotes::AsNeeded) => emit::flow(value, &style),
        (Value::String(_), quotes) => emit::scalar(value, true, quotes),
        _ => emit::flow(value, &style),
    };
    let anchor = node
        .anchor
        .clone()
        .map(|range| page.between(range.start, range.end));
    let text = match anchor {
        Some(anchor) => format!("{anchor} {text}"),
        None => text,
    };
    let before = page.between(0, node.outer);
    let lead = match (no_colon, before.ends_with(':')) {
        (true, _) => ": ",
        (false, true) if matches!(node.shape, Shape::Empty) => " ",
        _ => "",
    };
    vec![Splice::new(node.outer..node.end, format!("{lead}{text}"))]
}
