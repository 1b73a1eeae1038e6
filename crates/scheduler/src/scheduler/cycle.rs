//! One scheduling cycle, top to bottom (`schedule_one.go` of kube-scheduler v1.34).

use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, NodeIx};
use crate::framework::fit_error::{Clause, FitError, fit_error};
use crate::framework::plugin::{Context, VolumeDecisions};
use crate::framework::preemption::{PostFiltered, Preemption, PreemptionContext};
use crate::framework::rejections::Rejections;
use crate::framework::runner::{PreFilterOutcome, Profile, excluded_by};
use crate::framework::state::CycleState;
use crate::framework::status::{Rejected, Rejection};
use berth_base::sort;
use berth_protocol::cycle::Code;

use super::Scheduler;
use super::memo::SpecMemo;
use super::observer::{Observer, SearchStart, Selection};
use super::score::total_scores;
use super::search::{Found, Judge, wanted_nodes};
use super::select::best_nodes;

/// The outcome of a cycle.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The Pod is to be bound to the node.
    Scheduled {
        node: NodeIx,
        volumes: VolumeDecisions,
    },
    /// The Pod fits on no node.
    Unschedulable(Unschedulable),
    /// The cycle failed; the previous nomination is cleared.
    Error {
        message: String,
        /// With the node and what PreBind had written, if it failed after a node was chosen.
        chosen: Option<(NodeIx, VolumeDecisions)>,
    },
}

/// Why a Pod fits on no node, and the consequences.
#[derive(Clone, Debug, Default)]
pub struct Unschedulable {
    /// The FitError message with PostFilter's part.
    pub message: String,
    /// Its clauses that count nodes rejected by Filter plugins.
    pub clauses: Vec<Clause>,
    /// The clauses of PostFilter's part.
    pub post_filter_clauses: Vec<Clause>,
    pub preemption: Option<Box<Preemption>>,
    /// The ResourceClaim (namespace and name) that PostFilter deallocates.
    pub deallocated: Option<(String, String)>,
    /// Whether the previous nomination is cleared; a preemption sets a new one.
    pub clear_nomination: bool,
    /// The plugins that rejected the Pod, sorted: their registered events may queue it again.
    pub rejected_by: Vec<&'static str>,
}

/// The result of the search for feasible nodes.
struct Filtered {
    state: CycleState,
    pre_filter: PreFilterOutcome,
    feasible: Vec<NodeIx>,
    rejected: Rejections,
    /// The rejection of nodes that are not in `rejected`.
    absent: Option<Rejected>,
}

impl Scheduler {
    /// Runs the cycle of one Pod without changing the cluster. `profile` is an index into
    /// [`Scheduler::profiles`].
    pub fn schedule<O: Observer>(
        &mut self,
        cluster: &Cluster,
        pod: &PodInfo,
        profile: usize,
        observer: &mut O,
    ) -> Outcome {
        if cluster.node_order().is_empty() {
            return Outcome::Unschedulable(Unschedulable {
                message: "no nodes available to schedule pods".to_owned(),
                clear_nomination: true,
                ..Unschedulable::default()
            });
        }
        let cx = Context::new(cluster, pod);
        let profiles = std::rc::Rc::clone(&self.profiles);
        let Some(active) = profiles.get(profile) else {
            return Outcome::Error {
                message: format!("there is no profile number {profile}"),
                chosen: None,
            };
        };
        // Taken out for the cycle, so that `self` stays usable.
        let mut memo = std::mem::take(&mut self.memo);
        let known = memo.of(profile, active, cx.class.spec, cluster);
        let outcome = self.decide(cx, active, known, observer);
        self.memo = memo;
        outcome.unwrap_or_else(|rejection| Outcome::Error {
            message: rejection.message(),
            chosen: None,
        })
    }

