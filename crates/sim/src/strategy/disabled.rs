//! Fields of feature gates that are off, beside those of Pods and devices (`dropDisabledFields` of the strategies).

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{PodTemplate, PodTemplateSpec, ReplicationController};
use k8s_openapi::api::storage::v1::CSIDriver;

use berth_core::api::prepare::drop_disabled_fields;
use berth_scheduler::release::{Gate, Release};

fn template(template: Option<&mut PodTemplateSpec>, release: &Release) {
    if let Some(spec) = template.and_then(|template| template.spec.as_mut()) {
        drop_disabled_fields(spec, release);
    }
}

pub(super) fn deployment(it: &mut Deployment, release: &Release) {
    template(it.spec.as_mut().map(|spec| &mut spec.template), release);
}

pub(super) fn replica_set(it: &mut ReplicaSet, release: &Release) {
    template(
        it.spec.as_mut().and_then(|spec| spec.template.as_mut()),
        release,
    );
}

pub(super) fn stateful_set(it: &mut StatefulSet, release: &Release) {
    template(it.spec.as_mut().map(|spec| &mut spec.template), release);
}

pub(super) fn daemon_set(it: &mut DaemonSet, release: &Release) {
    template(it.spec.as_mut().map(|spec| &mut spec.template), release);
}

pub(super) fn job(it: &mut Job, release: &Release) {
    template(it.spec.as_mut().map(|spec| &mut spec.template), release);
}

pub(super) fn cron_job(it: &mut CronJob, release: &Release) {
    let job = it.spec.job_template.spec.as_mut();
    template(job.map(|spec| &mut spec.template), release);
}

pub(super) fn replication_controller(it: &mut ReplicationController, release: &Release) {
    template(
        it.spec.as_mut().and_then(|spec| spec.template.as_mut()),
        release,
    );
}

pub(super) fn pod_template(it: &mut PodTemplate, release: &Release) {
    template(it.template.as_mut(), release);
}

pub(super) fn autoscaler(it: &mut HorizontalPodAutoscaler, release: &Release) {
    if release.is_on(Gate::HPAConfigurableTolerance) {
        return;
    }
    let behavior = it.spec.behavior.iter_mut();
    let rules = behavior.flat_map(|it| [&mut it.scale_up, &mut it.scale_down]);
    for rules in rules.flatten() {
        rules.tolerance = None;
    }
}

pub(super) fn driver(it: &mut CSIDriver, release: &Release) {
    if !release.is_on(Gate::MutableCSINodeAllocatableCount) {
        it.spec.node_allocatable_update_period_seconds = None;
    }
}
