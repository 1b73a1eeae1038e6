//! Plays the objects of a file and its script (`conformance/v1`) on a virtual clock, with all controllers,
//! and records what happens (`berth replay FILE -o timeline`).
//!
//! Time is whole seconds. The next instant is the earliest of: a step, something due for a Pod, a key that
//! a controller has put off. In an instant Pods get ready or end, keys that are due come to their queues,
//! the steps are done, and then everybody works until nothing is left to do.

pub(crate) mod edits;
pub(in crate::sim) mod names;
mod record;
pub mod script;
pub(super) mod scripted;
pub(super) mod steps;
mod workloads;

use std::collections::BTreeMap;

use serde_json::Value;

use super::control_plane::{ControlPlane, Livelock, Surroundings};
use super::controllers::Options;
use super::kubelet::Kubelet;
use super::round_robin::RoundRobin;
use super::server::{ApiServer, Naming};
use super::store::Change;
use super::workqueue::Retry;
use crate::api::object::Manifest;

use record::{Instant, Timeline};
use script::Script;
use scripted::ScriptedFates;
use steps::Steps;

/// Retries of one instant that are made at once.
const RETRIES_AT_ONCE: u32 = 12;

/// Why a replay stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A step of the script cannot be done.
    Step {
        index: usize,
        message: String,
    },
    /// An object of the file cannot be created; its place in the list.
    Manifest {
        index: usize,
        message: String,
    },
    Livelock(Livelock),
}

/// How the controllers were that the recorded lives tell of: those of v1.28 in a world without delays,
/// where a Job does not wait for its Pods to end, and nobody deletes it when it has been finished for long.
pub const RECORDED: Options = Options {
    retry: Retry::AtOnce(RETRIES_AT_ONCE),
    job_waits_for_pods: false,
    job_ttl: false,
    housekeeping: false,
    budgets: false,
    nodes: false,
};

/// Plays the objects, created in this order at second 0, and the script. The record is the JSON of
/// `conformance-controllers`: `timeline` and `hashes`.
///
/// # Errors
/// If a step cannot be done, or the cluster never comes to rest.
pub fn play(objects: &[&Manifest], script: &Script, options: Options) -> Result<Value, Failure> {
    let mut replay = Replay::new(script, options);
    for (index, object) in objects.iter().enumerate() {
        let created = replay.steps.create(object, &mut replay.plane.api);
        created.map_err(|message| Failure::Manifest { index, message })?;
    }
    let mut next = Some(0);
    while let Some(second) = next.filter(|second| *second <= script.until) {
        replay.play(second)?;
        next = replay.next_second(second);
    }
    Ok(replay.timeline.finish(&replay.world.fates.names))
}

/// The binder and the kubelets of a replay.
struct World {
    binder: RoundRobin,
    kubelet: Kubelet,
    fates: ScriptedFates,
}

impl Surroundings for World {
    fn observe(&mut self, change: &Change, _: &mut ApiServer) {
        self.fates.names.observe(change);
        self.binder.observe(change);
        self.kubelet.observe(change);
    }

    fn act(&mut self, api: &mut ApiServer) -> bool {
        self.kubelet.start_arrived(&mut self.fates, api);
        self.binder.act(&mut self.kubelet, &mut self.fates, api);
        self.kubelet.end_graces(api);
        false
    }
}

struct Replay<'a> {
    script: &'a Script,
    plane: ControlPlane,
    world: World,
    timeline: Timeline,
    steps: Steps,
    /// Steps that are done already.
    done: Vec<bool>,
}

impl<'a> Replay<'a> {
    fn new(script: &'a Script, options: Options) -> Self {
        let naming = Naming::Counted(BTreeMap::new());
        let api = ApiServer::new(naming, script.kubelet.grace_seconds);
        Replay {
            script,
            plane: ControlPlane::new(api, options),
            world: World {
                binder: RoundRobin::default(),
                kubelet: Kubelet::new(),
                fates: ScriptedFates::new(script.kubelet.clone()),
            },
            timeline: Timeline::default(),
            steps: Steps::default(),
            done: vec![false; script.steps.len()],
        }
    }

    /// One instant.
    fn play(&mut self, second: i64) -> Result<(), Failure> {
        self.plane.api.set_now_ms(second.saturating_mul(1_000));
        self.world.kubelet.act(&mut self.plane.api);
        self.plane.release();
        let mut instant = Instant {
            second,
            ..Instant::default()
        };
        for (index, step) in self.script.steps.iter().enumerate() {
            if self.done.get(index) != Some(&false) || step.at > second {
                continue;
            }
            if let Some(done) = self.done.get_mut(index) {
                *done = true;
            }
            instant.stepped = true;
            let names = &self.world.fates.names;
            let said = self.steps.act(step, names, &mut self.plane.api);
            let said = said.map_err(|message| Failure::Step { index, message })?;
            instant.messages.extend(said);
        }
        let settled = self.plane.settle(&mut self.world);
        settled.map_err(Failure::Livelock)?;
        instant.journal = self.plane.api.take_journal();
        let names = &self.world.fates.names;
        self.timeline.record(instant, self.plane.api.store(), names);
        Ok(())
    }

    /// The next second in which something may happen.
    fn next_second(&mut self, second: i64) -> Option<i64> {
        let steps = self.script.steps.iter().zip(&self.done);
        let steps = steps.filter(|(_, done)| !**done).map(|(step, _)| step.at);
        let due = [self.world.kubelet.next_due(), self.plane.next_due()];
        let due = due.into_iter().flatten();
        let due = due.map(|ms| ms.div_euclid(1_000) + i64::from(ms.rem_euclid(1_000) > 0));
        let next = steps.chain(due).min()?;
        Some(next.max(second + 1))
    }
}

#[cfg(test)]
pub(crate) mod tests;
