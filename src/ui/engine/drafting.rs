//! Answers questions about a lesson that is being made, and plays it by the rules.

#![deny(clippy::wildcard_enum_match_arm)]

use std::collections::VecDeque;

use berth_protocol::draft::{Draft, DraftAnswer, DraftQuery};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::rule::Rule;
use berth_session::Session;
use berth_session::lesson::{Lesson, SEEDS, check, draft, propose};

/// A lesson that is being played by the rules, one at a time.
pub struct Playing {
    lesson: Lesson,
    rules: VecDeque<Rule>,
}

/// Answers a query; [`Playing`] if rules are to be played after it.
#[inline(never)]
pub fn answer(session: &Session, query: DraftQuery) -> (Update, Option<Box<Playing>>) {
    let answer = match query {
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
        DraftQuery::Check(draft) => return checked(&draft),
    };
    (Update::Draft(OutOfLine(Box::new(answer))), None)
}

fn checked(draft: &Draft) -> (Update, Option<Box<Playing>>) {
    let (written, lesson) = check(draft);
    let playing = lesson.map(|lesson| {
        let rules = lesson.rules().into();
        Box::new(Playing { lesson, rules })
    });
    (
        Update::Draft(OutOfLine(Box::new(DraftAnswer::Written(written)))),
        playing,
    )
}

impl Playing {
    /// Plays the next rule; `None` after the last.
    #[inline(never)]
    pub fn play_next(&mut self) -> Option<Update> {
        let rule = self.rules.pop_front()?;
        let (broken, release) = self.lesson.broken_on(rule, &SEEDS);
        let played = DraftAnswer::Played {
            rule,
            broken,
            release: release.map(|release| release.minor().to_string()),
            left: self.rules.len(),
        };
        Some(Update::Draft(OutOfLine(Box::new(played))))
    }

    /// Whether all rules were played.
    pub fn is_done(&self) -> bool {
        self.rules.is_empty()
    }
}
