//! What if: the row of the board that asks what a change would come to, or tries it on a fork, and the answer.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, InputEvent, MouseEvent, SubmitEvent, TargetCast, classes, html};

use super::state::{Asked, MOST, Of, Trial, TrialAction};
use crate::export::what_if::{Listing, told};
use crate::ui::features::board::BoardAction;
use crate::ui::parts::form::option;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::what_if::Answered;

/// Maximum number of nodes that are offered; others are typed.
const OFFERED: usize = 500;

/// Maximum number of rows of an answer that are drawn; the rest is counted.
const ROWS: usize = 200;

/// The row, and the form of the chosen trial.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let trial = store.board.trial.as_ref();
    let node = || first_node(store);
    let kinds = [
        (
            words::LOSE_NODES,
            "rejected",
            Trial::Lose {
                what: first_zone(store).unwrap_or_else(node),
                of: Of::One,
            },
        ),
        (words::DRAIN_A_NODE, "cordon", Trial::Drain { node: node() }),
        (
            words::ADD_NODES,
            "plus",
            Trial::Add {
                like: node(),
                count: 1,
            },
        ),
        (words::NODES_NEEDED, "waiting", Trial::Need),
        (
            words::REPLICAS_THAT_FIT,
            "feasible",
            Trial::Fit {
                workload: store.workloads().pop_first().unwrap_or_default(),
            },
        ),
        (words::PLACE_ANEW, "undo", Trial::Anew),
    ];
    let buttons = kinds.into_iter().map(|(title, mark, begins)| {
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

fn kind(trial: &Trial) -> &'static str {
    match trial {
        Trial::Drain { .. } => "drain",
        Trial::Lose { .. } => "lose",
        Trial::Add { .. } => "add",
        Trial::Need => "need",
        Trial::Fit { .. } => "fit",
        Trial::Anew => "anew",
    }
}

/// The first zone that a node has, as a label.
fn first_zone(store: &Store) -> Option<String> {
    zones(store).into_iter().next()
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

fn on_trial(act: &Callback<Action>) -> Callback<TrialAction> {
    act.reform(|action| Action::Board(BoardAction::WhatIf(action)))
}

fn choose(act: &Callback<Action>) -> Callback<Option<Trial>> {
    on_trial(act).reform(TrialAction::Choose)
}

fn form(store: &Store, trial: &Trial, act: &Callback<Action>) -> Html {
    let is_asked = !matches!(trial, Trial::Drain { .. });
    let submitted = match is_asked {
        true => TrialAction::Ask,
        false => TrialAction::Try,
    };
    let onsubmit = on_trial(act).reform(move |event: SubmitEvent| {
        event.prevent_default();
        submitted.clone()
    });
    let tries = on_trial(act).reform(|_: MouseEvent| TrialAction::Try);
    let can_try = store.what_if(trial).is_some();
    html! {
        <form class="whatif__row" data-trial={kind(trial)} {onsubmit}>
            { fields(store, trial, act) }
            if is_asked { <button class="btn btn--primary btn--small" data-action="ask-what-if">{ words::ASK }</button> }
            if can_try || !is_asked { <button type="button" class={classes!("btn", "btn--small", if is_asked { "btn--line" } else { "btn--primary" })} data-action="try-what-if" disabled={!can_try} onclick={tries}>{ words::TRY_ON_FORK }</button> }
        </form>
    }
}

fn fields(store: &Store, trial: &Trial, act: &Callback<Action>) -> Html {
    match trial {
        Trial::Drain { node } => {
            let changed = choose(act).reform(|node| Some(Trial::Drain { node }));
            named(
                words::NODE_TO_DRAIN.get(),
                "what-if-node",
                node,
                &nodes(store),
                changed,
            )
        }
        Trial::Lose { what, of } => lose(store, what, *of, act),
        Trial::Add { like, count } => {
            let (same, more) = (like.clone(), *count);
            let changed = choose(act).reform(move |like| Some(Trial::Add { like, count: more }));
            let counted = choose(act).reform(move |count| {
                let like = same.clone();
                Some(Trial::Add { like, count })
            });
            let label = words::NODE_TO_COPY.get();
            let node = named(label, "what-if-node", like, &nodes(store), changed);
            html! { <>{ number(*count, &counted) }<span>{ words::NODE_TO_COPY }</span>{ node }</> }
        }
        Trial::Fit { workload } => {
            let changed = choose(act).reform(|workload| Some(Trial::Fit { workload }));
            let known: Vec<String> = store.workloads().into_iter().take(OFFERED).collect();
            let label = words::OF_WORKLOAD.get();
            named(label, "what-if-workload", workload, &known, changed)
        }
        Trial::Need => html! { <span class="muted">{ words::NEED_MEANS }</span> },
        Trial::Anew => html! { <span class="muted">{ words::ANEW_MEANS }</span> },
    }
}

/// What is lost: nodes, each node, or each zone.
fn lose(store: &Store, what: &str, of: Of, act: &Callback<Action>) -> Html {
    let choices = [
        (Of::One, "one", words::THESE_NODES.get().to_owned()),
        (Of::EachNode, "node", words::EACH_NODE.get().to_owned()),
        (
            Of::EachZone,
            "zone",
            words::each_value(&store.stage.group_by),
        ),
    ];
    let has_zones = first_zone(store).is_some();
    let choices = choices
        .into_iter()
        .filter(|(of, ..)| *of != Of::EachZone || has_zones);
    let options: Vec<Html> = choices
        .map(|(each, name, title)| option(name, &title, each == of))
        .collect();
    let same = what.to_owned();
    let chosen = choose(act).reform(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let of = match select.map(|select| select.value()).as_deref() {
            Some("node") => Of::EachNode,
            Some("zone") => Of::EachZone,
            Some(_) | None => Of::One,
        };
        let what = same.clone();
        Some(Trial::Lose { what, of })
    });
    let changed = choose(act).reform(|what| {
        let of = Of::One;
        Some(Trial::Lose { what, of })
    });
    let known: Vec<String> = zones(store).into_iter().chain(nodes(store)).collect();
    html! {
        <>
            <select class="field" data-field="what-if-of" aria-label={words::WHAT_IS_LOST} onchange={chosen}>{ for options }</select>
            if of == Of::One { { named(words::NODES_TO_LOSE.get(), "what-if-node", what, &known, changed) } }
        </>
    }
}

/// The names of the first nodes.
fn nodes(store: &Store) -> Vec<String> {
    let nodes = store.view.nodes.iter().take(OFFERED);
    nodes.map(|node| node.name.clone()).collect()
}

/// A name, typed or picked.
fn named(
    label: &'static str,
    field: &'static str,
    value: &str,
    known: &[String],
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
            <input class="field" list={list.clone()} data-field={field} aria-label={label} value={value.to_owned()} oninput={typed} required=true spellcheck="false" autocomplete="off" />
            <datalist id={list}>{ for names }</datalist>
        </>
    }
}

