//! A what-if, played in slices and answered at its end, or where it is stopped.

use super::super::rows;
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::{Update, WaitReason, WhatIfAnswer};
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Answered, Asking};
use berth_protocol::work::{Amount, Task, Work};
use berth_session::Session;
use berth_session::what_if::{self, Playing};

/// A question that is played.
pub struct Asked {
    asking: Asking,
    playing: Playing,
}

impl Asked {
    /// Begins to play a question, or returns why it cannot be played.
    pub fn new(session: &Session, asking: Asking) -> Result<Self, Box<Update>> {
        match what_if::ask(session, &asking) {
            Ok(playing) => Ok(Self { asking, playing }),
            Err(error) => Err(Box::new(update(WhatIfAnswer {
                asking,
                answer: Err(error.remark()),
                reasons: Vec::new(),
            }))),
        }
    }

    /// Makes up to `limit` attempts; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        self.playing.advance(limit)
    }

    pub fn work(&self) -> Work {
        let (done, all) = self.playing.played().plays;
        Work {
            task: Task::WhatIf,
            amount: Amount::Plays { done, all },
        }
    }

    /// The answer from what has been played.
    pub fn end(self) -> Update {
        let Self { asking, playing } = self;
        let answer = playing.answer();
        let workloads = answer.as_ref().map(Answered::listed);
        let reasons = workloads.into_iter().flatten().filter_map(|workload| {
            let cycle = playing.explain(workload)?;
            let message = cycle.message.clone().unwrap_or_default();
            let (early, rows) = rows::against(cycle);
            Some(WaitReason {
                workload: workload.clone(),
                message,
                early,
                rows,
            })
        });
        let reasons = reasons.collect();
        update(WhatIfAnswer {
            asking,
            answer: answer.ok_or_else(Remark::stopped_too_early),
            reasons,
        })
    }
}

fn update(answer: WhatIfAnswer) -> Update {
    Update::Answered(OutOfLine::new(answer))
}
