//! The filter matrix: nodes × Filter plugins, and the arithmetic of a chosen cell.

use yew::{Callback, Html, MouseEvent, classes, html};

use crate::protocol::cycle::{Code, Cycle, NodeReport, Verdict};
use crate::protocol::fact::Fact;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Cell as Chosen, Store};
use crate::ui::words;

/// Rows drawn; the rest is a number.
const ROWS: usize = 200;

/// What a plugin says of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Passes,
    /// Its PreFilter skipped it.
    Skipped,
    /// The node was not looked at.
    NotExamined,
    /// The first to reject the node.
    Rejects(Code),
    /// Would reject it too, had the first not.
    AlsoWould(Code),
}

impl Cell {
    fn of(cycle: &Cycle, report: &NodeReport, plugin: &str) -> Self {
        let Some(verdict) = &report.verdict else {
            return Self::NotExamined;
        };
        if verdict.code != Code::Success && verdict.plugin == plugin {
            return Self::Rejects(verdict.code);
        }
        if let Some(failure) = report
            .failures
            .iter()
            .find(|failure| failure.plugin == plugin)
        {
            return Self::AlsoWould(failure.code);
        }
        let is_skipped = cycle
            .pre_filter
            .skipped
            .iter()
            .any(|skipped| skipped == plugin);
        if is_skipped {
            Self::Skipped
        } else {
            Self::Passes
        }
    }

    /// For automation: the code, or why there is none.
    fn verdict(self) -> String {
        match self {
            Self::Passes => "Success".to_owned(),
            Self::Skipped => "Skipped".to_owned(),
            Self::NotExamined => "NotExamined".to_owned(),
            Self::Rejects(code) | Self::AlsoWould(code) => format!("{code:?}"),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Passes => words::PASSES,
            Self::Skipped => words::SKIPPED,
            Self::NotExamined => words::NOT_EXAMINED,
            Self::Rejects(_) => words::REJECTS,
            Self::AlsoWould(_) => words::ALSO_WOULD,
        }
    }

    fn mark(self) -> Html {
        match self {
            Self::Passes => html! { <i class="dot" /> },
            Self::Skipped => html! {},
            Self::NotExamined => html! { <i class="dash" /> },
            Self::Rejects(_) => icon("rejected"),
            Self::AlsoWould(_) => icon("rejected-more"),
        }
    }
}

/// The section with the matrix.
pub fn view(store: &Store, cycle: &Cycle, act: &Callback<Action>) -> Html {
    let feasible = cycle.feasible().count();
    let hot = store.cell.as_ref().map(|cell| cell.plugin.as_str());
    let heads = cycle.filter_plugins.iter().map(|plugin| {
        let class = (hot == Some(plugin.as_str())).then_some("is-hot");
        html! { <th scope="col" title={plugin.clone()}><span class={classes!(class)}>{ plugin }</span></th> }
    });
    let rows = cycle
        .nodes
        .iter()
        .take(ROWS)
        .map(|report| row(store, cycle, report, act));
    html! {
        <section class="sect">
            <div class="sect__head"><h3>{ words::FILTER }</h3>
                <span class="sect__sum">{ format!("{feasible} of {} feasible", cycle.nodes.len()) }</span>
            </div>
            <div class="matrix__scroll">
                <table class="matrix">
                    <caption class="visually-hidden">{ "Nodes by Filter plugin" }</caption>
                    <thead><tr class="matrix__head">
                        <td class="matrix__key">
                            <span><i class="dot" />{ words::PASSES }</span>
                            <span>{ icon("rejected") }{ words::REJECTS }</span>
                            <span>{ icon("rejected-more") }{ words::ALSO_WOULD }</span>
                        </td>
                        { for heads }
                    </tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
            if cycle.nodes.len() > ROWS {
                <p class="note">{ format!("… and {} more nodes", cycle.nodes.len() - ROWS) }</p>
            }
            { arithmetic(store, cycle) }
        </section>
    }
}

