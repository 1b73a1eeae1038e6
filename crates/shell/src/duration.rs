//! Durations as Go writes them.

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
