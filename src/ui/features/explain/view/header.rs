//! The head of Explain: which attempt is shown, its Pod, and its outcome.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::{emphasised, shows_outcome, text};
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::fork;
use crate::ui::features::share::ShareAction;
use crate::ui::panels::regions;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::store::progress::Revealed;
use crate::ui::store::{Action, Panel, Store};
use crate::words;
use berth_protocol::cycle::Cycle;
use berth_protocol::frame::Mark;

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
            { fork::title(store, act) }
            <span class="push" />
            if let Some(place) = place {
                { turn(text::EARLIER.get(), "left", place.earlier) }
                <span class="muted">{ text::attempt_of(place.number, place.count) }</span>
                { turn(text::LATER.get(), "right", place.later) }
            }
            { regions::fold(Panel::Explain, words::EXPLAIN.get(), act) }
        </header>
    }
}

/// The Pod, its outcome and its requests.
pub fn view(
    store: &Store,
    cycle: &Cycle,
    owners: &Owners,
    revealed: &Revealed,
    act: &Callback<Action>,
) -> Html {
    let link = act.reform(|_: MouseEvent| Action::Share(ShareAction::Open));
    let pod = store.view.pod(&cycle.pod);
    let flag = pod.map(|pod| html! { <i class={classes!("flag", owners.class(pod))} /> });
    let asks = pod.map(|pod| {
        let mut requests = text::requests(pod);
        requests.extend(text::claims(cycle));
        let names: Vec<&str> = requests.iter().map(String::as_str).collect();
        html! { <span data-asks="">{ emphasised(&text::asks(&requests), &names) }</span> }
    });
    let name = pod.map_or_else(|| words::short(&cycle.pod).to_owned(), |pod| label(pod));
    let explained = store.explain.explained.as_ref();
    let at = explained.map(|explained| explained.position.to_string());
    html! {
        <div class="attempt" data-attempt={cycle.pod.clone()} data-at={at}>
            <div class="attempt__row">
                { for flag }<h2 class="attempt__pod" title={cycle.pod.clone()}>{ name }</h2>
                <span class="push" />{ badge(cycle, revealed) }
            </div>
            <p class="attempt__meta">
                { fact(&text::priority(cycle.priority), &cycle.priority.to_string()) }
                { fact(&text::profile(&cycle.profile), &cycle.profile) }
                { when(store, cycle) }
                { for asks }
                if store.page.embed.is_none() {
                    <button class="link" data-action="link-here" aria-haspopup="dialog" onclick={link}>{ words::LINK_TO_THIS }</button>
                }
                if !cycle.nominated_node.is_empty() { { fact(&text::nominated_to(&cycle.nominated_node), &cycle.nominated_node) } }
            </p>
        </div>
    }
}

/// A property of the attempt, its value in bold.
fn fact(words: &str, value: &str) -> Html {
    html! { <span>{ emphasised(words, &[value]) }</span> }
}

/// The number of the Pod's try, and its time in a simulated cluster.
fn when(store: &Store, cycle: &Cycle) -> Html {
    let at = store
        .explain
        .explained
        .as_ref()
        .and_then(|shown| Some((shown.position, shown.at_ms?)));
    let Some((position, at_ms)) = at else {
        return html! {
            <>
                { fact(&text::try_number(cycle.round), &cycle.round.to_string()) }
            </>
        };
    };
    let number = number_of(&store.view.timeline, position, &cycle.pod);
    let time = words::clock(at_ms);
    html! {
        <>
            <span data-number={number.to_string()}>{ emphasised(&text::try_number(number), &[&number.to_string()]) }</span>
            <span data-when={at_ms.to_string()}>{ emphasised(&text::at_time(&time), &[&time]) }</span>
        </>
    }
}

/// Says that the cluster was changed after the attempt: its verdicts are of the zones and labels of that time.
pub fn outdated(store: &Store) -> Html {
    let shown = store.explain.explained.as_ref();
    let is_outdated = shown.is_some_and(|shown| store.view.is_outdated(shown.position));
    html! { if is_outdated { <p class="outdated" role="note" data-outdated=""><b>{ text::BEFORE_CHANGE }</b>{ " " }{ text::BEFORE_CHANGE_MEANS }</p> } }
}

/// The number of an attempt among all attempts of its Pod, from 1. Those before the simulation began have no time and
/// do not count, as the queue counts its own.
fn number_of(timeline: &[Mark], position: usize, pod: &str) -> usize {
    let of_pod = timeline
        .iter()
        .take(position)
        .filter(|mark| mark.at_ms.is_some() && mark.pod == pod);
    1 + of_pod.count()
}

fn badge(cycle: &Cycle, revealed: &Revealed) -> Html {
    let (class, mark, text) = if shows_outcome(revealed) {
        match (&cycle.selected, &cycle.preemption) {
            (Some(node), _) => ("badge--chosen", "chosen", text::chose(node)),
            (None, Some(made)) => {
                let text = text::nominated(&made.nominated);
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
            ..Mark::plain(MarkKind::Bound)
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
    }

    #[test]
    fn tries_count_from_the_cluster_s_beginning() {
        let attempt = |at_ms: Option<i64>| Mark {
            pod: "a".into(),
            at_ms,
            ..Mark::plain(MarkKind::Failed)
        };
        let log = [None, Some(0), Some(5)].map(attempt);
        assert_eq!(number_of(&log, 1, "a"), 1);
        assert_eq!(number_of(&log, 3, "a"), 3);
        assert_eq!(number_of(&log, 3, "b"), 1);
    }
}
