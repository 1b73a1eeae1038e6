//! The functions of templates (`text/template/funcs.go`), with kubectl's `exists` and `base64decode`.

use k8s_openapi::ByteString;

use super::compare::{Order, compare, equal};
use super::printf::{print, printf};
use super::{Datum, Operand};

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    And,
    Or,
    Not,
    Len,
    Index,
    Slice,
    Print,
    Println,
    Printf,
    Urlquery,
    Exists,
    Base64Decode,
    Equal,
    Unequal,
    Ordered(Order),
}

const NAMES: [(&str, Function); 18] = [
    ("and", Function::And),
    ("or", Function::Or),
    ("not", Function::Not),
    ("len", Function::Len),
    ("index", Function::Index),
    ("slice", Function::Slice),
    ("print", Function::Print),
    ("println", Function::Println),
    ("printf", Function::Printf),
    ("urlquery", Function::Urlquery),
    ("exists", Function::Exists),
    ("base64decode", Function::Base64Decode),
    ("eq", Function::Equal),
    ("ne", Function::Unequal),
    ("lt", Function::Ordered(Order::Less)),
    ("le", Function::Ordered(Order::LessOrEqual)),
    ("gt", Function::Ordered(Order::Greater)),
    ("ge", Function::Ordered(Order::GreaterOrEqual)),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|it| it.0 == name);
        found.map(|it| it.1)
    }

    pub(super) fn name(self) -> &'static str {
        let found = NAMES.iter().find(|it| it.1 == self);
        found.map_or("", |it| it.0)
    }

    /// The least and the most number of arguments.
    fn arity(self) -> (usize, usize) {
        match self {
            Function::Not | Function::Len | Function::Base64Decode => (1, 1),
            Function::Unequal | Function::Ordered(_) => (2, 2),
            Function::Print | Function::Println | Function::Urlquery => (0, usize::MAX),
            _ => (1, usize::MAX),
        }
    }
}

/// Why a call failed.
pub(super) enum Failure {
    /// The error of an argument, worded with its place.
    Told(String),
    /// The function's own error.
    Calling(String),
    /// The number or the types of arguments are wrong.
    Argument(String),
}

/// Calls a function; `last` is its last argument in a pipeline. `and` and `or` evaluate no more than they need.
pub(super) fn call<'a>(
    function: Function,
    operands: &'a [Operand],
    last: Option<Datum<'a>>,
    evaluate: &mut dyn FnMut(&'a Operand) -> Result<Datum<'a>, String>,
) -> Result<Datum<'a>, Failure> {
    let count = operands.len() + usize::from(last.is_some());
    let (least, most) = function.arity();
    if count < least || count > most {
        let name = function.name();
        let bound = if least == most { "" } else { "at least " };
        return Err(Failure::Argument(format!(
            "wrong number of args for {name}: want {bound}{least} got {count}"
        )));
    }
    let mut arguments = Vec::with_capacity(count);
    for operand in operands {
        let value = evaluate(operand).map_err(Failure::Told)?;
        let decides = match function {
            Function::And => !value.is_true(),
            Function::Or => value.is_true(),
            _ => false,
        };
        if decides {
            return Ok(value);
        }
        arguments.push(value);
    }
    arguments.extend(last);
    apply(function, arguments)
}

