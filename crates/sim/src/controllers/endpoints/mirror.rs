//! Mirrored EndpointSlices: Endpoints of a Service without a selector are written by hand, and get a slice for each
//! subset and address type (`pkg/controller/endpointslicemirroring`, Kubernetes v1.34).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{EndpointAddress, Endpoints, Service};
use k8s_openapi::api::discovery::v1::{Endpoint, EndpointConditions, EndpointPort, EndpointSlice};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::selection;
use super::slices::{MANAGED_BY, Ports, SERVICE_NAME, endpoints as endpoints_of, key_of};
use super::subsets;
use super::trigger::LAST_CHANGE;
use crate::audit_log::{Event, Level};
use crate::controllers::Controller;
use berth_core::api::meta::reference;

use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of, namespace_of};
use crate::workqueue::WorkQueue;

/// Maximum number of addresses of a subset that are mirrored (`--mirroring-max-endpoints-per-subset`).
const MOST: usize = 1000;
const CONTROLLER: &str = "endpointslicemirroring-controller.k8s.io";
const SKIP: &str = "endpointslice.kubernetes.io/skip-mirror";
const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The controller of mirrored slices. Keys are those of Endpoints, which are those of their Services.
#[derive(Clone, Debug)]
pub struct EndpointSliceMirroring {
    queue: WorkQueue,
}

/// An endpoint's identity: address, host name, and the namespace and name of its target.
type Place = (String, Option<String>, Option<(String, String)>);

/// The endpoints that slices with the same ports and address type are to have.
struct Group<'a> {
    ports: Vec<EndpointPort>,
    endpoints: BTreeMap<Place, Endpoint>,
    slices: Vec<&'a Arc<EndpointSlice>>,
}

/// What is wanted, and what was left out on the way.
#[derive(Default)]
struct Wanted<'a> {
    groups: BTreeMap<(&'static str, Ports), Group<'a>>,
    invalid: usize,
    skipped: usize,
}

impl EndpointSliceMirroring {
    pub fn new(queue: WorkQueue) -> Self {
        EndpointSliceMirroring { queue }
    }
}