    fn decide<O: Observer>(
        &mut self,
        cx: Context<'_>,
        profile: &Profile,
        memo: &mut SpecMemo,
        observer: &mut O,
    ) -> Result<Outcome, Rejection> {
        let mut filtered = self.find_feasible(cx, profile, memo, observer)?;
        let node = match filtered.feasible.as_slice() {
            [] => return Ok(post_filter(cx, profile, &filtered, observer)),
            [only] => {
                observer.selected(Selection {
                    nodes: &filtered.feasible,
                    totals: &[],
                    best: &[*only],
                    selected: *only,
                    seed: None,
                });
                *only
            }
            several => {
                let totals =
                    total_scores(cx, profile, &mut filtered.state, several, memo, observer)?;
                let best = best_nodes(several, &totals);
                let seed = self.deciding_seed(&best);
                let Some(selected) = self.pick(cx.cluster, &best) else {
                    return Err(Rejection::error("empty priorityList"));
                };
                observer.selected(Selection {
                    nodes: several,
                    totals: &totals,
                    best: &best,
                    selected,
                    seed,
                });
                selected
            }
        };
        let volumes = profile.run_reserve(cx, &filtered.state, cx.cluster.node(node));
        let volumes = match volumes {
            Ok(volumes) => volumes,
            Err(rejected) => {
                return Ok(Outcome::Error {
                    message: rejected.rejection.message(),
                    chosen: Some((node, VolumeDecisions::default())),
                });
            }
        };
        Ok(match &volumes.failure {
            None => Outcome::Scheduled { node, volumes },
            Some(failure) => Outcome::Error {
                message: failure.clone(),
                chosen: Some((node, volumes)),
            },
        })
    }

    /// Runs PreFilter, then Filter: on the nominated node first, then on as many nodes as needed
    /// (`findNodesThatFitPod`).
    fn find_feasible<O: Observer>(
        &mut self,
        cx: Context<'_>,
        profile: &Profile,
        memo: &mut SpecMemo,
        observer: &mut O,
    ) -> Result<Filtered, Rejection> {
        let mut state = CycleState::default();
        let pre_filter = profile.run_pre_filter(cx, &mut state);
        observer.pre_filtered(cx, profile, &pre_filter);
        if let Some(rejected) = &pre_filter.rejected {
            if rejected.rejection.code == Code::Error {
                return Err(rejected.rejection.clone());
            }
            return Ok(Filtered {
                absent: Some(rejected.clone()),
                state,
                pre_filter,
                feasible: Vec::new(),
                rejected: Rejections::default(),
            });
        }
        let judge = Judge {
            cx,
            profile,
            state: &state,
            skipped: &pre_filter.skipped,
        };
        let nominated = search_nominated(&judge, memo, observer);
        let mut excluding = pre_filter.narrowed_by.clone();
        // As upstream, the plugin that rejects the nominated node counts among those that excluded the others.
        let of_nominated = nominated.rejected.iter().map(|(_, it)| it.plugin);
        excluding.extend(of_nominated);
        excluding.sort_unstable();
        excluding.dedup();
        let found = if nominated.feasible.is_empty() {
            self.search_all(&judge, &pre_filter, &nominated, memo, observer)
        } else {
            Ok(nominated)
        };
        observer.filtered(cx, profile, &state, &pre_filter.skipped);
        let Found { feasible, rejected } = found?;
        Ok(Filtered {
            absent: pre_filter.only.as_ref().map(|_| excluded_by(&excluding)),
            state,
            pre_filter,
            feasible,
            rejected,
        })
    }

    /// Searches the nodes that PreFilter left. `nominated` is the result for the nominated node; its
    /// rejection counts even if PreFilter excluded that node.
    fn search_all<O: Observer>(
        &mut self,
        judge: &Judge<'_, '_>,
        pre_filter: &PreFilterOutcome,
        nominated: &Found,
        memo: &mut SpecMemo,
        observer: &mut O,
    ) -> Result<Found, Rejection> {
        let cluster = judge.cx.cluster;
        let all = cluster.node_order();
        let narrowed: Vec<NodeIx>;
        let nodes = match &pre_filter.only {
            None => all,
            Some(names) => {
                narrowed = names
                    .iter()
                    .filter_map(|name| cluster.find_node(name))
                    .map(|node| node.ix)
                    .collect();
                &narrowed
            }
        };
        let profile = judge.profile;
        let wanted = if profile.score.is_empty() {
            1
        } else {
            wanted_nodes(
                nodes.len(),
                profile.percentage_of_nodes_to_score,
                self.percentage_of_nodes_to_score,
            )
        };
        let start = SearchStart {
            start: if nodes.is_empty() {
                0
            } else {
                self.next_start % nodes.len()
            },
            wanted,
            nominated_only: false,
        };
        let mut found = judge.search(nodes, start, memo, observer)?;
        for (node, rejected) in nominated.rejected.iter() {
            if pre_filter.only.is_some() && !nodes.contains(&node) {
                observer.node_judged(cluster.node(node), &Err(rejected.clone()));
                let kind = found.rejected.kind(rejected.plugin, &rejected.rejection);
                found.rejected.add(node, kind);
            }
        }
        let processed = found.feasible.len() + found.rejected.len();
        self.next_start = (self.next_start + processed) % all.len().max(1);
        Ok(found)
    }
}

