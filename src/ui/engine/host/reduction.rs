//! A reduction to the smallest case, a trial a slice, answered at its end, or where it is stopped.

use super::Host;
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::reduce::{ReducedAttempt, ReducedCase};
use berth_protocol::remark::Remark;
use berth_protocol::work::{Amount, Task, Work};
use berth_session::Session;
use berth_session::reduce::Reduction;

/// An attempt that is reduced.
pub struct Reducing {
    position: usize,
    /// The day of the verification.
    date: String,
    reduction: Reduction,
}

impl Reducing {
    pub fn work(&self) -> Work {
        let reached = self.reduction.progress();
        Work {
            task: Task::Reduce,
            amount: Amount::Trials {
                done: reached.runs,
                left: reached.to,
            },
        }
    }

    /// Ends it with the best case so far.
    pub fn stop(mut self) -> Update {
        self.reduction.stop();
        // What is reached still gets its names.
        while self.reduction.advance(1) {}
        self.end()
    }

    fn end(self) -> Update {
        let reduced = self.reduction.finish(Some(self.date), None);
        update(self.position, reduced.map(|reduced| reduced.shown))
    }
}

impl Host {
    /// Begins to reduce an attempt, or answers why it cannot be reduced.
    pub(super) fn begin_reduction(
        &mut self,
        session: &Session,
        position: usize,
        date: String,
    ) -> Option<Update> {
        match Reduction::begin(session, position) {
            Ok(reduction) => {
                self.reducing = Some(Box::new(Reducing {
                    position,
                    date,
                    reduction,
                }));
                None
            }
            Err(why) => Some(update(position, Err(why))),
        }
    }

    /// Makes one trial of a reduction.
    pub(super) fn reduce(&mut self) -> Vec<Update> {
        let reducing = self.reducing.as_mut();
        let goes_on = reducing.is_some_and(|it| it.reduction.advance(1));
        let ended = self.reducing.take_if(|_| !goes_on);
        ended.map(|it| it.end()).into_iter().collect()
    }
}

fn update(position: usize, case: Result<ReducedCase, Remark>) -> Update {
    Update::Reduced(OutOfLine::new(ReducedAttempt { position, case }))
}
