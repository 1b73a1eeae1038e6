use crate::scene::progress::{Point, Revealed, Stop};
use crate::scene::testing::{self, pods_near, short_of_cpu, skewed};
use berth_protocol::cycle::{
    Code, Cycle, NodeReport, NodeScore, NotEligible, PreemptionReport, SearchReport, TieBreak,
    Verdict,
};
use berth_protocol::fact::{AffinityTermKind, DeviceOutcome, FactKind, VolumeOutcome};
use berth_protocol::meant::Meant;
use berth_protocol::page::{NodeOutcome, ReasonCount, Rows};

fn sentence(cycle: &Cycle, rows: &Rows, revealed: &Revealed) -> String {
    let pod = crate::words::short(&cycle.pod);
    super::sentence(cycle, pod, rows, revealed, &|_, _| None)
}

fn refused(node: &str, plugin: &str) -> NodeReport {
    NodeReport {
        node: node.into(),
        verdict: Some(Verdict {
            code: Code::Unschedulable,
            plugin: plugin.into(),
            ..Verdict::default()
        }),
        failures: Vec::new(),
        passes: Vec::new(),
    }
}

fn counted(plugin: &str, reason: &str, nodes: &[u32]) -> ReasonCount {
    ReasonCount {
        node: "a".into(),
        fact: None,
        plugin: plugin.into(),
        reason: reason.into(),
        count: nodes.len(),
        without: 0,
        taints: 0,
        nodes: nodes.to_vec(),
    }
}

#[test]
fn a_tie_names_its_seed() {
    let score = |node: &str| NodeScore {
        node: node.into(),
        plugins: Vec::new(),
        total: 412,
    };
    let cycle = Cycle {
        pod: "default/web-4".into(),
        selected: Some("node-c".into()),
        scores: Some(vec![score("node-a"), score("node-c")]),
        best: vec!["node-a".into(), "node-c".into()],
        tie_break: Some(TieBreak {
            among: 2,
            seed: Some(7),
        }),
        ..Cycle::default()
    };
    assert_eq!(
        sentence(&cycle, &Rows::default(), &Revealed::all()),
        "web-4 goes to node-c: node-c and node-a score the same, 412, and the draw with seed 7 fell on node-c."
    );
}

#[test]
fn the_sentence_of_a_waiting_pod_gives_its_reasons() {
    let fit = "NodeResourcesFit";
    let short = short_of_cpu();
    let cycle = Cycle {
        pod: "batch/job".into(),
        ..Cycle::default()
    };
    let cordoned = counted("NodeUnschedulable", "node(s) were unschedulable", &[1, 7]);
    let rows = Rows {
        reasons: vec![
            ReasonCount {
                fact: Some(short),
                ..counted(fit, "Insufficient cpu", &[0])
            },
            ReasonCount {
                fact: Some(FactKind::Unschedulable),
                ..cordoned
            },
            // It has no fact.
            counted("NodePorts", "node(s) didn't have free ports", &[4]),
        ],
        not_examined: 3,
        ..Rows::default()
    };
    assert_eq!(
        sentence(&cycle, &rows, &Revealed::all()),
        "batch/job waits: a is 250m CPU short: 3750m + 500m > 4000m; 2 nodes are cordoned; \
         1 node didn't have free ports; 3 nodes are ruled out by PreFilter already."
    );
}

#[test]
fn the_sentence_of_a_step_covers_plugins_that_have_run() {
    let cycle = Cycle {
        pod: "default/web-5".into(),
        filter_plugins: ["NodeName", "TaintToleration", "NodeResourcesFit"]
            .map(String::from)
            .into(),
        nodes: vec![refused("cp-1", "TaintToleration")],
        search: SearchReport {
            nodes: 8,
            examined: 8,
            ..SearchReport::default()
        },
        ..Cycle::default()
    };
    let rows = Rows {
        reasons: vec![
            counted("TaintToleration", "tainted", &[0]),
            counted("NodeResourcesFit", "Insufficient cpu", &[2, 3]),
            // The same node, for two reasons.
            counted("NodeResourcesFit", "Insufficient memory", &[3]),
        ],
        ..Rows::default()
    };
    let at = |plugin| Revealed {
        stop: Some(Stop {
            point: Point::Filter,
            plugin: Some(plugin),
        }),
    };
    assert_eq!(
        sentence(&cycle, &rows, &at(1)),
        "After 2 of 3 plugins, 7 of 8 nodes can take web-5. TaintToleration rules out cp-1."
    );
    assert_eq!(
        sentence(&cycle, &rows, &at(2)),
        "After 3 of 3 plugins, 5 of 8 nodes can take web-5. NodeResourcesFit rules out 2 nodes."
    );
}

