//! The rows of the table. `fields`, a workspace of its own, includes this file as well, so it uses nothing of this crate.

/// Calls a macro with a row for each kind:
///
/// `Kind (group::version) {table [status] [words] "singular" ["short name" …]}`
///
/// - `Kind`: the type in `k8s_openapi::api::group::version`, and the variant's name in every enum.
/// - `table`: the field of the store.
/// - `status`: the field that the status subresource writes; empty brackets if there is none.
/// - words: `generation` if the API server maintains `metadata.generation`; `scheduler` if the scheduler's
///   cluster stores objects of the kind (other than nodes and Pods); `dump` if placement depends on objects of the kind,
///   so that a dump needs them; `all` if `kubectl get all` lists them;
///   `scale` if objects have the scale subresource; `template` if a Pod template is in `spec.template`,
///   `job_template` if it is in that of a Job template, `own_template` of Pods.
///
/// The order of the rows is that of the store and therefore of the garbage collector. Append new kinds.
#[macro_export]
macro_rules! for_each_kind {
    ($make:ident) => {
        $make! {
            Node (core::v1) {nodes [status] [dump] "node" ["no"]}
            Pod (core::v1) {pods [status] [generation all own_template dump] "pod" ["po"]}
            Deployment (apps::v1) {deployments [status] [generation all scale template dump] "deployment" ["deploy"]}
            ReplicaSet (apps::v1) {replica_sets [status] [generation scheduler all scale template dump] "replicaset" ["rs"]}
            StatefulSet (apps::v1) {stateful_sets [status] [generation scheduler all scale template dump] "statefulset" ["sts"]}
            DaemonSet (apps::v1) {daemon_sets [status] [generation all template dump] "daemonset" ["ds"]}
            Job (batch::v1) {jobs [status] [generation all template dump] "job" []}
            CronJob (batch::v1) {cron_jobs [status] [generation all job_template] "cronjob" ["cj"]}
            ControllerRevision (apps::v1) {controller_revisions [] [] "controllerrevision" []}
            PersistentVolumeClaim (core::v1) {claims [status] [scheduler dump] "persistentvolumeclaim" ["pvc"]}
            PersistentVolume (core::v1) {volumes [status] [scheduler dump] "persistentvolume" ["pv"]}
            StorageClass (storage::v1) {storage_classes [] [scheduler dump] "storageclass" ["sc"]}
            CSINode (storage::v1) {csi_nodes [] [scheduler dump] "csinode" []}
            CSIDriver (storage::v1) {csi_drivers [] [scheduler dump] "csidriver" []}
            Namespace (core::v1) {namespaces [status] [scheduler dump] "namespace" ["ns"]}
            PriorityClass (scheduling::v1) {priority_classes [] [dump] "priorityclass" ["pc"]}
            LimitRange (core::v1) {limit_ranges [] [dump] "limitrange" ["limits"]}
            ResourceQuota (core::v1) {resource_quotas [status] [dump] "resourcequota" ["quota"]}
            PodDisruptionBudget (policy::v1) {
                budgets [status] [generation scheduler dump] "poddisruptionbudget" ["pdb"]
            }
            Service (core::v1) {services [status] [scheduler all dump] "service" ["svc"]}
            ReplicationController (core::v1) {
                replication_controllers [status] [generation scheduler all scale template dump]
                "replicationcontroller" ["rc"]
            }
            ConfigMap (core::v1) {config_maps [] [] "configmap" ["cm"]}
            Secret (core::v1) {secrets [] [] "secret" []}
            Endpoints (core::v1) {endpoints [] [] "endpoints" ["ep"]}
            EndpointSlice (discovery::v1) {endpoint_slices [] [generation] "endpointslice" []}
            HorizontalPodAutoscaler (autoscaling::v2) {
                autoscalers [status] [all] "horizontalpodautoscaler" ["hpa"]
            }
            CSIStorageCapacity (storage::v1) {
                csi_storage_capacities [] [scheduler dump] "csistoragecapacity" []
            }
            ResourceClaim (resource::v1) {
                resource_claims [status] [scheduler dump] "resourceclaim" []
            }
            ResourceClaimTemplate (resource::v1) {
                resource_claim_templates [] [dump] "resourceclaimtemplate" []
            }
            ResourceSlice (resource::v1) {
                resource_slices [] [generation scheduler dump] "resourceslice" []
            }
            DeviceClass (resource::v1) {
                device_classes [] [generation scheduler dump] "deviceclass" []
            }
        }
    };
}
