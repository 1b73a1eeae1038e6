//! The panel of a fork: what was changed, and how its outcome differs. A tab of the right panel, beside Explain.

use yew::{Callback, Html, MouseEvent, html};

use crate::ui::features::board::BoardAction;
use crate::ui::features::compare::CompareAction;
use crate::ui::features::drain;
use crate::ui::features::explain::ExplainAction;
use crate::ui::panels::regions;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::label;
use crate::ui::store::{Action, EditAction, Panel, Store};
use crate::words;
use berth_protocol::frame::{Difference, ForkChange, ForkFrame};

/// Maximum number of Pods listed; the rest is counted.
const LISTED: usize = 20;

/// The panel's title; while there is a fork, tabs for the fork and for Explain.
pub fn title(store: &Store, act: &Callback<Action>) -> Html {
    if store.view.head.fork.is_none() {
        return html! { <h2 class="panel__title">{ words::EXPLAIN }</h2> };
    }
    let tabs = [
        (true, "fork", words::FORK),
        (false, "explain", words::EXPLAIN),
    ];
    let tabs = tabs.map(|(shown, name, label)| {
        let onclick =
            act.reform(move |_: MouseEvent| Action::Explain(ExplainAction::ShowFork(shown)));
        let chosen = store.explain.shows_fork == shown;
        html! { <button class="tab" role="tab" aria-selected={chosen.to_string()} data-explain={name} {onclick}>{ label }</button> }
    });
    html! { <span class="tabs" role="tablist" aria-label={words::EXPLAIN}>{ for tabs }</span> }
}

/// The right panel with the fork.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let Some(fork) = &store.view.head.fork else {
        return html! {};
    };
    let does = |action: Action| {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(action.clone()))
    };
    html! {
        <aside class="panel explain" aria-label={words::EXPLAIN}>
            <header class="panel__head">
                { title(store, act) }<span class="push" />
                <span class="muted">{ words::after_attempt(store.view.attempts_before(fork.at)) }</span>
                { regions::fold(Panel::Explain, words::EXPLAIN.get(), act) }
            </header>
            <div class="panel__body" tabindex="0" aria-label={words::FORK} data-fork={fork.at.to_string()} data-tried={fork.tried.to_string()}>
                <p class="sentence" role="status">{ words::forked(store.view.attempts_before(fork.at)) }</p>
                <div class="forkbar">
                    <button class="btn btn--line" data-action="back-to-first-run" onclick={does(Action::Edit(EditAction::BackToFirstRun))}>{ icon("undo") }{ words::BACK_TO_FIRST }</button>
                    <button class="btn btn--primary" data-action="keep-fork" onclick={does(Action::Edit(EditAction::KeepFork))}>{ icon("fork") }{ words::KEEP_FORK }</button>
                    <button class="btn btn--line" data-action="compare-fork" onclick={does(Action::Compare(CompareAction::Begin(Some(Box::new(Store::fork_pairing())))))}>{ words::compare::BESIDE }</button>
                </div>
                if store.lesson.frame.is_some() { <p class="sentence note" data-fork-lesson="">{ words::FORK_IN_LESSON }</p> }
                { changes(fork, act) }
                { differences(store, fork, act) }
                if fork.tried { { scheduled(fork) } }
            </div>
            { regions::edges(Panel::Explain, words::EXPLAIN.get(), store, act) }
        </aside>
    }
}

/// What was changed; each change can be undone separately.
fn changes(fork: &ForkFrame, act: &Callback<Action>) -> Html {
    let is_alone = fork.changes.len() == 1;
    let rows = fork.changes.iter().enumerate().map(|(number, change)| {
        let phrase = words::change(change);
        let label = words::undo_change(&phrase);
        let onclick =
            act.reform(move |_: MouseEvent| Action::Edit(EditAction::UndoChange(number)));
        html! {
            <li data-change={number.to_string()}>
                <span class="num">{ number + 1 }</span>
                if matches!(change, ForkChange::Command { .. }) {
                    <code>{ phrase.name }</code>
                } else {
                    <span>{ phrase.what }{ " " }<b>{ phrase.name }</b>{ phrase.how }</span>
                }
                if is_alone || number >= fork.settled {
                    <button class="link" data-action="undo-change" aria-label={label} {onclick}>{ words::UNDO }</button>
                } else {
                    <span class="muted" title={words::NOT_ALONE_MEANS}>{ words::NOT_ALONE }<span class="visually-hidden">{ words::NOT_ALONE_MEANS }</span></span>
                }
                if let ForkChange::Drained { plan } = change {
                    <ul class="muted">{ drain::parts(plan) }</ul>
                }
            </li>
        }
    });
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::CHANGES }</h3><span class="sect__sum">{ fork.changes.len() }</span></div>
            if fork.changes.is_empty() {
                <p class="note">{ words::NO_CHANGE_LEFT }</p>
            } else {
                <ol class="changes">{ for rows }</ol>
            }
        </section>
    }
}

