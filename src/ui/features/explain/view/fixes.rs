//! The fixes: single changes with which the Pod schedules, each verified by the scheduler.

use yew::{Callback, Html, MouseEvent, html};

use super::section::section;
use crate::ui::features::board::{BoardAction, Nearest};
use crate::ui::features::explain::Search;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, EditAction, Store};
use crate::words;
use crate::words::sentence::without_domain;
use berth_protocol::cycle::Cycle;
use berth_protocol::fix::Fix;

/// Number of fixes shown at first; the rest is folded.
const SHOWN: usize = 5;

/// Whether the Pod needs a fix: it was not placed, and preemption has not made room for it.
fn needs_fix(cycle: &Cycle) -> bool {
    cycle.selected.is_none() && cycle.preemption.is_none() && !cycle.error
}

/// The section with the fixes for the explained attempt; empty if the Pod needs none.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let waits = store.cycle().is_some_and(needs_fix);
    let explained = store
        .explain
        .explained
        .as_ref()
        .map(|explained| explained.position);
    if !waits || store.time.progress.is_some() || store.lesson.hides_fixes() {
        return html! {};
    }
    let fixes = &store.explain.fixes;
    let is_known = fixes.position == explained;
    let found = if is_known {
        fixes.found.as_slice()
    } else {
        &[]
    };
    let search = if is_known {
        fixes.search
    } else {
        Search::Running
    };
    let done = search == Search::Complete;
    let domain = store.view.node_domain();
    let rows = |from: usize, to: usize| {
        found
            .iter()
            .enumerate()
            .skip(from)
            .take(to)
            .map(|(number, fix)| row(number, fix, domain, act))
            .collect::<Vec<_>>()
    };
    let sum = match search {
        Search::Complete => words::fixes_found(found.len()),
        Search::Running => words::LOOKING.to_owned(),
        Search::Stopped => words::work::SEARCH_STOPPED.to_owned(),
        Search::Unavailable => String::new(),
    };
    let body = html! {
        <div data-fixes={found.len().to_string()} data-done={done.to_string()}>
            if done && found.is_empty() {
                <p class="note">{ words::NO_FIX }</p>
            }
            if search == Search::Unavailable {
                <p class="note">{ words::FIXES_UNAVAILABLE }</p>
            }
            <ul class="fixes">{ for rows(0, SHOWN) }</ul>
            if found.len() > SHOWN {
                <details class="more">
                    <summary class="link">{ words::more(found.len() - SHOWN) }</summary>
                    <ul class="fixes">{ for rows(SHOWN, found.len()) }</ul>
                </details>
            }
        </div>
    };
    section(words::FIXES.get(), html! { sum }, true, body)
}

/// Cold: kept out of the first download.
#[inline(never)]
fn row(number: usize, fix: &Fix, domain: &str, act: &Callback<Action>) -> Html {
    row_of(fix, domain, Action::Edit(EditAction::TryFix(number)), act)
}

/// What removes the gates of the chosen Pod.
#[inline(never)]
pub fn of_gates(store: &Store, act: &Callback<Action>) -> Html {
    let found = store
        .chosen_pod()
        .map(|pod| (pod, store.board.gates.get(pod)));
    let body = match found {
        _ if store.lesson.hides_fixes() => return html! {},
        Some((pod, Some(Nearest::Found(found)))) => {
            let tried = Action::Board(BoardAction::Ungate(pod.to_owned()));
            html! { <ul class="fixes">{ row_of(&found.fix, store.view.node_domain(), tried, act) }</ul> }
        }
        Some((_, Some(Nearest::None))) => html! { <p class="note">{ words::GATE_ALONE }</p> },
        _ => return html! {},
    };
    section(words::FIXES.get(), html! {}, true, body)
}

/// `domain`: the suffix that the names of all nodes share; the tooltip has them whole.
fn row_of(fix: &Fix, domain: &str, tried: Action, act: &Callback<Action>) -> Html {
    let onclick = act.reform(move |_: MouseEvent| tried.clone());
    let gain = match fix.feasible.as_slice() {
        [only] if fix.feasible_count == 1 => without_domain(only, domain),
        _ => words::nodes(fix.feasible_count as usize),
    };
    let sentence = without_domain(&words::remark(&fix.remark()), domain);
    let label = words::labelled(words::TRY_ON_FORK, &sentence);
    html! {
        <li class="fix" data-fix={fix.what.kind()}>
            <span>{ sentence }if let Some(moves) = words::moves(fix) { <span class="muted">{ " " }{ moves }</span> }</span>
            <span class="fix__gain" title={words::would_do(fix)}>{ icon("feasible") }{ gain }</span>
            <button class="btn btn--line btn--small" data-action="try-fix" aria-label={label} {onclick}>{ words::TRY_ON_FORK }</button>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::needs_fix;
    use berth_protocol::cycle::{Cycle, PreemptionReport};

    #[test]
    fn a_nominated_pod_needs_no_fix() {
        let mut cycle = Cycle::default();
        assert!(needs_fix(&cycle));
        cycle.preemption = Some(PreemptionReport {
            nominated: "node-a".to_owned(),
            victims: Vec::new(),
            candidates: Vec::new(),
            ambiguous: false,
            decided_by: String::new(),
        });
        assert!(!needs_fix(&cycle));
        cycle.preemption = None;
        cycle.selected = Some("node-a".to_owned());
        assert!(!needs_fix(&cycle));
    }
}
