use k8s_openapi::api::core::v1::PodSpec;
use serde_json::{Value, json};

use crate::api::load::load;
use crate::api::prepare::{PrepareOptions, prepare};
use crate::api::prepared::{PodObject, Prepared};
use crate::api::source::SourceFile;

/// Expands the objects, one document each; returns the problems as messages.
fn expanded_with_problems(objects: &[Value]) -> (Prepared, Vec<String>) {
    let documents: Vec<_> = objects.iter().map(Value::to_string).collect();
    let loaded = load(&[SourceFile::new("test.yaml", documents.join("\n---\n"))]);
    assert_eq!(loaded.problems, [], "the test's own objects are wrong");
    let (prepared, problems) = prepare(
        &loaded,
        &PrepareOptions {
            expand_workloads: true,
            ..PrepareOptions::default()
        },
    );
    (
        prepared,
        problems
            .into_iter()
            .map(|problem| problem.message.to_string())
            .collect(),
    )
}

fn expanded(objects: &[Value]) -> Prepared {
    let (prepared, problems) = expanded_with_problems(objects);
    assert_eq!(problems, Vec::<String>::new());
    prepared
}

fn names(prepared: &Prepared) -> Vec<&str> {
    prepared.pods.iter().map(|pod| &*pod.name).collect()
}

/// A workload whose Pods are labeled `app: NAME`.
fn workload(api_version: &str, kind: &str, name: &str, spec: Value) -> Value {
    let mut workload = json!({
        "apiVersion": api_version, "kind": kind, "metadata": {"name": name},
        "spec": {"template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "main"}], "restartPolicy": "Always"},
        }},
    });
    if api_version != "batch/v1" {
        workload["spec"]["selector"] = json!({"matchLabels": {"app": name}});
    }
    for (field, value) in spec.as_object().unwrap() {
        workload["spec"][field] = value.clone();
    }
    workload
}

fn deployment(name: &str, replicas: i32) -> Value {
    workload("apps/v1", "Deployment", name, json!({"replicas": replicas}))
}

fn pod(name: &str, labels: Value, owner: Option<(&str, &str, &str)>) -> Value {
    let owners: Vec<_> = owner
        .into_iter()
        .map(|(kind, name, uid)| {
            json!({"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true})
        })
        .collect();
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": labels, "ownerReferences": owners},
        "spec": {"nodeName": "n1", "containers": [{"name": "main"}]},
    })
}

fn node(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"disk": name}}, "spec": spec})
}

fn label<'a>(pod: &'a PodObject, key: &str) -> &'a str {
    pod.template.labels.get(key).map_or("", String::as_str)
}

#[test]
fn without_expansion_a_workload_is_only_an_object() {
    let loaded = load(&[SourceFile::new(
        "test.yaml",
        deployment("web", 3).to_string(),
    )]);
    let (prepared, problems) = prepare(
        &loaded,
        &PrepareOptions {
            expand_workloads: false,
            ..PrepareOptions::default()
        },
    );
    assert_eq!(
        (
            prepared.pods.len(),
            prepared.replica_sets.len(),
            problems.len()
        ),
        (0, 0, 0)
    );
}

