//! Plays lessons in the session.

#![deny(clippy::wildcard_enum_match_arm)]

use std::rc::Rc;

use super::changes::{FILE_NAME, refused};
use berth_protocol::lesson::LessonInput;
use berth_protocol::page::Update;
use berth_session::lesson::{self, Lesson};
use berth_session::{Session, SourceFile};

/// Handles input to a lesson; returns a refusal.
#[inline(never)]
pub fn take(session: &mut Session, input: LessonInput) -> Option<Update> {
    let taken = match input {
        LessonInput::Begin {
            slug,
            text,
            translation,
        } => begin(session, slug, text, translation),
        LessonInput::Start(start) => session.begin_start(&start),
        LessonInput::Step { number } => session.take_solution_step(number).map(drop),
        LessonInput::Settle => {
            session.settle();
            Ok(())
        }
    };
    taken.err().map(|message| refused(message))
}

fn begin(
    session: &mut Session,
    slug: String,
    text: String,
    translation: Option<String>,
) -> Result<(), String> {
    session.begin_lesson(&Rc::new(read(slug, text, translation)?))
}

/// A lesson on paper. It is played in a session of its own.
#[inline(never)]
pub fn handout(slug: String, text: String, translation: Option<String>) -> Update {
    let lesson = read(slug, text, translation);
    let made = lesson.and_then(|lesson| lesson::handout(&Rc::new(lesson)));
    Update::Handout(made.map(Box::new))
}

fn read(slug: String, text: String, translation: Option<String>) -> Result<Lesson, String> {
    let mut lesson = Lesson::read(&SourceFile::new(FILE_NAME, text)).map_err(|problems| {
        let first = problems.first();
        first.map_or_else(String::new, |it| format!("{}: {}", it.path, it.message))
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
    Update::Lesson(session.lesson_frame().map(Box::new))
}
