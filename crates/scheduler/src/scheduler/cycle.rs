//! One scheduling cycle, top to bottom (`schedule_one.go` of kube-scheduler v1.34).

use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, NodeIx};
use crate::framework::fit_error::Clause;
use crate::framework::plugin::{Context, VolumeDecisions};
use crate::framework::preemption::Preemption;
use crate::framework::rejections::Rejections;
use crate::framework::runner::{PreFilterOutcome, Profile, excluded_by};
use crate::framework::state::CycleState;
use crate::framework::status::{Rejected, Rejection};
use berth_protocol::cycle::Code;

use super::answers::may_share;
use super::failure::post_filter;
use super::memo::ShapeMemo;
use super::observer::{Observer, SearchStart, Selection};
use super::ranking::{Asked, Ranked, Ranking};
use super::score::total_scores;
use super::search::{Found, Judge, wanted_nodes};
use super::select::best_nodes;
use super::{Memory, Scheduler};

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

/// The result of PreFilter.
struct Prepared {
    state: CycleState,
    pre_filter: PreFilterOutcome,
}

/// The result of the search for feasible nodes.
pub(super) struct Filtered {
    pub state: CycleState,
    pub pre_filter: PreFilterOutcome,
    feasible: Vec<NodeIx>,
    pub rejected: Rejections,
    /// The rejection of nodes that are not in `rejected`.
    pub absent: Option<Rejected>,
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
        let mut memory = std::mem::take(&mut self.memory);
        let outcome = self.remember(cx, (profile, active), &mut memory, observer);
        self.memory = memory;
        outcome.unwrap_or_else(|rejection| Outcome::Error {
            message: rejection.message(),
            chosen: None,
        })
    }

    /// Answers as before if the Pod's class fitted nowhere and nothing has changed; decides otherwise.
    fn remember<O: Observer>(
        &mut self,
        cx: Context<'_>,
        (profile_ix, profile): (usize, &Profile),
        memory: &mut Memory,
        observer: &mut O,
    ) -> Result<Outcome, Rejection> {
        let now = (cx.cluster.version(), self.next_start);
        let is_nominated = cx.pod.object.nominated_node.is_some();
        if O::MAY_REMEMBER
            && !is_nominated
            && let Some(answer) = memory.answers.get(now, (profile_ix, cx.pod.class))
        {
            return Ok(Outcome::Unschedulable(answer.clone()));
        }
        let mut state = CycleState::default();
        let pre_filter = pre_filter(cx, profile, &mut state, observer)?;
        let prepared = Prepared { state, pre_filter };
        self.decide(cx, (profile_ix, profile), prepared, memory, observer)
    }

    fn decide<O: Observer>(
        &mut self,
        cx: Context<'_>,
        (profile_ix, profile): (usize, &Profile),
        mut prepared: Prepared,
        memory: &mut Memory,
        observer: &mut O,
    ) -> Result<Outcome, Rejection> {
        let Memory {
            memo,
            ranking,
            answers,
        } = memory;
        let now = (cx.cluster.version(), self.next_start);
        // A Pod of a DaemonSet is narrowed to its node by its spec: an entry of its own would be as large as any.
        let mut memo = (O::MAY_REMEMBER && prepared.pre_filter.only.is_none())
            .then(|| memo.of(profile_ix, profile, cx.spec.shape, cx.cluster));
        if let Some(memo) = memo.as_deref_mut()
            && let Some(node) = self.best_ranked(
                (profile_ix, profile),
                cx,
                &mut prepared,
                (memo, ranking),
                observer,
            )
        {
            return Ok(reserve(cx, profile, &prepared.state, node));
        }
        let mut filtered =
            self.find_feasible(cx, profile, prepared, memo.as_deref_mut(), observer)?;
        if filtered.feasible.is_empty() {
            let answer = post_filter(cx, profile, &filtered, observer);
            let Filtered {
                state, pre_filter, ..
            } = &filtered;
            if O::MAY_REMEMBER
                && self.next_start == now.1
                && may_share(cx, profile, state, pre_filter)
            {
                answers.keep(now, (profile_ix, cx.pod.class), &answer);
            }
            return Ok(Outcome::Unschedulable(answer));
        }
        let node = self.select(cx, profile, &mut filtered, memo, observer)?;
        Ok(reserve(cx, profile, &filtered.state, node))
    }

    /// Selects one of the feasible nodes, by their scores if there are several (`prioritizeNodes`, `selectHost`).
    fn select<O: Observer>(
        &mut self,
        cx: Context<'_>,
        profile: &Profile,
        filtered: &mut Filtered,
        memo: Option<&mut ShapeMemo>,
        observer: &mut O,
    ) -> Result<NodeIx, Rejection> {
        let Filtered {
            state, feasible, ..
        } = filtered;
        let nodes = feasible.as_slice();
        if let [only] = nodes {
            observer.selected(Selection {
                nodes,
                totals: &[],
                best: &[*only],
                selected: *only,
                seed: None,
            });
            return Ok(*only);
        }
        let totals = total_scores(cx, profile, state, nodes, memo, observer)?;
        let best = best_nodes(nodes, &totals);
        let seed = self.deciding_seed(&best);
        let Some(selected) = self.pick(cx.cluster, &best) else {
            return Err(Rejection::error("empty priorityList"));
        };
        observer.selected(Selection {
            nodes,
            totals: &totals,
            best: &best,
            selected,
            seed,
        });
        Ok(selected)
    }

    /// The node that the walk would select, without the walk; `None`: walk. Nominated Pods, narrowed nodes, a preferred
    /// node and small clusters are left to the walk.
    fn best_ranked<O: Observer>(
        &mut self,
        (profile_ix, profile): (usize, &Profile),
        cx: Context<'_>,
        prepared: &mut Prepared,
        (memo, ranking): (&mut ShapeMemo, &mut Ranking),
        observer: &mut O,
    ) -> Option<NodeIx> {
        let nodes = cx.cluster.node_order().len();
        let Prepared { state, pre_filter } = prepared;
        let is_nominated = cx.pod.object.nominated_node.is_some();
        let is_narrowed = pre_filter.rejected.is_some() || pre_filter.only.is_some();
        let is_nominated = is_nominated || !cx.cluster.nominations().is_empty();
        let is_special = is_nominated || is_narrowed || self.preferred.is_some();
        if is_special || nodes < O::RANKS_FROM {
            return None;
        }
        let wanted = self.wanted(profile, nodes);
        let asked = Asked {
            cx,
            profile_ix,
            profile,
            skipped: &pre_filter.skipped,
            order: self.listing_order(cx.cluster, wanted < nodes),
            start: u32::try_from(self.next_start % nodes.max(1)).unwrap_or(0),
            wanted,
        };
        let Ranked {
            total,
            ties,
            visited,
        } = ranking.best(asked, state, memo)?;
        observer.ranked(total, ties.len());
        let selected = self.pick_ranked(cx.cluster, &ties, asked.start)?;
        self.next_start = (self.next_start + visited) % nodes.max(1);
        Some(selected)
    }

    /// Runs Filter: on the nominated node first, then on as many nodes as needed (`findNodesThatFitPod`).
    fn find_feasible<O: Observer>(
        &mut self,
        cx: Context<'_>,
        profile: &Profile,
        Prepared { state, pre_filter }: Prepared,
        mut memo: Option<&mut ShapeMemo>,
        observer: &mut O,
    ) -> Result<Filtered, Rejection> {
        if let Some(rejected) = &pre_filter.rejected {
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
        let nominated = search_nominated(&judge, memo.as_deref_mut(), observer);
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

    /// The number of feasible nodes after which the search ends.
    fn wanted(&self, profile: &Profile, nodes: usize) -> usize {
        if profile.score.is_empty() {
            return 1;
        }
        wanted_nodes(
            nodes,
            profile.percentage_of_nodes_to_score,
            self.percentage_of_nodes_to_score,
        )
    }

    /// Searches the nodes that PreFilter left. `nominated` is the result for the nominated node; its
    /// rejection counts even if PreFilter excluded that node.
    fn search_all<O: Observer>(
        &mut self,
        judge: &Judge<'_, '_>,
        pre_filter: &PreFilterOutcome,
        nominated: &Found,
        memo: Option<&mut ShapeMemo>,
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
        let start = SearchStart {
            start: if nodes.is_empty() {
                0
            } else {
                self.next_start % nodes.len()
            },
            wanted: self.wanted(judge.profile, nodes.len()),
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

/// Runs PreFilter.
fn pre_filter<O: Observer>(
    cx: Context<'_>,
    profile: &Profile,
    state: &mut CycleState,
    observer: &mut O,
) -> Result<PreFilterOutcome, Rejection> {
    let outcome = profile.run_pre_filter(cx, state);
    observer.pre_filtered(cx, profile, &outcome);
    match &outcome.rejected {
        Some(rejected) if rejected.rejection.code == Code::Error => Err(rejected.rejection.clone()),
        _ => Ok(outcome),
    }
}

/// Runs Reserve for the selected node.
fn reserve(cx: Context<'_>, profile: &Profile, state: &CycleState, node: NodeIx) -> Outcome {
    let volumes = match profile.run_reserve(cx, state, cx.cluster.node(node)) {
        Ok(volumes) => volumes,
        Err(rejected) => {
            return Outcome::Error {
                message: rejected.rejection.message(),
                chosen: Some((node, VolumeDecisions::default())),
            };
        }
    };
    match &volumes.failure {
        None => Outcome::Scheduled { node, volumes },
        Some(failure) => Outcome::Error {
            message: failure.clone(),
            chosen: Some((node, volumes)),
        },
    }
}

/// Searches the nominated node alone; if it passes, no other node is searched. The nodes that
/// PreFilter left do not matter here.
fn search_nominated<O: Observer>(
    judge: &Judge<'_, '_>,
    memo: Option<&mut ShapeMemo>,
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
