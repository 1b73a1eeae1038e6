//! Expectations on what happened since the start.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;

use berth_core::api::scenario::{Expectation, duration_ms};
use berth_protocol::happening::What;
use berth_protocol::key::short;
use berth_protocol::remark::Remark;
use berth_sim::pod_util;
use berth_sim::store::Key;

use super::moment::Moment;
use crate::history::{LogEntry, Now};
use crate::session::Session;

/// Events of the Pods that are evicted.
const EVICTED: [&str; 3] = ["Preempted", "TaintManagerEviction", "Evicted"];

/// Why an expectation that holds now is not met because of the past; `None` if it is.
#[inline(never)]
pub(super) fn why_not_before(session: &Session, expectation: &Expectation) -> Option<Remark> {
    if let Some(why) = why_lost(session, expectation) {
        return Some(why);
    }
    if expectation.evicted == Some(true) && evicted(session, expectation).is_empty() {
        return Some(Remark::none_evicted());
    }
    if expectation.within.is_some() || expectation.not_before.is_some() {
        return why_not_in_time(session, expectation);
    }
    None
}

/// Whether an expectation cannot be met any more because of the past.
pub(crate) fn is_lost(session: &Session, expectation: &Expectation) -> bool {
    match &expectation.one_of {
        Some(others) => others.iter().all(|other| is_lost(session, other)),
        None => why_lost(session, expectation).is_some(),
    }
}

/// What happened since the start though the expectation forbids it.
fn why_lost(session: &Session, expectation: &Expectation) -> Option<Remark> {
    if expectation.evicted == Some(false)
        && let Some(pod) = evicted(session, expectation).first()
    {
        return Some(Remark::pod_evicted(short(pod)));
    }
    let least = usize::try_from(expectation.never_below?).unwrap_or(0);
    let lowest = lowest(session, expectation);
    (lowest < least).then(|| Remark::lowest(lowest))
}

/// The position of the log from which expectations look at the past.
fn start(session: &Session) -> usize {
    session.state.since.min(session.position())
}

/// Pods that an expectation selects and that were evicted since the start.
fn evicted(session: &Session, expectation: &Expectation) -> Vec<String> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut evicted: BTreeSet<String> = BTreeSet::new();
    let start = start(session);
    session.history.walk(start, &mut |position, now| {
        let meant = now.snapshot().cluster().pods().iter().filter(|pod| {
            let (namespace, labels) = (&pod.object.namespace, &pod.object.template.labels);
            selects(expectation, namespace, &pod.object.name, labels)
        });
        known.extend(meant.map(|pod| pod.object.key()));
        if position > start
            && let Some(entry) = session.log().get(position - 1)
        {
            evicted.extend(victims(entry).filter(|pod| known.contains(pod)));
        }
        let stored = now
            .cluster()
            .into_iter()
            .flat_map(|cluster| cluster.api().store().pods.iter());
        let marked = stored.filter(|pod| is_marked(pod) && stored_is_meant(expectation, pod));
        evicted.extend(marked.map(|pod| Key::of(&pod.metadata).to_string()));
    });
    evicted.into_iter().collect()
}

/// The smallest number of ready Pods since the start; of placed ones, where Pods are only scheduled.
fn lowest(session: &Session, expectation: &Expectation) -> usize {
    let mut lowest = usize::MAX;
    session.history.walk(start(session), &mut |_, now| {
        let ready = match now.cluster() {
            Some(cluster) => {
                let ready = cluster.api().store().pods.iter().filter(|pod| {
                    pod_util::is_ready(pod)
                        && !pod_util::is_terminating(pod)
                        && stored_is_meant(expectation, pod)
                });
                ready.count()
            }
            None => {
                let placed = now.snapshot().cluster().pods().iter().filter(|pod| {
                    let (namespace, labels) = (&pod.object.namespace, &pod.object.template.labels);
                    pod.node.is_some() && selects(expectation, namespace, &pod.object.name, labels)
                });
                placed.count()
            }
        };
        lowest = lowest.min(ready);
    });
    lowest
}

/// Why an expectation did not come true in the time that it has, or came true too early. The time counts from the
/// change by hand that led to it: the last one before it came true and stayed so.
fn why_not_in_time(session: &Session, expectation: &Expectation) -> Option<Remark> {
    let start = start(session);
    let mut changed_ms = 0;
    // When it came true, and when the change before that was made.
    let mut held: Option<(i64, i64)> = None;
    session.history.walk(start, &mut |position, now| {
        let elapsed_ms = now.elapsed_ms().unwrap_or(0);
        let entry = position.checked_sub(1).and_then(|at| session.log().get(at));
        let by_hand = entry.is_some_and(|entry| entry.is_by_hand());
        if position == start || by_hand {
            changed_ms = elapsed_ms;
        }
        let moment = Moment::at(session, position, now);
        held = match (moment.check(expectation), held) {
            (Some(_), _) => None,
            (None, Some(held)) => Some(held),
            (None, None) => Some((elapsed_ms, changed_ms)),
        };
    });
    let (held_ms, changed_ms) = held?;
    let took_ms = held_ms - changed_ms;
    let limit = |text: &Option<String>| text.as_deref().and_then(duration_ms);
    let is_late = limit(&expectation.within).is_some_and(|most| took_ms > most);
    let is_early = limit(&expectation.not_before).is_some_and(|least| took_ms < least);
    (is_late || is_early).then(|| Remark::took(took_ms / 1_000))
}

/// The Pods that an entry of the log evicts.
fn victims(entry: &LogEntry) -> impl Iterator<Item = String> {
    let victims = entry
        .attempt()
        .into_iter()
        .flat_map(|attempt| attempt.victims.iter().map(|it| it.object.key()));
    let by_event = entry.happened().iter().filter_map(|it| match &it.what {
        What::Event {
            object_kind,
            object,
            reason,
            ..
        } if object_kind == "Pod" && EVICTED.contains(&reason.as_str()) => Some(object.clone()),
        _ => None,
    });
    victims.chain(by_event)
}

/// Whether a Pod is about to be evicted: each way of eviction sets a condition.
fn is_marked(pod: &Pod) -> bool {
    let status = pod.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_ref());
    conditions.into_iter().flatten().any(|condition| {
        condition.type_ == pod_util::DISRUPTION_TARGET && condition.status == "True"
    })
}

fn stored_is_meant(expectation: &Expectation, pod: &Pod) -> bool {
    let key = Key::of(&pod.metadata);
    let labels = pod.metadata.labels.clone().unwrap_or_default();
    selects(expectation, key.namespace(), key.name(), &labels)
}

/// Whether an expectation concerns a Pod, in whatever state.
pub(super) fn selects(
    expectation: &Expectation,
    namespace: &str,
    name: &str,
    labels: &BTreeMap<String, String>,
) -> bool {
    if let Some(pod) = expectation.pod_name() {
        return pod == (namespace, name);
    }
    let mut wanted = expectation.selector.iter().flatten();
    namespace == expectation.namespace_or_default()
        && wanted.all(|(key, value)| labels.get(key) == Some(value))
}

impl Now {
    /// The simulated cluster, if there is one.
    pub(super) fn cluster(&self) -> Option<&berth_sim::simulated_cluster::SimulatedCluster> {
        match self {
            Self::Rounds(_) => None,
            Self::Simulated(simulated) => Some(simulated.cluster()),
        }
    }
}
