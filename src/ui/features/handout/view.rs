//! The dialog that prints lessons, and the buttons that open it.

use yew::{Callback, Html, MouseEvent, html};

use super::state::{HandoutAction, Handouts};
use crate::export::handout::Sheet;
use crate::ui::features::lesson::LessonAction;
use crate::ui::store::{Action, Store};
use crate::words;

/// Opens the dialog for a lesson.
pub fn of_lesson(slug: &str, act: &Callback<Action>) -> Html {
    let slug = slug.to_owned();
    let onclick = act.reform(move |_: MouseEvent| send(HandoutAction::Open(Some(slug.clone()))));
    html! { <p><button class="link" data-action="handout" aria-haspopup="dialog" {onclick}>{ words::PRINT_HANDOUT }</button></p> }
}

/// Opens the dialog for all lessons of the course.
pub fn of_course(act: &Callback<Action>) -> Html {
    let onclick = act.reform(|_: MouseEvent| send(HandoutAction::Open(None)));
    html! { <button class="btn" data-action="handout" aria-haspopup="dialog" {onclick}>{ words::PRINT_HANDOUTS }</button> }
}

/// The dialog's body. Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let Some(handouts) = store.lesson.handouts.as_deref() else {
        return html! {};
    };
    let is_one = handouts.slug.is_some();
    let labels = match is_one {
        true => [words::PRINT_HANDOUT, words::PRINT_SOLUTION],
        false => [words::PRINT_HANDOUTS, words::PRINT_SOLUTIONS],
    };
    let [task, solution] = labels;
    let title = match is_one {
        true => store
            .lesson
            .frame
            .as_ref()
            .map(|frame| frame.title.clone())
            .unwrap_or_default(),
        false => words::COURSE.to_owned(),
    };
    html! {
        <div class="exports">
            <section class="exports__row">
                <div><h3>{ words::HANDOUTS }{ " · " }{ title.clone() }</h3><p class="note">{ words::HANDOUT_MEANS }</p></div>
                <div class="exports__do">{ print("task", task, Sheet::Task, handouts, act) }</div>
            </section>
            <section class="exports__row">
                <div><h3>{ words::SOLUTION_SHEETS }{ " · " }{ title }</h3><p class="note">{ words::SOLUTION_MEANS }</p></div>
                <div class="exports__do">{ print("solution", solution, Sheet::Solution, handouts, act) }</div>
            </section>
            <p class="note" role="status">
                if handouts.sheet.is_some() { { words::handouts_ready(handouts.made.len(), handouts.wanted) } }
            </p>
        </div>
    }
}

fn print(
    name: &'static str,
    label: words::Text,
    sheet: Sheet,
    handouts: &Handouts,
    act: &Callback<Action>,
) -> Html {
    let onclick = act.reform(move |_: MouseEvent| send(HandoutAction::Print(sheet)));
    let is_busy = handouts.sheet.is_some();
    html! { <button class="btn btn--line" data-print={name} disabled={is_busy} {onclick}>{ label }</button> }
}

fn send(action: HandoutAction) -> Action {
    Action::Lesson(LessonAction::Handout(action))
}
