use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::{HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus};
use k8s_openapi::api::core::v1::{Namespace, Pod};
use serde_json::{Value, json};

use crate::controllers::tests::Cluster;
use crate::store::{Key, name_of};

/// A cluster with the Deployment `web` of two replicas whose metric `load` is 10 each.
fn web() -> Cluster {
    let mut cluster = Cluster::new(3);
    cluster.deployment("web", 2);
    cluster.edit::<Deployment>(&key(), |web| {
        let meta = &mut web.spec.as_mut().unwrap().template.metadata;
        let annotations = [("berth.dev/metric.load".to_owned(), "10".to_owned())];
        meta.as_mut().unwrap().annotations = Some(annotations.into());
    });
    cluster
}

fn key() -> Key {
    Key::new("default", "web")
}

/// An autoscaler that aims at a load of 10.
fn autoscaler(cluster: &mut Cluster, name: &str, mut spec: Value) {
    spec["scaleTargetRef"] = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    spec["maxReplicas"] = json!(20);
    spec["metrics"] = json!([{"type": "Pods", "pods": {
        "metric": {"name": "load"},
        "target": {"type": "AverageValue", "averageValue": "10"},
    }}]);
    let meta = json!({"name": name, "namespace": "default"});
    cluster.create::<HorizontalPodAutoscaler>(json!({"metadata": meta, "spec": spec}));
}

/// Sets the metric of all Pods that exist now.
fn load(cluster: &mut Cluster, load: &str) {
    let pods: Vec<Key> = cluster
        .api()
        .store()
        .pods
        .iter()
        .map(|pod| Key::of(&pod.metadata))
        .collect();
    for pod in pods {
        cluster.edit::<Pod>(&pod, |pod| {
            let annotations = pod.metadata.annotations.get_or_insert_default();
            annotations.insert("berth.dev/metric.load".to_owned(), load.to_owned());
        });
    }
}

fn replicas(cluster: &mut Cluster) -> i32 {
    let web = cluster.api().store().deployments.get(&key()).unwrap();
    web.spec.as_ref().unwrap().replicas.unwrap()
}

fn status(cluster: &mut Cluster, name: &str) -> HorizontalPodAutoscalerStatus {
    let all = &cluster.api().store().autoscalers;
    let own = all.get(&Key::new("default", name)).unwrap();
    own.status.clone().unwrap_or_default()
}

/// The conditions, as `AbleToScale=True/ReadyForNewScale`.
fn conditions(cluster: &mut Cluster, name: &str) -> Vec<String> {
    let all = status(cluster, name).conditions.unwrap_or_default();
    let shown = all.iter().map(|it| {
        let reason = it.reason.as_deref().unwrap_or_default();
        format!("{}={}/{reason}", it.type_, it.status)
    });
    shown.collect()
}

#[test]
fn it_scales_up_stabilizes_and_scales_down() {
    let mut cluster = web();
    autoscaler(&mut cluster, "web", json!({}));
    cluster.run_to(14);
    assert_eq!(
        status(&mut cluster, "web"),
        HorizontalPodAutoscalerStatus::default()
    );
    cluster.run_to(16);
    assert_eq!(status(&mut cluster, "web").current_replicas, Some(2));
    load(&mut cluster, "60");
    cluster.run_to(31);
    assert_eq!(replicas(&mut cluster), 4, "at most twice as many, or four");
    assert_eq!(
        conditions(&mut cluster, "web"),
        [
            "AbleToScale=True/SucceededRescale",
            "ScalingActive=True/ValidMetricFound",
            "ScalingLimited=True/ScaleUpLimit",
        ]
    );
    // Twelve replicas were recommended at 30 seconds: they hold until 330 seconds.
    for (second, expected) in [(46, 8), (61, 12), (76, 12), (329, 12), (331, 2)] {
        load(&mut cluster, "1");
        cluster.run_to(second);
        assert_eq!(replicas(&mut cluster), expected, "{second} s");
        let able = &conditions(&mut cluster, "web")[0];
        let is_stabilized = able == "AbleToScale=True/ScaleDownStabilized";
        assert_eq!(is_stabilized, (76..330).contains(&second), "{able}");
    }
    let events = cluster.events("SuccessfulRescale");
    assert_eq!(
        events[0],
        "30s Normal horizontal-pod-autoscaler default/web: New size: 4; reason: pods metric load above target"
    );
    assert!(
        events
            .last()
            .unwrap()
            .ends_with("New size: 2; reason: All metrics below target")
    );
}

