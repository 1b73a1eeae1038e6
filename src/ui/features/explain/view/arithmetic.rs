//! The arithmetic behind one cell of the matrix, and the two manifest snippets that it compares.

use yew::{Html, classes, html};

use super::text;
use crate::report::judgement::refusal;
use crate::ui::features::explain::{Cell, Found};
use crate::words;
use berth_protocol::cycle::Cycle;
use berth_protocol::fact::{AffinityTermKind, FactKind};
use berth_protocol::page::{Numbers, Snippet};
use berth_protocol::quantity;
use berth_protocol::remark::Remark;

/// Maximum number of passed comparisons, shown below the failed ones.
const QUIET: usize = 6;

/// Maximum number of counted Pods that are listed; the stage highlights all.
const NAMED: usize = 24;

/// A part of a sum.
#[derive(Debug, PartialEq, Eq)]
enum Term {
    /// The counted thing, in front of the sum.
    Of(String),
    Number {
        text: String,
        caption: String,
        bad: bool,
    },
    Sign {
        text: &'static str,
        bad: bool,
    },
}

/// The arithmetic and the manifests of the chosen cell of the matrix.
pub fn view(cycle: &Cycle, cell: &Cell, found: Option<&Found>) -> Html {
    let numbers = found.and_then(Found::numbers);
    let Cell { node, plugin, .. } = cell;
    let report = cycle.nodes.iter().find(|report| report.node == *node);
    let was_examined = report.is_none_or(|report| report.verdict.is_some());
    let refusal = report.and_then(|report| refusal(report, plugin));
    let reasons = refusal.map(|refusal| refusal.reasons.join(words::language::comma()));
    // The engine's answer has more: the Pods that count, and the numbers of a plugin that passes.
    let verdict = numbers.and_then(|numbers| numbers.verdict.as_ref());
    let facts = verdict.or(refusal).map(|verdict| verdict.facts.as_slice());
    let (against, quiet): (Vec<_>, Vec<_>) = facts
        .into_iter()
        .flatten()
        .partition(|fact| fact.kind.is_violated());
    let quiet = quiet.iter().take(QUIET);
    // A single sum needs no label.
    let several = against.len() > 1;
    let first = against.first().and_then(|fact| terms(&fact.kind));
    let about = first.into_iter().flatten().find_map(|term| match term {
        Term::Of(what) if !several => Some(what),
        _ => None,
    });
    let nothing = if was_examined {
        text::NO_NUMBERS
    } else {
        text::NOT_LOOKED_AT
    };
    let is_silent = facts.is_none_or(<[_]>::is_empty) && refusal.is_none();
    html! {
        <div class="sum" role="status" data-arithmetic={format!("{node}/{plugin}")}>
            <p class="sum__title"><b>{ node }</b>{ text::sum_of(plugin, about.as_deref()) }</p>
            { for reasons.map(|reasons| html! { <p class="sum__words bad" translate="no">{ reasons }</p> }) }
            if is_silent { <p class="sum__words">{ nothing }</p> }
            { for against.iter().map(|fact| comparison(&fact.kind, several)) }
            { for quiet.map(|fact| html! { <p class="sum__words sum__words--quiet">{ words::remark(&fact.kind.remark()) }</p> }) }
            { for found.map(|found| rest(plugin, found)) }
        </div>
    }
}

/// The arithmetic and the manifests of the chosen score.
#[inline(never)]
pub fn score(cell: &Cell, found: Option<&Found>) -> Html {
    let numbers = found.and_then(Found::numbers);
    let Cell { node, plugin, .. } = cell;
    let score = numbers.and_then(|numbers| numbers.score.as_ref());
    let arithmetic = score.and_then(|score| Some((score, score.arithmetic.as_deref()?)));
    let lines = arithmetic.map(|(score, arithmetic)| {
        let lines = arithmetic.lines(score.weight);
        let result = lines.len().saturating_sub(1);
        let line = |(index, line): (usize, &Remark)| {
            let class = match index {
                0 => "sum__words sum__words--quiet",
                _ if index == result => "sum__words sum__words--result",
                _ => "sum__words",
            };
            html! { <p {class}>{ words::remark(line) }</p> }
        };
        lines.iter().enumerate().map(line).collect::<Html>()
    });
    html! {
        <div class="sum" role="status" data-arithmetic={format!("{node}/{plugin}")}>
            <p class="sum__title"><b>{ node }</b>{ text::sum_of(plugin, None) }</p>
            { for lines }
            { for found.map(|found| rest(plugin, found)) }
        </div>
    }
}

