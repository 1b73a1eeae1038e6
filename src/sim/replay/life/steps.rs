//! The steps of a script where controllers live: the API server's objects are written there, all others as
//! in a replay without controllers.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::decode::Finding;
use crate::api::object::Object;
use crate::api::script::{Act, Verb};
use crate::sim::replay::store::{ObjectKey, key_of};
use crate::sim::server::ApiServer;
use crate::sim::store::{Key, Stored};
use crate::sim::timeline::script::Step;
use crate::sim::timeline::steps::{Outcome, remove_node};

use super::Life;

/// Whether the API server holds such objects. (It has claims as well, but only to know of them.)
pub(super) fn is_served(object: &Object) -> bool {
    key_of(object).is_some_and(|key| is_served_kind(&key.kind))
}

fn is_served_kind(kind: &str) -> bool {
    matches!(
        kind,
        "Node"
            | "Pod"
            | "Deployment"
            | "ReplicaSet"
            | "StatefulSet"
            | "DaemonSet"
            | "Job"
            | "CronJob"
    )
}

impl Life {
    /// Does one thing and says what it did; `None` if the API server refuses.
    pub(super) fn act(&mut self, act: &Act) -> Option<String> {
        let api = &mut self.plane.api;
        let (text, done) = match &act.verb {
            Verb::Create(object) if is_served(object) => {
                let text = format!("create {}", key_of(object)?.text());
                (text, self.steps.create(object, api))
            }
            Verb::Update(object) if is_served(object) => {
                let key = key_of(object)?;
                match update(object, api) {
                    Some(done) => (format!("update {}", key.text()), done),
                    None => return Some(format!("absent {}", key.text())),
                }
            }
            Verb::Delete(target) if is_served_kind(&target.kind) => {
                let key = ObjectKey::new(&target.kind, &target.namespace, &target.name);
                if !delete(&key, api) {
                    return Some(format!("absent {}", key.text()));
                }
                (format!("delete {}", key.text()), Ok(()))
            }
            _ => {
                let text = self.world.replay.act(act);
                api.set_policies(self.world.replay.store.policies());
                return text;
            }
        };
        match done {
            Ok(()) => Some(text),
            Err(message) => {
                let finding = Finding::error(&*act.path, message);
                self.world.replay.refused.push(finding);
                None
            }
        }
    }

    /// Does what people do to workloads, nodes and Pods, and says it.
    pub(super) fn act_on_workloads(&mut self, number: usize, step: &(String, Step)) -> Vec<String> {
        let (text, step) = step;
        let names = &self.world.fates.names;
        match self.steps.act(step, names, &mut self.plane.api) {
            Ok(said) => [text.clone()].into_iter().chain(said).collect(),
            Err(message) => {
                let finding = Finding::error(format!("steps[{number}]"), message);
                self.world.replay.refused.push(finding);
                Vec::new()
            }
        }
    }
}

/// Makes the object that exists what its author says now; `None` if there is none.
fn update(object: &Object, api: &mut ApiServer) -> Option<Outcome> {
    match object {
        Object::Node(node) => {
            let done = replace(&**node, api)?;
            let key = Key::of(&node.metadata);
            let mut written = (**api.store().nodes.get(&key)?).clone();
            written.status.clone_from(&node.status);
            let status = api.update_status(&written);
            Some(done.and_then(|()| status.map(drop).map_err(|error| error.to_string())))
        }
        Object::Pod(pod) => update_pod(pod, api),
        Object::Deployment(it) => replace(&**it, api),
        Object::ReplicaSet(it) => replace(&**it, api),
        Object::StatefulSet(it) => replace(&**it, api),
        Object::DaemonSet(it) => replace(&**it, api),
        Object::Job(it) => replace(&**it, api),
        Object::CronJob(it) => replace(&**it, api),
        _ => None,
    }
}

/// A Pod keeps its node.
fn update_pod(pod: &Pod, api: &mut ApiServer) -> Option<Outcome> {
    let current = api.store().pods.get(&in_namespace::<Pod>(pod))?.clone();
    let mut asked = pod.clone();
    asked.metadata = kept(&current.metadata, &pod.metadata);
    // Admission is for new objects.
    asked.metadata.uid = None;
    asked.metadata.resource_version = None;
    let mut admitted = match api.admit(asked) {
        Ok(admitted) => admitted,
        Err(error) => return Some(Err(error.to_string())),
    };
    let node = current
        .spec
        .as_ref()
        .and_then(|spec| spec.node_name.clone());
    admitted.spec.get_or_insert_default().node_name = node;
    replace(&admitted, api)
}

fn replace<T: Stored>(object: &T, api: &mut ApiServer) -> Option<Outcome> {
    let current = T::table(api.store()).get(&in_namespace(object))?;
    let mut new = object.clone();
    *new.metadata_mut() = kept(current.metadata(), object.metadata());
    let updated = api.update(new);
    Some(updated.map(drop).map_err(|error| error.to_string()))
}

/// What the author may change, and all else as it is.
fn kept(current: &ObjectMeta, asked: &ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        labels: asked.labels.clone(),
        annotations: asked.annotations.clone(),
        ..current.clone()
    }
}

/// The key of an object as its author gave it.
fn in_namespace<T: Stored>(object: &T) -> Key {
    let mut key = Key::of(object.metadata());
    if !T::NAMESPACED {
        key.namespace.clear();
    } else if key.namespace.is_empty() {
        key.namespace = "default".to_owned();
    }
    key
}

/// Asks for an object's end; `false` if there is none. A node takes its Pods along.
fn delete(key: &ObjectKey, api: &mut ApiServer) -> bool {
    let name = Key::new(&*key.namespace, &*key.name);
    match key.kind.as_str() {
        "Node" => remove_node(&key.name, api).is_ok(),
        "Pod" => api.delete::<Pod>(&name).is_ok(),
        "Deployment" => api.delete::<Deployment>(&name).is_ok(),
        "ReplicaSet" => api.delete::<ReplicaSet>(&name).is_ok(),
        "StatefulSet" => api.delete::<StatefulSet>(&name).is_ok(),
        "DaemonSet" => api.delete::<DaemonSet>(&name).is_ok(),
        "Job" => api.delete::<Job>(&name).is_ok(),
        "CronJob" => api.delete::<CronJob>(&name).is_ok(),
        _ => false,
    }
}