/// Searches the nominated node alone; if it passes, no other node is searched. The nodes that
/// PreFilter left do not matter here.
fn search_nominated<O: Observer>(
    judge: &Judge<'_, '_>,
    memo: &mut SpecMemo,
    observer: &mut O,
) -> Found {
    let nominated = judge.cx.pod.object.nominated_node.as_deref();
    let Some(node) = nominated.and_then(|name| judge.cx.cluster.find_node(name)) else {
        return Found::default();
    };
    let start = SearchStart {
        start: 0,
        wanted: 1,
        nominated_only: true,
    };
    // Upstream logs an error here and searches all nodes.
    let found = judge.search(&[node.ix], start, memo, observer);
    found.unwrap_or_default()
}

/// No node is feasible: runs the PostFilter plugins, which may make room (`RunPostFilterPlugins`).
fn post_filter<O: Observer>(
    cx: Context<'_>,
    profile: &Profile,
    filtered: &Filtered,
    observer: &mut O,
) -> Outcome {
    let mut unschedulable = Unschedulable {
        rejected_by: rejecting_plugins(filtered),
        clear_nomination: profile.post_filter.is_empty()
            && cx.release().rules().no_post_filter_clears_nomination,
        ..Unschedulable::default()
    };
    let preemption = PreemptionContext {
        cx,
        profile,
        state: &filtered.state,
        skipped: &filtered.pre_filter.skipped,
        rejected: &filtered.rejected,
        absent: filtered.absent.as_ref(),
    };
    let mut messages: Vec<FitError> = Vec::new();
    for &position in &profile.post_filter {
        let Some(plugin) = profile.plugins[position].as_post_filter() else {
            continue;
        };
        let answer = plugin.post_filter(&preemption);
        observer.post_filtered(cx, &answer);
        match answer {
            PostFiltered::Nominated(preemption) => {
                messages.clear();
                unschedulable.preemption = Some(preemption);
                break;
            }
            PostFiltered::Error(rejection) => {
                messages = vec![rejection.message().into()];
                unschedulable.clear_nomination = false;
                break;
            }
            PostFiltered::Unschedulable {
                message,
                clear_nomination,
                ..
            } => {
                messages.push(message);
                unschedulable.clear_nomination |= clear_nomination;
            }
            PostFiltered::Deallocated { claim, rejection } => {
                messages.push(rejection.message().into());
                unschedulable.deallocated = Some(claim);
            }
            PostFiltered::NotEligible { rejection, .. } => {
                messages.push(rejection.message().into());
            }
        }
    }
    let mut message = failure(cx.cluster, filtered);
    let own = message.clauses.len();
    for (position, part) in messages.iter().enumerate() {
        message
            .text
            .push_str(if position == 0 { " " } else { ", " });
        message.append(part);
    }
    unschedulable.post_filter_clauses = message.clauses.split_off(own);
    unschedulable.clauses = message.clauses;
    unschedulable.message = message.text;
    Outcome::Unschedulable(unschedulable)
}

fn failure(cluster: &Cluster, filtered: &Filtered) -> FitError {
    let pre_filter = filtered.pre_filter.rejected.as_ref();
    let pre_filter_message = pre_filter
        .map(|rejected| rejected.rejection.message())
        .unwrap_or_default();
    let silent = Rejection::with(Code::UnschedulableAndUnresolvable, Vec::new());
    let absent = filtered
        .absent
        .as_ref()
        .map_or(&silent, |rejected| &rejected.rejection);
    fit_error(
        cluster.node_order().len(),
        &pre_filter_message,
        filtered
            .rejected
            .counts()
            .map(|(count, rejected)| (count, &rejected.rejection)),
        absent,
    )
}

/// The plugins whose registered events may help the Pod. A plugin that rejects it in PreFilter is the
/// only one, as upstream; plugins that narrowed the nodes count if the search ran or if they left no
/// node.
fn rejecting_plugins(filtered: &Filtered) -> Vec<&'static str> {
    if let Some(rejected) = &filtered.pre_filter.rejected
        && !rejected.plugin.is_empty()
    {
        return vec![rejected.plugin];
    }
    let by_filter = filtered
        .rejected
        .counts()
        .map(|(_, rejected)| rejected.plugin);
    let narrowed = filtered.pre_filter.narrowed_by.iter().copied();
    let mut plugins: Vec<&'static str> = by_filter.chain(narrowed).collect();
    plugins.retain(|plugin| !plugin.is_empty());
    sort::sort(&mut plugins);
    plugins.dedup();
    plugins
}
