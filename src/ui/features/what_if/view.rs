//! What if: the row of the board that asks what a change would come to, or tries it on a fork.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, InputEvent, MouseEvent, SubmitEvent, TargetCast, html};

use super::state::{MOST, TrialAction};
use crate::ui::features::board::BoardAction;
use crate::ui::parts::form::option;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words::{self, Text};
use berth_protocol::what_if::Asking;

/// Maximum number of nodes that are offered; others are typed.
const OFFERED: usize = 500;

/// The row, and the form of the chosen question.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let trial = store.board.trial.as_ref();
    let buttons = questions(store).into_iter().map(|(title, mark, begins)| {
        let name = kind(&begins);
        let is_open = trial.is_some_and(|trial| kind(trial) == name);
        let next = (!is_open).then_some(begins);
        let onclick = choose(act).reform(move |_: MouseEvent| next.clone());
        html! {
            <button class="btn btn--line btn--small" data-what-if={name} aria-expanded={is_open.to_string()} disabled={store.view.nodes.is_empty()} {onclick}>{ icon(mark) }{ title }</button>
        }
    });
    html! {
        <section class="whatif" aria-label={words::WHAT_IF}>
            <div class="whatif__row" title={words::ON_A_COPY}><h3>{ words::WHAT_IF }</h3>{ for buttons }</div>
            if let Some(trial) = trial { { form(store, trial, act) } }
        </section>
    }
}

/// The questions, each as its form begins.
fn questions(store: &Store) -> [(Text, &'static str, Asking); 8] {
    [
        (
            words::LOSE_NODES,
            "rejected",
            Asking::Lose {
                what: first(store, KindOfNodes::Zones),
            },
        ),
        (
            words::DRAIN_NODES,
            "cordon",
            Asking::Drain {
                what: first(store, KindOfNodes::Nodes),
            },
        ),
        (
            words::UPGRADE_A_POOL,
            "redo",
            Asking::Upgrade {
                pool: store.pools().pop_first().unwrap_or_default(),
                max_unavailable: 0,
                max_surge: 1,
            },
        ),
        (
            words::NODES_THAT_CAN_GO,
            "rejected-more",
            Asking::Shrink {
                pool: String::new(),
            },
        ),
        (
            words::ADD_NODES,
            "plus",
            Asking::Add {
                like: first(store, KindOfNodes::Nodes),
                count: 1,
            },
        ),
        (words::NODES_NEEDED, "waiting", Asking::Need),
        (
            words::REPLICAS_THAT_FIT,
            "feasible",
            Asking::Fit {
                workload: store.workloads().pop_first().unwrap_or_default(),
            },
        ),
        (words::PLACE_ANEW, "undo", Asking::Anew),
    ]
}

fn kind(asking: &Asking) -> &'static str {
    match asking {
        Asking::Lose { .. } | Asking::LoseEach { .. } => "lose",
        Asking::Drain { .. } | Asking::DrainEach { .. } => "drain",
        Asking::Upgrade { .. } => "upgrade",
        Asking::Shrink { .. } => "shrink",
        Asking::Add { .. } => "add",
        Asking::Need => "need",
        Asking::Fit { .. } => "fit",
        Asking::Anew => "anew",
    }
}

/// What a question about nodes names at first.
#[derive(Clone, Copy)]
enum KindOfNodes {
    Nodes,
    Zones,
}

/// The first zone, where there are some and they come first, else the first node.
fn first(store: &Store, kind: KindOfNodes) -> String {
    let zone = match kind {
        KindOfNodes::Nodes => None,
        KindOfNodes::Zones => zones(store).into_iter().next(),
    };
    zone.unwrap_or_else(|| first_node(store))
}

/// The labels of zones.
fn zones(store: &Store) -> Vec<String> {
    let key = &store.stage.group_by;
    let domains = store.domains().into_iter();
    domains.map(|value| format!("{key}={value}")).collect()
}

/// The node whose form is open, else the first one.
fn first_node(store: &Store) -> String {
    let open = store.stage.editing.clone();
    let first = store.view.nodes.first().map(|node| node.name.clone());
    open.or(first).unwrap_or_default()
}

pub(super) fn on_trial(act: &Callback<Action>) -> Callback<TrialAction> {
    act.reform(|action| Action::Board(BoardAction::WhatIf(action)))
}

fn choose(act: &Callback<Action>) -> Callback<Option<Asking>> {
    on_trial(act).reform(TrialAction::Choose)
}

