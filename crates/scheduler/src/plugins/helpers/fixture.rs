//! Clusters from manifests, and a plugin that is asked about one Pod, for the tests of plugins.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::cluster::event::Event;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Context, Plugin, VolumeDecisions};
use crate::framework::state::CycleState;
use crate::framework::status::{PreFiltered, Rejection, Verdict};
use crate::pod_object::{stored_pod, template_of};
use crate::release::Release;

/// The objects of these manifests.
pub fn objects(manifests: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(manifests)
        .map(|document| Value::deserialize(document).expect("YAML"))
        .filter(|document| !document.is_null())
        .collect()
}

/// An object of a type.
pub fn object<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("an object of its kind")
}

/// The cluster of these manifests, with the defaults and the status that the plugins read: a claim that
/// names a volume is bound to it.
pub fn cluster(manifests: &str) -> Cluster {
    cluster_of(Release::default(), manifests)
}

/// The same, of a release.
pub fn cluster_of(release: Release, manifests: &str) -> Cluster {
    let mut cluster = Cluster::new(release);
    let mut pods = Vec::new();
    let all = objects(manifests);
    let bound: Vec<Option<&str>> = all
        .iter()
        .map(|value| value["spec"]["volumeName"].as_str())
        .filter(Option::is_some)
        .collect();
    for value in &all {
        let event = match value["kind"].as_str().unwrap_or_default() {
            "Node" => Event::NodeSet(object(value)),
            "PersistentVolume" => {
                let mut volume: PersistentVolume = object(value);
                let spec = volume.spec.get_or_insert_default();
                spec.volume_mode.get_or_insert("Filesystem".to_owned());
                let status = volume.status.get_or_insert_default();
                let is_bound = bound.contains(&volume.metadata.name.as_deref());
                let phase = if is_bound { "Bound" } else { "Available" };
                status.phase.get_or_insert(phase.to_owned());
                Event::VolumeSet(Arc::new(volume))
            }
            "PersistentVolumeClaim" => {
                let mut claim: PersistentVolumeClaim = object(value);
                claim.metadata.namespace.get_or_insert("default".to_owned());
                let spec = claim.spec.get_or_insert_default();
                spec.volume_mode.get_or_insert("Filesystem".to_owned());
                if spec.volume_name.is_some() {
                    let annotations = claim.metadata.annotations.get_or_insert_default();
                    annotations.insert("pv.kubernetes.io/bind-completed".into(), "yes".into());
                }
                Event::ClaimSet(Arc::new(claim))
            }
            "StorageClass" => Event::StorageClassSet(object(value)),
            "CSINode" => Event::CsiNodeSet(object(value)),
            "CSIDriver" => Event::CsiDriverSet(object(value)),
            "Pod" => {
                let mut pod: Pod = object(value);
                pod.metadata.namespace.get_or_insert("default".to_owned());
                let template = Arc::new(template_of(&pod));
                pods.push(Event::PodAdded(Box::new(stored_pod(&pod, template))));
                continue;
            }
            kind => panic!("unexpected kind {kind}"),
        };
        cluster.apply(event);
    }
    cluster.apply_all(pods);
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
    /// Runs PreFilter, if the plugin has it, for the Pod of that name in `default`.
    pub fn new(plugin: &'a dyn Plugin, cluster: &'a Cluster, pod: &str) -> Self {
        let pod = cluster.pods().find("default", pod).expect("the Pod exists");
        Self::of(plugin, cluster, pod)
    }

    /// The same, for a Pod.
    pub fn of(plugin: &'a dyn Plugin, cluster: &'a Cluster, pod: &'a PodInfo) -> Self {
        let cx = Context::new(cluster, pod);
        let mut state = CycleState::default();
        let answer = plugin
            .as_pre_filter()
            .map_or(PreFiltered::Continue, |it| it.pre_filter(cx, &mut state));
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
