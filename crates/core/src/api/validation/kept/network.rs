//! Ingresses and their classes, and network policies (`pkg/apis/networking/validation`, v1.36).

use std::net::IpAddr;

use k8s_openapi::api::networking::v1::{
    HTTPIngressPath, IPBlock, Ingress, IngressBackend, IngressClass,
    IngressClassParametersReference, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{listed, name_of};
use crate::api::validation::metadata::{Naming, object_meta};
use crate::api::validation::pod::{port_name_errors, port_number};
use crate::api::validation::selector::label_selector;
use crate::api::validation::{Errors, invalid_each};
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{
    dns_label_errors, dns_subdomain_errors, path_segment_errors, wildcard_subdomain_errors,
};

/// Validates an Ingress.
pub fn ingress(ingress: &Ingress, errors: &mut Errors) {
    object_meta(&ingress.metadata, Naming::Subdomain, errors);
    let spec = ingress.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    let rules = listed(&spec.rules);
    if rules.is_empty() && spec.default_backend.is_none() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        errors.push(FieldError::invalid(&path, json::value(&spec.rules), detail));
    }
    if let Some(of_all) = &spec.default_backend {
        backend(&path.child("defaultBackend"), of_all, errors);
    }
    for (i, rule) in rules.iter().enumerate() {
        let path = path.child("rules").index(i);
        let name = rule.host.as_deref().unwrap_or_default();
        if !name.is_empty() {
            let path = path.child("host");
            if name.parse::<IpAddr>().is_ok() {
                let detail = "must be a DNS name, not an IP address";
                errors.push(FieldError::invalid(&path, name, detail));
            }
            host(&path, name, errors);
        }
        if let Some(http) = &rule.http {
            let path = path.child("http").child("paths");
            if http.paths.is_empty() {
                errors.push(FieldError::required(&path, ""));
            }
            for (i, rule) in http.paths.iter().enumerate() {
                http_path(&path.index(i), rule, errors);
            }
        }
    }
    for (i, tls) in listed(&spec.tls).iter().enumerate() {
        let path = path.child("tls").index(i);
        for (i, name) in listed(&tls.hosts).iter().enumerate() {
            host(&path.child("hosts").index(i), name, errors);
        }
        let secret = tls.secret_name.as_deref().unwrap_or_default();
        if !secret.is_empty() {
            let wrong = dns_subdomain_errors(secret);
            invalid_each(&path.child("secretName"), secret, wrong, errors);
        }
    }
    if let Some(class) = &spec.ingress_class_name {
        let path = path.child("ingressClassName");
        invalid_each(&path, class, dns_subdomain_errors(class), errors);
    }
}

fn host(path: &Path, host: &str, errors: &mut Errors) {
    let wrong = match host.contains('*') {
        true => wildcard_subdomain_errors(host),
        false => dns_subdomain_errors(host),
    };
    invalid_each(path, host, wrong, errors);
}

