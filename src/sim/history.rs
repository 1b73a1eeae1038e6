//! What happens over time, for people: steps, cycles, moves between queues, writes, events, in order.

use std::sync::Arc;

use crate::base::time::Time;
use crate::framework::events::ClusterEvent;
use crate::scheduler::queue::{Listing, Note, Place};
use crate::sim::audit_log::Event;

/// A whole replay.
#[derive(Clone, Debug)]
pub struct Record {
    /// Feature gate `SchedulerPopFromBackoffQ`.
    pub pop_from_backoff: bool,
    pub until_seconds: i64,
    pub entries: Vec<Entry>,
    /// Pods that preemption deleted, in order (`namespace/name`).
    pub deleted: Vec<String>,
    /// Where every Pod is that exists and is not finished, by `namespace/name`.
    pub placed: Vec<(String, Option<Arc<str>>)>,
    /// Where the waiting Pods are.
    pub waiting: Listing,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A step of the script, and what it did: `create Pod default/web`.
    Step {
        at: Time,
        step: usize,
        does: Vec<String>,
    },
    Cycle(Box<CycleEntry>),
    /// The queue did something with a Pod.
    Queue {
        at: Time,
        note: Note,
    },
    /// Somebody wrote to the API server: `create Pod default/web-x2x4z`.
    Wrote {
        at: Time,
        line: String,
    },
    /// An event of an object, as `kubectl describe` shows it.
    Event {
        at: Time,
        event: Arc<Event>,
    },
    /// A Pod (`namespace/name`) is in another state.
    Pod {
        at: Time,
        pod: String,
        now: PodState,
    },
}

/// What became of a Pod on its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodState {
    Running,
    Ready,
    NotReady,
    Succeeded,
    Failed,
    Gone,
}

impl PodState {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            PodState::Running => "running",
            PodState::Ready => "ready",
            PodState::NotReady => "notReady",
            PodState::Succeeded => "succeeded",
            PodState::Failed => "failed",
            PodState::Gone => "gone",
        }
    }
}

/// One scheduling cycle.
#[derive(Clone, Debug)]
pub struct CycleEntry {
    pub at: Time,
    /// `namespace/name`.
    pub pod: String,
    /// Attempts of the Pod so far, this one included.
    pub attempt: u32,
    /// Where it was popped from.
    pub from: Place,
    pub ending: CycleEnding,
    /// Why it was not bound: the FitError with the PostFilter part.
    pub message: Option<String>,
    /// The plugins that rejected it, sorted.
    pub rejected_by: Vec<&'static str>,
    /// Pods that preemption deleted, in order.
    pub victims: Vec<String>,
    /// The node that this cycle nominated it for.
    pub nominated: Option<Arc<str>>,
    /// The first event during the cycle that is worth another attempt.
    pub in_flight: Option<ClusterEvent>,
    /// Where it went, and when it has backed off; `None` if it does not wait any more.
    pub queue_after: Option<(Place, Option<Time>)>,
}

/// How a cycle ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CycleEnding {
    Bound(Arc<str>),
    Unschedulable,
    Error,
    /// The Pod is being deleted: it is not tried.
    Skipped,
}
