//! Answers on random small clusters come to what the whole way comes to: the manifests edited, read and played again.

mod drains;
mod evict;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use berth_base::random::Random;
use berth_protocol::gesture::{Gesture, NodeTemplate};
use berth_protocol::what_if::{Answer, Need};

use super::{Asked, Needing};
use crate::session::Session;
use crate::testing::session;
use crate::what_if::{fit, losses, need};
use crate::{edit, variant, what_if};

/// Number of random clusters for each comparison.
const CLUSTERS: u64 = 60;

const CLASSES: &str = "
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high, uid: high}
value: 1000
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default, uid: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
";

struct Dice(Random);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        let at = usize::try_from(self.below(all.len() as u64)).expect("is small");
        all[at]
    }
}

fn node(dice: &mut Dice, number: u64, text: &mut String) {
    let zone = dice.of(&["a", "b"]);
    let cpu = 2 + dice.below(3);
    let taint = match dice.one_in(5) {
        true => "spec: {taints: [{key: pool, value: spot, effect: NoSchedule}]}\n",
        false => "",
    };
    let _ = write!(
        text,
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: n{number}, uid: n{number}, labels: \
         {{kubernetes.io/hostname: n{number}, topology.kubernetes.io/zone: {zone}, pool: p{cpu}}}}}\n{taint}\
         status: {{allocatable: {{cpu: '{cpu}', memory: 8Gi, pods: '9'}}}}\n"
    );
}

/// A Pod of a dump: with a uid, a time, and mostly an owner.
fn pod(dice: &mut Dice, number: u64, nodes: u64, text: &mut String) {
    let owner = dice.of(&[
        "ReplicaSet/web",
        "ReplicaSet/api",
        "StatefulSet/db",
        "DaemonSet/agent",
        "",
    ]);
    let (kind, app) = owner.split_once('/').unwrap_or(("", "alone"));
    let owners = match kind {
        "" => String::new(),
        _ => format!(
            ", ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {app}, uid: {app}, controller: true}}]"
        ),
    };
    let name = format!("{app}-{number}");
    let mut spec = Vec::new();
    if kind == "DaemonSet" || !dice.one_in(4) {
        spec.push(format!("nodeName: n{}", dice.below(nodes)));
    }
    if dice.one_in(4) {
        spec.push("priorityClassName: high, priority: 1000".to_owned());
    }
    if dice.one_in(3) {
        spec.push("tolerations: [{operator: Exists}]".to_owned());
    }
    let of_app = format!("labelSelector: {{matchLabels: {{app: {app}}}}}");
    match dice.below(5) {
        0 => spec.push(format!(
            "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
             [{{{of_app}, topologyKey: kubernetes.io/hostname}}]}}}}"
        )),
        1 => spec.push(format!(
            "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, \
             whenUnsatisfiable: DoNotSchedule, {of_app}}}]"
        )),
        _ => {}
    }
    spec.push(format!(
        "containers: [{{name: c, image: i, resources: {{requests: {{cpu: {}m}}}}}}]",
        200 + 200 * dice.below(6)
    ));
    let phase = match dice.below(10) {
        0 => "status: {phase: Succeeded}\n",
        1 => "status: {phase: Failed}\n",
        _ => "",
    };
    let deleted = match dice.one_in(12) {
        true => ", deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 30",
        false => "",
    };
    let spec = spec.join(", ");
    let _ = write!(
        text,
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, uid: {name}, labels: {{app: {app}}}, \
         creationTimestamp: '2026-01-01T00:00:{number:02}Z'{deleted}{owners}}}\nspec: {{{spec}}}\n{phase}"
    );
}

/// A cluster, and the number of its nodes.
fn cluster(seed: u64) -> (String, u64) {
    let mut dice = Dice(Random::new(seed));
    let mut text = CLASSES.to_owned();
    let nodes = 2 + dice.below(5);
    for number in 0..nodes {
        node(&mut dice, number, &mut text);
    }
    for number in 0..8 + dice.below(14) {
        pod(&mut dice, number, nodes, &mut text);
    }
    (text, nodes)
}

/// The nodes of all unfinished Pods.
fn places(snapshot: &berth_sim::snapshot::Snapshot) -> BTreeMap<String, Option<String>> {
    let pods = crate::compare::unfinished(snapshot.cluster());
    pods.map(|pod| {
        let node = pod.object.node_name.as_ref();
        (pod.object.key(), node.map(|node| node.to_string()))
    })
    .collect()
}