#[test]
fn policies_limit_the_pace() {
    let mut cluster = web();
    let policies = json!([{"type": "Pods", "value": 1, "periodSeconds": 60}]);
    let behavior = json!({"scaleUp": {"policies": policies}});
    autoscaler(&mut cluster, "web", json!({"behavior": behavior}));
    load(&mut cluster, "100");
    cluster.run_to(16);
    assert_eq!(
        replicas(&mut cluster),
        2,
        "no Pod has existed when the load was set"
    );
    load(&mut cluster, "100");
    let at = [31, 46, 91].map(|second| {
        cluster.run_to(second);
        load(&mut cluster, "100");
        replicas(&mut cluster)
    });
    assert_eq!(at, [3, 3, 4]);
}

#[test]
fn a_target_that_is_not_there_and_one_of_no_replicas() {
    let mut cluster = web();
    autoscaler(&mut cluster, "web", json!({}));
    cluster.edit::<Deployment>(&key(), |web| web.spec.as_mut().unwrap().replicas = Some(0));
    cluster.run_to(16);
    assert_eq!(
        conditions(&mut cluster, "web")[1],
        "ScalingActive=False/ScalingDisabled"
    );
    cluster.api().delete::<Deployment>(&key()).unwrap();
    cluster.run_to(31);
    assert_eq!(
        conditions(&mut cluster, "web")[0],
        "AbleToScale=False/FailedGetScale"
    );
    assert_eq!(
        cluster.events("FailedGetScale"),
        ["30s Warning horizontal-pod-autoscaler default/web: deployments.apps \"web\" not found"]
    );
}

#[test]
fn two_autoscalers_of_the_same_pods_do_nothing() {
    let mut cluster = web();
    autoscaler(&mut cluster, "one", json!({}));
    autoscaler(&mut cluster, "two", json!({}));
    cluster.run_to(31);
    assert_eq!(
        cluster
            .events("AmbiguousSelector")
            .last()
            .unwrap()
            .split_once(": ")
            .unwrap()
            .1,
        "pods by selector app=web are controlled by multiple HPAs: [default/one default/two]"
    );
    let two = Key::new("default", "two");
    cluster
        .api()
        .delete::<HorizontalPodAutoscaler>(&two)
        .unwrap();
    cluster.run_to(61);
    assert_eq!(
        conditions(&mut cluster, "one")[1],
        "ScalingActive=True/ValidMetricFound"
    );
    assert!(
        !cluster
            .api()
            .store()
            .autoscalers
            .iter()
            .any(|it| name_of(&it.metadata) == "two")
    );
    let one = Key::new("default", "one");
    cluster
        .api()
        .delete::<HorizontalPodAutoscaler>(&one)
        .unwrap();
    cluster.run_to(91);
    assert_eq!(
        cluster.plane.next_due(),
        None,
        "without autoscalers there is no timer"
    );
}

#[test]
fn a_value_that_is_no_quantity_names_its_annotation() {
    let mut cluster = web();
    cluster.create::<Namespace>(json!({"metadata": {"name": "default"}}));
    autoscaler(&mut cluster, "web", json!({}));
    cluster.run_to(1);
    load(&mut cluster, "much");
    cluster.run_to(16);
    let events = cluster.events("FailedGetPodsMetric");
    assert!(
        events[0].contains("annotation \"berth.dev/metric.load\": quantities must match"),
        "{events:?}"
    );
}
