//! The document of each Pod of a simulated cluster: its own, or that of the nearest owner that has one (Pod,
//! ReplicaSet, Deployment).

use std::collections::BTreeMap;
use std::rc::Rc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Simulated;
use berth_core::api::load::{Document, DocumentKey};
use berth_core::api::manifests::Manifests;
use berth_sim::snapshot::Snapshot;
use berth_sim::store::{Key, Store, controller_of};

/// No document.
pub const NONE: u32 = u32::MAX;

/// The longest chain of owners to follow.
const MAX_OWNERS: usize = 4;

type Documents<'a> = BTreeMap<DocumentKey<'a>, &'a Document>;

impl Simulated {
    /// The scheduler's view of the cluster, with every Pod's document in these manifests.
    pub fn with_sources(&self, manifests: &Manifests) -> &Snapshot {
        self.with_sources.get_or_init(|| {
            let documents = manifests.loaded.by_object();
            let store = self.cluster().api().store();
            // By the owner's uid: Pods of a ReplicaSet share a document.
            let mut known: BTreeMap<String, u32> = BTreeMap::new();
            let run = self.snapshot().with_documents(&mut |pod| {
                let key = Key::new(&*pod.namespace, &*pod.name);
                let Some(stored) = store.pods.get(&key) else {
                    return NONE;
                };
                if let Some(own) = documents.get(&("Pod", key.namespace(), key.name())) {
                    return own.index;
                }
                let Some(owner) = controller_of(&stored.metadata) else {
                    return NONE;
                };
                if let Some(document) = known.get(&owner.uid) {
                    return *document;
                }
                let document = of_owner(&stored.metadata, key.namespace(), &documents, store);
                let document = document.unwrap_or(NONE);
                known.insert(owner.uid.clone(), document);
                document
            });
            Rc::new(run)
        })
    }
}

/// The document of the nearest owner that has one.
fn of_owner(
    meta: &ObjectMeta,
    namespace: &str,
    documents: &Documents<'_>,
    store: &Store,
) -> Option<u32> {
    let mut owner = controller_of(meta)?.clone();
    for _ in 0..MAX_OWNERS {
        let name = (owner.kind.as_str(), namespace, owner.name.as_str());
        if let Some(document) = documents.get(&name) {
            return Some(document.index);
        }
        let object = store.get(&owner.kind, &Key::new(namespace, &owner.name))?;
        owner = controller_of(object.metadata())?.clone();
    }
    None
}
