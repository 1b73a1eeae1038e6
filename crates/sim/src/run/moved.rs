//! Runs that begin with another cluster: nodes that are gone with their Pods, Pods that lose their place, Pods that come.
//!
//! The events say what happens to Pods, and the copy of a run begins its rounds with them: nothing is read or prepared
//! again, so a change costs what it changes. [`Run::continued`] comes to the same from manifests.

use std::collections::BTreeSet;

use berth_base::random::Random;
use berth_core::api::prepared::{Origin, PodObject};
use berth_scheduler::cluster::event::{Event, StoredKind};
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_scheduler::volumes::bound_volume;

use super::Run;
use super::effects::{claims_released, nomination};
use super::made_again::made_again;

/// In which order controllers make Pods again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// That of namespaces and names, with the run's own ties.
    #[default]
    Names,
    /// An order, and ties, by this seed.
    Seed(u64),
}

/// Pods that leave their nodes, and what follows.
#[derive(Clone, Debug, Default)]
pub struct Displaced {
    pub events: Vec<Event>,
    /// Pods that their controllers make again, under their old names: `namespace/name`, in the order in which they come.
    pub again: Vec<String>,
    /// Pods without a controller: nothing makes them again.
    pub lost: Vec<String>,
    /// Number of Pods of DaemonSets and of static Pods that are gone. Pods that had ended or were being deleted count
    /// nowhere.
    pub gone: usize,
}

impl Run {
    /// Nodes vanish with their Pods, and with the devices that were published for them.
    pub fn nodes_lost(&self, nodes: &BTreeSet<String>, order: Order) -> Displaced {
        let cluster = self.snapshot.cluster();
        let is_on_them = |pod: &&PodInfo| {
            let node = pod.object.node_name.as_deref();
            node.is_some_and(|node| nodes.contains(node))
        };
        let pods: Vec<&PodInfo> = cluster.pods().iter().filter(is_on_them).collect();
        let mut displaced = displaced(cluster, &pods, order);
        let nominated = cluster.pods().iter().filter(|pod| {
            let node = pod.object.nominated_node.as_deref();
            node.is_some_and(|node| nodes.contains(node))
        });
        let cleared = nominated.map(|pod| nomination(pod.ix, None));
        let slices = cluster.devices().slices().filter(|slice| {
            let node = slice.object.spec.node_name.as_deref();
            node.is_some_and(|node| nodes.contains(node))
        });
        let slices = slices.map(|slice| Event::Removed {
            kind: StoredKind::ResourceSlice,
            namespace: String::new(),
            name: slice.object.metadata.name.clone().unwrap_or_default(),
        });
        let vanish = nodes.iter().cloned().map(Event::NodeDeleted);
        let first = vanish.chain(slices).chain(cleared);
        displaced.events.splice(0..0, first.collect::<Vec<Event>>());
        displaced
    }

    /// Placed Pods become waiting again, but for those that stay on their node, that are being deleted, or that name a
    /// bound claim. They keep their age.
    pub fn pods_unplaced(&self, order: Order) -> Displaced {
        let cluster = self.snapshot.cluster();
        let mut pods: Vec<&PodInfo> = cluster
            .pods()
            .iter()
            .filter(|pod| pod.node.is_some() && can_move(cluster, &pod.object))
            .collect();
        let age = |pod: &PodObject| (pod.origin.order(), pod.created_ms);
        pods.sort_by(|a, b| {
            let (a, b) = (&a.object, &b.object);
            let names = (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name));
            age(a).cmp(&age(b)).then(names)
        });
        let origins: Vec<Origin> = pods.iter().map(|pod| pod.object.origin).collect();
        shuffle(&mut pods, order);
        let mut displaced = Displaced {
            events: leave(cluster, &pods, |_| true),
            again: pods.iter().map(|pod| pod.object.key()).collect(),
            ..Displaced::default()
        };
        let waiting = pods.iter().zip(origins).map(|(pod, origin)| PodObject {
            origin,
            ..made_again(&pod.object, cluster.release())
        });
        displaced.events.extend(waiting.map(added));
        displaced
    }

    /// The run that begins with these events: every waiting Pod is tried, in rounds of its own, and controllers make
    /// victims of preemption again.
    pub fn begun_with(&self, events: Vec<Event>, order: Order) -> Self {
        let mut cluster = self.snapshot.cluster().clone();
        let mut effects = self.effects.clone();
        // Victims that were to be made again are.
        let victims = self.victims.iter().cloned().map(added);
        let events: Vec<Event> = events.into_iter().chain(victims).collect();
        effects.note(&cluster, &events);
        cluster.apply_all(events);
        cluster.apply_all(effects.settle_budgets());
        let mut scheduler = self.snapshot.scheduler.without_memory();
        if let Order::Seed(seed) = order {
            scheduler.reseed(seed);
        }
        Self::of_cluster(cluster, scheduler, effects, true)
    }
}

