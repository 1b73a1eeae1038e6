//! The course: its lessons by chapter, the progress, and how to carry it to another browser.

use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, MouseEvent, NodeRef, TargetCast, classes, html};

use super::progress_code;
use super::state::{Chapter, Course, Listed};
use crate::ui::features::lesson::{LessonAction, Lessons, NoProgress};
use crate::ui::features::sources::drop;
use crate::ui::features::{builder, class, handout};
use crate::ui::parts::focus::{Focused, closes_on_escape};
use crate::ui::parts::form::on_enter_or_click;
use crate::ui::parts::icon::{action, icon};
use crate::ui::store::{Action, Dialog, PageAction, Store};
use crate::ui::styles;
use crate::words;
use crate::words::Text;

/// How a lesson's state is drawn: class, icon and words.
type Mark = (&'static str, Option<&'static str>, Text);
const DONE: Mark = ("stop--done", Some("check"), words::LESSON_DONE);
const SEEN: Mark = ("stop--seen", Some("active"), words::LESSON_SEEN);
const NEXT: Mark = ("stop--next", Some("chosen"), words::LESSON_NEXT);
const TODO: Mark = ("stop--todo", None, words::LESSON_TODO);

/// The course, over the page. Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    styles::load(styles::GALLERY);
    let lessons = &store.lesson;
    let onkeydown = closes_on_escape(act);
    let close = action(
        "close",
        words::CLOSE.get(),
        "close",
        false,
        act,
        Action::Page(PageAction::Show(None)),
    );
    let body = match &lessons.course {
        Some(course) if lessons.form.is_some() => class::form(store, course, act),
        None if lessons.missing => html! { <p class="note" role="alert">{ words::NO_COURSE }</p> },
        None => html! { <p class="note">{ words::LOADING }</p> },
        Some(course) => listed(lessons, course, act),
    };
    let (title, lead) = class::head(lessons);
    // Once the list is shown, the next lesson gets the focus.
    let key = lessons.course.is_some().to_string();
    html! {
        <Focused {key} keeps=true><section class="welcome course" role="dialog" aria-modal="true" aria-label={words::COURSE} lang={lessons.language.clone()} {onkeydown}>
            <div class="welcome__in">
                <div class="welcome__top">
                    <div>
                        <h2 class="welcome__title" data-course="title">{ title }</h2>
                        <p class="welcome__lead">{ lead }</p>
                    </div>
                    <div class="doors">{ class::entry_button(lessons, act) }{ builder::entry_button(store, act) }{ for lessons.course.as_ref().map(|course| entry_button(lessons, course, act)) }{ close }</div>
                </div>
                { body }
            </div>
        </section></Focused>
    }
}

/// The first lesson that is not done; `None` if all are.
fn next<'c>(lessons: &Lessons, course: &'c Course) -> Option<(usize, &'c Listed)> {
    let mut numbered = (1..).zip(course.lessons());
    numbered.find(|(_, lesson)| {
        !lessons.done.contains(&lesson.slug) && !lessons.seen.contains(&lesson.slug)
    })
}

/// The gallery's button: the next lesson, and the whole course while that is unknown or if none is left.
pub fn entry(lessons: &Lessons) -> (Action, String) {
    let course = lessons.course.as_deref();
    match course.and_then(|course| next(lessons, course)) {
        Some((number, lesson)) => (
            Action::Lesson(LessonAction::Open(lesson.slug.clone())),
            words::go_on_with(number, lessons.done.len()),
        ),
        None => (
            Action::Page(PageAction::Show(Some(Dialog::Course))),
            words::COURSE.to_owned(),
        ),
    }
}

fn entry_button(lessons: &Lessons, course: &Course, act: &Callback<Action>) -> Html {
    let next = next(lessons, course).filter(|_| lessons.form.is_none());
    let Some((number, lesson)) = next else {
        return html! {};
    };
    let slug = lesson.slug.clone();
    let onclick = act.reform(move |_: MouseEvent| Action::Lesson(LessonAction::Open(slug.clone())));
    html! {
        <button class="door door--first" data-action="go-on" data-first="" {onclick}>
            { icon("play") }<b>{ words::go_on_with(number, lessons.done.len()) }</b><small>{ words::minutes(lesson.minutes) }</small>
        </button>
    }
}

