//! A reduction to the smallest case, a trial a slice, answered at its end, or where it is stopped.

use super::super::patch::Sent;
use super::{Job, Jobs, Kind};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::reduce::{ReducedAttempt, ReducedCase};
use berth_protocol::remark::Remark;
use berth_protocol::work::{Amount, Task, Work};
use berth_session::Session;
use berth_session::reduce::Reduction;

/// An attempt that is reduced.
struct Reducing {
    position: usize,
    /// The day of the verification.
    date: String,
    reduction: Reduction,
}

/// Begins to reduce an attempt, or answers why it cannot be reduced.
pub fn begin(jobs: &mut Jobs, session: &Session, position: usize, date: String) -> Option<Update> {
    match Reduction::begin(session, position) {
        Ok(reduction) => {
            jobs.begin(
                Kind::Reduction,
                Reducing {
                    position,
                    date,
                    reduction,
                },
            );
            None
        }
        Err(why) => Some(update(position, Err(why))),
    }
}

impl Job for Reducing {
    fn advance(&mut self, _: &mut Session, _: &mut Sent) -> (Vec<Update>, bool) {
        (Vec::new(), self.reduction.advance(1))
    }

    fn work(&self) -> Option<Work> {
        let reached = self.reduction.progress();
        let (done, left) = (reached.runs, reached.to);
        let (task, amount) = (Task::Reduce, Amount::Trials { done, left });
        Some(Work { task, amount })
    }

    fn end(mut self: Box<Self>) -> Option<Update> {
        self.reduction.stop();
        // What is reached still gets its names.
        while self.reduction.advance(1) {}
        let reduced = self.reduction.finish(Some(self.date), None);
        Some(update(self.position, reduced.map(|reduced| reduced.shown)))
    }
}

fn update(position: usize, case: Result<ReducedCase, Remark>) -> Update {
    Update::Reduced(OutOfLine::new(ReducedAttempt { position, case }))
}
