//! The verdict of the explained attempt on one node, up to the current step.

use yew::{Html, classes, html};

use super::card::Card;
use super::{Scene, outcomes};
use crate::ui::parts::drawn::Same;
use crate::ui::parts::icon::icon;
use crate::ui::scene::marks::Outcome;
use crate::ui::store::progress::Point;
use crate::ui::words;
use berth_protocol::cycle::{Code, NodeReport, NodeScore, Verdict};
use berth_protocol::frame::{NodeFrame, PodFrame};

/// Number of plugin shades in the style sheet.
const SHADES: usize = 7;

/// A node's outcome in the attempt.
#[derive(Debug, PartialEq)]
pub(super) enum Standing {
    Unknown,
    /// No plugin that has run rejects it.
    FeasibleSoFar,
    Feasible,
    Chosen,
    /// kube-scheduler's reasons, and a brief form that fits on a card.
    Rejected {
        reasons: String,
        brief: String,
    },
    /// Preemption could make room here, or will.
    Candidate {
        victims: usize,
        pdb_violations: u32,
        is_nominated: bool,
    },
    NotExamined,
}

impl Standing {
    /// The card's class.
    pub(super) fn class(&self) -> Option<&'static str> {
        match self {
            Self::Feasible | Self::FeasibleSoFar => Some("node--feasible"),
            Self::Chosen => Some("node--chosen"),
            Self::Rejected { .. } => Some("node--rejected"),
            Self::Candidate { .. } | Self::Unknown | Self::NotExamined => None,
        }
    }

    /// Whether the Pod may still be placed here.
    pub(super) fn may_take(&self) -> bool {
        matches!(self, Self::Feasible | Self::FeasibleSoFar | Self::Chosen)
    }
}

/// A node's score from the plugins that have run.
#[derive(PartialEq)]
pub(super) struct Score {
    /// Shade and length of each plugin's part.
    parts: Vec<(usize, i64)>,
    /// The length of the longest stack of all nodes, at least 1.
    highest: i64,
    /// `None` until scores are normalized and weighted.
    total: Option<i64>,
}

impl Scene<'_> {
    pub(super) fn standing(&self, node: &NodeFrame) -> Standing {
        let Some(cycle) = self.cycle else {
            return Standing::Unknown;
        };
        let Some(report) = self.reports.get(node.name.as_str()) else {
            return self.standing_by_rows(node).unwrap_or(Standing::Unknown);
        };
        let Some(verdict) = self.revealed.verdict(cycle, report) else {
            let stop = self.revealed.stop.as_ref();
            let is_filtering = stop.is_some_and(|stop| stop.point == Point::Filter);
            return match &report.verdict {
                Some(_) if is_filtering => Standing::FeasibleSoFar,
                None if self.revealed.reached(Point::PostFilter) => Standing::NotExamined,
                _ => Standing::Unknown,
            };
        };
        if verdict.code != Code::Success {
            let preempts = self.preempts(&node.name);
            return preempts.unwrap_or_else(|| self.rejected(node, report, verdict));
        }
        if cycle.selected.as_deref() == Some(&node.name) && self.reached_select() {
            return Standing::Chosen;
        }
        Standing::Feasible
    }

    /// The same for a node without a report.
    fn standing_by_rows(&self, node: &NodeFrame) -> Option<Standing> {
        let explained = self.store.explain.explained.as_deref()?;
        let view = &self.store.view;
        let position = view.node_position(&node.name)?;
        let named = |name: &str| view.node_position(name);
        let outcomes = outcomes::outcomes(Some(explained), &self.revealed, view.nodes.len(), named);
        Some(match outcomes.get(position)? {
            Outcome::Unknown => Standing::Unknown,
            Outcome::Feasible if self.revealed.reached(Point::PostFilter) => Standing::Feasible,
            Outcome::Feasible => Standing::FeasibleSoFar,
            Outcome::Rejected => {
                let reasons = outcomes::reasons(&explained.rows, position);
                Standing::Rejected {
                    brief: reasons.clone(),
                    reasons,
                }
            }
            Outcome::NotExamined => Standing::NotExamined,
            Outcome::Chosen => Standing::Chosen,
        })
    }

    pub(super) fn score(&self, node: &NodeFrame) -> Option<Score> {
        if !self.revealed.reached(Point::Score) {
            return None;
        }
        let mut scores = self.cycle?.scores.iter().flatten();
        let score = scores.find(|score| score.node == node.name)?;
        let has_total = self.revealed.reached(Point::Normalize);
        Some(Score {
            parts: self.parts(score),
            highest: self.highest,
            total: has_total.then_some(score.total),
        })
    }

    /// Shade and length of each plugin's part: raw × weight until Normalize, weighted afterwards.
    fn parts(&self, score: &NodeScore) -> Vec<(usize, i64)> {
        let is_normal = self.revealed.reached(Point::Normalize);
        let plugins = self.cycle.map(|cycle| &cycle.score_plugins);
        let parts = score
            .plugins
            .iter()
            .enumerate()
            .filter_map(|(index, part)| {
                let mut order = plugins.into_iter().flatten();
                let position = order.position(|plugin| plugin.plugin == part.plugin)?;
                if !self.revealed.scored(position) {
                    return None;
                }
                // Raw scores have units of their own; beyond 100 the bar is full.
                let raw = part.raw.clamp(0, 100) * part.weight;
                let length = if is_normal { part.weighted } else { raw };
                Some((index % SHADES + 1, length)).filter(|(_, length)| *length > 0)
            });
        parts.collect()
    }

    /// The length of the longest stack of all nodes, at least 1.
    pub(super) fn longest(&self) -> i64 {
        let scores = self.cycle.and_then(|cycle| cycle.scores.as_ref());
        let lengths = scores.into_iter().flatten().map(|score| {
            let parts = self.parts(score).into_iter().map(|(_, length)| length);
            parts.sum::<i64>().max(score.total)
        });
        lengths.max().unwrap_or(1).max(1)
    }

    fn rejected(&self, node: &NodeFrame, report: &NodeReport, verdict: &Verdict) -> Standing {
        let reasons = words::reasons_in_short(&verdict.reasons);
        // The numbers are with the plugin run separately, unless only nominated Pods are in the way.
        let mut failures = report.failures.iter();
        let failure = failures.find(|failure| failure.plugin == verdict.plugin);
        let facts = &failure.unwrap_or(verdict).facts;
        let mut against = facts.iter().filter(|fact| fact.kind.speaks_against());
        let fact = against.next().map(|fact| &fact.kind);
        let brief = fact.map(|fact| words::card::rejection(fact, node.taints.len()));
        let brief = brief.unwrap_or_else(|| reasons.clone());
        let is_final = verdict.code == Code::UnschedulableAndUnresolvable;
        Standing::Rejected {
            brief: if is_final && self.shown_preemption().is_some() {
                words::card::no_help(fact, &brief)
            } else {
                brief
            },
            reasons,
        }
    }

    /// The Pod being scheduled on the chosen node, and whether it is bound.
    pub(super) fn slot(&self, standing: &Standing) -> Option<(Same<PodFrame>, bool)> {
        let pod = self.waiting.filter(|_| self.is_picked())?;
        let is_bound = self.revealed.reached(Point::Bind);
        matches!(standing, Standing::Chosen).then(|| (Same::of(pod), is_bound))
    }
}

