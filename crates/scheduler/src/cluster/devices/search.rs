//! The search for devices: depth first, the first complete solution wins (`allocateOne`).

mod limits;

use std::rc::Rc;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::{AllocationResult, ResourceClaim};

use super::capacity::{Consumed, consumed_by, is_shared};
use super::constraint::Constraint;
use super::counters::Counters;
use super::pools::{Gathering, Pool, SliceRef, device_is_on, gather};
use super::requests::{Place, Prepared, Request, RequestSelector, prepare};
use super::store::{DeviceIx, Devices};
use super::{MAX_RESULTS, taints};
use crate::cluster::node::NodeInfo;
use crate::release::{Gate, Release};
use berth_protocol::fact::DeviceOutcome;

/// The number of steps after which the search gives up, in place of upstream's ten seconds.
const MAX_STEPS: u32 = 1_000_000;
/// The number of devices after which it gives up, counted as often as it looks at them.
const MAX_LOOKS: u32 = 16 * MAX_STEPS;
/// The number of devices taken at a time after which it gives up: each is a level of recursion.
const MAX_DEPTH: u32 = 400;

/// What the release's gates turn on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    pub gathering: Gathering,
    pub taints: bool,
    /// Devices may be allocated several times, by capacity.
    pub capacity: bool,
    /// Devices may have conditions to fulfil before a Pod is bound: their pools come last, and claims record them.
    pub binding: bool,
    /// Alternatives with allocationMode All are allocated as written.
    pub all_of_alternatives: bool,
    /// A device that is refused after it consumed counters gives them back.
    pub refused_give_back: bool,
    /// The next device of a request comes after the one before.
    pub combinations: bool,
}

impl Features {
    /// What the gates of a release turn on.
    pub fn of(release: &Release) -> Self {
        let rules = release.rules();
        Self {
            gathering: Gathering {
                partitionable: release.is_on(Gate::DRAPartitionableDevices),
                whole_pools: rules.allocates_from_whole_pools,
            },
            taints: release.is_on(Gate::DRADeviceTaints),
            capacity: release.is_on(Gate::DRAConsumableCapacity),
            binding: release.is_on(Gate::DRADeviceBindingConditions)
                && release.is_on(Gate::DRAResourceClaimDeviceStatus),
            all_of_alternatives: rules.allocates_all_of_alternatives,
            refused_give_back: rules.refused_devices_give_back,
            combinations: rules.allocates_in_order,
        }
    }
}

/// Why a search ended without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Ends the cycle.
    Error(String),
    TimedOut,
    /// There is no solution without the invalid pools.
    InvalidPool,
    /// The claim would have too many devices: tried with other alternatives, never seen outside.
    TooMany,
}

/// One device that the search looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `namespace/name`.
    pub claim: String,
    pub request: String,
    /// `driver/pool/device`.
    pub device: String,
    pub kind: DeviceOutcome,
}

/// The most steps that are recorded.
const MAX_RECORDED: usize = 400;

/// A device of an allocation.
#[derive(Clone, Debug)]
pub struct DeviceResult {
    /// `REQUEST` or `REQUEST/SUBREQUEST`.
    pub request: String,
    pub(super) slice: SliceRef,
    pub(super) device: usize,
    ix: DeviceIx,
    pub(super) is_admin: bool,
    pub(super) tolerations: Vec<k8s_openapi::api::resource::v1::DeviceToleration>,
    /// Of a device that may be allocated several times: what the request consumes.
    pub(super) consumed: Option<Consumed>,
    /// Whether it gives shared counters back when the search goes on without it.
    gives_back: bool,
}

/// What a claim gets.
#[derive(Clone, Debug)]
pub struct ClaimAllocation {
    pub result: AllocationResult,
    /// For each request with alternatives that was satisfied, the index of the alternative.
    pub chosen: Vec<usize>,
}

/// The allocations, one for each claim; `None` if there is no solution.
pub type Found = Option<Vec<ClaimAllocation>>;