fn rest(plugin: &str, found: &Found) -> Html {
    match found {
        Found::Numbers(numbers) => below(plugin, numbers),
        Found::Unavailable => {
            html! { <p class="sum__words sum__words--quiet" role="status">{ words::LAZY_MODULE_MISSING }</p> }
        }
    }
}

/// Below the numbers: the Pods that count, the lines of the manifests, what the plugin does.
/// Cold: kept out of the first download.
#[inline(never)]
fn below(plugin: &str, numbers: &Numbers) -> Html {
    let pods = numbers.counted();
    let named = pods.iter().take(NAMED);
    let more = pods.len().saturating_sub(NAMED);
    let about = text::about(plugin);
    html! {
        <>
            if !pods.is_empty() {
                <p class="sum__words" data-counted="">{ text::counted_pods(pods.len()) }</p>
                <ul class="sum__pods">
                    { for named.map(|pod| html! { <li translate="no">{ *pod }</li> }) }
                    if more > 0 { <li>{ words::report::and_more(more) }</li> }
                </ul>
            }
            { for clash(numbers) }
            { for about.map(|(what, address)| html! {
                <p class="sum__words sum__words--quiet">
                    { what }{ " " }<a class="link" href={address} target="_blank" rel="noopener">{ text::DOCUMENTATION }</a>
                </p>
            }) }
        </>
    }
}

fn comparison(fact: &FactKind, labelled: bool) -> Html {
    let Some(terms) = terms(fact) else {
        return html! { <p class="sum__words">{ words::remark(&fact.remark()) }</p> };
    };
    let terms = terms.into_iter().map(|term| match term {
        Term::Of(_) if !labelled => html! {},
        Term::Of(what) => html! { <span class="sum__of clip" title={what.clone()}>{ words::labelled(what, "") }</span> },
        Term::Number { text, caption, bad } => html! {
            <span class={classes!("addend", bad.then_some("bad"))}>{ text }<small>{ caption }</small></span>
        },
        Term::Sign { text, bad } => html! { <span class={classes!(bad.then_some("bad"))}>{ text }</span> },
    });
    html! { <><div class="sum__math">{ for terms }</div>{ for refusing(fact) }</> }
}

/// The Pods that keep the Pod away: their rule is not in its manifest.
fn refusing(fact: &FactKind) -> Option<Html> {
    let FactKind::PodAffinity { pods, count, .. } = fact else {
        return None;
    };
    let names: Vec<&str> = pods.iter().map(|pod| words::short(pod)).collect();
    let more = usize::try_from(*count)
        .unwrap_or(0)
        .saturating_sub(names.len());
    let text = text::kept_away_by(&names, more);
    (!names.is_empty())
        .then(|| html! { <p class="sum__words" data-refusing={names.join(" ")}>{ text }</p> })
}

fn number(text: impl ToString, caption: &str) -> Term {
    // The space is for screen readers and for copied text.
    let space = if caption.is_empty() { "" } else { " " };
    Term::Number {
        text: text.to_string(),
        caption: format!("{space}{caption}"),
        bad: false,
    }
}

fn bad(text: impl ToString, caption: &str) -> Term {
    match number(text, caption) {
        Term::Number { text, caption, .. } => Term::Number {
            text,
            caption,
            bad: true,
        },
        other => other,
    }
}

fn sign(text: &'static str) -> Term {
    Term::Sign { text, bad: false }
}

const MORE: Term = Term::Sign {
    text: " > ",
    bad: true,
};

/// The numbers of a rejection; `None` if there is nothing to compare.
fn terms(fact: &FactKind) -> Option<Vec<Term>> {
    match fact {
        FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        } => Some(resource_sum(resource, *request, *used, *allocatable)),
        FactKind::Spread {
            topology_key,
            domain: Some(domain),
            count,
            own,
            minimum,
            max_skew,
        } => Some(vec![
            Term::Of(text::bare(topology_key).to_owned()),
            number(count, &text::counted_in(domain)),
            sign(" + "),
            number(
                own,
                if *own == 0 {
                    text::NOT_THIS_POD.get()
                } else {
                    text::THIS_POD.get()
                },
            ),
            sign(" − "),
            number(minimum, text::FEWEST.get()),
            sign(" = "),
            bad(count + own - minimum, text::SKEW.get()),
            MORE,
            number(max_skew, "maxSkew"),
        ]),
        FactKind::VolumeCount {
            driver,
            attached,
            new,
            limit,
        } => Some(vec![
            Term::Of(driver.clone()),
            number(attached, text::ATTACHED.get()),
            sign(" + "),
            number(new, text::NEW_VOLUMES.get()),
            sign(" = "),
            bad(attached.saturating_add(*new), text::VOLUMES.get()),
            MORE,
            number(limit, text::LIMIT.get()),
        ]),
        FactKind::PodAffinity {
            term,
            topology_key,
            domain: Some(domain),
            count,
            ..
        } => Some(affinity(*term, topology_key, domain, *count)),
        FactKind::Spread { domain: None, .. }
        | FactKind::PodAffinity { domain: None, .. }
        | FactKind::Taint { .. }
        | FactKind::NodeRequirement { .. }
        | FactKind::HostPort { .. }
        | FactKind::Volume { .. }
        | FactKind::Device { .. }
        | FactKind::NodeName { .. }
        | FactKind::Unschedulable
        | FactKind::NodeFeature { .. } => None,
    }
}

