//! The functions at run time: operators, conversions and collections. Texts, networks and times are in
//! files of their own.

use std::cmp::Ordering;
use std::sync::Arc;

use super::eval::{Evaluated, Failure, error};
use super::factors::{STRING_FACTOR, scaled};
use super::semver::Version;
use super::value::{Key, Map, Value};
use super::{net, strings, times};
use berth_base::quantity::Quantity;

/// The failure of a call whose arguments have unexpected types.
pub fn bad_overload(function: &str, values: &[Value]) -> Failure {
    let types: Vec<&str> = values.iter().map(Value::type_name).collect();
    error(format!(
        "no such overload: {function}({})",
        types.join(", ")
    ))
}

/// The type that a name denotes, as a value.
pub fn type_value(name: &str) -> Option<Value> {
    const NAMES: [&str; 11] = [
        "bool",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "null_type",
        "list",
        "map",
        "type",
        "optional_type",
    ];
    NAMES
        .iter()
        .find(|known| **known == name)
        .map(|name| Value::Type(name))
}

/// Calls a function; the target, if there is one, is the first value.
pub fn call(function: &str, is_member: bool, values: &[Value]) -> Evaluated {
    let found = operator(function, values)
        .or_else(|| optional(function, values))
        .or_else(|| conversion(function, is_member, values))
        .or_else(|| collection(function, values))
        .or_else(|| quantity(function, values))
        .or_else(|| strings::call(function, values))
        .or_else(|| net::call(function, values))
        .or_else(|| times::call(function, values));
    found.unwrap_or_else(|| match function {
        "contains" | "startsWith" | "endsWith" | "matches" | "size" => {
            Err(error("no such overload"))
        }
        _ => Err(bad_overload(function, values)),
    })
}

/// What a call costs at run time.
pub fn cost(function: &str, values: &[Value], result: &Evaluated) -> u64 {
    let size = |index: usize| values.get(index).map_or(0, Value::cost_size);
    match function {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            values.first().map_or(0, traversal)
        }
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" => scaled(size(0), STRING_FACTOR),
        "ip" if matches!(values.first(), Some(Value::Cidr(..))) => 1,
        "ip" => scaled(size(0), STRING_FACTOR),
        "replace" | "split" | "ip.isCanonical" => scaled(size(0), 2.0 * STRING_FACTOR),
        "join" => {
            let size = result.as_ref().map_or(0, Value::cost_size);
            scaled(size, 2.0 * STRING_FACTOR)
        }
        "find" | "findAll" | "matches" => {
            let text = scaled(size(0).saturating_add(1), STRING_FACTOR);
            text.saturating_mul(scaled(size(1), 0.25))
        }
        "validate" => scaled(size(1).saturating_add(1), STRING_FACTOR).saturating_mul(32),
        "containsIP" => scaled(size(0) * 2, STRING_FACTOR) + scaled(size(1), STRING_FACTOR),
        "containsCIDR" => {
            scaled(size(0) * 2, STRING_FACTOR) + 2 * scaled(size(1), STRING_FACTOR) + 1
        }
        "startsWith" | "endsWith" => scaled(size(1), STRING_FACTOR),
        "contains" => scaled(size(0), STRING_FACTOR).saturating_mul(scaled(size(1), STRING_FACTOR)),
        "@in" if matches!(values.get(1), Some(Value::List(_))) => size(1),
        "_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_" => {
            scaled(size(0).min(size(1)), STRING_FACTOR)
        }
        // cel-go appends to lists in place; here the copy counts when it is long.
        "_+_" if matches!(values.first(), Some(Value::List(_))) => 1 + size(0) / 100,
        "cel.@mapInsert" => 1 + size(0) / 100,
        "_+_" if matches!(values.first(), Some(Value::String(_) | Value::Bytes(_))) => {
            scaled(size(0).saturating_add(size(1)), STRING_FACTOR)
        }
        "sets.contains" | "sets.intersects" => 1 + size(0).saturating_mul(size(1)),
        "sets.equivalent" => 1 + size(0).saturating_mul(size(1)).saturating_mul(2),
        _ => 1,
    }
}

