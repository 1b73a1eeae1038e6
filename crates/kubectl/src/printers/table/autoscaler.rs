//! HorizontalPodAutoscalers.

use serde_json::Value;

use super::{Table, age, columns, name};
use crate::printers::fields::Fields;

/// Maximum metrics that a cell shows.
const SHOWN: usize = 2;

pub(super) const AUTOSCALER: Table = Table {
    columns: columns!["NAME" "REFERENCE" "TARGETS" "MINPODS" "MAXPODS" "REPLICAS" "AGE"],
    row: |autoscaler, now_ms| {
        let target = autoscaler.at("spec.scaleTargetRef");
        let min = match autoscaler.scalar("spec.minReplicas") {
            text if text.is_empty() => "<unset>".to_owned(),
            text => text,
        };
        vec![
            name(autoscaler),
            format!("{}/{}", target.text("kind"), target.text("name")),
            targets(autoscaler),
            min,
            autoscaler.int("spec.maxReplicas").to_string(),
            autoscaler.int("status.currentReplicas").to_string(),
            age(autoscaler, now_ms),
        ]
    },
};

/// `cpu: <unknown>/80%, queue: 3/10 (avg) + 1 more...`
fn targets(autoscaler: &Value) -> String {
    let metrics = autoscaler.items("spec.metrics");
    if metrics.is_empty() {
        return "<none>".to_owned();
    }
    let current = autoscaler.items("status.currentMetrics");
    let texts: Vec<String> = metrics
        .iter()
        .enumerate()
        .map(|(i, metric)| target(metric, current.get(i).unwrap_or(&Value::Null)))
        .collect();
    let shown = texts.get(..SHOWN).unwrap_or(&texts).join(", ");
    match texts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} + {more} more..."),
    }
}

fn target(metric: &Value, status: &Value) -> String {
    let Some(source) = source_of(metric.text("type")) else {
        return "<unknown type>".to_owned();
    };
    let (wanted, current) = (
        metric.at(source).at("target"),
        status.at(source).at("current"),
    );
    let pair = |field: &str| {
        let current = unknown_or(current.amount(field));
        format!("{current}/{}", wanted.amount(field))
    };
    match source {
        "pods" => pair("averageValue"),
        "object" | "external" if wanted.has("averageValue") => {
            format!("{} (avg)", pair("averageValue"))
        }
        "object" | "external" => pair("value"),
        _ if wanted.has("averageValue") => {
            format!(
                "{}: {}",
                metric.at(source).text("name"),
                pair("averageValue")
            )
        }
        _ => format!(
            "{}: {}/{}",
            metric.at(source).text("name"),
            unknown_or(percent(current)),
            auto_or(percent(wanted))
        ),
    }
}

/// The field that holds the source of a metric of this type.
pub(crate) fn source_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return None,
    })
}

/// `80%`; empty if there is no utilization.
pub(crate) fn percent(value: &Value) -> String {
    match value.scalar("averageUtilization") {
        text if text.is_empty() => text,
        text => format!("{text}%"),
    }
}

pub(crate) fn unknown_or(text: String) -> String {
    if text.is_empty() {
        "<unknown>".to_owned()
    } else {
        text
    }
}

pub(crate) fn auto_or(text: String) -> String {
    if text.is_empty() {
        "<auto>".to_owned()
    } else {
        text
    }
}
