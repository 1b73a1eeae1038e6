//! What one metric of an autoscaler proposes, and its part of the status.

use k8s_openapi::api::autoscaling::v2::{
    ContainerResourceMetricSource, ContainerResourceMetricStatus, ExternalMetricSource,
    ExternalMetricStatus, MetricSpec, MetricStatus, MetricTarget, ObjectMetricSource,
    ObjectMetricStatus, PodsMetricSource, PodsMetricStatus, ResourceMetricSource,
    ResourceMetricStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::calculator::{self, Aim, Basis, Proposal};
use super::metrics;
use super::values::{average, go_selector, milli, total, used};
use crate::store::Store;

/// A number of replicas that a metric asks for.
#[derive(Clone, Debug)]
pub(super) struct Proposed {
    pub replicas: i32,
    /// What asks for them, as messages name it.
    pub metric: String,
    pub status: MetricStatus,
}

/// Why a metric proposes nothing.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// The reason of the event and the condition.
    pub reason: &'static str,
    pub message: String,
    /// The message in that of all metrics.
    pub whole: String,
}

impl Failure {
    /// A failure whose message goes on with `context` in that of all metrics.
    fn new(reason: &'static str, message: String, context: &str) -> Self {
        let whole = format!("{context}: {message}");
        Failure {
            reason,
            message,
            whole,
        }
    }
}

/// What a metric of an autoscaler in `namespace` proposes.
///
/// # Errors
/// Why it proposes nothing.
pub(super) fn of_metric(
    spec: &MetricSpec,
    namespace: &str,
    basis: Basis<'_>,
    cache: &Store,
) -> Result<Proposed, Failure> {
    let empty = MetricStatus {
        type_: spec.type_.clone(),
        ..MetricStatus::default()
    };
    if let Some(source) = &spec.resource {
        of_resource(source, basis, empty)
    } else if let Some(source) = &spec.container_resource {
        of_container(source, basis, empty)
    } else if let Some(source) = &spec.pods {
        of_pods(source, basis, empty)
    } else if let Some(source) = &spec.object {
        of_object(source, namespace, basis, cache, empty)
    } else if let Some(source) = &spec.external {
        of_external(source, namespace, basis, cache, empty)
    } else {
        let message = format!("unknown metric source type {:?}", spec.type_);
        Err(Failure {
            reason: "InvalidMetricSourceType",
            whole: message.clone(),
            message,
        })
    }
}

fn of_resource(
    source: &ResourceMetricSource,
    basis: Basis<'_>,
    mut status: MetricStatus,
) -> Result<Proposed, Failure> {
    let resource = source.name.as_str();
    let proposal = of_usage(resource, None, &source.target, basis).map_err(|message| {
        let context = format!("failed to get {resource} resource metric value");
        Failure::new("FailedGetResourceMetric", message, &context)
    })?;
    let unit = match proposal.utilization {
        Some(_) => "resource utilization (percentage of request)",
        None => "resource",
    };
    status.resource = Some(ResourceMetricStatus {
        name: source.name.clone(),
        current: used(resource, proposal),
    });
    Ok(Proposed {
        replicas: proposal.replicas,
        metric: format!("{resource} {unit}"),
        status,
    })
}

fn of_container(
    source: &ContainerResourceMetricSource,
    basis: Basis<'_>,
    mut status: MetricStatus,
) -> Result<Proposed, Failure> {
    let (resource, container) = (source.name.as_str(), source.container.as_str());
    let proposal = of_usage(resource, Some(container), &source.target, basis);
    let proposal = proposal.map_err(|message| {
        let context = format!("failed to get {container} container metric value");
        Failure::new("FailedGetContainerResourceMetric", message, &context)
    })?;
    let unit = match proposal.utilization {
        Some(_) => "container resource utilization (percentage of request)",
        None => "resource",
    };
    status.container_resource = Some(ContainerResourceMetricStatus {
        name: source.name.clone(),
        container: source.container.clone(),
        current: used(resource, proposal),
    });
    Ok(Proposed {
        replicas: proposal.replicas,
        metric: format!("{resource} {unit}"),
        status,
    })
}

fn of_usage(
    resource: &str,
    container: Option<&str>,
    target: &MetricTarget,
    basis: Basis<'_>,
) -> Result<Proposal, String> {
    let (aim, what) = if let Some(value) = milli(target.average_value.as_ref()) {
        (Aim::Average(value), "usage")
    } else if let Some(percent) = target.average_utilization {
        (Aim::Utilization(percent, container), "utilization")
    } else {
        let why = "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";
        return Err(why.to_owned());
    };
    metrics::of_resource(basis.pods, resource, container, basis.now_ms)
        .map_err(|why| format!("unable to get metrics for resource {resource}: {why}"))
        .and_then(|found| calculator::of_pods(basis, found, resource, aim))
        .map_err(|why| format!("failed to get {resource} {what}: {why}"))
}

