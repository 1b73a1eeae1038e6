//! The cluster's mode in the top bar; its clock and the list of happenings in the timeline.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlElement, Node};
use yew::{Callback, Html, KeyboardEvent, MouseEvent, TargetCast, html};

use crate::ui::store::{Action, EditAction, Store};
use crate::words;
use berth_protocol::happening::What;

/// In a simulated cluster, the clock and the list of happenings; in a frame also the switch, which the whole page has in
/// its top bar.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    html! {
        <span class="living">
            if store.page.embed.is_some() { { mode(store, act) } }
            if let Some(now) = store.view.head.now_ms { { time(store, now, act) } }
        </span>
    }
}

/// The switch between modes.
pub fn mode(store: &Store, act: &Callback<Action>) -> Html {
    let now = store.view.head.now_ms;
    let kinds = [
        (false, words::SCHEDULE_ONLY, words::SCHEDULE_ONLY_SHORT),
        (true, words::LIVING, words::LIVING_SHORT),
    ];
    let buttons = kinds.map(|(live, name, short)| {
        let onclick = act.reform(move |_: MouseEvent| Action::Edit(EditAction::Live(live)));
        let chosen = now.is_some() == live;
        html! { <button role="radio" aria-checked={chosen.to_string()} aria-label={name} title={name} data-live={live.to_string()} {onclick}><span class="seg__long">{ name }</span><span class="seg__short">{ short }</span></button> }
    });
    html! { <span class="seg mode" role="radiogroup" aria-label={words::TIME}>{ for buttons }</span> }
}

#[inline(never)]
fn time(store: &Store, now: i64, act: &Callback<Action>) -> Html {
    let anew = act.reform(|_: MouseEvent| Action::Edit(EditAction::BeginAnew));
    let happened = &store.view.head.happened;
    let lines = happened.iter().map(|happening| {
        let at = words::clock(happening.at_ms);
        let quotes = matches!(happening.what, What::Event { .. });
        html! { <li><time>{ at }</time><span translate={quotes.then_some("no")}>{ words::happening(&happening.what) }</span></li> }
    });
    html! {
        <>
            <button class="btn btn--line" data-action="begin-anew" title={words::BEGIN_ANEW_MEANS} onclick={anew}>{ words::BEGIN_ANEW }</button>
            <output class="clock" aria-label={words::CLOCK} title={words::CLOCK} data-now={now.to_string()}>{ words::clock(now) }</output>
            if let Some(due) = store.rests_until() {
                <span class="clock__next" aria-hidden="true" title={words::rests_until(due)}>{ "→ " }{ words::clock(due.at_ms) }</span>
            }
            <details class="happened" data-happened={happened.len().to_string()} onkeydown={closes()} onfocusout={leaves()}>
                <summary class="btn btn--line">{ words::HAPPENED }</summary>
                <div class="happened__list" tabindex="0" role="region" aria-label={words::HAPPENED}>
                    if happened.is_empty() { <p class="muted">{ words::NOTHING_HAPPENED }</p> }
                    <ol>{ for lines }</ol>
                </div>
            </details>
        </>
    }
}

/// Closes the list on Escape, and stops the event's propagation.
fn closes() -> Callback<KeyboardEvent> {
    Callback::from(|event: KeyboardEvent| {
        let open = (event.key() == "Escape").then(|| open_list(event.target_dyn_into()));
        let Some(list) = open.flatten() else {
            return;
        };
        event.stop_propagation();
        let _ = list.remove_attribute("open");
        let summary = list.query_selector("summary").ok().flatten();
        if let Some(summary) = summary.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            let _ = summary.focus();
        }
    })
}

/// The list closes when the focus leaves it.
fn leaves() -> Callback<FocusEvent> {
    Callback::from(|event: FocusEvent| {
        let to = event.related_target();
        let to = to.and_then(|to| to.dyn_into::<Node>().ok());
        let list = open_list(event.target_dyn_into());
        if let Some(list) = list.filter(|list| !list.contains(to.as_ref())) {
            let _ = list.remove_attribute("open");
        }
    })
}

/// The list around an element, if it is open.
fn open_list(inside: Option<Element>) -> Option<Element> {
    inside?.closest("details[open]").ok().flatten()
}
