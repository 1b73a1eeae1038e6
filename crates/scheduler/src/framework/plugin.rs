//! The extension points of a scheduling cycle, one trait each, in call order.
//!
//! Mirrors `framework/interface.go` of kube-scheduler v1.34. A plugin implements the traits of its
//! extension points and names them once, in [`extends!`].

use std::sync::Arc;

use k8s_openapi::api::resource::v1::ResourceClaim;

use crate::cluster::class::PodClass;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::spec::SpecInfo;
use crate::cluster::{Cluster, NodeIx};
use crate::release::Release;

use super::feasible::Feasible;
use super::preemption::{PostFiltered, PreemptionContext};
use super::profile::ExtensionPoints;
use super::state::CycleState;
use super::status::{Facts, PreFiltered, PreScored, Rejection, ScoreFacts, Verdict};
use berth_protocol::score::Normalization;

pub use super::by_domain::ByDomain;
pub use super::events::EnqueueExtensions;

/// The Pod being scheduled, and the cluster at the start of the cycle.
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

    /// The release whose rules the plugins follow.
    #[inline]
    pub fn release(&self) -> &'a Release {
        self.cluster.release()
    }
}

/// A plugin of a profile, built with the profile's arguments.
pub trait Plugin {
    /// Its name in KubeSchedulerConfiguration.
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
    /// For plugins whose verdicts and scores follow topology domains.
    fn as_by_domain(&self) -> Option<&dyn ByDomain> {
        None
    }
    fn as_reserve(&self) -> Option<&dyn Reserve> {
        None
    }
    fn as_bind(&self) -> Option<&dyn Bind> {
        None
    }

    /// For plugins that can reject a Pod: the events that may make it schedulable.
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        None
    }
}

/// The properties of a plugin that the registry needs before building it.
pub trait Registered {
    /// The plugin's name in KubeSchedulerConfiguration.
    const NAME: &'static str;
    /// The extension points that the plugin implements.
    const POINTS: ExtensionPoints;
}

/// Implements [`Plugin`] and [`Registered`] from the list of the traits that the plugin implements:
///
/// ```ignore
/// extends!(NodePorts: PreFilter, Filter, EnqueueExtensions);
/// ```
///
/// PreBind has no trait: the simulated cluster writes what Reserve decided. It is listed because
/// profiles may name the plugin there.
macro_rules! extends {
    ($plugin:ident: $($point:ident),+) => {
        impl $crate::framework::plugin::Registered for $plugin {
            const NAME: &'static str = stringify!($plugin);
            const POINTS: $crate::framework::profile::ExtensionPoints =
                $crate::framework::profile::ExtensionPoints::of(&[])
                    $(.with(extends!(@point $point)))+;
        }

        impl $crate::framework::plugin::Plugin for $plugin {
            fn name(&self) -> &'static str {
                <Self as $crate::framework::plugin::Registered>::NAME
            }
            $(extends!(@as $point);)+
        }
    };

    (@point ByDomain) => { None };
    (@point EnqueueExtensions) => { None };
    (@point $point:ident) => { Some($crate::config::ExtensionPoint::$point) };

    (@as PreBind) => {};
    (@as PreEnqueue) => { extends!(@method as_pre_enqueue PreEnqueue); };
    (@as QueueSort) => { extends!(@method as_queue_sort QueueSort); };
    (@as PreFilter) => { extends!(@method as_pre_filter PreFilter); };
    (@as Filter) => { extends!(@method as_filter Filter); };
    (@as PostFilter) => { extends!(@method as_post_filter PostFilter); };
    (@as PreScore) => { extends!(@method as_pre_score PreScore); };
    (@as Score) => { extends!(@method as_score Score); };
    (@as ByDomain) => { extends!(@method as_by_domain ByDomain); };
    (@as Reserve) => { extends!(@method as_reserve Reserve); };
    (@as Bind) => { extends!(@method as_bind Bind); };
    (@as EnqueueExtensions) => { extends!(@method as_enqueue_extensions EnqueueExtensions); };
    (@method $method:ident $point:ident) => {
        fn $method(&self) -> Option<&dyn $crate::framework::plugin::$point> {
            Some(self)
        }
    };
}

pub(crate) use extends;

/// Before a Pod enters the active queue: whether it may be tried at all.
pub trait PreEnqueue {
    /// `Err` keeps the Pod out of the queue.
    fn pre_enqueue(&self, cluster: &Cluster, pod: &PodInfo) -> Result<(), Rejection>;
}

/// The order of pending Pods. Every profile has exactly one such plugin.
pub trait QueueSort {
    /// Compares two Pods; ties are broken by the time they entered the queue.
    fn compare(&self, one: &PodInfo, other: &PodInfo) -> std::cmp::Ordering;
}

