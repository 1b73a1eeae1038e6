//! The invariants detect defects: each test breaks a calm cluster on purpose.

use std::panic::{AssertUnwindSafe, catch_unwind};

use berth_base::time::Time;
use berth_kubectl::{Clock as _, Cluster as _};
use berth_scheduler::queue::Place;
use berth_sim::history::{CycleEnding, CycleEntry, Entry};
use berth_sim::pod_util;
use berth_sim::store::Key;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Namespace, PersistentVolumeClaim, Pod, ResourceQuota};
use k8s_openapi::api::resource::v1::ResourceClaim;

use super::generator::{Act, Life};
use super::player::Player;
use super::rest;

const CLUSTER: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n0}, status: {allocatable: {cpu: '2', memory: 4Gi, pods: '9'}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: default}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, \
template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 900m}}}]}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: default}, spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: default}, spec: {hard: {pods: '2'}}}
";

fn calm() -> Player {
    let life = Life {
        seed: 1,
        manifests: CLUSTER.to_owned(),
        acts: Vec::new(),
        peace: Vec::new(),
    };
    let mut player = Player::new(&life, true);
    player.play(&Act::Pass(20_000));
    player
}

/// Breaks a calm cluster; the check must fail with these words in its message.
fn is_noticed(words: &str, breaks: &dyn Fn(&mut Player)) {
    let noticed = catch_unwind(AssertUnwindSafe(|| {
        let mut player = calm();
        breaks(&mut player);
        player.cluster.look();
    }));
    let fault = noticed.expect_err(words);
    let text = fault.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.contains(words), "{words:?} is not in {text:?}");
}

fn first_pod(player: &Player) -> Pod {
    let mut pods = player.cluster().api().store().pods.iter();
    (**pods.next().expect("there are two")).clone()
}

fn another(player: &Player, name: &str) -> Pod {
    let mut pod = first_pod(player);
    pod.metadata.name = Some(name.to_owned());
    pod.metadata.uid = None;
    pod.metadata.resource_version = None;
    pod.metadata.owner_references = None;
    pod.metadata.labels = None;
    pod
}

#[test]
fn nothing_is_wrong_with_a_calm_cluster() {
    let mut player = calm();
    player.cluster.look();
    assert_eq!(rest::assert_whole(player.cluster().api()), 1);
}

#[test]
fn an_owner_that_is_gone_is_noticed() {
    is_noticed("which is not there", &|player| {
        let key = Key::new("default", "web");
        player.cluster.api_mut().erase::<ReplicaSet>(&key);
    });
}

#[test]
fn a_namespace_that_is_gone_is_noticed() {
    is_noticed("is in namespace default", &|player| {
        let key = Key::new("", "default");
        player.cluster.api_mut().erase::<Namespace>(&key);
    });
}

#[test]
fn a_pod_that_is_lost_is_noticed() {
    is_noticed("ReplicaSet web", &|player| {
        let key = Key::of(&first_pod(player).metadata);
        player.cluster.api_mut().erase::<Pod>(&key);
        rest::assert_whole(player.cluster().api());
    });
    // Erasing an object does not notify the scheduler.
    is_noticed("the scheduler sees 2", &|player| {
        let key = Key::of(&first_pod(player).metadata);
        player.cluster.api_mut().erase::<Pod>(&key);
    });
}

#[test]
fn a_pod_without_room_is_noticed() {
    is_noticed("cpu 1800 + 900 > 2000", &|player| {
        let pod = another(player, "third");
        let api = player.cluster.api_mut();
        api.erase::<ResourceQuota>(&Key::new("default", "few"));
        api.restore(pod).expect("it comes in");
        player.cluster.happened(&Entry::Cycle(Box::new(CycleEntry {
            at: Time::at_second(20),
            pod: "default/third".to_owned(),
            attempt: 1,
            from: Place::Active,
            ending: CycleEnding::Bound("n0".into()),
            message: None,
            rejected_by: Vec::new(),
            victims: Vec::new(),
            nominated: None,
            in_flight: None,
            queue_after: None,
        })));
    });
}

#[test]
fn an_eviction_against_a_budget_is_noticed() {
    is_noticed("broke web: 1 < 2", &|player| {
        let mut pod = first_pod(player);
        let key = Key::of(&pod.metadata);
        let now = player.cluster().api().now();
        let condition = pod_util::disruption_target("EvictionByEvictionAPI", "by force");
        pod_util::set_condition(&mut pod, condition, &now);
        let api = player.cluster.api_mut();
        api.update_status(&pod).expect("it is there");
        api.delete::<Pod>(&key).expect("it is there");
        player.cluster.settle();
    });
}

#[test]
fn a_pod_beyond_a_quota_is_noticed() {
    is_noticed("quota few: 3 Pods, 2 before", &|player| {
        player.cluster.look();
        let mut pod = another(player, "third");
        // Restored objects are not charged to quotas.
        pod.metadata.uid = Some("third".to_owned());
        let api = player.cluster.api_mut();
        api.restore(pod).expect("it comes in");
        player.cluster.settle();
    });
}

#[test]
fn a_volume_of_two_claims_is_noticed() {
    is_noticed("disk is bound to", &|player| {
        for name in ["one", "two"] {
            let claim = format!(
                "{{metadata: {{name: {name}, namespace: default, uid: {name}}}, spec: {{volumeName: disk}}, status: {{phase: Bound}}}}"
            );
            let claim: PersistentVolumeClaim = serde_yaml::from_str(&claim).expect("a claim");
            let api = player.cluster.api_mut();
            api.restore(claim).expect("it comes in");
        }
    });
}

/// A claim with a device; `more`: further fields of its status.
fn claim(name: &str, meta: &str, more: &str) -> ResourceClaim {
    let claim = format!(
        "{{metadata: {{name: {name}, namespace: default, uid: {name}{meta}}}, spec: {{}}, status: {{allocation: {{devices: {{results: \
         [{{request: g, driver: d, pool: p, device: gpu}}]}}}}{more}}}}}"
    );
    serde_yaml::from_str(&claim).expect("a claim")
}

#[test]
fn a_device_of_two_claims_is_noticed() {
    is_noticed("d/p/gpu has", &|player| {
        for name in ["one", "two"] {
            let api = player.cluster.api_mut();
            api.restore(claim(name, "", "")).expect("it comes in");
        }
    });
}

#[test]
fn a_reservation_without_its_pod_is_noticed() {
    is_noticed("which is gone", &|player| {
        let reserved = ", reservedFor: [{resource: pods, name: nobody, uid: nobody}]";
        let api = player.cluster.api_mut();
        api.restore(claim("one", "", reserved))
            .expect("it comes in");
    });
}

#[test]
fn a_claim_that_outlives_its_last_pod_is_noticed() {
    is_noticed("deleted and reserved for nobody", &|player| {
        let deleted = ", deletionTimestamp: '2025-01-01T00:00:00Z', finalizers: [resource.kubernetes.io/delete-protection]";
        let api = player.cluster.api_mut();
        api.restore(claim("one", deleted, "")).expect("it comes in");
    });
}
