//! What everybody's cluster has: names that a case keeps. All other names, keys and values get new ones.

/// Labels, taints and annotations of Kubernetes itself. Of their domains, users make up others.
const KEYS: [&str; 35] = [
    "app",
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/name",
    "app.kubernetes.io/part-of",
    "app.kubernetes.io/version",
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-name",
    "controller-revision-hash",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/metadata.name",
    "kubernetes.io/os",
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
    "node-role.kubernetes.io/worker",
    "node.cloudprovider.kubernetes.io/shutdown",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/out-of-service",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "volume.kubernetes.io/selected-node",
];

const RESOURCES: [&str; 7] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "pods",
    "storage",
    "nvidia.com/gpu",
    "amd.com/gpu",
];

/// Drivers that the scheduler itself knows, or that providers install everywhere.
const DRIVERS: [&str; 5] = [
    "disk.csi.azure.com",
    "ebs.csi.aws.com",
    "file.csi.azure.com",
    "pd.csi.storage.gke.io",
    "efs.csi.aws.com",
];

/// Namespaces and other names that each cluster has.
const NAMES: [&str; 9] = [
    "",
    "*",
    "all",
    "default",
    "default-scheduler",
    "kube-system",
    "system-cluster-critical",
    "system-node-critical",
    "metadata.name",
];

/// Values of labels whose key says the rest.
const VALUES: [&str; 5] = ["amd64", "arm64", "linux", "windows", "true"];

const ADDRESSES: [&str; 4] = ["0.0.0.0", "127.0.0.1", "::", "::1"];

/// Fields whose values the API server lists.
const LISTED: [&str; 23] = [
    "accessModes",
    "allocationMode",
    "apiVersion",
    "deletionPolicy",
    "effect",
    "fsGroupPolicy",
    "kind",
    "kubernetes",
    "mode",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "operator",
    "persistentVolumeReclaimPolicy",
    "phase",
    "preemptionPolicy",
    "protocol",
    "reclaimPolicy",
    "restartPolicy",
    "resource",
    "type",
    "volumeBindingMode",
    "volumeMode",
    "whenUnsatisfiable",
];

/// Maps whose keys users choose.
const FREE: [&str; 13] = [
    "allocatable",
    "annotations",
    "attributes",
    "capacity",
    "counters",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "overhead",
    "parameters",
    "podFixed",
    "requests",
];

/// Those of them whose values are amounts.
const AMOUNTS: [&str; 7] = [
    "allocatable",
    "capacity",
    "counters",
    "limits",
    "overhead",
    "podFixed",
    "requests",
];

/// Whether users choose the keys of a field.
pub(super) fn is_free(field: &str) -> bool {
    FREE.contains(&field)
}

/// Whether the values of a field are amounts of resources.
pub(super) fn holds_amounts(field: &str) -> bool {
    AMOUNTS.contains(&field)
}

/// Whether the API server lists the values of a field.
pub(super) fn is_listed(field: &str) -> bool {
    LISTED.contains(&field)
}

/// Whether a name, key, value or address says nothing about whose cluster it is.
pub(super) fn is_well_known(text: &str) -> bool {
    let lists: [&[&str]; 6] = [&KEYS, &RESOURCES, &DRIVERS, &NAMES, &VALUES, &ADDRESSES];
    let families = [
        "hugepages-",
        "attachable-volumes-",
        "kubernetes.io/no-provisioner",
        "kubernetes.io/aws-ebs",
        "kubernetes.io/gce-pd",
        "kubernetes.io/azure-disk",
    ];
    lists.iter().any(|list| list.contains(&text))
        || families
            .iter()
            .any(|family| text.starts_with(family) && !text.contains("csi-"))
}
