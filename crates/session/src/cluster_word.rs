//! Compares what the cluster of a dump said about its waiting Pods with what Berth says, by reasons and counts: releases
//! word their messages differently, and a message may end with what preemption came to.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;

use berth_base::sort;
use berth_core::api::object::Manifest;
use berth_protocol::cluster_word::{BerthWord, ClusterWord, LikelyReason, OtherWord};
use berth_protocol::frame::{Frame, HeldBy, PodFrame};

use crate::frame;
use crate::session::Session;

/// What stands before the part of a message that preemption adds.
const PREEMPTION: &str = "preemption: ";
/// What stands between the number of nodes and the reasons.
const AVAILABLE: &str = " nodes are available: ";
/// What all releases call an untolerated taint here; since v1.36 they do not name it.
const TAINT: &str = "untolerated taint";

/// What the dump says about its waiting Pods, beside what this moment says; `None` if it says nothing. Pods that were
/// not tried yet are left out.
pub fn now(session: &Session) -> Option<ClusterWord> {
    in_frame(session, &frame::build(session))
}

/// The same, with the frame of this moment at hand.
pub fn in_frame(session: &Session, frame: &Frame) -> Option<ClusterWord> {
    compared(session, frame, said(session).collect())
}

/// The same of one Pod (`namespace/name`).
pub fn of_pod(session: &Session, pod: &str) -> Option<ClusterWord> {
    let said = said(session).filter(|(key, _)| key == pod);
    compared(session, &frame::build(session), said.collect())
}

fn compared(session: &Session, frame: &Frame, said: Vec<(String, &str)>) -> Option<ClusterWord> {
    if said.is_empty() {
        return None;
    }
    compare(session, frame, said)
}

/// Whether two messages of an attempt say the same: reasons and counts, and likewise what preemption came to.
pub(crate) fn agree(cluster: &str, berth: &str) -> bool {
    let of_preemption = |message: &str| {
        let (_, part) = message.split_once(PREEMPTION)?;
        Some(Word::of(part))
    };
    let same_preemption = match (of_preemption(cluster), of_preemption(berth)) {
        (Some(cluster), Some(berth)) => cluster.agrees(&berth),
        (cluster, berth) => cluster.is_none() && berth.is_none(),
    };
    cluster == berth || same_preemption && Word::of(cluster).agrees(&Word::of(berth))
}

/// The dumped Pods that wait (`namespace/name`), with what the cluster's scheduler said.
fn said(session: &Session) -> impl Iterator<Item = (String, &str)> {
    let documents = session.manifests().loaded.documents.iter();
    documents.filter_map(|document| {
        let Some(Manifest::Pod(pod)) = document.object.as_deref() else {
            return None;
        };
        let namespace = document.namespace.as_deref().filter(|it| !it.is_empty());
        let key = format!("{}/{}", namespace.unwrap_or("default"), document.name);
        Some((key, message_of(pod)?))
    })
}

fn likely(session: &Session, pod: &str, cluster: &str, berth: &BerthWord) -> LikelyReason {
    if let BerthWord::Message(berth) = berth
        && Word::of(cluster).counts() == Word::of(berth).counts()
    {
        return LikelyReason::Wording;
    }
    let mut lacking = session.manifests().prepared.lacking.iter();
    match lacking.find(|(key, _)| key == pod) {
        Some((_, kinds)) => {
            LikelyReason::MissingKinds(kinds.iter().map(|kind| (*kind).to_owned()).collect())
        }
        None => LikelyReason::OlderMessage,
    }
}

/// Cold: kept out of the first download.
#[inline(never)]
fn compare(session: &Session, frame: &Frame, said: Vec<(String, &str)>) -> Option<ClusterWord> {
    let pods = frame.pods.iter();
    let pods: BTreeMap<&str, &PodFrame> = sort::gather(pods.map(|pod| (pod.key.as_str(), pod)));
    let mut word = ClusterWord::default();
    for (key, cluster) in said {
        let Some(pod) = pods.get(key.as_str()) else {
            continue;
        };
        let berth = match &pod.node {
            Some(node) => BerthWord::Node(node.clone()),
            None if pod.message.is_empty() => continue,
            None => BerthWord::Message(pod.message.clone()),
        };
        if is_same(cluster, pod, &berth) {
            word.same += 1;
            continue;
        }
        let likely = likely(session, &key, cluster, &berth);
        word.different.push(OtherWord {
            pod: key,
            cluster: cluster.to_owned(),
            berth,
            likely,
        });
    }
    (word.pods() > 0).then_some(word)
}

