use k8s_openapi::api::core::v1::{Pod, PodCondition};
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};
use serde_json::{Value, json};

use crate::controllers::tests::Cluster;
use crate::pod_util;
use crate::server::EvictOptions;
use crate::store::Key;

fn budget(cluster: &mut Cluster, name: &str, mut spec: Value) {
    if spec.get("selector").is_none() {
        spec["selector"] = json!({"matchLabels": {"app": "web"}});
    }
    let meta = json!({"name": name, "namespace": "default"});
    cluster.create::<PodDisruptionBudget>(json!({"metadata": meta, "spec": spec}));
}

fn status(cluster: &Cluster, name: &str) -> PodDisruptionBudgetStatus {
    let budgets = &cluster.plane.api.store().budgets;
    let budget = budgets.get(&Key::new("default", name)).unwrap();
    budget.status.clone().unwrap_or_default()
}

/// `currentHealthy`, `desiredHealthy`, `expectedPods`, `disruptionsAllowed`.
fn numbers(cluster: &Cluster, name: &str) -> (i32, i32, i32, i32) {
    let status = status(cluster, name);
    (
        status.current_healthy.unwrap(),
        status.desired_healthy.unwrap(),
        status.expected_pods.unwrap(),
        status.disruptions_allowed.unwrap(),
    )
}

fn condition(cluster: &Cluster, name: &str) -> (String, String, String) {
    let conditions = status(cluster, name).conditions.unwrap();
    assert_eq!(conditions.len(), 1);
    let it = conditions[0].clone();
    assert_eq!(it.type_, "DisruptionAllowed");
    (it.status, it.reason, it.message)
}

fn web(replicas: i32) -> Cluster {
    let mut cluster = Cluster::new(3);
    cluster.deployment("web", replicas);
    cluster.run_to(1);
    cluster
}

fn pod_names(cluster: &Cluster) -> Vec<String> {
    cluster
        .plane
        .api
        .store()
        .pods
        .iter()
        .map(|pod| pod.metadata.name.clone().unwrap())
        .collect()
}

fn set_ready(cluster: &mut Cluster, name: &str, ready: bool) {
    cluster.edit_status::<Pod>(&Key::new("default", name), |pod| {
        let status = pod.status.as_mut().unwrap();
        for condition in status.conditions.iter_mut().flatten() {
            condition.status = if ready { "True" } else { "False" }.to_owned();
        }
    });
}

#[test]
fn min_available_and_max_unavailable_as_numbers_and_percentages() {
    let mut cluster = web(5);
    for (name, spec) in [
        ("min", json!({"minAvailable": 2})),
        ("min-percent", json!({"minAvailable": "50%"})),
        ("max", json!({"maxUnavailable": 1})),
        ("max-percent", json!({"maxUnavailable": "50%"})),
        ("max-all", json!({"maxUnavailable": 9})),
        ("too-many", json!({"minAvailable": 9})),
        ("nothing", json!({})),
    ] {
        budget(&mut cluster, name, spec);
    }
    cluster.run_to(2);
    assert_eq!(numbers(&cluster, "min"), (5, 2, 5, 3));
    assert_eq!(numbers(&cluster, "min-percent"), (5, 3, 5, 2));
    assert_eq!(numbers(&cluster, "max"), (5, 4, 5, 1));
    assert_eq!(numbers(&cluster, "max-percent"), (5, 2, 5, 3));
    assert_eq!(numbers(&cluster, "max-all"), (5, 0, 5, 5));
    assert_eq!(numbers(&cluster, "too-many"), (5, 9, 5, 0));
    assert_eq!(numbers(&cluster, "nothing"), (5, 0, 0, 0));
    assert_eq!(
        condition(&cluster, "min"),
        ("True".into(), "SufficientPods".into(), String::new())
    );
    assert_eq!(
        condition(&cluster, "too-many"),
        ("False".into(), "InsufficientPods".into(), String::new())
    );
    assert_eq!(status(&cluster, "min").observed_generation, Some(1));
}

