//! Writes the scheduler's decisions to the API server: volumes, bindings, victims, and why Pods are pending.
//!
//! Mirrors the writes of kube-scheduler v1.34 (`schedule_one.go`, `VolumeBinding`'s PreBind, the preemption executor),
//! events and conditions included.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, PodCondition};
use k8s_openapi::api::resource::v1::ResourceClaim;

use crate::audit_log::{Event, Level};
use crate::controllers::volume;
use crate::pod_util;
use crate::scheduling::Write;
use crate::server::ApiServer;
use crate::store::{Key, name_of, namespace_of, uid_of};
use berth_core::api::controllers::volumes::PodVolumes;
use berth_scheduler::cluster::devices::{allocation_of, pre_bind_failure};
use berth_scheduler::framework::plugin::{AwaitedDevices, VolumeDecisions};

use super::data_plane::SchedulerAndKubelets;
use super::device_wait::{DeviceWait, Look, pending_event};

const SCHEDULER: &str = "default-scheduler";

/// A Pod whose node is decided, but whose claims are not bound yet.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pod: Key,
    uid: Arc<str>,
    node: Arc<str>,
    claims: Vec<Key>,
    /// The devices that it waits for.
    devices: Option<DeviceWait>,
}

impl SchedulerAndKubelets {
    /// Writes what the scheduler has decided.
    pub(super) fn carry_out(&mut self, api: &mut ApiServer) {
        self.write_decisions(api);
        self.finish_bindings(api);
        self.record_audit_log(api);
    }

    fn write_decisions(&mut self, api: &mut ApiServer) {
        api.set_component(SCHEDULER);
        let writes = self.scheduling.writes.as_mut().map(std::mem::take);
        for write in writes.into_iter().flatten() {
            match write {
                Write::Delete {
                    pod,
                    preemptor,
                    node,
                } => preempt(&pod, &preemptor, &node, api),
                Write::Bind {
                    pod,
                    uid,
                    node,
                    volumes,
                } => {
                    let claims = write_volumes(&pod, &node, &volumes, api);
                    for write in &volumes.claims {
                        write_claim(&write.claim, api);
                    }
                    if let Some(created) = &volumes.created {
                        create_claim(created, api);
                    }
                    let devices = volumes.awaits.as_ref();
                    let devices =
                        devices.map(|awaited| wait_for_devices(&pod, &node, awaited, api));
                    self.binding.push(Binding {
                        pod,
                        uid,
                        node,
                        claims,
                        devices,
                    });
                }
                Write::Status {
                    pod,
                    reason,
                    message,
                    nominated,
                } => write_status(&pod, reason, &message, nominated.as_deref(), api),
                Write::Claim(claim) => write_claim(&claim, api),
                Write::Nominate { pod, node } => nominate(&pod, node.as_deref(), api),
            }
        }
    }

    /// Whether the node of a Pod is decided while its claims are not bound yet.
    pub(super) fn is_binding(&self, pod: &Key) -> bool {
        self.binding.iter().any(|binding| binding.pod == *pod)
    }

    /// Binds the Pods whose claims are bound and whose devices are ready, unless they have been deleted meanwhile. Another Pod of the same name is
    /// not bound.
    pub(super) fn finish_bindings(&mut self, api: &mut ApiServer) {
        if self.binding.is_empty() {
            return;
        }
        api.set_component(SCHEDULER);
        let waiting = std::mem::take(&mut self.binding);
        for binding in waiting {
            let pod = api.store().pods.get(&binding.pod);
            if pod.is_none_or(|pod| uid_of(&pod.metadata) != &*binding.uid) {
                continue;
            }
            let is_open = |key: &Key| {
                let claim = api.store().claims.get(key);
                claim.is_some_and(|claim| !is_bound(claim))
            };
            if binding.claims.iter().any(is_open) {
                self.binding.push(binding);
                continue;
            }
            let look = binding.devices.as_ref().map(|wait| wait.look(api));
            match look.unwrap_or(Look::Ready) {
                Look::Ready => self.bind(&binding, api),
                Look::Waiting => self.binding.push(binding),
                Look::Failed(message) => self.fail_binding(&binding, &message, api),
            }
        }
    }

