//! The API server's defaults (Kubernetes v1.34): stored objects look as they do in a cluster, and hash alike.

pub mod autoscaler;
pub mod config;
mod image;
pub mod kept;
pub mod network;
mod quantities;
pub(crate) mod scheduled;
mod volumes;
pub mod webhooks;

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job, JobSpec};
use k8s_openapi::api::core::v1::{
    Container, DownwardAPIVolumeFile, EnvVar, Lifecycle, Node, ObjectFieldSelector, Pod, PodSpec,
    PodTemplateSpec, Probe, ReplicationController, ResourceFieldSelector,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::meta::{name_of, uid_of};
pub use quantities::{claim, volume};

const HISTORY_LIMIT: i32 = 10;
const PROGRESS_DEADLINE_SECONDS: i32 = 600;
const GRACE_SECONDS: i64 = 30;
const BACKOFF_LIMIT: i32 = 6;
const SCHEDULER: &str = "default-scheduler";
const PROTOCOL: &str = "TCP";
const MESSAGE_PATH: &str = "/dev/termination-log";
/// Finished Jobs that a CronJob keeps.
const SUCCESSFUL_JOBS: i32 = 3;
const FAILED_JOBS: i32 = 1;

/// Labels that a Job puts on its Pods: the current and the legacy name.
const JOB_UID_LABELS: [&str; 2] = ["batch.kubernetes.io/controller-uid", "controller-uid"];
const JOB_NAME_LABELS: [&str; 2] = ["batch.kubernetes.io/job-name", "job-name"];

/// Gives an absent or empty field its default; returns its value.
pub fn fill<'a>(field: &'a mut Option<String>, value: &str) -> &'a str {
    if field.as_ref().is_some_and(String::is_empty) {
        *field = None;
    }
    field.get_or_insert_with(|| value.to_owned())
}

/// Whether an update strategy has this type, which is the default.
fn is_rolling(kind: &mut Option<String>) -> bool {
    const ROLLING: &str = "RollingUpdate";
    fill(kind, ROLLING) == ROLLING
}

/// `allocatable` defaults to `capacity`.
pub fn node(node: &mut Node) {
    if let Some(spec) = &mut node.spec {
        let list = spec.pod_cidrs.get_or_insert_default();
        let first = spec.pod_cidr.take().filter(|it| !it.is_empty());
        if list.is_empty() {
            list.extend(first);
        }
        spec.pod_cidr = list.first().cloned();
        if list.is_empty() {
            spec.pod_cidrs = None;
        }
    }
    if let Some(status) = &mut node.status {
        if status.allocatable.as_ref().is_none_or(BTreeMap::is_empty) {
            status.allocatable.clone_from(&status.capacity);
        }
        quantities::canonical(status.capacity.as_mut());
        quantities::canonical(status.allocatable.as_mut());
    }
}

/// Completes a Pod (`SetDefaults_Pod`).
pub fn pod(pod: &mut Pod) {
    if let Some(spec) = &mut pod.spec {
        pod_spec(spec);
        pod_only(spec);
    }
}

/// Defaults of Pods that templates do not get (`SetDefaults_Pod`).
fn pod_only(spec: &mut PodSpec) {
    spec.enable_service_links.get_or_insert(true);
    let host_network = spec.host_network == Some(true);
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        scheduled::container(container, host_network);
    }
}

/// Completes a Deployment.
pub fn deployment(deployment: &mut Deployment) {
    let spec = deployment.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    spec.revision_history_limit.get_or_insert(HISTORY_LIMIT);
    spec.progress_deadline_seconds
        .get_or_insert(PROGRESS_DEADLINE_SECONDS);
    let strategy = spec.strategy.get_or_insert_default();
    if is_rolling(&mut strategy.type_) {
        let quarter = || IntOrString::String("25%".to_owned());
        let rolling = strategy.rolling_update.get_or_insert_default();
        rolling.max_unavailable.get_or_insert_with(quarter);
        rolling.max_surge.get_or_insert_with(quarter);
    }
    template(&mut spec.template);
}

/// Completes a ReplicaSet.
pub fn replica_set(set: &mut ReplicaSet) {
    let spec = set.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    if let Some(own) = &mut spec.template {
        template(own);
    }
}

/// Selector and labels default to the template's labels.
pub fn replication_controller(controller: &mut ReplicationController) {
    let spec = controller.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    let Some(own) = &mut spec.template else {
        return;
    };
    template(own);
    let labels = own.metadata.as_ref().and_then(|meta| meta.labels.clone());
    let is_empty =
        |map: &Option<BTreeMap<String, String>>| map.as_ref().is_none_or(|it| it.is_empty());
    if is_empty(&spec.selector) {
        spec.selector.clone_from(&labels);
    }
    if is_empty(&controller.metadata.labels) {
        controller.metadata.labels = labels;
    }
}

