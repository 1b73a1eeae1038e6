//! EndpointSlices: up to 100 endpoints of a Service each (`pkg/controller/endpointslice` and
//! `staging/src/k8s.io/endpointslice`, Kubernetes v1.34). Hints for topology aware routing are left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod, Service};
use k8s_openapi::api::discovery::v1::{Endpoint, EndpointConditions, EndpointPort, EndpointSlice};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::selection::{
    self, HEADLESS, addresses, belongs, has_address, hostname, port_on, ports, publishes_all,
    target,
};
use super::trigger::{self, LAST_CHANGE, TriggerTimes};
use crate::controllers::Controller;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of, namespace_of, uid_of};
use crate::workqueue::WorkQueue;
use berth_core::api::meta::reference;

/// Maximum number of endpoints in a slice.
const MOST: usize = 100;
const SERVICE_NAME: &str = "kubernetes.io/service-name";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const CONTROLLER: &str = "endpointslice-controller.k8s.io";
const ZONE: &str = "topology.kubernetes.io/zone";

/// The controller of EndpointSlices. Keys are those of Services.
#[derive(Clone, Debug)]
pub struct EndpointSliceController {
    queue: WorkQueue,
    times: TriggerTimes,
    /// The resource versions that this controller wrote.
    written: BTreeMap<Key, Option<String>>,
}

/// Slices with the same ports, and the endpoints that they are to have, by Pod.
#[derive(Default)]
struct Group<'a> {
    slices: Vec<&'a Arc<EndpointSlice>>,
    endpoints: BTreeMap<String, Endpoint>,
}

/// Ports as a key: number, name, protocol and application protocol of each.
type Ports = Vec<(Option<i32>, Option<String>, Option<String>, Option<String>)>;

/// The writes of a sync.
#[derive(Default)]
struct Plan {
    create: Vec<EndpointSlice>,
    update: Vec<EndpointSlice>,
    delete: Vec<Key>,
}

impl EndpointSliceController {
    pub fn new(queue: WorkQueue) -> Self {
        EndpointSliceController {
            queue,
            times: TriggerTimes::default(),
            written: BTreeMap::new(),
        }
    }

    fn observe_slice(&mut self, key: &Key, slice: &EndpointSlice, is_gone: bool) {
        if !is_managed(slice) {
            return;
        }
        let version = &slice.metadata.resource_version;
        if is_gone {
            self.written.remove(key);
        } else if self.written.get(key) == Some(version) {
            return;
        }
        let labels = slice.metadata.labels.as_ref();
        if let Some(service) = labels.and_then(|labels| labels.get(SERVICE_NAME)) {
            self.queue.add(Key::new(key.namespace(), service.as_str()));
        }
    }

