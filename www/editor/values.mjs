// Values and names that Kubernetes' schemas give only in prose: the values of a field, and the
// common keys of a map. Indexed by `Type.field`.

const SELECTOR_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"];
const HONOR = ["Honor", "Ignore"];
const TOPOLOGY_KEYS = [
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "kubernetes.io/hostname",
];
const NODE_LABELS = [
  ...TOPOLOGY_KEYS,
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
];
const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const RESOURCES = ["cpu", "memory", "ephemeral-storage"];
const CAPACITY = [...RESOURCES, "pods"];
const ACCESS_MODES = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
const PREEMPTION = ["PreemptLowerPriority", "Never"];
const STATUS = ["True", "False", "Unknown"];
// Those of the registry; tidy compares them.
const PLUGINS = [
  "DefaultBinder",
  "DefaultPreemption",
  "DynamicResources",
  "ImageLocality",
  "InterPodAffinity",
  "NodeAffinity",
  "NodeDeclaredFeatures",
  "NodeName",
  "NodePorts",
  "NodeResourcesBalancedAllocation",
  "NodeResourcesFit",
  "NodeUnschedulable",
  "NodeVolumeLimits",
  "PodTopologySpread",
  "PrioritySort",
  "SchedulingGates",
  "TaintToleration",
  "VolumeBinding",
  "VolumeRestrictions",
  "VolumeZone",
];

/** Values of a field or of its items. The list may be incomplete: a label may have any name. */
export const VALUES = {
  "Container.imagePullPolicy": ["Always", "IfNotPresent", "Never"],
  "Container.restartPolicy": ["Always", "OnFailure", "Never"],
  "ContainerPort.protocol": ["TCP", "UDP", "SCTP"],
  "ContainerResizePolicy.restartPolicy": ["NotRequired", "RestartContainer"],
  "CronJobSpec.concurrencyPolicy": ["Allow", "Forbid", "Replace"],
  "DaemonSetUpdateStrategy.type": ["RollingUpdate", "OnDelete"],
  "DeploymentStrategy.type": ["RollingUpdate", "Recreate"],
  "JobSpec.completionMode": ["NonIndexed", "Indexed"],
  "LabelSelectorRequirement.operator": SELECTOR_OPERATORS,
  "LimitRangeItem.type": ["Container", "Pod", "PersistentVolumeClaim"],
  "NamespaceStatus.phase": ["Active", "Terminating"],
  "NodeCondition.status": STATUS,
  "NodeCondition.type": ["Ready", "DiskPressure", "MemoryPressure", "PIDPressure", "NetworkUnavailable"],
  "NodeSelectorRequirement.key": NODE_LABELS,
  "NodeSelectorRequirement.operator": [...SELECTOR_OPERATORS, "Gt", "Lt"],
  "PersistentVolumeClaimSpec.accessModes": ACCESS_MODES,
  "PersistentVolumeClaimSpec.volumeMode": ["Filesystem", "Block"],
  "PersistentVolumeClaimStatus.phase": ["Pending", "Bound", "Lost"],
  "PersistentVolumeSpec.accessModes": ACCESS_MODES,
  "PersistentVolumeSpec.persistentVolumeReclaimPolicy": ["Retain", "Delete", "Recycle"],
  "PersistentVolumeSpec.volumeMode": ["Filesystem", "Block"],
  "PersistentVolumeStatus.phase": ["Available", "Bound", "Released", "Failed", "Pending"],
  "Plugin.name": PLUGINS,
  "PluginArgs.defaultingType": ["System", "List"],
  "PluginConfig.name": PLUGINS,
  "PodAffinityTerm.topologyKey": TOPOLOGY_KEYS,
  "PodCondition.status": STATUS,
  "PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": ["IfHealthyBudget", "AlwaysAllow"],
  "PodSpec.dnsPolicy": ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
  "PodSpec.preemptionPolicy": PREEMPTION,
  "PodSpec.priorityClassName": ["system-cluster-critical", "system-node-critical"],
  "PodSpec.restartPolicy": ["Always", "OnFailure", "Never"],
  "PodStatus.phase": ["Pending", "Running", "Succeeded", "Failed", "Unknown"],
  "PriorityClass.preemptionPolicy": PREEMPTION,
  "ResourceSpec.name": RESOURCES,
  "ScoringStrategy.type": ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"],
  "ServiceSpec.type": ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"],
  "StatefulSetSpec.podManagementPolicy": ["OrderedReady", "Parallel"],
  "StorageClass.reclaimPolicy": ["Delete", "Retain"],
  "StorageClass.volumeBindingMode": ["WaitForFirstConsumer", "Immediate"],
  "Taint.effect": TAINT_EFFECTS,
  "Toleration.effect": TAINT_EFFECTS,
  "Toleration.key": ["node-role.kubernetes.io/control-plane"],
  "Toleration.operator": ["Equal", "Exists"],
  "TopologySpreadConstraint.nodeAffinityPolicy": HONOR,
  "TopologySpreadConstraint.nodeTaintsPolicy": HONOR,
  "TopologySpreadConstraint.topologyKey": TOPOLOGY_KEYS,
  "TopologySpreadConstraint.whenUnsatisfiable": ["DoNotSchedule", "ScheduleAnyway"],
};

/** Common keys of maps. */
export const KEYS = {
  "LimitRangeItem.default": RESOURCES,
  "LimitRangeItem.defaultRequest": RESOURCES,
  "LimitRangeItem.max": RESOURCES,
  "LimitRangeItem.min": RESOURCES,
  "NodeStatus.allocatable": CAPACITY,
  "NodeStatus.capacity": CAPACITY,
  "PersistentVolumeSpec.capacity": ["storage"],
  "PodSpec.nodeSelector": NODE_LABELS,
  "PodSpec.overhead": RESOURCES,
  "ResourceQuotaSpec.hard": ["pods", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"],
  "ResourceRequirements.limits": RESOURCES,
  "ResourceRequirements.requests": RESOURCES,
  "VolumeResourceRequirements.requests": ["storage"],
};
