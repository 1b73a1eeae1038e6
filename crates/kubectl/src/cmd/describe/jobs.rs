//! Jobs and CronJobs.

use serde_json::Value;

use super::Context;
use super::page::Page;
use super::parts::{self, or_unset, truth};
use super::pod::template;
use crate::printers::fields::{Fields, or_none, selector};
use crate::printers::time;

/// Characters after which a list of indexes is cut at the next comma.
const MAX_INDEXES: usize = 50;

pub(crate) fn job(page: &mut Page, job: &Value, _: &Context<'_>) {
    let (spec, status) = (job.at("spec"), job.at("status"));
    page.field(0, "Name", job.text("metadata.name"));
    page.field(0, "Namespace", job.text("metadata.namespace"));
    page.field(0, "Selector", selector(spec.at("selector")));
    parts::metadata(page, job);
    parts::controlled_by(page, job);
    if spec.has("parallelism") {
        page.field(0, "Parallelism", spec.scalar("parallelism"));
    }
    page.field(0, "Completions", or_unset(spec.at("completions")));
    for (name, field) in [
        ("Completion Mode", "completionMode"),
        ("Suspend", "suspend"),
        ("Backoff Limit", "backoffLimit"),
        ("TTL Seconds After Finished", "ttlSecondsAfterFinished"),
    ] {
        if spec.has(field) {
            page.field(0, name, spec.scalar(field));
        }
    }
    let (start, end) = (status.text("startTime"), status.text("completionTime"));
    for (name, at) in [("Start Time", start), ("Completed At", end)] {
        if !at.is_empty() {
            page.field(0, name, time::long(at));
        }
    }
    if let (Some(start), Some(end)) = (time::ms(start), time::ms(end)) {
        page.field(0, "Duration", time::human(end.saturating_sub(start)));
    }
    if spec.has("activeDeadlineSeconds") {
        let seconds = spec.int("activeDeadlineSeconds");
        page.field(0, "Active Deadline Seconds", format!("{seconds}s"));
    }
    let ready = match status.at("ready") {
        Value::Null => String::new(),
        ready => format!(" ({ready} Ready)"),
    };
    let [active, succeeded, failed] = ["active", "succeeded", "failed"].map(|it| status.int(it));
    page.field(
        0,
        "Pods Statuses",
        format!("{active} Active{ready} / {succeeded} Succeeded / {failed} Failed"),
    );
    if spec.text("completionMode") == "Indexed" {
        page.field(
            0,
            "Completed Indexes",
            indexes(status.text("completedIndexes")),
        );
    }
    template(page, spec.at("template"));
}

fn indexes(text: &str) -> String {
    let comma = text.get(MAX_INDEXES..).and_then(|rest| rest.find(','));
    match comma.and_then(|at| text.get(..=MAX_INDEXES + at)) {
        Some(shown) => format!("{shown}..."),
        None => or_none(text),
    }
}

pub(crate) fn cron_job(page: &mut Page, cron: &Value, _: &Context<'_>) {
    let spec = cron.at("spec");
    page.field(0, "Name", cron.text("metadata.name"));
    page.field(0, "Namespace", cron.text("metadata.namespace"));
    parts::metadata(page, cron);
    page.field(0, "Schedule", spec.text("schedule"));
    page.field(0, "Concurrency Policy", spec.text("concurrencyPolicy"));
    page.field(0, "Suspend", truth(spec.at("suspend")));
    page.field(0, "Time Zone", or_unset(spec.at("timeZone")));
    for (name, field) in [
        ("Successful Job History Limit", "successfulJobsHistoryLimit"),
        ("Failed Job History Limit", "failedJobsHistoryLimit"),
    ] {
        page.field(0, name, or_unset(spec.at(field)));
    }
    let deadline = match spec.at("startingDeadlineSeconds") {
        Value::Null => "<unset>".to_owned(),
        seconds => format!("{seconds}s"),
    };
    page.field(0, "Starting Deadline Seconds", deadline);
    let job = spec.at("jobTemplate.spec");
    let chosen = match job.at("selector") {
        Value::Null => "<unset>".to_owned(),
        chosen => selector(chosen),
    };
    page.field(0, "Selector", chosen);
    page.field(0, "Parallelism", or_unset(job.at("parallelism")));
    page.field(0, "Completions", or_unset(job.at("completions")));
    if job.has("activeDeadlineSeconds") {
        let seconds = job.int("activeDeadlineSeconds");
        page.field(0, "Active Deadline Seconds", format!("{seconds}s"));
    }
    template(page, job.at("template"));
    let last = match cron.text("status.lastScheduleTime") {
        "" => "<unset>".to_owned(),
        last => time::long(last),
    };
    page.field(0, "Last Schedule Time", last);
    let active: Vec<_> = cron
        .items("status.active")
        .iter()
        .map(|it| it.text("name"))
        .collect();
    page.field(0, "Active Jobs", or_none(active.join(", ")));
}