fn traversal(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 / 10,
        Value::Bytes(bytes) => bytes.len() as u64 / 10,
        Value::List(list) => list.iter().map(traversal).sum(),
        Value::Map(map) => map
            .entries
            .iter()
            .map(|(key, value)| traversal(&key.value()) + traversal(value))
            .sum(),
        _ => 1,
    }
}

fn no_overload() -> Failure {
    error("no such overload")
}

fn operator(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("_==_", [one, other]) => one.equals(other).map(Value::Bool).map_err(error),
        ("_!=_", [one, other]) => one
            .equals(other)
            .map(|equal| Value::Bool(!equal))
            .map_err(error),
        ("_<_" | "_<=_" | "_>_" | "_>=_", [one, other]) => compare(function, one, other),
        ("!_", [Value::Bool(value)]) => Ok(Value::Bool(!value)),
        ("-_", [Value::Int(value)]) => whole(value.checked_neg()),
        ("-_", [Value::Double(value)]) => Ok(Value::Double(-value)),
        ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", [one, other]) => arithmetic(function, one, other),
        ("!_" | "-_", _) => Err(no_overload()),
        ("@in", [one, Value::List(list)]) => Ok(Value::Bool(
            list.iter().any(|element| one.equals(element) == Ok(true)),
        )),
        ("@in", [one, Value::Map(map)]) => Ok(Value::Bool(
            Key::of(one).is_some_and(|key| map.entries.contains_key(&key)),
        )),
        ("@in", _) => Err(no_overload()),
        ("_[_]", [container, key]) => index(container, key),
        ("_[?_]" | "_?._", [container, key]) => Ok(optional_index(container, key)),
        ("cel.@mapInsert", [Value::Map(map), rest @ ..]) => insert(map, rest),
        _ => return None,
    })
}

fn insert(map: &Map, rest: &[Value]) -> Evaluated {
    let mut entries = map.entries.clone();
    let mut add = |key: Key, value: &Value| match entries.insert(key, value.clone()) {
        None => Ok(()),
        Some(_) => Err(error("insert failed: key already exists")),
    };
    match rest {
        [Value::Map(more)] => {
            for (key, value) in &more.entries {
                add(key.clone(), value)?;
            }
        }
        [key, value] => {
            let key = Key::of(key).ok_or_else(no_overload)?;
            add(key, value)?;
        }
        _ => return Err(no_overload()),
    }
    Ok(Value::Map(Arc::new(Map::new(entries, None))))
}

fn compare(function: &str, a: &Value, b: &Value) -> Evaluated {
    let order = match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) | (Value::Timestamp(a), Value::Timestamp(b)) => {
            Some(a.cmp(b))
        }
        _ => match a.compare_numbers(b) {
            Some(Some(order)) => Some(order),
            Some(None) => return Err(error("NaN values cannot be ordered")),
            None => None,
        },
    };
    let order = order.ok_or_else(no_overload)?;
    Ok(Value::Bool(match function {
        "_<_" => order == Ordering::Less,
        "_<=_" => order != Ordering::Greater,
        "_>_" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }))
}

fn whole(value: Option<i64>) -> Evaluated {
    value
        .map(Value::Int)
        .ok_or_else(|| error("integer overflow"))
}

fn arithmetic(function: &str, a: &Value, b: &Value) -> Evaluated {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => whole_numbers(function, *a, *b),
        (Value::Uint(a), Value::Uint(b)) => unsigned_numbers(function, *a, *b),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(match function {
            "_+_" => a + b,
            "_-_" => a - b,
            "_*_" => a * b,
            "_/_" => a / b,
            _ => return Err(no_overload()),
        })),
        (Value::String(a), Value::String(b)) if function == "_+_" => {
            Ok(Value::string(&format!("{a}{b}")))
        }
        (Value::Bytes(a), Value::Bytes(b)) if function == "_+_" => {
            Ok(Value::Bytes(Arc::from([&**a, &**b].concat())))
        }
        (Value::List(a), Value::List(b)) if function == "_+_" => {
            Ok(Value::list([&a[..], &b[..]].concat()))
        }
        _ => times::arithmetic(function, a, b).unwrap_or_else(|| Err(no_overload())),
    }
}

