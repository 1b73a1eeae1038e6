//! What releases do differently without a feature gate.

use super::gates::Gate;

/// A plugin of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginRule {
    pub name: &'static str,
    /// Its weight in the default profile; 0: it does not score.
    pub weight: i32,
    /// The gate that puts it into the default profile; without one it always is.
    pub gate: Option<Gate>,
    /// Whether it can score, if our plugin can.
    pub may_score: bool,
}

/// The formula of NodeResourcesBalancedAllocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalancedAllocation {
    /// The balance of the node with the Pod.
    Balance,
    /// 50 plus half of 50 and the change of balance that the Pod makes (since v1.36).
    Improvement,
}

/// The rules of one version.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// `1.34`.
    pub minor: &'static str,
    /// `v1.34.1`.
    pub full: &'static str,
    /// The day on which Kubernetes' support ended (`2026-10-27`).
    pub ended: Option<&'static str>,
    /// The registered plugins, in the order of the default `multiPoint` set.
    pub plugins: &'static [PluginRule],
    pub balanced_allocation: BalancedAllocation,
    /// TaintToleration's reason names the taint.
    pub names_untolerated_taint: bool,
    /// ImageLocality counts the images of `volumes[].image`.
    pub scores_image_volumes: bool,
    /// A failed attempt clears the nomination if the profile has no PostFilter plugin.
    pub no_post_filter_clears_nomination: bool,
    /// In-tree Portworx volumes count against the CSI driver's limit only on nodes whose CSINode has the annotation
    /// of migrated plugins.
    pub portworx_needs_annotation: bool,
    /// A resize must fit its node's allocatable resources and the features that its kubelet declares.
    pub resize_asks_node: bool,
    /// NodeResourcesFitArgs: `requestedToCapacityRatio` is forbidden unless the type is RequestedToCapacityRatio.
    pub forbids_unused_shape: bool,
    /// DynamicResourcesArgs has `bindingTimeout`.
    pub has_binding_timeout: bool,
    /// The extension points `placementGenerate` and `placementScore`, for groups of Pods.
    pub has_placement_points: bool,
    /// For Pods of lower or equal priority the binding of a nominated Pod is an event like its deletion (until v1.34).
    pub binding_ends_nomination: bool,
    /// Queueing hints of PodTopologySpread and InterPodAffinity: a nominated Pod counts as placed.
    pub hints_count_nominated: bool,
    /// InterPodAffinity's hint queues a Pod whose own labels changed, and one that the anti-affinity of a deleted Pod
    /// matched.
    pub hints_see_anti_affinity: bool,
    /// DynamicResources allocates nothing from incomplete or invalid pools, and names the request of a class's
    /// configuration (since v1.35).
    pub allocates_from_whole_pools: bool,
    /// Alternatives with allocationMode All are allocated as written (since v1.36).
    pub allocates_all_of_alternatives: bool,
    /// Of the devices of a request each comes after the one before, so that none is shared by a request with itself (since
    /// v1.36).
    pub allocates_in_order: bool,
    /// A device that is refused after it consumed shared counters gives them back (since v1.36.3).
    pub refused_devices_give_back: bool,
    /// A search for devices that takes too long ends the cycle in place of rejecting the node (since v1.36).
    pub device_timeout_is_error: bool,
    /// DynamicResources' message about a claim of another Pod writes the kind in upper case (since v1.36).
    pub capital_claim_owner: bool,
    /// ResourceSlices have either devices or the counters that devices of the pool share.
    pub counters_have_own_slices: bool,
    /// Without the gate of consumable capacity, the API server drops the distinct attribute of a constraint (since v1.35).
    pub drops_distinct_attributes: bool,
    /// The most taints of a device.
    pub max_device_taints: usize,
    /// The JSON decoder's errors name embedded structures: `Volume.spec.volumes.VolumeSource.csi` (since v1.35).
    pub names_embedded_fields: bool,
    /// Services with the older name of a traffic distribution are warned of (since v1.35).
    pub warns_of_prefer_close: bool,
    /// Services with external addresses are warned of (since v1.36).
    pub warns_of_external_ips: bool,
    /// An empty name of a driver is both missing and invalid (before v1.35).
    pub reports_empty_drivers_twice: bool,
    /// Declarative validation words the errors of the kinds that have it (since v1.36).
    pub validates_declaratively: bool,
    /// The kustomize of its kubectl.
    pub kustomize: &'static str,
    /// `kubectl rollout undo` warns of objects that `kubectl apply` manages (since v1.36).
    pub warns_of_undo: bool,
    /// Words of validation that this release has in place of those of the newest.
    pub older_words: &'static [(&'static str, &'static str)],
    pub controllers: ControllerRules,
}

