//! The usage of a namespace's ResourceQuotas: counted from its objects, or continued from the status.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PodSpec, ResourceQuota, ResourceQuotaStatus};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

use super::pod_util;
use super::store::{Object, Store, namespace_of, resource_of};
use super::virtual_time::ms_of;
use berth_base::quantity::Quantity;
use berth_base::sort;
use berth_core::api::prepare::quota::{Amounts, Quota, add};

/// Charges a new object, or what a changed one uses more than before; returns the quotas that count it with their new
/// status.
///
/// # Errors
/// The API server's message if a quota is exceeded; nothing is charged then.
pub(super) fn charge(
    quotas: &[Arc<ResourceQuota>],
    object: &Object,
    before: Option<&Object>,
    store: &Store,
) -> Result<Vec<ResourceQuota>, String> {
    let mut charged = Vec::new();
    for stored in quotas {
        let quota = Quota::new(stored);
        let mut used = used_of(stored, &quota, store);
        let usage = match (object, before) {
            (Object::Pod(pod), None) => {
                let none = PodSpec::default();
                let spec = pod.spec.as_ref().unwrap_or(&none);
                quota.judge_pod(spec, &used)?;
                usage_of(&quota, object)
            }
            _ => {
                let mut usage = usage_of(&quota, object);
                if let Some(before) = before {
                    usage = more(usage, &usage_of(&quota, before));
                }
                quota.judge(&usage, &used)?;
                usage
            }
        };
        if !usage.is_empty() {
            add(&mut used, usage);
            charged.push(with_status(stored, &quota, &used));
        }
    }
    Ok(charged)
}

/// What is used more than before.
fn more(mut usage: Amounts, before: &Amounts) -> Amounts {
    for (name, amount) in &mut usage {
        let old = before.get(name).copied().unwrap_or_default();
        *amount = amount.sub(old);
    }
    usage.retain(|_, amount| !amount.is_zero() && !amount.is_negative());
    usage
}

/// The quota with its usage recounted.
pub(super) fn recounted(stored: &ResourceQuota, store: &Store, now_ms: i64) -> ResourceQuota {
    let quota = Quota::new(stored);
    let used = count(&quota, namespace_of(&stored.metadata), store, Some(now_ms));
    with_status(stored, &quota, &used)
}

/// The usage in the status, if it belongs to the current limits; otherwise counted.
fn used_of(stored: &ResourceQuota, quota: &Quota, store: &Store) -> Amounts {
    let hard = stored.spec.as_ref().and_then(|spec| spec.hard.as_ref());
    match &stored.status {
        Some(status) if status.hard.as_ref() == hard => {
            let used = status.used.iter().flatten();
            sort::gather(used.map(|(name, text)| (name.clone(), amount(text))))
        }
        _ => count(quota, namespace_of(&stored.metadata), store, None),
    }
}

fn count(quota: &Quota, namespace: &str, store: &Store, now_ms: Option<i64>) -> Amounts {
    let none = |name: &String| (name.clone(), Quantity::from_value(0));
    let mut used: Amounts = sort::gather(quota.hard.keys().map(none));
    for object in store.of_namespace(namespace) {
        let is_over = now_ms.is_some_and(|now_ms| is_over(&object, now_ms));
        if !is_over {
            add(&mut used, usage_of(quota, &object));
        }
    }
    used
}

/// Whether it is a Pod whose grace period is over: it no longer counts.
fn is_over(object: &Object, now_ms: i64) -> bool {
    let deletion = object.metadata().deletion_timestamp.as_ref();
    matches!(object, Object::Pod(_)) && deletion.is_some_and(|at| ms_of(at) < now_ms)
}

fn usage_of(quota: &Quota, object: &Object) -> Amounts {
    match object {
        Object::Pod(pod) => match &pod.spec {
            Some(spec) if !quota.covers_pod(spec) => Amounts::new(),
            Some(spec) if !pod_util::is_finished(pod) => quota.usage_of_pod(spec),
            _ => quota.usage_of_ended_pod(),
        },
        Object::PersistentVolumeClaim(claim) if quota.covers_claim(claim) => {
            quota.usage_of_claim(claim)
        }
        _ if !quota.covers_others() => Amounts::new(),
        Object::Service(service) => quota.usage_of_service(service),
        _ => quota.usage_of(&resource_of(object.kind())),
    }
}

fn with_status(stored: &ResourceQuota, quota: &Quota, used: &Amounts) -> ResourceQuota {
    let hard = stored.spec.as_ref().and_then(|spec| spec.hard.clone());
    let limited = used
        .iter()
        .filter(|(name, _)| quota.hard.contains_key(*name));
    let used = limited.map(|(name, amount)| (name.clone(), Text(amount.to_string())));
    ResourceQuota {
        status: Some(ResourceQuotaStatus {
            hard,
            used: Some(sort::gather(used)),
        }),
        ..stored.clone()
    }
}

fn amount(text: &Text) -> Quantity {
    Quantity::parse(&text.0).unwrap_or_default()
}