fn whole_numbers(function: &str, a: i64, b: i64) -> Evaluated {
    whole(match function {
        "_+_" => a.checked_add(b),
        "_-_" => a.checked_sub(b),
        "_*_" => a.checked_mul(b),
        "_/_" if b == 0 => return Err(error("division by zero")),
        "_/_" => a.checked_div(b),
        _ if b == 0 => return Err(error("modulus by zero")),
        _ => a.checked_rem(b),
    })
}

fn unsigned_numbers(function: &str, a: u64, b: u64) -> Evaluated {
    let value = match function {
        "_+_" => a.checked_add(b),
        "_-_" => a.checked_sub(b),
        "_*_" => a.checked_mul(b),
        "_/_" if b == 0 => return Err(error("division by zero")),
        "_/_" => a.checked_div(b),
        _ if b == 0 => return Err(error("modulus by zero")),
        _ => a.checked_rem(b),
    };
    value
        .map(Value::Uint)
        .ok_or_else(|| error("unsigned integer overflow"))
}

/// A key as error messages show it.
fn shown(key: &Value) -> String {
    match key {
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => strings::double(*value),
        Value::Bool(value) => value.to_string(),
        Value::String(value) => value.to_string(),
        other => other.type_name().to_owned(),
    }
}

fn index(container: &Value, key: &Value) -> Evaluated {
    match container {
        Value::Map(map) => {
            let found = Key::of(key).and_then(|key| map.entries.get(&key));
            found
                .or(map.default.as_ref())
                .cloned()
                .ok_or_else(|| error(format!("no such key: {}", shown(key))))
        }
        Value::List(list) => {
            let Some(Key::Number(position, _)) = Key::of(key) else {
                return Err(error(format!(
                    "unsupported index type '{}' in list",
                    key.type_name()
                )));
            };
            usize::try_from(position)
                .ok()
                .and_then(|position| list.get(position))
                .cloned()
                .ok_or_else(|| error(format!("index out of bounds: {position}")))
        }
        Value::Optional(inner) => Ok(match inner.as_deref().map(|inner| index(inner, key)) {
            Some(Ok(value)) => Value::some(value),
            _ => Value::Optional(None),
        }),
        _ => Err(no_overload()),
    }
}

fn optional_index(container: &Value, key: &Value) -> Value {
    let container = match container {
        Value::Optional(None) => return Value::Optional(None),
        Value::Optional(Some(inner)) => inner,
        other => other,
    };
    match index(container, key) {
        Ok(value) => Value::some(value),
        Err(_) => Value::Optional(None),
    }
}

fn optional(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("optional.of", [value]) => Ok(Value::some(value.clone())),
        ("optional.ofNonZeroValue", [value]) => Ok(if is_zero(value) {
            Value::Optional(None)
        } else {
            Value::some(value.clone())
        }),
        ("optional.none", []) => Ok(Value::Optional(None)),
        ("hasValue", [Value::Optional(inner)]) => Ok(Value::Bool(inner.is_some())),
        ("value", [Value::Optional(inner)]) => inner
            .as_deref()
            .cloned()
            .ok_or_else(|| error("optional.none() dereference")),
        ("first", [Value::List(list)]) => Ok(Value::Optional(list.first().cloned().map(Arc::new))),
        ("last", [Value::List(list)]) => Ok(Value::Optional(list.last().cloned().map(Arc::new))),
        ("optional.unwrap" | "unwrapOpt", [Value::List(list)]) => {
            let some = list.iter().filter_map(|value| match value {
                Value::Optional(inner) => inner.as_deref().cloned(),
                other => Some(other.clone()),
            });
            Ok(Value::list(some.collect()))
        }
        _ => return None,
    })
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::String(value) => value.is_empty(),
        Value::Bytes(value) => value.is_empty(),
        Value::List(value) => value.is_empty(),
        Value::Map(value) => value.entries.is_empty(),
        Value::Duration(value) => *value == 0,
        Value::Optional(value) => value.is_none(),
        _ => false,
    }
}

