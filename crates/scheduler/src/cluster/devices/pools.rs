//! The pools of devices that a node sees (`GatherPools`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::{CounterSet, DeviceClass};

use super::store::{Devices, SliceInfo};
use crate::cluster::node::NodeInfo;
use crate::selector::compiled::NodeTerms;

/// A slice of a pool.
pub type SliceRef = Arc<SliceInfo>;

/// The slices of a pool's newest generation that a node sees.
#[derive(Clone, Debug)]
pub struct Pool {
    pub driver: Arc<str>,
    pub name: Arc<str>,
    /// In the order of their names.
    pub slices: Vec<SliceRef>,
    /// Whether there are more or fewer slices than announced.
    pub is_incomplete: bool,
    /// Why the pool is invalid.
    pub invalid: Option<String>,
    /// Whether a device has conditions to fulfil before a Pod is bound.
    pub has_conditions: bool,
}

impl Pool {
    /// Whether devices may be allocated from it.
    pub fn is_usable(&self) -> bool {
        !self.is_incomplete && self.invalid.is_none()
    }
}

/// How pools are gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gathering {
    /// Slices with shared counters or devices on nodes of their own are read.
    pub partitionable: bool,
    /// If the slices that the node sees are too few, all slices count for generation and completeness.
    pub whole_pools: bool,
}

/// Pools gathered before, by the versions of the slices that a node sees: nodes that see the same slices share them.
/// Any change of a slice clears them. A clone begins empty. Boxed, so that clusters without devices drop nothing.
#[derive(Debug, Default)]
pub struct Gathered(RefCell<Option<Box<KnownPools>>>);

type KnownPools = BTreeMap<(Gathering, Vec<u64>), Arc<[Pool]>>;

impl Clone for Gathered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Gathered {
    /// Forgets all pools.
    pub fn clear(&mut self) {
        self.0 = RefCell::default();
    }
}

/// The number of different sets of slices after which gathered pools are forgotten.
const MOST_GATHERED: usize = 20_000;

/// The pools of a node, ordered by driver and name.
pub fn gather(devices: &Devices, node: &NodeInfo, how: Gathering) -> Arc<[Pool]> {
    let slices = devices.slices_near(&node.name);
    let visible: Vec<&Arc<SliceInfo>> = slices.filter(|slice| sees(slice, node, how)).collect();
    let key = (how, visible.iter().map(|slice| slice.version).collect());
    let mut gathered = devices.gathered.0.borrow_mut();
    let gathered = gathered.get_or_insert_default();
    if let Some(known) = gathered.get(&key) {
        return Arc::clone(known);
    }
    if gathered.len() >= MOST_GATHERED {
        gathered.clear();
    }
    let pools: Arc<[Pool]> = pools_of(devices, &visible, how).into();
    gathered.insert(key, Arc::clone(&pools));
    pools
}

fn pools_of(devices: &Devices, visible: &[&Arc<SliceInfo>], how: Gathering) -> Vec<Pool> {
    let mut pools: BTreeMap<(&str, &str), Vec<&Arc<SliceInfo>>> = BTreeMap::new();
    for slice in visible {
        let spec = &slice.object.spec;
        let key = (&*spec.driver, &*spec.pool.name);
        pools.entry(key).or_default().push(slice);
    }
    let made = pools.into_iter().filter_map(|(key, visible)| {
        let generations = visible
            .iter()
            .map(|slice| slice.object.spec.pool.generation);
        let newest = generations.max()?;
        let slices: Vec<SliceRef> = visible
            .into_iter()
            .filter(|slice| slice.object.spec.pool.generation == newest)
            .map(Arc::clone)
            .collect();
        let announced = slices.first()?.object.spec.pool.resource_slice_count;
        let is_whole = |count: usize| i64::try_from(count) == Ok(announced);
        let mut is_complete = is_whole(slices.len());
        let mut elsewhere = Vec::new();
        if !is_complete && how.whole_pools {
            let all = slices_of(devices, key, newest)?;
            is_complete = is_whole(all.len());
            elsewhere = all;
        }
        let wrong_counters = || wrong_counters(&slices, &elsewhere).filter(|_| how.partitionable);
        let mut pool = Pool {
            driver: Arc::from(key.0),
            name: Arc::from(key.1),
            is_incomplete: !is_complete,
            invalid: duplicate(&slices).or_else(wrong_counters),
            has_conditions: false,
            slices,
        };
        pool.has_conditions = pool.is_usable() && pool.slices.iter().any(has_conditions);
        Some(pool)
    });
    made.collect()
}

/// A pool's slices of a generation, wherever they are; `None` if there is a newer generation.
fn slices_of<'a>(
    devices: &'a Devices,
    pool: (&str, &str),
    generation: i64,
) -> Option<Vec<&'a SliceRef>> {
    let of_pool = devices.slices().filter(|slice| {
        let spec = &slice.object.spec;
        (&*spec.driver, &*spec.pool.name) == pool
    });
    let mut found = Vec::new();
    for slice in of_pool {
        let other = slice.object.spec.pool.generation;
        if other > generation {
            return None;
        }
        if other == generation {
            found.push(slice);
        }
    }
    Some(found)
}

