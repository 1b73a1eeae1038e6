//! The gallery: the visitor's own cluster, an empty one, or an example.

use std::collections::BTreeSet;

use web_sys::{ClipboardEvent, HtmlInputElement, HtmlTextAreaElement};
use yew::{AttrValue, Callback, Html, InputEvent, MouseEvent, NodeRef, TargetCast, html};

use crate::ui::engine::{device_dump_command, dump_command};
use crate::ui::features::course;
use crate::ui::parts::focus::{Focused, closes_on_escape};
use crate::ui::parts::icon::action;
use crate::ui::store::{Action, EditAction, Example, PageAction, Store};
use crate::ui::styles;
use crate::words;
use web_sys::wasm_bindgen::JsCast;

/// The gallery, over the page.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    styles::load(styles::GALLERY);
    let onkeydown = closes_on_escape(act);
    let groups = groups(store, act);
    html! {
        <Focused keeps=true><section class="welcome" role="dialog" aria-modal="true" aria-label={words::EXAMPLES} {onkeydown}>
            <div class="welcome__in">
                <div class="welcome__top">
                    <div>
                        <h2 class="welcome__title">{ words::GALLERY_TITLE }</h2>
                        <p class="welcome__lead">{ words::gallery_lead(&store.view.head.release.minor) }</p>
                    </div>
                    { entry_buttons(store, act) }
                </div>
                if store.page.pastes { { paste(act) } }
                if store.page.examples_missing {
                    <p class="note" role="alert" data-examples="missing">{ words::NO_EXAMPLES }</p>
                } else if store.page.examples.is_empty() {
                    <p class="note">{ words::LOADING }</p>
                } else {
                    { filter(store, act) }
                    if groups.is_empty() { <p class="note" role="status">{ words::NO_SUCH_EXAMPLE }</p> }
                    { for groups }
                }
            </div>
        </section></Focused>
    }
}

/// The examples that the filter leaves, below the question that they answer.
fn groups(store: &Store, act: &Callback<Action>) -> Vec<Html> {
    let filter = &store.page.filter;
    let examples = store.page.examples.iter().enumerate();
    let shown: Vec<(usize, &Example)> = examples
        .filter(|(_, example)| example.has(filter))
        .collect();
    let same = |a: &(usize, &Example), b: &(usize, &Example)| a.1.question == b.1.question;
    let groups = shown.chunk_by(same).map(|group| {
        let question = group.first().map(|(_, example)| example.question.as_str());
        let cards = group
            .iter()
            .map(|(position, example)| card(*position, example, filter, act));
        html! {
            <section class="gallery__group">
                <h3 class="gallery__question">{ for question }</h3>
                <ul class="gallery">{ for cards }</ul>
            </section>
        }
    });
    groups.collect()
}

fn entry_buttons(store: &Store, act: &Callback<Action>) -> Html {
    let pastes = store.page.pastes;
    let here = act.reform(move |_: MouseEvent| Action::Page(PageAction::PasteHere(!pastes)));
    let empty = act.reform(|_: MouseEvent| Action::Edit(EditAction::Open(words::empty_scenario())));
    let (begins, label) = course::entry(&store.lesson);
    let begin = act.reform(move |_: MouseEvent| begins.clone());
    html! {
        <div class="doors">
            <button class="btn btn--line" data-action="paste-cluster" aria-expanded={pastes.to_string()} onclick={here}>{ words::PASTE_CLUSTER }</button>
            <button class="btn btn--line" data-action="start-empty" onclick={empty}>{ words::START_EMPTY }</button>
            <button class="btn btn--primary" data-action="begin-lesson" data-first="" onclick={begin}>{ label }</button>
            { action("close", words::CLOSE.get(), "close", false, act, Action::Page(PageAction::Show(None))) }
        </div>
    }
}

fn filter(store: &Store, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
            act.emit(Action::Page(PageAction::Filter(field.value())));
        }
    });
    let pictures = store
        .page
        .examples
        .iter()
        .filter_map(|example| example.picture.as_ref());
    let known = pictures.flat_map(|picture| {
        let names = picture.releases.iter().chain(&picture.plugins);
        names.chain(&picture.messages)
    });
    let known: BTreeSet<&String> = known.collect();
    let known = known
        .into_iter()
        .map(|name| html! { <option value={name.clone()} /> });
    html! {
        <div class="gallery__tools">
        <input class="field gallery__filter" list="known" type="search" data-field="filter" aria-label={words::FILTER_EXAMPLES} placeholder={words::FILTER_EXAMPLES} value={store.page.filter.clone()} {oninput} />
        <datalist id="known">{ for known }</datalist>
        <p class="note">{ words::DECIDES }</p>
        </div>
    }
}

/// The field for a cluster: what is pasted is opened at once.
fn paste(act: &Callback<Action>) -> Html {
    let onpaste = {
        let act = act.clone();
        Callback::from(move |event: yew::Event| {
            let pasted = event.dyn_ref::<ClipboardEvent>();
            let data = pasted.and_then(ClipboardEvent::clipboard_data);
            let text = data.and_then(|data| data.get_data("text").ok());
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                event.prevent_default();
                act.emit(Action::Edit(EditAction::Open(text)));
            }
        })
    };
    let field = NodeRef::default();
    let onclick = {
        let (act, field) = (act.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            let text = field
                .cast::<HtmlTextAreaElement>()
                .map(|field| field.value());
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                act.emit(Action::Edit(EditAction::Open(text)));
            } else if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                // An element that is shown takes the focus.
                field.focus().ok();
            }
        })
    };
    html! {
        <div class="welcome__paste">
            <label class="welcome__label" for="cluster">{ words::PASTE_HERE }{ " " }<code>{ dump_command() }</code></label>
            <p class="note">{ words::PASTE_DEVICES }{ " " }<code>{ device_dump_command() }</code></p>
            <textarea id="cluster" class="field field--mono" data-field="cluster" data-place="cluster" rows="4" spellcheck="false" ref={field} {onpaste} />
            <div class="welcome__row"><button class="btn btn--primary" data-action="open-cluster" {onclick}>{ words::OPEN_FILES }</button><span class="note">{ words::PRIVATE }</span></div>
        </div>
    }
}

fn card(position: usize, example: &Example, filter: &str, act: &Callback<Action>) -> Html {
    let slug = example.slug.clone();
    let onclick =
        act.reform(move |_: MouseEvent| Action::Page(PageAction::OpenExample(slug.clone())));
    let picture = example.picture.as_ref();
    let size = picture.map(|picture| words::size_of(picture.nodes, picture.pods, picture.waiting));
    let art = picture.map(|picture| {
        // Published with the page, as its code is.
        Html::from_html_unchecked(AttrValue::from(picture.svg.clone()))
    });
    html! {
        <li class="gallery__item">
            <button class="card" data-example={example.slug.clone()} {onclick}>
                <span class="card__n"><span>{ position + 1 }</span><span>{ for size }</span></span>
                <span class="card__art">{ for art }</span>
                <b class="card__title">{ &example.title }</b>
                <span class="card__teaser">{ &example.teaser }</span>
                if let Some(message) = example.message_in(filter) { <code class="card__message">{ message }</code> }
            </button>
        </li>
    }
}