impl Controller for EndpointSliceMirroring {
    fn component(&self) -> &'static str {
        "endpoint-slice-mirroring-controller"
    }

    fn observe(&mut self, change: &Change, _cache: &Store, _now_ms: i64) {
        let key = if let Some((before, after)) = change.of::<Endpoints>() {
            let mut both = [before, after].into_iter().flatten();
            both.any(|it| is_mirrored(it)).then(|| change.key.clone())
        } else if let Some((before, after)) = change.of::<Service>() {
            let selects = |service: Option<&Arc<Service>>| service.map(|it| has_selector(it));
            (selects(before) != selects(after)).then(|| change.key.clone())
        } else if let Some((before, after)) = change.of::<EndpointSlice>() {
            let mut both = [after, before].into_iter().flatten();
            let slice = both.find(|slice| is_managed(slice));
            let service = slice.and_then(|slice| label(&slice.metadata, SERVICE_NAME));
            service.map(|service| Key::new(change.key.namespace(), service))
        } else {
            None
        };
        if let Some(key) = key {
            self.queue.add(key);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn follows(&self) -> bool {
        true
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let slices = cache.endpoint_slices.of_namespace(key.namespace());
        let slices: Vec<&Arc<EndpointSlice>> = slices
            .filter(|slice| {
                is_managed(slice) && label(&slice.metadata, SERVICE_NAME) == Some(key.name())
            })
            .collect();
        let endpoints = cache.endpoints.get(key).filter(|it| is_mirrored(it));
        let service = cache.services.get(key).filter(|it| !has_selector(it));
        match (endpoints, service) {
            (Some(endpoints), Some(_)) => reconcile(endpoints, slices, cache, api),
            _ => delete(slices.into_iter().map(|it| Key::of(&it.metadata)), api),
        }
    }
}

fn reconcile(
    endpoints: &Endpoints,
    slices: Vec<&Arc<EndpointSlice>>,
    cache: &Store,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let mut wanted = wanted(endpoints);
    report(endpoints, &wanted, api);
    let mut unwanted: Vec<&Arc<EndpointSlice>> = Vec::new();
    for slice in slices {
        let family = if slice.address_type == "IPv6" {
            "IPv6"
        } else {
            "IPv4"
        };
        let ports = key_of(slice.ports.as_deref().unwrap_or_default());
        match wanted.groups.get_mut(&(family, ports)) {
            Some(group) => group.slices.push(slice),
            None => unwanted.push(slice),
        }
    }
    let (mut create, mut update) = (Vec::new(), Vec::new());
    for ((family, _), group) in wanted.groups {
        let mut known = group.slices.into_iter();
        if group.endpoints.is_empty() {
            unwanted.extend(known);
            continue;
        }
        let first = known.next();
        unwanted.extend(known);
        let made: Vec<Endpoint> = group.endpoints.into_values().take(MOST).collect();
        let mut slice = new_slice(endpoints, group.ports, family);
        slice.endpoints = Some(made);
        match first {
            Some(first) if is_up_to_date(first, &slice) => {}
            Some(first) => update.push(taking_over(first, slice)),
            None => create.push(slice),
        }
    }
    // What is to be created takes the place of what is to be deleted.
    create.retain(|slice| {
        let same = |it: &&Arc<EndpointSlice>| it.address_type == slice.address_type;
        let Some(at) = unwanted.iter().position(same) else {
            return true;
        };
        update.push(taking_over(unwanted.swap_remove(at), slice.clone()));
        false
    });
    if endpoints.metadata.deletion_timestamp.is_none() {
        for slice in create {
            selection::created(api.create(slice), &endpoints.metadata, cache)?;
        }
    }
    for slice in update {
        api.update(slice)?;
    }
    delete(unwanted.into_iter().map(|it| Key::of(&it.metadata)), api)
}

fn wanted(endpoints: &Endpoints) -> Wanted<'static> {
    let mut wanted = Wanted::default();
    for subset in subsets::repacked(endpoints.subsets.as_deref().unwrap_or_default()) {
        let ports = subset.ports.iter().flatten();
        let ports: Vec<EndpointPort> = ports
            .map(|port| EndpointPort {
                name: Some(port.name.clone().unwrap_or_default()),
                port: Some(port.port),
                protocol: port.protocol.clone().or(Some("TCP".to_owned())),
                app_protocol: port.app_protocol.clone(),
            })
            .collect();
        let ready = subset.addresses.iter().flatten().map(|it| (it, true));
        let not_ready = subset.not_ready_addresses.iter().flatten();
        let all: Vec<_> = ready.chain(not_ready.map(|it| (it, false))).collect();
        let (mut added, count) = (0, all.len());
        for (address, is_ready) in all {
            if added >= MOST {
                break;
            }
            let Ok(ip) = address.ip.parse::<IpAddr>() else {
                wanted.invalid += 1;
                continue;
            };
            added += 1;
            let family = if ip.is_ipv6() { "IPv6" } else { "IPv4" };
            let group = wanted
                .groups
                .entry((family, key_of(&ports)))
                .or_insert_with(|| Group {
                    ports: ports.clone(),
                    endpoints: BTreeMap::new(),
                    slices: Vec::new(),
                });
            let endpoint = endpoint_of(address, ip, is_ready);
            group.endpoints.insert(place_of(&endpoint), endpoint);
        }
        wanted.skipped += count - added;
    }
    wanted
}

fn report(endpoints: &Endpoints, wanted: &Wanted<'_>, api: &mut ApiServer) {
    let mut warn = |reason: &'static str, message: String| {
        api.event(Event::new(endpoints, Level::Warning, reason, message));
    };
    let (invalid, skipped) = (wanted.invalid, wanted.skipped);
    if invalid > 0 {
        let message =
            format!("Skipped {invalid} invalid IP addresses when mirroring to EndpointSlices");
        warn("InvalidIPAddress", message);
    }
    if skipped > invalid {
        let message = format!(
            "A max of {MOST} addresses can be mirrored to EndpointSlices per Endpoints subset. {skipped} addresses were skipped"
        );
        warn("TooManyAddressesToMirror", message);
    }
}

