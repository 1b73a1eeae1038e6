//! Fields of objects by their paths: members of maps, and items of lists by what identifies them.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

/// The path of a field: `.spec.template.spec.containers[name="c"].image`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Field(String),
    /// An item of a list, by its keys as JSON: `[containerPort=80,protocol="TCP"]`.
    Item(String),
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            Step::Field(name) => write!(f, ".{name}"),
            Step::Item(keys) => write!(f, "[{keys}]"),
        })
    }
}

impl Path {
    pub fn field(&self, name: &str) -> Self {
        self.and(Step::Field(name.to_owned()))
    }

    pub fn item(&self, keys: String) -> Self {
        self.and(Step::Item(keys))
    }

    fn and(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Path(steps)
    }

    pub fn is_of_status(&self) -> bool {
        matches!(self.0.first(), Some(Step::Field(name)) if name == "status")
    }

    /// Whether a field is this one or within it.
    pub fn holds(&self, other: &Path) -> bool {
        other.0.starts_with(&self.0)
    }

    pub fn is_item(&self) -> bool {
        matches!(self.0.last(), Some(Step::Item(_)))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Removes the field from an object.
    pub fn remove_from(&self, object: &mut Value) {
        remove(object, &self.0);
    }
}

fn remove(value: &mut Value, steps: &[Step]) {
    match (steps, value) {
        ([Step::Field(name)], Value::Object(map)) => drop(map.shift_remove(name)),
        ([Step::Field(name), rest @ ..], Value::Object(map)) => {
            let Some(own) = map.get_mut(name) else { return };
            match (rest, own) {
                ([Step::Item(keys)], Value::Array(items)) => {
                    items.retain(|item| item_key(name, item).as_ref() != Some(keys));
                }
                ([Step::Item(keys), rest @ ..], Value::Array(items)) => {
                    let mut items = items.iter_mut();
                    let is_it = |item: &&mut Value| item_key(name, item).as_ref() == Some(keys);
                    if let Some(item) = items.find(is_it) {
                        remove(item, rest);
                    }
                }
                (_, own) => remove(own, rest),
            }
        }
        _ => {}
    }
}

/// The keys of lists whose items are merged, with their defaults, by the list's own name; lists of others are one
/// field. A list of words that is a set has the empty key.
fn keys_of(list: &str, item: &Value) -> &'static [(&'static str, Option<&'static str>)] {
    match list {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "volumes"
        | "imagePullSecrets"
        | "resourceClaims"
        | "schedulingGates"
        | "claims"
        | "secrets"
        | "webhooks"
        | "matchConditions"
        | "variables" => &[("name", None)],
        "ports" if item.get("containerPort").is_some() => {
            &[("containerPort", None), ("protocol", Some("TCP"))]
        }
        "ports" if item.get("port").is_some() => &[("port", None), ("protocol", Some("TCP"))],
        "volumeMounts" => &[("mountPath", None)],
        "volumeDevices" => &[("devicePath", None)],
        "hostAliases" | "podIPs" | "hostIPs" => &[("ip", None)],
        "topologySpreadConstraints" => &[("topologyKey", None), ("whenUnsatisfiable", None)],
        "conditions" | "addresses" => &[("type", None)],
        "ownerReferences" => &[("uid", None)],
        "finalizers" => &[("", None)],
        _ => &[],
    }
}

/// What identifies an item of a list; `None` if the list is one field.
pub(super) fn item_key(list: &str, item: &Value) -> Option<String> {
    let keys = keys_of(list, item);
    match keys {
        [] => None,
        [("", _)] => Some(format!("={item}")),
        _ => {
            let keys = keys.iter().filter_map(|(name, default)| {
                let value = item.get(*name).cloned();
                let value = value.or(default.map(Value::from))?;
                Some(format!("{name}={value}"))
            });
            Some(keys.collect::<Vec<_>>().join(","))
        }
    }
}

/// Maps that are one field (`x-kubernetes-map-type: atomic`).
fn is_atomic(name: &str) -> bool {
    matches!(
        name,
        "labelSelector"
            | "nodeSelector"
            | "namespaceSelector"
            | "podSelector"
            | "objectSelector"
            | "selector"
            | "fieldRef"
            | "resourceFieldRef"
            | "configMapKeyRef"
            | "secretKeyRef"
            | "claimRef"
            | "roleRef"
    )
}

/// Metadata that nobody manages.
const UNMANAGED: [&str; 9] = [
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
];

/// Every field of an object that has a value of its own, and the items of its lists.
pub(crate) fn leaves(object: &Value) -> BTreeMap<Path, Value> {
    let mut found = BTreeMap::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        let path = Path::default().field(name);
        match (name.as_str(), value) {
            ("apiVersion" | "kind", _) => {}
            ("metadata", Value::Object(map)) => {
                let mut map = map.clone();
                map.retain(|name, _| !UNMANAGED.contains(&name.as_str()));
                members(&path, &map, &mut found);
            }
            _ => collect(&path, name, value, &mut found),
        }
    }
    found
}

fn members(path: &Path, map: &Map<String, Value>, found: &mut BTreeMap<Path, Value>) {
    for (name, value) in map {
        collect(&path.field(name), name, value, found);
    }
}

fn collect(path: &Path, name: &str, value: &Value, found: &mut BTreeMap<Path, Value>) {
    match value {
        Value::Object(map) if !map.is_empty() && !is_atomic(name) => members(path, map, found),
        Value::Array(items)
            if !items.is_empty() && items.iter().all(|it| item_key(name, it).is_some()) =>
        {
            for item in items {
                let Some(key) = item_key(name, item) else {
                    continue;
                };
                let path = path.item(key);
                found.insert(path.clone(), Value::Null);
                if let Value::Object(map) = item {
                    members(&path, map, found);
                }
            }
        }
        other => drop(found.insert(path.clone(), other.clone())),
    }
}

/// Merges an applied configuration into an object: maps member by member, lists item by item.
pub(super) fn merge(live: &mut Value, config: &Value) {
    merge_field("", live, config);
}

fn merge_field(name: &str, live: &mut Value, config: &Value) {
    match config {
        Value::Object(map) if !is_atomic(name) => {
            if !live.is_object() {
                *live = Value::Object(Map::new());
            }
            let Some(live) = live.as_object_mut() else {
                return;
            };
            for (name, value) in map {
                merge_field(name, live.entry(name).or_insert(Value::Null), value);
            }
        }
        Value::Array(items) if items.iter().all(|it| item_key(name, it).is_some()) => {
            if !live.is_array() {
                *live = Value::Array(Vec::new());
            }
            let Some(live) = live.as_array_mut() else {
                return;
            };
            for item in items {
                let key = item_key(name, item);
                match live.iter_mut().find(|own| item_key(name, own) == key) {
                    Some(own) => merge_field("", own, item),
                    None => live.push(item.clone()),
                }
            }
        }
        other => *live = other.clone(),
    }
}
