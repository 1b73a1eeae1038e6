//! The head of Explain: which attempt is shown, its Pod, and its outcome.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::{shows_outcome, text};
use crate::ui::panels::regions;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::store::progress::Revealed;
use crate::ui::store::{Action, ExplainAction, Panel, Store};
use crate::ui::words;
use berth_protocol::cycle::Cycle;
use berth_protocol::frame::Mark;
use berth_protocol::quantity;

/// The place of the explained attempt among all attempts in the log; edits do not count.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// Counted from 1.
    number: usize,
    count: usize,
    /// Positions in the log.
    earlier: Option<usize>,
    later: Option<usize>,
}

fn place(timeline: &[Mark], position: usize) -> Place {
    let is_attempt = |(_, mark): &(usize, &Mark)| !mark.pod.is_empty();
    let attempts = || timeline.iter().enumerate().filter(is_attempt);
    let before = attempts().take_while(|(at, _)| *at < position);
    let (number, earlier) = before.fold((1, None), |(count, _), (at, _)| (count + 1, Some(at)));
    Place {
        number,
        count: attempts().count().max(number),
        earlier,
        later: attempts().map(|(at, _)| at).find(|at| *at > position),
    }
}

/// The panel's head, with buttons for the previous and the next attempt.
pub fn panel_head(store: &Store, act: &Callback<Action>) -> Html {
    let turn = |label: &'static str, mark: &str, to: Option<usize>| {
        let act = act.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(position) = to {
                act.emit(Action::Explain(ExplainAction::Attempt(position)));
            }
        });
        html! {
            <button class="btn btn--icon btn--small" aria-label={label} title={label} disabled={to.is_none()} {onclick}>{ icon(mark) }</button>
        }
    };
    let place = store
        .explain
        .explained
        .as_ref()
        .map(|explained| place(&store.view.timeline, explained.position));
    html! {
        <header class="panel__head">
            <h2 class="panel__title">{ words::EXPLAIN }</h2>
            <span class="push" />
            if let Some(place) = place {
                { turn(text::EARLIER, "left", place.earlier) }
                <span class="muted">{ text::attempt_of(place.number, place.count) }</span>
                { turn(text::LATER, "right", place.later) }
            }
            { regions::fold(Panel::Explain, words::EXPLAIN, act) }
        </header>
    }
}

/// The Pod, its outcome and its requests.
pub fn view(store: &Store, cycle: &Cycle, owners: &Owners, revealed: &Revealed) -> Html {
    let pod = store.view.pod(&cycle.pod);
    let flag = pod.map(|pod| html! { <i class={classes!("flag", owners.class(pod))} /> });
    let asks = pod.map(|pod| {
        if pod.milli_cpu == 0 && pod.memory_bytes == 0 {
            return html! { <span>{ text::ASKS_NOTHING }</span> };
        }
        html! {
            <span>
                { "asks " }
                if pod.milli_cpu > 0 { <b>{ quantity::cpu(pod.milli_cpu) }{ text::OF_CPU }</b> }
                if pod.milli_cpu > 0 && pod.memory_bytes > 0 { { ", " } }
                if pod.memory_bytes > 0 { <b>{ quantity::bytes(pod.memory_bytes) }{ text::OF_MEMORY }</b> }
            </span>
        }
    });
    let name = pod.map_or_else(|| words::short(&cycle.pod).to_owned(), |pod| label(pod));
    let explained = store.explain.explained.as_ref();
    let at = explained.map(|explained| explained.position.to_string());
    html! {
        <div class="attempt" data-attempt={cycle.pod.clone()} data-at={at}>
            <div class="attempt__row">
                { for flag }<h2 class="attempt__pod clip" title={cycle.pod.clone()}>{ name }</h2>
                <span class="push" />{ badge(cycle, revealed) }
            </div>
            <p class="attempt__meta">
                <span>{ "priority " }<b>{ cycle.priority }</b></span>
                <span>{ "profile " }<b>{ &cycle.profile }</b></span>
                { when(store, cycle) }
                { for asks }
                if !cycle.nominated_node.is_empty() { <span>{ "nominated to " }<b>{ &cycle.nominated_node }</b></span> }
            </p>
        </div>
    }
}

/// The number and time of the Pod's attempt in a simulated cluster; otherwise the round.
fn when(store: &Store, cycle: &Cycle) -> Html {
    let at = store
        .explain
        .explained
        .as_ref()
        .and_then(|shown| Some((shown.position, shown.at_ms?)));
    let Some((position, at_ms)) = at else {
        return html! { <span>{ "round " }<b>{ cycle.round }</b></span> };
    };
    let number = number_of(&store.view.timeline, position, &cycle.pod);
    html! {
        <>
            <span data-number={number.to_string()}>{ "attempt " }<b>{ number }</b></span>
            <span data-when={at_ms.to_string()}>{ "at " }<b>{ words::clock(at_ms) }</b></span>
        </>
    }
}

/// The number of an attempt among all attempts of its Pod, from 1.
fn number_of(timeline: &[Mark], position: usize, pod: &str) -> usize {
    let before = timeline.iter().take(position);
    1 + before.filter(|mark| &*mark.pod == pod).count()
}

fn badge(cycle: &Cycle, revealed: &Revealed) -> Html {
    let (class, mark, text) = if shows_outcome(revealed) {
        match (&cycle.selected, &cycle.preemption) {
            (Some(node), _) => ("badge--chosen", "chosen", format!("picked {node}")),
            (None, Some(made)) => {
                let text = format!("nominated: {}", made.nominated);
                ("badge--chosen", "chosen", text)
            }
            (None, None) if cycle.error => ("badge--rejected", "warn", text::ERROR.to_owned()),
            (None, None) => {
                let text = text::UNSCHEDULABLE.to_owned();
                ("badge--rejected", "rejected", text)
            }
        }
    } else {
        ("badge--waiting", "waiting", text::IN_PROGRESS.to_owned())
    };
    html! { <span class={classes!("badge", class)} title={text.clone()}>{ icon(mark) }<span class="clip">{ text }</span></span> }
}

#[cfg(test)]
mod tests {
    use super::{Place, number_of, place};
    use berth_protocol::frame::{Mark, MarkKind};

    #[test]
    fn edits_are_no_attempts() {
        let attempt = |pod: &str| Mark {
            pod: pod.into(),
            kind: MarkKind::Bound,
            node: None,
            at_ms: None,
        };
        let log = [attempt("a"), Mark::edited(), attempt("b"), attempt("c")];
        let expected = Place {
            number: 2,
            count: 3,
            earlier: Some(0),
            later: Some(3),
        };
        assert_eq!(place(&log, 2), expected);
        // An attempt that has not been made yet.
        let expected = Place {
            number: 4,
            count: 4,
            earlier: Some(3),
            later: None,
        };
        assert_eq!(place(&log, 4), expected);
        assert_eq!(number_of(&log, 4, "a"), 2);
        assert_eq!(number_of(&log, 2, "b"), 1);
    }
}
