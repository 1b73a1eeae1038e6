//! Dialogs over the page: the gallery, help, the finder, and the scenario's description.

use yew::{Callback, Event, Html, MouseEvent, html};

use crate::ui::features::{compare, course, export, finder, gallery, handout, share};

use crate::ui::load::locate;
use crate::ui::parts::focus::{Focused, closes_on_escape};
use crate::ui::parts::icon::action;
use crate::ui::store::{Action, Dialog, PageAction, Store};
use crate::words;
use berth_protocol::frame::AboutFrame;

/// The open dialog, if any.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let dialog = store.page.dialog;
    dialog.map_or_else(|| html! {}, |dialog| content(store, dialog, act))
}

/// A first visit opens none.
#[inline(never)]
fn content(store: &Store, dialog: Dialog, act: &Callback<Action>) -> Html {
    let (title, body) = match dialog {
        Dialog::Examples => return gallery::view(store, act),
        Dialog::Course => return course::view(store, act),
        Dialog::Help => (words::HELP, help(store, act)),
        Dialog::Kept => (words::KEPT_HERE, kept(store, act)),
        Dialog::Find => (words::FIND, finder::view(store, act)),
        Dialog::Share => (words::SHARE, share::view(store, act)),
        Dialog::Export => (words::EXPORT, export::view(store, act)),
        Dialog::Handout => (words::HANDOUTS, handout::view(store, act)),
        Dialog::Compare(topic) => (
            words::compare::COMPARE_TITLE,
            compare::form::view(store, topic, act),
        ),
        Dialog::About => (
            words::ABOUT,
            about(&store.view.head.title, &store.view.about),
        ),
    };
    let close = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(Action::Page(PageAction::Show(None))))
    };
    let onkeydown = closes_on_escape(act);
    let inside = Callback::from(|event: MouseEvent| event.stop_propagation());
    html! {
        <div class="veil" onclick={close} {onkeydown}>
            <Focused keeps=true><section class="dialog" role="dialog" aria-modal="true" aria-label={title} onclick={inside}>
                <div class="panel__head">
                    <h2 class="panel__title">{ title }</h2><span class="push" />
                    { action("close", words::CLOSE.get(), "close", false, act, Action::Page(PageAction::Show(None))) }
                </div>
                <div class="dialog__body" tabindex="0">{ body }</div>
            </section></Focused>
        </div>
    }
}

/// The author's description of the scenario; each hint opens on a click.
fn about(title: &str, about: &AboutFrame) -> Html {
    let hints = about.hints.iter().enumerate().map(|(position, hint)| {
        html! { <details class="hint"><summary>{ words::hint(position + 1, about.hints.len()) }</summary><p>{ prose(hint) }</p></details> }
    });
    let paragraphs = about.description.trim().split("\n\n");
    html! {
        <div class="about">
            <h3>{ title }</h3>
            { for paragraphs.map(|text| html! { <p>{ prose(text) }</p> }) }
            { for hints }
        </div>
    }
}

/// Renders text between backticks as code; other markup is kept verbatim.
fn prose(text: &str) -> Html {
    let parts = text
        .split('`')
        .enumerate()
        .map(|(position, part)| match position % 2 {
            0 => html! { { part } },
            _ => html! { <code>{ part }</code> },
        });
    html! { <>{ for parts }</> }
}

/// What the browser keeps, and the button that removes it.
fn kept(store: &Store, act: &Callback<Action>) -> Html {
    let forget = act.reform(|_: MouseEvent| Action::Page(PageAction::Forget));
    html! {
        <div class="about">
            <p>{ store.page.keeping.sentence() }</p>
            <p>{ words::KEPT_WHAT }</p>
            <p>{ words::KEPT_SHARED }</p>
            <p><button class="btn btn--primary" data-action="forget" onclick={forget}>{ words::FORGET }</button></p>
        </div>
    }
}

fn help(store: &Store, act: &Callback<Action>) -> Html {
    let rows = words::KEYS.iter().map(|(keys, what)| {
        let keys = keys
            .split(' ')
            .map(|key| html! { <><kbd>{ key }</kbd>{ " " }</> });
        html! { <tr><th scope="row">{ for keys }</th><td>{ *what }</td></tr> }
    });
    let off = store.page.keys_off;
    let onchange = act.reform(move |_: Event| Action::Page(PageAction::KeysOff(!off)));
    html! {
        <>
            <label class="keys__switch"><input type="checkbox" data-field="single-keys" checked={!off} {onchange} />{ " " }{ words::SINGLE_KEYS }</label>
            <table class="keys">
                <caption class="visually-hidden">{ words::HELP }</caption>
                <tbody>{ for rows }</tbody>
            </table>
            <p class="note">{ words::explain::LEFT_OUT }</p>
            <p class="note">{ words::PRIVATE }</p>
            <p class="note"><a class="link" href={locate("./THIRD-PARTY.txt")} target="_blank">{ words::THIRD_PARTY }</a></p>
        </>
    }
}
