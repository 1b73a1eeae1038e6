//! Strategic merge patches, and `kubectl apply` on an existing object (apimachinery v1.34 `strategicpatch`): lists with
//! a merge key are merged item by item.

use serde_json::{Map, Value};

/// The merge keys of lists, by the list's own field. `ports` has two candidates.
pub(super) fn keys_of(list: &str) -> &'static [&'static str] {
    match list {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "volumes"
        | "env"
        | "imagePullSecrets"
        | "resourceClaims"
        | "secrets" => &["name"],
        "ports" => &["containerPort", "port"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "hostAliases" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey"],
        "conditions" | "addresses" => &["type"],
        "ownerReferences" => &["uid"],
        _ => &[],
    }
}

/// The merge key of these lists, if all items have it.
fn key_of(list: &str, lists: [&Value; 2]) -> Option<&'static str> {
    let items = || lists.into_iter().filter_map(Value::as_array).flatten();
    let is_kept = |item: &Value| item.get("$patch").is_none_or(|it| it != "replace");
    keys_of(list).iter().copied().find(|key| {
        items()
            .filter(|item| is_kept(item))
            .all(|item| item.get(key).is_some_and(|value| !value.is_null()))
            && items().next().is_some()
    })
}

/// Lists of primitives that are merged instead of replaced.
fn is_set(list: &str) -> bool {
    list == "finalizers"
}

/// Applies a strategic merge patch.
pub fn strategic(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    match patch.get("$patch").and_then(Value::as_str) {
        Some("replace") => {
            *target = Value::Object(without_directives(patch));
            return;
        }
        Some("delete") => {
            *target = Value::Null;
            return;
        }
        _ => {}
    }
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(target) = target.as_object_mut() else {
        return;
    };
    if let Some(kept) = patch.get("$retainKeys").and_then(Value::as_array) {
        target.retain(|key, _| kept.iter().any(|it| it == key));
    }
    for (key, value) in patch {
        if let Some(list) = key.strip_prefix("$deleteFromPrimitiveList/") {
            if let (Some(Value::Array(items)), Some(gone)) =
                (target.get_mut(list), value.as_array())
            {
                items.retain(|item| !gone.contains(item));
            }
        } else if key.starts_with('$') {
            // All other directives are ignored, for example `$setElementOrder`.
        } else if value.is_null() {
            target.shift_remove(key);
        } else {
            let own = target.entry(key).or_insert(Value::Null);
            merge_field(key, own, value);
        }
    }
}

fn merge_field(name: &str, target: &mut Value, patch: &Value) {
    let Value::Array(items) = patch else {
        strategic(target, patch);
        return;
    };
    if is_set(name)
        && let Value::Array(own) = target
    {
        let new = items.iter().filter(|item| !own.contains(item));
        let new: Vec<Value> = new.cloned().collect();
        own.extend(new);
        return;
    }
    let Some(key) = key_of(name, [target, patch]) else {
        let plain = items.iter().filter(|item| item.get("$patch").is_none());
        *target = Value::Array(plain.cloned().collect());
        return;
    };
    if items
        .iter()
        .any(|item| item.get("$patch").is_some_and(|it| it == "replace"))
    {
        let plain = items.iter().filter(|item| item.get("$patch").is_none());
        *target = Value::Array(plain.cloned().collect());
        return;
    }
    let own = match target {
        Value::Array(own) => std::mem::take(own),
        _ => Vec::new(),
    };
    *target = Value::Array(merge_items(key, own, items));
}

