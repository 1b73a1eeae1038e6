//! Pods as the scheduler reads them: after defaulting and admission, with the part that Pods of one template share.

mod resized;
mod stored;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use berth_protocol::key::stays_on_its_node;

pub use stored::{
    FIRST_MS, StatusFields, claim_names, is_of_template, pod_object, shared_annotations,
    status_fields_of, stored_pod, template_of,
};

/// Index of a document among all documents of all kinds.
pub type DocumentIndex = u32;

/// The part of a Pod that Pods of one template share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodTemplate {
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// The owner with `controller: true`, if any.
    pub controller: Option<ControllerRef>,
    /// `spec` after defaulting and admission, without `nodeName`.
    pub spec: PodSpec,
}

/// The controlling owner of a Pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ControllerRef {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
}

impl From<&OwnerReference> for ControllerRef {
    fn from(owner: &OwnerReference) -> Self {
        Self {
            api_version: owner.api_version.clone(),
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
        }
    }
}

impl ControllerRef {
    /// Whether its Pods stay on their node, and are gone with it: those of a DaemonSet, and static Pods.
    pub fn stays_on_its_node(&self) -> bool {
        stays_on_its_node(&self.kind)
    }
}

/// `status.phase` of a Pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Pending,
    Running,
    Succeeded,
    Failed,
    Unknown,
}

impl Phase {
    /// Whether a Pod has finished. A finished Pod uses no resources, and the scheduler ignores it.
    pub fn is_terminal(self) -> bool {
        matches!(self, Phase::Succeeded | Phase::Failed)
    }
}

/// What a Pod's status says about its resources while it is resized in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resized {
    /// `status.resources` and `status.allocatedResources`.
    pub own: Option<Granted>,
    /// The same of containers and init containers, by name.
    pub containers: BTreeMap<String, Granted>,
    /// The kubelet cannot do the resize that the spec asks for.
    pub is_infeasible: bool,
}

/// The resources that a container or Pod was granted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Granted {
    /// `resources.requests`: what it runs with.
    pub requests: BTreeMap<String, Quantity>,
    /// `allocatedResources`: what the node has set aside.
    pub allocated: BTreeMap<String, Quantity>,
}

/// Where a Pod comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A dump of a cluster, which created it then: milliseconds since the Unix epoch; `None` if the dump does not say.
    Dump { created_ms: Option<i64> },
    /// Its manifest, or the template of a workload.
    #[default]
    New,
    /// Its controller made it again for one that lost its node.
    Again,
}

impl Origin {
    /// Of equal priority, Pods enter a queue in this order, and document order breaks ties: those that a cluster created,
    /// by time, before those that are created now.
    pub fn order(self) -> (u8, i64) {
        match self {
            Self::Dump {
                created_ms: Some(created),
            } => (0, created),
            Self::Dump { created_ms: None } | Self::New => (1, 0),
            Self::Again => (2, 0),
        }
    }
}

/// One Pod: its own part, and a shared template.
#[derive(Clone, Debug)]
pub struct PodObject {
    pub namespace: Arc<str>,
    pub name: Arc<str>,
    pub uid: Arc<str>,
    /// Its document (its own, or its workload's).
    pub document: DocumentIndex,
    pub template: Arc<PodTemplate>,
    /// `spec.nodeName`; may name a node that does not exist.
    pub node_name: Option<Arc<str>>,
    pub phase: Phase,
    /// `metadata.creationTimestamp`, milliseconds since the Unix epoch.
    pub created_ms: i64,
    pub origin: Origin,
    /// `status.startTime`, milliseconds since the Unix epoch.
    pub start_ms: Option<i64>,
    /// Whether `metadata.deletionTimestamp` is set.
    pub terminating: bool,
    /// `status.nominatedNodeName`, never empty.
    pub nominated_node: Option<Arc<str>>,
    /// `status.resourceClaimStatuses`: the claims made from templates, by the name in the Pod; `None`: none is needed.
    pub claim_names: Arc<[(String, Option<String>)]>,
    /// Condition `DisruptionTarget`, status True, reason `PreemptionByScheduler`.
    pub preempted_by_scheduler: bool,
    /// The part of its status about its resources.
    pub resized: Option<Arc<Resized>>,
}

impl PodObject {
    /// `namespace/name`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Whether a controller makes the Pod again after preemption, in rounds: not a static Pod, nor one that is being
    /// deleted and was replaced already. One of a DaemonSet waits for its node.
    pub fn is_made_again(&self) -> bool {
        let controller = self.template.controller.as_ref();
        self.origin != Origin::New
            && !self.terminating
            && controller.is_some_and(|controller| controller.kind != "Node")
    }

    /// Whether a controller makes the Pod again once it is gone: not one that has ended, nor one that is being deleted
    /// and was replaced already, nor one that is gone with its node.
    pub fn is_replaced(&self) -> bool {
        let controller = self.template.controller.as_ref();
        !self.phase.is_terminal()
            && !self.terminating
            && controller.is_some_and(|it| !it.stays_on_its_node())
    }
}