/// What the last question has come to, in place of the groups.
pub fn asked(store: &Store, asked: &Asked, act: &Callback<Action>) -> Html {
    let on = |action: TrialAction| on_trial(act).reform(move |_: MouseEvent| action.clone());
    let body = match asked {
        Asked::Playing(_) => html! {
            <div class="answer__wait">
                <p role="status">{ words::PLAYS_A_COPY }</p>
                <button class="btn btn--line btn--small" data-action="stop-what-if" onclick={on(TrialAction::Stop)}>{ words::work::STOP }</button>
            </div>
        },
        Asked::Answered(answer) => match (&answer.answer, store.answered()) {
            (Err(refused), _) => html! { <p role="alert">{ words::remark(refused) }</p> },
            (Ok(_), None) => html! {},
            (Ok(_), Some(answered)) => answer_of(&answered, store.view.node_domain(), act),
        },
    };
    let is_answered = matches!(asked, Asked::Answered(answer) if answer.answer.is_ok());
    html! {
        <section class="answer" aria-label={words::WHAT_IF} data-answer={if is_answered { "done" } else { "open" }}>
            { body }
            <div class="answer__row">
                <button class="btn btn--line btn--small" data-action="close-what-if" onclick={on(TrialAction::Close)}>{ icon("undo") }{ words::BACK_TO_PENDING }</button>
                if is_answered {
                    <button class="btn btn--small" data-action="copy-what-if" onclick={on(TrialAction::Copy)}>{ words::COPY_MARKDOWN }</button>
                    <button class="btn btn--small" data-action="save-what-if" onclick={on(TrialAction::Download)}>{ words::SAVE_JSON }</button>
                }
            </div>
        </section>
    }
}

