//! Operations of a script on workloads, Pods and nodes, performed as `kubectl` and the API server do.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::edits::{decode_as, edit, known, set_image};
use super::key::ObjectKey;
use super::whole_objects::pending;
use crate::dynamic::Visitor;
use crate::kubelet;
use crate::patch::{apply_again, merge};
use crate::pod_util::{self, sort_by_creation};
use crate::rollback::{self, UndoError, Undone};
use crate::server::ApiServer;
use crate::store::{Key, Object};
use crate::strategy::Served;
use crate::template_hashes::TemplateHashes;
use berth_core::api::load::read_object;
use berth_core::api::object::Manifest;
use berth_core::api::problem::Severity;
use berth_core::api::script::{Operation, PodTarget};
use berth_core::api::validation::validate;

/// An error is a sentence for the author of the script.
pub(super) type Outcome<T = ()> = Result<T, String>;

/// Performs operations, and keeps the manifests that were applied.
#[derive(Clone, Debug, Default)]
pub(super) struct Operations {
    /// Last applied manifests by kind and key: a field that the next manifest lacks is removed.
    applied: BTreeMap<(String, Key), Value>,
}

/// The kind of an operation that names none.
const DEFAULT_KIND: &str = "Deployment";

impl Operations {
    /// Creates an object; Berth's own documents are ignored.
    pub(super) fn create(&mut self, manifest: &Manifest, api: &mut ApiServer) -> Outcome {
        let Some(object) = Object::of_manifest(manifest) else {
            return Ok(());
        };
        self.remember(&object.to_json());
        match pending(object) {
            // No kubelet reports the capacity of a script's node.
            Object::Node(node) => create_object(Arc::unwrap_or_clone(node), api),
            Object::Pod(pod) => create_object(Arc::unwrap_or_clone(pod), api),
            other => other.visit(&mut CreateWithoutStatus(api)),
        }
    }

    /// Performs one operation, and returns what `kubectl` prints in addition to its success message.
    pub(super) fn act(
        &mut self,
        operation: &Operation,
        hashes: &TemplateHashes,
        api: &mut ApiServer,
    ) -> Outcome<Vec<String>> {
        let object = |kind: &Option<String>, namespace: &Option<String>, name: &str| NamedObject {
            kind: kind.clone().unwrap_or_else(|| DEFAULT_KIND.to_owned()),
            namespace: namespace.clone(),
            name: hashes.real(name),
        };
        match operation {
            Operation::Apply(manifest) => self.apply(manifest, api)?,
            Operation::Delete(it) => object(&it.kind, &it.namespace, &it.name).delete(api)?,
            Operation::Scale(it) => {
                let patch = json!({"spec": {"replicas": it.replicas}});
                object(&it.kind, &it.namespace, &it.name).merge(&patch, api)?;
            }
            Operation::SetImage(it) => {
                object(&it.kind, &it.namespace, &it.name).set_image(&it.image, api)?;
            }
            Operation::Pause(it) => {
                let patch = json!({"spec": {"paused": true}});
                object(&it.kind, &it.namespace, &it.name).merge(&patch, api)?;
            }
            Operation::Resume(it) => {
                let patch = json!({"spec": {"paused": null}});
                object(&it.kind, &it.namespace, &it.name).merge(&patch, api)?;
            }
            Operation::Undo(it) => {
                let object = object(&it.kind, &it.namespace, &it.name);
                let undone = rollback::undo(&object.kind, &object.key(), it.to_revision, api);
                return match undone {
                    Ok(Undone::RolledBack) => Ok(Vec::new()),
                    Ok(skipped @ Undone::Skipped(_)) => Ok(vec![skipped.to_string()]),
                    Err(UndoError::Impossible(why)) => Ok(vec![format!("error: {why}")]),
                    Err(UndoError::Server(why)) => Err(why),
                };
            }
            Operation::Patch(it) => {
                object(&it.kind, &it.namespace, &it.name).merge(&it.patch, api)?;
            }
            Operation::DeletePod(it) => {
                let pod = find_pod(it, hashes, api)?;
                let deleted = api.delete::<Pod>(&Key::of(&pod.metadata));
                deleted.map_err(|error| error.to_string())?;
            }
            Operation::SetReady(it) => {
                let pod = find_pod(it, hashes, api)?;
                kubelet::set_ready(&pod, it.ready.unwrap_or(true), api);
            }
            Operation::AnnotatePod(it) => annotate_pod(it, hashes, api)?,
            Operation::AddNode(node) => create_object(node_of(node)?, api)?,
            Operation::RemoveNode(it) => remove_node(&it.name, api)?,
            Operation::TaintNode(it) => {
                merge_node(&it.name, &json!({"spec": {"taints": it.taints}}), api)?;
            }
            Operation::LabelNode(it) => {
                merge_node(&it.name, &json!({"metadata": {"labels": it.labels}}), api)?;
            }
        }
        Ok(Vec::new())
    }

