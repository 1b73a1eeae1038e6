//! Pods and Pod templates.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{
    Container, ContainerPort, Pod, PodSchedulingGate, PodSpec, VolumeMount,
};

use super::affinity::affinity;
use super::field::{FieldError, Path};
use super::metadata::{Naming, labels, object_meta};
use super::names::{dns_label_errors, dns_subdomain_errors, label_key};
use super::priority::preemption_policy;
use super::resources::{container_resources, overhead, pod_resources};
use super::spread::spread_constraints;
use super::tolerations::tolerations;
use super::volumes::pod_volumes;
use super::{Errors, invalid_each, one_of, probes};
use crate::base::sort;

/// What contains a Pod's spec.
#[derive(Clone, Copy, Debug)]
pub enum Holder<'a> {
    /// A Pod with these labels.
    Pod(&'a BTreeMap<String, String>),
    /// A Pod in the API server, which has merged `matchLabelKeys` and `mismatchLabelKeys` into the selectors.
    StoredPod,
    /// The template of a workload.
    Template,
    /// The template of a StatefulSet, whose claim templates are volumes too.
    StatefulSetTemplate,
}

/// Validates a Pod as written.
pub fn pod(pod: &Pod, errors: &mut Errors) {
    let none = BTreeMap::new();
    let labels = pod.metadata.labels.as_ref().unwrap_or(&none);
    pod_in(pod, Holder::Pod(labels), errors);
}

/// Validates a Pod after the API server's strategy has prepared it.
pub fn stored_pod(pod: &Pod, errors: &mut Errors) {
    pod_in(pod, Holder::StoredPod, errors);
}

fn pod_in(pod: &Pod, holder: Holder<'_>, errors: &mut Errors) {
    object_meta(&pod.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    let Some(spec) = &pod.spec else {
        errors.push(FieldError::required(&path.child("containers"), ""));
        return;
    };
    pod_spec(&path, spec, holder, errors);
    let lists = [
        ("containers", Some(&spec.containers)),
        ("initContainers", spec.init_containers.as_ref()),
    ];
    for (field, containers) in lists {
        for (i, container) in containers.into_iter().flatten().enumerate() {
            let image = container.image.as_deref().unwrap_or_default();
            if image != image.trim() {
                let path = path.child(field).index(i).child("image");
                let detail = "must not have leading or trailing whitespace";
                errors.push(FieldError::invalid(&path, image, detail));
            }
        }
    }
    let gated = spec
        .scheduling_gates
        .as_ref()
        .is_some_and(|gates| !gates.is_empty());
    if gated && spec.node_name.as_ref().is_some_and(|name| !name.is_empty()) {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.push(FieldError::forbidden(&path.child("nodeName"), detail));
    }
}

/// Validates the spec of a Pod or of a template.
pub fn pod_spec(path: &Path, spec: &PodSpec, holder: Holder<'_>, errors: &mut Errors) {
    let volumes = spec.volumes.as_deref().unwrap_or_default();
    pod_volumes(&path.child("volumes"), volumes, errors);
    let names: BTreeSet<&str> = sort::gather(volumes.iter().map(|volume| volume.name.as_str()));
    let mountable = match holder {
        Holder::StatefulSetTemplate => None,
        _ => Some(&names),
    };
    all_containers(path, spec, mountable, errors);
    pod_resources(&path.child("resources"), spec, errors);
    if spec.host_network == Some(true) {
        host_network_ports(&path.child("containers"), &spec.containers, errors);
    }
    let policies = ["Always", "OnFailure", "Never"];
    one_of(
        &path.child("restartPolicy"),
        spec.restart_policy.as_ref(),
        &policies,
        errors,
    );
    labels(
        &path.child("nodeSelector"),
        spec.node_selector.as_ref(),
        errors,
    );
    if let Some(terms) = &spec.affinity {
        let labels = match holder {
            Holder::Pod(labels) => Some(labels),
            _ => None,
        };
        affinity(&path.child("affinity"), terms, labels, errors);
    }
    let gates = spec.scheduling_gates.as_deref().unwrap_or_default();
    scheduling_gates(&path.child("schedulingGates"), gates, errors);
    let constraints = spec
        .topology_spread_constraints
        .as_deref()
        .unwrap_or_default();
    spread_constraints(
        &path.child("topologySpreadConstraints"),
        constraints,
        matches!(holder, Holder::StoredPod),
        errors,
    );
    optional_subdomain(&path.child("nodeName"), spec.node_name.as_deref(), errors);
    let listed = spec.tolerations.as_deref().unwrap_or_default();
    tolerations(&path.child("tolerations"), listed, errors);
    let class = spec.priority_class_name.as_deref();
    optional_subdomain(&path.child("priorityClassName"), class, errors);
    preemption_policy(path, spec.preemption_policy.as_ref(), errors);
    if let Some(amounts) = &spec.overhead {
        overhead(&path.child("overhead"), amounts, errors);
    }
}

fn optional_subdomain(path: &Path, name: Option<&str>, errors: &mut Errors) {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        invalid_each(path, name, dns_subdomain_errors(name), errors);
    }
}

