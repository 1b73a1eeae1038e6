//! What an operator meets in a dump: pools, DaemonSets, controllers that the manifests lack.

use super::{failed, fixes, has, node, place, pod, sentences};
use crate::{edit, explain, frame};
use berth_protocol::fix::{Change, Moved, NewNode};
use berth_protocol::meant::Limit;

/// A node of a pool with 4 CPU.
fn of_pool(name: &str, pool: &str, more: &str) -> String {
    format!(
        "apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{pool: {pool}, topology.kubernetes.io/zone: a}}}}
status: {{allocatable: {{cpu: '4', memory: 16Gi, pods: '20'{more}}}}}
"
    )
}

/// A Pod of a controller that is in no document.
fn owned(name: &str, owner: &str, cpu: &str, more: &str) -> String {
    let (kind, owner) = owner.split_once('/').unwrap();
    let metadata = format!(
        "metadata: {{name: {name}, labels: {{app: {owner}}}, ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {owner}, uid: u, controller: true}}]}}"
    );
    let pod = pod(name, cpu, more);
    let plain = format!("metadata: {{name: {name}, labels: {{app: {name}}}}}");
    assert!(pod.contains(&plain));
    pod.replace(&plain, &metadata)
}

const APART: &str = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: zk}}}]}}";

#[test]
fn what_daemons_take_of_a_new_node_is_not_offered() {
    let yaml = of_pool("n1", "general", "")
        + "---\n"
        + &owned("agent-1", "DaemonSet/agent", "500m", "nodeName: n1")
        + &pod("big", "3700m", "");
    let found = fixes(&yaml, "default/big");
    assert!(!has(&found, |what| matches!(
        what,
        Change::AddNode {
            kind: NewNode::Same,
            ..
        }
    )));
    place(
        &found,
        "Add one general node in a, larger than any here (4200m CPU, 16 GiB memory)",
    );
    // Without them such a node is large enough.
    let yaml = of_pool("n1", "general", "")
        + "---\n"
        + &owned("web-1", "ReplicaSet/web", "500m", "nodeName: n1")
        + &pod("big", "3700m", "");
    let found = fixes(&yaml, "default/big");
    let add = "Add one general node in a (4 CPU, 16 GiB memory)";
    assert_eq!(place(&found, add), 0);
}

#[test]
fn the_pool_that_only_lacks_room_grows_and_no_hardware_is_invented() {
    let reserved =
        "spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}\n---\n";
    let gpu = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]";
    let asks = |pod: String| {
        pod.replace(
            "{cpu: 1}",
            "{cpu: 1, nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 1}",
        )
    };
    let yaml = of_pool("gpu-1", "gpu", ", nvidia.com/gpu: '1'")
        + reserved
        + &of_pool("cpu-1", "cpu", "")
        + "---\n"
        + &asks(pod("first", "1", &format!("nodeName: gpu-1\n{gpu}")))
        + &asks(pod("web", "1", gpu));
    let found = fixes(&yaml, "default/web");
    let add = "Add one gpu node in a (4 CPU, 16 GiB memory, 1 nvidia.com/gpu)";
    assert_eq!(place(&found, add), 0, "{:#?}", sentences(&found));
    let nodes = found
        .iter()
        .filter(|fix| matches!(fix.what, Change::AddNode { .. }));
    assert_eq!(nodes.count(), 1);
}

#[test]
fn a_reserved_pool_is_the_last_resort_and_said_to_be_reserved() {
    let spot = "spec: {taints: [{key: spot, value: 'true', effect: NoSchedule}]}\n---\n";
    let yaml = of_pool("general-1", "general", "")
        + "---\n"
        + &of_pool("spot-1", "spot", "")
        + spot
        + &of_pool("spot-2", "spot", "")
        + spot
        + &pod("first", "3", "nodeName: general-1")
        + &pod("web", "2", "");
    let found = fixes(&yaml, "default/web");
    assert_eq!(
        place(&found, "Add one general node in a (4 CPU, 16 GiB memory)"),
        0
    );
    let tolerate = "Tolerate spot=true:NoSchedule, though it reserves these nodes for others";
    let lower = place(&found, "Lower the cpu request from 2 to 1 CPU");
    assert!(lower < place(&found, tolerate), "{:#?}", sentences(&found));
    assert!(
        found[place(&found, tolerate)..]
            .iter()
            .all(|fix| fix.rank.tier == 22)
    );
}