/// Once per cycle, before any node is filtered.
pub trait PreFilter {
    /// Prepares state for Filter, narrows the nodes, rejects the Pod, or skips the plugin's Filter.
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered;

    /// Updates the prepared state as if `added` also ran on `node`. Called for nominated Pods and in
    /// preemption's dry runs, but not if PreFilter skipped.
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

/// For each node: whether the Pod can run there.
pub trait Filter {
    /// Whether the verdict depends only on the Pod's spec and on the node with its own Pods. Such a
    /// verdict holds until the node changes and is shared by all Pods of the spec.
    fn is_node_local(&self) -> bool {
        false
    }

    /// Filters `node`. Implementations must not look the node up: dry runs pass modified nodes.
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict;

    /// Filters many nodes in their current state: calls `reject` with the position of each node that
    /// [`Filter::filter`] rejects. Overridden by plugins that can share lookups among nodes.
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

    /// The devices that the Pod's claims would get on an accepted node, by `namespace/name`, for records.
    fn devices(
        &self,
        _cx: Context<'_>,
        _state: &CycleState,
        _node: &NodeInfo,
    ) -> Vec<(String, Vec<String>)> {
        Vec::new()
    }

    /// The numbers behind the verdict of [`Filter::filter`], for accepted nodes too.
    fn facts(&self, _cx: Context<'_>, _state: &CycleState, _node: &NodeInfo) -> Facts {
        Vec::new()
    }

    /// The same, with the Pods that the numbers count. Overridden by plugins that count Pods.
    fn detailed_facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        self.facts(cx, state, node)
    }
}

/// After no node passed the filters.
pub trait PostFilter {
    /// Makes room for the Pod, or explains why that is impossible.
    fn post_filter(&self, cx: &PreemptionContext<'_>) -> PostFiltered;
}

/// Once per cycle with several feasible nodes, before scoring.
pub trait PreScore {
    /// Prepares state for Score, or skips it.
    fn pre_score(&self, cx: Context<'_>, state: &mut CycleState, nodes: Feasible<'_>) -> PreScored;
}

/// For each feasible node: how well it suits the Pod.
pub trait Score {
    /// Like [`Filter::is_node_local`], for the raw score.
    fn is_node_local(&self) -> bool {
        false
    }

    /// The raw score; higher is better unless [`Score::normalize`] reverses the order.
    fn score(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo)
    -> Result<i64, Rejection>;

    /// The raw scores of many nodes, in order, equal to those of [`Score::score`].
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

    /// How the raw scores of all feasible nodes (`raw[i]` belongs to `nodes[i]`) are scaled to 0–100.
    /// The default leaves them unchanged. The kind does not depend on nodes and scores.
    fn normalization(&self, _state: &CycleState, _nodes: &[NodeIx], _raw: &[i64]) -> Normalization {
        Normalization::Unchanged
    }

    /// Scales the raw scores by [`Score::normalization`].
    fn normalize(&self, state: &CycleState, nodes: &[NodeIx], scores: &mut [i64]) {
        let normalization = self.normalization(state, nodes, scores);
        for score in scores {
            *score = normalization.of(*score);
        }
    }

    /// The formula of [`Score::score`] and what it read, for a feasible node.
    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> ScoreFacts;
}

/// After a node was chosen: claims what the Pod needs there.
pub trait Reserve {
    /// What to bind, provision and allocate for the Pod on the node.
    fn reserve(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<VolumeDecisions, Rejection>;
}

/// The decisions for a Pod's volumes and devices on its node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeDecisions {
    /// Claims (in the Pod's namespace) and the volumes they are bound to.
    pub bindings: Vec<(String, String)>,
    /// Claims (in the Pod's namespace) for which a volume is provisioned.
    pub provisions: Vec<String>,
    /// ResourceClaims that PreBind writes.
    pub claims: Vec<ClaimWrite>,
    /// The claim that PreBind creates for extended resources.
    pub created: Option<Arc<ResourceClaim>>,
    /// The devices whose binding conditions PreBind waits for after these writes.
    pub awaits: Option<AwaitedDevices>,
    /// Why PreBind fails after these writes: the Pod is not bound.
    pub failure: Option<String>,
}

/// Claims with devices that must become ready before the Pod is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedDevices {
    /// All claims of the Pod, in the order in which they are checked: `(namespace, name)`.
    pub claims: Vec<(String, String)>,
    pub timeout_ms: i64,
}

/// A ResourceClaim as PreBind leaves it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimWrite {
    pub claim: Arc<ResourceClaim>,
    /// Whether this cycle allocated it.
    pub allocated: bool,
    /// Whether this cycle reserved it for the Pod.
    pub reserved: bool,
}

/// Binds the Pod to its node.
pub trait Bind {
    /// Whether this plugin binds the Pod.
    fn binds(&self, pod: &PodInfo) -> bool;
}
