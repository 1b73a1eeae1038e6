//! Counters that the devices of a pool share (gate DRAPartitionableDevices): a partition can be allocated while the
//! counters that it consumes suffice (`checkAvailableCounters`).

use std::collections::BTreeMap;

use k8s_openapi::api::resource::v1::{Device, DeviceCounterConsumption};

use super::pools::Pool;
use super::store::Devices;
use berth_base::quantity::Quantity;

/// Amounts by counter set, then by counter.
type Amounts = BTreeMap<String, BTreeMap<String, Quantity>>;

/// The counters of the pools that a search has looked at, by the pool's name. As upstream, pools of two drivers with
/// one name share an entry.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// What allocations leave; may be negative.
    available: BTreeMap<String, Amounts>,
    /// What this search consumes. Until v1.36.2, what a device consumed stays here if the device is refused afterwards
    /// for a taint or a constraint.
    consumed: BTreeMap<String, Amounts>,
}

impl Counters {
    /// Consumes what a device needs, and returns `None`; if a counter does not suffice, consumes nothing and returns
    /// its name.
    pub fn consume(&mut self, devices: &Devices, pool: &Pool, device: &Device) -> Option<String> {
        let needs = needs_of(device);
        if needs.is_empty() {
            return None;
        }
        let name = pool.name.to_string();
        if !self.available.contains_key(&name) {
            self.available
                .insert(name.clone(), available(devices, pool));
        }
        let consumed = self.consumed.entry(name.clone()).or_default();
        change(consumed, needs, Quantity::add);
        let short = self.available.get(&name).and_then(|sets| {
            sets.iter().find_map(|(set, counters)| {
                let used = consumed.get(set);
                let mut counters = counters.iter();
                let short = counters.find(|(counter, left)| {
                    let used = used.and_then(|used| used.get(*counter)).copied();
                    **left < used.unwrap_or_default()
                });
                short.map(|(counter, _)| counter.clone())
            })
        });
        if short.is_some() {
            change(consumed, needs, Quantity::sub);
        }
        short
    }

    /// Gives back what a device consumed.
    pub fn give_back(&mut self, pool: &Pool, device: &Device) {
        if let Some(consumed) = self.consumed.get_mut(&*pool.name) {
            change(consumed, needs_of(device), Quantity::sub);
        }
    }
}

fn needs_of(device: &Device) -> &[DeviceCounterConsumption] {
    device.consumes_counters.as_deref().unwrap_or_default()
}

fn change(
    amounts: &mut Amounts,
    by: &[DeviceCounterConsumption],
    apply: fn(Quantity, Quantity) -> Quantity,
) {
    for it in by {
        let set = amounts.entry(it.counter_set.clone()).or_default();
        for (name, counter) in &it.counters {
            let amount = set.entry(name.clone()).or_default();
            *amount = apply(*amount, parsed(&counter.value.0));
        }
    }
}

/// The pool's counters without what its allocated devices consume, on whatever node they are.
fn available(devices: &Devices, pool: &Pool) -> Amounts {
    let generation = pool.slices.first().map(|it| it.object.spec.pool.generation);
    let slices = || {
        devices.slices().filter(|slice| {
            let spec = &slice.object.spec;
            *spec.driver == *pool.driver
                && *spec.pool.name == *pool.name
                && Some(spec.pool.generation) == generation
        })
    };
    let mut amounts = Amounts::new();
    for set in slices().flat_map(|it| it.object.spec.shared_counters.iter().flatten()) {
        let counters = set
            .counters
            .iter()
            .map(|(name, it)| (name.clone(), parsed(&it.value.0)));
        amounts.insert(set.name.clone(), counters.collect());
    }
    for slice in slices() {
        for (device, &ix) in slice.published().iter().zip(&slice.devices) {
            if !devices.is_allocated(ix) {
                continue;
            }
            for it in needs_of(device) {
                let Some(set) = amounts.get_mut(&it.counter_set) else {
                    continue;
                };
                for (name, counter) in &it.counters {
                    if let Some(left) = set.get_mut(name) {
                        *left = left.sub(parsed(&counter.value.0));
                    }
                }
            }
        }
    }
    amounts
}

fn parsed(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_default()
}
