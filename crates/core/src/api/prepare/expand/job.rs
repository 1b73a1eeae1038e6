//! Jobs: the first Pods that run in parallel. CronJobs have no Pods before their schedule is due.

use berth_protocol::remark::Remark;
use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::{CronJob, Job, JobSpec};

use crate::api::prepared::DocumentIndex;
use crate::api::workloads::{Indexes, index_pod};

use super::super::issue::Issue;
use super::super::meta::{name_of, namespace_of};
use super::super::request::PodRequest;
use super::{Controllers, Owner, replicas_or_one};

/// Labels that a Job sets on its Pods, current and legacy.
const UID_LABELS: [&str; 2] = ["batch.kubernetes.io/controller-uid", "controller-uid"];
const NAME_LABELS: [&str; 2] = ["batch.kubernetes.io/job-name", "job-name"];

impl Controllers<'_> {
    /// Creates the Pods that may run in parallel, less those that run or have succeeded.
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn sync_job(&mut self, job: &Job, document: DocumentIndex) {
        let Some(spec) = &job.spec else { return };
        if spec.suspend == Some(true) || spec.managed_by.is_some() || is_finished(job) {
            return;
        }
        let owner = Owner::new(job, document);
        let mut request = owner.request(&spec.template);
        if spec.manual_selector != Some(true) {
            for label in UID_LABELS {
                request
                    .labels
                    .insert(label.to_owned(), owner.reference.uid.clone());
            }
            for label in NAME_LABELS {
                request
                    .labels
                    .insert(label.to_owned(), owner.reference.name.clone());
            }
        }
        let owned = self.owned.of(&owner.namespace, &owner.reference);
        let active = owned.iter().filter(|pod| pod.is_active()).count();
        if spec.completion_mode.as_deref() == Some("Indexed") {
            let taken = owned
                .iter()
                .filter(|pod| pod.is_active() || pod.succeeded)
                .filter_map(|pod| pod.completion_index.as_ref()?.parse().ok())
                .collect();
            self.create_indexed(&owner, job, spec, request, taken, active);
        } else {
            let succeeded = owned.iter().filter(|pod| pod.succeeded).count();
            let counted = job
                .status
                .as_ref()
                .and_then(|status| status.succeeded)
                .unwrap_or(0);
            let succeeded = succeeded.max(usize::try_from(counted).unwrap_or(0));
            let wanted = wanted_at_once(spec, succeeded);
            let base = format!("{}-", owner.reference.name);
            self.create_alike(&owner, &base, request, wanted.saturating_sub(active));
        }
    }

    /// Creates Pods for the lowest indexes that neither run nor have succeeded.
    fn create_indexed(
        &mut self,
        owner: &Owner,
        job: &Job,
        spec: &JobSpec,
        request: PodRequest,
        taken: BTreeSet<i32>,
        active: usize,
    ) {
        let completions = spec.completions.unwrap_or(1);
        let status = job.status.as_ref();
        let completed = status.and_then(|status| status.completed_indexes.as_deref());
        let completed = Indexes::parse(completed.unwrap_or_default(), completions);
        let at_once = replicas_or_one(spec.parallelism).saturating_sub(active);
        for index in completed.with(&taken).missing(at_once, completions) {
            let mut request = request.clone();
            let marks = (&mut request.labels, &mut request.annotations);
            let base = index_pod(&owner.reference.name, index, marks, &mut request.spec);
            let Ok(template) = self.admit(owner, &base, request) else {
                return;
            };
            let name = self.free_name(owner, &base);
            if self.create(owner, name, &template).is_err() {
                return;
            }
        }
    }

    /// Reports that a CronJob without Jobs creates no Pods here.
    pub(super) fn note_cron_job(&mut self, job: &CronJob, document: DocumentIndex) {
        let name = name_of(&job.metadata);
        let key = format!("{}/{name}", namespace_of(&job.metadata));
        if self.started_cron_jobs.contains(&key) {
            return;
        }
        let message = Remark::cron_job_waits(format!("\"{name}\""));
        let issue = Issue::warning(document, "spec.schedule", message);
        self.issues.push(issue.with_help(Remark::add_a_job()));
    }
}

/// Non-indexed: `parallelism` Pods until enough have succeeded; without `completions`, no new Pods
/// are created after the first success.
fn wanted_at_once(spec: &JobSpec, succeeded: usize) -> usize {
    let parallelism = replicas_or_one(spec.parallelism);
    match (spec.completions, spec.parallelism) {
        // With neither set: one Pod, once.
        (None, None) => 1usize.saturating_sub(succeeded),
        (None, Some(_)) if succeeded > 0 => 0,
        (None, Some(_)) => parallelism,
        (completions, _) => parallelism.min(replicas_or_one(completions).saturating_sub(succeeded)),
    }
}

fn is_finished(job: &Job) -> bool {
    job.status
        .iter()
        .flat_map(|status| status.conditions.iter().flatten())
        .filter(|condition| condition.status == "True")
        .any(|condition| condition.type_ == "Complete" || condition.type_ == "Failed")
}
