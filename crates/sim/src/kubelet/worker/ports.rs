//! The host ports of a Pod.

use k8s_openapi::api::core::v1::PodSpec;

use berth_scheduler::cluster::spec::HostPort;

/// The host ports of a Pod's containers and sidecars.
pub(super) fn host_ports(spec: &PodSpec) -> Vec<HostPort> {
    let sidecars = spec
        .init_containers
        .iter()
        .flatten()
        .filter(|own| own.restart_policy.as_deref() == Some("Always"));
    let ports = spec
        .containers
        .iter()
        .chain(sidecars)
        .flat_map(|own| own.ports.iter().flatten());
    ports
        .filter_map(|port| {
            let number = port.host_port.filter(|number| *number > 0)?;
            let host_ip = port.host_ip.clone().filter(|ip| !ip.is_empty());
            Some(HostPort {
                host_ip: host_ip.unwrap_or_else(|| "0.0.0.0".to_owned()),
                protocol: port.protocol.clone().unwrap_or_else(|| "TCP".to_owned()),
                port: number,
                pod_path: String::new(),
            })
        })
        .collect()
}
