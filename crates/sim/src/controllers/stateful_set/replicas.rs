//! Scales the Pods of a StatefulSet: creates them from the lowest ordinal up, and deletes them from the highest down.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::StatefulSetStatus;
use k8s_openapi::api::core::v1::Pod;

use super::Sync;
use super::identity::ordinal;
use crate::audit_log::Level;
use crate::pod_util;
use crate::server::ApiError;
use crate::store::{name_of, namespace_of};
use berth_base::sort;

/// The maximum number of missing Pods after the last existing one in a sync; the next sync adds more.
const AT_ONCE: usize = 500;

/// The Pods of one sync.
pub(super) struct Members {
    /// The desired Pods by ordinal; missing ones as they will be created.
    pub wanted: Vec<Member>,
    /// The surplus Pods, highest ordinal first.
    pub surplus: Vec<Arc<Pod>>,
}

/// A desired Pod.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub pod: Arc<Pod>,
    /// Whether the Pod exists in the API server.
    pub exists: bool,
}

impl Members {
    /// All existing Pods.
    pub(super) fn existing(&self) -> impl Iterator<Item = &Arc<Pod>> {
        let wanted = self.wanted.iter().filter(|member| member.exists);
        wanted.map(|member| &member.pod).chain(&self.surplus)
    }

    /// The unhealthy Pod with the lowest ordinal, first among the desired ones, then among the surplus ones.
    fn first_unhealthy(&self) -> Option<&Arc<Pod>> {
        let wanted = self.wanted.iter().map(|member| &member.pod);
        let mut all = wanted.chain(self.surplus.iter().rev());
        all.find(|pod| !is_healthy(pod))
    }
}

/// Whether the Pod is running, ready and not terminating.
pub(super) fn is_healthy(pod: &Pod) -> bool {
    pod_util::is_running_and_ready(pod) && !pod_util::is_terminating(pod)
}

impl Sync<'_> {
    /// Creates, deletes and updates the next Pods, and writes the status.
    pub(super) fn run(&mut self, own: &[Arc<Pod>]) -> Result<StatefulSetStatus, ApiError> {
        let mut status = self.new_status(own.iter());
        let mut members = self.members(own);
        if self.set.metadata.deletion_timestamp.is_none() {
            let worked = self.work(&mut members, &mut status);
            let written = self.write_status(&mut status);
            // The status is written either way; the first failure is returned.
            worked.and(written)?;
        } else {
            self.write_status(&mut status)?;
        }
        Ok(status)
    }

    fn members(&self, own: &[Arc<Pod>]) -> Members {
        let count = usize::try_from(self.replicas()).unwrap_or(0);
        let place = |pod: &Pod| usize::try_from(ordinal(self.set, pod)? - self.start()).ok();
        let places = own.iter().filter_map(|pod| place(pod));
        let known = places.filter(|place| *place < count).max();
        // The first replicas are created first, so that huge numbers fit into memory; ordinals must not exceed
        // `i32::MAX`.
        let numbers = usize::try_from(i32::MAX - self.start()).unwrap_or(0);
        let count = count
            .min(numbers)
            .min(known.map_or(0, |last| last + 1) + AT_ONCE);
        let mut wanted: Vec<Option<Arc<Pod>>> = vec![None; count];
        let mut surplus: Vec<(i32, Arc<Pod>)> = Vec::new();
        for pod in own {
            let Some(ordinal) = ordinal(self.set, pod) else {
                continue;
            };
            match place(pod).and_then(|place| wanted.get_mut(place)) {
                Some(slot) => *slot = Some(pod.clone()),
                None => surplus.push((ordinal, pod.clone())),
            }
        }
        sort::sort_by_key(&mut surplus, |(ordinal, _)| std::cmp::Reverse(*ordinal));
        let wanted = (self.start()..).zip(wanted).map(|(ordinal, pod)| Member {
            exists: pod.is_some(),
            pod: pod.unwrap_or_else(|| Arc::new(self.new_pod(ordinal))),
        });
        Members {
            wanted: wanted.collect(),
            surplus: surplus.into_iter().map(|(_, pod)| pod).collect(),
        }
    }

    fn work(
        &mut self,
        members: &mut Members,
        status: &mut StatefulSetStatus,
    ) -> Result<(), ApiError> {
        let first_unhealthy = members.first_unhealthy().map(|pod| pod.metadata.clone());
        let mut waits = self.keep_all(members);
        if let Ok(false) = waits {
            waits = self.drop_surplus(members, first_unhealthy.as_ref());
        }
        let counted = self.new_status(members.existing());
        *status = counted;
        match waits {
            Ok(false) if self.is_rolling_update() => self.update_next(members, status),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Creates or recreates the desired Pods. `true` if the sync must wait.
    fn keep_all(&mut self, members: &mut Members) -> Result<bool, ApiError> {
        let is_ordered = self.is_ordered();
        for (ordinal, member) in (self.start()..).zip(&mut members.wanted) {
            if self.keep(ordinal, member)? && is_ordered {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Creates a missing Pod, or recreates a finished one. `true` if the next one has to wait for it.
    fn keep(&mut self, ordinal: i32, member: &mut Member) -> Result<bool, ApiError> {
        if member.exists && pod_util::is_finished(&member.pod) {
            if !self.api.release().rules().controllers.tells_recreated_pod {
                // Its successor is created once it is gone.
                self.delete(&member.pod)?;
                return Ok(true);
            }
            self.record_recreation(&member.pod);
            self.delete(&member.pod)?;
            member.pod = Arc::new(self.new_pod(ordinal));
            member.exists = false;
        }
        if !member.exists {
            // The next sync handles the Pods after it.
            self.create((*member.pod).clone())?;
            return Ok(true);
        }
        if pod_util::phase_of(&member.pod) == "Pending" {
            self.create_claims(ordinal, name_of(&member.pod.metadata))?;
        }
        if pod_util::is_terminating(&member.pod) || !self.is_available(&member.pod) {
            return Ok(true);
        }
        if self.own_claims(&member.pod, false)? {
            self.record_outcome("Update", name_of(&member.pod.metadata), None);
        }
        Ok(false)
    }

    fn record_recreation(&mut self, pod: &Pod) {
        let failed = pod_util::phase_of(pod) == "Failed";
        let (level, reason, word) = if failed {
            (Level::Warning, "RecreatingFailedPod", "failed")
        } else {
            (Level::Normal, "RecreatingTerminatedPod", "terminated")
        };
        let meta = &self.set.metadata;
        let (namespace, set) = (namespace_of(meta), name_of(meta));
        let name = name_of(&pod.metadata);
        let message = format!("StatefulSet {namespace}/{set} is recreating {word} Pod {name}");
        self.event(level, reason, message);
    }

    /// Deletes surplus Pods from the highest ordinal down. If ordered, one at a time, and an unavailable Pod only if
    /// it is the first unhealthy one. `true` if the sync must wait.
    fn drop_surplus(
        &mut self,
        members: &Members,
        first_unhealthy: Option<&k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta>,
    ) -> Result<bool, ApiError> {
        let is_ordered = self.is_ordered();
        for pod in &members.surplus {
            self.own_claims(pod, true)?;
        }
        for pod in &members.surplus {
            let is_first = first_unhealthy.is_some_and(|first| first.uid == pod.metadata.uid);
            let blocks = pod_util::is_terminating(pod) || !self.is_available(pod) && !is_first;
            if is_ordered {
                if !blocks {
                    self.delete(pod)?;
                }
                return Ok(true);
            }
            if !pod_util::is_terminating(pod) {
                self.delete(pod)?;
            }
        }
        Ok(false)
    }
}
