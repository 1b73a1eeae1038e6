//! Workloads: their selectors, templates and rollout strategies.

use berth_protocol::remark::Remark;
use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{
    DaemonSet, DaemonSetUpdateStrategy, Deployment, DeploymentStrategy, ReplicaSet,
    RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetUpdateStrategy,
};
use k8s_openapi::api::batch::v1::{CronJob, Job, JobSpec};
use k8s_openapi::api::core::v1::{PodSpec, PodTemplateSpec, ReplicationController};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::Value;

use super::metadata::{Naming, object_meta, template_meta};
use super::pdb::{digits_of, int_or_percent, positive_int_or_percent};
use super::pod;
use super::selector::label_selector;
use super::volumes::claim_spec;
use super::{Errors, invalid_each, non_negative, one_of};
use crate::api::cron::{Schedule, Zone};
use crate::api::rules::{self, Owner, pod_spec};
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::dns_label_errors;
use berth_scheduler::selector;

/// Maximum length of a CronJob's name, so that its Jobs can append a time.
const CRON_JOB_NAME_MAX_BYTES: usize = 52;

/// Validates a ReplicaSet.
pub fn replica_set(set: &ReplicaSet, errors: &mut Errors) {
    object_meta(&set.metadata, Naming::Subdomain, errors);
    let spec = set.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    non_negative(&path.child("replicas"), spec.replicas, errors);
    non_negative(
        &path.child("minReadySeconds"),
        spec.min_ready_seconds,
        errors,
    );
    // The API server prints "deployment" for ReplicaSets too.
    let template = spec.template.unwrap_or_default();
    if selector(&path, &spec.selector, "deployment", errors) {
        labels_match(&path, &spec.selector, &template, errors);
        serving_template(&path, &template, "ReplicaSet", Owner::Template, errors);
    }
}

/// Validates a Deployment.
pub fn deployment(deployment: &Deployment, errors: &mut Errors) {
    object_meta(&deployment.metadata, Naming::Subdomain, errors);
    let spec = deployment.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    non_negative(&path.child("replicas"), spec.replicas, errors);
    if selector(&path, &spec.selector, "deployment", errors) {
        labels_match(&path, &spec.selector, &spec.template, errors);
        serving_template(&path, &spec.template, "ReplicaSet", Owner::Template, errors);
    }
    non_negative(
        &path.child("minReadySeconds"),
        spec.min_ready_seconds,
        errors,
    );
    let strategy = spec.strategy.unwrap_or_default();
    deployment_strategy(&path.child("strategy"), &strategy, errors);
    let kept = spec.revision_history_limit;
    non_negative(&path.child("revisionHistoryLimit"), kept, errors);
    if let Some(seconds) = spec.progress_deadline_seconds {
        let path = path.child("progressDeadlineSeconds");
        non_negative(&path, Some(seconds), errors);
        if seconds <= spec.min_ready_seconds.unwrap_or(0) {
            let detail = "must be greater than minReadySeconds";
            errors.push(FieldError::invalid(&path, seconds, detail));
        }
    }
}

/// Validates the rollout strategy of a Deployment.
fn deployment_strategy(path: &Path, strategy: &DeploymentStrategy, errors: &mut Errors) {
    let rolling = strategy.rolling_update.as_ref();
    match strategy.type_.as_deref().unwrap_or("RollingUpdate") {
        "Recreate" => {
            if rolling.is_some() {
                let detail = "may not be specified when strategy `type` is 'Recreate'";
                errors.push(FieldError::forbidden(&path.child("rollingUpdate"), detail));
            }
        }
        "RollingUpdate" => {
            let default = IntOrString::String("25%".to_owned());
            let or_default = |bound: Option<&IntOrString>| bound.unwrap_or(&default).clone();
            let unavailable = or_default(rolling.and_then(|it| it.max_unavailable.as_ref()));
            let surge = or_default(rolling.and_then(|it| it.max_surge.as_ref()));
            let path = path.child("rollingUpdate");
            int_or_percent(&path.child("maxUnavailable"), &unavailable, errors);
            positive_int_or_percent(&path.child("maxSurge"), &surge, errors);
            if is_zero(&unavailable) && is_zero(&surge) {
                let detail = "may not be 0 when `maxSurge` is 0";
                let path = path.child("maxUnavailable");
                errors.push(FieldError::invalid(
                    &path,
                    json::value(&unavailable),
                    detail,
                ));
            }
        }
        other => {
            let internal = serde_json::json!({"Type": other, "RollingUpdate": rolling.map(|it| {
                serde_json::json!({"MaxUnavailable": it.max_unavailable, "MaxSurge": it.max_surge})
            })});
            let supported = ["Recreate", "RollingUpdate"];
            errors.push(FieldError::not_supported_value(path, internal, &supported));
        }
    }
}

