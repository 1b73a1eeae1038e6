//! Namespaces, ResourceQuotas, LimitRanges, PodDisruptionBudgets, PriorityClasses and Services.

use serde_json::Value;

use super::Context;
use super::page::Page;
use super::parts;
use crate::kinds;
use crate::printers::fields::{Fields, amount, or_none, pairs, scalar, selector};
use crate::printers::table::network::{shortened, with_port};
use crate::resource::kubernetes_service;
use berth_base::sort;
use berth_sim::store::Object;

/// The label of an EndpointSlice that names its Service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

pub(crate) fn namespace(page: &mut Page, object: &Value, context: &Context<'_>) {
    let name = object.text("metadata.name");
    page.field(0, "Name", name);
    parts::metadata(page, object);
    page.field(0, "Status", object.text("status.phase"));
    let store = context.api.store();
    let quotas = store.resource_quotas.of_namespace(name);
    let quotas: Vec<Value> = quotas.map(|it| berth_base::json::value(&**it)).collect();
    page.line(0, "");
    if quotas.is_empty() {
        page.line(0, "No resource quota.");
    } else {
        page.line(0, "Resource Quotas");
    }
    for quota in &quotas {
        page.field(1, "Name", quota.text("metadata.name"));
        scopes(page, quota, "  ", "  * ");
        page.line(1, "Resource\tUsed\tHard");
        page.line(1, "--------\t---\t---");
        used(page, quota, 1);
    }
    let ranges = store.limit_ranges.of_namespace(name);
    let ranges: Vec<Value> = ranges.map(|it| berth_base::json::value(&**it)).collect();
    page.line(0, "");
    if ranges.is_empty() {
        page.line(0, "No LimitRange resource.");
        return;
    }
    page.line(0, "Resource Limits");
    limit_heads(page, " ");
    for range in &ranges {
        limit_rows(page, range, " ");
    }
}

const LIMIT_HEADS: &str =
    "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio";
const LIMIT_RULE: &str =
    "----\t--------\t---\t---\t---------------\t-------------\t-----------------------";

fn limit_heads(page: &mut Page, prefix: &str) {
    page.line(0, format!("{prefix}{LIMIT_HEADS}"));
    page.line(0, format!("{prefix}{LIMIT_RULE}"));
}

fn limit_rows(page: &mut Page, range: &Value, prefix: &str) {
    const FIELDS: [&str; 5] = [
        "min",
        "max",
        "defaultRequest",
        "default",
        "maxLimitRequestRatio",
    ];
    for limit in range.items("spec.limits") {
        let resources = FIELDS.iter().flat_map(|field| limit.entries(field));
        let mut resources: Vec<_> = resources.map(|(resource, _)| resource).collect();
        sort::sort(&mut resources);
        resources.dedup();
        for resource in resources {
            let cells = FIELDS.map(|field| match limit.at(field).get(resource) {
                Some(value) => amount(value),
                None => "-".to_owned(),
            });
            let kind = limit.text("type");
            page.line(
                0,
                format!("{prefix}{kind}\t{resource}\t{}", cells.join("\t")),
            );
        }
    }
}

pub(crate) fn limit_range(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
    limit_heads(page, "");
    limit_rows(page, object, "");
}

pub(crate) fn quota(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
    scopes(page, object, "", " * ");
    page.line(0, "Resource\tUsed\tHard");
    page.line(0, "--------\t----\t----");
    used(page, object, 0);
}

fn used(page: &mut Page, quota: &Value, depth: usize) {
    for (resource, hard) in quota.entries("status.hard") {
        let used = quota.at("status.used").get(resource);
        let used = used.map_or_else(|| "0".to_owned(), amount);
        page.line(depth, format!("{resource}\t{used}\t{}", amount(hard)));
    }
}

fn scopes(page: &mut Page, quota: &Value, prefix: &str, bullet: &str) {
    let mut scopes: Vec<_> = quota.items("spec.scopes").iter().map(scalar).collect();
    if scopes.is_empty() {
        return;
    }
    sort::sort(&mut scopes);
    page.line(0, format!("{prefix}Scopes:\t{}", scopes.join(", ")));
    for scope in scopes {
        let help = match scope.as_str() {
            "Terminating" => {
                "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system."
            }
            "NotTerminating" => {
                "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate."
            }
            "BestEffort" => {
                "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."
            }
            "NotBestEffort" => {
                "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."
            }
            _ => continue,
        };
        page.line(0, format!("{bullet}{help}"));
    }
}

pub(crate) fn budget(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
    if object.has("spec.minAvailable") {
        page.field(0, "Min available", object.scalar("spec.minAvailable"));
    } else if object.has("spec.maxUnavailable") {
        page.field(0, "Max unavailable", object.scalar("spec.maxUnavailable"));
    }
    let chosen = match object.at("spec.selector") {
        Value::Null => "<unset>".to_owned(),
        chosen => selector(chosen),
    };
    page.field(0, "Selector", chosen);
    page.line(0, "Status:");
    for (name, field) in [
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ] {
        page.field(2, name, object.at("status").int(field).to_string());
    }
}

