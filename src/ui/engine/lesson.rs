//! Plays lessons in the session.

#![deny(clippy::wildcard_enum_match_arm)]

use std::rc::Rc;

use super::{FILE_NAME, refused};
use berth_protocol::lesson::LessonInput;
use berth_protocol::page::Update;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;
use berth_session::lesson::{self, Lesson, draft};
use berth_session::{Session, SourceFile};

/// Handles input to a lesson; returns a refusal.
#[inline(never)]
pub fn handle(session: &mut Session, input: LessonInput) -> Option<Update> {
    let taken = match input {
        LessonInput::Begin {
            slug,
            text,
            translation,
        } => begin(session, slug, text, translation),
        LessonInput::Start(start) => draft::begin_start(session, &start),
        LessonInput::Step { number } => lesson::perform_solution_step(session, number).map(drop),
        LessonInput::Settle => {
            lesson::settle(session);
            Ok(())
        }
    };
    taken.err().map(refused)
}

/// What a list says of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub title: String,
    /// The title in other languages, by their tags.
    pub translated: Vec<(String, String)>,
    pub minutes: u32,
    pub exam: Vec<String>,
}

/// Reads what a list says of a lesson.
///
/// # Errors
/// The first problem of the file, if it is not a playable lesson: its line and its message.
pub fn summary(
    name: &str,
    text: &str,
    translations: &[(String, String)],
) -> Result<Summary, (u32, Remark)> {
    let read = Lesson::read(&SourceFile::new(name, text));
    let lesson = read.map_err(|problems| {
        let mut problems = problems.into_iter();
        let first = problems.find(Problem::is_error);
        first.map_or_else(Default::default, |problem| (problem.line, problem.message))
    })?;
    let title = |lesson: &Lesson| lesson.scenario.title.clone().unwrap_or_default();
    let minutes = lesson.scenario.minutes.unwrap_or_default();
    let mut summary = Summary {
        title: title(&lesson),
        translated: Vec::new(),
        minutes: minutes.try_into().unwrap_or_default(),
        exam: lesson.scenario.exam.clone().unwrap_or_default(),
    };
    for (tag, texts) in translations {
        let mut lesson = lesson.clone();
        lesson.translate(&SourceFile::new(name, texts.as_str()));
        summary.translated.push((tag.clone(), title(&lesson)));
    }
    Ok(summary)
}

fn begin(
    session: &mut Session,
    slug: String,
    text: String,
    translation: Option<String>,
) -> Result<(), Remark> {
    lesson::begin(session, &Rc::new(read(slug, text, translation)?))
}

/// A lesson on paper. It is played in a session of its own.
#[inline(never)]
pub fn handout(slug: String, text: String, translation: Option<String>) -> Update {
    let lesson = read(slug, text, translation);
    let made = lesson.and_then(|lesson| lesson::handout(&Rc::new(lesson)));
    Update::Handout(made.map(Box::new))
}

fn read(slug: String, text: String, translation: Option<String>) -> Result<Lesson, Remark> {
    let mut lesson = Lesson::read(&SourceFile::new(FILE_NAME, text)).map_err(|problems| {
        let first = problems.first();
        first.map_or_else(Remark::default, |it| {
            Remark::at_field(&it.path, it.message.clone())
        })
    })?;
    lesson.slug = slug;
    if let Some(translation) = translation {
        // Texts that do not fit stay in the lesson's own language; the tests refuse such a translation.
        lesson.translate(&SourceFile::new(FILE_NAME, translation));
    }
    Ok(lesson)
}

/// The lesson at this moment.
#[inline(never)]
pub fn news(session: &Session) -> Update {
    Update::Lesson(lesson::frame(session).map(Box::new))
}
