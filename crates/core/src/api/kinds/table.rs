//! The rows of the table. `fields`, a workspace of its own, includes this file as well, so it uses nothing of this crate.

/// Calls a macro with a row for each kind:
///
/// `Kind (group::version) {table [status] [words] "singular" ["short name" …]}`
///
/// - `Kind`: the type in `k8s_openapi::api::group::version`, and the variant's name in every enum.
/// - `table`: the field of the store.
/// - `status`: the field that the status subresource writes; empty brackets if there is none.
/// - words: `generation` if the API server maintains `metadata.generation`; `scheduler` if the scheduler's
///   cluster stores objects of the kind (other than nodes and Pods); `all` if `kubectl get all` lists them;
///   `scale` if objects have the scale subresource; `template` if a Pod template is in `spec.template`,
///   `job_template` if it is in that of a Job template, `own_template` of Pods.
///
/// The order of the rows is that of the store and therefore of the garbage collector. Append new kinds.
#[macro_export]
macro_rules! for_each_kind {
    ($make:ident) => {
        $make! {
            Node (core::v1) {nodes [status] [] "node" ["no"]}
            Pod (core::v1) {pods [status] [generation all own_template] "pod" ["po"]}
            Deployment (apps::v1) {deployments [status] [generation all scale template] "deployment" ["deploy"]}
            ReplicaSet (apps::v1) {replica_sets [status] [generation scheduler all scale template] "replicaset" ["rs"]}
            StatefulSet (apps::v1) {stateful_sets [status] [generation scheduler all scale template] "statefulset" ["sts"]}
            DaemonSet (apps::v1) {daemon_sets [status] [generation all template] "daemonset" ["ds"]}
            Job (batch::v1) {jobs [status] [generation all template] "job" []}
            CronJob (batch::v1) {cron_jobs [status] [generation all job_template] "cronjob" ["cj"]}
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
                replication_controllers [status] [generation scheduler all scale template]
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
