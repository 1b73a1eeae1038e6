//! Time zones: the rules of the tz database from 2025 on, when simulated time starts.
//!
//! `zones.txt` (tz database 2025b, public domain) has a line for each rule: the POSIX time zone; if
//! that is incomplete, the offset from UTC in 2025 and its changes, `seconds since 2025=offset`; and
//! the names of the zones. It takes 15 KB instead of hundreds for the whole database, and is the same
//! natively and in the browser.

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::tz::TimeZone;

const ZONES: &str = include_str!("zones.txt");

/// 2025-01-01T00:00:00Z in seconds since the Unix epoch.
const EPOCH: i64 = 1_735_689_600;

/// A time zone.
#[derive(Clone, Debug)]
pub struct Zone {
    rule: TimeZone,
    /// The offset before the first change.
    first: i64,
    /// The times at which the offset from UTC changes, with the new offset, both in seconds; the rule
    /// applies after the last.
    changes: Vec<(i64, i64)>,
}

impl Zone {
    pub fn utc() -> Self {
        Zone {
            rule: TimeZone::UTC,
            first: 0,
            changes: Vec::new(),
        }
    }

    /// The zone of that name (`Asia/Shanghai`); the empty name is UTC.
    ///
    /// # Errors
    /// Go's message if there is no such zone.
    pub fn load(name: &str) -> Result<Self, String> {
        if name.is_empty() || name == "UTC" {
            return Ok(Zone::utc());
        }
        let line = ZONES
            .lines()
            .filter_map(|line| line.rsplit_once('|'))
            .find(|(_, names)| names.split(' ').any(|known| known == name));
        let unknown = || format!("unknown time zone {name}");
        let (posix, changes) = line
            .and_then(|(rule, _)| rule.split_once('|'))
            .ok_or_else(unknown)?;
        let rule = TimeZone::posix(posix).map_err(|_| unknown())?;
        let (first, changes) = changes.split_once(' ').unwrap_or_default();
        let change = |text: &str| {
            let (at, offset) = text.split_once('=')?;
            Some((EPOCH + at.parse::<i64>().ok()?, offset.parse().ok()?))
        };
        Ok(Zone {
            rule,
            first: first.parse().unwrap_or(0),
            changes: changes.split(' ').filter_map(change).collect(),
        })
    }

    /// The offset from UTC at a moment (seconds since the Unix epoch), in seconds.
    pub fn offset_at(&self, second: i64) -> i64 {
        let is_covered = self.changes.last().is_some_and(|(last, _)| second < *last);
        if is_covered {
            return self
                .changes
                .iter()
                .take_while(|(at, _)| *at <= second)
                .last()
                .map_or(self.first, |(_, offset)| *offset);
        }
        let timestamp = Timestamp::from_second(second).unwrap_or_default();
        i64::from(self.rule.to_offset(timestamp).seconds())
    }

    /// A moment as RFC 3339 with the zone's offset: `2025-01-01T08:00:00+08:00`, `…Z` for UTC itself.
    pub fn rfc3339(&self, second: i64) -> String {
        let offset = self.offset_at(second);
        let local = Timestamp::from_second(second.saturating_add(offset)).unwrap_or_default();
        let text = local.to_string();
        let text = text.strip_suffix('Z').unwrap_or(&text);
        if offset == 0 {
            return format!("{text}Z");
        }
        let sign = if offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 3_600, offset.abs() / 60 % 60);
        format!("{text}{sign}{hours:02}:{minutes:02}")
    }
}

/// The names of all zones.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ZONES
        .lines()
        .filter_map(|line| line.rsplit_once('|'))
        .flat_map(|(_, names)| names.split(' '))
}
