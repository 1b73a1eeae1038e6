//! The cluster's attempts in the order in which it made them: those of the log, or what events and conditions tell of them.

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::verify::Room;

use super::said::{EventKind, EventSaid, PodSaid};
use super::step::{Outcome, Step, Teller};

/// How long a binding may take, in microseconds: its event is younger than its attempt by as much.
const BINDING_US: i64 = 100_000;
/// A time of a condition is cut to the second.
const SECOND_US: i64 = 1_000_000;

/// All attempts, in the order of the log, or of the latest time they can have been made at. Pods that the log does not
/// have come first: it began later. `placed`: the Pods that have their node from the case.
pub(super) fn steps(
    log: Option<Vec<Step>>,
    events: Option<&[EventSaid]>,
    pods: &[PodSaid],
    placed: &BTreeSet<String>,
) -> Vec<Step> {
    let mut in_log = log.unwrap_or_default();
    let known: BTreeSet<String> = in_log.iter().map(|step| step.pod.clone()).collect();
    let mut steps = of_events(events.unwrap_or_default(), &known);
    steps.extend(of_pods(pods, &steps, &known, placed));
    if let Some(events) = events {
        preemptions(&mut steps, events, pods);
    }
    steps.sort_by_key(|step| (step.time.1, step.time.0));
    // The places of a log are small numbers: they come after all of these.
    let last = steps.iter().map(|step| step.time.1).max().unwrap_or(0);
    finish(&mut in_log, pods);
    for step in &mut in_log {
        let (earliest, latest) = step.time;
        step.time = (
            earliest.saturating_add(last).saturating_add(1),
            latest.saturating_add(last).saturating_add(1),
        );
    }
    steps.extend(in_log);
    steps
}

/// An attempt whose end the log does not have ended as the Pod says.
fn finish(steps: &mut [Step], pods: &[PodSaid]) {
    let mut seen = BTreeSet::new();
    for step in steps.iter_mut().rev() {
        let is_last = seen.insert(step.pod.clone());
        if step.result != Outcome::Unknown || !is_last {
            continue;
        }
        let Some(pod) = pods.iter().find(|pod| pod.key == step.pod) else {
            continue;
        };
        step.result = match (&pod.node, refusal(pod)) {
            (Some(node), _) => Outcome::Bound(node.clone()),
            (None, Some(message)) => Outcome::Refused(message.to_owned()),
            (None, None) => Outcome::Unknown,
        };
    }
}

/// The condition's text, if an attempt left it.
fn refusal(pod: &PodSaid) -> Option<&str> {
    let condition = pod
        .condition
        .as_ref()
        .filter(|condition| !condition.is_true)?;
    let is_attempt = matches!(&*condition.reason, "Unschedulable" | "SchedulerError");
    is_attempt.then_some(&condition.message)
}

fn of_events(events: &[EventSaid], known: &BTreeSet<String>) -> Vec<Step> {
    let events = events.iter().filter(|event| !known.contains(&event.pod));
    let step = |event: &EventSaid| {
        let (result, earliest) = match event.kind {
            EventKind::Scheduled => {
                let (_, node) = event.message.rsplit_once(" to ")?;
                (
                    Outcome::Bound(node.to_owned()),
                    event.at_us.saturating_sub(BINDING_US),
                )
            }
            EventKind::FailedScheduling => (Outcome::Refused(event.message.clone()), event.at_us),
            EventKind::Preempted => return None,
        };
        Some(Step {
            pod: event.pod.clone(),
            teller: Teller::Event,
            result,
            time: (earliest, event.at_us),
            ..Step::default()
        })
    };
    events.filter_map(step).collect()
}

/// What Pods tell and no event does.
fn of_pods(
    pods: &[PodSaid],
    told: &[Step],
    known: &BTreeSet<String>,
    placed: &BTreeSet<String>,
) -> Vec<Step> {
    let pods = pods.iter().filter(|pod| !known.contains(&pod.key));
    let step = |pod: &PodSaid| {
        let told = told.iter().filter(|step| step.pod == pod.key);
        let at = pod.condition.as_ref().and_then(|condition| condition.at_us);
        let at = at.unwrap_or(pod.created_us);
        let step = Step {
            pod: pod.key.clone(),
            time: (at, at.saturating_add(SECOND_US - 1)),
            ..Step::default()
        };
        if let Some(node) = &pod.node {
            let is_told = told.clone().any(|step| step.node().is_some());
            let is_new = !is_told && !placed.contains(&pod.key);
            return is_new.then(|| Step {
                teller: Teller::Event,
                result: Outcome::Bound(node.clone()),
                ..step
            });
        }
        let message = refusal(pod)?;
        let refused = Outcome::Refused(message.to_owned());
        let is_told = told.clone().any(|step| step.result == refused);
        (!is_told && told.count() == 0).then_some(Step {
            teller: Teller::Condition,
            result: refused,
            ..step
        })
    };
    pods.filter_map(step).collect()
}

/// Adds the preemptions that events tell to the refused attempts nearest to them in time.
fn preemptions(steps: &mut [Step], events: &[EventSaid], pods: &[PodSaid]) {
    let uids: BTreeMap<&str, &str> = pods
        .iter()
        .map(|pod| (pod.uid.as_str(), pod.key.as_str()))
        .collect();
    let is_refused = |step: &Step| matches!(step.result, Outcome::Refused(_));
    for step in steps.iter_mut() {
        if is_refused(step) && step.teller == Teller::Event {
            step.preemption = Some(None);
        }
    }
    let preempted = events
        .iter()
        .filter(|event| event.kind == EventKind::Preempted);
    for event in preempted {
        let Some((uid, node)) = preemptor(&event.message) else {
            continue;
        };
        let of_preemptor = steps
            .iter_mut()
            .filter(|step| uids.get(uid) == Some(&step.pod.as_str()) && is_refused(step));
        let nearest = of_preemptor
            .min_by_key(|step| step.time.1.saturating_sub(event.at_us).saturating_abs());
        if let Some(step) = nearest {
            let room = step.preemption.get_or_insert_default();
            let room = room.get_or_insert_with(|| Room {
                node: node.to_owned(),
                victims: Vec::new(),
            });
            room.victims.push(event.pod.clone());
            room.victims.sort();
        }
    }
}

/// The uid of the preemptor and the node: `Preempted by pod UID on node NODE`.
fn preemptor(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("Preempted by pod ")?;
    rest.split_once(" on node ")
}
