//! Functions over texts: the standard ones, `ext.Strings`, regular expressions, and named formats.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use regex_lite::Regex;

use super::declare::format_named;
use super::eval::{Evaluated, Failure, error};
use super::times;
use super::value::Value;
use crate::names;

/// Texts that a function would make longer than this are refused.
const MAX_BYTES: usize = 1_000_000;

/// Calls a function over texts; `None` for other functions.
pub fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    let own = match values {
        [Value::String(text), rest @ ..] => of_text(function, text, rest),
        [Value::List(list), rest @ ..] if function == "join" => join(list, rest),
        [Value::Format(format), Value::String(text)] if function == "validate" => {
            Some(validate(format, text))
        }
        _ => None,
    };
    own.or_else(|| match (function.strip_prefix("format."), values) {
        (Some("named"), [Value::String(name)]) => {
            let found = format_named(name).map(|format| Arc::new(Value::Format(format)));
            Some(Ok(Value::Optional(found)))
        }
        (Some(name), []) => Some(Ok(Value::Format(format_named(name)?))),
        _ => None,
    })
}

fn of_text(function: &str, text: &Arc<str>, rest: &[Value]) -> Option<Evaluated> {
    if let Some(found) = searches(function, text, rest) {
        return Some(found);
    }
    Some(match (function, rest) {
        ("lowerAscii", []) => Ok(Value::string(&text.to_ascii_lowercase())),
        ("upperAscii", []) => Ok(Value::string(&text.to_ascii_uppercase())),
        ("trim", []) => Ok(Value::string(text.trim())),
        ("strings.quote", []) => Ok(Value::string(&quoted(text))),
        ("charAt", [Value::Int(at)]) => {
            let letters: Vec<char> = text.chars().collect();
            let found = usize::try_from(*at).ok().filter(|at| *at <= letters.len());
            match found {
                Some(at) => Ok(Value::string(
                    &letters.get(at).map(char::to_string).unwrap_or_default(),
                )),
                None => Err(error(format!("index out of range: {at}"))),
            }
        }
        ("substring", [Value::Int(from)]) => substring(text, *from, text.chars().count() as i64),
        ("substring", [Value::Int(from), Value::Int(to)]) => substring(text, *from, *to),
        ("replace", [Value::String(from), Value::String(to)]) => replace(text, from, to, -1),
        ("replace", [Value::String(from), Value::String(to), Value::Int(count)]) => {
            replace(text, from, to, *count)
        }
        ("split", [Value::String(separator)]) => Ok(split(text, separator, -1)),
        ("split", [Value::String(separator), Value::Int(count)]) => {
            Ok(split(text, separator, *count))
        }
        ("format", [Value::List(args)]) => format(text, args),
        _ => return None,
    })
}

