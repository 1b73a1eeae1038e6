//! A session in simulated mode: controllers and kubelets work, and time passes.
//!
//! The log has an entry for every attempt of the scheduler, for every moment in which something else happens, and
//! for every change from outside. The simulation is deterministic, so going back replays from a checkpoint.

mod documents;
pub(super) mod line;
pub(super) mod mode;
pub(super) mod wait;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use berth_base::sort;
use berth_base::time::{Span, Time};
use berth_core::api::load::Loaded;
use berth_core::api::manifests::Manifests;
use berth_core::api::object::Manifest;
use berth_core::api::script::{KubeletRules, Processes};
use berth_core::api::source::SourceFile;
use berth_kubectl::shell::Shell;
use berth_kubectl::terminal_cluster::TerminalCluster;
use berth_protocol::due::Due;
use berth_protocol::happening::Happening;
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::Gate;
use berth_sim::controllers::{self, resource_claim};
use berth_sim::dynamic::FieldValidation;
use berth_sim::patch;
use berth_sim::run::{Attempt, Run};
use berth_sim::scheduling::SchedulingOptions;
use berth_sim::simulated_cluster::{Rounds, SimulatedCluster, SimulationOptions, Step};
use berth_sim::snapshot::Snapshot;
use berth_sim::store::{Key, Object};

use super::delivery::Delivery;
use super::sources;
use crate::session::{Options, Session};

pub use line::{begin, command, complete, describe_fields, edited, lacks, put_files};
pub use mode::{restart_mode, set_simulated};
pub use wait::{interrupt, line_passed_ms, rests, wait_on, wait_span_ms, wait_until, waits};

/// The longest time to simulate without a command: CronJobs never end.
const HORIZON: Span = Span::seconds(24 * 3_600);

/// What happens in a cluster by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// What commands and images of its containers, and its CronJobs, let expect.
    Living,
    /// Nothing: what runs goes on to run, and no CronJob is due. What happens then is due to what is done to it.
    Still,
}

/// The last moment to simulate.
pub(super) fn horizon(cluster: &SimulatedCluster) -> Time {
    cluster.began().after(HORIZON)
}

/// A simulated cluster and the number of its steps. A copy is a checkpoint.
#[derive(Clone)]
pub struct Simulated {
    terminal: TerminalCluster,
    shell: Shell,
    steps: usize,
    /// The session's files as the terminal received them; its commands may overwrite them.
    last_given_files: Vec<SourceFile>,
    /// When something happens next; `None`: nothing is due.
    next: Option<Time>,
    /// The same with what it is, and with the queue's flush of unschedulable Pods.
    due: Option<Due>,
    /// The scheduler's view; made on first use.
    snapshot: OnceCell<Rc<Snapshot>>,
    /// The same with the document of every Pod; made on first use.
    with_sources: OnceCell<Rc<Snapshot>>,
}

impl Simulated {
    /// The cluster of these manifests at the beginning of time: no Pod that waits in them has been tried.
    ///
    /// # Errors
    /// Why kube-scheduler would not start with this configuration.
    pub(super) fn new(manifests: &Manifests, options: &Options) -> Result<Self, Vec<ProfileError>> {
        let run = Run::new(
            &manifests.prepared,
            &registry(),
            sources::run_options(options),
        )?;
        Self::of_rounds(run.snapshot(), &[], manifests, options, Pace::Living)
    }

    /// A cluster that continues from this moment of a run: placed Pods start on their nodes.
    ///
    /// # Errors
    /// As [`Simulated::new`].
    pub(super) fn of_rounds(
        snapshot: &Snapshot,
        attempts: &[&Attempt],
        manifests: &Manifests,
        options: &Options,
        pace: Pace,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut cluster = empty(manifests, options, true, pace)?;
        let documents = manifests.loaded.documents.iter();
        let documents = documents.filter(|it| pace == Pace::Living || it.kind != "CronJob");
        let rounds = Rounds {
            prepared: &manifests.prepared,
            snapshot,
            attempts,
        };
        // Reading the manifests has reported their problems.
        let _ = cluster.load_rounds(
            documents.filter_map(|document| document.object.as_deref()),
            &rounds,
        );
        cluster.take_record();
        Ok(Self::of_cluster(cluster))
    }

