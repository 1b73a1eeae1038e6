//! Drains, upgrades and shrinks are valid: their lines, typed in a terminal on the same cluster, come to the same end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use berth_base::random::Random;
use berth_protocol::what_if::{Answer, Drains, WhyKept};
use berth_sim::pod_util;
use berth_sim::run::Order;
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::store::Key;

use super::super::live::{Act, Live};
use super::super::plays::now;
use super::super::shrink::{never_goes, why_kept};
use super::super::{Prices, Rolling, SETTLE, Shrinking, prices};
use super::{CLASSES, Dice, cluster, node};
use crate::session::Session;
use crate::terminal::Terminal;
use crate::testing::session;
use crate::what_if::{self, rolling, shrink};

/// Number of random clusters of the daily tests, and of all.
const SOME: u64 = 4;
const ALL: u64 = 80;

fn rolled(mut rolling: Rolling) -> Rolling {
    while rolling.advance(50) {}
    rolling
}

fn shrunk(session: &Session, prices: Option<Prices>) -> Shrinking {
    let asked = shrink::ask_shrink(session, None, None, prices);
    let mut shrinking = asked.expect("can be asked");
    while shrinking.advance(50) {}
    shrinking
}

fn names(nodes: &[&str]) -> BTreeSet<String> {
    nodes.iter().map(|node| (*node).to_owned()).collect()
}

fn drained(session: &Session, nodes: &[&str]) -> Rolling {
    let asked = rolling::ask_drain(session, names(nodes), Vec::new(), 0);
    rolled(asked.expect("can be asked"))
}

fn answer(rolling: &Rolling) -> Answer {
    rolling.answer().expect("was played")
}

fn drains(answer: &Answer) -> &Drains {
    answer.drains.as_deref().expect("nodes were drained")
}

/// What the lines of an answer come to in this terminal.
fn typed(mut terminal: Terminal, answer: &Answer) -> Terminal {
    for line in &drains(answer).lines {
        match line == SETTLE {
            true => terminal.rest(),
            false => drop(terminal.run(line)),
        }
    }
    terminal
}

/// The nodes of all unfinished Pods.
fn places(cluster: &SimulatedCluster) -> BTreeMap<String, String> {
    let pods = cluster.api().store().pods.iter();
    let pods = pods.filter(|pod| !pod_util::is_finished(pod));
    pods.map(|pod| {
        let node = pod_util::node_of(pod).to_owned();
        (Key::of(&pod.metadata).to_string(), node)
    })
    .collect()
}

fn nodes(cluster: &SimulatedCluster) -> Vec<String> {
    let nodes = cluster.api().store().nodes.iter();
    nodes
        .filter_map(|node| node.metadata.name.clone())
        .collect()
}

fn waiting(cluster: &SimulatedCluster) -> usize {
    let places = places(cluster);
    places.values().filter(|node| node.is_empty()).count()
}

/// The budgets that have fewer ready Pods than they need.
fn broken(cluster: &SimulatedCluster) -> BTreeSet<String> {
    let budgets = cluster.api().store().budgets.iter();
    let broken = budgets.filter(|budget| {
        let status = budget.status.clone().unwrap_or_default();
        status.current_healthy < status.desired_healthy
    });
    broken
        .map(|budget| Key::of(&budget.metadata).to_string())
        .collect()
}

/// Asserts that the lines of the answer come to its end in a terminal, with no budget broken, unless by preemption, which
/// may break them.
fn assert_same(rolling: &Rolling, what: &str) {
    let mut end = rolling.end_terminal().expect("was played");
    let mut terminal = rolling.terminal();
    for (name, node) in rolling.new_nodes() {
        terminal.add_file(format!("{name}.yaml"), node.to_string());
    }
    let typed = typed(terminal, &answer(rolling));
    let what = format!("{what}: {:?}", drains(&answer(rolling)));
    assert_eq!(places(typed.cluster()), places(end.cluster()), "{what}");
    assert_eq!(nodes(typed.cluster()), nodes(end.cluster()), "{what}");
    let before = broken(rolling.terminal().cluster());
    let events = end.run("kubectl get events -A").stdout;
    let is_kept = broken(end.cluster()).is_subset(&before);
    assert!(is_kept || events.contains("Preempted"), "{what}");
    end.cluster().seen().audit().expect("sums are right");
}