fn played(mut asked: Asked) -> Asked {
    while asked.advance(7) {}
    asked
}

fn answer(asked: &Asked) -> Answer {
    asked.answer().expect("was played")
}

#[test]
fn a_loss_comes_to_what_the_edited_manifests_come_to() {
    for seed in 0..CLUSTERS {
        let (text, nodes) = cluster(seed);
        let asked_of = session(&text);
        for number in 0..nodes {
            let name = format!("n{number}");
            let lost = BTreeSet::from([name.clone()]);
            let asked = what_if::ask_loss(&asked_of, lost, Vec::new(), 0).expect("can be asked");
            let asked = played(asked);
            let mut replayed = session(&text);
            variant::remove_nodes(&mut replayed, &format!("kubernetes.io/hostname={name}"))
                .expect("is removed");
            replayed.run_to_end();
            let end = asked.ends[0].now.as_ref().expect("is kept").snapshot();
            assert_eq!(places(end), places(replayed.run()), "{seed}: {name}");
            end.cluster().audit().expect("sums are right");
        }
    }
}

#[test]
fn losses_of_each_node_are_those_of_one() {
    for seed in 0..CLUSTERS / 4 {
        let (text, _) = cluster(seed);
        let session = session(&text);
        let mut losing = losses::ask_losses(&session, None).expect("can be asked");
        while losing.advance(5) {}
        let losses = losing.answer().expect("was played");
        for loss in &losses.losses {
            let lost = BTreeSet::from([loss.name.clone()]);
            let asked = what_if::ask_loss(&session, lost, Vec::new(), 2).expect("can be asked");
            let answer = answer(&played(asked));
            assert_eq!(
                (loss.waiting, loss.more, &loss.lost, &loss.urgent),
                (
                    answer.waiting.by_name,
                    answer.more.by_name,
                    &answer.lost,
                    &answer.urgent
                ),
                "{seed}: {}",
                loss.name
            );
            assert!(answer.waiting.least <= answer.waiting.by_name);
        }
    }
}

/// The session with so many nodes like this one, at its end.
fn with_nodes(text: &str, like: &str, count: usize) -> Session {
    let mut session = session(text);
    if count > 0 {
        let gesture = Gesture::AddNodes {
            template: NodeTemplate::Like {
                node: like.to_owned(),
            },
            count: u32::try_from(count).expect("is small"),
            topology: None,
        };
        edit::perform(&mut session, &gesture).expect("adds nodes");
    }
    session.run_to_end();
    session
}

fn waiting(session: &Session) -> usize {
    session.run().pending().count()
}

fn needed(mut needing: Needing) -> Need {
    while needing.advance(50) {}
    needing.answer().expect("was played")
}

#[test]
fn so_many_nodes_place_all_that_can_be_helped_and_one_fewer_does_not() {
    let mut pools = 0;
    for seed in 0..CLUSTERS {
        let (text, _) = cluster(seed);
        let need = needed(need::ask_need(&session(&text)).expect("can be asked"));
        for of in &need.pools {
            pools += 1;
            let all = waiting(&with_nodes(&text, &of.like, of.nodes));
            let fewer = waiting(&with_nodes(&text, &of.like, of.nodes - 1));
            assert_eq!(all, of.leaves + need.held, "{seed}: {of:?}");
            assert!(fewer > of.leaves + need.held, "{seed}: {of:?}");
        }
    }
    assert!(pools > 20, "{pools}");
}

#[test]
fn nodes_without_a_pool_are_told_apart_by_taints_and_resources() {
    let node = |name: &str, spec: &str, more: &str| {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n\
             status: {{allocatable: {{cpu: 1, memory: 1Gi, pods: 9{more}}}}}\n"
        )
    };
    let taint = "taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]";
    let gpu = "example.com/gpu";
    let pod = |name: &str, request: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: i, \
             resources: {{requests: {{{request}}}, limits: {{{request}}}}}}}]}}\n"
        )
    };
    let text = [
        node("a-control-plane", taint, ""),
        node("b", "", ""),
        node("c", "", &format!(", {gpu}: 1")),
        pod("large-1", "cpu: 1"),
        pod("large-2", "cpu: 900m"),
        pod("large-3", "cpu: 900m"),
        pod("gpu-1", &format!("{gpu}: 1")),
        pod("gpu-2", &format!("{gpu}: 1")),
    ]
    .concat();
    let need = needed(need::ask_need(&session(&text)).expect("can be asked"));
    let found = need.pools.iter();
    let found: Vec<(&str, usize, usize)> = found
        .map(|of| (of.like.as_str(), of.nodes, of.leaves))
        .collect();
    assert_eq!(found, [("c", 1, 0), ("b", 1, 1)]);
}

