//! The text of the `FailedScheduling` event, split into the clauses that count nodes.

use std::collections::{BTreeMap, BTreeSet};

use yew::{Callback, Html, KeyboardEvent, MouseEvent, html};

use super::section::section;
use super::text;
use crate::ui::store::{Action, ExplainAction, Store};
use berth_protocol::page::{Explained, Rows};

/// Prefix of PostFilter's part.
const PREEMPTION: &str = "preemption: ";
/// The reason for nodes on which no eviction helps.
const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";

/// A part of the message.
#[derive(Debug, PartialEq, Eq)]
struct Piece<'a> {
    text: &'a str,
    /// Positions of the nodes that it counts; `None` if it counts none or they are not known.
    nodes: Option<Vec<u32>>,
}

/// The section with the message.
pub fn view(store: &Store, explained: &Explained, message: &str, act: &Callback<Action>) -> Html {
    let known = Clauses::of(&explained.rows);
    let is_shown = store.view.nodes.len() == explained.rows.verdicts.len();
    let pieces = known.split(message);
    let pieces = pieces.into_iter().map(|piece| {
        // The stage may show another cluster than the attempt's.
        let nodes = piece.nodes.filter(|_| is_shown);
        let Some(nodes) = nodes else {
            return html! { { piece.text } };
        };
        let is_lit = is_lit(store, &nodes);
        clause(piece.text, nodes, is_lit, act)
    });
    let body = html! { <p class="message" data-message="">{ for pieces }</p> };
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

/// The clauses that a message may contain, with the nodes that they count.
struct Clauses {
    /// `2 Insufficient cpu`.
    filter: Vec<(String, Vec<u32>)>,
    /// Nodes on which preemption is not helpful, and nodes on which it was tried.
    unresolvable: Vec<u32>,
    tried: Vec<u32>,
}

impl Clauses {
    fn of(rows: &Rows) -> Self {
        let mut nodes: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in &rows.reasons {
            nodes
                .entry(&reason.reason)
                .or_default()
                .extend(&reason.nodes);
            *counts.entry(&reason.reason).or_default() += reason.count;
        }
        let clause = |(reason, nodes): (&str, BTreeSet<u32>)| {
            let count = counts.get(reason).copied().unwrap_or(0);
            (format!("{count} {reason}"), nodes.into_iter().collect())
        };
        let filter = nodes.into_iter().map(clause).collect();
        let (unresolvable, tried) = by_code(rows);
        Self {
            filter,
            unresolvable,
            tried,
        }
    }

    fn split<'a>(&self, message: &'a str) -> Vec<Piece<'a>> {
        let split = message.find(PREEMPTION).unwrap_or(message.len());
        let (filter, preemption) = message.split_at(split);
        let mut pieces = pieces(filter, |rest| {
            let fitting = self
                .filter
                .iter()
                .filter(|(clause, _)| is_clause(rest, clause));
            let longest = fitting.max_by_key(|(clause, _)| clause.len());
            longest.map(|(clause, nodes)| (clause.len(), nodes.clone()))
        });
        let not_helpful = format!("{} {NOT_HELPFUL}", self.unresolvable.len());
        let tried = self.tried.len();
        pieces.extend(self::pieces(preemption, |rest| {
            if is_clause(rest, &not_helpful) {
                return Some((not_helpful.len(), self.unresolvable.clone()));
            }
            // A clause that counts as many nodes as were tried counts exactly those.
            let clause = rest.strip_prefix(&format!("{tried} "))?;
            let next = rest.find(&format!(", {not_helpful}"));
            let end = next.or_else(|| rest.rfind('.')).unwrap_or(rest.len());
            let is_it = tried > 0 && !clause.starts_with(NOT_HELPFUL);
            is_it.then(|| (end, self.tried.clone()))
        }));
        pieces
    }
}

