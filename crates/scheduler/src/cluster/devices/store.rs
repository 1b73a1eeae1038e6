//! The objects of dynamic resource allocation, with the devices in use.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use k8s_openapi::api::resource::v1::{Device, DeviceClass, ResourceClaim, ResourceSlice};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as WrittenQuantity;

use super::allocation_of;
use super::capacity::Consumed;
use super::pools::Gathered;
use super::selectors::Selectors;
use super::verdicts::{Changes, SpecsIx, Verdicts};
use crate::cel::DeviceValue;
use crate::cluster::NodeIx;
use crate::selector::compiled::NodeTerms;
use berth_base::quantity::Quantity;

/// The prefix of the extended resource that a class serves by its own name.
pub const OF_CLASS: &str = "deviceclass.resource.kubernetes.io/";

/// A device by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceId {
    pub driver: Arc<str>,
    pub pool: Arc<str>,
    pub device: Arc<str>,
}

impl std::fmt::Display for DeviceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.driver, self.pool, self.device)
    }
}

/// A device, dense and stable: an index into tables by device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceIx(pub u32);

/// A slice with what is derived from it.
#[derive(Clone, Debug)]
pub struct SliceInfo {
    pub object: Arc<ResourceSlice>,
    /// In the order of `spec.devices`.
    pub devices: Vec<DeviceIx>,
    /// What expressions see of each device, computed when first needed.
    values: Vec<OnceLock<DeviceValue>>,
    /// `spec.nodeSelector`.
    pub terms: Option<NodeTerms>,
    /// Changes with every version of the slice.
    pub version: u64,
}

impl SliceInfo {
    /// The devices, as published.
    pub fn published(&self) -> &[Device] {
        self.object.spec.devices.as_deref().unwrap_or_default()
    }

    /// What expressions see of a device.
    pub fn value(&self, index: usize) -> Option<&DeviceValue> {
        let device = self.published().get(index)?;
        let cell = self.values.get(index)?;
        Some(cell.get_or_init(|| DeviceValue::new(&self.object.spec.driver, device)))
    }
}

/// Which nodes may see a device. Slices of several nodes may publish a device of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Home {
    Unpublished,
    Node(Arc<str>),
    Anywhere,
}

impl Home {
    /// A slice publishes the device, for one node or for several.
    fn publish(&mut self, node: Option<&Arc<str>>) {
        *self = match (&*self, node) {
            (Home::Unpublished, Some(node)) => Home::Node(Arc::clone(node)),
            (Home::Node(known), Some(node)) if known == node => return,
            _ => Home::Anywhere,
        };
    }
}

/// A part of a device's capacity that a claim has.
#[derive(Clone, Debug)]
struct Share {
    /// Distinguishes the allocations of one device.
    id: String,
    consumed: Consumed,
}

/// Claims, classes, slices, and the devices in use.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    claims: BTreeMap<(String, String), Arc<ResourceClaim>>,
    classes: BTreeMap<String, Arc<DeviceClass>>,
    slices: BTreeMap<String, Arc<SliceInfo>>,
    /// Slices of one node, by its name, in the order of their names.
    local: BTreeMap<String, Vec<Arc<SliceInfo>>>,
    /// All other slices, in the order of their names.
    shared: Vec<Arc<SliceInfo>>,
    ids: BTreeMap<DeviceId, DeviceIx>,
    /// By device: whether an allocation holds it without admin access. As upstream, this is a set: of two claims
    /// with the same device, the first that is deallocated frees it.
    held: Vec<bool>,
    /// By device that is allocated several times: the claims, and what each consumes.
    shares: BTreeMap<DeviceIx, Vec<Share>>,
    /// By device: which nodes may see it.
    homes: Vec<Home>,
    changes: Changes,
    /// Compiled expressions and their results.
    pub selectors: Selectors,
    /// Remembered results of searches.
    pub verdicts: Verdicts,
    pub(super) gathered: Gathered,
    versions: u64,
}

