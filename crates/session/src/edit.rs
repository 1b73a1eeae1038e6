//! Edits of the manifests by fixes and gestures, and previews of their changes.

use std::collections::BTreeSet;

use super::delivery::Delivery;
use super::gesture;
use crate::session::Session;
use crate::{drain, sources, trial, undo};
use berth_core::api::edit;
use berth_core::api::load::Loaded;
use berth_core::api::source::SourceFile;
use berth_kubectl::Output;
use berth_protocol::edit::{Change, Edit, EditError};
use berth_protocol::frame::ForkChange;
use berth_protocol::gesture::Gesture;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;

/// Name of the file that the first gesture of an empty session writes.
const FIRST_FILE: &str = "manifests.yaml";

/// What a gesture did.
#[derive(Debug)]
pub enum Performed {
    /// It changed the sources.
    Edited(Vec<Change>),
    /// It began a line of the terminal, with this output so far; [`crate::simulated::wait_on`] continues it.
    Begun { line: String, output: Output },
}

/// The changes of the sources that the edits would make. Nothing is applied.
///
/// # Errors
/// As [`edit::apply`].
pub fn changes(session: &Session, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
    Ok(edit::apply(&editable(session), &written(session, edits))?.changes)
}

/// The changes of the sources that a gesture would make. Nothing is applied.
///
/// # Errors
/// As [`gesture::edits`] and [`gesture::checked`].
pub fn gesture_changes(session: &Session, gesture: &Gesture) -> Result<Vec<Change>, EditError> {
    let loaded = editable(session);
    let edits = gesture::edits(&loaded, &session.manifests().prepared.release, gesture)?;
    Ok(gesture::checked(&loaded, &written(session, &edits))?.changes)
}

/// Edits the sources, and applies them as [`Session::edit`] does.
///
/// # Errors
/// As [`edit::apply`]; also if the edited sources are rejected, or the API server of a simulated cluster refuses an
/// object. The session stays unchanged in all these cases.
pub fn make(session: &mut Session, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
    sources_can_be_read(session)?;
    let edited = edit::apply(&editable(session), &written(session, edits))?;
    apply_edits(session, edited.loaded, edits)?;
    Ok(edited.changes)
}

/// The same at an earlier moment. If that begins a fork, the way back leads to the present moment.
///
/// # Errors
/// As [`crate::edit::make`].
pub fn make_at(session: &mut Session, at: usize, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
    let (shown, is_fork) = (session.position(), session.state.fork.is_some());
    session.seek(at);
    let made = make(session, edits)?;
    if let (false, Some(fork)) = (is_fork, &mut session.state.fork) {
        fork.left_at(shown);
    }
    Ok(made)
}

/// The objects that [`crate::edit::make`] would produce, with the text of the files as it is: the objects alone
/// decide what is scheduled, and [`edit::apply`] checks the text against them.
///
/// # Errors
/// As [`edit::on_objects`]; also if the current text was not accepted.
pub(super) fn objects_after(session: &Session, edits: &[Edit]) -> Result<Loaded, EditError> {
    sources_can_be_read(session)?;
    edit::on_objects(&editable(session), &written(session, edits))
}

/// Performs a gesture: edits the sources, and applies them as [`Session::edit`] does. In a simulated cluster a drain
/// begins `kubectl drain` instead.
///
/// # Errors
/// As [`crate::edit::gesture_changes`] and [`crate::edit::make`].
pub fn perform(session: &mut Session, gesture: &Gesture) -> Result<Performed, EditError> {
    if let Gesture::Drain { node } = gesture {
        return drain::begin(session, node);
    }
    if session.is_simulated() && matches!(gesture, Gesture::RenameNode { .. }) {
        return Err(EditError::new(
            Remark::node_keeps_name(),
            Remark::add_another_node(),
        ));
    }
    sources_can_be_read(session)?;
    let loaded = editable(session);
    let edits = gesture::edits(&loaded, &session.manifests().prepared.release, gesture)?;
    let edited = gesture::checked(&loaded, &written(session, &edits))?;
    let delivery = delivery_of(session, &edits);
    let delivery = Delivery {
        asked: trial::asked_by(session, gesture, &edits).or(delivery.asked),
        ..delivery
    };
    deliver(session, edited.loaded, delivery)?;
    Ok(Performed::Edited(edited.changes))
}