    /// Creates the object, or applies the manifest to the existing one, as `kubectl apply` does: removes what the last
    /// manifest set and this one lacks. Fields and items of lists of other writers stay.
    fn apply(&mut self, manifest: &Value, api: &mut ApiServer) -> Outcome {
        let (object, findings) = read_object(manifest);
        if let Some(finding) = findings.iter().find(|it| it.severity == Severity::Error) {
            return Err(format!("{}: {}", finding.path, finding.message));
        }
        let kind = manifest
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let Some(object) = object else {
            return Err(format!("objects of kind {kind:?} cannot be applied here"));
        };
        if let Some(error) = validate(&object).into_iter().next() {
            return Err(format!("{}: {}", error.path, error.message));
        }
        let key = key_of(manifest, kind);
        if api.store().get(kind, &key).is_none() {
            return self.create(&object, api);
        }
        let before = self.applied.get(&(kind.to_owned(), key.clone())).cloned();
        edit(kind, &key, api, &mut |live| {
            apply_again(live, before.as_ref().unwrap_or(&Value::Null), manifest);
            Ok(())
        })?;
        self.remember(manifest);
        Ok(())
    }

    /// Remembers the manifest of an object that was created elsewhere, for the next `apply`.
    pub(super) fn note(&mut self, manifest: &Manifest) {
        if let Some(object) = Object::of_manifest(manifest) {
            self.remember(&object.to_json());
        }
    }

    fn remember(&mut self, manifest: &Value) {
        let kind = manifest
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let key = key_of(manifest, kind);
        self.applied
            .insert((kind.to_owned(), key), manifest.clone());
    }
}

/// The object of an operation.
struct NamedObject {
    kind: String,
    namespace: Option<String>,
    name: String,
}

impl NamedObject {
    fn key(&self) -> Key {
        key_in(&self.kind, self.namespace.as_deref(), &self.name)
    }

    fn delete(&self, api: &mut ApiServer) -> Outcome {
        known(&self.kind)?;
        let deleted = api.delete_object(&self.kind, &self.key());
        deleted.map_err(|error| error.to_string())
    }

    fn merge(&self, patch: &Value, api: &mut ApiServer) -> Outcome {
        merge_into(&self.kind, &self.key(), patch, api)
    }

    fn set_image(&self, image: &str, api: &mut ApiServer) -> Outcome {
        edit(&self.kind, &self.key(), api, &mut |object| {
            set_image(object, image)
        })
    }
}

fn merge_into(kind: &str, key: &Key, patch: &Value, api: &mut ApiServer) -> Outcome {
    edit(kind, key, api, &mut |object| {
        merge(object, patch);
        Ok(())
    })
}

fn merge_node(name: &str, patch: &Value, api: &mut ApiServer) -> Outcome {
    merge_into("Node", &Key::new("", name), patch, api)
}

