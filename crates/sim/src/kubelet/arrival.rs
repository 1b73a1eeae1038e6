//! A Pod arrives at its node: the kubelet admits it, or rejects it permanently.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod, PodSpec};

use super::admission::{self, Refusal};
use super::behavior::Known;
use super::images::Images;
use super::notes::Notes;
use super::static_pods::is_critical;
use super::worker::{Stage, Worker};
use super::{Kubelet, qos};
use crate::pod_util;
use crate::server::{ApiServer, ms_of};
use crate::store::Key;

impl Kubelet {
    /// Admits a Pod and starts it. A Pod that is already `Running` is adopted with its containers.
    pub(super) fn admit_and_start(
        &mut self,
        key: &Key,
        pod: &Arc<Pod>,
        node: &Node,
        api: &mut ApiServer,
    ) {
        let name = pod_util::node_of(pod);
        let Some(state) = self.nodes.get_mut(name) else {
            return;
        };
        if state.stopped_since.is_some() {
            state.parked.insert(key.clone());
            return;
        }
        let now = api.now_ms();
        let mut notes = Notes::default();
        let host_network = pod.spec.as_ref().and_then(|spec| spec.host_network) == Some(true);
        let addresses = state.addresses(node, host_network);
        let known = Known::at_arrival(pod, self.processes);
        let mut worker = Worker::new(pod, known, addresses, Images::of(node), now, &mut notes);
        if pod_util::phase_of(pod) == "Running" {
            adopt(&mut worker, pod, now);
        } else if let Err(refusal) = self.admit(pod, &worker, node, api) {
            let state = self.nodes.get_mut(name);
            match state.map_or(Ok(()), |state| state.refuse_one(now)) {
                Ok(()) => refuse(pod, name, refusal, api),
                Err(at_ms) => self.later.set(key, Some(at_ms)),
            }
            return;
        }
        self.know_mirror(key, pod);
        self.nodes
            .admit(&worker.node, key, &worker.requests, &worker.ports);
        self.workers.insert(key.clone(), worker);
        if pod.metadata.deletion_timestamp.is_some() {
            self.touched.insert(key.clone());
        }
        self.work(key, notes, api);
    }
}

impl Kubelet {
    /// Checks a Pod. For a critical Pod, missing resources are freed by preemption, one after the other.
    fn admit(
        &mut self,
        pod: &Pod,
        worker: &Worker,
        node: &Node,
        api: &mut ApiServer,
    ) -> Result<(), Refusal> {
        loop {
            let Some(state) = self.nodes.get_mut(&worker.node) else {
                return Ok(());
            };
            let Err(refusal) = admission::judge(pod, worker, node, state) else {
                return Ok(());
            };
            let missing = refusal.missing.clone().filter(|_| is_critical(pod));
            let made = missing.is_some_and(|(resource, amount)| {
                self.make_room(&worker.node, &resource, amount, api)
            });
            if !made {
                return Err(refusal);
            }
        }
    }
}

/// Adopts the running containers that a Pod's status lists.
fn adopt(worker: &mut Worker, pod: &Pod, now: i64) {
    let Some(status) = &pod.status else {
        return;
    };
    worker.stage = Stage::Up;
    worker.initialized = true;
    if let Some(start) = &status.start_time {
        worker.start_ms = ms_of(start).min(now);
    }
    if let Some(ip) = &status.pod_ip {
        worker.pod_ip.clone_from(ip);
    }
    if let Some(ip) = &status.host_ip {
        worker.host_ip.clone_from(ip);
    }
    let statuses = status.container_statuses.iter().flatten();
    for own in statuses.chain(status.init_container_statuses.iter().flatten()) {
        let known = worker
            .containers
            .iter_mut()
            .find(|known| known.name == own.name);
        let running = own.state.as_ref().and_then(|state| state.running.as_ref());
        if let Some((known, running)) = known.zip(running) {
            let since = running
                .started_at
                .as_ref()
                .map_or(now, |at| ms_of(at).min(now));
            let id = own.container_id.clone().unwrap_or_default();
            known.adopt(since, id, own.restart_count, own.ready, now);
        }
    }
}

/// Fails the Pod before any container starts.
fn refuse(pod: &Pod, node: &str, refusal: Refusal, api: &mut ApiServer) {
    let mut notes = Notes::default();
    notes.refused(refusal.reason.clone(), refusal.message.clone());
    notes.record(pod, node, api);
    let mut failed = pod.clone();
    let now = api.now();
    let empty = PodSpec::default();
    let class = qos::class_of(pod.spec.as_ref().unwrap_or(&empty));
    let status = failed.status.get_or_insert_default();
    status.phase = Some("Failed".to_owned());
    status.reason = Some(refusal.reason);
    status.message = Some(format!("Pod was rejected: {}", refusal.message));
    status.start_time.get_or_insert(now);
    status.qos_class = Some(class.to_owned());
    status.observed_generation = pod.metadata.generation;
    // The Pod was just read, so the update cannot conflict.
    let _ = api.update_status(&failed);
}