/// A search on one node.
pub struct Search<'a> {
    pub devices: &'a Devices,
    pub(super) node: &'a NodeInfo,
    pub features: Features,
    pub pools: Arc<[Pool]>,
    pub(super) claims: &'a [Arc<ResourceClaim>],
    pub(super) prepared: Vec<Prepared<'a>>,
    constraints: Vec<Vec<Constraint>>,
    pub(super) results: Vec<Vec<DeviceResult>>,
    /// Devices taken in this search, with the claim.
    taken: Vec<(DeviceIx, usize)>,
    counters: Counters,
    /// By claim and request: the chosen alternative.
    pub(super) chosen: Vec<Vec<usize>>,
    steps: u32,
    looks: u32,
    depth: u32,
    /// Whether an invalid pool was passed over.
    met_invalid: bool,
    record: Option<&'a mut Vec<Step>>,
}

/// One device that is needed: its claim, request, alternative, and number.
#[derive(Clone, Copy, Debug, Default)]
struct Needed {
    claim: usize,
    request: usize,
    alternative: usize,
    device: usize,
    /// Where the devices begin that may be taken.
    from: Place,
}

/// Allocates devices that a node sees to all claims.
///
/// # Errors
/// What ends the cycle, or that the search took too long.
pub fn allocate<'a>(
    devices: &'a Devices,
    node: &'a NodeInfo,
    claims: &'a [Arc<ResourceClaim>],
    features: Features,
    record: Option<&'a mut Vec<Step>>,
) -> Result<Found, Failure> {
    let mut search = Search {
        devices,
        node,
        features,
        pools: ordered(gather(devices, node, features.gathering), features),
        claims,
        prepared: Vec::new(),
        constraints: Vec::new(),
        results: vec![Vec::new(); claims.len()],
        taken: Vec::new(),
        counters: Counters::default(),
        chosen: Vec::new(),
        steps: 0,
        looks: 0,
        depth: 0,
        met_invalid: false,
        record,
    };
    for claim in claims {
        let prepared = prepare(&search, claim)?;
        if prepared.least > MAX_RESULTS {
            return Err(Failure::Error(format!(
                "claim {}: number of requested devices {} exceeds the claim limit of {MAX_RESULTS}",
                key_of(claim),
                prepared.least
            )));
        }
        let given = claim.spec.devices.iter().flat_map(|it| &it.constraints);
        let constraints = given.flatten().filter_map(Constraint::new).collect();
        search.constraints.push(constraints);
        search.chosen.push(vec![0; prepared.requests.len()]);
        search.prepared.push(prepared);
    }
    match search.one(Needed::default(), false) {
        Ok(true) => Ok(Some(search.finish())),
        Ok(false) | Err(Failure::TooMany) if search.met_invalid => Err(Failure::InvalidPool),
        Ok(false) | Err(Failure::TooMany) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Pools with devices that have binding conditions come last.
fn ordered(pools: Arc<[Pool]>, features: Features) -> Arc<[Pool]> {
    if !features.binding || pools.is_sorted_by_key(|pool| pool.has_conditions) {
        return pools;
    }
    let mut pools = pools.to_vec();
    pools.sort_by_key(|pool| pool.has_conditions);
    pools.into()
}

/// `namespace/name` of a claim.
fn key_of(claim: &ResourceClaim) -> String {
    let meta = &claim.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    format!("{namespace}/{}", meta.name.as_deref().unwrap_or_default())
}

impl<'a> Search<'a> {
    /// An error of a request.
    pub fn failure(&self, claim: &ResourceClaim, request: &str, problem: &str) -> Failure {
        Failure::Error(format!(
            "claim {}, request {request}: {problem}",
            key_of(claim)
        ))
    }

    fn slice(&self, place: Place) -> Option<&SliceRef> {
        self.pools.get(place.pool)?.slices.get(place.slice)
    }

    fn note(&mut self, needed: Needed, place: Place, kind: DeviceOutcome) {
        if self
            .record
            .as_ref()
            .is_none_or(|it| it.len() >= MAX_RECORDED)
        {
            return;
        }
        let claim = self.claims.get(needed.claim).map(|it| key_of(it));
        let request = self.request(needed).map(|it| it.full_name());
        let device = self.slice(place).and_then(|slice| {
            let spec = &slice.object.spec;
            let name = &slice.published().get(place.device)?.name;
            Some(format!("{}/{}/{name}", spec.driver, spec.pool.name))
        });
        if let (Some(record), Some(claim), Some(request), Some(device)) =
            (self.record.as_deref_mut(), claim, request, device)
        {
            record.push(Step {
                claim,
                request,
                device,
                kind,
            });
        }
    }

    fn request(&self, needed: Needed) -> Option<&Rc<Request<'a>>> {
        let requests = &self.prepared.get(needed.claim)?.requests;
        requests.get(needed.request)?.get(needed.alternative)
    }

    /// Whether class and request select a device.
    ///
    /// # Errors
    /// An expression fails.
    pub fn selectable(
        &self,
        claim: &ResourceClaim,
        request: &Request<'_>,
        place: Place,
    ) -> Result<bool, Failure> {
        Ok(self.not_selected(claim, request, place)?.is_none() && self.is_here(place))
    }

    fn is_here(&self, place: Place) -> bool {
        self.slice(place).is_some_and(|slice| {
            let per_device = slice.object.spec.per_device_node_selection;
            !per_device.unwrap_or(false) || device_is_on(slice, place.device, self.node)
        })
    }

    /// The first selector that is false.
    fn not_selected<'r>(
        &self,
        claim: &ResourceClaim,
        request: &'r Request<'a>,
        place: Place,
    ) -> Result<Option<&'r RequestSelector<'a>>, Failure> {
        let Some(slice) = self.slice(place) else {
            return Ok(None);
        };
        for by in &request.selectors {
            match by.selector.matches(slice, place.device) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(by)),
                Err(error) => {
                    let whose = match by.class {
                        Some(class) => format!("class {class}"),
                        None => format!("claim {}", key_of(claim)),
                    };
                    return Err(Failure::Error(format!(
                        "{whose}: selector #{}: {error}",
                        by.number
                    )));
                }
            }
        }
        Ok(None)
    }

    fn is_in_use(&self, ix: DeviceIx, is_admin: bool, claim: usize) -> bool {
        if is_admin {
            return self.taken.contains(&(ix, claim));
        }
        self.devices.is_held(ix) || self.taken.iter().any(|(taken, _)| *taken == ix)
    }

    /// Allocates one device, and then the rest. `in_alternative`: the alternative is chosen already.
    fn one(&mut self, needed: Needed, in_alternative: bool) -> Result<bool, Failure> {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth >= MAX_DEPTH {
            return Err(Failure::TimedOut);
        }
        self.depth += 1;
        let found = self.one_more(needed, in_alternative);
        self.depth -= 1;
        found
    }

    fn one_more(&mut self, mut needed: Needed, in_alternative: bool) -> Result<bool, Failure> {
        let Some(prepared) = self.prepared.get(needed.claim) else {
            return Ok(true);
        };
        let Some(alternatives) = prepared.requests.get(needed.request) else {
            let next = Needed {
                claim: needed.claim + 1,
                ..Needed::default()
            };
            return match self.one(next, false) {
                Err(Failure::TooMany) => Ok(false),
                other => other,
            };
        };
        let has_parent = alternatives.first().is_some_and(|it| it.parent.is_some());
        if !in_alternative && has_parent {
            return self.alternatives(needed, alternatives.len());
        }
        let Some(request) = alternatives.get(needed.alternative) else {
            return Ok(false);
        };
        let (wants_all, count) = (request.wants_all, request.count);
        if wants_all && request.all.is_empty() {
            return Ok(false);
        }
        if needed.device >= count {
            let next = Needed {
                claim: needed.claim,
                request: needed.request + 1,
                ..Needed::default()
            };
            return self.one(next, false);
        }
        let have = self.results.get(needed.claim).map_or(0, Vec::len);
        if have + count - needed.device > MAX_RESULTS {
            return Err(Failure::TooMany);
        }
        if !wants_all {
            return self.any_device(needed, in_alternative);
        }
        let Some(&place) = request.all.get(needed.device) else {
            return Ok(false);
        };
        if !self.take(needed, place, true)? {
            return Ok(false);
        }
        let at = needed;
        if !self.features.all_of_alternatives {
            // Until v1.35 the allocators drop the alternative here and continue with the first one.
            needed.alternative = 0;
        }
        needed.device += 1;
        let done = self.one(needed, in_alternative);
        if done != Ok(true) {
            self.give_back(at, place);
        }
        done
    }

    fn alternatives(&mut self, needed: Needed, count: usize) -> Result<bool, Failure> {
        let mut always_too_many = true;
        for alternative in 0..count {
            let tried = self.one(
                Needed {
                    alternative,
                    ..needed
                },
                true,
            );
            match tried {
                Err(Failure::TooMany) => continue,
                Err(failure) => return Err(failure),
                Ok(true) => {
                    let chosen = self.chosen.get_mut(needed.claim);
                    if let Some(slot) = chosen.and_then(|it| it.get_mut(needed.request)) {
                        *slot = alternative;
                    }
                    return Ok(true);
                }
                Ok(false) => always_too_many = false,
            }
        }
        if always_too_many {
            return Err(Failure::TooMany);
        }
        Ok(false)
    }

    /// Tries every device for a request with a count.
    fn any_device(&mut self, needed: Needed, in_alternative: bool) -> Result<bool, Failure> {
        for pool in needed.from.pool..self.pools.len() {
            let found = &self.pools[pool];
            if self.features.gathering.whole_pools && !found.is_usable() {
                self.met_invalid |= found.invalid.is_some();
                continue;
            }
            if let Some(reason) = &found.invalid {
                return Err(Failure::Error(format!(
                    "pool {} is invalid: {reason}",
                    found.name
                )));
            }
            for slice in 0..self.pools[pool].slices.len() {
                for device in 0..self.pools[pool].slices[slice].devices.len() {
                    let place = Place {
                        pool,
                        slice,
                        device,
                    };
                    if place < needed.from {
                        continue;
                    }
                    if self.this_device(needed, place, in_alternative)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    fn this_device(
        &mut self,
        needed: Needed,
        place: Place,
        in_alternative: bool,
    ) -> Result<bool, Failure> {
        self.looks += 1;
        if self.looks > MAX_LOOKS {
            return Err(Failure::TimedOut);
        }
        let Some(ix) = self
            .slice(place)
            .and_then(|slice| slice.devices.get(place.device).copied())
        else {
            return Ok(false);
        };
        if let Some(kind) = self.judge(needed, place, ix)? {
            self.note(needed, place, kind);
            return Ok(false);
        }
        if !self.take(needed, place, false)? {
            return Ok(false);
        }
        let mut next = Needed {
            device: needed.device + 1,
            ..needed
        };
        if self.features.combinations {
            next.from = Place {
                device: place.device + 1,
                ..place
            };
        }
        let done = self.one(next, in_alternative);
        if done != Ok(true) {
            self.give_back(needed, place);
        }
        done
    }

    /// Why a device is out of the question; `None` if it may be taken.
    fn judge(
        &self,
        needed: Needed,
        place: Place,
        ix: DeviceIx,
    ) -> Result<Option<DeviceOutcome>, Failure> {
        let (Some(request), Some(claim)) = (self.request(needed), self.claims.get(needed.claim))
        else {
            return Ok(Some(DeviceOutcome::InUse));
        };
        if self.is_in_use(ix, request.is_admin, needed.claim) {
            return Ok(Some(DeviceOutcome::InUse));
        }
        if let Some(by) = self.not_selected(claim, request, place)? {
            // Only a record needs to know more.
            let slice = self.slice(place).filter(|_| self.record.is_some());
            let outcome = slice.map(|slice| DeviceOutcome::NotSelected {
                class: by.class.map(str::to_owned),
                expression: by.expression.to_owned(),
                seen: by.selector.seen(slice, place.device),
            });
            return Ok(Some(outcome.unwrap_or(DeviceOutcome::Elsewhere)));
        }
        if !self.is_here(place) {
            return Ok(Some(DeviceOutcome::Elsewhere));
        }
        let exceeded = self.exceeded(request, place, ix);
        Ok(exceeded.map(|of| DeviceOutcome::Exhausted { of }))
    }

    /// Takes a device if it is free, tolerated, and no constraint forbids it. `must`: a violated constraint is an error.
    fn take(&mut self, needed: Needed, place: Place, must: bool) -> Result<bool, Failure> {
        let Some(slice) = self.slice(place).map(Arc::clone) else {
            return Ok(false);
        };
        let (Some(device), Some(&ix)) = (
            slice.published().get(place.device),
            slice.devices.get(place.device),
        ) else {
            return Ok(false);
        };
        let Some(request) = self.request(needed).map(Rc::clone) else {
            return Ok(false);
        };
        if self.is_in_use(ix, request.is_admin, needed.claim) {
            self.note(needed, place, DeviceOutcome::InUse);
            return Ok(false);
        }
        let shared = self.features.capacity && is_shared(device);
        // Another request of the claim may have consumed the capacity that a request for all devices counts on.
        let exceeded = self.exceeded(&request, place, ix);
        let consumes = match exceeded {
            Some(of) => Err(of),
            None => self.consume(place, ix, shared),
        };
        let consumes = match consumes {
            Ok(consumes) => consumes,
            Err(of) => {
                self.note(needed, place, DeviceOutcome::Exhausted { of });
                return Ok(false);
            }
        };
        let gives_back = consumes && self.features.refused_give_back;
        if self.features.taints && !taints::tolerated(device, request.tolerations) {
            if gives_back {
                self.give_counters_back(place);
            }
            self.note(needed, place, DeviceOutcome::Tainted);
            return Ok(false);
        }
        let driver = &slice.object.spec.driver;
        if let Some(attribute) = self.constrain(needed.claim, request.names(), device, driver) {
            if gives_back {
                self.give_counters_back(place);
            }
            if must && let Some(claim) = self.claims.get(needed.claim) {
                let id = format!("{driver}/{}/{}", slice.object.spec.pool.name, device.name);
                let problem = format!(
                    "cannot add device {id} because a claim constraint would not be satisfied"
                );
                return Err(self.failure(claim, request.name, &problem));
            }
            self.note(needed, place, DeviceOutcome::Constrained { attribute });
            return Ok(false);
        }
        self.note(needed, place, DeviceOutcome::Taken);
        if !shared {
            self.taken.push((ix, needed.claim));
        }
        if let Some(results) = self.results.get_mut(needed.claim) {
            results.push(DeviceResult {
                request: request.full_name(),
                device: place.device,
                ix,
                is_admin: request.is_admin,
                tolerations: request.tolerations.to_vec(),
                consumed: shared.then(|| consumed_by(request.capacity, device)),
                // Until v1.36.2 a device that may be allocated several times kept what it consumed.
                gives_back: if shared { gives_back } else { consumes },
                slice: Arc::clone(&slice),
            });
        }
        Ok(true)
    }

    fn give_back(&mut self, needed: Needed, place: Place) {
        let Some(result) = self.results.get_mut(needed.claim).and_then(Vec::pop) else {
            return;
        };
        let names = self.request(needed).map(|it| {
            let (request, sub_request) = it.names();
            (request.to_owned(), sub_request.to_owned())
        });
        if let (Some(names), Some(constraints)) = (names, self.constraints.get_mut(needed.claim)) {
            for constraint in constraints {
                constraint.remove((&names.0, &names.1));
            }
        }
        if result.gives_back {
            self.give_counters_back(place);
        }
        let of_claim = (result.ix, needed.claim);
        if let Some(position) = self.taken.iter().rposition(|it| *it == of_claim) {
            self.taken.remove(position);
        }
        self.note(needed, place, DeviceOutcome::GivenBack);
    }
}
