//! Formats happenings, one per line: `     7.00 s  default/web → active: AssignedPodDelete, which may help with …`.

use berth_protocol::happening::{
    Attempted, Ending, Happening, PodState, QueueAction, Requeued, What, WhyMoved,
};

/// One line.
pub fn line(happening: &Happening) -> String {
    let at = format!("{:.2}", seconds(happening.at_ms));
    format!("{at:>9} s  {}", text(&happening.what))
}

fn text(what: &What) -> String {
    match what {
        What::Step { changes } if changes.is_empty() => "nothing changes".to_owned(),
        What::Step { changes } => changes.join(", "),
        What::Attempt(attempted) => attempt(attempted),
        What::Queue { pod, action } => queue(pod, action),
        What::Write { write } => write.to_string(),
        What::Event {
            object_kind,
            object,
            reason,
            message,
        } => format!("{object_kind} {object}: {reason}: {message}"),
        What::Pod { pod, state } => format!("{pod} is {}", state_text(*state)),
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
    if let Some(requeued) = attempted.requeued {
        text.push_str(&format!(" → {}", place(requeued)));
    }
    if let Some(event) = &attempted.meanwhile {
        text.push_str(&format!(" ({event} happened meanwhile)"));
    }
    text
}

fn queue(pod: &str, action: &QueueAction) -> String {
    match action {
        QueueAction::Gated { plugin } => format!("{pod}: gated by {plugin}"),
        QueueAction::Moved { by, to, why } => {
            format!("{pod} → {}: {by}{}", place(*to), why_text(why))
        }
        QueueAction::Kept { by, plugins } => {
            format!(
                "{pod} stays: {by} does not help with {}",
                plugins.join(", ")
            )
        }
    }
}

fn place(requeued: Requeued) -> String {
    let name = requeued.to.name();
    match requeued.until_ms {
        Some(until_ms) => format!("{name} until {} s", seconds(until_ms)),
        None => name.to_owned(),
    }
}

fn why_text(why: &WhyMoved) -> String {
    match why {
        WhyMoved::TimePassed => String::new(),
        WhyMoved::NoPluginRejected => ", as no plugin rejected it".to_owned(),
        WhyMoved::MayHelp { plugin } => format!(", which may help with {plugin}"),
        WhyMoved::NoHint { plugin } => format!(", which always wakes what {plugin} rejected"),
    }
}

fn state_text(state: PodState) -> &'static str {
    match state {
        PodState::NotReady => "not ready",
        other => other.name(),
    }
}

// Milliseconds of 285,000 years are exact.
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::line;
    use berth_protocol::happening::{
        Attempted, Ending, Happening, Place, Preempts, QueueAction, Requeued, What, WhyMoved,
    };

    fn line_of(at_ms: i64, what: What) -> String {
        line(&Happening { at_ms, what })
    }

    #[test]
    fn times_have_two_decimals_and_ends_of_backoff_as_many_as_they_need() {
        let what = What::Queue {
            pod: "a/web".into(),
            action: QueueAction::Moved {
                by: "NodeAdd".into(),
                to: Requeued {
                    to: Place::Backoff,
                    until_ms: Some(10_500),
                },
                why: WhyMoved::MayHelp {
                    plugin: "NodeResourcesFit".into(),
                },
            },
        };
        assert_eq!(
            line_of(1_234, what),
            "     1.23 s  a/web → backoff until 10.5 s: NodeAdd, which may help with NodeResourcesFit"
        );
        let what = What::Step {
            changes: Vec::new(),
        };
        assert_eq!(line_of(3_600_000, what), "  3600.00 s  nothing changes");
    }

    #[test]
    fn a_failed_attempt_shows_preemption_and_requeueing() {
        let what = What::Attempt(Attempted {
            pod: "a/web".into(),
            attempt: 2,
            ending: Ending::Unschedulable {
                message: "0/1 nodes are available: 1 Insufficient cpu.".into(),
            },
            preempts: Some(Preempts {
                node: "n1".into(),
                victims: vec!["a/low".into(), "a/lower".into()],
            }),
            requeued: Some(Requeued {
                to: Place::Unschedulable,
                until_ms: None,
            }),
            meanwhile: Some("AssignedPodDelete".into()),
        });
        assert_eq!(
            line_of(0, what),
            "     0.00 s  a/web: attempt 2: 0/1 nodes are available: 1 Insufficient cpu. Preempts a/low, a/lower on n1. → unschedulable (AssignedPodDelete happened meanwhile)"
        );
    }
}
