//! Happenings as sentences.

use berth_words::{say, text};

use super::language::comma;
use super::{Text, clock, short};
use berth_protocol::happening::{
    Attempted, Ending, Initial, Place, PodState, QueueAction, Requeued, What, WhyMoved, Write,
};

/// The meaning of kube-scheduler's event labels. Other labels are shown verbatim.
const CAUSES: [(&str, Text); 9] = [
    ("UnschedulableTimeout", text!("it has waited 5 minutes")),
    ("BackoffComplete", text!("its backoff is over")),
    ("AssignedPodAdd", text!("a Pod got a node")),
    ("AssignedPodDelete", text!("a Pod left its node")),
    ("NodeAdd", text!("a node was added")),
    ("NodeDelete", text!("a node is gone")),
    ("NodeUpdateNodeAllocatable", text!("a node's room changed")),
    ("NodeUpdateNodeLabel", text!("a node's labels changed")),
    ("NodeUpdateNodeTaint", text!("a node's taints changed")),
];

fn cause(event: &str) -> &str {
    let known = CAUSES.iter().find(|(label, _)| *label == event);
    known.map_or(event, |(_, words)| words.get())
}

/// One line of the list of happenings.
pub fn happening(what: &What) -> String {
    match what {
        What::Step { changes } if changes.is_empty() => text!("nothing changes").to_owned(),
        What::Step { changes } => changes.join(comma()),
        What::Attempt(attempted) => attempt(attempted),
        What::Queue { pod, action } => match action {
            QueueAction::Gated { plugin } => say!("{pod}: gated by {plugin}"),
            action => format!("{pod} {}", queue_action(action)),
        },
        What::Write { write } => written(write),
        What::Event {
            object_kind,
            object,
            reason,
            message,
        } => format!("{object_kind} {object}: {reason}: {message}"),
        What::Pod { pod, state } => pod_state(short(pod), *state),
    }
}

fn attempt(attempted: &Attempted) -> String {
    let Attempted { pod, attempt, .. } = attempted;
    let ended = |how: String| say!("{pod}: try {attempt}: {how}");
    let mut text = match &attempted.ending {
        Ending::Bound { node } => return ended(say!("bound to {node}")),
        Ending::Skipped => return ended(text!("skipped, it is being deleted").to_owned()),
        Ending::Unschedulable { message } => ended(message.clone()),
        Ending::Error { message } => ended(say!("error: {message}")),
    };
    if let Some(preempts) = &attempted.preempts {
        let victims = preempts.victims.join(comma());
        let preempts = say!("Preempts {victims} on {node}.", node = preempts.node);
        text.push_str(&format!(" {preempts}"));
    }
    if let Some(Requeued { to, until_ms }) = attempted.requeued {
        text.push_str(" → ");
        text.push_str(&match until_ms {
            Some(until_ms) => say!(
                "{place} until {seconds} s",
                place = place(to),
                seconds = seconds(until_ms)
            ),
            None => place(to).to_owned(),
        });
    }
    if let Some(event) = &attempted.meanwhile {
        text.push_str(&super::in_parentheses(say!("{event} happened meanwhile")));
    }
    text
}

// Milliseconds of 285,000 years are exact.
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

fn place(place: Place) -> Text {
    match place {
        Place::Active => text!("active"),
        Place::Backoff => text!("backoff"),
        Place::Unschedulable => super::explain::UNSCHEDULABLE,
    }
}

/// The queue's action on a Pod, without its name: `goes back into the queue: a node was added, which may help with …`.
pub fn queue_action(action: &QueueAction) -> String {
    match action {
        QueueAction::Gated { plugin } => say!("is gated by {plugin}"),
        QueueAction::Moved { by, to, why } => {
            say!(
                "{moved}: {cause}{reason}",
                moved = moved(*to),
                cause = cause(by),
                reason = reason(why)
            )
        }
        QueueAction::Kept { by, plugins } => say!(
            "keeps waiting: {cause}, which does not help with {plugins}",
            cause = cause(by),
            plugins = plugins.join(comma())
        ),
    }
}

fn moved(Requeued { to, until_ms }: Requeued) -> String {
    match (to, until_ms) {
        (Place::Active, _) => text!("goes back into the queue").to_owned(),
        (Place::Backoff, Some(until_ms)) => {
            say!(
                "goes back into the queue after its backoff, at {time}",
                time = clock(until_ms)
            )
        }
        (Place::Backoff, None) => text!("goes back into the queue after its backoff").to_owned(),
        (Place::Unschedulable, _) => text!("keeps waiting").to_owned(),
    }
}

