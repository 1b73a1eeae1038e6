//! Classes that links carry: the one that is open stands in for the course, and keeps its own progress.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::state::{ClassAction, ClassEffect, OpenClass, OwnLesson, Refusal, course_of};
use crate::ui::engine::{Summary, summary};
use crate::ui::features::course::{Course, Fetched, Listed, Texts, fetch_course, whole_course};
use crate::ui::features::lesson::LessonAction;
use crate::ui::features::share::Opened;
use crate::ui::features::{gallery, share};
use crate::ui::persistence::storage;
use crate::ui::store::{Action, EditAction, Store, Visit};
use crate::ui::styles;
use crate::words::language::{self, Language, is_translation};
use berth_protocol::link::{Link, translation_of};

/// The tab's storage name of the fragment that opened its class.
const CLASS: &str = "class";
/// The prefix of the storage names of classes' progress.
const DONE: &str = "class.";

thread_local! {
    static OPEN: RefCell<Option<Rc<CurrentClass>>> = const { RefCell::new(None) };
}

/// The open class.
pub struct CurrentClass {
    pub about: Rc<OpenClass>,
    pub course: Rc<Course>,
    /// The storage name of its progress.
    pub done: String,
    link: Rc<Link>,
}

/// The class that stands in for the course.
pub fn held() -> Option<Rc<CurrentClass>> {
    OPEN.with_borrow(Clone::clone)
}

/// Whether this tab is in the class that the fragment opens: a reload continues it.
pub fn is_in(hash: &str) -> bool {
    storage::of_tab(CLASS).as_deref() == Some(hash)
}

/// Executes an effect on a class.
#[inline(never)]
pub fn execute(effect: ClassEffect, store: &Store, act: Callback<Action>) {
    match effect {
        ClassEffect::Open(link) => {
            if store.editor.text.is_empty() {
                // Something is to be there when the list is closed.
                act.emit(Action::Edit(EditAction::Open(gallery::default_text())));
            }
            open(link, act);
        }
        ClassEffect::Resume(hash, visit) => resume(hash, *visit, act),
        ClassEffect::Leave => leave(act),
        ClassEffect::ReadFiles(files) => read_files(&files, &act),
        ClassEffect::ReadLink(text) => read_link(text, act),
        ClassEffect::Make(link) => make(link, act),
    }
}

/// Opens a class and shows its lessons.
fn open(link: Rc<Link>, act: Callback<Action>) {
    styles::load(styles::LESSON);
    spawn_local(async move {
        hold(link).await;
        storage::set_of_tab(CLASS, &share::in_address().unwrap_or_default());
        show(&act).await;
    });
}

/// Shows the lessons of the class that is open, or of the whole course.
async fn show(act: &Callback<Action>) {
    let arrived = fetch_course().await;
    let opened = ClassAction::Opened {
        arrived,
        shows: true,
    };
    act.emit(Action::Lesson(LessonAction::Class(opened)));
}

/// Opens the class of a fragment again, and then continues the visit.
fn resume(hash: String, visit: Visit, act: Callback<Action>) {
    spawn_local(async move {
        if let Some(Opened::Link(link)) = share::read_fragment(&hash).await {
            hold(Rc::from(link)).await;
        }
        let resumed = ClassAction::Resumed(fetch_course().await, Box::new(visit));
        act.emit(Action::Lesson(LessonAction::Class(resumed)));
    });
}

/// Lists the whole course again.
fn leave(act: Callback<Action>) {
    OPEN.set(None);
    storage::set_of_tab(CLASS, "");
    // A reload would open the class again.
    let _ = gloo::utils::window().location().set_hash("");
    spawn_local(async move { show(&act).await });
}

async fn hold(link: Rc<Link>) {
    let Some(class) = &link.class else {
        return;
    };
    let whole = whole_course().await;
    let mut listed = Vec::new();
    for name in &class.lessons {
        match link.file(name) {
            Some(text) => listed.push(own_listed(name, text, &translations(&link.files, name))),
            None => {
                let lessons = whole.iter().flat_map(|course| course.lessons());
                listed.extend(lessons.filter(|lesson| lesson.slug == *name).cloned());
            }
        }
    }
    let about = OpenClass {
        title: class.title.clone(),
        missing: class.lessons.len() - listed.len().min(class.lessons.len()),
    };
    let ids = std::iter::once(&class.title).chain(&class.lessons);
    let done = format!("{DONE}{:016x}", hash(ids));
    OPEN.set(Some(Rc::new(CurrentClass {
        about: Rc::new(about),
        course: Rc::new(course_of(&class.title, listed, whole.as_deref())),
        done,
        link: Rc::clone(&link),
    })));
}