fn form(store: &Store, asking: &Asking, act: &Callback<Action>) -> Html {
    let onsubmit = on_trial(act).reform(|event: SubmitEvent| {
        event.prevent_default();
        TrialAction::Ask
    });
    let tries = on_trial(act).reform(|_: MouseEvent| TrialAction::Try);
    let can_try = store.what_if(asking).is_some();
    html! {
        <form class="whatif__row" data-trial={kind(asking)} {onsubmit}>
            { fields(store, asking, act) }
            <button class="btn btn--primary btn--small" data-action="ask-what-if">{ words::ASK }</button>
            if can_try { <button type="button" class="btn btn--line btn--small" data-action="try-what-if" onclick={tries}>{ words::TRY_ON_FORK }</button> }
        </form>
    }
}

fn fields(store: &Store, asking: &Asking, act: &Callback<Action>) -> Html {
    match asking {
        Asking::Lose { what } => which_nodes(store, Some(what), None, &LOSS, act),
        Asking::LoseEach { label } => which_nodes(store, None, label.as_deref(), &LOSS, act),
        Asking::Drain { what } => which_nodes(store, Some(what), None, &DRAIN, act),
        Asking::DrainEach { label } => which_nodes(store, None, label.as_deref(), &DRAIN, act),
        Asking::Upgrade {
            pool,
            max_unavailable,
            max_surge,
        } => upgrade(store, pool, *max_unavailable, *max_surge, act),
        Asking::Shrink { pool } => {
            let changed = choose(act).reform(|pool| Some(Asking::Shrink { pool }));
            let all = Some(words::OF_ALL_NODES.get());
            let label = words::POOL_TO_SHRINK.get();
            let pool = named(label, "what-if-pool", pool, &pools(store), all, changed);
            html! { <>{ pool }<span class="muted">{ words::SHRINK_MEANS }</span></> }
        }
        Asking::Add { like, count } => {
            let (same, more) = (like.clone(), *count);
            let changed = choose(act).reform(move |like| Some(Asking::Add { like, count: more }));
            let counted = choose(act).reform(move |count| {
                let like = same.clone();
                Some(Asking::Add { like, count })
            });
            let label = words::NODE_TO_COPY.get();
            let node = named(label, "what-if-node", like, &nodes(store), None, changed);
            let count = number(
                *count,
                1,
                words::NUMBER_OF_NODES.get(),
                "what-if-count",
                &counted,
            );
            html! { <>{ count }<span>{ words::NODE_TO_COPY }</span>{ node }</> }
        }
        Asking::Fit { workload } => {
            let changed = choose(act).reform(|workload| Some(Asking::Fit { workload }));
            let known: Vec<String> = store.workloads().into_iter().take(OFFERED).collect();
            let label = words::OF_WORKLOAD.get();
            named(label, "what-if-workload", workload, &known, None, changed)
        }
        Asking::Need => html! { <span class="muted">{ words::NEED_MEANS }</span> },
        Asking::Anew => html! { <span class="muted">{ words::ANEW_MEANS }</span> },
    }
}

/// A question about these nodes, about each node, or about each zone.
struct OfNodes {
    these: fn(String) -> Asking,
    each: fn(Option<String>) -> Asking,
    /// What is named at first.
    first: KindOfNodes,
    which: Text,
    name: Text,
}

const LOSS: OfNodes = OfNodes {
    these: |what| Asking::Lose { what },
    each: |label| Asking::LoseEach { label },
    first: KindOfNodes::Zones,
    which: words::WHAT_IS_LOST,
    name: words::NODES_TO_LOSE,
};

const DRAIN: OfNodes = OfNodes {
    these: |what| Asking::Drain { what },
    each: |label| Asking::DrainEach { label },
    first: KindOfNodes::Nodes,
    which: words::WHAT_IS_DRAINED,
    name: words::NODES_TO_DRAIN,
};