fn reason(why: &WhyMoved) -> String {
    match why {
        WhyMoved::TimePassed => String::new(),
        WhyMoved::NoPluginRejected => text!(", as no plugin rejected it").to_owned(),
        WhyMoved::MayHelp { plugin } => say!(", which may help with {plugin}"),
        WhyMoved::NoHint { plugin } => say!(", which always wakes what {plugin} rejected"),
    }
}

fn written(write: &Write) -> String {
    match write {
        Write::Create {
            object_kind,
            object,
            with,
        } => {
            let with = match with {
                Some(Initial::Replicas(replicas)) => say!(", replicas: {replicas}"),
                Some(Initial::Revision(revision)) => say!(", revision {revision}"),
                Some(Initial::Node(node)) => format!(" {}", say!("for {node}")),
                None => String::new(),
            };
            say!("{object_kind} {object} created{with}")
        }
        Write::Delete {
            object_kind,
            object,
        } => say!("{object_kind} {object} deleted"),
        Write::Scale { object, from, to } => {
            say!("ReplicaSet {object} scaled from {from} to {to}")
        }
        Write::Bind { pod, node } => say!("Pod {pod} bound to {node}"),
        Write::Renumber { object, from, to } => {
            say!("ControllerRevision {object} renumbered from {from} to {to}")
        }
    }
}

fn pod_state(pod: &str, state: PodState) -> String {
    match state {
        PodState::Running => say!("{pod} is running"),
        PodState::Ready => say!("{pod} is ready"),
        PodState::NotReady => say!("{pod} is not ready"),
        PodState::Succeeded => say!("{pod} has stopped"),
        PodState::Failed => say!("{pod} has failed"),
        PodState::Gone => say!("{pod} is gone"),
    }
}

#[cfg(test)]
mod tests {
    use super::happening;
    use berth_protocol::happening::{Place, PodState, QueueAction, Requeued, What, WhyMoved};

    fn moved(by: &str, to: Requeued, why: WhyMoved) -> String {
        happening(&What::Queue {
            pod: "a/web".to_owned(),
            action: QueueAction::Moved {
                by: by.to_owned(),
                to,
                why,
            },
        })
    }

    const ACTIVE: Requeued = Requeued {
        to: Place::Active,
        until_ms: None,
    };

    #[test]
    fn every_queue_move_has_a_phrase() {
        assert_eq!(
            moved("UnschedulableTimeout", ACTIVE, WhyMoved::TimePassed),
            "a/web goes back into the queue: it has waited 5 minutes"
        );
        let may_help = || WhyMoved::MayHelp {
            plugin: "NodeResourcesFit".to_owned(),
        };
        assert_eq!(
            moved("NodeAdd", ACTIVE, may_help()),
            "a/web goes back into the queue: a node was added, which may help with NodeResourcesFit"
        );
        let backoff = |until_ms| Requeued {
            to: Place::Backoff,
            until_ms,
        };
        assert_eq!(
            moved("AssignedPodDelete", backoff(Some(10_000)), may_help()),
            "a/web goes back into the queue after its backoff, at 00:10: a Pod left its node, which may help with NodeResourcesFit"
        );
        assert_eq!(
            moved("NodeAdd", backoff(None), WhyMoved::NoPluginRejected),
            "a/web goes back into the queue after its backoff: a node was added, as no plugin rejected it"
        );
    }

    #[test]
    fn an_event_that_does_not_help_leaves_a_pod_waiting() {
        let kept = What::Queue {
            pod: "a/web".to_owned(),
            action: QueueAction::Kept {
                by: "AssignedPodAdd".to_owned(),
                plugins: vec!["PodTopologySpread".to_owned(), "NodeAffinity".to_owned()],
            },
        };
        assert_eq!(
            happening(&kept),
            "a/web keeps waiting: a Pod got a node, which does not help with PodTopologySpread, NodeAffinity"
        );
        let unknown = moved("CSINodeAdd", ACTIVE, WhyMoved::TimePassed);
        assert_eq!(unknown, "a/web goes back into the queue: CSINodeAdd");
    }

    #[test]
    fn states_of_pods_are_words() {
        let state = What::Pod {
            pod: "a/web".to_owned(),
            state: PodState::NotReady,
        };
        assert_eq!(happening(&state), "a/web is not ready");
        let state = What::Pod {
            pod: "default/report".to_owned(),
            state: PodState::Succeeded,
        };
        assert_eq!(happening(&state), "report has stopped");
    }
}
