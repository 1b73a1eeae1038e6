//! Durations as Go and `sleep` write them.

/// Parses a Go duration (`1m30s`, `0`, `-1s`) to milliseconds, truncating fractions.
pub fn duration_ms(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Some(0);
    }
    let mut rest = unsigned;
    let mut micros: i128 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (whole, behind) = rest.split_at(digits);
        let behind_dot = behind.strip_prefix('.').unwrap_or(behind);
        let decimals = behind_dot.len()
            - behind_dot
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let has_dot = behind.len() != behind_dot.len();
        let decimals = if has_dot { decimals } else { 0 };
        let (fraction, behind) = behind_dot.split_at(decimals);
        if whole.is_empty() && fraction.is_empty() || whole.len() > 12 || fraction.len() > 12 {
            return None;
        }
        let letters = behind.len()
            - behind
                .trim_start_matches(|c: char| !c.is_ascii_digit() && c != '.')
                .len();
        let (unit, behind) = behind.split_at(letters);
        let unit = unit_micros(unit)?;
        let number: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
        micros += number * unit / scale;
        rest = behind;
    }
    if unsigned.is_empty() {
        return None;
    }
    let ms = i64::try_from(micros / 1_000).ok()?;
    Some(if text.starts_with('-') { -ms } else { ms })
}

/// Parses an operand of `sleep` to milliseconds, truncating fractions: `30`, `0.5`, `2m`.
pub fn sleep_ms(word: &str) -> Option<i64> {
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    let unit_ms = match word.get(number.len()..)? {
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) || fraction.len() > 12 {
        return None;
    }
    let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    let ms = digits.parse::<i128>().ok()?.saturating_mul(unit_ms) / scale;
    Some(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// Formats milliseconds as Go does: `250ms`, `1.5s`, `1m30s`, `1h0m0s`.
pub fn go_duration(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    let (seconds, rest) = (ms / 1_000, ms % 1_000);
    let fraction = format!(".{rest:03}");
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) if rest > 0 => format!("{sign}{rest}ms"),
        (0, 0, s) => format!("{sign}{s}{fraction}s"),
        (0, m, s) => format!("{sign}{m}m{s}{fraction}s"),
        (h, m, s) => format!("{sign}{h}h{m}m{s}{fraction}s"),
    }
}

fn unit_micros(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 0,
        "us" | "µs" | "μs" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_sleep_have_one_unit() {
        for (word, ms) in [
            ("30", Some(30_000)),
            ("0.5", Some(500)),
            (".25s", Some(250)),
            ("2m", Some(120_000)),
            ("0.5d", Some(43_200_000)),
            ("99999999999999999999d", Some(i64::MAX)),
            ("1m30s", None),
            ("5ms", None),
            ("-1", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(sleep_ms(word), ms, "{word}");
        }
    }

    #[test]
    fn durations_look_as_go_prints_them() {
        for (ms, text) in [
            (0, "0s"),
            (250, "250ms"),
            (5_000, "5s"),
            (1_500, "1.5s"),
            (90_000, "1m30s"),
            (300_000, "5m0s"),
            (3_600_000, "1h0m0s"),
            (-1_500, "-1.5s"),
        ] {
            assert_eq!(go_duration(ms), text);
            assert_eq!(duration_ms(text), Some(ms));
        }
    }
}
