//! Switches between scheduling alone and a simulated cluster, at any moment of a log.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Pace, Simulated};
use crate::history::{Change, LogEntry, Now};
use crate::{Session, sources};
use berth_scheduler::plugins::registry::registry;
use berth_sim::run::Attempt;

impl Session {
    /// Switches the mode at this moment. A simulated cluster continues the run: an entry of the log in which
    /// placed Pods start on their nodes. Scheduling alone continues from the moment before the cluster was simulated,
    /// with the manifests of this moment; the cluster is dropped.
    pub fn set_simulated(&mut self, simulated: bool) {
        if self.is_simulated() == simulated {
            return;
        }
        self.remember(false);
        self.catch_up(usize::MAX);
        if simulated {
            self.start_cluster();
        } else {
            self.schedule_only();
            self.renew_fork();
        }
    }

    /// Starts this mode from the manifests: no Pod that waits in them has been tried.
    pub fn restart_mode(&mut self) {
        self.remember(false);
        self.state.options.live = self.is_simulated();
        let manifests = Rc::clone(self.history.manifests());
        // The same manifests started before.
        let _ = self.restart(manifests);
    }

    /// The position at which the log before this moment turns from scheduling alone to a simulated cluster.
    pub(crate) fn switched_at(&self) -> Option<usize> {
        let is_simulated =
            self.log()
                .iter()
                .take(self.position())
                .map(|entry| match entry.as_ref() {
                    LogEntry::Edit { now, .. } => Some(matches!(**now, Now::Simulated(_))),
                    LogEntry::Attempt { .. } | LogEntry::Moment { .. } => None,
                });
        let mut was_simulated = self.state.options.live;
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
    pub(crate) fn start_cluster(&mut self) {
        let position = self.position();
        let manifests = Rc::clone(self.history.manifests());
        let made = Simulated::of_rounds(
            self.run(),
            &self.attempts_of_round(),
            &manifests,
            &self.state.options,
            Pace::Living,
        );
        // The same configuration started the run.
        let Ok(mut simulated) = made else { return };
        simulated.steps = position + 1;
        if position < self.log().len() {
            self.keep_first_run(position);
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
        self.history.edit(position, Some(change));
        self.renew_fork();
    }

    /// The attempts since all pending Pods were last queued: at the beginning, or by an edit.
    fn attempts_of_round(&self) -> Vec<&Attempt> {
        let mut attempts: Vec<&Attempt> = self
            .log()
            .iter()
            .take(self.position())
            .rev()
            .map_while(|entry| entry.attempt())
            .collect();
        attempts.reverse();
        attempts
    }

    fn schedule_only(&mut self) {
        let manifests = Rc::clone(self.history.manifests());
        let Some(position) = self.switched_at() else {
            self.state.options.live = false;
            // The same manifests started before.
            let _ = self.restart(manifests);
            return;
        };
        let before = Rc::clone(self.history.manifests_at(position));
        self.history.edit(position, None);
        if before.loaded.files == manifests.loaded.files {
            return;
        }
        let Some(Now::Rounds(run)) = self.history.at(position).map(|now| now.into_owned()) else {
            return;
        };
        let prepared = (&before.prepared, &manifests.prepared);
        let options = sources::run_options(&self.state.options);
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
            self.history.edit(position, Some(change));
        }
    }
}

#[cfg(test)]
mod tests;
