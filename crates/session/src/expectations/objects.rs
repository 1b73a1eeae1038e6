//! Expectations on a field of an object.

use serde_json::Value;

use berth_core::api::edit::document;
use berth_core::api::kinds::Kind;
use berth_core::api::object::Manifest;
use berth_core::api::scenario::{Condition, Lock, at};
use berth_protocol::edit::ObjectRef;
use berth_protocol::remark::Remark;
use berth_sim::store::{Key, Object};

use super::moment::Moment;

impl Moment<'_> {
    /// Why the object is not as expected; `None` if it is.
    pub(super) fn check_object(&self, condition: Condition<'_>) -> Option<Remark> {
        let object = self.object(condition.object);
        if condition.holds(object.as_ref()) {
            return None;
        }
        let Some(object) = object else {
            return Some(Remark::absent(condition.object));
        };
        Some(match at(&object, condition.path) {
            _ if condition.path.is_empty() && condition.exists == Some(false) => {
                Remark::present(condition.object)
            }
            None => Remark::lacks(condition.object, condition.path),
            Some(value) => Remark::field_is(condition.path, value.to_string()),
        })
    }

    /// An object by `Kind/namespace/name`: the API server's in a simulated cluster, else that of the manifests.
    pub(super) fn object(&self, name: &str) -> Option<Value> {
        let meant = Lock::parse(name)?;
        let object = ObjectRef {
            kind: meant.kind,
            namespace: meant.namespace,
            name: meant.name.unwrap_or_default(),
        };
        let kind = Kind::of_name(&object.kind);
        if let (Some(kind), Some(cluster)) = (kind, self.cluster) {
            let namespace = match kind.info().namespaced {
                true => object.namespace_or_default(),
                false => "",
            };
            let key = Key::new(namespace, &object.name);
            let stored = cluster.api().store().get(&object.kind, &key)?;
            return Some(stored.to_json());
        }
        match document(&self.manifests.loaded, &object)?
            .object
            .as_deref()?
        {
            Manifest::SchedulerConfiguration(value) => Some(value.as_ref().clone()),
            manifest => Some(Object::of_manifest(manifest)?.to_json()),
        }
    }
}
