//! The right panel: what differs, Pod by Pod.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::{send, settings, summary};
use crate::ui::features::compare::{Compare, CompareAction};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words::explain::described;
use crate::words::{compare as words, number, part_of, pods};
use berth_protocol::compare::{Cause, Place, PodDifference, Which};
use berth_protocol::cycle::{Cycle, NodeScore};

pub fn view(store: &Store, compare: &Compare, act: &Callback<Action>) -> Html {
    let b = &compare.side(Which::B).view;
    let size = compare
        .is_done()
        .then(|| crate::words::size(b.nodes.len(), b.pods.len()));
    html! {
        <aside class="panel explain" aria-label={words::DIFFERENCES}>
            <header class="panel__head"><h2 class="panel__title">{ words::DIFFERENCES }</h2><span class="push" /><span class="muted">{ size }</span></header>
            <div class="panel__body" tabindex="0" aria-label={words::DIFFERENCES}>
                if compare.is_done() {
                    <p class="sentence" role="status" data-sentence="">{ summary::sentence(compare) }</p>
                    { settings::table(compare, act) }
                    { summary::tally(store, compare, act) }
                    { moves(compare, act) }
                }
            </div>
        </aside>
    }
}

/// The Pods that came out differently.
fn moves(compare: &Compare, act: &Callback<Action>) -> Html {
    let different = compare.different;
    if different == 0 {
        return html! {};
    }
    let all = compare
        .ends
        .as_ref()
        .map_or(0, |ends| ends.0.pods.max(ends.1.pods));
    let listed = compare.differences.iter().take(compare.listed);
    let prefix = common_prefix(compare);
    let rows = listed.map(|difference| row(compare, difference, &prefix, act));
    let rest = different.saturating_sub(compare.listed);
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::ELSEWHERE }</h3><span class="sect__sum">{ part_of(number(different), pods(all)) }</span></div>
            { score_comparison(compare) }
            <table class="moves" data-moves={different.to_string()}>
                <caption class="visually-hidden">{ words::ELSEWHERE_HELP }</caption>
                <tbody>{ for rows }</tbody>
            </table>
            if rest > 0 {
                <button class="btn moves__more" data-action="more-differences" onclick={send(act, CompareAction::More)}>{ icon("plus") }{ words::more(rest) }</button>
            }
        </section>
    }
}

/// The beginning that all names of nodes share, up to a hyphen: where there is little room, they differ by the
/// rest.
fn common_prefix(compare: &Compare) -> String {
    let views = compare.sides.iter().map(|side| &side.view);
    let mut names = views.flat_map(|view| view.nodes.iter().map(|node| node.name.as_str()));
    let Some(first) = names.next() else {
        return String::new();
    };
    let common = names.fold(first.len(), |length, name| {
        let same = first.bytes().zip(name.bytes()).take(length);
        same.take_while(|(one, other)| one == other).count()
    });
    let common = first.get(..common).unwrap_or_default();
    let end = common.rfind('-').map_or(0, |at| at + 1);
    common.get(..end).unwrap_or_default().to_owned()
}

fn row(
    compare: &Compare,
    difference: &PodDifference,
    prefix: &str,
    act: &Callback<Action>,
) -> Html {
    let short_node = |name: &str| name.strip_prefix(prefix).unwrap_or(name).to_owned();
    let key = difference.pod.clone();
    let chosen = compare.pod.as_ref() == Some(&key);
    let views = Which::BOTH.map(|which| &compare.side(which).view);
    let flag = views
        .iter()
        .find_map(|view| Some(view.owners.class(view.pod(&key)?)));
    let place = |place: &Place| {
        let mark = match place {
            Place::Node(_) => None,
            Place::Pending => Some("waiting"),
            Place::Gated => Some("gated"),
            Place::Evicted { .. } => Some("victim"),
            Place::Absent => Some("minus"),
        };
        let full = words::place(place);
        let shown = match place {
            Place::Node(node) => short_node(node),
            _ => full.clone(),
        };
        html! { <span title={full}>{ for mark.map(icon) }{ shown }</span> }
    };
    let nodes = compare.ends.as_ref().map_or(0, |ends| ends.0.nodes);
    let why = difference.cause.as_ref().map(|cause| {
        let (plugin, number) = words::cause(cause, nodes, |name| {
            name.strip_prefix(prefix).unwrap_or(name)
        });
        let title = words::cause_in_full(cause, nodes);
        html! { <span {title}><b>{ plugin }</b>{ " " }{ number }</span> }
    });
    let act = act.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        act.emit(Action::Compare(CompareAction::Pod(key.clone())));
    });
    html! {
        <tr key={difference.pod.clone()} class={classes!(chosen.then_some("is-chosen"))} data-moved={difference.pod.clone()}>
            <th scope="row"><button class="moves__pod" aria-pressed={chosen.to_string()} title={difference.pod.clone()} {onclick}><i class={classes!("flag", flag)} /><span class="clip">{ summary::name_of(compare, &difference.pod) }</span></button></th>
            <td><span class="moves__way">{ place(&difference.a) }<span class="visually-hidden">{ words::TO }</span><span class="muted" aria-hidden="true">{ "→" }</span>{ place(&difference.b) }</span></td>
            <td class="moves__why">{ why.unwrap_or_default() }</td>
        </tr>
    }
}