/// `what`: the nodes that are named; without it, each value of the label in turn, or each node.
fn which_nodes(
    store: &Store,
    what: Option<&str>,
    label: Option<&str>,
    asks: &OfNodes,
    act: &Callback<Action>,
) -> Html {
    let key = store.stage.group_by.clone();
    let now = match (what, label) {
        (Some(_), _) => "one",
        (None, None) => "node",
        (None, Some(_)) => "zone",
    };
    let choices = [
        ("one", words::THESE_NODES.get().to_owned()),
        ("node", words::EACH_NODE.get().to_owned()),
        ("zone", words::each_value(&key)),
    ];
    let has_zones = !zones(store).is_empty();
    let options = choices
        .into_iter()
        .filter(|(name, _)| *name != "zone" || has_zones)
        .map(|(name, title)| option(name, &title, name == now));
    let (these, each) = (asks.these, asks.each);
    let begins = first(store, asks.first);
    let chosen = choose(act).reform(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        Some(match select.map(|select| select.value()).as_deref() {
            Some("node") => each(None),
            Some("zone") => each(Some(key.clone())),
            Some(_) | None => these(begins.clone()),
        })
    });
    let changed = choose(act).reform(move |what| Some(these(what)));
    let known: Vec<String> = zones(store).into_iter().chain(nodes(store)).collect();
    let name = asks.name.get();
    html! {
        <>
            <select class="field" data-field="what-if-of" aria-label={asks.which} onchange={chosen}>{ for options }</select>
            if let Some(what) = what { { named(name, "what-if-node", what, &known, None, changed) } }
        </>
    }
}

/// A pool, and the sizes of its batches.
fn upgrade(
    store: &Store,
    pool: &str,
    max_unavailable: u32,
    max_surge: u32,
    act: &Callback<Action>,
) -> Html {
    let asks = |pool: String, max_unavailable, max_surge| {
        Some(Asking::Upgrade {
            pool,
            max_unavailable,
            max_surge,
        })
    };
    let same = pool.to_owned();
    let surges = {
        let same = same.clone();
        choose(act).reform(move |surge| asks(same.clone(), max_unavailable, surge))
    };
    let misses = choose(act).reform(move |missing| asks(same.clone(), missing, max_surge));
    let changed = choose(act).reform(move |pool| asks(pool, max_unavailable, max_surge));
    let label = words::POOL_TO_UPGRADE.get();
    let [more, fewer] = [words::NEW_NODES_FIRST, words::NODES_MISSING];
    html! {
        <>
            { named(label, "what-if-pool", pool, &pools(store), None, changed) }
            <span>{ more }</span>{ number(max_surge, 0, more.get(), "what-if-surge", &surges) }
            <span>{ fewer }</span>{ number(max_unavailable, 0, fewer.get(), "what-if-unavailable", &misses) }
        </>
    }
}

/// The names of the pools, and the labels of zones.
fn pools(store: &Store) -> Vec<String> {
    store.pools().into_iter().chain(zones(store)).collect()
}

/// The names of the first nodes.
fn nodes(store: &Store) -> Vec<String> {
    let nodes = store.view.nodes.iter().take(OFFERED);
    nodes.map(|node| node.name.clone()).collect()
}

/// A name, typed or picked. `none`: what is meant if it is left empty; without it, a name is required.
fn named(
    label: &'static str,
    field: &'static str,
    value: &str,
    known: &[String],
    none: Option<&'static str>,
    changed: Callback<String>,
) -> Html {
    let typed = changed.reform(|event: InputEvent| {
        let field = event.target_dyn_into::<HtmlInputElement>();
        field.map(|field| field.value()).unwrap_or_default()
    });
    let list = format!("{field}s");
    let names = known
        .iter()
        .map(|name| html! { <option value={name.clone()} /> });
    html! {
        <>
            <input class="field" list={list.clone()} data-field={field} aria-label={label} value={value.to_owned()} oninput={typed} required={none.is_none()} placeholder={none} spellcheck="false" autocomplete="off" />
            <datalist id={list}>{ for names }</datalist>
        </>
    }
}

/// − 1 +
fn number(
    count: u32,
    least: u32,
    title: &'static str,
    field: &'static str,
    changed: &Callback<u32>,
) -> Html {
    let step = |to: u32| changed.reform(move |_: MouseEvent| to);
    let typed = changed.reform(move |event: InputEvent| {
        let field = event.target_dyn_into::<HtmlInputElement>();
        let typed = field.and_then(|field| field.value().parse().ok());
        typed.unwrap_or(count).clamp(least, MOST)
    });
    let nodes = words::NODES.get();
    html! {
        <span class="stepnum">
            <button type="button" aria-label={words::fewer(nodes)} tabindex="-1" onclick={step(count.saturating_sub(1).max(least))}>{ "−" }</button>
            <input type="number" min={least.to_string()} max={MOST.to_string()} value={count.to_string()} aria-label={title} data-field={field} oninput={typed} />
            <button type="button" aria-label={words::another(nodes)} tabindex="-1" onclick={step((count + 1).min(MOST))}>{ "+" }</button>
        </span>
    }
}
