//! The text of the `FailedScheduling` event, split into the clauses that count nodes.

use yew::{Callback, Html, KeyboardEvent, MouseEvent, html};

use super::section::section;
use super::text;
use crate::ui::features::explain::ExplainAction;
use crate::ui::store::{Action, Store};
use berth_protocol::cycle::Clause;
use berth_protocol::page::Explained;

/// A part of the message.
#[derive(Debug, PartialEq, Eq)]
struct Piece<'a> {
    text: &'a str,
    /// Positions of the nodes that it counts; `None` if it counts none.
    nodes: Option<&'a [u32]>,
}

/// The section with the message.
pub fn view(
    store: &Store,
    explained: &Explained,
    (message, clauses): (&str, &[Clause]),
    act: &Callback<Action>,
) -> Html {
    let is_shown = store.view.nodes.len() == explained.rows.verdicts.len();
    let pieces = pieces(message, clauses).into_iter().map(|piece| {
        // The stage may show another cluster than the attempt's.
        let nodes = piece.nodes.filter(|_| is_shown);
        let Some(nodes) = nodes else {
            return html! { { piece.text } };
        };
        let is_lit = is_lit(store, nodes);
        clause(piece.text, nodes.to_vec(), is_lit, act)
    });
    let body = html! { <p class="message" translate="no" data-message="">{ for pieces }</p> };
    section(
        text::FAILED_SCHEDULING,
        text::CLICK_A_CLAUSE.into(),
        true,
        body,
    )
}

/// A clickable clause. It breaks over lines like text, which a `<button>` would not.
fn clause(text: &str, nodes: Vec<u32>, is_lit: bool, act: &Callback<Action>) -> Html {
    let light = act.reform(move |()| Action::Explain(ExplainAction::Light(nodes.clone())));
    let onclick = light.reform(|_: MouseEvent| ());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            event.stop_propagation();
            light.emit(());
        }
    });
    html! {
        <span class="clause" role="button" tabindex="0" aria-pressed={is_lit.to_string()} {onclick} {onkeydown}>{ text }</span>
    }
}

/// Whether exactly these nodes are highlighted.
fn is_lit(store: &Store, nodes: &[u32]) -> bool {
    let mut names = nodes.iter().map(|position| store.view.name_at(*position));
    !nodes.is_empty()
        && nodes.len() == store.explain.lit.len()
        && names.all(|name| name.is_some_and(|name| store.explain.lit.contains(name)))
}

/// Splits a message at its clauses.
fn pieces<'a>(message: &'a str, clauses: &'a [Clause]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let text = |from, to| message.get(from..to).unwrap_or_default();
    for clause in clauses {
        let (start, end) = (clause.start as usize, clause.end as usize);
        pieces.push(Piece {
            text: text(at, start),
            nodes: None,
        });
        pieces.push(Piece {
            text: text(start, end),
            nodes: Some(&clause.nodes),
        });
        at = end;
    }
    pieces.push(Piece {
        text: text(at, message.len()),
        nodes: None,
    });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};
    use berth_protocol::cycle::Clause;

    #[test]
    fn a_message_is_split_at_its_clauses() {
        let message = "0/3 nodes are available: 1 tainted {a: b, c}, 2 Insufficient cpu. more";
        let clause = |text: &str, nodes: &[u32]| {
            let start = message.find(text).unwrap();
            Clause {
                start: u32::try_from(start).unwrap(),
                end: u32::try_from(start + text.len()).unwrap(),
                nodes: nodes.to_vec(),
            }
        };
        let clauses = [
            clause("1 tainted {a: b, c}", &[4]),
            clause("2 Insufficient cpu", &[0, 1]),
        ];
        let plain = |text| Piece { text, nodes: None };
        assert_eq!(
            pieces(message, &clauses),
            [
                plain("0/3 nodes are available: "),
                Piece {
                    text: "1 tainted {a: b, c}",
                    nodes: Some(&[4])
                },
                plain(", "),
                Piece {
                    text: "2 Insufficient cpu",
                    nodes: Some(&[0, 1])
                },
                plain(". more"),
            ]
        );
        assert_eq!(pieces(message, &[]), [plain(message)]);
        assert_eq!(pieces("", &[]), []);
    }
}
