//! Plain scalars as read by YAML 1.1 (go-yaml v2, used by `kubectl`).

use serde_json::{Number, Value};

/// The value of a plain (unquoted) scalar if YAML 1.1 differs from YAML 1.2; `None` if it is a
/// string in both.
///
/// Only called for scalars that the YAML 1.2 parser reads as strings: `yes`, `off`, `0777`,
/// `1_000`.
pub(super) fn resolve_plain(text: &str) -> Option<Value> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Some(Value::Bool(true)),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Some(Value::Bool(false)),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    let digits = text.replace('_', "");
    parse_integer(&digits)
        .or_else(|| parse_float(&digits))
        .map(Value::Number)
}

/// An integer as parsed by Go's `strconv.ParseInt(text, 0, 64)`: `0x1f`, `0b11`, `0o17`, `017`.
fn parse_integer(text: &str) -> Option<Number> {
    let (negative, magnitude) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let lower = magnitude.to_ascii_lowercase();
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, lower.get(1..)?)
    } else {
        (10, lower.as_str())
    };
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    if negative {
        0i64.checked_sub_unsigned(value).map(Number::from)
    } else {
        Some(Number::from(value))
    }
}

/// A float by go-yaml's `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
fn parse_float(text: &str) -> Option<Number> {
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !plain {
        return None;
    }
    number_from_float(text.parse::<f64>().ok()?)
}

/// A finite float as printed by Go's `encoding/json`: without a fraction if it is whole, so that
/// `1e3` and `1.0` fit integer fields.
pub(super) fn number_from_float(float: f64) -> Option<Number> {
    /// 2^53: up to here every whole float is exactly one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if float.fract() == 0.0 && float.abs() <= EXACT {
        // Exact by the test above.
        return Some(Number::from(float as i64));
    }
    Number::from_f64(float)
}

/// A map key as `sigs.k8s.io/yaml` converts it to a JSON key: `yes` becomes `true`, `0x10` `16`.
pub(super) fn resolve_key(text: &str) -> Option<String> {
    match resolve_plain(text)? {
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
