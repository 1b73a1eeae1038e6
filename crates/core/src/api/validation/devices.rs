//! ResourceClaims, ResourceClaimTemplates, ResourceSlices and DeviceClasses.

use std::collections::BTreeSet;

use k8s_openapi::api::resource::v1::{
    Device, DeviceAttribute, DeviceClaim, DeviceClass, DeviceRequest, DeviceSelector,
    OpaqueDeviceConfiguration, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
};

use super::metadata::{Naming, object_meta, template_meta};
use super::{Errors, invalid_each};
use crate::api::rules;
use berth_base::json;
use berth_base::quantity::Quantity;
use berth_scheduler::cel::{MAX_COST, Rules, compile};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_label_errors, dns_subdomain_errors};

const MAX_REQUESTS: usize = 32;
const MAX_ALTERNATIVES: usize = 8;
const MAX_SELECTORS: usize = 32;
const MAX_CONSTRAINTS: usize = 32;
const MAX_CONFIGS: usize = 32;
const MAX_ATTRIBUTES: usize = 32;
const MAX_VALUE_LENGTH: usize = 64;
const MAX_EXPRESSION_LENGTH: usize = 10 * 1024;
const MODES: [&str; 2] = ["All", "ExactCount"];

/// Validates a ResourceClaim.
pub fn resource_claim(claim: &ResourceClaim, errors: &mut Errors) {
    object_meta(&claim.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    device_claim(&path.child("devices"), claim.spec.devices.as_ref(), errors);
}

/// Validates a ResourceClaimTemplate.
pub fn resource_claim_template(template: &ResourceClaimTemplate, errors: &mut Errors) {
    object_meta(&template.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    template_meta(
        &path.child("metadata"),
        template.spec.metadata.as_ref(),
        errors,
    );
    let devices = template.spec.spec.devices.as_ref();
    device_claim(&path.child("spec").child("devices"), devices, errors);
}

/// Validates a DeviceClass.
pub fn device_class(class: &DeviceClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    let selectors = class.spec.selectors.as_deref().unwrap_or_default();
    all_selectors(&path.child("selectors"), selectors, errors);
    let configs = class.spec.config.as_deref().unwrap_or_default();
    at_most(&path.child("config"), configs.len(), MAX_CONFIGS, errors);
    for (index, config) in configs.iter().enumerate() {
        opaque(
            &path.child("config").index(index),
            config.opaque.as_ref(),
            errors,
        );
    }
}

/// Parameters that only a driver understands.
fn opaque(path: &Path, opaque: Option<&OpaqueDeviceConfiguration>, errors: &mut Errors) {
    let path = path.child("opaque");
    match opaque {
        None => errors.push(FieldError::required(&path, "")),
        Some(opaque) => rules::part(
            "OpaqueDeviceConfiguration",
            &json::value(opaque),
            &path,
            errors,
        ),
    }
}

pub(super) fn at_most(path: &Path, actual: usize, limit: usize, errors: &mut Errors) {
    if actual > limit {
        errors.push(FieldError::too_many(path, actual, limit));
    }
}

/// Reports a name that is missing or no DNS label.
pub(super) fn required_label(path: &Path, name: &str, errors: &mut Errors) {
    match name.is_empty() {
        true => errors.push(FieldError::required(path, "")),
        false => label(path, name, errors),
    }
}

/// Reports a name that is no DNS label, as an empty one.
pub(super) fn label(path: &Path, name: &str, errors: &mut Errors) {
    invalid_each(path, name, dns_label_errors(name), errors);
}

fn device_claim(path: &Path, claim: Option<&DeviceClaim>, errors: &mut Errors) {
    let Some(claim) = claim else { return };
    let requests = claim.requests.as_deref().unwrap_or_default();
    let list = path.child("requests");
    at_most(&list, requests.len(), MAX_REQUESTS, errors);
    let mut names = BTreeSet::new();
    for (index, it) in requests.iter().enumerate() {
        let path = list.index(index);
        request(&path, it, errors);
        if !names.insert(it.name.clone()) {
            errors.push(FieldError::duplicate(&path.child("name"), &*it.name));
        }
    }
    for it in requests {
        let alternatives = it.first_available.iter().flatten();
        names.extend(alternatives.map(|sub| format!("{}/{}", it.name, sub.name)));
    }
    let constraints = claim.constraints.as_deref().unwrap_or_default();
    let list = path.child("constraints");
    at_most(&list, constraints.len(), MAX_CONSTRAINTS, errors);
    for (index, it) in constraints.iter().enumerate() {
        let path = list.index(index);
        known_requests(&path, it.requests.as_deref(), &names, errors);
        if let Some(attribute) = &it.match_attribute {
            qualified(&path.child("matchAttribute"), attribute, errors);
        }
    }
    let configs = claim.config.as_deref().unwrap_or_default();
    let list = path.child("config");
    at_most(&list, configs.len(), MAX_CONFIGS, errors);
    for (index, it) in configs.iter().enumerate() {
        let path = list.index(index);
        known_requests(&path, it.requests.as_deref(), &names, errors);
        opaque(&path, it.opaque.as_ref(), errors);
    }
}

fn known_requests(
    path: &Path,
    requests: Option<&[String]>,
    names: &BTreeSet<String>,
    errors: &mut Errors,
) {
    for (index, name) in requests.unwrap_or_default().iter().enumerate() {
        if !names.contains(name) {
            let detail = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
            let path = path.child("requests").index(index);
            errors.push(FieldError::invalid(&path, name.as_str(), detail));
        }
    }
}

/// A name with a domain.
pub(super) fn qualified(path: &Path, name: &str, errors: &mut Errors) {
    match name.split_once('/') {
        Some((domain, id)) => {
            invalid_each(path, domain, dns_subdomain_errors(domain), errors);
            identifier(path, id, errors);
        }
        None => {
            identifier(path, name, errors);
            let detail = "a fully qualified name must be a domain and a name separated by a slash";
            errors.push(FieldError::invalid(path, name, detail));
        }
    }
}

fn identifier(path: &Path, id: &str, errors: &mut Errors) {
    const LENGTH: usize = 32;
    let mut letters = id.chars();
    let valid = letters
        .next()
        .is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
        && letters.all(|it| it.is_ascii_alphanumeric() || it == '_');
    if id.is_empty() {
        errors.push(FieldError::required(path, "the name must not be empty"));
    } else if id.len() > LENGTH {
        errors.push(FieldError::too_long(path, LENGTH));
    } else if !valid {
        let detail = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
        errors.push(FieldError::invalid(path, id, detail));
    }
}

fn request(path: &Path, request: &DeviceRequest, errors: &mut Errors) {
    label(&path.child("name"), &request.name, errors);
    let alternatives = request.first_available.as_deref().unwrap_or_default();
    match (&request.exactly, alternatives) {
        (None, []) => {
            let detail = "exactly one of `exactly` or `firstAvailable` is required";
            errors.push(FieldError::required(path, detail));
        }
        (Some(_), [_, ..]) => {
            let detail = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            errors.push(FieldError::invalid(path, serde_json::Value::Null, detail));
        }
        _ => {}
    }
    if let Some(exactly) = &request.exactly {
        let path = path.child("exactly");
        class_name(&path, &exactly.device_class_name, errors);
        let selectors = exactly.selectors.as_deref().unwrap_or_default();
        all_selectors(&path.child("selectors"), selectors, errors);
        let (mode, count) = (exactly.allocation_mode.as_deref(), exactly.count);
        allocation_mode(&path, mode, count, errors);
    }
    let list = path.child("firstAvailable");
    at_most(&list, alternatives.len(), MAX_ALTERNATIVES, errors);
    let mut names = BTreeSet::new();
    for (index, it) in alternatives.iter().enumerate() {
        let path = list.index(index);
        label(&path.child("name"), &it.name, errors);
        if !names.insert(&*it.name) {
            errors.push(FieldError::duplicate(&path, &*it.name));
        }
        class_name(&path, &it.device_class_name, errors);
        let selectors = it.selectors.as_deref().unwrap_or_default();
        all_selectors(&path.child("selectors"), selectors, errors);
        allocation_mode(&path, it.allocation_mode.as_deref(), it.count, errors);
    }
}

fn class_name(path: &Path, name: &str, errors: &mut Errors) {
    let path = path.child("deviceClassName");
    if name.is_empty() {
        errors.push(FieldError::required(&path, ""));
    } else {
        invalid_each(&path, name, dns_subdomain_errors(name), errors);
    }
}

fn allocation_mode(path: &Path, mode: Option<&str>, count: Option<i64>, errors: &mut Errors) {
    match mode.unwrap_or_default() {
        "All" => {
            if let Some(count) = count.filter(|count| *count != 0) {
                let detail = "must not be specified when allocationMode is 'All'";
                errors.push(FieldError::invalid(&path.child("count"), count, detail));
            }
        }
        "" | "ExactCount" => {
            if let Some(count) = count.filter(|count| *count < 0) {
                let detail = "must be greater than zero";
                errors.push(FieldError::invalid(&path.child("count"), count, detail));
            }
        }
        other => errors.push(FieldError::not_supported(
            &path.child("allocationMode"),
            other,
            &MODES,
        )),
    }
}

fn all_selectors(path: &Path, selectors: &[DeviceSelector], errors: &mut Errors) {
    at_most(path, selectors.len(), MAX_SELECTORS, errors);
    for (index, it) in selectors.iter().enumerate() {
        let path = path.index(index).child("cel");
        match &it.cel {
            None => errors.push(FieldError::required(&path, "")),
            Some(cel) => selector(&path.child("expression"), &cel.expression, errors),
        }
    }
}

/// A selector's expression: it compiles, and is not too expensive.
fn selector(path: &Path, expression: &str, errors: &mut Errors) {
    if expression.len() > MAX_EXPRESSION_LENGTH {
        errors.push(FieldError::too_long(path, MAX_EXPRESSION_LENGTH));
        return;
    }
    // Objects are validated as written, before the fields of gates that are off are dropped.
    let rules = Rules {
        stored: false,
        allow_multiple: false,
    };
    match compile(expression, rules) {
        Err(error) => errors.push(FieldError::invalid(path, expression, &error)),
        Ok(program) if program.max_cost > MAX_COST => errors.push(FieldError::forbidden(
            path,
            "too complex, exceeds cost limit",
        )),
        Ok(_) => {}
    }
}

/// Validates a ResourceSlice.
pub fn resource_slice(slice: &ResourceSlice, errors: &mut Errors) {
    object_meta(&slice.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    let spec = &slice.spec;
    driver(&path.child("driver"), &spec.driver, errors);
    let pool = path.child("pool");
    if spec.pool.name.is_empty() {
        errors.push(FieldError::required(&pool.child("name"), ""));
    } else {
        for part in spec.pool.name.split('/') {
            let name = pool.child("name");
            invalid_each(&name, part, dns_subdomain_errors(part), errors);
        }
    }
    if spec.pool.resource_slice_count <= 0 {
        errors.push(FieldError::invalid(
            &pool.child("resourceSliceCount"),
            spec.pool.resource_slice_count,
            "must be greater than zero",
        ));
    }
    if spec.pool.generation < 0 {
        errors.push(FieldError::invalid(
            &pool.child("generation"),
            spec.pool.generation,
            "must be greater than or equal to zero",
        ));
    }
    let devices = spec.devices.as_deref().unwrap_or_default();
    let list = path.child("devices");
    let mut names = BTreeSet::new();
    for (index, it) in devices.iter().enumerate() {
        let path = list.index(index);
        device(&path, it, errors);
        if !names.insert(&*it.name) {
            errors.push(FieldError::duplicate(&path, &*it.name));
        }
    }
}

fn driver(path: &Path, name: &str, errors: &mut Errors) {
    const LENGTH: usize = 63;
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    if name.len() > LENGTH {
        errors.push(FieldError::too_long(path, LENGTH));
    }
    invalid_each(
        path,
        name,
        dns_subdomain_errors(&name.to_lowercase()),
        errors,
    );
}

fn device(path: &Path, device: &Device, errors: &mut Errors) {
    label(&path.child("name"), &device.name, errors);
    let attributes = device.attributes.as_ref().map_or(0, |it| it.len());
    let capacities = device.capacity.as_ref().map_or(0, |it| it.len());
    if attributes + capacities > MAX_ATTRIBUTES {
        let detail = format!(
            "the total number of attributes and capacities must not exceed {MAX_ATTRIBUTES}"
        );
        errors.push(FieldError::invalid(path, attributes + capacities, &detail));
    }
    for (name, attribute) in device.attributes.iter().flatten() {
        let path = path.child("attributes").key(name);
        attribute_name(&path, name, errors);
        value(&path, attribute, errors);
    }
    for (name, capacity) in device.capacity.iter().flatten() {
        let path = path.child("capacity").key(name);
        attribute_name(&path, name, errors);
        if let Err(problem) = Quantity::parse(&capacity.value.0) {
            let value = capacity.value.0.as_str();
            let path = path.child("value");
            errors.push(FieldError::invalid(&path, value, &problem.to_string()));
        }
    }
}

fn attribute_name(path: &Path, name: &str, errors: &mut Errors) {
    match name.split_once('/') {
        Some(_) => qualified(path, name, errors),
        None => identifier(path, name, errors),
    }
}

fn value(path: &Path, attribute: &DeviceAttribute, errors: &mut Errors) {
    let set = [
        attribute.bool.is_some(),
        attribute.int.is_some(),
        attribute.string.is_some(),
        attribute.version.is_some(),
        attribute.bools.is_some(),
        attribute.ints.is_some(),
        attribute.strings.is_some(),
        attribute.versions.is_some(),
    ];
    match set.iter().filter(|it| **it).count() {
        0 => errors.push(FieldError::invalid(
            path,
            "",
            "exactly one value must be specified",
        )),
        1 => {}
        _ => errors.push(FieldError::invalid(
            path,
            "",
            "exactly one value must be specified",
        )),
    }
    let long = |text: &Option<String>| text.as_ref().is_some_and(|it| it.len() > MAX_VALUE_LENGTH);
    if long(&attribute.string) {
        let path = path.child("string");
        errors.push(FieldError::too_long(&path, MAX_VALUE_LENGTH));
    }
    if let Some(version) = &attribute.version {
        let path = path.child("version");
        if long(&attribute.version) {
            errors.push(FieldError::too_long(&path, MAX_VALUE_LENGTH));
        } else if !berth_scheduler::cel::is_version(version) {
            let detail = "must be a string compatible with semver.org spec 2.0.0";
            errors.push(FieldError::invalid(&path, version.as_str(), detail));
        }
    }
}