/// Merges items by their key, in the order of [`in_order`].
fn merge_items(key: &str, own: Vec<Value>, items: &[Value]) -> Vec<Value> {
    let order = order_of(key, &own);
    let mut rest = own;
    let mut patched: Vec<Value> = Vec::new();
    for item in items {
        let is_same = |it: &Value| it.get(key) == item.get(key);
        let found = rest.iter().position(is_same).map(|at| rest.remove(at));
        if item.get("$patch").is_some_and(|it| it == "delete") {
            continue;
        }
        if let Some(again) = patched.iter_mut().find(|it| is_same(it)) {
            strategic(again, item);
            continue;
        }
        let mut merged = found.unwrap_or_default();
        strategic(&mut merged, item);
        patched.push(merged);
    }
    in_order(key, &order, patched, rest)
}

/// The merge keys of a list's items.
fn order_of(key: &str, items: &[Value]) -> Vec<Option<Value>> {
    items.iter().map(|item| item.get(key).cloned()).collect()
}

/// The items of a patch in its order, and the others between them: each before the first item of the patch that follows
/// it in the object, or at the end. New items thus come first, as apimachinery's `strategicpatch` puts them.
fn in_order(
    key: &str,
    order: &[Option<Value>],
    patched: Vec<Value>,
    rest: Vec<Value>,
) -> Vec<Value> {
    let place = |item: &Value| order.iter().position(|it| it.as_ref() == item.get(key));
    let mut rest = rest.into_iter().peekable();
    let mut all = Vec::new();
    for item in patched {
        if let Some(at) = place(&item) {
            while let Some(other) = rest.next_if(|it| place(it).is_some_and(|it| it < at)) {
                all.push(other);
            }
        }
        all.push(item);
    }
    all.extend(rest);
    all
}

fn without_directives(patch: &Map<String, Value>) -> Map<String, Value> {
    let mut plain = patch.clone();
    plain.retain(|key, _| !key.starts_with('$'));
    plain
}

/// Applies a manifest to an existing object: removes the fields that `before` set and `now` lacks. Fields of other
/// writers stay.
pub fn apply_again(live: &mut Value, before: &Value, now: &Value) {
    merge_applied("", live, before, now);
}

fn merge_applied(name: &str, live: &mut Value, before: &Value, now: &Value) {
    match now {
        Value::Object(wanted) => {
            if !live.is_object() {
                *live = Value::Object(Map::new());
            }
            let Some(live) = live.as_object_mut() else {
                return;
            };
            for key in before.as_object().into_iter().flat_map(Map::keys) {
                if !wanted.contains_key(key) {
                    live.shift_remove(key);
                }
            }
            // Strategies are patched with `retainKeys`: fields that the manifest lacks are dropped, unless the type is
            // `RollingUpdate`.
            if matches!(name, "strategy" | "updateStrategy") && wanted.contains_key("type") {
                live.retain(|key, _| {
                    wanted.contains_key(key) || wanted.get("type") == Some(&"RollingUpdate".into())
                });
            }
            for (key, value) in wanted {
                if value.is_null() {
                    live.shift_remove(key);
                    continue;
                }
                let applied = before.get(key).unwrap_or(&Value::Null);
                merge_applied(key, live.entry(key).or_insert(Value::Null), applied, value);
            }
        }
        Value::Array(items) => match key_of(name, [live, now]) {
            Some(key) => merge_applied_items(key, live, before, items),
            None => *live = now.clone(),
        },
        plain => *live = plain.clone(),
    }
}

