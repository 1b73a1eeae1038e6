use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Pod, ResourceQuota};

use crate::controllers::stage::Stage;

fn pod(name: &str, cpu: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: app, resources: {{requests: {{cpu: {cpu}}}}}}}]}}}}"
    )
}

fn quota(hard: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: small}}, spec: {{hard: {hard}}}}}"
    )
}

/// The used amounts, as `name=amount`.
fn used(stage: &Stage) -> Vec<String> {
    let status = stage
        .get::<ResourceQuota>("default", "small")
        .status
        .unwrap();
    status
        .used
        .unwrap_or_default()
        .into_iter()
        .map(|(name, amount)| format!("{name}={}", amount.0))
        .collect()
}

#[test]
fn usage_follows_created_deleted_and_finished_objects() {
    let mut stage = Stage::new();
    stage.apply(&pod("before", "250m"));
    stage.apply(&quota("{pods: 3, requests.cpu: '1'}"));
    assert_eq!(used(&stage), ["pods=1", "requests.cpu=250m"]);
    stage.apply(&pod("a", "500m"));
    assert_eq!(used(&stage), ["pods=2", "requests.cpu=750m"]);
    stage.edit::<Pod>("default", "a", |pod| {
        pod.status.get_or_insert_default().phase = Some("Succeeded".to_owned());
    });
    assert_eq!(used(&stage), ["pods=1", "requests.cpu=250m"]);
    stage.delete::<Pod>("default", "before");
    assert_eq!(used(&stage), ["pods=0", "requests.cpu=0"]);
    stage.edit::<ResourceQuota>("default", "small", |quota| {
        let hard = quota
            .spec
            .get_or_insert_default()
            .hard
            .get_or_insert_default();
        hard.remove("requests.cpu");
    });
    assert_eq!(used(&stage), ["pods=0"]);
}

#[test]
fn a_replica_set_over_quota_records_an_event_and_retries() {
    let mut stage = Stage::new();
    stage.apply(&quota("{pods: 2}"));
    stage.apply("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: app}]}}}}");
    assert_eq!(used(&stage), ["pods=2"]);
    let failed: Vec<_> = stage
        .plane
        .api
        .events()
        .iter()
        .filter(|event| event.reason == "FailedCreate")
        .map(|event| event.message.clone())
        .collect();
    let message = failed.first().expect("a refusal");
    assert!(
        message.starts_with("Error creating: pods \"web-"),
        "{message}"
    );
    assert!(
        message.ends_with("\" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2"),
        "{message}"
    );
    stage.edit::<ResourceQuota>("default", "small", |quota| {
        let hard = quota
            .spec
            .get_or_insert_default()
            .hard
            .get_or_insert_default();
        hard.insert(
            "pods".to_owned(),
            k8s_openapi::apimachinery::pkg::api::resource::Quantity("3".to_owned()),
        );
    });
    stage.run(2_000_000);
    assert_eq!(used(&stage), ["pods=3"]);
    assert_eq!(
        stage
            .get::<Deployment>("default", "web")
            .status
            .unwrap()
            .replicas,
        Some(3)
    );
}