    /// When the next look at a Pod's devices may end its wait, in milliseconds of virtual time.
    pub(super) fn next_look_ms(&self, api: &ApiServer) -> Option<i64> {
        let waits = self.binding.iter().filter_map(|it| it.devices.as_ref());
        waits.map(|wait| wait.next_due_ms(api)).min()
    }

    /// PreBind has failed: the Pod's reservations are removed, and it is tried again later.
    fn fail_binding(&mut self, binding: &Binding, message: &str, api: &mut ApiServer) {
        let Some(pod) = api.store().pods.get(&binding.pod).cloned() else {
            return;
        };
        if let Some(wait) = &binding.devices {
            wait.unreserve(&pod, api);
        }
        let message = pre_bind_failure(message);
        self.scheduling.binding_failed(&binding.pod, &pod, message);
        self.write_decisions(api);
    }

    fn bind(&mut self, binding: &Binding, api: &mut ApiServer) {
        let Some(current) = api.store().pods.get(&binding.pod) else {
            return;
        };
        let mut bound = (**current).clone();
        bound.spec.get_or_insert_default().node_name = Some(binding.node.to_string());
        self.kubelet.start(&mut bound, &mut self.pods, api);
        // Cannot conflict: the Pod was just read.
        let Ok(pod) = api.bind(bound, &binding.node) else {
            return;
        };
        let event = scheduled_event(&pod, &binding.node);
        api.event(event);
    }
}

/// Says that PreBind waits for the Pod's devices.
fn wait_for_devices(
    pod: &Key,
    node: &str,
    awaited: &AwaitedDevices,
    api: &mut ApiServer,
) -> DeviceWait {
    if let Some(pod) = api.store().pods.get(pod).cloned() {
        let event = pending_event(&pod, node, profile_of(&pod));
        api.event(event);
    }
    DeviceWait::new(awaited, api.now_ms())
}

/// The event of a binding.
pub(super) fn scheduled_event(pod: &Pod, node: &str) -> Event {
    let (namespace, name) = (namespace_of(&pod.metadata), name_of(&pod.metadata));
    let text = format!("Successfully assigned {namespace}/{name} to {node}");
    Event::scheduling(pod, Level::Normal, "Scheduled", text, profile_of(pod))
}

/// The profile that schedules the Pod. Each has an event recorder of its own name.
fn profile_of(pod: &Pod) -> String {
    let named = pod.spec.as_ref().and_then(|it| it.scheduler_name.clone());
    named.unwrap_or_else(|| SCHEDULER.to_owned())
}

/// Writes the victim's condition and deletes it (`prepareCandidate`).
fn preempt(victim: &Key, preemptor: &Key, node: &str, api: &mut ApiServer) {
    let Some(pod) = api.store().pods.get(victim) else {
        return;
    };
    let mut disrupted = (**pod).clone();
    let preemptor = api.store().pods.get(preemptor);
    let scheduler = preemptor.map_or_else(|| SCHEDULER.to_owned(), |pod| profile_of(pod));
    let uid = preemptor.and_then(|pod| pod.metadata.uid.clone());
    let message = format!("{scheduler}: preempting to accommodate a higher priority pod");
    let why = pod_util::disruption_target("PreemptionByScheduler", &message);
    pod_util::put_condition(&mut disrupted, why, &api.now());
    let text = format!(
        "Preempted by pod {} on node {node}",
        uid.unwrap_or_default()
    );
    let event = Event::scheduling(&disrupted, Level::Normal, "Preempted", text, scheduler);
    // Cannot conflict: the Pod was just read.
    let _ = api.update_status(&disrupted);
    let _ = api.delete::<Pod>(victim);
    api.event(event);
}