fn listed(lessons: &Lessons, course: &Course, act: &Callback<Action>) -> Html {
    let numbers: Vec<usize> = course
        .chapters
        .iter()
        .scan(1, |first, chapter| {
            let own = *first;
            *first += chapter.lessons.len();
            Some(own)
        })
        .collect();
    let chapters =
        course
            .chapters
            .iter()
            .zip(numbers)
            .enumerate()
            .map(|(index, (chapter, first))| {
                let next = next(lessons, course).map(|(number, _)| number);
                one(lessons, index + 1, chapter, first, next, act)
            });
    html! {
        <>
            { bar(lessons, course, act) }
            { class::missing(lessons) }
            if lessons.codes.is_some() { { codes(lessons, course, act) } }
            <div class={classes!("lines", lessons.class.is_some().then_some("lines--class"))}>{ for chapters }</div>
            <p class="course__foot"><span>{ words::PROGRESS_HERE }</span>{ for legend() }</p>
        </>
    }
}

/// The marks of the lessons. Each lesson has its state as text as well.
fn legend() -> impl Iterator<Item = Html> {
    [DONE, SEEN, NEXT, TODO].into_iter().map(|(class, mark, state)| {
        html! { <span class={classes!("course__mark", class)} aria-hidden="true"><i class="stop__mark">{ for mark.map(icon) }</i>{ state }</span> }
    })
}

/// How much is done, which exam, and the progress as a file and a code.
fn bar(lessons: &Lessons, course: &Course, act: &Callback<Action>) -> Html {
    let all: Vec<&Listed> = course.lessons().collect();
    let done: Vec<&&Listed> = all
        .iter()
        .filter(|it| lessons.done.contains(&it.slug))
        .collect();
    let minutes = all.iter().map(|lesson| lesson.minutes).sum();
    let spent = done.iter().map(|lesson| lesson.minutes).sum();
    let percent = done.len() * 100 / all.len().max(1);
    let exams = ["", "CKA", "CKAD", "KCNA"].map(|exam| {
        let is_of = |lesson: &&&Listed| exam.is_empty() || lesson.exam.iter().any(|own| own == exam);
        let count = all.iter().filter(is_of).count();
        let label = if exam.is_empty() { words::ALL_EXAMS.get() } else { exam };
        let chosen = lessons.exam == exam;
        let onclick = act.reform(move |_: MouseEvent| Action::Lesson(LessonAction::Exam(exam.to_owned())));
        html! { <button role="radio" aria-checked={chosen.to_string()} data-exam={exam} {onclick}>{ format!("{label} {count}") }</button> }
    });
    let save = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::SaveProgress));
    let shows = lessons.codes.is_none();
    let take = act.reform(move |_: MouseEvent| Action::Lesson(LessonAction::Codes(shows)));
    html! {
        <div class="coursebar">
            <span class="coursebar__n" data-lesson="progress">{ words::lessons_done(done.len(), all.len()) }</span>
            <span class="bar" style={format!("--v:{percent}")} aria-hidden="true" />
            <span class="muted">{ words::minutes_done(spent, minutes) }</span>
            <span class="push" />
            if lessons.class.is_none() { <span class="seg" role="radiogroup" aria-label={words::EXAM}>{ for exams }</span> }
            <button class="btn btn--line" data-action="save-progress" onclick={save}>{ words::SAVE_PROGRESS }</button>
            <span class="muted">{ words::CODE }{ " " }<code data-lesson="code">{ progress_code::code(course, &lessons.done) }</code></span>
            { handout::of_course(act) }
            <button class="btn" data-action="take-progress" aria-expanded={(!shows).to_string()} onclick={take}>{ words::TAKE_PROGRESS }</button>
        </div>
    }
}

fn refused(what: NoProgress) -> Text {
    match what {
        NoProgress::Code => words::CODE_WRONG,
        NoProgress::File => words::FILE_WRONG,
    }
}

