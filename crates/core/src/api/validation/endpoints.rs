//! Endpoints and EndpointSlices (`ValidateEndpoints`, `ValidateEndpointSlice` of kube-apiserver v1.34).

use std::collections::BTreeSet;
use std::net::IpAddr;

use k8s_openapi::api::core::v1::{EndpointAddress, EndpointPort, Endpoints};
use k8s_openapi::api::discovery::v1::{
    Endpoint, EndpointHints, EndpointPort as SlicePort, EndpointSlice,
};

use super::metadata::{Naming, object_meta};
use super::{Errors, invalid_each};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{
    dns_label_errors, dns_subdomain_errors, label_key, label_value_errors,
};

const MAX_ADDRESSES: usize = 100;
const MAX_PORTS: usize = 20_000;
const MAX_ENDPOINTS: usize = 1_000;
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const ADDRESS_TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];

pub(super) fn endpoints(endpoints: &Endpoints, errors: &mut Errors) {
    object_meta(&endpoints.metadata, Naming::Subdomain, errors);
    let subsets = endpoints.subsets.as_deref().unwrap_or_default();
    for (i, subset) in subsets.iter().enumerate() {
        let path = Path::root().child("subsets").index(i);
        let ready = subset.addresses.as_deref().unwrap_or_default();
        let others = subset.not_ready_addresses.as_deref().unwrap_or_default();
        if ready.is_empty() && others.is_empty() {
            let detail = "must specify `addresses` or `notReadyAddresses`";
            errors.push(FieldError::required(&path, detail));
        }
        for (field, list) in [("addresses", ready), ("notReadyAddresses", others)] {
            for (i, it) in list.iter().enumerate() {
                address(it, &path.child(field).index(i), errors);
            }
        }
        let ports = subset.ports.as_deref().unwrap_or_default();
        for (i, it) in ports.iter().enumerate() {
            port(it, ports.len() > 1, &path.child("ports").index(i), errors);
        }
    }
}

fn address(address: &EndpointAddress, path: &Path, errors: &mut Errors) {
    ip(&address.ip, &path.child("ip"), errors);
    let hostname = address.hostname.as_deref().unwrap_or_default();
    if !hostname.is_empty() {
        let wrong = dns_label_errors(hostname);
        invalid_each(&path.child("hostname"), hostname, wrong, errors);
    }
    node_name(address.node_name.as_deref(), path, errors);
}

fn node_name(name: Option<&str>, path: &Path, errors: &mut Errors) {
    if let Some(name) = name {
        let wrong = dns_subdomain_errors(name);
        invalid_each(&path.child("nodeName"), name, wrong, errors);
    }
}

/// Validates an endpoint's IP address, which must be reachable from other hosts; returns it if it parses.
fn ip(text: &str, path: &Path, errors: &mut Errors) -> Option<IpAddr> {
    let Ok(ip) = text.parse::<IpAddr>() else {
        let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        errors.push(FieldError::invalid(path, text, detail));
        return None;
    };
    let is_local = match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.segments()[0] & 0xffc0 == 0xfe80,
    };
    let is_local_multicast = match ip {
        IpAddr::V4(ip) => ip.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    };
    for (is_wrong, detail) in [
        (
            ip.is_unspecified(),
            "may not be unspecified (0.0.0.0 or ::)",
        ),
        (
            ip.is_loopback(),
            "may not be in the loopback range (127.0.0.0/8, ::1/128)",
        ),
        (
            is_local,
            "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
        ),
        (
            is_local_multicast,
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    ] {
        if is_wrong {
            errors.push(FieldError::invalid(path, text, detail));
        }
    }
    Some(ip)
}

fn port(port: &EndpointPort, needs_name: bool, path: &Path, errors: &mut Errors) {
    let name = port.name.as_deref().unwrap_or_default();
    if !name.is_empty() {
        invalid_each(&path.child("name"), name, dns_label_errors(name), errors);
    } else if needs_name {
        errors.push(FieldError::required(&path.child("name"), ""));
    }
    number(Some(port.port), path, errors);
    protocol(port.protocol.as_deref(), path, errors);
}

fn number(port: Option<i32>, path: &Path, errors: &mut Errors) {
    if let Some(port) = port.filter(|port| !(1..=65_535).contains(port)) {
        let detail = "must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(&path.child("port"), port, detail));
    }
}

/// Validates a protocol; a missing one defaults to TCP.
fn protocol(protocol: Option<&str>, path: &Path, errors: &mut Errors) {
    let path = path.child("protocol");
    match protocol {
        Some("") => errors.push(FieldError::required(&path, "")),
        Some(name) if !PROTOCOLS.contains(&name) => {
            errors.push(FieldError::not_supported(&path, name, &PROTOCOLS));
        }
        _ => {}
    }
}

