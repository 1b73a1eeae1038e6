//! A scenario with a Script, played on a virtual clock with kube-scheduler's queue and nothing else
//! around it: nobody creates Pods again, deletion is immediate.
//!
//! At every whole second first the Pods whose backoff is over are flushed, then, at every thirtieth, the
//! Pods that wait too long; then cycles run until nothing can be popped; then the steps of that
//! moment, after each of which cycles run again. Between two things that happen a microsecond
//! passes.

mod controllers;
mod cycles;
pub mod format;
pub mod life;
mod mirror;
pub mod record;
mod steps;
mod store;
pub mod told;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::decode::Finding;
use crate::api::object::Object;
use crate::api::prepared::{PodTemplate, Prepared};
use crate::api::script::{Script, Step};
use crate::base::time::{Span, Time};
use crate::cluster::{Cluster, PodIx};
use crate::framework::registry::{Registration, build_profiles};
use crate::scheduler::Scheduler;
use crate::scheduler::queue::{BackoffOptions, SchedulingQueue};

use super::agenda::Agenda;
use super::clock::Clock;
use super::run::RunOptions;
use super::store::Key;
use super::watch::Watch;
use controllers::Budgets;
use record::{Entry, Record};
use store::Store;

/// Pods that wait too long are looked for whenever so many seconds have passed.
const LEFTOVER_SECONDS: i64 = 30;

/// What the agenda holds.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// A whole second.
    Second(i64),
    /// A step of the script, by number.
    Step(usize),
    /// Controllers or kubelets have something to do.
    Due,
}

/// A replay under way.
pub struct Replay {
    watch: Watch,
    store: Store,
    budgets: Budgets,
    agenda: Agenda<Work>,
    steps: Vec<Step>,
    /// How many steps are on the agenda or done.
    planned: usize,
    until_seconds: i64,
    pop_from_backoff: bool,
    /// The moment that is played: what happens in it bears its time.
    instant: Time,
    entries: Vec<Entry>,
    deleted: Vec<String>,
    /// Pods bound so far.
    bound: i64,
    /// Why each waiting Pod was last not scheduled, as its status says.
    conditions: BTreeMap<PodIx, String>,
    refused: Vec<Finding>,
    /// The template of the last Pod that came from the API server: the next is often alike.
    template: Arc<PodTemplate>,
    /// What the API server is still to be told, where there is one: see [`life`].
    orders: Option<Vec<Order>>,
}

/// What the scheduler wants of the API server.
#[derive(Clone, Debug)]
enum Order {
    Bind { pod: Key, node: Arc<str> },
    Delete { pod: Key },
}

/// A replay that is over.
#[derive(Clone, Debug)]
pub struct Played {
    pub record: Record,
    /// Objects of the script that the API server refused, by field path of the script.
    pub refused: Vec<Finding>,
}

/// How to play.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplayOptions {
    pub run: RunOptions,
    /// Whether the record also tells which Pods an event left where they were, and why.
    pub tells_kept: bool,
}

/// Plays a script. `objects` are those that `prepared` was made of, in document order.
///
/// # Errors
/// Why kube-scheduler would not start with this configuration.
pub fn play<'a>(
    prepared: &Prepared,
    objects: impl Iterator<Item = &'a Object>,
    script: Script,
    registry: &[Registration],
    options: ReplayOptions,
) -> Result<Played, Vec<String>> {
    let mut replay = Replay::new(prepared, objects, script, registry, options)?;
    while replay.advance() {}
    Ok(replay.finish())
}

