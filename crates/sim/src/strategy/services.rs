//! Services: defaults (`SetDefaults_Service`) and the allocation of addresses and node ports, v1.34.
//!
//! Addresses and ports are free ones near a hash of the name, so the same manifests give the same ones.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use k8s_openapi::api::core::v1::{
    ClientIPConfig, LoadBalancerStatus, Service, ServiceSpec, ServiceStatus, SessionAffinityConfig,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{AdmissionContext, Errors};
use crate::store::{name_of, namespace_of};
use berth_base::hash::Fnv;
use berth_base::json;
use berth_core::api::defaults::fill;
use berth_core::api::validation::Validate;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::dns_1035_label_errors;
use berth_scheduler::release::{Gate, Release};

/// The number of addresses in the Service CIDR, 10.96.0.0/16.
const ADDRESSES: u64 = 1 << 16;
/// The address of the Service `kubernetes`.
const OF_API_SERVER: u64 = 1;
/// The address of the cluster's DNS in most clusters.
const OF_DNS: u64 = 10;
/// The range of node ports.
const NODE_PORTS: std::ops::Range<i32> = 30_000..32_768;
/// The time that `sessionAffinity: ClientIP` lasts, in seconds: three hours.
const AFFINITY_SECONDS: i32 = 10_800;

pub(super) fn set_defaults(service: &mut Service) {
    let spec = service.spec.get_or_insert_default();
    let affinity = spec
        .session_affinity
        .get_or_insert_with(|| "None".to_owned());
    if affinity == "None" {
        spec.session_affinity_config = None;
    } else if affinity == "ClientIP" {
        let config = SessionAffinityConfig::default();
        let config = spec.session_affinity_config.get_or_insert(config);
        let config = config.client_ip.get_or_insert(ClientIPConfig::default());
        config.timeout_seconds.get_or_insert(AFFINITY_SECONDS);
    }
    spec.type_.get_or_insert_with(|| "ClusterIP".to_owned());
    for port in spec.ports.iter_mut().flatten() {
        port.protocol.get_or_insert_with(|| "TCP".to_owned());
        let is_open = match &port.target_port {
            None | Some(IntOrString::Int(0)) => true,
            Some(IntOrString::String(name)) => name.is_empty(),
            Some(IntOrString::Int(_)) => false,
        };
        if is_open {
            port.target_port = Some(IntOrString::Int(port.port));
        }
    }
    if has_address(spec) {
        spec.internal_traffic_policy
            .get_or_insert_with(|| "Cluster".to_owned());
    }
    if is_external(spec) {
        fill(&mut spec.external_traffic_policy, "Cluster");
    }
    if spec.type_.as_deref() == Some("LoadBalancer") {
        spec.allocate_load_balancer_node_ports.get_or_insert(true);
    }
    let status = service.status.get_or_insert(ServiceStatus::default());
    let balancer = status
        .load_balancer
        .get_or_insert(LoadBalancerStatus::default());
    for ingress in balancer.ingress.iter_mut().flatten() {
        if ingress.ip.as_ref().is_some_and(|ip| !ip.is_empty()) {
            ingress.ip_mode.get_or_insert_with(|| "VIP".to_owned());
        }
    }
}

/// Names begin with a letter unless a gate is on.
pub(super) fn validate_gates(service: &Service, release: &Release, errors: &mut Errors) {
    let name = service.metadata.name.as_deref().unwrap_or_default();
    let wrong = dns_1035_label_errors(name);
    if release.is_on(Gate::RelaxedServiceNameValidation) || name.is_empty() || wrong.is_empty() {
        return;
    }
    let path = Path::root().child("metadata").child("name");
    errors.retain(|error| error.path != path.as_str());
    let found = wrong
        .iter()
        .map(|detail| FieldError::invalid(&path, name, detail));
    errors.splice(0..0, found);
}