fn drain_clusters(seeds: std::ops::Range<u64>) {
    let (mut evicted, mut blocked) = (0, 0);
    for seed in seeds {
        let (text, count) = cluster(seed);
        let session = session(&text);
        let all: Vec<String> = (0..count).map(|number| format!("n{number}")).collect();
        let mut groups: Vec<Vec<&str>> = all.iter().map(|node| vec![node.as_str()]).collect();
        groups.push(all.iter().take(2).map(String::as_str).collect());
        for group in groups {
            let rolling = drained(&session, &group);
            assert_same(&rolling, &format!("{seed}: {group:?}"));
            evicted += drains(&answer(&rolling)).nodes[0].evicted;
            blocked += drains(&answer(&rolling)).blocked.len();
        }
    }
    println!("{evicted} Pods evicted, {blocked} blocked");
    assert!(evicted > 10, "{evicted}");
}

#[test]
fn a_drain_comes_to_what_its_lines_come_to() {
    drain_clusters(0..SOME);
}

#[test]
#[ignore = "takes minutes"]
fn drains_of_many_clusters_come_to_what_their_lines_come_to() {
    drain_clusters(0..ALL);
}

fn upgrade_clusters(seeds: std::ops::Range<u64>) {
    let mut replaced = 0;
    for seed in seeds {
        let (text, count) = cluster(seed);
        let session = session(&text);
        let nodes: BTreeSet<String> = (0..count).map(|number| format!("n{number}")).collect();
        for (unavailable, surge) in [(0, 1), (1, 0), (1, 2)] {
            let asked = rolling::ask_upgrade(&session, "all", nodes.clone(), unavailable, surge, 0);
            let rolling = rolled(asked.expect("can be asked"));
            assert_same(&rolling, &format!("{seed}: {unavailable}, {surge}"));
            let answer = answer(&rolling);
            let end = rolling.end_terminal().expect("was played");
            let drained = drains(&answer).nodes.iter().filter(|it| it.is_drained);
            let drained = drained.count();
            // A node that blocks stays beside the one that came first in its place.
            let blocked = nodes.len() - drained;
            let there = self::nodes(end.cluster()).len();
            let expected = nodes.len()..=nodes.len() + blocked;
            assert!(expected.contains(&there), "{seed}: {there} nodes");
            replaced += drained;
        }
    }
    assert!(replaced > 5, "{replaced}");
}

#[test]
fn an_upgrade_comes_to_what_its_lines_come_to() {
    upgrade_clusters(0..SOME / 2);
}

#[test]
#[ignore = "takes minutes"]
fn upgrades_of_many_clusters_come_to_what_their_lines_come_to() {
    upgrade_clusters(0..ALL);
}

/// A cluster with room on up to four nodes, and the number of these.
fn roomy(seed: u64) -> (String, u64) {
    let mut dice = Dice(Random::new(seed));
    let mut text = CLASSES.to_owned();
    let nodes = 3 + dice.below(2);
    for number in 0..nodes {
        node(&mut dice, number, &mut text);
    }
    for number in 0..4 + dice.below(5) {
        let (app, on) = (dice.of(&["web", "api"]), dice.below(nodes));
        let cpu = 200 + 200 * dice.below(6);
        let _ = write!(
            text,
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {app}-{number}, uid: {app}-{number}, labels: {{app: {app}}}, \
             ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {app}, uid: {app}, controller: true}}]}}\n\
             spec: {{nodeName: n{on}, containers: [{{name: c, image: i, resources: {{requests: {{cpu: {cpu}m}}}}}}]}}\n\
             status: {{phase: Running}}\n"
        );
    }
    (text, nodes)
}

/// The most nodes that can go, in any order.
fn most(left: &Live, nodes: &BTreeSet<String>, before: &Live) -> usize {
    let best = nodes.iter().filter_map(|node| {
        if never_goes(left, node).is_some() {
            return None;
        }
        let mut trial = left.clone();
        let drain = Act::Drain {
            node: node.clone(),
            batch: 1,
        };
        trial.then([drain, Act::Settle]);
        while trial.step() {}
        if why_kept(&trial, node, &now(before)).is_some() {
            return None;
        }
        trial.then([Act::Delete(node.clone()), Act::Settle]);
        while trial.step() {}
        let mut others = nodes.clone();
        others.remove(node);
        Some(1 + most(&trial, &others, before))
    });
    best.max().unwrap_or(0)
}

