//! Classes in the course's dialog: the open one, and the form that makes a link to one.

use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, InputEvent, MouseEvent, NodeRef, TargetCast, html};

use super::state::{ClassAction, ClassForm};
use crate::ui::features::course::{Chapter, Course};
use crate::ui::features::lesson::{LessonAction, Lessons};
use crate::ui::features::share::{address_row, page, qr};
use crate::ui::features::sources::drop;
use crate::ui::parts::form::on_enter_or_click;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::link::LONGEST;

fn class(action: ClassAction) -> Action {
    Action::Lesson(LessonAction::Class(action))
}

/// The dialog's title, and the sentence below it.
pub fn head(lessons: &Lessons) -> (String, &'static str) {
    match &lessons.class {
        _ if lessons.form.is_some() => (words::MAKE_CLASS.to_owned(), words::MAKE_CLASS_LEAD.get()),
        Some(open) if open.title.is_empty() => (words::CLASS.to_owned(), words::CLASS_LEAD.get()),
        Some(open) => (open.title.clone(), words::CLASS_LEAD.get()),
        None => (words::COURSE_TITLE.to_owned(), words::COURSE_LEAD.get()),
    }
}

/// The button between the course, a class, and the form.
pub fn entry_button(lessons: &Lessons, act: &Callback<Action>) -> Html {
    let (name, label, action) = if lessons.form.is_some() {
        ("course-back", words::CLASS_BACK, ClassAction::Make(false))
    } else if lessons.class.is_some() {
        ("leave-class", words::WHOLE_COURSE, ClassAction::Leave)
    } else {
        ("make-class", words::MAKE_CLASS, ClassAction::Make(true))
    };
    let onclick = act.reform(move |_: MouseEvent| class(action.clone()));
    html! { <button class="btn btn--line" data-action={name} {onclick}>{ label }</button> }
}

/// A note about lessons of the class that this version lacks.
pub fn missing(lessons: &Lessons) -> Html {
    let missing = lessons.class.as_ref().map_or(0, |open| open.missing);
    html! {
        if missing > 0 { <p class="note" role="note">{ words::class_missing(missing) }</p> }
    }
}

/// The form that makes a link to a class.
pub fn form(store: &Store, course: &Course, act: &Callback<Action>) -> Html {
    let Some(form) = &store.lesson.form else {
        return html! {};
    };
    let language = &store.lesson.language;
    let chapters = course.chapters.iter();
    html! {
        <div class="classform">
            <section class="classform__course" aria-label={words::CLASS_CHOOSE}>
                <h3>{ words::CLASS_CHOOSE }</h3>
                <div class="classform__list">{ for chapters.map(|it| chapter(form, it, language, act)) }</div>
            </section>
            <section class="classform__class" aria-label={words::CLASS_ORDER}>
                { title(form, act) }
                <h3>{ words::CLASS_ORDER }{ total(form, course) }</h3>
                { order(form, course, language, act) }
                { own(form, act) }
            </section>
            { link(store, form, act) }
        </div>
    }
}

fn chapter(form: &ClassForm, chapter: &Chapter, language: &str, act: &Callback<Action>) -> Html {
    let lessons = chapter.lessons.iter().map(|lesson| {
        let slug = lesson.slug.clone();
        let checked = form.chosen.contains(&slug);
        let toggle = class(ClassAction::Toggle(slug.clone()));
        let onchange = act.reform(move |_: Event| toggle.clone());
        html! {
            <label class="classform__lesson"><input type="checkbox" data-choose={slug} {checked} {onchange} />
                <span>{ lesson.title.of(language) }</span><small>{ words::minutes(lesson.minutes) }</small></label>
        }
    });
    html! { <fieldset><legend>{ chapter.title.of(language) }</legend>{ for lessons }</fieldset> }
}

fn title(form: &ClassForm, act: &Callback<Action>) -> Html {
    let oninput = {
        let act = act.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                act.emit(class(ClassAction::Title(field.value())));
            }
        })
    };
    html! {
        <label class="classform__title">{ words::CLASS_TITLE }
            <input class="field" data-field="class-title" data-first="" maxlength="120" value={form.title.clone()} {oninput} /></label>
    }
}

