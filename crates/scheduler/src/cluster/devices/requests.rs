//! The requests of a claim, prepared for the search on a node (`validateDeviceRequest`).

use std::collections::BTreeMap;
use std::rc::Rc;

use k8s_openapi::api::resource::v1::{
    CapacityRequirements, DeviceClass, DeviceRequest, DeviceSelector, DeviceToleration,
    ResourceClaim,
};

use super::pools::Pool;
use super::requests_of;
use super::search::{Failure, Search};
use super::selectors::Selector;

/// A device as the search sees it: its pool, slice, and position in the slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub pool: usize,
    pub slice: usize,
    pub device: usize,
}

/// A selector of a class or of a request.
#[derive(Clone, Debug)]
pub struct RequestSelector<'a> {
    /// The class that has it, if it is not the request's own.
    pub class: Option<&'a str>,
    /// Its number in the class or in the request.
    pub number: usize,
    pub expression: &'a str,
    pub selector: Rc<Selector>,
}

/// A request without alternatives, or one of the alternatives.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The name of the request, or of the alternative.
    pub name: &'a str,
    /// The name of the request that has the alternative.
    pub parent: Option<&'a str>,
    pub class: &'a DeviceClass,
    /// Those of the class come first.
    pub selectors: Vec<RequestSelector<'a>>,
    pub tolerations: &'a [DeviceToleration],
    pub capacity: Option<&'a CapacityRequirements>,
    pub wants_all: bool,
    pub is_admin: bool,
    pub count: usize,
    /// With `wants_all`: the devices.
    pub all: Vec<Place>,
}

impl Request<'_> {
    /// `REQUEST` or `REQUEST/SUBREQUEST`.
    pub fn full_name(&self) -> String {
        match self.parent {
            Some(parent) => format!("{parent}/{}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The names by which constraints know the request: its own and that of the alternative, if it is one.
    pub fn names(&self) -> (&str, &str) {
        match self.parent {
            Some(parent) => (parent, self.name),
            None => (self.name, ""),
        }
    }
}

/// The requests of a claim: each has its alternatives, or itself alone.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    pub requests: Vec<Vec<Rc<Request<'a>>>>,
    pub least: usize,
}

/// Matches found while alternatives are prepared. The "experimental" allocator caches them under the index of the alternative
/// before, so that the first two share an index: with All in both, the second takes the devices of the first.
type Shared = BTreeMap<(usize, Place), bool>;

/// Prepares the requests of a claim.
///
/// # Errors
/// What ends the search on the node, and the cycle.
pub fn prepare<'a>(search: &Search<'a>, claim: &'a ResourceClaim) -> Result<Prepared<'a>, Failure> {
    let mut prepared = Prepared {
        requests: Vec::new(),
        least: 0,
    };
    for request in requests_of(claim) {
        let mut shared = Shared::new();
        let (alternatives, least) = alternatives(search, claim, request, &mut shared)?;
        prepared.least = prepared.least.saturating_add(least);
        prepared.requests.push(alternatives);
    }
    Ok(prepared)
}

fn alternatives<'a>(
    search: &Search<'a>,
    claim: &'a ResourceClaim,
    request: &'a DeviceRequest,
    shared: &mut Shared,
) -> Result<(Vec<Rc<Request<'a>>>, usize), Failure> {
    let list = request.first_available.as_deref().unwrap_or_default();
    let mut all = Vec::new();
    if list.is_empty() {
        let Some(exactly) = &request.exactly else {
            return Err(search.failure(
                claim,
                &request.name,
                "missing device class name (unsupported request type?)",
            ));
        };
        let class = class_of(search, claim, &request.name, &exactly.device_class_name)?;
        let one = Request {
            name: &request.name,
            parent: None,
            class,
            selectors: selectors(search, class, exactly.selectors.as_deref()),
            tolerations: exactly.tolerations.as_deref().unwrap_or_default(),
            capacity: exactly.capacity.as_ref(),
            wants_all: exactly.allocation_mode.as_deref() == Some("All"),
            is_admin: exactly.admin_access.unwrap_or(false),
            count: count(exactly.count),
            all: Vec::new(),
        };
        let one = with_devices(search, claim, one, 0, shared)?;
        let least = one.count;
        return Ok((vec![Rc::new(one)], least));
    }
    let mut least = usize::MAX;
    for (index, sub_request) in list.iter().enumerate() {
        let class = class_of(
            search,
            claim,
            &sub_request.name,
            &sub_request.device_class_name,
        )?;
        let one = Request {
            name: &sub_request.name,
            parent: Some(&request.name),
            class,
            selectors: selectors(search, class, sub_request.selectors.as_deref()),
            tolerations: sub_request.tolerations.as_deref().unwrap_or_default(),
            capacity: sub_request.capacity.as_ref(),
            wants_all: sub_request.allocation_mode.as_deref() == Some("All"),
            is_admin: false,
            count: count(sub_request.count),
            all: Vec::new(),
        };
        let key = match search.features.all_of_alternatives {
            true => index,
            false => index.saturating_sub(1),
        };
        let one = with_devices(search, claim, one, key, shared)?;
        least = least.min(one.count);
        all.push(Rc::new(one));
    }
    Ok((all, least))
}

