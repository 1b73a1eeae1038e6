//! Services: rules that concern several fields.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::formats::{cidr, ip};
use super::read::{at, has, list, number, text};
use super::{Site, Walk};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{
    dns_label_errors, dns_subdomain_errors, label_key, label_key_errors, label_value_errors,
};

const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];
const FAMILY_POLICIES: [&str; 3] = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const POLICIES: [&str; 2] = ["Cluster", "Local"];
const MAX_AFFINITY_SECONDS: i64 = 86_400;
const ONLY_BALANCERS: &str = "may only be used when `type` is 'LoadBalancer'";

fn kind(spec: &Value) -> &str {
    match text(spec, "type") {
        "" => "ClusterIP",
        kind => kind,
    }
}

fn is_headless(spec: &Value) -> bool {
    match list(spec, "clusterIPs") {
        [] => text(spec, "clusterIP") == "None",
        [one] => one == "None",
        _ => false,
    }
}

/// What the type of a Service asks of its address and its name.
pub fn opening(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (spec, path) = (site.value, site.path());
    let headless = is_headless(spec);
    let kind = kind(spec);
    if list(spec, "ports").is_empty() && !headless && kind != "ExternalName" {
        walk.required(&path.child("ports"), "");
    }
    match kind {
        "LoadBalancer" | "NodePort" if headless => {
            let detail = format!("may not be set to 'None' for {kind} services");
            walk.invalid(&path.child("clusterIPs").index(0), "None", &detail);
        }
        "ExternalName" => {
            let detail = "may not be set for ExternalName services";
            for field in ["clusterIPs", "ipFamilies"] {
                if !list(spec, field).is_empty() {
                    walk.forbidden(&path.child(field), detail);
                }
            }
            if has(spec, "ipFamilyPolicy") {
                walk.forbidden(&path.child("ipFamilyPolicy"), detail);
            }
            let (path, name) = (path.child("externalName"), text(spec, "externalName"));
            let name = name.strip_suffix('.').unwrap_or(name);
            match name.is_empty() {
                true => walk.required(&path, ""),
                false => walk.invalid_each(&path, name, dns_subdomain_errors(name)),
            }
        }
        _ => {}
    }
}

/// `validateServicePort` of each port.
pub fn ports(walk: &mut Walk<'_>, site: &Site<'_>) {
    let ports = list(site.value, "ports");
    let mut names = BTreeSet::new();
    for (place, port) in ports.iter().enumerate() {
        let path = site.path().child("ports").index(place);
        let (name, named) = (text(port, "name"), path.child("name"));
        if !name.is_empty() {
            walk.invalid_each(&named, name, dns_label_errors(name));
            if !names.insert(name) {
                walk.errors.push(FieldError::duplicate(&named, name));
            }
        } else if ports.len() > 1 {
            walk.required(&named, "");
        }
        walk.structure("ServicePort", port, &path);
    }
}

/// A port, which must be given: 0 is out of range, not missing.
pub fn port_number(walk: &mut Walk<'_>, site: &Site<'_>) {
    let port = site.value.as_i64().unwrap_or_default();
    if !(1..=65535).contains(&port) {
        walk.invalid(&site.path(), port, "must be between 1 and 65535, inclusive");
    }
}

/// The port of the Pods; 0 and an empty name are defaulted.
pub fn target_port(walk: &mut Walk<'_>, site: &Site<'_>) {
    let is_default = match site.value {
        Value::String(name) => name.is_empty(),
        // What is there after defaulting is the port itself.
        other => other.as_i64() == Some(0) && number(site.owner, "port") != Some(0),
    };
    if !is_default {
        super::pod::probes::port(walk, site);
    }
}

/// Labels in a structure that is not a Pod.
pub fn labels(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    for (key, value) in site.value.as_object().into_iter().flatten() {
        walk.errors.extend(label_key(&path, key));
        let value = value.as_str().unwrap_or_default();
        walk.invalid_each(&path, value, label_value_errors(value));
    }
}

pub fn session_affinity(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path().child("sessionAffinityConfig");
    let seconds = site
        .value
        .pointer("/sessionAffinityConfig/clientIP/timeoutSeconds");
    if text(site.value, "sessionAffinity") != "ClientIP" {
        return;
    }
    if let Some(seconds) = seconds.and_then(Value::as_i64)
        && !(1..=MAX_AFFINITY_SECONDS).contains(&seconds)
    {
        let detail = format!("must be greater than 0 and less than {MAX_AFFINITY_SECONDS}");
        let path = path.child("clientIP").child("timeoutSeconds");
        walk.invalid(&path, seconds, &detail);
    }
}

