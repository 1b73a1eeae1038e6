//! The extension points of the scheduling cycle, in order, with a note on each.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::text;
use crate::ui::features::explain::ExplainAction;
use crate::ui::store::progress::{Point, Revealed, Stop, stops};
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::cycle::{Code, Cycle};
use berth_protocol::page::{Explained, Rows};

/// The progress of an extension point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Done,
    Now,
    Failed,
    /// It does not run in this attempt.
    Skipped,
    Todo,
}

impl State {
    fn of(cycle: &Cycle, stops: &[Stop], revealed: &Revealed, point: Point) -> Self {
        let last = stops.last().map(|stop| stop.point);
        let now = revealed.stop.as_ref().map(|stop| stop.point).or(last);
        let runs = stops.iter().any(|stop| stop.point == point);
        if Some(point) == now {
            return Self::Now;
        }
        if now.is_some_and(|now| point > now) {
            // A failed attempt never reaches the points after PostFilter.
            return Self::Todo;
        }
        match point {
            Point::PreFilter if cycle.pre_filter.code != Code::Success => Self::Failed,
            Point::Filter if cycle.selected.is_none() && runs => Self::Failed,
            _ if runs => Self::Done,
            _ => Self::Skipped,
        }
    }

    fn class(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::Now => Some("step--now"),
            Self::Failed => Some("step--fail"),
            Self::Skipped => Some("step--skip"),
            Self::Todo => Some("step--todo"),
        }
    }
}

/// The list of extension points.
pub fn view(
    store: &Store,
    explained: &Explained,
    cycle: &Cycle,
    revealed: &Revealed,
    act: &Callback<Action>,
) -> Html {
    let stops = stops(cycle);
    let can_stop = store.can_stop();
    let steps = Point::ALL.iter().map(|&point| {
        let state = State::of(cycle, &stops, revealed, point);
        let note = match state {
            State::Todo => String::new(),
            State::Skipped => text::DID_NOT_RUN.to_owned(),
            _ => note(cycle, &explained.rows, revealed, point),
        };
        let current = (state == State::Now).then_some("step");
        let target = stops.iter().rposition(|stop| stop.point == point);
        let body = html! { <><b translate="no">{ point.name() }</b><small>{ note }</small></> };
        let body = match target.filter(|_| can_stop) {
            None => body,
            Some(stop) => {
                let act = act.clone();
                let onclick = Callback::from(move |_: MouseEvent| {
                    act.emit(Action::Explain(ExplainAction::Stop(stop)))
                });
                html! { <button class="step__go" {onclick}>{ body }</button> }
            }
        };
        html! { <li class={classes!("step", state.class())} aria-current={current}>{ body }</li> }
    });
    html! { <ol class="stepper" aria-label={text::CYCLE}>{ for steps }</ol> }
}

fn note(cycle: &Cycle, rows: &Rows, revealed: &Revealed, point: Point) -> String {
    let skips = |plugins: &[String]| match plugins.len() {
        0 => String::new(),
        count => text::skipped_count(count),
    };
    match point {
        Point::PreFilter if cycle.pre_filter.code != Code::Success => words::REJECTED.to_owned(),
        Point::PreFilter => skips(&cycle.pre_filter.skipped),
        Point::Filter => {
            let stop = revealed.stop.as_ref();
            let column = stop
                .filter(|stop| stop.point == Point::Filter)
                .and_then(|stop| stop.plugin);
            let left = words::sentence::left_after(cycle, rows, column);
            format!(
                "{} / {}",
                words::number(left),
                words::number(cycle.search.examined as usize)
            )
        }
        Point::PostFilter => match &cycle.preemption {
            Some(made) => text::one_of(made.candidates.len()),
            None => words::sentence::may_not_preempt(cycle)
                .map_or(text::NO_VICTIMS, |(word, _)| word)
                .to_owned(),
        },
        Point::PreScore => skips(&cycle.pre_score_skipped),
        // Beside its neighbors there is no room for the unit of a long number.
        Point::Score if rows.feasible >= 100 => words::number(rows.feasible),
        Point::Score => words::nodes(rows.feasible),
        Point::Select => cycle.selected.as_deref().map_or(String::new(), tail),
        Point::Normalize | Point::Bind => String::new(),
    }
}

/// The last part of a name, cut to fit.
fn tail(name: &str) -> String {
    let last = name.rsplit(['-', '.']).next().unwrap_or(name);
    last.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::State;
    use crate::ui::store::progress::{Point, Revealed, stops};
    use berth_protocol::cycle::Cycle;

    fn states(cycle: &Cycle, revealed: &Revealed) -> Vec<State> {
        let stops = stops(cycle);
        let state = |point: &Point| State::of(cycle, &stops, revealed, *point);
        Point::ALL.iter().map(state).collect()
    }

    #[test]
    fn a_failed_attempt_ends_at_post_filter() {
        let cycle = Cycle {
            filter_plugins: vec!["NodeName".into()],
            ..Cycle::default()
        };
        let over = states(&cycle, &Revealed::all());
        assert_eq!(over[..3], [State::Done, State::Failed, State::Now]);
        assert!(over[3..].iter().all(|state| *state == State::Todo));
        let stop = stops(&cycle).into_iter().nth(1);
        let under_way = states(&cycle, &Revealed { stop });
        assert_eq!(under_way[..3], [State::Done, State::Now, State::Todo]);
    }

    #[test]
    fn the_only_node_that_can_take_it_is_not_scored() {
        let cycle = Cycle {
            filter_plugins: vec!["NodeName".into()],
            selected: Some("a".into()),
            ..Cycle::default()
        };
        let over = states(&cycle, &Revealed::all());
        assert_eq!(over[2..7], [State::Skipped; 5]);
        assert_eq!(over[7], State::Now);
    }
}
