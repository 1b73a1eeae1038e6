//! The metrics APIs, of which annotations are the source.
//!
//! `metrics.k8s.io` reports what the containers of a Pod use (`berth.dev/cpu`, `berth.dev/memory`; see
//! [`crate::kubelet`]). `berth.dev/metric.NAME` of a Pod or of any other object is a metric of
//! `custom.metrics.k8s.io`; of a namespace, one of `external.metrics.k8s.io` for the autoscalers in it. Selectors of
//! metrics are not evaluated: an annotation holds one value.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::autoscaling::v2::CrossVersionObjectReference;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::kubelet::{Usage, usages};
use crate::store::{Key, Store, name_of, resource_of};
use berth_base::quantity::Quantity;

/// The annotation of a metric, before its name.
const METRIC: &str = "berth.dev/metric.";

/// Values in thousandths by Pod.
pub(super) type PodMetrics = BTreeMap<String, i64>;

/// The usage of a resource by these Pods, or by one of their containers.
///
/// # Errors
/// If the API knows nothing of any of the Pods.
pub(super) fn of_resource(
    pods: &[Arc<Pod>],
    resource: &str,
    container: Option<&str>,
    now_ms: i64,
) -> Result<PodMetrics, String> {
    let mut is_known = false;
    let mut found = PodMetrics::new();
    for pod in pods {
        let used = usages(pod, now_ms);
        let reports = |used: &Usage| used.milli_cpu.is_some() || used.memory_bytes.is_some();
        if !used.iter().any(|(_, used)| reports(used)) {
            continue;
        }
        is_known = true;
        // A Pod whose containers do not all report the resource has no value.
        let own = used
            .iter()
            .filter(|(own, _)| container.is_none_or(|container| own.name == container));
        let amounts: Option<Vec<i64>> = own.map(|(_, used)| amount(used, resource)).collect();
        if let Some(amounts) = amounts.filter(|amounts| !amounts.is_empty()) {
            let sum = amounts.into_iter().fold(0, i64::saturating_add);
            found.insert(name_of(&pod.metadata).to_owned(), sum);
        }
    }
    if is_known {
        Ok(found)
    } else {
        Err("no metrics returned from resource metrics API".to_owned())
    }
}

/// In thousandths.
fn amount(used: &Usage, resource: &str) -> Option<i64> {
    match resource {
        "cpu" => used.milli_cpu,
        "memory" => used.memory_bytes.map(|bytes| bytes.saturating_mul(1_000)),
        _ => None,
    }
}

/// A metric of each of these Pods.
///
/// # Errors
/// If none of them has it, or a value is no quantity.
pub(super) fn of_pods(pods: &[Arc<Pod>], metric: &str) -> Result<PodMetrics, String> {
    let mut found = PodMetrics::new();
    for pod in pods {
        let value = annotated(&pod.metadata, metric);
        if let Some(value) = value.map_err(custom)? {
            found.insert(name_of(&pod.metadata).to_owned(), value);
        }
    }
    if found.is_empty() {
        return Err("no metrics returned from custom metrics API".to_owned());
    }
    Ok(found)
}

/// A metric of an object in a namespace, or of the namespace itself.
///
/// # Errors
/// If the object does not have it, or its value is no quantity.
pub(super) fn of_object(
    object: &CrossVersionObjectReference,
    namespace: &str,
    metric: &str,
    cache: &Store,
) -> Result<i64, String> {
    let (kind, name) = match object.kind.as_str() {
        "Namespace" => ("Namespace", namespace),
        kind => (kind, object.name.as_str()),
    };
    let found = cache.find(kind, &Key::new(namespace, name));
    let value = match found {
        Some(found) => annotated(found.metadata(), metric).map_err(custom)?,
        None => None,
    };
    value.ok_or_else(|| {
        let resource = resource_of(kind);
        custom(format!(
            "the server could not find the metric {metric} for {resource} {name}"
        ))
    })
}

/// An external metric.
///
/// # Errors
/// If the namespace does not have it, or its value is no quantity.
pub(super) fn of_namespace(namespace: &str, metric: &str, cache: &Store) -> Result<i64, String> {
    let found = cache.namespaces.get(&Key::new("", namespace));
    let value = match found {
        Some(found) => annotated(&found.metadata, metric)
            .map_err(|why| format!("unable to fetch metrics from external metrics API: {why}"))?,
        None => None,
    };
    value.ok_or_else(|| "no metrics returned from external metrics API".to_owned())
}

fn custom(why: String) -> String {
    format!("unable to fetch metrics from custom metrics API: {why}")
}

/// The value of an object's annotation for a metric, in thousandths.
fn annotated(meta: &ObjectMeta, metric: &str) -> Result<Option<i64>, String> {
    let key = format!("{METRIC}{metric}");
    let Some(text) = meta.annotations.as_ref().and_then(|all| all.get(&key)) else {
        return Ok(None);
    };
    match Quantity::parse(text.trim()) {
        Ok(value) => Ok(Some(value.milli_value())),
        Err(error) => Err(format!("annotation {key:?}: {error}")),
    }
}
