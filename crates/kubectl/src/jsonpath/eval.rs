//! Evaluates paths.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Filter, Item, Operator, Slice, Step};
use crate::printers::fields::Fields;

/// Intermediate values, borrowed from the object or from literals of the template.
type Values<'a> = Vec<&'a Value>;

pub(crate) fn run(
    items: &[Item],
    object: &Value,
    results: &mut Vec<Vec<Value>>,
) -> Result<(), String> {
    for item in items {
        match item {
            Item::Text(text) => results.push(vec![Value::String(text.clone())]),
            Item::Path(path) => {
                let values = follow(path, vec![object])?;
                results.push(values.into_iter().cloned().collect());
            }
            Item::Range(path, body) => {
                for element in follow(path, vec![object])? {
                    run(body, element, results)?;
                }
            }
        }
    }
    Ok(())
}

fn follow<'a>(path: &'a [Step], start: Values<'a>) -> Result<Values<'a>, String> {
    let mut values = start;
    for step in path {
        values = walk(step, values)?;
    }
    Ok(values)
}

fn walk<'a>(step: &'a Step, values: Values<'a>) -> Result<Values<'a>, String> {
    let mut found: Values<'a> = Vec::new();
    match step {
        Step::Literal(value) => found.push(value),
        Step::Field(name) => {
            let fields = values.iter().filter_map(|value| value.get(name.as_str()));
            found.extend(fields.filter(|value| !value.is_null()));
        }
        Step::Wildcard => values
            .iter()
            .for_each(|value| found.extend(children(value))),
        Step::Recursive => values.iter().for_each(|value| descend(value, &mut found)),
        Step::Slice(part) => {
            for value in values {
                slice(part, value, &mut found)?;
            }
        }
        Step::Union(paths) => {
            for path in paths {
                found.extend(follow(path, values.clone())?);
            }
        }
        Step::Filter(filter) => {
            for value in values {
                let Some(elements) = value.as_array() else {
                    return Err(format!(
                        "{} is not array or slice and cannot be filtered",
                        go_type(value)
                    ));
                };
                for element in elements {
                    if passes(filter, element)? {
                        found.push(element);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The elements of a list, or the values of a map in key order.
fn children(value: &Value) -> Values<'_> {
    match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(_) => {
            let entries = value.entries_here();
            entries.into_iter().map(|(_, value)| value).collect()
        }
        _ => Vec::new(),
    }
}

/// Collects the value and its descendants, except those without children.
fn descend<'a>(value: &'a Value, found: &mut Values<'a>) {
    let below = children(value);
    if !below.is_empty() {
        found.push(value);
        below.into_iter().for_each(|child| descend(child, found));
    }
}

fn slice<'a>(part: &Slice, value: &'a Value, found: &mut Values<'a>) -> Result<(), String> {
    let Some(elements) = value.as_array() else {
        return Err(format!("{} is not array or slice", go_type(value)));
    };
    let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let from_end = |index: i64| {
        if index < 0 {
            index.saturating_add(length)
        } else {
            index
        }
    };
    let from = from_end(part.from);
    let to = if part.is_index {
        from.saturating_add(1)
    } else {
        part.to.map_or(length, from_end)
    };
    let step = part.step.unwrap_or(1);
    if from == to {
        return Ok(());
    }
    let outside = |index: i64| format!("array index out of bounds: index {index}, length {length}");
    if from < 0 || from >= length {
        return Err(outside(from));
    }
    if to < 0 || to > length {
        return Err(outside(to - 1));
    }
    if from > to {
        return Err(format!(
            "starting index {from} is greater than ending index {to}"
        ));
    }
    let (Ok(start), Ok(end), Ok(step @ 1..)) = (
        usize::try_from(from),
        usize::try_from(to),
        usize::try_from(step),
    ) else {
        return Err("step must be > 0".to_owned());
    };
    found.extend(
        elements
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .step_by(step),
    );
    Ok(())
}

fn passes(filter: &Filter, element: &Value) -> Result<bool, String> {
    let left = follow(&filter.left, vec![element])?;
    if filter.operator == Operator::Exists {
        return Ok(!left.is_empty());
    }
    let right = follow(&filter.right, vec![element])?;
    if left.len() > 1 || right.len() > 1 {
        return Err("can only compare one element at a time".to_owned());
    }
    let (Some(left), Some(right)) = (left.first(), right.first()) else {
        return Ok(false);
    };
    let order = compare(left, right)?;
    Ok(match filter.operator {
        Operator::Exists => true,
        Operator::Equal => order == Ordering::Equal,
        Operator::Unequal => order != Ordering::Equal,
        Operator::Less => order == Ordering::Less,
        Operator::LessOrEqual => order != Ordering::Greater,
        Operator::Greater => order == Ordering::Greater,
        Operator::GreaterOrEqual => order != Ordering::Less,
    })
}

fn compare(left: &Value, right: &Value) -> Result<Ordering, String> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        (Value::Number(one), Value::Number(other)) => {
            let order = match (one.as_i64(), other.as_i64()) {
                (Some(one), Some(other)) => Some(one.cmp(&other)),
                _ => one.as_f64().partial_cmp(&other.as_f64()),
            };
            Ok(order.unwrap_or(Ordering::Equal))
        }
        _ => Err("incompatible types for comparison".to_owned()),
    }
}

/// The Go type of a value, as client-go's messages name it.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