fn searches(function: &str, text: &str, rest: &[Value]) -> Option<Evaluated> {
    Some(match (function, rest) {
        ("contains", [Value::String(part)]) => Ok(Value::Bool(text.contains(&**part))),
        ("startsWith", [Value::String(part)]) => Ok(Value::Bool(text.starts_with(&**part))),
        ("endsWith", [Value::String(part)]) => Ok(Value::Bool(text.ends_with(&**part))),
        ("matches", [Value::String(pattern)]) => {
            with_regex(pattern, |regex| Value::Bool(regex.is_match(text)))
        }
        ("find", [Value::String(pattern)]) => with_regex(pattern, |regex| {
            Value::string(regex.find(text).map_or("", |found| found.as_str()))
        }),
        ("findAll", [Value::String(pattern), rest @ ..]) => {
            let most = match rest {
                [Value::Int(most)] => usize::try_from(*most).unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            with_regex(pattern, |regex| {
                let found = regex.find_iter(text).take(most);
                Value::list(found.map(|found| Value::string(found.as_str())).collect())
            })
        }
        ("indexOf", [Value::String(part), rest @ ..]) => index_of(text, part, rest, false),
        ("lastIndexOf", [Value::String(part), rest @ ..]) => index_of(text, part, rest, true),
        _ => return None,
    })
}

thread_local! {
    static REGEXES: RefCell<BTreeMap<String, Regex>> = const { RefCell::new(BTreeMap::new()) };
}

/// Why a regular expression cannot be read.
pub enum BadPattern {
    /// RE2 may read it: it has Unicode classes, which regex-lite does not know.
    Unsupported(String),
    Invalid(String),
}

pub fn compile(pattern: &str) -> Result<Regex, BadPattern> {
    let unicode = pattern.contains("\\p") || pattern.contains("\\P");
    Regex::new(pattern).map_err(|problem| match unicode {
        true => BadPattern::Unsupported(format!(
            "Berth does not evaluate Unicode classes of regular expressions: `{pattern}`"
        )),
        false => BadPattern::Invalid(format!("error parsing regexp: {problem}")),
    })
}

fn with_regex(pattern: &str, act: impl FnOnce(&Regex) -> Value) -> Evaluated {
    const MOST: usize = 64;
    REGEXES.with_borrow_mut(|known| {
        if !known.contains_key(pattern) {
            let regex = compile(pattern).map_err(|bad| match bad {
                BadPattern::Unsupported(message) | BadPattern::Invalid(message) => error(message),
            })?;
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(pattern.to_owned(), regex);
        }
        match known.get(pattern) {
            Some(regex) => Ok(act(regex)),
            None => Err(error("no such overload")),
        }
    })
}

fn index_of(text: &str, part: &str, rest: &[Value], last: bool) -> Evaluated {
    let letters: Vec<char> = text.chars().collect();
    let wanted: Vec<char> = part.chars().collect();
    let given = match rest {
        [] => None,
        [Value::Int(offset)] => Some(*offset),
        _ => return Err(error("no such overload")),
    };
    let limit = letters.len() as i64;
    if given
        .is_some_and(|given| given < 0 || given > limit || (last && given >= limit && limit > 0))
        && !wanted.is_empty()
    {
        return Err(error(format!("index out of range: {}", given.unwrap_or(0))));
    }
    if wanted.is_empty() {
        return Ok(Value::Int(given.unwrap_or(if last { limit } else { 0 })));
    }
    let starts = 0..=letters.len().saturating_sub(wanted.len());
    let is_at = |at: &usize| letters.get(*at..*at + wanted.len()) == Some(wanted.as_slice());
    let from = given.and_then(|given| usize::try_from(given).ok());
    let found = if last {
        let to = from.unwrap_or(usize::MAX);
        starts.rev().filter(|at| *at <= to).find(is_at)
    } else {
        starts.filter(|at| *at >= from.unwrap_or(0)).find(is_at)
    };
    Ok(Value::Int(found.map_or(-1, |at| at as i64)))
}

fn substring(text: &str, from: i64, to: i64) -> Evaluated {
    let letters: Vec<char> = text.chars().collect();
    let length = letters.len() as i64;
    for bound in [from, to] {
        if bound < 0 || bound > length {
            return Err(error(format!("index out of range: {bound}")));
        }
    }
    if from > to {
        return Err(error(format!(
            "invalid substring range. start: {from}, end: {to}"
        )));
    }
    let (from, to) = (from as usize, to as usize);
    let part: String = letters.get(from..to).unwrap_or_default().iter().collect();
    Ok(Value::string(&part))
}

fn too_long() -> Failure {
    error(format!("the text would be longer than {MAX_BYTES} bytes"))
}

fn replace(text: &str, from: &str, to: &str, count: i64) -> Evaluated {
    let found = text.matches(from).count();
    if found.saturating_mul(to.len()).saturating_add(text.len()) > MAX_BYTES {
        return Err(too_long());
    }
    let replaced = match usize::try_from(count) {
        Ok(count) => text.replacen(from, to, count),
        Err(_) => text.replace(from, to),
    };
    Ok(Value::string(&replaced))
}

fn split(text: &str, separator: &str, count: i64) -> Value {
    let parts: Vec<String> = if count == 0 {
        Vec::new()
    } else if separator.is_empty() {
        let letters: Vec<char> = text.chars().collect();
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        let alone = letters.len().min(most);
        let mut parts: Vec<String> = letters.iter().take(alone).map(char::to_string).collect();
        if let (true, Some(last)) = (letters.len() > alone, parts.last_mut()) {
            last.extend(letters.iter().skip(alone));
        }
        parts
    } else {
        match usize::try_from(count) {
            Ok(count) => text.splitn(count, separator).map(str::to_owned).collect(),
            Err(_) => text.split(separator).map(str::to_owned).collect(),
        }
    };
    Value::list(parts.iter().map(|part| Value::string(part)).collect())
}

fn join(list: &[Value], rest: &[Value]) -> Option<Evaluated> {
    let separator = match rest {
        [] => "",
        [Value::String(separator)] => separator,
        _ => return None,
    };
    let mut parts = Vec::with_capacity(list.len());
    let mut bytes = list.len().saturating_mul(separator.len());
    for value in list {
        let Value::String(part) = value else {
            return Some(Err(error("no such overload")));
        };
        bytes = bytes.saturating_add(part.len());
        parts.push(&**part);
    }
    if bytes > MAX_BYTES {
        return Some(Err(too_long()));
    }
    Some(Ok(Value::string(&parts.join(separator))))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A number as Go prints it with `%g`, the shortest form.
pub fn double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let significant = digits.chars().filter(char::is_ascii_digit).count() as i32;
    let limit = if significant > exponent {
        21.min(significant.max(6))
    } else {
        6
    };
    if exponent < -4 || exponent >= limit.max(6) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{number}")
}

/// The text that `string()` makes of a value.
pub fn of(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => text.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => double(*value),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Duration(nanos) => times::duration_text(*nanos),
        Value::Timestamp(nanos) => times::timestamp_text(*nanos),
        Value::Ip(address) => address.to_string(),
        Value::Cidr(address, bits) => format!("{address}/{bits}"),
        _ => return None,
    })
}