#[test]
fn the_sentence_notes_double_counted_nodes_and_ineligible_preemptors() {
    let mut cycle = Cycle {
        pod: "default/web".into(),
        not_eligible: Some(NotEligible::PolicyNever),
        ..Cycle::default()
    };
    let rows = Rows {
        reasons: vec![
            counted("NodeResourcesFit", "Insufficient cpu", &[0, 1, 2]),
            counted("NodeResourcesFit", "Insufficient memory", &[1, 2]),
        ],
        ..Rows::default()
    };
    let waits = "web waits: 3 nodes Insufficient cpu; 2 nodes Insufficient memory \
                 (2 nodes fail for more than one reason).";
    let never = " It evicts no other Pod to make room, as its preemptionPolicy is Never.";
    assert_eq!(
        sentence(&cycle, &rows, &Revealed::all()),
        format!("{waits}{never}")
    );
    cycle.not_eligible = None;
    assert_eq!(sentence(&cycle, &rows, &Revealed::all()), waits);
    // A single node is named, so the note is omitted.
    let rows = Rows {
        reasons: vec![
            counted("NodeResourcesFit", "Insufficient cpu", &[0]),
            counted("NodeResourcesFit", "Insufficient memory", &[0]),
        ],
        ..Rows::default()
    };
    let text = sentence(&cycle, &rows, &Revealed::all());
    assert!(!text.contains("more than one reason"), "{text}");
}