/// Completes a StatefulSet.
pub fn stateful_set(set: &mut StatefulSet) {
    let spec = set.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    spec.revision_history_limit.get_or_insert(HISTORY_LIMIT);
    fill(&mut spec.pod_management_policy, "OrderedReady");
    let strategy = spec.update_strategy.get_or_insert_default();
    // Only with the default type is a missing `rollingUpdate` filled in.
    if strategy.type_.as_deref().unwrap_or_default().is_empty() {
        strategy.rolling_update.get_or_insert_default();
    }
    if let Some(rolling) = &mut strategy.rolling_update {
        // Its gate is off.
        rolling.max_unavailable = None;
    }
    if is_rolling(&mut strategy.type_)
        && let Some(rolling) = &mut strategy.rolling_update
    {
        rolling.partition.get_or_insert(0);
    }
    let retention = spec
        .persistent_volume_claim_retention_policy
        .get_or_insert_default();
    fill(&mut retention.when_deleted, "Retain");
    fill(&mut retention.when_scaled, "Retain");
    for own in spec.volume_claim_templates.iter_mut().flatten() {
        claim(own);
        fill(
            &mut own.spec.get_or_insert_default().volume_mode,
            "Filesystem",
        );
        fill(&mut own.status.get_or_insert_default().phase, "Pending");
    }
    template(&mut spec.template);
}

/// Completes a DaemonSet.
pub fn daemon_set(set: &mut DaemonSet) {
    let spec = set.spec.get_or_insert_default();
    spec.revision_history_limit.get_or_insert(HISTORY_LIMIT);
    let strategy = spec.update_strategy.get_or_insert_default();
    if is_rolling(&mut strategy.type_) {
        let rolling = strategy.rolling_update.get_or_insert_default();
        rolling.max_unavailable.get_or_insert(IntOrString::Int(1));
        rolling.max_surge.get_or_insert(IntOrString::Int(0));
    }
    template(&mut spec.template);
}

/// Defaults of a Job that already has its uid: its selector and the labels of its Pods contain it.
pub fn job(job: &mut Job) {
    let (uid, name) = (
        uid_of(&job.metadata).to_owned(),
        name_of(&job.metadata).to_owned(),
    );
    let spec = job.spec.get_or_insert_default();
    if spec.completions.is_none() && spec.parallelism.is_none() {
        spec.completions = Some(1);
    }
    spec.parallelism.get_or_insert(1);
    let per_index = spec.backoff_limit_per_index.is_some();
    let limit = if per_index { i32::MAX } else { BACKOFF_LIMIT };
    spec.backoff_limit.get_or_insert(limit);
    spec.completion_mode
        .get_or_insert_with(|| "NonIndexed".to_owned());
    spec.suspend.get_or_insert(false);
    spec.manual_selector.get_or_insert(false);
    let policy = spec.pod_failure_policy.iter_mut();
    for rule in policy.flat_map(|policy| &mut policy.rules) {
        for pattern in rule.on_pod_conditions.iter_mut().flatten() {
            fill(&mut pattern.status, "True");
        }
    }
    let replacement = if spec.pod_failure_policy.is_some() {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    spec.pod_replacement_policy
        .get_or_insert_with(|| replacement.to_owned());
    let is_new = job.metadata.resource_version.is_none();
    let of_template = |spec: &JobSpec| {
        let meta = spec.template.metadata.as_ref();
        meta.and_then(|meta| meta.labels.clone())
            .unwrap_or_default()
    };
    let has_labels = !of_template(spec).is_empty();
    if spec.manual_selector != Some(true) && !uid.is_empty() && is_new {
        let selector = spec.selector.get_or_insert_default();
        let selected = selector.match_labels.get_or_insert_default();
        selected.insert(JOB_UID_LABELS[0].to_owned(), uid.clone());
        let meta = spec.template.metadata.get_or_insert_default();
        let labels = meta.labels.get_or_insert_default();
        for key in JOB_UID_LABELS {
            labels.insert(key.to_owned(), uid.clone());
        }
        for key in JOB_NAME_LABELS {
            labels.insert(key.to_owned(), name.clone());
        }
    }
    template(&mut spec.template);
    if uid.is_empty() || !has_labels {
        return;
    }
    // A Job without labels gets those of its template, the generated ones included: of a template that had none, only
    // after validation.
    let of_pods = of_template(spec);
    let labels = job.metadata.labels.get_or_insert_default();
    if labels.is_empty() {
        *labels = of_pods;
    }
}

/// Completes a CronJob.
pub fn cron_job(cron_job: &mut CronJob) {
    let spec = &mut cron_job.spec;
    fill(&mut spec.concurrency_policy, "Allow");
    spec.suspend.get_or_insert(false);
    spec.successful_jobs_history_limit
        .get_or_insert(SUCCESSFUL_JOBS);
    spec.failed_jobs_history_limit.get_or_insert(FAILED_JOBS);
    let template = spec.job_template.spec.get_or_insert_default();
    self::template(&mut template.template);
}

/// Completes the Pod template of a workload.
pub fn template(template: &mut PodTemplateSpec) {
    template.metadata.get_or_insert_default();
    pod_spec(template.spec.get_or_insert_default());
}

/// Drops the fields whose gates are off in every release here.
fn drop_disabled(spec: &mut PodSpec) {
    spec.scheduling_group = None;
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        let Some(hooks) = container.lifecycle.as_mut() else {
            continue;
        };
        if hooks.stop_signal.take().is_some() && *hooks == Lifecycle::default() {
            container.lifecycle = None;
        }
    }
}

