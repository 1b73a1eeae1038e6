//! The panel after a fork: what the fork is, and how its outcome differs.

use yew::{Callback, Html, MouseEvent, html};

use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, EditAction, ExplainAction, Store};
use crate::ui::words;
use berth_protocol::command::Subject;
use berth_protocol::frame::{Difference, ForkFrame, MarkKind};

/// Maximum number of Pods listed; the rest is counted.
const LISTED: usize = 20;

/// Whether the right panel shows the fork: nothing else was chosen since the edit.
pub fn is_news(store: &Store) -> bool {
    let edited = |mark: &berth_protocol::frame::Mark| mark.kind == MarkKind::Edited;
    store.view.head.fork.is_some()
        && store.time.progress.is_none()
        && store.explain.look.subject == Subject::Latest
        && (store.view.head.finished || store.view.last_mark().is_none_or(edited))
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
                <h2 class="panel__title">{ words::FORK }</h2><span class="push" />
                <span class="muted">{ words::from_position(fork.at) }</span>
            </header>
            <div class="panel__body" tabindex="0" data-fork={fork.at.to_string()}>
                <p class="sentence" role="status">{ words::forked(fork) }</p>
                <div class="forkbar">
                    <button class="btn btn--line" data-action="back-to-first-run" onclick={does(Action::Edit(EditAction::BackToFirstRun))}>{ icon("undo") }{ words::BACK_TO_FIRST }</button>
                    <button class="btn btn--primary" data-action="keep-fork" onclick={does(Action::Edit(EditAction::KeepFork))}>{ icon("fork") }{ words::KEEP_FORK }</button>
                </div>
                { differences(fork, act) }
                { scheduled(fork) }
            </div>
        </aside>
    }
}

fn differences(fork: &ForkFrame, act: &Callback<Action>) -> Html {
    let rows = fork
        .differences
        .iter()
        .take(LISTED)
        .map(|different| row(different, act));
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::DIFFERENTLY }</h3>
                <span class="sect__sum">{ format!("{} of {}", words::count(fork.different, "Pod", "Pods"), fork.pods_first) }</span>
            </div>
            if fork.different > 0 {
                <table class="diff">
                    <thead><tr><th scope="col">{ words::POD }</th><th scope="col">{ words::FIRST_RUN }</th><th scope="col">{ words::THIS_FORK }</th></tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            }
            if fork.different > LISTED {
                <p class="note">{ format!("… and {} more", fork.different - LISTED) }</p>
            }
        </section>
    }
}

fn row(different: &Difference, act: &Callback<Action>) -> Html {
    let place = |node: &Option<String>, exists: bool| match node {
        Some(node) => html! { <>{ icon("feasible") }{ node }</> },
        None if exists => html! { <>{ icon("waiting") }{ words::WAITING }</> },
        None => html! { words::GONE },
    };
    let (act, key) = (act.clone(), different.pod.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        act.emit(Action::Explain(ExplainAction::Pod(key.clone())))
    });
    html! {
        <tr>
            <th scope="row"><button class="link" {onclick}>{ words::short(&different.pod) }</button></th>
            <td>{ place(&different.first, true) }</td>
            <td>{ place(&different.now, different.exists) }</td>
        </tr>
    }
}

#[allow(clippy::cast_precision_loss, reason = "a bar's width")]
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
                { bar(words::FIRST_RUN, "bar", fork.placed_first, fork.pods_first) }
                { bar(words::THIS_FORK, "bar bar--fork", fork.placed_now, fork.pods_now) }
            </div>
        </section>
    }
}