fn not_convertible(value: &Value, to: &str) -> Failure {
    error(format!(
        "type conversion error from '{}' to '{to}'",
        value.type_name()
    ))
}

fn conversion(function: &str, is_member: bool, values: &[Value]) -> Option<Evaluated> {
    let [value] = values else { return None };
    if is_member {
        return None;
    }
    Some(match function {
        "type" => Ok(Value::Type(value.type_name())),
        "dyn" => Ok(value.clone()),
        "bool" => match value {
            Value::Bool(_) => Ok(value.clone()),
            Value::String(text) => match &**text {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
                _ => Err(not_convertible(value, "bool")),
            },
            _ => Err(bad_overload(function, values)),
        },
        "bytes" => match value {
            Value::Bytes(_) => Ok(value.clone()),
            Value::String(text) => Ok(Value::Bytes(Arc::from(text.as_bytes()))),
            _ => Err(bad_overload(function, values)),
        },
        "int" => to_int(value),
        "uint" => to_uint(value),
        "double" => match value {
            Value::Double(_) => Ok(value.clone()),
            Value::Int(number) => Ok(Value::Double(*number as f64)),
            Value::Uint(number) => Ok(Value::Double(*number as f64)),
            Value::String(text) => text
                .parse()
                .map(Value::Double)
                .map_err(|_| not_convertible(value, "double")),
            _ => Err(bad_overload(function, values)),
        },
        "string" => match strings::of(value) {
            Some(text) => Ok(Value::string(&text)),
            None => Err(bad_overload(function, values)),
        },
        _ => return None,
    })
}

fn to_int(value: &Value) -> Evaluated {
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Uint(number) => whole(i64::try_from(*number).ok()),
        Value::Double(number) => {
            let inside = *number > i64::MIN as f64 && *number < i64::MAX as f64;
            whole(inside.then_some(*number as i64))
        }
        Value::String(text) => text
            .parse()
            .map(Value::Int)
            .map_err(|_| not_convertible(value, "int")),
        Value::Timestamp(nanos) => whole(i64::try_from(nanos.div_euclid(times::SECOND)).ok()),
        Value::Duration(nanos) => whole(i64::try_from(*nanos).ok()),
        _ => Err(bad_overload("int", std::slice::from_ref(value))),
    }
}

fn to_uint(value: &Value) -> Evaluated {
    let number = match value {
        Value::Uint(_) => return Ok(value.clone()),
        Value::Int(number) => u64::try_from(*number).ok(),
        Value::Double(number) => {
            (*number >= 0.0 && *number < u64::MAX as f64).then_some(*number as u64)
        }
        Value::String(text) => match text.parse() {
            Ok(number) => Some(number),
            Err(_) => return Err(not_convertible(value, "uint")),
        },
        _ => return Err(bad_overload("uint", std::slice::from_ref(value))),
    };
    number
        .map(Value::Uint)
        .ok_or_else(|| error("unsigned integer overflow"))
}

