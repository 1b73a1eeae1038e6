//! Lessons on paper: the dialog that chooses which, and the engine's answers until all have arrived.

use std::rc::Rc;

use crate::export::handout::Sheet;
use crate::ui::features::course::Fetched;
use crate::ui::store::{Dialog, Effect, Store};
use crate::words;
use berth_protocol::command::{Command, Query};
use berth_protocol::lesson::Handout;
use berth_protocol::remark::Remark;

/// An action of the dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum HandoutAction {
    /// Opens the dialog: for a lesson, by its slug, or for all lessons of the course.
    Open(Option<String>),
    /// Prints these pages.
    Print(Sheet),
    /// The files of the lessons; `None` if one could not be fetched.
    Arrived(Option<Vec<Fetched>>),
}

/// What is to be printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Handouts {
    /// `None`: all lessons of the course.
    pub slug: Option<String>,
    /// The pages that are being made.
    pub sheet: Option<Sheet>,
    pub made: Vec<Handout>,
    /// How many there will be.
    pub wanted: usize,
}

impl Store {
    pub(in crate::ui) fn on_handout(&mut self, action: HandoutAction) -> Vec<Effect> {
        match action {
            HandoutAction::Open(slug) => {
                self.page.dialog = Some(Dialog::Handout);
                self.lesson.handouts = Some(Box::new(Handouts {
                    slug,
                    sheet: None,
                    made: Vec::new(),
                    wanted: 0,
                }));
                Vec::new()
            }
            HandoutAction::Print(sheet) => self.print_handouts(sheet),
            HandoutAction::Arrived(None) => {
                self.page.notice = Some(words::NO_COURSE.to_owned());
                self.close_handouts();
                Vec::new()
            }
            HandoutAction::Arrived(Some(lessons)) => ask_for_handouts(lessons),
        }
    }

    fn print_handouts(&mut self, sheet: Sheet) -> Vec<Effect> {
        let lessons = &mut self.lesson;
        let Some(handouts) = lessons.handouts.as_mut() else {
            return Vec::new();
        };
        let all = lessons.course.as_deref().map(|course| course.lessons());
        let slugs: Vec<String> = match &handouts.slug {
            Some(slug) => vec![slug.clone()],
            None => all
                .into_iter()
                .flatten()
                .map(|it| it.slug.clone())
                .collect(),
        };
        handouts.sheet = Some(sheet);
        handouts.made.clear();
        handouts.wanted = slugs.len();
        // A lesson that is played need not be one of the course.
        let played = lessons.fetched.as_deref();
        match (played, slugs.as_slice()) {
            (Some(played), [slug]) if played.slug == *slug => {
                ask_for_handouts(vec![played.clone()])
            }
            _ => vec![Effect::FetchHandouts(slugs)],
        }
    }

    /// The engine made a handout, or says why it cannot.
    #[inline(never)]
    pub(in crate::ui) fn receive_handout(&mut self, made: Result<Handout, Remark>) -> Vec<Effect> {
        if self.page.dialog != Some(Dialog::Handout) {
            // The dialog was closed.
            self.lesson.handouts = None;
        }
        let Some(handouts) = self.lesson.handouts.as_mut() else {
            return Vec::new();
        };
        let Some(sheet) = handouts.sheet else {
            return Vec::new();
        };
        match made {
            Ok(made) => handouts.made.push(made),
            Err(why) => {
                self.page.notice = Some(words::remark(&why));
                self.close_handouts();
                return Vec::new();
            }
        }
        if handouts.made.len() < handouts.wanted {
            return Vec::new();
        }
        let made = std::mem::take(&mut handouts.made);
        self.close_handouts();
        vec![Effect::PrintHandouts(Rc::from(made), sheet)]
    }

    fn close_handouts(&mut self) {
        self.lesson.handouts = None;
        self.page.dialog = self.page.dialog.filter(|dialog| *dialog != Dialog::Handout);
    }
}

