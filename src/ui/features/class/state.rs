//! Classes: lists of lessons that a link carries. Opened, one takes the place of the course; made, its lessons are
//! chosen and put into order.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::ui::features::course::{Course, Texts};
use crate::ui::store::{Dialog, Effect, Store, Visit};
use berth_protocol::link::{Class, Link, translation_of};
use berth_protocol::remark::Remark;

/// The class whose lessons stand in for the course.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenClass {
    pub title: String,
    /// Number of lessons that this version of Berth does not have.
    pub missing: usize,
}

/// What arrives with a lesson or the course.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrived {
    /// `None` if it could not be fetched.
    pub course: Option<Rc<Course>>,
    /// The slugs of the lessons that are done.
    pub done: BTreeSet<String>,
    /// The slugs of those of which only the solution was seen.
    pub seen: BTreeSet<String>,
    /// The language of the page.
    pub language: String,
    /// The class that `course` lists, if it is not the whole course.
    pub class: Option<Rc<OpenClass>>,
}

/// A lesson outside the course.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnLesson {
    /// The name of its file.
    pub name: String,
    pub text: String,
    /// Its texts in other languages, by their tags.
    pub translations: Vec<(String, String)>,
    pub title: Texts,
    pub minutes: u32,
}

/// Why a file or a link gives no lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The first problem of a file, and its line.
    File {
        name: String,
        line: u32,
        message: Remark,
    },
    /// The text is not a link that can be opened.
    Link,
}

/// An action on a class that is being made.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassAction {
    /// Shows or hides the form.
    Make(bool),
    Title(String),
    /// Takes a lesson of the course into the class, or out of it.
    Toggle(String),
    /// Moves a lesson up or down in the order.
    Move {
        index: usize,
        up: bool,
    },
    /// Takes a lesson out.
    Remove(usize),
    /// Adds own lessons: names and texts of files, translations among them.
    Files(Vec<(String, String)>),
    /// Adds the lessons of a link.
    Link(String),
    /// The files or the link were read. `order`: own lessons and lessons of the course, by name.
    Read {
        own: Vec<OwnLesson>,
        order: Vec<String>,
        refused: Option<Refusal>,
    },
    /// The fragment of the link; `None`: the module that makes links could not be loaded.
    Made(Option<String>),
    /// A link to a class was opened. `before`: the visit so far.
    Arrived(Box<Link>, Option<Box<Visit>>),
    /// Its lessons were read. `shows`: the list is shown.
    Opened {
        arrived: Arrived,
        shows: bool,
    },
    /// A reload within the class of a fragment, with the visit so far.
    Resumes(String, Box<Visit>),
    /// The class of a reload was read: the visit continues.
    Resumed(Arrived, Box<Visit>),
    /// Back to the whole course.
    Leave,
}

/// A side effect on a class.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassEffect {
    /// Lists its lessons in place of the course.
    Open(Rc<Link>),
    /// Reads the class of a fragment again, before the visit continues.
    Resume(String, Box<Visit>),
    /// Lists the whole course again.
    Leave,
    /// Reads own lessons: names and texts of files.
    ReadFiles(Vec<(String, String)>),
    /// Reads the lessons of a link.
    ReadLink(String),
    /// Makes the link.
    Make(Rc<Link>),
}

/// The class that is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassForm {
    pub title: String,
    /// Slugs of the course and names of own files, in order.
    pub chosen: Vec<String>,
    pub own: Vec<OwnLesson>,
    pub refused: Option<Refusal>,
    /// `None` while the link is being made; `Some(None)`: it could not be.
    pub made: Option<Option<String>>,
}

impl ClassForm {
    /// An own lesson, by the name of its file.
    pub fn own(&self, name: &str) -> Option<&OwnLesson> {
        self.own.iter().find(|own| own.name == name)
    }

    /// How long the chosen lessons take.
    pub fn minutes(&self, course: &Course) -> u32 {
        let of = |name: &String| {
            let listed = course.lessons().find(|lesson| lesson.slug == *name);
            let own = self.own(name).map(|own| own.minutes);
            own.or(listed.map(|lesson| lesson.minutes))
        };
        self.chosen.iter().filter_map(of).sum()
    }

    fn toggle(&mut self, slug: String) {
        match self.chosen.iter().position(|chosen| *chosen == slug) {
            Some(index) => drop(self.chosen.remove(index)),
            None => self.chosen.push(slug),
        }
    }

    fn remove(&mut self, index: usize) {
        if index < self.chosen.len() {
            let name = self.chosen.remove(index);
            self.own.retain(|own| own.name != name);
        }
    }

    fn move_by_one(&mut self, index: usize, up: bool) {
        let other = if up {
            index.checked_sub(1)
        } else {
            Some(index + 1)
        };
        if let Some(other) = other.filter(|other| index.max(*other) < self.chosen.len()) {
            self.chosen.swap(index, other);
        }
    }

