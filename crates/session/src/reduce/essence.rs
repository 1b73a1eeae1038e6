//! What must stay the same while a case becomes smaller: by which plugins and sums nodes are rejected, or which node wins.

use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::scenario::ClaimSum;
use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};

use crate::case::{claim_of, sums_of};

/// What an attempt comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Essence {
    /// Plugin and message, if PreFilter rejects the Pod.
    early: Option<(String, String)>,
    witnesses: Vec<Witness>,
    /// The plugins that reject each node, run alone: others would be another story.
    alone: BTreeMap<String, BTreeSet<String>>,
    /// How nodes may be rejected.
    classes: BTreeSet<Class>,
    lands: Option<Lands>,
}

/// A node that shows a reason.
#[derive(Clone, Debug, PartialEq)]
struct Witness {
    node: String,
    /// By plugin and reasons; empty if the node is not examined.
    verdict: (String, Vec<String>),
    sums: Vec<ClaimSum>,
}

/// Where the Pod lands, the second-best node, and the plugin that decides between them.
#[derive(Clone, Debug, PartialEq)]
struct Lands {
    node: String,
    over: Option<String>,
    by: Option<String>,
}

/// Plugin and reasons, without what these name.
type Class = (String, BTreeSet<String>);

impl Essence {
    /// What an attempt comes to, as these nodes show it.
    pub fn of(cycle: &Cycle, nodes: &BTreeSet<String>) -> Self {
        let shown = cycle.nodes.iter().filter(|it| nodes.contains(&it.node));
        let claim = claim_of(cycle);
        Self {
            early: early(cycle),
            // Nodes that were not examined after enough were found say nothing.
            witnesses: shown
                .filter(|report| !is_feasible(report))
                .filter(|report| report.verdict.is_some() || cycle.selected.is_none())
                .map(Witness::of)
                .collect(),
            alone: cycle
                .nodes
                .iter()
                .map(|report| (report.node.clone(), alone(report)))
                .collect(),
            classes: cycle.nodes.iter().map(class_of).collect(),
            lands: claim.node.map(|node| Lands {
                node,
                over: claim.over,
                by: claim.by,
            }),
        }
    }

    /// Whether another attempt comes to the same.
    pub fn holds(&self, cycle: &Cycle) -> bool {
        if cycle.error || early(cycle) != self.early {
            return false;
        }
        let reports: BTreeMap<&str, &NodeReport> = cycle
            .nodes
            .iter()
            .map(|report| (report.node.as_str(), report))
            .collect();
        let is_shown = |witness: &Witness| {
            let report = reports.get(witness.node.as_str());
            report.is_some_and(|report| witness.is_shown_by(report))
        };
        self.lands_alike(cycle)
            && self.witnesses.iter().all(is_shown)
            && cycle.nodes.iter().all(|it| self.allows(it))
    }

    /// Whether a node is rejected in a way that belongs to the story.
    fn allows(&self, report: &NodeReport) -> bool {
        let by = self.alone.get(&report.node);
        self.classes.contains(&class_of(report)) && by.is_none_or(|by| alone(report).is_subset(by))
    }

    fn lands_alike(&self, cycle: &Cycle) -> bool {
        let Some(lands) = &self.lands else {
            // A Pod that is nominated lands later.
            let nominated = cycle.preemption.as_ref().map(|it| it.nominated.as_str());
            return cycle.selected.is_none() && nominated.is_none_or(str::is_empty);
        };
        let claim = claim_of(cycle);
        // In a tie, only the seed decides.
        cycle.tie_break.is_none()
            && claim.node.as_ref() == Some(&lands.node)
            && claim.over == lands.over
            && claim.by == lands.by
    }

    /// Whether another one differs only in names.
    pub fn is_like(&self, other: &Self) -> bool {
        let shape = |it: &Self| {
            let witnesses = it.witnesses.iter();
            let mut witnesses: Vec<_> = witnesses.map(Witness::shape).collect();
            witnesses.sort();
            let by = it.lands.as_ref().map(|lands| lands.by.clone());
            let plugin = it.early.as_ref().map(|(plugin, _)| plugin.clone());
            (witnesses, by, plugin)
        };
        shape(self) == shape(other)
    }
}

impl Witness {
    fn of(report: &NodeReport) -> Self {
        let verdict = report.verdict.clone().unwrap_or_default();
        Self {
            node: report.node.clone(),
            sums: pinned(report, &verdict),
            verdict: (verdict.plugin, verdict.reasons),
        }
    }

    fn is_shown_by(&self, report: &NodeReport) -> bool {
        let found = Self::of(report);
        report.verdict.is_some() != self.verdict.0.is_empty()
            && found.verdict == self.verdict
            && found.sums == self.sums
    }

    /// What does not depend on names.
    fn shape(&self) -> (String, usize, Vec<String>) {
        let numbers = self.sums.iter().map(|sum| {
            let (node, of) = (String::new(), String::new());
            format!(
                "{:?}",
                ClaimSum {
                    node,
                    of,
                    ..sum.clone()
                }
            )
        });
        (
            self.verdict.0.clone(),
            self.verdict.1.len(),
            numbers.collect(),
        )
    }
}

fn is_feasible(report: &NodeReport) -> bool {
    report
        .verdict
        .as_ref()
        .is_some_and(|it| it.code == Code::Success)
}

fn early(cycle: &Cycle) -> Option<(String, String)> {
    let report = &cycle.pre_filter;
    (report.code != Code::Success).then(|| (report.plugin.clone(), report.message.clone()))
}

/// The plugins that reject a node, each run alone.
pub(super) fn alone(report: &NodeReport) -> BTreeSet<String> {
    report.failures.iter().map(|it| it.plugin.clone()).collect()
}

/// The sums of a verdict, of Pods only by how many more a domain has than the least: each domain may lose as many. How many a
/// term matches is no sum: one is enough.
fn pinned(report: &NodeReport, verdict: &Verdict) -> Vec<ClaimSum> {
    let reasons = verdict.reasons.iter();
    let sums = reasons.flat_map(|reason| sums_of(report, verdict, reason));
    sums.map(|sum| ClaimSum {
        count: sum
            .count
            .zip(sum.minimum)
            .map(|(count, minimum)| count.saturating_sub(minimum)),
        minimum: None,
        ..sum
    })
    .collect()
}

/// How a node is rejected, or that it is not: without what the reason names, such as a taint.
pub(super) fn class_of(report: &NodeReport) -> Class {
    let Some(verdict) = &report.verdict else {
        return Class::default();
    };
    let reasons = verdict.reasons.iter().map(|reason| {
        let general = reason.split(['{', '"']).next().unwrap_or_default();
        general.trim_end().to_owned()
    });
    (verdict.plugin.clone(), reasons.collect())
}
