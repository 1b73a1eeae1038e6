//! A simulated cluster: API server, controllers, the scheduler with its queue, and kubelets, on one virtual
//! clock.
//!
//! To change it, write to the API server ([`SimulatedCluster::api_mut`]) and let all components work
//! ([`SimulatedCluster::settle`]); time passes with [`SimulatedCluster::advance`]. What happens goes into the
//! record ([`SimulatedCluster::take_record`]). A copy is a checkpoint, and the same steps give the same result.

mod audit;
mod data_plane;
mod device_wait;
mod digest;
mod dump;
mod informers;
mod load;
mod revisions;
mod rounds;
mod step;
mod write_back;

use std::collections::BTreeMap;

use berth_base::time::Time;
use berth_core::api::prepared::Prepared;
use berth_core::api::script::KubeletRules;
use berth_protocol::defaults::Edition;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::Registration;
use berth_scheduler::queue::{Listing, MAX_IN_UNSCHEDULABLE_PODS};

use super::control_plane::{ControlPlane, Livelock};
use super::controllers::Options;
use super::history::Entry;
use super::scheduling::{Scheduling, SchedulingOptions};
use super::server::{ApiServer, Naming};
use super::template_hashes::TemplateHashes;
use data_plane::SchedulerAndKubelets;
pub use rounds::Rounds;
pub use step::Step;

/// Deadlines within one moment after which it counts as a livelock, for example Pods that finish as soon as they start
/// and are replaced.
const MAX_PASSES: u32 = 500;

/// Rounds of work within one moment after which it counts as a livelock. A round is a scheduling cycle, or a key of
/// every controller that has one, so even a hundred thousand Pods need fewer.
const MAX_ROUNDS: u32 = 1_000_000;

/// Separates the random sequence of uids from the one that breaks ties.
const UIDS: u64 = 0x006e_616d_6573;

/// The period of the queue's flush of unschedulable Pods, in seconds.
const LEFTOVER_SECONDS: i64 = 30;

/// A cluster and its time.
#[derive(Clone)]
pub struct SimulatedCluster {
    control_plane: ControlPlane,
    data_plane: SchedulerAndKubelets,
    /// Number of deadlines handled in this moment.
    passes: u32,
    /// Number of rounds of work in this moment.
    rounds: u32,
    livelock: Option<Livelock>,
    /// When its time began: for a dump, when it was made.
    began: Time,
}

/// The setup of a cluster. The default is a current cluster; the presets for recordings differ.
#[derive(Clone, Debug, Default)]
pub struct SimulationOptions {
    pub scheduling: SchedulingOptions,
    /// The rules of the simulated kubelets.
    pub kubelet: KubeletRules,
    pub controllers: Options,
    pub placement: Placement,
    /// Whether names and uids are counted, and the system's own objects
    /// (namespaces, priority classes) are absent.
    pub counts_names: bool,
    /// Whose rules for names hold.
    pub edition: Edition,
}

/// What binds Pods to nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// kube-scheduler.
    #[default]
    Scheduler,
    /// The fitting nodes in turn. The caller reads the writes from the audit log.
    RoundRobin,
}

/// Why [`SimulatedCluster::run_until_quiet`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing is due except, possibly, the periodic retry of unschedulable Pods.
    Quiet,
    /// The time limit was reached.
    OutOfTime,
    /// The maximum number of moments was reached.
    Busy,
    /// The cluster does not settle within one moment.
    Livelock,
}

