//! The bounds of the search, and what it records.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::ResourceClaim;
use serde_json::{Value, json};

use super::{Devices, Failure, Features, Found, Gathering, allocate, gather};
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::release::{Release, Version};
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

/// Publishes a slice with one device, for a node or for all.
fn publish(devices: &mut Devices, name: &str, node: Option<&str>, generation: i64) {
    let slice = json!({"metadata": {"name": name}, "spec": {
        "driver": "d.example", "nodeName": node, "allNodes": node.is_none(),
        "devices": [{"name": format!("of-{name}")}],
        "pool": {"name": "p", "generation": generation, "resourceSliceCount": 2},
    }});
    devices.set_slice(Arc::new(serde_json::from_value(slice).unwrap()));
}

fn names_near(devices: &Devices, node: &str) -> String {
    let names = devices.slices_near(node);
    let names = names.filter_map(|slice| slice.object.metadata.name.as_deref());
    names.collect::<Vec<&str>>().join(" ")
}

#[test]
fn slices_of_a_node_stay_in_the_order_of_their_names() {
    let mut devices = Devices::default();
    publish(&mut devices, "c", Some("n"), 1);
    publish(&mut devices, "b", None, 1);
    publish(&mut devices, "a", Some("n"), 1);
    publish(&mut devices, "d", Some("m"), 1);
    assert_eq!(names_near(&devices, "n"), "a b c");
    assert_eq!(names_near(&devices, "m"), "b d");
    // A slice that is published again keeps its place; one of another node moves.
    publish(&mut devices, "a", Some("n"), 2);
    publish(&mut devices, "d", Some("n"), 1);
    assert_eq!(names_near(&devices, "n"), "a b c d");
    publish(&mut devices, "c", None, 1);
    assert_eq!(names_near(&devices, "m"), "b c");
    devices.remove_slice("b");
    assert_eq!(names_near(&devices, "n"), "a c d");
    assert_eq!(names_near(&devices, "x"), "c");
}

#[test]
fn gathered_pools_follow_the_slices() {
    let of = |devices: &Devices| gather(devices, &node(), Gathering::default());
    let mut devices = Devices::default();
    publish(&mut devices, "a", Some("n"), 1);
    let first = of(&devices);
    assert!(Arc::ptr_eq(&first, &of(&devices)));
    assert!(first[0].is_incomplete);
    publish(&mut devices, "b", None, 1);
    let both = of(&devices);
    assert_eq!(both[0].slices.len(), 2);
    assert!(!both[0].is_incomplete);
    // Only the newest generation counts.
    publish(&mut devices, "b", None, 2);
    assert_eq!(of(&devices)[0].slices.len(), 1);
    devices.remove_slice("b");
    assert_eq!(
        of(&devices)[0].slices[0].version,
        first[0].slices[0].version
    );
}

#[test]
fn verdicts_are_forgotten_where_something_changed() {
    let mut devices = Devices::default();
    publish(&mut devices, "a", Some("n"), 1);
    publish(&mut devices, "b", Some("m"), 1);
    let (n, m) = (NodeIx(0), NodeIx(1));
    let find = |name: &str| Some(if name == "n" { n } else { m });
    let known = |devices: &Devices, node_version: u64| {
        let specs = devices.verdicts_of("specs".to_owned(), node_version, &find);
        let verdicts = [n, m].map(|node| devices.verdicts.get(specs, node));
        for node in [n, m] {
            devices.verdicts.set(specs, node, true);
        }
        verdicts
    };
    let (nothing, all) = ([None; 2], [Some(true); 2]);
    assert_eq!(known(&devices, 1), nothing);
    assert_eq!(known(&devices, 1), all);
    assert_eq!(known(&devices.clone(), 1), nothing);
    // A device of one node is taken, and freed.
    let claim = json!({"metadata": {"name": "c", "namespace": "default"}, "spec": {}, "status": {
        "allocation": {"devices": {"results": [
            {"driver": "d.example", "pool": "p", "device": "of-a", "request": "r"}]}}}});
    devices.set_claim(Arc::new(serde_json::from_value(claim).unwrap()));
    assert_eq!(known(&devices, 1), [None, Some(true)]);
    assert_eq!(known(&devices, 1), all);
    devices.remove_claim(&("default".to_owned(), "c".to_owned()));
    assert_eq!(known(&devices, 1), [None, Some(true)]);
    // Nodes or slices change.
    assert_eq!(known(&devices, 2), nothing);
    publish(&mut devices, "c", Some("n"), 1);
    assert_eq!(known(&devices, 2), nothing);
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
    let outcomes: Vec<(&str, &str)> = steps
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
        outcomes,
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

/// The gates of v1.36.
fn all_features() -> Features {
    Features::of(&Release::of(Version::V1_36))
}

/// The devices that each claim gets.
fn devices_of(found: Result<Found, Failure>) -> Option<Vec<Vec<String>>> {
    let claims = found.expect("no failure")?.into_iter().map(|it| {
        let results = it.result.devices.and_then(|it| it.results);
        let names = results.into_iter().flatten().map(|it| it.device);
        names.collect()
    });
    Some(claims.collect())
}

fn allocated(name: &str, result: &Value) -> Arc<ResourceClaim> {
    let claim = json!({"metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": []}},
        "status": {"allocation": {"devices": {"results": [result]}}}});
    Arc::new(serde_json::from_value(claim).unwrap())
}

