//! Warnings about objects without a Pod template.

use k8s_openapi::ByteString;
use serde_json::Value;

use super::Written;
use super::pods::claim_spec;
use crate::api::rules::read::{has, list, text};
use berth_scheduler::names::dns_label_errors;
use berth_scheduler::release::{Gate, Release};

/// Kinds whose names Pods bear.
const NAMES_PODS: [&str; 5] = [
    "CronJob",
    "Deployment",
    "Job",
    "ReplicaSet",
    "ReplicationController",
];

/// What a name that hostnames cannot have leads to; only creation warns.
pub(super) fn name(kind: &str, object: &Value, found: &mut Vec<String>) {
    let what = match kind {
        "Pod" => "the Pod's hostname",
        _ if NAMES_PODS.contains(&kind) => "Pod names and hostnames",
        _ => return,
    };
    let name = object.pointer("/metadata/name").and_then(Value::as_str);
    let wrong = dns_label_errors(name.unwrap_or_default());
    if !wrong.is_empty() {
        found.push(format!(
            "metadata.name: this is used in {what}, which can result in surprising behavior; a DNS label is recommended: [{}]",
            wrong.join(" ")
        ));
    }
}

pub(super) fn of_kind(
    kind: &str,
    object: &Value,
    written: Written,
    release: &Release,
    found: &mut Vec<String>,
) {
    if kind == "Secret" && text(object, "type") == "kubernetes.io/tls" {
        certificate(object, found);
    }
    let Some(spec) = object.get("spec") else {
        return;
    };
    match kind {
        "Service" => service(spec, release, found),
        "PersistentVolumeClaim" => claim_spec(spec, "spec", found),
        "PersistentVolume" if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" => {
            found.push("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.".to_owned());
        }
        "CSIDriver"
            if written != Written::Same
                && release.is_on(Gate::CSIServiceAccountTokenSecrets)
                && !list(spec, "tokenRequests").is_empty()
                && !has(spec, "serviceAccountTokenInSecrets") =>
        {
            found.push("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes".to_owned());
        }
        _ => {}
    }
}

/// A certificate without any PEM block; what blocks contain is not read.
fn certificate(secret: &Value, found: &mut Vec<String>) {
    let data = secret.pointer("/data/tls.crt").cloned();
    let bytes = serde_json::from_value::<ByteString>(data.unwrap_or_default());
    let has_block = bytes.is_ok_and(|it| String::from_utf8_lossy(&it.0).contains("-----BEGIN "));
    if !has_block {
        found.push("tls: failed to find any PEM data in certificate input".to_owned());
    }
}

fn service(spec: &Value, release: &Release, found: &mut Vec<String>) {
    let is_headless = text(spec, "clusterIP") == "None";
    let is_external = text(spec, "type") == "ExternalName";
    let has_external = !list(spec, "externalIPs").is_empty();
    if is_headless && !text(spec, "loadBalancerIP").is_empty() {
        found.push("spec.loadBalancerIP is ignored for headless services".to_owned());
    }
    if is_headless && has_external {
        found.push("spec.externalIPs is ignored for headless services".to_owned());
    }
    if is_headless && text(spec, "sessionAffinity") != "None" {
        found.push("spec.SessionAffinity is ignored for headless services".to_owned());
    }
    let rules = release.rules();
    if rules.warns_of_external_ips && has_external && !is_headless && !is_external {
        found.push(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
                .to_owned(),
        );
    }
    if is_external && has_external {
        found.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !is_external && !text(spec, "externalName").is_empty() {
        found
            .push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if rules.warns_of_prefer_close && text(spec, "trafficDistribution") == "PreferClose" {
        found.push(
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
                .to_owned(),
        );
    }
}
