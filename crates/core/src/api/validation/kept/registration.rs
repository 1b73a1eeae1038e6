//! What extends the API or asks it for a certificate: definitions, API services, signing requests (v1.36). Schemas of
//! definitions are kept as they are.

use std::collections::BTreeSet;

use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;

use super::{NO_PORT, listed, name_of};
use crate::api::validation::metadata::{Naming, object_meta};
use crate::api::validation::{Errors, invalid_each};
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_1035_label_errors, dns_subdomain_errors};

/// What certificates may be used for (`allValidUsages`).
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// Validates a CertificateSigningRequest. The signature of the request is not checked.
pub fn signing_request(request: &CertificateSigningRequest, errors: &mut Errors) {
    object_meta(&request.metadata, Naming::Any, errors);
    let spec = &request.spec;
    let path = Path::root().child("spec");
    let text = String::from_utf8_lossy(&spec.request.0);
    if !text.contains("-----BEGIN CERTIFICATE REQUEST-----") {
        let detail = "PEM block type must be CERTIFICATE REQUEST";
        let value = json::value(&spec.request);
        errors.push(FieldError::invalid(&path.child("request"), value, detail));
    }
    let at = path.child("usages");
    let usages = listed(&spec.usages);
    if usages.is_empty() {
        errors.push(FieldError::required(&at, ""));
    }
    for (i, usage) in usages.iter().enumerate() {
        if !USAGES.contains(&usage.as_str()) {
            errors.push(FieldError::not_supported(&at.index(i), usage, &USAGES));
        }
    }
    let mut seen = BTreeSet::new();
    for (i, usage) in usages.iter().enumerate() {
        if !seen.insert(usage) {
            errors.push(FieldError::duplicate(&at.index(i), usage.as_str()));
        }
    }
    signer_name(&path.child("signerName"), &spec.signer_name, errors);
    if let Some(seconds) = spec.expiration_seconds.filter(|seconds| *seconds < 600) {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.push(FieldError::invalid(
            &path.child("expirationSeconds"),
            seconds,
            detail,
        ));
    }
}

/// A domain and a path (`ValidateSignerName`).
fn signer_name(path: &Path, name: &str, errors: &mut Errors) {
    if name == "kubernetes.io/legacy-unknown" {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.push(FieldError::invalid(path, name, detail));
        return;
    }
    match name.split_once('/') {
        _ if name.is_empty() => errors.push(FieldError::required(path, "")),
        Some((domain, rest)) if !rest.contains('/') => {
            if !domain.contains('.') {
                let detail = "should be a domain with at least two segments separated by dots";
                errors.push(FieldError::invalid(path, domain, detail));
            }
            invalid_each(path, domain, dns_subdomain_errors(domain), errors);
            invalid_each(path, rest, dns_subdomain_errors(rest), errors);
        }
        _ => {
            let detail =
                "must be a fully qualified domain and path of the form 'example.com/signer-name'";
            errors.push(FieldError::invalid(path, name, detail));
        }
    }
}

