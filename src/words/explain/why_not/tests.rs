use super::why_not;
use crate::scene::testing::{short_of_cpu, skewed, taint};
use berth_protocol::cycle::{Code, Verdict};
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::why_not::{ScoreDifference, WhyNot};

fn refusal(plugin: &str, reason: &str, facts: Vec<FactKind>) -> Verdict {
    Verdict {
        code: Code::Unschedulable,
        plugin: plugin.into(),
        reasons: vec![reason.into()],
        facts: facts.into_iter().map(Fact::new).collect(),
    }
}

fn short() -> FactKind {
    short_of_cpu()
}

#[test]
fn a_rejection_gives_its_arithmetic_and_other_rejecting_plugins() {
    let spread = skewed("topology.kubernetes.io/zone", Some("a"));
    // The deciding verdict has no facts; the failure's facts are used.
    let why = WhyNot::Rejected {
        verdict: refusal("NodeResourcesFit", "Insufficient cpu", Vec::new()),
        failures: vec![
            refusal("NodeResourcesFit", "Insufficient cpu", vec![short()]),
            refusal("PodTopologySpread", "node(s) didn't match", vec![spread]),
        ],
    };
    assert_eq!(
        why_not("web-6", "node-b1", &why),
        "NodeResourcesFit rejects node-b1 for web-6, as it is 250m CPU short: 3750m + 500m > 4000m. \
         PodTopologySpread (skew 2 > maxSkew 1) would also reject it."
    );
    let taint = taint("node-role.kubernetes.io/control-plane", "", "NoSchedule");
    let alone = |verdict: Verdict| WhyNot::Rejected {
        failures: vec![verdict.clone()],
        verdict,
    };
    let why = alone(refusal(
        "TaintToleration",
        "node(s) had a taint",
        vec![taint],
    ));
    assert_eq!(
        why_not("web-6", "cp-1", &why),
        "TaintToleration rejects cp-1 for web-6, as it has the taint control-plane:NoSchedule, \
         which web-6 does not tolerate."
    );
    let why = alone(refusal(
        "NodePorts",
        "node(s) didn't have free ports",
        Vec::new(),
    ));
    assert_eq!(
        why_not("web-6", "cp-1", &why),
        "NodePorts rejects cp-1 for web-6: didn't have free ports."
    );
}

#[test]
fn a_lower_score_is_explained_by_plugin_differences() {
    let difference = |plugin: &str, chosen, other| ScoreDifference {
        plugin: plugin.into(),
        chosen,
        other,
    };
    let why = WhyNot::Outscored {
        chosen: "node-a".into(),
        chosen_total: 412,
        total: 376,
        differences: vec![
            difference("PodTopologySpread", 200, 160),
            difference("ImageLocality", 0, 4),
        ],
    };
    assert_eq!(
        why_not("web-4", "node-b", &why),
        "node-b scores 376, 36 less than node-a: PodTopologySpread gives it 40 less and ImageLocality 4 more."
    );
}

#[test]
fn a_tie_names_the_seed_that_decided() {
    let tied = |among, seed| WhyNot::Tied {
        chosen: "node-c".into(),
        total: 412,
        among,
        seed,
        differences: Vec::new(),
    };
    assert_eq!(
        why_not("web-4", "node-a", &tied(2, Some(7))),
        "node-a and node-c both score 412; seed 7 picked node-c."
    );
    assert_eq!(
        why_not("web-4", "node-d", &tied(5, None)),
        "node-d and node-c are 2 of 5 nodes that score 412; node-c comes first by name."
    );
}

#[test]
fn unexamined_nodes_are_not_called_rejected() {
    let unseen = |failures| WhyNot::NotExamined {
        feasible: 420,
        examined: 487,
        nodes: 1000,
        failures,
    };
    assert_eq!(
        why_not("web-4", "n9", &unseen(Vec::new())),
        "n9 was not examined: the search stopped at 420 feasible nodes after 487 of 1,000. n9 is feasible."
    );
    let failures = vec![refusal(
        "NodeResourcesFit",
        "Insufficient cpu",
        vec![short()],
    )];
    assert!(
        why_not("web-4", "n9", &unseen(failures))
            .ends_with("1,000. NodeResourcesFit (cpu short by 250m) would reject it.")
    );
    let names = ["a", "b", "c", "d", "e", "f"].map(String::from);
    let excluded = |nodes: &[String]| WhyNot::Excluded {
        nodes: nodes.to_vec(),
        failures: Vec::new(),
    };
    assert_eq!(
        why_not("web-4", "n9", &excluded(&names)),
        "n9 was not examined: PreFilter left only a, b, c, d and 2 more nodes for web-4. n9 is feasible."
    );
    assert_eq!(
        why_not("web-4", "n9", &excluded(&names[..1])),
        "n9 was not examined: PreFilter left only a for web-4. n9 is feasible."
    );
}
