//! API versions that Kubernetes no longer serves ([Deprecated API Migration Guide]).
//!
//! [Deprecated API Migration Guide]: https://kubernetes.io/docs/reference/using-api/deprecation-guide/

use berth_protocol::remark::Remark;

/// Kinds of one `apiVersion` that were removed together.
struct Removed {
    api_version: &'static str,
    kinds: &'static [&'static str],
    /// The minor release that removed them.
    since: &'static str,
    /// The `apiVersion` to write instead, or else what replaces them.
    successor: Result<&'static str, &'static str>,
}

const fn removed(
    api_version: &'static str,
    kinds: &'static [&'static str],
    since: &'static str,
    successor: &'static str,
) -> Removed {
    Removed {
        api_version,
        kinds,
        since,
        successor: Ok(successor),
    }
}

const POD_SECURITY: Result<&str, &str> = Err("Pod Security Admission");
const ROLES: &[&str] = &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const RBAC: &str = "rbac.authorization.k8s.io/v1";
const FLOW: &[&str] = &["FlowSchema", "PriorityLevelConfiguration"];
const FLOWCONTROL: &str = "flowcontrol.apiserver.k8s.io/v1";
const WEBHOOKS: &[&str] = &[
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];
const REVIEWS: &[&str] = &[
    "LocalSubjectAccessReview",
    "SelfSubjectAccessReview",
    "SelfSubjectRulesReview",
    "SubjectAccessReview",
];

/// By group.
#[rustfmt::skip]
const REMOVED: [Removed; 33] = [
    removed("admissionregistration.k8s.io/v1beta1", WEBHOOKS, "1.22", "admissionregistration.k8s.io/v1"),
    removed("apiextensions.k8s.io/v1beta1", &["CustomResourceDefinition"], "1.22", "apiextensions.k8s.io/v1"),
    removed("apiregistration.k8s.io/v1beta1", &["APIService"], "1.22", "apiregistration.k8s.io/v1"),
    removed("apps/v1beta1", &["ControllerRevision", "Deployment", "StatefulSet"], "1.16", "apps/v1"),
    removed("apps/v1beta2", &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"], "1.16", "apps/v1"),
    removed("authentication.k8s.io/v1beta1", &["TokenReview"], "1.22", "authentication.k8s.io/v1"),
    removed("authorization.k8s.io/v1beta1", REVIEWS, "1.22", "authorization.k8s.io/v1"),
    removed("autoscaling/v2beta1", &["HorizontalPodAutoscaler"], "1.25", "autoscaling/v2"),
    removed("autoscaling/v2beta2", &["HorizontalPodAutoscaler"], "1.26", "autoscaling/v2"),
    removed("batch/v1beta1", &["CronJob"], "1.25", "batch/v1"),
    removed("batch/v2alpha1", &["CronJob"], "1.21", "batch/v1"),
    removed("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"], "1.22", "certificates.k8s.io/v1"),
    removed("coordination.k8s.io/v1beta1", &["Lease"], "1.22", "coordination.k8s.io/v1"),
    removed("discovery.k8s.io/v1beta1", &["EndpointSlice"], "1.25", "discovery.k8s.io/v1"),
    removed("events.k8s.io/v1beta1", &["Event"], "1.25", "events.k8s.io/v1"),
    removed("extensions/v1beta1", &["DaemonSet", "Deployment", "ReplicaSet"], "1.16", "apps/v1"),
    removed("extensions/v1beta1", &["Ingress"], "1.22", "networking.k8s.io/v1"),
    removed("extensions/v1beta1", &["NetworkPolicy"], "1.16", "networking.k8s.io/v1"),
    Removed { api_version: "extensions/v1beta1", kinds: &["PodSecurityPolicy"], since: "1.16", successor: POD_SECURITY },
    removed("flowcontrol.apiserver.k8s.io/v1beta1", FLOW, "1.26", FLOWCONTROL),
    removed("flowcontrol.apiserver.k8s.io/v1beta2", FLOW, "1.29", FLOWCONTROL),
    removed("flowcontrol.apiserver.k8s.io/v1beta3", FLOW, "1.32", FLOWCONTROL),
    removed("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"], "1.22", "networking.k8s.io/v1"),
    removed("node.k8s.io/v1beta1", &["RuntimeClass"], "1.25", "node.k8s.io/v1"),
    removed("policy/v1beta1", &["PodDisruptionBudget"], "1.25", "policy/v1"),
    Removed { api_version: "policy/v1beta1", kinds: &["PodSecurityPolicy"], since: "1.25", successor: POD_SECURITY },
    removed("rbac.authorization.k8s.io/v1alpha1", ROLES, "1.22", RBAC),
    removed("rbac.authorization.k8s.io/v1beta1", ROLES, "1.22", RBAC),
    removed("resource.k8s.io/v1alpha2", &["ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"], "1.31", "resource.k8s.io/v1"),
    Removed { api_version: "resource.k8s.io/v1alpha2", kinds: &["ResourceClass"], since: "1.31", successor: Err("DeviceClass") },
    removed("scheduling.k8s.io/v1beta1", &["PriorityClass"], "1.22", "scheduling.k8s.io/v1"),
    removed("storage.k8s.io/v1beta1", &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"], "1.22", "storage.k8s.io/v1"),
    removed("storage.k8s.io/v1beta1", &["CSIStorageCapacity"], "1.27", "storage.k8s.io/v1"),
];

/// What to do about a kind in an `apiVersion` that Kubernetes has removed; `None` if it has not.
#[inline(never)]
pub(super) fn advice(api_version: &str, kind: &str) -> Option<Remark> {
    let row = REMOVED
        .iter()
        .find(|row| row.api_version == api_version && row.kinds.contains(&kind))?;
    Some(match row.successor {
        Ok(version) => Remark::removed_version(row.since, version),
        Err(instead) => Remark::removed_kind(row.since, instead),
    })
}

#[cfg(test)]
mod tests {
    use super::REMOVED;
    use crate::api::load::kinds::api_version_of;

    #[test]
    fn successors_are_the_versions_that_are_read() {
        for row in &REMOVED {
            for kind in row.kinds {
                let known = api_version_of(kind);
                assert!(
                    known.is_none_or(|known| row.successor == Ok(known)),
                    "{} {kind}",
                    row.api_version
                );
            }
        }
    }
}