pub(super) fn endpoint_slice(slice: &EndpointSlice, errors: &mut Errors) {
    object_meta(&slice.metadata, Naming::Subdomain, errors);
    let kind = slice.address_type.as_str();
    let path = Path::root().child("addressType");
    if kind.is_empty() {
        errors.push(FieldError::required(&path, ""));
    } else if !ADDRESS_TYPES.contains(&kind) {
        errors.push(FieldError::not_supported(&path, kind, &ADDRESS_TYPES));
    }
    let path = Path::root().child("endpoints");
    let endpoints = slice.endpoints.as_deref().unwrap_or_default();
    if endpoints.len() > MAX_ENDPOINTS {
        let actual = endpoints.len();
        errors.push(FieldError::too_many(&path, actual, MAX_ENDPOINTS));
    } else {
        for (i, it) in endpoints.iter().enumerate() {
            endpoint(it, kind, &path.index(i), errors);
        }
    }
    slice_ports(slice.ports.as_deref().unwrap_or_default(), errors);
}

fn endpoint(endpoint: &Endpoint, kind: &str, path: &Path, errors: &mut Errors) {
    let addresses = path.child("addresses");
    let count = endpoint.addresses.len();
    if count == 0 {
        let detail = "must contain at least 1 address";
        errors.push(FieldError::required(&addresses, detail));
    } else if count > MAX_ADDRESSES {
        errors.push(FieldError::too_many(&addresses, count, MAX_ADDRESSES));
    }
    for (i, text) in endpoint.addresses.iter().enumerate() {
        let path = addresses.index(i);
        match kind {
            "IPv4" if ip(text, &path, errors).is_some_and(|ip| ip.is_ipv6()) => {
                let detail = "must be an IPv4 address";
                errors.push(FieldError::invalid(&path, text.as_str(), detail));
            }
            "IPv6" if ip(text, &path, errors).is_some_and(|ip| ip.is_ipv4()) => {
                let detail = "must be an IPv6 address";
                errors.push(FieldError::invalid(&path, text.as_str(), detail));
            }
            "FQDN" => domain(text, &path, errors),
            _ => {}
        }
    }
    if let Some(own) = &endpoint.hints {
        hints(own, &path.child("hints"), errors);
    }
    node_name(endpoint.node_name.as_deref(), path, errors);
    if let Some(hostname) = &endpoint.hostname {
        let wrong = dns_label_errors(hostname);
        invalid_each(&path.child("hostname"), hostname, wrong, errors);
    }
}

/// `validateHints`: for which zones and nodes an endpoint is.
fn hints(hints: &EndpointHints, path: &Path, errors: &mut Errors) {
    const MOST: usize = 8;
    let zones = hints.for_zones.iter().flatten();
    let zones: Vec<&str> = zones.map(|it| it.name.as_str()).collect();
    let nodes = hints.for_nodes.iter().flatten();
    let nodes: Vec<&str> = nodes.map(|it| it.name.as_str()).collect();
    type Check = fn(&str) -> Vec<String>;
    let lists: [(&str, Vec<&str>, Check); 2] = [
        ("forZones", zones, label_value_errors),
        ("forNodes", nodes, dns_subdomain_errors),
    ];
    for (field, names, check) in lists {
        let path = path.child(field);
        if names.len() > MOST {
            errors.push(FieldError::too_many(&path, names.len(), MOST));
            continue;
        }
        let mut seen = BTreeSet::new();
        for (i, name) in names.into_iter().enumerate() {
            let path = path.index(i).child("name");
            if !seen.insert(name) {
                errors.push(FieldError::duplicate(&path, name));
            }
            invalid_each(&path, name, check(name), errors);
        }
    }
}

/// Validates a domain name of at least two labels, with an optional final dot.
fn domain(name: &str, path: &Path, errors: &mut Errors) {
    let bare = name.strip_suffix('.').unwrap_or(name);
    if bare.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let wrong = dns_subdomain_errors(bare);
    if wrong.is_empty() && !bare.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        errors.push(FieldError::invalid(path, name, detail));
    }
    invalid_each(path, name, wrong, errors);
}

fn slice_ports(ports: &[SlicePort], errors: &mut Errors) {
    let path = Path::root().child("ports");
    if ports.len() > MAX_PORTS {
        errors.push(FieldError::too_many(&path, ports.len(), MAX_PORTS));
        return;
    }
    let mut names = BTreeSet::new();
    for (i, port) in ports.iter().enumerate() {
        let path = path.index(i);
        let name = port.name.as_deref().unwrap_or_default();
        if !name.is_empty() {
            invalid_each(&path.child("name"), name, dns_label_errors(name), errors);
        }
        if !names.insert(name) {
            errors.push(FieldError::duplicate(&path.child("name"), name));
        }
        number(port.port, &path, errors);
        protocol(port.protocol.as_deref(), &path, errors);
        if let Some(name) = &port.app_protocol {
            errors.extend(label_key(&path.child("appProtocol"), name));
        }
    }
}