impl Rules {
    /// A message of validation in this release's words.
    pub fn worded(&self, message: String) -> String {
        let words = self.older_words.iter();
        words.fold(message, |message, (new, old)| match message.contains(new) {
            true => message.replace(new, old),
            false => message,
        })
    }
}

/// What v1.34 says in other words than v1.36.
const WORDS_1_34: [(&str, &str); 8] = [
    (",\"SchedulingGroup\":null", ""),
    (
        "a fully qualified name must be a domain and a name separated by a slash",
        "must include a domain",
    ),
    ("a valid label key must", "a qualified name must"),
    ("no more than 63 bytes", "no more than 63 characters"),
    (
        "\"Equal\", \"Exists\", \"Lt\", \"Gt\"",
        "\"Equal\", \"Exists\"",
    ),
    (
        "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        "`configMapKeyRef` or `secretKeyRef`",
    ),
    (
        "Invalid value: \"\": exactly one value must be specified",
        "Required value: exactly one value must be specified",
    ),
    NEVER_RESTARTED,
];

/// What v1.35 says in other words than v1.36.
const WORDS_1_35: [(&str, &str); 2] = [
    (",\"SchedulingGroup\":null", ",\"WorkloadRef\":null"),
    NEVER_RESTARTED,
];

const NEVER_RESTARTED: (&str, &str) = (
    "when pod `restartPolicy` is 'Never'",
    "when `restartPolicy` is 'Never'",
);

/// What the workload controllers do differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControllerRules {
    /// ReplicaSets and StatefulSets wake when the next Pod has been ready for `minReadySeconds`.
    pub wakes_when_available: bool,
    /// A StatefulSet's events begin with a capital letter.
    pub capital_stateful_events: bool,
    /// A StatefulSet records an event when it recreates a failed Pod.
    pub tells_recreated_pod: bool,
    /// A StatefulSet's rolling update waits until a Pod has been ready for `minReadySeconds`, also with Parallel.
    pub update_waits_for_available: bool,
    /// Old unavailable Pods of a DaemonSet use up `maxUnavailable`.
    pub old_unavailable_use_budget: bool,
    /// A changed node wakes only the DaemonSets to which it matters.
    pub node_wakes_affected_only: bool,
}

const fn plugin(name: &'static str, weight: i32) -> PluginRule {
    PluginRule {
        name,
        weight,
        gate: None,
        may_score: true,
    }
}

const fn gated(name: &'static str, weight: i32, gate: Gate) -> PluginRule {
    PluginRule {
        name,
        weight,
        gate: Some(gate),
        may_score: true,
    }
}

/// Of kube-scheduler v1.34.1.
const PLUGINS_1_34: [PluginRule; 19] = [
    plugin("SchedulingGates", 0),
    plugin("PrioritySort", 0),
    plugin("NodeUnschedulable", 0),
    plugin("NodeName", 0),
    plugin("TaintToleration", 3),
    plugin("NodeAffinity", 2),
    plugin("NodePorts", 0),
    plugin("NodeResourcesFit", 1),
    plugin("VolumeRestrictions", 0),
    plugin("NodeVolumeLimits", 0),
    plugin("VolumeBinding", 0),
    plugin("VolumeZone", 0),
    plugin("PodTopologySpread", 2),
    plugin("InterPodAffinity", 2),
    PluginRule {
        may_score: false,
        ..gated("DynamicResources", 0, Gate::DynamicResourceAllocation)
    },
    plugin("DefaultPreemption", 0),
    plugin("NodeResourcesBalancedAllocation", 1),
    plugin("ImageLocality", 1),
    plugin("DefaultBinder", 0),
];

/// Of kube-scheduler v1.35.6 and v1.36.3.
const PLUGINS_1_35: [PluginRule; 20] = {
    let mut plugins = [plugin("", 0); 20];
    let mut at = 0;
    while at < PLUGINS_1_34.len() {
        plugins[at] = PLUGINS_1_34[at];
        at += 1;
    }
    plugins[14] = gated("DynamicResources", 2, Gate::DynamicResourceAllocation);
    plugins[19] = gated("NodeDeclaredFeatures", 0, Gate::NodeDeclaredFeatures);
    plugins
};

