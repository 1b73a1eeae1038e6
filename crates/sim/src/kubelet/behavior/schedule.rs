//! Values that change at given times after a container's start, and their syntax in annotations.

use berth_base::quantity::Quantity;

/// The maximum number of values of an annotation.
const MAX_STEPS: usize = 100;

/// Values with the time from which they hold, in milliseconds after the start. The first entry holds from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule<T>(Vec<(i64, T)>);

impl<T: Clone> Schedule<T> {
    /// A value that never changes.
    pub fn always(value: T) -> Self {
        Schedule(vec![(0, value)])
    }

    /// `first`, and `second` from `at_ms` on.
    pub fn changing(first: T, at_ms: i64, second: T) -> Self {
        Schedule(vec![(0, first), (at_ms, second)])
    }

    /// The value `after_ms` milliseconds after the start.
    pub fn at(&self, after_ms: i64) -> Option<&T> {
        let reached = self.0.iter().take_while(|(from, _)| *from <= after_ms);
        reached.last().or(self.0.first()).map(|(_, value)| value)
    }

    /// When the value next changes.
    pub fn next_change(&self, after_ms: i64) -> Option<i64> {
        let mut times = self.0.iter().map(|(from, _)| *from);
        times.find(|from| *from > after_ms)
    }

    /// Adds a value that holds from `from_ms` on. Calls must not go back in time.
    pub fn push(&mut self, from_ms: i64, value: T) {
        self.0.retain(|(known, _)| *known < from_ms);
        self.0.push((from_ms, value));
    }
}

/// Parses `VALUE,VALUE@TIME,…`: the initial value, and later values with their times.
///
/// # Errors
/// Describes what is wrong with the text.
pub(super) fn schedule<T: Clone>(
    text: &str,
    value: impl Fn(&str) -> Result<T, String>,
) -> Result<Schedule<T>, String> {
    let mut steps: Vec<(i64, T)> = Vec::new();
    if text.split(',').nth(MAX_STEPS).is_some() {
        return Err(format!("there are more than {MAX_STEPS} values"));
    }
    for part in text.split(',') {
        let (text, from) = match part.trim().split_once('@') {
            Some((text, time)) => (text, duration_ms(time.trim())?),
            None => (part.trim(), 0),
        };
        if steps.last().is_some_and(|(before, _)| *before >= from) {
            return Err(format!(
                "the time of {part:?} must be later than the one before"
            ));
        }
        steps.push((from, value(text)?));
    }
    match steps.first() {
        Some((0, _)) => Ok(Schedule(steps)),
        _ => Err("the first value has no time: it holds from the start".to_owned()),
    }
}

/// Parses `ok` and `fail`.
///
/// # Errors
/// Describes what is wrong with the text.
pub(super) fn outcome(text: &str) -> Result<bool, String> {
    match text {
        "ok" => Ok(true),
        "fail" => Ok(false),
        _ => Err(format!("{text:?} is neither \"ok\" nor \"fail\"")),
    }
}

/// Parses a quantity in whole units: `200Mi`.
///
/// # Errors
/// Describes what is wrong with the text.
pub(super) fn bytes(text: &str) -> Result<i64, String> {
    let quantity = quantity(text)?;
    Ok(quantity.value())
}

/// Parses a quantity in thousandths: `500m`.
///
/// # Errors
/// Describes what is wrong with the text.
pub(super) fn milli(text: &str) -> Result<i64, String> {
    let quantity = quantity(text)?;
    Ok(quantity.milli_value())
}

fn quantity(text: &str) -> Result<Quantity, String> {
    match Quantity::parse(text) {
        Ok(quantity) if !quantity.is_negative() && !text.is_empty() => Ok(quantity),
        _ => Err(format!("{text:?} is not a quantity such as \"200Mi\"")),
    }
}

/// Parses a duration: seconds (`30`), or numbers with units (`1h30m`, `500ms`).
///
/// # Errors
/// Describes what is wrong with the text.
pub(super) fn duration_ms(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text:?} is not a duration such as \"30s\" or \"1m30s\"");
    let mut rest = text;
    let mut total = 0_i64;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let letters = behind.len()
            - behind
                .trim_start_matches(|c: char| c.is_ascii_lowercase())
                .len();
        let (unit, behind) = behind.split_at(letters);
        let unit_ms = match unit {
            "" | "s" => 1_000,
            "ms" => 1,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let number: i64 = number.parse().map_err(|_| wrong())?;
        total = total.saturating_add(number.saturating_mul(unit_ms));
        rest = behind;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_or_are_seconds() {
        for (text, ms) in [
            ("30", 30_000),
            ("1m30s", 90_000),
            ("500ms", 500),
            ("2h", 7_200_000),
        ] {
            assert_eq!(duration_ms(text), Ok(ms), "{text}");
        }
        for text in ["", "s", "-3s", "1.5s", "3 s", "1w", "ever"] {
            assert!(duration_ms(text).is_err(), "{text}");
        }
    }

    #[test]
    fn schedules_change_at_their_times() {
        let read = schedule("fail,ok@20s,fail@1m", outcome).unwrap();
        let at = [0, 19_999, 20_000, 60_000].map(|ms| *read.at(ms).unwrap());
        assert_eq!(at, [false, false, true, false]);
        assert_eq!(read.next_change(0), Some(20_000));
        assert_eq!(read.next_change(60_000), None);
        for text in ["", "ok@5s", "ok,fail@9s,ok@9s", "perhaps"] {
            assert!(schedule(text, outcome).is_err(), "{text}");
        }
        let of = |count: usize| {
            let later = (1..count).map(|second| format!(",ok@{second}s"));
            schedule(&format!("ok{}", later.collect::<String>()), outcome)
        };
        assert!(of(MAX_STEPS).is_ok());
        let wrong = of(MAX_STEPS + 1).unwrap_err();
        assert_eq!(wrong, "there are more than 100 values");
    }
}
