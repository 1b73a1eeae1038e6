//! Services: defaults (`SetDefaults_Service`) and the allocation of addresses and node ports, v1.34.
//!
//! Addresses and ports are free ones near a hash of the name, so the same manifests give the same ones.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{
    ClientIPConfig, LoadBalancerStatus, Service, ServiceSpec, ServiceStatus, SessionAffinityConfig,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{AdmissionContext, Errors};
use crate::store::{name_of, namespace_of};
use berth_core::api::validation::field::{FieldError, Path};
use berth_core::api::validation::names::dns_1035_label_errors;
use berth_core::base::hash::Fnv;
use berth_core::release::{Gate, Release};

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
    if has_node_ports(spec) {
        spec.external_traffic_policy
            .get_or_insert_with(|| "Cluster".to_owned());
    }
    if spec.type_.as_deref() == Some("LoadBalancer") {
        spec.allocate_load_balancer_node_ports.get_or_insert(true);
    }
    let status = service.status.get_or_insert(ServiceStatus::default());
    status
        .load_balancer
        .get_or_insert(LoadBalancerStatus::default());
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
        spec.ip_families
            .get_or_insert_with(|| vec!["IPv4".to_owned()]);
        spec.ip_family_policy
            .get_or_insert_with(|| "SingleStack".to_owned());
        let address = match spec.cluster_ip.take().filter(|ip| !ip.is_empty()) {
            Some(asked) => asked,
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

/// A change without addresses and node ports keeps the allocated ones (`patchAllocatedValues`).
pub(super) fn keep_allocated(service: &mut Service, before: &Service) {
    let seed = hash(service);
    let (Some(spec), Some(old)) = (&mut service.spec, &before.spec) else {
        return;
    };
    if has_address(spec) && has_address(old) {
        if spec.cluster_ip.as_deref().unwrap_or_default().is_empty() {
            spec.cluster_ip.clone_from(&old.cluster_ip);
        }
        if spec.cluster_ip == old.cluster_ip && spec.cluster_ips.is_none() {
            spec.cluster_ips.clone_from(&old.cluster_ips);
        }
    }
    if spec.ip_families.is_none() {
        spec.ip_families.clone_from(&old.ip_families);
    }
    if spec.ip_family_policy.is_none() {
        spec.ip_family_policy.clone_from(&old.ip_family_policy);
    }
    if !has_node_ports(spec) {
        for port in spec.ports.iter_mut().flatten() {
            port.node_port = None;
        }
        spec.external_traffic_policy = None;
        return;
    }
    for port in spec.ports.iter_mut().flatten() {
        let mut known = old
            .ports
            .iter()
            .flatten()
            .filter(|it| it.port == port.port && it.protocol == port.protocol);
        port.node_port = port.node_port.or(known.next().and_then(|it| it.node_port));
    }
    let used = spec
        .ports
        .iter()
        .flatten()
        .filter_map(|port| port.node_port)
        .collect();
    give_node_ports(spec, seed, used);
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
