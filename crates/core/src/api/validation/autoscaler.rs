//! HorizontalPodAutoscalers (`ValidateHorizontalPodAutoscaler` of kube-apiserver v1.34).

use k8s_openapi::api::autoscaling::v2::{
    CrossVersionObjectReference, HPAScalingRules, HorizontalPodAutoscaler, MetricIdentifier,
    MetricSpec, MetricTarget,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

use super::Errors;
use super::metadata::{Naming, object_meta};
use super::resources::container_resource_name;
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::path_segment_errors;

const MAX_PERIOD_SECONDS: i32 = 1_800;
const MAX_STABILIZATION_SECONDS: i32 = 3_600;
const SOURCES: [&str; 5] = [
    "ContainerResource",
    "External",
    "Object",
    "Pods",
    "Resource",
];
const SELECT_POLICIES: [&str; 3] = ["Disabled", "Max", "Min"];
const POLICY_TYPES: [&str; 2] = ["Percent", "Pods"];

pub(super) fn autoscaler(autoscaler: &HorizontalPodAutoscaler, errors: &mut Errors) {
    object_meta(&autoscaler.metadata, Naming::Subdomain, errors);
    let spec = &autoscaler.spec;
    let path = Path::root().child("spec");
    let (min, max) = (spec.min_replicas, spec.max_replicas);
    if let Some(min) = min.filter(|min| *min < 1) {
        let detail = "must be greater than or equal to 1";
        errors.push(FieldError::invalid(&path.child("minReplicas"), min, detail));
    }
    let at = path.child("maxReplicas");
    if max == 0 {
        let detail = "must be set and greater than 0";
        errors.push(FieldError::required(&at, detail));
    } else if max < 0 {
        let detail = "must be greater than or equal to 1";
        errors.push(FieldError::invalid(&at, max, detail));
    }
    if min.is_some_and(|min| max < min) {
        let detail = "must be greater than or equal to `minReplicas`";
        errors.push(FieldError::invalid(&at, max, detail));
    }
    reference(
        &spec.scale_target_ref,
        &path.child("scaleTargetRef"),
        spec.scale_target_ref.kind != "ReplicationController",
        errors,
    );
    for (i, it) in spec.metrics.iter().flatten().enumerate() {
        metric(it, &path.child("metrics").index(i), errors);
    }
    let mut metrics = spec.metrics.iter().flatten();
    if min == Some(0) && !metrics.any(|it| matches!(it.type_.as_str(), "Object" | "External")) {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.push(FieldError::forbidden(&path.child("metrics"), detail));
    }
    if let Some(behavior) = &spec.behavior {
        let path = path.child("behavior");
        for (field, it) in [
            ("scaleUp", &behavior.scale_up),
            ("scaleDown", &behavior.scale_down),
        ] {
            if let Some(it) = it {
                rules(it, &path.child(field), errors);
            }
        }
    }
}

/// Validates a reference; whether it needs a group.
fn reference(
    to: &CrossVersionObjectReference,
    path: &Path,
    needs_group: bool,
    errors: &mut Errors,
) {
    for (field, text) in [("kind", &to.kind), ("name", &to.name)] {
        let path = path.child(field);
        if text.is_empty() {
            errors.push(FieldError::required(&path, ""));
        }
        for detail in path_segment_errors(text) {
            errors.push(FieldError::invalid(&path, text.as_str(), &detail));
        }
    }
    let version = to.api_version.as_deref().unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let detail = if version.matches('/').count() > 1 {
        format!("unexpected GroupVersion string: {version}")
    } else if needs_group && group.is_empty() {
        "apiVersion must specify API group".to_owned()
    } else {
        return;
    };
    let path = path.child("apiVersion");
    errors.push(FieldError::invalid(&path, version, &detail));
}

/// The field that a metric's type requires.
fn field_of(kind: &str) -> &'static str {
    match kind {
        "ContainerResource" => "containerResource",
        "External" => "external",
        "Object" => "object",
        "Pods" => "pods",
        "Resource" => "resource",
        _ => "",
    }
}