/// Whether a bound is zero for any number of Pods.
fn is_zero(bound: &IntOrString) -> bool {
    match bound {
        IntOrString::Int(number) => *number == 0,
        IntOrString::String(text) => {
            digits_of(text).is_some_and(|digits| digits.bytes().all(|digit| digit == b'0'))
        }
    }
}

/// Validates a DaemonSet.
pub fn daemon_set(set: &DaemonSet, errors: &mut Errors) {
    object_meta(&set.metadata, Naming::Subdomain, errors);
    let spec = set.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    let selector_path = path.child("selector");
    let found = errors.len();
    label_selector(&selector_path, Some(&spec.selector), errors);
    if errors.len() == found {
        labels_match(&path, &spec.selector, &spec.template, errors);
    }
    if !is_absent(&spec.selector) && selector::is_empty(&spec.selector) {
        errors.push(empty_selector(&selector_path, &spec.selector, "daemonset"));
    }
    serving_template(&path, &spec.template, "DaemonSet", Owner::Template, errors);
    non_negative(
        &path.child("minReadySeconds"),
        spec.min_ready_seconds,
        errors,
    );
    let strategy = spec.update_strategy.unwrap_or_default();
    daemon_strategy(&path.child("updateStrategy"), &strategy, errors);
    let kept = spec.revision_history_limit;
    non_negative(&path.child("revisionHistoryLimit"), kept, errors);
}

/// Validates the update strategy of a DaemonSet, which allows either an unavailable Pod or a surge per node.
fn daemon_strategy(path: &Path, strategy: &DaemonSetUpdateStrategy, errors: &mut Errors) {
    match strategy.type_.as_deref().unwrap_or("RollingUpdate") {
        "OnDelete" => return,
        "RollingUpdate" => {}
        other => {
            let rolling = strategy.rolling_update.as_ref().map(|it| {
                serde_json::json!({"MaxUnavailable": it.max_unavailable, "MaxSurge": it.max_surge})
            });
            let internal = serde_json::json!({"Type": other, "RollingUpdate": rolling});
            let supported = ["RollingUpdate", "OnDelete"];
            errors.push(FieldError::not_supported_value(path, internal, &supported));
            return;
        }
    }
    let rolling = strategy.rolling_update.clone().unwrap_or_default();
    let unavailable = rolling.max_unavailable.unwrap_or(IntOrString::Int(1));
    let surge = rolling.max_surge.unwrap_or(IntOrString::Int(0));
    let path = path.child("rollingUpdate");
    int_or_percent(&path.child("maxUnavailable"), &unavailable, errors);
    int_or_percent(&path.child("maxSurge"), &surge, errors);
    match (is_zero(&unavailable), is_zero(&surge)) {
        (false, false) => {
            let detail = "may not be set when maxUnavailable is non-zero";
            let path = path.child("maxSurge");
            let error = FieldError::invalid(&path, json::value(&surge), detail);
            errors.push(error.help(Remark::no_unavailable()));
        }
        (true, true) => {
            let detail = "cannot be 0 when maxSurge is 0";
            errors.push(FieldError::required(&path.child("maxUnavailable"), detail));
        }
        _ => {}
    }
}