/// `domain`: what the names of all nodes end with; it is left out.
fn answer_of(answered: &Answered, domain: &str, act: &Callback<Action>) -> Html {
    let told = told(answered);
    let brief = |text: &str| match domain {
        "" => text.to_owned(),
        domain => text.replace(domain, ""),
    };
    let tables = told.tables.iter();
    let tables = tables.map(|listing| table(answered, listing, &brief, act));
    html! {
        <>
            <p class="answer__sentence" role="status">{ brief(&told.sentence) }</p>
            { for tables }
            { for told.notes.iter().map(|note| html! { <p class="note">{ note.clone() }</p> }) }
        </>
    }
}

fn table(
    answered: &Answered,
    listing: &Listing,
    brief: &dyn Fn(&str) -> String,
    act: &Callback<Action>,
) -> Html {
    let class_of = |at: usize| {
        let is_number = listing.numbers.get(at).copied().unwrap_or_default();
        is_number.then_some("num")
    };
    let headings = listing.headings.iter().enumerate().map(
        |(at, heading)| html! { <th scope="col" class={classes!(class_of(at))}>{ *heading }</th> },
    );
    let rows = listing.rows.iter().take(ROWS).enumerate();
    let rows = rows.map(|(number, row)| {
        let cells = row.iter().enumerate().map(|(at, text)| match at {
            0 => html! { <th scope="row">{ first_cell(answered, number, &brief(text), act) }</th> },
            _ => html! { <td class={classes!(class_of(at))}>{ brief(text) }</td> },
        });
        html! { <tr>{ for cells }</tr> }
    });
    let more = listing.rows.len().saturating_sub(ROWS);
    html! {
        <>
            <div class="answer__table" tabindex="0" aria-label={words::WHAT_IF}>
                <table><thead><tr>{ for headings }</tr></thead><tbody>{ for rows }</tbody></table>
            </div>
            if more > 0 { <p class="note">{ words::and_more(more) }</p> }
        </>
    }
}

/// What a row is about; a button where it can be asked about alone.
fn first_cell(answered: &Answered, row: usize, text: &str, act: &Callback<Action>) -> Html {
    let next = match answered {
        Answered::Losses(losses) => losses.losses.get(row).map(|loss| {
            let what = match &losses.label {
                None => loss.name.clone(),
                Some(label) => format!("{label}={}", loss.name),
            };
            Trial::Lose { what, of: Of::One }
        }),
        Answered::Need(need) => need.pools.get(row).map(|of| Trial::Add {
            like: of.like.clone(),
            count: u32::try_from(of.nodes).unwrap_or(MOST).clamp(1, MOST),
        }),
        Answered::Answer(_) => None,
    };
    let Some(next) = next else {
        return html! { { text.to_owned() } };
    };
    let onclick = on_trial(act).reform(move |_: MouseEvent| TrialAction::AskThis(next.clone()));
    html! { <button class="link" data-action="ask-this" title={words::ask_alone(text)} {onclick}>{ text.to_owned() }</button> }
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