fn clause_error(clause: &str, what: &str, value: &Value) -> Failure {
    error(format!(
        "error during formatting: {clause} clause can only be used on {what}, was given {}",
        value.type_name()
    ))
}

fn format(text: &str, args: &[Value]) -> Evaluated {
    let mut shown = String::new();
    let mut letters = text.chars().peekable();
    let mut next = 0;
    while let Some(letter) = letters.next() {
        if letter != '%' {
            shown.push(letter);
            continue;
        }
        let mut precision = None;
        if letters.peek() == Some(&'.') {
            letters.next();
            let mut digits = String::new();
            while let Some(digit) = letters.peek().filter(|letter| letter.is_ascii_digit()) {
                digits.push(*digit);
                letters.next();
            }
            precision = digits.parse::<usize>().ok().map(|digits| digits.min(100));
        }
        let Some(clause) = letters.next() else {
            return Err(error("error during formatting: unexpected end of string"));
        };
        if clause == '%' {
            shown.push('%');
            continue;
        }
        let Some(value) = args.get(next) else {
            return Err(error(format!(
                "error during formatting: index {next} out of range"
            )));
        };
        next += 1;
        formatted(&mut shown, clause, precision, value)?;
        if shown.len() > MAX_BYTES {
            return Err(too_long());
        }
    }
    Ok(Value::string(&shown))
}

