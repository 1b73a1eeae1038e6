//! kube-scheduler's queue with nothing around it: no API server, no controllers, no kubelets. Deletion is
//! immediate, and deleted Pods are not created again.
//!
//! The lives of the real scheduling queue were recorded in this setup: binding, preemption, the PersistentVolume
//! controller and the status of PodDisruptionBudgets take effect within the cycle or step that causes them, and updates
//! are not validated. Therefore it is not a [`SimulatedCluster`] without controllers. The two share [`Scheduling`] and
//! the player of scripts.
//!
//! [`SimulatedCluster`]: crate::simulated_cluster::SimulatedCluster

mod objects;
mod store;
mod volumes;

use crate::budgets;
use crate::load;
use crate::scheduling::{Scheduling, SchedulingOptions};
use berth_base::time::Time;
use berth_core::api::decode::Finding;
use berth_core::api::object::Manifest;
use berth_core::api::prepared::Prepared;
use berth_core::api::script::Step;
use berth_protocol::key::split;
use berth_scheduler::cluster::PodIx;
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::Registration;

use super::key::ObjectKey;
use super::player::Cluster;
use objects::is_about_volumes;
use store::Store;
use volumes::bind_what_can_be;

/// The period of the queue's flush of unschedulable Pods, in seconds.
const LEFTOVER_SECONDS: i64 = 30;

/// A scheduler with its queue, and the objects that it schedules.
pub(super) struct SchedulerOnly {
    pub(super) scheduling: Scheduling,
    store: Store,
    /// The second to play next.
    next_second: i64,
    /// The last second that is played.
    last_second: i64,
}

impl SchedulerOnly {
    /// `objects` are those that `prepared` was made of, in document order.
    ///
    /// # Errors
    /// Why kube-scheduler would not start with this configuration.
    pub(super) fn new<'a>(
        prepared: &Prepared,
        objects: impl Iterator<Item = &'a Manifest>,
        last_second: i64,
        registry: &[Registration],
        options: SchedulingOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut scheduling = Scheduling::new(prepared, registry, options)?;
        let cluster = &mut scheduling.cache.cluster;
        cluster.apply_all(load::events(prepared));
        scheduling.budgets = budgets::of(cluster);
        let mut store = Store::default();
        for object in objects {
            if let Some(key) = ObjectKey::of(object) {
                store.set(key, object.clone());
            }
        }
        let mut cluster = Self {
            scheduling,
            store,
            next_second: 0,
            last_second,
        };
        cluster.enqueue_all();
        Ok(cluster)
    }

    /// Adds the pending Pods of the documents to the queue, one after the other.
    fn enqueue_all(&mut self) {
        let cache = &mut self.scheduling.cache;
        let pods: Vec<PodIx> = cache.cluster.pods().iter().map(|pod| pod.ix).collect();
        for pod in pods {
            cache.clock.tick();
            cache.handle_new_pod(pod);
        }
        self.scheduling.record_notes();
    }
}

impl Cluster for SchedulerOnly {
    /// Advances to the next whole second, and flushes the queue.
    fn advance(&mut self, until: Time) -> bool {
        let second = self.next_second;
        let next = Time::at_second(second);
        if next > until || second > self.last_second {
            self.scheduling.go_to(until);
            return false;
        }
        self.next_second += 1;
        self.scheduling.go_to(next);
        self.scheduling.flush_backoff();
        if second > 0 && second % LEFTOVER_SECONDS == 0 {
            self.scheduling.flush_unschedulable();
        }
        self.settle();
        true
    }

    /// Runs cycles until the queue has no Pod to pop. Victims are removed at once.
    fn settle(&mut self) {
        self.scheduling.record_notes();
        let mut known = self.scheduling.deleted.len();
        while self.scheduling.schedule_one() {
            for victim in self.scheduling.deleted.iter().skip(known) {
                let (namespace, name) = split(victim);
                self.store.remove(&ObjectKey::new("Pod", namespace, name));
            }
            known = self.scheduling.deleted.len();
        }
    }

    fn end_step(&mut self, step: &Step) {
        if step.acts.iter().any(is_about_volumes) {
            bind_what_can_be(&self.store, &mut self.scheduling.cache);
        }
        self.scheduling.write_budgets();
    }

    fn livelock(&self) -> Option<Finding> {
        None
    }

    fn scheduling(&mut self) -> &mut Scheduling {
        &mut self.scheduling
    }
}