fn collection(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("size", [Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_)]) => {
            let size = values.first().map_or(0, Value::cost_size);
            Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
        }
        ("isSorted", [Value::List(list)]) => sorted(list),
        ("sum", [Value::List(list)]) => sum(list),
        ("max" | "min", [Value::List(list)]) => extreme(function, list),
        ("indexOf" | "lastIndexOf", [Value::List(list), wanted]) => {
            let is_wanted = |value: &Value| value.equals(wanted) == Ok(true);
            let found = if function == "indexOf" {
                list.iter().position(is_wanted)
            } else {
                list.iter().rposition(is_wanted)
            };
            let position = found.and_then(|found| i64::try_from(found).ok());
            Ok(Value::Int(position.unwrap_or(-1)))
        }
        ("sets.contains", [Value::List(list), Value::List(wanted)]) => {
            Ok(Value::Bool(contains_all(list, wanted)))
        }
        ("sets.equivalent", [Value::List(one), Value::List(other)]) => Ok(Value::Bool(
            contains_all(one, other) && contains_all(other, one),
        )),
        ("sets.intersects", [Value::List(one), Value::List(other)]) => {
            Ok(Value::Bool(one.iter().any(|value| {
                contains_all(other, std::slice::from_ref(value))
            })))
        }
        ("slice", [Value::List(list), Value::Int(from), Value::Int(to)]) => slice(list, *from, *to),
        ("flatten", [Value::List(list)]) => flatten(list, 1),
        ("flatten", [Value::List(list), Value::Int(depth)]) => flatten(list, *depth),
        ("lists.range", [Value::Int(count)]) => {
            // The result is bounded by the cost limit in upstream's memory, here by a constant.
            let count = (*count).clamp(0, 1_000_000);
            Ok(Value::list((0..count).map(Value::Int).collect()))
        }
        ("distinct", [Value::List(list)]) => {
            let mut kept: Vec<Value> = Vec::new();
            for value in list.iter() {
                if !contains_all(&kept, std::slice::from_ref(value)) {
                    kept.push(value.clone());
                }
            }
            Ok(Value::list(kept))
        }
        ("reverse", [Value::List(list)]) => Ok(Value::list(list.iter().rev().cloned().collect())),
        ("sort", [Value::List(list)]) => sort(list),
        _ => return None,
    })
}

fn contains_all(list: &[Value], wanted: &[Value]) -> bool {
    wanted
        .iter()
        .all(|wanted| list.iter().any(|value| value.equals(wanted) == Ok(true)))
}

fn is_less(a: &Value, b: &Value) -> Result<bool, Failure> {
    Ok(matches!(compare("_<_", a, b)?, Value::Bool(true)))
}