/// Writes why the Pod is pending: condition `PodScheduled`, an event, and the nominated node.
fn write_status(
    key: &Key,
    reason: &str,
    message: &str,
    nominated: Option<&str>,
    api: &mut ApiServer,
) {
    let Some(pod) = api.store().pods.get(key) else {
        return;
    };
    let mut pod = (**pod).clone();
    let waits = PodCondition {
        type_: "PodScheduled".to_owned(),
        status: "False".to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        ..PodCondition::default()
    };
    pod_util::put_condition(&mut pod, waits, &api.now());
    let status = pod.status.get_or_insert_default();
    status.nominated_node_name = nominated.map(str::to_owned);
    let profile = profile_of(&pod);
    let event = Event::scheduling(&pod, Level::Warning, "FailedScheduling", message, profile);
    // Cannot conflict: the Pod was just read.
    let _ = api.update_status(&pod);
    api.event(event);
}

fn nominate(key: &Key, node: Option<&str>, api: &mut ApiServer) {
    let Some(pod) = api.store().pods.get(key) else {
        return;
    };
    let mut pod = (**pod).clone();
    pod.status.get_or_insert_default().nominated_node_name = node.map(str::to_owned);
    // Cannot conflict: the Pod was just read.
    let _ = api.update_status(&pod);
}

/// Creates the claim of a Pod's extended resources, allocated and reserved.
fn create_claim(decided: &ResourceClaim, api: &mut ApiServer) {
    let mut claim = decided.clone();
    claim.metadata.uid = None;
    // Refused if a claim of that name is left over; then the Pod runs without one.
    if let Ok(created) = api.create(claim) {
        let mut created = (*created).clone();
        created.status.clone_from(&decided.status);
        let _ = api.update_status(&created);
    }
}

/// Writes a ResourceClaim's finalizers and status. A claim that was replaced by a new one is left alone.
fn write_claim(decided: &ResourceClaim, api: &mut ApiServer) {
    let key = Key::of(&decided.metadata);
    let current = api.store().resource_claims.get(&key).cloned();
    let Some(current) = current.filter(|it| it.metadata.uid == decided.metadata.uid) else {
        return;
    };
    let is_allocated = allocation_of(decided).is_some();
    let mut claim = (*current).clone();
    // An allocated claim is protected before, and a free one released after the write of the status.
    if is_allocated && claim.metadata.finalizers != decided.metadata.finalizers {
        claim
            .metadata
            .finalizers
            .clone_from(&decided.metadata.finalizers);
        let Ok(written) = api.update(claim) else {
            return;
        };
        claim = (*written).clone();
    }
    claim.status.clone_from(&decided.status);
    // Cannot conflict: the claim was just read.
    let Ok(written) = api.update_status(&claim) else {
        return;
    };
    if !is_allocated {
        let mut bare = (*written).clone();
        bare.metadata
            .finalizers
            .clone_from(&decided.metadata.finalizers);
        let _ = api.update(bare);
    }
}

/// Writes the decisions about the Pod's claims, and returns the claims.
fn write_volumes(
    pod: &Key,
    node: &str,
    decisions: &VolumeDecisions,
    api: &mut ApiServer,
) -> Vec<Key> {
    let key = |claim: &String| format!("{}/{claim}", pod.namespace());
    let decided = PodVolumes {
        bindings: decisions
            .bindings
            .iter()
            .map(|(claim, volume)| (key(claim), volume.clone()))
            .collect(),
        provisions: decisions.provisions.iter().map(key).collect(),
    };
    if decided == PodVolumes::default() {
        return Vec::new();
    }
    // Cannot fail: the volumes and claims were just read.
    let _ = volume::reserve(&decided, node, api);
    let bound = decisions.bindings.iter().map(|(claim, _)| claim);
    bound
        .chain(&decisions.provisions)
        .map(|claim| Key::new(pod.namespace(), claim.as_str()))
        .collect()
}

fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    let status = claim.status.as_ref();
    status.and_then(|status| status.phase.as_deref()) == Some("Bound")
}