/// Why a Pod waits, in the cluster's words.
fn message_of(pod: &Pod) -> Option<&str> {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    if node.is_some_and(|node| !node.is_empty()) {
        return None;
    }
    let mut conditions = pod.status.as_ref()?.conditions.iter().flatten();
    let scheduled = conditions.find(|it| it.type_ == "PodScheduled" && it.status == "False")?;
    let message = scheduled.message.as_deref();
    message.filter(|message| !message.is_empty())
}

fn is_same(cluster: &str, pod: &PodFrame, berth: &BerthWord) -> bool {
    let BerthWord::Message(berth) = berth else {
        return false;
    };
    // Releases name the gates or not.
    let is_gated = matches!(pod.held_by, Some(HeldBy::Gates(_)));
    is_gated && cluster.contains("scheduling gates") || Word::of(cluster).agrees(&Word::of(berth))
}

/// A message as data.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    /// The number of all nodes, if the message tells it.
    nodes: Option<u64>,
    /// The number of nodes by reason; 0 for a reason that holds for the Pod as a whole.
    reasons: BTreeMap<String, u64>,
}

impl Word {
    fn of(message: &str) -> Self {
        let (nodes, reasons) = match message.split_once(AVAILABLE) {
            Some((counts, reasons)) => {
                let nodes = counts
                    .rsplit_once('/')
                    .and_then(|(_, all)| all.parse().ok());
                (nodes, reasons)
            }
            None => (None, message),
        };
        // Behind the first sentence follows what preemption, or the deallocation of claims, came to.
        let end = reasons.find(". ").unwrap_or(reasons.len());
        let reasons = reasons.get(..end).unwrap_or(reasons).trim_end_matches('.');
        let mut word = Self {
            nodes,
            reasons: BTreeMap::new(),
        };
        // Before v1.24 a taint's reason had a comma.
        let reasons = reasons.replace(", that the pod didn't tolerate", "");
        for reason in reasons.split(", ") {
            let (count, reason) = match reason.split_once(' ') {
                Some((count, rest)) => match count.parse() {
                    Ok(count) => (count, rest),
                    Err(_) => (0, reason),
                },
                None => (0, reason),
            };
            *word.reasons.entry(canonical(reason)).or_default() += count;
        }
        word
    }

    /// Whether both say the same. One that does not name taints counts them as one reason.
    fn agrees(&self, other: &Self) -> bool {
        let same_nodes = self.nodes.is_none() || other.nodes.is_none() || self.nodes == other.nodes;
        let names_none = self.reasons.contains_key(TAINT) || other.reasons.contains_key(TAINT);
        let reasons = |word: &Self| match names_none {
            true => word.without_taints(),
            false => word.reasons.clone(),
        };
        same_nodes && reasons(self) == reasons(other)
    }

    fn without_taints(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for (reason, count) in &self.reasons {
            let reason = match reason.starts_with(TAINT) {
                true => TAINT,
                false => reason.as_str(),
            };
            *all.entry(reason.to_owned()).or_default() += count;
        }
        all
    }

    /// The numbers alone.
    fn counts(&self) -> (Option<u64>, Vec<u64>) {
        let mut counts: Vec<u64> = self.without_taints().into_values().collect();
        counts.sort_unstable();
        (self.nodes, counts)
    }
}

/// A reason in the words of all releases.
fn canonical(reason: &str) -> String {
    let taint = ["node(s) had taint ", "node(s) had untolerated taint "];
    if let Some(named) = taint.iter().find_map(|it| reason.strip_prefix(it)) {
        return format!("{TAINT} {named}");
    }
    let known = match reason {
        "node(s) had untolerated taint(s)" | "node(s) had taints that the pod didn't tolerate" => {
            TAINT
        }
        "node(s) didn't match node selector" | "node(s) didn't match Pod's node affinity" => {
            "node(s) didn't match Pod's node affinity/selector"
        }
        "node(s) had volume node affinity conflict" => {
            "node(s) didn't match PersistentVolume's node affinity"
        }
        other => other,
    };
    known.to_owned()
}

#[cfg(test)]
mod tests;
