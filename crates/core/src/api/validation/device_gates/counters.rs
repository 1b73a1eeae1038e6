//! Counters that devices share and consume (feature gate DRAPartitionableDevices).

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::resource::v1::{Counter, Device, ResourceSliceSpec};

use super::Kept;
use crate::api::validation::Errors;
use crate::api::validation::devices::{at_most, required_label};
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};

const MAX_COUNTER_SETS: usize = 8;
const MAX_COUNTERS: usize = 32;
const MAX_CONSUMPTIONS: usize = 2;

pub(super) fn counter_sets(path: &Path, spec: &ResourceSliceSpec, kept: Kept, errors: &mut Errors) {
    let sets = spec.shared_counters.as_deref().unwrap_or_default();
    let list = path.child("sharedCounters");
    if kept.own_slices && sets.len() > MAX_COUNTER_SETS {
        at_most(&list, sets.len(), MAX_COUNTER_SETS, errors);
        return;
    }
    let mut names = BTreeSet::new();
    for (index, set) in sets.iter().enumerate() {
        let path = list.index(index);
        required_label(&path.child("name"), &set.name, errors);
        counters(&path, &set.counters, errors);
        if !names.insert(&*set.name) {
            errors.push(FieldError::duplicate(&path, &*set.name));
        }
    }
}

fn counters(path: &Path, counters: &BTreeMap<String, Counter>, errors: &mut Errors) {
    let path = path.child("counters");
    if counters.is_empty() {
        errors.push(FieldError::required(&path, ""));
        return;
    }
    if counters.len() > MAX_COUNTERS {
        at_most(&path, counters.len(), MAX_COUNTERS, errors);
        return;
    }
    for (name, counter) in counters {
        let path = path.key(name);
        required_label(&path, name, errors);
        if let Err(problem) = Quantity::parse(&counter.value.0) {
            let (path, value) = (path.child("value"), counter.value.0.as_str());
            errors.push(FieldError::invalid(&path, value, &problem.to_string()));
        }
    }
}

pub(super) fn consumptions(
    path: &Path,
    device: &Device,
    spec: &ResourceSliceSpec,
    kept: Kept,
    errors: &mut Errors,
) {
    let all = device.consumes_counters.as_deref().unwrap_or_default();
    let list = path.child("consumesCounters");
    if kept.own_slices && all.len() > MAX_CONSUMPTIONS {
        at_most(&list, all.len(), MAX_CONSUMPTIONS, errors);
        return;
    }
    let mut names = BTreeSet::new();
    for (index, it) in all.iter().enumerate() {
        let path = list.index(index);
        required_label(&path.child("counterSet"), &it.counter_set, errors);
        counters(&path, &it.counters, errors);
        if !kept.own_slices {
            references(&path, &it.counter_set, &it.counters, spec, errors);
        }
        if !names.insert(&*it.counter_set) {
            errors.push(FieldError::duplicate(&path, &*it.counter_set));
        }
    }
}

/// Where the counters are in the same slice, what devices consume must be there.
fn references(
    path: &Path,
    set: &str,
    consumed: &BTreeMap<String, Counter>,
    spec: &ResourceSliceSpec,
    errors: &mut Errors,
) {
    let mut sets = spec.shared_counters.iter().flatten();
    let Some(known) = sets.find(|it| it.name == set) else {
        let detail = "must reference a counterSet defined in the ResourceSlice sharedCounters";
        errors.push(FieldError::invalid(&path.child("counterSet"), set, detail));
        return;
    };
    for name in consumed.keys() {
        if !known.counters.contains_key(name) {
            let detail = "must reference a counter defined in the ResourceSlice sharedCounters";
            let path = path.child("counters");
            errors.push(FieldError::invalid(&path, name.as_str(), detail));
        }
    }
}
