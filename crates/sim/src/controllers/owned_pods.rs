//! The event handlers for Pods that ReplicaSets, StatefulSets and DaemonSets share.

use std::borrow::Cow;

use k8s_openapi::api::apps::v1::{DaemonSet, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::claim::{matching_owners, resolve, resolve_reference};
use crate::pod_util;
use crate::store::{Key, Store, Stored, controller_of};
use crate::workqueue::WorkQueue;

/// A kind that controls Pods and has `minReadySeconds`.
pub(super) trait PodOwner: Stored {
    /// A ReplicationController's is made from its map of labels.
    fn selector(&self) -> Option<Cow<'_, LabelSelector>>;
    fn min_ready_seconds(&self) -> i32;
}

macro_rules! pod_owners {
    ($($kind:ty),+) => {$(
        impl PodOwner for $kind {
            fn selector(&self) -> Option<Cow<'_, LabelSelector>> {
                let spec = self.spec.as_ref();
                spec.map(|spec| Cow::Borrowed(&spec.selector))
            }

            fn min_ready_seconds(&self) -> i32 {
                let spec = self.spec.as_ref();
                spec.and_then(|spec| spec.min_ready_seconds).unwrap_or(0)
            }
        }
    )+};
}

pod_owners!(DaemonSet, ReplicaSet, StatefulSet);

/// Enqueues the owners that a change of a Pod affects: its former one, its current one, or those that may adopt it.
/// When a Pod becomes ready, its owner is also enqueued for the time when the Pod becomes available.
pub(super) fn observe_pod<T: PodOwner>(
    before: Option<&Pod>,
    after: Option<&Pod>,
    cache: &Store,
    queue: &mut WorkQueue,
    now_ms: i64,
) {
    let Some(pod) = after.or(before) else { return };
    let owner = controller_of(&pod.metadata);
    let old = before.and_then(|before| controller_of(&before.metadata));
    if let Some(old) = old.filter(|old| owner != Some(*old))
        && let Some(set) = resolve_reference::<T>(cache, &pod.metadata, old)
    {
        queue.add(Key::of(set.metadata()));
    }
    if owner.is_none() {
        let relabeled = before.is_none_or(|it| it.metadata.labels != pod.metadata.labels);
        if after.is_some() && (relabeled || old.is_some()) {
            for key in matching_owners(cache, &pod.metadata, T::selector) {
                queue.add(key);
            }
        }
        return;
    }
    let Some(set) = resolve::<T>(cache, &pod.metadata) else {
        return;
    };
    let key = Key::of(set.metadata());
    queue.add(key.clone());
    let wait = set.min_ready_seconds();
    let got_ready = before.is_some_and(|it| !pod_util::is_ready(it)) && pod_util::is_ready(pod);
    if wait > 0 && after.is_some() && got_ready && !pod_util::is_terminating(pod) {
        // One second more, for clock skew.
        queue.add_after(key, (i64::from(wait) + 1) * 1_000, now_ms);
    }
}