impl Devices {
    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.classes.is_empty() && self.slices.is_empty()
    }

    /// The claim of that name in a namespace.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&Arc<ResourceClaim>> {
        self.claims.get(&(namespace.to_owned(), name.to_owned()))
    }

    /// All claims, ordered by namespace and name.
    pub fn claims(&self) -> impl Iterator<Item = &Arc<ResourceClaim>> {
        self.claims.values()
    }

    /// A class.
    pub fn class(&self, name: &str) -> Option<&Arc<DeviceClass>> {
        self.classes.get(name)
    }

    /// The class that serves an extended resource: the newest, if there are several.
    pub fn class_of_resource(&self, resource: &str) -> Option<&str> {
        if let Some(name) = resource.strip_prefix(OF_CLASS) {
            return self
                .classes
                .get_key_value(name)
                .map(|(name, _)| name.as_str());
        }
        let named = self
            .classes
            .iter()
            .filter(|(_, it)| it.spec.extended_resource_name.as_deref() == Some(resource));
        // Of equally old ones the first by name wins.
        let newest = named.rev().max_by_key(|(_, class)| {
            let created = class.metadata.creation_timestamp.as_ref();
            created.map(|it| it.0.as_millisecond())
        });
        newest.map(|(name, _)| name.as_str())
    }

    /// All slices, ordered by name.
    pub fn slices(&self) -> impl Iterator<Item = &Arc<SliceInfo>> {
        self.slices.values()
    }

    /// A slice.
    pub fn slice(&self, name: &str) -> Option<&Arc<SliceInfo>> {
        self.slices.get(name)
    }

    /// The slices that may belong to a node, in the order of their names.
    pub fn slices_near(&self, node: &str) -> impl Iterator<Item = &Arc<SliceInfo>> {
        let local = self.local.get(node).map_or(&[][..], Vec::as_slice);
        let mut all: Vec<&Arc<SliceInfo>> = local.iter().chain(&self.shared).collect();
        if !local.is_empty() && !self.shared.is_empty() {
            all.sort_by(|a, b| name_of(a).cmp(name_of(b)));
        }
        all.into_iter()
    }

    /// The index of the specs of claims, for their verdicts on nodes: only those remain that no change concerns.
    /// `node_version` changes with any node, and `find` finds one by its name. It is valid until the next call.
    pub fn verdicts_of(
        &self,
        specs: String,
        node_version: u64,
        find: &dyn Fn(&str) -> Option<NodeIx>,
    ) -> SpecsIx {
        let changes = &self.changes;
        self.verdicts.of_specs(specs, changes, node_version, find)
    }

    /// Whether an allocation holds the device.
    pub fn is_held(&self, device: DeviceIx) -> bool {
        self.held.get(device.0 as usize).copied().unwrap_or(false)
    }

    /// Whether any allocation has the device or a share of it.
    pub fn is_allocated(&self, device: DeviceIx) -> bool {
        self.is_held(device) || self.shares.contains_key(&device)
    }

    /// What the allocations of a device consume of its capacity.
    pub fn consumed(&self, device: DeviceIx) -> Consumed {
        let mut sum = Consumed::new();
        for (name, amount) in self
            .shares
            .get(&device)
            .into_iter()
            .flatten()
            .flat_map(|it| &it.consumed)
        {
            let known = sum.entry(name.clone()).or_default();
            *known = known.add(*amount);
        }
        sum
    }

    /// Sets a claim.
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub fn set_claim(&mut self, claim: Arc<ResourceClaim>) {
        let key = crate::cluster::object_key(&claim.metadata);
        let old = self.claims.insert(key, Arc::clone(&claim));
        let was_allocated = old.as_ref().is_some_and(|old| allocation_of(old).is_some());
        match (was_allocated, allocation_of(&claim).is_some()) {
            // The devices of an allocation never change.
            (true, true) | (false, false) => {}
            (false, true) => self.hold(&claim, true),
            (true, false) => {
                if let Some(old) = old {
                    self.hold(&old, false);
                }
            }
        }
    }

    /// Removes a claim.
    pub fn remove_claim(&mut self, key: &(String, String)) {
        if let Some(old) = self.claims.remove(key) {
            self.hold(&old, false);
        }
    }

    /// Sets a class.
    pub fn set_class(&mut self, class: Arc<DeviceClass>) {
        let name = class.metadata.name.clone().unwrap_or_default();
        self.changes.everywhere();
        self.classes.insert(name, class);
    }

    /// Removes a class.
    pub fn remove_class(&mut self, name: &str) {
        self.changes.everywhere();
        self.classes.remove(name);
    }

    /// Sets a slice.
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub fn set_slice(&mut self, slice: Arc<ResourceSlice>) {
        let name = slice.metadata.name.clone().unwrap_or_default();
        self.versions += 1;
        let spec = &slice.spec;
        let (driver, pool): (Arc<str>, Arc<str>) =
            (Arc::from(&*spec.driver), Arc::from(&*spec.pool.name));
        let published = spec.devices.as_deref().unwrap_or_default();
        let devices: Vec<DeviceIx> = published
            .iter()
            .map(|device| {
                self.intern(DeviceId {
                    driver: Arc::clone(&driver),
                    pool: Arc::clone(&pool),
                    device: Arc::from(&*device.name),
                })
            })
            .collect();
        let info = SliceInfo {
            values: published.iter().map(|_| OnceLock::new()).collect(),
            terms: spec.node_selector.as_ref().map(NodeTerms::new),
            devices,
            version: self.versions,
            object: slice,
        };
        let home = local_node(&info.object);
        for (&device, published) in info.devices.iter().zip(info.published()) {
            // Counters may be shared with devices of other nodes.
            let has_counters = published.consumes_counters.is_some();
            let home = home.as_ref().filter(|_| !has_counters);
            if let Some(slot) = self.homes.get_mut(device.0 as usize) {
                slot.publish(home);
            }
        }
        self.remove_slice(&name);
        let info = Arc::new(info);
        let near = match home {
            Some(node) => self.local.entry(node.to_string()).or_default(),
            None => &mut self.shared,
        };
        let position = near.partition_point(|it| *name_of(it) < *name);
        near.insert(position, Arc::clone(&info));
        self.slices.insert(name, info);
    }

    /// Removes a slice.
    pub fn remove_slice(&mut self, name: &str) {
        self.changes.everywhere();
        self.gathered.clear();
        let Some(old) = self.slices.remove(name) else {
            return;
        };
        let near = match local_node(&old.object) {
            Some(node) => self.local.get_mut(&*node),
            None => Some(&mut self.shared),
        };
        if let Some(near) = near {
            near.retain(|it| !Arc::ptr_eq(it, &old));
        }
    }

    fn intern(&mut self, id: DeviceId) -> DeviceIx {
        if let Some(known) = self.ids.get(&id) {
            return *known;
        }
        let next = DeviceIx(u32::try_from(self.held.len()).unwrap_or(u32::MAX));
        self.held.push(false);
        self.homes.push(Home::Unpublished);
        self.ids.insert(id, next);
        next
    }

    /// Takes, or frees, the devices of a claim's allocation.
    fn hold(&mut self, claim: &ResourceClaim, held: bool) {
        let Some(allocation) = allocation_of(claim) else {
            return;
        };
        let results = allocation.devices.iter().flat_map(|it| &it.results);
        for result in results.flatten() {
            if result.admin_access.unwrap_or(false) {
                continue;
            }
            let device = self.intern(DeviceId {
                driver: Arc::from(&*result.driver),
                pool: Arc::from(&*result.pool),
                device: Arc::from(&*result.device),
            });
            match &result.share_id {
                Some(id) => self.share(device, id, result.consumed_capacity.as_ref(), held),
                None => {
                    if let Some(slot) = self.held.get_mut(device.0 as usize) {
                        *slot = held;
                    }
                }
            }
            match self.homes.get(device.0 as usize) {
                Some(Home::Node(node)) => self.changes.on(node),
                _ => self.changes.everywhere(),
            }
        }
    }
}

impl Devices {
    /// Notes a share of a device, or removes it.
    fn share(
        &mut self,
        device: DeviceIx,
        id: &str,
        consumed: Option<&BTreeMap<String, WrittenQuantity>>,
        held: bool,
    ) {
        let shares = self.shares.entry(device).or_default();
        shares.retain(|share| share.id != id);
        if held {
            let consumed = consumed
                .into_iter()
                .flatten()
                .filter_map(|(name, it)| Some((name.clone(), Quantity::parse(&it.0).ok()?)));
            shares.push(Share {
                id: id.to_owned(),
                consumed: consumed.collect(),
            });
        }
        if shares.is_empty() {
            self.shares.remove(&device);
        }
    }
}

/// The node that a slice is bound to.
fn local_node(slice: &ResourceSlice) -> Option<Arc<str>> {
    // Devices of other nodes may share its counters.
    if slice
        .spec
        .shared_counters
        .as_ref()
        .is_some_and(|it| !it.is_empty())
    {
        return None;
    }
    let name = slice.spec.node_name.as_deref()?;
    (!name.is_empty()).then(|| Arc::from(name))
}

fn name_of(slice: &SliceInfo) -> &str {
    slice.object.metadata.name.as_deref().unwrap_or_default()
}