fn apply(function: Function, arguments: Vec<Datum<'_>>) -> Result<Datum<'_>, Failure> {
    let calling = Failure::Calling;
    let mut rest = arguments.iter();
    let first = rest.next().unwrap_or(&Datum::Nothing);
    let rest = rest.as_slice();
    Ok(match function {
        Function::And | Function::Or => arguments.into_iter().next_back().unwrap_or(Datum::Nothing),
        Function::Not => Datum::Bool(!first.is_true()),
        Function::Len => Datum::Int(length(first).map_err(calling)?),
        Function::Index => index(first, rest).map_err(calling)?,
        Function::Slice => slice(first, rest).map_err(calling)?,
        Function::Exists => {
            let found = index(first, rest);
            Datum::Bool(found.is_ok_and(|it| !matches!(it, Datum::Nothing)))
        }
        Function::Print => Datum::Text(print(&arguments).into()),
        Function::Println => {
            let texts: Vec<String> = arguments.iter().map(Datum::text).collect();
            Datum::Text((texts.join(" ") + "\n").into())
        }
        Function::Printf => match first {
            Datum::Text(format) => Datum::Text(printf(format, rest).into()),
            other => return Err(not_a_string(other)),
        },
        Function::Urlquery => Datum::Text(escaped(&print(&arguments)).into()),
        Function::Base64Decode => match first {
            Datum::Text(text) => Datum::Text(decoded(text).map_err(calling)?.into()),
            other => return Err(not_a_string(other)),
        },
        Function::Equal => {
            if rest.is_empty() {
                return Err(calling("missing argument for comparison".to_owned()));
            }
            let mut is_equal = false;
            for other in rest {
                is_equal = is_equal || equal(first, other).map_err(calling)?;
            }
            Datum::Bool(is_equal)
        }
        Function::Unequal => {
            let second = rest.first().unwrap_or(&Datum::Nothing);
            Datum::Bool(!equal(first, second).map_err(calling)?)
        }
        Function::Ordered(order) => {
            let second = rest.first().unwrap_or(&Datum::Nothing);
            Datum::Bool(compare(first, second, order).map_err(calling)?)
        }
    })
}

fn not_a_string(value: &Datum<'_>) -> Failure {
    Failure::Argument(match value {
        Datum::Nothing => "invalid value; expected string".to_owned(),
        other => format!(
            "wrong type for value; expected string; got {}",
            other.type_name()
        ),
    })
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn length(value: &Datum<'_>) -> Result<i64, String> {
    match value {
        Datum::Text(text) => Ok(count(text.len())),
        Datum::List(items) => Ok(count(items.len())),
        Datum::Map(map) => Ok(count(map.len())),
        Datum::Nothing => Err("reflect: call of reflect.Value.Type on zero Value".to_owned()),
        other => Err(format!("len of type {}", other.type_name())),
    }
}

/// A position in something of this length; one behind its end is allowed for slices.
fn position(index: &Datum<'_>, end: usize, may_be_end: bool) -> Result<usize, String> {
    let number = match index {
        Datum::Int(number) => *number,
        Datum::Nothing => return Err("cannot index slice/array with nil".to_owned()),
        other => {
            return Err(format!(
                "cannot index slice/array with type {}",
                other.type_name()
            ));
        }
    };
    let fits = |at: &usize| *at < end || may_be_end && *at == end;
    let at = usize::try_from(number).ok().filter(fits);
    at.ok_or_else(|| format!("index out of range: {number}"))
}

fn index<'a>(value: &Datum<'a>, keys: &[Datum<'a>]) -> Result<Datum<'a>, String> {
    let mut value = value.clone();
    for key in keys {
        value = match (&value, key) {
            (Datum::List(items), key) => {
                let item = items.get(position(key, items.len(), false)?);
                item.map_or(Datum::Nothing, Datum::from)
            }
            (Datum::Text(text), key) => {
                let byte = text.as_bytes().get(position(key, text.len(), false)?);
                byte.map_or(Datum::Nothing, |byte| Datum::Int(i64::from(*byte)))
            }
            (Datum::Map(map), Datum::Text(key)) => {
                map.get(key.as_ref()).map_or(Datum::Nothing, Datum::from)
            }
            (Datum::Map(_), Datum::Nothing) => {
                return Err("value is nil; should be of type string".to_owned());
            }
            (Datum::Map(_), key) => {
                let kind = key.type_name();
                return Err(format!("value has type {kind}; should be string"));
            }
            (Datum::Nothing, _) => return Err("index of untyped nil".to_owned()),
            (other, _) => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(value)
}

fn slice<'a>(value: &Datum<'a>, bounds: &[Datum<'a>]) -> Result<Datum<'a>, String> {
    let end = match value {
        Datum::List(items) => items.len(),
        Datum::Text(text) => text.len(),
        Datum::Nothing => return Err("slice of untyped nil".to_owned()),
        other => return Err(format!("can't slice item of type {}", other.type_name())),
    };
    if bounds.len() > 3 {
        return Err(format!("too many slice indexes: {}", bounds.len()));
    }
    let at = |index: usize, otherwise: usize| match bounds.get(index) {
        Some(bound) => position(bound, end, true),
        None => Ok(otherwise),
    };
    let (from, to, _) = (at(0, 0)?, at(1, end)?, at(2, end)?);
    if from > to {
        return Err(format!("invalid slice index: {from} > {to}"));
    }
    Ok(match value {
        Datum::List(items) => Datum::List(items.get(from..to).unwrap_or_default()),
        Datum::Text(text) => {
            let bytes = text.as_bytes().get(from..to).unwrap_or_default();
            Datum::Text(String::from_utf8_lossy(bytes).into_owned().into())
        }
        _ => Datum::Nothing,
    })
}

fn decoded(text: &str) -> Result<String, String> {
    let bytes = serde_json::from_value::<ByteString>(text.into());
    match bytes {
        Ok(ByteString(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => {
            let is_known = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/' | b'=');
            let wrong = text.bytes().position(|it| !is_known(it));
            let at = wrong.unwrap_or(text.len().saturating_sub(1) / 4 * 4);
            Err(format!(
                "base64 decode failed: illegal base64 data at input byte {at}"
            ))
        }
    }
}

/// Go's `url.QueryEscape`.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
