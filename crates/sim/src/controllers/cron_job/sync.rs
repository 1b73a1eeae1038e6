//! One sync of a CronJob: records finished Jobs and starts due ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::batch::v1::{CronJob, CronJobStatus, Job};
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;

use super::SCHEDULED;
use super::schedule::Times;
use crate::audit_log::{Event, Level};
use crate::controllers::job::is_finished;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Store, is_controlled_by, name_of, namespace_of, uid_of};
use berth_base::sort;
use berth_core::api::cron::{Schedule, Zone};
use berth_core::api::meta::reference;

pub(super) struct Sync<'a> {
    pub cron_job: CronJob,
    pub status: CronJobStatus,
    /// The Jobs that the CronJob controls.
    pub jobs: Vec<Arc<Job>>,
    pub api: &'a mut ApiServer,
}

/// Milliseconds until the next sync; `None` if only a change can make a difference.
type Again = Option<i64>;

impl<'a> Sync<'a> {
    pub(super) fn new(cron_job: &CronJob, cache: &Store, api: &'a mut ApiServer) -> Self {
        let jobs = cache.jobs.controlled_by(uid_of(&cron_job.metadata));
        Sync {
            status: cron_job.status.clone().unwrap_or_default(),
            jobs: jobs.cloned().collect(),
            cron_job: cron_job.clone(),
            api,
        }
    }

    pub(super) fn record(
        &mut self,
        level: Level,
        reason: &'static str,
        message: impl Into<String>,
    ) {
        self.api
            .event(Event::new(&self.cron_job, level, reason, message));
    }

