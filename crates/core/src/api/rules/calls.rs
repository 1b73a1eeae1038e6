//! The functions that the table names.

use super::Call;
use super::pod::{containers, env, mounts, probes, security, spec, volumes};
use super::{batch, network, policy, storage};

/// A function by its name in the table.
pub(super) fn of(name: &str) -> Option<Call> {
    let spec: Option<Call> = match name {
        "volumes" => Some(volumes::all),
        "pod_claims" => Some(spec::claims),
        "containers" => Some(containers::main),
        "init_containers" => Some(containers::init),
        "ephemeral_containers" => Some(containers::ephemeral),
        "pod_resources" => Some(spec::resources),
        "host_network_ports" => Some(spec::host_network_ports),
        "labels" => Some(spec::labels),
        "affinity" => Some(spec::affinity),
        "dns_config" => Some(spec::dns_config),
        "scheduling_gates" => Some(spec::gates),
        "spread" => Some(spec::spread),
        "host_users" => Some(spec::host_users),
        "hostname_override" => Some(spec::hostname_override),
        "tolerations" => Some(spec::tolerations),
        "preemption" => Some(spec::preemption),
        "overhead" => Some(spec::overhead),
        "os" => Some(security::os),
        "file_key_volumes" => Some(env::file_volumes),
        _ => None,
    };
    spec.or_else(|| of_container(name))
        .or_else(|| of_volume(name))
        .or_else(|| of_object(name))
}

fn of_container(name: &str) -> Option<Call> {
    Some(match name {
        "ports" => containers::ports,
        "host_port" => containers::host_port,
        "container_resources" => containers::resources,
        "resize_policy" => containers::resize_policy,
        "env_from" => env::from,
        "value_from" => env::value_from,
        "selected_name" => env::selected_name,
        "mounts" => mounts::all,
        "devices" => mounts::devices,
        "handler" => probes::handler,
        "only_one" => probes::only_one,
        "not_for_readiness" => probes::not_for_readiness,
        "port" => probes::port,
        "headers" => probes::headers,
        "shared_pids" => security::shared_pids,
        "sysctls" => security::sysctls,
        "apparmor" => security::apparmor,
        "proc_mount" => security::proc_mount,
        "escalation" => security::escalation,
        "localhost_profile" => security::localhost_profile,
        _ => return None,
    })
}

fn of_volume(name: &str) -> Option<Call> {
    Some(match name {
        "volume_source" => volumes::source,
        "size_limit" => volumes::size_limit,
        "host_path_type" => volumes::host_path_type,
        "required_path" => volumes::required_path,
        "absolute_path" => volumes::absolute_path,
        "downward_files" => volumes::downward_files,
        "downward_source" => volumes::downward_source,
        "projections" => volumes::projections,
        "publish_secret" => volumes::publish_secret,
        "claim_template" => volumes::claim_template,
        "image_reference" => volumes::image_reference,
        _ => return None,
    })
}

fn of_object(name: &str) -> Option<Call> {
    Some(match name {
        "job_indexes" => batch::indexes,
        "managed_by" => batch::managed_by,
        "completion_mode" => batch::completion_mode,
        "failure_policy" => batch::failure_policy,
        "success_policy" => batch::success_policy,
        "replacement_policy" => batch::replacement_policy,
        "service_opening" => network::opening,
        "service_ports" => network::ports,
        "plain_labels" => network::labels,
        "session_affinity" => network::session_affinity,
        "cluster_ips" => network::cluster_ips,
        "external_ips" => network::external_ips,
        "node_ports" => network::node_ports,
        "source_ranges" => network::source_ranges,
        "balancer" => network::balancer,
        "traffic_policies" => network::traffic_policies,
        "port_number" => network::port_number,
        "target_port" => network::target_port,
        "pod_cidrs" => network::pod_cidrs,
        "parameters" => storage::parameters,
        "topologies" => storage::topologies,
        "token_requests" => storage::token_requests,
        "parameters_given" => storage::parameters_given,
        "driver_switches" => storage::driver_switches,
        "drivers" => storage::drivers,
        "node_id" => storage::node_id,
        "referred_group" => storage::referred_group,
        "data_sources" => storage::data_sources,
        "limits" => policy::limits,
        "hard" => policy::hard,
        "scopes" => policy::scopes,
        "scope_selector" => policy::scope_selector,
        _ => return None,
    })
}