    /// A cluster that is stepped through from here.
    pub(super) fn of_cluster(mut cluster: SimulatedCluster) -> Self {
        let until = horizon(&cluster);
        let (next, due) = (cluster.next_step(until), cluster.due(until));
        let mut terminal = TerminalCluster::new(cluster);
        terminal.is_stepped = true;
        Self {
            next,
            due,
            terminal,
            shell: Shell::default(),
            steps: 0,
            last_given_files: Vec::new(),
            snapshot: OnceCell::new(),
            with_sources: OnceCell::new(),
        }
    }

    /// Steps so far; a change from outside counts as one.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// The scheduler's view of the cluster.
    pub(super) fn snapshot(&self) -> &Snapshot {
        self.snapshot
            .get_or_init(|| Rc::new(self.terminal.cluster.snapshot()))
    }

    pub(super) fn cluster(&self) -> &SimulatedCluster {
        &self.terminal.cluster
    }

    /// Makes one step and returns what happened in it; `None` if nothing is due.
    pub(super) fn step(&mut self) -> Option<(Option<Attempt>, Vec<Happening>)> {
        let until = horizon(&self.terminal.cluster);
        let attempt = match self.terminal.cluster.step(until) {
            Step::Attempt(attempt) => Some(*attempt),
            Step::Moment => None,
            Step::Rest => return None,
        };
        Some((attempt, self.stepped()))
    }

    /// Makes the next attempt of this moment; `None` if the queue has no Pod for it.
    pub(super) fn attempt(&mut self) -> Option<(Attempt, Vec<Happening>)> {
        let attempt = self.terminal.cluster.attempt()?;
        Some((attempt, self.stepped()))
    }

    /// Advances the clock to the next moment in which something happens, at most to `until`. Returns whether
    /// anything did, and what.
    pub(super) fn pass(&mut self, until: Time) -> (bool, Vec<Happening>) {
        // The queue first drops Pods that need no attempt; a replay must do the same.
        drop(self.terminal.cluster.attempt());
        let happened = self.terminal.cluster.pass(until);
        (happened, self.stepped())
    }

    /// Ends a step; returns what happened in it.
    pub(super) fn stepped(&mut self) -> Vec<Happening> {
        self.steps += 1;
        self.snapshot = OnceCell::new();
        self.with_sources = OnceCell::new();
        let until = horizon(&self.terminal.cluster);
        self.next = self.terminal.cluster.next_step(until);
        self.due = self.terminal.cluster.due(until);
        let record = self.terminal.cluster.take_record();
        let began = self.terminal.cluster.began();
        record
            .iter()
            .filter_map(|entry| entry.happening(began))
            .collect()
    }

    /// Gives the session's files to the terminal: those that changed since the last call.
    fn give(&mut self, files: Vec<SourceFile>, fields: Option<&Arc<str>>) {
        let own = &mut self.terminal.files;
        for old in &self.last_given_files {
            let stays = files.iter().any(|file| file.name == old.name);
            // A file that the terminal has overwritten stays.
            if !stays && own.get(&old.name) == Some(&old.text) {
                own.remove(&old.name);
            }
        }
        for file in &files {
            if !self.last_given_files.contains(file) {
                own.insert(file.name.clone(), Arc::clone(&file.text));
            }
        }
        self.last_given_files = files;
        self.terminal.fields = fields.cloned();
    }