#[test]
fn a_replica_that_comes_again_and_waits_is_no_help() {
    let yaml = node("n1", "a", "")
        + &owned(
            "zk-0",
            "StatefulSet/zk",
            "100m",
            &format!("nodeName: n1\n{APART}"),
        )
        + &owned("zk-1", "StatefulSet/zk", "100m", APART);
    let found = fixes(&yaml, "default/zk-1");
    assert!(!has(&found, |what| matches!(
        what,
        Change::DeletePod { .. }
    )));
    // The running replica has the same rule, which repels this one: the template changes for both.
    let softer = "Make the pod anti-affinity over kubernetes.io/hostname preferred, in the template of StatefulSet zk";
    let softer = &found[place(&found, softer)];
    assert_eq!(softer.edits.len(), 4);
    assert_eq!(softer.moves, []);
}

#[test]
fn a_replica_that_finds_another_place_makes_way() {
    let yaml = node("n1", "a", "").replace("{topology", "{disk: ssd, topology")
        + &node("n2", "b", "")
        + &owned("web-1", "ReplicaSet/web", "1500m", "nodeName: n1")
        + &pod("db", "1", "nodeSelector: {disk: ssd}");
    let found = fixes(&yaml, "default/db");
    let delete = &found[place(&found, "Delete Pod default/web-1 from n1")];
    let moved = Moved {
        pod: "default/web-1".into(),
        node: "n2".into(),
    };
    assert_eq!(delete.moves, [moved]);
    assert_eq!(delete.edits.len(), 1);
}

#[test]
fn a_spread_that_counts_an_untolerated_zone_can_honor_taints() {
    let spread = "topologySpreadConstraints:
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: DoNotSchedule
  labelSelector: {matchLabels: {app: web}}";
    let control =
        "spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}";
    let running = |name: &str, node: &str| {
        pod(name, "100m", &format!("nodeName: {node}")).replace(&format!("app: {name}"), "app: web")
    };
    let yaml = node("one", "a", "")
        + &node("two", "b", "")
        + &node("cp", "c", control)
        + &running("w1", "one")
        + &running("w2", "two")
        + &pod("web", "100m", spread);
    let found = fixes(&yaml, "default/web");
    let honor = "Set nodeTaintsPolicy: Honor for the spread over topology.kubernetes.io/zone, so that nodes with taints do not count";
    let honor = place(&found, honor);
    let raise = place(&found, "Raise maxSkew on topology.kubernetes.io/zone to 2");
    assert!(honor < raise, "{:#?}", sentences(&found));
}

#[test]
fn a_pool_grows_in_the_zone_of_the_volume() {
    let bound = "metadata: {name: data, namespace: default, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}";
    let volume = format!(
        "apiVersion: v1
kind: PersistentVolumeClaim
{bound}
spec: {{accessModes: [ReadWriteOnce], volumeName: pv-1, storageClassName: fast, resources: {{requests: {{storage: 1Gi}}}}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: pv-1}}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {{storage: 1Gi}}
  storageClassName: fast
  claimRef: {{name: data, namespace: default}}
  csi: {{driver: d, volumeHandle: v}}
  nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: topology.kubernetes.io/zone, operator: In, values: [c]}}]}}]}}}}
---
"
    );
    let mounts = "nodeSelector: {pool: db}
volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]";
    let yaml = of_pool("db-1", "db", "")
        + "---\n"
        + &node("other", "c", "")
        + &volume
        + &pod("web", "1", mounts);
    let found = fixes(&yaml, "default/web");
    let add = "Add one db node in c (4 CPU, 16 GiB memory)";
    assert_eq!(place(&found, add), 0, "{:#?}", sentences(&found));
    let (session, position) = failed(&yaml, "default/web");
    let meant = explain::attempt(&session, position).unwrap().meant.unwrap();
    let limit = Limit::Elsewhere {
        claim: "data".into(),
        volume: "pv-1".into(),
        domains: vec!["c".into()],
    };
    assert_eq!(meant.limits, [limit]);
}

