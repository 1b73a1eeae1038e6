//! Pages of objects, compared with the expected ones in `tests/`, one file per object.

use serde_json::json;

use crate::tests::cluster::TestCluster;
use crate::tests::commands::{create, fails, run};

/// Manifests of each kind with many fields.
const MANIFESTS: &str = include_str!("tests/manifests.yaml");

#[track_caller]
fn check(cluster: &mut TestCluster, line: &str, expected: &str) {
    let output = run(cluster, line);
    assert_eq!((output.stderr.as_str(), output.code), ("", 0), "{line}");
    assert!(output.stdout == expected, "{line}:\n{}", output.stdout);
}

macro_rules! pages {
    ($($test:ident $object:literal;)*) => {
        $(#[test]
        fn $test() {
            let mut cluster = TestCluster::new(MANIFESTS);
            cluster.play(65);
            let expected = include_str!(concat!("tests/", stringify!($test), ".txt"));
            check(&mut cluster, concat!("describe ", stringify!($test), "/", $object), expected);
        })*
    };
}

pages! {
    pod "rich";
    node "n1";
    deployment "web";
    replicaset "alone";
    daemonset "log";
    statefulset "db";
    job "work";
    cronjob "tick";
    pvc "data";
    pv "disk";
    sc "fast";
    csinode "n1";
    namespace "default";
    limitrange "limits";
    quota "few";
    pdb "web";
    pc "high";
    service "web";
    csidriver "csi.example.com";
}

#[test]
fn names_match_as_prefixes() {
    let mut cluster = TestCluster::with_nodes(&["n1", "n2"]);
    let both = run(&mut cluster, "describe node n").stdout;
    let heads: Vec<_> = both
        .lines()
        .filter(|line| line.starts_with("Name:"))
        .collect();
    assert_eq!(heads, ["Name:               n1", "Name:               n2"]);
    assert!(both.contains("\n\n\nName: "), "{both}");
    fails(
        &mut cluster,
        "describe node x",
        "Error from server (NotFound): nodes \"x\" not found",
    );
    assert_eq!(
        run(&mut cluster, "describe po").stderr,
        "No resources found in default namespace.\n"
    );
}

#[test]
fn events_count_up() {
    let mut cluster = TestCluster::with_nodes(&[]);
    create(
        &mut cluster,
        &json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}}),
    );
    let describe = |cluster: &mut TestCluster| {
        use crate::Cluster;
        use berth_sim::audit_log::{Event, Level};
        let pod = cluster
            .api()
            .store()
            .pods
            .iter()
            .next()
            .expect("a pod")
            .clone();
        let event = Event::new(
            &*pod,
            Level::Warning,
            "FailedScheduling",
            "no nodes available to schedule pods",
        );
        cluster.api_mut().set_component("default-scheduler");
        cluster.api_mut().event(event);
    };
    describe(&mut cluster);
    cluster.play(20);
    describe(&mut cluster);
    cluster.play(3);
    let page = run(&mut cluster, "describe po a").stdout;
    let events = page.split_once("Events:\n").expect("events").1;
    assert_eq!(
        events,
        "  Type     Reason            Age               From               Message\n  \
           ----     ------            ----              ----               -------\n  \
           Warning  FailedScheduling  3s (x2 over 23s)  default-scheduler  no nodes available to schedule pods\n"
    );
    let none = run(&mut cluster, "describe po a --show-events=false").stdout;
    assert!(!none.contains("Events"), "{none}");
}
