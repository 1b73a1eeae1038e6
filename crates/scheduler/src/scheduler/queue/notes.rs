//! Notes of the queue: each Pod that it moved, with the destination, the trigger and the reason, and each Pod
//! that an event did not move.

use std::fmt;
use std::sync::Arc;

use super::registrations::Answer;
use crate::cluster::PodIx;
use crate::framework::events::ClusterEvent;
use berth_base::time::Time;

pub use berth_protocol::happening::Place;

/// What moved a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    Event(ClusterEvent),
    /// Its backoff ended.
    BackoffComplete,
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => event.fmt(f),
            Self::BackoffComplete => f.write_str("BackoffComplete"),
        }
    }
}

/// The answers of the plugins that rejected a Pod to an event, in order, up to the first that queues
/// the Pod.
pub type Answers = Vec<(&'static str, Answer)>;

/// Why a Pod was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The last of these answers queues the Pod.
    Answers(Answers),
    /// No plugin rejected it, so any event moves it.
    NotRejected,
    /// It waited long enough.
    TimePassed,
}

/// One action of the queue on a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The Pod was added, but a PreEnqueue plugin keeps it out.
    Gated {
        pod: PodIx,
        key: Arc<str>,
        by: ClusterEvent,
        plugin: &'static str,
    },
    /// The Pod left unschedulablePods, or its backoff ended.
    Moved {
        pod: PodIx,
        key: Arc<str>,
        by: Trigger,
        to: Place,
        /// The end of its backoff, if it went to backoffQ.
        backoff_until: Option<Time>,
        why: Why,
    },
    /// An event that some plugin registered for did not move the Pod. Noted on request only, and not
    /// for gated Pods.
    Kept {
        pod: PodIx,
        key: Arc<str>,
        by: ClusterEvent,
        answers: Answers,
    },
}
