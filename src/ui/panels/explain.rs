//! One attempt, explained: a sentence, the cycle's steps, the matrix, the scores, the message.

use yew::{Callback, Html, classes, html};

use super::{fixes, matrix, scores};
use crate::protocol::cycle::{Code, Cycle, PreemptionReport};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::ui::words;

/// The right panel.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let place = store
        .explained
        .as_ref()
        .map(|shown| words::attempt_of(shown.position, store.view.log_length));
    let body = match store.explained.as_ref().map(|shown| &shown.result) {
        None => html! { <p class="sentence muted">{ words::NOTHING_TO_EXPLAIN }</p> },
        Some(Err(message)) => html! { <p class="sentence bad">{ message }</p> },
        Some(Ok(cycle)) => explained(store, cycle, act),
    };
    html! {
        <aside class="panel explain" aria-label={words::EXPLAIN}>
            <header class="panel__head">
                <h2 class="panel__title">{ words::EXPLAIN }</h2>
                <span class="push" />
                <span class="muted">{ for place }</span>
            </header>
            <div class="panel__body" tabindex="0" aria-label={words::EXPLAIN}>{ body }<p class="note note--left-out">{ words::LEFT_OUT }</p></div>
        </aside>
    }
}

fn explained(store: &Store, cycle: &Cycle, act: &Callback<Action>) -> Html {
    html! {
        <>
            <div class="attempt" data-attempt={cycle.pod.clone()}>
                <div class="attempt__row"><h2 class="attempt__pod clip">{ words::short(&cycle.pod) }</h2><span class="push" />{ badge(cycle) }</div>
                <p class="attempt__meta">
                    <span>{ "priority " }<b>{ cycle.priority }</b></span>
                    <span>{ "profile " }<b>{ &cycle.profile }</b></span>
                    <span>{ "round " }<b>{ cycle.round }</b></span>
                    if !cycle.nominated_node.is_empty() { <span>{ "nominated to " }<b>{ &cycle.nominated_node }</b></span> }
                </p>
            </div>
            { stepper(cycle) }
            <p class="sentence" role="status" data-sentence="">{ words::sentence(cycle) }</p>
            if !cycle.nodes.is_empty() && !cycle.filter_plugins.is_empty() { { matrix::view(store, cycle, act) } }
            { fixes::view(store, act) }
            { scores::view(cycle) }
            { for cycle.preemption.as_ref().map(preemption) }
            if let Some(message) = &cycle.message {
                <section class="sect">
                    <div class="sect__head"><h3>{ words::FAILED_SCHEDULING }</h3></div>
                    <p class="message" data-message="">{ message }</p>
                </section>
            }
        </>
    }
}

fn badge(cycle: &Cycle) -> Html {
    let (class, mark, text) = match (&cycle.selected, &cycle.preemption) {
        (Some(node), _) => ("badge--chosen", "chosen", node.clone()),
        (None, Some(_)) => ("badge--waiting", "waiting", "Preempting".to_owned()),
        (None, None) if cycle.error => ("badge--rejected", "rejected", "Error".to_owned()),
        (None, None) => ("badge--rejected", "rejected", "Unschedulable".to_owned()),
    };
    html! { <span class={classes!("badge", class)}>{ icon(mark) }{ text }</span> }
}

/// The extension points in order, with what happened at each.
fn stepper(cycle: &Cycle) -> Html {
    let rejected_early = cycle.pre_filter.code != Code::Success;
    let feasible = cycle.feasible().count();
    let scored = cycle.scores.as_ref().map_or(0, Vec::len);
    let failed = cycle.selected.is_none();
    let step = |name: &str, class: Option<&'static str>, note: String| {
        html! {
            <li class={classes!("step", class)}><b>{ name }</b><small>{ note }</small></li>
        }
    };
    let todo = Some("step--todo");
    let skipped = format!("{} skip", cycle.pre_filter.skipped.len());
    let judged = format!("{feasible} / {}", cycle.search.examined);
    let post_filter = match &cycle.preemption {
        Some(preemption) => words::count(preemption.victims.len(), "victim", "victims"),
        None => "no room".to_owned(),
    };
    html! {
        <ol class="stepper" aria-label="Scheduling cycle">
            { step("PreFilter", rejected_early.then_some("step--fail"), if rejected_early { "rejected".to_owned() } else { skipped }) }
            { step("Filter", if rejected_early { todo } else { failed.then_some("step--fail") }, if rejected_early { String::new() } else { judged }) }
            { step("PostFilter", if failed { Some("step--now") } else { Some("step--skip") }, if failed { post_filter } else { String::new() }) }
            { step("Score", if scored == 0 { Some("step--skip") } else { None }, if scored == 0 { String::new() } else { words::count(scored, "node", "nodes") }) }
            { step("Bind", if failed { todo } else { Some("step--now") }, cycle.selected.clone().unwrap_or_default()) }
        </ol>
    }
}

fn preemption(report: &PreemptionReport) -> Html {
    let rows = report.candidates.iter().map(|candidate| {
        let won = candidate.node == report.nominated;
        let victims: Vec<&str> = candidate
            .victims
            .iter()
            .map(|victim| words::short(victim))
            .collect();
        html! {
            <tr class={classes!(won.then_some("is-won"))}>
                <th scope="row">{ &candidate.node }</th>
                <td>{ victims.join(", ") }</td>
                <td>{ candidate.pdb_violations }</td>
            </tr>
        }
    });
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::PREEMPTION }</h3>
                <span class="sect__sum">{ words::count(report.candidates.len(), "candidate", "candidates") }</span>
            </div>
            <table class="cands">
                <thead><tr><th scope="col">{ "Node" }</th><th scope="col">{ "Victims" }</th><th scope="col">{ "PDB violations" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
            <p class="note note--after">{ format!("Decided by: {}.", report.decided_by) }</p>
        </section>
    }
}
