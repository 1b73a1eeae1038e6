//! What one scheduling attempt came to. The page, the command, Markdown and JSON lay it out; none of them judges again.

pub mod judgement;
pub mod matrix;
pub mod preemption;
pub mod reasons;

use crate::scene::moment::Moment;
use crate::scene::owner::label_of;
use crate::scene::progress::Point;
use crate::words;
use crate::words::explain as text;
use berth_protocol::cycle::{Cycle, NodeScore};
use berth_protocol::fact::FactKind;
use berth_protocol::fix::Fix;
use berth_protocol::page::Rows;
use judgement::Judgement;
use matrix::Matrix;
use serde::Serialize;

/// An attempt as it is explained, in the language in use.
pub struct Report<'a> {
    pub cycle: &'a Cycle,
    moment: &'a Moment<'a>,
    pub fixes: &'a [Fix],
}

impl<'a> Report<'a> {
    /// The report of the explained attempt, at its shown step; `None` if there is none.
    pub fn of(moment: &'a Moment<'a>, fixes: &'a [Fix]) -> Option<Self> {
        Some(Self {
            cycle: moment.cycle?,
            moment,
            fixes,
        })
    }

    /// The Pod's name, as short as on the stage.
    pub fn pod(&self) -> String {
        label_of(self.moment.view, &self.cycle.pod)
    }

    /// The outcome in one sentence.
    pub fn sentence(&self) -> String {
        sentence(self.moment).unwrap_or_default()
    }

    /// Priority, profile, requests and release.
    pub fn about(&self) -> Vec<String> {
        let (moment, cycle) = (self.moment, self.cycle);
        let pod = moment.view.pod(&cycle.pod);
        let asks = pod.map(|pod| text::asks(&text::requests(pod)));
        let nominated = Some(&cycle.nominated_node).filter(|node| !node.is_empty());
        let release = Some(&moment.view.head.release.minor).filter(|minor| !minor.is_empty());
        let parts = [
            Some(text::priority(cycle.priority)),
            Some(text::profile(&cycle.profile)),
            asks,
            nominated.map(|node| text::nominated_to(node)),
            release.map(|minor| words::kubernetes(minor)),
        ];
        parts.into_iter().flatten().collect()
    }

    /// Nodes × Filter plugins; `None` before the Filter step.
    pub fn matrix(&self) -> Option<Matrix<'a>> {
        let is_shown = self.moment.revealed.reached(Point::Filter) && !self.cycle.nodes.is_empty();
        is_shown.then(|| Matrix::of(self.cycle, &self.moment.revealed))
    }

    /// The rejection of a row's node in a few words.
    pub fn why(&self, row: &matrix::Row<'_>) -> String {
        matrix::why(self.cycle, row.report, &self.moment.revealed)
    }

    /// The scored nodes, the best first and the selected one before those that tie with it; `None` before they are
    /// normalized, and without scores.
    pub fn ranked(&self) -> Option<Vec<&'a NodeScore>> {
        let is_shown = self.moment.revealed.reached(Point::Normalize);
        let scores = self.cycle.scores.as_ref().filter(|_| is_shown)?;
        let mut ranked: Vec<&NodeScore> = scores.iter().collect();
        let is_selected = |score: &NodeScore| self.cycle.selected.as_ref() == Some(&score.node);
        ranked.sort_by_key(|score| {
            let total = std::cmp::Reverse(score.total);
            (total, !is_selected(score), &score.node)
        });
        Some(ranked)
    }

    /// Whether the shown step is behind the attempt's end: its event and its fixes are told then.
    pub fn is_over(&self) -> bool {
        self.moment.revealed.reached(Point::PostFilter)
    }
}

/// The attempt's outcome, or its state at the shown step, in one sentence; `None` without an attempt.
pub fn sentence(moment: &Moment) -> Option<String> {
    let (explained, cycle) = (moment.explained?, moment.cycle?);
    let pod = label_of(moment.view, &cycle.pod);
    let rows = &explained.rows;
    Some(words::sentence::sentence(
        cycle,
        &pod,
        rows,
        &moment.revealed,
        &|node, key| moment.view.label(node, key),
    ))
}

/// An attempt as data: the cycle, and what is told of it. Make it in English, so that it is the same in all languages.
#[derive(Serialize)]
pub struct Record<'a> {
    #[serde(flatten)]
    cycle: &'a Cycle,
    report: Told<'a>,
}

#[derive(Serialize)]
struct Told<'a> {
    sentence: String,
    reason: Reason<'a>,
    /// The columns of `nodes[].judgements`.
    plugins: &'a [String],
    nodes: Vec<JudgedNode<'a>>,
}

/// What decided, for programs.
#[derive(Serialize)]
struct Reason<'a> {
    code: ReasonCode,
    /// What rules out the nodes that the Pod was meant for, or all nodes if it was meant for any: the reason that holds
    /// for the most of them first.
    by: Vec<ReasonBy<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum ReasonCode {
    Scheduled,
    Unschedulable,
    /// The attempt ended without a verdict.
    Error,
}

#[derive(Serialize)]
struct ReasonBy<'a> {
    plugin: &'a str,
    /// As in kube-scheduler's message.
    reason: &'a str,
    nodes: Vec<&'a str>,
    /// The numbers behind the rejection of one of the nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<&'a FactKind>,
}

impl<'a> Reason<'a> {
    fn of(cycle: &'a Cycle, rows: Option<&'a Rows>) -> Self {
        let code = match (cycle.error, &cycle.selected) {
            (true, _) => ReasonCode::Error,
            (false, Some(_)) => ReasonCode::Scheduled,
            (false, None) => ReasonCode::Unschedulable,
        };
        let counts = rows.filter(|_| code == ReasonCode::Unschedulable);
        let counts = counts.map(|rows| match rows.decisive.is_empty() {
            true => &rows.reasons,
            false => &rows.decisive,
        });
        let node = |at: &u32| Some(cycle.nodes.get(usize::try_from(*at).ok()?)?.node.as_str());
        let by = counts.into_iter().flatten().map(|count| ReasonBy {
            plugin: &count.plugin,
            reason: &count.reason,
            nodes: count.nodes.iter().filter_map(node).collect(),
            fact: count.fact.as_ref(),
        });
        Self {
            code,
            by: by.collect(),
        }
    }
}

#[derive(Serialize)]
struct JudgedNode<'a> {
    node: &'a str,
    judgements: Vec<Judgement>,
    /// The rejection in a few words; empty if there is none.
    why: String,
}

impl<'a> Record<'a> {
    /// The record of a report.
    pub fn of(report: &Report<'a>) -> Self {
        let rows = report.matrix().map(|matrix| matrix.rows);
        let nodes = rows.into_iter().flatten().map(|row| JudgedNode {
            node: &row.report.node,
            why: report.why(&row),
            judgements: row.judgements,
        });
        Self {
            cycle: report.cycle,
            report: Told {
                sentence: report.sentence(),
                reason: Reason::of(report.cycle, report.moment.explained.map(|it| &it.rows)),
                plugins: &report.cycle.filter_plugins,
                nodes: nodes.collect(),
            },
        }
    }
}
