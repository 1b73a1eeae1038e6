//! LimitRanges and ResourceQuotas (`ValidateLimitRange`, `ValidateResourceQuotaSpec`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::read::{at, list, text};
use super::{Site, Walk};
use crate::api::validation::resources::{
    container_resource_name, may_overcommit, resource_quantity,
};
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::label_key_errors;

const LIMITED: [&str; 3] = ["Container", "PersistentVolumeClaim", "Pod"];
const SCOPES: [&str; 7] = [
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
];
const CONFLICTS: [[&str; 2]; 2] = [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
];

/// Resources that a quota can limit, without a group.
const IN_QUOTAS: [&str; 19] = [
    "configmaps",
    "cpu",
    "ephemeral-storage",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "memory",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
];
const OF_PODS: [&str; 7] = [
    "cpu",
    "limits.cpu",
    "limits.memory",
    "memory",
    "pods",
    "requests.cpu",
    "requests.memory",
];

fn is_quota_resource(name: &str) -> bool {
    IN_QUOTAS.contains(&name)
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
}

/// `validateResourceName`.
fn resource_name(walk: &mut Walk<'_>, path: &Path, name: &str) -> bool {
    let malformed = label_key_errors(name);
    if !malformed.is_empty() {
        walk.invalid_each(path, name, malformed);
        return false;
    }
    if !name.contains('/') && name != "storage" && !is_quota_resource(name) {
        let detail = "must be a standard resource type or fully qualified";
        walk.invalid(path, name, detail);
        return false;
    }
    true
}

fn entries<'a>(owner: &'a Value, field: &str) -> Vec<(&'a str, Quantity)> {
    let map = owner.get(field).and_then(Value::as_object);
    let entries = map.into_iter().flatten();
    entries
        .map(|(name, amount)| {
            let amount = Quantity::parse(amount.as_str().unwrap_or_default());
            (name.as_str(), amount.unwrap_or_default())
        })
        .collect()
}

/// The items of a LimitRange.
pub fn limits(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut kinds = BTreeSet::new();
    for (place, item) in list(site.owner, "limits").iter().enumerate() {
        let (path, kind) = (site.path().index(place), text(item, "type"));
        let named = path.child("type");
        let malformed = label_key_errors(kind);
        if malformed.is_empty() && !kind.contains('/') && !LIMITED.contains(&kind) {
            walk.invalid(
                &named,
                kind,
                "must be a standard limit type or fully qualified",
            );
        }
        walk.invalid_each(&named, kind, malformed);
        if !kinds.insert(kind) {
            walk.errors.push(FieldError::duplicate(&named, kind));
        }
        names(walk, item, kind, &path);
        let mut keys: BTreeSet<&str> = BTreeSet::new();
        for field in [
            "max",
            "min",
            "default",
            "defaultRequest",
            "maxLimitRequestRatio",
        ] {
            let is_counted = kind != "Pod" || !field.starts_with("default");
            keys.extend(
                entries(item, field)
                    .iter()
                    .filter(|_| is_counted)
                    .map(|(name, _)| *name),
            );
        }
        for key in keys {
            amounts(walk, item, kind, key, &path);
        }
    }
}

/// The names of the resources of an item, list by list.
fn names(walk: &mut Walk<'_>, item: &Value, kind: &str, path: &Path) {
    let check = |walk: &mut Walk<'_>, field: &str| {
        for (name, _) in entries(item, field) {
            let path = path.child(field).key(name);
            match kind {
                "Pod" | "Container" => container_resource_name(&path, name, walk.errors),
                _ => {
                    resource_name(walk, &path, name);
                }
            }
        }
    };
    check(walk, "max");
    check(walk, "min");
    for field in ["default", "defaultRequest"] {
        if kind != "Pod" {
            check(walk, field);
        } else if !entries(item, field).is_empty() {
            let detail = "may not be specified when `type` is 'Pod'";
            walk.forbidden(&path.child(field), detail);
        }
    }
    let has_storage = |field: &str| {
        entries(item, field)
            .iter()
            .any(|(name, _)| *name == "storage")
    };
    if kind == "PersistentVolumeClaim" && !has_storage("min") && !has_storage("max") {
        let detail =
            "either minimum or maximum storage value is required, but neither was provided";
        walk.required(&path.child("limits"), detail);
    }
    check(walk, "maxLimitRequestRatio");
}

