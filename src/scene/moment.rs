//! The stage at one moment: the state, and the verdicts of the explained attempt on each node up to the shown step.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::marks::Outcome;
use super::outcomes;
use super::progress::{Point, Revealed};
use super::view::View;
use crate::words;
use berth_protocol::cycle::{
    Candidate, Code, Cycle, NodeReport, NodeScore, PreemptionReport, Verdict,
};
use berth_protocol::frame::{NodeFrame, PodFrame, PodState};
use berth_protocol::page::Explained;

/// The state at a moment and the explained attempt.
pub struct Moment<'a> {
    pub view: &'a View,
    pub explained: Option<&'a Explained>,
    pub cycle: Option<&'a Cycle>,
    pub revealed: Revealed,
    /// A step within the attempt is shown.
    pub is_stepping: bool,
    /// The chosen Pod.
    pub chosen: Option<&'a str>,
    /// The Pod that the last step placed.
    pub placed: Option<&'a str>,
    /// The topology key by which nodes are grouped.
    pub group_by: &'a str,
    /// The attempt's Pod, while it is not bound.
    pub waiting: Option<&'a Rc<PodFrame>>,
    /// The length of the longest stack of scores.
    highest: i64,
    reports: BTreeMap<&'a str, &'a NodeReport>,
}

/// What is shown of a moment.
#[derive(Clone)]
pub struct Shown<'a> {
    pub explained: Option<&'a Explained>,
    pub revealed: Revealed,
    pub is_stepping: bool,
    pub chosen: Option<&'a str>,
    pub placed: Option<&'a str>,
    pub group_by: &'a str,
}

/// A node's outcome in the attempt.
#[derive(Debug, PartialEq)]
pub enum NodeVerdict {
    Unknown,
    /// No plugin that has run rejects it.
    FeasibleSoFar,
    Feasible,
    Chosen,
    /// kube-scheduler's reasons, a brief form that fits on a card, and one that fits on a compact card.
    Rejected {
        reasons: String,
        brief: String,
        least: String,
        /// The node is for other Pods, which says nothing about why this one waits.
        is_foreign: bool,
    },
    /// Preemption could make room here, or will.
    Candidate {
        victims: usize,
        pdb_violations: u32,
        is_nominated: bool,
    },
    NotExamined,
}

impl NodeVerdict {
    /// Whether the Pod may still be placed here.
    pub fn may_take(&self) -> bool {
        matches!(self, Self::Feasible | Self::FeasibleSoFar | Self::Chosen)
    }

    /// The mark and the text of a card's last line; `None` if nothing is known.
    pub fn line(&self) -> Option<(&'static str, String)> {
        Some(match self {
            Self::Unknown => return None,
            Self::NotExamined => ("dash", words::explain::NOT_EXAMINED.to_owned()),
            Self::FeasibleSoFar => ("feasible", words::FEASIBLE_SO_FAR.to_owned()),
            Self::Feasible => ("feasible", String::new()),
            Self::Chosen => ("chosen", words::CHOSEN.to_owned()),
            Self::Rejected { brief, .. } => ("rejected", brief.clone()),
            Self::Candidate {
                victims,
                pdb_violations,
                is_nominated,
            } => {
                let mark = if *is_nominated { "chosen" } else { "victim" };
                (mark, words::card::victims(*victims, *pdb_violations))
            }
        })
    }

    /// The same for a screen reader. `total`: the node's score.
    pub fn in_words(&self, total: Option<i64>) -> Option<String> {
        let verdict = match self {
            Self::Unknown => return None,
            Self::Feasible => words::FEASIBLE.to_owned(),
            Self::Rejected { reasons, .. } => {
                return Some(words::labelled(words::REJECTED, reasons));
            }
            Self::NotExamined | Self::FeasibleSoFar | Self::Chosen | Self::Candidate { .. } => {
                self.line()?.1
            }
        };
        Some(match total {
            Some(total) => words::followed(verdict, words::scored(total)),
            None => verdict,
        })
    }
}

/// A node's score from the plugins that have run.
#[derive(PartialEq)]
pub struct Score {
    /// Whether each plugin decides between nodes, and the length of its part.
    pub parts: Vec<(bool, i64)>,
    /// The length of the longest stack of all nodes, at least 1.
    pub highest: i64,
    /// `None` until scores are normalized and weighted.
    pub total: Option<i64>,
}