/// Validates containers and init containers; `volumes` are those that can be mounted, if known.
fn all_containers(
    path: &Path,
    spec: &PodSpec,
    volumes: Option<&BTreeSet<&str>>,
    errors: &mut Errors,
) {
    let mut names = BTreeSet::new();
    let regular_path = path.child("containers");
    if spec.containers.is_empty() {
        errors.push(FieldError::required(&regular_path, ""));
    }
    for (i, container) in spec.containers.iter().enumerate() {
        let path = regular_path.index(i);
        common(&path, container, volumes, errors);
        if !names.insert(container.name.as_str()) {
            errors.push(FieldError::duplicate(
                &path.child("name"),
                container.name.as_str(),
            ));
        }
        probes::running(&path, container, errors);
    }
    host_port_conflicts(&regular_path, &spec.containers, errors);
    let init_path = path.child("initContainers");
    for (i, container) in spec.init_containers.iter().flatten().enumerate() {
        let path = init_path.index(i);
        common(&path, container, volumes, errors);
        let policy = container.restart_policy.as_ref();
        one_of(&path.child("restartPolicy"), policy, &["Always"], errors);
        if !names.insert(container.name.as_str()) {
            errors.push(FieldError::duplicate(
                &path.child("name"),
                container.name.as_str(),
            ));
        }
        match policy.map(String::as_str) {
            Some("Always") => probes::running(&path, container, errors),
            _ => probes::ending(&path, container, errors),
        }
        // Init containers run one at a time, so their ports conflict only within one container.
        host_port_conflicts(&init_path, std::slice::from_ref(container), errors);
    }
}

/// Validates the fields that all types of containers share.
fn common(
    path: &Path,
    container: &Container,
    volumes: Option<&BTreeSet<&str>>,
    errors: &mut Errors,
) {
    let name_path = path.child("name");
    if container.name.is_empty() {
        errors.push(FieldError::required(&name_path, ""));
    } else {
        invalid_each(
            &name_path,
            &container.name,
            dns_label_errors(&container.name),
            errors,
        );
    }
    if container.image.as_deref().unwrap_or_default().is_empty() {
        errors.push(FieldError::required(&path.child("image"), ""));
    }
    ports(
        &path.child("ports"),
        container.ports.as_deref().unwrap_or_default(),
        errors,
    );
    if let Some(volumes) = volumes {
        let mounts = container.volume_mounts.as_deref().unwrap_or_default();
        volume_mounts(&path.child("volumeMounts"), mounts, volumes, errors);
    }
    let pull = ["Always", "IfNotPresent", "Never"];
    one_of(
        &path.child("imagePullPolicy"),
        container.image_pull_policy.as_ref(),
        &pull,
        errors,
    );
    if let Some(resources) = &container.resources {
        container_resources(&path.child("resources"), resources, errors);
    }
}

