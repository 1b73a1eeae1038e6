use k8s_openapi::api::batch::v1::{CronJob, Job, JobCondition, JobStatus};

use crate::controllers::stage::Stage;
use crate::server::{ms_of, time_at};
use crate::store::{Key, Stored, name_of};

const MINUTE: i64 = 60_000;

fn cron_job(schedule: &str, fields: &str) -> String {
    format!(
        "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: tick}}, spec: {{schedule: '{schedule}', jobTemplate: {{metadata: {{labels: {{of: tick}}}}, spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: app}}]}}}}}}}}, {fields}}}}}"
    )
}

/// The names of all Jobs, without the prefix `tick-`.
fn jobs(stage: &Stage) -> Vec<String> {
    let names = stage
        .plane
        .api
        .store()
        .jobs
        .iter()
        .map(|job| name_of(&job.metadata).to_owned());
    names
        .map(|name| name.trim_start_matches("tick-").to_owned())
        .collect()
}

/// Finishes a Job; no kubelet runs its Pods in these tests.
fn finish(stage: &mut Stage, name: &str, condition: &str) {
    let now = stage.api().now();
    let conditions = match condition {
        "Complete" => ["SuccessCriteriaMet", condition],
        _ => ["FailureTarget", condition],
    };
    let holds = |condition: &str| JobCondition {
        type_: condition.to_owned(),
        status: "True".to_owned(),
        ..JobCondition::default()
    };
    stage.edit::<Job>("default", &format!("tick-{name}"), |job| {
        // The start of a Job never changes.
        let started = job.status.take().and_then(|status| status.start_time);
        job.status = Some(JobStatus {
            start_time: started.or_else(|| Some(now.clone())),
            completion_time: (condition == "Complete").then(|| now.clone()),
            conditions: Some(conditions.map(holds).to_vec()),
            ..JobStatus::default()
        });
    });
}

fn active(stage: &Stage) -> usize {
    let status = stage.get::<CronJob>("default", "tick").status;
    status
        .and_then(|status| status.active)
        .map_or(0, |active| active.len())
}

/// The start of virtual time, in minutes since the Unix epoch.
const START: i64 = 1_735_689_600 / 60;

fn name(minute: i64) -> String {
    (START + minute).to_string()
}

#[test]
fn jobs_start_on_schedule_and_are_named_after_the_minute() {
    let mut stage = Stage::new();
    stage.apply(&cron_job("*/5 * * * *", ""));
    stage.run(4 * MINUTE);
    assert!(jobs(&stage).is_empty());
    stage.run(11 * MINUTE);
    assert_eq!(jobs(&stage), [name(5), name(10)]);
    let job = stage.get::<Job>("default", &format!("tick-{}", name(5)));
    assert_eq!(job.metadata.labels.unwrap()["of"], "tick");
    let annotations = job.metadata.annotations.unwrap();
    assert_eq!(
        annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"],
        "2025-01-01T00:05:00Z"
    );
    assert_eq!(
        job.metadata.creation_timestamp,
        Some(time_at(5 * MINUTE + 100))
    );
    let status = stage.get::<CronJob>("default", "tick").status.unwrap();
    assert_eq!(
        status.last_schedule_time.as_ref().map(ms_of),
        Some(10 * MINUTE)
    );
    assert_eq!(status.active.unwrap().len(), 2);
    finish(&mut stage, &name(5), "Complete");
    finish(&mut stage, &name(10), "Failed");
    let status = stage.get::<CronJob>("default", "tick").status.unwrap();
    assert_eq!(
        status.last_successful_time.as_ref().map(ms_of),
        Some(11 * MINUTE)
    );
    assert_eq!(status.active, None);
    assert_eq!(
        stage.events("tick"),
        [
            format!("SuccessfulCreate: Created job tick-{}", name(5)),
            format!("SuccessfulCreate: Created job tick-{}", name(10)),
            format!(
                "SawCompletedJob: Saw completed job: tick-{}, condition: Complete",
                name(5)
            ),
            format!(
                "SawCompletedJob: Saw completed job: tick-{}, condition: Failed",
                name(10)
            ),
        ]
    );
}

#[test]
fn a_time_zone_moves_the_hours() {
    let mut stage = Stage::new();
    stage.apply(&cron_job("0 9 * * *", "timeZone: Asia/Shanghai"));
    stage.run(59 * MINUTE);
    assert!(jobs(&stage).is_empty());
    stage.run(61 * MINUTE);
    assert_eq!(jobs(&stage), [name(60)]);
    let job = stage.get::<Job>("default", &format!("tick-{}", name(60)));
    let annotations = job.metadata.annotations.unwrap();
    assert_eq!(
        annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"],
        "2025-01-01T09:00:00+08:00"
    );
}

