use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde_json::{Value, json};

use super::*;
use crate::controllers::tests::Cluster;

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

/// A Pod on n1.
fn pod(cluster: &mut Cluster, name: &str, meta: Value, spec: Value, phase: &str) {
    let mut metadata = json!({"name": name, "namespace": "default"});
    let mut whole = json!({"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]});
    for (into, from) in [(&mut metadata, meta), (&mut whole, spec)] {
        for (key, value) in from.as_object().unwrap() {
            into[key] = value.clone();
        }
    }
    let status = json!({"phase": phase});
    cluster.create::<Pod>(json!({"metadata": metadata, "spec": whole, "status": status}));
}

fn owned_by(kind: &str, name: &str) -> Value {
    let owner = json!({"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "u", "controller": true});
    json!({"ownerReferences": [owner]})
}

/// A node whose Pods are created directly, without their controllers.
fn cluster_of_all_sorts() -> Cluster {
    let mut cluster = Cluster::new(2);
    let template = json!({"metadata": {"labels": {"app": "agent"}}, "spec": {"nodeSelector": {"no": "where"}, "containers": [{"name": "c", "image": "i"}]}});
    let set = json!({"metadata": {"name": "agent", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template}});
    cluster.create::<DaemonSet>(set);
    let scratch = json!({"volumes": [{"name": "v", "emptyDir": {}}]});
    let mirror = json!({"annotations": {"kubernetes.io/config.mirror": "x"}});
    for (name, meta, spec, phase) in [
        (
            "agent-1",
            owned_by("DaemonSet", "agent"),
            json!({}),
            "Running",
        ),
        (
            "agent-2",
            owned_by("DaemonSet", "agent"),
            json!({}),
            "Running",
        ),
        (
            "agent-done",
            owned_by("DaemonSet", "agent"),
            json!({}),
            "Failed",
        ),
        ("bare", json!({}), json!({}), "Running"),
        ("bare-done", json!({}), scratch.clone(), "Succeeded"),
        ("bare-scratch", json!({}), scratch.clone(), "Running"),
        ("mirror", mirror, json!({}), "Running"),
        ("scratch", owned_by("ReplicaSet", "web"), scratch, "Running"),
        ("web", owned_by("ReplicaSet", "web"), json!({}), "Running"),
    ] {
        pod(&mut cluster, name, meta, spec, phase);
    }
    cluster
}

fn names(plan: &DrainPlan) -> Vec<&str> {
    plan.evict.iter().map(|key| key.name()).collect()
}

#[test]
fn without_flags_many_pods_block_a_drain() {
    let cluster = cluster_of_all_sorts();
    let plan = plan("n1", &DrainOptions::default(), &cluster.plane.api);
    assert_eq!(names(&plan), ["agent-done", "bare-done", "web"]);
    assert_eq!(plan.warning_line(), None);
    assert_eq!(
        plan.errors,
        [
            "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent-1, default/agent-2",
            "cannot delete Pods that declare no controller (use --force to override): default/bare",
            "cannot delete Pods with local storage (use --delete-emptydir-data to override): default/bare-scratch, default/scratch",
        ]
    );
    let error = plan.error().unwrap();
    assert!(error.starts_with("[cannot delete DaemonSet") && error.ends_with("default/scratch]"));
}

#[test]
fn flags_turn_errors_into_warnings_of_which_the_last_counts() {
    let cluster = cluster_of_all_sorts();
    let options = DrainOptions {
        ignore_daemonsets: true,
        delete_emptydir_data: true,
        force: true,
        ..DrainOptions::default()
    };
    let plan = plan("n1", &options, &cluster.plane.api);
    assert_eq!(
        names(&plan),
        [
            "agent-done",
            "bare",
            "bare-done",
            "bare-scratch",
            "scratch",
            "web"
        ]
    );
    assert!(plan.errors.is_empty());
    assert_eq!(
        plan.warning_line().unwrap(),
        "Warning: ignoring DaemonSet-managed Pods: default/agent-1, default/agent-2; deleting Pods that declare no controller: default/bare, default/bare-scratch"
    );
}

#[test]
fn a_daemon_without_its_set_goes_by_force() {
    let mut cluster = Cluster::new(1);
    pod(
        &mut cluster,
        "lost",
        owned_by("DaemonSet", "gone"),
        json!({}),
        "Running",
    );
    let with = |force: bool| {
        let options = DrainOptions {
            ignore_daemonsets: true,
            force,
            ..DrainOptions::default()
        };
        plan("n1", &options, &cluster.plane.api)
    };
    assert_eq!(
        with(false).errors,
        ["cannot delete daemonsets.apps \"gone\" not found: default/lost"]
    );
    assert_eq!(names(&with(true)), ["lost"]);
}

#[test]
fn labels_choose_the_pods() {
    let mut cluster = Cluster::new(1);
    let meta = |app: &str| {
        let mut meta = owned_by("ReplicaSet", "x");
        meta["labels"] = json!({"app": app});
        meta
    };
    pod(&mut cluster, "a", meta("a"), json!({}), "Running");
    pod(&mut cluster, "b", meta("b"), json!({}), "Running");
    let options = DrainOptions {
        pod_selector: Some(LabelSelector {
            match_labels: Some([("app".to_owned(), "b".to_owned())].into()),
            match_expressions: None,
        }),
        ..DrainOptions::default()
    };
    assert_eq!(names(&plan("n1", &options, &cluster.plane.api)), ["b"]);
}

#[test]
fn cordon_and_uncordon_print_what_they_did() {
    let mut cluster = Cluster::new(1);
    let mut say = |wanted, dry_run| cordon("n1", wanted, dry_run, cluster.api()).unwrap().text;
    assert_eq!(say(false, DryRun::None), "node/n1 already uncordoned");
    assert_eq!(say(true, DryRun::Client), "node/n1 cordoned (dry run)");
    assert_eq!(say(true, DryRun::None), "node/n1 cordoned");
    assert_eq!(say(true, DryRun::None), "node/n1 already cordoned");
    assert_eq!(say(false, DryRun::None), "node/n1 uncordoned");
    let error = cordon("n9", true, DryRun::None, cluster.api()).unwrap_err();
    assert_eq!(error.to_string(), "nodes \"n9\" not found");
}

/// Steps a drain until it is done or this second is reached. Returns the lines with their seconds.
fn drain_to(cluster: &mut Cluster, command: &mut DrainCommand, until: i64) -> Vec<(i64, String)> {
    let mut printed = Vec::new();
    for second in cluster.api().now_ms() / 1_000 + 1..=until {
        cluster.run_to(second);
        let lines = command.step(cluster.api());
        printed.extend(lines.into_iter().map(|line| (second, line.text)));
        if command.is_done() {
            break;
        }
    }
    printed
}

fn web_on_two_nodes(min_available: i32) -> (Cluster, String) {
    let mut cluster = Cluster::new(2);
    cluster.deployment("web", 2);
    let spec = json!({"selector": {"matchLabels": {"app": "web"}}, "minAvailable": min_available});
    let meta = json!({"name": "web", "namespace": "default"});
    cluster.create::<PodDisruptionBudget>(json!({"metadata": meta, "spec": spec}));
    cluster.run_to(1);
    let mut pods = cluster.plane.api.store().pods.iter();
    let on_n1 = pods.find(|pod| pod_util::node_of(pod) == "n1").unwrap();
    let name = on_n1.metadata.name.clone().unwrap();
    drop(pods);
    (cluster, name)
}

#[test]
fn a_drain_evicts_waits_and_prints_both() {
    let (mut cluster, name) = web_on_two_nodes(1);
    let nodes = ["n1".to_owned()];
    let started = DrainCommand::start(&nodes, DrainOptions::default(), cluster.api());
    let (mut command, lines) = started.unwrap();
    assert_eq!(
        texts(&lines),
        ["node/n1 cordoned", &format!("evicting pod default/{name}")]
    );
    assert!(!command.is_done());
    let printed = drain_to(&mut cluster, &mut command, 100);
    assert_eq!(
        printed,
        [
            (31, format!("pod/{name} evicted")),
            (31, "node/n1 drained".to_owned())
        ]
    );
    assert!(!command.has_failed());
}

#[test]
fn refused_evictions_are_retried_every_five_seconds() {
    let (mut cluster, name) = web_on_two_nodes(2);
    let nodes = ["n1".to_owned()];
    let started = DrainCommand::start(&nodes, DrainOptions::default(), cluster.api());
    let (mut command, lines) = started.unwrap();
    let evicting = format!("evicting pod default/{name}");
    let refused = format!(
        "error when evicting pods/\"{name}\" -n \"default\" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."
    );
    assert_eq!(texts(&lines), ["node/n1 cordoned", &*evicting, &*refused]);
    assert_eq!(lines.iter().filter(|line| line.is_error).count(), 1);
    assert_eq!(command.next_due(cluster.api()), Some(6_000));
    let printed = drain_to(&mut cluster, &mut command, 8);
    assert_eq!(printed, [(6, evicting.clone()), (6, refused)]);
    // With one more Pod, the budget allows the eviction.
    cluster.edit::<k8s_openapi::api::apps::v1::Deployment>(&Key::new("default", "web"), |it| {
        it.spec.as_mut().unwrap().replicas = Some(3);
    });
    let printed = drain_to(&mut cluster, &mut command, 100);
    assert_eq!(printed[0], (11, evicting));
    assert_eq!(printed.last().unwrap().1, "node/n1 drained");
}

#[test]
fn a_timeout_ends_a_drain_that_a_budget_blocks() {
    let (mut cluster, name) = web_on_two_nodes(2);
    let options = DrainOptions {
        timeout_ms: Some(7_000),
        ..DrainOptions::default()
    };
    let nodes = ["n1".to_owned()];
    let (mut command, _) = DrainCommand::start(&nodes, options, cluster.api()).unwrap();
    let printed = drain_to(&mut cluster, &mut command, 100);
    let error =
        format!("error when evicting pods/\"{name}\" -n \"default\": global timeout reached: 7s");
    let printed: Vec<&str> = printed[2..].iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        printed,
        [
            &*format!("evicting pod default/{name}"),
            &*format!("There are pending pods in node \"n1\" when an error occurred: {error}"),
            &*format!("pod/{name}"),
            &*format!(
                "error: unable to drain node \"n1\" due to error: {error}, continuing command..."
            ),
            "There are pending nodes to be drained:",
            " n1",
            &*error,
        ]
    );
    assert!(command.is_done() && command.has_failed());
    assert_eq!(command.next_due(cluster.api()), None);
}

#[test]
fn a_failed_node_does_not_stop_the_others() {
    let mut cluster = Cluster::new(2);
    pod(&mut cluster, "bare", json!({}), json!({}), "Running");
    let nodes = ["n1", "n2"].map(str::to_owned);
    let started = DrainCommand::start(&nodes, DrainOptions::default(), cluster.api());
    let (command, lines) = started.unwrap();
    let error =
        "cannot delete Pods that declare no controller (use --force to override): default/bare";
    assert_eq!(
        texts(&lines),
        [
            "node/n1 cordoned",
            "node/n2 cordoned",
            &*format!(
                "error: unable to drain node \"n1\" due to error: {error}, continuing command..."
            ),
            "node/n2 drained",
            "There are pending nodes to be drained:",
            " n1",
            error,
        ]
    );
    assert!(command.is_done() && command.has_failed());
    let missing = DrainCommand::start(&["n9".to_owned()], DrainOptions::default(), cluster.api());
    assert!(matches!(missing, Err(ApiError::NotFound { .. })));
}

#[test]
fn the_last_lines_are_one_per_reason_or_per_node() {
    let mut cluster = cluster_of_all_sorts();
    let last = |nodes: &[&str], cluster: &mut Cluster| {
        let nodes: Vec<String> = nodes.iter().map(|it| (*it).to_owned()).collect();
        let started = DrainCommand::start(&nodes, DrainOptions::default(), cluster.api());
        let (_, lines) = started.unwrap();
        let lines = lines.into_iter().map(|it| it.text);
        let behind = lines.skip_while(|text| !text.starts_with("There are pending nodes"));
        behind.skip(1 + nodes.len()).collect::<Vec<_>>()
    };
    let lines = last(&["n1"], &mut cluster);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|it| it.starts_with("cannot delete ")));
    let bare = json!({"nodeName": "n2"});
    pod(&mut cluster, "bare-2", json!({}), bare, "Running");
    let lines = last(&["n1", "n2"], &mut cluster);
    assert!(
        matches!(&*lines, [one, two] if one.starts_with("[cannot delete") && two.ends_with("default/bare-2")),
        "{lines:?}"
    );
}

#[test]
fn deletion_bypasses_budgets_and_a_dry_run_does_nothing() {
    let (mut cluster, name) = web_on_two_nodes(2);
    let nodes = ["n1".to_owned()];
    let dry = DrainOptions {
        dry_run: DryRun::Client,
        ..DrainOptions::default()
    };
    let (_, lines) = DrainCommand::start(&nodes, dry, cluster.api()).unwrap();
    assert_eq!(
        texts(&lines),
        [
            "node/n1 cordoned (dry run)",
            &*format!("evicting pod default/{name} (dry run)"),
            "node/n1 drained (dry run)",
        ]
    );
    assert!(
        cluster
            .node("n1")
            .spec
            .as_ref()
            .is_none_or(|it| it.unschedulable.is_none())
    );
    let delete = DrainOptions {
        disable_eviction: true,
        grace_seconds: Some(3),
        ..DrainOptions::default()
    };
    let (mut command, lines) = DrainCommand::start(&nodes, delete, cluster.api()).unwrap();
    assert_eq!(texts(&lines), ["node/n1 cordoned"]);
    let printed = drain_to(&mut cluster, &mut command, 100);
    assert_eq!(
        printed,
        [
            (4, format!("pod/{name} deleted")),
            (4, "node/n1 drained".to_owned())
        ]
    );
}

#[test]
fn the_wait_for_pods_of_a_silent_node_ends() {
    let (mut cluster, name) = web_on_two_nodes(1);
    cluster.api().silence_node("n1").unwrap();
    let options = DrainOptions {
        skip_wait_for_delete_timeout_seconds: 10,
        ..DrainOptions::default()
    };
    let nodes = ["n1".to_owned()];
    let (mut command, _) = DrainCommand::start(&nodes, options, cluster.api()).unwrap();
    // 30 seconds of grace, and more than 10 seconds overdue.
    assert_eq!(command.next_due(cluster.api()), Some(42_000));
    let printed = drain_to(&mut cluster, &mut command, 100);
    assert_eq!(
        printed,
        [
            (
                42,
                format!("pod {name:?} has DeletionTimestamp older than 10 seconds, skipping")
            ),
            (42, "node/n1 drained".to_owned()),
        ]
    );
}