/// `ValidateServiceClusterIPsRelatedFields`.
pub fn cluster_ips(walk: &mut Walk<'_>, site: &Site<'_>) {
    let spec = site.value;
    if kind(spec) == "ExternalName" {
        return;
    }
    let path = site.path().child("clusterIPs");
    let (addresses, first) = (list(spec, "clusterIPs"), text(spec, "clusterIP"));
    let shown = || Value::Array(addresses.to_vec());
    if first.is_empty() && !addresses.is_empty() {
        walk.invalid(
            &path,
            shown(),
            "must be empty when `clusterIP` is not specified",
        );
    } else if addresses.first().is_some_and(|it| it != first) {
        walk.invalid(&path, shown(), "first value must match `clusterIP`");
    }
    families(walk, spec, &site.path());
    let found = walk.errors.len();
    let texts: Vec<&str> = addresses
        .iter()
        .map(|it| it.as_str().unwrap_or_default())
        .collect();
    let given = if texts.is_empty() && !first.is_empty() {
        vec![first]
    } else {
        texts
    };
    for (place, address) in given.iter().enumerate() {
        if place == 0 && *address == "None" {
            if given.len() > 1 {
                walk.invalid(&path, shown(), "'None' must be the first and only value");
            }
            continue;
        }
        walk.invalid_each(&path.index(place), address, ip(address));
    }
    if given.len() > 2 {
        walk.invalid(&path, shown(), "may only hold up to 2 values");
    }
    if walk.errors.len() > found {
        return;
    }
    let is_six = |address: &str| address.contains(':');
    if let [one, other, ..] = given.as_slice()
        && is_six(one) == is_six(other)
    {
        walk.invalid(
            &path,
            shown(),
            "may specify no more than one IP for each IP family",
        );
    }
    if is_headless(spec) {
        return;
    }
    let families = list(spec, "ipFamilies").iter().filter_map(Value::as_str);
    for (place, (address, family)) in given.iter().zip(families).enumerate() {
        if FAMILIES.contains(&family) && is_six(address) != (family == "IPv6") {
            let article = if family == "IPv6" {
                "an IPv6"
            } else {
                "an IPv4"
            };
            let detail = format!("expected {article} value as indicated by `ipFamilies[{place}]`");
            walk.invalid(&path.index(place), *address, &detail);
        }
    }
}

fn families(walk: &mut Walk<'_>, spec: &Value, path: &Path) {
    let mut seen = BTreeSet::new();
    for (place, family) in list(spec, "ipFamilies").iter().enumerate() {
        let (path, family) = (
            path.child("ipFamilies").index(place),
            family.as_str().unwrap_or_default(),
        );
        if !FAMILIES.contains(&family) {
            walk.errors
                .push(FieldError::not_supported(&path, family, &FAMILIES));
        }
        if !seen.insert(family) {
            walk.errors.push(FieldError::duplicate(&path, family));
        }
    }
    let policy = at(spec, "ipFamilyPolicy").and_then(Value::as_str);
    if let Some(policy) = policy.filter(|policy| !FAMILY_POLICIES.contains(policy)) {
        let path = path.child("ipFamilyPolicy");
        walk.errors
            .push(FieldError::not_supported(&path, policy, &FAMILY_POLICIES));
    }
}

/// Addresses that the nodes accept for the Service (`ValidateEndpointIP`).
pub fn external_ips(walk: &mut Walk<'_>, site: &Site<'_>) {
    for (place, address) in list(site.owner, "externalIPs").iter().enumerate() {
        let (path, address) = (
            site.path().index(place),
            address.as_str().unwrap_or_default(),
        );
        let wrong = ip(address);
        if wrong.is_empty() {
            endpoint(walk, &path, address);
        }
        walk.invalid_each(&path, address, wrong);
    }
}

