//! The steps of a script, done as `kubectl` and the API server would.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{Node, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::edits::{decode_as, edit, set_image};
use super::names::Names;
use super::script::{PodTarget, Step};
use crate::api::load::read_object;
use crate::api::object::Manifest;
use crate::api::problem::Severity;
use crate::api::validation::validate;
use crate::base::json as base_json;
use crate::sim::kubelet;
use crate::sim::patch::{drop_missing, merge};
use crate::sim::pod_util::{self, sort_by_creation};
use crate::sim::rollback;
use crate::sim::server::ApiServer;
use crate::sim::store::{Key, Stored};
use crate::sim::strategy::Served;

/// What is done cannot be done; a sentence for the author of the script.
pub(in crate::sim) type Outcome<T = ()> = Result<T, String>;

/// Does steps, and remembers what was applied.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Steps {
    /// The manifests as they were last applied, by kind and key: what is missing in the next one goes.
    applied: BTreeMap<(String, Key), Value>,
}

/// Runs a generic function for the kind of a name.
macro_rules! for_kind {
    ($kind:expr, $function:ident($($argument:expr),*)) => {
        match $kind {
            "Deployment" => $function::<Deployment>($($argument),*),
            "ReplicaSet" => $function::<ReplicaSet>($($argument),*),
            "StatefulSet" => $function::<StatefulSet>($($argument),*),
            "DaemonSet" => $function::<DaemonSet>($($argument),*),
            "Job" => $function::<Job>($($argument),*),
            "CronJob" => $function::<CronJob>($($argument),*),
            "Pod" => $function::<Pod>($($argument),*),
            "Node" => $function::<Node>($($argument),*),
            other => Err(format!("objects of kind {other:?} cannot be changed here")),
        }
    };
}

impl Steps {
    /// Creates an object of the file; kinds that nobody here looks at are left out.
    pub(in crate::sim) fn create(&mut self, object: &Manifest, api: &mut ApiServer) -> Outcome {
        macro_rules! create {
            ($it:expr) => {{
                self.remember(&base_json::value(&**$it));
                let mut object = (**$it).clone();
                object.status = None;
                create_object(object, api)
            }};
        }
        match object {
            Manifest::Deployment(it) => create!(it),
            Manifest::ReplicaSet(it) => create!(it),
            Manifest::StatefulSet(it) => create!(it),
            Manifest::DaemonSet(it) => create!(it),
            Manifest::Job(it) => create!(it),
            Manifest::CronJob(it) => create!(it),
            Manifest::PersistentVolumeClaim(it) => create!(it),
            Manifest::Node(node) => create_object((**node).clone(), api),
            Manifest::Pod(pod) => {
                let mut pod = (**pod).clone();
                pod.status = Some(PodStatus {
                    phase: Some("Pending".to_owned()),
                    ..PodStatus::default()
                });
                create_object(pod, api)
            }
            _ => Ok(()),
        }
    }

    /// Does one step; what `kubectl` would complain of comes back as messages.
    pub(in crate::sim) fn act(
        &mut self,
        step: &Step,
        names: &Names,
        api: &mut ApiServer,
    ) -> Outcome<Vec<String>> {
        if let Some(undo) = &step.undo {
            let kind = kind_or_deployment(undo.kind.as_ref());
            let key = key(undo.namespace.as_ref(), &names.real(&undo.name));
            let said = rollback::undo(kind, &key, undo.to_revision, api)?;
            return Ok(said.into_iter().collect());
        }
        self.act_on_workload(step, names, api)?;
        act_on_pod(step, names, api)?;
        act_on_node(step, api)?;
        Ok(Vec::new())
    }

    fn act_on_workload(&mut self, step: &Step, names: &Names, api: &mut ApiServer) -> Outcome {
        if let Some(manifest) = &step.apply {
            self.apply(manifest, api)?;
        }
        if let Some(target) = &step.delete {
            let key = key(target.namespace.as_ref(), &names.real(&target.name));
            let kind = kind_or_deployment(target.kind.as_ref());
            for_kind!(kind, delete(&key, api))?;
        }
        if let Some(scale) = &step.scale {
            let patch = json!({"spec": {"replicas": scale.replicas}});
            change(
                scale.kind.as_ref(),
                scale.namespace.as_ref(),
                &names.real(&scale.name),
                &patch,
                api,
            )?;
        }
        if let Some(set) = &step.set_image {
            let kind = kind_or_deployment(set.kind.as_ref());
            let key = key(set.namespace.as_ref(), &names.real(&set.name));
            for_kind!(
                kind,
                edit(&key, api, &mut |object| set_image(object, &set.image))
            )?;
        }
        for (target, paused) in [(&step.pause, Some(true)), (&step.resume, None)] {
            if let Some(target) = target {
                let patch = json!({"spec": {"paused": paused}});
                change(
                    target.kind.as_ref(),
                    target.namespace.as_ref(),
                    &names.real(&target.name),
                    &patch,
                    api,
                )?;
            }
        }
        if let Some(patch) = &step.patch {
            change(
                patch.kind.as_ref(),
                patch.namespace.as_ref(),
                &names.real(&patch.name),
                &patch.patch,
                api,
            )?;
        }
        Ok(())
    }

