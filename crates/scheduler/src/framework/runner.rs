//! Runs a profile's plugins at each extension point.

use std::collections::BTreeSet;

use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, NodeIx, PodIx};
use berth_base::sort;
use berth_protocol::cycle::Code;

use super::feasible::Feasible;
use super::plugin::{Context, Plugin, VolumeDecisions};
use super::preemption::Skipped;
use super::state::CycleState;
use super::status::{PreFiltered, PreScored, Rejected, Rejection, Verdict};

/// A Score plugin of a profile: its position in the plugin list and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScorePoint {
    pub plugin: usize,
    pub weight: i64,
}

/// A profile ready to run: its plugins, and by extension point their positions in call order.
pub struct Profile {
    pub scheduler_name: String,
    pub percentage_of_nodes_to_score: Option<i32>,
    pub plugins: Vec<Box<dyn Plugin>>,
    pub pre_enqueue: Vec<usize>,
    pub queue_sort: Vec<usize>,
    pub pre_filter: Vec<usize>,
    pub filter: Vec<usize>,
    pub post_filter: Vec<usize>,
    pub pre_score: Vec<usize>,
    pub score: Vec<ScorePoint>,
    pub reserve: Vec<usize>,
    /// Its effects on ResourceClaims are decided by Reserve.
    pub pre_bind: Vec<usize>,
    pub bind: Vec<usize>,
}

/// The combined result of the PreFilter plugins.
#[derive(Clone, Debug, Default)]
pub struct PreFilterOutcome {
    pub skipped: Skipped,
    /// The nodes that the search is narrowed to.
    pub only: Option<BTreeSet<String>>,
    /// Plugins that narrowed the nodes.
    pub narrowed_by: Vec<&'static str>,
    /// The first rejection; `plugin` is empty if the plugins narrowed the search to disjoint sets of nodes.
    pub rejected: Option<Rejected>,
    /// Plugins whose PreFilter ran.
    pub ran: Vec<usize>,
}

