//! The head of one side: its name, version and seed, what its settings are, and what waits.

use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, TargetCast, classes, html};

use super::{send, settings};
use crate::ui::features::compare::{Compare, CompareAction};
use crate::ui::parts::icon::icon;
use crate::ui::parts::pod::{Kind, block_as};
use crate::ui::store::{Action, Store};
use crate::words::compare as words;
use berth_protocol::compare::{Origin, Side, Which};

/// Maximum number of waiting Pods drawn.
const BLOCKS: usize = 2;
/// Maximum number of settings drawn.
const CHIPS: usize = 3;

pub fn head(
    store: &Store,
    compare: &Compare,
    which: Which,
    act: &Callback<Action>,
    on_side: &Callback<Action>,
) -> Html {
    let side = compare.pairing.side(which);
    let letter = which.letter();
    let name = settings::name(side);
    html! {
        <header class="side__head">
            <div class="side__row">
                <b class="side__letter" aria-hidden="true">{ letter }</b>
                <h2 class="side__name clip" id={format!("side-{letter}")} title={name.clone()}><span class="visually-hidden">{ letter }{ ": " }</span>{ name }</h2>
                <span class="push" />
                if side.from == Origin::Manifests {
                    { versions(store, compare, which, act) }
                    { seed(store, compare, which, act) }
                }
            </div>
            <div class="side__row">
                { chips(compare, which, act) }
                <span class="push" />
                { waiting(compare, which, on_side) }
            </div>
        </header>
    }
}

/// The action that changes a side.
fn change(compare: &Compare, which: Which, edit: impl FnOnce(&mut Side)) -> Action {
    let mut side = compare.pairing.side(which).clone();
    edit(&mut side);
    Action::Compare(CompareAction::Change(which, Box::new(side)))
}

fn versions(store: &Store, compare: &Compare, which: Which, act: &Callback<Action>) -> Html {
    let now = &compare.side(which).view.head.release.minor;
    let label = words::of_side(crate::words::RELEASE.get(), which);
    let versions = store.view.head.release.known.iter().map(|known| {
        let minor = &known.minor;
        let to = minor.clone();
        let action = change(compare, which, |side| side.kubernetes = Some(to));
        let (act, checked) = (act.clone(), minor == now);
        let onclick = Callback::from(move |_| {
            if !checked {
                act.emit(action.clone());
            }
        });
        html! { <button role="radio" aria-checked={checked.to_string()} {onclick}>{ format!("v{minor}") }</button> }
    });
    html! { <span class="seg seg--small" role="radiogroup" aria-label={label}>{ for versions }</span> }
}

fn seed(store: &Store, compare: &Compare, which: Which, act: &Callback<Action>) -> Html {
    let side = compare.pairing.side(which).clone();
    let value = side.seed.unwrap_or(store.view.head.seed).to_string();
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        if let Some(seed) = input.and_then(|input| input.value().trim().parse().ok()) {
            let side = Box::new(Side {
                seed: Some(seed),
                ..side.clone()
            });
            act.emit(Action::Compare(CompareAction::Change(which, side)));
        }
    });
    html! {
        <label class="side__seed">{ words::SEED }
            <input class="field field--mono" inputmode="numeric" {value} aria-label={words::of_side(words::SEED.get(), which)} data-field={format!("seed-{}", which.letter())} {onchange} />
        </label>
    }
}

/// The settings of the side; those that differ are underlined.
fn chips(compare: &Compare, which: Which, act: &Callback<Action>) -> Html {
    let differ = settings::differing(compare);
    let chips = settings::chips(compare, which);
    let chips = chips.into_iter().take(CHIPS).map(|(text, differs)| {
        html! { <span class={classes!("chip", differs.then_some("chip--differs"))} title={text.clone()}><span>{ text }</span></span> }
    });
    let note = match (which, differ.len()) {
        (Which::A, _) => html! {},
        (Which::B, 0) => html! { <span class="side__same">{ words::NO_SETTINGS }</span> },
        (Which::B, differ) => {
            let shown = compare.shows_settings;
            let onclick = send(act, CompareAction::Settings(!shown));
            html! { <button class="link side__same" data-action="settings" aria-expanded={shown.to_string()} {onclick}>{ words::settings(differ) }</button> }
        }
    };
    html! { <>{ for chips }{ note }</> }
}

fn waiting(compare: &Compare, which: Which, on_side: &Callback<Action>) -> Html {
    let side = compare.side(which);
    let view = &side.view;
    let pending = view.pods.iter().filter(|pod| pod.node.is_none());
    let count = pending.clone().count();
    if !compare.is_done() {
        return html! {};
    }
    if count == 0 {
        return html! { <span class="pair__queue">{ icon("feasible") }{ words::NONE_WAITING }</span> };
    }
    let marks = &compare.elsewhere[which as usize];
    // Those that came out differently first.
    let (moved, others): (Vec<_>, Vec<_>) =
        pending.partition(|pod| marks.places.contains_key(&pod.key));
    let blocks = moved.iter().chain(&others).take(BLOCKS).map(|pod| {
        let there = marks.places.get(&pod.key);
        let note = there.map(|place| words::in_other(which.other(), place));
        let chosen = compare.pod.as_ref() == Some(&pod.key);
        let more = there.is_some().then_some("pod--moved");
        block_as(
            pod,
            &view.owners,
            chosen,
            Kind::Queued,
            more,
            note.as_deref(),
            on_side,
        )
    });
    html! {
        <span class="pair__queue">{ icon("waiting") }<span>{ words::waiting(count) }</span>{ for blocks }</span>
    }
}
