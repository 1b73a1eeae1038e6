use crate::session::{Options, Session};
use crate::testing::session_with;
use crate::why_not;
use berth_protocol::why_not::WhyNot;

/// `same-1` and `same-2` are equal; `closed` is cordoned.
const NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: closed}
spec: {unschedulable: true}
status: {allocatable: {cpu: '8', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: same-1}
status: {allocatable: {cpu: '4', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: same-2}
status: {allocatable: {cpu: '4', memory: 4Gi, pods: '10'}}
---
";
const SMALL: &str = "
apiVersion: v1
kind: Node
metadata: {name: small}
status: {allocatable: {cpu: '1', memory: 1Gi, pods: '10'}}
---
";
const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: web, image: web, resources: {requests: {cpu: 500m, memory: 512Mi}}}]
";

fn session(yaml: String) -> Session {
    let options = Options {
        first_on_ties: true,
        ..Options::default()
    };
    let mut session = session_with(&yaml, options);
    session.run_to_end();
    session
}

#[test]
fn every_node_has_its_reason() {
    let session = session(format!("{NODES}{SMALL}{POD}"));
    let why = |node| why_not::why_not(&session, 0, node).unwrap();
    assert_eq!(why("same-1"), WhyNot::Chosen);
    let WhyNot::Rejected { verdict, failures } = why("closed") else {
        panic!("{:?}", why("closed"));
    };
    assert_eq!(verdict.plugin, "NodeUnschedulable");
    assert_eq!(failures[0].reasons, ["node(s) were unschedulable"]);
    let WhyNot::Tied {
        chosen,
        among,
        seed,
        differences,
        ..
    } = why("same-2")
    else {
        panic!("{:?}", why("same-2"));
    };
    assert_eq!((chosen.as_str(), among, seed), ("same-1", 2, None));
    assert!(differences.is_empty());
    let WhyNot::Outscored {
        chosen_total,
        total,
        differences,
        ..
    } = why("small")
    else {
        panic!("{:?}", why("small"));
    };
    let margins = differences.iter().map(|difference| difference.margin());
    assert_eq!(margins.clone().sum::<i64>(), chosen_total - total);
    assert!(margins.rev().is_sorted());
    assert_eq!(differences[0].plugin, "NodeResourcesFit");
    assert!(why_not::why_not(&session, 0, "nowhere").is_err());
}

#[test]
fn a_search_that_found_enough_leaves_nodes_unexamined() {
    let mut yaml = String::new();
    for number in 0..150 {
        yaml.push_str(&SMALL.replace("small", &format!("n{number:03}")));
    }
    let session = session(yaml + POD);
    let WhyNot::NotExamined {
        feasible,
        examined,
        nodes,
        failures,
    } = why_not::why_not(&session, 0, "n149").unwrap()
    else {
        panic!("n149 was examined");
    };
    assert_eq!((feasible, examined, nodes), (100, 100, 150));
    assert!(failures.is_empty());
}

#[test]
fn pods_that_ask_for_a_node_exclude_the_others() {
    let pinned = "
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [same-2]}]}]
";
    let session = session(format!("{NODES}{POD}{pinned}"));
    let WhyNot::Excluded { nodes, failures } = why_not::why_not(&session, 0, "same-1").unwrap()
    else {
        panic!("same-1 was not excluded");
    };
    assert_eq!(nodes, ["same-2"]);
    assert_eq!(failures[0].plugin, "NodeAffinity");
}
