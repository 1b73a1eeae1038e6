use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{Namespace, Pod};

use crate::controllers::stage::Stage;
use crate::store::{Key, Stored};

const WEB: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: app}]}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: runs, namespace: shop}, spec: {nodeName: n1, containers: [{name: c, image: app}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: elsewhere}, spec: {containers: [{name: c, image: app}]}}";

#[test]
fn a_namespace_is_removed_after_its_contents() {
    let mut stage = Stage::new();
    stage.apply(WEB);
    assert_eq!(
        stage
            .get::<Namespace>("", "shop")
            .status
            .unwrap()
            .phase
            .as_deref(),
        Some("Active")
    );
    stage.delete::<Namespace>("", "shop");
    let shop = stage.get::<Namespace>("", "shop");
    let status = shop.status.unwrap();
    assert_eq!(status.phase.as_deref(), Some("Terminating"));
    let messages: Vec<String> = status
        .conditions
        .unwrap()
        .into_iter()
        .filter_map(|it| it.message)
        .collect();
    assert_eq!(messages.len(), 5, "{messages:?}");
    assert_eq!(
        messages[3],
        "Some resources are remaining: pods. has 1 resource instances"
    );
    assert!(!stage.has::<Deployment>("shop", "web"));
    assert_eq!(ReplicaSet::table(stage.plane.api.store()).count(), 0);
    // The running Pod has its grace period.
    stage.run(20_000);
    assert!(stage.has::<Namespace>("", "shop"));
    stage.api().erase::<Pod>(&Key::new("shop", "runs"));
    stage.run(60_000);
    assert!(!stage.has::<Namespace>("", "shop"));
    assert!(stage.has::<Pod>("default", "elsewhere"));
}

#[test]
fn a_terminating_namespace_rejects_new_objects() {
    let mut stage = Stage::new();
    stage.apply(WEB);
    stage.delete::<Namespace>("", "shop");
    let refused = stage.create("{apiVersion: v1, kind: Pod, metadata: {name: late, namespace: shop}, spec: {containers: [{name: c, image: app}]}}");
    let refused = refused.into_iter().next().unwrap().unwrap_err().to_string();
    assert_eq!(
        refused,
        "pods \"late\" is forbidden: unable to create new content in namespace shop because it is being terminated"
    );
}
