//! The bounds of the search, and what it records.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::ResourceClaim;
use serde_json::{Value, json};

use super::{Devices, Failure, Features, allocate};
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use berth_protocol::fact::DeviceOutcome;

fn node() -> NodeInfo {
    let node: Node = serde_json::from_value(json!({"metadata": {"name": "n"}})).unwrap();
    NodeInfo::new(NodeIx(0), Arc::new(node))
}

/// Devices of one model each, and the class of all.
fn devices(models: &[&str]) -> Devices {
    let mut devices = Devices::default();
    let published: Vec<Value> = (0..)
        .zip(models)
        .map(|(number, model)| {
            let name = format!("gpu-{number}");
            json!({"name": name, "attributes": {"model": {"string": model}}})
        })
        .collect();
    let slice = json!({"metadata": {"name": "s"}, "spec": {
        "driver": "d.example", "nodeName": "n", "devices": published,
        "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
    }});
    devices.set_slice(Arc::new(serde_json::from_value(slice).unwrap()));
    let class = json!({"metadata": {"name": "gpu"}, "spec": {}});
    devices.set_class(Arc::new(serde_json::from_value(class).unwrap()));
    devices
}

fn claim(requests: Value) -> Arc<ResourceClaim> {
    let claim = json!({"metadata": {"name": "c", "namespace": "default"},
        "spec": {"devices": {"requests": requests}}});
    Arc::new(serde_json::from_value(claim).unwrap())
}

fn request(name: &str, count: i64, model: Option<&str>) -> Value {
    let expression = |model| format!("device.attributes['d.example'].model == '{model}'");
    let selectors: Vec<Value> = model
        .map(|model| json!({"cel": {"expression": expression(model)}}))
        .into_iter()
        .collect();
    json!({"name": name, "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount",
        "count": count, "selectors": selectors}})
}

#[test]
fn a_search_without_symmetry_ends_by_its_steps() {
    let devices = devices(&["a"; 16]);
    let claims = [claim(json!([
        request("many", 12, None),
        request("none", 1, Some("b"))
    ]))];
    let found = allocate(&devices, &node(), &claims, Features::default(), None);
    assert_eq!(found.err(), Some(Failure::TimedOut));
}

#[test]
fn steps_tell_what_became_of_each_device() {
    let devices = devices(&["a", "b"]);
    let claims = [claim(json!([
        request("any", 1, None),
        request("a", 1, Some("a"))
    ]))];
    let mut steps = Vec::new();
    let found = allocate(
        &devices,
        &node(),
        &claims,
        Features::default(),
        Some(&mut steps),
    );
    let results = found
        .unwrap()
        .unwrap()
        .remove(0)
        .result
        .devices
        .unwrap()
        .results
        .unwrap();
    let taken: Vec<&str> = results.iter().map(|it| it.device.as_str()).collect();
    assert_eq!(taken, ["gpu-1", "gpu-0"]);
    let told: Vec<(&str, &str)> = steps
        .iter()
        .map(|step| {
            let kind = match &step.kind {
                DeviceOutcome::Taken => "taken",
                DeviceOutcome::GivenBack => "given back",
                DeviceOutcome::InUse => "in use",
                DeviceOutcome::NotSelected { seen, .. } => {
                    assert_eq!(seen[0], ("d.example/model".to_owned(), "b".to_owned()));
                    "not selected"
                }
                other => panic!("{other:?}"),
            };
            (step.request.as_str(), kind)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("any", "taken"),
            ("a", "in use"),
            ("a", "not selected"),
            ("any", "given back"),
            ("any", "taken"),
            ("a", "taken"),
        ]
    );
}
