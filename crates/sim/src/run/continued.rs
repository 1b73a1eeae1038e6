//! Continues a run with changed manifests, and keeps its decisions.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::resource::v1::ResourceClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use berth_base::json;
use berth_core::api::prepare::devices;
use berth_core::api::prepared::{PodObject, PodTemplate, Prepared};
use berth_scheduler::cluster::{Cluster, object_key};
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::Registration;
use berth_scheduler::release::Gate;

use super::made_again::{made_again, own_labels};
use super::{Run, RunOptions};

impl Run {
    /// Continues the run with the `new` manifests in place of the `old` ones that it was made from.
    ///
    /// A Pod with an unchanged manifest keeps its node and its nomination, or stays deleted; a Pod with a changed
    /// manifest is a new Pod. Pods on a removed node are pending again if a controller replaces them, after those that
    /// wait already and in the order of their names, and deleted otherwise; so are `evicted` Pods (`namespace/name`). Victims
    /// of preemption that were to be made again are.
    /// Volumes keep their bindings. The pending Pods are queued again.
    ///
    /// # Errors
    /// As [`Run::new`].
    pub fn continued(
        &self,
        (old, new): (&Prepared, &Prepared),
        evicted: &BTreeSet<String>,
        registry: &[Registration],
        options: RunOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut prepared = new.clone();
        let known: HashMap<(&str, &str), &PodObject> =
            old.pods.iter().map(|pod| (name_of(pod), pod)).collect();
        let nodes: HashSet<&str> = names(new.nodes.iter().map(|node| &node.metadata));
        let gone: HashSet<&str> = names(old.nodes.iter().map(|node| &node.metadata))
            .difference(&nodes)
            .copied()
            .collect();
        let mut compared = Templates {
            copies_labels: new.release.is_on(Gate::PodTopologyLabelsAdmission),
            ..Templates::default()
        };
        let victims: HashMap<(&str, &str), &PodObject> =
            self.victims.iter().map(|pod| (name_of(pod), pod)).collect();
        let mut made_again = Vec::new();
        prepared.pods.retain_mut(|pod| {
            let same = known.get(&name_of(pod)).copied();
            if !same.is_some_and(|before| compared.same_pod(before, pod)) {
                return true;
            }
            let is_written_on_node = pod.node_name.is_some();
            let is_evicted = !evicted.is_empty() && evicted.contains(&pod.key());
            if let Some(victim) = victims.get(&name_of(pod)) {
                made_again.push(PodObject {
                    document: pod.document,
                    ..PodObject::clone(victim)
                });
                return false;
            }
            let stays = carry_pod(self.snapshot.cluster(), pod, &gone, is_evicted);
            if stays && is_written_on_node && pod.node_name.is_none() {
                made_again.push(pod.clone());
                return false;
            }
            stays
        });
        made_again.sort_by(|a, b| name_of(a).cmp(&name_of(b)));
        prepared.pods.append(&mut made_again);
        carry_volumes(self.snapshot.cluster(), old, &mut prepared);
        carry_devices(self.snapshot.cluster(), old, &mut prepared);
        let mut run = Self::new(&prepared, registry, options)?;
        let position = self.snapshot.scheduler.position();
        run.snapshot.scheduler.set_position(&position);
        run.snapshot.deleted.clone_from(&self.snapshot.deleted);
        run.effects.carry(&self.effects);
        run.attempts = self.attempts + 1;
        Ok(run)
    }
}

fn name_of(pod: &PodObject) -> (&str, &str) {
    (&pod.namespace, &pod.name)
}

fn names<'a>(metadata: impl Iterator<Item = &'a ObjectMeta>) -> HashSet<&'a str> {
    metadata.filter_map(|meta| meta.name.as_deref()).collect()
}

/// Templates that were found equal: thousands of Pods share a few.
#[derive(Default)]
struct Templates {
    /// Both, and whether their Pods have nodes.
    known: HashMap<(*const PodTemplate, *const PodTemplate, bool), bool>,
    /// Whether the release gives Pods labels of their nodes: these are no part of a Pod's manifest.
    copies_labels: bool,
}

impl Templates {
    fn same_pod(&mut self, before: &PodObject, after: &PodObject) -> bool {
        let (one, other) = (&before.template, &after.template);
        let is_labelled = self.copies_labels && after.node_name.is_some();
        let key = (Arc::as_ptr(one), Arc::as_ptr(other), is_labelled);
        let same_template = *self
            .known
            .entry(key)
            .or_insert_with(|| is_same_template(one, other, is_labelled));
        same_template
            && before.node_name == after.node_name
            && before.phase == after.phase
            && before.terminating == after.terminating
            && before.nominated_node == after.nominated_node
    }
}

/// Compares by JSON text: a derived comparison of each of Kubernetes' types would cost code size.
fn is_same(a: &impl Serialize, b: &impl Serialize) -> bool {
    json::text(a) == json::text(b)
}

fn is_same_template(a: &PodTemplate, b: &PodTemplate, is_labelled: bool) -> bool {
    own_labels(a, is_labelled).eq(own_labels(b, is_labelled))
        && a.annotations == b.annotations
        && a.controller == b.controller
        && is_same(&a.spec, &b.spec)
}

