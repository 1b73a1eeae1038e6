//! Happenings as sentences.

use super::{clock, short};
use berth_protocol::happening::{
    Attempted, Ending, Initial, Place, PodState, QueueAction, Requeued, What, WhyMoved, Write,
};

/// The meaning of kube-scheduler's event labels. Other labels are shown verbatim.
const CAUSES: [(&str, &str); 9] = [
    ("UnschedulableTimeout", "it has waited 5 minutes"),
    ("BackoffComplete", "its backoff is over"),
    ("AssignedPodAdd", "a Pod got a node"),
    ("AssignedPodDelete", "a Pod left its node"),
    ("NodeAdd", "a node was added"),
    ("NodeDelete", "a node is gone"),
    ("NodeUpdateNodeAllocatable", "a node's room changed"),
    ("NodeUpdateNodeLabel", "a node's labels changed"),
    ("NodeUpdateNodeTaint", "a node's taints changed"),
];

fn cause(event: &str) -> &str {
    let known = CAUSES.iter().find(|(label, _)| *label == event);
    known.map_or(event, |(_, words)| words)
}

/// One line of the list of happenings.
pub fn happening(what: &What) -> String {
    match what {
        What::Step { changes } if changes.is_empty() => "nothing changes".to_owned(),
        What::Step { changes } => changes.join(", "),
        What::Attempt(attempted) => attempt(attempted),
        What::Queue { pod, action } => match action {
            QueueAction::Gated { plugin } => format!("{pod}: gated by {plugin}"),
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
    let mut text = format!("{pod}: attempt {attempt}: ");
    match &attempted.ending {
        Ending::Bound { node } => return format!("{text}bound to {node}"),
        Ending::Skipped => return format!("{text}skipped, it is being deleted"),
        Ending::Unschedulable { message } => text.push_str(message),
        Ending::Error { message } => text.push_str(&format!("error: {message}")),
    }
    if let Some(preempts) = &attempted.preempts {
        let victims = preempts.victims.join(", ");
        text.push_str(&format!(" Preempts {victims} on {}.", preempts.node));
    }
    if let Some(Requeued { to, until_ms }) = attempted.requeued {
        text.push_str(&format!(" → {}", place(to)));
        if let Some(until_ms) = until_ms {
            text.push_str(&format!(" until {} s", seconds(until_ms)));
        }
    }
    if let Some(event) = &attempted.meanwhile {
        text.push_str(&format!(" ({event} happened meanwhile)"));
    }
    text
}

#[allow(
    clippy::cast_precision_loss,
    reason = "milliseconds of 285,000 years are exact"
)]
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

fn place(place: Place) -> &'static str {
    match place {
        Place::Active => "active",
        Place::Backoff => "backoff",
        Place::Unschedulable => "unschedulable",
    }
}

/// The queue's action on a Pod, without its name: `goes back into the queue: a node was added, which may help with …`.
pub fn queue_action(action: &QueueAction) -> String {
    match action {
        QueueAction::Gated { plugin } => format!("is gated by {plugin}"),
        QueueAction::Moved { by, to, why } => {
            format!("{}: {}{}", moved(*to), cause(by), reason(why))
        }
        QueueAction::Kept { by, plugins } => format!(
            "goes on waiting: {}, which does not help with {}",
            cause(by),
            plugins.join(", ")
        ),
    }
}

fn moved(Requeued { to, until_ms }: Requeued) -> String {
    match (to, until_ms) {
        (Place::Active, _) => "goes back into the queue".to_owned(),
        (Place::Backoff, Some(until_ms)) => {
            format!(
                "goes back into the queue after its backoff, at {}",
                clock(until_ms)
            )
        }
        (Place::Backoff, None) => "goes back into the queue after its backoff".to_owned(),
        (Place::Unschedulable, _) => "goes on waiting".to_owned(),
    }
}

fn reason(why: &WhyMoved) -> String {
    match why {
        WhyMoved::TimePassed => String::new(),
        WhyMoved::NoPluginRejected => ", as no plugin rejected it".to_owned(),
        WhyMoved::MayHelp { plugin } => format!(", which may help with {plugin}"),
        WhyMoved::NoHint { plugin } => format!(", which always wakes what {plugin} rejected"),
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
                Some(Initial::Replicas(replicas)) => format!(", replicas: {replicas}"),
                Some(Initial::Revision(revision)) => format!(", revision {revision}"),
                Some(Initial::Node(node)) => format!(" for {node}"),
                None => String::new(),
            };
            format!("{object_kind} {object} created{with}")
        }
        Write::Delete {
            object_kind,
            object,
        } => format!("{object_kind} {object} deleted"),
        Write::Scale { object, from, to } => {
            format!("ReplicaSet {object} scaled from {from} to {to}")
        }
        Write::Bind { pod, node } => format!("Pod {pod} bound to {node}"),
        Write::Renumber { object, from, to } => {
            format!("ControllerRevision {object} renumbered from {from} to {to}")
        }
    }
}

fn pod_state(pod: &str, state: PodState) -> String {
    match state {
        PodState::Running => format!("{pod} is running"),
        PodState::Ready => format!("{pod} is ready"),
        PodState::NotReady => format!("{pod} is not ready"),
        PodState::Succeeded => format!("{pod} has stopped"),
        PodState::Failed => format!("{pod} has failed"),
        PodState::Gone => format!("{pod} is gone"),
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
            "a/web goes on waiting: a Pod got a node, which does not help with PodTopologySpread, NodeAffinity"
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
