//! Devices with NoExecute taints, and the Pods that use them.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::{DeviceTaint, ResourceClaim, ResourceSlice};
use serde_json::{Value, json};

use crate::controllers::stage::Stage;
use crate::pod_util;
use berth_scheduler::release::{Release, Version};

const SLICE: &str = "
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
";

/// A Pod `p` on a node with a claim `c`, which holds the device `gpu-0` with these tolerations.
fn stage_with(version: Version, tolerations: Value) -> Stage {
    let mut stage = Stage::of(Release::of(version));
    stage.apply(SLICE);
    stage.apply(
        "
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: n1
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: i}]
  resourceClaims: [{name: g, resourceClaimName: c}]
",
    );
    let uid = stage.get::<Pod>("default", "p").metadata.uid.unwrap();
    stage.edit::<ResourceClaim>("default", "c", |claim| {
        claim.status = serde_json::from_value(json!({
            "allocation": {"devices": {"results": [{
                "request": "g",
                "driver": "d.example",
                "pool": "p",
                "device": "gpu-0",
                "tolerations": tolerations,
            }]}},
            "reservedFor": [{"resource": "pods", "name": "p", "uid": uid}],
        }))
        .unwrap();
    });
    stage
}

fn stage(tolerations: Value) -> Stage {
    stage_with(Version::V1_36, tolerations)
}

fn taint(stage: &mut Stage, device: usize, effect: &str) {
    stage.edit::<ResourceSlice>("", "s", |slice| {
        let devices = slice.spec.devices.as_mut().unwrap();
        devices[device].taints = Some(vec![DeviceTaint {
            key: "broken".to_owned(),
            effect: effect.to_owned(),
            ..DeviceTaint::default()
        }]);
    });
}

fn untaint(stage: &mut Stage) {
    stage.edit::<ResourceSlice>("", "s", |slice| {
        slice.spec.devices.as_mut().unwrap()[0].taints = None;
    });
}

fn is_there(stage: &Stage) -> bool {
    let pods = &stage.plane.api.store().pods;
    pods.iter().any(|pod| !pod_util::is_terminating(pod))
}

fn evictions(stage: &Stage) -> Vec<String> {
    let mut all = stage.events("p");
    all.retain(|it| it.starts_with("DeviceTaintManagerEviction"));
    all
}

#[test]
fn a_tainted_device_evicts_the_pod_that_uses_it() {
    let mut stage = stage(json!([]));
    taint(&mut stage, 1, "NoExecute");
    taint(&mut stage, 0, "NoSchedule");
    assert!(is_there(&stage), "another device, another effect");
    // Deletion stays visible while a finalizer holds the Pod.
    stage.edit::<Pod>("default", "p", |pod| {
        pod.metadata.finalizers = Some(vec!["a.example/held".to_owned()]);
    });
    taint(&mut stage, 0, "NoExecute");
    assert!(!is_there(&stage));
    assert_eq!(
        evictions(&stage),
        ["DeviceTaintManagerEviction: Marking for deletion"]
    );
    let pod = stage.get::<Pod>("default", "p");
    let condition = pod_util::condition(&pod, pod_util::DISRUPTION_TARGET).unwrap();
    assert_eq!(
        (condition.reason.as_deref(), condition.message.as_deref()),
        (
            Some("DeletionByDeviceTaintManager"),
            Some("Device Taint manager: deleting due to NoExecute taint")
        )
    );
}

#[test]
fn tolerations_delay_or_prevent_the_eviction() {
    let tolerating = |effect: Option<&str>, seconds: Option<i64>| json!({"operator": "Exists", "key": "broken", "effect": effect, "tolerationSeconds": seconds});
    // Time from the taint to the eviction, in seconds; `None`: never.
    for (tolerations, expected) in [
        (json!([]), Some(0)),
        (json!([tolerating(Some("NoExecute"), None)]), None),
        (json!([tolerating(Some("NoExecute"), Some(30))]), Some(30)),
        (json!([tolerating(Some("NoExecute"), Some(-5))]), Some(0)),
        (
            json!([
                tolerating(Some("NoExecute"), Some(30)),
                tolerating(Some("NoExecute"), Some(20))
            ]),
            Some(20),
        ),
        // Only tolerations that name the effect count.
        (json!([tolerating(None, None)]), Some(0)),
        (json!([tolerating(Some("NoSchedule"), None)]), Some(0)),
    ] {
        let mut stage = stage(tolerations.clone());
        let start = stage.api().now_ms() + 10_000;
        stage.run(start);
        taint(&mut stage, 0, "NoExecute");
        let mut went = None;
        for seconds in 0..60 {
            stage.run(start + seconds * 1000);
            if !is_there(&stage) {
                went = Some(seconds);
                break;
            }
        }
        assert_eq!(went, expected, "{tolerations}");
    }
}

#[test]
fn the_api_server_dates_taints_and_a_removed_taint_cancels() {
    let wait = json!([{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]);
    let mut stage = stage(wait);
    let start = stage.api().now_ms();
    stage.run(start + 10_000);
    taint(&mut stage, 0, "NoExecute");
    let slice = stage.get::<ResourceSlice>("", "s");
    let added = slice.spec.devices.unwrap()[0].taints.as_ref().unwrap()[0]
        .time_added
        .clone();
    assert_eq!(added, Some(crate::server::time_at(start + 10_000)));
    stage.run(start + 30_000);
    untaint(&mut stage);
    stage.run(start + 200_000);
    assert!(is_there(&stage));
    assert_eq!(
        evictions(&stage),
        ["DeviceTaintManagerEviction: Cancelling deletion"]
    );
}

#[test]
fn a_newer_generation_of_the_pool_decides() {
    let mut stage = stage(json!([]));
    let newer = SLICE
        .replace("name: s}", "name: t}")
        .replace("generation: 1", "generation: 2");
    stage.apply(&newer);
    taint(&mut stage, 0, "NoExecute");
    assert!(is_there(&stage), "the tainted slice is out of date");
    stage.delete::<ResourceSlice>("", "t");
    assert!(!is_there(&stage), "it is the newest again");
}

#[test]
fn where_the_gate_is_off_taints_are_dropped_and_no_pod_is_evicted() {
    let mut stage = stage_with(Version::V1_34, json!([]));
    taint(&mut stage, 0, "NoExecute");
    let slice = stage.get::<ResourceSlice>("", "s");
    assert_eq!(slice.spec.devices.unwrap()[0].taints, None);
    assert!(is_there(&stage));
}