fn annotate_pod(target: &PodTarget, hashes: &TemplateHashes, api: &mut ApiServer) -> Outcome {
    let mut pod = (*find_pod(target, hashes, api)?).clone();
    let annotations = pod.metadata.annotations.get_or_insert_default();
    for (key, value) in target.annotations.iter().flatten() {
        match value {
            Some(value) => drop(annotations.insert(key.clone(), value.clone())),
            None => drop(annotations.remove(key)),
        }
    }
    let updated = api.update(pod);
    updated.map(drop).map_err(|error| error.to_string())
}

/// A node from its name, labels and taints, or from a manifest.
fn node_of(value: &Value) -> Outcome<Node> {
    let manifest = if value.get("metadata").is_some() {
        value.clone()
    } else {
        let field = |name: &str| value.get(name).cloned().unwrap_or_default();
        json!({
            "metadata": {"name": field("name"), "labels": field("labels")},
            "spec": {"taints": field("taints"), "unschedulable": field("unschedulable")},
        })
    };
    decode_as(&manifest)
}

/// Removes a node, and its Pods at once.
pub(super) fn remove_node(name: &str, api: &mut ApiServer) -> Outcome {
    let key = Key::new("", name);
    let deleted = api.delete::<Node>(&key);
    deleted.map_err(|error| error.to_string())?;
    let lost = api
        .store()
        .pods
        .iter()
        .filter(|pod| pod_util::node_of(pod) == name);
    let lost: Vec<Key> = lost.map(|pod| Key::of(&pod.metadata)).collect();
    for key in lost {
        api.erase::<Pod>(&key);
    }
    Ok(())
}

/// The Pod that a step refers to.
fn find_pod(target: &PodTarget, hashes: &TemplateHashes, api: &ApiServer) -> Outcome<Arc<Pod>> {
    let namespace = target.namespace.as_deref().unwrap_or("default");
    if let Some(name) = &target.name {
        let key = Key::new(namespace, hashes.real(name));
        let pod = api.store().pods.get(&key).cloned();
        return pod.ok_or_else(|| format!("pods {name:?} not found"));
    }
    let Some(selector) = &target.selector else {
        return Err("give the Pod's name, or a selector".to_owned());
    };
    let labels = |pod: &Pod| pod.metadata.labels.clone().unwrap_or_default();
    let pods = api.store().pods.of_namespace(namespace);
    let selected = pods.filter(|pod| {
        let labels = labels(pod);
        let mut wanted = selector.iter();
        !pod_util::is_terminating(pod) && wanted.all(|(key, value)| labels.get(key) == Some(value))
    });
    let mut selected: Vec<&Arc<Pod>> = selected.collect();
    sort_by_creation(&mut selected);
    let count = selected.len();
    let pod = selected.get(target.index).map(|pod| Arc::clone(pod));
    pod.ok_or_else(|| format!("the selector selects {count} Pods; there is none at this index"))
}

fn create_object<T: Served>(mut object: T, api: &mut ApiServer) -> Outcome {
    let meta = object.metadata_mut();
    // Drop the fields that only the API server writes.
    *meta = ObjectMeta {
        name: meta.name.take(),
        generate_name: meta.generate_name.take(),
        namespace: meta.namespace.take().filter(|_| T::NAMESPACED),
        labels: meta.labels.take(),
        annotations: meta.annotations.take(),
        finalizers: meta.finalizers.take(),
        owner_references: meta.owner_references.take(),
        ..ObjectMeta::default()
    };
    let created = api.create(object);
    created.map(drop).map_err(|error| error.to_string())
}

/// Creates an object; the API server ignores the status of a new object.
struct CreateWithoutStatus<'a>(&'a mut ApiServer);

impl Visitor for CreateWithoutStatus<'_> {
    type Output = Outcome;

    fn visit<T: Served>(&mut self, object: &Arc<T>) -> Outcome {
        let mut object = (**object).clone();
        object.clear_status();
        create_object(object, self.0)
    }
}