impl Profile {
    /// The name of the plugin at a position.
    pub fn name(&self, plugin: usize) -> &'static str {
        self.plugins[plugin].name()
    }

    /// Runs all PreFilter plugins (`RunPreFilterPlugins`).
    pub fn run_pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFilterOutcome {
        let mut outcome = PreFilterOutcome {
            skipped: Skipped(vec![false; self.plugins.len()]),
            ..PreFilterOutcome::default()
        };
        for &position in &self.pre_filter {
            let Some(plugin) = self.plugins[position].as_pre_filter() else {
                continue;
            };
            outcome.ran.push(position);
            match plugin.pre_filter(cx, state) {
                PreFiltered::Continue => {}
                PreFiltered::Skip => outcome.skipped.0[position] = true,
                PreFiltered::Rejected(mut rejection) => {
                    let plugin = self.name(position);
                    if rejection.code == Code::Error {
                        let message = rejection.message();
                        rejection = Rejection::error(format!(
                            "running PreFilter plugin \"{plugin}\": {message}"
                        ));
                    }
                    outcome.rejected = Some(Rejected { plugin, rejection });
                    return outcome;
                }
                PreFiltered::Only(nodes) => {
                    outcome.narrowed_by.push(self.name(position));
                    let nodes: BTreeSet<String> = sort::gather(nodes);
                    let merged = match outcome.only.take() {
                        Some(known) => sort::gather(known.intersection(&nodes).cloned()),
                        None => nodes,
                    };
                    let empty = merged.is_empty();
                    outcome.only = Some(merged);
                    if empty {
                        outcome.rejected = Some(no_common_node(&outcome.narrowed_by));
                        return outcome;
                    }
                }
            }
        }
        outcome
    }

    /// The rejection by the first Filter plugin that rejects the node (`RunFilterPlugins`).
    pub fn run_filters(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
        skipped: &Skipped,
    ) -> Result<(), Rejected> {
        for &position in &self.filter {
            if skipped.contains(position) {
                continue;
            }
            self.run_filter(position, cx, state, node)
                .map_err(|rejection| Rejected {
                    plugin: self.name(position),
                    rejection,
                })?;
        }
        Ok(())
    }

    /// The verdict of one Filter plugin.
    #[inline]
    pub fn run_filter(
        &self,
        position: usize,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Verdict {
        let Some(plugin) = self.plugins[position].as_filter() else {
            return Ok(());
        };
        let verdict = plugin.filter(cx, state, node);
        verdict.map_err(|rejection| self.named_error(position, rejection))
    }

    /// The rejections of one Filter plugin among many nodes, by position.
    pub fn run_filter_all(
        &self,
        position: usize,
        cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        reject: &mut dyn FnMut(usize, &Rejection),
    ) {
        if let Some(plugin) = self.plugins[position].as_filter() {
            let mut reject_named = |at: usize, rejection: &Rejection| match rejection.code {
                Code::Error => reject(at, &self.named_error(position, rejection.clone())),
                _ => reject(at, rejection),
            };
            plugin.filter_all(cx, state, nodes, &mut reject_named);
        }
    }

    /// Adds the plugin's name to an error.
    fn named_error(&self, position: usize, rejection: Rejection) -> Rejection {
        match rejection.code {
            Code::Error => {
                let (name, message) = (self.name(position), rejection.message());
                Rejection::error(format!("running \"{name}\" filter plugin: {message}"))
            }
            _ => rejection,
        }
    }

    /// Runs the Filter plugins in two passes: first with the Pods nominated to the node that have at
    /// least this Pod's priority, then, if there were any and the first pass succeeded, without them
    /// (`RunFilterPluginsWithNominatedPods`).
    pub fn filter_with_nominated(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
        skipped: &Skipped,
    ) -> Result<(), Rejected> {
        if let Some((state, crowded)) = self.with_nominated(cx, state, node, skipped) {
            self.run_filters(cx, &state, &crowded, skipped)?;
        }
        self.run_filters(cx, state, node, skipped)
    }

    /// The node with the Pods nominated to it that have at least this Pod's priority, and the plugins' state with
    /// them; `None` if there are none.
    pub fn with_nominated(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
        skipped: &Skipped,
    ) -> Option<(CycleState, NodeInfo)> {
        let nominated = nominated_rivals(cx, node);
        if nominated.is_empty() {
            return None;
        }
        let (mut state, mut crowded) = (state.clone(), node.clone());
        for pod in nominated {
            self.add_pod(cx, &mut state, &mut crowded, pod, skipped);
        }
        Some((state, crowded))
    }

    /// Adds a Pod to a node of a dry run: to the node's sums and to the plugins' state.
    pub fn add_pod(
        &self,
        cx: Context<'_>,
        state: &mut CycleState,
        node: &mut NodeInfo,
        pod: PodIx,
        skipped: &Skipped,
    ) {
        let Some(info) = cx.cluster.pods().get(pod) else {
            return;
        };
        node.add_pod(pod, cx.cluster.spec_of(info));
        self.for_each_prepared(skipped, |plugin| plugin.add_pod(cx, state, info, node));
    }

    /// Removes a Pod from a node of a dry run: from the node's sums and from the plugins' state.
    pub fn remove_pod(
        &self,
        cx: Context<'_>,
        state: &mut CycleState,
        node: &mut NodeInfo,
        pod: PodIx,
        skipped: &Skipped,
    ) {
        let Some(info) = cx.cluster.pods().get(pod) else {
            return;
        };
        node.remove_pod(pod, cx.cluster.spec_of(info));
        self.for_each_prepared(skipped, |plugin| plugin.remove_pod(cx, state, info, node));
    }

    fn for_each_prepared(
        &self,
        skipped: &Skipped,
        mut act: impl FnMut(&dyn super::plugin::PreFilter),
    ) {
        for &position in &self.pre_filter {
            if let (false, Some(plugin)) = (
                skipped.contains(position),
                self.plugins[position].as_pre_filter(),
            ) {
                act(plugin);
            }
        }
    }

    /// Runs all PreScore plugins (`RunPreScorePlugins`); `Err` ends the cycle with an error.
    pub fn run_pre_score(
        &self,
        cx: Context<'_>,
        state: &mut CycleState,
        nodes: Feasible<'_>,
    ) -> Result<Skipped, Rejected> {
        let mut skipped = Skipped(vec![false; self.plugins.len()]);
        for &position in &self.pre_score {
            let Some(plugin) = self.plugins[position].as_pre_score() else {
                continue;
            };
            match plugin.pre_score(cx, state, nodes) {
                PreScored::Continue => {}
                PreScored::Skip => skipped.0[position] = true,
                PreScored::Rejected(rejection) => {
                    let plugin = self.name(position);
                    let message = rejection.message();
                    let rejection = Rejection::error(format!(
                        "running PreScore plugin \"{plugin}\": {message}"
                    ));
                    return Err(Rejected { plugin, rejection });
                }
            }
        }
        Ok(skipped)
    }

    /// Runs the Reserve plugins for the chosen node.
    pub fn run_reserve(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<VolumeDecisions, Rejected> {
        let mut decisions = VolumeDecisions::default();
        for &position in &self.reserve {
            let Some(plugin) = self.plugins[position].as_reserve() else {
                continue;
            };
            let mut more = plugin.reserve(cx, state, node).map_err(|rejection| {
                let (plugin, message) = (self.name(position), rejection.message());
                let message = format!("running Reserve plugin \"{plugin}\": {message}");
                let rejection = Rejection::error(message);
                Rejected { plugin, rejection }
            })?;
            if !self.pre_bind.contains(&position) {
                more.claims.clear();
                more.created = None;
                more.awaits = None;
                more.failure = None;
            }
            decisions.bindings.extend(more.bindings);
            decisions.provisions.extend(more.provisions);
            decisions.claims.extend(more.claims);
            decisions.created = decisions.created.or(more.created);
            decisions.awaits = decisions.awaits.or(more.awaits);
            decisions.failure = decisions.failure.or(more.failure);
        }
        Ok(decisions)
    }

    /// The first PreEnqueue plugin that keeps the Pod out of the queue.
    pub fn gated_by(&self, cluster: &Cluster, pod: &PodInfo) -> Option<Rejected> {
        self.pre_enqueue.iter().find_map(|&position| {
            let plugin = self.plugins[position].as_pre_enqueue()?;
            let rejection = plugin.pre_enqueue(cluster, pod).err()?;
            Some(Rejected {
                plugin: self.name(position),
                rejection,
            })
        })
    }
}

/// The Pods nominated to a node, other than this one, with at least its priority.
pub fn nominated_rivals(cx: Context<'_>, node: &NodeInfo) -> Vec<PodIx> {
    let nominations = cx.cluster.nominations();
    if nominations.is_empty() {
        return Vec::new();
    }
    let rivals = nominations.on(&node.name).iter().copied().filter(|&pod| {
        let info = cx.cluster.pods().get(pod);
        pod != cx.pod.ix && info.is_some_and(|info| info.priority() >= cx.pod.priority())
    });
    rivals.collect()
}

fn no_common_node(narrowed_by: &[&'static str]) -> Rejected {
    let message = match narrowed_by {
        [one] => format!("node(s) didn't satisfy plugin {one}"),
        several => format!(
            "node(s) didn't satisfy plugin(s) [{}] simultaneously",
            several.join(" ")
        ),
    };
    Rejected {
        plugin: "",
        rejection: Rejection::with(Code::UnschedulableAndUnresolvable, vec![message.into()]),
    }
}

/// The rejection of a node that a PreFilter plugin excluded.
pub fn excluded_by(narrowed_by: &[&'static str]) -> Rejected {
    let message = format!(
        "node(s) didn't satisfy plugin(s) [{}]",
        narrowed_by.join(" ")
    );
    Rejected {
        plugin: "",
        rejection: Rejection::with(Code::UnschedulableAndUnresolvable, vec![message.into()]),
    }
}
