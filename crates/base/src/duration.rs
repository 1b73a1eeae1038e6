//! Durations in Go's notation.

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;
/// The largest magnitude of a negative duration.
const LIMIT: u64 = 1 << 63;

/// Parses a duration like `1h30m` or `-1.5s`, in nanoseconds. Mirrors Go's `time.ParseDuration`.
pub fn parse_nanos(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: u64 = 0;
    loop {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let is_number = |it: char| it == '.' || it.is_ascii_digit();
        let (unit, next) = after.split_at(after.find(is_number).unwrap_or(after.len()));
        let unit = nanos_of(unit)?;
        let whole = match whole {
            "" => 0,
            whole => whole.parse::<u64>().ok()?.checked_mul(unit)?,
        };
        total = total
            .checked_add(whole)?
            .checked_add(part(fraction, unit))?;
        if total > LIMIT {
            return None;
        }
        rest = next;
        if rest.is_empty() {
            break;
        }
    }
    if negative {
        0_i64.checked_sub_unsigned(total)
    } else {
        i64::try_from(total).ok()
    }
}

fn nanos_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3_600 * SECOND,
        _ => return None,
    })
}

/// Splits the leading digits off.
fn digits(text: &str) -> (&str, &str) {
    let is_other = |it: char| !it.is_ascii_digit();
    text.split_at(text.find(is_other).unwrap_or(text.len()))
}

/// The nanoseconds of a fraction of a unit, rounded as Go does. Digits that do not fit in 63 bits are dropped.
fn part(fraction: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in fraction.bytes() {
        let next = value.checked_mul(10);
        let next = next.and_then(|it| it.checked_add(u64::from(digit - b'0')));
        let Some(next) = next.filter(|it| *it <= LIMIT) else {
            break;
        };
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        const MINUTE: i64 = 60_000_000_000;
        for (text, nanos) in [
            ("0", Some(0)),
            ("5s", Some(5_000_000_000)),
            ("-5s", Some(-5_000_000_000)),
            ("+.5s", Some(500_000_000)),
            ("5.s", Some(5_000_000_000)),
            ("1.001s", Some(1_001_000_000)),
            ("10.5s4m", Some(4 * MINUTE + 10_500_000_000)),
            ("12µs", Some(12_000)),
            ("12μs", Some(12_000)),
            ("39h9m14.425s", Some(140_954_425_000_000)),
            ("9007199254740993ns", Some((1 << 53) + 1)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("-9223372036854775808ns", Some(i64::MIN)),
            ("0.3333333333333333333h", Some(20 * MINUTE)),
            ("0.100000000000000000000h", Some(6 * MINUTE)),
            ("9223372036854775808ns", None),
            ("3000000h", None),
            ("", None),
            ("3", None),
            ("-", None),
            ("s", None),
            (".s", None),
            ("1.5.5s", None),
            ("3d", None),
            ("1h soon", None),
        ] {
            assert_eq!(parse_nanos(text), nanos, "{text}");
        }
    }
}
