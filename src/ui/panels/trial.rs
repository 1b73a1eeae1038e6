//! What if: the row of the board that tries a drain, a lost zone or more nodes on a fork.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, InputEvent, MouseEvent, SubmitEvent, TargetCast, html};

use crate::ui::parts::form::option;
use crate::ui::parts::icon::icon;
use crate::ui::store::trial::{MOST, Trial, TrialAction};
use crate::ui::store::{Action, BoardAction, Store};
use crate::words;

/// Maximum number of nodes that are offered; others are typed.
const OFFERED: usize = 500;

/// The row, and the form of the chosen trial.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let trial = store.board.trial.as_ref();
    let zones = store.domains();
    let node = || first_node(store);
    let kinds = [
        (
            "drain",
            "cordon",
            words::DRAIN_A_NODE,
            Trial::Drain { node: node() },
        ),
        (
            "lose",
            "rejected",
            words::LOSE_A_ZONE,
            Trial::Lose {
                zone: zones.first().cloned().unwrap_or_default(),
            },
        ),
        (
            "add",
            "plus",
            words::ADD_NODES,
            Trial::Add {
                like: node(),
                count: 1,
            },
        ),
    ];
    let buttons = kinds.into_iter().map(|(name, mark, title, begins)| {
        let is_open = trial.is_some_and(|trial| kind(trial) == name);
        let next = (!is_open).then_some(begins);
        let onclick = choose(act).reform(move |_: MouseEvent| next.clone());
        html! {
            <button class="btn btn--line btn--small" data-what-if={name} aria-expanded={is_open.to_string()} disabled={store.view.nodes.is_empty()} {onclick}>{ icon(mark) }{ title }</button>
        }
    });
    html! {
        <section class="whatif" aria-label={words::WHAT_IF}>
            <div class="whatif__row"><h3>{ words::WHAT_IF }</h3>{ for buttons }<span class="push muted clip">{ words::RUNS_ON_FORK }</span></div>
            if let Some(trial) = trial { { form(store, trial, &zones, act) } }
        </section>
    }
}

fn kind(trial: &Trial) -> &'static str {
    match trial {
        Trial::Drain { .. } => "drain",
        Trial::Lose { .. } => "lose",
        Trial::Add { .. } => "add",
    }
}

/// The node whose form is open, else the first one.
fn first_node(store: &Store) -> String {
    let open = store.stage.editing.clone();
    let first = store.view.nodes.first().map(|node| node.name.clone());
    open.or(first).unwrap_or_default()
}

fn choose(act: &Callback<Action>) -> Callback<Option<Trial>> {
    act.reform(|trial| Action::Board(BoardAction::WhatIf(TrialAction::Choose(trial))))
}

fn form(store: &Store, trial: &Trial, zones: &[String], act: &Callback<Action>) -> Html {
    let onsubmit = act.reform(|event: SubmitEvent| {
        event.prevent_default();
        Action::Board(BoardAction::WhatIf(TrialAction::Try))
    });
    let is_possible = !matches!(trial, Trial::Lose { zone } if zone.is_empty());
    let fields = match trial {
        Trial::Drain { node } => {
            let changed = choose(act).reform(|node| Some(Trial::Drain { node }));
            nodes(store, words::NODE_TO_DRAIN.get(), node, changed)
        }
        Trial::Lose { zone } if zone.is_empty() => {
            html! { <span class="muted">{ words::no_zones(&store.stage.group_by) }</span> }
        }
        Trial::Lose { zone } => {
            let changed = choose(act).reform(|zone| Some(Trial::Lose { zone }));
            let changed = changed.reform(|event: Event| {
                let select = event.target_dyn_into::<HtmlSelectElement>();
                select.map(|select| select.value()).unwrap_or_default()
            });
            let options = zones
                .iter()
                .map(|value| option(value, value, value == zone));
            html! { <select class="field" data-field="lose-zone" aria-label={words::ZONE_TO_LOSE} onchange={changed}>{ for options }</select> }
        }
        Trial::Add { like, count } => {
            let (same, more) = (like.clone(), *count);
            let changed = choose(act).reform(move |like| Some(Trial::Add { like, count: more }));
            let counted = choose(act).reform(move |count| {
                let like = same.clone();
                Some(Trial::Add { like, count })
            });
            html! { <>{ number(*count, &counted) }<span>{ words::NODE_TO_COPY }</span>{ nodes(store, words::NODE_TO_COPY.get(), like, changed) }</> }
        }
    };
    html! {
        <form class="whatif__row" data-trial={kind(trial)} {onsubmit}>
            { fields }
            <button class="btn btn--primary btn--small" data-action="try-what-if" disabled={!is_possible}>{ words::TRY_ON_FORK }</button>
        </form>
    }
}

/// The name of a node, typed or picked.
fn nodes(store: &Store, label: &'static str, node: &str, changed: Callback<String>) -> Html {
    let typed = changed.reform(|event: InputEvent| {
        let field = event.target_dyn_into::<HtmlInputElement>();
        field.map(|field| field.value()).unwrap_or_default()
    });
    let names = store
        .view
        .nodes
        .iter()
        .take(OFFERED)
        .map(|node| html! { <option value={node.name.clone()} /> });
    html! {
        <>
            <input class="field" list="what-if-nodes" data-field="what-if-node" aria-label={label} value={node.to_owned()} oninput={typed} required=true spellcheck="false" autocomplete="off" />
            <datalist id="what-if-nodes">{ for names }</datalist>
        </>
    }
}

/// − 1 +
fn number(count: u32, changed: &Callback<u32>) -> Html {
    let step = |to: u32| changed.reform(move |_: MouseEvent| to);
    let typed = changed.reform(move |event: InputEvent| {
        let field = event.target_dyn_into::<HtmlInputElement>();
        let typed = field.and_then(|field| field.value().parse().ok());
        typed.unwrap_or(count).clamp(1, MOST)
    });
    let title = words::NODES.get();
    html! {
        <span class="stepnum">
            <button type="button" aria-label={words::fewer(title)} tabindex="-1" onclick={step(count.saturating_sub(1).max(1))}>{ "−" }</button>
            <input type="number" min="1" max={MOST.to_string()} value={count.to_string()} aria-label={words::NUMBER_OF_NODES} data-field="what-if-count" oninput={typed} />
            <button type="button" aria-label={words::another(title)} tabindex="-1" onclick={step((count + 1).min(MOST))}>{ "+" }</button>
        </span>
    }
}