#[test]
fn replicas_that_no_domain_is_left_for_are_given_up() {
    let zookeeper = |ordinal: u32, node: &str| {
        let node = match node {
            "" => String::new(),
            node => format!("nodeName: {node}"),
        };
        let more = format!("{APART}\n{node}");
        owned(&format!("zk-{ordinal}"), "StatefulSet/zk", "1", &more)
    };
    let node = |name: &str| {
        let node = node(name, "a", "");
        let labels = format!("labels: {{kubernetes.io/hostname: {name}, ");
        node.replace("labels: {", &labels)
    };
    let three = node("n1") + &node("n2") + &zookeeper(0, "n1") + &zookeeper(1, "n2");
    let yaml = three.clone() + &zookeeper(2, "") + &zookeeper(3, "");
    let (session, position) = failed(&yaml, "default/zk-3");
    let found = fixes::find(&session, position).unwrap();
    let scale = "Scale StatefulSet zk to 2, as no place is left for more";
    let fix = &found[place(&found, scale)];
    assert_eq!((fix.node.as_str(), fix.edits.len()), ("", 2));
    let soften = "Make the pod anti-affinity over kubernetes.io/hostname preferred, in the template of StatefulSet zk";
    assert!(place(&found, scale) < place(&found, soften));
    let mut then = session.branch(position).unwrap();
    edit::make(&mut then, &fix.edits).unwrap();
    then.run_to_end();
    let pods = frame::build(&then).pods;
    let names: Vec<&str> = pods.iter().map(|pod| pod.key.as_str()).collect();
    assert_eq!(names, ["default/zk-0", "default/zk-1"]);
    // A hole is no tail: with two replicas, zk-1 would go and not zk-3.
    let hole = three.replace("zk-1", "zk-3") + &zookeeper(1, "");
    let (session, position) = failed(&hole, "default/zk-1");
    let found = fixes::find(&session, position).unwrap();
    assert!(!has(&found, |what| matches!(what, Change::Forgo { .. })));
}

#[test]
fn two_changes_are_offered_where_none_helps_alone() {
    let taint = "spec: {taints: [{key: maintenance, value: soon, effect: NoSchedule}]}";
    let yaml =
        node("n1", "a", taint) + &pod("big", "3", "nodeSelector: {topology.kubernetes.io/zone: a}");
    let found = fixes(&yaml, "default/big");
    let pairs: Vec<String> = found
        .iter()
        .filter(|fix| matches!(fix.what, Change::Both { .. }))
        .map(|fix| fix.remark().to_string())
        .collect();
    assert_eq!(
        pairs.first().map(String::as_str),
        Some(
            "Both of these: Tolerate maintenance=soon:NoSchedule; Lower the cpu request from 3 to 2 CPU"
        )
    );
    assert!(pairs.len() <= 3, "{pairs:?}");
    // Where one is enough, no pair is tried.
    let found = fixes(&yaml.replace("cpu: 3", "cpu: 1"), "default/big");
    assert!(!found.is_empty() && !has(&found, |what| matches!(what, Change::Both { .. })));
}

#[test]
fn a_pool_that_lacks_a_resource_gets_no_node_that_has_it() {
    let taint = "spec: {taints: [{key: gpu, value: present, effect: NoSchedule}]}\n";
    let asks = "nvidia.com/gpu: '1'";
    let gpu = |name: &str, more: &str| {
        let limits = format!("limits: {{{asks}}}, requests: {{{asks}, cpu: ");
        pod(name, "1", more).replace("requests: {cpu: ", &limits)
    };
    let yaml = of_pool("gpu-1", "gpu", &format!(", {asks}"))
        + taint
        + "---\n"
        + &of_pool("cpu-1", "general", "")
        + "---\n"
        + &gpu("embedder", "nodeName: gpu-1")
        + &gpu("train", "");
    let found = sentences(&fixes(&yaml, "default/train"));
    let both = "Both of these: Tolerate gpu=present:NoSchedule; Add one gpu node in a (4 CPU, 16 GiB memory, 1 nvidia.com/gpu)";
    assert!(found.iter().any(|it| it == both), "{found:#?}");
    assert!(
        !found.iter().any(|it| it.contains("general node")),
        "{found:#?}"
    );
}
