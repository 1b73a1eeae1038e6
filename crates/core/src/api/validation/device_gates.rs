//! ResourceSlices, ResourceClaims and DeviceClasses: checks of the fields that feature gates drop
//! (`pkg/apis/resource/validation` of v1.36). A dropped field is not checked.

mod capacity;
mod counters;

use std::collections::BTreeSet;

use k8s_openapi::api::resource::v1::{
    Device, DeviceClaim, DeviceClass, DeviceTaint, DeviceToleration, ResourceSlice,
    ResourceSliceSpec,
};
use serde_json::Value;

use super::affinity::node_selector;
use super::devices::{at_most, qualified};
use super::resources::is_extended;
use super::{Errors, invalid_each};
use berth_scheduler::field::{ErrorKind, FieldError, Path};
use berth_scheduler::names::{label_key, label_value_errors};
use berth_scheduler::release::{Gate, Release};

const MAX_DEVICES: usize = 128;
/// With taints, or counters that devices consume.
const MAX_ADVANCED_DEVICES: usize = 64;
const MAX_CONDITIONS: usize = 4;
/// In the API server's order.
const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];
const OPERATORS: [&str; 2] = ["Equal", "Exists"];

/// Which fields of devices a release keeps.
#[derive(Clone, Copy)]
struct Kept {
    partitions: bool,
    taints: bool,
    conditions: bool,
    capacity: bool,
    /// Counter sets have slices of their own. Before, devices shared the slice with the counters that they consume.
    own_slices: bool,
    max_taints: usize,
}

impl Kept {
    fn by(release: &Release) -> Self {
        let rules = release.rules();
        Self {
            partitions: release.is_on(Gate::DRAPartitionableDevices),
            taints: release.is_on(Gate::DRADeviceTaints),
            conditions: release.is_on(Gate::DRADeviceBindingConditions),
            capacity: release.is_on(Gate::DRAConsumableCapacity),
            own_slices: rules.counters_have_own_slices,
            max_taints: rules.max_device_taints,
        }
    }

    /// Device taint effects of the release.
    fn effects(self) -> &'static [&'static str] {
        match self.own_slices {
            true => &EFFECTS,
            false => EFFECTS.get(..2).unwrap_or_default(),
        }
    }
}

/// Before declarative validation, items of the same name were reported at the name.
fn name_duplicates(release: &Release, errors: &mut Errors) {
    if release.rules().validates_declaratively {
        return;
    }
    for error in errors {
        let list = error
            .path
            .strip_suffix(']')
            .and_then(|it| it.rsplit_once('['));
        let is_meant = list
            .is_some_and(|(list, _)| list.ends_with(".firstAvailable") || list == "spec.devices");
        if error.kind == ErrorKind::Duplicate && is_meant {
            error.path.push_str(".name");
        }
    }
}

/// The errors of a ResourceSlice.
#[inline(never)]
pub fn slice(slice: &ResourceSlice, release: &Release, errors: &mut Errors) {
    let kept = Kept::by(release);
    name_duplicates(release, errors);
    let (path, spec) = (Path::root().child("spec"), &slice.spec);
    places(&path, spec, kept, errors);
    let devices = spec.devices.as_deref().unwrap_or_default();
    if kept.partitions {
        if kept.own_slices && spec.shared_counters.is_some() && spec.devices.is_some() {
            let detail = "only one of `sharedCounters` or `devices` is allowed";
            errors.push(FieldError::invalid(&path, "", detail));
        }
        counters::counter_sets(&path, spec, kept, errors);
    }
    let list = path.child("devices");
    let is_advanced = devices.iter().any(|it| {
        let has_taints = kept.taints && it.taints.as_ref().is_some_and(|it| !it.is_empty());
        let counters = it.consumes_counters.as_ref();
        has_taints || kept.partitions && counters.is_some_and(|it| !it.is_empty())
    });
    let limit = match kept.own_slices && is_advanced {
        true => MAX_ADVANCED_DEVICES,
        false => MAX_DEVICES,
    };
    if devices.len() > limit {
        at_most(&list, devices.len(), limit, errors);
        return;
    }
    for (index, it) in devices.iter().enumerate() {
        device(&list.index(index), it, spec, kept, errors);
    }
}

/// The fields that select the nodes that see something, of which one must be set.
struct Places {
    set: Vec<&'static str>,
}

impl Places {
    fn flag(
        &mut self,
        path: &Path,
        name: (&'static str, &'static str),
        flag: Option<bool>,
        errors: &mut Errors,
    ) {
        match flag {
            None => {}
            Some(true) => self.set.push(name.1),
            Some(false) => {
                let detail = "must be either unset or set to true";
                errors.push(FieldError::invalid(&path.child(name.0), false, detail));
            }
        }
    }