fn http_path(path: &Path, rule: &HTTPIngressPath, errors: &mut Errors) {
    const TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
    let text = rule.path.as_deref().unwrap_or_default();
    let at = path.child("path");
    let is_absolute = text.starts_with('/');
    let relative = || FieldError::invalid(&at, text, "must be an absolute path");
    match rule.path_type.as_str() {
        "" => {
            let detail = "pathType must be specified";
            errors.push(FieldError::required(&path.child("pathType"), detail));
            return;
        }
        "Exact" | "Prefix" => {
            if !is_absolute {
                errors.push(relative());
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.contains(part) {
                    let detail = format!("must not contain '{part}'");
                    errors.push(FieldError::invalid(&at, text, &detail));
                }
            }
            for end in ["/..", "/."] {
                if text.ends_with(end) {
                    let detail = format!("cannot end with '{end}'");
                    errors.push(FieldError::invalid(&at, text, &detail));
                }
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && !is_absolute {
                errors.push(relative());
            }
        }
        other => {
            let path = path.child("pathType");
            errors.push(FieldError::not_supported(&path, other, &TYPES));
        }
    }
    backend(&path.child("backend"), &rule.backend, errors);
}

fn backend(path: &Path, backend: &IngressBackend, errors: &mut Errors) {
    match (&backend.resource, &backend.service) {
        (Some(_), Some(_)) => {
            let detail = "cannot set both resource and service backends";
            errors.push(FieldError::invalid(path, "", detail));
        }
        (Some(resource), None) => {
            let group = resource.api_group.as_deref();
            let path = path.child("resource");
            reference(&path, group, &resource.kind, &resource.name, errors);
        }
        (None, Some(service)) => {
            let own = path.child("service");
            name_of(&own.child("name"), &service.name, dns_label_errors, errors);
            let port = service.port.clone().unwrap_or_default();
            let name = port.name.as_deref().unwrap_or_default();
            let own = own.child("port");
            match (name, port.number.unwrap_or(0)) {
                ("", 0) => {
                    let detail = "port name or number is required";
                    errors.push(FieldError::required(path, detail));
                }
                ("", number) => port_number(&own.child("number"), number, errors),
                (name, 0) => {
                    invalid_each(&own.child("name"), name, port_name_errors(name), errors);
                }
                _ => {
                    let detail = "cannot set both port name & port number";
                    errors.push(FieldError::invalid(path, "", detail));
                }
            }
        }
        (None, None) => {
            let detail = "resource or service backend is required";
            errors.push(FieldError::invalid(path, "", detail));
        }
    }
}

fn reference(path: &Path, group: Option<&str>, kind: &str, name: &str, errors: &mut Errors) {
    if let Some(group) = group {
        let wrong = dns_subdomain_errors(group);
        invalid_each(&path.child("apiGroup"), group, wrong, errors);
    }
    name_of(&path.child("kind"), kind, path_segment_errors, errors);
    name_of(&path.child("name"), name, path_segment_errors, errors);
}

/// Validates an IngressClass.
pub fn ingress_class(class: &IngressClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    let spec = class.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    let controller = spec.controller.as_deref().unwrap_or_default();
    let at = path.child("controller");
    match controller.split_once('/') {
        _ if controller.is_empty() => errors.push(FieldError::required(&at, "")),
        None | Some(("", _)) | Some((_, "")) => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            errors.push(FieldError::invalid(&at, controller, detail));
        }
        Some((domain, _)) => invalid_each(&at, domain, dns_subdomain_errors(domain), errors),
    }
    if let Some(parameters) = &spec.parameters {
        class_parameters(&path.child("parameters"), parameters, errors);
    }
}

fn class_parameters(
    path: &Path,
    parameters: &IngressClassParametersReference,
    errors: &mut Errors,
) {
    let group = parameters.api_group.as_deref();
    reference(path, group, &parameters.kind, &parameters.name, errors);
    let at = path.child("namespace");
    match (
        parameters.scope.as_deref().unwrap_or("Cluster"),
        &parameters.namespace,
    ) {
        ("Namespace", None) => {
            let detail = "`parameters.scope` is set to 'Namespace'";
            errors.push(FieldError::required(&at, detail));
        }
        ("Namespace", Some(name)) => invalid_each(&at, name, dns_label_errors(name), errors),
        ("Cluster", Some(_)) => {
            let detail = "`parameters.scope` is set to 'Cluster'";
            errors.push(FieldError::forbidden(&at, detail));
        }
        ("Cluster", None) => {}
        (scope, _) => {
            let path = path.child("scope");
            let known = ["Cluster", "Namespace"];
            errors.push(FieldError::not_supported(&path, scope, &known));
        }
    }
}

/// Validates a NetworkPolicy.
pub fn network_policy(policy: &NetworkPolicy, errors: &mut Errors) {
    const TYPES: [&str; 2] = ["Ingress", "Egress"];
    object_meta(&policy.metadata, Naming::Subdomain, errors);
    let spec = policy.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    label_selector(
        &path.child("podSelector"),
        spec.pod_selector.as_ref(),
        errors,
    );
    for (i, rule) in listed(&spec.ingress).iter().enumerate() {
        let path = path.child("ingress").index(i);
        policy_ports(&path, listed(&rule.ports), errors);
        policy_peers(&path.child("from"), listed(&rule.from), errors);
    }
    for (i, rule) in listed(&spec.egress).iter().enumerate() {
        let path = path.child("egress").index(i);
        policy_ports(&path, listed(&rule.ports), errors);
        policy_peers(&path.child("to"), listed(&rule.to), errors);
    }
    let types = listed(&spec.policy_types);
    let path = path.child("policyTypes");
    if types.len() > TYPES.len() {
        let detail = "may not specify more than two policyTypes";
        errors.push(FieldError::invalid(&path, json::value(types), detail));
        return;
    }
    for (i, word) in types.iter().enumerate() {
        if !TYPES.contains(&word.as_str()) {
            errors.push(FieldError::not_supported(
                &path.index(i),
                word,
                &["Egress", "Ingress"],
            ));
        }
    }
}