/// Validates a StatefulSet.
///
/// The API server accepts any Pod spec here and rejects the Pods later, one by one; reporting it
/// at once is more helpful.
pub fn stateful_set(set: &StatefulSet, errors: &mut Errors) {
    object_meta(&set.metadata, Naming::Label, errors);
    let spec = set.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    let known = |policy: &&String| ["OrderedReady", "Parallel"].contains(&policy.as_str());
    if let Some(policy) = spec
        .pod_management_policy
        .as_ref()
        .filter(|policy| !known(policy))
    {
        let path = path.child("podManagementPolicy");
        let detail = "must be 'OrderedReady' or 'Parallel'";
        errors.push(FieldError::invalid(&path, policy.as_str(), detail));
    }
    let strategy = spec.update_strategy.unwrap_or_default();
    stateful_strategy(&path.child("updateStrategy"), &strategy, errors);
    if let Some(policy) = &spec.persistent_volume_claim_retention_policy {
        let path = path.child("persistentVolumeClaimRetentionPolicy");
        rules::part(
            "StatefulSetPersistentVolumeClaimRetentionPolicy",
            &json::value(policy),
            &path,
            errors,
        );
    }
    for (i, claim) in spec.volume_claim_templates.iter().flatten().enumerate() {
        let path = path.child("volumeClaimTemplates").index(i).child("spec");
        claim_spec(&path, &claim.spec.clone().unwrap_or_default(), errors);
    }
    non_negative(&path.child("replicas"), spec.replicas, errors);
    non_negative(
        &path.child("minReadySeconds"),
        spec.min_ready_seconds,
        errors,
    );
    let first = spec.ordinals.as_ref().and_then(|ordinals| ordinals.start);
    non_negative(&path.child("ordinals.start"), first, errors);
    let service = spec.service_name.as_deref().unwrap_or_default();
    if !service.is_empty() {
        let path = path.child("serviceName");
        invalid_each(&path, service, dns_label_errors(service), errors);
    }
    if selector(&path, &spec.selector, "statefulset", errors) {
        labels_match(&path, &spec.selector, &spec.template, errors);
        let claims = spec.volume_claim_templates.iter().flatten();
        let claims: Vec<String> = claims
            .map(|claim| claim.metadata.name.clone().unwrap_or_default())
            .collect();
        let owner = Owner::StatefulSetTemplate(&claims);
        template_spec(&path.child("template"), &spec.template, owner, errors);
    }
    only_serving(
        &path.child("template"),
        &spec.template,
        "StatefulSet",
        errors,
    );
}

/// Validates the update strategy of a StatefulSet.
fn stateful_strategy(path: &Path, strategy: &StatefulSetUpdateStrategy, errors: &mut Errors) {
    let rolling = strategy.rolling_update.as_ref();
    match strategy.type_.as_deref().unwrap_or("RollingUpdate") {
        "RollingUpdate" => {
            let path = path.child("rollingUpdate").child("partition");
            non_negative(&path, rolling.and_then(|it| it.partition), errors);
        }
        "OnDelete" => {
            if let Some(rolling) = rolling {
                let detail = "only allowed for updateStrategy 'RollingUpdate'";
                let path = path.child("rollingUpdate");
                errors.push(FieldError::invalid(&path, go_rolling(rolling), detail));
            }
        }
        other => {
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            let rolling = rolling.map(go_rolling);
            let internal = serde_json::json!({"Type": other, "RollingUpdate": rolling});
            errors.push(FieldError::invalid(path, internal, detail));
        }
    }
}

/// The strategy with the fields of the internal type.
fn go_rolling(rolling: &RollingUpdateStatefulSetStrategy) -> Value {
    serde_json::json!({"Partition": rolling.partition.unwrap_or(0), "MaxUnavailable": null})
}

/// Validates a ReplicationController.
pub fn replication_controller(controller: &ReplicationController, errors: &mut Errors) {
    object_meta(&controller.metadata, Naming::Subdomain, errors);
    let spec = controller.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    non_negative(
        &path.child("minReadySeconds"),
        spec.min_ready_seconds,
        errors,
    );
    let labels = spec
        .template
        .as_ref()
        .map(template_labels)
        .unwrap_or_default();
    // The selector defaults to the labels of the template.
    let match_labels = spec
        .selector
        .filter(|selector| !selector.is_empty())
        .unwrap_or(labels);
    if match_labels.is_empty() {
        errors.push(FieldError::required(&path.child("selector"), ""));
    }
    non_negative(&path.child("replicas"), spec.replicas, errors);
    let Some(template) = &spec.template else {
        errors.push(FieldError::required(&path.child("template"), ""));
        return;
    };
    let selector = LabelSelector {
        match_labels: Some(match_labels),
        match_expressions: None,
    };
    labels_match(&path, &selector, template, errors);
    serving_template(
        &path,
        template,
        "ReplicationController",
        Owner::Template,
        errors,
    );
}

