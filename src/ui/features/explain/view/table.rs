//! Drawing of the matrix: its search tools, head and rows.

use std::ops::Range;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::matrix::{At, NAMES, Props};
use super::rows::Group;
use super::text;
use crate::report::judgement::{Judgement, brief, refusal};
use crate::ui::features::explain::ExplainAction;
use crate::ui::parts::icon::icon;
use crate::ui::store::Action;
use crate::words;
use berth_protocol::command::Order;
use berth_protocol::cycle::{Code, Cycle, NodeReport};

/// The search box, and the order of the rows.
pub fn tools(props: &Props) -> Html {
    let act = props.act.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
            act.emit(Action::Explain(ExplainAction::Filter(field.value())));
        }
    });
    let act = props.act.clone();
    let orders = [Order::Document, Order::Name, Order::Score, Order::Reason];
    let onchange = Callback::from(move |event: Event| {
        let field = event.target_dyn_into::<HtmlSelectElement>();
        let index = field.and_then(|field| usize::try_from(field.selected_index()).ok());
        if let Some(order) = index.and_then(|index| orders.get(index)) {
            act.emit(Action::Explain(ExplainAction::Order(*order)));
        }
    });
    let options = orders.iter().zip(text::ORDERS).map(|(order, label)| {
        html! { <option selected={props.query.order == *order}>{ label }</option> }
    });
    html! {
        <div class="matrix__tools">
            <input class="field" type="search" placeholder={text::FIND_NODE} aria-label={text::FIND_NODE} value={props.query.filter.clone()} {oninput} />
            <select class="field" aria-label={text::ROW_ORDER} {onchange}>{ for options }</select>
        </div>
    }
}

/// The state shared by all rows while drawing.
pub struct Pen<'a> {
    pub props: &'a Props,
    pub cycle: &'a Cycle,
    /// The prefix and suffix that long names share.
    pub shared: text::Shared,
    pub stop: At,
    pub hot: Option<usize>,
    pub unfolded: bool,
    pub is_grouped: bool,
}

impl Pen<'_> {
    fn is_folded(&self, column: usize) -> bool {
        !self.unfolded && self.props.is_skipped(column)
    }

    pub fn head(&self) -> Html {
        let heads = self.cycle.filter_plugins.iter().enumerate().map(|(column, plugin)| {
            let hot = (self.hot == Some(column)).then_some("is-hot");
            let folded = self.is_folded(column).then_some("is-folded");
            html! { <th scope="col" class={classes!(folded)} title={text::described(plugin)} data-plugin={plugin.clone()}><span class={classes!(hot)}>{ plugin }</span></th> }
        });
        html! {
            <thead><tr class="matrix__head">
                <td class="matrix__key" colspan={self.is_grouped.then_some("2")}>
                    <span><i class="dot" />{ text::PASSES }</span>
                    <span>{ icon("rejected") }{ text::REJECTS }</span>
                    <span>{ icon("rejected-more") }{ text::WOULD_ALSO_REJECT }</span>
                </td>
                { for heads }
                <td class="is-end" />
            </tr></thead>
        }
    }

    /// The drawn rows of a group.
    pub fn body(&self, group: &Group, rows: Range<usize>, drawn: &Range<usize>) -> Html {
        let first = rows.start.max(drawn.start);
        let last = rows.end.min(drawn.end);
        if first >= last {
            return html! {};
        }
        let lines = (first..last).map(|row| {
            let report = group.rows.get(row - rows.start);
            let report = report.and_then(|at| self.cycle.nodes.get(*at));
            let head = (self.is_grouped && row == first).then(|| {
                html! {
                    <th scope="rowgroup" rowspan={(last - first).to_string()} title={group.title.clone()}>
                        <span class="clip">{ &group.label }</span>
                    </th>
                }
            });
            report.map(|report| self.row(row, report, head))
        });
        html! { <tbody>{ for lines.flatten() }</tbody> }
    }

    fn row(&self, row: usize, report: &NodeReport, head: Option<Html>) -> Html {
        let verdict = self.props.revealed.verdict(self.cycle, report);
        let (end, title) = match (verdict, &report.verdict) {
            (_, None) => (text::NOT_EXAMINED.to_owned(), String::new()),
            (None, _) => (text::FEASIBLE_SO_FAR.to_owned(), String::new()),
            (Some(verdict), _) if verdict.code == Code::Success => {
                (text::FEASIBLE.to_owned(), String::new())
            }
            (Some(verdict), _) => {
                // Only the verdict of the plugin run separately has facts.
                let numbers = refusal(report, &verdict.plugin).unwrap_or(verdict);
                (brief(numbers), verdict.reasons.join(", "))
            }
        };
        let is_feasible =
            report.verdict.is_some() && verdict.is_none_or(|verdict| verdict.code == Code::Success);
        let class = if report.verdict.is_none() {
            Some("is-unseen")
        } else {
            is_feasible.then_some("is-feasible")
        };
        let columns = 0..self.cycle.filter_plugins.len();
        let short = text::without(&report.node, self.shared);
        let name = if short.len() < report.node.len() {
            format!("…{short}")
        } else {
            short.to_owned()
        };
        html! {
            <tr key={report.node.clone()} class={classes!(class)}>
                { for head }
                <th scope="row" title={report.node.clone()}>{ self.name(row, report, name) }</th>
                { for columns.map(|column| self.cell(At { row, column }, report)) }
                <td class="is-end"><span class="clip" translate="no" {title}><span translate="yes">{ end }</span></span></td>
            </tr>
        }
    }

    /// A node's name; if the Pod was placed, a button that asks why it was not placed there.
    fn name(&self, row: usize, report: &NodeReport, name: String) -> Html {
        if !self.props.asks {
            return html! { <span class="clip">{ name }</span> };
        }
        let at = At { row, column: NAMES };
        let label = format!("{} {}?", text::WHY_NOT, report.node);
        html! {
            <button
                class="matrix__node clip"
                tabindex={if at == self.stop { "0" } else { "-1" }}
                aria-label={label.clone()}
                title={label}
                data-at={format!("{row} {NAMES}")}
                data-why-not={report.node.clone()}
            >{ name }</button>
        }
    }

    fn cell(&self, at: At, report: &NodeReport) -> Html {
        let plugin = self.cycle.filter_plugins.get(at.column);
        let plugin = plugin.map_or("", String::as_str);
        let judgement = Judgement::at(self.cycle, report, at.column, &self.props.revealed);
        let name = format!("{}/{plugin}", report.node);
        if self.is_folded(at.column) {
            // The style sheet hides it, so it needs no button.
            return html! {
                <td class="is-folded" data-cell={name} data-verdict={judgement.verdict()} />
            };
        }
        let chosen = self.props.cell.as_ref();
        let chosen = chosen.is_some_and(|cell| cell.node == report.node && cell.plugin == plugin);
        let label = words::labelled(
            words::followed(&report.node, plugin),
            judgement.words(report, plugin),
        );
        html! {
            <td class={classes!((self.hot == Some(at.column)).then_some("is-col"))}>
                <button
                    class="cell"
                    tabindex={if at == self.stop { "0" } else { "-1" }}
                    aria-label={label.clone()}
                    title={label}
                    aria-pressed={chosen.to_string()}
                    data-at={format!("{} {}", at.row, at.column)}
                    data-cell={name}
                    data-verdict={judgement.verdict()}
                >{ judgement.mark() }</button>
            </td>
        }
    }
}
