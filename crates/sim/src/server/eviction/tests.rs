use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde_json::{Value, json};

use super::*;
use crate::server::Naming;

const REFUSED: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

fn server() -> ApiServer {
    ApiServer::new(Naming::Counted([].into()), None)
}

fn pod(api: &mut ApiServer, name: &str, phase: &str, ready: bool) -> Key {
    let ready = if ready { "True" } else { "False" };
    let pod: Pod = serde_json::from_value(json!({
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"nodeName": "n1", "containers": []},
        "status": {"phase": phase, "conditions": [{"type": "Ready", "status": ready}]},
    }))
    .unwrap();
    Key::of(&api.create(pod).unwrap().metadata)
}

/// A budget with this status, whose generation the controller has observed.
fn budget(api: &mut ApiServer, name: &str, spec: Value, mut status: Value) -> Key {
    status["observedGeneration"] = json!(1);
    for field in [
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
        "disruptionsAllowed",
    ] {
        if status.get(field).is_none() {
            status[field] = json!(0);
        }
    }
    let budget: PodDisruptionBudget =
        serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec, "status": status}))
            .unwrap();
    Key::of(&api.create(budget).unwrap().metadata)
}

fn web() -> Value {
    json!({"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1})
}

fn evict(api: &mut ApiServer, key: &Key) -> Result<(), ApiError> {
    api.evict(key, EvictOptions::default())
}

fn deleted(api: &ApiServer, key: &Key) -> bool {
    let pod = api.store().pods.get(key);
    pod.is_none_or(|pod| pod_util::is_terminating(pod))
}

#[test]
fn without_a_budget_a_pod_is_marked_and_deleted_with_its_grace() {
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    evict(&mut api, &key).unwrap();
    let stored = api.store().pods.get(&key).unwrap();
    assert_eq!(stored.metadata.deletion_grace_period_seconds, Some(30));
    let condition = pod_util::condition(stored, pod_util::DISRUPTION_TARGET).unwrap();
    assert_eq!(condition.reason.as_deref(), Some("EvictionByEvictionAPI"));
    assert_eq!(condition.message.as_deref(), Some("Eviction API: evicting"));
    assert_eq!(condition.observed_generation, Some(1));
    let missing = evict(&mut api, &Key::new("default", "none")).unwrap_err();
    assert!(matches!(missing, ApiError::NotFound { .. }));
}

#[test]
fn each_eviction_takes_one_until_none_is_left() {
    let mut api = server();
    let keys = ["a", "b"].map(|name| pod(&mut api, name, "Running", true));
    let status = json!({"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1});
    let pdb = budget(&mut api, "pdb", web(), status);
    evict(&mut api, &keys[0]).unwrap();
    let stored = api
        .store()
        .budgets
        .get(&pdb)
        .unwrap()
        .status
        .clone()
        .unwrap();
    assert_eq!(stored.disruptions_allowed, Some(0));
    assert_eq!(
        stored.disrupted_pods.unwrap().keys().collect::<Vec<_>>(),
        ["a"]
    );
    assert_eq!(stored.conditions.unwrap()[0].reason, "InsufficientPods");
    let error = evict(&mut api, &keys[1]).unwrap_err();
    assert_eq!(error.to_string(), REFUSED);
    let cause = "The disruption budget pdb needs 1 healthy pods and has 2 currently";
    assert!(matches!(error, ApiError::TooManyRequests { cause: it, .. } if it == cause));
    assert!(!deleted(&api, &keys[1]));
}

#[test]
fn pods_that_do_not_run_are_evicted_regardless_of_budgets() {
    for phase in ["Pending", "Succeeded", "Failed"] {
        let mut api = server();
        let key = pod(&mut api, "a", phase, false);
        budget(&mut api, "pdb", web(), json!({}));
        evict(&mut api, &key).unwrap();
        assert!(deleted(&api, &key), "{phase}");
    }
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    budget(&mut api, "pdb", web(), json!({}));
    api.delete::<Pod>(&key).unwrap();
    let now = EvictOptions {
        grace_seconds: Some(0),
        ..EvictOptions::default()
    };
    api.evict(&key, now).unwrap();
    assert!(api.store().pods.get(&key).is_none());
}

#[test]
fn unready_pods_are_evicted_if_enough_are_healthy_or_always() {
    let unhealthy = |policy: Option<&str>, healthy: i32, desired: i32| {
        let mut api = server();
        let key = pod(&mut api, "a", "Running", false);
        let mut spec = web();
        spec["unhealthyPodEvictionPolicy"] = json!(policy);
        let status = json!({"currentHealthy": healthy, "desiredHealthy": desired});
        budget(&mut api, "pdb", spec, status);
        evict(&mut api, &key).is_ok()
    };
    assert!(unhealthy(None, 2, 2));
    assert!(!unhealthy(None, 1, 2));
    assert!(!unhealthy(None, 0, 0));
    assert!(!unhealthy(Some("IfHealthyBudget"), 1, 2));
    assert!(unhealthy(Some("AlwaysAllow"), 1, 2));
    // The policy does not apply to a ready Pod.
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    let mut spec = web();
    spec["unhealthyPodEvictionPolicy"] = json!("AlwaysAllow");
    budget(&mut api, "pdb", spec, json!({}));
    assert!(evict(&mut api, &key).is_err());
}

#[test]
fn several_budgets_for_a_pod_are_an_error() {
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    let status = json!({"disruptionsAllowed": 5});
    budget(&mut api, "one", web(), status.clone());
    budget(&mut api, "all", json!({"selector": {}}), status.clone());
    budget(&mut api, "none", json!({}), status);
    let error = evict(&mut api, &key).unwrap_err();
    assert_eq!(
        error.to_string(),
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    );
    api.delete::<PodDisruptionBudget>(&Key::new("default", "one"))
        .unwrap();
    evict(&mut api, &key).unwrap();
}

#[test]
fn a_changed_budget_is_refused_until_it_is_observed() {
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    let pdb = budget(&mut api, "pdb", web(), json!({"disruptionsAllowed": 5}));
    let mut changed = (**api.store().budgets.get(&pdb).unwrap()).clone();
    changed.spec.as_mut().unwrap().max_unavailable =
        Some(k8s_openapi::apimachinery::pkg::util::intstr::IntOrString::Int(1));
    api.update(changed).unwrap();
    let error = evict(&mut api, &key).unwrap_err();
    let ApiError::TooManyRequests { cause, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(
        cause,
        "The disruption budget pdb is still being processed by the server."
    );
}

#[test]
fn an_implausible_status_is_refused() {
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    budget(&mut api, "pdb", web(), json!({"disruptionsAllowed": -1}));
    let message = evict(&mut api, &key).unwrap_err().to_string();
    assert_eq!(
        message,
        "poddisruptionbudgets.policy \"pdb\" is forbidden: pdb disruptions allowed is negative"
    );
}

#[test]
fn a_dry_run_changes_nothing() {
    let mut api = server();
    let key = pod(&mut api, "a", "Running", true);
    let pdb = budget(&mut api, "pdb", web(), json!({"disruptionsAllowed": 1}));
    let dry = EvictOptions {
        dry_run: true,
        ..EvictOptions::default()
    };
    api.evict(&key, dry).unwrap();
    api.evict(&key, dry).unwrap();
    assert!(!deleted(&api, &key));
    let status = api
        .store()
        .budgets
        .get(&pdb)
        .unwrap()
        .status
        .clone()
        .unwrap();
    assert_eq!(status.disruptions_allowed, Some(1));
    let options = EvictOptions {
        grace_seconds: Some(5),
        ..EvictOptions::default()
    };
    api.evict(&key, options).unwrap();
    let pod = api.store().pods.get(&key).unwrap();
    assert_eq!(pod.metadata.deletion_grace_period_seconds, Some(5));
    assert!(api.evict(&key, dry).is_ok());
}
