//! Runs a container's probes and applies their results.

use super::super::notes::Notes;
use super::super::probes::Question;
use super::{Container, State};

impl Container {
    /// Runs all probes that are due. `false` if there was none.
    pub(super) fn ask_probes(&mut self, now: i64, restarts: bool, notes: &mut Notes) -> bool {
        let State::Running(running) = &self.state else {
            return false;
        };
        let since = running.since;
        let mut asked = false;
        for index in 0..self.probes.len() {
            let Some(probe) = self.probes.get_mut(index) else {
                continue;
            };
            let question = probe.question;
            let seen = match question {
                Question::Startup => &self.behavior.startup,
                Question::Liveness => &self.behavior.liveness,
                Question::Readiness => &self.behavior.readiness,
            };
            let Some(answer) = probe.ask(since, now, seen) else {
                continue;
            };
            let grace = probe.grace_seconds;
            asked = true;
            if let Some(failure) = answer.failure {
                notes.warning("Unhealthy", failure);
            }
            match (question, answer.verdict) {
                (Question::Readiness, Some(verdict)) => self.ready = verdict,
                (Question::Startup, Some(true)) => self.has_started(since, now),
                (Question::Startup | Question::Liveness, Some(false)) => {
                    self.restart_anyway = restarts;
                    let then = if restarts { ", will be restarted" } else { "" };
                    let title = question.title().to_lowercase();
                    notes.normal(
                        "Killing",
                        format!("Container {} failed {title} probe{then}", self.name),
                    );
                    self.pending_grace(grace, now, notes);
                    return true;
                }
                _ => {}
            }
        }
        asked
    }

    /// Stops the process after a failed probe, with the probe's own grace period if it has one, else the Pod's.
    fn pending_grace(&mut self, own_seconds: Option<i64>, now: i64, notes: &mut Notes) {
        let own = own_seconds.map(|seconds| seconds.max(1).saturating_mul(1_000));
        self.stop(now, own.unwrap_or(self.grace_ms), notes);
    }

    fn has_started(&mut self, since: i64, now: i64) {
        self.started = true;
        let has_readiness = self
            .probes
            .iter()
            .any(|probe| probe.question == Question::Readiness);
        self.ready = !has_readiness;
        for probe in &mut self.probes {
            match probe.question {
                Question::Startup => probe.disarm(),
                _ => probe.arm(since, now),
            }
        }
    }
}