/// FNV-1a of texts: the name under which progress is stored.
fn hash<'t>(texts: impl Iterator<Item = &'t String>) -> u64 {
    let bytes = texts.flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The translations of a file, by the tags of their languages.
fn translations(files: &[(String, String)], name: &str) -> Vec<(String, String)> {
    let in_language = |language: Language| {
        let name = translation_of(name, language.tag());
        let (_, text) = files.iter().find(|(own, _)| *own == name)?;
        Some((language.tag().to_owned(), text.clone()))
    };
    Language::translated().filter_map(in_language).collect()
}

/// An own lesson of the open class.
pub fn fetch_own(name: &str) -> Option<Fetched> {
    let held = held()?;
    let text = held.link.file(name)?.to_owned();
    let mut translations = translations(&held.link.files, name).into_iter();
    let own = translations.find(|(tag, _)| tag == language::current().tag());
    Some(Fetched {
        slug: name.to_owned(),
        text,
        translation: own.map(|(_, text)| text),
    })
}

/// As the list shows it; a file that is not a lesson is listed by name, and opening it shows why.
fn own_listed(name: &str, text: &str, translations: &[(String, String)]) -> Listed {
    let summary = summary(name, text, translations).unwrap_or_default();
    Listed {
        slug: name.to_owned(),
        title: title(name, &summary),
        minutes: summary.minutes,
        exam: summary.exam,
    }
}

fn title(name: &str, summary: &Summary) -> Texts {
    let own = Some(summary.title.clone()).filter(|title| !title.is_empty());
    let own = Texts::new(own.unwrap_or_else(|| name.to_owned()));
    let translated = summary.translated.iter();
    translated.fold(own, |texts, (tag, title)| texts.with(tag, title.clone()))
}

/// Reads files for a class that is being made.
fn read_files(files: &[(String, String)], act: &Callback<Action>) {
    let (own, refused) = own_lessons(files);
    let order = own.iter().map(|own| own.name.clone()).collect();
    read(act, own, order, refused);
}

fn read(act: &Callback<Action>, own: Vec<OwnLesson>, order: Vec<String>, refused: Option<Refusal>) {
    let read = ClassAction::Read {
        own,
        order,
        refused,
    };
    act.emit(Action::Lesson(LessonAction::Class(read)));
}

fn own_lessons(files: &[(String, String)]) -> (Vec<OwnLesson>, Option<Refusal>) {
    let (mut own, mut refused) = (Vec::new(), None);
    for (name, text) in files.iter().filter(|(name, _)| !is_translation(name)) {
        let translations = translations(files, name);
        match summary(name, text, &translations) {
            Ok(summary) => own.push(OwnLesson {
                name: name.clone(),
                text: text.clone(),
                title: title(name, &summary),
                minutes: summary.minutes,
                translations,
            }),
            Err((line, message)) => {
                refused = refused.or(Some(Refusal::File {
                    name: name.clone(),
                    line,
                    message,
                }));
            }
        }
    }
    (own, refused)
}

/// Reads the lessons of a link, a class or a single one, for a class that is being made.
fn read_link(text: String, act: Callback<Action>) {
    spawn_local(async move {
        let link = match share::read_fragment(text.trim()).await {
            Some(Opened::Link(link)) => link,
            _ => return read(&act, Vec::new(), Vec::new(), Some(Refusal::Link)),
        };
        let (own, refused) = own_lessons(&link.files);
        let order = match &link.class {
            // Own files that are not lessons were refused.
            Some(class) => class
                .lessons
                .iter()
                .filter(|name| {
                    link.file(name).is_none() || own.iter().any(|own| own.name == **name)
                })
                .cloned()
                .collect(),
            None => own.iter().map(|own| own.name.clone()).collect(),
        };
        read(&act, own, order, refused);
    });
}

/// Makes the link to a class.
fn make(link: Rc<Link>, act: Callback<Action>) {
    spawn_local(async move {
        let made = ClassAction::Made(share::encode(&link).await);
        act.emit(Action::Lesson(LessonAction::Class(made)));
    });
}