#[test]
fn percentages_apply_to_the_replicas_of_the_owners() {
    let mut cluster = web(4);
    budget(&mut cluster, "b", json!({"minAvailable": "50%"}));
    cluster.run_to(2);
    assert_eq!(numbers(&cluster, "b"), (4, 2, 4, 2));
    // No node accepts more Pods, so the new ones stay pending.
    for node in ["n1", "n2", "n3"] {
        cluster.edit::<k8s_openapi::api::core::v1::Node>(&Key::new("", node), |node| {
            node.spec.get_or_insert_default().unschedulable = Some(true);
        });
    }
    cluster.edit::<k8s_openapi::api::apps::v1::Deployment>(&Key::new("default", "web"), |it| {
        it.spec.as_mut().unwrap().replicas = Some(10);
    });
    cluster.run_to(3);
    assert_eq!(numbers(&cluster, "b"), (4, 5, 10, 0));
}

#[test]
fn pods_count_while_they_are_ready_and_not_terminating() {
    let mut cluster = web(3);
    budget(&mut cluster, "b", json!({"minAvailable": 1}));
    cluster.run_to(2);
    let names = pod_names(&cluster);
    set_ready(&mut cluster, &names[0], false);
    cluster.run_to(3);
    assert_eq!(numbers(&cluster, "b"), (2, 1, 3, 1));
    set_ready(&mut cluster, &names[0], true);
    let key = Key::new("default", &*names[1]);
    cluster.api().delete::<Pod>(&key).unwrap();
    cluster.run_to(4);
    // Its replacement already exists, and so does the Pod itself.
    assert_eq!(numbers(&cluster, "b"), (3, 1, 4, 2));
    cluster.run_to(60);
    assert_eq!(numbers(&cluster, "b"), (3, 1, 3, 2));
}

#[test]
fn a_change_of_labels_or_of_the_selector_moves_pods_between_budgets() {
    let mut cluster = Cluster::new(1);
    cluster.pod("a", json!({"app": "web"}), json!({}));
    cluster.pod("b", json!({"app": "db"}), json!({}));
    budget(&mut cluster, "web", json!({"minAvailable": 1}));
    let all = json!({"minAvailable": 1, "selector": {}});
    budget(&mut cluster, "all", all);
    cluster.run_to(1);
    assert_eq!(numbers(&cluster, "web").0, 1);
    assert_eq!(numbers(&cluster, "all").0, 2);
    cluster.edit::<Pod>(&Key::new("default", "b"), |pod| {
        pod.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
    });
    cluster.run_to(2);
    assert_eq!(numbers(&cluster, "web").0, 2);
    cluster.edit::<PodDisruptionBudget>(&Key::new("default", "web"), |budget| {
        budget.spec.as_mut().unwrap().selector = None;
    });
    cluster.run_to(3);
    assert_eq!(numbers(&cluster, "web"), (0, 1, 0, 0));
    assert_eq!(status(&cluster, "web").observed_generation, Some(2));
    let events = cluster.events("MultiplePodDisruptionBudgets");
    assert_eq!(
        events.last().unwrap(),
        "1s Warning controllermanager default/b: Pod \"default\"/\"b\" matches multiple PodDisruptionBudgets.  Chose \"all\" arbitrarily."
    );
    assert_eq!(
        cluster.events("NoPods"),
        ["2s Normal controllermanager default/web: No matching pods found"]
    );
}

#[test]
fn owners_without_replicas_make_the_sync_fail_safe() {
    let mut cluster = Cluster::new(1);
    let owner = |kind: &str, group: &str| json!([{"apiVersion": group, "kind": kind, "name": "x", "uid": "u", "controller": true}]);
    let labels = json!({"app": "web"});
    let meta = json!({"name": "a", "namespace": "default", "labels": labels, "ownerReferences": owner("Thing", "example.com/v1")});
    let spec = json!({"containers": [{"name": "c", "image": "i"}]});
    cluster.create::<Pod>(json!({"metadata": meta, "spec": spec}));
    budget(&mut cluster, "b", json!({"maxUnavailable": 1}));
    cluster.run_to(1);
    let problem = "things.example.com does not implement the scale subresource";
    assert_eq!(numbers(&cluster, "b").3, 0);
    assert_eq!(
        condition(&cluster, "b"),
        ("False".into(), "SyncFailed".into(), problem.into())
    );
    assert!(
        cluster.events("CalculateExpectedPodCountFailed")[0].ends_with(&format!(
            "Failed to calculate the number of expected pods: {problem}"
        ))
    );
    cluster.edit::<Pod>(&Key::new("default", "a"), |pod| {
        let owner = owner("StatefulSet", "apps/v1");
        pod.metadata.owner_references = Some(serde_json::from_value(owner).unwrap());
    });
    cluster.run_to(2);
    assert_eq!(
        condition(&cluster, "b").2,
        "found no controllers for pod \"a\""
    );
}

