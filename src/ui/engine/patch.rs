//! Sends only changes to the page, split into pieces that it can decode without a long task.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use berth_protocol::frame::{Frame, NodeFrame, PodFrame};
use berth_protocol::page::{ALL_ROWS, Changed, Head, KnownRelease, Patch, ReleaseFrame, Update};
use berth_session::{
    Session, Version, cluster_word, drain, frame, kubelets, scheduler, simulated, undo,
};

use super::{lesson, terminal};
use crate::scene::queue::lanes_of;

/// Maximum nodes, and maximum Pods, in one piece.
const PIECE: usize = 800;
/// Number of Pods per queue lane whose keys are sent.
const NAMED: usize = 60;

/// What the page has received.
#[derive(Default)]
pub struct Sent {
    frame: Frame,
    /// The configuration's document.
    configuration: Option<Value>,
    /// Number of changes that can be undone, and redone.
    undo: (usize, usize),
    pub text: Option<Arc<str>>,
    begun: bool,
    /// The page shows a lesson.
    has_lesson: bool,
}

impl Sent {
    /// Number of nodes and Pods that the page has.
    pub fn size(&self) -> usize {
        self.frame.nodes.len() + self.frame.pods.len()
    }

    /// The sources' text, if the page has a different one.
    pub fn changed_text(&mut self, session: &Session) -> Option<String> {
        let file = session.sources().first();
        let text = file.map_or_else(|| "".into(), |file| Arc::clone(&file.text));
        if self.text.as_deref().unwrap_or_default() == &*text {
            return None;
        }
        self.text = Some(Arc::clone(&text));
        Some(text.to_string())
    }
}

/// The updates that bring the page to the session's current moment; empty if it is up to date.
pub fn pieces(sent: &mut Sent, session: &Session) -> Vec<Update> {
    let frame = frame::build(session);
    let configuration = scheduler::document(session);
    let scheduler = (!sent.begun || sent.configuration.as_ref() != configuration).then(|| {
        sent.configuration = configuration.cloned();
        scheduler::frame(session)
    });
    // A comment changes nothing but what can be undone.
    let undo = session.undo_depth();
    if sent.begun && frame == sent.frame && scheduler.is_none() && undo == sent.undo {
        return Vec::new();
    }
    sent.undo = undo;
    let old = &sent.frame;
    let timeline_from = old
        .timeline
        .iter()
        .zip(&frame.timeline)
        .take_while(|(old, new)| old == new)
        .count();
    let nodes = changed(&old.nodes, &frame.nodes, NodeFrame::clone);
    let pods = changed(&old.pods, &frame.pods, |pod| PodFrame {
        // The page shows no other Pod labels.
        labels: owner_labels(pod),
        ..pod.clone()
    });
    let problems = (!sent.begun || old.problems != frame.problems).then(|| frame.problems.clone());
    let first = Patch {
        more: false,
        head: head(session, &frame),
        about: (!sent.begun || old.about != frame.about).then(|| frame.about.clone()),
        nodes: Changed {
            length: frame.nodes.len(),
            items: Vec::new(),
        },
        pods: Changed {
            length: frame.pods.len(),
            items: Vec::new(),
        },
        timeline_from,
        timeline: frame.timeline[timeline_from..].to_vec(),
        problems,
        scheduler,
    };
    sent.frame = frame;
    sent.begun = true;
    let mut updates = split(first, nodes, pods);
    if sent.has_lesson || berth_session::lesson::of(session).is_some() {
        updates.push(lesson::news(session));
        sent.has_lesson = berth_session::lesson::of(session).is_some();
    }
    updates
}

fn head(session: &Session, frame: &Frame) -> Head {
    let (undo, redo) = session.undo_depth();
    Head {
        title: frame.title.clone(),
        position: frame.position,
        log_length: frame.log_length,
        finished: frame.finished,
        digest: frame.digest.clone(),
        seed: session.options().seed,
        undo,
        redo,
        undoes: undo::undoes(session).map(|it| Box::new((*it).clone())),
        redoes: undo::redoes(session).map(|it| Box::new((*it).clone())),
        ended: frame.ended,
        victims: if frame.nodes.len() <= ALL_ROWS {
            frame.victims.clone()
        } else {
            Vec::new()
        },
        queue: lanes_of(&frame.queue, NAMED),
        now_ms: frame.now_ms,
        due: simulated::due(session).cloned(),
        happened: terminal::happened(session, terminal::HAPPENINGS),
        ignored: frame.ignored.clone(),
        fork: frame.fork.clone(),
        inferred: drain::inferred_owners(session).to_vec(),
        cluster_word: match frame.finished {
            true => cluster_word::in_frame(session, frame),
            false => None,
        },
        release: release(session),
    }
}

fn release(session: &Session) -> ReleaseFrame {
    let version = session.manifests().prepared.release.version();
    let other = kubelets::others(session);
    let nearest = other.as_ref().and_then(|other| other.nearest);
    ReleaseFrame {
        minor: version.minor().to_owned(),
        full: version.full().to_owned(),
        chosen: session.options().release.kubernetes.is_some(),
        known: Version::ALL
            .map(|version| KnownRelease {
                minor: version.minor().to_owned(),
                ended: version.ended().map(str::to_owned),
            })
            .into(),
        nearest: nearest.map(|version| version.minor().to_owned()),
        differs: other.map(|other| other.remark),
    }
}

fn changed<T: PartialEq>(old: &[T], new: &[T], copy: fn(&T) -> T) -> Vec<(usize, T)> {
    new.iter()
        .enumerate()
        .filter(|(index, item)| old.get(*index) != Some(item))
        .map(|(index, item)| (index, copy(item)))
        .collect()
}

fn split(
    first: Patch,
    nodes: Vec<(usize, NodeFrame)>,
    pods: Vec<(usize, PodFrame)>,
) -> Vec<Update> {
    let count = nodes
        .len()
        .div_ceil(PIECE)
        .max(pods.len().div_ceil(PIECE))
        .max(1);
    let (mut nodes, mut pods) = (nodes.into_iter(), pods.into_iter());
    (1..=count)
        .map(|number| {
            let mut piece = Patch {
                more: number < count,
                ..first.clone()
            };
            if number > 1 {
                // Only the first piece has these.
                piece.timeline_from += piece.timeline.len();
                piece.timeline.clear();
                piece.problems = None;
                piece.about = None;
                piece.scheduler = None;
            }
            piece.nodes.items = nodes.by_ref().take(PIECE).collect();
            piece.pods.items = pods.by_ref().take(PIECE).collect();
            Update::Patch(Box::new(piece))
        })
        .collect()
}

/// The label that distinguishes the ReplicaSets of a Deployment.
fn owner_labels(pod: &PodFrame) -> BTreeMap<String, String> {
    let hash = pod.labels.get_key_value("pod-template-hash");
    hash.into_iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}
