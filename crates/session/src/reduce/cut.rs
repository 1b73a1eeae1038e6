//! The first cut: by what the facts of the attempt name, one node for each class of reasons, the nearest first.

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::cycle::{Cycle, NodeReport};
use berth_protocol::fact::{Fact, FactKind, counted};
use berth_protocol::fix::{Change, Fix};
use berth_protocol::key::split;
use serde_json::Value;

use super::essence::{alone, class_of};
use super::objects::{Fold, Objects, folded};
use crate::explain;
use crate::session::Session;

/// Maximum number of domains of a topology key that are kept as a whole.
const MAX_DOMAINS: usize = 8;

/// How much of the cluster is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A node for each class of reasons, and the Pods that its facts count.
    Witnesses,
    /// With a node for each domain that the facts name.
    Domains,
    All,
}

/// A part of the cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut {
    /// Nodes that show the reasons.
    pub witnesses: BTreeSet<String>,
    nodes: BTreeSet<String>,
    /// Pods that stay what they are.
    named: BTreeSet<String>,
}

impl Cut {
    /// The part of the cluster that an attempt at a position of the session, and a fix of it, depend on.
    pub fn of(session: &Session, cycle: &Cycle, fix: Option<&Fix>, scope: Scope) -> Self {
        let needed = fix.map(needed).unwrap_or_default();
        let mut cut = Self {
            witnesses: witnesses(cycle, &needed),
            ..Self::default()
        };
        cut.named.extend(fix.and_then(removed_pod));
        cut.nodes = cut.witnesses.union(&needed).cloned().collect();
        let exists = |name: &String| cycle.nodes.iter().any(|report| report.node == *name);
        cut.nodes.retain(exists);
        if scope == Scope::All {
            cut.nodes = cycle.nodes.iter().map(|it| it.node.clone()).collect();
        }
        if scope == Scope::Domains {
            cut.nodes.extend(domain_nodes(session, cycle));
        }
        cut.count(session, cycle);
        cut
    }

    /// With the parts of another cut.
    pub fn joined(mut self, other: Self) -> Self {
        self.witnesses.extend(other.witnesses);
        self.nodes.extend(other.nodes);
        self.named.extend(other.named);
        self
    }

    /// Adds the Pods that facts count on the nodes, and their nodes.
    fn count(&mut self, session: &Session, cycle: &Cycle) {
        let asked = self.nodes.clone();
        let are_counted = |report: &&NodeReport| {
            asked.contains(&report.node) && facts(report).any(|fact| counts(&fact.kind))
        };
        // Without such a fact anywhere, no plugin counts Pods.
        if !cycle
            .nodes
            .iter()
            .any(|report| facts(report).any(|fact| counts(&fact.kind)))
        {
            return;
        }
        let all: Vec<&NodeReport> = match asked.len() <= 2 * MAX_DOMAINS {
            true => cycle
                .nodes
                .iter()
                .filter(|it| asked.contains(&it.node))
                .collect(),
            false => cycle
                .nodes
                .iter()
                .filter(are_counted)
                .take(MAX_DOMAINS)
                .collect(),
        };
        for report in all {
            let detailed = explain::with_node(session, session.position(), &report.node);
            let Ok(detailed) = detailed else { continue };
            let Some(report) = detailed.nodes.iter().find(|it| it.node == report.node) else {
                continue;
            };
            // A sum of resources counts Pods, too: what these take is enough.
            for fact in facts(report).filter(|fact| counts(&fact.kind)) {
                let pods = counted(std::slice::from_ref(fact));
                let needed: Vec<&str> = match &fact.kind {
                    FactKind::Spread {
                        topology_key,
                        minimum,
                        ..
                    } => above_minimum(session, &pods, topology_key, *minimum),
                    _ => pods,
                };
                self.named.extend(needed.into_iter().map(str::to_owned));
            }
        }
    }

    /// The documents of a case with this part.
    pub fn documents(&self, objects: &Objects, fold: Fold) -> Vec<Value> {
        let is_kept = |node: &str| self.nodes.contains(node);
        let mut nodes = self.nodes.clone();
        let named = objects
            .pods
            .iter()
            .filter(|pod| self.named.contains(&pod.key));
        nodes.extend(named.map(|pod| pod.node.clone()));
        let pods = objects.pods.iter();
        let pods: Vec<_> = pods
            .filter(|pod| is_kept(&pod.node) || self.named.contains(&pod.key))
            .collect();
        let kept = objects
            .nodes
            .iter()
            .filter(|(name, _)| nodes.contains(name));
        let mut all = objects.head.clone();
        all.extend(kept.map(|(_, node)| node.clone()));
        let namespace = text_at(&objects.target, "/metadata/namespace").unwrap_or_default();
        let pods = folded(&pods, &self.named, fold, namespace);
        let others = others(objects, &nodes, pods.iter().chain([&objects.target]));
        all.extend(others.cloned());
        all.extend(pods);
        all.push(objects.target.clone());
        all
    }
}

/// The Pods by which domains exceed the least: each domain may lose as many as that has.
fn above_minimum<'p>(
    session: &Session,
    pods: &[&'p str],
    topology_key: &str,
    minimum: i64,
) -> Vec<&'p str> {
    let cluster = session.run().cluster();
    let domain_of = |pod: &str| {
        let (namespace, name) = split(pod);
        let node = cluster.pods().find(namespace, name)?.node?;
        cluster.node(node).labels.get(topology_key).cloned()
    };
    let mut of_domain: BTreeMap<Option<String>, i64> = BTreeMap::new();
    let above = pods.iter().filter(|pod| {
        let count = of_domain.entry(domain_of(pod)).or_default();
        *count += 1;
        *count > minimum
    });
    above.copied().collect()
}

