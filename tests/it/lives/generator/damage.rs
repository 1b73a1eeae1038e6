//! Damaged manifests: some values of the parsed tree are replaced, and rare fields are inserted.

use berth_base::random::Random;
use serde_json::{Map, Value, json};

/// JSON values that no field expects.
const ODD: [&str; 44] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "3",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "-0.5",
    "0.1",
    r#""""#,
    r#"" ""#,
    r#""0""#,
    r#""-1""#,
    r#""100%""#,
    r#""-7%""#,
    r#""999999999999%""#,
    r#""~""#,
    r#""true""#,
    r#""NaN""#,
    r#""1e99""#,
    r#""1Ki""#,
    r#""0.5m""#,
    r#""9223372036854775807""#,
    r#""Grüße-\u0007""#,
    r#""\u0661\u0662""#,
    r#""\ud83d\udea2""#,
    r#""../..""#,
    r#""{{}}""#,
    r#""In""#,
    r#""Exists""#,
    r#""NoExecute""#,
    r#""kubernetes.io/hostname""#,
    r#""2025-01-01T00:00:00Z""#,
    "[]",
    "{}",
    "[null]",
    r#"{"": {"": [[]]}}"#,
];

/// Valid but rare fields, by their place: in `metadata`, in `spec`, in a Pod's `spec`, in a container.
const META: [&str; 8] = [
    r#"{"finalizers": ["example.com/hold"]}"#,
    r#"{"finalizers": ["foregroundDeletion"]}"#,
    r#"{"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set0", "uid": "none", "controller": true}]}"#,
    r#"{"deletionTimestamp": "2025-01-01T00:00:10Z", "uid": "odd"}"#,
    r#"{"resourceVersion": "1", "generation": -1}"#,
    r#"{"namespace": "other"}"#,
    r#"{"generateName": "made-", "name": null}"#,
    r#"{"creationTimestamp": "2035-01-01T00:00:00Z"}"#,
];
const SPEC: [&str; 12] = [
    r#"{"paused": true}"#,
    r#"{"minReadySeconds": 86400}"#,
    r#"{"progressDeadlineSeconds": 1}"#,
    r#"{"revisionHistoryLimit": 0}"#,
    r#"{"selector": {}}"#,
    r#"{"selector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web0"]}]}}"#,
    r#"{"ordinals": {"start": 5}}"#,
    r#"{"backoffLimitPerIndex": 1, "maxFailedIndexes": 0}"#,
    r#"{"podFailurePolicy": {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}]}}"#,
    r#"{"timeZone": "Europe/Berlin", "startingDeadlineSeconds": 5}"#,
    r#"{"timeZone": "Nowhere/Else"}"#,
    r#"{"schedule": "*/7 1-3,5 29 2 FRI"}"#,
];
const POD: [&str; 14] = [
    r#"{"schedulingGates": [{"name": "hold"}]}"#,
    r#"{"nodeName": "n1"}"#,
    r#"{"nodeName": "nowhere"}"#,
    r#"{"schedulerName": "another"}"#,
    r#"{"priority": 7, "priorityClassName": "nobody"}"#,
    r#"{"overhead": {"cpu": "100m"}}"#,
    r#"{"activeDeadlineSeconds": 3}"#,
    r#"{"terminationGracePeriodSeconds": 3600}"#,
    r#"{"hostNetwork": true}"#,
    r#"{"restartPolicy": "Never"}"#,
    r#"{"initContainers": [{"name": "i", "image": "busybox", "restartPolicy": "Always"}]}"#,
    r#"{"initContainers": [{"name": "i", "image": "busybox", "command": ["false"]}]}"#,
    r#"{"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "e", "emptyDir": {}}]}"#,
    r#"{"tolerations": [{"operator": "Exists"}]}"#,
];
const CONTAINER: [&str; 8] = [
    r#"{"ports": [{"containerPort": 80, "hostPort": 80}]}"#,
    r#"{"resources": {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}}"#,
    r#"{"resources": {"limits": {"memory": "50Mi"}}, "command": ["stress", "--vm", "1", "--vm-bytes", "250M"]}"#,
    r#"{"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}"#,
    r#"{"livenessProbe": {"exec": {"command": ["cat", "/tmp/x"]}, "periodSeconds": 5}, "command": ["sh", "-c", "touch /tmp/x; sleep 9; rm /tmp/x; sleep 600"]}"#,
    r#"{"readinessProbe": {"httpGet": {"port": 80}, "failureThreshold": 1}}"#,
    r#"{"startupProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 1, "failureThreshold": 2}}"#,
    r#"{"image": "busybox", "command": ["sh", "-c", "sleep 3; exit 1"]}"#,
];

