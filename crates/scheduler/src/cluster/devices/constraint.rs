//! Constraints of a claim: attributes that its devices have in common, or not.

use std::collections::BTreeMap;

use k8s_openapi::api::resource::v1::{Device, DeviceAttribute, DeviceConstraint};

/// A constraint and the devices chosen so far.
#[derive(Clone, Debug)]
pub struct Constraint {
    requests: Vec<String>,
    pub attribute: String,
    distinct: bool,
    /// The number of devices chosen.
    count: usize,
    /// What they have in common, below an empty name; or, if it is distinct, the attribute of the last device by its
    /// request. As upstream, a request is forgotten with any of its devices.
    chosen: BTreeMap<String, DeviceAttribute>,
}

impl Constraint {
    /// A constraint of a claim; `None` if it has neither `matchAttribute` nor `distinctAttribute`.
    pub fn new(constraint: &DeviceConstraint) -> Option<Self> {
        let (attribute, distinct) =
            match (&constraint.match_attribute, &constraint.distinct_attribute) {
                (Some(attribute), _) => (attribute, false),
                (None, Some(attribute)) => (attribute, true),
                (None, None) => return None,
            };
        Some(Self {
            requests: constraint.requests.clone().unwrap_or_default(),
            attribute: attribute.clone(),
            distinct,
            count: 0,
            chosen: BTreeMap::new(),
        })
    }

    fn concerns(&self, request: &str, sub_request: &str) -> bool {
        let is_named = |name: &str| self.requests.iter().any(|known| known == name);
        self.requests.is_empty()
            || is_named(request)
            || (!sub_request.is_empty() && is_named(&format!("{request}/{sub_request}")))
    }

    /// Adds a device unless the constraint would be violated.
    pub fn add(
        &mut self,
        (request, sub_request): (&str, &str),
        device: &Device,
        driver: &str,
    ) -> bool {
        if !self.concerns(request, sub_request) {
            return true;
        }
        let Some(attribute) = attribute_of(device, driver, &self.attribute) else {
            return false;
        };
        let mut known = self.chosen.values();
        let fits = self.count == 0 || known.all(|it| is_same(attribute, it) != self.distinct);
        if fits {
            let request = if self.distinct { request } else { "" };
            self.chosen.insert(request.to_owned(), attribute.clone());
            self.count += 1;
        }
        fits
    }

    /// Removes the device that was added last.
    pub fn remove(&mut self, (request, sub_request): (&str, &str)) {
        if self.concerns(request, sub_request) {
            self.count = self.count.saturating_sub(1);
            self.chosen.remove(request);
        }
    }
}

/// A device's attribute by its qualified name.
pub fn attribute_of<'a>(
    device: &'a Device,
    driver: &str,
    name: &str,
) -> Option<&'a DeviceAttribute> {
    let attributes = device.attributes.as_ref()?;
    attributes.get(name).or_else(|| {
        let (domain, id) = name.split_once('/')?;
        (domain == driver).then(|| attributes.get(id)).flatten()
    })
}

fn is_same(a: &DeviceAttribute, b: &DeviceAttribute) -> bool {
    if a.string.is_some() {
        return a.string == b.string;
    }
    if a.int.is_some() {
        return a.int == b.int;
    }
    if a.bool.is_some() {
        return a.bool == b.bool;
    }
    a.version.is_some() && a.version == b.version
}
