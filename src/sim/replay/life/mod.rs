//! A scenario with a Script, played in a cluster that lives: [`SimulatedCluster`].
//!
//! Steps are done at their time, after what happens by itself in that moment.

pub mod script;
mod steps;

use std::rc::Rc;

use crate::api::decode::Finding;
use crate::api::object::Manifest;
use crate::api::prepared::Prepared;
use crate::base::time::Time;
use crate::framework::profile::ProfileError;
use crate::framework::registry::Registration;
use crate::sim::history::{Entry, Record};
use crate::sim::scheduling::SchedulingOptions;
use crate::sim::timeline::steps::Steps;
use crate::sim::world::{SimulatedCluster, WorldOptions};

use super::{Played, ReplayOptions};
use script::LifeScript;

/// A replay with a control plane.
struct Life {
    world: SimulatedCluster,
    steps: Steps,
    script: Rc<LifeScript>,
    /// Steps that are done.
    done: usize,
    refused: Vec<Finding>,
}

/// Plays a script. `objects` are those that `prepared` was made of, in document order, without the Pods of
/// workloads.
///
/// # Errors
/// Why kube-scheduler would not start with this configuration.
pub fn play<'a>(
    prepared: &Prepared,
    objects: impl Iterator<Item = &'a Manifest>,
    script: LifeScript,
    registry: &[Registration],
    options: ReplayOptions,
) -> Result<Played, Vec<ProfileError>> {
    let mut life = Life::new(prepared, objects, script, registry, options)?;
    while life.advance() {}
    Ok(life.finish())
}

impl Life {
    fn new<'a>(
        prepared: &Prepared,
        objects: impl Iterator<Item = &'a Manifest>,
        script: LifeScript,
        registry: &[Registration],
        options: ReplayOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let scheduling = SchedulingOptions {
            run: options.run,
            tells_kept: options.tells_kept,
            pop_from_backoff: script.script.pop_from_backoff,
        };
        let kubelet = script.kubelet.clone();
        let world_options = WorldOptions {
            scheduling,
            kubelet,
        };
        let mut life = Life {
            world: SimulatedCluster::new(prepared, registry, &world_options)?,
            steps: Steps::default(),
            script: Rc::new(script),
            done: 0,
            refused: Vec::new(),
        };
        let objects: Vec<&Manifest> = objects.collect();
        for object in &objects {
            life.steps.note(object);
        }
        // What is wrong with a document was said when it was read.
        let _ = life.world.load(objects.into_iter());
        life.world.settle();
        Ok(life)
    }

    /// Goes on to the next moment, or does the next step; `false` at the end, and if the cluster does not
    /// come to rest.
    fn advance(&mut self) -> bool {
        if let Some(livelock) = self.world.livelock() {
            let second = Time::at_microsecond(livelock.at_ms.saturating_mul(1_000)).as_seconds();
            self.tell_of_livelock(second);
            return false;
        }
        // Steps are done also after the last second.
        let steps = &self.script.script.steps;
        let next = steps.get(self.done).map(|step| step.at);
        let last = Time::at_second(self.script.script.until_seconds);
        let until = next.unwrap_or(last);
        if self.world.advance(until) {
            return true;
        }
        if next.is_none() {
            return false;
        }
        self.step(self.done);
        self.done += 1;
        self.world.settle();
        true
    }

    fn tell_of_livelock(&mut self, second: f64) {
        let message = format!("the cluster never comes to rest at second {second}");
        let mut finding = Finding::error("", message);
        if self.world.is_spinning() {
            let help =
                "Pods that end at once are replaced at once: let them take time (`runSeconds`)";
            finding = finding.help(help);
        }
        self.refused.push(finding);
    }

    /// A step of the script.
    fn step(&mut self, number: usize) {
        let script = Rc::clone(&self.script);
        let acts = script.script.steps.get(number);
        let acts = acts.into_iter().flat_map(|step| &step.acts);
        let mut does: Vec<String> = acts.filter_map(|act| self.act(act)).collect();
        if let Some(step) = script.verbs.get(&number) {
            does.extend(self.act_on_workloads(number, step));
        }
        // The step tells what it wrote.
        self.world.api_mut().take_journal();
        let at = self.world.now();
        let step = number;
        let entries = &mut self.world.scheduling_mut().entries;
        entries.push(Entry::Step { at, step, does });
    }

    fn finish(mut self) -> Played {
        let pods = self.world.scheduling().watch.cluster.pods().iter();
        let existing = pods.filter(|pod| !pod.object.phase.is_terminal());
        let placed = existing.map(|pod| (pod.object.key(), pod.object.node_name.clone()));
        let record = Record {
            pop_from_backoff: self.script.script.pop_from_backoff,
            until_seconds: self.script.script.until_seconds,
            placed: placed.collect(),
            entries: self.world.take_record(),
            deleted: self.world.scheduling().deleted.clone(),
            waiting: self.world.queue(),
        };
        Played {
            record,
            refused: self.refused,
        }
    }
}

#[cfg(test)]
mod tests;