#[test]
fn a_deployment_makes_a_replica_set_and_pods_that_share_a_template() {
    let all = expanded(&[
        node("n1", json!({})),
        deployment("web", 3),
        pod("last", json!({}), None),
    ]);
    let set = &all.replica_sets[0];
    let set_name = set.metadata.name.clone().unwrap();
    let hash = set_name.strip_prefix("web-").unwrap();
    assert_eq!(all.pods.len(), 4);
    for pod in &all.pods[..3] {
        let suffix = pod.name.strip_prefix(&format!("{set_name}-")).unwrap();
        assert_eq!(suffix.len(), 5);
        assert_eq!(label(pod, "pod-template-hash"), hash);
        assert_eq!(label(pod, "app"), "web");
        let owner = pod.template.controller.clone().unwrap();
        assert_eq!(
            (owner.kind.as_str(), owner.name.as_str()),
            ("ReplicaSet", set_name.as_str())
        );
        assert_eq!(Some(owner.uid), set.metadata.uid);
        assert_eq!((pod.document, pod.created_ms), (1, 1_735_689_601_000));
        assert!(std::sync::Arc::ptr_eq(&pod.template, &all.pods[0].template));
        assert_eq!(pod.template.spec.priority, Some(0));
    }
    assert_eq!(&*all.pods[3].name, "last");
    let selector = set
        .spec
        .as_ref()
        .unwrap()
        .selector
        .match_labels
        .clone()
        .unwrap();
    assert_eq!(selector["pod-template-hash"], hash);
    let owners = set.metadata.owner_references.clone().unwrap();
    assert_eq!(
        (owners[0].kind.as_str(), owners[0].name.as_str()),
        ("Deployment", "web")
    );
}

#[test]
fn names_are_the_same_every_time() {
    let objects = [deployment("web", 2), deployment("api", 2)];
    assert_eq!(names(&expanded(&objects)), names(&expanded(&objects)));
}

#[test]
fn match_label_keys_see_the_template_hash() {
    let mut web = deployment("web", 1);
    web["spec"]["template"]["spec"]["topologySpreadConstraints"] = json!([{
        "topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["pod-template-hash"],
    }]);
    let all = expanded(&[web]);
    let constraints = all.pods[0]
        .template
        .spec
        .topology_spread_constraints
        .clone()
        .unwrap();
    let expressions = constraints[0]
        .label_selector
        .clone()
        .unwrap()
        .match_expressions
        .unwrap();
    assert_eq!(
        expressions[0].values,
        Some(vec![label(&all.pods[0], "pod-template-hash").to_owned()])
    );
}

#[test]
fn a_dumped_replica_set_creates_only_what_is_missing() {
    let mut set = workload("apps/v1", "ReplicaSet", "web-abc", json!({"replicas": 3}));
    set["metadata"]["uid"] = json!("set-uid");
    set["metadata"]["ownerReferences"] = json!([
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": true}
    ]);
    let mut done = pod(
        "web-abc-3",
        json!({}),
        Some(("ReplicaSet", "web-abc", "set-uid")),
    );
    done["status"] = json!({"phase": "Failed"});
    let all = expanded(&[
        deployment("web", 3),
        set,
        pod(
            "web-abc-1",
            json!({}),
            Some(("ReplicaSet", "web-abc", "set-uid")),
        ),
        pod(
            "other",
            json!({}),
            Some(("ReplicaSet", "web-abc", "an older set of that name")),
        ),
        done,
    ]);
    assert_eq!(all.replica_sets.len(), 1);
    let new: Vec<_> = all
        .pods
        .iter()
        .filter(|pod| pod.node_name.is_none())
        .collect();
    assert_eq!(new.len(), 2);
    assert!(
        new.iter()
            .all(|pod| pod.document == 1 && pod.name.starts_with("web-abc-"))
    );
}

#[test]
fn a_deployment_scaled_up_after_the_dump_raises_its_newest_replica_set() {
    let set = |name: &str, replicas: i32, revision: &str| {
        let mut set = workload("apps/v1", "ReplicaSet", name, json!({"replicas": replicas}));
        set["metadata"]["annotations"] = json!({"deployment.kubernetes.io/revision": revision});
        set["metadata"]["ownerReferences"] = json!([
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": true}
        ]);
        set
    };
    let all = expanded(&[
        set("web-new", 1, "10"),
        set("web-old", 0, "9"),
        deployment("web", 4),
    ]);
    assert_eq!(all.pods.len(), 4);
    assert!(all.pods.iter().all(|pod| pod.name.starts_with("web-new-")));
}