fn endpoint_of(address: &EndpointAddress, ip: IpAddr, ready: bool) -> Endpoint {
    Endpoint {
        addresses: vec![ip.to_string()],
        conditions: Some(EndpointConditions {
            ready: Some(ready),
            ..EndpointConditions::default()
        }),
        hostname: address.hostname.clone().filter(|it| !it.is_empty()),
        node_name: address.node_name.clone(),
        target_ref: address.target_ref.clone(),
        ..Endpoint::default()
    }
}

fn place_of(endpoint: &Endpoint) -> Place {
    let target = endpoint.target_ref.as_ref().map(|target| {
        let namespace = target.namespace.clone().unwrap_or_default();
        (namespace, target.name.clone().unwrap_or_default())
    });
    let address = endpoint.addresses.first().cloned().unwrap_or_default();
    (address, endpoint.hostname.clone(), target)
}

/// Whether a slice has the endpoints, labels and annotations of the one that would take its place.
fn is_up_to_date(slice: &EndpointSlice, wanted: &EndpointSlice) -> bool {
    let sorted = |slice: &EndpointSlice| -> BTreeMap<Place, Endpoint> {
        endpoints_of(slice)
            .iter()
            .map(|it| (place_of(it), it.clone()))
            .collect()
    };
    let texts = |of: &Option<BTreeMap<String, String>>| of.clone().unwrap_or_default();
    sorted(slice) == sorted(wanted)
        && texts(&slice.metadata.labels) == texts(&wanted.metadata.labels)
        && texts(&slice.metadata.annotations) == texts(&wanted.metadata.annotations)
}

/// A slice under the name of an existing one.
fn taking_over(old: &EndpointSlice, mut slice: EndpointSlice) -> EndpointSlice {
    let new = std::mem::take(&mut slice.metadata);
    slice.metadata = ObjectMeta {
        labels: new.labels,
        annotations: new.annotations,
        owner_references: new.owner_references,
        ..old.metadata.clone()
    };
    slice
}

fn new_slice(endpoints: &Endpoints, ports: Vec<EndpointPort>, family: &str) -> EndpointSlice {
    let meta = &endpoints.metadata;
    let mut labels = meta.labels.clone().unwrap_or_default();
    labels.insert(SERVICE_NAME.to_owned(), name_of(meta).to_owned());
    labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
    let mut annotations = meta.annotations.clone().unwrap_or_default();
    annotations.retain(|name, _| name != LAST_CHANGE && name != LAST_APPLIED);
    EndpointSlice {
        address_type: family.to_owned(),
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", name_of(meta))),
            namespace: Some(namespace_of(meta).to_owned()),
            labels: Some(labels),
            annotations: (!annotations.is_empty()).then_some(annotations),
            owner_references: Some(vec![reference(endpoints)]),
            ..ObjectMeta::default()
        },
        ports: (!ports.is_empty()).then_some(ports),
        ..EndpointSlice::default()
    }
}

fn delete(slices: impl Iterator<Item = Key>, api: &mut ApiServer) -> Result<(), ApiError> {
    for key in slices {
        match api.delete::<EndpointSlice>(&key) {
            Ok(()) | Err(ApiError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn label<'a>(meta: &'a ObjectMeta, name: &str) -> Option<&'a str> {
    meta.labels.as_ref()?.get(name).map(String::as_str)
}

fn is_managed(slice: &EndpointSlice) -> bool {
    label(&slice.metadata, MANAGED_BY) == Some(CONTROLLER)
}

/// Locks of leader elections, and what asks not to be mirrored, are not.
fn is_mirrored(endpoints: &Endpoints) -> bool {
    let annotations = endpoints.metadata.annotations.as_ref();
    let is_lock = annotations.is_some_and(|it| it.contains_key(LEADER));
    !is_lock && label(&endpoints.metadata, SKIP) != Some("true")
}

fn has_selector(service: &Service) -> bool {
    let spec = service.spec.as_ref();
    spec.is_some_and(|spec| spec.selector.is_some())
}
