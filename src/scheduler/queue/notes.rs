//! What the queue tells of itself: who was moved where, by what, and why; and who was not.

use std::fmt;
use std::sync::Arc;

use super::registrations::Answer;
use crate::base::time::Time;
use crate::cluster::PodIx;
use crate::framework::events::ClusterEvent;

pub use crate::protocol::happening::Place;

/// What moved a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    Event(ClusterEvent),
    /// Its backoff is over.
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

/// What the plugins that rejected a Pod made of an event, in the order in which they were asked: up to
/// the first that wants it tried again.
pub type Answers = Vec<(&'static str, Answer)>;

/// Why a Pod was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A plugin that rejected it wants it tried again: the last of these.
    Answers(Answers),
    /// No plugin rejected it, so any event will do.
    NobodyRejected,
    /// Time alone did it.
    TimePassed,
}

/// Something that the queue did with a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The Pod came, and a PreEnqueue plugin keeps it out.
    Gated {
        pod: PodIx,
        key: Arc<str>,
        by: ClusterEvent,
        plugin: &'static str,
    },
    /// The Pod left unschedulablePods, or its backoff is over.
    Moved {
        pod: PodIx,
        key: Arc<str>,
        by: Trigger,
        to: Place,
        /// When it has backed off, if it went to backoffQ.
        backoff_until: Option<Time>,
        why: Why,
    },
    /// An event that some plugin wants to hear of left the Pod where it was, whatever plugin that rejected
    /// it was asked. Told only if asked for, and not of gated Pods.
    Kept {
        pod: PodIx,
        key: Arc<str>,
        by: ClusterEvent,
        answers: Answers,
    },
}
