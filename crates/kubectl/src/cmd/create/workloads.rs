//! `kubectl create deployment|job|cronjob`.

use serde_json::{Map, Value, json};

use super::generate::{also, generated, name_of, verb};
use crate::arguments::Flag;
use crate::call::Verb;
use crate::call::{Call, Done};
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG};
use crate::{Cluster, errors};
use berth_sim::store::Key;

verb!(
    DEPLOYMENT,
    "deployment",
    "Create a deployment with the specified name",
    "NAME --image=image -- [COMMAND] [args...]",
    "kubectl create deployment web --image=nginx --replicas=3",
    deployment,
    [
        Flag::words("image"),
        Flag::number("replicas").short('r'),
        Flag::word("port")
    ]
);
also!(
    DEPLOYMENT_SHORT,
    DEPLOYMENT,
    "deploy",
    "NAME --image=image -- [COMMAND] [args...]",
    "kubectl create deploy web --image=nginx"
);
verb!(
    JOB,
    "job",
    "Create a job with the specified name",
    "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    "kubectl create job pi --image=perl -- perl -Mbignum=bpi -wle 'print bpi(2000)'",
    job,
    [Flag::word("image"), Flag::word("from")]
);
verb!(
    CRON_JOB,
    "cronjob",
    "Create a cron job with the specified name",
    "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...]",
    "kubectl create cronjob tick --image=busybox --schedule='*/1 * * * *' -- date",
    cron_job,
    [
        Flag::word("image"),
        Flag::word("schedule"),
        Flag::word("restart")
    ]
);
also!(
    CRON_JOB_SHORT,
    CRON_JOB,
    "cj",
    "NAME --image=image --schedule='0/5 * * * ?'",
    "kubectl create cj tick --image=busybox --schedule='*/1 * * * *'"
);

/// The container name derived from an image: `registry/a/nginx:1.27` is `nginx`.
fn container_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or_default();
    let name = last.split(['@', ':']).next().unwrap_or_default();
    let name: String = name
        .chars()
        .map(|it| {
            if it.is_ascii_alphanumeric() {
                it.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    name.trim_matches('-').to_owned()
}

fn required(call: &Call<'_>, flags: &[&str]) -> Result<(), String> {
    let missing = flags
        .iter()
        .filter(|flag| call.arguments.word(flag).is_none_or(str::is_empty));
    let missing: Vec<String> = missing.map(|flag| format!("{flag:?}")).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "error: required flag(s) {} not set",
            missing.join(", ")
        ))
    }
}

/// A container with the words after `--` as its command.
fn container(call: &Call<'_>, name: &str, image: &str) -> Value {
    let mut container = Map::new();
    container.insert("name".to_owned(), name.into());
    container.insert("image".to_owned(), image.into());
    let words = call.arguments.behind_dash();
    if !words.is_empty() {
        container.insert("command".to_owned(), json!(words));
    }
    container.insert("resources".to_owned(), json!({}));
    Value::Object(container)
}

fn deployment(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    required(call, &["image"])?;
    let name = name_of(call)?;
    let images = call.arguments.list("image");
    if images.len() > 1 && call.arguments.dash.is_some() {
        return Err("error: cannot specify multiple --image options and command".to_owned());
    }
    let mut containers: Vec<Value> = images
        .iter()
        .map(|image| container(call, &container_name(image), image))
        .collect();
    if let Some(port) = call.arguments.word("port") {
        let number: u16 = port
            .parse()
            .map_err(|_| format!("error: invalid argument {port:?} for \"--port\" flag"))?;
        for container in &mut containers {
            if let Some(container) = container.as_object_mut() {
                container.insert("ports".to_owned(), json!([{"containerPort": number}]));
            }
        }
    }
    let replicas = call.arguments.number("replicas").unwrap_or(1);
    let labels = json!({"app": name});
    let object = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"labels": labels, "name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "strategy": {},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
        "status": {},
    });
    generated(call, &object, "failed to create deployment:", cluster)
}

fn job(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    if let Some(from) = call.arguments.word("from") {
        let Some(source) = from
            .strip_prefix("cronjob/")
            .or(from.strip_prefix("cj/"))
            .or(from.strip_prefix("cronjobs/"))
        else {
            return Err(format!("error: from must be an existing cronjob: {from}"));
        };
        let key = Key::new(call.namespace(), source);
        let Some(found) = cluster.api().store().get("CronJob", &key) else {
            return Err(errors::not_found("CronJob", source));
        };
        let found = found.to_json();
        let template = found
            .pointer("/spec/jobTemplate")
            .cloned()
            .unwrap_or_default();
        let part = |path: &str| template.pointer(path).cloned().unwrap_or_else(|| json!({}));
        let mut annotations = part("/metadata/annotations");
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(
                "cronjob.kubernetes.io/instantiate".to_owned(),
                "manual".into(),
            );
        }
        let uid = found.pointer("/metadata/uid").cloned().unwrap_or_default();
        let object = json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": name,
                "annotations": annotations,
                "labels": part("/metadata/labels"),
                "ownerReferences": [{
                    "apiVersion": "batch/v1", "kind": "CronJob", "name": source, "uid": uid,
                    "controller": true,
                }],
            },
            "spec": part("/spec"),
        });
        return generated(call, &object, "failed to create job:", cluster);
    }
    let Some(image) = call.arguments.word("image") else {
        return Err("error: either --image or --from must be specified".to_owned());
    };
    let object = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {"metadata": {}, "spec": {
            "containers": [container(call, name, image)],
            "restartPolicy": "Never",
        }}},
        "status": {},
    });
    generated(call, &object, "failed to create job:", cluster)
}

fn cron_job(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    required(call, &["image", "schedule"])?;
    let text = |flag: &str| call.arguments.word(flag).unwrap_or_default();
    let restart = match text("restart") {
        "" => "OnFailure",
        policy => policy,
    };
    let object = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": {
            "schedule": text("schedule"),
            "jobTemplate": {"metadata": {"name": name}, "spec": {"template": {
                "metadata": {},
                "spec": {
                    "containers": [container(call, name, text("image"))],
                    "restartPolicy": restart,
                },
            }}},
        },
        "status": {},
    });
    generated(call, &object, "failed to create cronjob:", cluster)
}
