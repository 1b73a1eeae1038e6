//! Namespace deletion: deletes the contents of a namespace first (`pkg/controller/namespace`, Kubernetes v1.34).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Namespace, NamespaceCondition};

use super::Controller;
use crate::server::{ApiError, ApiServer, Propagation, finalizers};
use crate::store::{Change, Key, Object, Store, resource_of};
use crate::workqueue::WorkQueue;

/// The conditions of failures that did not happen: type, reason and message.
const UNFAILED: [(&str, &str, &str); 3] = [
    (
        "NamespaceDeletionDiscoveryFailure",
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
];

/// The controller that empties namespaces.
#[derive(Clone, Debug)]
pub struct NamespaceController {
    queue: WorkQueue,
}

impl NamespaceController {
    pub fn new(queue: WorkQueue) -> Self {
        NamespaceController { queue }
    }
}

impl Controller for NamespaceController {
    fn component(&self) -> &'static str {
        "namespace-controller"
    }

    fn observe(&mut self, change: &Change, _cache: &Store, _now_ms: i64) {
        if let Some((_, Some(namespace))) = change.of::<Namespace>()
            && namespace.metadata.deletion_timestamp.is_some()
        {
            self.queue.add(Key::of(&namespace.metadata));
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, _cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(namespace) = api.store().namespaces.get(key).cloned() else {
            return Ok(());
        };
        if namespace.metadata.deletion_timestamp.is_none() {
            return Ok(());
        }
        for object in api.store().of_namespace(key.name()) {
            // An object may have been deleted together with an earlier one.
            let _ = api.delete_any(&object, Propagation::Background);
        }
        let left = api.store().of_namespace(key.name());
        let mut namespace = (*namespace).clone();
        if left.is_empty() {
            namespace.spec.get_or_insert_default().finalizers = None;
            return api.update(namespace).map(drop);
        }
        let conditions = conditions(&left, &namespace, api);
        namespace.status.get_or_insert_default().conditions = Some(conditions);
        api.update_status(&namespace)?;
        let grace = left.iter().filter_map(|object| match object {
            Object::Pod(pod) => pod.metadata.deletion_grace_period_seconds,
            _ => None,
        });
        let seconds = grace.max().unwrap_or(0) / 2 + 1;
        self.queue
            .add_after(key.clone(), seconds.saturating_mul(1_000), api.now_ms());
        Ok(())
    }
}

/// The conditions that list what the namespace waits for.
fn conditions(left: &[Object], namespace: &Namespace, api: &ApiServer) -> Vec<NamespaceCondition> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    for object in left {
        let resource = resource_of(object.kind());
        let dot = if resource.contains('.') { "" } else { "." };
        *kinds.entry(format!("{resource}{dot}")).or_default() += 1;
        for finalizer in finalizers(object.metadata()) {
            *held.entry(finalizer).or_default() += 1;
        }
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{kind} has {count} resource instances"))
        .collect();
    let held: Vec<String> = held
        .iter()
        .map(|(name, count)| format!("{name} in {count} resource instances"))
        .collect();
    let before = namespace.status.as_ref();
    let before = before.and_then(|status| status.conditions.as_deref());
    let condition = |type_: &str, is_so: bool, reason: &str, message: String| {
        let status = if is_so { "True" } else { "False" };
        let mut known = before
            .unwrap_or_default()
            .iter()
            .filter(|it| it.type_ == type_ && it.status == status);
        let since = known.next().and_then(|it| it.last_transition_time.clone());
        NamespaceCondition {
            type_: type_.to_owned(),
            status: status.to_owned(),
            reason: Some(reason.to_owned()),
            message: Some(message),
            last_transition_time: Some(since.unwrap_or_else(|| api.now())),
        }
    };
    let remaining = format!("Some resources are remaining: {}", kinds.join(", "));
    let waiting = if held.is_empty() {
        (
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished".to_owned(),
        )
    } else {
        let listed = held.join(", ");
        let message = format!("Some content in the namespace has finalizers remaining: {listed}");
        ("SomeFinalizersRemain", message)
    };
    // Discovery and deletion never fail here.
    let mut conditions: Vec<NamespaceCondition> = UNFAILED
        .iter()
        .map(|(type_, reason, message)| condition(type_, false, reason, (*message).to_owned()))
        .collect();
    conditions.extend([
        condition(
            "NamespaceContentRemaining",
            true,
            "SomeResourcesRemain",
            remaining,
        ),
        condition(
            "NamespaceFinalizersRemaining",
            !held.is_empty(),
            waiting.0,
            waiting.1,
        ),
    ]);
    conditions
}

#[cfg(test)]
mod tests;