#[test]
fn a_clause_says_what_would_be_true() {
    let spread = skewed("topology.kubernetes.io/zone", Some("a"));
    assert_eq!(
        super::phrase(&spread, false, "it").unwrap(),
        "would be 2 ahead of the smallest zone; maxSkew allows 1"
    );
    let label = |operator: &str, values: &[&str]| FactKind::NodeRequirement {
        key: "pool".into(),
        operator: operator.into(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        actual: None,
        holds: false,
    };
    let in_words = |fact: &FactKind| super::phrase(fact, false, "it").unwrap();
    assert_eq!(in_words(&label("In", &["db"])), "are not pool=db");
    assert_eq!(in_words(&label("In", &[""])), "do not meet pool=");
    assert!(in_words(&label("In", &["a", "b"])).starts_with("do not meet pool "));
}

#[test]
fn a_rule_about_other_pods_names_them() {
    let in_words = |term, key: &str, selector: &str, one| {
        let fact = pods_near(term, key, 1, selector);
        super::phrase(&fact, one, "it").unwrap()
    };
    let (host, zone) = ("kubernetes.io/hostname", "topology.kubernetes.io/zone");
    let (near, away) = (AffinityTermKind::Affinity, AffinityTermKind::AntiAffinity);
    assert_eq!(
        in_words(away, host, "app=cache", false),
        "already have a Pod with app=cache, which it must stay away from"
    );
    assert_eq!(
        in_words(away, zone, "app.kubernetes.io/name=db,tier in (a,b)", true),
        "shares its zone with a Pod with name=db,tier in (a,b), which it must stay away from"
    );
    assert_eq!(
        in_words(near, host, "app=web", true),
        "has no Pod with app=web, which it must be near"
    );
    assert_eq!(
        in_words(near, zone, "", false),
        "share their zone with no Pod, which it must be near"
    );
    assert_eq!(
        in_words(AffinityTermKind::ExistingAntiAffinity, host, "", true),
        "has a Pod that keeps it away"
    );
}

#[test]
fn what_several_nodes_lack_is_given_with_the_most_that_one_has_left() {
    let waits = |resource: &str, used: i64, allocatable: i64, nodes: &[u32]| {
        let fact = testing::resource(resource, 500, used, allocatable);
        let reason = ReasonCount {
            fact: Some(fact),
            ..counted("NodeResourcesFit", "Insufficient", nodes)
        };
        let rows = Rows {
            reasons: vec![reason],
            ..Rows::default()
        };
        let cycle = Cycle {
            pod: "default/web".into(),
            ..Cycle::default()
        };
        let text = sentence(&cycle, &rows, &Revealed::all());
        text.strip_prefix("web waits: ").unwrap().to_owned()
    };
    assert_eq!(
        waits("cpu", 3750, 4000, &[0, 1]),
        "2 nodes have too little CPU left (at most 250m, on a)."
    );
    assert_eq!(
        waits("cpu", 4100, 4000, &[0, 1]),
        "2 nodes have no CPU left."
    );
    assert_eq!(
        waits("nvidia.com/gpu", 0, 0, &[0, 1]),
        "2 nodes have no nvidia.com/gpu."
    );
    assert_eq!(
        waits("nvidia.com/gpu", 0, 0, &[0]),
        "a has no nvidia.com/gpu."
    );
    assert_eq!(
        waits("pods", 110, 110, &[0, 1]),
        "2 nodes are at their Pod limit."
    );
    assert_eq!(
        waits("pods", 110, 110, &[0]),
        "a has 110 Pods already, of 110 at most."
    );
}

#[test]
fn nodes_without_a_resource_differ_from_those_with_too_little() {
    let lacking = |without: usize, nodes: &[u32]| {
        let fact = testing::resource("nvidia.com/gpu", 2, 3, 4);
        super::clause(&ReasonCount {
            fact: Some(fact),
            without,
            ..counted("NodeResourcesFit", "Insufficient nvidia.com/gpu", nodes)
        })
    };
    assert_eq!(
        lacking(2, &[0, 1, 2, 3]),
        "2 nodes have no nvidia.com/gpu; 2 nodes have too little gpu left (at most 1, on a)"
    );
    assert_eq!(
        lacking(1, &[0, 1]),
        "1 node has no nvidia.com/gpu; a is 1 gpu short: 3 + 2 > 4"
    );
}

#[test]
fn a_volume_says_where_it_is() {
    let waits = |outcome| {
        let fact = FactKind::Volume {
            name: "data".into(),
            outcome,
        };
        super::phrase(&fact, false, "it")
    };
    let label = |actual: &str| VolumeOutcome::Label {
        key: "zone".into(),
        values: vec!["a".into()],
        actual: Some(actual.into()),
    };
    let volume = || "pv-1".to_owned();
    assert_eq!(
        waits(VolumeOutcome::AffinityConflict { volume: volume() }).unwrap(),
        "cannot use the volume pv-1 of the claim data"
    );
    assert_eq!(
        waits(label("b")).unwrap(),
        "are not in a, where the volume data is"
    );
    assert_eq!(waits(label("a")), None);
    assert_eq!(waits(VolumeOutcome::Takes { volume: volume() }), None);
}

#[test]
fn the_board_cuts_what_the_names_of_nodes_share() {
    let short = testing::resource("cpu", 500, 0, 250);
    let rows = Rows {
        reasons: vec![ReasonCount {
            node: "ip-1.example.internal".into(),
            fact: Some(short),
            ..counted("NodeResourcesFit", "Insufficient cpu", &[0, 1])
        }],
        ..Rows::default()
    };
    assert_eq!(
        super::against(&rows, ".example.internal"),
        "2 nodes have too little CPU left (at most 250m, on ip-1)"
    );
}

#[test]
fn a_claim_without_a_device_is_named() {
    let in_words = |outcome: DeviceOutcome, one: bool| {
        let fact = FactKind::Device {
            claim: "train-gpu".into(),
            request: "gpu".into(),
            device: "driver/pool/gpu-0".into(),
            outcome,
        };
        super::phrase(&fact, one, "it")
    };
    assert_eq!(
        in_words(DeviceOutcome::InUse, false).unwrap(),
        "have no device left that the claim train-gpu may take"
    );
    assert_eq!(
        in_words(DeviceOutcome::ClaimElsewhere, true).unwrap(),
        "is not where the claim train-gpu is allocated"
    );
    assert_eq!(in_words(DeviceOutcome::BindingTimedOut, true), None);
}

#[test]
fn preemption_frees_nodes() {
    let cycle = Cycle {
        pod: "default/web".into(),
        preemption: Some(PreemptionReport {
            nominated: "node-a".into(),
            victims: vec!["default/old".into()],
            candidates: Vec::new(),
            ambiguous: false,
            decided_by: String::new(),
        }),
        ..Cycle::default()
    };
    assert_eq!(
        sentence(&cycle, &Rows::default(), &Revealed::all()),
        "No node can take web. Evicting lower-priority Pods would free 0 nodes. node-a is nominated; old must go."
    );
}

#[test]
fn different_taints_are_different_reasons_even_where_a_release_reports_one() {
    let fit = "NodeResourcesFit";
    let cycle = Cycle {
        pod: "batch/job".into(),
        ..Cycle::default()
    };
    let full = counted(fit, "Insufficient cpu", &[0]);
    let said = |taints: usize| {
        let tainted = ReasonCount {
            taints,
            ..counted(
                "TaintToleration",
                "node(s) had untolerated taint(s)",
                &[1, 2, 3, 4],
            )
        };
        let rows = Rows {
            reasons: vec![tainted, full.clone()],
            verdicts: vec![NodeOutcome::Rejected; 5],
            meant: Some(Box::new(Meant {
                nodes: vec![0],
                foreign: vec![1, 2, 3, 4],
                ..Meant::default()
            })),
            decisive: vec![full.clone()],
            ..Rows::default()
        };
        sentence(&cycle, &rows, &Revealed::all())
    };
    assert_eq!(
        said(3),
        "batch/job waits: 1 node Insufficient cpu; 4 nodes have taints that are not tolerated."
    );
    assert_eq!(
        said(4),
        "batch/job waits: 1 node Insufficient cpu; 4 other nodes are out of the question."
    );
}
