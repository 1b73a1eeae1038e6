//! What each plugin does, and where the Kubernetes documentation tells it.

use berth_words::text;

use super::super::language::docs;
use super::super::{Text, labelled};

const SITE: &str = "https://kubernetes.io";
/// The page about plugins that have none of their own.
const PLUGINS: &str = "reference/scheduling/config/#scheduling-plugins";

pub const DOCUMENTATION: Text = text!("Kubernetes documentation");

/// A plugin's name, and what it does.
pub fn described(plugin: &str) -> String {
    match about(plugin) {
        Some((what, _)) => labelled(plugin, what),
        None => plugin.to_owned(),
    }
}

/// A plugin in one sentence, and the address of its page in the documentation; `None` for unknown ones.
#[allow(clippy::too_many_lines, reason = "a row per plugin")]
pub fn about(plugin: &str) -> Option<(Text, String)> {
    let (text, path) = match plugin {
        "NodeUnschedulable" => (
            text!("Keeps Pods off cordoned nodes, unless they tolerate it."),
            "concepts/architecture/nodes/#manual-node-administration",
        ),
        "NodeName" => (
            text!("Lets a Pod with spec.nodeName run on that node only."),
            "concepts/scheduling-eviction/assign-pod-node/#nodename",
        ),
        "TaintToleration" => (
            text!(
                "Keeps Pods off nodes with taints that they do not tolerate, and prefers nodes with fewer PreferNoSchedule taints."
            ),
            "concepts/scheduling-eviction/taint-and-toleration/",
        ),
        "NodeAffinity" => (
            text!(
                "Asks for nodes by their labels: nodeSelector and required terms must hold, preferred terms add points."
            ),
            "concepts/scheduling-eviction/assign-pod-node/#affinity-and-anti-affinity",
        ),
        "NodePorts" => (
            text!("Lets each host port of a node be used by one Pod."),
            PLUGINS,
        ),
        "NodeResourcesFit" => (
            text!(
                "Asks whether the Pod's requests still fit into the node, and prefers nodes by how full they are."
            ),
            "concepts/scheduling-eviction/resource-bin-packing/",
        ),
        "NodeResourcesBalancedAllocation" => (
            text!("Prefers nodes whose CPU and memory are used to the same degree."),
            PLUGINS,
        ),
        "VolumeRestrictions" => (
            text!("Keeps Pods apart that cannot share a disk."),
            "concepts/storage/persistent-volumes/#access-modes",
        ),
        "NodeVolumeLimits" => (
            text!("Counts the volumes that a driver can attach to a node."),
            "concepts/storage/storage-limits/",
        ),
        "VolumeBinding" => (
            text!(
                "Asks whether each claim of the Pod has, or can get, a volume that the node reaches."
            ),
            "concepts/storage/storage-classes/#volume-binding-mode",
        ),
        "VolumeZone" => (
            text!("Keeps Pods in the zone of their volumes."),
            "setup/best-practices/multiple-zones/#storage-access-for-zones",
        ),
        "PodTopologySpread" => (
            text!("Spreads the Pods of a group evenly over zones, nodes or other domains."),
            "concepts/scheduling-eviction/topology-spread-constraints/",
        ),
        "InterPodAffinity" => (
            text!(
                "Places Pods near some Pods and away from others; rules of running Pods count too."
            ),
            "concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity",
        ),
        "DynamicResources" => (
            text!("Asks whether the node has the devices that the Pod claims."),
            "concepts/scheduling-eviction/dynamic-resource-allocation/",
        ),
        "ImageLocality" => (
            text!("Prefers nodes that have the Pod's images already."),
            PLUGINS,
        ),
        "NodeDeclaredFeatures" => (
            text!("Asks whether the node's kubelet declares the features that the Pod needs."),
            "concepts/scheduling-eviction/node-declared-features/",
        ),
        _ => return None,
    };
    Some((text, format!("{SITE}/{}/{path}", docs())))
}
