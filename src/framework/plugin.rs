//! The extension points of a scheduling cycle, one trait each, in call order.
//!
//! Mirrors `framework/interface.go` of kube-scheduler v1.34. A plugin implements [`Plugin`] and, for
//! every extension point that it has a say in, the trait and the matching `as_…` method.

use crate::cluster::class::PodClass;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::spec::SpecInfo;
use crate::cluster::{Cluster, NodeIx};

use super::events::EnqueueExtensions;
use super::preemption::{PostFiltered, PreemptionContext};
use super::state::CycleState;
use super::status::{Facts, PreFiltered, PreScored, Rejection, Verdict};

/// The Pod being scheduled, and the cluster as it is at the start of the cycle.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub cluster: &'a Cluster,
    pub pod: &'a PodInfo,
    pub class: &'a PodClass,
    pub spec: &'a SpecInfo,
}

impl<'a> Context<'a> {
    /// The context of a Pod.
    pub fn new(cluster: &'a Cluster, pod: &'a PodInfo) -> Self {
        let class = cluster.class(pod.class);
        Self {
            cluster,
            pod,
            class,
            spec: cluster.spec(class.spec),
        }
    }
}

/// A plugin of a profile, built with the profile's arguments.
pub trait Plugin {
    /// The name in KubeSchedulerConfiguration.
    fn name(&self) -> &'static str;

    fn as_pre_enqueue(&self) -> Option<&dyn PreEnqueue> {
        None
    }
    fn as_queue_sort(&self) -> Option<&dyn QueueSort> {
        None
    }
    fn as_pre_filter(&self) -> Option<&dyn PreFilter> {
        None
    }
    fn as_filter(&self) -> Option<&dyn Filter> {
        None
    }
    fn as_post_filter(&self) -> Option<&dyn PostFilter> {
        None
    }
    fn as_pre_score(&self) -> Option<&dyn PreScore> {
        None
    }
    fn as_score(&self) -> Option<&dyn Score> {
        None
    }
    fn as_reserve(&self) -> Option<&dyn Reserve> {
        None
    }
    fn as_bind(&self) -> Option<&dyn Bind> {
        None
    }

    /// Plugins that can reject a Pod say which events may help it.
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        None
    }
}

/// Before a Pod enters the active queue: may it be tried at all?
pub trait PreEnqueue {
    /// `Err` keeps the Pod out of the queue; the text is for people.
    fn pre_enqueue(&self, pod: &PodInfo) -> Result<(), Rejection>;
}

/// Which of two waiting Pods is tried first. Exactly one plugin of a profile has it.
pub trait QueueSort {
    /// The order of two Pods; ties are broken by the time they entered the queue.
    fn compare(&self, one: &PodInfo, other: &PodInfo) -> std::cmp::Ordering;
}

/// Once per cycle, before any node is looked at.
pub trait PreFilter {
    /// Prepares state for Filter, narrows the nodes, rejects the Pod, or skips the plugin's Filter.
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered;

    /// Updates the prepared state as if `added` ran on `node` too. Called for nominated Pods and in
    /// preemption's dry runs, never if PreFilter skipped.
    fn add_pod(
        &self,
        _cx: Context<'_>,
        _state: &mut CycleState,
        _added: &PodInfo,
        _node: &NodeInfo,
    ) {
    }

    /// Updates the prepared state as if `removed` did not run on `node`.
    fn remove_pod(
        &self,
        _cx: Context<'_>,
        _state: &mut CycleState,
        _removed: &PodInfo,
        _node: &NodeInfo,
    ) {
    }
}

/// For every node: can it take the Pod?
pub trait Filter {
    /// The verdict depends on nothing but the Pod's spec and the node handed in with its own Pods,
    /// so that it holds until the node changes and is the same for all Pods of the spec.
    fn is_node_local(&self) -> bool {
        false
    }

    /// Judges the node that it is handed, never one that it looks up: dry runs depend on it.
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict;

    /// Judges many nodes as they stand in the cluster: tells `reject` the position of each that
    /// [`Filter::filter`] refuses, and why. For plugins that can look things up once for all nodes.
    fn filter_all(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        reject: &mut dyn FnMut(usize, &Rejection),
    ) {
        for (position, &node) in nodes.iter().enumerate() {
            if let Err(rejection) = self.filter(cx, state, cx.cluster.node(node)) {
                reject(position, &rejection);
            }
        }
    }

    /// The numbers behind [`Filter::filter`]'s answer, whichever it is.
    fn facts(&self, _cx: Context<'_>, _state: &CycleState, _node: &NodeInfo) -> Facts {
        Vec::new()
    }
}

/// When no node can take the Pod.
pub trait PostFilter {
    /// Makes room, or says why that is not possible.
    fn post_filter(&self, cx: &PreemptionContext<'_>) -> PostFiltered;
}

/// Once per cycle with several feasible nodes, before any is scored.
pub trait PreScore {
    /// Prepares state for Score, or skips it. `nodes` are the feasible ones.
    fn pre_score(&self, cx: Context<'_>, state: &mut CycleState, nodes: &[NodeIx]) -> PreScored;
}

/// For every feasible node: how good is it?
pub trait Score {
    /// As [`Filter::is_node_local`], for the raw score.
    fn is_node_local(&self) -> bool {
        false
    }

    /// The raw score; higher is better unless [`Score::normalize`] turns it round.
    fn score(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo)
    -> Result<i64, Rejection>;

    /// The raw scores of many nodes, in their order, as [`Score::score`] gives them one by one.
    fn score_all(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        raw: &mut Vec<i64>,
    ) -> Result<(), Rejection> {
        for &node in nodes {
            raw.push(self.score(cx, state, cx.cluster.node(node))?);
        }
        Ok(())
    }

    /// Brings the raw scores of all feasible nodes (`scores[i]` is that of `nodes[i]`) to 0–100.
    /// Plugins without normalization leave them.
    fn normalize(
        &self,
        _cx: Context<'_>,
        _state: &CycleState,
        _nodes: &[NodeIx],
        _scores: &mut [i64],
    ) {
    }
}

/// Once a node is chosen: claims what the Pod needs there.
pub trait Reserve {
    /// The volumes to bind and to provision for the Pod on that node.
    fn reserve(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<VolumeDecisions, Rejection>;
}

/// What VolumeBinding decided for one Pod on its node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeDecisions {
    /// Claims (in the Pod's namespace) and the volumes they get.
    pub bindings: Vec<(String, String)>,
    /// Claims (in the Pod's namespace) that get a new volume.
    pub provisions: Vec<String>,
}

/// Writes the placement down. Exactly one plugin does.
pub trait Bind {
    /// Whether this plugin binds the Pod.
    fn binds(&self, pod: &PodInfo) -> bool;
}