    /// Creates the object, or makes the one that exists what the manifest says: what was applied before
    /// and is not there any more goes, what others wrote stays.
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
        let exists = for_kind!(kind, exists(&key, api))?;
        if !exists {
            return self.create(&object, api);
        }
        let before = self.applied.get(&(kind.to_owned(), key.clone())).cloned();
        for_kind!(
            kind,
            edit(&key, api, &mut |live| {
                if let Some(before) = &before {
                    drop_missing(live, before, manifest);
                }
                merge(live, manifest);
                Ok(())
            })
        )?;
        self.remember(manifest);
        Ok(())
    }

    /// Remembers a manifest that was created elsewhere, for when it is applied again.
    pub(in crate::sim) fn note(&mut self, object: &Manifest) {
        macro_rules! note {
            ($($kind:ident)*) => {
                match object {
                    $(Manifest::$kind(it) => self.remember(&base_json::value(&**it)),)*
                    _ => {}
                }
            };
        }
        note!(Deployment ReplicaSet StatefulSet DaemonSet Job CronJob Pod Node);
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

fn act_on_pod(step: &Step, names: &Names, api: &mut ApiServer) -> Outcome {
    if let Some(target) = &step.delete_pod {
        let pod = find_pod(target, names, api)?;
        api.delete::<Pod>(&Key::of(&pod.metadata))
            .map_err(|error| error.to_string())?;
    }
    if let Some(target) = &step.set_ready {
        let pod = find_pod(target, names, api)?;
        kubelet::set_ready(&pod, target.ready.unwrap_or(true), api);
    }
    if let Some(target) = &step.annotate_pod {
        let mut pod = (*find_pod(target, names, api)?).clone();
        let annotations = pod.metadata.annotations.get_or_insert_default();
        set_entries(annotations, target.annotations.iter().flatten());
        api.update(pod).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn act_on_node(step: &Step, api: &mut ApiServer) -> Outcome {
    if let Some(node) = &step.add_node {
        create_object(node_of(node)?, api)?;
    }
    if let Some(target) = &step.remove_node {
        remove_node(&target.name, api)?;
    }
    if let Some(taint) = &step.taint_node {
        let patch = json!({"spec": {"taints": taint.taints}});
        edit::<Node>(&Key::new("", taint.name.clone()), api, &mut |node| {
            merge(node, &patch);
            Ok(())
        })?;
    }
    if let Some(label) = &step.label_node {
        let patch = json!({"metadata": {"labels": label.labels}});
        edit::<Node>(&Key::new("", label.name.clone()), api, &mut |node| {
            merge(node, &patch);
            Ok(())
        })?;
    }
    Ok(())
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

/// A node is lost with all that runs there.
pub(in crate::sim) fn remove_node(name: &str, api: &mut ApiServer) -> Outcome {
    let key = Key::new("", name);
    let deleted = api.delete::<Node>(&key);
    deleted.map_err(|error| error.to_string())?;
    let pods = api.store().pods.iter();
    let lost = pods.filter(|pod| pod_util::node_of(pod) == name);
    let lost: Vec<Key> = lost.map(|pod| Key::of(&pod.metadata)).collect();
    for key in lost {
        api.erase::<Pod>(&key);
    }
    Ok(())
}

/// The Pod that a step means.
fn find_pod(target: &PodTarget, names: &Names, api: &ApiServer) -> Outcome<Arc<Pod>> {
    let namespace = target.namespace.as_deref().unwrap_or("default");
    if let Some(name) = &target.name {
        let key = Key::new(namespace, names.real(name));
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
    // What only the API server writes.
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

fn exists<T: Stored>(key: &Key, api: &mut ApiServer) -> Outcome<bool> {
    Ok(T::table(api.store()).get(key).is_some())
}

fn delete<T: Served>(key: &Key, api: &mut ApiServer) -> Outcome {
    api.delete::<T>(key).map_err(|error| error.to_string())
}

/// Merges a patch into an object.
fn change(
    kind: Option<&String>,
    namespace: Option<&String>,
    name: &str,
    patch: &Value,
    api: &mut ApiServer,
) -> Outcome {
    let kind = kind_or_deployment(kind);
    let key = if kind == "Node" {
        Key::new("", name)
    } else {
        key(namespace, name)
    };
    for_kind!(
        kind,
        edit(&key, api, &mut |object| {
            merge(object, patch);
            Ok(())
        })
    )
}

fn set_entries<'a>(
    map: &mut BTreeMap<String, String>,
    entries: impl Iterator<Item = (&'a String, &'a Option<String>)>,
) {
    for (key, value) in entries {
        match value {
            Some(value) => drop(map.insert(key.clone(), value.clone())),
            None => drop(map.remove(key)),
        }
    }
}

fn kind_or_deployment(kind: Option<&String>) -> &str {
    kind.map_or("Deployment", String::as_str)
}

fn key(namespace: Option<&String>, name: &str) -> Key {
    Key::new(namespace.map_or("default", String::as_str), name)
}

/// The key of the object that a manifest describes.
fn key_of(manifest: &Value, kind: &str) -> Key {
    let text = |field: &str| {
        let value = manifest.get("metadata").and_then(|meta| meta.get(field));
        value
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let namespace = text("namespace").unwrap_or("default");
    let namespace = if kind == "Node" { "" } else { namespace };
    Key::new(namespace, text("name").unwrap_or_default())
}