    /// Applies a change of the manifests as `kubectl apply` and `kubectl delete` would; replaces what the
    /// delivery replaces, as `kubectl replace --force` would.
    pub(super) fn apply(
        &mut self,
        before: &Loaded,
        after: &Loaded,
        delivery: &mut Delivery<'_>,
    ) -> Vec<Happening> {
        let (old, new) = (by_key(before), by_key(after));
        let api = self.terminal.cluster.api_mut();
        for (kind, key) in old.keys() {
            if !new.contains_key(&(*kind, key.clone())) {
                // It may have been deleted already.
                let _ = api.delete_object(kind, key);
            }
        }
        let mut created: Vec<(&str, &Key, &Manifest)> = Vec::new();
        for ((kind, key), manifest) in &new {
            if delivery.replaces(kind, key) {
                // It may have been deleted already.
                let _ = match *kind {
                    "Pod" => api.delete_within::<Pod>(key, Some(0)),
                    kind => api.delete_object(kind, key),
                };
                if *kind == "ResourceClaimTemplate" {
                    // Their Pods get new ones.
                    for claim in resource_claim::unallocated_of(key, api.store()) {
                        let _ = api.delete_object("ResourceClaim", &claim);
                    }
                }
                created.push((kind, key, manifest));
                continue;
            }
            let known = old.get(&(*kind, key.clone()));
            let (Some(known), true) = (known, api.store().get(kind, key).is_some()) else {
                created.push((kind, key, manifest));
                continue;
            };
            let (was, now) = (to_json(known), to_json(manifest));
            if was != now {
                let changed = api.patch_object(kind, key, FieldValidation::Ignore, &mut |live| {
                    patch::apply_again(live, &was, &now);
                    Ok(())
                });
                if let Err(error) = changed {
                    delivery.refuse(kind, key, &error);
                }
            }
        }
        let objects = created.iter().map(|(_, _, manifest)| *manifest);
        for (place, error) in self.terminal.cluster.load(objects) {
            if let Some((kind, key, _)) = created.get(place) {
                delivery.refuse(kind, key, &error);
            }
        }
        self.terminal.cluster.prepare();
        self.stepped()
    }
}

/// A cluster without objects, with the scheduler's configuration from these manifests.
///
/// # Errors
/// Why kube-scheduler would not start with this configuration.
pub(super) fn empty(
    manifests: &Manifests,
    options: &Options,
    tells_kept: bool,
    pace: Pace,
) -> Result<SimulatedCluster, Vec<ProfileError>> {
    let simulation_options = SimulationOptions {
        scheduling: SchedulingOptions {
            run: sources::run_options(options),
            tells_kept,
            pop_from_backoff: manifests
                .prepared
                .release
                .is_on(Gate::SchedulerPopFromBackoffQ),
        },
        kubelet: KubeletRules {
            by_containers: true,
            processes: match pace {
                Pace::Living => Processes::ByCommand,
                Pace::Still => Processes::Serve,
            },
            ..KubeletRules::default()
        },
        controllers: controllers::Options {
            provisions_at_once: pace == Pace::Living,
            ..controllers::Options::default()
        },
        edition: options.edition,
        ..SimulationOptions::default()
    };
    SimulatedCluster::new(&manifests.prepared, &registry(), &simulation_options)
}

/// Objects by kind and key.
fn by_key(loaded: &Loaded) -> BTreeMap<(&'static str, Key), &Manifest> {
    let documents = loaded.by_object().into_iter();
    sort::gather(documents.filter_map(|((_, namespace, name), document)| {
        let manifest = document.object.as_deref()?;
        let kind = Object::of_manifest(manifest)?.kind();
        Some(((kind, Key::new(namespace, name)), manifest))
    }))
}

/// An object as JSON.
pub(crate) fn to_json(manifest: &Manifest) -> serde_json::Value {
    Object::of_manifest(manifest).map_or_else(Default::default, |object| object.to_json())
}

/// When something happens next, in milliseconds since the cluster began. `None` before the end of the log, if
/// nothing is due, or if Pods are only scheduled.
pub fn next_ms(session: &Session) -> Option<i64> {
    let simulated = session.history.simulated()?;
    let is_end = session.position() == session.log().len();
    let next = simulated.next.filter(|_| is_end)?;
    let next = next.max(simulated.cluster().now());
    Some(
        next.counted_from(simulated.cluster().began())
            .milliseconds(),
    )
}

/// What happens next, the queue's flush of unschedulable Pods included. `None` before the end of the log, if a Pod is to
/// be tried now, if nothing is due, or if Pods are only scheduled.
pub fn due(session: &Session) -> Option<&Due> {
    let is_end = session.position() == session.log().len();
    let simulated = session.history.simulated()?;
    simulated.due.as_ref().filter(|_| is_end)
}

/// Whether nothing is due at the end of the log.
pub(super) fn is_at_rest(session: &Session) -> bool {
    match session.history.simulated() {
        Some(simulated) => simulated.next.is_none(),
        None => session.run().next_pod().is_none(),
    }
}

#[cfg(test)]
mod tests;
