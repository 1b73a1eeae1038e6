//! What the scheduler weighed in one attempt: the same `schedule` again, from the state before it, with a `Recorder`.

use berth_protocol::cycle::{Code, Cycle};
use berth_protocol::remark::Remark;
use berth_sim::snapshot::Snapshot;

use super::session::Session;
use super::{meant, unbound};

/// Skips edits, makes one attempt and explains it; `None` at the end of the run.
///
/// # Errors
/// If the record disagrees with what was decided (a defect of Berth).
pub fn step(session: &mut Session) -> Result<Option<Cycle>, Remark> {
    while matches!(session.log().get(session.position()), Some(entry) if entry.attempt().is_none())
    {
        session.step();
    }
    while session.is_simulated() && session.run().next_pod().is_none() && session.step() {}
    let position = session.position();
    if session.run().next_pod().is_none() {
        return Ok(None);
    }
    let cycle = attempt(session, position)?;
    session.step();
    // The record was made before the decision: compare them.
    match session.attempt(position) {
        Some(attempt) if attempt.agrees_with(&cycle) => Ok(Some(cycle)),
        _ => Err(Remark::disagrees(position, &cycle.pod)),
    }
}

/// Explains the attempt at a position of the log in full. At the end of the log, it explains the next attempt
/// before it is made.
///
/// # Errors
/// If there is no such attempt, or the record disagrees with the log (a defect of Berth).
pub fn attempt(session: &Session, position: usize) -> Result<Cycle, Remark> {
    at(session, position, None)
}

/// The same, with the facts of the plugins whose filters this node passes.
///
/// # Errors
/// As [`crate::explain::attempt`].
pub fn with_node(session: &Session, position: usize, node: &str) -> Result<Cycle, Remark> {
    at(session, position, Some(node))
}

fn at(session: &Session, position: usize, detailed: Option<&str>) -> Result<Cycle, Remark> {
    if matches!(session.log().get(position), Some(entry) if entry.attempt().is_none()) {
        return Err(Remark::not_an_attempt(position));
    }
    let then = session.history.at(position);
    let cycle = then.and_then(|then| explained_next(then.snapshot(), detailed));
    let cycle = cycle.ok_or_else(|| Remark::no_attempt(position))?;
    match session.attempt(position) {
        Some(attempt) if !attempt.agrees_with(&cycle) => {
            Err(Remark::disagrees(position, &attempt.key))
        }
        _ => Ok(cycle),
    }
}

/// The next attempt in full, with the nodes that the Pod was meant for, and the claim that keeps it from all.
pub(crate) fn explained_next(snapshot: &Snapshot, detailed: Option<&str>) -> Option<Cycle> {
    let mut cycle = snapshot.explain_next_at(detailed)?;
    cycle.meant = meant::of(&cycle, snapshot.cluster()).map(Box::new);
    if cycle.pre_filter.code != Code::Success {
        cycle.claims = unbound::of(snapshot.next_pod()?, snapshot.cluster()).map(Box::new);
    }
    Some(cycle)
}
