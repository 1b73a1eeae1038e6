//! Which Pods belong to a Service, and with which ports.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ObjectReference, Pod, Service, ServicePort};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::pod_util;
use crate::server::ApiError;
use crate::store::{BeforeAndAfter, Change, Key, Store, name_of, namespace_of, uid_of};

/// The label of what belongs to a Service without an address.
pub const HEADLESS: &str = "service.kubernetes.io/headless";

/// The Pods that the Service selects, by name; `None` if no controller makes its endpoints.
pub fn pods_of<'a>(service: &'a Service, cache: &'a Store) -> Option<Vec<&'a Arc<Pod>>> {
    let spec = service.spec.as_ref()?;
    if spec.type_.as_deref() == Some("ExternalName") || spec.selector.is_none() {
        return None;
    }
    let namespace = namespace_of(&service.metadata);
    let pods = cache.pods.of_namespace(namespace);
    Some(pods.filter(|pod| selects(service, pod)).collect())
}

/// The Services whose endpoints a change of a Pod may change.
fn services_of((before, after): BeforeAndAfter<'_, Pod>, cache: &Store) -> Vec<Key> {
    let Some(pod) = after.or(before) else {
        return Vec::new();
    };
    if let (Some(before), Some(after)) = (before, after)
        && facts(before) == facts(after)
    {
        return Vec::new();
    }
    let is_of = |service: &Service| {
        [before, after]
            .into_iter()
            .flatten()
            .any(|pod| selects(service, pod))
    };
    let services = cache.services.of_namespace(namespace_of(&pod.metadata));
    let services = services.filter(|service| is_of(service));
    services.map(|service| Key::of(&service.metadata)).collect()
}

/// The Services whose endpoints a change of a Service or of a Pod may change; `None` if it is of another kind.
pub fn services_in(change: &Change, cache: &Store) -> Option<Vec<Key>> {
    if change.of::<Service>().is_some() {
        return Some(vec![change.key.clone()]);
    }
    change.of::<Pod>().map(|pod| services_of(pod, cache))
}

/// What of a Pod endpoints depend on.
fn facts(pod: &Pod) -> impl PartialEq + use<'_> {
    let spec = pod.spec.as_ref();
    (
        &pod.metadata.labels,
        pod_util::is_terminating(pod),
        pod_util::is_finished(pod),
        pod_util::is_ready(pod),
        addresses(pod),
        pod_util::node_of(pod),
        spec.map(|spec| (&spec.hostname, &spec.subdomain)),
    )
}

/// An empty selector is stored as none.
fn selects(service: &Service, pod: &Pod) -> bool {
    let selector = service.spec.as_ref().and_then(|it| it.selector.as_ref());
    selector.is_some_and(|selector| {
        let label = |key: &str| pod.metadata.labels.as_ref()?.get(key);
        !selector.is_empty()
            && selector
                .iter()
                .all(|(key, value)| label(key) == Some(value))
    })
}

/// Whether a Pod has endpoints (`ShouldPodBeInEndpoints`).
pub fn belongs(pod: &Pod, terminating_too: bool) -> bool {
    !pod_util::is_finished(pod)
        && !addresses(pod).is_empty()
        && (terminating_too || !pod_util::is_terminating(pod))
}

/// The target of an address.
pub fn target(pod: &Pod) -> ObjectReference {
    let meta = &pod.metadata;
    ObjectReference {
        kind: Some("Pod".to_owned()),
        namespace: Some(namespace_of(meta).to_owned()),
        name: Some(name_of(meta).to_owned()),
        uid: Some(uid_of(meta).to_owned()),
        ..ObjectReference::default()
    }
}

/// The Pod's addresses: `podIPs`, or else `podIP`.
pub fn addresses(pod: &Pod) -> Vec<&str> {
    let Some(status) = &pod.status else {
        return Vec::new();
    };
    match status.pod_ips.as_deref() {
        Some(all) if !all.is_empty() => all.iter().map(|it| it.ip.as_str()).collect(),
        _ => status.pod_ip.as_deref().into_iter().collect(),
    }
}

/// Whether the Pod's name in the Service's domain is its host name (`ShouldSetHostname`).
pub fn hostname(pod: &Pod, service: &Service) -> Option<String> {
    let spec = pod.spec.as_ref()?;
    let name = spec.hostname.as_ref().filter(|name| !name.is_empty())?;
    let is_its = spec.subdomain.as_deref() == Some(name_of(&service.metadata));
    is_its.then(|| name.clone())
}

/// The ports of the Service.
pub fn ports(service: &Service) -> &[ServicePort] {
    let spec = service.spec.as_ref();
    spec.and_then(|spec| spec.ports.as_deref())
        .unwrap_or_default()
}

/// Whether the Service has an address, so is not headless.
pub fn has_address(service: &Service) -> bool {
    let spec = service.spec.as_ref();
    let address = spec.and_then(|spec| spec.cluster_ip.as_deref());
    !matches!(address, None | Some("" | "None"))
}

/// Whether addresses of Pods that are not ready count as ready.
pub fn publishes_all(service: &Service) -> bool {
    let spec = service.spec.as_ref();
    spec.and_then(|spec| spec.publish_not_ready_addresses) == Some(true)
}

/// The number of the Service's port on the Pod: a name is that of a port of its containers or sidecars (`FindPort`).
pub fn port_on(pod: &Pod, port: &ServicePort) -> Option<i32> {
    let name = match &port.target_port {
        None => return Some(port.port),
        Some(IntOrString::Int(number)) => return Some(*number),
        Some(IntOrString::String(name)) => name,
    };
    let spec = pod.spec.as_ref()?;
    let sidecars = spec
        .init_containers
        .iter()
        .flatten()
        .filter(|it| it.restart_policy.as_deref() == Some("Always"));
    let protocol = |of: &Option<String>| of.clone().unwrap_or_else(|| "TCP".to_owned());
    let mut all = spec
        .containers
        .iter()
        .chain(sidecars)
        .flat_map(|container| container.ports.iter().flatten());
    let found = all.find(|it| {
        it.name.as_deref() == Some(name) && protocol(&it.protocol) == protocol(&port.protocol)
    });
    found.map(|it| it.container_port)
}

/// The outcome of a create for an object: in a namespace that is being deleted there is nothing more to do.
pub fn created<T>(
    outcome: Result<T, ApiError>,
    of: &ObjectMeta,
    cache: &Store,
) -> Result<(), ApiError> {
    let namespace = Key::new("", namespace_of(of));
    let namespace = cache.namespaces.get(&namespace);
    let is_going = namespace.is_some_and(|it| it.metadata.deletion_timestamp.is_some());
    match outcome {
        Err(ApiError::Forbidden { .. }) if is_going => Ok(()),
        outcome => outcome.map(drop),
    }
}
