//! The candidates of preemption, their victims, and the rule that decided.

use yew::{Html, classes, html};

use super::section::section;
use super::text;
use crate::report::preemption::{Round, deciding, ranked, rounds};
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::store::Store;
use crate::words;
use berth_protocol::cycle::{Candidate, PreemptionReport};

/// Maximum number of candidates shown; the rest is counted.
const CANDIDATES: usize = 30;
/// Maximum number of victims named per candidate.
const VICTIMS: usize = 3;

/// Position of the rule that compares the victims' start times.
const START: usize = 4;

/// The section with the candidates.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, report: &PreemptionReport, owners: &Owners) -> Html {
    let rounds = rounds(&report.candidates);
    let decides = deciding(&rounds);
    let fell = |at: usize| rounds.iter().position(|round| round.dropped.contains(&at));
    let order = ranked(report, &rounds);
    let rows = order.iter().take(CANDIDATES).filter_map(|&at| {
        let candidate = report.candidates.get(at)?;
        Some(row(store, report, candidate, owners, fell(at), decides))
    });
    let more = order.len().saturating_sub(CANDIDATES);
    let heads = text::RULES.iter().enumerate().map(|(rule, (short, long))| {
        html! { <th scope="col" title={*long}>{ rule + 1 }<br />{ *short }</th> }
    });
    let body = html! {
        <>
            <table class="cands">
                <thead><tr><th scope="col">{ text::NODE }</th><th scope="col">{ text::VICTIMS }</th>{ for heads }</tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
            if more > 0 { <p class="note">{ text::more_candidates(more) }</p> }
            { rules(report, &rounds, decides) }
            if report.ambiguous { <p class="note note--after">{ text::by_name(&report.nominated) }</p> }
        </>
    };
    let candidates = text::candidates(report.candidates.len());
    let sum = match decides {
        _ if report.ambiguous => text::tied(&candidates),
        Some(rule) => text::decided(&candidates, rule + 1),
        None => candidates,
    };
    section(text::PREEMPTION.get(), sum.into(), true, body)
}

fn row(
    store: &Store,
    report: &PreemptionReport,
    candidate: &Candidate,
    owners: &Owners,
    fell: Option<usize>,
    decides: Option<usize>,
) -> Html {
    let won = candidate.node == report.nominated;
    let starts = report
        .candidates
        .iter()
        .filter_map(|one| one.ranks.get(START));
    let earliest = starts.min().copied().unwrap_or(0);
    let victims = candidate.victims.iter().take(VICTIMS).map(|key| {
        let evicted = || store.view.head.victims.iter().find(|pod| pod.key == *key);
        let pod = store.view.pod(key).map(AsRef::as_ref).or_else(evicted);
        let color = pod.map(|pod| owners.class(pod));
        let name = pod.map_or_else(|| words::short(key).to_owned(), label);
        html! { <span class={classes!("pod", color.unwrap_or_else(|| "pod--gone".to_owned()))} title={key.clone()}><span class="clip">{ name }</span></span> }
    });
    let more = candidate.victims.len().saturating_sub(VICTIMS);
    let cells = candidate.ranks.iter().enumerate().map(|(rule, rank)| {
        let class = match fell {
            Some(fell) if fell == rule => Some("is-cut"),
            Some(fell) if fell < rule => Some("is-out"),
            _ => (won && decides == Some(rule)).then_some("is-deciding"),
        };
        let rank = text::rank(rule, *rank, candidate.victims.len(), earliest);
        html! { <td class={classes!(class)}>{ rank }</td> }
    });
    html! {
        <tr class={classes!(won.then_some("is-won"))}>
            <th scope="row">if won { { icon("chosen") }{ " " } }{ &candidate.node }</th>
            <td><span class="pods">{ for victims }if more > 0 { <span class="muted">{ format!("+{more}") }</span> }</span></td>
            { for cells }
        </tr>
    }
}

fn rules(report: &PreemptionReport, rounds: &[Round], decides: Option<usize>) -> Html {
    let rules = text::RULES.iter().enumerate().map(|(rule, (_, long))| {
        let went = rounds.get(rule).map(|round| {
            let names = round.dropped.iter().filter_map(|&at| report.candidates.get(at));
            let names: Vec<&str> = names.map(|one| one.node.as_str()).collect();
            text::round(round.left, &names)
        });
        let class = (decides == Some(rule) && !report.ambiguous).then_some("rule--decides");
        html! { <li class={classes!("rule", class)}><span>{ rule + 1 }</span><span>{ *long }</span><span>{ for went }</span></li> }
    });
    html! { <ol class="rules">{ for rules }</ol> }
}