#[test]
fn concurrency_policies_allow_forbid_or_replace() {
    let run = |policy: &str| {
        let mut stage = Stage::new();
        stage.apply(&cron_job(
            "* * * * *",
            &format!("concurrencyPolicy: {policy}"),
        ));
        stage.run(2 * MINUTE + 30_000);
        stage
    };
    assert_eq!(jobs(&run("Allow")), [name(1), name(2)]);
    let mut stage = run("Forbid");
    assert_eq!(jobs(&stage), [name(1)]);
    assert_eq!(
        stage.events("tick")[1],
        "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid"
    );
    // The postponed Job starts as soon as it can.
    finish(&mut stage, &name(1), "Complete");
    assert_eq!(jobs(&stage), [name(1), name(2)]);
    let stage = run("Replace");
    assert_eq!(jobs(&stage), [name(2)]);
    assert_eq!(
        stage.events("tick")[1..],
        [
            format!("SuccessfulDelete: Deleted job tick-{}", name(1)),
            format!("SuccessfulCreate: Created job tick-{}", name(2))
        ]
    );
    assert_eq!(active(&stage), 1);
}

#[test]
fn a_suspended_cron_job_makes_up_for_the_last_time_unless_it_is_too_late() {
    let resumed = |fields: &str, at_ms: i64| {
        let mut stage = Stage::new();
        stage.apply(&cron_job(
            "*/10 * * * *",
            &format!("suspend: true, {fields}"),
        ));
        stage.run(at_ms);
        assert!(jobs(&stage).is_empty());
        stage.edit::<CronJob>("default", "tick", |it| {
            it.spec.suspend = Some(false);
        });
        stage
    };
    let stage = resumed("", 35 * MINUTE);
    assert_eq!(jobs(&stage), [name(30)], "only the last one");
    // The deadline limits how far back missed times count, so nothing was missed.
    let stage = resumed("startingDeadlineSeconds: 60", 35 * MINUTE);
    assert!(jobs(&stage).is_empty());
    let mut stage = resumed("startingDeadlineSeconds: 600", 35 * MINUTE);
    assert_eq!(jobs(&stage), [name(30)]);
    stage.run(41 * MINUTE);
    assert_eq!(jobs(&stage), [name(30), name(40)]);
    // More than a hundred times were missed.
    let stage = resumed("", 20 * 60 * MINUTE);
    assert_eq!(
        stage.events("tick")[0],
        "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
    );
    assert_eq!(jobs(&stage), [name(1200)]);
}

#[test]
fn three_successful_and_one_failed_job_are_kept() {
    let mut stage = Stage::new();
    stage.apply(&cron_job("* * * * *", ""));
    for minute in 1..=7 {
        stage.run(minute * MINUTE + 30_000);
        let condition = if minute % 3 == 0 {
            "Failed"
        } else {
            "Complete"
        };
        finish(&mut stage, &name(minute), condition);
    }
    // 1, 2, 4, 5 and 7 have succeeded; 3 and 6 have failed.
    assert_eq!(jobs(&stage), [name(4), name(5), name(6), name(7)]);
    let events = stage.events("tick");
    assert!(events.contains(&format!("SuccessfulDelete: Deleted job tick-{}", name(3))));
    assert!(!events.iter().any(|line| line.starts_with("MissingJob")));
}

#[test]
fn deleted_jobs_are_reported_and_jobs_are_deleted_with_their_cron_job() {
    let mut stage = Stage::new();
    stage.apply(&cron_job("* * * * *", ""));
    stage.run(2 * MINUTE + 1_000);
    stage.delete::<Job>("default", &format!("tick-{}", name(1)));
    let missing = format!("MissingJob: Active job went missing: tick-{}", name(1));
    assert!(stage.events("tick").contains(&missing));
    assert_eq!(active(&stage), 1);
    stage.delete::<CronJob>("default", "tick");
    assert!(jobs(&stage).is_empty());
    stage.run(10 * MINUTE);
    assert!(jobs(&stage).is_empty());
}

#[test]
fn validation_errors_name_the_field() {
    let mut stage = Stage::new();
    stage.apply(&cron_job("* * * * *", ""));
    let mut refused = |edit: &dyn Fn(&mut CronJob)| {
        let mut it = stage.get::<CronJob>("default", "tick");
        edit(&mut it);
        stage
            .api()
            .update(it)
            .expect_err("it is refused")
            .causes()
            .join("; ")
    };
    let wrong = refused(&|it| it.spec.schedule = "* * * *".to_owned());
    assert_eq!(
        wrong,
        "spec.schedule: Invalid value: \"* * * *\": expected exactly 5 fields, found 4: [* * * *]"
    );
    let wrong = refused(&|it| it.spec.time_zone = Some("Mars".to_owned()));
    assert_eq!(
        wrong,
        "spec.timeZone: Invalid value: \"Mars\": unknown time zone Mars"
    );
    let wrong = refused(&|it| it.spec.concurrency_policy = Some("Maybe".to_owned()));
    assert_eq!(
        wrong,
        "spec.concurrencyPolicy: Unsupported value: \"Maybe\": supported values: \"Allow\", \"Forbid\", \"Replace\""
    );
    let key = Key::new("default", "tick");
    assert!(CronJob::table(stage.plane.api.store()).get(&key).is_some());
}