/// Fails if the current text was not accepted: an edit starts from the last accepted sources, so that text would be
/// lost.
pub(super) fn sources_can_be_read(session: &Session) -> Result<(), EditError> {
    if session.sources_accepted() {
        return Ok(());
    }
    Err(EditError::new(
        Remark::unreadable_manifests(),
        Remark::mend_manifests(),
    ))
}

/// The sources, with a first file if there is none.
pub(super) fn editable(session: &Session) -> Loaded {
    let mut loaded = session.manifests().loaded.clone();
    if loaded.files.is_empty() {
        loaded.files.push(SourceFile::new(FIRST_FILE, ""));
    }
    loaded
}

/// Applies manifests that edits have changed. The session stays unchanged on an error.
pub(super) fn apply_edits(
    session: &mut Session,
    loaded: Loaded,
    edits: &[Edit],
) -> Result<(), EditError> {
    deliver(session, loaded, delivery_of(session, edits))
}

/// The same, with this delivery.
pub(super) fn deliver(
    session: &mut Session,
    loaded: Loaded,
    mut delivery: Delivery<'_>,
) -> Result<(), EditError> {
    try_deliver(session, loaded, &mut delivery)
}

/// The same; the delivery then has the API server's refusals.
pub(super) fn try_deliver(
    session: &mut Session,
    loaded: Loaded,
    delivery: &mut Delivery<'_>,
) -> Result<(), EditError> {
    let before = session.state.problems.clone();
    let is_taken = sources::edit_loaded(session, loaded, delivery);
    let error = match delivery.refused.first() {
        None if is_taken => return Ok(()),
        Some((_, refused)) => EditError::new(Remark::quoted(refused), Remark::default()),
        None => new_error(session, &before),
    };
    undo::forget_edit(session);
    Err(error)
}

/// The placed Pod that an edit deletes although a controller that the manifests lack makes it again; where Pods are
/// only scheduled, it waits again.
fn made_again(session: &Session, edit: &Edit) -> Option<String> {
    let Edit::Delete { object } = edit else {
        return None;
    };
    if object.kind != "Pod" || session.is_simulated() {
        return None;
    }
    let namespace = object.namespace_or_default();
    let pod = &session
        .run()
        .cluster()
        .pods()
        .find(namespace, &object.name)?
        .object;
    let owner = pod.template.controller.as_ref()?;
    let is_inferred = drain::inferred_owners(session)
        .iter()
        .any(|it| it.kind == owner.kind && it.name == owner.name && it.namespace == namespace);
    (is_inferred && pod.node_name.is_some() && pod.is_replaced()).then(|| pod.key())
}

/// The edits that change the manifests.
fn written(session: &Session, edits: &[Edit]) -> Vec<Edit> {
    let written = edits
        .iter()
        .filter(|edit| made_again(session, edit).is_none());
    written.cloned().collect()
}

/// How edits are delivered: see [`crate::edit::made_again`].
pub(super) fn delivery_of<'e>(session: &Session, edits: &'e [Edit]) -> Delivery<'e> {
    let evicted: BTreeSet<String> = edits
        .iter()
        .filter_map(|edit| made_again(session, edit))
        .collect();
    let asked = match edits {
        [Edit::Delete { object }] if !evicted.is_empty() => Some(ForkChange::Deleted {
            object: object.clone(),
        }),
        _ => None,
    };
    Delivery {
        evicted,
        asked,
        ..Delivery::of(edits)
    }
}

/// The first error that is not among the problems from before.
fn new_error(session: &Session, before: &[Problem]) -> EditError {
    let is_new = |problem: &&Problem| {
        let same = |old: &Problem| old.path == problem.path && old.message == problem.message;
        problem.is_error() && !before.iter().any(same)
    };
    let first = session.state.problems.iter().find(is_new);
    first.map_or_else(
        || EditError::new(Remark::manifests_not_accepted(), Remark::default()),
        |problem| EditError::new(problem.message.clone(), problem.help.clone()),
    )
}

#[cfg(test)]
mod tests;
