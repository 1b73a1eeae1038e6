use std::sync::Arc;

use super::*;
use crate::api::load::load;
use crate::api::prepared::{Phase, PodObject};
use crate::api::source::SourceFile;

/// Prepares YAML without expansion; returns the problems as `path: message`.
fn prepared_with_problems(yaml: &str) -> (Prepared, Vec<String>) {
    let loaded = load(&[SourceFile::new("test.yaml", yaml)]);
    assert_eq!(loaded.problems, [], "the test's own YAML is wrong");
    let (prepared, problems) = prepare(
        &loaded,
        &PrepareOptions {
            expand_workloads: false,
            ..PrepareOptions::default()
        },
    );
    let shown = problems
        .iter()
        .map(|problem| format!("{}: {}", problem.path, problem.message));
    (prepared, shown.collect())
}

fn prepared(yaml: &str) -> Prepared {
    let (prepared, problems) = prepared_with_problems(yaml);
    assert_eq!(problems, Vec::<String>::new());
    prepared
}

fn pod<'a>(prepared: &'a Prepared, name: &str) -> &'a PodObject {
    prepared.pods.iter().find(|pod| &*pod.name == name).unwrap()
}

/// Milliseconds of 2025-01-01T00:00:00Z.
const NEW_YEAR: i64 = 1_735_689_600_000;

#[test]
fn documents_of_all_kinds_count_for_time_and_order() {
    let all = prepared(
        "
{kind: Namespace, apiVersion: v1, metadata: {name: prod}}
---
{kind: Pod, apiVersion: v1, metadata: {name: b, creationTimestamp: '2020-01-01T00:00:00Z'}, spec: {containers: [{name: c}]}}
---
{kind: Node, apiVersion: v1, metadata: {name: n1}}
---
{kind: Pod, apiVersion: v1, metadata: {name: a}, spec: {nodeName: n1, containers: [{name: c}]}}
",
    );
    let order: Vec<_> = all
        .pods
        .iter()
        .map(|pod| (&*pod.name, pod.document))
        .collect();
    assert_eq!(order, [("b", 1), ("a", 3)]);
    assert_eq!(pod(&all, "b").created_ms, NEW_YEAR + 1000);
    assert_eq!(pod(&all, "b").start_ms, None);
    assert_eq!(pod(&all, "a").start_ms, Some(NEW_YEAR + 3000));
}

#[test]
fn running_pods_keep_their_start_time_and_status_is_read() {
    let all = prepared(
        "
kind: Pod
apiVersion: v1
metadata: {name: a, deletionTimestamp: '2025-01-01T00:30:00Z'}
spec: {nodeName: n1, containers: [{name: c}]}
status:
  startTime: '2024-12-01T00:00:00Z'
  conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}]
---
{kind: Pod, apiVersion: v1, metadata: {name: b}, spec: {containers: [{name: c}]}, status: {nominatedNodeName: n1}}
---
{kind: Pod, apiVersion: v1, metadata: {name: done}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Succeeded}}
",
    );
    let a = pod(&all, "a");
    assert_eq!(a.start_ms, Some(1_733_011_200_000));
    assert_eq!(
        (a.terminating, a.preempted_by_scheduler, a.phase),
        (true, true, Phase::Running)
    );
    assert_eq!(a.node_name.as_deref(), Some("n1"));
    assert_eq!(a.template.spec.node_name, None);
    assert_eq!(pod(&all, "b").nominated_node.as_deref(), Some("n1"));
    assert_eq!(pod(&all, "b").phase, Phase::Pending);
    assert_eq!(pod(&all, "done").phase, Phase::Succeeded);
}

#[test]
fn namespaces_that_are_used_exist_with_their_label() {
    let all = prepared(
        "
{kind: Pod, apiVersion: v1, metadata: {name: a}, spec: {containers: [{name: c}]}}
---
{kind: Service, apiVersion: v1, metadata: {name: s, namespace: used}, spec: {}}
---
{kind: Namespace, apiVersion: v1, metadata: {name: declared, labels: {team: a, kubernetes.io/metadata.name: wrong}}}
---
{kind: Pod, apiVersion: v1, metadata: {name: a, namespace: declared}, spec: {containers: [{name: c}]}}
",
    );
    let names: Vec<_> = all.namespaces.keys().map(String::as_str).collect();
    assert_eq!(names, ["declared", "default", "used"]);
    assert_eq!(
        all.namespaces["used"]["kubernetes.io/metadata.name"],
        "used"
    );
    assert_eq!(
        all.namespaces["declared"]["kubernetes.io/metadata.name"],
        "declared"
    );
    assert_eq!(all.namespaces["declared"]["team"], "a");
}

#[test]
fn uids_come_from_the_file_or_are_generated() {
    let all = prepared(
        "
{kind: Pod, apiVersion: v1, metadata: {name: a, uid: mine}, spec: {containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: b}, spec: {containers: [{name: c}]}}
",
    );
    assert_eq!(&*pod(&all, "a").uid, "mine");
    // Without the Pods of workloads, uids are those of recordings of the scheduler alone.
    assert_eq!(&*pod(&all, "b").uid, "pod-default-b");
}