impl SimulatedCluster {
    /// An empty cluster; only the scheduler's configuration of `prepared` is used.
    ///
    /// # Errors
    /// Why kube-scheduler would not start with this configuration.
    pub fn new(
        prepared: &Prepared,
        registry: &[Registration],
        options: &SimulationOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let seed = options.scheduling.run.seed;
        let mut scheduling = Scheduling::new(prepared, registry, options.scheduling)?;
        scheduling.serve_by_api_server();
        let naming = match options.counts_names {
            true => Naming::Counted(BTreeMap::new()),
            false => Naming::new(options.edition, seed ^ UIDS),
        };
        let mut api = ApiServer::new(naming, options.kubelet.grace_seconds);
        api = api.of_release(prepared.release);
        if !options.counts_names {
            api.bootstrap();
        }
        let kubelet = options.kubelet.clone();
        let controllers = Options {
            release: prepared.release,
            ..options.controllers
        };
        Ok(SimulatedCluster {
            control_plane: ControlPlane::new(api, controllers),
            data_plane: SchedulerAndKubelets::new(scheduling, kubelet, options.placement),
            passes: 0,
            rounds: 0,
            livelock: None,
            began: Time::START,
        })
    }

    /// The API server's objects and events.
    pub fn api(&self) -> &ApiServer {
        &self.control_plane.api
    }

    /// For writes; [`SimulatedCluster::settle`] lets the components react to them.
    pub fn api_mut(&mut self) -> &mut ApiServer {
        &mut self.control_plane.api
    }

    /// The scheduler, its queue, and its cache of the cluster.
    pub fn scheduling(&self) -> &Scheduling {
        &self.data_plane.scheduling
    }

    /// The cluster as the scheduler sees it.
    pub fn seen(&self) -> &Cluster {
        &self.data_plane.scheduling.cache.cluster
    }

    /// Lets another seed decide the scheduler's ties from now on.
    pub fn reseed(&mut self, seed: u64) {
        self.data_plane.scheduling.cache.scheduler.reseed(seed);
    }

    pub(crate) fn scheduling_mut(&mut self) -> &mut Scheduling {
        &mut self.data_plane.scheduling
    }

    /// The numbers that scripts and recordings use in place of template hashes.
    pub(crate) fn hashes(&self) -> &TemplateHashes {
        &self.data_plane.pods.hashes
    }

    /// The same, and the API server to write to.
    pub(crate) fn hashes_and_api(&mut self) -> (&TemplateHashes, &mut ApiServer) {
        (&self.data_plane.pods.hashes, &mut self.control_plane.api)
    }

    /// The pending Pods, by queue.
    pub fn queue(&self) -> Listing {
        self.data_plane.scheduling.cache.queue.listing()
    }

    /// The current time.
    pub fn now(&self) -> Time {
        self.data_plane.scheduling.instant
    }

    /// When its time began.
    pub fn began(&self) -> Time {
        self.began
    }

    /// The time since it began, in milliseconds.
    pub fn elapsed_ms(&self) -> i64 {
        self.now().counted_from(self.began).milliseconds()
    }

    /// Set once the cluster does not settle within one moment; it stops then.
    pub fn livelock(&self) -> Option<&Livelock> {
        self.livelock.as_ref()
    }

    /// Whether one moment exceeds its deadlines: Pods finish as soon as they start, and are replaced.
    pub fn is_spinning(&self) -> bool {
        self.passes > MAX_PASSES
    }

