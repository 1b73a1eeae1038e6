//! The explanation that the page shows.

use std::rc::Rc;

use super::super::rows;
use super::Host;
use berth_protocol::command::Subject;
use berth_protocol::cycle::Cycle;
use berth_protocol::page::{ALL_ROWS, Explained, Rows, Update};
use berth_protocol::remark::Remark;
use berth_session::{LogEntry, Session, explain};

/// An explanation, valid as long as the log contains this very entry: what led to it cannot change.
pub(super) struct LastExplained {
    entry: Rc<LogEntry>,
    result: Result<Cycle, Remark>,
}

impl Host {
    pub(super) fn explained(&mut self, session: &Session) -> Update {
        let position = match &self.query.subject {
            Subject::Latest => session
                .attempts()
                .rev()
                .map(|(position, _)| position)
                .find(|position| *position < session.position()),
            Subject::Pod(pod) => session.attempt_of(pod),
            Subject::Attempt(position) => Some(*position),
        };
        let Some(position) = position else {
            return Update::Unexplained;
        };
        let (result, rows) = match self.explain(session, position) {
            Ok(mut cycle) => {
                let rows = rows::choose(&mut cycle, &self.query, ALL_ROWS);
                (Ok(cycle), rows)
            }
            Err(message) => (Err(message), Rows::default()),
        };
        let made = position < session.log().len();
        Update::Explained(Box::new(Explained {
            position,
            made,
            at_ms: session.time_of(position),
            result,
            rows,
        }))
    }

    /// Explains an attempt; the last one explained is remembered, for most commands make no attempt.
    fn explain(&mut self, session: &Session, position: usize) -> Result<Cycle, Remark> {
        let entry = session.log().get(position);
        if let (Some(last), Some(entry)) = (&self.last_explained, entry)
            && Rc::ptr_eq(&last.entry, entry)
        {
            return last.result.clone();
        }
        let result = explain::attempt(session, position);
        self.last_explained = entry.map(|entry| LastExplained {
            entry: Rc::clone(entry),
            result: result.clone(),
        });
        result
    }
}