    fn named(&mut self, path: &Path, name: Option<&String>, detail: &str, errors: &mut Errors) {
        match name.map(String::as_str) {
            None => {}
            Some("") => errors.push(FieldError::invalid(&path.child("nodeName"), "", detail)),
            Some(_) => self.set.push("`nodeName`"),
        }
    }

    fn text(&self) -> String {
        format!("{{{}}}", self.set.join(", "))
    }
}

fn places(path: &Path, spec: &ResourceSliceSpec, kept: Kept, errors: &mut Errors) {
    let mut places = Places { set: Vec::new() };
    let detail = "must be either unset or set to a non-empty string";
    places.named(path, spec.node_name.as_ref(), detail, errors);
    if let Some(selector) = &spec.node_selector {
        places.set.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        node_selector(&path, selector, errors);
        let terms = selector.node_selector_terms.len();
        if terms != 1 {
            let path = path.child("nodeSelectorTerms");
            let detail = "must have exactly one node selector term";
            errors.push(FieldError::invalid(&path, terms, detail));
        }
    }
    places.flag(path, ("allNodes", "`allNodes`"), spec.all_nodes, errors);
    if kept.partitions {
        let name = ("perDeviceNodeSelection", "`perDeviceNodeSelection`");
        places.flag(path, name, spec.per_device_node_selection, errors);
    }
    let detail = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    match places.set.len() {
        0 => errors.push(FieldError::required(path, detail)),
        1 => {}
        _ => {
            let detail = format!("{detail}, but multiple fields are set");
            errors.push(FieldError::invalid(path, places.text(), &detail));
        }
    }
}

fn device(path: &Path, device: &Device, spec: &ResourceSliceSpec, kept: Kept, errors: &mut Errors) {
    if kept.capacity {
        capacity::policies(path, device, errors);
    }
    if kept.taints {
        let taints = device.taints.as_deref().unwrap_or_default();
        let list = path.child("taints");
        if taints.len() > kept.max_taints {
            at_most(&list, taints.len(), kept.max_taints, errors);
        } else {
            for (index, it) in taints.iter().enumerate() {
                taint(&list.index(index), it, kept, errors);
            }
        }
    }
    if kept.partitions {
        counters::consumptions(path, device, spec, kept, errors);
        device_places(path, device, spec, errors);
    }
    if kept.conditions {
        binding_conditions(path, device, errors);
    }
}

fn taint(path: &Path, taint: &DeviceTaint, kept: Kept, errors: &mut Errors) {
    errors.extend(label_key(&path.child("key"), &taint.key));
    if let Some(value) = taint.value.as_deref().filter(|it| !it.is_empty()) {
        let path = path.child("value");
        invalid_each(&path, value, label_value_errors(value), errors);
    }
    let path = path.child("effect");
    if taint.effect.is_empty() {
        errors.push(FieldError::required(&path, ""));
    } else if !kept.effects().contains(&&*taint.effect) {
        errors.push(FieldError::not_supported(
            &path,
            &taint.effect,
            kept.effects(),
        ));
    }
}

fn device_places(path: &Path, device: &Device, spec: &ResourceSliceSpec, errors: &mut Errors) {
    if spec.per_device_node_selection != Some(true) {
        let is_set = device.node_name.is_some()
            || device.node_selector.is_some()
            || device.all_nodes.is_some();
        if is_set {
            let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
            errors.push(FieldError::invalid(path, Value::Null, detail));
        }
        return;
    }
    let mut places = Places { set: Vec::new() };
    let name = device.node_name.as_ref();
    places.named(path, name, "must not be empty", errors);
    if let Some(selector) = &device.node_selector {
        places.set.push("`nodeSelector`");
        node_selector(&path.child("nodeSelector"), selector, errors);
    }
    places.flag(path, ("allNodes", "`allNodes`"), device.all_nodes, errors);
    let detail = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    match places.set.len() {
        0 => errors.push(FieldError::required(path, detail)),
        1 => {}
        _ => errors.push(FieldError::invalid(path, places.text(), detail)),
    }
}

