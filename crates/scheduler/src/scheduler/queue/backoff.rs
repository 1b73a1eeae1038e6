//! Backoff of failed Pods, and the queues in which they wait (`backoff_queue.go` of
//! kube-scheduler v1.34.1).

use super::heap::Heap;
use super::pod::{ActiveKey, QueuedPod};
use crate::cluster::PodIx;
use berth_base::time::{Span, Time};

/// The order of backoffQ: by expiry; if Pods may be popped from it, then by the order of activeQ.
type BackoffKey = (Time, Option<ActiveKey>);

/// The backoff options of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffOptions {
    /// `podInitialBackoffSeconds`.
    pub initial: Span,
    /// `podMaxBackoffSeconds`.
    pub max: Span,
    /// Feature gate `SchedulerPopFromBackoffQ`, on by default since v1.33: an idle scheduler pops Pods
    /// from backoffQ, and expiries are truncated to the second so that priority decides within it.
    pub pop_from_backoff: bool,
}

impl Default for BackoffOptions {
    fn default() -> Self {
        Self {
            initial: Span::seconds(1),
            max: Span::seconds(10),
            pop_from_backoff: true,
        }
    }
}

impl BackoffOptions {
    /// The backoff after the `count`-th failure: 1 2 4 8 10 10 … s by default.
    pub fn duration(&self, count: u32) -> Span {
        match count.checked_sub(1) {
            None => Span::default(),
            Some(times) => self.initial.doubled(times).min(self.max),
        }
    }

    /// The end of the Pod's backoff; `None` if it has none.
    pub(super) fn expiry(&self, pod: &QueuedPod) -> Option<Time> {
        let count = match pod.consecutive_errors {
            0 => pod.unschedulable_count,
            errors => errors,
        };
        (count > 0).then(|| self.aligned(pod.timestamp.after(self.duration(count))))
    }

    /// Whether the Pod still backs off; at the moment of expiry it does.
    pub(super) fn is_backing_off(&self, pod: &QueuedPod, now: Time) -> bool {
        self.expiry(pod)
            .is_some_and(|expiry| expiry >= self.aligned(now))
    }

    /// The start of the window that contains `time`.
    fn aligned(&self, time: Time) -> Time {
        if self.pop_from_backoff {
            time.cut_to_second()
        } else {
            time
        }
    }
}

/// backoffQ, and the separate queue of Pods that failed with an error.
#[derive(Clone, Debug, Default)]
pub(super) struct BackoffQueue {
    rejected: Heap<BackoffKey>,
    failed: Heap<BackoffKey>,
}

impl BackoffQueue {
    pub fn add(&mut self, ix: PodIx, pod: &QueuedPod, options: BackoffOptions) {
        let expiry = options.expiry(pod).unwrap_or(pod.timestamp);
        if pod.rejected_by.is_empty() {
            self.failed.put(ix, (expiry, None));
            self.rejected.remove(ix);
        } else {
            let then = options.pop_from_backoff.then(|| pod.active_key());
            self.rejected.put(ix, (expiry, then));
            self.failed.remove(ix);
        }
    }

    pub fn remove(&mut self, pod: PodIx) -> bool {
        self.rejected.remove(pod) | self.failed.remove(pod)
    }

    pub fn contains(&self, pod: PodIx) -> bool {
        self.rejected.contains(pod) || self.failed.contains(pod)
    }

    pub fn is_empty(&self) -> bool {
        self.rejected.first().is_none() && self.failed.first().is_none()
    }

    /// The Pod that [`BackoffQueue::pop`] returns next.
    pub fn first(&self) -> Option<PodIx> {
        self.rejected.first().map(|(_, pod)| pod)
    }

    /// Pops the first Pod of backoffQ, never one that failed with an error.
    pub fn pop(&mut self) -> Option<PodIx> {
        self.rejected.pop()
    }

    /// Pops the next Pod whose backoff has ended according to `is_over`, from backoffQ first.
    pub fn pop_over(&mut self, is_over: impl Fn(PodIx) -> bool) -> Option<PodIx> {
        for heap in [&mut self.rejected, &mut self.failed] {
            if heap.first().is_some_and(|(_, pod)| is_over(pod)) {
                return heap.pop();
            }
        }
        None
    }
}