/// The key of the object that a manifest describes.
fn key_of(manifest: &Value, kind: &str) -> Key {
    let text = |field: &str| {
        let value = manifest.get("metadata").and_then(|meta| meta.get(field));
        value.and_then(Value::as_str)
    };
    key_in(kind, text("namespace"), text("name").unwrap_or_default())
}

/// The key of a named object of a kind.
fn key_in(kind: &str, namespace: Option<&str>, name: &str) -> Key {
    let key = ObjectKey::new(kind, namespace.unwrap_or_default(), name);
    Key::new(key.namespace, key.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Naming;
    use berth_core::api::kinds::Kind;

    fn apply(operations: &mut Operations, api: &mut ApiServer, manifest: Value) -> Outcome {
        let operation = Operation::Apply(manifest);
        let done = operations.act(&operation, &TemplateHashes::default(), api);
        done.map(drop)
    }

    #[test]
    fn objects_of_any_kind_are_applied_changed_and_deleted() {
        let mut api = ApiServer::new(Naming::Counted(BTreeMap::new()), None);
        let mut operations = Operations::default();
        for (api_version, kind, first, second) in [
            (
                "policy/v1",
                "PodDisruptionBudget",
                json!({"spec": {"minAvailable": 1}}),
                json!({"spec": {"maxUnavailable": 2}}),
            ),
            (
                "v1",
                "ConfigMap",
                json!({"data": {"a": "1", "b": "1"}}),
                json!({"data": {"a": "2"}}),
            ),
            (
                "scheduling.k8s.io/v1",
                "PriorityClass",
                json!({"value": 7, "description": "x"}),
                json!({"value": 7}),
            ),
            (
                "v1",
                "Node",
                json!({"spec": {"unschedulable": true, "podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}}),
                json!({"spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}}),
            ),
        ] {
            let head = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "it"}});
            let manifest = |fields: &Value| {
                let mut manifest = head.clone();
                merge(&mut manifest, fields);
                manifest
            };
            let is_namespaced = Kind::of_name(kind).is_some_and(|it| it.info().namespaced);
            let key = Key::new(if is_namespaced { "default" } else { "" }, "it");
            for fields in [&first, &second] {
                apply(&mut operations, &mut api, manifest(fields)).expect(kind);
                let stored = api.store().get(kind, &key).expect(kind).to_json();
                for (field, value) in fields.as_object().expect("fields") {
                    assert_eq!(&stored[field], value, "{kind}");
                }
            }
            let it = NamedObject {
                kind: kind.to_owned(),
                namespace: None,
                name: "it".to_owned(),
            };
            let labels = json!({"metadata": {"labels": {"a": "b"}}});
            it.merge(&labels, &mut api).expect(kind);
            let stored = api.store().get(kind, &key).expect(kind);
            assert_eq!(stored.to_json()["metadata"]["labels"]["a"], "b", "{kind}");
            it.delete(&mut api).expect(kind);
            assert!(api.store().get(kind, &key).is_none(), "{kind}");
            let refused = it.merge(&labels, &mut api);
            assert_eq!(refused, Err(format!("{kind} \"it\" not found")));
        }
    }

    #[test]
    fn unknown_kinds_are_refused() {
        let mut api = ApiServer::new(Naming::Counted(BTreeMap::new()), None);
        let widget = NamedObject {
            kind: "Widget".to_owned(),
            namespace: None,
            name: "it".to_owned(),
        };
        let refused = Err("objects of kind \"Widget\" cannot be changed here".to_owned());
        assert_eq!(widget.delete(&mut api), refused);
        assert_eq!(widget.merge(&json!({}), &mut api), refused);
        let manifest = json!({"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "it"}});
        assert!(apply(&mut Operations::default(), &mut api, manifest).is_err());
    }
}