pub(super) const V1_34: Rules = Rules {
    minor: "1.34",
    full: "v1.34.1",
    ended: Some("2026-10-27"),
    plugins: &PLUGINS_1_34,
    balanced_allocation: BalancedAllocation::Balance,
    names_untolerated_taint: true,
    scores_image_volumes: false,
    no_post_filter_clears_nomination: false,
    portworx_needs_annotation: true,
    resize_asks_node: false,
    forbids_unused_shape: false,
    has_binding_timeout: false,
    has_placement_points: false,
    binding_ends_nomination: true,
    hints_count_nominated: false,
    hints_see_anti_affinity: false,
    allocates_from_whole_pools: false,
    allocates_all_of_alternatives: false,
    allocates_in_order: false,
    refused_devices_give_back: false,
    device_timeout_is_error: false,
    capital_claim_owner: false,
    counters_have_own_slices: false,
    drops_distinct_attributes: false,
    max_device_taints: 4,
    names_embedded_fields: false,
    warns_of_prefer_close: false,
    warns_of_external_ips: false,
    reports_empty_drivers_twice: true,
    validates_declaratively: false,
    kustomize: "v5.7.1",
    warns_of_undo: false,
    older_words: &WORDS_1_34,
    controllers: ControllerRules {
        wakes_when_available: false,
        capital_stateful_events: false,
        tells_recreated_pod: true,
        update_waits_for_available: false,
        old_unavailable_use_budget: false,
        node_wakes_affected_only: false,
    },
};

pub(super) const V1_35: Rules = Rules {
    minor: "1.35",
    full: "v1.35.6",
    ended: None,
    plugins: &PLUGINS_1_35,
    balanced_allocation: BalancedAllocation::Balance,
    names_untolerated_taint: false,
    scores_image_volumes: false,
    no_post_filter_clears_nomination: true,
    portworx_needs_annotation: true,
    resize_asks_node: false,
    forbids_unused_shape: false,
    has_binding_timeout: true,
    has_placement_points: false,
    binding_ends_nomination: false,
    hints_count_nominated: false,
    hints_see_anti_affinity: false,
    allocates_from_whole_pools: true,
    allocates_all_of_alternatives: false,
    allocates_in_order: false,
    refused_devices_give_back: false,
    device_timeout_is_error: false,
    capital_claim_owner: false,
    counters_have_own_slices: true,
    drops_distinct_attributes: true,
    max_device_taints: 16,
    names_embedded_fields: true,
    warns_of_prefer_close: true,
    warns_of_external_ips: false,
    reports_empty_drivers_twice: false,
    validates_declaratively: false,
    kustomize: "v5.7.1",
    warns_of_undo: false,
    older_words: &WORDS_1_35,
    controllers: ControllerRules {
        wakes_when_available: true,
        capital_stateful_events: true,
        tells_recreated_pod: false,
        update_waits_for_available: true,
        old_unavailable_use_budget: true,
        node_wakes_affected_only: true,
    },
};

pub(super) const V1_36: Rules = Rules {
    minor: "1.36",
    full: "v1.36.3",
    ended: None,
    plugins: &PLUGINS_1_35,
    balanced_allocation: BalancedAllocation::Improvement,
    names_untolerated_taint: false,
    scores_image_volumes: true,
    no_post_filter_clears_nomination: true,
    portworx_needs_annotation: false,
    resize_asks_node: true,
    forbids_unused_shape: true,
    has_binding_timeout: true,
    has_placement_points: true,
    binding_ends_nomination: false,
    hints_count_nominated: true,
    hints_see_anti_affinity: true,
    allocates_from_whole_pools: true,
    allocates_all_of_alternatives: true,
    allocates_in_order: true,
    refused_devices_give_back: true,
    device_timeout_is_error: true,
    capital_claim_owner: true,
    counters_have_own_slices: true,
    drops_distinct_attributes: true,
    max_device_taints: 16,
    names_embedded_fields: true,
    warns_of_prefer_close: true,
    warns_of_external_ips: true,
    reports_empty_drivers_twice: false,
    validates_declaratively: true,
    kustomize: "v5.8.1",
    warns_of_undo: true,
    older_words: &[],
    controllers: ControllerRules {
        wakes_when_available: true,
        capital_stateful_events: true,
        tells_recreated_pod: false,
        update_waits_for_available: true,
        old_unavailable_use_budget: true,
        node_wakes_affected_only: true,
    },
};
