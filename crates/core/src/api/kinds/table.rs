//! The rows of the table. `fields`, a workspace of its own, includes this file as well, so it uses nothing of this crate.

/// The API groups that the rows name, wherever `k8s-openapi` keeps them.
pub mod groups {
    pub use k8s_openapi::api::{
        admissionregistration, apps, autoscaling, batch, certificates, coordination, core,
        discovery, flowcontrol, networking, node, policy, rbac, resource, scheduling, storage,
    };
    pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
    pub use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
}

/// Calls a macro with a row for each kind:
///
/// `Kind (group::version) {table [status] [words] "singular" ["short name" …]}`
///
/// - `Kind`: the type in [`groups`]`::group::version`, and the variant's name in every enum.
/// - `table`: the field of the store.
/// - `status`: the field that the status subresource writes; empty brackets if there is none.
/// - words: `generation` if the API server maintains `metadata.generation`; `dump` if placement
///   depends on objects of the kind, so that a dump needs them; `all` if `kubectl get all` lists them;
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
            ReplicaSet (apps::v1) {replica_sets [status] [generation all scale template dump] "replicaset" ["rs"]}
            StatefulSet (apps::v1) {stateful_sets [status] [generation all scale template dump] "statefulset" ["sts"]}
            DaemonSet (apps::v1) {daemon_sets [status] [generation all template dump] "daemonset" ["ds"]}
            Job (batch::v1) {jobs [status] [generation all template dump] "job" []}
            CronJob (batch::v1) {cron_jobs [status] [generation all job_template] "cronjob" ["cj"]}
            ControllerRevision (apps::v1) {controller_revisions [] [] "controllerrevision" []}
            PersistentVolumeClaim (core::v1) {claims [status] [dump] "persistentvolumeclaim" ["pvc"]}
            PersistentVolume (core::v1) {volumes [status] [dump] "persistentvolume" ["pv"]}
            StorageClass (storage::v1) {storage_classes [] [dump] "storageclass" ["sc"]}
            CSINode (storage::v1) {csi_nodes [] [dump] "csinode" []}
            CSIDriver (storage::v1) {csi_drivers [] [dump] "csidriver" []}
            Namespace (core::v1) {namespaces [status] [dump] "namespace" ["ns"]}
            PriorityClass (scheduling::v1) {priority_classes [] [generation dump] "priorityclass" ["pc"]}
            LimitRange (core::v1) {limit_ranges [] [dump] "limitrange" ["limits"]}
            ResourceQuota (core::v1) {resource_quotas [status] [dump] "resourcequota" ["quota"]}
            PodDisruptionBudget (policy::v1) {
                budgets [status] [generation dump] "poddisruptionbudget" ["pdb"]
            }
            Service (core::v1) {services [status] [all dump] "service" ["svc"]}
            ReplicationController (core::v1) {
                replication_controllers [status] [generation all scale template dump]
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
                csi_storage_capacities [] [dump] "csistoragecapacity" []
            }
            ResourceClaim (resource::v1) {
                resource_claims [status] [dump] "resourceclaim" []
            }
            ResourceClaimTemplate (resource::v1) {
                resource_claim_templates [] [dump] "resourceclaimtemplate" []
            }
            ResourceSlice (resource::v1) {
                resource_slices [] [generation dump] "resourceslice" []
            }
            DeviceClass (resource::v1) {
                device_classes [] [generation dump] "deviceclass" []
            }
            ServiceAccount (core::v1) {service_accounts [] [] "serviceaccount" ["sa"]}
            RuntimeClass (node::v1) {runtime_classes [] [dump] "runtimeclass" []}
            VolumeAttachment (storage::v1) {volume_attachments [status] [dump] "volumeattachment" []}
            PodTemplate (core::v1) {pod_templates [] [generation] "podtemplate" []}
            Lease (coordination::v1) {leases [] [] "lease" []}
            Ingress (networking::v1) {ingresses [status] [generation] "ingress" ["ing"]}
            IngressClass (networking::v1) {ingress_classes [] [generation] "ingressclass" []}
            NetworkPolicy (networking::v1) {network_policies [] [generation] "networkpolicy" ["netpol"]}
            Role (rbac::v1) {roles [] [] "role" []}
            RoleBinding (rbac::v1) {role_bindings [] [] "rolebinding" []}
            ClusterRole (rbac::v1) {cluster_roles [] [] "clusterrole" []}
            ClusterRoleBinding (rbac::v1) {cluster_role_bindings [] [] "clusterrolebinding" []}
            MutatingWebhookConfiguration (admissionregistration::v1) {
                mutating_webhooks [] [generation] "mutatingwebhookconfiguration" []
            }
            ValidatingWebhookConfiguration (admissionregistration::v1) {
                validating_webhooks [] [generation] "validatingwebhookconfiguration" []
            }
            ValidatingAdmissionPolicy (admissionregistration::v1) {
                admission_policies [status] [generation] "validatingadmissionpolicy" []
            }
            ValidatingAdmissionPolicyBinding (admissionregistration::v1) {
                admission_policy_bindings [] [generation] "validatingadmissionpolicybinding" []
            }
            CertificateSigningRequest (certificates::v1) {
                signing_requests [status] [] "certificatesigningrequest" ["csr"]
            }
            FlowSchema (flowcontrol::v1) {flow_schemas [status] [generation] "flowschema" []}
            PriorityLevelConfiguration (flowcontrol::v1) {
                priority_levels [status] [generation] "prioritylevelconfiguration" []
            }
            VolumeAttributesClass (storage::v1) {
                volume_attributes_classes [] [] "volumeattributesclass" ["vac"]
            }
            CustomResourceDefinition (apiextensions::v1) {
                custom_resource_definitions [status] [generation] "customresourcedefinition" ["crd" "crds"]
            }
            APIService (apiregistration::v1) {api_services [status] [] "apiservice" []}
        }
    };
}
