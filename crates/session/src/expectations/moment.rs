//! One moment, with the Pods in it.

use berth_protocol::key::short;
use berth_protocol::lesson::GoalValue;
use berth_protocol::remark::Remark;
use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::manifests::Manifests;
use berth_core::api::scenario::Expectation;
use berth_scheduler::cluster::pod::PodInfo;
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::snapshot::Snapshot;
use berth_sim::store::Key;

use crate::history::Now;
use crate::session::Session;

/// Number of Pods or nodes that are named where an expectation is not met; the rest is counted.
pub(super) const NAMED: usize = 3;
/// Number of topology domains whose Pods are counted one by one beside a goal.
const DOMAINS: usize = 8;

/// The state of a Pod that expectations are checked against.
struct Seen<'s> {
    key: String,
    state: &'static str,
    node: Option<&'s str>,
    /// Why it waits; empty if it does not wait, or was not tried.
    message: String,
}

/// A moment of a session, with data that is looked up more than once.
pub(super) struct Moment<'s> {
    pub(super) run: &'s Snapshot,
    pub(super) cluster: Option<&'s SimulatedCluster>,
    pub(super) manifests: &'s Manifests,
    /// The message of each Pod's last attempt before this moment.
    messages: BTreeMap<&'s str, Option<&'s str>>,
}

impl<'s> Moment<'s> {
    /// The session's current moment.
    pub(super) fn now(session: &'s Session) -> Self {
        let messages = messages(session, session.position());
        Self {
            run: session.run(),
            cluster: session.simulated_cluster(),
            manifests: session.manifests(),
            messages,
        }
    }

    /// The moment at a position of the log.
    pub(super) fn at(session: &'s Session, position: usize, now: &'s Now) -> Self {
        Self {
            run: now.snapshot(),
            cluster: now.cluster(),
            manifests: session.history.manifests_at(position),
            messages: messages(session, position),
        }
    }

    /// Why the expectation does not hold; `None` if it does. Expectations on the past hold.
    pub(super) fn check(&self, expectation: &Expectation) -> Option<Remark> {
        if expectation.is_of_nodes() {
            return self.check_nodes(expectation);
        }
        match expectation.condition() {
            Some(condition) => self.check_object(condition),
            None => self.check_pods(expectation),
        }
    }

    fn check_pods(&self, expectation: &Expectation) -> Option<Remark> {
        if asks_only_the_past(expectation) {
            return None;
        }
        let meant = self.meant(expectation);
        let (good, bad): (Vec<&Seen>, Vec<&Seen>) =
            meant.iter().partition(|pod| holds(expectation, pod));
        match expectation.count() {
            Some((min, _)) if min > 0 && meant.is_empty() => return Some(Remark::no_such_pod()),
            Some((min, max)) if !(min..=max).contains(&good.len()) => {
                let (count, all) = (good.len(), meant.len());
                return Some(match (count > max, bad.is_empty()) {
                    (true, _) if count == 1 => Remark::one_holds(count, all, list(&good)),
                    (true, _) => Remark::some_hold(count, all, list(&good)),
                    (false, true) => Remark::only_hold(count, list(&good)),
                    (false, false) if count == 0 => Remark::joined(list(&bad)),
                    (false, false) => Remark::only_some_hold(count, all, list(&bad)),
                });
            }
            None if meant.is_empty() => return Some(Remark::no_such_pod()),
            None if !bad.is_empty() => return Some(Remark::joined(list(&bad))),
            _ => {}
        }
        let mut limits = expectation.max_per.iter().flatten();
        let crowded = limits.find_map(|(key, &most)| self.crowded(&good, key, most));
        let mut skews = expectation.skew.iter().flatten();
        crowded.or_else(|| skews.find_map(|(key, &most)| self.skewed(&good, key, most)))
    }

    /// What an expectation on several Pods counts: by domain if it limits a single topology key.
    pub(super) fn counted(&self, expectation: &Expectation) -> Option<GoalValue> {
        let is_of_pods = expectation.selector.is_some()
            && !expectation.is_of_nodes()
            && !asks_only_the_past(expectation);
        if !is_of_pods {
            return None;
        }
        let meant = self.meant(expectation);
        let good: Vec<&Seen> = meant.iter().filter(|pod| holds(expectation, pod)).collect();
        let (most, skews) = (&expectation.max_per, &expectation.skew);
        let keys = most.iter().flatten().chain(skews.iter().flatten());
        let keys: BTreeSet<&String> = keys.map(|(key, _)| key).collect();
        if let (1, Some(key)) = (keys.len(), keys.first())
            && let Ok(domains) = self.domains(&good, key)
            && (2..=DOMAINS).contains(&domains.len())
        {
            let mut counts: Vec<usize> = domains.into_values().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            return Some(GoalValue::Domains(counts));
        }
        let (count, all) = (good.len(), meant.len());
        (count > 0 && all > 1).then_some(GoalValue::Share { count, all })
    }

