//! The next time that matches a schedule.
//!
//! Local times match as the clock shows them: times skipped by daylight saving are not made up for, and
//! repeated times match twice.

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::civil::DateTime;

use super::{Fields, STAR, Schedule, Zone};

/// Years after which the search for a match ends. February 31st, for example, never matches.
const MAX_YEARS: i16 = 5;

const HOUR: i64 = 3_600;

impl Schedule {
    /// The first match after a moment, both in seconds since the Unix epoch; `None` if there is none.
    pub fn next(&self, after: i64, zone: &Zone) -> Option<i64> {
        match self {
            Schedule::Fields(fields) => fields.next(after, zone),
            Schedule::Every(seconds) => after.checked_add(*seconds),
        }
    }
}

impl Fields {
    fn next(&self, after: i64, zone: &Zone) -> Option<i64> {
        let mut second = after.div_euclid(60).checked_add(1)?.checked_mul(60)?;
        let last = local(second, zone)?.year().checked_add(MAX_YEARS)?;
        loop {
            let time = local(second, zone)?;
            if time.year() > last {
                return None;
            }
            let day_seconds = i64::from(time.hour()) * HOUR + i64::from(time.minute()) * 60;
            if !self.fits_day(time) {
                second = midnight(second - day_seconds + 24 * HOUR, second, zone)?;
            } else if !is_in(self.hour, time.hour()) {
                second += HOUR - i64::from(time.minute()) * 60;
            } else if !is_in(self.minute, time.minute()) {
                second += 60;
            } else {
                return Some(second);
            }
        }
    }

    fn fits_day(&self, time: DateTime) -> bool {
        let day = is_in(self.day_of_month, time.day());
        let weekday = is_in(self.day_of_week, time.weekday().to_sunday_zero_offset());
        let is_any = (self.day_of_month | self.day_of_week) & STAR > 0;
        let fits = if is_any {
            day && weekday
        } else {
            day || weekday
        };
        fits && is_in(self.month, time.month())
    }
}

/// The intended midnight, if the clock was changed before it.
fn midnight(guess: i64, before: i64, zone: &Zone) -> Option<i64> {
    let time = local(guess, zone)?;
    let hour = i64::from(time.hour()) * HOUR + i64::from(time.minute()) * 60;
    let found = match hour {
        0 => guess,
        // The previous day is not over yet.
        late if late > 12 * HOUR => guess + 24 * HOUR - late,
        // Midnight has passed; but a midnight that does not exist is not searched backwards.
        early => {
            let earlier = guess - early;
            let is_same_day = local(earlier, zone)?.date() == time.date();
            if is_same_day { earlier } else { guess }
        }
    };
    // Time always advances, whatever the clock does.
    Some(found.max(before + 60))
}

fn local(second: i64, zone: &Zone) -> Option<DateTime> {
    let local = second.checked_add(zone.offset_at(second))?;
    let timestamp = Timestamp::from_second(local).ok()?;
    Some(k8s_openapi::jiff::tz::Offset::UTC.to_datetime(timestamp))
}

fn is_in(bits: u64, value: i8) -> bool {
    u32::try_from(value).is_ok_and(|value| bits & (1_u64.checked_shl(value).unwrap_or(0)) > 0)
}