    /// Writes the status if it has changed.
    pub(super) fn write(&mut self) -> Result<(), ApiError> {
        let before = self.cron_job.status.clone().unwrap_or_default();
        if before == self.status {
            return Ok(());
        }
        self.cron_job.status = Some(self.status.clone());
        match self.api.update_status(&self.cron_job) {
            Err(ApiError::NotFound { .. }) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    pub(super) fn run(&mut self) -> Result<Again, ApiError> {
        self.note_jobs();
        self.forget_missing();
        if self.cron_job.metadata.deletion_timestamp.is_some() {
            return Ok(None);
        }
        let spec = self.cron_job.spec.clone();
        let mut zone = Zone::utc();
        if let Some(name) = &spec.time_zone {
            match Zone::load(name) {
                Ok(known) => zone = known,
                Err(unknown) => {
                    let message = format!("invalid timeZone: {name:?}: {unknown}");
                    self.record(Level::Warning, "UnknownTimeZone", message);
                    return Ok(None);
                }
            }
        }
        if spec.suspend == Some(true) {
            return Ok(None);
        }
        let text = &spec.schedule;
        if text.contains("TZ") {
            let message = format!(
                "CRON_TZ or TZ used in schedule {text:?} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
            );
            self.record(Level::Warning, "UnsupportedSchedule", message);
        }
        let schedule = match Schedule::parse(text) {
            Ok((schedule, own)) => {
                zone = own.unwrap_or(zone);
                schedule
            }
            Err(problem) => {
                let message = format!("unparseable schedule: {text:?} : {problem}");
                self.record(Level::Warning, "UnparseableCronJobSchedule", message);
                return Ok(None);
            }
        };
        let now = self.api.now().0.as_second();
        let cron_job = self.cron_job.clone();
        let times = Times {
            cron_job: &cron_job,
            schedule,
            zone,
            now,
        };
        self.start_due(&times)
    }

    fn start_due(&mut self, times: &Times<'_>) -> Result<Again, ApiError> {
        let spec = times.cron_job.spec.clone();
        let recent = match times.recent(true) {
            Ok(recent) => recent,
            Err(problem) => {
                let schedule = &spec.schedule;
                let message = format!("invalid schedule: {schedule} : {problem}");
                self.record(Level::Warning, "InvalidSchedule", message);
                return Ok(None);
            }
        };
        let again = times.wait_ms(self.api.now_ms().rem_euclid(1_000));
        let Some(due) = recent.last else {
            return Ok(again);
        };
        if recent.has_missed_many() {
            let message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
            self.record(Level::Warning, "TooManyMissedTimes", message);
        }
        let deadline = spec.starting_deadline_seconds;
        if deadline.is_some_and(|seconds| due.saturating_add(seconds) < times.now) {
            let message = format!("Missed scheduled time to start a job: {}", rfc1123z(due));
            self.record(Level::Warning, "MissSchedule", message);
            return Ok(again);
        }
        let name = job_name(times.cron_job, due);
        let active = self.status.active.clone().unwrap_or_default();
        let is_active = active
            .iter()
            .any(|job| job.name.as_deref() == Some(name.as_str()));
        let last = self.status.last_schedule_time.as_ref();
        if is_active || last.is_some_and(|last| last.0.as_second() == due) {
            return Ok(again);
        }
        match spec.concurrency_policy.as_deref() {
            Some("Forbid") if !active.is_empty() => {
                let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
                self.record(Level::Normal, "JobAlreadyActive", message);
                return Ok(again);
            }
            Some("Replace") => {
                for job in &active {
                    self.delete_job(job.name.as_deref().unwrap_or_default())?;
                }
            }
            _ => {}
        }
        self.start(times, due, name)?;
        Ok(again)
    }

    fn start(&mut self, times: &Times<'_>, due: i64, name: String) -> Result<(), ApiError> {
        let template = times.cron_job.spec.clone().job_template;
        let meta = template.metadata.unwrap_or_default();
        let mut annotations = meta.annotations.unwrap_or_default();
        annotations.insert(SCHEDULED.to_owned(), times.zone.rfc3339(due));
        let job = Job {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                namespace: times.cron_job.metadata.namespace.clone(),
                labels: meta.labels,
                annotations: Some(annotations),
                owner_references: Some(vec![reference(times.cron_job)]),
                ..ObjectMeta::default()
            },
            spec: template.spec,
            status: None,
        };
        let job = match self.api.create(job) {
            Ok(job) => {
                self.record(
                    Level::Normal,
                    "SuccessfulCreate",
                    format!("Created job {name}"),
                );
                job
            }
            Err(error) => match self.own_job(&name) {
                // A former sync created it, but did not record it in the status.
                Some(job) if matches!(error, ApiError::AlreadyExists { .. }) => job,
                _ => {
                    let message = format!("Error creating job: {error}");
                    self.record(Level::Warning, "FailedCreate", message);
                    return Err(error);
                }
            },
        };
        self.status
            .active
            .get_or_insert_default()
            .push(reference_to(&job));
        let time = Timestamp::from_second(due).unwrap_or_default();
        self.status.last_schedule_time = Some(Time(time));
        Ok(())
    }

    /// Removes finished Jobs from the list of active Jobs.
    fn note_jobs(&mut self) {
        let listed = self.status.active.clone().unwrap_or_default();
        let listed: BTreeSet<&str> = sort::gather(listed.iter().filter_map(|it| it.uid.as_deref()));
        for job in self.jobs.clone() {
            let name = name_of(&job.metadata).to_owned();
            let is_listed = listed.contains(uid_of(&job.metadata));
            let finished = is_finished(&job);
            if !is_listed && !finished {
                let message =
                    format!("Saw a job that the controller did not create or forgot: {name}");
                self.record(Level::Warning, "UnexpectedJob", message);
            } else if is_listed && finished {
                let condition = if has_succeeded(&job) {
                    "Complete"
                } else {
                    "Failed"
                };
                self.forget(uid_of(&job.metadata));
                let message = format!("Saw completed job: {name}, condition: {condition}");
                self.record(Level::Normal, "SawCompletedJob", message);
            }
            if has_succeeded(&job) {
                let status = job.status.as_ref();
                let ended = status.and_then(|status| status.completion_time.clone());
                let last = self.status.last_successful_time.as_ref();
                let is_later = ended
                    .as_ref()
                    .is_some_and(|ended| last.is_none_or(|last| last.0 < ended.0));
                if is_later {
                    self.status.last_successful_time = ended;
                }
            }
        }
    }

    /// Removes deleted Jobs from the list of active Jobs.
    fn forget_missing(&mut self) {
        let known = self.jobs.iter().map(|job| uid_of(&job.metadata));
        let known: BTreeSet<&str> = sort::gather(known);
        let is_known =
            |job: &&ObjectReference| known.contains(job.uid.as_deref().unwrap_or_default());
        let listed = self.status.active.iter().flatten();
        let missing: Vec<ObjectReference> = listed.filter(|job| !is_known(job)).cloned().collect();
        for listed in missing {
            let uid = listed.uid.unwrap_or_default();
            let name = listed.name.unwrap_or_default();
            if self.own_job(&name).is_none() {
                let message = format!("Active job went missing: {name}");
                self.record(Level::Normal, "MissingJob", message);
                self.forget(&uid);
            }
        }
    }

    /// The Job of this name in the API server, if the CronJob controls it.
    fn own_job(&self, name: &str) -> Option<Arc<Job>> {
        let namespace = namespace_of(&self.cron_job.metadata);
        let job = self.api.store().jobs.get(&Key::new(namespace, name))?;
        is_controlled_by(&job.metadata, &self.cron_job.metadata).then(|| Arc::clone(job))
    }

    fn forget(&mut self, uid: &str) {
        if let Some(active) = &mut self.status.active {
            active.retain(|job| job.uid.as_deref() != Some(uid));
            if active.is_empty() {
                self.status.active = None;
            }
        }
    }

    /// Deletes a Job of the CronJob, with its Pods.
    pub(super) fn delete_job(&mut self, name: &str) -> Result<(), ApiError> {
        let Some(job) = self.own_job(name) else {
            return Ok(());
        };
        let key = Key::of(&job.metadata);
        if let Err(error) = self.api.delete::<Job>(&key) {
            let message = format!("Deleted job: {error}");
            self.record(Level::Warning, "FailedDelete", message);
            return Err(error);
        }
        self.forget(uid_of(&job.metadata));
        self.record(
            Level::Normal,
            "SuccessfulDelete",
            format!("Deleted job {name}"),
        );
        Ok(())
    }
}

/// Whether a Job is `Complete`.
pub(super) fn has_succeeded(job: &Job) -> bool {
    let conditions = job
        .status
        .iter()
        .flat_map(|status| status.conditions.iter().flatten());
    let mut complete = conditions.filter(|it| it.type_ == "Complete" && it.status == "True");
    complete.next().is_some()
}

/// The name of the Job for a scheduled time; being deterministic, it prevents a second Job for the same time.
fn job_name(cron_job: &CronJob, due: i64) -> String {
    format!("{}-{}", name_of(&cron_job.metadata), due.div_euclid(60))
}

fn reference_to(job: &Job) -> ObjectReference {
    ObjectReference {
        api_version: Some(Job::API_VERSION.to_owned()),
        kind: Some(Job::KIND.to_owned()),
        namespace: job.metadata.namespace.clone(),
        name: job.metadata.name.clone(),
        uid: job.metadata.uid.clone(),
        resource_version: job.metadata.resource_version.clone(),
        ..ObjectReference::default()
    }
}

/// Formats a time in UTC as Go's `time.RFC1123Z`.
fn rfc1123z(second: i64) -> String {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let time = Timestamp::from_second(second).unwrap_or_default();
    let time = k8s_openapi::jiff::tz::Offset::UTC.to_datetime(time);
    let weekday = usize::try_from(time.weekday().to_sunday_zero_offset()).unwrap_or_default();
    let month = usize::try_from(time.month() - 1).unwrap_or_default();
    format!(
        "{}, {:02} {} {} {:02}:{:02}:{:02} +0000",
        DAYS.get(weekday).unwrap_or(&""),
        time.day(),
        MONTHS.get(month).unwrap_or(&""),
        time.year(),
        time.hour(),
        time.minute(),
        time.second()
    )
}