fn formatted(
    shown: &mut String,
    clause: char,
    precision: Option<usize>,
    value: &Value,
) -> Result<(), Failure> {
    let digits = precision.unwrap_or(6);
    let written = match (clause, value) {
        ('s', value) => {
            shown.push_str(&display(value)?);
            Ok(())
        }
        ('d', Value::Int(number)) => write!(shown, "{number}"),
        ('d', Value::Uint(number)) => write!(shown, "{number}"),
        ('f', Value::Double(number)) => write!(shown, "{number:.digits$}"),
        ('e', Value::Double(number)) => {
            let text = format!("{number:.digits$e}");
            let (base, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(shown, "{base}e{sign}{:02}", exponent.abs())
        }
        ('b', Value::Int(number)) => {
            let sign = if *number < 0 { "-" } else { "" };
            write!(shown, "{sign}{:b}", number.unsigned_abs())
        }
        ('b', Value::Uint(number)) => write!(shown, "{number:b}"),
        ('b', Value::Bool(value)) => write!(shown, "{}", u8::from(*value)),
        ('o', Value::Int(number)) => {
            let sign = if *number < 0 { "-" } else { "" };
            write!(shown, "{sign}{:o}", number.unsigned_abs())
        }
        ('o', Value::Uint(number)) => write!(shown, "{number:o}"),
        ('x' | 'X', value) => return hexadecimal(shown, clause, value),
        ('d', value) => return Err(clause_error("decimal", "integers", value)),
        ('f', value) => return Err(clause_error("fixed-point", "doubles", value)),
        ('e', value) => return Err(clause_error("scientific", "doubles", value)),
        ('b', value) => return Err(clause_error("binary", "integers and bools", value)),
        ('o', value) => return Err(clause_error("octal", "integers", value)),
        (clause, _) => {
            return Err(error(format!(
                "error during formatting: unrecognized formatting clause \"{clause}\""
            )));
        }
    };
    written.map_err(|_| error("error during formatting"))
}

fn hexadecimal(shown: &mut String, clause: char, value: &Value) -> Result<(), Failure> {
    let mut text = String::new();
    let bytes: &[u8] = match value {
        Value::Int(number) => {
            let sign = if *number < 0 { "-" } else { "" };
            let _ = write!(text, "{sign}{:x}", number.unsigned_abs());
            &[]
        }
        Value::Uint(number) => {
            let _ = write!(text, "{number:x}");
            &[]
        }
        Value::String(given) => given.as_bytes(),
        Value::Bytes(given) => given,
        other => {
            return Err(clause_error(
                "hex",
                "integers, byte buffers, and strings",
                other,
            ));
        }
    };
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    if clause == 'X' {
        text.make_ascii_uppercase();
    }
    shown.push_str(&text);
    Ok(())
}

fn display(value: &Value) -> Result<String, Failure> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Type(name) => (*name).to_owned(),
        Value::List(list) => {
            let parts: Result<Vec<String>, Failure> = list.iter().map(display).collect();
            format!("[{}]", parts?.join(", "))
        }
        Value::Map(map) => {
            let mut parts = Vec::new();
            for (key, value) in &map.entries {
                parts.push(format!("{}: {}", display(&key.value())?, display(value)?));
            }
            format!("{{{}}}", parts.join(", "))
        }
        other => of(other).ok_or_else(|| {
            let what = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
            clause_error("string", what, other)
        })?,
    })
}

/// The errors of a text in a named format, as an optional list.
fn validate(format: &str, text: &str) -> Evaluated {
    let errors: Vec<String> = match format {
        "dns1123Label" => names::dns_label_errors(text),
        "dns1123Subdomain" => names::dns_subdomain_errors(text),
        "qualifiedName" => names::label_key_errors(text),
        "labelValue" => names::label_value_errors(text),
        _ => {
            return Err(error(format!(
                "Berth does not validate the format {format}"
            )));
        }
    };
    if errors.is_empty() {
        return Ok(Value::Optional(None));
    }
    let errors = errors.iter().map(|text| Value::string(text)).collect();
    Ok(Value::some(Value::list(errors)))
}
