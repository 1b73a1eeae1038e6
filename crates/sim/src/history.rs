//! The record of what happens over time: steps of a script, cycles, moves between queues, writes and events, in
//! order.

use std::fmt;
use std::sync::Arc;

use crate::audit_log::Event;
use berth_base::time::Time;
use berth_protocol::happening::{
    Attempted, Ending, Happening, Preempts, QueueAction, Requeued, What, WhyMoved, Write,
};
use berth_scheduler::framework::events::ClusterEvent;
use berth_scheduler::queue::{Answer, Listing, Note, Place, Popped, Why};

pub use berth_protocol::happening::PodState;

/// A whole replay.
#[derive(Clone, Debug)]
pub struct Record {
    /// The release that was played: `v1.34.1`.
    pub kubernetes: &'static str,
    /// Feature gate `SchedulerPopFromBackoffQ`.
    pub pop_from_backoff: bool,
    pub until_seconds: i64,
    pub entries: Vec<Entry>,
    /// Pods that preemption deleted, in order (`namespace/name`).
    pub deleted: Vec<String>,
    /// The node of every Pod that exists and has not finished, by `namespace/name`; `None` if it waits.
    pub placed: Vec<(String, Option<Arc<str>>)>,
    /// The waiting Pods by queue.
    pub waiting: Listing,
}

/// An entry of the record.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A step of the script and its changes: `create Pod default/web`.
    Step {
        at: Time,
        step: usize,
        does: Vec<String>,
    },
    Cycle(Box<CycleEntry>),
    /// The queue moved a Pod, or left it where it was.
    Queue {
        at: Time,
        note: Note,
    },
    /// A write to the API server.
    Wrote {
        at: Time,
        line: Line,
    },
    /// An event of an object, as `kubectl describe` shows it.
    Event {
        at: Time,
        event: Arc<Event>,
    },
    /// A Pod (`namespace/name`) entered another state.
    Pod {
        at: Time,
        pod: String,
        now: PodState,
    },
}

/// A write whose `Debug` form is its line in the recordings: digests of recorded lives contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct Line(pub Write);

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.to_string(), f)
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
    /// The queue that it was popped from.
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
    /// The first event during the cycle that may make the Pod schedulable.
    pub in_flight: Option<ClusterEvent>,
    /// The queue that it moved to, and when its backoff ends; `None` if it left the queue.
    pub queue_after: Option<(Place, Option<Time>)>,
}

impl CycleEntry {
    /// A cycle that has not decided anything yet.
    pub(crate) fn new(at: Time, pod: String, popped: &Popped) -> Self {
        Self {
            at,
            pod,
            attempt: popped.attempts,
            from: popped.from,
            ending: CycleEnding::Skipped,
            message: None,
            rejected_by: Vec::new(),
            victims: Vec::new(),
            nominated: None,
            in_flight: None,
            queue_after: None,
        }
    }
}

/// How a cycle ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CycleEnding {
    Bound(Arc<str>),
    Unschedulable,
    Error,
    /// The Pod is being deleted, so it is not tried.
    Skipped,
}

impl Record {
    /// All entries that views show, timed from the start of the replay.
    pub fn happenings(&self) -> impl Iterator<Item = Happening> {
        self.entries
            .iter()
            .filter_map(|entry| entry.happening(Time::START))
    }
}

impl Entry {
    /// The entry as data for views, timed from the `beginning`. `None` if another entry shows the same, or if it
    /// explains nothing.
    pub fn happening(&self, beginning: Time) -> Option<Happening> {
        let (at, what) = match self {
            Entry::Step { at, does, .. } => (
                at,
                What::Step {
                    changes: does.clone(),
                },
            ),
            Entry::Cycle(cycle) => (&cycle.at, What::Attempt(cycle.attempted(beginning))),
            Entry::Wrote { at, line } => (
                at,
                What::Write {
                    write: line.0.clone(),
                },
            ),
            // The entry of the cycle shows the same.
            Entry::Event { event, .. } if is_of_scheduler(event) => return None,
            Entry::Event { at, event } => (at, event_of(event)),
            Entry::Pod { at, pod, now } => (
                at,
                What::Pod {
                    pod: pod.clone(),
                    state: *now,
                },
            ),
            Entry::Queue { at, note } => (at, queue_action(note, beginning)?),
        };
        Some(Happening {
            at_ms: milliseconds(*at, beginning),
            what,
        })
    }
}

impl CycleEntry {
    fn attempted(&self, beginning: Time) -> Attempted {
        let message = self.message.clone().unwrap_or_default();
        let ending = match &self.ending {
            CycleEnding::Bound(node) => Ending::Bound {
                node: node.to_string(),
            },
            CycleEnding::Unschedulable => Ending::Unschedulable { message },
            CycleEnding::Error => Ending::Error { message },
            CycleEnding::Skipped => Ending::Skipped,
        };
        Attempted {
            pod: self.pod.clone(),
            attempt: self.attempt,
            ending,
            preempts: self.nominated.as_ref().map(|node| Preempts {
                node: node.to_string(),
                victims: self.victims.clone(),
            }),
            requeued: self
                .queue_after
                .map(|(to, until)| requeued(to, until, beginning)),
            meanwhile: self.in_flight.map(|event| event.to_string()),
        }
    }
}

fn milliseconds(time: Time, beginning: Time) -> i64 {
    time.counted_from(beginning).milliseconds()
}

fn requeued(to: Place, until: Option<Time>, beginning: Time) -> Requeued {
    Requeued {
        to,
        until_ms: until.map(|until| milliseconds(until, beginning)),
    }
}

fn is_of_scheduler(event: &Event) -> bool {
    matches!(&*event.reason, "Scheduled" | "FailedScheduling")
}

fn event_of(event: &Event) -> What {
    What::Event {
        object_kind: event.kind.to_owned(),
        object: event.key.to_string(),
        reason: event.reason.to_string(),
        message: event.message.clone(),
    }
}

/// `None` for Pods that an event left where they were, if no plugin answered [`Answer::Skip`].
fn queue_action(note: &Note, beginning: Time) -> Option<What> {
    let (pod, action) = match note {
        Note::Gated { key, plugin, .. } => (
            key,
            QueueAction::Gated {
                plugin: (*plugin).to_owned(),
            },
        ),
        Note::Moved {
            key,
            by,
            to,
            backoff_until,
            why,
            ..
        } => (
            key,
            QueueAction::Moved {
                by: by.to_string(),
                to: requeued(*to, *backoff_until, beginning),
                why: why_moved(why),
            },
        ),
        Note::Kept {
            key, by, answers, ..
        } => {
            let plugins: Vec<String> = answers
                .iter()
                .filter(|(_, answer)| *answer == Answer::Skip)
                .map(|(plugin, _)| (*plugin).to_owned())
                .collect();
            if plugins.is_empty() {
                return None;
            }
            let by = by.to_string();
            (key, QueueAction::Kept { by, plugins })
        }
    };
    Some(What::Queue {
        pod: pod.to_string(),
        action,
    })
}

/// The last answer decided.
fn why_moved(why: &Why) -> WhyMoved {
    match why {
        Why::TimePassed => WhyMoved::TimePassed,
        Why::NotRejected => WhyMoved::NoPluginRejected,
        Why::Answers(answers) => match answers.last() {
            Some((plugin, Answer::Queue)) => WhyMoved::MayHelp {
                plugin: (*plugin).to_owned(),
            },
            Some((plugin, _)) => WhyMoved::NoHint {
                plugin: (*plugin).to_owned(),
            },
            None => WhyMoved::TimePassed,
        },
    }
}
