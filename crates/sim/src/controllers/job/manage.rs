//! Creates and deletes Pods up to the desired parallelism, with backoff after failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, ObjectFieldSelector, Pod, PodSpec};

use super::backoff::{finished_ms, remaining_ms};
use super::finish::{INDEX_FAILURES, INDEX_IGNORED, all_failures, count_annotation};
use super::sync::Sync;
use super::{BATCH_MS, FINALIZER, index_of, removal, stop_tracking};
use crate::controllers::template::{create_pod, delete_pod, pod_of};
use crate::pod_util;
use crate::server::ApiError;
use crate::store::name_of;
use berth_core::api::workloads::{COMPLETION_INDEX, index_pod};
use berth_protocol::due::DueKind;

/// The maximum number of Pods created or deleted in one sync.
const BURST: usize = 500;

/// The number of active Pods afterwards, and the outcome.
type Managed = (i32, Result<(), ApiError>);

impl Sync<'_> {
    /// Creates or deletes Pods, never both in one sync.
    pub(super) fn manage(&mut self) -> Managed {
        let active = i32::try_from(self.active.len()).unwrap_or(i32::MAX);
        if self.is_suspended() {
            return self.remove(self.active.len(), active);
        }
        let parallelism = self.spec.parallelism.unwrap_or(1);
        let wanted = match self.spec.completions {
            // After the first success, running Pods may finish, but no more are started.
            None if self.succeeded > 0 => active,
            None => parallelism,
            Some(completions) => (completions - self.succeeded).min(parallelism).max(0),
        };
        let surplus = usize::try_from(active - wanted).unwrap_or(0);
        let indexed = self.is_indexed().then(|| self.completions());
        if !removal::choose(&self.active, surplus, indexed).is_empty() {
            return self.remove(surplus, active);
        }
        let ending = if self.replaces_only_failed() {
            self.terminating
        } else {
            0
        };
        match usize::try_from(wanted - ending - active) {
            Ok(missing) if missing > 0 => self.add(missing.min(BURST), active),
            _ => (active, Ok(())),
        }
    }

    /// Deletes surplus Pods, which are not counted.
    fn remove(&mut self, at_least: usize, active: i32) -> Managed {
        let indexed = self.is_indexed().then(|| self.completions());
        let doomed = removal::choose(&self.active, at_least, indexed);
        let (mut removed, mut ready) = (0, 0);
        for pod in doomed.into_iter().take(BURST) {
            let freed = stop_tracking(&pod, self.api);
            if let Err(error) = freed.and_then(|()| delete_pod(&self.job, &pod, self.api)) {
                return (active - removed, Err(error));
            }
            removed += 1;
            ready += i32::from(pod_util::is_ready(&pod));
        }
        self.note_removed(removed, ready);
        (active - removed, Ok(()))
    }

    /// Deletes the active Pods of a finished Job; they are counted before their finalizers are removed. Returns their
    /// number.
    pub(super) fn delete_active(&mut self) -> (i32, Result<(), ApiError>) {
        let (mut deleted, mut ready) = (0, 0);
        for pod in self.active.clone() {
            if let Err(error) = delete_pod(&self.job, &pod, self.api) {
                return (deleted, Err(error));
            }
            deleted += 1;
            ready += i32::from(pod_util::is_ready(&pod));
        }
        self.note_removed(deleted, ready);
        (deleted, Ok(()))
    }

    /// Since v1.31 the status reflects deleted Pods at once; before, at the next sync.
    fn note_removed(&mut self, removed: i32, ready: i32) {
        if self.waits_for_pods {
            self.ready -= ready;
            self.terminating += removed;
        }
    }

    fn add(&mut self, missing: usize, active: i32) -> Managed {
        let now = self.api.now_ms();
        let mut indexes = Vec::new();
        let mut wait = 0;
        if self.is_indexed() {
            indexes = self.free_indexes(missing);
        }
        if self.spec.backoff_limit_per_index.is_some() {
            (indexes, wait) = self.split_by_delay(indexes, now);
        } else {
            wait = wait.max(self.record.remaining_ms(now));
        }
        if wait > 0 {
            let delay = wait.max(BATCH_MS);
            self.queue
                .add_due(DueKind::Backoff, self.key.clone(), delay, now);
            // The real controller also reports 0 here, even if other Pods are active.
            return (0, Ok(()));
        }
        let made: Vec<Pod> = if self.is_indexed() {
            indexes
                .into_iter()
                .map(|index| self.indexed_pod(index))
                .collect()
        } else {
            (0..missing).map(|_| self.plain_pod()).collect()
        };
        let mut active = active;
        for pod in made {
            if let Err(error) = create_pod(&self.job, pod, self.api) {
                return (active, Err(error));
            }
            active += 1;
        }
        (active, Ok(()))
    }

    /// The lowest indexes that are neither active nor finished.
    fn free_indexes(&self, count: usize) -> Vec<i32> {
        let taken = |own: &mut dyn Iterator<Item = &Arc<Pod>>| {
            own.filter_map(|pod| index_of(pod)).collect()
        };
        let mut busy = self.succeeded_indexes.with(&taken(&mut self.active.iter()));
        if self.replaces_only_failed() {
            let mut ending = self
                .pods
                .iter()
                .filter(|pod| pod_util::is_terminating(pod) && !pod_util::is_finished(pod));
            busy = busy.with(&taken(&mut ending));
        }
        if let Some(failed) = &self.failed_indexes {
            busy = busy.merge(failed);
        }
        busy.missing(count, self.completions())
    }

    /// The indexes whose own backoff has expired; if there are none, also the shortest remaining one.
    fn split_by_delay(&self, indexes: Vec<i32>, now_ms: i64) -> (Vec<i32>, i64) {
        let delays: BTreeMap<i32, i64> = berth_base::sort::gather(indexes.iter().map(|index| {
            let delay = self.kept.get(index).map_or(0, |pod| {
                let failures = u32::try_from(all_failures(pod) + 1).unwrap_or(0);
                remaining_ms(failures, finished_ms(pod), now_ms)
            });
            (*index, delay)
        }));
        let free = delays.iter().filter(|(_, delay)| **delay == 0);
        let free: Vec<i32> = free.map(|(index, _)| *index).collect();
        let shortest = delays.values().copied().min().unwrap_or(0);
        let wait = if free.is_empty() { shortest } else { 0 };
        (free, wait)
    }

    fn plain_pod(&self) -> Pod {
        let mut pod = pod_of(&self.job, &self.spec.template);
        let finalizers = pod.metadata.finalizers.get_or_insert_default();
        if finalizers.iter().all(|name| name != FINALIZER) {
            finalizers.push(FINALIZER.to_owned());
        }
        pod
    }

    fn indexed_pod(&self, index: i32) -> Pod {
        let mut pod = self.plain_pod();
        let job = name_of(&self.job.metadata);
        let labels = pod.metadata.labels.get_or_insert_default();
        let annotations = pod.metadata.annotations.get_or_insert_default();
        let spec = pod.spec.get_or_insert_default();
        pod.metadata.generate_name = Some(index_pod(job, index, (labels, annotations), spec));
        if self.spec.backoff_limit_per_index.is_some() {
            let (failures, ignored) = self.failures_of(self.kept.get(&index).map(|pod| &**pod));
            annotations.insert(INDEX_FAILURES.to_owned(), failures.to_string());
            if ignored > 0 {
                annotations.insert(INDEX_IGNORED.to_owned(), ignored.to_string());
            }
        }
        add_index_variable(spec);
        pod
    }

    /// The counted and the ignored failures of an index, including the replaced Pod.
    fn failures_of(&self, replaced: Option<&Pod>) -> (i32, i32) {
        let Some(pod) = replaced else {
            return (0, 0);
        };
        let counts = self.judge(pod).counts();
        let failures = count_annotation(pod, INDEX_FAILURES) + i32::from(counts);
        let ignored = count_annotation(pod, INDEX_IGNORED) + i32::from(!counts);
        (failures, ignored)
    }
}

/// Adds `JOB_COMPLETION_INDEX` to all containers, from the annotation.
fn add_index_variable(spec: &mut PodSpec) {
    const NAME: &str = "JOB_COMPLETION_INDEX";
    let init = spec.init_containers.iter_mut().flatten();
    for container in init.chain(&mut spec.containers) {
        let variables = container.env.get_or_insert_default();
        if variables.iter().all(|variable| variable.name != NAME) {
            variables.push(EnvVar {
                name: NAME.to_owned(),
                value_from: Some(EnvVarSource {
                    field_ref: Some(ObjectFieldSelector {
                        api_version: Some("v1".to_owned()),
                        field_path: format!("metadata.annotations['{COMPLETION_INDEX}']"),
                    }),
                    ..EnvVarSource::default()
                }),
                value: None,
            });
        }
    }
}
