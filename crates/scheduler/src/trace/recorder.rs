//! An observer that records one cycle as a [`Cycle`].

use std::collections::BTreeMap;

use super::devices::{claim_key, claim_report};
use crate::cluster::Cluster;
use crate::cluster::node::NodeInfo;
use crate::cluster::{NodeIx, PodIx};
use crate::framework::fit_error;
use crate::framework::plugin::ClaimWrite;
use crate::framework::plugin::{Context, Score};
use crate::framework::preemption::{PostFiltered, PreemptionCandidate, Skipped};
use crate::framework::runner::{PreFilterOutcome, Profile};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, Rejected, Rejection, ScoreFacts};
use crate::scheduler::cycle::{Outcome, Unschedulable};
use crate::scheduler::observer::{Observer, PluginScores, SearchStart, Selection};
use berth_base::sort;
use berth_protocol::cycle::{
    Candidate, ClaimDevices, Clause, Code, Cycle, DeviceReport, MAX_RANK, NodeAllocations,
    NodeReport, NodeScore, PluginScore, PreFilterReport, PreemptionReport, SearchReport, TieBreak,
    Verdict, WeightedPlugin,
};
use berth_protocol::score::Arithmetic;

/// Records one cycle.
pub struct Recorder<'a> {
    cluster: &'a Cluster,
    cycle: Cycle,
    /// The node whose passing plugins are recorded too.
    detailed: Option<NodeIx>,
    /// By node index: the position in `cycle.nodes`.
    positions: Vec<usize>,
    /// In search order.
    scores: Vec<NodeScore>,
    /// By position in `cycle.nodes`: why preemption did not help. `None` if it was not tried there.
    not_preempted: BTreeMap<u32, Rejection>,
}

impl<'a> Recorder<'a> {
    /// A recorder for the next cycle on this cluster.
    pub fn new(cluster: &'a Cluster) -> Self {
        let mut positions = vec![0; cluster.node_capacity()];
        let mut nodes = Vec::with_capacity(cluster.node_order().len());
        for node in cluster.nodes() {
            positions[node.ix.0 as usize] = nodes.len();
            nodes.push(NodeReport {
                node: node.name.to_string(),
                verdict: None,
                failures: Vec::new(),
                passes: Vec::new(),
            });
        }
        Self {
            cluster,
            detailed: None,
            positions,
            scores: Vec::new(),
            not_preempted: BTreeMap::new(),
            cycle: Cycle {
                nodes,
                devices: cluster.has_devices().then(DeviceReport::default),
                ..Cycle::default()
            },
        }
    }

    /// Also records the facts of the plugins that this node passes, the Pods that facts count, and how its scores come
    /// about.
    pub fn detailing(self, node: Option<NodeIx>) -> Self {
        Self {
            detailed: node,
            ..self
        }
    }

    /// The record of the completed cycle.
    pub fn finish(mut self, pod: PodIx, profile: &Profile, round: u32, outcome: &Outcome) -> Cycle {
        if let Some(info) = self.cluster.pods().get(pod) {
            self.cycle.pod = info.object.key();
            self.cycle.priority = info.priority();
            let nominated = info.object.nominated_node.as_deref();
            self.cycle.nominated_node = nominated.unwrap_or_default().to_owned();
        }
        self.cycle.profile.clone_from(&profile.scheduler_name);
        self.cycle.round = round;
        self.cycle.filter_plugins = profile
            .filter
            .iter()
            .map(|&plugin| profile.name(plugin).to_owned())
            .collect();
        self.cycle.score_plugins = profile
            .score
            .iter()
            .map(|point| WeightedPlugin {
                plugin: profile.name(point.plugin).to_owned(),
                weight: point.weight,
            })
            .collect();
        match outcome {
            Outcome::Scheduled { volumes, .. } => self.claims_written(&volumes.claims),
            Outcome::Unschedulable(unschedulable) => {
                self.cycle.message = Some(unschedulable.message.clone());
                self.cycle.clauses = self.clauses(unschedulable);
                if let (Some(report), Some((namespace, name))) =
                    (&mut self.cycle.devices, &unschedulable.deallocated)
                {
                    report.deallocated.push(format!("{namespace}/{name}"));
                }
            }
            Outcome::Error { message, chosen } => {
                self.cycle.message = Some(message.clone());
                self.cycle.error = true;
                match chosen {
                    Some((_, decisions)) => self.claims_written(&decisions.claims),
                    None => self.cycle.selected = None,
                }
            }
        }
        self.cycle
    }

