//! Switches between scheduling alone and a simulated cluster, at any moment of a log.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Pace, Simulated};
use crate::history::{Change, LogEntry, Now};
use crate::session::Session;
use crate::{fork, sources, undo};
use berth_scheduler::plugins::registry::registry;
use berth_sim::run::Attempt;

/// Switches the mode at this moment. A simulated cluster continues the run: an entry of the log in which
/// placed Pods start on their nodes. Scheduling alone continues from the moment before the cluster was simulated,
/// with the manifests of this moment; the cluster is dropped.
pub fn set_simulated(session: &mut Session, simulated: bool) {
    if session.is_simulated() == simulated {
        return;
    }
    undo::remember(session, false);
    session.catch_up(usize::MAX);
    if simulated {
        start_cluster(session);
    } else {
        schedule_only(session);
        fork::renew(session);
    }
}

/// Starts this mode from the manifests: no Pod that waits in them has been tried.
pub fn restart_mode(session: &mut Session) {
    undo::remember(session, false);
    session.state.options.live = session.is_simulated();
    let manifests = Rc::clone(session.history.manifests());
    // The same manifests started before.
    let _ = sources::restart(session, manifests);
}

/// The position at which the log before this moment turns from scheduling alone to a simulated cluster.
pub(crate) fn switched_at(session: &Session) -> Option<usize> {
    let is_simulated =
        session
            .log()
            .iter()
            .take(session.position())
            .map(|entry| match entry.as_ref() {
                LogEntry::Edit { now, .. } => Some(matches!(**now, Now::Simulated(_))),
                LogEntry::Attempt { .. } | LogEntry::Moment { .. } => None,
            });
    let mut was_simulated = session.state.options.live;
    let mut switched = None;
    for (position, is_simulated) in is_simulated.enumerate() {
        let Some(is_simulated) = is_simulated else {
            continue;
        };
        if is_simulated && !was_simulated {
            switched = Some(position);
        }
        was_simulated = is_simulated;
    }
    switched.filter(|_| was_simulated)
}

/// Simulates the cluster from this moment on.
pub(crate) fn start_cluster(session: &mut Session) {
    let position = session.position();
    let manifests = Rc::clone(session.history.manifests());
    let made = Simulated::of_rounds(
        session.run(),
        &attempts_of_round(session),
        &manifests,
        &session.state.options,
        Pace::Living,
    );
    // The same configuration started the run.
    let Ok(mut simulated) = made else { return };
    simulated.steps = position + 1;
    if position < session.log().len() {
        fork::keep_first_run(session, position);
    }
    let change = Change {
        now: Now::Simulated(Box::new(simulated)),
        manifests,
        happened: Vec::new(),
        stays: true,
        asked: None,
        only: None,
        by_hand: false,
    };
    session.history.edit(position, Some(change));
    fork::renew(session);
}

/// The attempts since all pending Pods were last queued: at the beginning, or by an edit.
fn attempts_of_round(session: &Session) -> Vec<&Attempt> {
    let mut attempts: Vec<&Attempt> = session
        .log()
        .iter()
        .take(session.position())
        .rev()
        .map_while(|entry| entry.attempt())
        .collect();
    attempts.reverse();
    attempts
}

fn schedule_only(session: &mut Session) {
    let manifests = Rc::clone(session.history.manifests());
    let Some(position) = switched_at(session) else {
        session.state.options.live = false;
        // The same manifests started before.
        let _ = sources::restart(session, manifests);
        return;
    };
    let before = Rc::clone(session.history.manifests_at(position));
    session.history.edit(position, None);
    if before.loaded.files == manifests.loaded.files {
        return;
    }
    let Some(Now::Rounds(run)) = session.history.at(position).map(|now| now.into_owned()) else {
        return;
    };
    let prepared = (&before.prepared, &manifests.prepared);
    let options = sources::run_options(&session.state.options);
    // A different configuration would have restarted the run.
    if let Ok(run) = run.continued(prepared, &BTreeSet::new(), &registry(), options) {
        let change = Change {
            now: Now::Rounds(Box::new(run)),
            manifests,
            happened: Vec::new(),
            stays: false,
            asked: None,
            only: None,
            by_hand: false,
        };
        session.history.edit(position, Some(change));
    }
}

#[cfg(test)]
mod tests;