fn sorted(list: &[Value]) -> Evaluated {
    for pair in list.windows(2) {
        if let [one, other] = pair
            && is_less(other, one)?
        {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn sort(list: &[Value]) -> Evaluated {
    let mut sorted: Vec<Value> = Vec::with_capacity(list.len());
    for value in list {
        let mut at = sorted.len();
        while at > 0 && is_less(value, &sorted[at - 1])? {
            at -= 1;
        }
        sorted.insert(at, value.clone());
    }
    Ok(Value::list(sorted))
}

fn sum(list: &[Value]) -> Evaluated {
    let Some((first, rest)) = list.split_first() else {
        return Ok(Value::Int(0));
    };
    let mut sum = first.clone();
    for value in rest {
        sum = arithmetic("_+_", &sum, value)?;
    }
    Ok(sum)
}

fn extreme(function: &str, list: &[Value]) -> Evaluated {
    let Some((first, rest)) = list.split_first() else {
        return Err(error(format!("{function} called on empty list")));
    };
    let mut best = first;
    for value in rest {
        let better = if function == "min" {
            is_less(value, best)?
        } else {
            is_less(best, value)?
        };
        if better {
            best = value;
        }
    }
    Ok(best.clone())
}

fn slice(list: &[Value], from: i64, to: i64) -> Evaluated {
    let (Ok(start), Ok(end)) = (usize::try_from(from), usize::try_from(to)) else {
        return Err(error(format!(
            "cannot slice({from}, {to}), negative indexes not supported"
        )));
    };
    if start > end {
        return Err(error(format!(
            "cannot slice({from}, {to}), start index must be less than or equal to end index"
        )));
    }
    let part = list.get(start..end).ok_or_else(|| {
        error(format!(
            "cannot slice({from}, {to}), list is length {}",
            list.len()
        ))
    })?;
    Ok(Value::list(part.to_vec()))
}

fn flatten(list: &[Value], depth: i64) -> Evaluated {
    if depth < 0 {
        return Err(error("level must be non-negative"));
    }
    let mut flat = list.to_vec();
    for _ in 0..depth.min(64) {
        let before = flat.len();
        let mut any = false;
        let mut next = Vec::with_capacity(before);
        for value in flat {
            match value {
                Value::List(inner) => {
                    any = true;
                    next.extend(inner.iter().cloned());
                }
                other => next.push(other),
            }
        }
        flat = next;
        if !any {
            break;
        }
    }
    Ok(Value::list(flat))
}

fn quantity(function: &str, values: &[Value]) -> Option<Evaluated> {
    if let Some(found) = versions(function, values) {
        return Some(found);
    }
    Some(match (function, values) {
        ("quantity", [Value::String(text)]) => Quantity::parse(text)
            .map(Value::Quantity)
            .map_err(|problem| error(problem.to_string())),
        ("isQuantity", [Value::String(text)]) => Ok(Value::Bool(Quantity::parse(text).is_ok())),
        ("sign", [Value::Quantity(quantity)]) => {
            Ok(Value::Int(i64::from(quantity.nanos().signum() as i8)))
        }
        ("isGreaterThan", [Value::Quantity(one), Value::Quantity(other)]) => {
            Ok(Value::Bool(one > other))
        }
        ("isLessThan", [Value::Quantity(one), Value::Quantity(other)]) => {
            Ok(Value::Bool(one < other))
        }
        ("compareTo", [Value::Quantity(one), Value::Quantity(other)]) => {
            Ok(Value::Int(one.cmp(other) as i64))
        }
        ("asApproximateFloat", [Value::Quantity(quantity)]) => Ok(Value::Double(quantity.as_f64())),
        ("asInteger", [Value::Quantity(quantity)]) => {
            integer_of(*quantity).ok_or_else(|| error("cannot convert value to integer"))
        }
        ("isInteger", [Value::Quantity(quantity)]) => {
            Ok(Value::Bool(integer_of(*quantity).is_some()))
        }
        ("add" | "sub", [Value::Quantity(one), other]) => {
            let other = match other {
                Value::Quantity(other) => *other,
                Value::Int(other) => Quantity::from_value(*other),
                _ => return None,
            };
            Ok(Value::Quantity(if function == "add" {
                one.add(other)
            } else {
                one.sub(other)
            }))
        }
        _ => return None,
    })
}

fn integer_of(quantity: Quantity) -> Option<Value> {
    const NANOS: i128 = 1_000_000_000;
    let nanos = quantity.nanos();
    if nanos % NANOS != 0 {
        return None;
    }
    i64::try_from(nanos / NANOS).ok().map(Value::Int)
}

fn versions(function: &str, values: &[Value]) -> Option<Evaluated> {
    let parse = |text: &str, tolerant: bool| {
        if tolerant {
            Version::parse_tolerant(text)
        } else {
            Version::parse(text)
        }
    };
    let number = |number: u64| Ok(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)));
    Some(match (function, values) {
        ("semver", [Value::String(text), rest @ ..]) => {
            let tolerant = matches!(rest, [Value::Bool(true)]);
            parse(text, tolerant)
                .map(|version| Value::Semver(Arc::new(version)))
                .map_err(error)
        }
        ("isSemver", [Value::String(text), rest @ ..]) => {
            let tolerant = matches!(rest, [Value::Bool(true)]);
            Ok(Value::Bool(parse(text, tolerant).is_ok()))
        }
        ("isGreaterThan", [Value::Semver(one), Value::Semver(other)]) => {
            Ok(Value::Bool(one.precedence(other) == Ordering::Greater))
        }
        ("isLessThan", [Value::Semver(one), Value::Semver(other)]) => {
            Ok(Value::Bool(one.precedence(other) == Ordering::Less))
        }
        ("compareTo", [Value::Semver(one), Value::Semver(other)]) => {
            Ok(Value::Int(one.precedence(other) as i64))
        }
        ("major", [Value::Semver(version)]) => number(version.major),
        ("minor", [Value::Semver(version)]) => number(version.minor),
        ("patch", [Value::Semver(version)]) => number(version.patch),
        _ => return None,
    })
}
