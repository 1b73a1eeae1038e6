use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use super::{Aim, Basis, Proposal, Tolerances, of_pods, of_share, of_value};
use crate::controllers::pod_autoscaler::metrics::PodMetrics;
use crate::server::time_at;

/// The time of the calculations: the Pods' CPU initialization is over.
const NOW_MS: i64 = 1_000_000;

/// A Pod by a word: `ready`, `new` (ready since now), `slow` (not ready yet), `broken` (not ready anymore),
/// `pending`, `failed`, `ending`. Its two containers request 50m CPU each.
fn pod(name: &str, word: &str) -> Arc<Pod> {
    let (phase, ready, start_ms, changed_ms) = match word {
        "pending" => ("Pending", "False", NOW_MS, NOW_MS),
        "failed" => ("Failed", "False", 0, 0),
        "new" => ("Running", "True", NOW_MS - 2_000, NOW_MS),
        "slow" => ("Running", "False", 0, 0),
        "broken" => ("Running", "False", 0, 60_000),
        _ => ("Running", "True", 0, 5_000),
    };
    let container = |name: &str| json!({"name": name, "resources": {"requests": {"cpu": "50m"}}});
    let mut pod = json!({
        "metadata": {"name": name},
        "spec": {"containers": [container("a"), container("b")]},
        "status": {"phase": phase, "startTime": time_at(start_ms), "conditions": [
            {"type": "Ready", "status": ready, "lastTransitionTime": time_at(changed_ms)},
        ]},
    });
    if word == "ending" {
        pod["metadata"]["deletionTimestamp"] = json!(time_at(NOW_MS));
    }
    Arc::new(serde_json::from_value(pod).unwrap())
}

/// Pods of `ready 100, pending, slow 5`: words with values; without one, the metrics API does not know the Pod.
fn pods(text: &str) -> (Vec<Arc<Pod>>, PodMetrics) {
    let mut metrics = PodMetrics::new();
    let parts = text.split(", ").filter(|part| !part.is_empty()).enumerate();
    let pods = parts.map(|(i, part)| {
        let (word, value) = part.split_once(' ').unwrap_or((part, ""));
        let name = format!("p{i}");
        if let Ok(value) = value.parse() {
            metrics.insert(name.clone(), value);
        }
        pod(&name, word)
    });
    (pods.collect(), metrics)
}

fn basis(pods: &[Arc<Pod>], replicas: i32) -> Basis<'_> {
    Basis {
        pods,
        replicas,
        found: replicas,
        tolerances: Tolerances { down: 0.1, up: 0.1 },
        now_ms: NOW_MS,
    }
}

#[test]
fn usage_of_cpu_asks_for_replicas() {
    // Pods; percent of the requests to aim at; replicas, usage and utilization.
    for (text, aim, expected) in [
        ("ready 50, ready 50", 50, (2, 50, 50)),
        // Within 10 %.
        ("ready 54, ready 54", 50, (2, 54, 54)),
        ("ready 56, ready 56", 50, (3, 56, 56)),
        ("ready 10, ready 10", 50, (1, 10, 10)),
        // Requests count as used by a missing Pod before a scale-down, and nothing before a scale-up.
        ("ready 10, ready", 50, (2, 10, 10)),
        ("ready 90, ready", 50, (2, 90, 90)),
        ("ready 250, ready", 50, (5, 250, 250)),
        // Unready Pods count as idle before a scale-up only.
        ("ready 90, slow 900", 50, (2, 90, 90)),
        ("ready 90, pending", 50, (2, 90, 90)),
        ("ready 90, new 900", 50, (2, 90, 90)),
        ("ready 10, slow 900", 50, (1, 10, 10)),
        // It has been ready: it counts.
        ("ready 50, broken 150", 50, (4, 100, 100)),
        ("ready 100, failed, ending 5", 50, (2, 100, 100)),
    ] {
        let (pods, metrics) = pods(text);
        let (replicas, usage, utilization) = expected;
        let expected = Proposal {
            replicas,
            usage,
            utilization: Some(utilization),
        };
        let current = i32::try_from(pods.len()).unwrap();
        let aim = Aim::Utilization(aim, None);
        let found = of_pods(basis(&pods, current), metrics, "cpu", aim);
        assert_eq!(found, Ok(expected), "{text}");
    }
}

#[test]
fn one_container_and_plain_values() {
    let (all, metrics) = pods("ready 50, ready 50");
    let aim = Aim::Utilization(50, Some("b"));
    let found = of_pods(basis(&all, 2), metrics.clone(), "cpu", aim).unwrap();
    assert_eq!((found.replicas, found.utilization), (4, Some(100)));
    // Readiness matters for CPU only.
    let (all, metrics) = pods("slow 20, ready 10");
    let found = of_pods(basis(&all, 2), metrics, "", Aim::Average(10)).unwrap();
    assert_eq!((found.replicas, found.usage), (3, 15));
}

#[test]
fn shared_values() {
    let (all, _) = pods("ready, ready, slow");
    let value = |usage, target| of_value(basis(&all, 3), usage, target).map(|it| it.replicas);
    assert_eq!(value(105, 100), Ok(3), "within 10 %");
    assert_eq!(value(300, 100), Ok(6), "of two ready Pods");
    assert_eq!(of_value(basis(&[], 1), 300, 100), Err(
        "unable to calculate ready pods: no pods returned by selector while calculating replica count".to_owned()
    ));
    let share = of_share(basis(&all, 3), 23_000, 5_000);
    assert_eq!((share.replicas, share.usage), (5, 7_667));
}

#[test]
fn what_cannot_be_calculated() {
    let utilization = |text: &str, aim| {
        let (pods, metrics) = pods(text);
        of_pods(basis(&pods, 1), metrics, "cpu", aim).unwrap_err()
    };
    for (text, aim, expected) in [
        (
            "",
            Aim::Average(1),
            "no pods returned by selector while calculating replica count",
        ),
        (
            "pending, slow 5, ending 5",
            Aim::Average(1),
            "did not receive metrics for targeted pods (pods might be unready)",
        ),
        (
            "ready 5",
            Aim::Utilization(50, Some("c")),
            "container c not found in Pod p0",
        ),
    ] {
        assert_eq!(utilization(text, aim), expected);
    }
    let (mut all, metrics) = pods("ready 5");
    let spec = Arc::make_mut(&mut all[0]).spec.as_mut().unwrap();
    spec.containers[1].resources = None;
    let found = of_pods(basis(&all, 1), metrics, "cpu", Aim::Utilization(50, None));
    assert_eq!(
        found,
        Err("missing request for cpu in container b of Pod p0".to_owned())
    );
}
