//! The queue's actions on a Pod since a failed attempt.

use yew::{Html, html};

use crate::ui::store::Store;
use crate::words;
use berth_protocol::cycle::Cycle;
use berth_protocol::happening::{Happening, QueueAction};
use berth_protocol::page::Explained;

/// Maximum number of moves to list: the last ones.
const MOVES: usize = 4;

/// Why the queue moved or kept the Pod after the attempt; only in a simulated cluster.
pub fn view(store: &Store, explained: &Explained, cycle: &Cycle) -> Html {
    let is_over = explained.made && cycle.selected.is_none();
    let at_ms = explained.at_ms.filter(|_| is_over);
    at_ms.map_or_else(|| html! {}, |at_ms| moves(store, cycle, at_ms))
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn moves(store: &Store, cycle: &Cycle, at_ms: i64) -> Html {
    let moves = moves_since(&store.view.head.happened, &cycle.pod, at_ms);
    if moves.is_empty() {
        return html! {};
    }
    let earlier = moves.len().saturating_sub(MOVES);
    let moves = moves.into_iter().skip(earlier).map(|(at_ms, action)| {
        html! { <li><time>{ words::clock(at_ms) }</time>{ " " }{ words::queue_action(action) }</li> }
    });
    html! {
        <div class="note since" data-since=""><b>{ words::SINCE_THEN }</b><ol>{ for moves }</ol></div>
    }
}

/// The queue's moves of a Pod after its attempt at this time, oldest first. The move that led to the attempt may have
/// the same millisecond, so the attempt itself separates the two while it is listed.
fn moves_since<'a>(
    happened: &'a [Happening],
    pod: &str,
    attempt_ms: i64,
) -> Vec<(i64, &'a QueueAction)> {
    let attempt = happened.iter().rposition(|happening| {
        happening.at_ms == attempt_ms && happening.attempt_of(pod).is_some()
    });
    let later = attempt.map_or(0, |attempt| attempt + 1);
    happened
        .iter()
        .skip(later)
        .filter(|happening| happening.at_ms >= attempt_ms)
        .filter_map(|happening| Some((happening.at_ms, happening.move_of(pod)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::moves_since;
    use berth_protocol::happening::{
        Attempted, Ending, Happening, Place, QueueAction, Requeued, What, WhyMoved,
    };

    fn attempt(at_ms: i64, pod: &str) -> Happening {
        Happening {
            at_ms,
            what: What::Attempt(Attempted {
                pod: pod.to_owned(),
                attempt: 1,
                ending: Ending::Unschedulable {
                    message: "0/1 nodes are available.".to_owned(),
                },
                preempts: None,
                requeued: None,
                meanwhile: None,
            }),
        }
    }

    fn moved(at_ms: i64, pod: &str) -> Happening {
        let action = QueueAction::Moved {
            by: "NodeAdd".to_owned(),
            to: Requeued {
                to: Place::Active,
                until_ms: None,
            },
            why: WhyMoved::NoPluginRejected,
        };
        Happening {
            at_ms,
            what: What::Queue {
                pod: pod.to_owned(),
                action,
            },
        }
    }

    fn times(happened: &[Happening], pod: &str, attempt_ms: i64) -> Vec<i64> {
        let moves = moves_since(happened, pod, attempt_ms);
        moves.into_iter().map(|(at_ms, _)| at_ms).collect()
    }

    #[test]
    fn moves_are_compared_to_the_millisecond() {
        let happened = [
            moved(12_244, "a/web"),
            moved(12_246, "a/web"),
            moved(12_247, "a/we"),
        ];
        assert_eq!(times(&happened, "a/web", 12_245), [12_246]);
        assert_eq!(times(&happened, "a/web", 12_244), [12_244, 12_246]);
        assert!(times(&happened, "a/web", 12_247).is_empty());
    }

    #[test]
    fn the_move_that_led_to_the_attempt_came_before_it() {
        let happened = [
            moved(5_000, "a/web"),
            attempt(5_000, "a/web"),
            moved(5_000, "a/web"),
            moved(6_000, "a/web"),
        ];
        assert_eq!(times(&happened, "a/web", 5_000), [5_000, 6_000]);
        let of_another = [moved(5_000, "a/web"), attempt(5_000, "a/db")];
        assert_eq!(times(&of_another, "a/web", 5_000), [5_000]);
    }
}
