//! The table of kinds: every kind of object that Berth reads and stores.
//!
//! [`for_each_kind!`](crate::for_each_kind) passes all rows to another macro. They generate
//! [`Manifest`](super::object::Manifest) and its decoding, [`Kind`] and [`KindInfo`], the API server's store
//! and its objects, the dynamic client, and kubectl's names. Group, version, kind, plural and scope come
//! from `k8s-openapi` (`Resource`), so a row holds only what these types lack.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, Resource};

pub use crate::for_each_kind;

/// Calls a macro with a row for each kind:
///
/// `Kind (group::version) {table [status] [words] "singular" ["short name" …]}`
///
/// - `Kind`: the type in `k8s_openapi::api::group::version`, and the variant's name in every enum.
/// - `table`: the field of the store.
/// - `status`: the field that the status subresource writes; empty brackets if there is none.
/// - words: `generation` if the API server maintains `metadata.generation`; `scheduler` if the scheduler's
///   cluster stores objects of the kind (other than nodes and Pods); `all` if `kubectl get all` lists them.
///
/// The order of the rows is that of the store and therefore of the garbage collector. Append new kinds.
#[macro_export]
macro_rules! for_each_kind {
    ($make:ident) => {
        $make! {
            Node (core::v1) {nodes [status] [] "node" ["no"]}
            Pod (core::v1) {pods [status] [generation all] "pod" ["po"]}
            Deployment (apps::v1) {deployments [status] [generation all] "deployment" ["deploy"]}
            ReplicaSet (apps::v1) {replica_sets [status] [generation scheduler all] "replicaset" ["rs"]}
            StatefulSet (apps::v1) {stateful_sets [status] [generation scheduler all] "statefulset" ["sts"]}
            DaemonSet (apps::v1) {daemon_sets [status] [generation all] "daemonset" ["ds"]}
            Job (batch::v1) {jobs [status] [generation all] "job" []}
            CronJob (batch::v1) {cron_jobs [status] [generation all] "cronjob" ["cj"]}
            ControllerRevision (apps::v1) {controller_revisions [] [] "controllerrevision" []}
            PersistentVolumeClaim (core::v1) {claims [status] [scheduler] "persistentvolumeclaim" ["pvc"]}
            PersistentVolume (core::v1) {volumes [status] [scheduler] "persistentvolume" ["pv"]}
            StorageClass (storage::v1) {storage_classes [] [scheduler] "storageclass" ["sc"]}
            CSINode (storage::v1) {csi_nodes [] [scheduler] "csinode" []}
            CSIDriver (storage::v1) {csi_drivers [] [scheduler] "csidriver" []}
            Namespace (core::v1) {namespaces [status] [scheduler] "namespace" ["ns"]}
            PriorityClass (scheduling::v1) {priority_classes [] [] "priorityclass" ["pc"]}
            LimitRange (core::v1) {limit_ranges [] [] "limitrange" ["limits"]}
            ResourceQuota (core::v1) {resource_quotas [status] [] "resourcequota" ["quota"]}
            PodDisruptionBudget (policy::v1) {
                budgets [status] [generation scheduler] "poddisruptionbudget" ["pdb"]
            }
            Service (core::v1) {services [status] [scheduler all] "service" ["svc"]}
            ReplicationController (core::v1) {
                replication_controllers [status] [generation scheduler all] "replicationcontroller" ["rc"]
            }
            ConfigMap (core::v1) {config_maps [] [] "configmap" ["cm"]}
            Secret (core::v1) {secrets [] [] "secret" []}
            Endpoints (core::v1) {endpoints [] [] "endpoints" ["ep"]}
            EndpointSlice (discovery::v1) {endpoint_slices [] [generation] "endpointslice" []}
            HorizontalPodAutoscaler (autoscaling::v2) {
                autoscalers [status] [all] "horizontalpodautoscaler" ["hpa"]
            }
            CSIStorageCapacity (storage::v1) {
                csi_storage_capacities [] [scheduler] "csistoragecapacity" []
            }
            ResourceClaim (resource::v1) {
                resource_claims [status] [scheduler] "resourceclaim" []
            }
            ResourceClaimTemplate (resource::v1) {
                resource_claim_templates [] [] "resourceclaimtemplate" []
            }
            ResourceSlice (resource::v1) {
                resource_slices [] [generation scheduler] "resourceslice" []
            }
            DeviceClass (resource::v1) {
                device_classes [] [generation scheduler] "deviceclass" []
            }
        }
    };
}