fn count(count: Option<i64>) -> usize {
    usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX)
}

fn class_of<'a>(
    search: &Search<'a>,
    claim: &ResourceClaim,
    request: &str,
    name: &str,
) -> Result<&'a DeviceClass, Failure> {
    let class = search.devices.class(name).map(|class| &**class);
    class.ok_or_else(|| {
        let problem = format!(
            "could not retrieve device class {name}: deviceclass.resource.k8s.io \"{name}\" not found"
        );
        search.failure(claim, request, &problem)
    })
}

/// The selectors of the class, then those of the request.
fn selectors<'a>(
    search: &Search<'a>,
    class: &'a DeviceClass,
    own: Option<&'a [DeviceSelector]>,
) -> Vec<RequestSelector<'a>> {
    let name = class.metadata.name.as_deref().unwrap_or_default();
    let of_class = class.spec.selectors.as_deref().unwrap_or_default();
    let numbered = |class: Option<&'a str>, all: &'a [DeviceSelector]| {
        all.iter()
            .enumerate()
            .filter_map(move |(number, selector)| {
                let expression = &selector.cel.as_ref()?.expression;
                Some((class, number, expression))
            })
    };
    let all = numbered(Some(name), of_class).chain(numbered(None, own.unwrap_or_default()));
    all.map(|(class, number, expression)| RequestSelector {
        class,
        number,
        expression,
        selector: search.devices.selectors.of(expression),
    })
    .collect()
}

/// With allocationMode All: finds the devices, which must all be visible.
fn with_devices<'a>(
    search: &Search<'a>,
    claim: &ResourceClaim,
    mut request: Request<'a>,
    key: usize,
    shared: &mut Shared,
) -> Result<Request<'a>, Failure> {
    if !request.wants_all {
        return Ok(request);
    }
    for (pool_ix, pool) in search.pools.iter().enumerate() {
        if let Some(state) = unusable(pool) {
            let problem = format!(
                "asks for all devices, but resource pool {}/{} is currently {state}",
                pool.driver, pool.name
            );
            return Err(search.failure(claim, request.name, &problem));
        }
        for (slice_ix, slice) in pool.slices.iter().enumerate() {
            for device in 0..slice.devices.len() {
                let place = Place {
                    pool: pool_ix,
                    slice: slice_ix,
                    device,
                };
                let matches = match shared.get(&(key, place)) {
                    Some(known) => *known,
                    None => {
                        let matches = search.selectable(claim, &request, place)?;
                        shared.insert((key, place), matches);
                        matches
                    }
                };
                if matches && !search.lacks_capacity(&request, place) {
                    request.all.push(place);
                }
            }
        }
    }
    request.count = request.all.len();
    Ok(request)
}

fn unusable(pool: &Pool) -> Option<&'static str> {
    if pool.is_incomplete {
        return Some("being updated");
    }
    pool.invalid.is_some().then_some("invalid")
}
