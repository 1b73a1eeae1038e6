//! Clusters from manifests, for the tests of the volume plugins.

use std::sync::Arc;

use crate::api::load::load;
use crate::api::prepare::{PrepareOptions, prepare};
use crate::api::prepared::Prepared;
use crate::api::source::SourceFile;
use crate::cluster::Cluster;
use crate::cluster::event::Event;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Context, Plugin, VolumeDecisions};
use crate::framework::state::CycleState;
use crate::framework::status::{PreFiltered, Rejection, Verdict};

/// The prepared objects of these manifests.
pub fn prepared(manifests: &str) -> Prepared {
    let file = SourceFile::new("test.yaml", manifests);
    let loaded = load(&[file]);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let (prepared, problems) = prepare(&loaded, &PrepareOptions::default());
    assert!(problems.is_empty(), "{problems:?}");
    prepared
}

/// The cluster of these manifests.
pub fn cluster(manifests: &str) -> Cluster {
    from_prepared(&prepared(manifests))
}

/// The cluster of prepared objects.
pub fn from_prepared(prepared: &Prepared) -> Cluster {
    let mut events: Vec<Event> = Vec::new();
    events.extend(
        prepared
            .nodes
            .iter()
            .map(|node| Event::NodeSet(Arc::new(node.clone()))),
    );
    events.extend(
        prepared
            .persistent_volumes
            .iter()
            .map(|volume| Event::VolumeSet(Arc::new(volume.clone()))),
    );
    events.extend(
        prepared
            .persistent_volume_claims
            .iter()
            .map(|claim| Event::ClaimSet(Arc::new(claim.clone()))),
    );
    events.extend(
        prepared
            .storage_classes
            .iter()
            .map(|class| Event::StorageClassSet(Arc::new(class.clone()))),
    );
    events.extend(
        prepared
            .csi_nodes
            .iter()
            .map(|node| Event::CsiNodeSet(Arc::new(node.clone()))),
    );
    events.extend(
        prepared
            .csi_drivers
            .iter()
            .map(|driver| Event::CsiDriverSet(Arc::new(driver.clone()))),
    );
    events.extend(
        prepared
            .pods
            .iter()
            .map(|pod| Event::PodAdded(Box::new(pod.clone()))),
    );
    let mut cluster = Cluster::new(prepared.release);
    cluster.apply_all(events);
    cluster
}

/// A plugin running for one Pod.
pub struct Cycle<'a> {
    pub plugin: &'a dyn Plugin,
    pub cx: Context<'a>,
    pub state: CycleState,
    pub answer: PreFiltered,
}

impl<'a> Cycle<'a> {
    /// Runs PreFilter for the Pod of that name in `default`.
    pub fn new(plugin: &'a dyn Plugin, cluster: &'a Cluster, pod: &str) -> Self {
        let pod = cluster.pods().find("default", pod).expect("the Pod exists");
        Self::of(plugin, cluster, pod)
    }

    /// Runs PreFilter for a Pod.
    pub fn of(plugin: &'a dyn Plugin, cluster: &'a Cluster, pod: &'a PodInfo) -> Self {
        let cx = Context::new(cluster, pod);
        let mut state = CycleState::default();
        let pre_filter = plugin.as_pre_filter().expect("has PreFilter");
        let answer = pre_filter.pre_filter(cx, &mut state);
        Self {
            plugin,
            cx,
            state,
            answer,
        }
    }

    fn node(&self, node: &str) -> &'a NodeInfo {
        self.cx.cluster.find_node(node).expect("the node exists")
    }

    /// Runs Filter.
    pub fn filter(&self, node: &str) -> Verdict {
        let filter = self.plugin.as_filter().expect("has Filter");
        filter.filter(self.cx, &self.state, self.node(node))
    }

    /// The reasons of a rejection; none if the node passes.
    pub fn reasons(&self, node: &str) -> Vec<String> {
        self.filter(node)
            .err()
            .map(|rejection| rejection.reasons)
            .unwrap_or_default()
            .into_iter()
            .map(|reason| reason.into_owned())
            .collect()
    }

    /// Filter's facts as text.
    pub fn facts(&self, node: &str) -> Vec<String> {
        let filter = self.plugin.as_filter().expect("has Filter");
        let facts = filter.facts(self.cx, &self.state, self.node(node));
        facts
            .iter()
            .map(|fact| fact.kind.remark().to_string())
            .collect()
    }

    /// Runs Reserve.
    pub fn reserve(&self, node: &str) -> Result<VolumeDecisions, Rejection> {
        let reserve = self.plugin.as_reserve().expect("has Reserve");
        reserve.reserve(self.cx, &self.state, self.node(node))
    }

    /// The message of a PreFilter rejection.
    pub fn rejected(&self) -> Option<String> {
        match &self.answer {
            PreFiltered::Rejected(rejection) => Some(rejection.message()),
            _ => None,
        }
    }
}
