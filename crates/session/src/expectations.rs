//! The expectations of a scenario, checked against the current moment.

use std::collections::BTreeMap;

use berth_core::api::object::Manifest;
use berth_core::api::problem::Printable;
use berth_core::api::scenario::Expectation;
use berth_core::api::yaml::Target;
use berth_core::cluster::pod::PodInfo;
use berth_protocol::expectation::Outcome;

use super::Session;

/// Number of Pods that are named where an expectation is not met; the rest is counted.
const NAMED: usize = 3;

impl Session {
    /// Whether the sources have expectations.
    pub fn has_expectations(&self) -> bool {
        self.expected().next().is_some()
    }

    /// Every expectation of the sources, checked against this moment. Expectations of a run's end may be unmet before.
    pub fn expectations(&self) -> Vec<Outcome> {
        let view = View::new(self);
        let outcomes = self.expected().enumerate();
        let outcomes = outcomes.map(|(index, (document, number, expectation))| {
            let loaded = &self.manifests().loaded;
            let source = loaded
                .documents
                .get(document)
                .map(|document| &document.source);
            let path = format!("expectations[{number}]");
            let position = source.map(|source| loaded.position(source, &path, Target::Value));
            let file = source.and_then(|source| loaded.files.get(source.file));
            let why = view.check(expectation);
            Outcome {
                index,
                expected: words(expectation),
                met: why.is_none(),
                why: why.unwrap_or_default(),
                file: file.map(|file| file.name.clone()).unwrap_or_default(),
                line: position.map_or(1, |position| position.line),
                column: position.map_or(1, |position| position.column),
            }
        });
        outcomes.collect()
    }

    /// Expectations with the index of their document and their number in it.
    fn expected(&self) -> impl Iterator<Item = (usize, usize, &Expectation)> {
        let documents = self.manifests().loaded.documents.iter().enumerate();
        documents.flat_map(|(document, content)| {
            let expectations = match content.object.as_deref() {
                Some(Manifest::Scenario(scenario)) => scenario.expectations.as_deref(),
                _ => None,
            };
            let numbered = expectations.unwrap_or_default().iter().enumerate();
            numbered.map(move |(number, expectation)| (document, number, expectation))
        })
    }
}

/// The state of a Pod that expectations are checked against.
struct Seen<'s> {
    key: String,
    state: &'static str,
    node: Option<&'s str>,
    /// Why it waits; empty if it does not wait, or was not tried.
    message: String,
}

/// The current moment, with data that is looked up more than once.
struct View<'s> {
    session: &'s Session,
    /// The last attempt of each Pod before this moment.
    last_attempts: BTreeMap<&'s str, usize>,
}

impl<'s> View<'s> {
    fn new(session: &'s Session) -> Self {
        let needed = if session.has_expectations() {
            session.position()
        } else {
            0
        };
        let past = session.attempts().take_while(|(at, _)| *at < needed);
        Self {
            session,
            last_attempts: past
                .map(|(at, attempt)| (attempt.key.as_str(), at))
                .collect(),
        }
    }

    /// Why the expectation is not met; `None` if it is.
    fn check(&self, expectation: &Expectation) -> Option<String> {
        let meant = self.meant(expectation);
        let (good, bad): (Vec<&Seen>, Vec<&Seen>) =
            meant.iter().partition(|pod| holds(expectation, pod));
        match expectation.count {
            Some(count) if usize::try_from(count) != Ok(good.len()) => {
                let listed = match bad.is_empty() {
                    true => &good,
                    false => &bad,
                };
                let are = if good.len() == 1 { "is" } else { "are" };
                return Some(format!(
                    "{} of {} {are}: {}",
                    good.len(),
                    meant.len(),
                    list(listed)
                ));
            }
            None if meant.is_empty() => return Some("there is no such Pod".to_owned()),
            None if !bad.is_empty() => return Some(list(&bad)),
            _ => {}
        }
        let mut limits = expectation.max_per.iter().flatten();
        limits.find_map(|(key, &most)| self.crowded(&good, key, most))
    }

    /// The Pods that an expectation selects. Deleted Pods are included only if it asks for them.
    fn meant(&self, expectation: &Expectation) -> Vec<Seen<'s>> {
        let run = self.session.run();
        if let Some((namespace, name)) = expectation.pod_name() {
            let key = format!("{namespace}/{name}");
            return match run.cluster().pods().find(namespace, name) {
                Some(pod) => vec![self.seen(pod)],
                None if run.deleted().contains(&key) => vec![deleted(key)],
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
            let before = self.session.manifests().prepared.pods.iter().filter(|pod| {
                pod.namespace.as_ref() == namespace
                    && matches(&pod.template.labels)
                    && run.cluster().pods().find(namespace, &pod.name).is_none()
            });
            let keys = before.map(|pod| pod.key());
            meant.extend(keys.filter(|key| run.deleted().contains(key)).map(deleted));
        }
        meant
    }

