//! The manifests of a cluster without an API server: what exists, and what admission reads.

use std::collections::BTreeMap;

use crate::replay::key::ObjectKey;
use berth_base::sort;
use berth_core::api::object::Manifest;

/// All objects by key.
#[derive(Clone, Debug, Default)]
pub struct Store {
    objects: BTreeMap<ObjectKey, (u64, Manifest)>,
    /// Sequence number of the last object created.
    next: u64,
}

impl Store {
    /// Adds an object, or replaces it in its place.
    pub fn set(&mut self, key: ObjectKey, object: Manifest) {
        let known = self.objects.get(&key).map(|(sequence, _)| *sequence);
        let sequence = known.unwrap_or_else(|| {
            self.next += 1;
            self.next
        });
        self.objects.insert(key, (sequence, object));
    }

    /// Removes an object, if it exists.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.objects.remove(key);
    }

    /// Whether it exists.
    pub fn contains(&self, key: &ObjectKey) -> bool {
        self.objects.contains_key(key)
    }

    /// Namespaces and names of one kind, in order of creation.
    pub fn names_of(&self, kind: &str) -> Vec<(&str, &str)> {
        let mut found: Vec<(u64, &ObjectKey)> = self
            .of_kind(kind)
            .map(|(key, (sequence, _))| (*sequence, key))
            .collect();
        sort::sort_by_key(&mut found, |(sequence, _)| *sequence);
        found
            .iter()
            .map(|(_, key)| (key.namespace.as_str(), key.name.as_str()))
            .collect()
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = (&ObjectKey, &(u64, Manifest))> {
        let first = ObjectKey {
            kind: kind.to_owned(),
            namespace: String::new(),
            name: String::new(),
        };
        let kind = kind.to_owned();
        self.objects
            .range(first..)
            .take_while(move |(key, _)| key.kind == kind)
    }

    /// The objects that admission reads for this object, without the object itself.
    pub fn asked_about(&self, key: &ObjectKey) -> Vec<&Manifest> {
        let mut kinds = Vec::new();
        match key.kind.as_str() {
            "Pod" => {
                kinds.extend(["PriorityClass", "LimitRange", "ResourceQuota"]);
                // Only quotas read the other Pods.
                if self.of_kind("ResourceQuota").next().is_some() {
                    kinds.push("Pod");
                }
            }
            "PersistentVolumeClaim" => kinds.push("StorageClass"),
            _ => {}
        }
        let mut asked: Vec<(u64, &Manifest)> = Vec::new();
        for kind in kinds {
            let others = self.of_kind(kind).filter(|(other, _)| *other != key);
            asked.extend(others.map(|(_, (sequence, object))| (*sequence, object)));
        }
        sort::sort_by_key(&mut asked, |(sequence, _)| *sequence);
        asked.into_iter().map(|(_, object)| object).collect()
    }
}
