//! Direct manipulation on the page: drag a node to a zone, add a taint, cordon. The session turns
//! these intents into edits of the manifests.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::edit::ObjectRef;
use super::scheduler::SchedulerChange;

/// One gesture.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Gesture {
    /// New nodes, named like the existing ones.
    AddNodes {
        template: NodeTemplate,
        count: u32,
        /// The topology label of the new nodes.
        topology: Option<Label>,
    },
    /// Sets a topology label of nodes; `None` removes it.
    MoveNodes {
        nodes: Vec<String>,
        topology_key: String,
        value: Option<String>,
    },
    SetLabel {
        node: String,
        key: String,
        value: String,
    },
    RemoveLabel {
        node: String,
        key: String,
    },
    /// Changes the taint at an index of `spec.taints`, or adds one.
    SetTaint {
        node: String,
        old: Option<usize>,
        taint: TaintForm,
    },
    /// The index is that of `spec.taints`.
    RemoveTaint {
        node: String,
        index: usize,
    },
    /// Changes the amount of a node's resource in `allocatable` and, if present there, in
    /// `capacity`.
    SetAllocatable {
        node: String,
        resource: String,
        quantity: String,
    },
    Cordon {
        nodes: Vec<String>,
    },
    Uncordon {
        nodes: Vec<String>,
    },
    /// Cordons the node and evicts its Pods, without a simulated cluster: those that budgets allow now.
    Drain {
        node: String,
    },
    Delete {
        objects: Vec<ObjectRef>,
    },
    AddPod {
        /// Generated if absent.
        name: Option<String>,
        /// Empty: `default`.
        namespace: String,
        pod: PodForm,
    },
    AddDeployment {
        name: Option<String>,
        namespace: String,
        replicas: u32,
        pod: PodForm,
    },
    /// For Deployments, ReplicaSets, StatefulSets and ReplicationControllers.
    SetReplicas {
        object: ObjectRef,
        replicas: u32,
    },
    /// Changes the KubeSchedulerConfiguration; creates it if there is none.
    Scheduler(SchedulerChange),
    /// Gives a node another name. Not in a simulated cluster, whose nodes keep their names.
    RenameNode {
        node: String,
        name: String,
    },
}

/// The size of new nodes.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeTemplate {
    /// 4 CPUs, 16 GiB.
    General,
    /// 16 CPUs, 64 GiB.
    Large,
    /// 8 CPUs, 64 GiB, one `nvidia.com/gpu`.
    Gpu,
    /// 4 CPUs, 8 GiB, with the role and the taint of the control plane.
    ControlPlane,
    /// With devices of its own, published by a ResourceSlice.
    Devices {
        cpu: String,
        memory: String,
        devices: DevicesForm,
    },
    /// Labels, taints and resources of an existing node.
    Like { node: String },
    /// The amounts as quantities.
    Custom {
        cpu: String,
        memory: String,
        pods: String,
        /// Further resources: `nvidia.com/gpu: 4`.
        extra: BTreeMap<String, String>,
    },
}

/// The devices of a node.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DevicesForm {
    pub count: u32,
    /// Their attribute `model`; empty: none.
    pub model: String,
    /// Their capacity `memory` as a quantity; empty: none.
    pub memory: String,
}

/// The devices that each Pod claims, through a ResourceClaimTemplate.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimForm {
    /// The DeviceClass; empty: the last that the manifests have.
    pub class: String,
    pub count: u32,
    /// A CEL expression; empty: any device of the class.
    pub selector: String,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    pub key: String,
    pub value: String,
}

/// A taint.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaintForm {
    pub key: String,
    /// Empty: no value.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule`, `NoExecute`.
    pub effect: String,
}

/// The properties of a new Pod, all optional.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
#[serde(default)]
pub struct PodForm {
    /// Requests as quantities; empty: none.
    pub cpu: String,
    pub memory: String,
    /// Further requests, which become limits too: `nvidia.com/gpu: 1`.
    pub extra: BTreeMap<String, String>,
    pub labels: BTreeMap<String, String>,
    pub node_selector: BTreeMap<String, String>,
    pub tolerations: Vec<TolerationForm>,
    /// Spread over the domains of keys, among Pods with the same labels.
    pub spread: Vec<SpreadForm>,
    /// Not in the same domain as another Pod with the same labels.
    pub apart: Vec<ApartForm>,
    /// In the same domain as Pods with these labels.
    pub near: Vec<NearForm>,
    /// Empty: none.
    pub priority_class_name: String,
    /// The devices that it claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Box<ClaimForm>>,
}

/// A toleration; without a value it matches any (`Exists`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
#[serde(default)]
pub struct TolerationForm {
    /// Empty: all keys.
    pub key: String,
    pub value: Option<String>,
    /// Empty: all effects.
    pub effect: String,
}

/// A topology spread constraint.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadForm {
    pub topology_key: String,
    pub max_skew: u32,
    /// `DoNotSchedule`, else `ScheduleAnyway`.
    pub hard: bool,
}

/// Anti-affinity to Pods with the same labels.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApartForm {
    pub topology_key: String,
    /// Required, else preferred with weight 100.
    pub hard: bool,
}

/// Affinity to other Pods.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NearForm {
    pub topology_key: String,
    pub labels: BTreeMap<String, String>,
    pub hard: bool,
}