#[test]
fn pods_of_a_dump_without_replica_sets_count_for_their_deployment() {
    let labels = json!({"app": "web", "pod-template-hash": "abc"});
    let owner = Some(("ReplicaSet", "web-abc", "set-uid"));
    let all = expanded(&[
        deployment("web", 3),
        pod("web-abc-1", labels.clone(), owner),
        pod("web-abc-2", labels, owner),
    ]);
    assert_eq!(all.pods.len(), 3);
    assert!(all.pods[0].name.starts_with("web-abc-"));
    assert_eq!(all.replica_sets[0].metadata.uid.as_deref(), Some("set-uid"));
    assert_eq!(
        all.pods[0].template.controller.clone().unwrap().uid,
        "set-uid"
    );
}

#[test]
fn pods_of_an_absent_workload_are_left_alone() {
    let all = expanded(&[pod("a", json!({}), Some(("ReplicaSet", "gone", "x")))]);
    assert_eq!(names(&all), ["a"]);
    // It is inferred, and has as many replicas as there are Pods.
    assert_eq!(all.replica_sets.len(), 1);
}

#[test]
fn a_replication_controller_owns_its_pods() {
    let mut controller = workload("v1", "ReplicationController", "web", json!({"replicas": 2}));
    controller["spec"]["selector"] = json!({"app": "web"});
    let all = expanded(&[controller]);
    assert_eq!(all.pods.len(), 2);
    let owner = all.pods[0].template.controller.clone().unwrap();
    assert_eq!(
        (owner.api_version.as_str(), owner.kind.as_str()),
        ("v1", "ReplicationController")
    );
}

#[test]
fn a_stateful_set_numbers_its_pods_and_their_claims() {
    let set = workload(
        "apps/v1",
        "StatefulSet",
        "db",
        json!({
            "replicas": 3, "ordinals": {"start": 5}, "serviceName": "db",
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}],
        }),
    );
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data-db-5"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "9Gi"}}}});
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "p",
        "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}});
    let owner = Some(("StatefulSet", "db", "x"));
    let all = expanded(&[set, claim, class, pod("db-6", json!({}), owner)]);
    assert_eq!(names(&all), ["db-5", "db-7", "db-6"]);
    let seven = &all.pods[1];
    assert_eq!(label(seven, "statefulset.kubernetes.io/pod-name"), "db-7");
    assert_eq!(label(seven, "apps.kubernetes.io/pod-index"), "7");
    assert!(label(seven, "controller-revision-hash").starts_with("db-"));
    let volumes = seven.template.spec.volumes.clone().unwrap();
    assert_eq!(volumes[0].name, "data");
    let mounted = volumes[0].persistent_volume_claim.clone().unwrap();
    assert_eq!(mounted.claim_name, "data-db-7");
    let claims: Vec<_> = all.persistent_volume_claims.iter().collect();
    let claim_names: Vec<_> = claims
        .iter()
        .map(|claim| claim.metadata.name.clone().unwrap())
        .collect();
    assert_eq!(claim_names, ["data-db-5", "data-db-7"]);
    assert_eq!(
        claims[1]
            .spec
            .clone()
            .unwrap()
            .storage_class_name
            .as_deref(),
        Some("fast")
    );
    assert_eq!(claims[1].metadata.labels.clone().unwrap()["app"], "db");
    assert_eq!(
        claims[1].status.clone().unwrap().phase.as_deref(),
        Some("Pending")
    );
}

