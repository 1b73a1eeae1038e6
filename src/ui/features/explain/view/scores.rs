//! The scores: totals as stacked bars, then raw → normalized × weight, plugin by plugin.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Callback, Event, Html, KeyboardEvent, MouseEvent, classes, html};

use super::section::section;
use super::{arithmetic, text};
use crate::ui::features::compare::{CompareAction, Topic};
use crate::ui::features::explain::{Cell, ExplainAction, Table};
use crate::ui::parts::icon::icon;
use crate::ui::store::progress::{Point, Revealed};
use crate::ui::store::{Action, EditAction, Store};
use crate::words;
use berth_protocol::cycle::{Cycle, NodeScore, PluginScore};
use berth_protocol::page::Explained;

/// Number of best nodes in the table; one more is shown beside them.
const BEST: usize = 4;
/// Maximum number of nodes with a bar.
const BARS: usize = 12;
/// Maximum number of plugins whose points are named.
const PARTS: usize = 4;

/// A plugin that scored.
struct Scorer<'a> {
    /// Among all Score plugins.
    position: usize,
    name: &'a str,
    weight: i64,
    /// Its scores differ between nodes.
    decides: bool,
}

struct Scores<'a> {
    cycle: &'a Cycle,
    revealed: &'a Revealed,
    plugins: Vec<Scorer<'a>>,
    /// Whether scores are normalized and summed.
    is_summed: bool,
    /// Whether the node is picked.
    is_picked: bool,
    /// The chosen cell.
    cell: Option<&'a Cell>,
}

/// The section with the scores, if the attempt has reached that point.
pub fn view(
    store: &Store,
    explained: &Explained,
    cycle: &Cycle,
    revealed: &Revealed,
    act: &Callback<Action>,
) -> Html {
    if !revealed.reached(Point::Score) {
        return html! {};
    }
    let Some(nodes) = &cycle.scores else {
        return match &cycle.selected {
            Some(node) => html! {
                <section class="sect sect--note"><p class="note">{ text::not_scored(node) }</p></section>
            },
            None => html! {},
        };
    };
    let scores = Scores {
        cycle,
        revealed,
        plugins: plugins(cycle, &explained.rows.even),
        is_summed: revealed.reached(Point::Normalize),
        is_picked: revealed.reached(Point::Select),
        cell: store
            .explain
            .cell
            .as_ref()
            .filter(|cell| cell.table == Table::Scores),
    };
    let ranked = scores.ranked(nodes);
    let sum = words::followed(
        words::nodes(explained.rows.feasible),
        text::plugins(scores.plugins.len()),
    );
    let body = html! {
        <>
            if scores.is_summed {
                { scores.lead(&ranked) }
                { scores.bars(&ranked, explained.rows.feasible) }
            }
            { scores.table(&scores.beside_each_other(&ranked, store), act) }
            if let Some(cell) = scores.cell {
                { arithmetic::score(cell, store.explain.numbers.as_ref()) }
            }
            if !cycle.pre_score_skipped.is_empty() {
                <p class="note note--after">{ text::not_scoring(&cycle.pre_score_skipped) }</p>
            }
            if scores.is_picked { { tie(store, cycle, act) } }
        </>
    };
    section(text::SCORE.get(), sum.into(), true, body)
}

/// Plugins that scored, in order.
fn plugins<'a>(cycle: &'a Cycle, even: &[String]) -> Vec<Scorer<'a>> {
    let scored = cycle.scores.iter().flatten().next();
    let scored = scored.map_or(&[][..], |score| score.plugins.as_slice());
    scored
        .iter()
        .map(|score| {
            let mut all = cycle.score_plugins.iter();
            let position = all.position(|known| known.plugin == score.plugin);
            Scorer {
                position: position.unwrap_or(0),
                name: score.plugin.as_str(),
                weight: score.weight,
                decides: !even.contains(&score.plugin),
            }
        })
        .collect()
}

/// The tone of a plugin's points.
fn tone(decides: bool) -> &'static str {
    if decides { "c-decides" } else { "c-equal" }
}

