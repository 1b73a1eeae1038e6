//! Durations and timestamps.

use super::eval::{Evaluated, error};
use super::value::Value;
use crate::base::duration::parse_nanos;

/// Nanoseconds in a second.
pub const SECOND: i128 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;
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

/// Days since 1970-01-01 of a date.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970-01-01: year, month (1–12), day (1–31).
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Parses a timestamp in the notation of RFC 3339.
pub fn parse_timestamp(text: &str) -> Option<i128> {
    let digits = |part: &str| -> Option<i64> {
        part.chars()
            .all(|it| it.is_ascii_digit())
            .then(|| part.parse().ok())
            .flatten()
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
    let (year, month, day) = (
        digits(&text[0..4])?,
        digits(&text[5..7])?,
        digits(&text[8..10])?,
    );
    let (hour, minute, second) = (
        digits(&text[11..13])?,
        digits(&text[14..16])?,
        digits(&text[17..19])?,
    );
    let days = days_of(year, month, day);
    if !(1..=12).contains(&month) || date_of(days) != (year, month, day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
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
    let seconds = days * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset;
    Some(i128::from(seconds) * SECOND + nanos)
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
    let seconds = i64::try_from(nanos.div_euclid(SECOND)).unwrap_or(0);
    let rest = nanos.rem_euclid(SECOND);
    let (year, month, day) = date_of(seconds.div_euclid(DAY_SECONDS));
    let second = seconds.rem_euclid(DAY_SECONDS);
    let mut text = format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    if rest != 0 {
        let fraction = format!("{rest:09}");
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    text.push('Z');
    text
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
pub fn arithmetic(function: &str, one: &Value, other: &Value) -> Option<Evaluated> {
    Some(match (function, one, other) {
        ("_+_", Value::Duration(one), Value::Duration(other)) => duration(one + other),
        ("_-_", Value::Duration(one), Value::Duration(other)) => duration(one - other),
        ("_+_", Value::Timestamp(one), Value::Duration(other))
        | ("_+_", Value::Duration(other), Value::Timestamp(one)) => timestamp(one + other),
        ("_-_", Value::Timestamp(one), Value::Duration(other)) => timestamp(one - other),
        ("_-_", Value::Timestamp(one), Value::Timestamp(other)) => duration(one - other),
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
    let seconds = i64::try_from(nanos.div_euclid(SECOND)).unwrap_or(0);
    let days = seconds.div_euclid(DAY_SECONDS);
    let second = seconds.rem_euclid(DAY_SECONDS);
    let (year, month, day) = date_of(days);
    let number = match function {
        "getFullYear" => year,
        "getMonth" => month - 1,
        "getDate" => day,
        "getDayOfMonth" => day - 1,
        "getDayOfYear" => days - days_of(year, 1, 1),
        "getDayOfWeek" => (days + 4).rem_euclid(7),
        "getHours" => second / 3600,
        "getMinutes" => second / 60 % 60,
        "getSeconds" => second % 60,
        "getMilliseconds" => i64::try_from(nanos.rem_euclid(SECOND) / 1_000_000).unwrap_or(0),
        _ => return None,
    };
    Some(Ok(Value::Int(number)))
}