    fn seen(&self, pod: &'s PodInfo) -> Seen<'s> {
        let run = self.session.run();
        let key = pod.object.key();
        let node = pod.object.node_name.as_deref();
        let (state, message) = match node {
            Some(_) => ("Bound", String::new()),
            None => {
                let attempt = self.last_attempts.get(key.as_str());
                let told = attempt.and_then(|&at| self.session.attempt(at)?.message());
                let is_gated = run.gated().any(|gated| gated.ix == pod.ix);
                let gate = run.gate_of(pod).unwrap_or_default();
                let state = if is_gated { "Gated" } else { "Pending" };
                (state, told.map_or(gate, str::to_owned))
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
    fn crowded(&self, pods: &[&Seen], key: &str, most: i32) -> Option<String> {
        let cluster = self.session.run().cluster();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for pod in pods {
            let name = pod.node?;
            let node = cluster.find_node(name);
            let value = node.and_then(|node| node.labels.get(key));
            let value = match value {
                Some(value) => value.as_str(),
                None => {
                    let key = Printable(key);
                    return Some(format!(
                        "{} is on {name}, which has no label {key}",
                        short(pod)
                    ));
                }
            };
            *counts.entry(value).or_default() += 1;
        }
        let most = usize::try_from(most).unwrap_or(0);
        let (value, count) = counts.into_iter().find(|(_, count)| *count > most)?;
        Some(format!(
            "{count} are in {} {}",
            Printable(key),
            Printable(value)
        ))
    }
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

fn short<'p>(pod: &'p Seen) -> &'p str {
    pod.key.strip_prefix("default/").unwrap_or(&pod.key)
}

/// The states of these Pods: `web-0 is Bound on node-1; web-1 is Pending: 0/4 nodes …`.
fn list(pods: &[&Seen]) -> String {
    if pods.is_empty() {
        return "there is no such Pod".to_owned();
    }
    let named = pods.iter().take(NAMED).map(|pod| {
        let mut text = format!("{} is {}", short(pod), pod.state);
        if let Some(node) = pod.node {
            text.push_str(&format!(" on {node}"));
        }
        if !pod.message.is_empty() {
            text.push_str(&format!(": {}", pod.message));
        }
        text
    });
    let mut text = named.collect::<Vec<String>>().join("; ");
    if pods.len() > NAMED {
        text.push_str(&format!("; and {} more", pods.len() - NAMED));
    }
    text
}

/// An expectation as a sentence without its full stop.
fn words(expectation: &Expectation) -> String {
    let mut text = who(expectation);
    let is = match (&expectation.pod, expectation.count) {
        (Some(_), _) | (None, Some(1)) => "is",
        _ => "are",
    };
    let state = match expectation.state.as_deref() {
        Some(state) => state,
        None if expectation.wants_node() => "Bound",
        None if expectation.message.is_some() => "waiting",
        None => "there",
    };
    text.push_str(&format!(" {is} {state}"));
    if let Some(node) = &expectation.node {
        text.push_str(&format!(" on {node}"));
    }
    if let Some(nodes) = &expectation.nodes {
        text.push_str(&format!(" on {}", nodes.join(" or ")));
    }
    for (key, most) in expectation.max_per.iter().flatten() {
        text.push_str(&format!(", at most {most} per {key}"));
    }
    if let Some(message) = &expectation.message {
        text.push_str(&format!(" with \"{message}\""));
    }
    Printable(&text).to_string()
}

fn who(expectation: &Expectation) -> String {
    if let Some((namespace, name)) = expectation.pod_name() {
        let pod = match namespace {
            "default" => name.to_owned(),
            namespace => format!("{namespace}/{name}"),
        };
        return match expectation.count {
            Some(0) => format!("No Pod {pod}"),
            _ => format!("Pod {pod}"),
        };
    }
    let labels = expectation.selector.iter().flatten();
    let labels = labels.map(|(key, value)| format!("{key}={value}"));
    let mut labels = labels.collect::<Vec<String>>().join(",");
    if expectation.namespace_or_default() != "default" {
        labels.push_str(&format!(" in {}", expectation.namespace_or_default()));
    }
    match expectation.count {
        None => format!("All Pods with {labels}"),
        Some(0) => format!("No Pods with {labels}"),
        Some(1) => format!("Exactly 1 Pod with {labels}"),
        Some(count) => format!("Exactly {count} Pods with {labels}"),
    }
}

#[cfg(test)]
mod tests;