fn of_pods(
    source: &PodsMetricSource,
    basis: Basis<'_>,
    mut status: MetricStatus,
) -> Result<Proposed, Failure> {
    let metric = source.metric.name.as_str();
    let target = milli(source.target.average_value.as_ref()).unwrap_or(0);
    let proposal = metrics::of_pods(basis.pods, metric)
        .map_err(|why| format!("unable to get metric {metric}: {why}"))
        .and_then(|found| calculator::of_pods(basis, found, "", Aim::Average(target)));
    let proposal = proposal.map_err(|message| {
        Failure::new(
            "FailedGetPodsMetric",
            message,
            "failed to get pods metric value",
        )
    })?;
    status.pods = Some(PodsMetricStatus {
        metric: source.metric.clone(),
        current: average(proposal.usage),
    });
    Ok(Proposed {
        replicas: proposal.replicas,
        metric: format!("pods metric {metric}"),
        status,
    })
}

fn of_object(
    source: &ObjectMetricSource,
    namespace: &str,
    basis: Basis<'_>,
    cache: &Store,
    mut status: MetricStatus,
) -> Result<Proposed, Failure> {
    const CONTEXT: &str = "failed to get object metric value";
    let (metric, object) = (source.metric.name.as_str(), &source.described_object);
    let fails =
        |message: String, context: &str| Failure::new("FailedGetObjectMetric", message, context);
    let value = || {
        metrics::of_object(object, namespace, metric, cache).map_err(|why| {
            let (kind, name) = (&object.kind, &object.name);
            format!("unable to get metric {metric}: {kind} on {namespace} {name}/{why}")
        })
    };
    let target = &source.target;
    let (proposal, current, metric) = if let Some(target) = milli(target.value.as_ref()) {
        let proposal = value().and_then(|value| calculator::of_value(basis, value, target));
        let proposal = proposal.map_err(|why| fails(why, CONTEXT))?;
        let kind = &object.kind;
        (
            proposal,
            total(proposal.usage),
            format!("{kind} metric {metric}"),
        )
    } else if let Some(target) = milli(target.average_value.as_ref()) {
        let proposal = value().map(|value| calculator::of_share(basis, value, target));
        let context = format!("{CONTEXT}: failed to get {metric} object metric");
        let proposal = proposal.map_err(|why| fails(why, &context))?;
        // The controller calls it external.
        let metric = external(metric, source.metric.selector.as_ref());
        (proposal, average(proposal.usage), metric)
    } else {
        let why = "invalid object metric source: neither a value target nor an average value target was set";
        return Err(fails(why.to_owned(), CONTEXT));
    };
    status.object = Some(ObjectMetricStatus {
        described_object: object.clone(),
        metric: source.metric.clone(),
        current,
    });
    Ok(Proposed {
        replicas: proposal.replicas,
        metric,
        status,
    })
}

fn of_external(
    source: &ExternalMetricSource,
    namespace: &str,
    basis: Basis<'_>,
    cache: &Store,
    mut status: MetricStatus,
) -> Result<Proposed, Failure> {
    let metric = source.metric.name.as_str();
    let selector = source.metric.selector.as_ref();
    let context = format!("failed to get {metric} external metric value");
    let fails =
        |message: String, context: &str| Failure::new("FailedGetExternalMetric", message, context);
    let value = || {
        metrics::of_namespace(namespace, metric, cache).map_err(|why| {
            let selector = go_selector(selector);
            format!("unable to get external metric {namespace}/{metric}/{selector}: {why}")
        })
    };
    let target = &source.target;
    let (proposal, current) = if let Some(target) = milli(target.average_value.as_ref()) {
        let proposal = value().map(|value| calculator::of_share(basis, value, target));
        let context = format!("{context}: failed to get {metric} external metric");
        let proposal = proposal.map_err(|why| fails(why, &context))?;
        (proposal, average(proposal.usage))
    } else if let Some(target) = milli(target.value.as_ref()) {
        let proposal = value().and_then(|value| calculator::of_value(basis, value, target));
        let context = format!("{context}: failed to get external metric {metric}");
        let proposal = proposal.map_err(|why| fails(why, &context))?;
        (proposal, total(proposal.usage))
    } else {
        let why = "invalid external metric source: neither a value target nor an average value target was set";
        return Err(fails(why.to_owned(), &context));
    };
    status.external = Some(ExternalMetricStatus {
        metric: source.metric.clone(),
        current,
    });
    Ok(Proposed {
        replicas: proposal.replicas,
        metric: external(metric, selector),
        status,
    })
}

fn external(metric: &str, selector: Option<&LabelSelector>) -> String {
    format!("external metric {metric}({})", go_selector(selector))
}