impl Card {
    /// The line at the card's bottom.
    pub(super) fn verdict(&self) -> Html {
        let (mark, text) = match &self.standing {
            Standing::Unknown => return html! { <div class="node__verdict" /> },
            Standing::NotExamined => {
                return html! { <div class="node__verdict node__verdict--quiet"><i class="dash" /><span>{ words::explain::NOT_EXAMINED }</span></div> };
            }
            Standing::FeasibleSoFar => ("feasible", words::FEASIBLE_SO_FAR.to_owned()),
            Standing::Feasible => ("feasible", String::new()),
            Standing::Chosen => ("chosen", words::CHOSEN.to_owned()),
            Standing::Rejected { brief, .. } => ("rejected", brief.clone()),
            Standing::Candidate {
                victims,
                pdb_violations,
                is_nominated,
            } => {
                let mark = if *is_nominated { "chosen" } else { "victim" };
                (mark, words::card::victims(*victims, *pdb_violations))
            }
        };
        let score = self.score.as_ref();
        let score = score.filter(|_| self.standing.may_take());
        // If the bar needs the room, the icon alone marks the chosen node.
        let text = if score.is_some() { String::new() } else { text };
        let title = match &self.standing {
            Standing::Rejected { reasons, .. } => reasons.clone(),
            _ => text.clone(),
        };
        html! {
            <div class="node__verdict" {title}>
                { icon(mark) }
                if !text.is_empty() { <span class="clip">{ text }</span> }
                if let Some(score) = score {
                    { bar(score) }
                    if let Some(total) = score.total { <span class="push node__total">{ total }</span> }
                }
            </div>
        }
    }

    /// The same in words, for the card's accessible name.
    pub(super) fn verdict_in_words(&self) -> Option<String> {
        let nominated = self.blocks.nominated_in_words();
        let parts: Vec<String> = nominated
            .into_iter()
            .chain(self.standing_in_words())
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn standing_in_words(&self) -> Option<String> {
        let verdict = match &self.standing {
            Standing::Unknown => return None,
            Standing::Candidate {
                victims,
                pdb_violations,
                ..
            } => words::card::victims(*victims, *pdb_violations),
            Standing::NotExamined => words::explain::NOT_EXAMINED.to_owned(),
            Standing::FeasibleSoFar => words::FEASIBLE_SO_FAR.to_owned(),
            Standing::Feasible => words::FEASIBLE.to_owned(),
            Standing::Chosen => words::CHOSEN.to_owned(),
            Standing::Rejected { reasons, .. } => {
                return Some(words::labelled(words::REJECTED, reasons));
            }
        };
        let total = self.score.as_ref().and_then(|score| score.total);
        Some(match total {
            Some(total) => words::followed(verdict, words::scored(total)),
            None => verdict,
        })
    }
}

/// The stack of scores: each plugin's part once it has run.
fn bar(score: &Score) -> Html {
    let parts = score.parts.iter().map(|(shade, part)| {
        html! { <i class={classes!(format!("c-{shade}"))} style={format!("--p:{part}")} /> }
    });
    html! {
        <span class="sbar" style={format!("--of:{}", score.highest)} aria-hidden="true">{ for parts }</span>
    }
}