/// How the amounts of one resource must relate.
fn amounts(walk: &mut Walk<'_>, item: &Value, kind: &str, key: &str, path: &Path) {
    let of = |field: &str| {
        let is_read = kind != "Pod" || !field.starts_with("default");
        let mut all = entries(item, field).into_iter().filter(|_| is_read);
        all.find(|(name, _)| *name == key).map(|(_, amount)| amount)
    };
    let (min, max) = (of("min"), of("max"));
    let (limit, request) = (of("default"), of("defaultRequest"));
    // Of two amounts, the first must not be greater: the field, the amount that is shown, the words.
    for (low, high, field, shown, words) in [
        (min, max, "min", min, ["min value", "max value"]),
        (
            min,
            request,
            "defaultRequest",
            request,
            ["min value", "default request value"],
        ),
        (
            request,
            max,
            "defaultRequest",
            request,
            ["default request value", "max value"],
        ),
        (
            request,
            limit,
            "defaultRequest",
            request,
            ["default request value", "default limit value"],
        ),
        (min, limit, "default", min, ["min value", "default value"]),
        (limit, max, "default", max, ["default value", "max value"]),
    ] {
        if let (Some(low), Some(high), Some(shown)) = (low, high, shown)
            && low > high
        {
            let detail = format!("{} {low} is greater than {} {high}", words[0], words[1]);
            walk.invalid(&path.child(field).key(key), shown.to_string(), &detail);
        }
    }
    if let Some(ratio) = of("maxLimitRequestRatio") {
        let path = path.child("maxLimitRequestRatio").key(key);
        if ratio.milli_value() < 1000 {
            let detail = format!("ratio {ratio} is less than 1");
            walk.invalid(&path, ratio.to_string(), &detail);
        }
        if let (Some(min), Some(max)) = (min, max) {
            #[allow(clippy::cast_precision_loss)]
            let most = max.milli_value() as f64 / min.milli_value() as f64;
            #[allow(clippy::cast_precision_loss)]
            let is_greater = ratio.milli_value() as f64 / 1000.0 > most;
            if is_greater {
                let detail = format!("ratio {ratio} is greater than max/min = {most:.6}");
                walk.invalid(&path, ratio.to_string(), &detail);
            }
        }
    }
    if let (Some(limit), Some(request)) = (limit, request)
        && limit != request
        && !may_overcommit(key)
    {
        let detail =
            format!("default value {limit} must equal to defaultRequest value {request} in {key}");
        walk.invalid(
            &path.child("defaultRequest").key(key),
            request.to_string(),
            &detail,
        );
    }
}

/// The amounts of a ResourceQuota.
pub fn hard(walk: &mut Walk<'_>, site: &Site<'_>) {
    for (name, amount) in entries(site.owner, "hard") {
        let path = site.path().key(name);
        if (resource_name(walk, &path, name)
            || !name.contains('/') && label_key_errors(name).is_empty())
            && !name.contains('/')
            && !is_quota_resource(name)
        {
            walk.invalid(&path, name, "must be a standard resource for quota");
        }
        resource_quantity(&path, name, &amount.to_string(), walk.errors);
    }
}

/// Whether a scope can be applied to a resource.
fn applies(scope: &str, resource: &str) -> bool {
    match scope {
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => {
            matches!(resource, "persistentvolumeclaims" | "requests.storage")
        }
        _ if SCOPES.contains(&scope) => OF_PODS.contains(&resource),
        _ => true,
    }
}

/// Reports each resource of the quota to which a scope does not apply.
fn inapplicable(walk: &mut Walk<'_>, spec: &Value, scope: &str, path: &Path, shown: &Value) {
    let mut names: Vec<&str> = entries(spec, "hard")
        .iter()
        .map(|(name, _)| *name)
        .collect();
    names.sort_unstable();
    for _ in names
        .into_iter()
        .filter(|name| is_quota_resource(name) && !applies(scope, name))
    {
        walk.invalid(path, shown.clone(), "unsupported scope applied to resource");
    }
}

/// `validateResourceQuotaScopes`.
pub fn scopes(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    let scopes: Vec<&str> = list(site.owner, "scopes")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for scope in &scopes {
        if !SCOPES.contains(scope) {
            walk.invalid(&path, site.value.clone(), "unsupported scope");
        }
        inapplicable(walk, site.owner, scope, &path, site.value);
    }
    for _ in CONFLICTS
        .iter()
        .filter(|pair| pair.iter().all(|it| scopes.contains(it)))
    {
        walk.invalid(&path, site.value.clone(), "conflicting scopes");
    }
}

/// `validateScopedResourceSelectorRequirement`.
pub fn scope_selector(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path().child("matchExpressions");
    let requirements = list(site.value, "matchExpressions");
    let shown = json!({"MatchExpressions": requirements.iter().map(|it| {
        json!({"ScopeName": text(it, "scopeName"), "Operator": text(it, "operator"), "Values": it.get("values")})
    }).collect::<Vec<_>>()});
    for requirement in requirements {
        let (scope, operator) = (
            text(requirement, "scopeName"),
            text(requirement, "operator"),
        );
        let values = list(requirement, "values");
        if !SCOPES.contains(&scope) {
            walk.invalid(&path.child("scopeName"), scope, "unsupported scope");
        }
        inapplicable(walk, site.owner, scope, &path, &shown);
        let needs_existence = SCOPES[..4].contains(&scope) || scope == "Terminating";
        if needs_existence && operator != "Exists" {
            let detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
            walk.invalid(&path.child("operator"), operator, detail);
        }
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                let detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                walk.required(&path.child("values"), detail);
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                walk.invalid(&path.child("values"), values.to_vec(), detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => walk.invalid(
                &path.child("operator"),
                operator,
                "not a valid selector operator",
            ),
        }
    }
    let names: Vec<&str> = requirements
        .iter()
        .map(|it| text(it, "scopeName"))
        .collect();
    for _ in CONFLICTS
        .iter()
        .filter(|pair| pair.iter().all(|it| names.contains(it)))
    {
        let scopes = at(site.owner, "scopes").cloned().unwrap_or_default();
        walk.invalid(&path, scopes, "conflicting scopes");
    }
}