#[test]
fn so_many_replicas_fit_as_manifests_with_them_place() {
    let replica = |number: usize| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: big-x{number}, labels: {{app: big}}, ownerReferences: \
             [{{apiVersion: apps/v1, kind: ReplicaSet, name: big, uid: big, controller: true}}]}}\n\
             spec: {{priority: 0, containers: [{{name: c, image: i, resources: {{requests: {{cpu: 900m}}}}}}]}}\n"
        )
    };
    for seed in 0..CLUSTERS / 2 {
        let (text, _) = cluster(seed);
        let first = replica(0).replace(
            "name: big-x0,",
            "name: big-x0, uid: big-x0, creationTimestamp: '2026-01-03T00:00:00Z',",
        );
        let text = text + &first;
        let asked = fit::ask_fit(&session(&text), "default/big", 6).expect("can be asked");
        let fits = answer(&played(asked)).placed.by_name;
        let all_fit = |count: usize| {
            let more: String = (1..=count).map(replica).collect();
            let mut session = session(&(text.clone() + &more));
            session.run_to_end();
            let mut waiting = session.run().pending();
            !waiting.any(|pod| {
                let number = pod.object.name.strip_prefix("big-x");
                number.is_some_and(|number| number != "0")
            })
        };
        let counted = (1..=6).take_while(|count| all_fit(*count)).count();
        assert_eq!(fits, counted, "{seed}");
    }
}

#[test]
fn a_stateful_sets_replicas_have_claims_of_their_own() {
    let text = "
apiVersion: v1
kind: Node
metadata: {name: n1, uid: n1}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, uid: fast}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk, uid: disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  claimRef: {namespace: default, name: data-db-0, uid: data-db-0}
  csi: {driver: disk.example.com, volumeHandle: disk}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, uid: data-db-0}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, volumeName: disk, resources: {requests: {storage: 1Gi}}}
status: {phase: Bound}
---
apiVersion: v1
kind: Pod
metadata:
  name: db-0
  uid: db-0
  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: db, controller: true}]
spec:
  nodeName: n1
  containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]
";
    let asked = fit::ask_fit(&session(text), "db", 5).expect("can be asked");
    let asked = played(asked);
    assert_eq!(answer(&asked).placed.by_name, 3);
    let end = asked.ends[0].now.as_ref().expect("is kept").snapshot();
    let claims = end.cluster().volumes();
    for name in ["data-db-1", "data-db-2", "data-db-3"] {
        let claim = claims.claim("default", name).expect("was made");
        let volume = claim
            .spec
            .as_ref()
            .and_then(|spec| spec.volume_name.clone());
        assert!(volume.is_some_and(|volume| volume != "disk"), "{name}");
    }
    assert_eq!(places(end)["default/db-4"], None);
}

const DEVICES: &str = "
apiVersion: v1
kind: Node
metadata: {name: n1, uid: n1}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, uid: n2}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: of-n1}
spec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: of-n2}
spec: {driver: gpu.example.com, nodeName: n2, pool: {name: n2, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: default}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: train-x
  uid: train-x
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: train, uid: train, controller: true}]
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
";

#[test]
fn a_lost_node_takes_its_devices_and_not_the_claims_of_its_pods() {
    let mut session = session(DEVICES);
    session.run_to_end();
    let key = "default/train-x";
    let node = places(session.run())[key].clone().expect("is placed");
    let other = if node == "n1" { "n2" } else { "n1" };
    let lost = BTreeSet::from([node.clone()]);
    let asked = played(what_if::ask_loss(&session, lost, Vec::new(), 0).expect("can be asked"));
    let end = asked.ends[0].now.as_ref().expect("is kept").snapshot();
    assert_eq!(places(end)[key].as_deref(), Some(other));
    variant::remove_nodes(&mut session, &format!("kubernetes.io/hostname={node}"))
        .expect("is removed");
    session.run_to_end();
    assert_eq!(places(session.run())[key].as_deref(), Some(other));
    let fit = played(fit::ask_fit(&session, "train", 3).expect("can be asked"));
    assert_eq!(answer(&fit).placed.by_name, 0);
}
