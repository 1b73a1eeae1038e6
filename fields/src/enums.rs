//! Which fields take one of a few values, as the API server's OpenAPI says it (Kubernetes v1.34,
//! `+enum` in k8s.io/api). Schemas of `k8s-openapi` do not: they are made without the feature gate
//! `OpenAPIEnum`. So the values stand here; that the fields exist is checked.

use serde_json::{Map, Value};

/// The values, sorted as the API server sorts them, and the fields that take them.
const ENUMS: [(&str, &[&str]); 41] = [
    (
        "Always,IfNotPresent,Never",
        &[
            "Container.imagePullPolicy",
            "EphemeralContainer.imagePullPolicy",
            "ImageVolumeSource.pullPolicy",
        ],
    ),
    ("Always,Never,OnFailure", &["PodSpec.restartPolicy"]),
    (
        "Always,OnRootMismatch",
        &["PodSecurityContext.fsGroupChangePolicy"],
    ),
    (
        "AlwaysAllow,IfHealthyBudget",
        &["PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy"],
    ),
    ("Active,Terminating", &["NamespaceStatus.phase"]),
    ("Allow,Forbid,Replace", &["CronJobSpec.concurrencyPolicy"]),
    (
        "Available,Bound,Failed,Pending,Released",
        &["PersistentVolumeStatus.phase"],
    ),
    (
        "BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass",
        &["ScopedResourceSelectorRequirement.scopeName"],
    ),
    (
        "Bidirectional,HostToContainer,None",
        &["VolumeMount.mountPropagation"],
    ),
    (
        "Block,Filesystem",
        &[
            "PersistentVolumeClaimSpec.volumeMode",
            "PersistentVolumeSpec.volumeMode",
        ],
    ),
    ("Bound,Lost,Pending", &["PersistentVolumeClaimStatus.phase"]),
    ("ClientIP,None", &["ServiceSpec.sessionAffinity"]),
    (
        "Cluster,Local",
        &[
            "ServiceSpec.externalTrafficPolicy",
            "ServiceSpec.internalTrafficPolicy",
        ],
    ),
    (
        "ClusterFirst,ClusterFirstWithHostNet,Default,None",
        &["PodSpec.dnsPolicy"],
    ),
    (
        "ClusterIP,ExternalName,LoadBalancer,NodePort",
        &["ServiceSpec.type"],
    ),
    (
        "Count,FailIndex,FailJob,Ignore",
        &["PodFailurePolicyRule.action"],
    ),
    ("Dedicated,Managed,Shared", &["AzureDiskVolumeSource.kind"]),
    ("Default,Unmasked", &["SecurityContext.procMount"]),
    (
        "Delete,Recycle,Retain",
        &[
            "PersistentVolumeSpec.persistentVolumeReclaimPolicy",
            "StorageClass.reclaimPolicy",
        ],
    ),
    (
        "DoNotSchedule,ScheduleAnyway",
        &["TopologySpreadConstraint.whenUnsatisfiable"],
    ),
    (
        "DoesNotExist,Exists,Gt,In,Lt,NotIn",
        &["NodeSelectorRequirement.operator"],
    ),
    (
        "DoesNotExist,Exists,In,NotIn",
        &["ScopedResourceSelectorRequirement.operator"],
    ),
    ("Equal,Exists", &["Toleration.operator"]),
    (
        "Failed,Pending,Running,Succeeded,Unknown",
        &["PodStatus.phase"],
    ),
    (
        "Failed,TerminatingOrFailed",
        &["JobSpec.podReplacementPolicy"],
    ),
    (
        "FallbackToLogsOnError,File",
        &[
            "Container.terminationMessagePolicy",
            "EphemeralContainer.terminationMessagePolicy",
        ],
    ),
    (
        "File,None,ReadWriteOnceWithFSType",
        &["CSIDriverSpec.fsGroupPolicy"],
    ),
    ("HTTP,HTTPS", &["HTTPGetAction.scheme"]),
    (
        "Honor,Ignore",
        &[
            "TopologySpreadConstraint.nodeAffinityPolicy",
            "TopologySpreadConstraint.nodeTaintsPolicy",
        ],
    ),
    (
        "Immediate,WaitForFirstConsumer",
        &["StorageClass.volumeBindingMode"],
    ),
    (
        "In,NotIn",
        &["PodFailurePolicyOnExitCodesRequirement.operator"],
    ),
    ("Indexed,NonIndexed", &["JobSpec.completionMode"]),
    (
        "Localhost,RuntimeDefault,Unconfined",
        &["AppArmorProfile.type", "SeccompProfile.type"],
    ),
    (
        "Merge,Strict",
        &["PodSecurityContext.supplementalGroupsPolicy"],
    ),
    (
        "Never,PreemptLowerPriority",
        &["PodSpec.preemptionPolicy", "PriorityClass.preemptionPolicy"],
    ),
    (
        "NoExecute,NoSchedule,PreferNoSchedule",
        &["Taint.effect", "Toleration.effect"],
    ),
    (
        "OnDelete,RollingUpdate",
        &[
            "DaemonSetUpdateStrategy.type",
            "StatefulSetUpdateStrategy.type",
        ],
    ),
    (
        "OrderedReady,Parallel",
        &["StatefulSetSpec.podManagementPolicy"],
    ),
    (
        "PreferDualStack,RequireDualStack,SingleStack",
        &["ServiceSpec.ipFamilyPolicy"],
    ),
    ("Recreate,RollingUpdate", &["DeploymentStrategy.type"]),
    (
        "SCTP,TCP,UDP",
        &[
            "ContainerPort.protocol",
            "PortStatus.protocol",
            "ServicePort.protocol",
        ],
    ),
];

/// Values that begin with an empty text.
const HOST_PATH: (&str, &str) = (
    "HostPathVolumeSource.type",
    ",BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket",
);

/// The values of each such field, with commas between them, by `Type.field`.
///
/// # Errors
///
/// A field that no type has.
pub fn enums(types: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let pairs = ENUMS
        .iter()
        .flat_map(|(values, fields)| fields.iter().map(|field| (*field, *values)))
        .chain([HOST_PATH]);
    let mut enums = Map::new();
    for (field, values) in pairs {
        let (kind, name) = field.split_once('.').unwrap_or((field, ""));
        if types
            .get(kind)
            .and_then(|fields| fields.get(name))
            .is_none()
        {
            return Err(format!("there is no field {field}"));
        }
        enums.insert(field.to_string(), values.into());
    }
    enums.sort_keys();
    Ok(enums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_that_is_gone_is_an_error() {
        assert!(enums(&Map::new()).is_err());
    }

    #[test]
    fn values_are_sorted_and_fields_listed_once() {
        let mut types = Map::new();
        for field in ENUMS
            .iter()
            .flat_map(|(_, fields)| *fields)
            .chain([&HOST_PATH.0])
        {
            let (kind, name) = field.split_once('.').expect("a field");
            let fields = types.entry(kind).or_insert_with(|| json!({}));
            assert!(fields[name].is_null(), "{field} is listed twice");
            fields[name] = "string|".into();
        }
        let enums = enums(&types).expect("all are there");
        for (field, values) in &enums {
            let values: Vec<&str> = values.as_str().expect("text").split(',').collect();
            assert!(values.is_sorted(), "{field}: {values:?}");
        }
    }
}
