//! A what-if, played in slices and answered at its end, or where it is stopped.

use super::super::changes::SLICE;
use super::super::patch::Sent;
use super::super::rows;
use super::{Job, Jobs, Kind};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::{Update, WaitReason, WhatIfAnswer};
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Answered, Asking};
use berth_protocol::work::{Amount, Task, Work};
use berth_session::Session;
use berth_session::what_if::{self, Playing};

/// A question that is played.
struct Asked {
    asking: Asking,
    playing: Playing,
}

/// Begins to play a question, or answers why it cannot be played.
pub fn begin(jobs: &mut Jobs, session: &Session, asking: Asking) -> Option<Update> {
    match what_if::ask(session, &asking) {
        Ok(playing) => {
            jobs.begin(Kind::WhatIf, Asked { asking, playing });
            None
        }
        Err(error) => Some(update(WhatIfAnswer {
            asking,
            answer: Err(error.remark()),
            reasons: Vec::new(),
        })),
    }
}

impl Job for Asked {
    fn advance(&mut self, _: &mut Session, _: &mut Sent) -> (Vec<Update>, bool) {
        (Vec::new(), self.playing.advance(SLICE))
    }

    fn work(&self) -> Option<Work> {
        let (done, all) = self.playing.progress().plays;
        let (task, amount) = (Task::WhatIf, Amount::Plays { done, all });
        Some(Work { task, amount })
    }

    fn end(self: Box<Self>) -> Option<Update> {
        let Self { asking, playing } = *self;
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
        Some(update(WhatIfAnswer {
            asking,
            answer: answer.ok_or_else(Remark::stopped_too_early),
            reasons,
        }))
    }
}

fn update(answer: WhatIfAnswer) -> Update {
    Update::Answered(OutOfLine::new(answer))
}
