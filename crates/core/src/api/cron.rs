//! Schedules of CronJobs, as in Kubernetes v1.34: the standard parser of `robfig/cron` v3, with its
//! messages, which the API server passes on.
//!
//! The maintained crates for cron expressions (`cronexpr`, `croner`) do not fit: they accept a
//! different syntax (`L`, `W`, `#`, 7 for Sunday; no `@every`), shift times that daylight saving skips,
//! and report different messages. They would accept schedules that a cluster rejects, or run them at
//! different times.

mod next;
mod zones;

use std::fmt::Write;

use berth_base::duration::parse_nanos;

pub use zones::Zone;

/// A recurring schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Whenever the local time matches.
    Fields(Fields),
    /// At an interval in seconds: `@every 90s`.
    Every(i64),
}

/// The local times that match, one bit for each value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    minute: u64,
    hour: u64,
    day_of_month: u64,
    month: u64,
    day_of_week: u64,
}

/// Marks a field that is `*`: the other day field alone decides.
const STAR: u64 = 1 << 63;

/// The range of a field's numbers, and their names, starting at `min`.
struct Bounds {
    min: u64,
    max: u64,
    names: &'static [&'static str],
}

const MINUTES: Bounds = Bounds {
    min: 0,
    max: 59,
    names: &[],
};
const HOURS: Bounds = Bounds {
    min: 0,
    max: 23,
    names: &[],
};
const DAYS: Bounds = Bounds {
    min: 1,
    max: 31,
    names: &[],
};
const MONTHS: Bounds = Bounds {
    min: 1,
    max: 12,
    names: &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
};
const WEEKDAYS: Bounds = Bounds {
    min: 0,
    max: 6,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

impl Schedule {
    /// Parses a schedule: five fields, `@daily` and the like, or `@every DURATION`. The time zone of a
    /// prefix `TZ=ZONE` or `CRON_TZ=ZONE` is returned too.
    ///
    /// # Errors
    /// The message of `robfig/cron`.
    pub fn parse(text: &str) -> Result<(Schedule, Option<Zone>), String> {
        if text.is_empty() {
            return Err("empty spec string".to_owned());
        }
        let (zone, text) = match text.starts_with("TZ=") || text.starts_with("CRON_TZ=") {
            true => {
                let (prefix, rest) = text.split_once(' ').unwrap_or((text, ""));
                let name = prefix.split_once('=').map_or("", |(_, name)| name);
                let zone = Zone::load(name)
                    .map_err(|error| format!("provided bad location {name}: {error}"))?;
                (Some(zone), rest.trim())
            }
            false => (None, text),
        };
        let schedule = if text.starts_with('@') {
            descriptor(text)?
        } else {
            Schedule::Fields(fields(text)?)
        };
        Ok((schedule, zone))
    }
}

fn fields(text: &str) -> Result<Fields, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [minute, hour, day_of_month, month, day_of_week] = fields.as_slice() else {
        let (count, listed) = (fields.len(), fields.join(" "));
        return Err(format!(
            "expected exactly 5 fields, found {count}: [{listed}]"
        ));
    };
    Ok(Fields {
        minute: field(minute, &MINUTES)?,
        hour: field(hour, &HOURS)?,
        day_of_month: field(day_of_month, &DAYS)?,
        month: field(month, &MONTHS)?,
        day_of_week: field(day_of_week, &WEEKDAYS)?,
    })
}

fn field(text: &str, bounds: &Bounds) -> Result<u64, String> {
    text.split(',')
        .filter(|range| !range.is_empty())
        .try_fold(0, |bits, text| Ok(bits | range(text, bounds)?))
}

/// `NUMBER`, `NUMBER-NUMBER`, `*` or `?`, each with `/NUMBER` or without.
fn range(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let parts: Vec<&str> = text.split('/').collect();
    let of_range = parts.first().copied().unwrap_or_default();
    let ends: Vec<&str> = of_range.split('-').collect();
    let is_single = ends.len() == 1;
    let mut star = 0;
    let (start, mut end) = match ends.as_slice() {
        ["*" | "?", ..] => {
            star = STAR;
            (bounds.min, bounds.max)
        }
        [one] => {
            let one = number_or_name(one, bounds)?;
            (one, one)
        }
        [start, end] => (number_or_name(start, bounds)?, number_or_name(end, bounds)?),
        _ => return Err(format!("too many hyphens: {text}")),
    };
    let step = match parts.as_slice() {
        [_] => 1,
        [_, step] => {
            let step = number(step)?;
            if is_single {
                end = bounds.max;
            }
            if step > 1 {
                star = 0;
            }
            step
        }
        _ => return Err(format!("too many slashes: {text}")),
    };
    let Bounds { min, max, .. } = bounds;
    if start < *min {
        return Err(format!(
            "beginning of range ({start}) below minimum ({min}): {text}"
        ));
    }
    if end > *max {
        return Err(format!(
            "end of range ({end}) above maximum ({max}): {text}"
        ));
    }
    if start > end {
        return Err(format!(
            "beginning of range ({start}) beyond end of range ({end}): {text}"
        ));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {text}"));
    }
    let values = (start..=end).filter(|value| (value - start) % step == 0);
    Ok(values.fold(star, |bits, value| bits | 1 << value))
}

fn number_or_name(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let name = text.to_lowercase();
    let mut known = (bounds.min..)
        .zip(bounds.names)
        .filter(|(_, known)| **known == name);
    match known.next() {
        Some((value, _)) => Ok(value),
        None => number(text),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let problem = match text.parse::<i64>() {
        Ok(number) => {
            return u64::try_from(number)
                .map_err(|_| format!("negative number ({number}) not allowed: {text}"));
        }
        Err(_) if is_number => "value out of range",
        Err(_) => "invalid syntax",
    };
    let mut message = format!("failed to parse int from {text}: strconv.Atoi: parsing ");
    // Writing to a string does not fail.
    let _ = write!(message, "{text:?}: {problem}");
    Err(message)
}

fn descriptor(text: &str) -> Result<Schedule, String> {
    let fields = match text {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * 0",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        _ => {
            let Some(duration) = text.strip_prefix("@every ") else {
                return Err(format!("unrecognized descriptor: {text}"));
            };
            let nanos = parse_nanos(duration).ok_or_else(|| {
                let why = format!("time: invalid duration {duration:?}");
                format!("failed to parse duration {text}: {why}")
            })?;
            // Whole seconds, at least one.
            return Ok(Schedule::Every((nanos / 1_000_000_000).max(1)));
        }
    };
    self::fields(fields).map(Schedule::Fields)
}

#[cfg(test)]
mod tests;