#[test]
fn a_daemon_set_has_one_pinned_pod_on_each_node_that_takes_it() {
    let mut set = workload("apps/v1", "DaemonSet", "agent", json!({}));
    set["spec"]["template"]["spec"]["tolerations"] = json!([{"key": "gpu", "operator": "Exists"}]);
    set["spec"]["template"]["spec"]["affinity"] = json!({"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "disk", "operator": "NotIn", "values": ["wrong"]}]}]}}});
    let tainted = |key: &str, effect: &str| json!({"taints": [{"key": key, "effect": effect}]});
    let all = expanded(&[
        set,
        node("plain", json!({})),
        node("cordoned", json!({"unschedulable": true})),
        node("wrong", json!({})),
        node("gpu", tainted("gpu", "NoSchedule")),
        node(
            "control-plane",
            tainted("node-role.kubernetes.io/control-plane", "NoSchedule"),
        ),
        node("soft", tainted("any", "PreferNoSchedule")),
        node(
            "lost",
            tainted("node.kubernetes.io/unreachable", "NoExecute"),
        ),
        node("n1", json!({})),
        pod("agent-x", json!({}), Some(("DaemonSet", "agent", "x"))),
    ]);
    let pinned: Vec<_> = all
        .pods
        .iter()
        .filter(|pod| pod.node_name.is_none())
        .map(|pod| super::super::node_fit::target_node(&pod.template.spec).unwrap())
        .collect();
    assert_eq!(pinned, ["plain", "cordoned", "gpu", "soft", "lost"]);
    assert!(all.pods[0].name.starts_with("agent-"));
    assert_eq!(label(&all.pods[0], "pod-template-generation"), "1");
}

#[test]
fn daemons_tolerate_node_problems_forever() {
    let mut set = workload("apps/v1", "DaemonSet", "agent", json!({}));
    set["spec"]["template"]["spec"]["hostNetwork"] = json!(true);
    let all = expanded(&[set, node("n", json!({}))]);
    let spec: &PodSpec = &all.pods[0].template.spec;
    let tolerations = spec.tolerations.clone().unwrap();
    let shown: Vec<_> = tolerations
        .iter()
        .map(|own| {
            let key = own.key.clone().unwrap();
            let key = key.strip_prefix("node.kubernetes.io/").unwrap().to_owned();
            assert_eq!(
                (own.operator.as_deref(), own.toleration_seconds),
                (Some("Exists"), None)
            );
            format!("{key}:{}", own.effect.clone().unwrap())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "not-ready:NoExecute",
            "unreachable:NoExecute",
            "disk-pressure:NoSchedule",
            "memory-pressure:NoSchedule",
            "pid-pressure:NoSchedule",
            "unschedulable:NoSchedule",
            "network-unavailable:NoSchedule",
        ]
    );
}

fn job(name: &str, spec: Value) -> Value {
    workload("batch/v1", "Job", name, spec)
}

#[test]
fn jobs_run_as_many_pods_at_once_as_they_may() {
    let count = |spec: Value| expanded(&[job("j", spec)]).pods.len();
    assert_eq!(count(json!({})), 1);
    assert_eq!(count(json!({"parallelism": 4})), 4);
    assert_eq!(count(json!({"parallelism": 4, "completions": 2})), 2);
    assert_eq!(count(json!({"completions": 5})), 1);
    assert_eq!(count(json!({"parallelism": 0})), 0);
    assert_eq!(count(json!({"parallelism": 4, "suspend": true})), 0);
    let mut finished = job("j", json!({"parallelism": 2}));
    finished["status"] = json!({"conditions": [{"type": "Complete", "status": "True"}]});
    assert_eq!(expanded(&[finished]).pods.len(), 0);
    let all = expanded(&[job("j", json!({}))]);
    assert_eq!(all.pods[0].name.len(), "j-".len() + 5);
    assert_eq!(label(&all.pods[0], "job-name"), "j");
    assert_eq!(label(&all.pods[0], "batch.kubernetes.io/job-name"), "j");
}

#[test]
fn pods_of_a_job_count_whether_they_run_or_have_succeeded() {
    let mut done = pod("j-1", json!({}), Some(("Job", "j", "x")));
    done["status"] = json!({"phase": "Succeeded"});
    let running = pod("j-2", json!({}), Some(("Job", "j", "x")));
    let all = expanded(&[
        job("j", json!({"parallelism": 3, "completions": 4})),
        done,
        running,
    ]);
    assert_eq!(all.pods.len(), 2 + 2);
}

#[test]
fn an_indexed_job_creates_the_lowest_indexes_that_are_open() {
    let mut indexed = job(
        "j",
        json!({"completionMode": "Indexed", "completions": 9, "parallelism": 4}),
    );
    indexed["status"] = json!({"completedIndexes": "0,2-3"});
    let mut running = pod("j-4-abcde", json!({}), Some(("Job", "j", "x")));
    running["metadata"]["annotations"] = json!({"batch.kubernetes.io/job-completion-index": "4"});
    let all = expanded(&[indexed, running]);
    let indexes: Vec<_> = all.pods[..3]
        .iter()
        .map(|pod| label(pod, "batch.kubernetes.io/job-completion-index"))
        .collect();
    assert_eq!(indexes, ["1", "5", "6"]);
    assert!(all.pods[0].name.starts_with("j-1-"));
    assert_eq!(all.pods[0].template.spec.hostname.as_deref(), Some("j-1"));
    let annotations = &all.pods[0].template.annotations;
    assert_eq!(annotations["batch.kubernetes.io/job-completion-index"], "1");
}

#[test]
fn a_cron_job_without_jobs_is_reported() {
    let cron = json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job("j", json!({}))["spec"]}}});
    let (all, problems) = expanded_with_problems(std::slice::from_ref(&cron));
    assert_eq!(all.pods.len(), 0);
    assert_eq!(
        problems,
        ["cronjob \"c\" creates no Pods: its time has not come yet"]
    );
    let mut started = job("c-1", json!({}));
    started["metadata"]["ownerReferences"] = json!([{"apiVersion": "batch/v1", "kind": "CronJob", "name": "c", "uid": "x", "controller": true}]);
    assert_eq!(expanded(&[cron, started]).pods.len(), 1);
}