/// Completes a new Service: address families, address, node ports.
pub(super) fn admit(service: &mut Service, cx: AdmissionContext<'_>) -> Result<(), String> {
    set_defaults(service);
    let seed = hash(service);
    let others = || cx.store.services.iter();
    let of_spec = |of: fn(&ServiceSpec) -> Option<&String>| {
        others().filter_map(move |other| of(other.spec.as_ref()?).cloned())
    };
    let Some(spec) = &mut service.spec else {
        return Ok(());
    };
    let is_consistent = spec.cluster_ip.as_ref().is_some_and(|it| !it.is_empty())
        || spec.cluster_ips.as_ref().is_none_or(Vec::is_empty);
    if has_address(spec) && is_consistent {
        let is_selector_less = spec.selector.as_ref().is_none_or(BTreeMap::is_empty);
        let is_headless = spec.cluster_ip.as_deref() == Some("None");
        let usual = match is_headless && is_selector_less {
            true => "RequireDualStack",
            false => "SingleStack",
        };
        let policy = fill(&mut spec.ip_family_policy, usual).to_owned();
        let is_six = spec.cluster_ip.as_ref().is_some_and(|it| it.contains(':'));
        let families = spec.ip_families.get_or_insert_default();
        if families.is_empty() && !is_six {
            families.push("IPv4".to_owned());
        }
        if is_headless && is_selector_less && policy != "SingleStack" && families.len() == 1 {
            let is_four = families.iter().any(|it| it == "IPv4");
            families.push(if is_four { "IPv6" } else { "IPv4" }.to_owned());
        }
        let is_six = families.first().is_some_and(|family| family == "IPv6");
        let address = match spec.cluster_ip.take().filter(|ip| !ip.is_empty()) {
            Some(asked) => asked,
            // Refused below.
            None if is_six => return Ok(()),
            None => {
                let used: BTreeSet<String> = of_spec(|spec| spec.cluster_ip.as_ref()).collect();
                free_address(seed, &used)
            }
        };
        spec.cluster_ips
            .get_or_insert_with(|| vec![address.clone()]);
        spec.cluster_ip = Some(address);
    }
    let used = others()
        .flat_map(|other| other.spec.iter().flat_map(|it| it.ports.iter().flatten()))
        .filter_map(|port| port.node_port)
        .collect();
    give_node_ports(spec, seed, used);
    Ok(())
}

/// A change without addresses and node ports keeps the allocated ones; what another type has no use for goes
/// (`normalizeClusterIPs`, `dropTypeDependentFields`, `patchAllocatedValues`).
pub(super) fn keep_allocated(service: &mut Service, before: &Service) {
    let seed = hash(service);
    let (Some(spec), Some(old)) = (&mut service.spec, &before.spec) else {
        return;
    };
    keep_address(spec, old);
    if has_node_ports(old) && !has_node_ports(spec) && node_ports(spec) == node_ports(old) {
        for port in spec.ports.iter_mut().flatten() {
            port.node_port = None;
        }
    }
    let is_balanced = |spec: &ServiceSpec| spec.type_.as_deref() == Some("LoadBalancer");
    if is_balanced(old) && !is_balanced(spec) {
        drop_same(
            &mut spec.allocate_load_balancer_node_ports,
            &old.allocate_load_balancer_node_ports,
        );
        drop_same(&mut spec.load_balancer_class, &old.load_balancer_class);
    }
    if is_external(old) && !is_external(spec) {
        drop_same(
            &mut spec.external_traffic_policy,
            &old.external_traffic_policy,
        );
    }
    if !has_node_ports(spec) {
        return;
    }
    if has_node_ports(old) {
        let kept: BTreeSet<i32> = node_ports(old);
        let kept: BTreeSet<i32> = kept.intersection(&node_ports(spec)).copied().collect();
        for port in spec.ports.iter_mut().flatten() {
            let mut known = old.ports.iter().flatten();
            let known = known.find(|it| it.name == port.name);
            let known = known.and_then(|it| it.node_port);
            let is_open = port.node_port.unwrap_or(0) == 0;
            if is_open {
                port.node_port = known.filter(|port| !kept.contains(port));
            }
        }
    }
    let used = node_ports(spec);
    give_node_ports(spec, seed, used);
}

/// Drops a field that a change of the type makes useless and that is as it was.
fn drop_same<T: PartialEq>(field: &mut Option<T>, before: &Option<T>) {
    if field == before {
        *field = None;
    }
}

fn node_ports(spec: &ServiceSpec) -> BTreeSet<i32> {
    let ports = spec
        .ports
        .iter()
        .flatten()
        .filter_map(|port| port.node_port);
    ports.filter(|port| *port != 0).collect()
}