/// Validates a Job.
pub fn job(job: &Job, errors: &mut Errors) {
    object_meta(&job.metadata, Naming::Subdomain, errors);
    let spec = job.spec.clone().unwrap_or_default();
    // Without a uid, nothing is generated yet.
    let uid = job.metadata.uid.as_deref().unwrap_or_default();
    let mut invalid = Errors::new();
    label_selector(&Path::root(), spec.selector.as_ref(), &mut invalid);
    let selects = !uid.is_empty() && invalid.is_empty();
    if !uid.is_empty() && spec.manual_selector != Some(true) {
        generated_selector(job, uid, selects, errors);
    }
    job_spec(&Path::root().child("spec"), &spec, errors);
    let labels = template_labels(&spec.template);
    let selector = spec.selector.as_ref();
    if selector.is_some_and(|it| selects && !selector::matches(it, &labels)) {
        let path = Path::root().child("spec").child("template");
        let given = spec.template.metadata.as_ref();
        let given = given.and_then(|meta| meta.labels.as_ref());
        let detail = "`selector` does not match template `labels`";
        let path = path.child("metadata").child("labels");
        let value = given.map_or(Value::Null, json::value);
        errors.push(FieldError::invalid(&path, value, detail));
    }
    let is_indexed = spec.completion_mode.as_deref() == Some("Indexed");
    if let Some(last) = spec.completions.filter(|it| is_indexed && *it > 0) {
        let name = job.metadata.name.as_deref().unwrap_or_default();
        let hostname = format!("{name}-{}", last - 1);
        if !dns_label_errors(&hostname).is_empty() {
            let path = Path::root().child("metadata").child("name");
            let detail = format!("will not able to create pod with invalid DNS label: {hostname}");
            errors.push(FieldError::invalid(&path, name, &detail));
        }
    }
}

/// `validateGeneratedSelector`: the template has the generated labels, which the selector selects.
fn generated_selector(job: &Job, uid: &str, selects: bool, errors: &mut Errors) {
    let Some((spec, selector)) = job
        .spec
        .as_ref()
        .and_then(|it| Some((it, it.selector.as_ref()?)))
    else {
        return;
    };
    let name = job.metadata.name.as_deref().unwrap_or_default();
    let labels = template_labels(&spec.template);
    let path = Path::root().child("spec").child("template");
    let path = path.child("metadata").child("labels");
    let mut expected = BTreeMap::new();
    for (key, value) in [
        ("controller-uid", uid),
        ("job-name", name),
        ("batch.kubernetes.io/controller-uid", uid),
        ("batch.kubernetes.io/job-name", name),
    ] {
        expected.insert(key.to_owned(), value.to_owned());
        let detail = format!("must be '{value}'");
        match labels.get(key) {
            None => errors.push(FieldError::required(&path.key(key), &detail)),
            Some(own) if own != value => {
                let all = json::value(&labels);
                errors.push(FieldError::invalid(&path.key(key), all, &detail));
            }
            Some(_) => {}
        }
    }
    if selects && !selector::matches(selector, &expected) {
        let path = Path::root().child("spec").child("selector");
        let detail = "`selector` not auto-generated";
        errors.push(FieldError::invalid(&path, go_selector(selector), detail));
    }
}