    fn choose(&mut self, mut own: Vec<OwnLesson>, order: Vec<String>) {
        for name in order {
            match own.iter().position(|lesson| lesson.name == name) {
                Some(index) => self.add(own.remove(index)),
                None if self.chosen.contains(&name) => {}
                None => self.chosen.push(name),
            }
        }
    }

    fn add(&mut self, mut lesson: OwnLesson) {
        if let Some(same) = self.own.iter_mut().find(|own| own.name == lesson.name) {
            // The same lesson again, in another version.
            if same.title == lesson.title {
                *same = lesson;
                return;
            }
            let mut names = (2..).map(|number| numbered(&lesson.name, number));
            let free = names.find(|name| self.own(name).is_none());
            lesson.name = free.unwrap_or_default();
        }
        self.chosen.push(lesson.name.clone());
        self.own.push(lesson);
    }

    /// The link to the class.
    pub fn link(&self) -> Link {
        let files = self.own.iter().flat_map(|own| {
            let translations = own.translations.iter();
            let translations =
                translations.map(|(tag, text)| (translation_of(&own.name, tag), text.clone()));
            [(own.name.clone(), own.text.clone())]
                .into_iter()
                .chain(translations)
        });
        let class = Class {
            title: self.title.trim().to_owned(),
            lessons: self.chosen.clone(),
        };
        Link::of_class(class, files.collect())
    }
}

/// `quiz-2.yaml` of `quiz.yaml`.
fn numbered(name: &str, number: usize) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "yaml"));
    format!("{stem}-{number}.{ending}")
}

fn effect(effect: ClassEffect) -> Vec<Effect> {
    vec![Effect::Class(Box::new(effect))]
}

impl Store {
    #[inline(never)]
    pub(in crate::ui) fn on_class(&mut self, action: ClassAction) -> Vec<Effect> {
        match action {
            ClassAction::Make(makes) => {
                self.lesson.form = makes.then(Box::default);
                self.share.copied = None;
                return Vec::new();
            }
            ClassAction::Arrived(link, before) => return self.class_arrived(link, before),
            ClassAction::Opened { arrived, shows } => {
                self.lesson.arrived(arrived);
                if shows {
                    self.page.dialog = Some(Dialog::Course);
                }
                return Vec::new();
            }
            ClassAction::Resumed(arrived, visit) => {
                self.lesson.arrived(arrived);
                return self.restore(*visit);
            }
            ClassAction::Resumes(hash, visit) => {
                return effect(ClassEffect::Resume(hash, visit));
            }
            ClassAction::Leave => return effect(ClassEffect::Leave),
            ClassAction::Made(made) => {
                if let Some(form) = &mut self.lesson.form {
                    form.made = Some(made);
                }
                return Vec::new();
            }
            ClassAction::Title(_)
            | ClassAction::Toggle(_)
            | ClassAction::Move { .. }
            | ClassAction::Remove(_)
            | ClassAction::Files(_)
            | ClassAction::Link(_)
            | ClassAction::Read { .. } => {}
        }
        let Some(form) = &mut self.lesson.form else {
            return Vec::new();
        };
        form.refused = None;
        match action {
            ClassAction::Title(title) => form.title = title,
            ClassAction::Toggle(slug) => form.toggle(slug),
            ClassAction::Move { index, up } => form.move_by_one(index, up),
            ClassAction::Remove(index) => form.remove(index),
            ClassAction::Files(files) => return effect(ClassEffect::ReadFiles(files)),
            ClassAction::Link(text) => return effect(ClassEffect::ReadLink(text)),
            ClassAction::Read {
                own,
                order,
                refused,
            } => {
                form.refused = refused;
                form.choose(own, order);
            }
            ClassAction::Make(_)
            | ClassAction::Arrived(..)
            | ClassAction::Opened { .. }
            | ClassAction::Resumes(..)
            | ClassAction::Resumed(..)
            | ClassAction::Leave
            | ClassAction::Made(_) => {}
        }
        form.made = None;
        self.share.copied = None;
        match form.chosen.is_empty() {
            true => Vec::new(),
            false => effect(ClassEffect::Make(Rc::new(form.link()))),
        }
    }

    /// The visit so far continues below the list of lessons.
    fn class_arrived(&mut self, link: Box<Link>, before: Option<Box<Visit>>) -> Vec<Effect> {
        let mut effects = match before {
            Some(visit) if self.editor.text.is_empty() => self.restore(*visit),
            _ => Vec::new(),
        };
        effects.extend(effect(ClassEffect::Open(Rc::from(link))));
        effects
    }
}