fn volume_mounts(
    path: &Path,
    mounts: &[VolumeMount],
    volumes: &BTreeSet<&str>,
    errors: &mut Errors,
) {
    let mut seen = BTreeSet::new();
    for (i, mount) in mounts.iter().enumerate() {
        let path = path.index(i);
        let (name, mount_path) = (mount.name.as_str(), mount.mount_path.as_str());
        if name.is_empty() {
            errors.push(FieldError::required(&path.child("name"), ""));
        }
        if !volumes.contains(name) {
            errors.push(FieldError::not_found(&path.child("name"), name));
        }
        if mount_path.is_empty() {
            errors.push(FieldError::required(&path.child("mountPath"), ""));
        }
        if !seen.insert(mount_path) {
            let path = path.child("mountPath");
            errors.push(FieldError::invalid(&path, mount_path, "must be unique"));
        }
    }
}

fn ports(path: &Path, ports: &[ContainerPort], errors: &mut Errors) {
    let mut names = BTreeSet::new();
    for (i, port) in ports.iter().enumerate() {
        let path = path.index(i);
        if let Some(name) = port.name.as_deref().filter(|name| !name.is_empty()) {
            let details = port_name_errors(name);
            if details.is_empty() && !names.insert(name) {
                errors.push(FieldError::duplicate(&path.child("name"), name));
            }
            invalid_each(&path.child("name"), name, details, errors);
        }
        if port.container_port == 0 {
            errors.push(FieldError::required(&path.child("containerPort"), ""));
        } else {
            port_number(&path.child("containerPort"), port.container_port, errors);
        }
        if let Some(number) = port.host_port.filter(|number| *number != 0) {
            port_number(&path.child("hostPort"), number, errors);
        }
        let protocols = ["SCTP", "TCP", "UDP"];
        one_of(
            &path.child("protocol"),
            port.protocol.as_ref(),
            &protocols,
            errors,
        );
    }
}

pub(super) fn port_number(path: &Path, number: i32, errors: &mut Errors) {
    if !(1..=65535).contains(&number) {
        let detail = "must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(path, number, detail));
    }
}

pub(super) fn port_name_errors(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if name.len() > 15 {
        errors.push("must be no more than 15 bytes");
    }
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if !name.bytes().all(allowed) {
        errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !name.bytes().any(|b| b.is_ascii_lowercase()) {
        errors.push("must contain at least one letter (a-z)");
    }
    if name.contains("--") {
        errors.push("must not contain consecutive hyphens");
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("must not begin or end with a hyphen");
    }
    errors.into_iter().map(str::to_owned).collect()
}

/// Reports host ports that two ports of the containers share, including protocol and address.
fn host_port_conflicts(path: &Path, containers: &[Container], errors: &mut Errors) {
    let mut taken = BTreeSet::new();
    for (i, container) in containers.iter().enumerate() {
        for (j, port) in container.ports.iter().flatten().enumerate() {
            let Some(number) = port.host_port.filter(|number| *number != 0) else {
                continue;
            };
            let protocol = port.protocol.as_deref().unwrap_or("TCP");
            let address = port.host_ip.as_deref().unwrap_or_default();
            let key = format!("{protocol}/{address}/{number}");
            if taken.contains(&key) {
                let path = path.index(i).child("ports").index(j).child("hostPort");
                errors.push(FieldError::duplicate(&path, key));
            } else {
                taken.insert(key);
            }
        }
    }
}

/// On the host's network, host port and container port must be equal; an absent host port is defaulted.
fn host_network_ports(path: &Path, containers: &[Container], errors: &mut Errors) {
    for (i, container) in containers.iter().enumerate() {
        for (j, port) in container.ports.iter().flatten().enumerate() {
            let Some(number) = port.host_port.filter(|number| *number != 0) else {
                continue;
            };
            if number != port.container_port {
                let path = path.index(i).child("ports").index(j).child("hostPort");
                let detail = "must match `containerPort` when `hostNetwork` is true";
                errors.push(FieldError::invalid(&path, number, detail));
            }
        }
    }
}

fn scheduling_gates(path: &Path, gates: &[PodSchedulingGate], errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (i, gate) in gates.iter().enumerate() {
        let path = path.index(i);
        errors.extend(label_key(&path, &gate.name));
        if !seen.insert(gate.name.as_str()) {
            errors.push(FieldError::duplicate(&path, gate.name.as_str()));
        }
    }
}
