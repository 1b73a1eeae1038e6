//! `kubectl describe node`.

use serde_json::Value;

use super::Context;
use super::page::Page;
use super::parts;
use crate::printers::amounts::{self, Amounts};
use crate::printers::fields::{Fields, amount, condition, or_none, scalar};
use crate::printers::table::roles;
use crate::printers::time;
use berth_base::quantity::Quantity;
use berth_base::sort;
use berth_sim::server::time_at;

/// Interval at which kubelets renew their lease, in milliseconds.
const LEASE_MS: i64 = 10_000;

pub(crate) fn node(page: &mut Page, node: &Value, context: &Context<'_>) {
    page.field(0, "Name", node.text("metadata.name"));
    page.field(0, "Roles", or_none(roles(node)));
    parts::metadata(page, node);
    let created = time::long(node.text("metadata.creationTimestamp"));
    page.field(0, "CreationTimestamp", created);
    page.values("", "Taints", &taints(node));
    page.field(
        0,
        "Unschedulable",
        node.is_true("spec.unschedulable").to_string(),
    );
    lease(page, node, context);
    conditions(page, node);
    page.line(0, "Addresses:");
    for address in node.items("status.addresses") {
        page.field(1, address.text("type"), address.text("address"));
    }
    for (name, field) in [
        ("Capacity", "status.capacity"),
        ("Allocatable", "status.allocatable"),
    ] {
        let amounts = node.entries(field);
        if !amounts.is_empty() {
            page.line(0, format!("{name}:"));
        }
        for (resource, value) in amounts {
            page.field(1, resource, amount(value));
        }
    }
    system(page, node);
    for (name, field) in [
        ("PodCIDR", "spec.podCIDR"),
        ("ProviderID", "spec.providerID"),
    ] {
        if !node.text(field).is_empty() {
            page.field(0, name, node.text(field));
        }
        if name == "PodCIDR" && !node.items("spec.podCIDRs").is_empty() {
            let all: Vec<_> = node.items("spec.podCIDRs").iter().map(scalar).collect();
            page.field(0, "PodCIDRs", all.join(","));
        }
    }
    pods(page, node, context);
}

/// `key=value:NoSchedule`, sorted by effect and key.
fn taints(node: &Value) -> Vec<String> {
    let mut taints: Vec<&Value> = node.items("spec.taints").iter().collect();
    sort::sort_by_key(&mut taints, |it| {
        format!("{},{}", it.text("effect"), it.text("key"))
    });
    let texts = taints.into_iter().map(|it| {
        let value = match it.text("value") {
            "" => String::new(),
            value => format!("={value}"),
        };
        let effect = match it.text("effect") {
            "" => String::new(),
            effect => format!(":{effect}"),
        };
        format!("{}{value}{effect}", it.text("key"))
    });
    texts.collect()
}

/// The lease of a ready node was last renewed at a multiple of [`LEASE_MS`], that of any other node at its last
/// heartbeat.
fn lease(page: &mut Page, node: &Value, context: &Context<'_>) {
    let ready = condition(node, "Ready");
    let now = context.api.now_ms();
    let renewed = match (ready.text("status"), ready.text("lastHeartbeatTime")) {
        ("True", _) => {
            let at = berth_base::json::value(&time_at(now - now.rem_euclid(LEASE_MS)));
            time::long(at.as_str().unwrap_or_default())
        }
        (_, "") => "<unset>".to_owned(),
        (_, heartbeat) => time::long(heartbeat),
    };
    page.line(0, "Lease:");
    page.field(1, "HolderIdentity", node.text("metadata.name"));
    page.field(1, "AcquireTime", "<unset>");
    page.field(1, "RenewTime", renewed);
}

fn conditions(page: &mut Page, node: &Value) {
    let conditions = node.items("status.conditions");
    if conditions.is_empty() {
        return;
    }
    page.line(
        0,
        "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage",
    );
    page.line(
        1,
        "----\t------\t-----------------\t------------------\t------\t-------",
    );
    for it in conditions {
        let [kind, status, reason, message] =
            ["type", "status", "reason", "message"].map(|f| it.text(f));
        let beat = time::long(it.text("lastHeartbeatTime"));
        let change = time::long(it.text("lastTransitionTime"));
        page.line(
            1,
            format!("{kind} \t{status} \t{beat} \t{change} \t{reason} \t{message}"),
        );
    }
}

