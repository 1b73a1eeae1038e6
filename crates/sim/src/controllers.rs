//! The controllers of kube-controller-manager v1.34 and v1.36, each in its own folder.
//!
//! A controller receives changes (`observe`, its event handlers), adds keys to its queue, and processes one key at a
//! time (`sync`). It reads from the cache, which the changes keep up to date, and writes to the API server. Its next
//! sync sees its own writes, since all changes have been delivered by then. Hence no controller needs the
//! expectations of the real ones, except in one place of `daemon_set`.

mod claim;
mod conditions;
pub mod cron_job;
pub mod daemon_set;
pub mod deployment;
pub mod device_taint_eviction;
pub mod disruption;
pub mod endpoints;
mod eviction;
pub mod job;
pub mod namespace;
pub mod node_lifecycle;
mod order;
mod owned_pods;
mod placed;
pub mod pod_autoscaler;
pub mod pod_gc;
pub mod quota;
pub mod replica_set;
pub mod resource_claim;
pub(crate) mod revisions;
#[cfg(test)]
pub(crate) mod stage;
pub mod stateful_set;
pub mod taint_eviction;
mod template;
pub mod volume;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::ReplicationController;

use super::server::{ApiError, ApiServer};
use super::store::{Change, Key, Store};
use super::workqueue::{Retry, WorkQueue};
use berth_scheduler::release::{Gate, Release};

pub use cron_job::CronJobController;
pub use daemon_set::DaemonSetController;
pub use deployment::DeploymentController;
pub use device_taint_eviction::DeviceTaintEvictionController;
pub use disruption::DisruptionController;
pub use disruption::stale::StaleDisruptions;
pub use endpoints::{EndpointSliceController, EndpointsController};
pub use job::JobController;
pub use job::orphans::OrphanPods;
pub use job::ttl::TtlAfterFinished;
pub use namespace::NamespaceController;
pub use node_lifecycle::NodeLifecycleController;
pub use pod_autoscaler::PodAutoscalerController;
pub use pod_gc::PodGarbageCollector;
pub use quota::QuotaController;
pub use replica_set::ReplicaController;
pub use resource_claim::ResourceClaimController;
pub use revisions::template_of;
pub use stateful_set::StatefulSetController;
pub use taint_eviction::TaintEvictionController;
pub use volume::VolumeController;
pub use volume::ephemeral::EphemeralVolumes;
pub use volume::protection::VolumeProtection;

/// Options of the controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The release whose rules hold.
    pub release: Release,
    /// How failed keys are retried.
    pub retry: Retry,
    /// Whether a Job is finished only once all of its Pods have terminated, and its status counts terminating Pods at
    /// once (v1.34, feature gate `JobPodReplacementPolicy`). Before, a Job was finished as soon as the deletion of
    /// its Pods was requested.
    pub job_waits_for_pods: bool,
    /// Whether finished Jobs are deleted after `ttlSecondsAfterFinished`.
    pub job_ttl: bool,
    /// Whether to run the controllers that the recorded timelines do not use (ReplicationControllers, CronJobs,
    /// volumes, quotas, endpoints and namespaces) and the full garbage collector.
    pub housekeeping: bool,
    /// Whether the status of PodDisruptionBudgets is updated.
    pub budgets: bool,
    /// Whether the node controllers run: taints by condition, and eviction and garbage collection of Pods.
    pub nodes: bool,
    /// Whether claims of classes that bind at once get volumes. Such a claim that is Pending in a dump waits for a
    /// provisioner that fails.
    pub provisions_at_once: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            release: Release::default(),
            retry: Retry::Exponential,
            job_waits_for_pods: true,
            job_ttl: true,
            housekeeping: true,
            budgets: true,
            nodes: true,
            provisions_at_once: true,
        }
    }
}

/// A controller with its queue.
pub trait Controller {
    /// The component name in its events.
    fn component(&self) -> &'static str;

    /// Enqueues the keys that a change affects. `cache` already includes the change.
    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64);

    fn queue(&mut self) -> &mut WorkQueue;

    /// Whether it only reports what the others came to: it works when they have nothing to do.
    fn follows(&self) -> bool {
        false
    }

    /// Moves one object toward its desired state.
    ///
    /// # Errors
    /// If a write is rejected; the key is retried.
    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError>;
}

/// Makes [`Controllers`] of rows `name: Type = whether it runs, what it takes besides its queue;`.
macro_rules! controllers {
    ($options:ident: $($name:ident: $type:ty = $is_on:expr $(, $argument:expr)*;)*) => {
        /// All controllers, in the order in which they run.
        #[derive(Clone, Debug)]
        pub struct Controllers {
            $($name: $type,)*
            is_on: [bool; Self::COUNT],
        }

        impl Controllers {
            pub const COUNT: usize = [$(stringify!($name)),*].len();

            pub fn new($options: Options) -> Self {
                Controllers {
                    $($name: <$type>::new(WorkQueue::new($options.retry) $(, $argument)*),)*
                    is_on: [$($is_on),*],
                }
            }

            /// All controllers, in order.
            pub fn all(&mut self) -> [&mut dyn Controller; Self::COUNT] {
                [$(&mut self.$name),*]
            }
        }
    };
}

controllers! { options:
    deployments: DeploymentController = true;
    replica_sets: ReplicaController<ReplicaSet> = true;
    stateful_sets: StatefulSetController = true;
    daemon_sets: DaemonSetController = true, options.release.rules().controllers;
    jobs: JobController = true, options.job_waits_for_pods;
    orphan_pods: OrphanPods = true;
    ttl: TtlAfterFinished = options.job_ttl;
    volumes: VolumeController = options.housekeeping, options.provisions_at_once;
    volume_protection: VolumeProtection = options.housekeeping;
    ephemeral_volumes: EphemeralVolumes = options.housekeeping;
    quotas: QuotaController = options.housekeeping;
    namespaces: NamespaceController = options.housekeeping;
    cron_jobs: CronJobController = options.housekeeping;
    disruption: DisruptionController = options.budgets;
    stale_disruptions: StaleDisruptions = options.budgets;
    node_lifecycle: NodeLifecycleController = options.nodes;
    taint_eviction: TaintEvictionController = options.nodes;
    pod_gc: PodGarbageCollector = options.nodes;
    replication_controllers: ReplicaController<ReplicationController> = options.housekeeping;
    resource_claims: ResourceClaimController = options.housekeeping;
    device_taint_eviction: DeviceTaintEvictionController =
        options.nodes && options.release.is_on(Gate::DRADeviceTaints);
    endpoints: EndpointsController = options.housekeeping;
    endpoint_slices: EndpointSliceController = options.housekeeping;
    pod_autoscalers: PodAutoscalerController = options.housekeeping;
}

impl Controllers {
    /// The controllers that run; the others observe nothing, so their queues stay empty.
    pub fn running(&mut self) -> impl Iterator<Item = &mut dyn Controller> {
        let is_on = self.is_on;
        let all = self.all().into_iter().zip(is_on);
        all.filter_map(|(controller, is_on)| is_on.then_some(controller))
    }
}

#[cfg(test)]
pub(crate) mod tests;