#[test]
fn ephemeral_volumes_get_claims_owned_by_their_pod() {
    let mut web = deployment("web", 1);
    web["spec"]["template"]["spec"]["volumes"] = json!([{"name": "scratch", "ephemeral": {
        "volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}}}}]);
    let all = expanded(&[web]);
    let claim = &all.persistent_volume_claims[0];
    assert_eq!(
        claim.metadata.name,
        Some(format!("{}-scratch", all.pods[0].name))
    );
    let owners = claim.metadata.owner_references.clone().unwrap();
    assert_eq!(
        (owners[0].kind.as_str(), owners[0].uid.as_str()),
        ("Pod", &*all.pods[0].uid)
    );
}

#[test]
fn a_rejected_template_is_reported_once_and_stops_the_workload() {
    let mut web = deployment("web", 3);
    web["spec"]["template"]["spec"]["priorityClassName"] = json!("nope");
    let (all, problems) = expanded_with_problems(&[web, deployment("api", 1)]);
    assert_eq!(all.pods.len(), 1);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("Error creating: pods \"web-"),
        "{}",
        problems[0]
    );
    assert!(problems[0].ends_with("is forbidden: no PriorityClass with name nope was found"));
}

#[test]
fn quotas_count_running_pods_and_reject_excess() {
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
        "spec": {"hard": {"pods": "3"}}});
    let running = pod("running", json!({}), None);
    let (all, problems) = expanded_with_problems(&[quota, deployment("web", 5), running]);
    assert_eq!(all.pods.len(), 3);
    assert_eq!(problems.len(), 1);
    let reason = "exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3";
    assert!(problems[0].ends_with(reason), "{}", problems[0]);
}

#[test]
fn limit_ranges_set_missing_requests_and_limits() {
    let range = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "r"},
        "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "100m"}}]}});
    let all = expanded(&[deployment("web", 1), range]);
    let resources = all.pods[0].template.spec.containers[0]
        .resources
        .clone()
        .unwrap();
    assert_eq!(resources.requests.unwrap()["cpu"].0, "100m");
}

#[test]
fn excessive_replicas_are_a_problem() {
    let (all, problems) = expanded_with_problems(&[deployment("web", i32::MAX)]);
    assert_eq!(all.pods.len(), super::MAX_CREATED_PODS);
    assert_eq!(problems, ["at most 150000 Pods are created in total"]);
    assert_eq!(expanded(&[deployment("none", 0)]).pods.len(), 0);
}
