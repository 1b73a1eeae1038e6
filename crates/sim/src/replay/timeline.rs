//! Plays the objects and the script of a file under the conditions in which the real workload controllers were
//! recorded, and makes the same record (`berth replay FILE -o timeline`).
//!
//! This is a preset of [`SimulatedCluster`] ([`recorded`], round-robin placement, counted names) with a record of it;
//! it adds no behavior. It is part of the program because recorded lives are compared by running that command.
//!
//! Time is whole seconds. The next instant is the earliest of: a step, a deadline of a Pod, a delayed key of
//! a controller. In an instant deadlines come first, then due keys, then steps; then everything works until
//! nothing is left to do.

mod record;
mod workloads;

use serde_json::Value;

use super::operations::Operations;
use super::player::Cluster;
use super::simulated::Simulated;
use super::steps;
use crate::controllers::Options;
use crate::scheduling::SchedulingOptions;
use crate::simulated_cluster::{Placement, SimulatedCluster, SimulationOptions};
use crate::workqueue::Retry;
use berth_base::time::Time;
use berth_core::api::decode::Finding;
use berth_core::api::object::Manifest;
use berth_core::api::prepared::Prepared;
use berth_core::api::script::{Script, Step};
use berth_scheduler::release::{Release, Version};

use record::{Instant, Timeline};

/// Retries made without delay within one instant.
const RETRIES_AT_ONCE: u32 = 12;

/// Why a replay stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A step of the script cannot be done, or the cluster never settles.
    Script(Vec<Finding>),
    /// An object of the file cannot be created; `index` is its position in the list.
    Manifest { index: usize, message: String },
}

/// The controllers of a release as they were recorded, without delays. A Job's time to live is ignored.
pub fn recorded(release: Release) -> Options {
    Options {
        release,
        retry: Retry::AtOnce(RETRIES_AT_ONCE),
        job_waits_for_pods: jobs_wait(release.version()),
        job_ttl: false,
        housekeeping: false,
        budgets: false,
        nodes: false,
        provisions_at_once: true,
    }
}

/// Whether recorded Jobs wait for their Pods to end. The recordings for v1.34 were made with v1.28, whose Jobs do not.
fn jobs_wait(recorded_for: Version) -> bool {
    match recorded_for {
        Version::V1_34 => false,
        Version::V1_35 | Version::V1_36 => true,
    }
}

/// Plays the objects, created in this order at second 0, and the script. The record is the JSON of
/// `conformance-controllers`: `timeline` and `hashes`.
///
/// # Errors
/// If a step cannot be done, or the cluster never settles.
pub fn play(
    objects: &[&Manifest],
    script: &Script,
    controllers: Options,
) -> Result<Value, Failure> {
    let mut replay = Replay::new(script, controllers)?;
    let Simulated {
        cluster,
        operations,
    } = &mut replay.simulated;
    for (index, object) in objects.iter().enumerate() {
        let created = operations.create(object, cluster.api_mut());
        created.map_err(|message| Failure::Manifest { index, message })?;
    }
    let mut next = Some(0);
    while let Some(second) = next.filter(|second| *second <= script.until_seconds) {
        replay.play(second).map_err(Failure::Script)?;
        next = replay.next_second(second);
    }
    let hashes = replay.simulated.cluster.hashes();
    Ok(replay.timeline.finish(hashes))
}

struct Replay<'a> {
    simulated: Simulated,
    /// Steps that are left.
    steps: &'a [Step],
    timeline: Timeline,
}

impl<'a> Replay<'a> {
    fn new(script: &'a Script, controllers: Options) -> Result<Self, Failure> {
        let options = SimulationOptions {
            scheduling: SchedulingOptions::default(),
            kubelet: script.kubelet.clone(),
            controllers,
            placement: Placement::RoundRobin,
            counts_names: true,
            ..SimulationOptions::default()
        };
        // No Pod is scheduled, so no profile is needed.
        let mut prepared = Prepared {
            release: controllers.release,
            ..Prepared::default()
        };
        prepared.configuration.profiles.clear();
        let cluster = SimulatedCluster::new(&prepared, &[], &options);
        let cluster = cluster.map_err(|errors| {
            let findings = errors
                .into_iter()
                .map(|error| Finding::error(error.path, error.message));
            Failure::Script(findings.collect())
        })?;
        Ok(Replay {
            simulated: Simulated {
                cluster,
                operations: Operations::default(),
            },
            steps: &script.steps,
            timeline: Timeline::default(),
        })
    }

    /// One instant.
    fn play(&mut self, second: i64) -> Result<(), Vec<Finding>> {
        let moment = Time::at_second(second);
        self.simulated.cluster.begin(moment);
        let mut instant = Instant {
            second,
            ..Instant::default()
        };
        while let Some((step, later)) = self.steps.split_first()
            && step.at <= moment
        {
            self.steps = later;
            instant.stepped = true;
            for act in &step.acts {
                let lines = steps::act(&mut self.simulated, act)?;
                // The first line is the act itself.
                instant.messages.extend(lines.into_iter().skip(1));
            }
        }
        self.simulated.cluster.settle();
        if let Some(livelock) = self.simulated.livelock() {
            return Err(vec![livelock]);
        }
        let cluster = &mut self.simulated.cluster;
        instant.audit_log = cluster.api_mut().take_audit_log();
        self.timeline
            .record(instant, cluster.api().store(), cluster.hashes());
        Ok(())
    }

    /// The next second in which something may happen.
    fn next_second(&mut self, second: i64) -> Option<i64> {
        let step = self.steps.first().map(|step| step.at);
        let due = self.simulated.cluster.next_due();
        let next = step.into_iter().chain(due).min()?;
        let whole = next.microseconds().div_euclid(1_000_000);
        let is_whole = next.cut_to_second() == next;
        Some((whole + i64::from(!is_whole)).max(second + 1))
    }
}

#[cfg(test)]
pub(crate) mod tests;