fn endpoint(walk: &mut Walk<'_>, path: &Path, address: &str) {
    let Ok(parsed) = address.parse::<IpAddr>() else {
        return;
    };
    let (is_link, is_group) = match parsed {
        IpAddr::V4(four) => (four.is_link_local(), four.octets()[..3] == [224, 0, 0]),
        IpAddr::V6(six) => (
            six.is_unicast_link_local(),
            six.segments()[0] & 0xff0f == 0xff02,
        ),
    };
    let unspecified = format!("may not be unspecified ({address})");
    for (is_wrong, detail) in [
        (parsed.is_unspecified(), unspecified.as_str()),
        (
            parsed.is_loopback(),
            "may not be in the loopback range (127.0.0.0/8, ::1/128)",
        ),
        (
            is_link,
            "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
        ),
        (
            is_group,
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    ] {
        if is_wrong {
            walk.invalid(path, address, detail);
        }
    }
}

/// Ports of the nodes, and ports that two entries share.
pub fn node_ports(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (ports, path) = (list(site.value, "ports"), site.path().child("ports"));
    let given = |port: &Value| number(port, "nodePort").filter(|port| *port != 0);
    if kind(site.value) == "ClusterIP" {
        for (place, _) in ports
            .iter()
            .enumerate()
            .filter(|(_, port)| given(port).is_some())
        {
            let path = path.index(place).child("nodePort");
            walk.forbidden(&path, "may not be used when `type` is 'ClusterIP'");
        }
    }
    let (mut taken, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (place, port) in ports.iter().enumerate() {
        if let Some(number) = given(port)
            && !taken.insert((text(port, "protocol"), number))
        {
            let path = path.index(place).child("nodePort");
            walk.errors.push(FieldError::duplicate(&path, number));
        }
    }
    for (place, port) in ports.iter().enumerate() {
        let protocol = match text(port, "protocol") {
            "" => "TCP",
            protocol => protocol,
        };
        let number = number(port, "port").unwrap_or_default();
        if !used.insert((protocol, number)) {
            let shown = json!({"Name": "", "Protocol": protocol, "AppProtocol": null, "Port": number,
                "TargetPort": 0, "NodePort": 0});
            walk.errors
                .push(FieldError::duplicate(&path.index(place), shown));
        }
    }
}

/// The API server's path begins with a capital letter.
pub fn source_ranges(walk: &mut Walk<'_>, site: &Site<'_>) {
    let ranges = list(site.value, "loadBalancerSourceRanges");
    let path = site.path().child("LoadBalancerSourceRanges");
    if !ranges.is_empty() && kind(site.value) != "LoadBalancer" {
        walk.forbidden(&path, ONLY_BALANCERS);
    }
    for (place, range) in ranges.iter().enumerate() {
        let range = range.as_str().unwrap_or_default().trim();
        walk.invalid_each(&path.index(place), range, cidr(range));
    }
}

/// The addresses of a node's Pods.
pub fn pod_cidrs(walk: &mut Walk<'_>, site: &Site<'_>) {
    let ranges = list(site.owner, "podCIDRs");
    for (place, range) in ranges.iter().enumerate() {
        let range = range.as_str().unwrap_or_default();
        walk.invalid_each(&site.path().index(place), range, cidr(range));
    }
    let sixes = ranges
        .iter()
        .filter(|range| range.as_str().is_some_and(|it| it.contains(':')));
    let is_dual = ranges.len() == 2 && sixes.count() == 1;
    if ranges.len() > 1 && !is_dual {
        let detail = "may specify no more than one CIDR for each IP family";
        walk.invalid(&site.path(), ranges.to_vec(), detail);
    }
}

/// What only load balancers have.
pub fn balancer(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (spec, path) = (site.value, site.path());
    let is_balancer = kind(spec) == "LoadBalancer";
    if has(spec, "allocateLoadBalancerNodePorts") && !is_balancer {
        walk.forbidden(&path.child("allocateLoadBalancerNodePorts"), ONLY_BALANCERS);
    }
    if has(spec, "loadBalancerClass") {
        let (path, class) = (
            path.child("loadBalancerClass"),
            text(spec, "loadBalancerClass"),
        );
        match is_balancer {
            true => walk.invalid_each(&path, class, label_key_errors(class)),
            false => walk.forbidden(&path, ONLY_BALANCERS),
        }
    }
}

/// `validateServiceExternalTrafficPolicy`, `validateServiceInternalTrafficFieldsValue`.
pub fn traffic_policies(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (spec, path) = (site.value, site.path());
    let kind = kind(spec);
    let external = text(spec, "externalTrafficPolicy");
    let own = path.child("externalTrafficPolicy");
    let is_external = matches!(kind, "LoadBalancer" | "NodePort")
        || kind == "ClusterIP" && !list(spec, "externalIPs").is_empty();
    if !external.is_empty() && !is_external {
        walk.invalid(
            &own,
            external,
            "may only be set for externally-accessible services",
        );
    } else if !external.is_empty() && !POLICIES.contains(&external) {
        walk.errors
            .push(FieldError::not_supported(&own, external, &POLICIES));
    }
    let checked = kind == "LoadBalancer" && external == "Local";
    let port = number(spec, "healthCheckNodePort").filter(|port| *port != 0);
    if let Some(port) = port {
        let path = path.child("healthCheckNodePort");
        if !checked {
            let detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
            walk.invalid(&path, port, detail);
        } else if !(1..=65535).contains(&port) {
            walk.invalid(&path, port, "must be between 1 and 65535, inclusive");
        }
    }
    let internal = at(spec, "internalTrafficPolicy").and_then(Value::as_str);
    if let Some(word) = internal.filter(|word| !POLICIES.contains(word)) {
        let path = path.child("internalTrafficPolicy");
        walk.errors
            .push(FieldError::not_supported(&path, word, &POLICIES));
    }
}