    /// The Pods that an expectation selects, or one of its alternatives.
    pub(super) fn concerned(&self, expectation: &Expectation) -> Vec<String> {
        let mut pods: Vec<String> = Vec::new();
        if expectation.pod.is_some() || expectation.selector.is_some() {
            pods.extend(self.meant(expectation).into_iter().map(|pod| pod.key));
        }
        for other in expectation.one_of.iter().flatten() {
            pods.extend(self.concerned(other));
        }
        pods
    }

    /// The Pods that an expectation selects. Deleted Pods are included only if it asks for them.
    fn meant(&self, expectation: &Expectation) -> Vec<Seen<'s>> {
        let run = self.run;
        if let Some((namespace, name)) = expectation.pod_name() {
            let key = format!("{namespace}/{name}");
            return match run.cluster().pods().find(namespace, name) {
                Some(pod) => vec![self.seen(pod)],
                None if self.is_deleted(namespace, name) => vec![deleted(key)],
                None => Vec::new(),
            };
        }
        let namespace = expectation.namespace_or_default();
        let wanted = expectation.selector.iter().flatten().collect::<Vec<_>>();
        let matches = |labels: &BTreeMap<String, String>| {
            wanted
                .iter()
                .all(|(key, value)| labels.get(*key) == Some(value))
        };
        let pods = run.cluster().pods().iter().filter(|pod| {
            pod.object.namespace.as_ref() == namespace
                && !pod.object.phase.is_terminal()
                && matches(&pod.object.template.labels)
        });
        let mut meant: Vec<Seen<'s>> = pods.map(|pod| self.seen(pod)).collect();
        if expectation.state.as_deref() == Some("Deleted") {
            let before = self.manifests.prepared.pods.iter().filter(|pod| {
                pod.namespace.as_ref() == namespace
                    && matches(&pod.template.labels)
                    && run.cluster().pods().find(namespace, &pod.name).is_none()
            });
            let gone = before.filter(|pod| self.is_deleted(namespace, &pod.name));
            meant.extend(gone.map(|pod| deleted(pod.key())));
        }
        meant
    }

    /// Whether a Pod that is not in the cluster was there. Those of the manifests were, in a simulated cluster.
    fn is_deleted(&self, namespace: &str, name: &str) -> bool {
        if self.run.deleted().contains(&format!("{namespace}/{name}")) {
            return true;
        }
        let Some(cluster) = self.cluster else {
            return false;
        };
        let is_stored = cluster
            .api()
            .store()
            .pods
            .get(&Key::new(namespace, name))
            .is_some();
        let mut known = self.manifests.prepared.pods.iter();
        !is_stored && known.any(|pod| &*pod.namespace == namespace && &*pod.name == name)
    }

    fn seen(&self, pod: &'s PodInfo) -> Seen<'s> {
        let run = self.run;
        let key = pod.object.key();
        let node = pod.object.node_name.as_deref();
        let (state, message) = match node {
            Some(_) => ("Bound", String::new()),
            None => {
                let last_message = self.messages.get(key.as_str()).copied().flatten();
                let is_gated = run.gated().any(|gated| gated.ix == pod.ix);
                let gate = run.gate_of(pod).unwrap_or_default();
                let state = if is_gated { "Gated" } else { "Pending" };
                (state, last_message.map_or(gate, str::to_owned))
            }
        };
        Seen {
            key,
            state,
            node,
            message,
        }
    }

    /// The first domain of a topology key that holds too many of these Pods.
    fn crowded(&self, pods: &[&Seen], key: &str, most: i32) -> Option<Remark> {
        let counts = match self.counts(pods, key) {
            Ok(counts) => counts,
            Err(why) => return Some(why),
        };
        let most = usize::try_from(most).unwrap_or(0);
        let (value, count) = counts.into_iter().find(|(_, count)| *count > most)?;
        Some(Remark::crowded(count, bare(key), value))
    }

    /// The domains with the most and the fewest of these Pods, if they differ by more than `most`.
    fn skewed(&self, pods: &[&Seen], key: &str, most: i32) -> Option<Remark> {
        let counts = match self.domains(pods, key) {
            Ok(counts) => counts,
            Err(why) => return Some(why),
        };
        let (fullest, max) = counts.iter().max_by_key(|(_, count)| **count)?;
        let (emptiest, min) = counts.iter().min_by_key(|(_, count)| **count)?;
        let is_even = max - min <= usize::try_from(most).unwrap_or(0);
        (!is_even).then(|| Remark::skewed(*max, bare(key), *fullest, *min, *emptiest))
    }

    /// Numbers of these Pods by domain. Every value that a node has is a domain.
    fn domains(&self, pods: &[&Seen<'s>], key: &str) -> Result<BTreeMap<&'s str, usize>, Remark> {
        let mut counts = self.counts(pods, key)?;
        let labels = self.run.cluster().nodes().map(|node| &node.labels);
        for value in labels.filter_map(|labels| labels.get(key)) {
            counts.entry(value).or_default();
        }
        Ok(counts)
    }

    /// Numbers of these Pods by domain that has any.
    fn counts(&self, pods: &[&Seen<'s>], key: &str) -> Result<BTreeMap<&'s str, usize>, Remark> {
        let cluster = self.run.cluster();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for pod in pods {
            let Some(name) = pod.node else { continue };
            let node = cluster.find_node(name);
            let value = node.and_then(|node| node.labels.get(key));
            let Some(value) = value else {
                return Err(Remark::no_label(short(&pod.key), name, key));
            };
            *counts.entry(value.as_str()).or_default() += 1;
        }
        Ok(counts)
    }
}

/// The message of each Pod's last attempt before a position.
fn messages(session: &Session, position: usize) -> BTreeMap<&str, Option<&str>> {
    let past = session.attempts().take_while(|(at, _)| *at < position);
    past.map(|(_, attempt)| (attempt.key.as_str(), attempt.message()))
        .collect()
}

/// Whether it only concerns the past of the Pods.
fn asks_only_the_past(expectation: &Expectation) -> bool {
    (expectation.evicted.is_some() || expectation.never_below.is_some())
        && expectation.state.is_none()
        && expectation.count.is_null()
        && expectation.message.is_none()
        && !expectation.wants_node()
}

fn deleted<'s>(key: String) -> Seen<'s> {
    Seen {
        key,
        state: "Deleted",
        node: None,
        message: String::new(),
    }
}

/// Whether one Pod is as expected, regardless of other Pods.
fn holds(expectation: &Expectation, pod: &Seen) -> bool {
    let in_state = match expectation.state.as_deref() {
        Some(state) => pod.state == state,
        None if expectation.wants_node() => pod.state == "Bound",
        None if expectation.message.is_some() => matches!(pod.state, "Pending" | "Gated"),
        None => pod.state != "Deleted",
    };
    let on_node = |names: &[String]| {
        pod.node
            .is_some_and(|node| names.iter().any(|name| name == node))
    };
    let node = expectation.node.as_ref().map(std::slice::from_ref);
    in_state
        && node.is_none_or(on_node)
        && expectation.nodes.as_deref().is_none_or(on_node)
        && expectation
            .message
            .as_ref()
            .is_none_or(|message| pod.message.contains(message))
}

/// The states of these Pods: `web-0 is Bound on node-1; web-1 is Pending; web-2 is Pending: 0/4 nodes …`. A message that
/// several of them have is quoted once, after the last.
fn list(pods: &[&Seen]) -> Vec<Remark> {
    if pods.is_empty() {
        return vec![Remark::no_such_pod()];
    }
    let named = pods.iter().take(NAMED).enumerate().map(|(index, pod)| {
        let seen = match pod.node {
            Some(node) => Remark::bound(short(&pod.key), node),
            None => Remark::seen(short(&pod.key), pod.state),
        };
        let rest = pods.get(index + 1..NAMED.min(pods.len()));
        let comes_again = rest.is_some_and(|rest| rest.iter().any(|it| it.message == pod.message));
        match pod.message.is_empty() || comes_again {
            true => seen,
            false => Remark::prefixed(seen, Remark::quoted(&*pod.message)),
        }
    });
    let mut listed: Vec<Remark> = named.collect();
    if pods.len() > NAMED {
        listed.push(Remark::more(pods.len() - NAMED));
    }
    listed
}

/// A topology key as goals name it, without its DNS prefix: `zone`. It is a name, which no face translates.
fn bare(key: &str) -> Remark {
    Remark::quoted(key.rsplit('/').next().unwrap_or(key))
}
