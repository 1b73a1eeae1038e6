//! All objects of one kind, found by key, in order, or by their owners.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;

use berth_base::json;
use berth_scheduler::cluster::digest;

use super::{Key, controller_of, namespace_of, uid_of};

/// An index into the list of objects.
type Row = usize;

/// Some of the objects, by namespace and name.
type Rows = BTreeMap<Key, Row>;

/// All objects of one kind.
///
/// Optimized for updates, which are far more frequent than inserts and removals: an update is one lookup, and no index
/// changes.
#[derive(Clone, Debug)]
pub struct Table<T> {
    objects: Vec<Option<Slot<T>>>,
    /// Free rows, of removed objects.
    free: Vec<Row>,
    row_of: HashMap<Key, Row>,
    in_order: Rows,
    /// By the uid of the controller; objects without a controller are under the empty uid.
    by_controller: BTreeMap<String, Rows>,
    /// By the uid of each owner that is not the controller.
    by_other_owner: BTreeMap<String, Rows>,
}

/// An object with its digest.
#[derive(Clone, Debug)]
struct Slot<T> {
    object: Arc<T>,
    /// Computed when first needed.
    digest: Cell<Option<u64>>,
}

impl<T> Slot<T> {
    fn new(object: Arc<T>) -> Self {
        Slot {
            object,
            digest: Cell::new(None),
        }
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            objects: Vec::new(),
            free: Vec::new(),
            row_of: HashMap::new(),
            in_order: Rows::new(),
            by_controller: BTreeMap::new(),
            by_other_owner: BTreeMap::new(),
        }
    }
}

impl<T: Metadata<Ty = ObjectMeta>> Table<T> {
    pub fn get(&self, key: &Key) -> Option<&Arc<T>> {
        self.row_of.get(key).and_then(|row| self.at(*row))
    }

    fn at(&self, row: Row) -> Option<&Arc<T>> {
        self.slot(row).map(|slot| &slot.object)
    }

    fn slot(&self, row: Row) -> Option<&Slot<T>> {
        self.objects.get(row).and_then(Option::as_ref)
    }

    fn objects_at<'a>(
        &'a self,
        rows: impl IntoIterator<Item = &'a Row>,
    ) -> impl Iterator<Item = &'a Arc<T>> {
        rows.into_iter().filter_map(|row| self.at(*row))
    }

    /// The number of objects.
    pub fn count(&self) -> usize {
        self.row_of.len()
    }

    /// All objects, by namespace and name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.objects_at(self.in_order.values())
    }

    /// A hash of each object, by namespace and name. Views show one of the whole cluster after each step, which changes
    /// few objects: the others' hashes are remembered.
    pub fn digests(&self) -> impl Iterator<Item = u64>
    where
        T: Serialize,
    {
        let slots = self.in_order.values().filter_map(|row| self.slot(*row));
        slots.map(|slot| {
            let known = slot.digest.get();
            let digest = known.unwrap_or_else(|| digest::of_text(&json::text(&*slot.object)));
            slot.digest.set(Some(digest));
            digest
        })
    }

    /// The objects of a namespace, by name.
    pub fn of_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Arc<T>> {
        let rows = self
            .in_order
            .range(Key::new(namespace, "")..)
            .take_while(move |(key, _)| key.namespace() == namespace);
        self.objects_at(rows.map(|(_, row)| row))
    }

    /// The objects whose controller has this uid, by namespace and name.
    pub fn controlled_by(&self, uid: &str) -> impl Iterator<Item = &Arc<T>> {
        self.objects_at(
            self.by_controller
                .get(uid)
                .into_iter()
                .flat_map(Rows::values),
        )
    }

    /// The objects that have an owner of this uid, whether it is their controller or not.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = &Arc<T>> {
        let others = self.by_other_owner.get(uid).into_iter();
        self.controlled_by(uid)
            .chain(self.objects_at(others.flat_map(Rows::values)))
    }

    /// The objects of a namespace that this controller owns or may adopt (those without a controller), by name.
    pub fn claimable(&self, owner: &ObjectMeta) -> Vec<&Arc<T>> {
        let namespace = namespace_of(owner);
        let begin = Key::new(namespace, "");
        let mut orphans = self
            .by_controller
            .get("")
            .into_iter()
            .flat_map(|rows| rows.range(begin.clone()..))
            .take_while(|(key, _)| key.namespace() == namespace)
            .peekable();
        let uid = Some(uid_of(owner)).filter(|uid| !uid.is_empty());
        let own = uid.and_then(|uid| self.by_controller.get(uid));
        let mut found = Vec::with_capacity(own.map_or(0, Rows::len));
        for (key, row) in own.into_iter().flatten() {
            while let Some((_, orphan)) = orphans.next_if(|(orphan, _)| *orphan < key) {
                found.extend(self.at(*orphan));
            }
            found.extend(self.at(*row));
        }
        found.extend(self.objects_at(orphans.map(|(_, row)| row)));
        found
    }

    /// Inserts an object, or replaces the one with the same key.
    pub(crate) fn put(&mut self, key: &Key, object: Arc<T>) {
        let known = self.row_of.get(key).copied();
        let place = known.and_then(|row| self.objects.get_mut(row)?.as_mut());
        if let Some(place) = place
            && place.object.metadata().owner_references == object.metadata().owner_references
        {
            *place = Slot::new(object);
            return;
        }
        self.remove(key);
        let row = self.free.pop().unwrap_or(self.objects.len());
        if row == self.objects.len() {
            self.objects.push(None);
        }
        self.row_of.insert(key.clone(), row);
        self.in_order.insert(key.clone(), row);
        let meta = object.metadata();
        note(&mut self.by_controller, controller_uid(meta), key, row);
        for uid in other_owners(meta) {
            note(&mut self.by_other_owner, uid, key, row);
        }
        if let Some(place) = self.objects.get_mut(row) {
            *place = Some(Slot::new(object));
        }
    }

    pub(crate) fn remove(&mut self, key: &Key) -> Option<Arc<T>> {
        let row = self.row_of.remove(key)?;
        self.in_order.remove(key);
        self.free.push(row);
        let object = self.objects.get_mut(row)?.take()?.object;
        let meta = object.metadata();
        forget(&mut self.by_controller, controller_uid(meta), key);
        for uid in other_owners(meta) {
            forget(&mut self.by_other_owner, uid, key);
        }
        Some(object)
    }
}

fn note(index: &mut BTreeMap<String, Rows>, uid: &str, key: &Key, row: Row) {
    match index.get_mut(uid) {
        Some(rows) => rows,
        None => index.entry(uid.to_owned()).or_default(),
    }
    .insert(key.clone(), row);
}

fn forget(index: &mut BTreeMap<String, Rows>, uid: &str, key: &Key) {
    if let Some(rows) = index.get_mut(uid) {
        rows.remove(key);
        if rows.is_empty() {
            index.remove(uid);
        }
    }
}

/// The uids of the owners that are not the controller.
fn other_owners(meta: &ObjectMeta) -> impl Iterator<Item = &str> {
    let controller = controller_uid(meta);
    meta.owner_references
        .iter()
        .flatten()
        .map(|owner| owner.uid.as_str())
        .filter(move |uid| *uid != controller)
}

fn controller_uid(meta: &ObjectMeta) -> &str {
    controller_of(meta).map_or("", |owner| owner.uid.as_str())
}
