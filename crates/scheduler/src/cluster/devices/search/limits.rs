//! What keeps a search from taking a device: capacity, counters that devices share, and constraints.

use k8s_openapi::api::resource::v1::Device;

use super::super::capacity::exceeded;
use super::super::pools::Pool;
use super::super::requests::{Place, Request};
use super::super::store::DeviceIx;
use super::Search;

impl Search<'_> {
    /// Whether a request for all devices leaves a device out because its capacity does not suffice.
    pub fn lacks_capacity(&self, request: &Request<'_>, place: Place) -> bool {
        let ix = self
            .slice(place)
            .and_then(|slice| slice.devices.get(place.device));
        ix.is_some_and(|ix| self.exceeded(request, place, *ix).is_some())
    }

    /// The capacity of a device that a request would exceed.
    pub(super) fn exceeded(
        &self,
        request: &Request<'_>,
        place: Place,
        ix: DeviceIx,
    ) -> Option<String> {
        let slice = self.slice(place).filter(|_| self.features.capacity)?;
        let device = slice.published().get(place.device)?;
        let mut used = self.devices.consumed(ix);
        let own = self.results.iter().flatten().filter(|it| it.ix == ix);
        for (name, amount) in own.filter_map(|it| it.consumed.as_ref()).flatten() {
            let known = used.entry(name.clone()).or_default();
            *known = known.add(*amount);
        }
        exceeded(request.capacity, device, &used)
    }

    /// Consumes the counters that a device needs, and returns whether it did: a device that is shared already needs no
    /// more. The error is the counter that does not suffice.
    pub(super) fn consume(
        &mut self,
        place: Place,
        ix: DeviceIx,
        shared: bool,
    ) -> Result<bool, String> {
        if !self.features.gathering.partitionable {
            return Ok(false);
        }
        let mut of_search = self
            .results
            .iter()
            .flatten()
            .filter(|it| it.ix == ix && it.consumed.is_some());
        if shared && (of_search.next().is_some() || self.devices.is_allocated(ix)) {
            return Ok(false);
        }
        let Some((pool, device)) = published(&self.pools, place) else {
            return Ok(false);
        };
        match self.counters.consume(self.devices, pool, device) {
            Some(short) => Err(short),
            None => Ok(true),
        }
    }

    pub(super) fn give_counters_back(&mut self, place: Place) {
        if let Some((pool, device)) = published(&self.pools, place) {
            self.counters.give_back(pool, device);
        }
    }

    /// Adds a device to the constraints of its claim; if one is violated, to none, and returns its attribute.
    pub(super) fn constrain(
        &mut self,
        claim: usize,
        names: (&str, &str),
        device: &Device,
        driver: &str,
    ) -> Option<String> {
        let constraints = self.constraints.get_mut(claim)?;
        for number in 0..constraints.len() {
            if constraints[number].add(names, device, driver) {
                continue;
            }
            for before in &mut constraints[..number] {
                before.remove(names);
            }
            return Some(constraints[number].attribute.clone());
        }
        None
    }
}

/// A device of the pools, with its pool.
fn published(pools: &[Pool], place: Place) -> Option<(&Pool, &Device)> {
    let pool = pools.get(place.pool)?;
    let slice = pool.slices.get(place.slice)?;
    Some((pool, slice.published().get(place.device)?))
}