    /// The entries since the last call, in order.
    pub fn take_record(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.data_plane.scheduling.entries)
    }

    /// Works until nothing is left to do in this moment; does nothing after a livelock.
    pub fn settle(&mut self) {
        while self.settle_some() {}
    }

    /// One round of work with at most one scheduling cycle. `false` if nothing was left to do in this moment.
    pub fn settle_some(&mut self) -> bool {
        if self.livelock.is_some() {
            return false;
        }
        let worked = self.control_plane.pass(&mut self.data_plane);
        self.rounds += 1;
        self.data_plane
            .record_audit_log(&mut self.control_plane.api);
        if self.is_spinning() || self.rounds >= MAX_ROUNDS {
            let at_ms = self.control_plane.api.now_ms();
            self.livelock = Some(Livelock { at_ms });
            return false;
        }
        worked
    }

    /// When the next work is due; `None` if none is.
    pub fn next_due(&mut self) -> Option<Time> {
        let leftovers = self.next_leftovers();
        self.next_work().into_iter().chain(leftovers).min()
    }

    /// The same without the periodic retry of unschedulable Pods.
    fn next_work(&mut self) -> Option<Time> {
        let controllers = self.control_plane.next_due();
        self.next_work_of(controllers)
    }

    /// The same without the periodic syncs of controllers.
    fn next_besides_syncs(&mut self) -> Option<Time> {
        let controllers = self.control_plane.next_besides_syncs();
        let leftovers = self.next_leftovers();
        self.next_work_of(controllers)
            .into_iter()
            .chain(leftovers)
            .min()
    }

    /// When the next work is due, if that of the controllers is at this time.
    fn next_work_of(&self, controllers: Option<i64>) -> Option<Time> {
        if self.livelock.is_some() {
            return None;
        }
        let due = [
            self.data_plane.kubelet.next_due(),
            controllers,
            self.data_plane.next_look_ms(&self.control_plane.api),
        ];
        let due = due.into_iter().flatten().min();
        let due = due.map(|ms| Time::at_microsecond(ms.saturating_mul(1_000)));
        let backs_off = self.data_plane.scheduling.cache.queue.is_backing_off();
        let flush = backs_off.then(|| next_multiple(self.now(), 1));
        due.into_iter().chain(flush).min()
    }

    /// When unschedulable Pods are retried.
    fn next_leftovers(&self) -> Option<Time> {
        let queue = &self.data_plane.scheduling.cache.queue;
        let since = queue.oldest_unschedulable()?;
        let ripe = since.after(MAX_IN_UNSCHEDULABLE_PODS).max(self.now());
        self.livelock
            .is_none()
            .then(|| next_multiple(ripe, LEFTOVER_SECONDS))
    }

    /// Advances to the next moment with work due, but not beyond `until`, and settles. `false` if no work is due by
    /// then; the time is `until` then.
    pub fn advance(&mut self, until: Time) -> bool {
        let began = self.begin_next(until);
        if began {
            self.settle();
        }
        began
    }

    /// The same without settling: [`SimulatedCluster::settle_some`] does that.
    pub fn begin_next(&mut self, until: Time) -> bool {
        let due = self.next_due().filter(|due| *due <= until);
        let Some(due) = due else {
            self.go_to(until);
            return false;
        };
        self.begin(due);
        true
    }

    /// Advances to this moment, unless it is past, and handles its deadlines without the work that follows from them.
    pub(crate) fn begin(&mut self, moment: Time) {
        self.go_to(moment);
        self.passes += 1;
        let now = self.now();
        self.data_plane.kubelet.act(&mut self.control_plane.api);
        self.control_plane.release();
        let scheduling = &mut self.data_plane.scheduling;
        if now.cut_to_second() == now {
            scheduling.flush_backoff();
            if whole_seconds(now) % LEFTOVER_SECONDS == 0 {
                scheduling.flush_unschedulable();
            }
        }
    }

    /// Advances the time to this moment, unless it is past.
    pub(crate) fn go_to(&mut self, moment: Time) {
        if moment > self.now() {
            self.passes = 0;
            self.rounds = 0;
            self.data_plane.scheduling.go_to(moment);
            self.control_plane.api.set_now_ms(moment.milliseconds());
        }
    }

    /// Advances until nothing is due, at most to `until` and through this many moments.
    pub fn run_until_quiet(&mut self, until: Time, moments: u32) -> Rest {
        self.settle();
        for _ in 0..moments {
            if self.livelock.is_some() {
                return Rest::Livelock;
            }
            match self.next_work() {
                None => return Rest::Quiet,
                Some(due) if due > until => return Rest::OutOfTime,
                Some(_) => drop(self.advance(until)),
            }
        }
        Rest::Busy
    }
}

/// The next whole second after `time` that is a multiple of `seconds`.
fn next_multiple(time: Time, seconds: i64) -> Time {
    let before = whole_seconds(time).div_euclid(seconds);
    Time::at_second(before.saturating_add(1).saturating_mul(seconds))
}

fn whole_seconds(time: Time) -> i64 {
    time.microseconds().div_euclid(1_000_000)
}

#[cfg(test)]
mod device_lives;
#[cfg(test)]
mod tests;
