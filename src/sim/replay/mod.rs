//! A scenario with a Script, played on a virtual clock with kube-scheduler's queue and nothing else
//! around it: nobody creates Pods again, deletion is immediate.
//!
//! At every whole second first the Pods whose backoff is over are flushed, then, at every thirtieth, the
//! Pods that wait too long; then cycles run until nothing can be popped; then the steps of that
//! moment, after each of which cycles run again. Between two things that happen a microsecond
//! passes.

pub mod format;
pub mod life;
mod steps;
mod store;
mod volumes;

use crate::api::decode::Finding;
use crate::api::object::Manifest;
use crate::api::prepared::Prepared;
use crate::api::script::{Script, Step};
use crate::base::time::Time;
use crate::cluster::PodIx;
use crate::framework::profile::ProfileError;
use crate::framework::registry::Registration;

use super::agenda::Agenda;
use super::history::Record;
use super::run::RunOptions;
use super::scheduling::budgets::Budgets;
use super::scheduling::{Scheduling, SchedulingOptions};
use store::{ObjectKey, Store};

/// Pods that wait too long are looked for whenever so many seconds have passed.
const LEFTOVER_SECONDS: i64 = 30;

/// What the agenda holds.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// A whole second.
    Second(i64),
    /// A step of the script, by number.
    Step(usize),
}

/// A replay under way.
pub struct Replay {
    scheduling: Scheduling,
    store: Store,
    agenda: Agenda<Work>,
    steps: Vec<Step>,
    /// How many steps are on the agenda or done.
    planned: usize,
    until_seconds: i64,
    pop_from_backoff: bool,
    refused: Vec<Finding>,
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
    objects: impl Iterator<Item = &'a Manifest>,
    script: Script,
    registry: &[Registration],
    options: ReplayOptions,
) -> Result<Played, Vec<ProfileError>> {
    let mut replay = Replay::new(prepared, objects, script, registry, options)?;
    while replay.advance() {}
    Ok(replay.finish())
}

impl Replay {
    fn new<'a>(
        prepared: &Prepared,
        objects: impl Iterator<Item = &'a Manifest>,
        script: Script,
        registry: &[Registration],
        options: ReplayOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let scheduling_options = SchedulingOptions {
            run: options.run,
            tells_kept: options.tells_kept,
            pop_from_backoff: script.pop_from_backoff,
        };
        let mut scheduling = Scheduling::new(prepared, registry, scheduling_options)?;
        let cluster = &mut scheduling.watch.cluster;
        cluster.apply_all(super::load::events(prepared));
        scheduling.budgets = Budgets::new(cluster);
        let mut store = Store::default();
        for object in objects {
            if let Some(key) = store::key_of(object) {
                store.set(key, object.clone());
            }
        }
        let mut replay = Self {
            scheduling,
            store,
            agenda: Agenda::default(),
            steps: script.steps,
            planned: 0,
            until_seconds: script.until_seconds,
            pop_from_backoff: script.pop_from_backoff,
            refused: Vec::new(),
        };
        replay.line_up();
        Ok(replay)
    }

    /// Does the next work on the agenda; `false` at the end.
    fn advance(&mut self) -> bool {
        let Some((due, work)) = self.agenda.take_next() else {
            return false;
        };
        self.scheduling.go_to(due);
        match work {
            Work::Second(second) => self.second(second),
            Work::Step(number) => self.step(number),
        }
        true
    }

    /// The waiting Pods of the documents come to the queue one after the other.
    fn line_up(&mut self) {
        let watch = &mut self.scheduling.watch;
        let pods: Vec<PodIx> = watch.cluster.pods().iter().map(|pod| pod.ix).collect();
        for pod in pods {
            watch.clock.tick();
            watch.tell_of_new_pod(pod);
        }
        self.scheduling.take_notes();
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
        self.scheduling.flush_backoff();
        if second > 0 && second % LEFTOVER_SECONDS == 0 {
            self.scheduling.flush_unschedulable();
        }
    }

    /// Cycles until nothing can be popped. Victims are gone at once.
    fn schedule_all(&mut self) {
        let mut known = self.scheduling.deleted.len();
        while self.scheduling.schedule_one() {
            for victim in self.scheduling.deleted.iter().skip(known) {
                let (namespace, name) = victim.split_once('/').unwrap_or(("", victim));
                self.store.remove(&ObjectKey::new("Pod", namespace, name));
            }
            known = self.scheduling.deleted.len();
        }
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

    fn finish(self) -> Played {
        let scheduling = self.scheduling;
        let pods = scheduling.watch.cluster.pods().iter();
        let existing = pods.filter(|pod| !pod.object.phase.is_terminal());
        let record = Record {
            pop_from_backoff: self.pop_from_backoff,
            until_seconds: self.until_seconds,
            entries: scheduling.entries,
            deleted: scheduling.deleted,
            placed: existing
                .map(|pod| (pod.object.key(), pod.object.node_name.clone()))
                .collect(),
            waiting: scheduling.watch.queue.listing(),
        };
        Played {
            record,
            refused: self.refused,
        }
    }
}

#[cfg(test)]
mod tests;
