//! A scenario with a Script, played with the whole control plane: workload controllers and kubelets on the
//! clock of the scheduling queue.
//!
//! The API server holds Nodes, Pods and workloads; the scheduler hears of them as they change
//! (`mirror`), and what it decides is written there at once. Due work goes in the order of time, and of one
//! moment in the order in which it was put down; after each piece everybody works until nothing is
//! left to do.

pub mod script;
mod steps;
mod world;

use crate::api::decode::Finding;
use crate::api::object::Object;
use crate::api::prepared::Prepared;
use crate::base::random::Random;
use crate::base::time::Time;
use crate::framework::registry::Registration;
use crate::sim::agenda::Ticket;
use crate::sim::control_plane::ControlPlane;
use crate::sim::controllers::Options;
use crate::sim::server::{ApiServer, Naming};
use crate::sim::timeline::steps::Steps;

use super::record::Entry;
use super::{Played, Replay, ReplayOptions, Work};
use script::LifeScript;
use world::World;

/// Deadlines of one moment after which a cluster is held to be restless for ever: Pods, for example,
/// that end as soon as they start, and are replaced.
const MAX_PASSES: u32 = 500;

/// Names come from the seed, but not the numbers that break ties.
const NAMES: u64 = 0x006e_616d_6573;

/// A replay with a control plane.
struct Life {
    plane: ControlPlane,
    world: World,
    steps: Steps,
    script: LifeScript,
    /// When controllers or kubelets are due next.
    due: Option<(Time, Ticket)>,
    /// Deadlines that have passed in this moment.
    passes: u32,
}

/// Plays a script. `objects` are those that `prepared` was made of, in document order, without the Pods of
/// workloads.
///
/// # Errors
/// Why kube-scheduler would not start with this configuration.
pub fn play<'a>(
    prepared: &Prepared,
    objects: impl Iterator<Item = &'a Object>,
    script: LifeScript,
    registry: &[Registration],
    options: ReplayOptions,
) -> Result<Played, Vec<String>> {
    let mut life = Life::new(prepared, objects, script, registry, options)?;
    while life.advance() {}
    Ok(life.world.replay.finish())
}

impl Life {
    fn new<'a>(
        prepared: &Prepared,
        objects: impl Iterator<Item = &'a Object>,
        script: LifeScript,
        registry: &[Registration],
        options: ReplayOptions,
    ) -> Result<Self, Vec<String>> {
        // The API server tells of these.
        let prepared = Prepared {
            nodes: Vec::new(),
            pods: Vec::new(),
            replica_sets: Vec::new(),
            stateful_sets: Vec::new(),
            ..prepared.clone()
        };
        let objects: Vec<&Object> = objects.collect();
        let others = objects.iter().filter(|object| !steps::is_served(object));
        let plain = script.script.clone();
        let mut replay = Replay::new(&prepared, others.copied(), plain, registry, options)?;
        replay.orders = Some(Vec::new());
        let naming = Naming::Seeded(Random::new(options.run.seed ^ NAMES));
        let mut api = ApiServer::new(naming, script.kubelet.grace_seconds);
        api.set_policies(replay.store.policies());
        let mut life = Life {
            plane: ControlPlane::new(api, Options::default()),
            world: World::new(replay, script.kubelet.clone()),
            steps: Steps::default(),
            script,
            due: None,
            passes: 0,
        };
        for object in objects {
            // What is wrong with a document was said when it was read.
            let _ = life.steps.create(object, &mut life.plane.api);
        }
        // The documents tell of themselves.
        life.plane.api.take_journal();
        Ok(life)
    }

    /// Does the next work on the agenda; `false` at the end, and if the cluster does not come to rest.
    fn advance(&mut self) -> bool {
        let replay = &mut self.world.replay;
        let Some((due, work)) = replay.agenda.take_next() else {
            return false;
        };
        // Steps are done also after the last second.
        let last = replay.steps.last().map_or(Time::START, |step| step.at);
        if due > last.max(Time::at_second(replay.until_seconds)) {
            return false;
        }
        if due > replay.instant {
            self.passes = 0;
            self.world.cycles = 0;
        }
        replay.instant = due;
        replay.watch.clock.advance_to(due);
        self.plane.api.set_now_ms(due.milliseconds());
        match work {
            Work::Second(second) => {
                replay.flush(second);
                replay.plan(second);
            }
            Work::Step(number) => self.step(number),
            Work::Due => {
                self.due = None;
                self.passes += 1;
                self.world.kubelet.act(&mut self.plane.api);
                self.plane.release();
            }
        }
        let settled = self.plane.settle(&mut self.world);
        self.world.take_journal(&mut self.plane.api);
        if settled.is_err() || self.passes > MAX_PASSES || self.world.is_restless() {
            self.tell_of_livelock(due);
            return false;
        }
        self.put_due();
        true
    }

    fn tell_of_livelock(&mut self, at: Time) {
        let second = at.as_seconds();
        let message = format!("the cluster never comes to rest at second {second}");
        let mut finding = Finding::error("", message);
        if self.passes > MAX_PASSES {
            let help =
                "Pods that end at once are replaced at once: let them take time (`runSeconds`)";
            finding = finding.help(help);
        }
        self.world.replay.refused.push(finding);
    }

    /// Puts the next deadline of controllers and kubelets on the agenda.
    fn put_due(&mut self) {
        let due = [self.world.kubelet.next_due(), self.plane.next_due()];
        let next = due.into_iter().flatten().min();
        let next = next.map(|ms| Time::at_microsecond(ms.saturating_mul(1_000)));
        if self.due.map(|(at, _)| at) == next {
            return;
        }
        let agenda = &mut self.world.replay.agenda;
        if let Some((_, ticket)) = self.due.take() {
            agenda.call_off(ticket);
        }
        self.due = next.map(|at| (at, agenda.put(at, Work::Due)));
    }

    /// A step of the script.
    fn step(&mut self, number: usize) {
        let acts = self.world.replay.steps.get(number);
        let acts = acts.map(|step| step.acts.clone()).unwrap_or_default();
        let mut does: Vec<String> = acts.iter().filter_map(|act| self.act(act)).collect();
        if let Some(step) = self.script.verbs.get(&number).cloned() {
            does.extend(self.act_on_workloads(number, &step));
        }
        let replay = &mut self.world.replay;
        if acts.iter().any(super::steps::is_about_volumes) {
            super::controllers::bind_what_can_be(&replay.store, &mut replay.watch);
        }
        replay.budgets.write_status(&mut replay.watch);
        // The step tells what it wrote.
        self.plane.api.take_journal();
        let at = replay.instant;
        let step = number;
        replay.entries.push(Entry::Step { at, step, does });
        replay.take_notes();
    }
}

#[cfg(test)]
mod tests;