/// Validates an APIService (`kube-aggregator`).
pub fn api_service(service: &APIService, errors: &mut Errors) {
    object_meta(&service.metadata, Naming::Segment, errors);
    let spec = service.spec.clone().unwrap_or_default();
    let group = spec.group.as_deref().unwrap_or_default();
    let version = spec.version.as_deref().unwrap_or_default();
    let name = service.metadata.name.as_deref().unwrap_or_default();
    let wanted = format!("{version}.{group}");
    if name != wanted {
        let detail = format!("must be `spec.version+\".\"+spec.group`: \"{wanted}\"");
        let path = Path::root().child("metadata").child("name");
        errors.push(FieldError::invalid(&path, name, &detail));
    }
    let path = Path::root().child("spec");
    let at = path.child("group");
    if !group.is_empty() {
        invalid_each(&at, group, dns_subdomain_errors(group), errors);
    } else if version != "v1" {
        let detail = "only v1 may have an empty group and it better be legacy kube";
        errors.push(FieldError::required(&at, detail));
    }
    let wrong = dns_1035_label_errors(version);
    invalid_each(&path.child("version"), version, wrong, errors);
    for (field, number, most) in [
        ("groupPriorityMinimum", spec.group_priority_minimum, 20_000),
        ("versionPriority", spec.version_priority, 1_000),
    ] {
        if number <= 0 || number > most {
            let detail = format!("must be positive and less than {most}");
            errors.push(FieldError::invalid(&path.child(field), number, &detail));
        }
    }
    let skips = spec.insecure_skip_tls_verify == Some(true);
    let at = path.child("insecureSkipTLSVerify");
    let Some(service) = &spec.service else {
        if skips {
            let detail = "local APIServices may not have insecureSkipTLSVerify";
            errors.push(FieldError::invalid(&at, true, detail));
        }
        return;
    };
    let own = path.child("service");
    for (field, name) in [("namespace", &service.namespace), ("name", &service.name)] {
        let name = name.as_deref().unwrap_or_default();
        name_of(&own.child(field), name, |_| Vec::new(), errors);
    }
    if let Some(port) = service.port.filter(|port| !(1..=65_535).contains(port)) {
        let detail = format!("port is not valid: {NO_PORT}");
        errors.push(FieldError::invalid(&own.child("port"), port, &detail));
    }
    if skips && spec.ca_bundle.is_some() {
        let detail = "may not be true if caBundle is present";
        errors.push(FieldError::invalid(&at, true, detail));
    }
}

/// Validates a CustomResourceDefinition, but for its schemas.
pub fn definition(definition: &CustomResourceDefinition, errors: &mut Errors) {
    object_meta(&definition.metadata, Naming::Subdomain, errors);
    let (spec, path) = (&definition.spec, Path::root().child("spec"));
    let name = definition.metadata.name.as_deref().unwrap_or_default();
    let wanted = format!("{}.{}", spec.names.plural, spec.group);
    if name != wanted {
        let path = Path::root().child("metadata").child("name");
        errors.push(FieldError::invalid(
            &path,
            name,
            "must be spec.names.plural+\".\"+spec.group",
        ));
    }
    let at = path.child("group");
    name_of(&at, &spec.group, dns_subdomain_errors, errors);
    if !spec.group.is_empty() && spec.group.split('.').count() < 2 {
        let detail = "should be a domain with at least one dot";
        errors.push(FieldError::invalid(&at, spec.group.as_str(), detail));
    }
    let at = path.child("scope");
    let scopes = ["Cluster", "Namespaced"];
    if spec.scope.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if !scopes.contains(&spec.scope.as_str()) {
        errors.push(FieldError::not_supported(&at, &spec.scope, &scopes));
    }
    versions(&path.child("versions"), &spec.versions, errors);
    let own = path.child("names");
    name_of(
        &own.child("plural"),
        &spec.names.plural,
        dns_1035_label_errors,
        errors,
    );
    let lower = |kind: &str| dns_1035_label_errors(&kind.to_lowercase());
    name_of(&own.child("kind"), &spec.names.kind, lower, errors);
}

/// One version is stored, and each has its name and its schema.
fn versions(path: &Path, versions: &[CustomResourceDefinitionVersion], errors: &mut Errors) {
    let (mut seen, mut stored) = (BTreeSet::new(), 0);
    for (i, version) in versions.iter().enumerate() {
        let own = path.index(i);
        stored += usize::from(version.storage);
        if !seen.insert(&version.name) {
            let detail = "must contain unique version names";
            errors.push(FieldError::invalid(path, json::value(versions), detail));
        }
        let name = version.name.as_str();
        invalid_each(
            &own.child("name"),
            name,
            dns_1035_label_errors(name),
            errors,
        );
        let schema = version
            .schema
            .as_ref()
            .and_then(|it| it.open_api_v3_schema.as_ref());
        if schema.is_none() {
            let at = own.child("schema").child("openAPIV3Schema");
            errors.push(FieldError::required(&at, "schemas are required"));
        }
    }
    if stored != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(FieldError::invalid(path, json::value(versions), detail));
    }
}