fn keep_address(spec: &mut ServiceSpec, old: &ServiceSpec) {
    let of = |spec: &ServiceSpec| spec.cluster_ip.clone().unwrap_or_default();
    let (address, before) = (of(spec), of(old));
    let is_open = spec.cluster_ips.as_ref().is_none_or(Vec::is_empty);
    if is_open && address == before {
        spec.cluster_ips.clone_from(&old.cluster_ips);
    } else if address != before && spec.cluster_ips == old.cluster_ips {
        spec.cluster_ips = (!address.is_empty()).then(|| vec![address]);
    }
    if !has_address(spec) {
        if has_address(old) {
            if of(spec) == before && spec.cluster_ips == old.cluster_ips {
                (spec.cluster_ip, spec.cluster_ips) = (None, None);
            }
            drop_same(
                &mut spec.internal_traffic_policy,
                &old.internal_traffic_policy,
            );
            drop_same(&mut spec.ip_families, &old.ip_families);
            drop_same(&mut spec.ip_family_policy, &old.ip_family_policy);
        }
        return;
    }
    if has_address(old) {
        if of(spec).is_empty() {
            spec.cluster_ip.clone_from(&old.cluster_ip);
        }
        if spec.cluster_ips.as_ref().is_none_or(Vec::is_empty) {
            spec.cluster_ips.clone_from(&old.cluster_ips);
        }
    }
    if spec.ip_families.is_none() {
        spec.ip_families.clone_from(&old.ip_families);
    }
    if spec.ip_family_policy.is_none() {
        spec.ip_family_policy.clone_from(&old.ip_family_policy);
    }
}

/// The first address stays.
pub(super) fn validate_update(service: &Service, before: &Service, errors: &mut Errors) {
    let (Some(new), Some(old)) = (&service.spec, &before.spec) else {
        return;
    };
    let first = |spec: &ServiceSpec| spec.cluster_ips.clone()?.into_iter().next();
    if has_address(new)
        && has_address(old)
        && let (Some(address), Some(before)) = (first(new), first(old))
        && address != before
    {
        let path = Path::root().child("spec").child("clusterIPs").index(0);
        let all = json::value(&new.cluster_ips);
        errors.push(FieldError::invalid(&path, all, "may not change once set"));
    }
}

/// What cannot be allocated: address families, addresses and node ports.
pub(super) fn validate_in(
    service: &Service,
    before: Option<&Service>,
    cx: AdmissionContext<'_>,
    errors: &mut Errors,
) {
    let Some(spec) = service.spec.as_ref().filter(|spec| has_address(spec)) else {
        return;
    };
    let found = errors.len();
    if before.is_none() {
        let mut invalid = Errors::new();
        service.validate(&mut invalid);
        let concerns =
            |path: &str| path.starts_with("spec.clusterIP") || path.starts_with("spec.ipFamil");
        if invalid.iter().any(|error| concerns(&error.path)) {
            return;
        }
        families(spec, errors);
    }
    let uid = service.metadata.uid.as_ref();
    let others = || {
        let all = cx.store.services.iter();
        let others = all.filter(|it| uid.is_none() || it.metadata.uid.as_ref() != uid);
        others.filter_map(|it| it.spec.as_ref())
    };
    if errors.len() == found {
        let used = others().flat_map(|it| it.cluster_ips.iter().flatten());
        address(spec, &used.map(String::as_str).collect(), cx.is_dry, errors);
    }
    if errors.len() > found || !has_node_ports(spec) {
        return;
    }
    let used: BTreeSet<i32> = others().flat_map(node_ports).collect();
    for (place, port) in spec.ports.iter().flatten().enumerate() {
        let Some(port) = port.node_port.filter(|port| *port != 0) else {
            continue;
        };
        let detail = if !NODE_PORTS.contains(&port) {
            "provided port is not in the valid range. The range of valid ports is 30000-32767"
        } else if used.contains(&port) {
            "provided port is already allocated"
        } else {
            continue;
        };
        let path = Path::root().child("spec").child("ports").index(place);
        errors.push(FieldError::invalid(&path.child("nodePort"), port, detail));
    }
}

