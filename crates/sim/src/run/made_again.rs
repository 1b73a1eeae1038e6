//! The Pods that controllers make again: for those that lost their node, and for victims of preemption.

use std::sync::Arc;

use berth_core::api::prepare::TOPOLOGY_LABELS;
use berth_core::api::prepared::{Origin, Phase, PodObject, PodTemplate};
use berth_scheduler::cluster::event::Event;
use berth_scheduler::release::{Gate, Release};

use super::attempt::Attempt;
use super::{MAX_ROUNDS, Run};

/// The number of rounds after which no more victims are made again, each of which may evict others.
const MOST_ROUNDS: u32 = 20 * MAX_ROUNDS;

impl Run {
    /// Keeps the victims that a controller makes again.
    #[inline(never)]
    pub(super) fn note_victims(&mut self, attempt: &Attempt) {
        if !self.remakes_victims || self.last_round >= MOST_ROUNDS {
            return;
        }
        let release = self.snapshot.cluster().release();
        let victims = attempt.victims.iter().map(|victim| &victim.object);
        let again = victims.filter(|victim| victim.is_made_again());
        self.victims
            .extend(again.map(|victim| made_again(victim, release)));
    }

    /// Adds the victims as waiting Pods, in the order of their names, and lets rounds begin again.
    #[inline(never)]
    pub(super) fn make_victims_again(&mut self) {
        let mut victims = std::mem::take(&mut self.victims);
        victims.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
        let added = victims.into_iter().map(Box::new).map(Event::PodAdded);
        let added: Vec<Event> = added.collect();
        self.snapshot.cluster.apply_all(added);
        self.last_round = self.snapshot.round + MAX_ROUNDS;
        self.progressed = true;
    }
}

/// The Pod that a controller makes in place of this one. Here it keeps its name.
pub fn made_again(pod: &PodObject, release: &Release) -> PodObject {
    PodObject {
        template: without_node(&pod.template, release),
        node_name: None,
        phase: Phase::Pending,
        origin: Origin::Again,
        start_ms: None,
        terminating: false,
        nominated_node: None,
        preempted_by_scheduler: false,
        resized: None,
        ..pod.clone()
    }
}

/// The labels of a template without those that admission copies from the node.
pub(super) fn own_labels(
    template: &PodTemplate,
    is_labelled: bool,
) -> impl Iterator<Item = (&String, &String)> {
    let labels = template.labels.iter();
    labels.filter(move |(key, _)| !is_labelled || !TOPOLOGY_LABELS.contains(&key.as_str()))
}

/// The template of a Pod that its controller makes again: without the labels of the node that it was on.
fn without_node(template: &Arc<PodTemplate>, release: &Release) -> Arc<PodTemplate> {
    let is_copied = |key: &&str| template.labels.contains_key(*key);
    if !release.is_on(Gate::PodTopologyLabelsAdmission) || !TOPOLOGY_LABELS.iter().any(is_copied) {
        return Arc::clone(template);
    }
    let labels = own_labels(template, true);
    Arc::new(PodTemplate {
        labels: labels
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        ..PodTemplate::clone(template)
    })
}
