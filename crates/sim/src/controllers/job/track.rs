//! Counts Pods exactly once: adds them to the status, removes their finalizer, and updates the counters.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::batch::v1::{JobCondition, UncountedTerminatedPods};
use k8s_openapi::api::core::v1::Pod;

use super::finish::{FAILURE_TARGET, SUCCESS_CRITERIA_MET};
use super::sync::Sync;
use super::{index_of, is_tracked, stop_tracking};
use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::server::ApiError;
use crate::store::uid_of;
use berth_base::sort;

/// The maximum number of Pods counted in one sync.
const MAX_UNCOUNTED: usize = 500;

/// The Pods that one sync adds to the status.
#[derive(Default)]
struct Counted {
    succeeded: Vec<String>,
    failed: Vec<String>,
    indexes: BTreeSet<i32>,
    free: Vec<Arc<Pod>>,
    is_full: bool,
}

impl Sync<'_> {
    /// Counts finished Pods, removes their finalizers, and writes the status; `needs_write` if it has changed
    /// already.
    pub(super) fn track(&mut self, needs_write: bool, active: i32) -> Result<(), ApiError> {
        let mut tracked: BTreeSet<String> = sort::gather(
            (self.pods.iter())
                .filter(|pod| is_tracked(pod))
                .map(|pod| uid_of(&pod.metadata).to_owned()),
        );
        let mut needs_write = self.move_to_counters(&tracked) || needs_write;
        if self.is_indexed() {
            sort::sort_by_key(&mut self.pods, |pod| index_of(pod).unwrap_or(-1));
        }
        let counted = self.count_ended();
        needs_write |= !(counted.succeeded.is_empty()
            && counted.failed.is_empty()
            && counted.indexes.is_empty());
        self.uncounted_succeeded.extend(counted.succeeded);
        self.uncounted_failed.extend(counted.failed);
        needs_write |= self.is_indexed() && self.note_indexes(&counted.indexes);
        needs_write |= self.announce();
        if needs_write {
            self.write()?;
            self.backoff.insert(self.key.clone(), self.record);
            needs_write = false;
        }
        for pod in &counted.free {
            stop_tracking(pod, self.api)?;
            tracked.remove(uid_of(&pod.metadata));
        }
        needs_write |= self.move_to_counters(&tracked);
        let finished = if counted.is_full {
            None
        } else {
            self.finish_if_counted(active)
        };
        if needs_write || finished.is_some() {
            self.write()?;
        }
        if let Some(finished) = finished {
            self.record_finished(&finished);
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), ApiError> {
        let uids = |uids: &BTreeSet<String>| {
            let listed: Vec<String> = uids.iter().cloned().collect();
            (!listed.is_empty()).then_some(listed)
        };
        self.status.uncounted_terminated_pods = Some(UncountedTerminatedPods {
            succeeded: uids(&self.uncounted_succeeded),
            failed: uids(&self.uncounted_failed),
        });
        self.job.status = Some(self.status.clone());
        self.job = (*self.api.update_status(&self.job)?).clone();
        Ok(())
    }

    /// Counts Pods that are listed in the status and have lost their finalizer. Returns whether there were any.
    fn move_to_counters(&mut self, tracked: &BTreeSet<String>) -> bool {
        let take = |uncounted: &mut BTreeSet<String>, counter: &mut Option<i32>| {
            let before = uncounted.len();
            uncounted.retain(|uid| tracked.contains(uid));
            let moved = i32::try_from(before - uncounted.len()).unwrap_or(i32::MAX);
            if moved > 0 {
                *counter = Some(counter.unwrap_or(0) + moved);
            }
            moved > 0
        };
        let succeeded = take(&mut self.uncounted_succeeded, &mut self.status.succeeded);
        take(&mut self.uncounted_failed, &mut self.status.failed) || succeeded
    }

    fn count_ended(&self) -> Counted {
        let mut counted = Counted::default();
        for pod in self.pods.iter().filter(|pod| is_tracked(pod)) {
            let uid = uid_of(&pod.metadata).to_owned();
            let has_failed = self.has_failed(pod);
            if !self.may_free(pod, has_failed) {
                continue;
            }
            counted.free.push(pod.clone());
            let is_new_failure = !self.uncounted_failed.contains(&uid);
            if pod_util::phase_of(pod) == "Succeeded" && is_new_failure {
                if !self.is_indexed() {
                    if !self.uncounted_succeeded.contains(&uid) {
                        counted.succeeded.push(uid);
                    }
                } else if let Some(index) = self.index(pod)
                    && !self.counted_indexes.has(index)
                {
                    counted.indexes.insert(index);
                }
            } else if (has_failed || self.counts_running_as_failed())
                && is_new_failure
                && (!self.is_indexed() || self.index(pod).is_some())
                && self.judge(pod).counts()
            {
                counted.failed.push(uid);
            }
            let count = counted.indexes.len()
                + counted.succeeded.len()
                + counted.failed.len()
                + self.uncounted_succeeded.len()
                + self.uncounted_failed.len();
            if count >= MAX_UNCOUNTED {
                counted.is_full = true;
                break;
            }
        }
        counted
    }

    /// When a Job has failed, all Pods that have not ended count as failed.
    fn counts_running_as_failed(&self) -> bool {
        let finished = self.finished.as_ref();
        finished.is_some_and(|finished| finished.type_ != SUCCESS_CRITERIA_MET)
    }

    /// Whether a Pod's finalizer may be removed.
    fn may_free(&self, pod: &Pod, has_failed: bool) -> bool {
        if self.job.metadata.deletion_timestamp.is_some()
            || self.finished.is_some()
            || pod_util::phase_of(pod) == "Succeeded"
        {
            return true;
        }
        let kept = self.index(pod).and_then(|index| self.kept.get(&index));
        has_failed && kept.is_none_or(|kept| kept.metadata.uid != pod.metadata.uid)
    }

    /// Writes the indexes into the status. Returns whether they changed.
    fn note_indexes(&mut self, new: &BTreeSet<i32>) -> bool {
        let succeeded = self.succeeded_indexes.with(new);
        let text = succeeded.to_string();
        let text = (!text.is_empty()).then_some(text);
        let failed = self.failed_indexes.as_ref().map(ToString::to_string);
        let changed = text != self.status.completed_indexes || failed != self.status.failed_indexes;
        let total = succeeded.total();
        self.status.succeeded = (total != 0).then_some(total);
        self.status.completed_indexes = text;
        self.status.failed_indexes = failed;
        changed
    }

    /// Records the outcome before the finalizers are removed and the Pods may disappear. Returns whether it is new.
    fn announce(&mut self) -> bool {
        let Some(finished) = self.finished.clone() else {
            return false;
        };
        if self.has_condition(&finished.type_).is_some() {
            return false;
        }
        let conditions = self.status.conditions.get_or_insert_default();
        conditions.push(finished);
        true
    }

    /// Finishes the Job if all Pods are counted (and, since v1.31, have terminated). Returns the final condition.
    fn finish_if_counted(&mut self, active: i32) -> Option<JobCondition> {
        let announced = self.finished.as_ref()?;
        if !self.uncounted_succeeded.is_empty() || !self.uncounted_failed.is_empty() {
            return None;
        }
        if self.waits_for_pods && (active > 0 || self.terminating > 0) {
            return None;
        }
        let kind = if announced.type_ == FAILURE_TARGET {
            "Failed"
        } else {
            "Complete"
        };
        let reason = announced.reason.clone().unwrap_or_default();
        let message = announced.message.clone().unwrap_or_default();
        let condition = self.condition(kind, &reason, &message);
        if kind == "Complete" {
            self.status.completion_time = Some(self.api.now());
        }
        let conditions = self.status.conditions.get_or_insert_default();
        conditions.push(condition.clone());
        Some(condition)
    }

    fn record_finished(&mut self, finished: &JobCondition) {
        let event = |level, reason: &str, message: &str| {
            Event::new(&self.job, level, reason.to_owned(), message)
        };
        let mut events = Vec::new();
        if finished.type_ == "Complete" {
            let succeeded = self.status.succeeded.unwrap_or(0);
            if self
                .spec
                .completions
                .is_some_and(|wanted| succeeded > wanted)
            {
                let message = "Too many succeeded pods running after completion count reached";
                events.push(event(Level::Warning, "TooManySucceededPods", message));
            }
            events.push(event(Level::Normal, "Completed", "Job completed"));
        } else {
            let reason = finished.reason.as_deref().unwrap_or_default();
            let message = finished.message.as_deref().unwrap_or_default();
            events.push(event(Level::Warning, reason, message));
        }
        for event in events {
            self.api.event(event);
        }
    }
}