impl Replay {
    fn new<'a>(
        prepared: &Prepared,
        objects: impl Iterator<Item = &'a Object>,
        script: Script,
        registry: &[Registration],
        options: ReplayOptions,
    ) -> Result<Self, Vec<String>> {
        let mut cluster = Cluster::new();
        let configuration = &prepared.configuration;
        let profiles = build_profiles(configuration, registry, &mut cluster);
        let profiles = profiles.map_err(|errors| {
            let texts = errors.iter();
            let texts = texts.map(|error| format!("{}: {}", error.path, error.message));
            texts.collect::<Vec<String>>()
        })?;
        cluster.apply_all(super::load::events(prepared));
        let percentage = configuration.percentage_of_nodes_to_score;
        let RunOptions { tie_break, seed } = options.run;
        let scheduler = Scheduler::new(profiles, percentage, tie_break, seed);
        let backoff = BackoffOptions {
            initial: Span::seconds(configuration.pod_initial_backoff_seconds),
            max: Span::seconds(configuration.pod_max_backoff_seconds),
            pop_from_backoff: script.pop_from_backoff,
        };
        let mut store = Store::default();
        for object in objects {
            if let Some(key) = store::key_of(object) {
                store.set(key, object.clone());
            }
        }
        let mut replay = Self {
            budgets: Budgets::new(&cluster),
            watch: Watch {
                queue: SchedulingQueue::new(&scheduler, backoff).telling_kept(options.tells_kept),
                cluster,
                scheduler,
                clock: Clock::default(),
            },
            store,
            agenda: Agenda::default(),
            steps: script.steps,
            planned: 0,
            until_seconds: script.until_seconds,
            pop_from_backoff: script.pop_from_backoff,
            instant: Time::START,
            entries: Vec::new(),
            deleted: Vec::new(),
            bound: 0,
            conditions: BTreeMap::new(),
            refused: Vec::new(),
            template: Arc::default(),
            orders: None,
        };
        replay.line_up();
        Ok(replay)
    }

    /// Does the next work on the agenda; `false` at the end.
    fn advance(&mut self) -> bool {
        let Some((due, work)) = self.agenda.take_next() else {
            return false;
        };
        self.instant = due;
        self.watch.clock.advance_to(due);
        match work {
            Work::Second(second) => self.second(second),
            Work::Step(number) => self.step(number),
            // Nobody is there who would put it down.
            Work::Due => {}
        }
        true
    }

    /// The waiting Pods of the documents come to the queue one after the other.
    fn line_up(&mut self) {
        let pods: Vec<PodIx> = self.watch.cluster.pods().iter().map(|pod| pod.ix).collect();
        for pod in pods {
            self.watch.clock.tick();
            self.watch.tell_of_new_pod(pod);
        }
        self.take_notes();
        self.agenda.put(Time::START, Work::Second(0));
    }

    /// A whole second. The steps until the next one, and that one, go on the agenda.
    fn second(&mut self, second: i64) {
        self.flush(second);
        self.schedule_all();
        self.plan(second);
    }

    /// Pods whose time is over leave the places where they wait.
    fn flush(&mut self, second: i64) {
        self.watch.with_queue(|queue, cx| queue.flush_backoff(cx));
        if second > 0 && second % LEFTOVER_SECONDS == 0 {
            self.watch
                .with_queue(|queue, cx| queue.flush_unschedulable(cx));
        }
        self.take_notes();
    }

    /// Puts on the agenda what follows a whole second.
    fn plan(&mut self, second: i64) {
        let is_last = second >= self.until_seconds;
        let next = Time::at_second(second + 1);
        while let Some(step) = self.steps.get(self.planned)
            && (is_last || step.at < next)
        {
            self.agenda.put(step.at, Work::Step(self.planned));
            self.planned += 1;
        }
        if !is_last {
            self.agenda.put(next, Work::Second(second + 1));
        }
    }

    /// What the queue did since it was asked last goes into the record.
    fn take_notes(&mut self) {
        let at = self.instant;
        let notes = self.watch.queue.take_notes().into_iter();
        self.entries
            .extend(notes.map(|note| Entry::Queue { at, note }));
    }

    fn finish(self) -> Played {
        let pods = self.watch.cluster.pods().iter();
        let existing = pods.filter(|pod| !pod.object.phase.is_terminal());
        let record = Record {
            pop_from_backoff: self.pop_from_backoff,
            until_seconds: self.until_seconds,
            entries: self.entries,
            deleted: self.deleted,
            placed: existing
                .map(|pod| (pod.object.key(), pod.object.node_name.clone()))
                .collect(),
            waiting: self.watch.queue.listing(),
        };
        Played {
            record,
            refused: self.refused,
        }
    }
}

#[cfg(test)]
mod tests;