fn resource_sum(resource: &str, request: i64, used: i64, allocatable: i64) -> Vec<Term> {
    let amount = |amount| quantity::exact(resource, amount);
    vec![
        Term::Of(text::bare(resource).to_owned()),
        number(amount(used), text::USED.get()),
        sign(" + "),
        number(amount(request), text::REQUESTED.get()),
        sign(" = "),
        bad(amount(used.saturating_add(request)), ""),
        MORE,
        number(amount(allocatable), text::ALLOCATABLE.get()),
    ]
}

fn affinity(term: AffinityTermKind, topology_key: &str, domain: &str, count: i64) -> Vec<Term> {
    let (what, sign, wanted, rule) = match term {
        AffinityTermKind::Affinity => (text::matching_in(domain), " < ", 1, text::NEEDED),
        AffinityTermKind::AntiAffinity => (text::matching_in(domain), " > ", 0, text::ALLOWED),
        AffinityTermKind::ExistingAntiAffinity => {
            (text::refuse_it_in(domain), " > ", 0, text::ALLOWED)
        }
    };
    vec![
        Term::Of(text::bare(topology_key).to_owned()),
        bad(count, &what),
        Term::Sign {
            text: sign,
            bad: true,
        },
        number(wanted, rule.get()),
    ]
}

/// The manifest snippets, side by side.
fn clash(found: &Numbers) -> Option<Html> {
    let sides = found.pod.iter().chain(&found.rule).chain(&found.node);
    let sides: Vec<Html> = sides.map(side).collect();
    (!sides.is_empty()).then(|| html! { <div class="clash">{ for sides }</div> })
}

fn side(snippet: &Snippet) -> Html {
    let lines = (snippet.line..).zip(snippet.text.lines()).map(|(number, line)| {
        html! { <span class="clash__line"><i class="clash__number">{ number }</i>{ yaml(line) }{ "\n" }</span> }
    });
    let title = words::followed(&snippet.object, words::at_line(snippet.line));
    html! {
        <div><h4><span class="clip" title={title.clone()}>{ title }</span></h4><pre tabindex="0">{ for lines }</pre></div>
    }
}

/// A line of YAML, with key, value and comment marked up separately.
fn yaml(line: &str) -> Html {
    if line.trim_start().starts_with('#') {
        return html! { <span class="c">{ line }</span> };
    }
    let (key, value) = match line.split_once(": ") {
        Some((key, value)) => (key, Some((": ", value))),
        None => match line.strip_suffix(':') {
            Some(key) => (key, Some((":", ""))),
            None => ("", None),
        },
    };
    let start = key.len() - key.trim_start_matches([' ', '-']).len();
    let (indent, key) = key.split_at(start);
    let (colon, value) = value.unwrap_or(("", line));
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let class = if is_number { "d" } else { "s" };
    html! { <>{ indent }<span class="k">{ key }</span>{ colon }<span {class}>{ value }</span></> }
}

#[cfg(test)]
mod tests {
    use super::{Term, terms};
    use crate::scene::testing::{resource, skewed};
    use berth_protocol::fact::FactKind;

    fn line(fact: &FactKind) -> Option<String> {
        let terms = terms(fact)?.into_iter().map(|term| match term {
            Term::Of(what) => format!("{what}: "),
            Term::Number { text, caption, .. } => format!("{text}{caption}"),
            Term::Sign { text, .. } => text.to_owned(),
        });
        Some(terms.collect())
    }

    #[test]
    fn a_sum_reads_as_one_line() {
        let resource = resource("cpu", 7000, 500, 4000);
        assert_eq!(
            line(&resource).unwrap(),
            "cpu: 500m used + 7000m requested = 7500m > 4000m allocatable"
        );
        let spread = |domain: Option<&str>| skewed("topology.kubernetes.io/zone", domain);
        assert_eq!(
            line(&spread(Some("1a"))).unwrap(),
            "zone: 2 in 1a + 1 this Pod − 1 fewest = 2 skew > 1 maxSkew"
        );
        assert_eq!(line(&spread(None)), None);
    }
}