fn metric(spec: &MetricSpec, path: &Path, errors: &mut Errors) {
    let (kind, at) = (spec.type_.as_str(), path.child("type"));
    if kind.is_empty() {
        let detail = "must specify a metric source type";
        errors.push(FieldError::required(&at, detail));
    }
    if !SOURCES.contains(&kind) {
        errors.push(FieldError::not_supported(&at, kind, &SOURCES));
    }
    let present: Vec<&str> = [
        ("object", spec.object.is_some()),
        ("external", spec.external.is_some()),
        ("pods", spec.pods.is_some()),
        ("resource", spec.resource.is_some()),
        ("containerResource", spec.container_resource.is_some()),
    ]
    .into_iter()
    .filter_map(|(field, is_there)| is_there.then_some(field))
    .collect();
    if let Some(field) = present.first() {
        source(spec, field, &path.child(field), errors);
    }
    let expected = field_of(kind);
    if expected.is_empty() {
        errors.push(FieldError::not_supported(&at, kind, &SOURCES));
    } else if !present.contains(&expected) {
        let detail = "must populate information for the given metric source";
        errors.push(FieldError::required(&path.child(expected), detail));
    }
    if present.len() != 1 {
        for field in present.into_iter().filter(|field| *field != expected) {
            let detail = "must populate the given metric source only";
            errors.push(FieldError::forbidden(&path.child(field), detail));
        }
    }
}

/// Validates one source field of a metric.
fn source(spec: &MetricSpec, field: &str, path: &Path, errors: &mut Errors) {
    match field {
        "object" => {
            let Some(it) = &spec.object else { return };
            reference(
                &it.described_object,
                &path.child("describedObject"),
                false,
                errors,
            );
            identifier(&it.metric, path, errors);
            let detail = "must set either a target value or averageValue";
            let is_set = |it: &MetricTarget| it.value.is_some() || it.average_value.is_some();
            target(&it.target, is_set, "averageValue", detail, path, errors);
        }
        "external" => {
            let Some(it) = &spec.external else { return };
            identifier(&it.metric, path, errors);
            let detail = "must set either a target value for metric or a per-pod target";
            let is_set = |it: &MetricTarget| it.value.is_some() || it.average_value.is_some();
            target(&it.target, is_set, "averageValue", detail, path, errors);
            if it.target.value.is_some() && it.target.average_value.is_some() {
                let detail = "may not set both a target value for metric and a per-pod target";
                let path = path.child("target").child("value");
                errors.push(FieldError::forbidden(&path, detail));
            }
        }
        "pods" => {
            let Some(it) = &spec.pods else { return };
            identifier(&it.metric, path, errors);
            let detail = "must specify a positive target averageValue";
            let is_set = |it: &MetricTarget| it.average_value.is_some();
            target(&it.target, is_set, "averageValue", detail, path, errors);
        }
        "resource" => {
            let Some(it) = &spec.resource else { return };
            resource(&it.name, &it.target, path, errors);
        }
        _ => {
            let Some(it) = &spec.container_resource else {
                return;
            };
            if it.container.is_empty() {
                let detail = "must specify a container";
                errors.push(FieldError::required(&path.child("container"), detail));
            }
            resource(&it.name, &it.target, path, errors);
        }
    }
}

fn identifier(metric: &MetricIdentifier, path: &Path, errors: &mut Errors) {
    let path = path.child("metric").child("name");
    if metric.name.is_empty() {
        errors.push(FieldError::required(&path, "must specify a metric name"));
    }
    for detail in path_segment_errors(&metric.name) {
        errors.push(FieldError::invalid(&path, metric.name.as_str(), &detail));
    }
}

/// Validates a resource metric, of Pods or of one container: a utilization or an amount.
fn resource(name: &str, wanted: &MetricTarget, path: &Path, errors: &mut Errors) {
    if name.is_empty() {
        let detail = "must specify a resource name";
        errors.push(FieldError::required(&path.child("name"), detail));
    } else if path.as_str().ends_with("containerResource") {
        container_resource_name(&path.child("name"), name, errors);
    }
    let detail = "must set either a target raw value or a target utilization";
    let is_set = |it: &MetricTarget| it.average_utilization.is_some() || it.average_value.is_some();
    target(wanted, is_set, "averageUtilization", detail, path, errors);
    if wanted.average_utilization.is_some() && wanted.average_value.is_some() {
        let detail = "may not set both a target raw value and a target utilization";
        let path = path.child("target").child("averageValue");
        errors.push(FieldError::forbidden(&path, detail));
    }
}