/// The course of a class, in the class's order: lessons of the whole course, and own ones.
pub fn course_of(
    title: &str,
    lessons: Vec<crate::ui::features::course::Listed>,
    whole: Option<&Course>,
) -> Course {
    Course {
        chapters: vec![crate::ui::features::course::Chapter {
            title: Texts::new(title.to_owned()),
            lessons,
        }],
        glossary: whole.map_or_else(Vec::new, |whole| whole.glossary.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassAction, ClassEffect, ClassForm, OwnLesson};
    use crate::ui::features::course::{Chapter, Course, Listed, Texts};
    use crate::ui::features::lesson::LessonAction;
    use crate::ui::store::{Action, Effect, Store};
    use berth_protocol::link::Link;

    fn act(store: &mut Store, action: ClassAction) -> Vec<Effect> {
        store.act(Action::Lesson(LessonAction::Class(action)))
    }

    fn made(effects: &[Effect]) -> Option<&Link> {
        effects.iter().find_map(|effect| {
            let Effect::Class(effect) = effect else {
                return None;
            };
            let ClassEffect::Make(link) = &**effect else {
                return None;
            };
            Some(&**link)
        })
    }

    fn own(name: &str, title: &str) -> OwnLesson {
        OwnLesson {
            name: name.to_owned(),
            text: format!("title: {title}"),
            title: Texts::new(title.to_owned()),
            ..OwnLesson::default()
        }
    }

    fn chosen(store: &Store) -> Vec<&str> {
        let form = store.lesson.form.as_ref();
        form.into_iter()
            .flat_map(|form| &form.chosen)
            .map(String::as_str)
            .collect()
    }

    #[test]
    fn lessons_are_chosen_and_put_into_order() {
        let mut store = Store::default();
        act(&mut store, ClassAction::Toggle("lost".to_owned()));
        act(&mut store, ClassAction::Make(true));
        for slug in ["a", "b", "c"] {
            let effects = act(&mut store, ClassAction::Toggle(slug.to_owned()));
            assert!(made(&effects).is_some());
        }
        act(&mut store, ClassAction::Move { index: 2, up: true });
        act(&mut store, ClassAction::Move { index: 0, up: true });
        act(
            &mut store,
            ClassAction::Move {
                index: 2,
                up: false,
            },
        );
        assert_eq!(chosen(&store), ["a", "c", "b"]);
        act(&mut store, ClassAction::Toggle("a".to_owned()));
        act(&mut store, ClassAction::Remove(1));
        act(&mut store, ClassAction::Remove(7));
        assert_eq!(chosen(&store), ["c"]);
    }

    #[test]
    fn the_minutes_of_the_chosen_lessons_are_summed() {
        let listed = |slug: &str, minutes: u32| Listed {
            slug: slug.to_owned(),
            minutes,
            ..Listed::default()
        };
        let chapter = Chapter {
            lessons: vec![listed("a", 5), listed("b", 7), listed("c", 11)],
            ..Chapter::default()
        };
        let course = Course {
            chapters: vec![chapter],
            ..Course::default()
        };
        let quiz = OwnLesson {
            minutes: 4,
            ..own("quiz.yaml", "Quiz")
        };
        let form = ClassForm {
            chosen: vec!["c".to_owned(), "quiz.yaml".to_owned(), "a".to_owned()],
            own: vec![quiz],
            ..ClassForm::default()
        };
        assert_eq!(form.minutes(&course), 20);
    }

    #[test]
    fn own_lessons_travel_with_their_texts() {
        let mut store = Store::default();
        act(&mut store, ClassAction::Make(true));
        act(&mut store, ClassAction::Toggle("a".to_owned()));
        let read = |own: Vec<OwnLesson>| ClassAction::Read {
            order: ["d", "quiz.yaml", "a", "quiz.yaml"]
                .map(str::to_owned)
                .into(),
            own,
            refused: None,
        };
        let mut first = own("quiz.yaml", "Quiz");
        let translation = ("zh-CN".to_owned(), "title: 测验".to_owned());
        first.translations = vec![translation];
        let effects = act(&mut store, read(vec![first]));
        let link = made(&effects).expect("a link is made");
        assert_eq!(link.file("quiz.zh-CN.yaml"), Some("title: 测验"));
        // A corrected file replaces the first, another lesson of the same name does not.
        let mut corrected = own("quiz.yaml", "Quiz");
        corrected.text.push('!');
        let effects = act(&mut store, read(vec![corrected, own("quiz.yaml", "Other")]));
        assert_eq!(chosen(&store), ["a", "d", "quiz.yaml", "quiz-2.yaml"]);
        let link = made(&effects).expect("a link is made");
        let names: Vec<&str> = link.files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["quiz.yaml", "quiz-2.yaml"]);
        assert_eq!(link.file("quiz.yaml"), Some("title: Quiz!"));
    }
}