impl<'a> Scores<'a> {
    /// By total, the winner first among equals; in document order while there are no totals.
    fn ranked(&self, nodes: &'a [NodeScore]) -> Vec<&'a NodeScore> {
        let mut ranked: Vec<&NodeScore> = nodes.iter().collect();
        if self.is_summed {
            ranked.sort_by_key(|score| (std::cmp::Reverse(score.total), !self.has_won(score)));
        }
        ranked
    }

    fn has_won(&self, score: &NodeScore) -> bool {
        self.is_picked && self.cycle.selected.as_deref() == Some(&score.node)
    }

    /// The best nodes, and the node that is chosen on the page or else the next best one.
    fn beside_each_other(&self, ranked: &[&'a NodeScore], store: &Store) -> Vec<&'a NodeScore> {
        let chosen = store.explain.cell.as_ref().map(|cell| &cell.node);
        let chosen = store.stage.chosen.first().or(chosen);
        let mut shown: Vec<&NodeScore> = ranked.iter().take(BEST).copied().collect();
        let rest = ranked.iter().skip(BEST).copied();
        let mut rest: Vec<&NodeScore> = rest.collect();
        rest.sort_by_key(|score| (Some(&score.node) != chosen, !self.has_won(score)));
        shown.extend(rest.first());
        shown
    }

    /// By what the best node leads.
    fn lead(&self, ranked: &[&NodeScore]) -> Html {
        let [first, second, ..] = ranked else {
            return html! {};
        };
        let points = first.total - second.total;
        if points == 0 {
            return html! {};
        }
        let parts = first.plugins.iter().zip(&second.plugins);
        let parts = parts.map(|(one, other)| (one.plugin.as_str(), one.weighted - other.weighted));
        let mut parts: Vec<(&str, i64)> = parts.filter(|(_, points)| *points != 0).collect();
        parts.sort_by_key(|(_, points)| std::cmp::Reverse(points.abs()));
        parts.truncate(PARTS);
        html! { <p class="lead" data-lead={points.to_string()}>{ text::lead(points, &second.node, &parts) }</p> }
    }

    fn bars(&self, ranked: &[&NodeScore], count: usize) -> Html {
        let highest = ranked.first().map_or(1, |score| score.total.max(1));
        let bars = ranked
            .iter()
            .take(BARS)
            .map(|score| self.bar(score, highest));
        let more = count.saturating_sub(BARS);
        html! {
            <>
                <div class="totals">{ for bars }</div>
                if more > 0 { <p class="note">{ text::more_nodes(more) }</p> }
            </>
        }
    }

    fn bar(&self, score: &NodeScore, highest: i64) -> Html {
        let won = self.has_won(score);
        let parts = |decides: bool| {
            let parts = score.plugins.iter().zip(&self.plugins);
            let parts =
                parts.filter(move |(part, plugin)| part.weighted > 0 && plugin.decides == decides);
            parts.map(move |(part, _)| {
                html! { <i class={tone(decides)} style={format!("--p:{}", part.weighted)} /> }
            })
        };
        // Points that all nodes have come last: bars differ where they begin.
        let parts = parts(true).chain(parts(false));
        html! {
            <>
                <span class={classes!("totals__name", won.then_some("is-won"))} title={score.node.clone()}>
                    { icon(if won { "chosen" } else { "feasible" }) }<span class="clip">{ &score.node }</span>
                </span>
                <span class="sbar" style={format!("--of:{highest}")} aria-hidden="true">{ for parts }</span>
                <span class="totals__v" data-score={score.node.clone()} data-total={score.total.to_string()}>{ score.total }</span>
            </>
        }
    }

    fn table(&self, shown: &[&NodeScore], act: &Callback<Action>) -> Html {
        let names = shown.iter().map(|score| score.node.as_str());
        let shared = text::shared(names);
        let class = |score: &NodeScore| classes!(self.has_won(score).then_some("is-won"));
        let heads = shown.iter().map(|score| {
            let name = text::without(&score.node, shared);
            html! { <th scope="col" class={class(score)} title={score.node.clone()}><span class="clip">{ name }</span></th> }
        });
        let rows = self
            .plugins
            .iter()
            .enumerate()
            .map(|(row, plugin)| self.plugin(row, plugin, shown));
        let totals = shown
            .iter()
            .map(|score| html! { <td class={class(score)}>{ score.total }</td> });
        let act = act.clone();
        let onclick = Callback::from(move |event: MouseEvent| choose(&event, &act));
        let onkeydown = Callback::from(|event: KeyboardEvent| walk(&event));
        let head = if self.is_summed {
            words::report::SCORE_LEGEND
        } else {
            text::RAW
        };
        html! {
            <table class="scores" {onclick} {onkeydown}>
                <caption class="visually-hidden">{ text::SCORES }</caption>
                <colgroup><col />{ for shown.iter().map(|_| html! { <col /> }) }</colgroup>
                <thead><tr><th scope="col">{ head }</th>{ for heads }</tr></thead>
                <tbody>{ for rows }</tbody>
                if self.is_summed {
                    <tfoot><tr><th scope="row">{ text::TOTAL }</th>{ for totals }</tr></tfoot>
                }
            </table>
        }
    }

    fn plugin(&self, row: usize, plugin: &Scorer<'_>, shown: &[&NodeScore]) -> Html {
        let Scorer { name, weight, .. } = plugin;
        let part = |score: &NodeScore| {
            score
                .plugins
                .iter()
                .find(|part| part.plugin == *name)
                .cloned()
        };
        let has_run = self.revealed.scored(plugin.position);
        let cells = shown.iter().enumerate().map(|(column, score)| {
            let part = part(score).filter(|_| has_run);
            let class = self.has_won(score).then_some("is-won");
            html! { <td class={classes!(class)}>{ for part.map(|part| self.cell(&part, &score.node, (row, column))) }</td> }
        });
        let short = name
            .strip_prefix("NodeResources")
            .filter(|_| name.len() > 18);
        html! {
            <tr class={classes!((!plugin.decides).then_some("is-equal"))}>
                <th scope="row" title={text::described(name)} data-plugin={(*name).to_owned()}>
                    <i class={classes!("sw", tone(plugin.decides))} />{ short.unwrap_or(name) }<br /><span class="w">{ format!("× {weight}") }</span>
                </th>
                { for cells }
            </tr>
        }
    }

    /// The numbers of a plugin and node, a button that shows their arithmetic.
    fn cell(&self, part: &PluginScore, node: &str, (row, column): (usize, usize)) -> Html {
        let chosen = self.cell;
        let chosen = chosen.is_some_and(|cell| cell.node == node && cell.plugin == part.plugin);
        let numbers = if self.is_summed {
            html! { <><b>{ part.weighted }</b><small>{ format!("{}→", part.raw) }<wbr />{ part.normalized }</small></> }
        } else {
            html! { <small>{ part.raw }</small> }
        };
        html! {
            <button
                class="scores__cell"
                tabindex={if (row, column) == (0, 0) { "0" } else { "-1" }}
                aria-pressed={chosen.to_string()}
                data-scored={format!("{node}/{}", part.plugin)}
                data-scored-at={format!("{row} {column}")}
            >{ numbers }</button>
        }
    }
}

/// The cell that is an event's target.
fn cell_of(event: &Event) -> Option<Element> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest("[data-scored]").ok().flatten()
}

#[inline(never)]
fn choose(event: &MouseEvent, act: &Callback<Action>) {
    let cell = cell_of(event).and_then(|cell| cell.get_attribute("data-scored"));
    if let Some((node, plugin)) = cell.as_deref().and_then(|cell| cell.rsplit_once('/')) {
        act.emit(Action::Explain(ExplainAction::Cell(Cell {
            node: node.to_owned(),
            plugin: plugin.to_owned(),
            table: Table::Scores,
        })));
    }
}

/// The arrow keys move between the cells.
#[inline(never)]
fn walk(event: &KeyboardEvent) {
    let (down, right) = match event.key().as_str() {
        "ArrowDown" => (1, 0),
        "ArrowUp" => (-1, 0),
        "ArrowRight" => (0, 1),
        "ArrowLeft" => (0, -1),
        _ => return,
    };
    let Some(cell) = cell_of(event) else {
        return;
    };
    // Elsewhere they step through the run.
    event.prevent_default();
    event.stop_propagation();
    let at = cell.get_attribute("data-scored-at").unwrap_or_default();
    let at = at.split_once(' ').and_then(|(row, column)| {
        let (row, column): (i32, i32) = (row.parse().ok()?, column.parse().ok()?);
        Some(format!(
            "[data-scored-at=\"{} {}\"]",
            row + down,
            column + right
        ))
    });
    let table = cell.closest("table").ok().flatten();
    let next = table
        .zip(at)
        .and_then(|(table, at)| table.query_selector(&at).ok().flatten());
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        // If focusing fails, the focus stays where it is.
        let _ = next.focus();
    }
}

fn tie(store: &Store, cycle: &Cycle, act: &Callback<Action>) -> Html {
    let Some(tie) = &cycle.tie_break else {
        return html! {};
    };
    let best = cycle.scores.iter().flatten().map(|score| score.total).max();
    let seeds = act.reform(|_: MouseEvent| Action::Compare(CompareAction::Choose(Topic::Seeds)));
    let (act, next) = (act.clone(), store.view.head.seed.wrapping_add(1));
    let onclick =
        Callback::from(move |_: MouseEvent| act.emit(Action::Edit(EditAction::Seed(next))));
    html! {
        <p class="tie">
            { icon("chosen") }<span>{ text::tie(best.unwrap_or(0), tie) }</span><span class="push" />
            if tie.seed.is_some() { <button class="link" {onclick}>{ text::ANOTHER_SEED }</button><button class="link" data-action="compare-seeds" onclick={seeds}>{ words::compare::COMPARE_SEEDS }</button> }
        </p>
    }
}

#[cfg(test)]
mod tests {
    use super::{Scores, plugins};
    use crate::ui::store::Store;
    use crate::ui::store::progress::Revealed;
    use berth_protocol::cycle::{Cycle, NodeScore};

    #[test]
    fn the_table_shows_the_best_and_the_chosen() {
        let score = |index: i64| NodeScore {
            node: format!("n{index}"),
            plugins: Vec::new(),
            total: index,
        };
        let cycle = Cycle {
            scores: Some((0..9).map(score).collect()),
            selected: Some("n8".into()),
            ..Cycle::default()
        };
        let revealed = Revealed::all();
        let scores = Scores {
            cycle: &cycle,
            revealed: &revealed,
            plugins: plugins(&cycle, &[]),
            is_summed: true,
            is_picked: true,
            cell: None,
        };
        let ranked = scores.ranked(cycle.scores.as_ref().unwrap());
        let mut store = Store::default();
        let shown = |store: &Store| -> Vec<String> {
            let shown = scores.beside_each_other(&ranked, store);
            shown.iter().map(|score| score.node.clone()).collect()
        };
        assert_eq!(shown(&store), ["n8", "n7", "n6", "n5", "n4"]);
        store.stage.chosen.insert("n1".into());
        assert_eq!(shown(&store), ["n8", "n7", "n6", "n5", "n1"]);
    }
}