/// The weighted points of the chosen Pod's node in B against that in A, in both runs: its terms add up to the sum.
fn score_comparison(compare: &Compare) -> Html {
    let Some(difference) = compare.chosen() else {
        return html! {};
    };
    let pod = summary::name_of(compare, &difference.pod);
    let nodes = compare.ends.as_ref().map_or(0, |ends| ends.0.nodes);
    let cause = difference.cause.as_ref();
    let cause = cause.map(|cause| words::cause_in_full(cause, nodes));
    let points = match &difference.cause {
        Some(Cause::Score { node, against, .. }) => points(compare, node, against),
        _ => None,
    };
    html! {
        <div class="sum" data-duel={difference.pod.clone()}>
            { for cause.map(|cause| html! { <p class="sum__title"><b>{ pod }</b>{ " " }{ cause }</p> }) }
            { points.unwrap_or_default() }
        </div>
    }
}

fn points(compare: &Compare, node: &str, against: &str) -> Option<Html> {
    let [a, b] = Which::BOTH.map(|which| compare.side(which).cycle());
    let (a, b) = (a?, b?);
    let (first, other) = (margins(a, node, against)?, margins(b, node, against)?);
    let of = |margins: &[(String, i64)], name: &str| {
        let found = margins.iter().find(|(known, _)| known == name);
        found.map_or(0, |(_, points)| *points)
    };
    let mut plugins: Vec<&String> = first.iter().chain(&other).map(|(name, _)| name).collect();
    plugins.dedup();
    let mut seen = Vec::new();
    plugins.retain(|name| {
        let is_new = !seen.contains(name);
        seen.push(*name);
        is_new && (of(&first, name) != 0 || of(&other, name) != 0)
    });
    let heads = plugins.iter().map(|name| {
        html! { <th scope="col" title={described(name)}>{ short(name) }</th> }
    });
    let row = |which: Which, margins: &[(String, i64)], cycle: &Cycle| {
        let terms = plugins.iter().map(|name| {
            html! { <td>{ words::signed(of(margins, name)) }</td> }
        });
        let sum: i64 = margins.iter().map(|(_, points)| points).sum();
        html! {
            <tr><th scope="row">{ which.letter() }</th>{ for terms }<td>{ words::signed(sum) }</td><td class="is-win">{ cycle.selected.clone() }</td></tr>
        }
    };
    Some(html! {
        <table class="duel">
            <caption>{ words::score_comparison(node, against) }</caption>
            <thead><tr><td />{ for heads }<th scope="col">{ words::SUM }</th><th scope="col">{ words::GOES_TO }</th></tr></thead>
            <tbody>{ row(Which::A, &first, a) }{ row(Which::B, &other, b) }</tbody>
        </table>
    })
}

/// A plugin's name in a narrow column.
fn short(plugin: &str) -> &str {
    plugin
        .trim_start_matches("NodeResources")
        .trim_start_matches("Pod")
        .trim_end_matches("Allocation")
}

/// The weighted points of a node minus those of another, by plugin.
fn margins(cycle: &Cycle, node: &str, against: &str) -> Option<Vec<(String, i64)>> {
    let scores = cycle.scores.as_ref()?;
    let of = |name: &str| -> Option<&NodeScore> { scores.iter().find(|it| it.node == name) };
    let (one, other) = (of(node)?, of(against)?);
    let pairs = one.plugins.iter().zip(&other.plugins);
    Some(
        pairs
            .map(|(one, other)| (one.plugin.to_string(), one.weighted - other.weighted))
            .collect(),
    )
}