/// What is wrong with the counters that the pool's devices share: sets of one name, or a device that consumes what there
/// is not. `elsewhere`: all slices of the pool, if the node sees only some of them.
fn wrong_counters(slices: &[SliceRef], elsewhere: &[&SliceRef]) -> Option<String> {
    let mut sets: BTreeMap<&str, &CounterSet> = BTreeMap::new();
    for set in slices
        .iter()
        .flat_map(|slice| slice.object.spec.shared_counters.iter().flatten())
    {
        if sets.insert(&set.name, set).is_some() {
            return Some(format!("duplicate counter set name {}", set.name));
        }
    }
    let all = slices.iter().chain(elsewhere.iter().copied());
    let mut consumed = all
        .flat_map(|slice| slice.published())
        .flat_map(|device| device.consumes_counters.iter().flatten());
    consumed.find_map(|consumed| {
        let name = &consumed.counter_set;
        let Some(set) = sets.get(&**name) else {
            return Some(format!("counter set {name} not found"));
        };
        let mut counters = consumed.counters.keys();
        let unknown = counters.find(|counter| !set.counters.contains_key(*counter))?;
        Some(format!("counter {unknown} not found in counter set {name}"))
    })
}

fn has_conditions(slice: &SliceRef) -> bool {
    let mut devices = slice.published().iter();
    devices.any(|device| device.binding_conditions.iter().flatten().next().is_some())
}

fn sees(slice: &SliceInfo, node: &NodeInfo, how: Gathering) -> bool {
    let spec = &slice.object.spec;
    let per_device = spec.per_device_node_selection.unwrap_or(false);
    let has_counters = spec
        .shared_counters
        .as_ref()
        .is_some_and(|it| !it.is_empty());
    if !how.partitionable && (per_device || has_counters) {
        return false;
    }
    // The devices of the pool need them, wherever they are.
    if has_counters {
        return true;
    }
    if let Some(name) = spec.node_name.as_deref().filter(|name| !name.is_empty()) {
        return name == &*node.name;
    }
    if spec.all_nodes.unwrap_or(false) {
        return true;
    }
    if let Some(terms) = &slice.terms {
        return terms.matches(&node.labels, &node.name);
    }
    per_device
        && (slice.published().is_empty()
            || (0..slice.devices.len()).any(|device| device_is_on(slice, device, node)))
}

/// The devices of a class on a node, allocated and in all (`calculateDRAResourceTotals`). None if a selector fails.
pub fn count_devices(devices: &Devices, node: &NodeInfo, class: &DeviceClass) -> (i64, i64) {
    let how = Gathering {
        partitionable: true,
        ..Gathering::default()
    };
    let selectors = class.spec.selectors.iter().flatten();
    let selectors: Vec<_> = selectors
        .filter_map(|it| Some(devices.selectors.of(&it.cel.as_ref()?.expression)))
        .collect();
    let (mut allocated, mut all) = (0, 0);
    for slice in devices
        .slices_near(&node.name)
        .filter(|slice| sees(slice, node, how))
    {
        let per_device = slice.object.spec.per_device_node_selection.unwrap_or(false);
        for (place, ix) in slice.devices.iter().enumerate() {
            if per_device && !device_is_on(slice, place, node) {
                continue;
            }
            let mut matches = selectors.iter().map(|it| it.matches(slice, place));
            match matches.try_fold(true, |all, it| it.map(|it| all && it)) {
                Ok(true) => {
                    all += 1;
                    allocated += i64::from(devices.is_allocated(*ix));
                }
                Ok(false) => {}
                Err(_) => return (0, 0),
            }
        }
    }
    (allocated, all)
}

/// Whether a device of a slice with nodes of its own is on the node.
pub fn device_is_on(slice: &SliceInfo, device: usize, node: &NodeInfo) -> bool {
    let Some(device) = slice.published().get(device) else {
        return false;
    };
    if let Some(name) = device.node_name.as_deref().filter(|name| !name.is_empty()) {
        return name == &*node.name;
    }
    if device.all_nodes.unwrap_or(false) {
        return true;
    }
    let terms = device.node_selector.as_ref().map(NodeTerms::new);
    terms.is_some_and(|terms| terms.matches(&node.labels, &node.name))
}

/// A pool is invalid if it has two devices of one name.
fn duplicate(slices: &[SliceRef]) -> Option<String> {
    if let [only] = slices
        && only.devices.len() < 2
    {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    let mut sorted = std::collections::BTreeSet::new();
    for device in slices.iter().flat_map(|slice| slice.published()) {
        if !sorted.insert(&*device.name) {
            names.push(&device.name);
        }
    }
    let first = names.first()?;
    Some(format!("duplicate device name {first}"))
}