/// What becomes of Pods that lose their place: those that a controller replaces come again, after those that wait.
fn displaced(cluster: &Cluster, pods: &[&PodInfo], order: Order) -> Displaced {
    let (mut again, others): (Vec<&PodInfo>, Vec<&PodInfo>) =
        pods.iter().partition(|pod| pod.object.is_replaced());
    again.sort_by(|a, b| {
        let (a, b) = (&a.object, &b.object);
        (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name))
    });
    shuffle(&mut again, order);
    let is_active = |pod: &&&PodInfo| !pod.object.terminating && !pod.object.phase.is_terminal();
    let (lost, gone): (Vec<&PodInfo>, Vec<&PodInfo>) = others
        .iter()
        .filter(is_active)
        .partition(|pod| pod.object.template.controller.is_none());
    let mut lost: Vec<String> = lost.iter().map(key).collect();
    lost.sort_unstable();
    let mut events = leave(cluster, pods, |pod| pod.object.is_replaced());
    events.extend(
        again
            .iter()
            .map(|pod| added(made_again(&pod.object, cluster.release()))),
    );
    Displaced {
        events,
        again: again.iter().map(key).collect(),
        lost,
        gone: gone.len(),
    }
}

fn key(pod: &&PodInfo) -> String {
    pod.object.key()
}

/// The Pods are deleted; `comes_again`: whether a Pod of the same name follows, which has its own claims.
fn leave(
    cluster: &Cluster,
    pods: &[&PodInfo],
    comes_again: impl Fn(&PodInfo) -> bool,
) -> Vec<Event> {
    let (again, gone): (Vec<&PodInfo>, Vec<&PodInfo>) =
        pods.iter().partition(|pod| comes_again(pod));
    let [again, gone] = [again, gone].map(|pods| {
        let indices = pods.iter().map(|pod| pod.ix);
        indices.collect::<Vec<PodIx>>()
    });
    let mut events = claims_released(cluster, &gone, &again);
    events.extend(pods.iter().map(|pod| Event::PodDeleted(pod.ix)));
    events
}

fn added(pod: PodObject) -> Event {
    Event::PodAdded(Box::new(pod))
}

/// Shuffles what comes in an order by a seed.
fn shuffle<T>(items: &mut [T], order: Order) {
    if let Order::Seed(seed) = order {
        Random::new(seed).shuffle(items);
    }
}

fn can_move(cluster: &Cluster, pod: &PodObject) -> bool {
    let controller = pod.template.controller.as_ref();
    let stays = controller.is_some_and(|controller| controller.stays_on_its_node());
    !stays && !pod.terminating && !pod.phase.is_terminal() && !has_bound_claim(cluster, pod)
}

fn has_bound_claim(cluster: &Cluster, pod: &PodObject) -> bool {
    let volumes = pod.template.spec.volumes.iter().flatten();
    let mut claims = volumes.filter_map(|volume| volume.persistent_volume_claim.as_ref());
    claims.any(|named| {
        let claim = cluster.volumes().claim(&pod.namespace, &named.claim_name);
        claim.is_some_and(|claim| bound_volume(claim).is_some())
    })
}