fn row(store: &Store, cycle: &Cycle, report: &NodeReport, act: &Callback<Action>) -> Html {
    let is_feasible = report
        .verdict
        .as_ref()
        .is_some_and(|verdict| verdict.code == Code::Success);
    let cells = cycle.filter_plugins.iter().map(|plugin| {
        let cell = Cell::of(cycle, report, plugin);
        let key = Chosen {
            node: report.node.clone(),
            plugin: plugin.clone(),
        };
        let selected = store.cell.as_ref() == Some(&key);
        let label = format!("{}, {plugin}: {}", report.node, cell.words());
        let act = act.clone();
        let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Cell(key.clone())));
        html! {
            <td>
                <button
                    class="cell"
                    aria-label={label.clone()}
                    title={label}
                    aria-pressed={selected.to_string()}
                    data-cell={format!("{}/{plugin}", report.node)}
                    data-verdict={cell.verdict()}
                    {onclick}
                >{ cell.mark() }</button>
            </td>
        }
    });
    html! {
        <tr class={classes!(is_feasible.then_some("is-feasible"))}>
            <th scope="row">{ &report.node }</th>
            { for cells }
        </tr>
    }
}

/// The chosen cell: its reasons, and the numbers behind them.
fn arithmetic(store: &Store, cycle: &Cycle) -> Html {
    let Some(Chosen { node, plugin }) = &store.cell else {
        return html! {};
    };
    let report = cycle.nodes.iter().find(|report| report.node == *node);
    let of_plugin = |verdict: &&Verdict| verdict.plugin == *plugin;
    let failure = report.and_then(|report| {
        let by_itself = report.failures.iter().find(of_plugin);
        by_itself.or_else(|| report.verdict.as_ref().filter(of_plugin))
    });
    let facts = failure.map_or(&[][..], |failure| failure.facts.as_slice());
    html! {
        <div class="sum" role="status" data-arithmetic={format!("{node}/{plugin}")}>
            <p class="sum__title"><b>{ node }</b>{ plugin }</p>
            <div class="sum__facts">
                if let Some(failure) = failure {
                    { for failure.reasons.iter().map(|reason| html! { <p class="bad">{ reason }</p> }) }
                } else {
                    <p class="muted">{ words::NO_NUMBERS }</p>
                }
                { for facts.iter().map(fact) }
            </div>
        </div>
    }
}

fn fact(fact: &Fact) -> Html {
    let place = |who: &str, path: &str| {
        let text = format!("{who}: {path}");
        html! { if !path.is_empty() { <code>{ text }</code> } }
    };
    html! {
        <p class="fact">
            <span>{ fact.kind.expression() }</span>
            <span class="fact__paths">{ place("Pod", &fact.pod_path) }{ place("Node", &fact.node_path) }</span>
        </p>
    }
}

#[cfg(test)]
mod tests {
    use super::Cell;
    use crate::protocol::cycle::{Code, Cycle, NodeReport, PreFilterReport, Verdict};

    #[test]
    fn the_first_refusal_is_told_from_others() {
        let refusal = |plugin: &str| Verdict {
            code: Code::Unschedulable,
            plugin: plugin.into(),
            reasons: Vec::new(),
            facts: Vec::new(),
        };
        let report = NodeReport {
            node: "a".into(),
            verdict: Some(refusal("NodePorts")),
            failures: vec![refusal("NodePorts"), refusal("NodeResourcesFit")],
            passes: Vec::new(),
        };
        let pre_filter = PreFilterReport {
            skipped: vec!["VolumeZone".into()],
            ..PreFilterReport::default()
        };
        let cycle = Cycle {
            pre_filter,
            ..Cycle::default()
        };
        assert_eq!(
            Cell::of(&cycle, &report, "NodePorts"),
            Cell::Rejects(Code::Unschedulable)
        );
        assert_eq!(
            Cell::of(&cycle, &report, "NodeResourcesFit"),
            Cell::AlsoWould(Code::Unschedulable)
        );
        assert_eq!(Cell::of(&cycle, &report, "VolumeZone"), Cell::Skipped);
        assert_eq!(Cell::of(&cycle, &report, "NodeName"), Cell::Passes);
        let unseen = NodeReport {
            verdict: None,
            ..report
        };
        assert_eq!(Cell::of(&cycle, &unseen, "NodeName"), Cell::NotExamined);
    }
}
