//! Constraints of a claim: attributes that its devices have in common, or not.

use k8s_openapi::api::resource::v1::{Device, DeviceAttribute, DeviceConstraint};

use super::store::DeviceIx;

/// A constraint and the devices chosen so far.
#[derive(Clone, Debug)]
pub struct Constraint {
    requests: Vec<String>,
    pub attribute: String,
    distinct: bool,
    chosen: Vec<(DeviceIx, DeviceAttribute)>,
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
            chosen: Vec::new(),
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
        ix: DeviceIx,
        driver: &str,
    ) -> bool {
        if !self.concerns(request, sub_request) {
            return true;
        }
        let Some(attribute) = attribute_of(device, driver, &self.attribute) else {
            return false;
        };
        let fits = if self.distinct {
            self.chosen
                .iter()
                .all(|(_, known)| !is_same(attribute, known))
        } else {
            self.chosen
                .first()
                .is_none_or(|(_, known)| is_same(attribute, known))
        };
        if fits {
            self.chosen.push((ix, attribute.clone()));
        }
        fits
    }

    /// Removes a device that was added before.
    pub fn remove(&mut self, (request, sub_request): (&str, &str), ix: DeviceIx) {
        if self.concerns(request, sub_request) {
            let position = self.chosen.iter().rposition(|(known, _)| *known == ix);
            if let Some(position) = position {
                self.chosen.remove(position);
            }
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

fn is_same(one: &DeviceAttribute, other: &DeviceAttribute) -> bool {
    if one.string.is_some() {
        return one.string == other.string;
    }
    if one.int.is_some() {
        return one.int == other.int;
    }
    if one.bool.is_some() {
        return one.bool == other.bool;
    }
    one.version.is_some() && one.version == other.version
}
