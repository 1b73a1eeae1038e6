//! HorizontalPodAutoscalers.

use serde_json::Value;

use super::page::Page;
use super::{Context, parts};
use crate::printers::fields::Fields;
use crate::printers::table::autoscaler::{auto_or, percent, source_of, unknown_or};
use crate::printers::time;

pub(super) fn autoscaler(page: &mut Page, autoscaler: &Value, _: &Context<'_>) {
    page.field(0, "Name", autoscaler.text("metadata.name"));
    page.field(0, "Namespace", autoscaler.text("metadata.namespace"));
    parts::metadata(page, autoscaler);
    let created = autoscaler.text("metadata.creationTimestamp");
    page.field(0, "CreationTimestamp", time::long(created));
    let target = autoscaler.at("spec.scaleTargetRef");
    let kind = target.text("kind");
    page.field(0, "Reference", format!("{kind}/{}", target.text("name")));
    page.line(0, "Metrics:\t( current / target )");
    let current = autoscaler.items("status.currentMetrics");
    for (i, it) in autoscaler.items("spec.metrics").iter().enumerate() {
        let status = current.get(i).unwrap_or(&Value::Null);
        page.line(1, metric(it, status));
    }
    page.field(
        0,
        "Min replicas",
        parts::or_unset(autoscaler.at("spec.minReplicas")),
    );
    page.field(
        0,
        "Max replicas",
        autoscaler.int("spec.maxReplicas").to_string(),
    );
    let behavior = autoscaler.at("spec.behavior");
    if !behavior.is_null() {
        page.line(0, "Behavior:");
        rules(page, "Scale Up", behavior.at("scaleUp"));
        rules(page, "Scale Down", behavior.at("scaleDown"));
    }
    let count = |field: &str| autoscaler.at("status").int(field);
    page.field(
        0,
        &format!("{kind} pods"),
        format!(
            "{} current / {} desired",
            count("currentReplicas"),
            count("desiredReplicas")
        ),
    );
    let conditions = autoscaler.items("status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:");
        page.line(1, "Type\tStatus\tReason\tMessage");
        page.line(1, "----\t------\t------\t-------");
        for it in conditions {
            let cells = ["type", "status", "reason", "message"].map(|field| it.text(field));
            page.line(1, cells.join("\t"));
        }
    }
}

/// A metric with its current and target values.
fn metric(metric: &Value, status: &Value) -> String {
    let kind = metric.text("type");
    let Some(source) = source_of(kind) else {
        return format!("<unknown metric type {kind:?}>");
    };
    let own = metric.at(source);
    let (wanted, current) = (own.at("target"), status.at(source).at("current"));
    let pair = |field: &str| {
        let current = unknown_or(current.amount(field));
        format!("{current} / {}", wanted.amount(field))
    };
    let name = own.text("metric.name");
    let (mean, sum) = ("target average value", "target value");
    match source {
        "pods" => format!("{name:?} on pods:\t{}", pair("averageValue")),
        "external" if wanted.has("averageValue") => {
            format!("{name:?} ({mean}):\t{}", pair("averageValue"))
        }
        "external" => format!("{name:?} ({sum}):\t{}", pair("value")),
        "object" => {
            let of = own.at("describedObject");
            let of = format!("\"{name}\" on {}/{}", of.text("kind"), of.text("name"));
            if wanted.text("type") == "AverageValue" {
                format!("{of} ({mean}):\t{}", pair("averageValue"))
            } else {
                format!("{of} ({sum}):\t{}", pair("value"))
            }
        }
        _ => {
            let resource = own.text("name");
            let whose = if source == "resource" {
                format!("resource {resource} on pods")
            } else {
                let container = own.text("container");
                format!("resource {resource} of container \"{container}\" on pods")
            };
            if wanted.has("averageValue") {
                return format!("{whose}:\t{}", pair("averageValue"));
            }
            let share = percent(current);
            let share = if share.is_empty() {
                "<unknown>".to_owned()
            } else {
                format!("{share} ({})", current.amount("averageValue"))
            };
            let target = auto_or(percent(wanted));
            format!("{whose}  (as a percentage of request):\t{share} / {target}")
        }
    }
}

fn rules(page: &mut Page, direction: &str, rules: &Value) {
    if rules.is_null() {
        return;
    }
    page.line(1, format!("{direction}:"));
    if rules.has("stabilizationWindowSeconds") {
        let seconds = rules.int("stabilizationWindowSeconds");
        page.line(2, format!("Stabilization Window: {seconds} seconds"));
    }
    let policies = rules.items("policies");
    if policies.is_empty() {
        return;
    }
    let select = match rules.text("selectPolicy") {
        "" => "Max",
        policy => policy,
    };
    page.line(2, format!("Select Policy: {select}"));
    page.line(2, "Policies:");
    for policy in policies {
        page.line(
            3,
            format!(
                "- Type: {}\tValue: {}\tPeriod: {} seconds",
                policy.text("type"),
                policy.int("value"),
                policy.int("periodSeconds")
            ),
        );
    }
}