/// Merges items in the manifest's order, and those of other writers between them ([`in_order`]).
fn merge_applied_items(key: &str, live: &mut Value, before: &Value, items: &[Value]) {
    let mut own = match live {
        Value::Array(own) => std::mem::take(own),
        _ => Vec::new(),
    };
    let order = order_of(key, &own);
    let applied = before.as_array().map_or(&[][..], Vec::as_slice);
    let of = |list: &[Value], item: &Value| list.iter().position(|it| it.get(key) == item.get(key));
    let mut made = Vec::new();
    for item in items {
        let mut merged = match of(&own, item) {
            Some(place) => own.remove(place),
            None => Value::Null,
        };
        let before = of(applied, item).and_then(|place| applied.get(place));
        merge_applied("", &mut merged, before.unwrap_or(&Value::Null), item);
        made.push(merged);
    }
    own.retain(|item| of(applied, item).is_none());
    *live = Value::Array(in_order(key, &order, made, own));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn named_items_are_merged_and_others_replaced() {
        let mut pod = json!({"spec": {
            "containers": [{"name": "a", "image": "a:1", "args": ["x"]}, {"name": "b"}],
            "tolerations": [{"key": "old"}],
        }});
        strategic(
            &mut pod,
            &json!({"spec": {
                "containers": [{"name": "a", "image": "a:2"}, {"name": "b", "$patch": "delete"}, {"name": "c"}],
                "tolerations": [{"key": "new"}],
                "nodeName": null,
            }}),
        );
        assert_eq!(
            pod,
            json!({"spec": {
                "containers": [{"name": "a", "image": "a:2", "args": ["x"]}, {"name": "c"}],
                "tolerations": [{"key": "new"}],
            }})
        );
    }

    #[test]
    fn other_items_keep_their_place_between_those_of_a_patch() {
        let merged = |live: &[&str], patch: &[&str]| {
            let list = |names: &[&str]| {
                let items = names.iter().map(|name| json!({"name": name}));
                json!({"containers": items.collect::<Vec<_>>()})
            };
            let names = |object: &Value| {
                let items = object["containers"].as_array().unwrap();
                let names = items.iter().map(|item| item["name"].as_str().unwrap());
                names.collect::<Vec<_>>().join(" ")
            };
            let (mut patched, mut applied) = (list(live), list(live));
            strategic(&mut patched, &list(patch));
            apply_again(&mut applied, &Value::Null, &list(patch));
            assert_eq!(names(&patched), names(&applied), "{live:?} {patch:?}");
            names(&patched)
        };
        // The example of the task "Update API Objects in Place Using kubectl patch".
        assert_eq!(merged(&["nginx"], &["redis"]), "redis nginx");
        assert_eq!(merged(&["a", "b"], &["b"]), "a b");
        assert_eq!(merged(&["a", "b", "c"], &["c", "a"]), "b c a");
        assert_eq!(merged(&["proxy", "a"], &["a", "new"]), "proxy a new");
        assert_eq!(merged(&["a", "b"], &["new", "b"]), "new a b");
    }

    #[test]
    fn directives_replace_and_remove() {
        let mut object = json!({"metadata": {"finalizers": ["a", "b"]}, "spec": {"x": 1, "y": 2}});
        strategic(
            &mut object,
            &json!({
                "metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]},
                "spec": {"$patch": "replace", "z": 3},
            }),
        );
        assert_eq!(
            object,
            json!({"metadata": {"finalizers": ["b"]}, "spec": {"z": 3}})
        );
    }

    #[test]
    fn applying_again_removes_only_what_the_last_manifest_set() {
        let mut live = json!({
            "metadata": {"labels": {"a": "1", "theirs": "x"}},
            "spec": {
                "replicas": 3,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
                "containers": [
                    {"name": "old"},
                    {"name": "a", "image": "a:1", "env": [{"name": "E", "value": "1"}], "policy": "Always"},
                    {"name": "injected"},
                ],
            },
        });
        let before = json!({
            "metadata": {"labels": {"a": "1"}},
            "spec": {"replicas": 3, "containers": [
                {"name": "old"}, {"name": "a", "image": "a:1", "env": [{"name": "E", "value": "1"}]},
            ]},
        });
        let now = json!({
            "spec": {"strategy": {"type": "Recreate"}, "containers": [{"name": "a", "image": "a:2"}]},
        });
        apply_again(&mut live, &before, &now);
        assert_eq!(
            live,
            json!({
                "spec": {
                    "strategy": {"type": "Recreate"},
                    "containers": [
                        {"name": "a", "image": "a:2", "policy": "Always"}, {"name": "injected"},
                    ],
                },
            })
        );
    }
}