fn pod_spec(spec: &mut PodSpec) {
    drop_disabled(spec);
    fill(&mut spec.dns_policy, "ClusterFirst");
    fill(&mut spec.restart_policy, "Always");
    fill(&mut spec.scheduler_name, SCHEDULER);
    spec.security_context.get_or_insert_default();
    spec.termination_grace_period_seconds
        .get_or_insert(GRACE_SECONDS);
    // The deprecated alias of the field is set as well.
    if let Some(name) = &spec.service_account_name {
        spec.service_account.get_or_insert_with(|| name.clone());
    }
    for volume in spec.volumes.iter_mut().flatten() {
        volumes::source(volume);
    }
    let init = spec.init_containers.iter_mut().flatten();
    for own in spec.containers.iter_mut().chain(init) {
        container(own);
    }
    for own in spec.ephemeral_containers.iter_mut().flatten() {
        let image = own.image.as_deref().unwrap_or_default();
        let pull = image::pull_policy(image);
        fill(&mut own.image_pull_policy, pull);
        fill(&mut own.termination_message_path, MESSAGE_PATH);
        fill(&mut own.termination_message_policy, "File");
        own.resources.get_or_insert_default();
    }
    quantities::pod_spec(spec);
}

fn container(container: &mut Container) {
    let image = container.image.as_deref().unwrap_or_default();
    let pull = image::pull_policy(image);
    fill(&mut container.image_pull_policy, pull);
    fill(&mut container.termination_message_path, MESSAGE_PATH);
    fill(&mut container.termination_message_policy, "File");
    container.resources.get_or_insert_default();
    for port in container.ports.iter_mut().flatten() {
        fill(&mut port.protocol, PROTOCOL);
    }
    for variable in container.env.iter_mut().flatten() {
        field_version(variable);
    }
    let probes = [
        &mut container.liveness_probe,
        &mut container.readiness_probe,
        &mut container.startup_probe,
    ];
    for own in probes.into_iter().flatten() {
        probe(own);
    }
}

fn field_version(variable: &mut EnvVar) {
    let Some(source) = &mut variable.value_from else {
        return;
    };
    field_ref(source.field_ref.as_mut());
    divisor(source.resource_field_ref.as_mut());
    if let Some(file) = &mut source.file_key_ref {
        file.optional.get_or_insert(false);
    }
}

fn field_ref(field: Option<&mut ObjectFieldSelector>) {
    if let Some(field) = field {
        fill(&mut field.api_version, "v1");
    }
}

/// The zero quantity is encoded: the field has no `omitempty` that would leave it out.
fn divisor(field: Option<&mut ResourceFieldSelector>) {
    if let Some(field) = field {
        field
            .divisor
            .get_or_insert_with(|| Quantity("0".to_owned()));
    }
}

fn downward_files(files: Option<&mut Vec<DownwardAPIVolumeFile>>) {
    for file in files.into_iter().flatten() {
        field_ref(file.field_ref.as_mut());
        divisor(file.resource_field_ref.as_mut());
    }
}

fn probe(probe: &mut Probe) {
    let counts = [
        (&mut probe.timeout_seconds, 1),
        (&mut probe.period_seconds, 10),
        (&mut probe.success_threshold, 1),
        (&mut probe.failure_threshold, 3),
    ];
    for (field, default) in counts {
        if field.unwrap_or_default() == 0 {
            *field = Some(default);
        }
    }
    if let Some(get) = &mut probe.http_get {
        fill(&mut get.path, "/");
        fill(&mut get.scheme, "HTTP");
    }
    if let Some(grpc) = &mut probe.grpc {
        grpc.service.get_or_insert_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_without_labels_shows_those_of_its_pods() {
        let labels = |own: &[(&str, &str)]| {
            let own = own
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let mut it = Job::default();
            it.metadata.uid = Some("u".to_owned());
            it.metadata.labels = Some(own.collect());
            // Before and after validation.
            job(&mut it);
            job(&mut it);
            it.metadata.labels.unwrap().into_keys().collect::<Vec<_>>()
        };
        let of_pods = [
            JOB_UID_LABELS[0],
            JOB_NAME_LABELS[0],
            JOB_UID_LABELS[1],
            JOB_NAME_LABELS[1],
        ];
        assert_eq!(labels(&[]), of_pods);
        assert_eq!(labels(&[("app", "a")]), ["app"]);
    }

    #[test]
    fn a_job_has_one_pod_unless_it_says_otherwise() {
        let mut one = Job::default();
        job(&mut one);
        let spec = one.spec.unwrap();
        assert_eq!((spec.completions, spec.parallelism), (Some(1), Some(1)));
        let mut queue = Job::default();
        queue.spec.get_or_insert_default().parallelism = Some(3);
        job(&mut queue);
        let spec = queue.spec.unwrap();
        assert_eq!((spec.completions, spec.parallelism), (None, Some(3)));
    }
}
