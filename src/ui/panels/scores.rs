//! The score table: totals as stacked bars, then raw → normalized × weight, plugin by plugin.

use yew::{Html, classes, html};

use crate::base::sort;
use crate::protocol::cycle::{Cycle, NodeScore, PluginScore};
use crate::ui::parts::icon::icon;
use crate::ui::words;

/// Nodes in the table beside each other; bars go on below.
const COLUMNS: usize = 6;
/// Nodes with a bar.
const BARS: usize = 50;
/// Shades that the style sheet has for plugins.
const SHADES: usize = 7;

/// The section with the scores.
pub fn view(cycle: &Cycle) -> Html {
    let Some(scores) = &cycle.scores else {
        return match cycle.selected {
            Some(_) => {
                html! { <section class="sect sect--note"><p class="note">{ words::ONE_FEASIBLE }</p></section> }
            }
            None => html! {},
        };
    };
    let mut ranked: Vec<&NodeScore> = scores.iter().collect();
    sort::sort_by_key(&mut ranked, |score| {
        (std::cmp::Reverse(score.total), !is_won(cycle, score))
    });
    let highest = ranked.first().map_or(1, |score| score.total.max(1));
    let names = plugins(cycle);
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::SCORE }</h3>
                <span class="sect__sum">{ format!("{}, {}",
                    words::count(scores.len(), "node", "nodes"),
                    words::count(names.len(), "plugin", "plugins")) }</span>
            </div>
            <div class="totals">{ for ranked.iter().take(BARS).map(|score| bar(cycle, score, highest, &names)) }</div>
            if ranked.len() > BARS {
                <p class="note">{ format!("… and {} more nodes", ranked.len() - BARS) }</p>
            }
            { table(cycle, &ranked[..ranked.len().min(COLUMNS)], &names) }
        </section>
    }
}

fn is_won(cycle: &Cycle, score: &NodeScore) -> bool {
    cycle.selected.as_deref() == Some(&score.node)
}

/// Plugins that scored, in their order, with their weights.
fn plugins(cycle: &Cycle) -> Vec<(&str, i64)> {
    let scored = cycle.scores.iter().flatten().next();
    scored
        .into_iter()
        .flat_map(|score| &score.plugins)
        .map(|score| (score.plugin.as_str(), score.weight))
        .collect()
}

fn shade(position: usize) -> String {
    format!("c-{}", position % SHADES + 1)
}

fn bar(cycle: &Cycle, score: &NodeScore, highest: i64, names: &[(&str, i64)]) -> Html {
    let won = is_won(cycle, score);
    let parts = names.iter().enumerate().map(|(position, (name, _))| {
        let weighted = score
            .plugins
            .iter()
            .find(|part| part.plugin == *name)
            .map_or(0, |part| part.weighted);
        html! { <i class={shade(position)} style={format!("--p:{weighted}")} /> }
    });
    html! {
        <>
            <span class={classes!("totals__name", won.then_some("is-won"))}>
                { icon(if won { "chosen" } else { "feasible" }) }{ &score.node }
            </span>
            <span class="sbar" style={format!("--of:{highest}")} aria-hidden="true">{ for parts }</span>
            <span class="totals__v" data-score={score.node.clone()} data-total={score.total.to_string()}>{ score.total }</span>
        </>
    }
}

fn table(cycle: &Cycle, ranked: &[&NodeScore], names: &[(&str, i64)]) -> Html {
    let won = |score: &NodeScore| classes!(is_won(cycle, score).then_some("is-won"));
    let heads = ranked.iter().map(|score| html! {
        <th scope="col" class={won(score)} title={score.node.clone()}><span class="clip scores__node">{ &score.node }</span></th>
    });
    let rows = names.iter().enumerate().map(|(position, (name, weight))| {
        let cells = ranked.iter().map(|score| {
            let part = score.plugins.iter().find(|part| part.plugin == *name);
            html! { <td class={won(score)}>{ for part.map(numbers) }</td> }
        });
        html! {
            <tr>
                <th scope="row" title={name.to_string()}>
                    <i class={classes!("sw", shade(position))} />{ name }<br /><span class="w">{ format!("× {weight}") }</span>
                </th>
                { for cells }
            </tr>
        }
    });
    let totals = ranked
        .iter()
        .map(|score| html! { <td class={won(score)}>{ score.total }</td> });
    html! {
        <table class="scores">
            <caption class="visually-hidden">{ "Scores by plugin and node" }</caption>
            <thead><tr><th scope="col">{ words::RAW_TO_NORMALIZED }</th>{ for heads }</tr></thead>
            <tbody>{ for rows }</tbody>
            <tfoot><tr><th scope="row">{ words::TOTAL }</th>{ for totals }</tr></tfoot>
        </table>
    }
}

fn numbers(part: &PluginScore) -> Html {
    html! { <><b>{ part.weighted }</b><small>{ format!("{}→{}", part.raw, part.normalized) }</small></> }
}
