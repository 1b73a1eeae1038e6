//! The subsets of Endpoints: addresses that offer the same ports are together (`pkg/api/v1/endpoints` `RepackSubsets`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{EndpointAddress, EndpointPort, EndpointSubset, Pod, Service};

use super::selection::{
    addresses, belongs, has_address, hostname, port_on, ports, publishes_all, target,
};
use crate::pod_util;
use crate::store::uid_of;

/// Maximum number of addresses.
const CAPACITY: usize = 1000;

/// An address as a key: IP, uid of the Pod, and whether it is ready.
type Place = (String, String, bool);
/// A port as a key: number, name, protocol and application protocol.
type Port = (i32, Option<String>, Option<String>, Option<String>);

/// The subsets for these Pods.
pub fn of(service: &Service, pods: &[&Arc<Pod>]) -> Vec<EndpointSubset> {
    let publishes_all = publishes_all(service);
    let mut all: BTreeMap<Place, EndpointAddress> = BTreeMap::new();
    let mut offered: BTreeMap<Option<Port>, BTreeSet<Place>> = BTreeMap::new();
    for pod in pods.iter().filter(|pod| belongs(pod, publishes_all)) {
        let Some(address) = address_of(pod, service) else {
            continue;
        };
        let is_ready = publishes_all || pod_util::is_ready(pod);
        let uid = uid_of(&pod.metadata).to_owned();
        let place = (address.ip.clone(), uid, is_ready);
        let on_pod: Vec<Option<Port>> = if ports(service).is_empty() && !has_address(service) {
            // A headless Service need not have ports.
            vec![None]
        } else {
            let on_pod = ports(service).iter().filter_map(|port| {
                let number = port_on(pod, port)?;
                let (protocol, app) = (port.protocol.clone(), port.app_protocol.clone());
                Some(Some((number, port.name.clone(), protocol, app)))
            });
            on_pod.collect()
        };
        for port in on_pod {
            offered.entry(port).or_default().insert(place.clone());
        }
        all.insert(place, address);
    }
    packed(&all, offered)
}

/// Ports that the same addresses offer become one subset.
fn packed(
    all: &BTreeMap<Place, EndpointAddress>,
    offered: BTreeMap<Option<Port>, BTreeSet<Place>>,
) -> Vec<EndpointSubset> {
    let mut alike: BTreeMap<BTreeSet<Place>, Vec<Option<Port>>> = BTreeMap::new();
    for (port, places) in offered {
        alike.entry(places).or_default().push(port);
    }
    let mut alike: Vec<_> = alike.into_iter().collect();
    alike.sort_by(|(_, one), (_, other)| one.cmp(other));
    let subset = |(places, ports): (BTreeSet<Place>, Vec<Option<Port>>)| {
        let of = |ready: bool| {
            let those = places
                .iter()
                .filter(|(_, _, is_ready)| *is_ready == ready)
                .filter_map(|place| all.get(place).cloned());
            Some(those.collect::<Vec<_>>()).filter(|those| !those.is_empty())
        };
        let ports = ports.into_iter().flatten().map(port);
        let ports: Vec<EndpointPort> = ports.collect();
        EndpointSubset {
            addresses: of(true),
            not_ready_addresses: of(false),
            ports: (!ports.is_empty()).then_some(ports),
        }
    };
    alike.into_iter().map(subset).collect()
}

fn port((port, name, protocol, app_protocol): Port) -> EndpointPort {
    EndpointPort {
        port,
        name,
        protocol,
        app_protocol,
    }
}

fn address_of(pod: &Pod, service: &Service) -> Option<EndpointAddress> {
    Some(EndpointAddress {
        ip: (*addresses(pod).first()?).to_owned(),
        hostname: hostname(pod, service),
        node_name: pod.spec.as_ref().and_then(|spec| spec.node_name.clone()),
        target_ref: Some(target(pod)),
    })
}

/// The subsets without the addresses beyond the capacity, ready ones first, and whether any were left out
/// (`truncateEndpoints`).
pub fn within_capacity(mut subsets: Vec<EndpointSubset>) -> (Vec<EndpointSubset>, bool) {
    let count = |of: fn(&EndpointSubset) -> &Option<Vec<EndpointAddress>>| -> usize {
        subsets
            .iter()
            .map(|it| of(it).as_ref().map_or(0, Vec::len))
            .sum()
    };
    let (ready, not_ready) = (
        count(|it| &it.addresses),
        count(|it| &it.not_ready_addresses),
    );
    if ready + not_ready <= CAPACITY {
        return (subsets, false);
    }
    let cuts_ready = ready > CAPACITY;
    let (most, all) = match cuts_ready {
        true => (CAPACITY, ready),
        false => (CAPACITY - ready, not_ready),
    };
    let mut left = most;
    for subset in &mut subsets {
        if cuts_ready {
            subset.not_ready_addresses = None;
        }
        let own = match cuts_ready {
            true => &mut subset.addresses,
            false => &mut subset.not_ready_addresses,
        };
        let Some(own) = own else { continue };
        let share = (own.len() * most).div_ceil(all).min(left);
        own.truncate(share);
        left -= own.len();
    }
    (subsets, true)
}
