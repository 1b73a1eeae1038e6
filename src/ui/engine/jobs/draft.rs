//! Answers questions about a lesson that is being made, and plays it by the rules, one a slice.

use std::collections::VecDeque;

use super::super::patch::Sent;
use super::{Job, Jobs, Kind};
use berth_protocol::draft::{DraftAnswer, DraftQuery};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::rule::Rule;
use berth_session::Session;
use berth_session::lesson::{Lesson, SEEDS, check, draft, propose};

/// A lesson that is being played by the rules.
struct Playing {
    lesson: Lesson,
    rules: VecDeque<Rule>,
}

/// Answers a query, and begins to play the lesson if it is to be checked.
#[inline(never)]
pub fn answer(jobs: &mut Jobs, session: &Session, query: DraftQuery) -> Update {
    update(match query {
        DraftQuery::Start => DraftAnswer::Start(draft::lesson_start(session)),
        DraftQuery::Steps(start) => DraftAnswer::Steps(draft::steps_since(session, &start)),
        DraftQuery::Propose {
            draft,
            steps,
            wrong,
        } => DraftAnswer::Proposed {
            proposals: propose(&draft, &steps, wrong),
            steps,
            wrong,
        },
        DraftQuery::Check(draft) => {
            let (written, lesson) = check(&draft);
            if let Some(lesson) = lesson {
                let rules = lesson.rules().into();
                jobs.begin(Kind::Draft, Playing { lesson, rules });
            }
            DraftAnswer::Written(written)
        }
    })
}

impl Job for Playing {
    fn advance(&mut self, _: &mut Session, _: &mut Sent) -> (Vec<Update>, bool) {
        let Some(rule) = self.rules.pop_front() else {
            return (Vec::new(), false);
        };
        let (broken, release) = self.lesson.broken_on(rule, &SEEDS);
        let left = self.rules.len();
        let played = update(DraftAnswer::Played {
            rule,
            broken,
            release: release.map(|release| release.minor().to_string()),
            left,
        });
        (vec![played], left > 0)
    }
}

fn update(answer: DraftAnswer) -> Update {
    Update::Draft(OutOfLine(Box::new(answer)))
}