    /// The clauses of the message, with the nodes that they count.
    fn clauses(&self, unschedulable: &Unschedulable) -> Vec<Clause> {
        let nodes = || (0_u32..).zip(&self.cycle.nodes);
        let mut rejected: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (position, report) in nodes() {
            for reason in report.verdict.iter().flat_map(|verdict| &verdict.reasons) {
                rejected.entry(reason).or_default().push(position);
            }
        }
        let mut tried: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (position, rejection) in &self.not_preempted {
            for reason in &rejection.reasons {
                tried.entry(reason).or_default().push(*position);
            }
        }
        // No plugin gave the reason for the other nodes: PreFilter excluded them, or preemption cannot help there.
        let excluded = nodes().filter(|(_, report)| report.verdict.is_none());
        let excluded: Vec<u32> = excluded.map(|(position, _)| position).collect();
        let hopeless = nodes()
            .map(|(position, _)| position)
            .filter(|position| !self.not_preempted.contains_key(position));
        let hopeless: Vec<u32> = hopeless.collect();
        let text = unschedulable.message.as_str();
        let filter = unschedulable
            .clauses
            .iter()
            .filter_map(|at| clause(text, at, &rejected, &excluded));
        let post_filter = unschedulable
            .post_filter_clauses
            .iter()
            .filter_map(|at| clause(text, at, &tried, &hopeless));
        filter.chain(post_filter).collect()
    }

    fn claims_written(&mut self, writes: &[ClaimWrite]) {
        let Some(report) = &mut self.cycle.devices else {
            return;
        };
        let written = writes
            .iter()
            .filter(|write| write.allocated)
            .filter_map(|write| claim_report(&write.claim));
        report.claims.extend(written);
        let reserved = writes.iter().filter(|write| write.reserved);
        report
            .reserved
            .extend(reserved.map(|write| claim_key(&write.claim)));
        sort::sort(&mut report.reserved);
    }

    fn name(&self, node: NodeIx) -> String {
        self.cluster.node(node).name.to_string()
    }

    fn pod_names(&self, pods: &[PodIx]) -> Vec<String> {
        pods.iter()
            .filter_map(|&pod| self.cluster.pods().get(pod))
            .map(|info| info.object.key())
            .collect()
    }

    fn candidates(&self, candidates: &[PreemptionCandidate]) -> Vec<Candidate> {
        let mut reports: Vec<Candidate> = candidates
            .iter()
            .map(|candidate| Candidate {
                node: self.name(candidate.node),
                victims: self.pod_names(&candidate.victims),
                pdb_violations: candidate.pdb_violations,
                ranks: candidate
                    .ranks
                    .iter()
                    .map(|rank| (*rank).clamp(-MAX_RANK, MAX_RANK))
                    .collect(),
            })
            .collect();
        sort::sort_by(&mut reports, |a, b| a.node.cmp(&b.node));
        reports
    }

    /// Records what the plugins that accepted a node would allocate there.
    fn record_devices(
        &mut self,
        (cx, profile, state): (Context<'_>, &Profile, &CycleState),
        skipped: &Skipped,
        ix: NodeIx,
    ) {
        let Some(verdict) = &self.cycle.nodes[self.positions[ix.0 as usize]].verdict else {
            return;
        };
        let Some(report) = &mut self.cycle.devices else {
            return;
        };
        let node = cx.cluster.node(ix);
        for &plugin in profile.filter.iter().filter(|it| !skipped.contains(**it)) {
            if profile.name(plugin) == verdict.plugin {
                break;
            }
            let filter = profile.plugins[plugin].as_filter();
            let claims = filter.map_or_else(Vec::new, |filter| filter.devices(cx, state, node));
            if !claims.is_empty() {
                let node = node.name.to_string();
                let claims = claims
                    .into_iter()
                    .map(|(claim, devices)| ClaimDevices { claim, devices });
                report.allocations.push(NodeAllocations {
                    node,
                    claims: claims.collect(),
                });
            }
        }
    }

    fn without_scores(&self, nodes: &[NodeIx]) -> Vec<NodeScore> {
        nodes
            .iter()
            .map(|&node| NodeScore {
                node: self.name(node),
                plugins: Vec::new(),
                total: 0,
            })
            .collect()
    }
}

fn verdict(plugin: &str, rejection: &Rejection, facts: Facts) -> Verdict {
    Verdict {
        code: rejection.code,
        plugin: plugin.to_owned(),
        reasons: rejection
            .reasons
            .iter()
            .map(|reason| reason.to_string())
            .collect(),
        facts,
    }
}

impl Recorder<'_> {
    /// Adds the numbers behind a rejection that only nominated Pods cause: without them, the plugin passes.
    fn explain_nominated(
        &mut self,
        cx: Context<'_>,
        profile: &Profile,
        state: &CycleState,
        skipped: &Skipped,
        ix: NodeIx,
    ) {
        let report = &mut self.cycle.nodes[self.positions[ix.0 as usize]];
        let rejected = report.verdict.as_mut();
        let Some(rejected) = rejected.filter(|verdict| verdict.code != Code::Success) else {
            return;
        };
        let mut failures = report.failures.iter();
        if failures.any(|failure| failure.plugin == rejected.plugin) {
            return;
        }
        let mut filters = profile.filter.iter().copied();
        let filter = filters.find(|&plugin| profile.name(plugin) == rejected.plugin);
        let filter = filter.and_then(|plugin| profile.plugins[plugin].as_filter());
        let crowded = profile.with_nominated(cx, state, cx.cluster.node(ix), skipped);
        if let (Some(filter), Some((state, node))) = (filter, crowded) {
            rejected.facts = filter.facts(cx, &state, &node);
        }
    }
}

