//! kube-scheduler over time: its queue, its cycles, and its writes to the API server.
//!
//! Without an API server (`sim::replay::scheduler_only`) it writes its decisions straight into the cluster. With one
//! (`sim::simulated_cluster`) it returns [`Write`]s, and its informers deliver the changes.

mod cycles;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::ResourceClaim;

use berth_base::time::{Span, Time};
use berth_core::api::controllers::disruption::DisruptionBudgets;
use berth_core::api::prepare::FIRST_DOCUMENT_MS;
use berth_core::api::prepared::{PodTemplate, Prepared};
use berth_scheduler::Scheduler;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_scheduler::framework::plugin::VolumeDecisions;
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::{Registration, build_profiles};
use berth_scheduler::queue::{BackoffOptions, SchedulingQueue};

use super::budgets;
use super::clock::Clock;
use super::history::Entry;
use super::run::{Attempt, RunOptions};
use super::scheduler_cache::SchedulerCache;
use super::store::Key;

/// Options of the scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct SchedulingOptions {
    pub run: RunOptions,
    /// Whether to also record the Pods that an event left where they were, and why.
    pub tells_kept: bool,
    /// Feature gate `SchedulerPopFromBackoffQ`.
    pub pop_from_backoff: bool,
}

/// A scheduler with its cluster, its queue, and the record of what it did.
#[derive(Clone)]
pub struct Scheduling {
    pub(crate) cache: SchedulerCache,
    /// The status of budgets, where there is no controller for it.
    pub(crate) budgets: DisruptionBudgets,
    /// The current moment: the time of new entries.
    pub(crate) instant: Time,
    pub(crate) entries: Vec<Entry>,
    /// Pods that preemption deleted, in order.
    pub(crate) deleted: Vec<String>,
    /// Pods bound so far.
    bound: i64,
    /// Why the last attempt of each pending Pod failed: the message in its status.
    pub(crate) conditions: BTreeMap<PodIx, String>,
    /// The template of the last Pod from the API server: the next one often has the same.
    pub(crate) template: Arc<PodTemplate>,
    /// The last attempt, where there is an API server, until it is taken.
    pub(crate) attempt: Option<Attempt>,
    /// Writes for the API server, where there is one.
    pub(crate) writes: Option<Vec<Write>>,
}

/// A write of the scheduler to the API server.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    /// Binds the Pod's claims as decided, then the Pod to the node.
    Bind {
        pod: Key,
        /// The uid of the scheduled Pod: another Pod of the same name may replace it.
        uid: Arc<str>,
        node: Arc<str>,
        volumes: VolumeDecisions,
    },
    /// Deletes a victim of preemption.
    Delete {
        pod: Key,
        preemptor: Key,
        node: Arc<str>,
    },
    /// Writes to the Pod's status why it is pending, and its nominated node.
    Status {
        pod: Key,
        /// `Unschedulable` or `SchedulerError`.
        reason: &'static str,
        message: String,
        nominated: Option<Arc<str>>,
    },
    /// A ResourceClaim's finalizers and status.
    Claim(Arc<ResourceClaim>),
    /// Only the nomination changes.
    Nominate { pod: Key, node: Option<Arc<str>> },
}

impl Scheduling {
    /// A scheduler in an empty cluster.
    ///
    /// # Errors
    /// Why kube-scheduler would not start with this configuration.
    pub(crate) fn new(
        prepared: &Prepared,
        registry: &[Registration],
        options: SchedulingOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut cluster = Cluster::new(prepared.release);
        let configuration = &prepared.configuration;
        let profiles = build_profiles(configuration, registry, &mut cluster)?;
        let percentage = configuration.percentage_of_nodes_to_score;
        let RunOptions {
            tie_break, seed, ..
        } = options.run;
        let scheduler = Scheduler::new(profiles, percentage, tie_break, seed);
        let backoff = BackoffOptions {
            initial: Span::seconds(configuration.pod_initial_backoff_seconds),
            max: Span::seconds(configuration.pod_max_backoff_seconds),
            pop_from_backoff: options.pop_from_backoff,
        };
        Ok(Self {
            cache: SchedulerCache {
                queue: SchedulingQueue::new(&scheduler, backoff).noting_kept(options.tells_kept),
                cluster,
                scheduler,
                clock: Clock::default(),
            },
            budgets: DisruptionBudgets::default(),
            instant: Time::START,
            entries: Vec::new(),
            deleted: Vec::new(),
            bound: 0,
            conditions: BTreeMap::new(),
            template: Arc::default(),
            attempt: None,
            writes: None,
        })
    }

    /// Advances the time to this instant.
    pub(crate) fn go_to(&mut self, instant: Time) {
        self.instant = instant;
        self.cache.clock.advance_to(instant);
        self.set_api_clock();
    }

    /// From now on an API server answers: decisions are written to it, and it has a clock.
    pub(crate) fn serve_by_api_server(&mut self) {
        self.writes = Some(Vec::new());
        self.set_api_clock();
    }

    fn set_api_clock(&mut self) {
        if self.writes.is_some() {
            let now_ms = self.now_ms();
            self.cache.cluster.set_clock_ms(now_ms);
        }
    }

    /// The creation time of new objects, in milliseconds since the Unix epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        FIRST_DOCUMENT_MS.saturating_add(self.instant.milliseconds())
    }

    /// Moves the Pods whose backoff is over to activeQ.
    pub(crate) fn flush_backoff(&mut self) {
        self.cache.with_queue(|queue, cx| queue.flush_backoff(cx));
        self.record_notes();
    }

    /// Moves the Pods that have been unschedulable for too long.
    pub(crate) fn flush_unschedulable(&mut self) {
        self.cache
            .with_queue(|queue, cx| queue.flush_unschedulable(cx));
        self.record_notes();
    }

    /// Writes the status of budgets where it has changed.
    pub(crate) fn write_budgets(&mut self) {
        let updated = budgets::updated(&mut self.budgets);
        self.cache.cluster.apply_all(updated);
    }

    /// Moves the queue's notes into the record.
    pub(crate) fn record_notes(&mut self) {
        let at = self.instant;
        let notes = self.cache.queue.take_notes().into_iter();
        self.entries
            .extend(notes.map(|note| Entry::Queue { at, note }));
    }
}
