//! Objects of the manifests that fixes refer to and change.

use serde::Serialize;
use serde_json::Value;

use crate::session::Session;
use berth_base::json;
use berth_core::api::load::Document;
use berth_core::api::object::Manifest;
use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_scheduler::cluster::pod::PodInfo;

use super::fields::{self, key};

/// An object that edits can refer to.
#[derive(Clone, Debug)]
pub struct Source {
    pub document: u32,
    pub object: ObjectRef,
    /// The object as written in its document.
    pub json: Value,
    /// The path to the Pod's fields: empty for a Pod, `spec.template` for most workloads.
    pub prefix: Vec<PathStep>,
}

impl Source {
    /// The object of a document; `None` if it has no name, or is of a kind that no fix changes.
    pub fn of(document: &Document) -> Option<Self> {
        let object = document.object.as_deref()?;
        let json = to_json(object)?;
        if document.name.is_empty() {
            return None;
        }
        let namespace = match object {
            Manifest::Node(_) => String::new(),
            _ => document.namespace.clone().unwrap_or("default".to_owned()),
        };
        let prefix: &[&str] = match object {
            Manifest::Node(_) | Manifest::Pod(_) => &[],
            Manifest::CronJob(_) => &["spec", "jobTemplate", "spec", "template"],
            _ => &["spec", "template"],
        };
        Some(Self {
            document: document.index,
            object: ObjectRef::new(&document.kind, namespace, &document.name),
            json,
            prefix: prefix.iter().map(|name| key(name)).collect(),
        })
    }

    /// The object of that document.
    pub fn at(session: &Session, document: u32) -> Option<Self> {
        let documents = &session.manifests().loaded.documents;
        Self::of(documents.get(usize::try_from(document).ok()?)?)
    }

    /// A Pod of a simulated cluster that is in no document: only nodes and other objects can be changed for it.
    pub fn unwritten(pod: &PodInfo) -> Self {
        Self {
            document: pod.object.document,
            object: ObjectRef::new("Pod", &*pod.object.namespace, &*pod.object.name),
            json: Value::Null,
            prefix: Vec::new(),
        }
    }

    /// The object of that name.
    pub fn find(session: &Session, wanted: &ObjectRef) -> Option<Self> {
        let named = session
            .manifests()
            .loaded
            .documents
            .iter()
            .filter(|document| document.kind == wanted.kind && document.name == wanted.name);
        named
            .filter_map(Self::of)
            .find(|source| source.object == *wanted)
    }

    /// Whether it is a workload and not a Pod.
    pub fn is_workload(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// A path in the Pod as a path in this object.
    pub fn path(&self, in_pod: &[PathStep]) -> Vec<PathStep> {
        let mut path = self.prefix.clone();
        path.extend_from_slice(in_pod);
        path
    }

    /// Removes a field of the Pod; `None` if the document does not contain it: defaults, admission and controllers add
    /// fields.
    pub fn remove(&self, in_pod: &[PathStep]) -> Option<Edit> {
        let path = self.path(in_pod);
        self.owns(in_pod)?;
        fields::get(&self.json, &path)?;
        Some(Edit::Remove {
            object: self.object.clone(),
            path,
        })
    }

    /// Sets a field of the Pod; `None` if the document does not contain the list item that the field belongs to.
    pub fn set(&self, in_pod: &[PathStep], value: Value) -> Option<Edit> {
        self.owns(in_pod)?;
        let path = self.path(in_pod);
        let last_item = path
            .iter()
            .rposition(|step| matches!(step, PathStep::Index(_)));
        fields::get(&self.json, path.get(..=last_item?)?)?;
        Some(Edit::Set {
            object: self.object.clone(),
            path,
            value,
        })
    }

    /// Appends to a list of the Pod.
    pub fn append(&self, in_pod: &[PathStep], value: Value) -> Edit {
        Edit::Append {
            object: self.object.clone(),
            path: self.path(in_pod),
            value,
        }
    }

    /// `None` for fields that the template does not determine: the DaemonSet controller replaces the required node
    /// affinity of its Pods.
    fn owns(&self, in_pod: &[PathStep]) -> Option<()> {
        let is_replaced = self.object.kind == "DaemonSet"
            && in_pod.get(..3) == Some(&[key("spec"), key("affinity"), key("nodeAffinity")]);
        (!is_replaced).then_some(())
    }
}

/// An object as JSON; `None` for kinds that no fix changes.
pub fn to_json(object: &Manifest) -> Option<Value> {
    fn value<T: Serialize>(object: &T) -> Option<Value> {
        Some(json::value(object))
    }
    match object {
        Manifest::Node(object) => value(object),
        Manifest::Pod(object) => value(object),
        Manifest::ReplicaSet(object) => value(object),
        Manifest::ReplicationController(object) => value(object),
        Manifest::StatefulSet(object) => value(object),
        Manifest::Deployment(object) => value(object),
        Manifest::DaemonSet(object) => value(object),
        Manifest::Job(object) => value(object),
        Manifest::CronJob(object) => value(object),
        Manifest::ResourceClaim(object) => value(object),
        Manifest::ResourceClaimTemplate(object) => value(object),
        _ => None,
    }
}