    /// Carries out a plan. What is to be created takes the place of what is to be deleted.
    fn finish(
        &mut self,
        mut plan: Plan,
        trigger: Option<String>,
        (service, cache): (&Service, &Store),
        api: &mut ApiServer,
    ) -> Result<(), ApiError> {
        let mut kept = Vec::new();
        for key in std::mem::take(&mut plan.delete) {
            let old = cache.endpoint_slices.get(&key);
            let old = old.filter(|old| is_owned(old, service));
            match old.and_then(|old| Some((old, plan.create.pop()?))) {
                Some((old, mut slice)) => {
                    slice.metadata.name.clone_from(&old.metadata.name);
                    slice
                        .metadata
                        .resource_version
                        .clone_from(&old.metadata.resource_version);
                    slice.metadata.uid.clone_from(&old.metadata.uid);
                    let created = &old.metadata.creation_timestamp;
                    slice.metadata.creation_timestamp.clone_from(created);
                    slice.metadata.generation = old.metadata.generation;
                    plan.update.push(slice);
                }
                None => kept.push(key),
            }
        }
        let annotated = |mut slice: EndpointSlice| {
            let mut annotations = slice.metadata.annotations.take().unwrap_or_default();
            trigger::annotate(&mut annotations, LAST_CHANGE, trigger.clone());
            slice.metadata.annotations = (!annotations.is_empty()).then_some(annotations);
            slice
        };
        if service.metadata.deletion_timestamp.is_none() {
            for slice in plan.create.into_iter().map(annotated) {
                let made = api.create(slice);
                if let Ok(made) = &made {
                    self.note(made);
                }
                selection::created(made, &service.metadata, cache)?;
            }
        }
        for slice in plan.update.into_iter().map(annotated) {
            let written = api.update(slice)?;
            self.note(&written);
        }
        for key in kept {
            match api.delete::<EndpointSlice>(&key) {
                Ok(()) | Err(ApiError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn note(&mut self, slice: &EndpointSlice) {
        let version = slice.metadata.resource_version.clone();
        self.written.insert(Key::of(&slice.metadata), version);
    }
}

impl Controller for EndpointSliceController {
    fn component(&self) -> &'static str {
        CONTROLLER
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some(services) = selection::services_in(change, cache) {
            for key in services {
                self.queue.add(key);
            }
        } else if let Some((before, after)) = change.of::<EndpointSlice>() {
            if let Some(slice) = after.or(before) {
                self.observe_slice(&change.key, slice, after.is_none());
            }
        } else if let Some((None, Some(_)) | (Some(_), None)) = change.of::<Node>() {
            // The real controller retries Services with Pods of missing nodes instead.
            for service in cache.services.iter() {
                let pods = selection::pods_of(service, cache).unwrap_or_default();
                let node = change.key.name();
                if pods.iter().any(|pod| pod_util::node_of(pod) == node) {
                    self.queue.add(Key::of(&service.metadata));
                }
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn follows(&self) -> bool {
        true
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(service) = cache.services.get(key) else {
            // The garbage collector deletes the slices.
            self.times.forget(key);
            return Ok(());
        };
        let Some(pods) = selection::pods_of(service, cache) else {
            return Ok(());
        };
        let trigger = self.times.last_change(service, &pods);
        let known = cache.endpoint_slices.of_namespace(key.namespace());
        let known = known.filter(|slice| is_managed(slice) && is_for(slice, service));
        let mut known: Vec<&Arc<EndpointSlice>> = known.collect();
        let mut plan = Plan::default();
        for family in families(service) {
            let (of_family, others) = known
                .into_iter()
                .partition(|slice| slice.address_type == family);
            known = others;
            plan_family(&mut plan, service, &pods, of_family, cache, family);
        }
        let others = known.iter().map(|slice| Key::of(&slice.metadata));
        plan.delete.extend(others);
        self.finish(plan, trigger, (service, cache), api)
    }
}

/// Plans the slices of one address type.
fn plan_family(
    plan: &mut Plan,
    service: &Service,
    pods: &[&Arc<Pod>],
    known: Vec<&Arc<EndpointSlice>>,
    cache: &Store,
    family: &str,
) {
    let mut groups: BTreeMap<Ports, Group<'_>> = BTreeMap::new();
    let (own, foreign): (Vec<_>, Vec<_>) = known
        .iter()
        .copied()
        .partition(|slice| is_owned(slice, service));
    let mut delete: Vec<Key> = foreign.iter().map(|it| Key::of(&it.metadata)).collect();
    for slice in own {
        let ports = key_of(slice.ports.as_deref().unwrap_or_default());
        groups.entry(ports).or_default().slices.push(slice);
    }
    let mut wanted: BTreeMap<Ports, Vec<EndpointPort>> = BTreeMap::new();
    for pod in pods.iter().filter(|pod| belongs(pod, true)) {
        let node = cache.nodes.get(&Key::new("", pod_util::node_of(pod)));
        let of_pod = ports_on(pod, service);
        let ports = key_of(&of_pod);
        wanted.entry(ports.clone()).or_insert(of_pod);
        let group = groups.entry(ports).or_default();
        if node.is_none() && !publishes_all(service) {
            continue;
        }
        let endpoint = endpoint_of(pod, node.map(|node| &**node), service, family);
        if !endpoint.addresses.is_empty() {
            let name = name_of(&pod.metadata).to_owned();
            group.endpoints.insert(name, endpoint);
        }
    }
    let mut create = Vec::new();
    for (ports, group) in groups {
        match wanted.get(&ports) {
            Some(ports) => {
                let made = fill(group, ports, service, family);
                create.extend(made.create);
                plan.update.extend(made.update);
                delete.extend(made.delete);
            }
            // No Pod has these ports any more.
            None => delete.extend(group.slices.iter().map(|it| Key::of(&it.metadata))),
        }
    }
    // A Service always has a slice.
    if known.len() == delete.len() && create.is_empty() {
        let placeholder = new_slice(service, &[], family);
        let is_it = |key: &Key| {
            let slice = cache.endpoint_slices.get(key);
            slice.is_some_and(|it| {
                endpoints(it).is_empty()
                    && it.ports.as_deref().unwrap_or_default().is_empty()
                    && it.metadata.labels == placeholder.metadata.labels
                    && is_owned(it, service)
            })
        };
        if delete.len() == 1 && delete.iter().all(is_it) {
            delete.clear();
        } else {
            create.push(placeholder);
        }
    }
    plan.create.extend(create);
    plan.delete.extend(delete);
}

/// Distributes the endpoints of a group over its slices: those that stay keep their place, new ones fill the slices that
/// change anyway, then the fullest that takes them all, then new slices (`reconcileByPortMapping`).
fn fill(group: Group<'_>, ports: &[EndpointPort], service: &Service, family: &str) -> Plan {
    let mut plan = Plan::default();
    let Group {
        slices,
        endpoints: mut wanted,
    } = group;
    let labels = labels_of(service);
    let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
    for slice in slices {
        let mut kept = Vec::new();
        let mut differs = slice.metadata.labels.as_ref() != Some(&labels);
        for old in endpoints(slice) {
            let pod = old.target_ref.as_ref().and_then(|it| it.name.as_ref());
            let is_same = |new: &Endpoint| uid(new) == uid(old) && new.addresses == old.addresses;
            match pod.and_then(|pod| wanted.remove(pod)) {
                Some(new) if is_same(&new) => {
                    differs |= new != *old;
                    kept.push(new);
                }
                Some(new) => {
                    differs = true;
                    wanted.extend(pod.map(|pod| (pod.clone(), new)));
                }
                None => differs = true,
            }
        }
        if !differs {
            unchanged.push(slice);
        } else if kept.is_empty() && !endpoints(slice).is_empty() {
            plan.delete.push(Key::of(&slice.metadata));
        } else {
            let mut slice = (**slice).clone();
            slice.metadata.labels = Some(labels.clone());
            slice.endpoints = Some(kept);
            changed.push(slice);
        }
    }
    let mut new: Vec<Endpoint> = wanted.into_values().collect();
    changed.sort_by_key(|slice| std::cmp::Reverse(endpoints(slice).len()));
    for slice in &mut changed {
        let room = MOST.saturating_sub(endpoints(slice).len()).min(new.len());
        let own = slice.endpoints.get_or_insert_default();
        own.extend(new.drain(..room));
    }
    if !new.is_empty() && new.len() < MOST {
        let rest =
            |slice: &&&Arc<EndpointSlice>| MOST.checked_sub(endpoints(slice).len() + new.len());
        let fits = unchanged.iter().filter(|slice| rest(slice).is_some());
        if let Some(slice) = fits.min_by_key(rest) {
            let mut slice = (***slice).clone();
            slice.endpoints.get_or_insert_default().append(&mut new);
            changed.push(slice);
        }
    }
    while !new.is_empty() {
        let rest = new.split_off(MOST.min(new.len()));
        let mut slice = new_slice(service, ports, family);
        slice.endpoints = Some(std::mem::replace(&mut new, rest));
        plan.create.push(slice);
    }
    plan.update = changed;
    plan
}

fn endpoints(slice: &EndpointSlice) -> &[Endpoint] {
    slice.endpoints.as_deref().unwrap_or_default()
}

fn uid(endpoint: &Endpoint) -> Option<&str> {
    endpoint.target_ref.as_ref()?.uid.as_deref()
}

fn is_managed(slice: &EndpointSlice) -> bool {
    let labels = slice.metadata.labels.as_ref();
    labels
        .and_then(|labels| labels.get(MANAGED_BY))
        .is_some_and(|it| it == CONTROLLER)
}

fn is_for(slice: &EndpointSlice, service: &Service) -> bool {
    let labels = slice.metadata.labels.as_ref();
    let name = labels.and_then(|labels| labels.get(SERVICE_NAME));
    name.is_some_and(|name| name == name_of(&service.metadata))
}

fn is_owned(slice: &EndpointSlice, service: &Service) -> bool {
    slice
        .metadata
        .owner_references
        .iter()
        .flatten()
        .into_iter()
        .any(|owner| owner.kind == "Service" && owner.uid == uid_of(&service.metadata))
}

/// The address types of the Service.
fn families(service: &Service) -> Vec<&'static str> {
    let spec = service.spec.as_ref();
    let asked = spec.and_then(|spec| spec.ip_families.as_deref());
    let families = asked
        .unwrap_or_default()
        .iter()
        .filter_map(|family| match family.as_str() {
            "IPv4" => Some("IPv4"),
            "IPv6" => Some("IPv6"),
            _ => None,
        });
    let families: Vec<&str> = families.collect();
    if families.is_empty() {
        return vec!["IPv4"];
    }
    families
}

fn key_of(ports: &[EndpointPort]) -> Ports {
    let of = |port: &EndpointPort| {
        let EndpointPort {
            app_protocol,
            name,
            port,
            protocol,
        } = port.clone();
        (port, name, protocol, app_protocol)
    };
    let mut ports: Ports = ports.iter().map(of).collect();
    ports.sort();
    ports
}

fn ports_on(pod: &Pod, service: &Service) -> Vec<EndpointPort> {
    let ports = ports(service).iter().filter_map(|port| {
        Some(EndpointPort {
            app_protocol: port.app_protocol.clone(),
            name: Some(port.name.clone().unwrap_or_default()),
            port: Some(port_on(pod, port)?),
            protocol: port.protocol.clone().or(Some("TCP".to_owned())),
        })
    });
    ports.collect()
}

fn endpoint_of(pod: &Pod, node: Option<&Node>, service: &Service, family: &str) -> Endpoint {
    let (serving, terminating) = (pod_util::is_ready(pod), pod_util::is_terminating(pod));
    let is_of = |address: &&str| address.contains(':') == (family == "IPv6");
    let own = addresses(pod).into_iter().filter(is_of);
    let labels = node.and_then(|node| node.metadata.labels.as_ref());
    Endpoint {
        addresses: own.map(str::to_owned).collect(),
        conditions: Some(EndpointConditions {
            ready: Some(publishes_all(service) || serving && !terminating),
            serving: Some(serving),
            terminating: Some(terminating),
        }),
        hostname: hostname(pod, service),
        node_name: pod.spec.as_ref().and_then(|spec| spec.node_name.clone()),
        target_ref: Some(target(pod)),
        zone: labels.and_then(|labels| labels.get(ZONE)).cloned(),
        ..Endpoint::default()
    }
}

/// The Service's labels, and those that name the Service and the controller.
fn labels_of(service: &Service) -> BTreeMap<String, String> {
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.remove(HEADLESS);
    if !has_address(service) {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    let name = name_of(&service.metadata).to_owned();
    labels.insert(SERVICE_NAME.to_owned(), name);
    labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
    labels
}

fn new_slice(service: &Service, ports: &[EndpointPort], family: &str) -> EndpointSlice {
    EndpointSlice {
        address_type: family.to_owned(),
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", name_of(&service.metadata))),
            namespace: Some(namespace_of(&service.metadata).to_owned()),
            labels: Some(labels_of(service)),
            owner_references: Some(vec![reference(service)]),
            ..ObjectMeta::default()
        },
        ports: (!ports.is_empty()).then(|| ports.to_vec()),
        ..EndpointSlice::default()
    }
}