/// Nodes on which preemption is not helpful, including those that PreFilter ruled out, and the other rejected ones.
fn by_code(rows: &Rows) -> (Vec<u32>, Vec<u32>) {
    let (mut unresolvable, mut tried) = (Vec::new(), Vec::new());
    for (position, letter) in (0_u32..).zip(rows.verdicts.bytes()) {
        let is_lost = letter == b'n' || rows.unresolvable.binary_search(&position).is_ok();
        match letter {
            _ if is_lost => unresolvable.push(position),
            b'r' => tried.push(position),
            _ => {}
        }
    }
    (unresolvable, tried)
}

/// Whether the text begins with exactly this clause.
fn is_clause(text: &str, clause: &str) -> bool {
    let rest = text.strip_prefix(clause);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", ") || rest.starts_with('.'))
}

/// Splits a text at the clauses that `find` recognizes by their prefix.
fn pieces<'a>(text: &'a str, find: impl Fn(&str) -> Option<(usize, Vec<u32>)>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut plain, mut at) = (0, 0);
    let piece = |from: usize, to: usize, nodes| Piece {
        text: text.get(from..to).unwrap_or_default(),
        nodes,
    };
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let is_start = text
            .get(..at)
            .is_some_and(|before| before.ends_with(": ") || before.ends_with(", "));
        if let Some((length, nodes)) = is_start.then(|| find(rest)).flatten() {
            pieces.push(piece(plain, at, None));
            pieces.push(piece(at, at + length, Some(nodes)));
            at += length;
            plain = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    pieces.push(piece(plain, text.len(), None));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::{Clauses, by_code};
    use berth_protocol::page::Rows;

    fn split<'a>(clauses: &Clauses, message: &'a str) -> Vec<(&'a str, Vec<u32>)> {
        let pieces = clauses.split(message);
        let whole: String = pieces.iter().map(|piece| piece.text).collect();
        assert_eq!(whole, message, "nothing is lost");
        pieces
            .into_iter()
            .filter_map(|piece| Some((piece.text, piece.nodes?)))
            .collect()
    }

    #[test]
    fn clauses_are_split_by_reasons_and_not_by_commas() {
        let clauses = Clauses {
            filter: vec![
                ("1 node(s) had untolerated taint {a: b, c}".into(), vec![4]),
                ("2 Insufficient cpu".into(), vec![0, 1]),
                ("2 Insufficient cpu, memory".into(), vec![7]),
            ],
            unresolvable: vec![4],
            tried: vec![0, 1],
        };
        let message = "0/3 nodes are available: 1 node(s) had untolerated taint {a: b, c}, \
                       2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are \
                       available: 1 Preemption is not helpful for scheduling, 2 No preemption \
                       victims found for incoming pod.";
        assert_eq!(
            split(&clauses, message),
            [
                ("1 node(s) had untolerated taint {a: b, c}", vec![4]),
                ("2 Insufficient cpu", vec![0, 1]),
                ("1 Preemption is not helpful for scheduling", vec![4]),
                ("2 No preemption victims found for incoming pod", vec![0, 1]),
            ]
        );
    }

    #[test]
    fn unresolvable_nodes_are_separated_from_those_preemption_tried() {
        let rows = Rows {
            verdicts: "rrnfr".into(),
            unresolvable: vec![1],
            ..Rows::default()
        };
        assert_eq!(by_code(&rows), (vec![1, 2], vec![0, 4]));
    }

    #[test]
    fn unknown_clauses_stay_text() {
        let clauses = Clauses {
            filter: vec![("1 Insufficient cpu".into(), vec![0])],
            unresolvable: Vec::new(),
            tried: vec![0, 1],
        };
        let message = "0/2 nodes are available: 11 Insufficient cpu, 1 Insufficient cpuset. \
                       preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 No preemption \
                       victims found for incoming pod.";
        assert_eq!(split(&clauses, message), []);
        assert_eq!(split(&clauses, ""), []);
    }
}
