//! The reasons against the nodes of a large cluster, a row each, in place of a row a node.

use std::collections::BTreeSet;

use yew::{Callback, Html, MouseEvent, html};

use super::text;
use crate::ui::features::explain::ExplainAction;
use crate::ui::store::Action;
use crate::words;
use berth_protocol::page::{ReasonCount, Rows};

/// The rows of more nodes than this are not shown unasked.
pub const MANY: usize = 40;

/// The reasons against nodes that the Pod was meant for; all of them if none was. One line has the others.
fn own(rows: &Rows) -> Vec<&ReasonCount> {
    let foreign: BTreeSet<u32> = rows
        .meant
        .iter()
        .flat_map(|meant| meant.foreign.iter().copied())
        .collect();
    let is_own = |reason: &&ReasonCount| !reason.nodes.iter().all(|node| foreign.contains(node));
    rows.reasons.iter().filter(is_own).collect()
}

/// `all`: shows a row a node. `domain`: the suffix that the names of all nodes share.
pub fn view(rows: &Rows, domain: &str, all: &Callback<MouseEvent>, act: &Callback<Action>) -> Html {
    let reasons = own(rows).into_iter();
    let reasons = reasons.map(|reason| row(reason, domain, act));
    html! {
        <>
            <table class="reasons">
                <caption class="visually-hidden">{ words::report::REASONS }</caption>
                <tbody>
                    if rows.feasible > 0 {
                        <tr><td class="num">{ words::number(rows.feasible) }</td><th scope="row">{ text::FEASIBLE }</th><td /></tr>
                    }
                    { for reasons }
                </tbody>
            </table>
            if let Some(others) = words::sentence::others(rows) { <p class="note" data-foreign="">{ others }</p> }
            <p class="note note--after"><button class="link" data-action="all-rows" onclick={all}>{ text::all_rows(rows.verdicts.len()) }</button></p>
        </>
    }
}

/// A click lists the nodes with this reason.
fn row(reason: &ReasonCount, domain: &str, act: &Callback<Action>) -> Html {
    let filter = reason.reason.clone();
    let onclick =
        act.reform(move |_: MouseEvent| Action::Explain(ExplainAction::Filter(filter.clone())));
    let node = reason.node.strip_suffix(domain).unwrap_or(&reason.node);
    let nodes = match reason.count {
        1 => node.to_owned(),
        count => words::report::like_it(node, count.saturating_sub(1)),
    };
    let numbers = reason.fact.as_ref();
    let numbers = numbers.map(|fact| words::remark(&fact.remark()));
    html! {
        <tr data-reason={reason.reason.clone()}>
            <td class="num">{ words::number(reason.count) }</td>
            <th scope="row">
                <button class="link" translate="no" {onclick}>{ &reason.reason }</button>
                <small title={text::described(&reason.plugin)}>{ &reason.plugin }</small>
            </th>
            <td title={numbers}>{ nodes }</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::own;
    use berth_protocol::meant::Meant;
    use berth_protocol::page::{ReasonCount, Rows};

    #[test]
    fn reasons_against_foreign_nodes_alone_are_left_out() {
        let count = |reason: &str, nodes: &[u32]| ReasonCount {
            reason: reason.into(),
            nodes: nodes.to_vec(),
            ..ReasonCount::default()
        };
        let mut rows = Rows {
            reasons: vec![count("taint", &[0, 1]), count("cpu", &[1, 2])],
            ..Rows::default()
        };
        let names = |rows: &Rows| -> Vec<String> {
            let own = own(rows).into_iter();
            own.map(|reason| reason.reason.clone()).collect()
        };
        assert_eq!(names(&rows), ["taint", "cpu"]);
        rows.meant = Some(Box::new(Meant {
            nodes: vec![2],
            foreign: vec![0, 1],
            ..Meant::default()
        }));
        assert_eq!(names(&rows), ["cpu"]);
    }
}
