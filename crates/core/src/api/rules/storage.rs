//! Storage: rules that concern several fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::read::{at, has, list, number, text};
use super::{Site, Walk};
use berth_scheduler::field::FieldError;
use berth_scheduler::names::{dns_subdomain_errors, label_key, label_key_errors};

const MIN_TOKEN_SECONDS: i64 = 600;
const MAX_TOKEN_SECONDS: i64 = 1 << 32;
const MIN_UPDATE_SECONDS: i64 = 10;
const MAX_NODE_ID_BYTES: usize = 256;
const MAX_PARAMETERS: usize = 512;
const MAX_PARAMETER_BYTES: usize = 256 * 1024;

/// `validateParameters`.
pub fn parameters(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    let entries = || site.value.as_object().into_iter().flatten();
    if entries().count() > MAX_PARAMETERS {
        walk.errors
            .push(FieldError::too_long(&path, MAX_PARAMETERS));
        return;
    }
    for _ in entries().filter(|(key, _)| key.is_empty()) {
        walk.invalid(&path, "", "field can not be empty.");
    }
    let bytes: usize = entries()
        .map(|(key, value)| key.len() + value.as_str().unwrap_or_default().len())
        .sum();
    if bytes > MAX_PARAMETER_BYTES {
        walk.errors
            .push(FieldError::too_long(&path, MAX_PARAMETER_BYTES));
    }
}

/// `validateAllowedTopologies`. The API server compares each term with an unset one per term as well, so one without
/// expressions repeats as many.
pub fn topologies(walk: &mut Walk<'_>, site: &Site<'_>) {
    let terms = list(site.owner, "allowedTopologies");
    let mut seen: Vec<BTreeMap<&str, BTreeSet<&str>>> = vec![BTreeMap::new(); terms.len()];
    for (place, term) in terms.iter().enumerate() {
        let path = site.path().index(place).child("matchLabelExpressions");
        let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (place, requirement) in list(term, "matchLabelExpressions").iter().enumerate() {
            let path = path.index(place);
            let (key, values) = (text(requirement, "key"), list(requirement, "values"));
            if values.is_empty() {
                walk.required(&path.child("values"), "");
            }
            let mut set = BTreeSet::new();
            for (place, value) in values.iter().enumerate() {
                let value = value.as_str().unwrap_or_default();
                if !set.insert(value) {
                    let path = path.child("values").index(place);
                    walk.errors.push(FieldError::duplicate(&path, value));
                }
            }
            walk.errors.extend(label_key(&path.child("key"), key));
            if wanted.insert(key, set).is_some() {
                walk.errors
                    .push(FieldError::duplicate(&path.child("key"), key));
            }
        }
        for _ in seen.iter().filter(|other| **other == wanted) {
            walk.errors.push(FieldError::duplicate(&path, ""));
        }
        seen.push(wanted);
    }
}

/// `validateTokenRequests`.
pub fn token_requests(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut seen = BTreeSet::new();
    for (place, request) in list(site.owner, "tokenRequests").iter().enumerate() {
        let path = site.path().index(place);
        let audience = text(request, "audience");
        if !seen.insert(audience) {
            walk.errors
                .push(FieldError::duplicate(&path.child("audience"), audience));
            continue;
        }
        let Some(seconds) = number(request, "expirationSeconds") else {
            continue;
        };
        let path = path.child("expirationSeconds");
        if seconds < MIN_TOKEN_SECONDS {
            walk.invalid(
                &path,
                seconds,
                "may not specify a duration less than 10 minutes",
            );
        }
        if seconds > MAX_TOKEN_SECONDS {
            walk.invalid(
                &path,
                seconds,
                "may not specify a duration larger than 2^32 seconds",
            );
        }
    }
}

/// Parameters of a driver: a JSON object, whose content is not shown.
pub fn parameters_given(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    match site.value {
        Value::Null => walk.required(&path, ""),
        Value::Object(_) => {}
        _ => walk.invalid(&path, "<value omitted>", "must be a valid JSON object"),
    }
}

/// What of a driver depends on other fields.
pub fn driver_switches(walk: &mut Walk<'_>, site: &Site<'_>) {
    let field = "nodeAllocatableUpdatePeriodSeconds";
    if let Some(seconds) = number(site.value, field).filter(|it| *it < MIN_UPDATE_SECONDS) {
        let detail = "must be greater than or equal to 10 seconds";
        walk.invalid(&site.path().child(field), seconds, detail);
    }
    let field = "serviceAccountTokenInSecrets";
    if let Some(flag) = at(site.value, field)
        && list(site.value, "tokenRequests").is_empty()
    {
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        walk.invalid(&site.path().child(field), flag.clone(), detail);
    }
}

pub fn node_id(walk: &mut Walk<'_>, site: &Site<'_>) {
    let id = site.value.as_str().unwrap_or_default();
    if id.len() > MAX_NODE_ID_BYTES {
        let detail = format!("must be {MAX_NODE_ID_BYTES} characters or less");
        walk.invalid(&site.path(), id, &detail);
    }
}

/// `validateCSINodeDrivers`; topology keys are reported at the driver.
pub fn drivers(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut names = BTreeSet::new();
    for (place, driver) in list(site.owner, "drivers").iter().enumerate() {
        let path = site.path().index(place);
        walk.structure("CSINodeDriver", driver, &path);
        let name = text(driver, "name");
        if !names.insert(name) {
            walk.errors
                .push(FieldError::duplicate(&path.child("name"), name));
        }
        let mut keys = BTreeSet::new();
        for key in list(driver, "topologyKeys") {
            let key = key.as_str().unwrap_or_default();
            if key.is_empty() {
                walk.required(&path, "");
            }
            if !keys.insert(key) {
                walk.errors.push(FieldError::duplicate(&path, key));
            }
            walk.invalid_each(&path, key, label_key_errors(key));
        }
    }
}

/// What a source of data refers to: claims, or a kind of a named group.
pub fn referred_group(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (group, kind) = (text(site.value, "apiGroup"), text(site.value, "kind"));
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        walk.invalid(&site.path(), kind, detail);
    }
    if !group.is_empty() {
        walk.invalid_each(
            &site.path().child("apiGroup"),
            group,
            dns_subdomain_errors(group),
        );
    }
}

/// Both sources of data of a claim, which must be equal.
pub fn data_sources(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (old, new) = (
        at(site.value, "dataSource"),
        at(site.value, "dataSourceRef"),
    );
    let path = site.path();
    let mut sources = [("dataSource", old), ("dataSourceRef", new)].into_iter();
    for (field, source) in sources.by_ref() {
        if let Some(source) = source {
            walk.structure("TypedObjectReference", source, &path.child(field));
        }
    }
    let (Some(old), Some(new)) = (old, new) else {
        return;
    };
    let shown: Value = path.child("dataSource").as_str().into();
    let same = ["apiGroup", "kind", "name"]
        .iter()
        .all(|field| text(old, field) == text(new, field));
    if has(new, "namespace") && !text(new, "namespace").is_empty() {
        let detail = "may not be specified when dataSourceRef.namespace is specified";
        walk.invalid(&path, shown, detail);
    } else if !same {
        walk.invalid(&path, shown, "must match dataSourceRef");
    }
}