/// A kind and its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// The name in manifests and in the store: `Pod`.
    pub kind: &'static str,
    /// `pods`.
    pub plural: &'static str,
    /// `pod`.
    pub singular: &'static str,
    /// `po`.
    pub short: &'static [&'static str],
    /// Group and version as in manifests: `v1`, `apps/v1`.
    pub api_version: &'static str,
    pub namespaced: bool,
    /// Whether its objects have the status subresource.
    pub has_status: bool,
    /// Whether it belongs to the category `all`.
    pub in_all: bool,
}

impl KindInfo {
    /// The group; empty for the core group.
    pub fn group(&self) -> &'static str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// The API server's name of the kind: `pods`, `deployments.apps`.
    pub fn resource(&self) -> String {
        match self.group() {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// kubectl's name of objects of the kind: `pod`, `deployment.apps`.
    pub fn qualified(&self) -> String {
        match self.group() {
            "" => self.singular.to_owned(),
            group => format!("{}.{group}", self.singular),
        }
    }
}

/// The scope of a kind, as a constant.
pub trait Scope {
    const NAMESPACED: bool;
}

impl Scope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

impl Scope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

/// Whether a type is namespaced.
pub const fn is_namespaced<T>() -> bool
where
    T: Resource<Scope: Scope>,
{
    <T::Scope as Scope>::NAMESPACED
}

/// Whether `words` contains `word`.
pub const fn has_word(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        if is_same(words[at].as_bytes(), word.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

macro_rules! kinds {
    ($($kind:ident ($group:ident::$version:ident) {
        $table:ident [$($status:ident)?] [$($word:ident)*] $singular:literal [$($short:literal)*]
    })*) => {
        /// A kind of object.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($kind,)*
        }

        impl Kind {
            /// Every kind, in the order of the store.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// The names of the kind.
            pub const fn info(self) -> &'static KindInfo {
                match self {
                    $(Kind::$kind => {
                        type T = k8s_openapi::api::$group::$version::$kind;
                        const WORDS: &[&str] = &[$(stringify!($word)),*];
                        const STATUS: &[&str] = &[$(stringify!($status))?];
                        const INFO: KindInfo = KindInfo {
                            kind: T::KIND,
                            plural: T::URL_PATH_SEGMENT,
                            singular: $singular,
                            short: &[$($short),*],
                            api_version: T::API_VERSION,
                            namespaced: is_namespaced::<T>(),
                            has_status: !STATUS.is_empty(),
                            in_all: has_word(WORDS, "all"),
                        };
                        &INFO
                    })*
                }
            }

            /// Whether the scheduler's cluster stores objects of the kind; nodes and Pods have events of their own.
            pub const fn is_kept_by_scheduler(self) -> bool {
                match self {
                    $(Kind::$kind => {
                        const WORDS: &[&str] = &[$(stringify!($word)),*];
                        has_word(WORDS, "scheduler")
                    })*
                }
            }
        }
    };
}

for_each_kind!(kinds);

impl Kind {
    /// The kind with this name in manifests: `Pod`.
    pub fn of_name(name: &str) -> Option<Kind> {
        let mut kinds = Kind::ALL.iter().copied();
        kinds.find(|kind| kind.info().kind == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_kind_come_from_its_row_and_type() {
        let info = Kind::HorizontalPodAutoscaler.info();
        assert_eq!(info.kind, "HorizontalPodAutoscaler");
        assert_eq!(info.api_version, "autoscaling/v2");
        assert_eq!(info.resource(), "horizontalpodautoscalers.autoscaling");
        assert_eq!(info.qualified(), "horizontalpodautoscaler.autoscaling");
        assert_eq!(info.short, ["hpa"]);
        assert!(info.namespaced && info.has_status && info.in_all);
        let node = Kind::Node.info();
        assert!(!node.namespaced && !node.in_all);
        assert_eq!(Kind::of_name("CSINode"), Some(Kind::CSINode));
        assert_eq!(Kind::of_name("Widget"), None);
    }

    #[test]
    fn names_are_spelled_as_their_kind() {
        for kind in Kind::ALL {
            let info = kind.info();
            assert_eq!(info.singular, info.kind.to_lowercase());
            assert_eq!(info.kind, format!("{kind:?}"));
        }
    }
}
