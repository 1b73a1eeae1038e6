//! Presenter mode: what the room sees is the page in presentation size; the trainer's notes are a second window of the
//! page, which never runs a session. The two speak over a channel of the browser.

mod channel;
mod map;
mod notes;
mod projector;

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, html};

use super::presenting::PressedKey;
use super::state::PresenterAction;
use crate::ui::features::share;
use crate::ui::parts::changes::essence;
use crate::ui::parts::icon::icon;
use crate::ui::parts::markdown::blocks;
use crate::ui::persistence::{storage, tab};
use crate::ui::store::{Action, Panel, Store};
use crate::words;
use crate::words::language;
use berth_protocol::lesson::StepFrame;
use projector::Projector;

pub use notes::show as show_notes;

/// The parameter of the address that makes a window of notes: the name of its channel.
pub const NOTES: &str = "notes";
/// Size of the second window; browsers may open a tab instead.
const FEATURES: &str = "popup,width=1180,height=820";

/// The name of this tab's channel, which a reload keeps.
fn channel_name() -> String {
    storage::of_tab(NOTES).unwrap_or_else(|| {
        let name = tab::new_id();
        storage::set_of_tab(NOTES, &name);
        name
    })
}

/// Opens the notes in a second window.
#[inline(never)]
pub fn open_notes(act: &Callback<Action>) {
    let name = channel_name();
    let language = language::current().tag();
    let address = format!("{}?{NOTES}={name}&lang={language}", share::page());
    let window = gloo::utils::window();
    let opened = window.open_with_url_and_target_and_features(
        &address,
        &format!("berth-notes-{name}"),
        FEATURES,
    );
    let is_refused = !matches!(opened, Ok(Some(_)));
    if let Ok(Some(notes)) = opened {
        // An open one comes to the front.
        let _ = notes.focus();
    }
    let refused = is_refused.then_some(address);
    act.emit(Action::Presenter(PresenterAction::Refused(refused)));
}

/// The button in the top bar that opens the notes.
#[inline(never)]
pub fn button(act: &Callback<Action>) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::Presenter(PresenterAction::Notes));
    html! { <button class="btn" data-action="notes" title={words::NOTES_TITLE} {onclick}>{ words::NOTES }</button> }
}

/// What presentation size adds to the page.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let presenter = store.presenter.as_deref();
    let is_connected = presenter.is_some_and(|presenter| presenter.connected);
    let notes = is_connected.then(|| Rc::new(store.notes()));
    let refused = presenter.and_then(|presenter| presenter.refused.as_deref());
    html! {
        <>
            <PressedKey />
            <Projector act={act.clone()} {notes} has_lesson={store.lesson.frame.is_some()} />
            { last_step(store) }
            { for refused.map(|address| refusal(address, act)) }
        </>
    }
}

/// The step of the solution that was played last, if the lesson's panel does not show it.
fn last_step(store: &Store) -> Html {
    let lesson = &store.lesson;
    let is_shown = lesson.shown && !store.is_folded(Panel::Sources);
    let step = lesson
        .frame
        .as_ref()
        .filter(|_| !is_shown)
        .and_then(|frame| {
            let last = lesson.steps.checked_sub(1)?;
            frame.solution.get(last)
        });
    let Some(step) = step else {
        return html! {};
    };
    // The row is low.
    let shortened = StepFrame {
        lines: essence(&step.lines),
        ..step.clone()
    };
    html! {
        <aside class="played" aria-live="polite" data-played={lesson.steps.to_string()}>
            <div class="played__step">{ notes::step_text(&shortened) }</div>
            <div class="played__note">{ blocks(&step.note, &plain) }</div>
            if lesson.is_done() { <p class="played__done">{ icon("check") }{ words::ALL_MET }</p> }
        </aside>
    }
}

/// A link of a text, as its label.
fn plain(label: &str, _: &str) -> Html {
    html! { { label } }
}

fn refusal(address: &str, act: &Callback<Action>) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::Presenter(PresenterAction::Refused(None)));
    html! {
        <div class="toast" role="alert" data-notes="refused">
            <span>{ words::NOTES_REFUSED }{ " " }<a class="link" href={address.to_owned()} target="_blank" rel="opener">{ words::NOTES }</a></span>
            <button class="btn" data-action="dismiss-notes" {onclick}>{ words::CLOSE }</button>
        </div>
    }
}

/// The action for the other window's keys.
fn step_action(forwards: bool) -> Action {
    Action::Presenter(match forwards {
        true => PresenterAction::Next,
        false => PresenterAction::Back,
    })
}
