//! Pods that wait for the binding conditions of their devices.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::{AllocatedDeviceStatus, ResourceClaim};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::pod_util;
use crate::run::{Run, RunOptions};
use crate::server::time_at;
use crate::simulated_cluster::SimulatedCluster;
use crate::simulated_cluster::device_lives::{cluster_of, read_for};
use crate::store::Key;
use berth_base::time::Time;
use berth_core::api::manifests::Manifests;
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::Version;

/// A node, a device of a network that must be attached before a Pod is bound, and a Pod that claims it.
const MANIFESTS: &str = "
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == 'd.example'}}]}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '8', memory: 16Gi, pods: '20'}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example
  allNodes: true
  pool: {name: fabric, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    bindsToNode: true
    bindingConditions: [d.example/attached]
    bindingFailureConditions: [d.example/broken]
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
  containers: [{name: c, image: i}]
  resourceClaims: [{name: g, resourceClaimName: c}]
";

fn manifests(version: Version, more: &str) -> Manifests {
    read_for(version, format!("{more}{MANIFESTS}"))
}

fn cluster_with(version: Version, more: &str) -> SimulatedCluster {
    cluster_of(&manifests(version, more))
}

fn cluster() -> SimulatedCluster {
    cluster_with(Version::V1_36, "")
}

fn run(cluster: &mut SimulatedCluster, second: i64) {
    cluster.run_until_quiet(Time::at_second(second), 10_000);
    cluster.go_to(Time::at_second(second));
}

fn claim(cluster: &SimulatedCluster) -> ResourceClaim {
    let claims = &cluster.api().store().resource_claims;
    (**claims.get(&Key::new("default", "c")).expect("it is there")).clone()
}

fn node(cluster: &SimulatedCluster) -> String {
    let pods = &cluster.api().store().pods;
    let pod: &Pod = pods.get(&Key::new("default", "p")).expect("it is there");
    pod_util::node_of(pod).to_owned()
}

/// Reports a condition of the device, as its driver would.
fn report(cluster: &mut SimulatedCluster, kind: &str) {
    let mut claim = claim(cluster);
    let now = cluster.api().now();
    claim.status.as_mut().expect("it has one").devices = Some(vec![AllocatedDeviceStatus {
        driver: "d.example".to_owned(),
        pool: "fabric".to_owned(),
        device: "gpu-0".to_owned(),
        conditions: Some(vec![Condition {
            type_: kind.to_owned(),
            status: "True".to_owned(),
            reason: "Reported".to_owned(),
            message: "says the driver".to_owned(),
            last_transition_time: now,
            observed_generation: None,
        }]),
        ..AllocatedDeviceStatus::default()
    }]);
    cluster
        .api_mut()
        .update_status(&claim)
        .expect("it is valid");
    cluster.settle();
}

fn events(cluster: &SimulatedCluster) -> Vec<String> {
    let events = cluster.api().events().iter().filter(|it| it.kind == "Pod");
    events
        .map(|it| format!("{}: {}", it.reason, it.message))
        .collect()
}

#[test]
fn a_pod_is_bound_once_its_devices_are_ready() {
    let mut cluster = cluster();
    run(&mut cluster, 12);
    assert_eq!(node(&cluster), "", "it waits");
    assert_eq!(
        events(&cluster),
        ["BindingConditionsPending: waiting for binding conditions for device on node n1"]
    );
    let status = claim(&cluster).status.expect("it has one");
    let allocation = status.allocation.expect("it is allocated");
    assert_eq!(allocation.allocation_timestamp, Some(time_at(0)));
    assert_eq!(status.reserved_for.expect("it is reserved").len(), 1);
    report(&mut cluster, "d.example/attached");
    run(&mut cluster, 14);
    assert_eq!(node(&cluster), "", "PreBind looks every five seconds");
    run(&mut cluster, 15);
    assert_eq!(node(&cluster), "n1");
}

#[test]
fn a_failed_device_is_given_up() {
    let mut cluster = cluster();
    run(&mut cluster, 1);
    report(&mut cluster, "d.example/broken");
    run(&mut cluster, 5);
    let failure = "running PreBind plugin \"DynamicResources\": claim c binding failed: reason=Reported, message=\"says the driver\"";
    assert_eq!(events(&cluster)[1], format!("FailedScheduling: {failure}"));
    let status = claim(&cluster).status.expect("it has one");
    assert!(status.allocation.is_some() && status.reserved_for.is_none());
    // The next attempt finds the claim unusable, gives its device up, and the one after that allocates again.
    run(&mut cluster, 30);
    let recorded = events(&cluster);
    assert!(
        recorded[2].contains(
            "1 resourceclaim not available on the node. deallocation of ResourceClaim completed"
        ),
        "{recorded:?}"
    );
    let status = claim(&cluster).status.expect("it has one");
    assert!(status.allocation.is_some() && status.devices.is_none());
    assert_eq!(node(&cluster), "");
    report(&mut cluster, "d.example/attached");
    run(&mut cluster, 60);
    assert_eq!(node(&cluster), "n1");
}

#[test]
fn the_wait_ends_after_ten_minutes() {
    let mut cluster = cluster();
    run(&mut cluster, 599);
    assert_eq!(events(&cluster).len(), 1);
    run(&mut cluster, 600);
    assert_eq!(
        events(&cluster)[1],
        "FailedScheduling: running PreBind plugin \"DynamicResources\": device binding timeout: context deadline exceeded"
    );
    run(&mut cluster, 640);
    let recorded = events(&cluster);
    assert!(
        recorded[2].contains("deallocation of ResourceClaim completed"),
        "{recorded:?}"
    );
}

#[test]
fn the_timeout_can_be_configured() {
    let configuration = "
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: DynamicResources
    args: {bindingTimeout: 1m}
---";
    let mut cluster = cluster_with(Version::V1_36, configuration);
    run(&mut cluster, 59);
    assert_eq!(events(&cluster).len(), 1);
    run(&mut cluster, 60);
    assert_eq!(events(&cluster).len(), 2);
}

#[test]
fn a_deleted_pod_waits_no_more() {
    let mut cluster = cluster();
    run(&mut cluster, 1);
    cluster
        .api_mut()
        .delete::<Pod>(&Key::new("default", "p"))
        .expect("it is there");
    run(&mut cluster, 20);
    assert_eq!(claim(&cluster).status.and_then(|it| it.allocation), None);
    assert_eq!(events(&cluster).len(), 1);
}

#[test]
fn where_the_gate_is_off_no_pod_waits() {
    let mut cluster = cluster_with(Version::V1_34, "");
    run(&mut cluster, 1);
    assert_eq!(node(&cluster), "n1");
}

/// Without an API server no condition changes.
#[test]
fn the_scheduler_alone_runs_out_of_time() {
    let manifests = manifests(Version::V1_36, "");
    let options = RunOptions::default();
    let mut run = Run::new(&manifests.prepared, &registry(), options).expect("it starts");
    let attempt = run.step().expect("an attempt");
    assert!(
        format!("{:?}", attempt.ending).contains("device binding timeout"),
        "{:?}",
        attempt.ending
    );
    assert!(run.step().is_none());
}