fn binding_conditions(path: &Path, device: &Device, errors: &mut Errors) {
    let wanted = device.binding_conditions.as_deref().unwrap_or_default();
    let failures = device
        .binding_failure_conditions
        .as_deref()
        .unwrap_or_default();
    let (wanted_path, failures_path) = (
        path.child("bindingConditions"),
        path.child("bindingFailureConditions"),
    );
    for (path, names) in [(&wanted_path, wanted), (&failures_path, failures)] {
        if names.len() > MAX_CONDITIONS {
            at_most(path, names.len(), MAX_CONDITIONS, errors);
            continue;
        }
        for (index, name) in names.iter().enumerate() {
            errors.extend(label_key(&path.index(index), name));
        }
    }
    for (path, names) in [(&wanted_path, wanted), (&failures_path, failures)] {
        let mut known = BTreeSet::new();
        for (index, name) in names.iter().enumerate() {
            if !known.insert(name) {
                errors.push(FieldError::duplicate(&path.index(index), name.as_str()));
            }
        }
    }
    for (index, name) in failures.iter().enumerate() {
        if wanted.contains(name) {
            let detail = "bindingFailureConditions must not overlap with bindingConditions";
            let path = failures_path.index(index);
            errors.push(FieldError::invalid(&path, name.as_str(), detail));
        }
    }
    if wanted.is_empty() && !failures.is_empty() {
        let detail = "bindingConditions are required to use bindingFailureConditions";
        errors.push(FieldError::invalid(&wanted_path, Value::Null, detail));
    }
    if failures.is_empty() && !wanted.is_empty() {
        let detail = "bindingFailureConditions are required to use bindingConditions";
        errors.push(FieldError::invalid(&failures_path, Value::Null, detail));
    }
}

/// The errors of a claim's requests and constraints; `path` is that of `devices`.
#[inline(never)]
pub fn claim(path: &Path, claim: Option<&DeviceClaim>, release: &Release, errors: &mut Errors) {
    let kept = Kept::by(release);
    name_duplicates(release, errors);
    let Some(claim) = claim else { return };
    for (index, request) in claim.requests.iter().flatten().enumerate() {
        let path = path.child("requests").index(index);
        if let Some(exactly) = &request.exactly {
            let path = path.child("exactly");
            tolerations(&path, exactly.tolerations.as_deref(), kept, errors);
        }
        let alternatives = request.first_available.iter().flatten();
        for (index, it) in alternatives.enumerate() {
            let path = path.child("firstAvailable").index(index);
            tolerations(&path, it.tolerations.as_deref(), kept, errors);
        }
    }
    for (index, constraint) in claim.constraints.iter().flatten().enumerate() {
        let path = path.child("constraints").index(index);
        if constraint.match_attribute.is_some() {
            continue;
        }
        let drops = !kept.capacity && release.rules().drops_distinct_attributes;
        match constraint.distinct_attribute.as_ref().filter(|_| !drops) {
            Some(name) => {
                qualified(&path.child("distinctAttribute"), name, errors);
            }
            None if !kept.capacity => {
                errors.push(FieldError::required(&path.child("matchAttribute"), ""));
            }
            None => {
                let detail = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
                errors.push(FieldError::required(&path, detail));
            }
        }
    }
}

fn tolerations(path: &Path, all: Option<&[DeviceToleration]>, kept: Kept, errors: &mut Errors) {
    for (index, it) in all.unwrap_or_default().iter().enumerate() {
        let path = path.child("tolerations").index(index);
        if let Some(key) = it.key.as_deref().filter(|it| !it.is_empty()) {
            errors.extend(label_key(&path.child("key"), key));
        }
        let value = it.value.as_deref().unwrap_or_default();
        match it.operator.as_deref().unwrap_or_default() {
            "Exists" if value.is_empty() => {}
            "Exists" => {
                let detail = "must be empty for operator `Exists`";
                errors.push(FieldError::invalid(&path.child("value"), value, detail));
            }
            // Absent ones become `Equal`.
            "" | "Equal" => {
                let path = path.child("value");
                invalid_each(&path, value, label_value_errors(value), errors);
            }
            other => errors.push(FieldError::not_supported(
                &path.child("operator"),
                other,
                &OPERATORS,
            )),
        }
        let effect = it.effect.as_deref().unwrap_or_default();
        if !effect.is_empty() && !kept.effects().contains(&effect) {
            let path = path.child("effect");
            errors.push(FieldError::not_supported(&path, effect, kept.effects()));
        }
    }
}

/// The errors of a DeviceClass.
#[inline(never)]
pub fn class(class: &DeviceClass, release: &Release, errors: &mut Errors) {
    if !release.is_on(Gate::DRAExtendedResource) {
        return;
    }
    let name = class.spec.extended_resource_name.as_deref();
    if let Some(name) = name.filter(|it| !is_extended(it)) {
        let path = Path::root().child("spec").child("extendedResourceName");
        let detail = "must be a valid extended resource name";
        errors.push(FieldError::invalid(&path, name, detail));
    }
}
