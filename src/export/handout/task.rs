//! The learner's page: what is wrong, the cluster, the task, and room to write.

use super::html::{blocks, escaped, inline};
use super::{about, way};
use crate::export::svg;
use crate::scene::moment::{Moment, Shown};
use crate::scene::progress::Revealed;
use crate::scene::view::View;
use crate::words;
use crate::words::language;
use berth_protocol::lesson::{Handout, QuestionFrame};

/// Lines to write on: more than a page has room for.
const LINES: usize = 24;

/// The page; `page`: where the lesson opens.
pub fn page(handout: &Handout, page: &str) -> String {
    let lesson = &handout.end;
    let goals = lesson
        .goals
        .iter()
        .map(|goal| format!("<li>{}</li>", inline(&words::remark(&goal.words))));
    let questions: String = lesson.questions.iter().map(question).collect();
    format!(
        "<section class=\"sheet\" id=\"{}\">\n<header><p>{}</p><p class=\"name\">{}</p></header>\n<h1>{}</h1>\n\
         <div class=\"text\">\n{}</div>\n<figure>{}</figure>\n\
         <div class=\"task\"><h2>{}</h2>\n{}<ul class=\"goals\">{}</ul>{}</div>\n{questions}\
         <div class=\"notes\"><h2>{}</h2><div class=\"lines\">{}</div></div>\n{}</section>\n",
        escaped(&lesson.slug),
        escaped(&about(handout)),
        words::HANDOUT_NAME,
        escaped(&lesson.title),
        blocks(&lesson.description),
        picture(handout),
        words::HANDOUT_TASK,
        blocks(&lesson.task),
        goals.collect::<String>(),
        locked(handout),
        words::HANDOUT_NOTES,
        "<i></i>".repeat(LINES),
        way(page, &lesson.slug),
    )
}

/// The cluster at the start, as learners meet it: no attempt is explained.
fn picture(handout: &Handout) -> String {
    let mut view = View::of(handout.start.clone(), &handout.kubernetes);
    view.head.title.clone_from(&handout.end.title);
    let shown = Shown {
        explained: None,
        revealed: Revealed::all(),
        is_stepping: false,
        chosen: None,
        placed: None,
        group_by: view.domain_key(),
    };
    svg::figure(&Moment::new(&view, shown))
}

fn locked(handout: &Handout) -> String {
    let locks = handout.end.locked.iter();
    let locks: Vec<String> = locks
        .map(|lock| format!("<code>{}</code>", escaped(lock)))
        .collect();
    match locks.is_empty() {
        true => String::new(),
        false => format!(
            "<p class=\"locked\">{}{}{}</p>",
            words::LOCKED,
            language::space(),
            locks.join(language::comma())
        ),
    }
}

/// A question, with a line for the answer and one for the reason.
fn question(question: &QuestionFrame) -> String {
    format!(
        "<div class=\"predict\"><p>{}</p><p class=\"answer\"></p><p>{}</p><p class=\"answer answer--long\"></p></div>\n",
        escaped(&words::asked(question)),
        words::HANDOUT_WHY,
    )
}
