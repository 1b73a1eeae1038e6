//! A scenario with a Script, played on a virtual clock.
//!
//! There is one [`player`] and one interpreter of [`steps`]. A script is played on a [`simulated`] cluster, or on a
//! scheduler alone ([`scheduler_only`]). [`timeline`] plays it under the conditions in which the real workload
//! controllers were recorded.

mod edits;
pub mod format;
mod key;
mod operations;
mod player;
mod scheduler_only;
mod simulated;
mod steps;
pub mod timeline;
mod whole_objects;

use berth_core::api::decode::Finding;
use berth_core::api::object::Manifest;
use berth_core::api::prepared::Prepared;
use berth_core::api::script::{Script, Verbs};
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::Registration;

use super::history::Record;
use super::run::RunOptions;
use super::scheduling::SchedulingOptions;
use super::simulated_cluster::{SimulatedCluster, SimulationOptions};
use player::Player;
use scheduler_only::SchedulerOnly;
use simulated::Simulated;

/// A finished replay.
#[derive(Clone, Debug)]
pub struct Played {
    pub record: Record,
    /// Acts of the script that the API server refused, by field path of the script.
    pub refused: Vec<Finding>,
}

/// Options of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplayOptions {
    pub run: RunOptions,
    /// Whether to also record the Pods that an event left where they were, and why.
    pub tells_kept: bool,
    /// Whether there are controllers and kubelets besides the scheduler.
    pub controllers: bool,
}

impl ReplayOptions {
    /// The steps that a script may have.
    pub fn verbs(&self) -> Verbs {
        match self.controllers {
            true => Verbs::Operations,
            false => Verbs::Objects,
        }
    }
}

/// Plays a script. `objects` are those that `prepared` was made of, in document order, without the Pods of
/// workloads.
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
    if options.controllers {
        Ok(begin_simulated(prepared, objects, script, registry, options)?.play())
    } else {
        Ok(begin_scheduler_only(prepared, objects, script, registry, options)?.play())
    }
}

fn begin_simulated<'a>(
    prepared: &Prepared,
    objects: impl Iterator<Item = &'a Manifest>,
    script: Script,
    registry: &[Registration],
    options: ReplayOptions,
) -> Result<Player<Simulated>, Vec<ProfileError>> {
    let cluster_options = SimulationOptions {
        scheduling: scheduling_options(&script, options),
        kubelet: script.kubelet.clone(),
        ..SimulationOptions::default()
    };
    let cluster = SimulatedCluster::new(prepared, registry, &cluster_options)?;
    Ok(Player::new(Simulated::load(cluster, objects), script))
}

fn begin_scheduler_only<'a>(
    prepared: &Prepared,
    objects: impl Iterator<Item = &'a Manifest>,
    script: Script,
    registry: &[Registration],
    options: ReplayOptions,
) -> Result<Player<SchedulerOnly>, Vec<ProfileError>> {
    let scheduling = scheduling_options(&script, options);
    let last_second = script.until_seconds;
    let cluster = SchedulerOnly::new(prepared, objects, last_second, registry, scheduling)?;
    Ok(Player::new(cluster, script))
}

fn scheduling_options(script: &Script, options: ReplayOptions) -> SchedulingOptions {
    SchedulingOptions {
        run: options.run,
        tells_kept: options.tells_kept,
        pop_from_backoff: script.pop_from_backoff,
    }
}

#[cfg(test)]
mod tests;