/// Shrinks clusters; returns the number of nodes that go, and of those that can in the best order.
fn shrink_clusters(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut gone, mut best) = (0, 0);
    for seed in seeds {
        let (text, count) = roomy(seed);
        let shrinking = shrunk(&session(&text), None);
        let answer = shrinking.answer().expect("was played");
        let what = format!("{seed}: {answer:?}");
        assert_eq!((answer.more.most, answer.lost.len()), (0, 0), "{what}");
        let went = drains(&answer).nodes.len();
        let all = usize::try_from(count).expect("is small");
        assert_eq!(went + drains(&answer).kept.len(), all, "{what}");
        let typed = typed(shrinking.terminal(), &answer);
        let end = shrinking.end_terminal().expect("was played");
        assert_eq!(places(typed.cluster()), places(end.cluster()), "{what}");
        assert_eq!(nodes(typed.cluster()).len() + went, all, "{what}");
        let start = shrinking.terminal().cluster().clone();
        assert!(waiting(typed.cluster()) <= waiting(&start), "{what}");
        assert!(broken(typed.cluster()).is_subset(&broken(&start)), "{what}");
        let start = Live::new(start, Vec::new(), Order::Names);
        let all = nodes(&start.cluster).into_iter().collect();
        let most = most(&start, &all, &start);
        assert!(went <= most, "{what}");
        gone += went;
        best += most;
    }
    println!("{gone} nodes go; in the best order, {best}");
    (gone, best)
}

#[test]
fn nodes_go_with_all_of_their_pods_placed_again() {
    let (gone, best) = shrink_clusters(0..SOME);
    assert!(gone > 0 && gone <= best, "{gone} of {best}");
}

#[test]
#[ignore = "takes minutes"]
fn greedy_is_near_the_best_order() {
    let (gone, best) = shrink_clusters(0..ALL);
    assert!(gone * 10 >= best * 9, "{gone} of {best}");
}

