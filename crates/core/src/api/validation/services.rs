//! Services (`ValidateService` of kube-apiserver v1.34), as far as their fields alone decide.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};

use super::field::{FieldError, Path};
use super::metadata::{Naming, labels, object_meta};
use super::names::{dns_label_errors, dns_subdomain_errors};
use super::pod::port_number;
use super::probes::port_number_or_name;
use super::{Errors, invalid_each, one_of};

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const AFFINITIES: [&str; 2] = ["ClientIP", "None"];
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

pub(super) fn service(service: &Service, errors: &mut Errors) {
    object_meta(&service.metadata, Naming::Label1035, errors);
    let path = Path::root().child("spec");
    let none = ServiceSpec::default();
    let spec = service.spec.as_ref().unwrap_or(&none);
    let kind = spec.type_.as_deref().unwrap_or("ClusterIP");
    let ports = spec.ports.as_deref().unwrap_or_default();
    let is_headless = spec.cluster_ip.as_deref() == Some("None");
    if ports.is_empty() && !is_headless && kind != "ExternalName" {
        errors.push(FieldError::required(&path.child("ports"), ""));
    }
    if kind == "ExternalName" {
        external_name(&path.child("externalName"), spec, errors);
    }
    let mut names = BTreeSet::new();
    for (i, it) in ports.iter().enumerate() {
        let path = path.child("ports").index(i);
        port(&path, it, ports.len() > 1, &mut names, errors);
    }
    labels(&path.child("selector"), spec.selector.as_ref(), errors);
    let affinity = spec.session_affinity.as_ref();
    one_of(
        &path.child("sessionAffinity"),
        affinity,
        &AFFINITIES,
        errors,
    );
    one_of(&path.child("type"), spec.type_.as_ref(), &TYPES, errors);
    for (i, it) in ports.iter().enumerate() {
        if kind == "ClusterIP" && it.node_port.is_some_and(|port| port != 0) {
            let path = path.child("ports").index(i).child("nodePort");
            let detail = "may not be used when `type` is 'ClusterIP'";
            errors.push(FieldError::forbidden(&path, detail));
        }
    }
}

fn external_name(path: &Path, spec: &ServiceSpec, errors: &mut Errors) {
    let name = spec.external_name.as_deref().unwrap_or_default();
    let name = name.strip_suffix('.').unwrap_or(name);
    match name.is_empty() {
        true => errors.push(FieldError::required(path, "")),
        false => invalid_each(path, name, dns_subdomain_errors(name), errors),
    }
}

fn port<'a>(
    path: &Path,
    port: &'a ServicePort,
    needs_name: bool,
    names: &mut BTreeSet<&'a str>,
    errors: &mut Errors,
) {
    let name = port.name.as_deref().unwrap_or_default();
    if !name.is_empty() {
        invalid_each(&path.child("name"), name, dns_label_errors(name), errors);
        if !names.insert(name) {
            errors.push(FieldError::duplicate(&path.child("name"), name));
        }
    } else if needs_name {
        errors.push(FieldError::required(&path.child("name"), ""));
    }
    port_number(&path.child("port"), port.port, errors);
    one_of(
        &path.child("protocol"),
        port.protocol.as_ref(),
        &PROTOCOLS,
        errors,
    );
    if let Some(target) = &port.target_port {
        port_number_or_name(&path.child("targetPort"), target, errors);
    }
}