#[test]
fn equal_pods_share_one_template() {
    let all = prepared(
        "
{kind: Pod, apiVersion: v1, metadata: {name: a, labels: {app: x}}, spec: {containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: b, labels: {app: x}}, spec: {nodeName: n1, containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: c, labels: {app: z}}, spec: {containers: [{name: c}]}}
",
    );
    assert!(Arc::ptr_eq(
        &pod(&all, "a").template,
        &pod(&all, "b").template
    ));
    assert!(!Arc::ptr_eq(
        &pod(&all, "a").template,
        &pod(&all, "c").template
    ));
}

#[test]
fn admission_runs_for_running_pods_too_and_in_order() {
    let all = prepared(
        "
{kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: high}, value: 7}
---
kind: Pod
apiVersion: v1
metadata: {name: a}
spec:
  nodeName: n1
  priorityClassName: high
  containers: [{name: c, resources: {limits: {cpu: 1}}}]
",
    );
    let spec = &pod(&all, "a").template.spec;
    assert_eq!(spec.priority, Some(7));
    assert_eq!(
        spec.preemption_policy.as_deref(),
        Some("PreemptLowerPriority")
    );
    assert_eq!(spec.tolerations.as_ref().map(Vec::len), Some(2));
    assert_eq!(spec.scheduler_name.as_deref(), Some("default-scheduler"));
    let requests = spec.containers[0]
        .resources
        .as_ref()
        .unwrap()
        .requests
        .as_ref()
        .unwrap();
    assert_eq!(requests["cpu"].0, "1");
}

#[test]
fn a_refused_pod_is_a_problem_and_hides_no_other() {
    let (all, problems) = prepared_with_problems(
        "
{kind: Pod, apiVersion: v1, metadata: {name: a}, spec: {priorityClassName: nope, containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: b}, spec: {containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: b}, spec: {containers: [{name: c}]}}
",
    );
    assert_eq!(all.pods.len(), 1);
    assert_eq!(
        problems,
        [
            "metadata.name: pods \"b\" already exists",
            "spec.priorityClassName: pods \"a\" is forbidden: no PriorityClass with name nope was found",
        ]
    );
}

#[test]
fn objects_that_do_not_affect_scheduling_have_names_and_namespaces() {
    let autoscaler = "{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v2, metadata: {name: a, namespace: shop}, spec: {maxReplicas: 1, scaleTargetRef: {kind: Deployment, name: a}}}";
    let (all, problems) = prepared_with_problems(&format!(
        "{autoscaler}\n---\n{{kind: ConfigMap, apiVersion: v1, metadata: {{name: a}}}}\n---\n{autoscaler}\n"
    ));
    assert_eq!(
        problems,
        ["metadata.name: horizontalpodautoscalers.autoscaling \"a\" already exists"]
    );
    assert!(all.namespaces.contains_key("shop"));
}

#[test]
fn budgets_count_bound_pods_that_are_not_being_deleted() {
    let all = prepared(
        "
kind: PodDisruptionBudget
apiVersion: policy/v1
metadata: {name: b}
spec: {minAvailable: 50%, selector: {matchLabels: {app: x}}}
---
{kind: Pod, apiVersion: v1, metadata: {name: a, labels: {app: x}}, spec: {nodeName: n1, containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: b, labels: {app: x}}, spec: {nodeName: n1, containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: c, labels: {app: x}}, spec: {nodeName: n1, containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: pending, labels: {app: x}}, spec: {containers: [{name: c}]}}
---
{kind: Pod, apiVersion: v1, metadata: {name: done, labels: {app: x}}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Failed}}
---
{kind: Pod, apiVersion: v1, metadata: {name: going, labels: {app: x}, deletionTimestamp: '2025-01-01T00:30:00Z'}, spec: {nodeName: n1, containers: [{name: c}]}}
",
    );
    let status = all.disruption_budgets[0].status.clone().unwrap();
    assert_eq!(
        (
            status.current_healthy,
            status.expected_pods,
            status.desired_healthy,
            status.disruptions_allowed
        ),
        (Some(3), Some(3), Some(2), Some(1))
    );
}

#[test]
fn claims_get_the_default_class_before_they_are_bound() {
    let all = prepared(
        "
kind: PersistentVolumeClaim
apiVersion: v1
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
kind: PersistentVolume
apiVersion: v1
metadata: {name: v}
spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, storageClassName: fast, hostPath: {path: /x}}
---
kind: StorageClass
apiVersion: storage.k8s.io/v1
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}
provisioner: p
",
    );
    let spec = all.persistent_volume_claims[0].spec.clone().unwrap();
    assert_eq!(spec.storage_class_name.as_deref(), Some("fast"));
    assert_eq!(spec.volume_name.as_deref(), Some("v"));
}