/// How many lessons are chosen, and how long they take.
fn total(form: &ClassForm, course: &Course) -> Html {
    if form.chosen.is_empty() {
        return html! {};
    }
    let minutes = form.minutes(course);
    html! {
        <small class="classform__sum" data-class-minutes={minutes.to_string()}>{ words::lessons(form.chosen.len()) }{ " · " }{ words::minutes(minutes) }</small>
    }
}

/// The chosen lessons in order, with buttons that move them.
fn order(form: &ClassForm, course: &Course, language: &str, act: &Callback<Action>) -> Html {
    let last = form.chosen.len().saturating_sub(1);
    let rows = form.chosen.iter().enumerate().map(|(index, name)| {
        let own = form.own(name);
        let listed = course.lessons().find(|lesson| lesson.slug == *name);
        let title = match (own, listed) {
            (Some(own), _) => own.title.of(language),
            (None, Some(listed)) => listed.title.of(language),
            (None, None) => name,
        };
        let button = |mark: &'static str, what: &'static str, label: String, disabled: bool, action: ClassAction| {
            let onclick = act.reform(move |_: MouseEvent| class(action.clone()));
            html! { <button class="btn btn--icon btn--small" data-order={what} aria-label={label.clone()} title={label} {disabled} {onclick}>{ icon(mark) }</button> }
        };
        html! {
            <li key={name.clone()} data-chosen={name.clone()}>
                <span class="stop__n">{ index + 1 }</span><span class="classform__name">{ title }</span>
                if own.is_some() { <span class="exam" title={name.clone()}>{ words::OWN_LESSON }</span> }
                { button("caret", "up", words::move_up(title), index == 0, ClassAction::Move { index, up: true }) }
                { button("caret", "down", words::move_down(title), index == last, ClassAction::Move { index, up: false }) }
                { button("close", "out", words::take_out(title), false, ClassAction::Remove(index)) }
            </li>
        }
    });
    html! {
        if form.chosen.is_empty() {
            <p class="note">{ words::CLASS_EMPTY }</p>
        } else {
            <ol class="classform__order" tabindex="0">{ for rows }</ol>
        }
    }
}

/// Adds own lessons: files, or those of a link.
fn own(form: &ClassForm, act: &Callback<Action>) -> Html {
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else {
                return;
            };
            if let Some(files) = input.files() {
                let take = act.reform(|files| class(ClassAction::Files(files)));
                drop::read(&files, take);
            }
        })
    };
    let field = NodeRef::default();
    let add = {
        let (act, field) = (act.clone(), field.clone());
        Callback::from(move |()| {
            if let Some(field) = field.cast::<HtmlInputElement>() {
                act.emit(class(ClassAction::Link(field.value())));
                field.set_value("");
            }
        })
    };
    let (onkeydown, onclick) = on_enter_or_click(add);
    html! {
        <div class="classform__own">
            <label class="btn btn--line btn--file">{ icon("plus") }{ words::CLASS_FILES }<input class="visually-hidden" type="file" multiple=true accept=".yaml,.yml" data-field="class-files" {onchange} /></label>
            <span class="copyrow"><input class="field field--mono" aria-label={words::CLASS_LINK} placeholder={words::CLASS_LINK} data-field="class-link" ref={field} {onkeydown} />
                <button class="btn btn--line" data-action="class-link" {onclick}>{ words::CLASS_ADD }</button></span>
            <p class="note" role="alert">{ for form.refused.as_ref().map(words::class_refused) }</p>
        </div>
    }
}

/// The link, as Share shows one.
fn link(store: &Store, form: &ClassForm, act: &Callback<Action>) -> Html {
    let body = match &form.made {
        _ if form.chosen.is_empty() => html! {},
        None => html! { <p class="note">{ words::MAKING_LINK }</p> },
        Some(None) => html! { <p class="note" role="alert">{ words::LAZY_MODULE_MISSING }</p> },
        Some(Some(fragment)) => {
            let address = format!("{}{fragment}", page());
            html! {
                <div class="share__body">
                    <div class="share__main">
                        { address_row(store, &address, words::CLASS_LINK_LABEL.get(), act) }
                        if address.len() > LONGEST { <p class="share__file" role="note">{ words::class_too_long(address.len()) }</p> }
                        <p class="note">{ words::CLASS_FOOT }</p>
                    </div>
                    { qr(&address) }
                </div>
            }
        }
    };
    html! { <section class="classform__link" aria-label={words::CLASS_LINK_LABEL}>{ body }</section> }
}