fn system(page: &mut Page, node: &Value) {
    page.line(0, "System Info:");
    for (name, field) in [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
    ] {
        page.field(1, name, node.at("status.nodeInfo").text(field));
    }
}

/// `part` of `whole` as an integer percentage; 0 if `whole` is 0.
fn percent(part: Quantity, whole: Quantity) -> i64 {
    match whole.nanos() {
        0 => 0,
        // kubectl computes this in floating point, too.
        _ => (part.as_f64() / whole.as_f64() * 100.0) as i64,
    }
}

/// `250m (6%)`.
fn share(amounts: &Amounts, resource: &str, allocatable: &Amounts) -> String {
    let of = |amounts: &Amounts| amounts.get(resource).copied().unwrap_or_default();
    let part = of(amounts);
    format!("{part} ({}%)", percent(part, of(allocatable)))
}

/// The node's non-terminated Pods, with their requests and limits as shares of the allocatable amounts.
fn pods(page: &mut Page, node: &Value, context: &Context<'_>) {
    let mut allocatable = Amounts::new();
    for field in ["status.allocatable", "status.capacity"] {
        if allocatable.is_empty() {
            let entries = node
                .entries(field)
                .into_iter()
                .filter_map(|(resource, value)| {
                    let amount = Quantity::parse(&scalar(value)).ok()?;
                    Some((resource.to_owned(), amount))
                });
            allocatable = sort::gather(entries);
        }
    }
    let name = node.text("metadata.name");
    let pods = context.api.store().pods.iter().filter(|pod| {
        berth_sim::pod_util::node_of(pod) == name && !berth_sim::pod_util::is_finished(pod)
    });
    let pods: Vec<Value> = pods.map(|pod| berth_base::json::value(&**pod)).collect();
    page.field(
        0,
        "Non-terminated Pods",
        format!("({} in total)", pods.len()),
    );
    page.line(
        1,
        "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge",
    );
    page.line(
        1,
        "---------\t----\t\t------------\t----------\t---------------\t-------------\t---",
    );
    let (mut requests, mut limits) = (Amounts::new(), Amounts::new());
    for pod in &pods {
        let (own_requests, own_limits) = (
            amounts::of_pod(pod, "requests"),
            amounts::of_pod(pod, "limits"),
        );
        let cells = ["cpu", "memory"].map(|resource| {
            let [request, limit] =
                [&own_requests, &own_limits].map(|it| share(it, resource, &allocatable));
            format!("{request}\t{limit}")
        });
        let age = time::age(pod.text("metadata.creationTimestamp"), context.api.now_ms());
        let (namespace, name) = (pod.text("metadata.namespace"), pod.text("metadata.name"));
        page.line(
            1,
            format!("{namespace}\t{name}\t\t{}\t{}\t{age}", cells[0], cells[1]),
        );
        amounts::add(&mut requests, &own_requests);
        amounts::add(&mut limits, &own_limits);
    }
    allocated(page, &requests, &limits, &allocatable);
}

/// The total requests and limits of the node's Pods.
fn allocated(page: &mut Page, requests: &Amounts, limits: &Amounts, allocatable: &Amounts) {
    page.line(0, "Allocated resources:");
    page.line(
        1,
        "(Total limits may be over 100 percent, i.e., overcommitted.)",
    );
    page.line(1, "Resource\tRequests\tLimits");
    page.line(1, "--------\t--------\t------");
    for resource in ["cpu", "memory", "ephemeral-storage"] {
        let [request, limit] = [requests, limits].map(|it| share(it, resource, allocatable));
        page.line(1, format!("{resource}\t{request}\t{limit}"));
    }
    let is_huge = |resource: &str| resource.starts_with("hugepages-");
    for resource in allocatable.keys().filter(|resource| is_huge(resource)) {
        let [request, limit] = [requests, limits].map(|it| share(it, resource, allocatable));
        page.line(1, format!("{resource}\t{request}\t{limit}"));
    }
    let is_usual = |it: &str| matches!(it, "cpu" | "memory" | "ephemeral-storage" | "pods");
    for resource in allocatable
        .keys()
        .filter(|it| !is_usual(it) && !is_huge(it))
    {
        let [request, limit] =
            [requests, limits].map(|it| it.get(resource).copied().unwrap_or_default());
        page.line(1, format!("{resource}\t{request}\t{limit}"));
    }
}
