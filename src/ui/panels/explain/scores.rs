//! The scores: totals as stacked bars, then raw → normalized × weight, plugin by plugin.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::section::section;
use super::text;
use crate::ui::parts::icon::icon;
use crate::ui::store::compare::Topic;
use crate::ui::store::progress::{Point, Revealed};
use crate::ui::store::{Action, CompareAction, EditAction, Store};
use crate::words;
use berth_protocol::cycle::{Cycle, NodeScore, PluginScore};
use berth_protocol::page::Explained;

/// Number of best nodes in the table; one more is shown beside them.
const BEST: usize = 4;
/// Maximum number of nodes with a bar.
const BARS: usize = 12;
/// Number of plugin shades in the style sheet.
const SHADES: usize = 7;

struct Scores<'a> {
    cycle: &'a Cycle,
    revealed: &'a Revealed,
    /// Plugins that scored, in order: position among all, name, weight.
    plugins: Vec<(usize, &'a str, i64)>,
    /// Whether scores are normalized and summed.
    is_summed: bool,
    /// Whether the node is picked.
    is_picked: bool,
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
        plugins: plugins(cycle),
        is_summed: revealed.reached(Point::Normalize),
        is_picked: revealed.reached(Point::Select),
    };
    let ranked = scores.ranked(nodes);
    let sum = words::followed(
        words::nodes(explained.rows.feasible),
        text::plugins(scores.plugins.len()),
    );
    let body = html! {
        <>
            if scores.is_summed { { scores.bars(&ranked, explained.rows.feasible) } }
            { scores.table(&scores.beside_each_other(&ranked, store)) }
            if !cycle.pre_score_skipped.is_empty() {
                <p class="note note--after">{ text::not_scoring(&cycle.pre_score_skipped) }</p>
            }
            if scores.is_picked { { tie(store, cycle, act) } }
        </>
    };
    section(text::SCORE.get(), sum.into(), true, body)
}

/// Plugins that scored.
fn plugins(cycle: &Cycle) -> Vec<(usize, &str, i64)> {
    let scored = cycle.scores.iter().flatten().next();
    let scored = scored.map_or(&[][..], |score| score.plugins.as_slice());
    scored
        .iter()
        .map(|score| {
            let mut all = cycle.score_plugins.iter();
            let position = all.position(|known| known.plugin == score.plugin);
            (position.unwrap_or(0), score.plugin.as_str(), score.weight)
        })
        .collect()
}

fn shade(position: usize) -> String {
    format!("c-{}", position % SHADES + 1)
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
        let parts = score
            .plugins
            .iter()
            .enumerate()
            .filter(|(_, part)| part.weighted > 0)
            .map(|(position, part)| {
                html! { <i class={shade(position)} style={format!("--p:{}", part.weighted)} /> }
            });
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

    fn table(&self, shown: &[&NodeScore]) -> Html {
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
        let head = if self.is_summed {
            text::RAW_TO_NORMALIZED
        } else {
            text::RAW
        };
        html! {
            <table class="scores">
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

    fn plugin(
        &self,
        row: usize,
        (position, name, weight): &(usize, &str, i64),
        shown: &[&NodeScore],
    ) -> Html {
        let part = |score: &NodeScore| {
            score
                .plugins
                .iter()
                .find(|part| part.plugin == *name)
                .cloned()
        };
        let mut winners = shown.iter().filter(|score| self.has_won(score));
        let winner = winners.next().and_then(|score| part(score));
        let has_run = self.revealed.scored(*position);
        let cells = shown.iter().map(|score| {
            let part = part(score).filter(|_| has_run);
            let is_same = winner
                .as_ref()
                .zip(part.as_ref())
                .is_some_and(|(winner, part)| {
                    !self.has_won(score) && winner.weighted == part.weighted
                });
            let class = if self.has_won(score) {
                Some("is-won")
            } else {
                is_same.then_some("is-same")
            };
            html! { <td class={classes!(class)}>{ for part.map(|part| self.numbers(&part)) }</td> }
        });
        let short = name
            .strip_prefix("NodeResources")
            .filter(|_| name.len() > 18);
        html! {
            <tr>
                <th scope="row" title={(*name).to_owned()}>
                    <i class={classes!("sw", shade(row))} />{ short.unwrap_or(name) }<br /><span class="w">{ format!("× {weight}") }</span>
                </th>
                { for cells }
            </tr>
        }
    }

    fn numbers(&self, part: &PluginScore) -> Html {
        if self.is_summed {
            html! { <><b>{ part.weighted }</b><small>{ format!("{}→", part.raw) }<wbr />{ part.normalized }</small></> }
        } else {
            html! { <small>{ part.raw }</small> }
        }
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
            plugins: plugins(&cycle),
            is_summed: true,
            is_picked: true,
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
