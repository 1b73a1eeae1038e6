//! Lives of a cluster with devices: Pods with claims come and go, devices get taints, and at rest every device has one
//! holder, which tolerates its taints.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::{DeviceTaint, ResourceSlice};

use crate::pod_util;
use crate::store::{Key, name_of, uid_of};
use berth_base::random::Random;
use berth_base::time::Time;
use berth_core::api::manifests::{Manifests, read};
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::source::SourceFile;
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::{Choice, Version};

use super::{SimulatedCluster, SimulationOptions};

const NODES: usize = 3;
const DEVICES: usize = 2;
const PODS: usize = 10;

/// Nodes with devices, a class, a template, a shared claim, and Pods of which some wait.
fn manifests() -> String {
    let mut text = String::from(
        "
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == 'd.example'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: own}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
",
    );
    for node in 0..NODES {
        let devices: Vec<String> = (0..DEVICES)
            .map(|it| format!("{{name: gpu-{it}}}"))
            .collect();
        let devices = devices.join(", ");
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Node
metadata: {{name: n{node}}}
status: {{allocatable: {{cpu: '8', memory: 16Gi, pods: '20'}}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: n{node}}}
spec:
  driver: d.example
  nodeName: n{node}
  pool: {{name: n{node}, generation: 1, resourceSliceCount: 1}}
  devices: [{devices}]
"
        );
    }
    for pod in 0..PODS {
        let claim = match pod % 3 {
            0 => "resourceClaimName: shared",
            _ => "resourceClaimTemplateName: own",
        };
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Pod
metadata: {{name: p{pod}}}
spec:
  containers: [{{name: c, image: i}}]
  resourceClaims: [{{name: g, {claim}}}]
"
        );
    }
    text
}

/// The manifests of a text, read for a release.
pub(super) fn read_for(version: Version, text: String) -> Manifests {
    let options = PrepareOptions {
        release: Choice {
            kubernetes: Some(version),
            ..Choice::default()
        },
        ..PrepareOptions::default()
    };
    let manifests = read(&[SourceFile::new("w.yaml", text)], &options);
    assert!(!manifests.has_errors(), "{:?}", manifests.problems);
    manifests
}

/// A cluster with the objects of manifests.
pub(super) fn cluster_of(manifests: &Manifests) -> SimulatedCluster {
    let objects = manifests
        .loaded
        .documents
        .iter()
        .filter_map(|document| document.object.as_deref());
    let options = SimulationOptions::default();
    let mut cluster =
        SimulatedCluster::new(&manifests.prepared, &registry(), &options).expect("it starts");
    assert_eq!(cluster.load(objects), []);
    cluster
}

/// No device twice, every reservation has its Pod, nothing is reserved or allocated without one. Returns the number
/// of devices in use.
fn check(cluster: &SimulatedCluster) -> usize {
    let store = cluster.api().store();
    let mut held = BTreeSet::new();
    for claim in store.resource_claims.iter() {
        let status = claim.status.clone().unwrap_or_default();
        let consumers = status.reserved_for.unwrap_or_default();
        for consumer in &consumers {
            let pod = store.pods.get(&Key::new("default", &*consumer.name));
            let pod = pod
                .unwrap_or_else(|| panic!("{} is reserved for nobody", name_of(&claim.metadata)));
            assert_eq!(uid_of(&pod.metadata), consumer.uid);
        }
        let Some(allocation) = status.allocation else {
            assert!(consumers.is_empty(), "{claim:?}");
            continue;
        };
        assert!(!consumers.is_empty(), "allocated for nobody: {claim:?}");
        let results = allocation
            .devices
            .and_then(|it| it.results)
            .unwrap_or_default();
        for it in results {
            assert!(held.insert((it.pool, it.device)), "twice: {claim:?}");
        }
    }
    for pod in store.pods.iter() {
        let node = pod.spec.as_ref().and_then(|it| it.node_name.as_ref());
        let users = store.resource_claims.iter().filter(|claim| {
            let status = claim.status.as_ref();
            let consumers = status.and_then(|it| it.reserved_for.as_ref());
            let mut consumers = consumers.into_iter().flatten();
            consumers.any(|it| it.uid == uid_of(&pod.metadata))
        });
        assert_eq!(users.count(), usize::from(node.is_some()), "{pod:?}");
    }
    held.len()
}

#[test]
fn devices_have_one_holder_through_random_lives() {
    let mut most = 0;
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut cluster = cluster_of(&read_for(Version::V1_34, manifests()));
        let mut now = 0;
        for _ in 0..12 {
            now += 600;
            cluster.run_until_quiet(Time::at_second(now), 100_000);
            most = most.max(check(&cluster));
            let pods: Vec<String> = cluster
                .api()
                .store()
                .pods
                .iter()
                .filter(|pod| !pod_util::is_terminating(pod))
                .map(|pod| name_of(&pod.metadata).to_owned())
                .collect();
            if pods.is_empty() {
                break;
            }
            let at = usize::try_from(random.below(pods.len() as u64)).expect("small");
            let gone = Key::new("default", pods[at].as_str());
            let deleted = cluster.api_mut().delete::<Pod>(&gone);
            deleted.expect("it is there");
        }
    }
    assert_eq!(most, NODES * DEVICES);
}

/// Gives a device a NoExecute taint, or takes it away. `tainted`: the pools and names of those with one.
fn taint(
    cluster: &mut SimulatedCluster,
    random: &mut Random,
    tainted: &mut BTreeSet<(String, String)>,
) {
    let below = |random: &mut Random, limit: usize| {
        usize::try_from(random.below(limit as u64)).expect("small")
    };
    let (node, device) = (below(random, NODES), below(random, DEVICES));
    let key = Key::new("", format!("n{node}"));
    let slice = cluster.api().store().resource_slices.get(&key);
    let mut slice: ResourceSlice = (**slice.expect("it is there")).clone();
    let device = &mut slice.spec.devices.as_mut().expect("it has some")[device];
    let known = (format!("n{node}"), device.name.clone());
    device.taints = match tainted.remove(&known) {
        true => None,
        false => {
            tainted.insert(known);
            Some(vec![DeviceTaint {
                key: "d.example/broken".to_owned(),
                effect: "NoExecute".to_owned(),
                ..DeviceTaint::default()
            }])
        }
    };
    cluster.api_mut().update(slice).expect("it is valid");
}

#[test]
fn tainted_devices_have_no_holder_through_random_lives() {
    let (mut evicted, mut most) = (0, 0);
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut cluster = cluster_of(&read_for(Version::V1_36, manifests()));
        let mut tainted = BTreeSet::new();
        let mut now = 0;
        for _ in 0..12 {
            now += 600;
            cluster.run_until_quiet(Time::at_second(now), 100_000);
            most = most.max(check(&cluster));
            for claim in cluster.api().store().resource_claims.iter() {
                let allocation = claim.status.as_ref().and_then(|it| it.allocation.clone());
                let devices = allocation.and_then(|it| it.devices?.results);
                for it in devices.into_iter().flatten() {
                    let device = (it.pool, it.device);
                    assert!(!tainted.contains(&device), "{device:?} has a holder");
                }
            }
            taint(&mut cluster, &mut random, &mut tainted);
        }
        let events = cluster.api().events().iter();
        evicted += events
            .filter(|it| it.reason == "DeviceTaintManagerEviction")
            .count();
    }
    assert!(evicted > 5, "{evicted}");
    assert_eq!(most, NODES * DEVICES);
}