impl<'a> Moment<'a> {
    pub fn new(view: &'a View, shown: Shown<'a>) -> Self {
        // After an edit the attempt's verdicts no longer follow from the numbers on the cards.
        let explained = shown.explained;
        let explained = explained.filter(|explained| !view.is_outdated(explained.position));
        let result = explained.map(|explained| explained.result.as_ref());
        let cycle = result.and_then(Result::ok);
        let reports = cycle.iter().flat_map(|cycle| &cycle.nodes);
        let pod = cycle.and_then(|cycle| view.pod(&cycle.pod));
        let mut moment = Self {
            view,
            explained,
            cycle,
            revealed: shown.revealed,
            is_stepping: shown.is_stepping,
            chosen: shown.chosen,
            placed: shown.placed,
            group_by: shown.group_by,
            waiting: pod.filter(|pod| pod.state != PodState::Bound),
            highest: 1,
            reports: reports
                .map(|report| (report.node.as_str(), report))
                .collect(),
        };
        moment.highest = moment.longest();
        moment
    }

    /// Whether the waiting Pod's node is picked.
    pub fn is_picked(&self) -> bool {
        self.waiting.is_some() && self.is_stepping && self.revealed.reached(Point::Select)
    }

    /// What the explained attempt reports of a node.
    pub(super) fn report(&self, node: &NodeFrame) -> Option<&'a NodeReport> {
        self.reports.get(node.name.as_str()).copied()
    }

    pub fn node_verdict(&self, node: &NodeFrame) -> NodeVerdict {
        let Some(cycle) = self.cycle else {
            return NodeVerdict::Unknown;
        };
        let Some(report) = self.reports.get(node.name.as_str()) else {
            return self.standing_by_rows(node).unwrap_or(NodeVerdict::Unknown);
        };
        let Some(verdict) = self.revealed.verdict(cycle, report) else {
            let stop = self.revealed.stop.as_ref();
            let is_filtering = stop.is_some_and(|stop| stop.point == Point::Filter);
            return match &report.verdict {
                Some(_) if is_filtering => NodeVerdict::FeasibleSoFar,
                None if self.revealed.reached(Point::PostFilter) => NodeVerdict::NotExamined,
                _ => NodeVerdict::Unknown,
            };
        };
        if verdict.code != Code::Success {
            let preempts = self.preempts(&node.name);
            return preempts.unwrap_or_else(|| self.rejected(node, report, verdict));
        }
        let is_selected = cycle.selected.as_deref() == Some(&node.name);
        if is_selected && self.revealed.reached(Point::Select) {
            return NodeVerdict::Chosen;
        }
        NodeVerdict::Feasible
    }

    /// The same for a node without a report.
    fn standing_by_rows(&self, node: &NodeFrame) -> Option<NodeVerdict> {
        let explained = self.explained?;
        let position = self.view.node_position(&node.name)?;
        let outcomes = self.outcomes();
        Some(match outcomes.get(position)? {
            Outcome::Unknown => NodeVerdict::Unknown,
            Outcome::Feasible if self.revealed.reached(Point::PostFilter) => NodeVerdict::Feasible,
            Outcome::Feasible => NodeVerdict::FeasibleSoFar,
            Outcome::Rejected | Outcome::Foreign => {
                let reasons = outcomes::reasons(&explained.rows, position);
                NodeVerdict::Rejected {
                    brief: reasons.clone(),
                    least: reasons.clone(),
                    reasons,
                    is_foreign: self.is_foreign(node),
                }
            }
            Outcome::NotExamined => NodeVerdict::NotExamined,
            Outcome::Chosen => NodeVerdict::Chosen,
        })
    }

    /// The outcome of every node, in document order.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let named = |name: &str| self.view.node_position(name);
        outcomes::outcomes(self.explained, &self.revealed, self.view.nodes.len(), named)
    }

    pub fn score(&self, node: &NodeFrame) -> Option<Score> {
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

    /// Whether each plugin decides between nodes, and the length of its part: raw × weight until Normalize, weighted afterwards.
    fn parts(&self, score: &NodeScore) -> Vec<(bool, i64)> {
        let even = self.explained.map_or(&[][..], |it| &it.rows.even);
        let is_normal = self.revealed.reached(Point::Normalize);
        let plugins = self.cycle.map(|cycle| &cycle.score_plugins);
        let parts = score.plugins.iter().filter_map(|part| {
            let mut order = plugins.into_iter().flatten();
            let position = order.position(|plugin| plugin.plugin == part.plugin)?;
            if !self.revealed.scored(position) {
                return None;
            }
            // Raw scores have units of their own; beyond 100 the bar is full.
            let raw = part.raw.clamp(0, 100) * part.weight;
            let length = if is_normal { part.weighted } else { raw };
            Some((!even.contains(&part.plugin), length)).filter(|(_, length)| *length > 0)
        });
        parts.collect()
    }

    /// The length of the longest stack of all nodes, at least 1.
    fn longest(&self) -> i64 {
        let scores = self.cycle.and_then(|cycle| cycle.scores.as_ref());
        let lengths = scores.into_iter().flatten().map(|score| {
            let parts = self.parts(score).into_iter().map(|(_, length)| length);
            parts.sum::<i64>().max(score.total)
        });
        lengths.max().unwrap_or(1).max(1)
    }

    fn rejected(&self, node: &NodeFrame, report: &NodeReport, verdict: &Verdict) -> NodeVerdict {
        let reasons = words::reasons_in_short(&verdict.reasons);
        // The numbers are with the plugin run separately, unless only nominated Pods are in the way.
        let mut failures = report.failures.iter();
        let failure = failures.find(|failure| failure.plugin == verdict.plugin);
        let facts = &failure.unwrap_or(verdict).facts;
        let mut against = facts.iter().filter(|fact| fact.kind.is_violated());
        let fact = against.next().map(|fact| &fact.kind);
        let brief = words::docks::facts_in_short(facts);
        let brief =
            brief.or_else(|| fact.map(|fact| words::card::rejection(fact, node.taints.len())));
        let brief = brief.unwrap_or_else(|| reasons.clone());
        let least = fact.and_then(words::card::least);
        let is_final = verdict.code == Code::UnschedulableAndUnresolvable;
        let brief = if is_final && self.shown_preemption().is_some() {
            words::card::no_help(fact, &brief)
        } else {
            brief
        };
        NodeVerdict::Rejected {
            least: least.unwrap_or_else(|| brief.clone()),
            brief,
            reasons,
            is_foreign: self.is_foreign(node),
        }
    }

    /// Whether the Pod was not meant for the node; not told before the attempt is over.
    fn is_foreign(&self, node: &NodeFrame) -> bool {
        let meant = self.explained.and_then(|it| it.rows.meant.as_ref());
        let meant = meant.filter(|_| self.revealed.reached(Point::PostFilter));
        let position = self.view.node_position(&node.name);
        let position = position.and_then(|at| u32::try_from(at).ok());
        meant
            .zip(position)
            .is_some_and(|(meant, at)| meant.is_foreign(at))
    }

    /// The explained attempt's preemption, from PostFilter on.
    pub fn shown_preemption(&self) -> Option<&'a PreemptionReport> {
        let report = self.cycle?.preemption.as_ref();
        report.filter(|_| self.revealed.reached(Point::PostFilter))
    }

    fn candidate(&self, node: &str) -> Option<&Candidate> {
        let mut candidates = self.shown_preemption()?.candidates.iter();
        candidates.find(|candidate| candidate.node == node)
    }

    /// The verdict on a node where preemption could make room.
    fn preempts(&self, node: &str) -> Option<NodeVerdict> {
        let candidate = self.candidate(node)?;
        let nominated = self.shown_preemption().map(|report| &report.nominated);
        Some(NodeVerdict::Candidate {
            victims: candidate.victims.len(),
            pdb_violations: candidate.pdb_violations,
            is_nominated: nominated.is_some_and(|name| name == node),
        })
    }

    /// Whether a Pod on the node is a victim: it was evicted for a Pod that is still nominated, or the step shows the
    /// search for victims.
    pub fn is_victim(&self, node: &str, pod: &str) -> bool {
        let is_searching = self.revealed.stop.is_some();
        let candidate = self.candidate(node).filter(|_| is_searching);
        let listed =
            candidate.is_some_and(|candidate| candidate.victims.iter().any(|it| it == pod));
        let mut evicted = self.view.head.victims.iter();
        listed || evicted.any(|victim| victim.key == pod)
    }

    /// Whether a Pod is nominated to the node, now or by the shown step.
    pub fn is_nominated(node_verdict: &NodeVerdict, node: &NodeFrame) -> bool {
        let by_step = matches!(
            node_verdict,
            NodeVerdict::Candidate {
                is_nominated: true,
                ..
            }
        );
        by_step || !node.nominated.is_empty()
    }

    /// The Pod being scheduled on the chosen node, and whether it is bound.
    pub fn slot(&self, node_verdict: &NodeVerdict) -> Option<(&'a Rc<PodFrame>, bool)> {
        let pod = self.waiting.filter(|_| self.is_picked())?;
        let is_bound = self.revealed.reached(Point::Bind);
        matches!(node_verdict, NodeVerdict::Chosen).then_some((pod, is_bound))
    }
}