fn differences(store: &Store, fork: &ForkFrame, act: &Callback<Action>) -> Html {
    let rows = fork
        .differences
        .iter()
        .take(LISTED)
        .map(|different| row(store, different, act));
    if !fork.tried {
        return html! {
            <section class="sect">
                <div class="sect__head"><h3>{ words::DIFFERENTLY }</h3></div>
                <p class="note">{ words::NOT_TRIED }</p>
            </section>
        };
    }
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::DIFFERENTLY }</h3>
                if fork.different > 0 {
                    <span class="sect__sum">{ words::part_of(words::number(fork.different), words::pods(fork.pods_first)) }</span>
                }
            </div>
            { waiting(fork, act) }
            if fork.gone > 0 { <p class="note" data-gone={fork.gone.to_string()}>{ words::gone_with_nodes(fork.gone) }</p> }
            if fork.different == 0 {
                <p class="note">{ words::NONE_ELSEWHERE }</p>
            } else {
                <table class="diff">
                    <thead><tr><th scope="col">{ words::POD }</th><th scope="col">{ words::FIRST_RUN }</th><th scope="col">{ words::THIS_FORK }</th></tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            }
            if fork.different > LISTED {
                <p class="note">{ words::and_more(fork.different - LISTED) }</p>
            }
        </section>
    }
}

/// The answer first: who waits because of the change, by workload. Each leads to why.
fn waiting(fork: &ForkFrame, act: &Callback<Action>) -> Html {
    let pods: usize = fork.waiting.iter().map(|waiting| waiting.pods).sum();
    if pods == 0 {
        return html! {};
    }
    let rows = fork.waiting.iter().take(LISTED).map(|waiting| {
        let key = waiting.first.clone();
        let onclick =
            act.reform(move |_: MouseEvent| Action::Explain(ExplainAction::Find(key.clone())));
        html! {
            <li><button class="link" data-action="explain-waiting" {onclick}>{ waiting.workload.clone() }</button>{ " " }<span class="num">{ words::number(waiting.pods) }</span></li>
        }
    });
    let more = fork.waiting.len().saturating_sub(LISTED);
    let board = act.reform(|_: MouseEvent| Action::Board(BoardAction::Show(true)));
    html! {
        <div class="newly" data-waiting={pods.to_string()}>
            <p><b>{ words::more_wait(pods) }</b>{ " " }<button class="link" data-action="why-waiting" title={words::WHY_MEANS} onclick={board}>{ words::WHY }</button></p>
            <ul>{ for rows }</ul>
            if more > 0 { <p class="note">{ words::and_more(more) }</p> }
        </div>
    }
}

fn row(store: &Store, different: &Difference, act: &Callback<Action>) -> Html {
    let domain = store.view.node_domain();
    let place = |node: &Option<String>, exists: bool| match node {
        Some(node) => {
            html! { <span title={node.clone()}>{ icon("feasible") }{ node.strip_suffix(domain).unwrap_or(node) }</span> }
        }
        None if exists => html! { <>{ icon("waiting") }{ words::WAITING }</> },
        None => html! { words::GONE },
    };
    let pod = store.view.pod(&different.pod);
    let name = pod.map_or_else(|| words::short(&different.pod).to_owned(), |pod| label(pod));
    let (act, key) = (act.clone(), different.pod.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        act.emit(Action::Explain(ExplainAction::Pod(key.clone())))
    });
    html! {
        <tr>
            <th scope="row"><button class="link" {onclick}>{ name }</button></th>
            <td>{ place(&different.first, true) }</td>
            <td>{ place(&different.now, different.exists) }</td>
        </tr>
    }
}

fn scheduled(fork: &ForkFrame) -> Html {
    let bar = |name: &'static str, class: &'static str, placed: usize, all: usize| {
        let share = 100.0 * placed as f64 / all.max(1) as f64;
        html! {
            <>
                <span>{ name }</span>
                <span class={class} style={format!("--v:{share:.1}")} />
                <span class="num">{ format!("{placed} / {all}") }</span>
            </>
        }
    };
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::SCHEDULED }</h3></div>
            <div class="pair">
                { bar(words::FIRST_RUN.get(), "bar", fork.placed_first, fork.pods_first) }
                { bar(words::THIS_FORK.get(), "bar bar--fork", fork.placed_now, fork.pods_now) }
            </div>
        </section>
    }
}
