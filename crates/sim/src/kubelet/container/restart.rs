//! Restarts a terminated container with exponential backoff.

use super::super::notes::Notes;
use super::{Container, NOTICE_MS, State};
use berth_shell::go_duration;

impl Container {
    /// Restarts the container if it is due; the caller checks the restart policy. `true` if something changed.
    pub fn start_again(&mut self, uid: &str, pod: &str, now: i64, notes: &mut Notes) -> bool {
        match &self.state {
            State::Ended(exit) if exit.finished_ms.saturating_add(NOTICE_MS) <= now => {
                let finished = exit.finished_ms;
                if let Some(until) = self.crash.until(finished, now) {
                    let name = &self.name;
                    notes.warning(
                        "BackOff",
                        format!("Back-off restarting failed container {name} in pod {pod}"),
                    );
                    let wait = go_duration(self.crash.wait_ms());
                    let message =
                        format!("back-off {wait} restarting failed container={name} pod={pod}");
                    self.hold("CrashLoopBackOff", message, until);
                } else {
                    self.crash.next(finished, now);
                    self.begin(uid, now, notes);
                }
                true
            }
            State::Held { reason, until, .. } if *until <= now => {
                match *reason {
                    "CrashLoopBackOff" => {
                        let finished = self.last.as_ref().map_or(now, |exit| exit.finished_ms);
                        self.crash.next(finished, now);
                        self.begin(uid, now, notes);
                    }
                    "ErrImagePull" => self.back_off_pulling(now, notes),
                    _ => self.begin(uid, now, notes),
                }
                true
            }
            _ => false,
        }
    }
}