/// Damages a YAML manifest; the result is JSON.
pub fn damaged(document: &str, random: &mut Random) -> String {
    let mut tree: Value = serde_yaml::from_str(document).expect("a manifest that can be read");
    for _ in 0..=random.below(3) {
        if random.below(2) == 0 {
            add(&mut tree, random);
        } else {
            break_one(&mut tree, random);
        }
    }
    serde_json::to_string(&tree).expect("it is a tree")
}

/// Changes a text as an edit would: empties it, appends a syntax error, or damages its tree. A text that is not YAML may
/// stay unchanged.
pub fn edited(text: &str, random: &mut Random) -> String {
    match random.below(6) {
        0 => return String::new(),
        1 => return format!("{text}: ["),
        _ => {}
    }
    match serde_yaml::from_str::<Value>(text) {
        Ok(_) => damaged(text, random),
        Err(_) => text.to_owned(),
    }
}

fn pick<'a>(of: &[&'a str], random: &mut Random) -> &'a str {
    let place = random.below(of.len() as u64);
    of[usize::try_from(place).expect("small")]
}

/// Inserts rare fields where they are valid.
fn add(tree: &mut Value, random: &mut Random) {
    let mut places = Vec::new();
    each(tree, String::new(), &mut |path, value| {
        let fits = path.ends_with("/metadata")
            || path.ends_with("/spec")
            || path.contains("/containers/") && value.get("name").is_some();
        if fits && value.is_object() {
            places.push(path.to_owned());
        }
    });
    if places.is_empty() {
        return;
    }
    let place = random.below(places.len() as u64);
    let path = &places[usize::try_from(place).expect("small")];
    let fields = match path.rsplit('/').next() {
        Some("metadata") => pick(&META, random),
        Some("spec") => {
            let is_pod = tree.pointer(&format!("{path}/containers")).is_some();
            pick(if is_pod { &POD } else { &SPEC }, random)
        }
        _ => pick(&CONTAINER, random),
    };
    let fields: Map<String, Value> = serde_json::from_str(fields).expect("an object");
    if let Some(Value::Object(own)) = tree.pointer_mut(path) {
        own.extend(fields);
    }
}

/// Damages one place of the tree.
fn break_one(tree: &mut Value, random: &mut Random) {
    let mut places = Vec::new();
    each(tree, String::new(), &mut |path, _| {
        places.push(path.to_owned());
    });
    let place = random.below(places.len() as u64);
    let path = places[usize::try_from(place).expect("small")].clone();
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", ""));
    match random.below(8) {
        0 => drop(take(tree, parent, name)),
        1 => {
            if let Some(value) = take(tree, parent, name) {
                let odd = pick(&["x", "S", "-", "\u{e9}", "."], random);
                put(tree, parent, format!("{name}{odd}"), value);
            }
        }
        2 => {
            let from = random.below(places.len() as u64);
            let from = &places[usize::try_from(from).expect("small")];
            let value = tree.pointer(from).cloned().unwrap_or_default();
            // Repeated nesting would grow without bounds.
            if !path.starts_with(from.as_str()) {
                set(tree, &path, value);
            }
        }
        3 => {
            let long = "a".repeat(300);
            set(tree, &path, json!(long));
        }
        4 => {
            if let Some(Value::Array(list)) = tree.pointer_mut(parent) {
                list.extend(list.clone());
            } else {
                let value = tree.pointer(&path).cloned().unwrap_or_default();
                set(tree, &path, json!([value]));
            }
        }
        5 => {
            let kinds = [
                "Pod",
                "Node",
                "List",
                "Deployment",
                "ReplicaSet",
                "Job",
                "Gateway",
                "Secret",
            ];
            set(tree, "/kind", json!(pick(&kinds, random)));
        }
        _ => {
            let odd = serde_json::from_str(pick(&ODD, random)).expect("JSON");
            set(tree, &path, odd);
        }
    }
}

fn each(value: &Value, path: String, take: &mut dyn FnMut(&str, &Value)) {
    take(&path, value);
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                each(inner, format!("{path}/{name}"), take);
            }
        }
        Value::Array(list) => {
            for (place, inner) in list.iter().enumerate() {
                each(inner, format!("{path}/{place}"), take);
            }
        }
        _ => {}
    }
}

fn set(tree: &mut Value, path: &str, value: Value) {
    if let Some(place) = tree.pointer_mut(path) {
        *place = value;
    }
}

fn take(tree: &mut Value, parent: &str, name: &str) -> Option<Value> {
    let own = name.replace("~1", "/").replace("~0", "~");
    match tree.pointer_mut(parent)? {
        Value::Object(fields) => fields.remove(&own),
        _ => None,
    }
}

fn put(tree: &mut Value, parent: &str, name: String, value: Value) {
    let own = name.replace("~1", "/").replace("~0", "~");
    if let Some(Value::Object(fields)) = tree.pointer_mut(parent) {
        fields.insert(own, value);
    }
}