/// Only IPv4 is configured here (`initIPFamilyFields`).
fn families(spec: &ServiceSpec, errors: &mut Errors) {
    let path = Path::root().child("spec");
    let policy = spec.ip_family_policy.as_deref().unwrap_or("SingleStack");
    let families = spec.ip_families.as_deref().unwrap_or_default();
    let addresses = spec.cluster_ips.as_deref().unwrap_or_default();
    let of_policy = path.child("ipFamilyPolicy");
    let found = errors.len();
    for (count, what) in [
        (addresses.len(), "cluster IPs"),
        (families.len(), "IP families"),
    ] {
        if policy == "SingleStack" && count == 2 {
            let detail = format!(
                "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
            );
            errors.push(FieldError::invalid(&of_policy, policy, &detail));
        }
    }
    let is_headless = addresses.first().is_some_and(|it| it == "None");
    let has_selector = spec.selector.as_ref().is_some_and(|it| !it.is_empty());
    if errors.len() > found || is_headless && !has_selector {
        return;
    }
    if policy == "RequireDualStack" {
        let detail = "this cluster is not configured for dual-stack services";
        errors.push(FieldError::invalid(&of_policy, policy, detail));
    }
    for (place, family) in families.iter().enumerate().filter(|(_, it)| *it == "IPv6") {
        let path = path.child("ipFamilies").index(place);
        let detail = "not configured on this cluster";
        errors.push(FieldError::invalid(&path, family.as_str(), detail));
    }
}

/// Whether the given address can be allocated; a dry run does not ask whether it is free. The text names the range of
/// most clusters.
fn address(spec: &ServiceSpec, used: &BTreeSet<&str>, is_dry: bool, errors: &mut Errors) {
    let all = json::value(&spec.cluster_ips);
    let path = Path::root().child("spec").child("clusterIPs");
    let first = spec.cluster_ips.as_deref().unwrap_or_default().first();
    let Some(first) = first.filter(|it| *it != "None") else {
        return;
    };
    let why = match first.parse::<IpAddr>() {
        Ok(IpAddr::V6(_)) => {
            let path = path.index(0);
            let detail = "IPv6 is not configured on this cluster";
            errors.push(FieldError::invalid(&path, all, detail));
            return;
        }
        Ok(IpAddr::V4(four)) if !matches!(four.octets(), [10, 96..=111, _, _]) => format!(
            "the provided IP ({first}) is not in the valid range. The range of valid IPs is 10.96.0.0/12"
        ),
        Ok(_) if !is_dry && used.contains(first.as_str()) => {
            "provided IP is already allocated".to_owned()
        }
        _ => return,
    };
    let detail = format!("failed to allocate IP {first}: {why}");
    errors.push(FieldError::invalid(&path, all, &detail));
}

/// Whether clients outside of the cluster can reach it.
fn is_external(spec: &ServiceSpec) -> bool {
    let has_ips = spec.external_ips.as_ref().is_some_and(|it| !it.is_empty());
    has_node_ports(spec) || spec.type_.as_deref() == Some("ClusterIP") && has_ips
}

fn has_address(spec: &ServiceSpec) -> bool {
    spec.type_.as_deref() != Some("ExternalName")
}

fn has_node_ports(spec: &ServiceSpec) -> bool {
    matches!(spec.type_.as_deref(), Some("NodePort" | "LoadBalancer"))
}

fn give_node_ports(spec: &mut ServiceSpec, seed: u64, mut used: BTreeSet<i32>) {
    let is_wanted = spec.allocate_load_balancer_node_ports != Some(false)
        || spec.type_.as_deref() == Some("NodePort");
    if !has_node_ports(spec) || !is_wanted {
        return;
    }
    used.extend(
        spec.ports
            .iter()
            .flatten()
            .filter_map(|port| port.node_port),
    );
    for port in spec.ports.iter_mut().flatten() {
        if port.node_port.is_none() {
            port.node_port = free_port(seed, &used);
            used.extend(port.node_port);
        }
    }
}

fn hash(service: &Service) -> u64 {
    let mut hash = Fnv::new();
    hash.text(namespace_of(&service.metadata));
    hash.text(name_of(&service.metadata));
    hash.0
}

fn free_address(seed: u64, used: &BTreeSet<String>) -> String {
    let all = (0..ADDRESSES).map(|step| seed.wrapping_add(step) % ADDRESSES);
    // The first and the last address of the range are reserved.
    let taken = [0, OF_API_SERVER, OF_DNS, ADDRESSES - 1];
    let mut free = all
        .filter(|number| !taken.contains(number))
        .map(|number| format!("10.96.{}.{}", number / 256, number % 256));
    free.find(|address| !used.contains(address))
        .unwrap_or_default()
}

fn free_port(seed: u64, used: &BTreeSet<i32>) -> Option<i32> {
    let count = NODE_PORTS.end - NODE_PORTS.start;
    let first = i32::try_from(seed % u64::from(count.unsigned_abs())).unwrap_or(0);
    let all = (0..count).map(|step| NODE_PORTS.start + (first + step) % count);
    all.into_iter().find(|port| !used.contains(port))
}
