//! What the descheduler evicts is placed again by the scheduler, as far as budgets let it be evicted.

use berth_protocol::what_if::{Answer, Evictions, Idle, Utilization};

use crate::descheduler::Policy;
use crate::session::Session;
use crate::testing::{TWO_NODES, session};
use crate::what_if;

/// All of a ReplicaSet's Pods are on `node-a`, which they fill; `node-b` is empty.
fn uneven(more: &str) -> Session {
    let mut text = TWO_NODES.to_owned();
    text += "---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, uid: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: web, resources: {requests: {cpu: 500m}}}]
";
    for pod in 1..=4 {
        text += &format!(
            "---
apiVersion: v1
kind: Pod
metadata:
  name: web-{pod}
  labels: {{app: web}}
  ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, controller: true}}]
spec:
  nodeName: node-a
  containers: [{{name: c, image: web, resources: {{requests: {{cpu: 500m}}}}}}]
"
        );
    }
    session(&(text + more))
}

const LOW: &str = "
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: LowNodeUtilization
    args: {thresholds: {cpu: 20}, targetThresholds: {cpu: 50}}
  plugins: {balance: {enabled: [LowNodeUtilization]}}
";

const DUPLICATES: &str = "
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig: [{name: RemoveDuplicates}]
  plugins: {balance: {enabled: [RemoveDuplicates]}}
";

const BUDGET: &str = "---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
";

fn answer(session: &Session, policy: &str) -> Answer {
    let policy = Policy::read(policy).expect("is a policy");
    let mut asked = what_if::ask_evict(session, policy, 2).expect("can be asked");
    while asked.advance(50) {}
    asked.answer().expect("was played")
}

fn evictions(answer: &Answer) -> &Evictions {
    answer.evictions.as_deref().expect("was played")
}

#[test]
fn evicted_pods_are_placed_elsewhere() {
    let answer = answer(&uneven(""), LOW);
    let evictions = evictions(&answer);
    assert_eq!(evictions.pods.len(), 2, "{evictions:#?}");
    assert_eq!(evictions.returned, 0);
    assert_eq!(
        (answer.again, answer.placed.by_name, answer.more.most),
        (2, 2, 0)
    );
    let [a, b] = evictions.nodes.as_slice() else {
        panic!("{evictions:?}");
    };
    assert_eq!(a.utilization, Some(Utilization::Over));
    assert_eq!(b.utilization, Some(Utilization::Under));
    assert_eq!((a.before.cpu, a.after.cpu), (100.0, 50.0));
    assert_eq!((b.before.cpu, b.after.cpu), (0.0, 50.0));
    assert_eq!((a.evicted, b.came), (2, 2));
    assert!(answer.drains.is_none());
}

#[test]
fn budgets_refuse_evictions() {
    let answer = answer(&uneven(BUDGET), LOW);
    let evictions = evictions(&answer);
    assert_eq!(evictions.pods.len(), 1, "{evictions:#?}");
    let refused = &evictions.refused[0];
    assert_eq!(refused.plugin, "LowNodeUtilization");
    assert_eq!(refused.blocked.budgets, ["default/web"]);
    assert_eq!((refused.blocked.needs, refused.blocked.healthy), (3, 3));
}

#[test]
fn duplicates_are_evicted_until_nodes_have_the_average() {
    let answer = answer(&uneven(""), DUPLICATES);
    let evictions = evictions(&answer);
    assert_eq!(evictions.plugins[0].evicted, 2);
    let pods: Vec<&str> = evictions.pods.iter().map(|it| it.pod.as_str()).collect();
    assert_eq!(pods, ["default/web-3", "default/web-4"]);
}

#[test]
fn a_policy_that_evicts_nothing_says_why() {
    let policy = LOW.replace("cpu: 50", "cpu: 100");
    let answer = answer(&uneven(""), &policy);
    let evictions = evictions(&answer);
    assert!(evictions.pods.is_empty());
    assert_eq!(evictions.plugins[0].idle, Some(Idle::NoneOverutilized));
}

#[test]
fn a_priority_class_of_the_policy_has_to_be_there() {
    let policy = LOW.replace(
        "pluginConfig:",
        "pluginConfig:\n  - name: DefaultEvictor\n    args: {priorityThreshold: {name: none}}",
    );
    let policy = Policy::read(&policy).expect("is a policy");
    let error = what_if::ask_evict(&uneven(""), policy, 0)
        .err()
        .expect("is refused");
    assert!(error.to_string().contains("\"none\" not found"), "{error}");
}
