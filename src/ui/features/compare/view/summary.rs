//! The figures of both runs and what they come to.

use yew::{Callback, Event, Html, TargetCast, classes, html};

use web_sys::HtmlSelectElement;

use crate::ui::features::compare::{Compare, CompareAction, Kind};
use crate::ui::parts::owner::label;
use crate::ui::store::{Action, Store};
use crate::words::{compare as words, number, part_of, short, short_key};
use berth_protocol::compare::{PodDifference, Summary, Utilization, Which};

/// Pods by how they came out.
fn of_kind(compare: &Compare, kind: Kind) -> impl Iterator<Item = &PodDifference> {
    compare
        .differences
        .iter()
        .filter(move |pod| Kind::of(pod) == kind)
}

/// The number of Pods of each kind, above the stages.
pub fn kinds(compare: &Compare) -> Vec<Html> {
    let kinds = [
        (Kind::Moved, words::MOVED),
        (Kind::NewlyPlaced, words::NEWLY_PLACED),
        (Kind::NewlyPending, words::NEWLY_PENDING),
        (Kind::NewlyEvicted, words::NEWLY_EVICTED),
        (Kind::OnlyInOne, words::IN_ONE_ONLY),
    ];
    let counted = kinds
        .map(|(kind, name)| (name, of_kind(compare, kind).count()))
        .into_iter()
        .filter(|(_, count)| *count > 0);
    counted
        .map(|(name, count)| html! { <span class="muted pair__kind">{ words::newly(name, count) }</span> })
        .collect()
}

/// A Pod's name as its block has it.
pub fn name_of(compare: &Compare, key: &str) -> String {
    let mut views = Which::BOTH
        .map(|which| &compare.side(which).view)
        .into_iter();
    let pod = views.find_map(|view| view.pod(key));
    pod.map_or_else(|| short(key).to_owned(), |pod| label(pod))
}

/// What the figures come to, in sentences.
pub fn sentence(compare: &Compare) -> String {
    let Some(ends) = compare.ends.as_deref() else {
        return String::new();
    };
    let (a, b) = ends;
    if compare.different == 0 && a == b {
        let kept = words::kept(compare.kept);
        return match kept {
            Some(kept) => words::sentences(&[words::SAME_RUNS.to_owned(), kept]),
            None => words::SAME.to_owned(),
        };
    }
    let [empty_a, empty_b] = [a, b].map(|side| side.nodes - side.nodes_in_use);
    let mut sentences = Vec::new();
    sentences.extend(words::empties(
        empty_b.saturating_sub(empty_a),
        empty_a.saturating_sub(empty_b),
    ));
    let names = |kind: Kind, tell: fn(&str, usize) -> String| {
        let mut pods = of_kind(compare, kind);
        let first = pods.next()?;
        Some(tell(&name_of(compare, &first.pod), pods.count()))
    };
    sentences.extend(names(Kind::NewlyPlaced, words::places));
    sentences.extend(names(Kind::NewlyPending, words::leaves));
    let moved = of_kind(compare, Kind::Moved).count();
    if moved > 0 {
        sentences.push(words::moves(moved));
    }
    let (first, other) = (a.spread.as_ref(), b.spread.as_ref());
    sentences.extend(words::kept(compare.kept));
    sentences.extend(words::spreads(first, other, compare.pairing.topology()));
    words::sentences(&sentences)
}

/// A row: its name, A, B, B − A, and whether it belongs to the one above.
struct Row {
    name: Html,
    values: [String; 3],
    is_sub: bool,
}

impl Row {
    fn is_same(&self) -> bool {
        matches!(self.values[2].as_str(), "0" | "")
    }
}