pub(crate) fn priority_class(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Value", object.int("value").to_string());
    page.field(
        0,
        "GlobalDefault",
        object.is_true("globalDefault").to_string(),
    );
    let policy = match object.text("preemptionPolicy") {
        "" => "PreemptLowerPriority",
        policy => policy,
    };
    page.field(0, "PreemptionPolicy", policy);
    page.field(0, "Description", object.text("description"));
    page.field(
        0,
        "Annotations",
        pairs(&object.entries("metadata.annotations")),
    );
}

pub(crate) fn service(page: &mut Page, object: &Value, context: &Context<'_>) {
    let spec = object.at("spec");
    let or = |field: &str, default: &str| match spec.text(field) {
        "" => default.to_owned(),
        text => text.to_owned(),
    };
    let list = |field: &str| {
        let items: Vec<_> = spec.items(field).iter().map(scalar).collect();
        or_none(items.join(","))
    };
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
    parts::metadata(page, object);
    page.field(0, "Selector", pairs(&spec.entries("selector")));
    page.field(0, "Type", or("type", "ClusterIP"));
    page.field(0, "IP Family Policy", or("ipFamilyPolicy", "<none>"));
    page.field(0, "IP Families", list("ipFamilies"));
    page.field(0, "IP", or("clusterIP", "<none>"));
    page.field(0, "IPs", list("clusterIPs"));
    if !spec.items("externalIPs").is_empty() {
        page.field(0, "External IPs", list("externalIPs"));
    }
    if !spec.text("externalName").is_empty() {
        page.field(0, "External Name", spec.text("externalName"));
    }
    let slices = slices_of(object, context);
    for port in spec.items("ports") {
        ports(page, port, &slices);
    }
    page.field(0, "Session Affinity", or("sessionAffinity", "None"));
    if !spec.text("externalTrafficPolicy").is_empty() {
        page.field(
            0,
            "External Traffic Policy",
            spec.text("externalTrafficPolicy"),
        );
    }
    page.field(
        0,
        "Internal Traffic Policy",
        or("internalTrafficPolicy", "Cluster"),
    );
}

fn ports(page: &mut Page, port: &Value, slices: &[Value]) {
    let name = match port.text("name") {
        "" => "<unset>",
        name => name,
    };
    let protocol = match port.text("protocol") {
        "" => "TCP",
        protocol => protocol,
    };
    page.field(
        0,
        "Port",
        format!("{name}\t{}/{protocol}", port.int("port")),
    );
    let target = match port.at("targetPort") {
        Value::Null => port.scalar("port"),
        target => scalar(target),
    };
    page.field(0, "TargetPort", format!("{target}/{protocol}"));
    if port.int("nodePort") != 0 {
        page.field(
            0,
            "NodePort",
            format!("{name}\t{}/{protocol}", port.int("nodePort")),
        );
    }
    page.field(0, "Endpoints", endpoints(slices, port.text("name")));
}

/// The EndpointSlices of a Service.
fn slices_of(service: &Value, context: &Context<'_>) -> Vec<Value> {
    let name = service.text("metadata.name");
    let namespace = service.text("metadata.namespace");
    let slices = context.api.store().list("EndpointSlice");
    let of_api_server =
        kinds::of_kind("EndpointSlice").and_then(|kind| kubernetes_service::of(kind, context.api));
    let slices = slices.iter().chain(&of_api_server).map(Object::to_json);
    let is_its = |slice: &Value| {
        let labels = slice.entries("metadata.labels");
        let of = labels.iter().find(|(key, _)| *key == SERVICE_NAME);
        of.is_some_and(|(_, value)| value.as_str() == Some(name))
            && slice.text("metadata.namespace") == namespace
    };
    slices.filter(is_its).collect()
}

/// The endpoints of a Service's port of this name.
pub(super) fn endpoints_of(service: &Value, port: &str, context: &Context<'_>) -> String {
    endpoints(&slices_of(service, context), port)
}

/// The first ready addresses with the port of this name, and the number of further ones (`formatEndpointSlices`).
fn endpoints(slices: &[Value], port: &str) -> String {
    if slices.is_empty() {
        return "<none>".to_owned();
    }
    let mut all = Vec::new();
    for slice in slices {
        let ready = slice
            .items("endpoints")
            .iter()
            .filter(|it| it.at("conditions.ready").as_bool() != Some(false));
        let addresses = ready.filter_map(|it| it.items("addresses").first()?.as_str());
        let addresses: Vec<&str> = addresses.collect();
        let ports = slice.items("ports");
        if ports.is_empty() {
            all.extend(addresses.iter().map(|&address| address.to_owned()));
        }
        for own in ports.iter().filter(|own| own.text("name") == port) {
            let number = own.int("port");
            all.extend(addresses.iter().map(|address| with_port(address, number)));
        }
    }
    shortened(all)
}
