//! Tries where a fork and the first run lead, aside from the run itself.

use super::super::changes::SLICE;
use super::super::patch::{Sent, pieces};
use super::{Job, Jobs, Kind};
use berth_protocol::page::Update;
use berth_protocol::work::{Amount, Task, Work};
use berth_session::{Session, fork};

struct Fork;

/// Begins to try the session's fork, unless it is known where it leads.
pub fn begin(jobs: &mut Jobs, session: &Session) {
    if fork::is_untried(session) {
        jobs.begin(Kind::Fork, Fork);
    }
}

impl Job for Fork {
    fn advance(&mut self, session: &mut Session, sent: &mut Sent) -> (Vec<Update>, bool) {
        if fork::advance(session, SLICE) {
            return (Vec::new(), true);
        }
        (pieces(sent, session), false)
    }

    fn work(&self) -> Option<Work> {
        let (task, amount) = (Task::Fork, Amount::Unknown);
        Some(Work { task, amount })
    }
}