/// The fields for a code or a file of another browser.
fn codes(lessons: &Lessons, course: &Course, act: &Callback<Action>) -> Html {
    let field = NodeRef::default();
    let take = {
        let (act, field, course) = (act.clone(), field.clone(), course.clone());
        Callback::from(move |()| {
            let text = field.cast::<HtmlInputElement>().map(|field| field.value());
            let done = text.and_then(|text| progress_code::read(&course, &text));
            let done = done.ok_or(NoProgress::Code);
            act.emit(Action::Lesson(LessonAction::Import(done)));
        })
    };
    let (onkeydown, onclick) = on_enter_or_click(take);
    let onchange = {
        let (act, course) = (act.clone(), course.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else {
                return;
            };
            if let Some(files) = input.files() {
                let course = course.clone();
                let take = act.reform(move |files: Vec<(String, String)>| {
                    let mut texts = files.iter().map(|(_, text)| text.as_str());
                    let done = texts.find_map(|text| progress_code::read_file(&course, text));
                    Action::Lesson(LessonAction::Import(done.ok_or(NoProgress::File)))
                });
                drop::read(&files, take);
                // The same file can be chosen again.
                input.set_value("");
            }
        })
    };
    html! {
        <div class="course__codes">
            <label>{ words::CODE_FIELD }{ " " }<input class="field field--mono" data-field="code" ref={field} {onkeydown} /></label>
            <button class="btn btn--line" data-action="take-code" {onclick}>{ words::TAKE }</button>
            <label class="btn btn--file">{ words::PROGRESS_FILE }<input class="visually-hidden" type="file" accept=".txt" data-field="progress" {onchange} /></label>
            if let Some(Some(what)) = lessons.codes { <p class="note" role="alert">{ refused(what) }</p> }
        </div>
    }
}

fn one(
    lessons: &Lessons,
    number: usize,
    chapter: &Chapter,
    first: usize,
    next: Option<usize>,
    act: &Callback<Action>,
) -> Html {
    let minutes = chapter.lessons.iter().map(|lesson| lesson.minutes).sum();
    let numbered = (first..).zip(&chapter.lessons);
    let is_kept = |lesson: &Listed| lessons.exam.is_empty() || lesson.exam.contains(&lessons.exam);
    let stops = numbered
        .filter(|(_, lesson)| is_kept(lesson))
        .map(|(number, lesson)| stop(lessons, number, lesson, next == Some(number), act));
    let title = chapter.title.of(&lessons.language);
    html! {
        <section class="line" aria-label={title.to_owned()}>
            <header class="line__head"><span>{ number }</span><h3>{ title }</h3><span class="push" /><span>{ words::minutes(minutes) }</span></header>
            <ol>{ for stops }</ol>
        </section>
    }
}

fn stop(
    lessons: &Lessons,
    number: usize,
    lesson: &Listed,
    is_next: bool,
    act: &Callback<Action>,
) -> Html {
    let is_done = lessons.done.contains(&lesson.slug);
    let is_seen = lessons.seen.contains(&lesson.slug);
    let (class, mark, state) = match (is_done, is_seen, is_next) {
        (true, ..) => DONE,
        (false, true, _) => SEEN,
        (false, false, true) => NEXT,
        (false, false, false) => TODO,
    };
    let slug = lesson.slug.clone();
    let onclick = act.reform(move |event: MouseEvent| {
        event.prevent_default();
        Action::Lesson(LessonAction::Open(slug.clone()))
    });
    let tags = lesson.exam.iter().map(|exam| {
        html! { <abbr class="exam" title={format!("{} {exam}", words::ON_THE_EXAM)}>{ exam }</abbr> }
    });
    html! {
        <li class={classes!("stop", class)}>
            <a href={format!("?lesson={}", lesson.slug)} data-lesson-link={lesson.slug.clone()} {onclick}>
                <span class="stop__mark">{ for mark.map(icon) }<span class="visually-hidden">{ state }</span></span>
                <span class="stop__n">{ number }</span>
                <span class="stop__t">{ lesson.title.of(&lessons.language) }</span>
                <span class="stop__tags">{ for tags }</span>
                if lesson.minutes > 0 { <span class="stop__m">{ lesson.minutes }<span class="visually-hidden">{ " " }{ words::MINUTES }</span></span> }
            </a>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_door_to_the_course_names_the_next_lesson() {
        let mut lessons = Lessons::default();
        assert_eq!(entry(&lessons).1, "Course");
        lessons.done.insert("01-pods".to_owned());
        assert_eq!(entry(&lessons).1, "Course");
        let listed = |slug: &str| Listed {
            slug: slug.to_owned(),
            ..Listed::default()
        };
        let chapter = crate::ui::features::course::Chapter {
            lessons: vec![listed("01-pods"), listed("02-nodes")],
            ..Default::default()
        };
        lessons.course = Some(std::rc::Rc::new(Course {
            chapters: vec![chapter],
            ..Course::default()
        }));
        let second = Action::Lesson(LessonAction::Open("02-nodes".to_owned()));
        assert_eq!(entry(&lessons), (second, "Go on with lesson 2".to_owned()));
        lessons.done.clear();
        let first = Action::Lesson(LessonAction::Open("01-pods".to_owned()));
        assert_eq!(entry(&lessons), (first, "Begin with lesson 1".to_owned()));
    }
}