/// Validates a CronJob.
pub fn cron_job(job: &CronJob, errors: &mut Errors) {
    object_meta(&job.metadata, Naming::Subdomain, errors);
    let path = Path::root();
    if let Some(name) = job
        .metadata
        .name
        .as_ref()
        .filter(|n| n.len() > CRON_JOB_NAME_MAX_BYTES)
    {
        let detail = format!("must be no more than {CRON_JOB_NAME_MAX_BYTES} characters");
        let path = path.child("metadata").child("name");
        errors.push(FieldError::invalid(&path, name.as_str(), &detail));
    }
    let path = path.child("spec");
    let spec = &job.spec;
    if spec.schedule.is_empty() {
        errors.push(FieldError::required(&path.child("schedule"), ""));
    } else {
        schedule(&path, &spec.schedule, spec.time_zone.is_some(), errors);
    }
    if let Some(name) = &spec.time_zone {
        time_zone(&path.child("timeZone"), name, errors);
    }
    let deadline = spec.starting_deadline_seconds;
    non_negative(&path.child("startingDeadlineSeconds"), deadline, errors);
    let policies = ["Allow", "Forbid", "Replace"];
    let policy = spec.concurrency_policy.as_ref();
    one_of(&path.child("concurrencyPolicy"), policy, &policies, errors);
    let kept = spec.successful_jobs_history_limit;
    non_negative(&path.child("successfulJobsHistoryLimit"), kept, errors);
    let kept = spec.failed_jobs_history_limit;
    non_negative(&path.child("failedJobsHistoryLimit"), kept, errors);
    let job = spec.job_template.spec.clone().unwrap_or_default();
    job_spec(&path.child("jobTemplate").child("spec"), &job, errors);
}

fn schedule(path: &Path, text: &str, has_zone: bool, errors: &mut Errors) {
    let path = path.child("schedule");
    if let Err(problem) = Schedule::parse(text) {
        errors.push(FieldError::invalid(&path, text, &problem));
    }
    if text.contains("TZ") {
        let detail = if has_zone {
            "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        } else {
            "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        };
        errors.push(FieldError::invalid(&path, text, detail));
    }
}

fn time_zone(path: &Path, name: &str, errors: &mut Errors) {
    let is_local = name.eq_ignore_ascii_case("local");
    let problem = if name.is_empty() {
        "timeZone must be nil or non-empty string".to_owned()
    } else if is_local {
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
            .to_owned()
    } else {
        match Zone::load(name) {
            Ok(_) => return,
            Err(unknown) => unknown,
        }
    };
    errors.push(FieldError::invalid(path, name, &problem));
    // Go knows this name only.
    if is_local && name != "Local" {
        let detail = format!("unknown time zone {name}");
        errors.push(FieldError::invalid(path, name, &detail));
    }
}

fn job_spec(path: &Path, spec: &JobSpec, errors: &mut Errors) {
    rules::part("JobSpec", &json::value(spec), path, errors);
    let selector_path = path.child("selector");
    let path = path.child("template");
    template_spec(&path, &spec.template, Owner::Template, errors);
    let restart = spec
        .template
        .spec
        .as_ref()
        .and_then(|spec| spec.restart_policy.as_deref());
    let path = path.child("spec").child("restartPolicy");
    match restart.unwrap_or("Always") {
        "OnFailure" if spec.pod_failure_policy.is_some() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(FieldError::invalid(&path, "OnFailure", detail));
        }
        "OnFailure" | "Never" => {}
        "Always" => {
            let detail = "valid values: \"OnFailure\", \"Never\"";
            errors.push(FieldError::required(&path, detail));
        }
        other => {
            errors.push(FieldError::not_supported(
                &path,
                other,
                &["OnFailure", "Never"],
            ));
        }
    }
    label_selector(&selector_path, spec.selector.as_ref(), errors);
}

/// Validates the selector of a workload, which must not be empty; whether it can be matched with labels.
fn selector(path: &Path, selector: &LabelSelector, kind: &str, errors: &mut Errors) -> bool {
    let path = path.child("selector");
    let found = errors.len();
    label_selector(&path, Some(selector), errors);
    let is_valid = errors.len() == found;
    let help = Remark::select_by_template;
    if is_absent(selector) {
        errors.push(FieldError::required(&path, "").help(help()));
    } else if selector::is_empty(selector) {
        errors.push(empty_selector(&path, selector, kind));
    }
    if !is_valid {
        let detail = match kind {
            "statefulset" => "",
            _ => "invalid label selector",
        };
        errors.push(FieldError::invalid(&path, go_selector(selector), detail));
    }
    is_valid
}

