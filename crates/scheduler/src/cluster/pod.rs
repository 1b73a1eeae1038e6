//! Pods by index: what is specific to each Pod, and its class.

use std::collections::HashMap;
use std::sync::Arc;

use super::class::ClassIx;
use super::{NodeIx, PodIx};
use crate::pod_object::{DocumentIndex, PodObject};
use berth_base::index::IndexVec;

/// A Pod in the cluster.
#[derive(Clone, Debug)]
pub struct PodInfo {
    pub ix: PodIx,
    pub object: PodObject,
    pub class: ClassIx,
    /// The node it is placed on: `None` if it is pending, has finished, or names a node that does not exist.
    pub node: Option<NodeIx>,
}

impl PodInfo {
    /// `spec.priority`, 0 if absent.
    pub fn priority(&self) -> i32 {
        self.object.template.spec.priority.unwrap_or(0)
    }
}

/// All Pods; the index of a deleted Pod is never reused.
#[derive(Clone, Debug, Default)]
pub struct Pods {
    list: IndexVec<PodIx, Option<PodInfo>>,
    /// By namespace, then by name.
    by_name: HashMap<Arc<str>, HashMap<Arc<str>, PodIx>>,
}

impl Pods {
    /// The Pod, `None` if it was deleted.
    pub fn get(&self, pod: PodIx) -> Option<&PodInfo> {
        self.list.get(pod).and_then(Option::as_ref)
    }

    pub(super) fn get_mut(&mut self, pod: PodIx) -> Option<&mut PodInfo> {
        self.list.get_mut(pod).and_then(Option::as_mut)
    }

    /// The Pod of that namespace and name.
    pub fn find(&self, namespace: &str, name: &str) -> Option<&PodInfo> {
        let pod = self.by_name.get(namespace)?.get(name)?;
        self.get(*pod)
    }

    /// All Pods in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &PodInfo> {
        self.list.iter().flatten()
    }

    /// Sets the source document of every Pod. Scheduling does not depend on it.
    pub(super) fn set_documents(&mut self, of: &mut dyn FnMut(&PodObject) -> DocumentIndex) {
        for pod in self.list.iter_mut().flatten() {
            pod.object.document = of(&pod.object);
        }
    }

    pub(super) fn add(&mut self, object: PodObject, class: ClassIx) -> PodIx {
        let ix = self.list.next_index();
        let (namespace, name) = (Arc::clone(&object.namespace), Arc::clone(&object.name));
        self.by_name.entry(namespace).or_default().insert(name, ix);
        self.list.push(Some(PodInfo {
            ix,
            object,
            class,
            node: None,
        }))
    }

    pub(super) fn remove(&mut self, pod: PodIx) -> Option<PodInfo> {
        let info = self.list.get_mut(pod)?.take()?;
        let PodObject {
            namespace, name, ..
        } = &info.object;
        if let Some(named) = self.by_name.get_mut(namespace)
            && named.get(name) == Some(&pod)
        {
            named.remove(name);
        }
        Some(info)
    }
}