/// Three partitions of a device of 10Gi, each of 4Gi.
fn partitions() -> Devices {
    let mut devices = devices(&[]);
    let pool = json!({"name": "n", "generation": 2, "resourceSliceCount": 2});
    let part = |number: i32| {
        json!({"name": format!("part-{number}"), "consumesCounters": [
            {"counterSet": "gpu-0", "counters": {"memory": {"value": "4Gi"}}}]})
    };
    let counters = json!({"metadata": {"name": "counters"}, "spec": {
        "driver": "d.example", "nodeName": "n", "pool": pool,
        "sharedCounters": [{"name": "gpu-0", "counters": {"memory": {"value": "10Gi"}}}],
    }});
    let parts = json!({"metadata": {"name": "s"}, "spec": {
        "driver": "d.example", "nodeName": "n", "pool": pool,
        "devices": [part(0), part(1), part(2)],
    }});
    for slice in [counters, parts] {
        devices.set_slice(Arc::new(serde_json::from_value(slice).unwrap()));
    }
    devices
}

#[test]
fn partitions_share_the_counters_of_their_device() {
    let mut devices = partitions();
    let find = |devices: &Devices, count| {
        let claims = [claim(json!([request("part", count, None)]))];
        devices_of(allocate(devices, &node(), &claims, all_features(), None))
    };
    assert_eq!(find(&devices, 3), None, "12Gi of 10Gi");
    let two = vec![vec!["part-0".to_owned(), "part-1".to_owned()]];
    assert_eq!(find(&devices, 2), Some(two));
    let result = json!({"request": "part", "driver": "d.example", "pool": "n", "device": "part-1"});
    devices.set_claim(allocated("other", &result));
    assert_eq!(find(&devices, 2), None, "4Gi are allocated");
    assert_eq!(find(&devices, 1), Some(vec![vec!["part-0".to_owned()]]));
    let claims = [claim(json!([request("part", 2, None)]))];
    let mut steps = Vec::new();
    let _ = allocate(&devices, &node(), &claims, all_features(), Some(&mut steps));
    let short = DeviceOutcome::Exhausted {
        of: "memory".to_owned(),
    };
    assert!(steps.iter().any(|step| step.kind == short), "{steps:?}");
}

#[test]
fn claims_share_a_device_by_its_capacity() {
    let mut devices = devices(&[]);
    let slice = json!({"metadata": {"name": "s"}, "spec": {
        "driver": "d.example", "nodeName": "n",
        "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "nic", "allowMultipleAllocations": true,
            "capacity": {"bandwidth": {"value": "10Gi"}}}],
    }});
    devices.set_slice(Arc::new(serde_json::from_value(slice).unwrap()));
    let wants = |amount: &str| {
        let mut request = request("nic", 1, None);
        request["exactly"]["capacity"] = json!({"requests": {"bandwidth": amount}});
        claim(json!([request]))
    };
    let find = |devices: &Devices, claims: &[Arc<ResourceClaim>]| {
        allocate(devices, &node(), claims, all_features(), None).expect("no failure")
    };
    let found = find(&devices, &[wants("4Gi"), wants("6Gi")]).expect("10Gi of 10Gi");
    let results = found.iter().flat_map(|it| it.result.devices.iter());
    let results: Vec<_> = results.flat_map(|it| it.results.iter().flatten()).collect();
    let consumed = results[0].consumed_capacity.as_ref().expect("capacity");
    assert_eq!(consumed["bandwidth"].0, "4Gi");
    assert!(results[0].share_id.is_some());
    assert!(find(&devices, &[wants("4Gi"), wants("7Gi")]).is_none());

    let held = json!({"request": "nic", "driver": "d.example", "pool": "n", "device": "nic",
        "shareID": "a", "consumedCapacity": {"bandwidth": "7Gi"}});
    devices.set_claim(allocated("other", &held));
    assert!(find(&devices, &[wants("4Gi")]).is_none());
    assert!(find(&devices, &[wants("3Gi")]).is_some());
    devices.remove_claim(&("default".to_owned(), "other".to_owned()));
    assert!(find(&devices, &[wants("10Gi")]).is_some());
}

#[test]
fn a_search_is_bounded_in_depth() {
    let devices = devices(&["a"; 700]);
    let full = || claim(json!([request("many", 32, None)]));
    let claims = |count: usize| (0..count).map(|_| full()).collect::<Vec<_>>();
    let few = claims(11);
    let found = allocate(&devices, &node(), &few, Features::default(), None);
    assert!(found.expect("no failure").is_some());
    let many = claims(20);
    let found = allocate(&devices, &node(), &many, Features::default(), None);
    assert_eq!(found.err(), Some(Failure::TimedOut));
}