/// Gives a Pod the state that it had in the run; `false` if it was deleted, or is gone with its node.
fn carry_pod(
    cluster: &Cluster,
    pod: &mut PodObject,
    gone: &HashSet<&str>,
    is_evicted: bool,
) -> bool {
    let Some(now) = cluster.pods().find(&pod.namespace, &pod.name) else {
        return false;
    };
    let release = cluster.release();
    let lost_its_node = |node: &Arc<str>| gone.contains(node.as_ref());
    if is_evicted || now.object.node_name.as_ref().is_some_and(lost_its_node) {
        // Its controller creates a replacement, here with the same name; other Pods are deleted.
        let is_replaced = now.object.is_replaced();
        *pod = PodObject {
            document: pod.document,
            ..made_again(&now.object, release)
        };
        return is_replaced;
    }
    if release.is_on(Gate::PodTopologyLabelsAdmission) && now.object.node_name.is_some() {
        // It has the labels that its node had when it was bound.
        pod.template = Arc::clone(&now.object.template);
    }
    pod.node_name.clone_from(&now.object.node_name);
    pod.start_ms = now.object.start_ms;
    pod.phase = now.object.phase;
    let nominated = now.object.nominated_node.clone();
    pod.nominated_node = nominated.filter(|node| !lost_its_node(node));
    true
}

/// Claims keep the allocations and reservations of the run, as long as their manifests are unchanged.
fn carry_devices(cluster: &Cluster, old: &Prepared, new: &mut Prepared) {
    for claim in &mut new.resource_claims {
        let same = |before: &&ResourceClaim| {
            before.metadata.name == claim.metadata.name
                && before.metadata.namespace == claim.metadata.namespace
        };
        let before = old.resource_claims.iter().find(same);
        let (namespace, name) = object_key(&claim.metadata);
        if before.is_some_and(|before| is_same(before, claim))
            && let Some(now) = cluster.devices().claim(&namespace, &name)
        {
            *claim = now.as_ref().clone();
        }
    }
    // A Pod that was removed, or lost its place, consumes nothing.
    let is_it = |pod: &PodObject, namespace: &str, uid: &str| {
        *pod.namespace == *namespace && *pod.uid == *uid
    };
    let lost_its_place = |pod: &PodObject| {
        let now = cluster.pods().find(&pod.namespace, &pod.name);
        pod.node_name.is_none() && now.is_some_and(|now| now.object.node_name.is_some())
    };
    let was = |namespace: &str, uid: &str| old.pods.iter().any(|pod| is_it(pod, namespace, uid));
    let stays = |namespace: &str, uid: &str| {
        let mut pods = new.pods.iter();
        pods.any(|pod| is_it(pod, namespace, uid) && !lost_its_place(pod))
    };
    for claim in &mut new.resource_claims {
        let (namespace, _) = object_key(&claim.metadata);
        let consumers = claim.status.iter().flat_map(|it| &it.reserved_for);
        let gone = consumers
            .flatten()
            .filter(|it| was(&namespace, &it.uid) && !stays(&namespace, &it.uid));
        let gone: Vec<String> = gone.map(|it| it.uid.clone()).collect();
        for uid in gone {
            devices::release_claim(claim, &uid);
        }
    }
}

/// Volumes and claims that the run bound stay bound, as long as their manifests are unchanged.
fn carry_volumes(cluster: &Cluster, old: &Prepared, new: &mut Prepared) {
    let stored = cluster.volumes();
    for claim in &mut new.persistent_volume_claims {
        let same = |before: &&PersistentVolumeClaim| {
            before.metadata.name == claim.metadata.name
                && before.metadata.namespace == claim.metadata.namespace
        };
        let before = old.persistent_volume_claims.iter().find(same);
        let namespace = claim.metadata.namespace.as_deref().unwrap_or_default();
        let name = claim.metadata.name.as_deref().unwrap_or_default();
        if before.is_some_and(|before| is_same(before, claim))
            && let Some(now) = stored.claim(namespace, name)
        {
            *claim = now.as_ref().clone();
        }
    }
    let name = |volume: &PersistentVolume| volume.metadata.name.clone().unwrap_or_default();
    for volume in &mut new.persistent_volumes {
        let before = old
            .persistent_volumes
            .iter()
            .find(|before| before.metadata.name == volume.metadata.name);
        if before.is_some_and(|before| is_same(before, volume))
            && let Some(now) = stored.persistent_volumes.get(&name(volume))
        {
            *volume = now.as_ref().clone();
        }
    }
    // Provisioned volumes are in no manifest; they stay as long as their claim.
    let listed: HashSet<String> = old.persistent_volumes.iter().map(name).collect();
    let wanted: HashSet<String> = new
        .persistent_volume_claims
        .iter()
        .filter_map(|claim| claim.spec.as_ref()?.volume_name.clone())
        .collect();
    let provisioned = stored
        .persistent_volumes
        .iter()
        .filter(|(name, _)| !listed.contains(*name) && wanted.contains(*name))
        .map(|(_, volume)| volume.as_ref().clone());
    new.persistent_volumes.extend(provisioned);
}
