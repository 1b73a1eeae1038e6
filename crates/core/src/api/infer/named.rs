//! What admitted Pods name and a dump lacks: their PriorityClasses, RuntimeClasses and ServiceAccounts.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, PodSpec, ServiceAccount};
use k8s_openapi::api::node::v1::{Overhead, RuntimeClass};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Given;
use crate::api::kinds::Kind;
use crate::api::meta::{is_from_cluster, namespace_or_default};
use crate::api::object::Manifest;

/// The account of Pods that name none, which every namespace has.
const DEFAULT: &str = "default";

/// Kinds whose objects are assumed to exist if Pods name them.
pub(super) const KINDS: [Kind; 3] = [
    Kind::PriorityClass,
    Kind::RuntimeClass,
    Kind::ServiceAccount,
];

/// The account that a Pod names besides the default one.
pub(crate) fn account_of(spec: &PodSpec) -> Option<&str> {
    let named = spec.service_account_name.as_deref();
    let named = named.filter(|it| !it.is_empty());
    let name = named.or(spec.service_account.as_deref())?;
    (!name.is_empty() && name != DEFAULT).then_some(name)
}

/// The objects that Pods which exist name, and that the files lack; `all`: every Pod exists.
pub(super) fn named(given: &Given<'_>, all: bool) -> Vec<Manifest> {
    let mut classes: BTreeMap<&str, &PodSpec> = BTreeMap::new();
    let mut runtimes: BTreeMap<&str, &PodSpec> = BTreeMap::new();
    let mut accounts: BTreeMap<(&str, &str), ()> = BTreeMap::new();
    let exists = |pod: &&&Pod| all || is_from_cluster(&pod.metadata);
    for pod in given.pods.iter().filter(exists) {
        let Some(spec) = &pod.spec else { continue };
        if let (Some(name), Some(_)) = (spec.priority_class_name.as_deref(), spec.priority)
            && !name.starts_with("system-")
        {
            classes.entry(name).or_insert(spec);
        }
        if let Some(name) = spec.runtime_class_name.as_deref() {
            runtimes.entry(name).or_insert(spec);
        }
        if let Some(name) = account_of(spec) {
            accounts.insert((namespace_or_default(&pod.metadata), name), ());
        }
    }
    let lacks = |kind: Kind, namespace: &str, name: &str| {
        !given.known.contains(&(namespace, kind.info().kind, name))
    };
    let classes = classes.into_iter();
    let classes = classes.filter(|(name, _)| lacks(Kind::PriorityClass, "", name));
    let mut found: Vec<Manifest> = classes
        .map(|(name, spec)| priority_class(name, spec))
        .collect();
    let runtimes = runtimes.into_iter();
    let runtimes = runtimes.filter(|(name, _)| lacks(Kind::RuntimeClass, "", name));
    found.extend(runtimes.map(|(name, spec)| runtime_class(name, spec)));
    let accounts = accounts.into_keys();
    let accounts = accounts.filter(|(space, name)| lacks(Kind::ServiceAccount, space, name));
    found.extend(accounts.map(|(namespace, name)| account(namespace, name)));
    found
}

fn meta(namespace: Option<&str>, name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
        ..ObjectMeta::default()
    }
}

/// Cold: kept out of the first download.
#[inline(never)]
fn priority_class(name: &str, spec: &PodSpec) -> Manifest {
    Manifest::PriorityClass(Box::new(PriorityClass {
        metadata: meta(None, name),
        value: spec.priority,
        preemption_policy: spec.preemption_policy.clone(),
        ..PriorityClass::default()
    }))
}

/// A class with the overhead that its Pod has; where its Pods may run is not known.
/// Cold: kept out of the first download.
#[inline(never)]
fn runtime_class(name: &str, spec: &PodSpec) -> Manifest {
    let overhead = spec.overhead.clone().filter(|amounts| !amounts.is_empty());
    Manifest::RuntimeClass(Box::new(RuntimeClass {
        metadata: meta(None, name),
        handler: name.to_owned(),
        overhead: overhead.map(|amounts| Overhead {
            pod_fixed: Some(amounts),
        }),
        scheduling: None,
    }))
}

/// Cold: kept out of the first download.
#[inline(never)]
fn account(namespace: &str, name: &str) -> Manifest {
    Manifest::ServiceAccount(Box::new(ServiceAccount {
        metadata: meta(Some(namespace), name),
        ..ServiceAccount::default()
    }))
}