/// A clause with its nodes: those with its reason, or else `others`.
fn clause(
    text: &str,
    at: &fit_error::Clause,
    by_reason: &BTreeMap<&str, Vec<u32>>,
    others: &[u32],
) -> Option<Clause> {
    let nodes = by_reason.get(text.get(at.reason..at.end)?);
    Some(Clause {
        start: u32::try_from(at.start).ok()?,
        end: u32::try_from(at.end).ok()?,
        nodes: nodes.map_or_else(|| others.to_vec(), Vec::clone),
    })
}

impl Observer for Recorder<'_> {
    const MAY_REMEMBER: bool = false;

    fn pre_filtered(&mut self, _cx: Context<'_>, profile: &Profile, outcome: &PreFilterOutcome) {
        let mut report = PreFilterReport {
            nodes: outcome
                .only
                .as_ref()
                .map(|names| names.iter().cloned().collect()),
            skipped: skipped_names(profile, &profile.pre_filter, &outcome.skipped),
            ..PreFilterReport::default()
        };
        if let Some(rejected) = &outcome.rejected {
            report.code = rejected.rejection.code;
            report.plugin = rejected.plugin.to_owned();
            report.message = rejected.rejection.message();
        }
        self.cycle.pre_filter = report;
    }

    fn search_started(&mut self, search: SearchStart) {
        // The search of all nodes after the nominated one failed replaces its reports.
        for report in &mut self.cycle.nodes {
            report.verdict = None;
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.cycle.search = SearchReport {
            nodes: count(self.cycle.nodes.len()),
            examined: 0,
            wanted: count(search.wanted),
            start: count(search.start),
            nominated_only: search.nominated_only,
        };
    }

    fn node_judged(&mut self, node: &NodeInfo, judged: &Result<(), Rejected>) {
        self.cycle.search.examined += 1;
        let position = self.positions[node.ix.0 as usize];
        self.cycle.nodes[position].verdict = Some(match judged {
            Ok(()) => Verdict::default(),
            Err(rejected) => verdict(rejected.plugin, &rejected.rejection, Vec::new()),
        });
    }

    fn filtered(
        &mut self,
        cx: Context<'_>,
        profile: &Profile,
        state: &CycleState,
        skipped: &Skipped,
    ) {
        for &ix in cx.cluster.node_order() {
            let node = cx.cluster.node(ix);
            let position = self.positions[ix.0 as usize];
            for &plugin in profile
                .filter
                .iter()
                .filter(|&&plugin| !skipped.contains(plugin))
            {
                let facts = || match profile.plugins[plugin].as_filter() {
                    Some(filter) if self.detailed == Some(ix) => {
                        filter.detailed_facts(cx, state, node)
                    }
                    Some(filter) => filter.facts(cx, state, node),
                    None => Vec::new(),
                };
                let report = &mut self.cycle.nodes[position];
                // By itself, a plugin's error does not name the plugin.
                let filter = profile.plugins[plugin].as_filter();
                match filter.map_or(Ok(()), |filter| filter.filter(cx, state, node)) {
                    Err(rejection) => {
                        let failure = verdict(profile.name(plugin), &rejection, facts());
                        report.failures.push(failure);
                    }
                    Ok(()) if self.detailed == Some(ix) => report.passes.push(Verdict {
                        plugin: profile.name(plugin).to_owned(),
                        facts: facts(),
                        ..Verdict::default()
                    }),
                    Ok(()) => {}
                }
            }
            self.explain_nominated(cx, profile, state, skipped, ix);
            self.record_devices((cx, profile, state), skipped, ix);
        }
    }

    fn post_filtered(&mut self, _cx: Context<'_>, answer: &PostFiltered) {
        match answer {
            PostFiltered::Nominated(preemption) => {
                self.cycle.preemption = Some(PreemptionReport {
                    nominated: self.name(preemption.node),
                    victims: self.pod_names(&preemption.victims),
                    candidates: self.candidates(&preemption.candidates),
                    ambiguous: preemption.ambiguous,
                    decided_by: preemption.decided_by.to_owned(),
                });
            }
            PostFiltered::NotEligible { why, .. } => self.cycle.not_eligible = Some(*why),
            PostFiltered::Unschedulable { tried, .. } => {
                for (node, rejection) in tried {
                    let position = self.positions.get(node.0 as usize).copied();
                    let position = position.and_then(|position| u32::try_from(position).ok());
                    let position = position.map(|position| (position, rejection.clone()));
                    self.not_preempted.extend(position);
                }
            }
            PostFiltered::Deallocated { .. } | PostFiltered::Error(_) => {}
        }
    }

    fn pre_scored(&mut self, profile: &Profile, skipped: &Skipped) {
        self.cycle.pre_score_skipped = skipped_names(profile, &profile.pre_score, skipped);
    }

    fn scored(
        &mut self,
        cx: Context<'_>,
        state: &CycleState,
        plugin: &dyn Score,
        scores: PluginScores<'_>,
    ) {
        if self.scores.is_empty() {
            self.scores = self.without_scores(scores.nodes);
        }
        let detailed = |node: &NodeIx| Some(*node) == self.detailed;
        let detailed = scores.nodes.iter().position(detailed);
        let numbers = scores.raw.iter().zip(scores.normalized);
        for (score, (&raw, &normalized)) in self.scores.iter_mut().zip(numbers) {
            score.plugins.push(PluginScore {
                plugin: scores.plugin.to_owned(),
                raw,
                normalized,
                weight: scores.weight,
                weighted: normalized * scores.weight,
                arithmetic: None,
            });
        }
        let last = detailed.and_then(|position| self.scores[position].plugins.last_mut());
        if let (Some(score), Some(ix)) = (last, self.detailed) {
            let ScoreFacts { formula, inputs } = plugin.facts(cx, state, cx.cluster.node(ix));
            score.arithmetic = Some(Box::new(Arithmetic {
                formula,
                inputs,
                normalization: plugin.normalization(state, scores.nodes, scores.raw),
            }));
        }
    }

    fn selected(&mut self, selection: Selection<'_>) {
        let mut best: Vec<String> = selection.best.iter().map(|&node| self.name(node)).collect();
        sort::sort(&mut best);
        self.cycle.tie_break = (best.len() > 1).then(|| TieBreak {
            among: u32::try_from(best.len()).unwrap_or(u32::MAX),
            seed: selection.seed,
        });
        self.cycle.best = best;
        self.cycle.selected = Some(self.name(selection.selected));
        if selection.totals.is_empty() {
            return;
        }
        let mut scores = std::mem::take(&mut self.scores);
        if scores.is_empty() {
            // A profile without Score plugins.
            scores = self.without_scores(selection.nodes);
        }
        for (score, total) in scores.iter_mut().zip(selection.totals) {
            score.total = *total;
        }
        let mut in_document_order: Vec<(usize, NodeScore)> = selection
            .nodes
            .iter()
            .map(|node| self.positions[node.0 as usize])
            .zip(scores)
            .collect();
        sort::sort_by_key(&mut in_document_order, |(position, _)| *position);
        self.cycle.scores = Some(
            in_document_order
                .into_iter()
                .map(|(_, score)| score)
                .collect(),
        );
    }
}

fn skipped_names(profile: &Profile, point: &[usize], skipped: &Skipped) -> Vec<String> {
    let mut names: Vec<String> = point
        .iter()
        .filter(|&&plugin| skipped.contains(plugin))
        .map(|&plugin| profile.name(plugin).to_owned())
        .collect();
    sort::sort(&mut names);
    names
}
