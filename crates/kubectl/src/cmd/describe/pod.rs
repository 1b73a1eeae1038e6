//! `kubectl describe pod`, and the template of a workload.

use serde_json::Value;

use super::page::Page;
use super::parts;
use super::{Context, containers, volumes};
use crate::printers::amounts::quality;
use crate::printers::fields::{Fields, condition};
use crate::printers::time;

pub(crate) fn pod(page: &mut Page, pod: &Value, context: &Context<'_>) {
    let (spec, status) = (pod.at("spec"), pod.at("status"));
    page.field(0, "Name", pod.text("metadata.name"));
    page.field(0, "Namespace", pod.text("metadata.namespace"));
    if spec.has("priority") {
        page.field(0, "Priority", spec.int("priority").to_string());
    }
    for (name, field) in [
        ("Priority Class Name", "priorityClassName"),
        ("Runtime Class Name", "runtimeClassName"),
        ("Service Account", "serviceAccountName"),
    ] {
        if !spec.text(field).is_empty() {
            page.field(0, name, spec.text(field));
        }
    }
    let node = match spec.text("nodeName") {
        "" => "<none>".to_owned(),
        node => format!("{node}/{}", status.text("hostIP")),
    };
    page.field(0, "Node", node);
    if status.has("startTime") {
        page.field(0, "Start Time", time::long(status.text("startTime")));
    }
    parts::metadata(page, pod);
    phase(page, pod, context);
    for (name, field) in [("Reason", "reason"), ("Message", "message")] {
        if !status.text(field).is_empty() {
            page.field(0, name, status.text(field));
        }
    }
    if spec.has("securityContext.seccompProfile") {
        page.field(
            0,
            "SeccompProfile",
            spec.text("securityContext.seccompProfile.type"),
        );
    }
    page.field(0, "IP", status.text("podIP"));
    ips(page, status);
    parts::controlled_by(page, pod);
    if !status.text("nominatedNodeName").is_empty() {
        page.field(0, "NominatedNodeName", status.text("nominatedNodeName"));
    }
    if spec.has("resources") {
        page.line(0, "Resources:");
        containers::resources(page, 1, spec.at("resources"));
    }
    all_containers(page, pod);
    conditions(page, pod);
    volumes::volumes(page, spec.items("volumes"), "");
    page.field(0, "QoS Class", quality(pod));
    parts::labels(page, "", "Node-Selectors", spec.at("nodeSelector"));
    parts::tolerations(page, "", spec);
    parts::spread(page, "", spec);
}

fn phase(page: &mut Page, pod: &Value, context: &Context<'_>) {
    let phase = pod.text("status.phase");
    if pod.has("metadata.deletionTimestamp") && !matches!(phase, "Failed" | "Succeeded") {
        let since = time::age(pod.text("metadata.deletionTimestamp"), context.api.now_ms());
        page.field(0, "Status", format!("Terminating (lasts {since})"));
        let grace = pod.int("metadata.deletionGracePeriodSeconds");
        page.field(0, "Termination Grace Period", format!("{grace}s"));
    } else {
        page.field(0, "Status", phase);
    }
}

fn ips(page: &mut Page, status: &Value) {
    let ips = status.items("podIPs");
    if ips.is_empty() {
        page.field(0, "IPs", "<none>");
        return;
    }
    page.line(0, "IPs:");
    for ip in ips {
        page.field(1, "IP", ip.text("ip"));
    }
}

fn all_containers(page: &mut Page, pod: &Value) {
    for (heading, field, statuses) in [
        (
            "Init Containers",
            "spec.initContainers",
            "status.initContainerStatuses",
        ),
        ("Containers", "spec.containers", "status.containerStatuses"),
        (
            "Ephemeral Containers",
            "spec.ephemeralContainers",
            "status.ephemeralContainerStatuses",
        ),
    ] {
        let all = pod.items(field);
        if !all.is_empty() || heading == "Containers" {
            containers::containers(page, heading, all, pod.items(statuses), pod, "");
        }
    }
}

fn conditions(page: &mut Page, pod: &Value) {
    let gates = pod.items("spec.readinessGates");
    if !gates.is_empty() {
        page.line(0, "Readiness Gates:\n  Type\tStatus");
        for gate in gates {
            let kind = gate.text("conditionType");
            let status = match condition(pod, kind).text("status") {
                "" => "<none>",
                status => status,
            };
            page.line(1, format!("{kind} \t{status} "));
        }
    }
    let conditions = pod.items("status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus");
        for it in conditions {
            page.line(1, format!("{} \t{} ", it.text("type"), it.text("status")));
        }
    }
}

/// The Pod template of a workload.
pub(crate) fn template(page: &mut Page, template: &Value) {
    page.line(0, "Pod Template:");
    let spec = template.at("spec");
    parts::labels(page, "  ", "Labels", template.at("metadata.labels"));
    let annotations = template.at("metadata.annotations");
    if !annotations.entries_here().is_empty() {
        parts::annotations(page, "  Annotations", annotations);
    }
    if !spec.text("serviceAccountName").is_empty() {
        page.field(1, "Service Account", spec.text("serviceAccountName"));
    }
    let init = spec.items("initContainers");
    if !init.is_empty() {
        containers::containers(page, "Init Containers", init, &[], &Value::Null, "  ");
    }
    let own = spec.items("containers");
    containers::containers(page, "Containers", own, &[], &Value::Null, "  ");
    volumes::volumes(page, spec.items("volumes"), "  ");
    parts::spread(page, "  ", spec);
    if !spec.text("priorityClassName").is_empty() {
        page.field(1, "Priority Class Name", spec.text("priorityClassName"));
    }
    parts::labels(page, "  ", "Node-Selectors", spec.at("nodeSelector"));
    parts::tolerations(page, "  ", spec);
}