fn ask_for_handouts(lessons: Vec<Fetched>) -> Vec<Effect> {
    let ask = |lesson: Fetched| {
        Effect::Send(Command::Ask(Query::Handout {
            slug: lesson.slug,
            text: lesson.text,
            translation: lesson.translation,
        }))
    };
    lessons.into_iter().map(ask).collect()
}

#[cfg(test)]
mod tests {
    use berth_protocol::command::{Command, Query};
    use berth_protocol::lesson::Handout;
    use berth_protocol::page::Update;
    use berth_protocol::remark::Remark;

    use super::HandoutAction;
    use crate::export::handout::Sheet;
    use crate::ui::features::course::{Chapter, Course, Fetched, Listed};
    use crate::ui::features::lesson::LessonAction;
    use crate::ui::store::{Action, Dialog, Effect, Store};

    fn handout(action: HandoutAction) -> Action {
        Action::Lesson(LessonAction::Handout(action))
    }

    fn fetched(slug: &str) -> Fetched {
        Fetched {
            slug: slug.to_owned(),
            text: String::new(),
            translation: None,
        }
    }

    fn made(made: Result<Handout, Remark>) -> Action {
        Action::Update(Box::new(Update::Handout(made.map(Box::new))))
    }

    fn store() -> Store {
        let lessons = ["01-a", "02-b"].map(|slug| Listed {
            slug: slug.to_owned(),
            ..Listed::default()
        });
        let chapter = Chapter {
            lessons: lessons.into(),
            ..Chapter::default()
        };
        let mut store = Store::default();
        store.lesson.course = Some(std::rc::Rc::new(Course {
            chapters: vec![chapter],
            ..Course::default()
        }));
        store
    }

    #[test]
    fn all_lessons_are_printed_once_the_last_is_made() {
        let mut store = store();
        store.act(handout(HandoutAction::Open(None)));
        assert_eq!(store.page.dialog, Some(Dialog::Handout));
        let effects = store.act(handout(HandoutAction::Print(Sheet::Task)));
        let slugs = vec!["01-a".to_owned(), "02-b".to_owned()];
        assert!(effects.contains(&Effect::FetchHandouts(slugs)));
        let lessons = Some(vec![fetched("01-a"), fetched("02-b")]);
        let effects = store.act(handout(HandoutAction::Arrived(lessons)));
        let is_asked =
            |it: &&Effect| matches!(it, Effect::Send(Command::Ask(Query::Handout { .. })));
        assert_eq!(effects.iter().filter(is_asked).count(), 2);
        let prints =
            |it: &Effect| matches!(it, Effect::PrintHandouts(made, Sheet::Task) if made.len() == 2);
        assert!(!store.act(made(Ok(Handout::default()))).iter().any(prints));
        assert!(store.act(made(Ok(Handout::default()))).iter().any(prints));
        assert_eq!(store.page.dialog, None);
    }

    #[test]
    fn a_lesson_that_is_played_is_not_fetched_again() {
        let mut store = store();
        store.lesson.fetched = Some(std::rc::Rc::new(fetched("own")));
        store.act(handout(HandoutAction::Open(Some("own".to_owned()))));
        let effects = store.act(handout(HandoutAction::Print(Sheet::Solution)));
        let fetches = |it: &Effect| matches!(it, Effect::FetchHandouts(_));
        assert!(!effects.iter().any(fetches), "{effects:?}");
    }

    #[test]
    fn a_lesson_that_cannot_be_made_is_named_and_ends_it() {
        let mut store = store();
        store.act(handout(HandoutAction::Open(None)));
        store.act(handout(HandoutAction::Print(Sheet::Task)));
        store.act(made(Err(Remark::quoted("02-b: no"))));
        assert_eq!(store.page.notice.as_deref(), Some("02-b: no"));
        assert_eq!(store.page.dialog, None);
        assert!(store.lesson.handouts.is_none());
    }
}
