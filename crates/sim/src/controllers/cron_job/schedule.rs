//! The most recent missed time of a schedule, and the delay until the next one.

use k8s_openapi::api::batch::v1::CronJob;

use berth_core::api::cron::{Schedule, Zone};

/// More missed times than this cause an event.
const MANY: i64 = 100;

/// The next sync runs this much after the next scheduled time, so that the time has passed.
const DELTA_MS: i64 = 100;

/// A CronJob's schedule. All times are seconds since the Unix epoch.
pub(super) struct Times<'a> {
    pub cron_job: &'a CronJob,
    pub schedule: Schedule,
    pub zone: Zone,
    pub now: i64,
}

/// The most recent scheduled time that has passed.
pub(super) struct Recent {
    earliest: i64,
    pub last: Option<i64>,
    /// The approximate number of times that have passed.
    missed: i64,
}

impl Recent {
    pub(super) fn has_missed_many(&self) -> bool {
        self.missed > MANY
    }
}

impl Times<'_> {
    /// The most recent scheduled time since the CronJob last scheduled a Job, or since its creation. With
    /// `has_deadline`, at most `startingDeadlineSeconds` ago.
    ///
    /// # Errors
    /// If the schedule has no further time.
    pub(super) fn recent(&self, has_deadline: bool) -> Result<Recent, String> {
        let seconds =
            |time: &k8s_openapi::apimachinery::pkg::apis::meta::v1::Time| time.0.as_second();
        let created = self.cron_job.metadata.creation_timestamp.as_ref();
        let status = self.cron_job.status.as_ref();
        let last = status.and_then(|status| status.last_schedule_time.as_ref());
        let mut earliest = last.or(created).map_or(self.now, seconds);
        let spec = &self.cron_job.spec;
        if has_deadline && let Some(deadline) = spec.starting_deadline_seconds {
            earliest = earliest.max(self.now.saturating_sub(deadline));
        }
        let none = Recent {
            earliest,
            last: None,
            missed: 0,
        };
        let first = self.next(earliest);
        if first.is_some_and(|first| self.now < first) {
            return Ok(none);
        }
        let never = || "time difference between two schedules is less than 1 second".to_owned();
        let first = first.ok_or_else(never)?;
        let second = self.next(first).ok_or_else(never)?;
        if self.now < second {
            return Ok(Recent {
                last: Some(first),
                missed: 1,
                ..none
            });
        }
        // Start near the most recent time, so that few steps find it however many times were missed.
        let between = second - first;
        let missed = (self.now - first) / between + 1;
        let near = first + (missed - 2) * between;
        let mut last = None;
        let mut time = self.next(near);
        while let Some(passed) = time.filter(|time| *time <= self.now) {
            last = Some(passed);
            time = self.next(passed);
        }
        Ok(Recent {
            last,
            missed,
            ..none
        })
    }

    /// Milliseconds until the sync after the next scheduled time.
    pub(super) fn wait_ms(&self, now_ms_of_second: i64) -> Option<i64> {
        let last = match self.recent(false) {
            Ok(Recent {
                last: Some(last), ..
            }) => last,
            Ok(Recent {
                earliest,
                missed: 0,
                ..
            }) => earliest,
            _ => self.now,
        };
        let next = self.next(last)?;
        let seconds = next.saturating_sub(self.now);
        Some(seconds.saturating_mul(1_000) + DELTA_MS - now_ms_of_second)
    }

    fn next(&self, after: i64) -> Option<i64> {
        self.schedule.next(after, &self.zone)
    }
}
