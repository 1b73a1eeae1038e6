//! Lessons: one file each, published beside the page with the course's index; and the progress in them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::lms;
use super::progress_code::{SEEN, read_done, read_seen};
use super::state::{Course, Fetched};
use crate::export::handout::{Sheet, Style, document};
use crate::ui::features::class::Arrived;
use crate::ui::features::handout::HandoutAction;
use crate::ui::features::lesson::LessonAction;
use crate::ui::features::{class, share};
use crate::ui::files::{fetch, fetch_translation};
use crate::ui::load::locate;
use crate::ui::persistence::storage;
use crate::ui::store::Action;
use crate::ui::styles;
use crate::words::language;
use berth_protocol::lesson::Handout;

const COURSE: &str = "./lessons/course.json";
/// The storage name of the progress: slugs of lessons that are done, one a line.
const DONE: &str = "lessons";

thread_local! {
    static READ: RefCell<Option<Rc<Course>>> = const { RefCell::new(None) };
}

/// Fetches the course.
pub fn list(act: Callback<Action>) {
    styles::load(styles::LESSON);
    spawn_local(async move {
        act.emit(Action::Lesson(LessonAction::Listed(fetch_course().await)));
    });
}

/// Fetches a lesson, and its translation if the page has another language.
pub fn open(slug: String, act: Callback<Action>) {
    styles::load(styles::LESSON);
    spawn_local(async move {
        let arrived = fetch_course().await;
        let fetched = fetch_lesson(slug).await.map(Box::new);
        act.emit(Action::Lesson(LessonAction::Opened(fetched, arrived)));
    });
}

/// Fetches lessons, to print them.
pub fn fetch_all(slugs: Vec<String>, act: Callback<Action>) {
    spawn_local(async move {
        let mut lessons = Some(Vec::new());
        for slug in slugs {
            let lesson = fetch_lesson(slug).await;
            lessons = lessons.zip(lesson).map(|(mut lessons, lesson)| {
                lessons.push(lesson);
                lessons
            });
        }
        let arrived = HandoutAction::Arrived(lessons);
        act.emit(Action::Lesson(LessonAction::Handout(arrived)));
    });
}

/// Prints lessons.
pub fn print(handouts: &[Handout], sheet: Sheet) {
    let style = locate("./handout.css");
    let html = document(handouts, sheet, &share::page(), Style::At(&style));
    spawn_local(share::print_document(html));
}

async fn fetch_lesson(slug: String) -> Option<Fetched> {
    if let Some(own) = class::fetch_own(&slug) {
        return Some(own);
    }
    let is_plain = slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_plain {
        return None;
    }
    let address = format!("./lessons/{slug}.yaml");
    let text = fetch(&address).await?;
    let translation = fetch_translation(&address).await;
    Some(Fetched {
        slug,
        text,
        translation,
    })
}

/// The course, or the class that stands in for it.
pub async fn fetch_course() -> Arrived {
    let class = class::held();
    let course = match &class {
        Some(class) => Some(Rc::clone(&class.course)),
        None => whole_course().await,
    };
    let kept = match &course {
        Some(course) if class.is_none() => lms::done(course).await,
        _ => None,
    };
    Arrived {
        course,
        // An LMS has what is done; what this browser has stored may be another learner's.
        seen: match kept {
            Some(_) => BTreeSet::new(),
            None => read_seen(&stored()),
        },
        done: kept.unwrap_or_else(done),
        class: class.map(|class| Rc::clone(&class.about)),
        language: language::current().tag().to_owned(),
    }
}

/// The course itself.
pub async fn whole_course() -> Option<Rc<Course>> {
    if let Some(read) = READ.with_borrow(Clone::clone) {
        return Some(read);
    }
    let course: Course = serde_json::from_str(&fetch(COURSE).await?).ok()?;
    let course = Rc::new(course);
    READ.set(Some(Rc::clone(&course)));
    Some(course)
}

/// The slugs of the lessons that are done.
fn done() -> BTreeSet<String> {
    read_done(&stored())
}

fn stored() -> String {
    storage::get(&progress()).unwrap_or_default()
}

/// The storage key of the progress; each class has its own.
fn progress() -> String {
    class::held().map_or_else(|| DONE.to_owned(), |class| class.done.clone())
}

/// The slugs as a text. The lines of lessons that were only seen are comments to a version that does not know them.
pub fn progress_text(done: &BTreeSet<String>, seen: &BTreeSet<String>) -> String {
    let done = done.iter().map(|slug| format!("{slug}\n"));
    let seen = seen.iter().map(|slug| format!("{SEEN}{slug}\n"));
    done.chain(seen).collect()
}

/// Stores the progress.
pub fn store(done: &BTreeSet<String>, seen: &BTreeSet<String>) {
    match READ.with_borrow(Clone::clone) {
        // Another learner may use this browser.
        Some(course) if lms::keeps() && class::held().is_none() => {
            spawn_local(lms::report(course, done.clone()));
        }
        _ => {
            storage::set(&progress(), &progress_text(done, seen));
        }
    }
}
