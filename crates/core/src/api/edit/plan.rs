//! Turns a change of the value into splices of the text by descending the tree.

use serde_json::Value;

use super::block;
use super::change::{Goal, Planned, at};
use super::flow;
use super::page::Page;
use super::splice::Splice;
use crate::api::yaml::tree::{Entry, Item, Node, Shape};
use berth_protocol::edit::PathStep;
use berth_protocol::remark::Remark;

/// Why a change cannot be made in place, and the offset in the text.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    pub(super) offset: usize,
    pub(super) message: Remark,
    pub(super) help: Remark,
}

/// The position of a node: its collection, and its entry or item there.
#[derive(Clone, Copy)]
pub(super) enum Around<'n> {
    Root,
    Entry { map: &'n Node, entry: &'n Entry },
    Item { list: &'n Node, item: &'n Item },
}

/// The splices for a planned change. `root` is the tree of the page's text.
pub(super) fn splices(
    page: &Page<'_>,
    root: &Node,
    planned: &Planned,
) -> Result<Vec<Splice>, Obstacle> {
    let expected = |depth: usize| {
        let path = planned.path.get(..depth).unwrap_or_default();
        at(&planned.expected, path).unwrap_or(&Value::Null)
    };
    let mut node = root;
    let mut around = Around::Root;
    for (depth, step) in planned.path.iter().enumerate() {
        let is_last = depth + 1 == planned.path.len();
        match (&node.shape, step) {
            (Shape::Map { entries, .. }, PathStep::Key(key)) => {
                if let Some((_, entry)) = node.entry(page.text, key) {
                    around = Around::Entry { map: node, entry };
                    node = &entry.value;
                } else if is_last && planned.goal == Goal::Remove {
                    return Err(Obstacle {
                        offset: node.start,
                        message: Remark::from_merge(),
                        help: Remark::write_merged(),
                    });
                } else if entries.is_empty() && !is_in_flow(around, node) {
                    return replace(page, around, node, expected(depth));
                } else {
                    return Ok(insert(page, node, key, expected(depth + 1)));
                }
            }
            (Shape::List { items, .. }, PathStep::Index(index)) => {
                if let Some(item) = items.get(*index) {
                    around = Around::Item { list: node, item };
                    node = &item.node;
                } else if items.is_empty() && !is_in_flow(around, node) {
                    return replace(page, around, node, expected(depth));
                } else {
                    return Ok(push(page, node, expected(depth + 1)));
                }
            }
            // An alias, an empty node, or a value that becomes a mapping or list: the node is replaced.
            _ => return replace(page, around, node, expected(depth)),
        }
    }
    let value = expected(planned.path.len());
    match (&planned.goal, &node.shape, value) {
        (Goal::Append, Shape::List { .. }, Value::Array(list)) => {
            Ok(push(page, node, list.last().unwrap_or(&Value::Null)))
        }
        (Goal::Remove, ..) => match around {
            Around::Entry { map, entry } if map.is_flow() => {
                Ok(flow::remove(page, map, entry_start(entry)))
            }
            Around::Item { list, item } if list.is_flow() => {
                Ok(flow::remove(page, list, item.mark))
            }
            Around::Entry { map, entry } => Ok(block::remove_entry(page, map, entry)),
            Around::Item { list, item } => Ok(block::remove_item(page, list, item)),
            Around::Root => Err(no_root(root)),
        },
        _ => replace(page, around, node, value),
    }
}

/// Whether a node is within brackets.
fn is_in_flow(around: Around<'_>, node: &Node) -> bool {
    match around {
        Around::Root => node.is_flow(),
        Around::Entry { map, .. } => map.is_flow(),
        Around::Item { list, .. } => list.is_flow(),
    }
}

pub(super) fn entry_start(entry: &Entry) -> usize {
    entry.key.outer
}

fn no_root(root: &Node) -> Obstacle {
    Obstacle {
        offset: root.start,
        message: Remark::no_mapping(),
        help: Remark::write_fields(),
    }
}

fn insert(page: &Page<'_>, map: &Node, key: &str, value: &Value) -> Vec<Splice> {
    if map.is_flow() {
        flow::insert_entry(page, map, key, value)
    } else {
        block::insert_entry(page, map, key, value)
    }
}

fn push(page: &Page<'_>, list: &Node, value: &Value) -> Vec<Splice> {
    if list.is_flow() {
        flow::push(page, list, value)
    } else {
        block::push(page, list, value)
    }
}

/// Replaces a node.
fn replace(
    page: &Page<'_>,
    around: Around<'_>,
    node: &Node,
    value: &Value,
) -> Result<Vec<Splice>, Obstacle> {
    match around {
        Around::Root => Err(no_root(node)),
        Around::Entry { map, entry } if map.is_flow() => {
            Ok(flow::replace(page, map, node, value, entry.colon.is_none()))
        }
        Around::Item { list, .. } if list.is_flow() => {
            Ok(flow::replace(page, list, node, value, false))
        }
        Around::Entry { map, entry } => Ok(block::replace_value(page, map, entry, value)),
        Around::Item { item, .. } => Ok(block::replace_item(page, item, value)),
    }
}
