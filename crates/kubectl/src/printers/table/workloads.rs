//! Workloads: Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs; and ControllerRevisions.

use serde_json::Value;

use super::{Table, age, columns, containers, name};
use crate::kinds;
use crate::printers::fields::{Fields, condition, controller, or_none, pairs, selector};
use crate::printers::time;

pub(crate) const DEPLOYMENT: Table = Table {
    columns: columns![
        "NAME" "READY" "UP-TO-DATE" "AVAILABLE" "AGE" wide "CONTAINERS" wide "IMAGES"
        wide "SELECTOR"
    ],
    row: |object, now_ms| {
        let [names, images] = containers(object.at("spec.template.spec"));
        vec![
            name(object),
            ready(object),
            object.int("status.updatedReplicas").to_string(),
            object.int("status.availableReplicas").to_string(),
            age(object, now_ms),
            names,
            images,
            selector(object.at("spec.selector")),
        ]
    },
};

pub(crate) const REPLICA_SET: Table = Table {
    columns: columns![
        "NAME" "DESIRED" "CURRENT" "READY" "AGE" wide "CONTAINERS" wide "IMAGES" wide "SELECTOR"
    ],
    row: |object, now_ms| {
        let [names, images] = containers(object.at("spec.template.spec"));
        vec![
            name(object),
            object.int("spec.replicas").to_string(),
            object.int("status.replicas").to_string(),
            object.int("status.readyReplicas").to_string(),
            age(object, now_ms),
            names,
            images,
            own_selector(object),
        ]
    },
};

pub(crate) const STATEFUL_SET: Table = Table {
    columns: columns!["NAME" "READY" "AGE" wide "CONTAINERS" wide "IMAGES"],
    row: |object, now_ms| {
        let [names, images] = containers(object.at("spec.template.spec"));
        vec![
            name(object),
            ready(object),
            age(object, now_ms),
            names,
            images,
        ]
    },
};

pub(crate) const DAEMON_SET: Table = Table {
    columns: columns![
        "NAME" "DESIRED" "CURRENT" "READY" "UP-TO-DATE" "AVAILABLE" "NODE SELECTOR" "AGE"
        wide "CONTAINERS" wide "IMAGES" wide "SELECTOR"
    ],
    row: |object, now_ms| {
        let [names, images] = containers(object.at("spec.template.spec"));
        let number = |field: &str| object.at("status").int(field).to_string();
        vec![
            name(object),
            number("desiredNumberScheduled"),
            number("currentNumberScheduled"),
            number("numberReady"),
            number("updatedNumberScheduled"),
            number("numberAvailable"),
            pairs(&object.entries("spec.template.spec.nodeSelector")),
            age(object, now_ms),
            names,
            images,
            selector(object.at("spec.selector")),
        ]
    },
};

pub(crate) const JOB: Table = Table {
    columns: columns![
        "NAME" "STATUS" "COMPLETIONS" "DURATION" "AGE" wide "CONTAINERS" wide "IMAGES"
        wide "SELECTOR"
    ],
    row: |job, now_ms| {
        let [names, images] = containers(job.at("spec.template.spec"));
        vec![
            name(job),
            job_status(job).to_owned(),
            completions(job),
            job_duration(job, now_ms),
            age(job, now_ms),
            names,
            images,
            selector(job.at("spec.selector")),
        ]
    },
};

pub(crate) const CRON_JOB: Table = Table {
    columns: columns![
        "NAME" "SCHEDULE" "TIMEZONE" "SUSPEND" "ACTIVE" "LAST SCHEDULE" "AGE" wide "CONTAINERS"
        wide "IMAGES" wide "SELECTOR"
    ],
    row: |cron, now_ms| {
        let [names, images] = containers(cron.at("spec.jobTemplate.spec.template.spec"));
        let last = cron.text("status.lastScheduleTime");
        let last = (!last.is_empty()).then(|| time::age(last, now_ms));
        let suspend = match cron.at("spec.suspend") {
            Value::Bool(true) => "True",
            Value::Bool(false) => "False",
            _ => "<unset>",
        };
        vec![
            name(cron),
            cron.text("spec.schedule").to_owned(),
            or_none(cron.text("spec.timeZone")),
            suspend.to_owned(),
            cron.items("status.active").len().to_string(),
            or_none(last.unwrap_or_default()),
            age(cron, now_ms),
            names,
            images,
            selector(cron.at("spec.jobTemplate.spec.selector")),
        ]
    },
};

pub(crate) const REVISION: Table = Table {
    columns: columns!["NAME" "CONTROLLER" "REVISION" "AGE"],
    row: |object, now_ms| {
        let owner = controller(object);
        let kind = owner.text("kind");
        let kind = kinds::of_kind(kind).map_or_else(|| kind.to_lowercase(), |it| it.qualified());
        let owner = match owner.text("name") {
            "" => String::new(),
            name => format!("{kind}/{name}"),
        };
        vec![
            name(object),
            or_none(owner),
            object.int("revision").to_string(),
            age(object, now_ms),
        ]
    },
};

/// `2/3`: ready and desired replicas.
fn ready(object: &Value) -> String {
    let ready = object.int("status.readyReplicas");
    format!("{ready}/{}", object.int("spec.replicas"))
}

/// The selector of a ReplicaSet or ReplicationController; the latter's is a map of labels.
fn own_selector(object: &Value) -> String {
    if object.text("kind") == "ReplicationController" {
        pairs(&object.entries("spec.selector"))
    } else {
        selector(object.at("spec.selector"))
    }
}

fn job_status(job: &Value) -> &'static str {
    let is = |kind: &str| condition(job, kind).text("status") == "True";
    if is("Complete") {
        "Complete"
    } else if is("Failed") {
        "Failed"
    } else if job.has("metadata.deletionTimestamp") {
        "Terminating"
    } else if is("Suspended") {
        "Suspended"
    } else if is("FailureTarget") {
        "FailureTarget"
    } else if is("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}

fn completions(job: &Value) -> String {
    let succeeded = job.int("status.succeeded");
    match (
        job.at("spec.completions").as_i64(),
        job.int("spec.parallelism"),
    ) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, parallel @ 2..) => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

/// How long a Job took, or has taken so far; empty if it has not started.
fn job_duration(job: &Value, now_ms: i64) -> String {
    let Some(start) = time::ms(job.text("status.startTime")) else {
        return String::new();
    };
    let end = time::ms(job.text("status.completionTime")).unwrap_or(now_ms);
    time::human(end.saturating_sub(start))
}
