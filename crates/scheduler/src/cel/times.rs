//! Durations and timestamps.

use k8s_openapi::jiff::SignedDuration;
use k8s_openapi::jiff::civil::DateTime;

use super::eval::{Evaluated, error};
use super::value::Value;
use berth_base::duration::parse_nanos;

/// Nanoseconds in a second.
pub const SECOND: i128 = 1_000_000_000;
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// The first second of the year 1 and the last of the year 9999.
const TIMESTAMPS: (i128, i128) = (-62_135_596_800, 253_402_300_799);

/// A duration in seconds, as `string()` prints it.
pub fn duration_text(nanos: i128) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    let (seconds, rest) = (nanos / SECOND.unsigned_abs(), nanos % SECOND.unsigned_abs());
    if rest == 0 {
        return format!("{sign}{seconds}s");
    }
    let fraction = format!("{rest:09}");
    format!("{sign}{seconds}.{}s", fraction.trim_end_matches('0'))
}

/// Nanoseconds since the Unix epoch.
fn nanos_of(time: DateTime) -> i128 {
    time.duration_since(EPOCH).as_nanos()
}

/// The date and time of day; `None` outside the years from -9999 to 9999.
fn civil(nanos: i128) -> Option<DateTime> {
    let seconds = i64::try_from(nanos.div_euclid(SECOND)).ok()?;
    let rest = i32::try_from(nanos.rem_euclid(SECOND)).ok()?;
    EPOCH.checked_add(SignedDuration::new(seconds, rest)).ok()
}

/// Parses a timestamp in the notation of RFC 3339.
pub fn parse_timestamp(text: &str) -> Option<i128> {
    let digits = |from: usize, to: usize| -> Option<i8> {
        let part = text.get(from..to)?;
        let is_number = part.bytes().all(|it| it.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    if !text.is_ascii() || text.len() < 20 {
        return None;
    }
    let separators = [(4, '-'), (7, '-'), (10, 'T'), (13, ':'), (16, ':')];
    let letters: Vec<char> = text.chars().collect();
    if !separators
        .iter()
        .all(|(at, it)| letters.get(*at) == Some(it))
    {
        return None;
    }
    let century = i16::from(digits(0, 2)?);
    let year = century * 100 + i16::from(digits(2, 4)?);
    let (month, day) = (digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    let time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let mut rest = &text[19..];
    let mut nanos = 0;
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.find(|it: char| !it.is_ascii_digit()).unwrap_or(0);
        if end == 0 {
            return None;
        }
        let mut scale = SECOND;
        for digit in after[..end].chars().take(9) {
            scale /= 10;
            nanos += scale * i128::from(digit.to_digit(10)?);
        }
        rest = &after[end..];
    }
    let offset = if rest == "Z" { 0 } else { offset_of(rest)? };
    Some(nanos_of(time) - i128::from(offset) * SECOND + nanos)
}

/// The seconds of an offset: `+01:30`.
fn offset_of(text: &str) -> Option<i64> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        '0'..='9' => return offset_of(&format!("+{text}")),
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60 && hours >= 0 && minutes >= 0)
        .then_some(sign * (hours * 3600 + minutes * 60))
}

/// A timestamp in the notation of RFC 3339.
pub fn timestamp_text(nanos: i128) -> String {
    format!("{}Z", civil(nanos).unwrap_or_default())
}

fn timestamp(nanos: i128) -> Evaluated {
    let seconds = nanos.div_euclid(SECOND);
    if seconds < TIMESTAMPS.0 || seconds > TIMESTAMPS.1 {
        return Err(error("timestamp overflow"));
    }
    Ok(Value::Timestamp(nanos))
}

fn duration(nanos: i128) -> Evaluated {
    if i64::try_from(nanos).is_err() {
        return Err(error("duration overflow"));
    }
    Ok(Value::Duration(nanos))
}

/// Sums and differences of times; `None` for other values.
pub fn arithmetic(function: &str, a: &Value, b: &Value) -> Option<Evaluated> {
    Some(match (function, a, b) {
        ("_+_", Value::Duration(a), Value::Duration(b)) => duration(a + b),
        ("_-_", Value::Duration(a), Value::Duration(b)) => duration(a - b),
        ("_+_", Value::Timestamp(a), Value::Duration(b))
        | ("_+_", Value::Duration(b), Value::Timestamp(a)) => timestamp(a + b),
        ("_-_", Value::Timestamp(a), Value::Duration(b)) => timestamp(a - b),
        ("_-_", Value::Timestamp(a), Value::Timestamp(b)) => duration(a - b),
        _ => return None,
    })
}

/// Calls a function over times; `None` if it is none of them.
pub fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("duration", [Value::Duration(_)]) | ("timestamp", [Value::Timestamp(_)]) => values
            .first()
            .cloned()
            .ok_or_else(|| error("no such overload")),
        ("duration", [Value::Int(seconds)]) => duration(i128::from(*seconds) * SECOND),
        ("duration", [Value::String(text)]) => match parse_nanos(text) {
            Some(nanos) => duration(i128::from(nanos)),
            None => Err(error(
                "type conversion error from 'string' to 'google.protobuf.Duration'",
            )),
        },
        ("timestamp", [Value::Int(seconds)]) => timestamp(i128::from(*seconds) * SECOND),
        ("timestamp", [Value::String(text)]) => match parse_timestamp(text) {
            Some(nanos) => timestamp(nanos),
            None => Err(error(
                "type conversion error from 'string' to 'google.protobuf.Timestamp'",
            )),
        },
        (_, [Value::Duration(nanos)]) => return of_duration(function, *nanos),
        (_, [Value::Timestamp(nanos)]) => return of_timestamp(function, *nanos),
        (_, [Value::Timestamp(nanos), Value::String(zone)]) => {
            let offset = match &**zone {
                "UTC" | "" => Some(0),
                zone => offset_of(zone),
            };
            match offset {
                Some(offset) => {
                    return of_timestamp(function, nanos + i128::from(offset) * SECOND);
                }
                None => Err(error(format!(
                    "Berth knows UTC and offsets like +01:00, and no time zone {zone}"
                ))),
            }
        }
        _ => return None,
    })
}

fn of_duration(function: &str, nanos: i128) -> Option<Evaluated> {
    let unit = match function {
        "getHours" => 3600 * SECOND,
        "getMinutes" => 60 * SECOND,
        "getSeconds" => SECOND,
        "getMilliseconds" => SECOND / 1000,
        _ => return None,
    };
    Some(Ok(Value::Int(i64::try_from(nanos / unit).unwrap_or(0))))
}

fn of_timestamp(function: &str, nanos: i128) -> Option<Evaluated> {
    let Some(time) = civil(nanos) else {
        return Some(Err(error("timestamp overflow")));
    };
    let number = match function {
        "getFullYear" => i64::from(time.year()),
        "getMonth" => i64::from(time.month()) - 1,
        "getDate" => i64::from(time.day()),
        "getDayOfMonth" => i64::from(time.day()) - 1,
        "getDayOfYear" => i64::from(time.date().day_of_year()) - 1,
        "getDayOfWeek" => i64::from(time.weekday().to_sunday_zero_offset()),
        "getHours" => i64::from(time.hour()),
        "getMinutes" => i64::from(time.minute()),
        "getSeconds" => i64::from(time.second()),
        "getMilliseconds" => i64::from(time.millisecond()),
        _ => return None,
    };
    Some(Ok(Value::Int(number)))
}
