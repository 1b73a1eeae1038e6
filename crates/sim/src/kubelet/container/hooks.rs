//! The `postStart` hook: until it has ended, the container counts as being created; if it fails, the container is
//! killed (`startContainer` in `pkg/kubelet/kuberuntime`, v1.34).

use super::super::notes::Notes;
use super::{Container, Hook, State};

impl Container {
    /// Whether its `postStart` hook runs.
    pub fn is_hooked(&self) -> bool {
        matches!(&self.state, State::Running(running) if running.hook_ends.is_some())
    }

    /// Whether the kubelet starts no other container before its hook has ended.
    pub fn holds_up_others(&self) -> bool {
        let is_pulling = matches!(self.state, State::Pulling { .. });
        self.is_hooked() || is_pulling && self.post_start != Hook::default()
    }

    /// Starts the hook, right after the process.
    pub(super) fn begin_hook(&mut self, now: i64) {
        self.started = false;
        self.ready = false;
        for probe in &mut self.probes {
            probe.disarm();
        }
        self.set_end(now, now);
        if let State::Running(running) = &mut self.state {
            running.hook_ends = Some(now.saturating_add(self.post_start.takes_ms));
        }
    }

    /// Ends the hook: the container is probed from now on, or stopped if the hook failed. `restarts`: see
    /// [`Container::tick`].
    pub(super) fn end_hook(&mut self, now: i64, restarts: bool, notes: &mut Notes) {
        let State::Running(running) = &mut self.state else {
            return;
        };
        running.hook_ends = None;
        let since = running.since;
        if !self.post_start.fails {
            self.arm(since, now);
            return;
        }
        notes.warning("FailedPostStartHook", "PostStartHook failed");
        notes.normal("Killing", "FailedPostStartHook");
        self.restart_anyway = restarts;
        self.stop(now, self.grace_ms, notes);
    }
}