#[test]
fn unmanaged_pods_are_reported_if_their_controllers_matter() {
    let mut cluster = Cluster::new(1);
    cluster.pod("a", json!({"app": "web"}), json!({}));
    budget(&mut cluster, "number", json!({"minAvailable": 1}));
    cluster.run_to(1);
    assert!(cluster.events("UnmanagedPods").is_empty());
    budget(&mut cluster, "percent", json!({"maxUnavailable": 1}));
    cluster.run_to(2);
    assert_eq!(numbers(&cluster, "percent"), (1, 0, 0, 0));
    let events = cluster.events("UnmanagedPods");
    assert!(events[0].starts_with("1s Warning controllermanager default/percent: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged."), "{events:?}");
}

#[test]
fn an_evicted_pod_counts_as_gone_until_two_minutes_are_over() {
    let mut cluster = Cluster::new(1);
    let held = cluster.pod("a", json!({"app": "web"}), json!({}));
    cluster.pod("b", json!({"app": "web"}), json!({}));
    budget(&mut cluster, "b", json!({"minAvailable": 1}));
    cluster.run_to(1);
    // A client takes a disruption and does not delete the Pod.
    cluster.edit_status::<PodDisruptionBudget>(&Key::new("default", "b"), |budget| {
        let status = budget.status.as_mut().unwrap();
        let now = held.metadata.creation_timestamp.clone().unwrap();
        status.disrupted_pods = Some([("a".to_owned(), now)].into());
    });
    cluster.run_to(2);
    assert_eq!(numbers(&cluster, "b"), (1, 1, 2, 0));
    cluster.run_to(119);
    assert_eq!(numbers(&cluster, "b"), (1, 1, 2, 0));
    cluster.run_to(121);
    assert_eq!(numbers(&cluster, "b"), (2, 1, 2, 1));
    assert_eq!(status(&cluster, "b").disrupted_pods, None);
    assert_eq!(
        cluster.events("NotDeleted"),
        [
            "120s Warning controllermanager default/a: Pod was expected by PDB default/default to be deleted but it wasn't"
        ]
    );
}

#[test]
fn a_real_eviction_leaves_the_list_when_the_pod_is_seen_to_end() {
    let mut cluster = web(2);
    budget(&mut cluster, "b", json!({"minAvailable": 1}));
    cluster.run_to(2);
    let name = pod_names(&cluster)[0].clone();
    let key = Key::new("default", &*name);
    cluster.api().evict(&key, EvictOptions::default()).unwrap();
    assert_eq!(status(&cluster, "b").disruptions_allowed, Some(0));
    assert!(
        status(&cluster, "b")
            .disrupted_pods
            .unwrap()
            .contains_key(&name)
    );
    cluster.run_to(3);
    assert_eq!(status(&cluster, "b").disrupted_pods, None);
    // Two Pods are healthy again: the replacement, and the one that stayed.
    assert_eq!(numbers(&cluster, "b"), (2, 1, 3, 1));
}

#[test]
fn stale_disruption_targets_are_reset_unless_the_kubelet_set_them() {
    let mut cluster = Cluster::new(1);
    for (name, reason) in [
        ("a", "EvictionByEvictionAPI"),
        ("b", "TerminationByKubelet"),
    ] {
        cluster.pod(name, json!({}), json!({}));
        cluster.run_to(0);
        let now = cluster.api().now();
        cluster.edit_status::<Pod>(&Key::new("default", name), |pod| {
            let condition = PodCondition {
                ..pod_util::disruption_target(reason, "going")
            };
            assert!(pod_util::set_condition(pod, condition, &now));
        });
    }
    let status = |cluster: &Cluster, name: &str| {
        let pod = cluster.get_pod(name).unwrap();
        let condition = pod_util::condition(pod, pod_util::DISRUPTION_TARGET).unwrap();
        condition.status.clone()
    };
    cluster.run_to(119);
    assert_eq!(status(&cluster, "a"), "True");
    cluster.run_to(120);
    assert_eq!(status(&cluster, "a"), "False");
    assert_eq!(status(&cluster, "b"), "True");
}
