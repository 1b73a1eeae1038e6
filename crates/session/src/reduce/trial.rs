//! A trial: plays a draft in a session of its own, and asks whether the case is still in it.

use std::sync::Arc;

use berth_core::api::source::SourceFile;
use berth_protocol::cycle::Cycle;
use berth_protocol::fix::{Change, Fix};
use berth_protocol::reduce::ToldAttempt;
use serde_json::Value;

use crate::session::{Options, Session};
use crate::{explain, fixes, frame};

/// Maximum number of entries of the log that a trial plays.
const MAX_ENTRIES: usize = 2_000;

/// A draft that was played to its end.
pub(super) struct Trial {
    session: Session,
    /// The position of the attempt in its log.
    pub position: usize,
    /// The last attempt of the Pod.
    pub cycle: Cycle,
}

/// Plays documents; `None` if they have errors, or the Pod (`namespace/name`) is never tried.
pub(super) fn play(documents: &[Value], options: &Options, pod: &str) -> Option<Trial> {
    let mut text = String::new();
    for document in documents {
        text.push_str(&document.to_string());
        text.push_str("\n---\n");
    }
    play_text(text, options, pod)
}

/// The same for a file.
pub(super) fn play_text(text: String, options: &Options, pod: &str) -> Option<Trial> {
    let mut session = Session::new(options.clone());
    let file = SourceFile::new("case.yaml", Arc::<str>::from(text));
    if !session.apply(&[file]) || session.has_errors() {
        return None;
    }
    session.advance(MAX_ENTRIES);
    let position = session.attempt_of(pod)?;
    let cycle = explain::attempt(&session, position).ok()?;
    Some(Trial {
        session,
        position,
        cycle,
    })
}

impl Trial {
    /// The attempt, as faces show it.
    pub fn told(self) -> ToldAttempt {
        ToldAttempt {
            frame: frame::build(&self.session),
            position: self.position,
            cycle: self.cycle,
        }
    }

    /// A verified fix of the attempt that is alike.
    pub fn fix(&self, is_alike: impl Fn(&Change) -> bool) -> Option<Fix> {
        let candidates = fixes::candidates(&self.session, self.position).ok()?;
        let mut alike = candidates.iter().filter(|it| is_alike(&it.what));
        alike.find_map(|it| fixes::verify(&self.session, self.position, it))
    }
}

/// Whether two changes are the same although the objects around them were reduced: workloads and templates are gone, and a
/// new node copies another one.
pub(super) fn is_same(a: &Change, b: &Change) -> bool {
    let may_differ = matches!(
        a,
        Change::AddNode { .. }
            | Change::RemoveTermOf { .. }
            | Change::RemoveDeviceSelector { .. }
            | Change::LowerDeviceCount { .. }
            | Change::TakeAllDevices { .. }
    );
    match (a, b) {
        (Change::ScaleDown { pod: a, .. }, Change::DeletePod { pod: b, .. }) => a == b,
        _ if may_differ => a.kind() == b.kind(),
        _ => a == b,
    }
}

/// The kind that a change has once workloads are gone.
pub(super) fn kind_alone(change: &Change) -> &'static str {
    match change {
        Change::ScaleDown { .. } => "deletePod",
        other => other.kind(),
    }
}