/// The other objects that may matter to Pods on these nodes.
fn others<'o>(
    objects: &'o Objects,
    nodes: &BTreeSet<String>,
    pods: impl Iterator<Item = &'o Value>,
) -> impl Iterator<Item = &'o Value> {
    let namespaces: BTreeSet<&str> = pods
        .filter_map(|pod| text_at(pod, "/metadata/namespace"))
        .collect();
    let left_out: BTreeSet<&str> = objects
        .nodes
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !nodes.contains(*name))
        .collect();
    objects.others.iter().filter(move |object| {
        let name = text_at(object, "/metadata/name").unwrap_or_default();
        match text_at(object, "/kind") {
            Some("CSINode") => !left_out.contains(name),
            Some("ResourceSlice") => {
                text_at(object, "/spec/nodeName").is_none_or(|node| !left_out.contains(node))
            }
            Some("Namespace") => namespaces.contains(name),
            _ => text_at(object, "/metadata/namespace").is_none_or(|it| namespaces.contains(it)),
        }
    })
}

fn text_at<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path).and_then(Value::as_str)
}

/// A node for each class of reasons: one that the fix needs, then the nearest to be accepted.
fn witnesses(cycle: &Cycle, needed: &BTreeSet<String>) -> BTreeSet<String> {
    let mut of_class: BTreeMap<_, Vec<&NodeReport>> = BTreeMap::new();
    for report in &cycle.nodes {
        of_class.entry(class_of(report)).or_default().push(report);
    }
    let mut chosen: BTreeSet<String> = cycle.selected.iter().cloned().collect();
    let second = cycle.selected.as_deref();
    let second = second.and_then(|node| crate::case::runner_up(cycle, node));
    chosen.extend(second.iter().map(|(_, second)| second.node.clone()));
    if second.is_some() {
        // Between nodes that pass, the scores decide.
        return chosen;
    }
    for reports in of_class.into_values() {
        if reports.iter().any(|report| chosen.contains(&report.node)) {
            continue;
        }
        let nearest = reports.into_iter().min_by_key(|report| {
            let is_needed = needed.contains(&report.node);
            (!is_needed, alone(report).len(), distance(report))
        });
        chosen.extend(nearest.map(|report| report.node.clone()));
    }
    chosen
}

/// How much is missing on a node, in thousandths of what is asked.
fn distance(report: &NodeReport) -> i64 {
    let missing = facts(report).filter_map(|fact| match &fact.kind {
        FactKind::Resource { request, .. } => {
            let (_, missing) = fact.kind.missing()?;
            Some(missing.max(0).saturating_mul(1000) / (*request).max(1))
        }
        _ => None,
    });
    missing.fold(0, i64::saturating_add)
}

fn facts(report: &NodeReport) -> impl Iterator<Item = &Fact> {
    let verdicts = report
        .failures
        .iter()
        .chain(&report.passes)
        .chain(&report.verdict);
    verdicts.flat_map(|verdict| &verdict.facts)
}

/// Whether a fact may count Pods.
fn counts(kind: &FactKind) -> bool {
    matches!(
        kind,
        FactKind::Spread { .. }
            | FactKind::PodAffinity { .. }
            | FactKind::HostPort { .. }
            | FactKind::Volume { .. }
            | FactKind::VolumeCount { .. }
    )
}

/// A node in each domain of the topology keys that facts name. Domains that the plugin accepts come first.
fn domain_nodes(session: &Session, cycle: &Cycle) -> BTreeSet<String> {
    let all = cycle.nodes.iter().flat_map(facts);
    let keys: BTreeSet<&str> = all
        .filter_map(|fact| match &fact.kind {
            FactKind::Spread { topology_key, .. } | FactKind::PodAffinity { topology_key, .. } => {
                Some(topology_key.as_str())
            }
            _ => None,
        })
        .collect();
    let cluster = session.run().cluster();
    let mut nodes = BTreeSet::new();
    for key in keys {
        let is_over = |report: &NodeReport| facts(report).any(|fact| counts(&fact.kind));
        let mut reports: Vec<&NodeReport> = cycle.nodes.iter().collect();
        reports.sort_by_key(|report| (is_over(report), alone(report).len()));
        let mut seen = BTreeSet::new();
        for report in reports {
            let node = cluster.find_node(&report.node);
            let domain = node.and_then(|node| node.labels.get(key));
            if domain.is_some_and(|domain| seen.insert(domain)) && seen.len() <= MAX_DOMAINS {
                nodes.insert(report.node.clone());
            }
        }
    }
    nodes
}

/// The nodes that a fix names, or lands on.
fn needed(fix: &Fix) -> BTreeSet<String> {
    let mut nodes: BTreeSet<String> = [fix.node.clone()].into();
    let named = match &fix.what {
        Change::Uncordon { node }
        | Change::RemoveTaint { node, .. }
        | Change::LabelNode { node, .. }
        | Change::UnlabelNode { node, .. }
        | Change::DeletePod { node, .. }
        | Change::ScaleDown { node, .. } => Some(node),
        Change::AddNode { like, .. } => like.as_ref(),
        _ => None,
    };
    nodes.extend(named.cloned());
    nodes.remove("");
    nodes
}

fn removed_pod(fix: &Fix) -> Option<String> {
    match &fix.what {
        Change::DeletePod { pod, .. } | Change::ScaleDown { pod, .. } => Some(pod.clone()),
        _ => None,
    }
}