const TWO_AND_A_BUDGET: &str = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {node.kubernetes.io/instance-type: small}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '20'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {node.kubernetes.io/instance-type: large}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '20'}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: MIN, selector: {matchLabels: {app: web}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, uid: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: web, resources: {requests: {cpu: '1'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, uid: web-1, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, controller: true}]}
spec: {nodeName: a, containers: [{name: c, image: web, resources: {requests: {cpu: '1'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-2, uid: web-2, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, controller: true}]}
spec: {nodeName: a, containers: [{name: c, image: web, resources: {requests: {cpu: '1'}}}]}
";

#[test]
fn a_budget_holds_the_second_pod_until_the_first_is_ready_elsewhere() {
    let session = session(&TWO_AND_A_BUDGET.replace("MIN", "1"));
    let answer = answer(&drained(&session, &["a"]));
    let drains = drains(&answer);
    let node = &drains.nodes[0];
    assert!(node.is_drained && drains.blocked.is_empty(), "{drains:?}");
    assert_eq!((node.evicted, answer.placed.by_name), (2, 2), "{drains:?}");
    let held: Vec<&str> = node.held.iter().map(|it| it.budget.as_str()).collect();
    assert_eq!(held, ["default/web"]);
    // Five seconds from its start, and kubectl asks each five.
    assert!((5..=15).contains(&node.held[0].seconds), "{drains:?}");
    assert!(drains.seconds > node.until, "the second is ready later");
}

#[test]
fn what_blocks_is_named_with_its_budget_and_what_that_would_need() {
    let session = session(&TWO_AND_A_BUDGET.replace("MIN", "2"));
    let answer = answer(&drained(&session, &["a"]));
    let drains = drains(&answer);
    let node = &drains.nodes[0];
    assert!(!node.is_drained && node.evicted == 0, "{drains:?}");
    assert_eq!(node.until - node.from, 600, "ten minutes without progress");
    let blocked = drains.blocked.iter();
    let blocked: Vec<_> = blocked
        .map(|it| {
            (
                it.pod.as_str(),
                it.budgets.len(),
                it.needs,
                it.healthy,
                it.pods,
            )
        })
        .collect();
    let expected = [("default/web-1", 1, 2, 2, 2), ("default/web-2", 1, 2, 2, 2)];
    assert_eq!(blocked, expected);
    let cause = "The disruption budget web needs 2 healthy pods and has 2 currently";
    assert_eq!(drains.blocked[0].cause, cause);
    assert_eq!(answer.more.most, 0);
    let shrunk = shrunk(&session, None).answer().expect("was played");
    let kept = &self::drains(&shrunk).kept;
    assert!(matches!(kept[0].why, WhyKept::Blocked { .. }), "{kept:?}");
}

#[test]
fn nodes_that_go_have_the_sum_of_their_prices() {
    let known = prices("small: 0.1\nlarge: 0.4\n").expect("are prices");
    let session = session(&TWO_AND_A_BUDGET.replace("MIN", "1"));
    let answer = shrunk(&session, Some(known));
    let answer = answer.answer().expect("was played");
    // b is empty, and so the least used; a has nowhere to go then.
    let drains = drains(&answer);
    assert_eq!(drains.nodes.len(), 1, "{drains:?}");
    assert_eq!(
        (drains.nodes[0].node.as_str(), drains.saved),
        ("b", Some(0.4))
    );
    let wrong = prices("small: cheap");
    assert_eq!(
        wrong,
        Err("the price of small is no number of 0 or more".to_owned())
    );
}

#[test]
fn pods_that_nothing_makes_again_are_lost_and_keep_their_node() {
    let text = TWO_AND_A_BUDGET.replace("MIN", "1")
        + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: alone}\nspec: {nodeName: a, containers: [{name: c, image: web}]}\n";
    let session = session(&text);
    let answer = answer(&drained(&session, &["a"]));
    assert_eq!(answer.lost, ["default/alone"]);
    let shrunk = shrunk(&session, None).answer().expect("was played");
    let kept = &drains(&shrunk).kept;
    let lost = WhyKept::Lost {
        pod: "default/alone".to_owned(),
    };
    assert_eq!(kept[0].why, lost, "{kept:?}");
}

#[test]
fn in_a_range_of_orders_the_order_of_names_comes_first() {
    let (text, _) = cluster(3);
    let session = session(&text);
    let asked = rolling::ask_drain(&session, names(&["n0"]), Vec::new(), 3);
    let answer = answer(&rolled(asked.expect("can be asked")));
    let alone = self::answer(&drained(&session, &["n0"]));
    assert_eq!(answer.orders, 3);
    assert_eq!(answer.waiting.by_name, alone.waiting.by_name);
    assert_eq!(answer.drains, alone.drains);
}

#[test]
fn what_is_asked_for_has_to_be_there() {
    let (text, _) = cluster(0);
    let session = session(&text);
    assert!(rolling::ask_drain(&session, names(&["none"]), Vec::new(), 0).is_err());
    assert!(rolling::nodes_of_pool(&session, "none").is_err());
    assert!(rolling::ask_upgrade(&session, "p", names(&["n0"]), 0, 0, 0).is_err());
}

#[test]
fn a_claim_whose_provisioner_has_failed_stays_pending() {
    let text = TWO_AND_A_BUDGET.replace("MIN", "1")
        + "---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: ebs.csi.aws.com
volumeBindingMode: Immediate
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: staging}
spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
status: {phase: Pending}
---
apiVersion: v1
kind: Pod
metadata: {name: stager}
spec:
  containers: [{name: c, image: web}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: staging}}]
";
    let answer = answer(&drained(&session(&text), &["a"]));
    let stager = answer
        .workloads
        .iter()
        .find(|it| it.workload.name == "stager");
    let stager = stager.expect("it waits");
    assert_eq!((stager.waiting_before, stager.waiting.by_name), (1, 1));
    assert_eq!(stager.again, 0);
}

#[test]
fn prices_of_the_scenario_count_without_others() {
    let scenario =
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nprices: {small: 2.5, large: 2.5}\n---";
    let text = scenario.to_owned() + &TWO_AND_A_BUDGET.replace("MIN", "1");
    let mut shrinking = what_if::ask_shrink_of(&session(&text), None, None).expect("can be asked");
    while shrinking.advance(50) {}
    let answer = shrinking.answer().expect("was played");
    assert_eq!(drains(&answer).saved, Some(2.5));
}
