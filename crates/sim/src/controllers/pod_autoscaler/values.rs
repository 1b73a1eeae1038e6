//! Values of metrics as the API writes them.

use k8s_openapi::api::autoscaling::v2::MetricValueStatus;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use super::calculator::Proposal;
use berth_base::quantity::{Format, Quantity};

/// A target in thousandths.
pub(super) fn milli(text: Option<&Text>) -> Option<i64> {
    let quantity = Quantity::parse(&text?.0).ok()?;
    Some(quantity.milli_value())
}

fn text(milli: i64, format: Format) -> Option<Text> {
    let quantity = Quantity::from_milli_value(milli).with_format(format);
    Some(Text(quantity.to_string()))
}

/// The usage of a resource; memory is written in powers of 1024.
pub(super) fn used(resource: &str, proposal: Proposal) -> MetricValueStatus {
    let format = match resource {
        "memory" => Format::BinarySi,
        _ => Format::DecimalSi,
    };
    MetricValueStatus {
        average_utilization: proposal.utilization,
        average_value: text(proposal.usage, format),
        value: None,
    }
}

/// A mean per Pod.
pub(super) fn average(milli: i64) -> MetricValueStatus {
    MetricValueStatus {
        average_value: text(milli, Format::DecimalSi),
        ..MetricValueStatus::default()
    }
}

/// A value that all Pods share.
pub(super) fn total(milli: i64) -> MetricValueStatus {
    MetricValueStatus {
        value: text(milli, Format::DecimalSi),
        ..MetricValueStatus::default()
    }
}

/// A selector as Go prints a pointer to it: `&LabelSelector{MatchLabels:map[string]string{q: a,},…}`.
pub(super) fn go_selector(selector: Option<&LabelSelector>) -> String {
    let Some(selector) = selector else {
        return "nil".to_owned();
    };
    let labels = selector.match_labels.iter().flatten();
    let labels: String = labels
        .map(|(key, value)| format!("{key}: {value},"))
        .collect();
    let requirement = |it: &LabelSelectorRequirement| {
        let values = it.values.as_deref().unwrap_or_default().join(" ");
        let (key, operator) = (&it.key, &it.operator);
        format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
    };
    let requirements = selector.match_expressions.iter().flatten();
    let requirements: String = requirements.map(requirement).collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )
}