fn policy_ports(path: &Path, ports: &[NetworkPolicyPort], errors: &mut Errors) {
    for (i, port) in ports.iter().enumerate() {
        let path = path.child("ports").index(i);
        let protocol = port.protocol.as_deref().unwrap_or("TCP");
        if !matches!(protocol, "TCP" | "UDP" | "SCTP") {
            let known = ["SCTP", "TCP", "UDP"];
            errors.push(FieldError::not_supported(
                &path.child("protocol"),
                protocol,
                &known,
            ));
        }
        let (at, last_at) = (path.child("port"), path.child("endPort"));
        match (&port.port, port.end_port) {
            (Some(IntOrString::Int(first)), last) => {
                port_number(&at, *first, errors);
                if let Some(last) = last {
                    if last < *first {
                        let detail = "must be greater than or equal to `port`";
                        errors.push(FieldError::invalid(&last_at, *first, detail));
                    }
                    port_number(&last_at, last, errors);
                }
            }
            (Some(IntOrString::String(name)), last) => {
                if let Some(last) = last {
                    let detail = "may not be specified when `port` is non-numeric";
                    errors.push(FieldError::invalid(&last_at, last, detail));
                }
                invalid_each(&at, name, port_name_errors(name), errors);
            }
            (None, Some(last)) => {
                let detail = "may not be specified when `port` is not specified";
                errors.push(FieldError::invalid(&last_at, last, detail));
            }
            (None, None) => {}
        }
    }
}

fn policy_peers(path: &Path, peers: &[NetworkPolicyPeer], errors: &mut Errors) {
    for (i, peer) in peers.iter().enumerate() {
        let path = path.index(i);
        let (pods, namespaces) = (peer.pod_selector.as_ref(), peer.namespace_selector.as_ref());
        label_selector(&path.child("podSelector"), pods, errors);
        label_selector(&path.child("namespaceSelector"), namespaces, errors);
        let has_selector = pods.is_some() || namespaces.is_some();
        match &peer.ip_block {
            Some(block) => {
                ip_block(&path.child("ipBlock"), block, errors);
                if has_selector {
                    let detail = "may not specify both ipBlock and another peer";
                    errors.push(FieldError::forbidden(&path, detail));
                }
            }
            None if !has_selector => {
                errors.push(FieldError::required(&path, "must specify a peer"));
            }
            None => {}
        }
    }
}

fn ip_block(path: &Path, block: &IPBlock, errors: &mut Errors) {
    let at = path.child("cidr");
    if block.cidr.is_empty() {
        errors.push(FieldError::required(&at, ""));
        return;
    }
    let Some(all) = Cidr::checked(&at, &block.cidr, errors) else {
        return;
    };
    for (i, text) in listed(&block.except).iter().enumerate() {
        let path = path.child("except").index(i);
        let Some(part) = Cidr::checked(&path, text, errors) else {
            continue;
        };
        if !all.contains(part) || all.length >= part.length {
            let detail = "must be a strict subset of `cidr`";
            errors.push(FieldError::invalid(&path, text.as_str(), detail));
        }
    }
}

/// A block of addresses: its first bits, as many as its length says.
#[derive(Clone, Copy)]
struct Cidr {
    address: IpAddr,
    length: u32,
}

impl Cidr {
    fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let length: u32 = length.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        (length <= most).then_some(Cidr { address, length })
    }

    fn checked(path: &Path, text: &str, errors: &mut Errors) -> Option<Self> {
        let parsed = Self::parse(text);
        if parsed.is_none() {
            let detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
            errors.push(FieldError::invalid(path, text, detail));
        }
        parsed
    }

    fn contains(self, other: Cidr) -> bool {
        let bits = |address: IpAddr| match address {
            IpAddr::V4(it) => u128::from(u32::from(it)) << 96,
            IpAddr::V6(it) => u128::from(it),
        };
        let differ = bits(self.address) ^ bits(other.address);
        self.address.is_ipv4() == other.address.is_ipv4() && differ.leading_zeros() >= self.length
    }
}