fn empty_selector(path: &Path, selector: &LabelSelector, kind: &str) -> FieldError {
    let detail = format!("empty selector is invalid for {kind}");
    let error = FieldError::invalid(path, go_selector(selector), &detail);
    error.help(Remark::select_by_template())
}

/// A selector with its fields in Go's order.
fn go_selector(selector: &LabelSelector) -> Value {
    let mut fields = serde_json::Map::new();
    if let Some(labels) = selector.match_labels.as_ref().filter(|it| !it.is_empty()) {
        fields.insert("matchLabels".to_owned(), json::value(labels));
    }
    if let Some(requirements) = selector
        .match_expressions
        .as_ref()
        .filter(|it| !it.is_empty())
    {
        let shown = requirements.iter().map(|it| {
            let mut fields = serde_json::Map::new();
            fields.insert("key".to_owned(), it.key.as_str().into());
            fields.insert("operator".to_owned(), it.operator.as_str().into());
            if let Some(values) = it.values.as_ref().filter(|values| !values.is_empty()) {
                fields.insert("values".to_owned(), json::value(values));
            }
            Value::Object(fields)
        });
        fields.insert("matchExpressions".to_owned(), shown.collect());
    }
    Value::Object(fields)
}

/// Whether the selector is absent; in a typed object `{}` looks the same. It selects nothing.
fn is_absent(selector: &LabelSelector) -> bool {
    selector.match_labels.is_none() && selector.match_expressions.is_none()
}

/// Reports labels of a template that the selector does not select.
fn labels_match(
    path: &Path,
    selector: &LabelSelector,
    template: &PodTemplateSpec,
    errors: &mut Errors,
) {
    let labels = template_labels(template);
    if !is_absent(selector) && selector::matches(selector, &labels) {
        return;
    }
    let path = path.child("template").child("metadata").child("labels");
    let detail = "`selector` does not match template `labels`";
    let given = template
        .metadata
        .as_ref()
        .and_then(|meta| meta.labels.as_ref());
    let value = given.map_or(Value::Null, json::value);
    let error = FieldError::invalid(&path, value, detail);
    errors.push(error.help(Remark::labels_of_selector()));
}

/// Validates the template of a workload whose Pods run forever.
fn serving_template(
    path: &Path,
    template: &PodTemplateSpec,
    kind: &str,
    owner: Owner<'_>,
    errors: &mut Errors,
) {
    let path = path.child("template");
    template_spec(&path, template, owner, errors);
    only_serving(&path, template, kind, errors);
}

/// Refuses Pods that would end.
fn only_serving(path: &Path, template: &PodTemplateSpec, kind: &str, errors: &mut Errors) {
    let Some(spec) = &template.spec else { return };
    let path = path.child("spec");
    if let Some(policy) = spec
        .restart_policy
        .as_ref()
        .filter(|policy| *policy != "Always")
    {
        let path = path.child("restartPolicy");
        errors.push(FieldError::not_supported(&path, policy, &["Always"]));
    }
    if spec.active_deadline_seconds.is_some() {
        let path = path.child("activeDeadlineSeconds");
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(FieldError::forbidden(&path, &detail));
    }
}

/// `ValidatePodTemplateSpec`.
fn template_spec(path: &Path, template: &PodTemplateSpec, owner: Owner<'_>, errors: &mut Errors) {
    // The API server names the labels without `metadata`.
    let meta = template.metadata.as_ref();
    template_meta(path, meta, errors);
    let annotations = meta.and_then(|meta| meta.annotations.as_ref());
    pod::annotations(path, annotations, errors);
    let empty = PodSpec::default();
    let spec = template.spec.as_ref().unwrap_or(&empty);
    let path = path.child("spec");
    pod_spec(&path, spec, owner, errors);
    if spec
        .ephemeral_containers
        .as_ref()
        .is_some_and(|it| !it.is_empty())
    {
        let detail = "ephemeral containers not allowed in pod template";
        errors.push(FieldError::forbidden(
            &path.child("ephemeralContainers"),
            detail,
        ));
    }
}

fn template_labels(template: &PodTemplateSpec) -> BTreeMap<String, String> {
    let labels = template
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.labels.clone());
    labels.unwrap_or_default()
}

#[cfg(test)]
mod tests;
