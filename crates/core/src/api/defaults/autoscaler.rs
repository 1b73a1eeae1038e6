//! Defaults of HorizontalPodAutoscalers (`pkg/apis/autoscaling/v2` of kube-apiserver v1.34).

use k8s_openapi::api::autoscaling::v2::{
    HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscaler, MetricSpec, MetricTarget,
    ResourceMetricSource,
};

/// Percent of the requested CPU.
const CPU_UTILIZATION: i32 = 80;
const PERIOD_SECONDS: i32 = 15;

/// Completes a HorizontalPodAutoscaler.
pub fn autoscaler(autoscaler: &mut HorizontalPodAutoscaler) {
    let spec = &mut autoscaler.spec;
    spec.min_replicas.get_or_insert(1);
    if spec.metrics.as_ref().is_none_or(Vec::is_empty) {
        spec.metrics = Some(vec![cpu(CPU_UTILIZATION)]);
    }
    if let Some(behavior) = &mut spec.behavior {
        let up = behavior.scale_up.get_or_insert_default();
        up.stabilization_window_seconds.get_or_insert(0);
        complete(up, &[("Pods", 4), ("Percent", 100)]);
        let down = behavior.scale_down.get_or_insert_default();
        complete(down, &[("Percent", 100)]);
    }
}

fn cpu(percent: i32) -> MetricSpec {
    MetricSpec {
        type_: "Resource".to_owned(),
        resource: Some(ResourceMetricSource {
            name: "cpu".to_owned(),
            target: MetricTarget {
                type_: "Utilization".to_owned(),
                average_utilization: Some(percent),
                ..MetricTarget::default()
            },
        }),
        ..MetricSpec::default()
    }
}

fn complete(rules: &mut HPAScalingRules, policies: &[(&str, i32)]) {
    rules.select_policy.get_or_insert_with(|| "Max".to_owned());
    rules.policies.get_or_insert_with(|| {
        let policies = policies.iter().map(|(kind, value)| HPAScalingPolicy {
            type_: (*kind).to_owned(),
            value: *value,
            period_seconds: PERIOD_SECONDS,
        });
        policies.collect()
    });
}