/// Validates a target. Unless `is_set`, reports `detail` at `field`.
fn target(
    target: &MetricTarget,
    is_set: impl Fn(&MetricTarget) -> bool,
    field: &str,
    detail: &str,
    path: &Path,
    errors: &mut Errors,
) {
    let path = path.child("target");
    let kind = target.type_.as_str();
    if kind.is_empty() {
        let detail = "must specify a metric target type";
        errors.push(FieldError::required(&path.child("type"), detail));
    }
    if !["Utilization", "Value", "AverageValue"].contains(&kind) {
        let detail = "must be either Utilization, Value, or AverageValue";
        errors.push(FieldError::invalid(&path.child("type"), kind, detail));
    }
    for (field, amount) in [
        ("value", &target.value),
        ("averageValue", &target.average_value),
    ] {
        if let Some(Text(text)) = amount.as_ref().filter(|it| !is_positive(it)) {
            let path = path.child(field);
            errors.push(FieldError::invalid(
                &path,
                text.as_str(),
                "must be positive",
            ));
        }
    }
    if let Some(share) = target.average_utilization.filter(|share| *share < 1) {
        let path = path.child("averageUtilization");
        errors.push(FieldError::invalid(&path, share, "must be greater than 0"));
    }
    if !is_set(target) {
        errors.push(FieldError::required(&path.child(field), detail));
    }
}

fn is_positive(Text(text): &Text) -> bool {
    Quantity::parse(text).is_ok_and(|amount| amount > Quantity::from_value(0))
}

fn rules(rules: &HPAScalingRules, path: &Path, errors: &mut Errors) {
    let tolerance = rules.tolerance.as_ref();
    let tolerance = tolerance.and_then(|Text(text)| Quantity::parse(text).ok());
    if let Some(amount) = tolerance.filter(|amount| amount.is_negative()) {
        let path = path.child("tolerance");
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid(&path, amount.to_string(), detail));
    }
    let at = path.child("stabilizationWindowSeconds");
    if let Some(seconds) = rules.stabilization_window_seconds {
        if seconds < 0 {
            let detail = "must be greater than or equal to zero";
            errors.push(FieldError::invalid(&at, seconds, detail));
        }
        if seconds > MAX_STABILIZATION_SECONDS {
            let detail = format!("must be less than or equal to {MAX_STABILIZATION_SECONDS}");
            errors.push(FieldError::invalid(&at, seconds, &detail));
        }
    }
    super::one_of(
        &path.child("selectPolicy"),
        rules.select_policy.as_ref(),
        &SELECT_POLICIES,
        errors,
    );
    let at = path.child("policies");
    // An absent list is defaulted.
    if rules.policies.as_ref().is_some_and(Vec::is_empty) {
        let detail = "must specify at least one Policy";
        errors.push(FieldError::required(&at, detail));
    }
    for (i, policy) in rules.policies.iter().flatten().enumerate() {
        let path = at.index(i);
        if !POLICY_TYPES.contains(&policy.type_.as_str()) {
            let path = path.child("type");
            errors.push(FieldError::not_supported(
                &path,
                &policy.type_,
                &POLICY_TYPES,
            ));
        }
        let (value, period) = (policy.value, policy.period_seconds);
        for (field, number) in [("value", value), ("periodSeconds", period)] {
            if number <= 0 {
                let detail = "must be greater than zero";
                errors.push(FieldError::invalid(&path.child(field), number, detail));
            }
        }
        if period > MAX_PERIOD_SECONDS {
            let detail = format!("must be less than or equal to {MAX_PERIOD_SECONDS}");
            let path = path.child("periodSeconds");
            errors.push(FieldError::invalid(&path, period, &detail));
        }
    }
}
