//! The steps of a script where a control plane lives.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::decode::Finding;
use crate::api::object::Manifest;
use crate::api::script::{Act, Verb};
use crate::sim::replay::store::{ObjectKey, key_of};
use crate::sim::server::ApiServer;
use crate::sim::store::{Key, Object as Stored};
use crate::sim::strategy::Served;
use crate::sim::timeline::script::Step;
use crate::sim::timeline::steps::{Outcome, remove_node};

use super::Life;

impl Life {
    /// Does one thing and says what it did; `None` if the API server refuses.
    pub(super) fn act(&mut self, act: &Act) -> Option<String> {
        let api = self.world.api_mut();
        let (text, done) = match &act.verb {
            Verb::Create(object) => {
                let text = format!("create {}", key_of(object)?.text());
                self.steps.note(object);
                let created = api.create_object(waiting(Stored::of_manifest(object)?));
                (text, created.map(drop).map_err(|error| error.to_string()))
            }
            Verb::Update(object) => {
                let key = key_of(object)?;
                match update(object, api) {
                    Some(done) => (format!("update {}", key.text()), done),
                    None => return Some(format!("absent {}", key.text())),
                }
            }
            Verb::Delete(target) => {
                let key = ObjectKey::new(&target.kind, &target.namespace, &target.name);
                if !delete(&key, api) {
                    return Some(format!("absent {}", key.text()));
                }
                (format!("delete {}", key.text()), Ok(()))
            }
        };
        match done {
            Ok(()) => Some(text),
            Err(message) => {
                self.refused.push(Finding::error(&*act.path, message));
                None
            }
        }
    }

    /// Does what people do to workloads, nodes and Pods, and says it.
    pub(super) fn act_on_workloads(&mut self, number: usize, step: &(String, Step)) -> Vec<String> {
        let (text, step) = step;
        let (names, api) = self.world.parts();
        match self.steps.act(step, names, api) {
            Ok(said) => [text.clone()].into_iter().chain(said).collect(),
            Err(message) => {
                let finding = Finding::error(format!("steps[{number}]"), message);
                self.refused.push(finding);
                Vec::new()
            }
        }
    }
}

/// A new Pod waits.
fn waiting(object: Stored) -> Stored {
    match object {
        Stored::Pod(pod) => {
            let mut pod = Arc::unwrap_or_clone(pod);
            pod.status = Some(PodStatus {
                phase: Some("Pending".to_owned()),
                ..PodStatus::default()
            });
            Stored::Pod(Arc::new(pod))
        }
        other => other,
    }
}

/// Makes the object that exists what its author says now; `None` if there is none.
fn update(object: &Manifest, api: &mut ApiServer) -> Option<Outcome> {
    macro_rules! replace_one {
        ($($variant:ident)*) => {
            match object {
                $(Manifest::$variant(it) => replace(&**it, api),)*
                Manifest::Node(node) => {
                    let done = replace(&**node, api)?;
                    let key = Key::of(&node.metadata);
                    let mut written = (**api.store().nodes.get(&key)?).clone();
                    written.status.clone_from(&node.status);
                    let status = api.update_status(&written);
                    Some(done.and_then(|()| status.map(drop).map_err(|error| error.to_string())))
                }
                Manifest::Pod(pod) => update_pod(pod, api),
                Manifest::PersistentVolume(volume) => update_volume(volume, api),
                Manifest::PersistentVolumeClaim(claim) => update_claim(claim, api),
                Manifest::SchedulerConfiguration(_) | Manifest::Scenario(_) | Manifest::Script(_) => None,
            }
        };
    }
    replace_one!(
        Deployment ReplicaSet StatefulSet DaemonSet Job CronJob Namespace PriorityClass
        PodDisruptionBudget Service ReplicationController StorageClass CSINode CSIDriver LimitRange
        ResourceQuota ControllerRevision ConfigMap Secret Endpoints EndpointSlice
        HorizontalPodAutoscaler
    )
}

/// A volume keeps its claim.
fn update_volume(volume: &PersistentVolume, api: &mut ApiServer) -> Option<Outcome> {
    let current = api.store().volumes.get(&in_namespace(volume))?;
    let claim = current.spec.as_ref().and_then(|it| it.claim_ref.clone());
    let mut new = volume.clone();
    new.spec.get_or_insert_default().claim_ref = claim;
    replace(&new, api)
}

/// A claim keeps its volume.
fn update_claim(claim: &PersistentVolumeClaim, api: &mut ApiServer) -> Option<Outcome> {
    let current = api.store().claims.get(&in_namespace(claim))?;
    let volume = current.spec.as_ref().and_then(|it| it.volume_name.clone());
    let mut new = claim.clone();
    new.spec.get_or_insert_default().volume_name = volume;
    replace(&new, api)
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

fn replace<T: Served>(object: &T, api: &mut ApiServer) -> Option<Outcome> {
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
fn in_namespace<T: Served>(object: &T) -> Key {
    let key = Key::of(object.metadata());
    if !T::NAMESPACED {
        Key::new("", key.name())
    } else if key.namespace().is_empty() {
        Key::new("default", key.name())
    } else {
        key
    }
}

/// Asks for an object's end; `false` if there is none. A node takes its Pods along.
fn delete(key: &ObjectKey, api: &mut ApiServer) -> bool {
    let name = Key::new(&*key.namespace, &*key.name);
    match key.kind.as_str() {
        "Node" => remove_node(&key.name, api).is_ok(),
        kind => api.delete_object(kind, &name).is_ok(),
    }
}
