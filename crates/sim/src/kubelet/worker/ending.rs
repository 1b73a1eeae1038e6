//! How a Pod ends: it completes, is deleted, or is made to fail.

use super::super::container::{Container, Role, State};
use super::super::notes::Notes;
use super::{Stage, Worker};

impl Worker {
    /// Fails the Pod at once, because it is evicted or preempted.
    pub fn fail(
        &mut self,
        reason: &'static str,
        message: String,
        why: String,
        now: i64,
        notes: &mut Notes,
    ) {
        self.failure = Some((reason, message));
        self.disruption = Some(why);
        self.stop_all(now, 0, notes);
    }

    /// Ends a Pod that has exceeded `activeDeadlineSeconds`.
    pub(super) fn exceed_deadline(&mut self, now: i64, notes: &mut Notes) {
        let message = "Pod was active on the node longer than the specified deadline";
        notes.normal("DeadlineExceeded", message);
        self.failure = Some(("DeadlineExceeded", message.to_owned()));
        let grace = self
            .containers
            .first()
            .map_or(0, |container| container.grace_ms);
        self.stop_all(now, grace, notes);
    }

    /// Ends the sidecars when no main container will run any more, or an init container has failed for good.
    pub(super) fn finish(&mut self, now: i64, notes: &mut Notes) -> bool {
        let is_over = |container: &Container| {
            matches!(container.state, State::Ended(_)) && !self.restarts(container)
        };
        let mut mains = self.containers.iter().filter(|own| own.role == Role::Main);
        let all_done = self.initialized && mains.all(is_over);
        let has_failed = self.containers.iter().any(|own| {
            own.role == Role::Init && is_over(own) && own.exit().is_some_and(|exit| exit.code != 0)
        });
        if !all_done && !has_failed {
            return false;
        }
        let grace = self
            .containers
            .first()
            .map_or(0, |container| container.grace_ms);
        self.stop_all(now, grace, notes);
        true
    }

    /// Stops all containers: the main ones at once, then the sidecars one by one in reverse order, all within the
    /// grace period. Once it is over, each remaining sidecar still gets up to two seconds.
    pub fn stop_all(&mut self, now: i64, grace_ms: i64, notes: &mut Notes) {
        self.stage = Stage::Ending;
        let deadline = now.saturating_add(grace_ms);
        let mut last = now;
        for container in &mut self.containers {
            if matches!(container.state, State::Pulling { .. }) {
                container.state = State::Idle;
            }
            if container.role != Role::Sidecar && container.is_running() {
                notes.normal("Killing", format!("Stopping container {}", container.name));
                last = last.max(container.stop(now, grace_ms, notes));
            }
        }
        for container in self.containers.iter_mut().rev() {
            if container.role == Role::Sidecar && container.is_running() {
                notes.normal("Killing", format!("Stopping container {}", container.name));
                let left = deadline.saturating_sub(last);
                let left = if last > now {
                    left.max(2_000.min(grace_ms))
                } else {
                    left
                };
                last = container.stop(last, left, notes);
            }
        }
    }
}