/// Rows that differ first; those that belong to another stay below it.
fn changed_first(rows: Vec<Row>) -> Vec<Row> {
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        match groups.last_mut() {
            Some(group) if row.is_sub => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    groups.sort_by_key(|group| group.iter().all(Row::is_same));
    groups.into_iter().flatten().collect()
}

fn row(name: &str, a: String, b: String, change: String) -> Row {
    Row {
        name: html! { name },
        values: [a, b, change],
        is_sub: false,
    }
}

fn change(a: usize, b: usize) -> String {
    match b.cmp(&a) {
        std::cmp::Ordering::Equal => "0".to_owned(),
        std::cmp::Ordering::Greater => format!("+{}", number(b - a)),
        std::cmp::Ordering::Less => format!("−{}", number(a - b)),
    }
}

fn counted(name: &str, a: usize, b: usize) -> Row {
    row(name, number(a), number(b), change(a, b))
}

fn percent(name: &str, a: f64, b: f64, is_sub: bool) -> Row {
    let moved = format!("{:.1}", (b - a).abs());
    let moved = match moved.as_str() {
        "0.0" => "0".to_owned(),
        _ if b > a => format!("+{moved}"),
        _ => format!("−{moved}"),
    };
    Row {
        is_sub,
        ..row(name, format!("{a:.1} %"), format!("{b:.1} %"), moved)
    }
}

fn utilization(name: &str, a: Utilization, b: Utilization) -> [Row; 3] {
    [
        percent(name, a.mean, b.mean, false),
        percent(words::DEVIATION.get(), a.deviation, b.deviation, true),
        percent(words::HIGHEST.get(), a.highest, b.highest, true),
    ]
}

/// The figures of both sides, and B minus A.
pub fn tally(store: &Store, compare: &Compare, act: &Callback<Action>) -> Html {
    let Some((a, b)) = compare.ends.as_deref() else {
        return html! {};
    };
    let of = |part: usize, all: usize| part_of(number(part), number(all));
    let mut rows = vec![
        row(
            words::PLACED.get(),
            of(a.placed, a.pods),
            of(b.placed, b.pods),
            change(a.placed, b.placed),
        ),
        counted(words::PENDING.get(), a.pending, b.pending),
        row(
            words::IN_USE.get(),
            of(a.nodes_in_use, a.nodes),
            of(b.nodes_in_use, b.nodes),
            change(a.nodes_in_use, b.nodes_in_use),
        ),
        counted(
            words::EMPTY.get(),
            a.nodes - a.nodes_in_use,
            b.nodes - b.nodes_in_use,
        ),
    ];
    rows.extend(utilization(words::CPU.get(), a.cpu, b.cpu));
    rows.extend(utilization(words::MEMORY.get(), a.memory, b.memory));
    rows.push(skew(store, compare, a, b, act));
    rows.push(counted(
        words::PREEMPTIONS.get(),
        a.preemptions,
        b.preemptions,
    ));
    let rows = changed_first(rows).into_iter().map(|row| {
        let same = row.is_same().then_some("is-same");
        let [a, b, change] = row.values;
        html! {
            <tr class={classes!(same)}>
                <th scope="row" class={classes!(row.is_sub.then_some("is-sub"))}>{ row.name }</th>
                <td>{ a }</td><td>{ b }</td><td>{ change }</td>
            </tr>
        }
    });
    html! {
        <section class="sect">
            <table class="tally" data-tally="">
                <caption class="visually-hidden">{ words::SUMMARY }</caption>
                <thead><tr><th scope="col">{ words::OUTCOME }</th><th scope="col">{ "A" }</th><th scope="col">{ "B" }</th><th scope="col">{ words::B_MINUS_A }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </section>
    }
}

/// The widest skew, with the choice of the topology key.
fn skew(store: &Store, compare: &Compare, a: &Summary, b: &Summary, act: &Callback<Action>) -> Row {
    let shown = |summary: &Summary| match &summary.spread {
        None => "–".to_owned(),
        Some(spread) => number(spread.skew()),
    };
    let moved = match (&a.spread, &b.spread) {
        (Some(a), Some(b)) => change(a.skew(), b.skew()),
        _ => String::new(),
    };
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            act.emit(Action::Compare(CompareAction::Topology(select.value())));
        }
    });
    let (here, keys) = (compare.pairing.topology(), &store.view.topology_keys);
    let chosen = Some(here).filter(|here| keys.iter().all(|key| key != here));
    let keys = chosen.into_iter().chain(keys.iter().map(String::as_str));
    let options = keys.map(|key| {
        html! { <option value={key.to_owned()} selected={key == here}>{ short_key(key) }</option> }
    });
    Row {
        name: html! {
            <>{ words::SKEW }{ " " }<select class="tally__select" aria-label={words::TOPOLOGY} title={here.to_owned()} data-field="topology" {onchange}>{ for options }</select></>
        },
        ..row("", shown(a), shown(b), moved)
    }
}

#[cfg(test)]
mod tests {
    use super::{changed_first, counted, percent};

    #[test]
    fn what_differs_comes_first_with_all_of_its_rows() {
        let rows = vec![
            counted("placed", 4, 4),
            percent("cpu", 1.0, 1.0, false),
            percent("highest", 2.0, 3.0, true),
            counted("empty", 1, 2),
        ];
        let changes = changed_first(rows)
            .into_iter()
            .map(|row| row.values[2].clone());
        let changes: Vec<String> = changes.collect();
        assert_eq!(changes, ["0", "+1.0", "+1", "0"]);
    }
}
