//! Objects as the API server answers them.

use serde_json::{Map, Value, json};

use berth_sim::server::ApiServer;
use berth_sim::store::Object;
use berth_sim::strategy::with_account;

/// How long kubelets may keep what they read, as the TTL controller tells them.
const TTL: &str = "node.alpha.kubernetes.io/ttl";

/// The seconds of [`TTL`], each from a number of nodes on (`pkg/controller/ttl`).
const TTL_SECONDS: [(usize, u32); 5] = [(0, 0), (101, 15), (501, 30), (1_001, 60), (2_001, 300)];

/// An object as the API server answers it: a Pod with its account and the token that it mounts, a Node with what the
/// TTL controller writes.
pub(crate) fn shown(object: &Object, api: &ApiServer) -> Value {
    match object {
        Object::Pod(pod) => {
            let mut pod = with_account(pod, api);
            show_states(&mut pod);
            pod
        }
        Object::Node(_) => {
            let mut node = object.to_json();
            add_ttl(&mut node, api.store().nodes.count());
            node
        }
        other => other.to_json(),
    }
}

/// A new object as the API server answers it: no controller has written to it yet.
pub(crate) fn created(object: &Object, api: &ApiServer) -> Value {
    match object {
        Object::Node(_) => object.to_json(),
        other => shown(other, api),
    }
}

/// Go prints structs that are not pointers also if they are empty.
fn show_states(pod: &mut Value) {
    for list in ["containerStatuses", "initContainerStatuses"] {
        let statuses = pod.pointer_mut(&format!("/status/{list}"));
        for status in statuses.and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(status) = status.as_object_mut() else {
                continue;
            };
            for field in ["lastState", "state"] {
                status.entry(field).or_insert_with(|| json!({}));
            }
        }
    }
}

fn add_ttl(node: &mut Value, nodes: usize) {
    let seconds = TTL_SECONDS.iter().rev().find(|(from, _)| nodes >= *from);
    let seconds = seconds.map_or(0, |(_, seconds)| *seconds);
    let Some(node) = node.as_object_mut() else {
        return;
    };
    node.entry("spec").or_insert_with(|| json!({}));
    if let Some(Value::Object(meta)) = node.get_mut("metadata") {
        let annotations = meta
            .entry("annotations")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(annotations) = annotations {
            annotations
                .entry(TTL)
                .or_insert_with(|| seconds.to_string().into());
        }
    }
}
